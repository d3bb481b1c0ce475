//! Programs that bring their own operands and the results of JAX or of XLA's CPU backend.

use std::path::{Path, PathBuf};

use tfjit_eval::{Interpreter, Options};
use tfjit_hlo::parse;

/// Runs every program of a folder of test data; all that fail are listed.
fn run_folder(name: &str, programs_min: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of programs")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlir"))
        .collect();
    paths.sort();
    assert!(paths.len() >= programs_min, "programs are missing");
    let failures: Vec<String> = paths.iter().filter_map(|path| failure(path)).collect();
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

/// What is wrong with a program, run in the mode that XLA runs in.
fn failure(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("a readable program");
    let options = Options { flush_subnormals: true, ..Options::default() };
    let outcome = parse(&text).and_then(|module| Interpreter::new(&module, options).run_checks());
    let name = path.file_name().unwrap_or_default().display();
    match outcome {
        Ok(0) => Some(format!("{name}: nothing is checked")),
        Ok(_) => None,
        Err(error) => Some(format!("{name}: {error}")),
    }
}

#[test]
fn kernels_agree_with_xla() {
    run_folder("jax_kernels", 300);
}

#[test]
fn programs_of_jax_agree() {
    run_folder("jax", 40);
}
