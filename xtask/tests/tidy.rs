//! The rules of the house, run with the other tests.

#[test]
fn the_tree_is_tidy() {
    let problems = xtask::tidy::check(&xtask::root(), false).unwrap();
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}
