//! The page of ops is what the rows say.

#[test]
fn the_page_is_fresh() {
    let path = xtask::root().join(xtask::ops::PAGE);
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(there == xtask::ops::page(), "docs/ops.md is stale: run `cargo xtask ops`");
}
