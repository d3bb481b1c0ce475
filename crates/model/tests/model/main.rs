//! Whole models: sound ones of `testdata/models`, broken ones made from them, and bytes that are
//! anything.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod bytes;
mod fixtures;
mod graphs;
mod mutants;
mod roundtrip;
mod saved_models;
