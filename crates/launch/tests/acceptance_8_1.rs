//! The device compiler: the first section of TensorFlow's own acceptance tests (behaviour, 8.1).
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::*;
use tfjit_base::{Code, DType, Error, Result, Tensor};
use tfjit_bridge::Arg;
use tfjit_launch::listener::{ActivityListener, JitCompilationActivity, Listeners};
use tfjit_launch::persist::{
    DirectoryCache, DirectoryOptions, Entry, Key, NewEntry, PersistentCache, Persistor,
};
use tfjit_launch::{
    CompilationProfiler, CompileMode, CompileState, CompilerOptions, DeviceCompilationProfiler,
    DeviceCompiler, FunctionStatistics, Signature, constant_inputs, function_name,
    single_op_function, switch,
};
use tfjit_model::{AttrValue, Graph};

/// Says what it is told to say, and keeps what it was told.
#[derive(Default)]
struct Mock {
    compile: bool,
    asked: Mutex<Vec<(CompileMode, u64)>>,
    registered: Mutex<Vec<bool>>,
    inner: DeviceCompilationProfiler,
}

impl CompilationProfiler for Mock {
    fn function(&self, function: &str) -> Arc<FunctionStatistics> {
        self.inner.function(function)
    }
    fn register_execution(&self, _: &str) {}
    fn register_compilation(&self, _: &str, _: Duration, persistent: bool) -> Result<()> {
        self.registered.lock().unwrap().push(persistent);
        Ok(())
    }
    fn should_compile(&self, _: &str, mode: CompileMode, request_count: u64) -> bool {
        self.asked.lock().unwrap().push((mode, request_count));
        self.compile
    }
    fn increment_ongoing(&self) {
        self.inner.increment_ongoing();
    }
    fn decrement_ongoing(&self) {
        self.inner.decrement_ongoing();
    }
}

/// Keeps the activities of one compiler.
#[derive(Default)]
struct Activities(Mutex<Vec<JitCompilationActivity>>);

impl ActivityListener for Activities {
    fn jit_compilation(&self, activity: &JitCompilationActivity) -> Result<()> {
        self.0.lock().unwrap().push(activity.clone());
        Ok(())
    }
}

fn scalars() -> [Arg; 2] {
    [parameter(DType::F32, &[]), parameter(DType::F32, &[])]
}

/// A folder of its own, gone when dropped.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("tfjit-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    fn cache(&self, strict: bool) -> PersistentCache {
        let folder = self.0.clone();
        let prefix = "xla".to_owned();
        let options = DirectoryOptions { folder, prefix, ..DirectoryOptions::default() };
        PersistentCache::new(Arc::new(DirectoryCache::new(options)), strict)
    }

    fn files(&self) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten();
        let mut files: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The switch is the whole process's: what needs it on may not run beside what turns it off.
fn switched_on() -> std::sync::MutexGuard<'static, ()> {
    static SWITCH: Mutex<()> = Mutex::new(());
    SWITCH.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[test]
fn acceptance_8_1_1_strict_compile_gives_result_and_executable() {
    let _on = switched_on();
    for (name, client) in clients() {
        let compiler = compiler(client);
        let ready = request(&compiler, &x_plus_y(), &scalars(), CompileMode::Strict).unwrap();
        let ready = ready.unwrap_or_else(|| panic!("{name} compiled nothing"));
        assert_eq!(ready.result.params.len(), 2);
        assert_eq!(ready.executable.results().len(), 1);
    }
}

#[test]
fn acceptance_8_1_2_lazy_and_not_worth_it_gives_nothing() {
    let _on = switched_on();
    let mock = Arc::new(Mock::default());
    let profiler = Arc::clone(&mock) as Arc<dyn CompilationProfiler>;
    let compiler = DeviceCompiler::with_profiler(local(), CompilerOptions::default(), profiler);
    let ready = request(&compiler, &x_plus_y(), &scalars(), CompileMode::Lazy).unwrap();
    assert!(ready.is_none());
    assert_eq!(*mock.asked.lock().unwrap(), [(CompileMode::Lazy, 1)]);
    assert!(mock.registered.lock().unwrap().is_empty());
}

#[test]
fn acceptance_8_1_3_a_second_request_gets_the_same_executable() {
    let _on = switched_on();
    let compiler = compiler(local());
    let ask = || request(&compiler, &x_plus_y(), &scalars(), CompileMode::Strict).unwrap().unwrap();
    let (first, second) = (ask(), ask());
    assert!(Arc::ptr_eq(&first.result, &second.result));
    assert!(Arc::ptr_eq(&first.executable, &second.executable));
    assert_eq!((compiler.stats().hits, compiler.stats().misses), (1, 1));
}

#[test]
fn acceptance_8_1_4_async_goes_without_and_then_has_it() {
    let _on = switched_on();
    let gate = Arc::new(Gate::default());
    let client = Counting { gate: Some(Arc::clone(&gate)), ..Counting::new(local()) };
    let mock = Arc::new(Mock { compile: true, ..Mock::default() });
    let profiler = Arc::clone(&mock) as Arc<dyn CompilationProfiler>;
    let options = CompilerOptions::default();
    let compiler = DeviceCompiler::with_profiler(Arc::new(client), options, profiler);
    let function = x_plus_y();
    let ask = || request(&compiler, &function, &scalars(), CompileMode::Async).unwrap();
    assert!(ask().is_none());
    let signature = Signature::new(function_name(&function), &scalars());
    let state = || compiler.cache().lookup(&signature).unwrap().state;
    assert_eq!(state(), CompileState::Compiling);
    assert!(ask().is_none());
    gate.open();
    until("the compilation in the background", || state() == CompileState::Compiled);
    let value = compiler.cache().lookup(&signature).unwrap();
    assert_eq!(value.status, None);
    assert!(value.result.is_some() && value.executable.is_some());
    until("the profiler to be told", || !mock.registered.lock().unwrap().is_empty());
    assert_eq!(*mock.registered.lock().unwrap(), [false]);
    assert!(ask().is_some());
}

fn with_cache(folder: &Folder, strict: bool) -> (DeviceCompiler, Arc<Activities>) {
    let activities = Arc::new(Activities::default());
    let listeners = Arc::new(Listeners::new());
    listeners.register(Arc::clone(&activities) as Arc<dyn ActivityListener>);
    let persistent = Some(folder.cache(strict));
    let options = CompilerOptions { persistent, listeners, ..CompilerOptions::default() };
    (DeviceCompiler::new(local(), options), activities)
}

#[test]
fn acceptance_8_1_5_a_new_compiler_finds_what_an_earlier_one_kept() {
    let _on = switched_on();
    let folder = Folder::new("8-1-5");
    for used in [false, true] {
        let (compiler, activities) = with_cache(&folder, true);
        let ready = request(&compiler, &x_plus_y(), &scalars(), CompileMode::Strict);
        let ready = ready.unwrap().unwrap();
        let seen = activities.0.lock().unwrap();
        assert_eq!(seen.len(), 1);
        assert_eq!((seen[0].compile_count, seen[0].used_persistent_cache), (1, used));
        assert_eq!(seen[0].cluster_name, "XPlusY");
        // What was loaded computes.
        let kernel =
            tfjit_launch::XlaLaunch::of(Arc::new(compiler), cluster(&x_plus_y(), &[], &[]));
        let inputs = [1.5f32, 2.0].map(|x| tfjit_runtime::Value::Tensor(Tensor::scalar(x)));
        let resources = tfjit_runtime::ResourceManager::new();
        let run = |c: &tfjit_runtime::StepContext<'_>| {
            tfjit_runtime::Kernel::run(&kernel, &inputs, c).unwrap()
        };
        assert_eq!(tensors(&in_step(&resources, run)), [Tensor::scalar(3.5f32)]);
        assert_eq!(ready.result.updates.len(), 0);
    }
    assert_eq!(folder.files().len(), 1);
}

#[test]
fn acceptance_8_1_6_junk_in_the_file_fails_in_strict_mode_and_is_a_miss_else() {
    let _on = switched_on();
    let folder = Folder::new("8-1-6");
    let ask = |strict| {
        let (compiler, activities) = with_cache(&folder, strict);
        let ready = request(&compiler, &x_plus_y(), &scalars(), CompileMode::Strict);
        let used: Vec<bool> =
            activities.0.lock().unwrap().iter().map(|a| a.used_persistent_cache).collect();
        (ready, used)
    };
    ask(true).0.unwrap().unwrap();
    let file = folder.files().pop().unwrap();
    assert!(file.file_name().unwrap().to_str().unwrap().starts_with("xla__"));
    std::fs::write(&file, "garbage").unwrap();
    assert!(ask(true).0.is_err());
    // Ours: compiled anew, and the file is good again.
    let (ready, used) = ask(false);
    assert!(ready.unwrap().is_some());
    assert_eq!(used, [false]);
    assert_eq!(ask(true).1, [true]);
}

/// Keeps nothing, and says so.
struct Refusing;

impl Persistor for Refusing {
    fn load(&self, _: &Key) -> Result<Option<Entry>> {
        Ok(None)
    }
    fn save(&self, _: &Key, _: &NewEntry<'_>) -> Result<()> {
        Err(Error::failed_precondition("no room"))
    }
}

#[test]
fn acceptance_8_1_7_a_failure_to_save_fails_in_strict_mode_only() {
    let _on = switched_on();
    for strict in [true, false] {
        let persistent = Some(PersistentCache::new(Arc::new(Refusing), strict));
        let options = CompilerOptions { persistent, ..CompilerOptions::default() };
        let compiler = DeviceCompiler::new(local(), options);
        let ready = request(&compiler, &x_plus_y(), &scalars(), CompileMode::Strict);
        match ready {
            Err(error) => {
                assert!(strict);
                assert_eq!(error.code(), Code::FailedPrecondition);
            }
            Ok(ready) => assert!(!strict && ready.is_some()),
        }
    }
}

#[test]
fn acceptance_8_1_8_a_single_op_is_compiled() {
    let _on = switched_on();
    let mut graph = Graph::new();
    let value = tfjit_model::TensorValue::dense(ints(&[1, 2]));
    let constant =
        op(&mut graph, "Const", &[], &[("value", AttrValue::Tensor(Box::new(value))), dtype(I32)]);
    let node = op(&mut graph, "Identity", &[constant], &[t(I32)]);
    let function = Arc::new(single_op_function(graph.get(node.node).unwrap(), &[I32]).unwrap());
    let library = library(&[]);
    assert_eq!(constant_inputs(&library, &function).unwrap(), [0usize; 0]);
    let compiler = compiler(local());
    let args = [Arg::Constant(ints(&[1, 2]))];
    assert!(request(&compiler, &function, &args, CompileMode::Strict).unwrap().is_some());
}

#[test]
fn acceptance_8_1_9_what_was_compiled_outlives_finalize() {
    let _on = switched_on();
    let options = CompilerOptions { keep_computation: true, ..CompilerOptions::default() };
    let compiler = DeviceCompiler::new(local(), options);
    let function = x_plus_y();
    let ask = || request(&compiler, &function, &scalars(), CompileMode::Strict).unwrap().unwrap();
    let first = ask();
    let signature = Signature::new(function_name(&function), &scalars());
    assert!(compiler.cache().lookup(&signature).unwrap().computation.is_some());
    compiler.finalize();
    assert!(compiler.cache().lookup(&signature).unwrap().computation.is_none());
    let second = ask();
    assert!(Arc::ptr_eq(&first.executable, &second.executable));
    assert_eq!(compiler.stats().misses, 1);
}

#[test]
fn acceptance_8_1_10_nothing_new_is_compiled_when_it_is_switched_off() {
    let _on = switched_on();
    let compiler = compiler(local());
    let known = request(&compiler, &x_plus_y(), &scalars(), CompileMode::Strict).unwrap();
    assert!(known.is_some());
    switch::disable_xla_compilation();
    let new = [parameter(DType::F32, &[3]), parameter(DType::F32, &[3])];
    let mut results = Vec::new();
    for mode in [CompileMode::Strict, CompileMode::Lazy, CompileMode::Async] {
        results.push(request(&compiler, &x_plus_y(), &new, mode));
    }
    let again = request(&compiler, &x_plus_y(), &scalars(), CompileMode::Strict);
    switch::enable_xla_compilation();
    for result in results {
        let error = result.unwrap_err();
        assert_eq!(error.code(), Code::Internal);
        assert!(error.message().contains("XLA compilation disabled"));
    }
    assert!(again.unwrap().is_some());
}

#[test]
fn a_failure_in_the_background_is_seen_and_the_fallback_stays() {
    let _on = switched_on();
    let client = Counting {
        failure: Some(Error::unimplemented("not on this machine")),
        ..Counting::new(local())
    };
    let compiler = DeviceCompiler::new(Arc::new(client), CompilerOptions::default());
    let function = x_plus_y();
    let ask = || request(&compiler, &function, &scalars(), CompileMode::Async);
    assert!(ask().unwrap().is_none());
    let signature = Signature::new(function_name(&function), &scalars());
    let state = || compiler.cache().lookup(&signature).unwrap().state;
    until("the failure", || state() == CompileState::Failed);
    assert_eq!(
        compiler.cache().lookup(&signature).unwrap().status,
        Some(Error::unimplemented("not on this machine"))
    );
    assert!(ask().unwrap().is_none());
}

#[test]
fn many_threads_compile_one_signature_once() {
    let _on = switched_on();
    let client = Arc::new(Counting::new(local()));
    let shared = Arc::clone(&client) as Arc<dyn tfjit_client::Client>;
    let compiler = DeviceCompiler::new(shared, CompilerOptions::default());
    let function = x_plus_y();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let ready = request(&compiler, &function, &scalars(), CompileMode::Strict);
                assert!(ready.unwrap().is_some());
            });
        }
    });
    assert_eq!(client.compiles.load(Ordering::SeqCst), 1);
    assert_eq!((compiler.stats().hits, compiler.stats().misses), (15, 1));
}

#[test]
fn a_compiler_is_dropped_with_work_under_way() {
    let _on = switched_on();
    let gate = Arc::new(Gate::default());
    let client = Counting { gate: Some(Arc::clone(&gate)), ..Counting::new(local()) };
    let live = Arc::clone(&client.live);
    let mock = Arc::new(Mock { compile: true, ..Mock::default() });
    let compiler =
        DeviceCompiler::with_profiler(Arc::new(client), CompilerOptions::default(), mock);
    for n in 1..=30 {
        let args = [parameter(DType::F32, &[n]), parameter(DType::F32, &[n])];
        assert!(request(&compiler, &x_plus_y(), &args, CompileMode::Async).unwrap().is_none());
    }
    until("jobs to begin", || gate.came() > 0);
    let closing = std::thread::spawn(move || drop(compiler));
    gate.open();
    closing.join().unwrap();
    // What waited was dropped unrun: far fewer than thirty were begun, and nothing is left.
    assert!(gate.came() <= 30);
    assert_eq!(live.load(Ordering::SeqCst), 0);
}
