//! Every loop kernel of the programs in `testdata`: machine code gives the interpreter's bits.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::path::{Path, PathBuf};

use tfjit_hlo::{Module, Op, parse_file, verify};
use tfjit_local::{KernelJudge, LocalClient, LocalOptions};

/// Rows and columns, whole vectors and not, less than one and many.
const SPACES: &[[usize; 2]] = &[[3, 37], [1, 64], [2, 1], [17, 5], [1, 531]];

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "mlir")).collect();
    paths.sort();
    paths
}

/// What a test program computes from its constants, with the constants as parameters: else they
/// would be folded, and no kernel left. Its results are what it checks.
fn opened(mut module: Module) -> Option<Module> {
    let at = module.entry_index()?;
    let func = &mut module.funcs[at];
    let entry = func.entry;
    let mut results = Vec::new();
    for inst in std::mem::take(&mut func.blocks[entry].insts) {
        let data = &func.insts[inst];
        match &data.op {
            Op::Constant(_) => {
                let value = data.results[0];
                let param = func.add_param(entry, func.ty(value).clone());
                for inst in func.insts.ids() {
                    let operands = func.insts[inst].operands.iter_mut();
                    operands.filter(|v| **v == value).for_each(|v| *v = param);
                }
            }
            Op::CustomCall(call) if call.call_target_name.starts_with("check.") => {
                results.push(data.operands[0]);
            }
            _ => func.blocks[entry].insts.push(inst),
        }
    }
    func.result_types = results.iter().map(|&value| func.ty(value).clone()).collect();
    func.blocks[entry].results = results;
    verify(&module).ok()?;
    Some(module)
}

/// The kernels of a folder's programs, compared; how many there were.
fn compare(folder: &str) -> usize {
    let client = LocalClient::new(LocalOptions::default());
    let mut judge = KernelJudge::new();
    for (i, path) in programs(folder).iter().enumerate() {
        let text = std::fs::read_to_string(path).unwrap();
        for module in parse_file(&text).unwrap() {
            let Some(mut module) = opened(module) else { continue };
            client.optimise(&mut module).unwrap();
            // What the planner refuses has no kernels.
            let Ok(plan) = tfjit_plan::plan(&module) else { continue };
            for (_, kernel) in plan.kernels.iter() {
                let difference = judge.differs(kernel, SPACES, i as u64).unwrap();
                assert_eq!(difference, None, "{}", path.display());
            }
        }
    }
    judge.compared()
}

#[test]
fn kernels_of_jax_programs() {
    let compared = compare("jax");
    assert!(compared > 40 || cfg!(not(target_arch = "x86_64")), "only {compared} kernels");
}

#[test]
fn kernels_of_single_operations() {
    let compared = compare("jax_kernels");
    assert!(compared > 10 || cfg!(not(target_arch = "x86_64")), "only {compared} kernels");
}
