//! Finds the text tests and runs them; the arguments are those of every Rust test program.

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository");
    let found = match tfjit_tests::find(root) {
        Ok(found) => found,
        Err(e) => {
            let trial = Trial::test("find the tests", move || Err(format!("{e:#}").into()));
            return libtest_mimic::run(&args, vec![trial]).exit_code();
        }
    };
    let bless = tfjit_base::knobs::BLESS.is_on();
    let trials = found.into_iter().map(|file| {
        let name = file.name.clone();
        Trial::test(name, move || file.run(bless).map_err(|e| format!("{e:#}").into()))
    });
    libtest_mimic::run(&args, trials.collect()).exit_code()
}
