//! Programs that JAX made and that compare themselves with what JAX computed.

use std::path::{Path, PathBuf};

use tfjit_eval::{Interpreter, Options};
use tfjit_hlo::{parse, verify};

#[test]
fn programs_of_jax_give_what_jax_computed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/jax");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of programs")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlir"))
        .collect();
    paths.sort();
    assert!(paths.len() > 40, "programs are missing");
    let mut checks = 0;
    for path in paths {
        let name = path.file_name().expect("a file").display();
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let module = parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        verify(&module).unwrap_or_else(|e| panic!("{name}: {e}"));
        let passed = Interpreter::new(&module, Options::default()).run_checks();
        checks += passed.unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    assert!(checks > 200, "only {checks} checks");
}
