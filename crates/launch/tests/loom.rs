//! All interleavings of two threads that ask for one signature. Those of the store of closures are
//! beside it, in its unit tests.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --release -p tfjit-launch --lib --test loom` runs both;
//! elsewhere this file is empty.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use common::*;
use tfjit_base::DType;
use tfjit_client::Client;
use tfjit_launch::{CompileMode, CompilerOptions, DeviceCompiler, Request};

#[test]
fn one_signature_is_compiled_once() {
    let function = x_plus_y();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let client = Arc::new(Counting::new(eval()));
        let shared = Arc::clone(&client) as Arc<dyn Client>;
        let compiler = DeviceCompiler::new(shared, CompilerOptions::default());
        let compiler = Arc::new(compiler);
        let library = library(&[&function]);
        let ask = |compiler: Arc<DeviceCompiler>, function: Arc<_>, library: Arc<_>| {
            let args = [parameter(DType::F32, &[]), parameter(DType::F32, &[])];
            let (library, function) = (&library, &function);
            let request = Request { library, function, args: &args, mode: CompileMode::Strict };
            compiler.compile_if_needed(&request).unwrap().unwrap()
        };
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (c, f, l) =
                    (Arc::clone(&compiler), Arc::clone(&function), Arc::clone(&library));
                loom::thread::spawn(move || ask(c, f, l))
            })
            .collect();
        let ready: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        assert!(Arc::ptr_eq(&ready[0].executable, &ready[1].executable));
        assert_eq!(client.compiles.load(Ordering::SeqCst), 1);
        assert_eq!((compiler.stats().hits, compiler.stats().misses), (1, 1));
    });
}
