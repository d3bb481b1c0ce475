//! Cache, signature and profiler (behaviour, 8.2).
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::*;
use rustc_hash::FxHasher;
use tfjit_base::{DType, Error, Result, Tensor};
use tfjit_bridge::Arg;
use tfjit_hlo::Module;
use tfjit_launch::listener::{ActivityListener, JitCompilationActivity, Listeners};
use tfjit_launch::{
    Cache, CacheBounds, CompilationProfiler, CompilationResult, CompileMode, CompileState,
    CompilerOptions, DeviceCompilationProfiler, DeviceCompiler, ONGOING_ASYNC_MAX, Signature,
    Store,
};

fn signature(name: &str) -> Signature {
    Signature::new(name, &[])
}

fn executable() -> Arc<dyn tfjit_client::Executable> {
    let compiler = compiler(local());
    let args = [parameter(DType::F32, &[]), parameter(DType::F32, &[])];
    let ready = request(&compiler, &x_plus_y(), &args, CompileMode::Strict).unwrap().unwrap();
    Arc::clone(&ready.executable)
}

#[test]
fn acceptance_8_2_1_lookups_count_and_stores_write_what_they_are_given() {
    let cache = Cache::new(CacheBounds::default());
    let (a, b) = (signature("a"), signature("b"));
    assert!(cache.lookup(&a).is_none());
    for count in 1..=3 {
        let value = cache.lookup_or_create(&a);
        assert_eq!((value.state, value.request_count), (CompileState::Uncompiled, count));
        assert!(value.result.is_none() && value.executable.is_none() && value.status.is_none());
    }
    cache.store(&a, Store { state: Some(CompileState::Compiled), ..Store::default() });
    let value = cache.lookup(&a).unwrap();
    assert_eq!((value.state, value.request_count), (CompileState::Compiled, 4));
    assert!(value.status.is_none() && value.result.is_none());

    let status = Some(Err(Error::invalid_argument("no")));
    cache.store(&b, Store { status, ..Store::default() });
    let value = cache.lookup(&b).unwrap();
    assert_eq!((value.state, value.request_count), (CompileState::Uncompiled, 1));
    assert_eq!(value.status, Some(Error::invalid_argument("no")));
    let result = Arc::new(CompilationResult::default());
    cache.store(&b, Store { result: Some(Arc::clone(&result)), ..Store::default() });
    let code = executable();
    cache.store(&b, Store { executable: Some(Arc::clone(&code)), ..Store::default() });
    let value = cache.lookup(&b).unwrap();
    assert!(Arc::ptr_eq(&value.result.unwrap(), &result));
    assert!(Arc::ptr_eq(&value.executable.unwrap(), &code));
    assert_eq!(value.status, Some(Error::invalid_argument("no")));
    assert_eq!(cache.lookup(&a).unwrap().request_count, 5);
    assert!(cache.lookup(&a).unwrap().result.is_none());
}

#[test]
fn acceptance_8_2_2_finalize_drops_programs_alone() {
    let cache = Cache::new(CacheBounds::default());
    let (a, b) = (signature("a"), signature("b"));
    let store = Store {
        state: Some(CompileState::Compiled),
        status: Some(Ok(())),
        result: Some(Arc::default()),
        executable: Some(executable()),
        computation: Some(Arc::new(Module::default())),
    };
    cache.store(&a, store);
    cache.lookup_or_create(&b);
    assert!(cache.lookup(&a).unwrap().computation.is_some());
    cache.finalize();
    let value = cache.lookup(&a).unwrap();
    assert!(value.computation.is_none());
    assert!(value.result.is_some() && value.executable.is_some());
    assert_eq!((value.state, value.request_count), (CompileState::Compiled, 2));
    assert_eq!(cache.lookup(&b).unwrap().state, CompileState::Uncompiled);
}

#[test]
fn acceptance_8_2_3_signatures_differ_where_they_must() {
    let key = |args: &[Arg]| Signature::new("f", args);
    let constant = || Arg::Constant(Tensor::scalar(1i32));
    let keys = [
        key(&[parameter(DType::I32, &[4, 0])]),
        key(&[parameter(DType::F32, &[4, 0])]),
        key(&[parameter(DType::F32, &[0, 4])]),
        key(&[constant(), parameter(DType::I32, &[])]),
        key(&[parameter(DType::I32, &[]), constant()]),
    ];
    let hash = |key: &Signature| BuildHasherDefault::<FxHasher>::default().hash_one(key);
    for (i, a) in keys.iter().enumerate() {
        for (j, b) in keys.iter().enumerate() {
            assert_eq!(a == b, i == j);
            assert_eq!(a.to_string() == b.to_string(), i == j);
            assert_eq!(hash(a) == hash(b), i == j);
        }
    }
    let again = key(&[constant(), parameter(DType::I32, &[])]);
    assert_eq!((&again, hash(&again)), (&keys[3], hash(&keys[3])));
}

#[derive(Default)]
struct Activities(Mutex<Vec<JitCompilationActivity>>);

impl ActivityListener for Activities {
    fn jit_compilation(&self, activity: &JitCompilationActivity) -> Result<()> {
        self.0.lock().unwrap().push(activity.clone());
        Ok(())
    }
}

#[test]
fn acceptance_8_2_4_executions_and_compilations_are_counted() {
    let activities = Arc::new(Activities::default());
    let listeners = Arc::new(Listeners::new());
    listeners.register(Arc::clone(&activities) as Arc<dyn ActivityListener>);
    let profiler = DeviceCompilationProfiler::new(listeners);
    for _ in 0..5 {
        profiler.register_execution("f");
        profiler.register_compilation("f", Duration::from_micros(4), false).unwrap();
    }
    let stats = profiler.statistics("f").unwrap();
    assert_eq!((stats.execution_count, stats.compile_count), (5, 5));
    assert_eq!(stats.cumulative_compile_time, Duration::from_micros(20));
    let seen = activities.0.lock().unwrap();
    assert_eq!(seen.iter().map(|a| a.compile_count).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(seen.iter().all(|a| a.compile_time_us == 4 && !a.used_persistent_cache));
    profiler.increment_ongoing();
    assert_eq!(profiler.ongoing(), 1);
    profiler.decrement_ongoing();
    assert_eq!(profiler.ongoing(), 0);
}

#[test]
fn acceptance_8_2_4_an_unknown_function_is_compiled_in_all_modes() {
    for mode in [CompileMode::Strict, CompileMode::Lazy, CompileMode::Async] {
        assert!(DeviceCompilationProfiler::default().should_compile("f", mode, 0));
    }
}

#[test]
fn acceptance_8_2_4_the_first_execution_is_compiled() {
    let profiler = DeviceCompilationProfiler::default();
    profiler.register_execution("f");
    assert!(profiler.should_compile("f", CompileMode::Async, 0));
    assert!(profiler.should_compile("f", CompileMode::Lazy, 0));
}

#[test]
fn acceptance_8_2_4_megamorphic_functions_are_not_compiled_and_stay_so() {
    let profiler = DeviceCompilationProfiler::default();
    for _ in 0..11 {
        profiler.register_compilation("f", Duration::from_micros(1), false).unwrap();
    }
    profiler.register_execution("f");
    let asks = |profiler: &DeviceCompilationProfiler| {
        [CompileMode::Strict, CompileMode::Lazy, CompileMode::Async]
            .map(|mode| profiler.should_compile("f", mode, 3))
    };
    assert_eq!(asks(&profiler), [true, false, false]);
    for _ in 0..501 {
        profiler.register_execution("f");
    }
    assert!(profiler.statistics("f").unwrap().is_megamorphic);
    assert_eq!(asks(&profiler), [true, false, false]);
}

#[test]
fn acceptance_8_2_4_ten_at_a_time_in_the_background() {
    let profiler = DeviceCompilationProfiler::default();
    for _ in 0..ONGOING_ASYNC_MAX {
        profiler.increment_ongoing();
    }
    profiler.register_execution("f");
    assert!(profiler.should_compile("f", CompileMode::Async, 0));
    profiler.register_execution("f");
    assert!(!profiler.should_compile("f", CompileMode::Async, 0));
    profiler.decrement_ongoing();
    assert!(profiler.should_compile("f", CompileMode::Async, 0));
}

#[test]
fn acceptance_8_2_4_lazy_waits_for_the_second_request() {
    let profiler = DeviceCompilationProfiler::default();
    profiler.register_execution("f");
    profiler.register_execution("f");
    let ask = |count| profiler.should_compile("f", CompileMode::Lazy, count);
    assert_eq!([ask(0), ask(1), ask(2)], [false, false, true]);
}

#[test]
fn the_least_recently_used_entries_go_first() {
    let cache = Cache::new(CacheBounds { entries_max: 3, ..CacheBounds::NONE });
    for name in ["a", "b", "c"] {
        cache.lookup_or_create(&signature(name));
    }
    cache.lookup_or_create(&signature("a"));
    cache.lookup_or_create(&signature("d"));
    let left: Vec<String> = cache.list().into_iter().map(|(key, _)| key.name).collect();
    assert_eq!(left.len(), 3);
    assert!(left.contains(&"d".to_owned()) && !left.contains(&"b".to_owned()), "{left:?}");
    assert_eq!(cache.stats().evictions, 1);
}

#[test]
fn ten_thousand_shapes_stay_within_the_bounds() {
    let client = Arc::new(Counting::new(local()));
    let shared = Arc::clone(&client) as Arc<dyn tfjit_client::Client>;
    let bounds = CacheBounds { entries_max: usize::MAX, bytes_max: 200_000 };
    let compiler = DeviceCompiler::new(shared, CompilerOptions { bounds, ..Default::default() });
    let function = x_plus_y();
    // Debug builds take a millisecond a shape; the bound is reached after some hundred.
    let shapes = if cfg!(debug_assertions) { 1000 } else { 10_000 };
    for n in 1..=shapes {
        let args = [parameter(DType::F32, &[n]), parameter(DType::F32, &[n])];
        assert!(request(&compiler, &function, &args, CompileMode::Strict).unwrap().is_some());
        assert!(compiler.stats().bytes <= bounds.bytes_max);
    }
    let live = client.live.load(std::sync::atomic::Ordering::SeqCst);
    assert!(live as usize <= compiler.stats().entries, "{live} executables live");
    assert!(compiler.stats().evictions > 0);
}

#[test]
fn what_failed_for_good_fails_at_once_the_next_time() {
    for remember_failures in [true, false] {
        let client = Arc::new(Counting {
            failure: Some(Error::unimplemented("never")),
            ..Counting::new(local())
        });
        let shared = Arc::clone(&client) as Arc<dyn tfjit_client::Client>;
        let options = CompilerOptions { remember_failures, ..CompilerOptions::default() };
        let compiler = DeviceCompiler::new(shared, options);
        let args = [parameter(DType::F32, &[]), parameter(DType::F32, &[])];
        for _ in 0..3 {
            let failed = request(&compiler, &x_plus_y(), &args, CompileMode::Strict);
            assert_eq!(failed.unwrap_err(), Error::unimplemented("never"));
        }
        let compiles = client.compiles.load(std::sync::atomic::Ordering::SeqCst);
        assert_eq!(compiles, if remember_failures { 1 } else { 3 });
    }
}
