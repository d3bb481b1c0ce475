//! What the tests of TensorFlow assert of listeners, where functions are compiled.
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::sync::{Arc, Mutex};

use common::*;
use tfjit_base::{Code, DType, Error, Result};
use tfjit_launch::listener::{ActivityListener, JitCompilationActivity, Listeners};
use tfjit_launch::{CompileMode, CompilerOptions, DeviceCompiler};

/// Keeps what it hears, and fails if it is told to.
#[derive(Default)]
struct Heard {
    activities: Mutex<Vec<JitCompilationActivity>>,
    fails: bool,
}

impl ActivityListener for Heard {
    fn jit_compilation(&self, activity: &JitCompilationActivity) -> Result<()> {
        self.activities.lock().unwrap().push(activity.clone());
        if self.fails { Err(Error::unavailable("the listener's")) } else { Ok(()) }
    }
}

fn listening(heard: &[&Arc<Heard>]) -> DeviceCompiler {
    let listeners = Arc::new(Listeners::new());
    for &listener in heard {
        listeners.register(Arc::clone(listener) as Arc<dyn ActivityListener>);
    }
    DeviceCompiler::new(local(), CompilerOptions { listeners, ..CompilerOptions::default() })
}

/// Compiles, or finds, the product of a matrix of this size with itself and its sum with itself.
fn run(compiler: &DeviceCompiler, size: i64) -> Result<()> {
    let cluster = function("cluster_0", &[F32], |g, a| {
        let no = |name| (name, tfjit_model::AttrValue::Bool(false));
        let attrs = [t(F32), no("transpose_a"), no("transpose_b")];
        (0..5).fold(vec![a[0]], |last, _| {
            let product = op(g, "MatMul", &[last[0], last[0]], &attrs);
            vec![op(g, "AddV2", &[product, product], &[t(F32)])]
        })
    });
    let args = [parameter(DType::F32, &[size, size])];
    request(compiler, &cluster, &args, CompileMode::Strict).map(drop)
}

#[test]
fn acceptance_8_6_each_compilation_is_told_with_its_number_and_the_sum_of_times() {
    let heard = Arc::new(Heard::default());
    let compiler = listening(&[&heard]);
    run(&compiler, 2).unwrap();
    let first = heard.activities.lock().unwrap().clone();
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].cluster_name.as_str(), first[0].compile_count), ("cluster_0", 1));
    assert_eq!(first[0].cumulative_compile_time_us, first[0].compile_time_us);
    assert!(!first[0].used_persistent_cache);
    for _ in 0..3 {
        run(&compiler, 3).unwrap();
    }
    let all = heard.activities.lock().unwrap().clone();
    assert_eq!(all.len(), 2);
    assert_eq!((all[1].cluster_name.as_str(), all[1].compile_count), ("cluster_0", 2));
    let sum = all[0].compile_time_us + all[1].compile_time_us;
    assert_eq!(all[1].cumulative_compile_time_us, sum);
}

#[test]
fn acceptance_8_6_the_first_listener_that_fails_fails_the_compilation() {
    let good = Arc::new(Heard::default());
    let bad = Arc::new(Heard { fails: true, ..Heard::default() });
    let late = Arc::new(Heard::default());
    let compiler = listening(&[&good, &bad, &late]);
    let error = run(&compiler, 2).unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::Unavailable, "the listener's"));
    let counts = [&good, &bad, &late].map(|l| l.activities.lock().unwrap().len());
    assert_eq!(counts, [1, 1, 0]);
}
