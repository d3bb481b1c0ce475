//! The models with many ways to run them: threads, batches, with machine code and without.
//!
//! Numbers of threads must not change a bit of any result.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Result;

use super::group::GROUPS;
use super::{Options, Tally, lock, pool, print_reasons, results};

/// Batches and threads with machine code.
const BATCHES: &[usize] = &[1, 3, 8];
const THREADS: &[usize] = &[1, 2];

/// Runs all combinations, one line each.
pub(super) fn run(options: &Options, args: &[String]) -> Result<ExitCode> {
    let mut good = true;
    for &batch in BATCHES {
        let mut first: Option<BTreeMap<String, String>> = None;
        for &threads in THREADS {
            let (passed, told) = combination(options, args, true, threads, batch)?;
            good &= passed;
            let Some(first) = &first else {
                first = Some(told);
                continue;
            };
            for (id, bits) in told {
                if first.get(&id).is_some_and(|b| *b != bits) {
                    println!("  {id}, batch {batch}: the bits depend on the number of threads");
                    good = false;
                }
            }
        }
    }
    good &= combination(options, args, false, 1, 1)?.0;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one combination: whether all went well, and what came out.
fn combination(
    options: &Options,
    args: &[String],
    codegen: bool,
    threads: usize,
    batch: usize,
) -> Result<(bool, BTreeMap<String, String>)> {
    let word = if codegen { "on" } else { "off" };
    let mut args = args.to_vec();
    args.extend(["--digest".into(), "--codegen".into(), word.into()]);
    args.extend(["--threads".into(), threads.to_string()]);
    if batch > 1 {
        args.extend(["--batch".into(), batch.to_string()]);
    }
    let pool = pool(options, &args)?;
    let mut all = Tally::default();
    for group in GROUPS.iter().filter(|group| ["real", "arch"].contains(&group.name)) {
        let results = results(options, &pool, group)?;
        if options.verbose {
            print_reasons(&results);
        }
        all.add(&Tally::of(&results));
    }
    println!("codegen {word}, {threads} threads, batch {batch}: {all}");
    let told = std::mem::take(&mut *lock(&pool.told));
    Ok((all.failed == 0, told))
}
