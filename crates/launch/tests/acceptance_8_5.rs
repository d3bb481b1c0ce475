//! Launch utilities: what launch kernels are made of (behaviour, 8.5), and the trace of a lazy
//! cluster (10.1).
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::sync::{Arc, Mutex};

use common::*;
use tfjit_base::{Code, DType, Error, Result, Tensor};
use tfjit_client::{
    Alias, Arguments, Buffer, Client, CompileOptions, Executable, ExecuteOptions, Memory,
};
use tfjit_hlo::{Module, TensorType};
use tfjit_launch::{
    ClosureStore, Cluster, CompileMode, CompilePolicy, CompilerOptions, DeviceCompilationProfiler,
    DeviceCompiler, Family, XlaCompile, XlaLaunch, XlaRun,
};
use tfjit_runtime::{Kernel, ResourceManager, StepContext, StepState, Value, Variable};

fn variable(resources: &ResourceManager, name: &str, value: Option<Tensor>) -> Arc<Variable> {
    let variable = resources.lookup_or_create("", name);
    if let Some(value) = value {
        variable.assign(value).unwrap();
    }
    variable
}

fn lazy() -> CompilePolicy {
    CompilePolicy { mode: CompileMode::Lazy, always_defer: false, fall_back_on_any_error: false }
}

fn strict() -> CompilePolicy {
    CompilePolicy { mode: CompileMode::Strict, ..lazy() }
}

fn key(values: &[Value]) -> (String, bool) {
    let key = values[0].tensor().unwrap().as_strings().unwrap()[0].clone();
    let successful = values[1].tensor().unwrap().to_bools().unwrap()[0];
    (String::from_utf8(key).unwrap(), successful)
}

/// Compiles and runs in one step: the inputs of the run are those of compiling without constants.
fn compile_and_run(
    client: Arc<dyn Client>,
    cluster: Cluster,
    inputs: &[Value],
    resources: &ResourceManager,
    between: impl FnOnce(),
) -> Result<Vec<Value>> {
    let constants = cluster.constants.len();
    let compile = XlaCompile::new(compiler(client), Family::Local, cluster, strict());
    let run = XlaRun::new(Family::Local, None);
    in_step(resources, |context| {
        let compiled = compile.run(inputs, context)?;
        assert!(key(&compiled).1);
        between();
        let mut inputs = inputs[constants..].to_vec();
        inputs.push(compiled[0].clone());
        run.run(&inputs, context)
    })
}

#[test]
fn acceptance_8_5_1_constants_are_left_out_and_variables_come_from_snapshots() {
    // f(constant, constant, unused, x, variable) = x + variable
    let function = function("Mapped", &[I32, I32, F32, F32, RESOURCE], |g, a| {
        let value = op(g, "ReadVariableOp", &[a[4]], &[dtype(F32)]);
        vec![op(g, "AddV2", &[a[3], value], &[t(F32)])]
    });
    for (_, client) in clients() {
        let resources = ResourceManager::new();
        let v = variable(&resources, "v", Some(floats(&[1.0, 2.0])));
        let inputs = [
            Value::Tensor(ints(&[7])),
            Value::Tensor(ints(&[8])),
            Value::Tensor(floats(&[0.0])),
            Value::Tensor(floats(&[10.0, 20.0])),
            Value::Variable(Arc::clone(&v)),
        ];
        let cluster = cluster(&function, &[0, 1], &[4]);
        let assign = || v.assign(floats(&[100.0, 200.0])).unwrap();
        let results = compile_and_run(client, cluster, &inputs, &resources, assign).unwrap();
        assert_eq!(tensors(&results), [floats(&[11.0, 22.0])]);
        assert_eq!(v.value(), Some(floats(&[100.0, 200.0])));
    }
}

/// A client whose executables take the memory of what they are given, where they may, and say
/// what they were given.
struct Taking {
    inner: Arc<dyn Client>,
    donated: Arc<Mutex<Vec<Vec<bool>>>>,
}

struct Taken {
    inner: Arc<dyn Executable>,
    aliases: Vec<Alias>,
    donated: Arc<Mutex<Vec<Vec<bool>>>>,
}

impl Client for Taking {
    fn platform(&self) -> &str {
        self.inner.platform()
    }
    fn fingerprint(&self) -> String {
        self.inner.fingerprint()
    }
    fn device_count(&self) -> usize {
        1
    }
    fn compile(&self, module: Module, options: &CompileOptions) -> Result<Arc<dyn Executable>> {
        let inner = self.inner.compile(module, options)?;
        let donated = Arc::clone(&self.donated);
        Ok(Arc::new(Taken { inner, aliases: options.may_alias.clone(), donated }))
    }
    fn deserialize(&self, _: &[u8], _: &CompileOptions) -> Result<Arc<dyn Executable>> {
        Err(Error::unimplemented("not needed"))
    }
    fn buffer(&self, tensor: &Tensor, device: usize) -> Result<Buffer> {
        self.inner.buffer(tensor, device)
    }
}

impl Executable for Taken {
    fn name(&self) -> &str {
        "taken"
    }
    fn parameters(&self) -> &[TensorType] {
        self.inner.parameters()
    }
    fn results(&self) -> &[TensorType] {
        self.inner.results()
    }
    fn execute(&self, mut arguments: Arguments, options: &ExecuteOptions) -> Result<Vec<Buffer>> {
        let donated = arguments.iter().map(|a| a.donate).collect();
        self.donated.lock().unwrap().push(donated);
        // Who is given memory must be the only one that has it.
        for argument in arguments.iter_mut().filter(|a| a.donate) {
            let Buffer::Host(tensor) = &mut argument.buffer else { panic!("not on the host") };
            assert!(tensor.unique_bytes().is_some());
        }
        self.inner.execute(arguments, options)
    }
    fn aliases(&self) -> &[Alias] {
        &self.aliases
    }
    fn serialize(&self) -> Result<Vec<u8>> {
        Err(Error::unimplemented("not needed"))
    }
    fn text(&self, _: &str) -> Option<String> {
        None
    }
    fn memory(&self) -> Memory {
        Memory::default()
    }
}

#[test]
fn acceptance_8_5_1_what_others_hold_is_not_given_away() {
    let donated = Arc::new(Mutex::new(Vec::new()));
    let client = Taking { inner: local(), donated: Arc::clone(&donated) };
    let compiler = compiler(Arc::new(client));
    let function = assign_add();
    let library = library(&[&function]);
    let kernel = XlaLaunch::new(compiler, library, Arc::clone(&function), vec![], vec![1]);
    let resources = ResourceManager::new();
    let v = variable(&resources, "v", None);
    v.assign(floats(&[1.0, 2.0, 3.0])).unwrap();
    let x = floats(&[1.0, 1.0, 1.0]);
    let inputs = [Value::Tensor(x.clone()), Value::Variable(Arc::clone(&v))];
    let launch = || drop(in_step(&resources, |c| kernel.run(&inputs, c)).unwrap());
    launch();
    let held = v.value();
    launch();
    assert_eq!(held, Some(floats(&[2.0, 3.0, 4.0])));
    assert_eq!(v.value(), Some(floats(&[3.0, 4.0, 5.0])));
    drop(held);
    launch();
    // The fed tensor is never given away, the variable where nobody else holds its value.
    let expected = [vec![false, true], vec![false, false], vec![false, true]];
    assert_eq!(*donated.lock().unwrap(), expected);
    // With reference variables around, nothing is.
    let cluster = cluster(&function, &[], &[1]);
    assert!(cluster.has_ref_vars);
    let client = Taking { inner: local(), donated: Arc::clone(&donated) };
    let kernel = XlaLaunch::of(common::compiler(Arc::new(client)), cluster);
    in_step(&resources, |c| kernel.run(&inputs, c)).unwrap();
    assert_eq!(donated.lock().unwrap().last().unwrap(), &[false, false]);
    assert_eq!(x, floats(&[1.0, 1.0, 1.0]));
}

#[test]
fn a_variable_that_nobody_else_holds_is_written_in_place() {
    let function = assign_add();
    let library = library(&[&function]);
    let kernel = XlaLaunch::new(compiler(local()), library, Arc::clone(&function), vec![], vec![1]);
    let resources = ResourceManager::new();
    let v = variable(&resources, "v", None);
    let n = 1000;
    // In place where it was made by a launch or is aligned; never where somebody else looks on.
    v.assign(floats(&vec![0.0; n])).unwrap();
    let address = || v.value().unwrap().bytes().as_ptr();
    let inputs = [Value::Tensor(floats(&vec![1.0; n])), Value::Variable(Arc::clone(&v))];
    let launch = || drop(in_step(&resources, |c| kernel.run(&inputs, c)).unwrap());
    launch();
    let first = address();
    launch();
    assert_eq!(address(), first);
    let held = v.value().unwrap();
    launch();
    assert_ne!(address(), first);
    assert_eq!(held, floats(&vec![2.0; n]));
    drop(held);
    launch();
    assert_eq!(v.value(), Some(floats(&vec![4.0; n])));
}

#[test]
fn acceptance_8_5_2_outputs_are_the_results_and_variables_the_updates() {
    for (_, client) in clients() {
        let resources = ResourceManager::new();
        let compiler = compiler(client);
        let launch = |function: &Arc<_>, constants: &[usize], vars: &[usize], inputs: &[Value]| {
            let kernel = XlaLaunch::of(Arc::clone(&compiler), cluster(function, constants, vars));
            tensors(&in_step(&resources, |c| kernel.run(inputs, c)).unwrap())
        };
        let (a, b) = (floats(&[1.0, 2.0, 3.0]), floats(&[4.0, 5.0, 6.0]));
        let inputs = [Value::Tensor(a), Value::Tensor(b)];
        assert_eq!(launch(&x_plus_y(), &[], &[], &inputs), [floats(&[5.0, 7.0, 9.0])]);

        let v = variable(&resources, "v", Some(floats(&[1.0, 2.0])));
        let inputs = [Value::Tensor(floats(&[3.0, 4.0])), Value::Variable(v)];
        assert_eq!(launch(&add_variable(), &[], &[1], &inputs), [floats(&[4.0, 6.0])]);

        let w = variable(&resources, "w", Some(floats(&[1.0, 2.0, 3.0])));
        let ones = Value::Tensor(floats(&[2.0, 2.0, 2.0]));
        let inputs = [ones, Value::Variable(Arc::clone(&w))];
        assert!(launch(&assign_add(), &[], &[1], &inputs).is_empty());
        assert_eq!(w.value(), Some(floats(&[3.0, 4.0, 5.0])));
    }
}

#[test]
fn acceptance_8_5_3_results_come_one_by_one() {
    let function = function("Two", &[F32], |g, a| {
        let twice = op(g, "AddV2", &[a[0], a[0]], &[t(F32)]);
        vec![twice, a[0]]
    });
    for (_, client) in clients() {
        let compiler = compiler(client);
        let args = [parameter(DType::F32, &[2])];
        let ready = request(&compiler, &function, &args, CompileMode::Strict).unwrap().unwrap();
        let types: Vec<DType> = ready.executable.results().iter().map(|t| t.dtype).collect();
        assert!(types.iter().all(|t| *t == DType::F32) && !types.is_empty());
        assert_eq!(ready.result.rets.len(), 2);
    }
}

#[test]
fn acceptance_8_5_4_a_run_with_a_constant_that_is_not_passed() {
    for (_, client) in clients() {
        let resources = ResourceManager::new();
        let inputs = [Value::Tensor(ints(&[2])), Value::Tensor(Tensor::scalar(1.0f32))];
        let cluster = cluster(&fill(), &[0], &[]);
        let results = compile_and_run(client, cluster, &inputs, &resources, || {}).unwrap();
        assert_eq!(tensors(&results), [floats(&[1.0, 1.0])]);
    }
}

#[test]
fn acceptance_8_5_4_a_run_writes_its_variables() {
    for (_, client) in clients() {
        let resources = ResourceManager::new();
        let v = variable(&resources, "v", Some(floats(&[1.0])));
        let inputs = [Value::Tensor(floats(&[5.0])), Value::Variable(Arc::clone(&v))];
        let cluster = cluster(&assign_add(), &[], &[1]);
        compile_and_run(client, cluster, &inputs, &resources, || {}).unwrap();
        assert_eq!(v.value(), Some(floats(&[6.0])));
    }
}

#[test]
fn acceptance_10_1_the_trace_of_a_lazy_cluster() {
    let function = x_plus_y();
    let profiler = Arc::new(DeviceCompilationProfiler::default());
    let options = CompilerOptions::default();
    let asked = Arc::clone(&profiler);
    let compiler = Arc::new(DeviceCompiler::with_profiler(local(), options, asked));
    let compile = XlaCompile::new(compiler, Family::Pjrt, cluster(&function, &[], &[]), lazy());
    let run = XlaRun::new(Family::Pjrt, None);
    let resources = ResourceManager::new();
    let mut keys = Vec::new();
    let mut step = |n: usize| {
        let x = Value::Tensor(floats(&vec![1.0; n]));
        in_step(&resources, |context| {
            let compiled = compile.run(&[x.clone(), x.clone()], context).unwrap();
            let (key, successful) = key(&compiled);
            if successful {
                let inputs = [x.clone(), x, compiled[0].clone()];
                let results = tensors(&run.run(&inputs, context).unwrap());
                assert_eq!(results, [floats(&vec![2.0; n])]);
                keys.push(key.parse::<u64>().unwrap());
            } else {
                assert_eq!(key, "");
            }
            successful
        })
    };
    assert!(step(5));
    assert!(!step(2));
    assert!(step(2));
    assert!(step(2));
    let stats = profiler.statistics("XPlusY").unwrap();
    assert_eq!((stats.compile_count, stats.execution_count), (2, 4));
    // Eleven compilations, and far from fifty executions for each of them.
    for n in 6..15 {
        assert!(!step(n));
        assert!(step(n));
    }
    assert_eq!(profiler.statistics("XPlusY").unwrap().compile_count, 11);
    for _ in 0..3 {
        assert!(!step(20));
    }
    assert!(step(5), "what is compiled runs on");
    // Every run had a closure of its own, with numbers in order.
    assert!(keys.is_sorted_by(|a, b| a < b));
    assert!(ClosureStore::of(Family::Pjrt).is_empty());
}

#[test]
fn a_closure_is_consumed_once_even_by_a_run_that_fails() {
    let resources = ResourceManager::new();
    let compile =
        XlaCompile::new(compiler(local()), Family::Local, cluster(&x_plus_y(), &[], &[]), strict());
    let run = XlaRun::new(Family::Local, None);
    let x = Value::Tensor(floats(&[1.0]));
    in_step(&resources, |context| {
        let compiled = compile.run(&[x.clone(), x.clone()], context).unwrap();
        let wrong = [Value::Tensor(ints(&[1])), x.clone(), compiled[0].clone()];
        let error = run.run(&wrong, context).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        let right = [x.clone(), x.clone(), compiled[0].clone()];
        assert_eq!(run.run(&right, context).unwrap_err().code(), Code::NotFound);
    });
}

#[test]
fn a_closure_ends_with_its_step() {
    let resources = ResourceManager::new();
    let compile = XlaCompile::new(
        compiler(local()),
        Family::Local,
        cluster(&add_variable(), &[], &[1]),
        strict(),
    );
    let v = variable(&resources, "v", Some(floats(&[1.0])));
    let held = v.value().unwrap();
    let inputs = [Value::Tensor(floats(&[1.0])), Value::Variable(Arc::clone(&v))];
    let compiled = in_step(&resources, |context| {
        let compiled = compile.run(&inputs, context).unwrap();
        // The test, the variable and the snapshot.
        assert_eq!(held.shared_bytes().unwrap().share_count(), 3);
        compiled
    });
    assert_eq!(held.shared_bytes().unwrap().share_count(), 2);
    let run = XlaRun::new(Family::Local, None);
    let inputs = [inputs[0].clone(), inputs[1].clone(), compiled[0].clone()];
    let error = in_step(&resources, |context| run.run(&inputs, context)).unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
}

#[test]
fn strange_keys_are_refused() {
    let resources = ResourceManager::new();
    let run = XlaRun::new(Family::Local, None);
    let ask = |key: Value| {
        in_step(&resources, |c: &StepContext<'_>| run.run(&[key], c)).unwrap_err().code()
    };
    let text = |t: &str| {
        let bytes = vec![t.as_bytes().to_vec()];
        Value::Tensor(Tensor::strings(tfjit_base::Shape::scalar(), bytes).unwrap())
    };
    assert_eq!(ask(text("")), Code::InvalidArgument);
    for key in ["00", "+1", "-1", "x", "18446744073709551615", "18446744073709551616"] {
        assert_eq!(ask(text(key)), Code::NotFound, "{key}");
    }
    assert_eq!(ask(Value::Tensor(Tensor::scalar(1i32))), Code::InvalidArgument);
    let step = StepState::new();
    let context = StepContext::new(&resources, &step);
    assert_eq!(run.run(&[], &context).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn only_unimplemented_in_lazy_mode_falls_back() {
    let resources = ResourceManager::new();
    let ask = |error: Error, policy: CompilePolicy| {
        let client = Counting { failure: Some(error), ..Counting::new(local()) };
        let cluster = cluster(&x_plus_y(), &[], &[]);
        let compile = XlaCompile::new(compiler(Arc::new(client)), Family::Local, cluster, policy);
        let x = Value::Tensor(floats(&[1.0]));
        let inputs = [x.clone(), x];
        let done = in_step(&resources, |context| compile.run(&inputs, context));
        (done.map(|values| key(&values)), compile.cannot_compile())
    };
    let none = Ok((String::new(), false));
    assert_eq!(ask(Error::unimplemented("a"), lazy()), (none.clone(), true));
    assert_eq!(
        ask(Error::invalid_argument("b"), lazy()),
        (Err(Error::invalid_argument("b")), false)
    );
    assert_eq!(ask(Error::unimplemented("c"), strict()), (Err(Error::unimplemented("c")), false));
    let any = CompilePolicy { fall_back_on_any_error: true, ..lazy() };
    assert_eq!(ask(Error::internal("d"), any), (none.clone(), true));
    let defer = CompilePolicy { always_defer: true, ..strict() };
    assert_eq!(ask(Error::internal("e"), defer), (none, false));
}

#[test]
fn one_variable_twice_is_one_variable() {
    // TensorFlow refuses such clusters; here the second name sees what the first one wrote.
    let function = function("Twice", &[RESOURCE, RESOURCE, F32], |g, a| {
        let write = op(g, "AssignAddVariableOp", &[a[0], a[2]], &[dtype(F32)]);
        let read = op(g, "ReadVariableOp", &[a[1]], &[dtype(F32)]);
        g.node_mut(read.node).control_inputs.push(write.node);
        vec![read]
    });
    for (_, client) in clients() {
        let resources = ResourceManager::new();
        let v = variable(&resources, "v", Some(floats(&[1.0])));
        let w = variable(&resources, "w", Some(floats(&[50.0])));
        let kernel = XlaLaunch::of(compiler(client), cluster(&function, &[], &[0, 1]));
        let launch = |a: &Arc<Variable>, b: &Arc<Variable>| {
            let (a, b) = (Value::Variable(Arc::clone(a)), Value::Variable(Arc::clone(b)));
            let inputs = [a, b, Value::Tensor(floats(&[2.0]))];
            tensors(&in_step(&resources, |c| kernel.run(&inputs, c)).unwrap())
        };
        assert_eq!(launch(&v, &v), [floats(&[3.0])]);
        assert_eq!(launch(&v, &w), [floats(&[50.0])]);
        assert_eq!(launch(&v, &v), [floats(&[7.0])]);
        assert_eq!(launch(&w, &v), [floats(&[7.0])]);
        assert_eq!(launch(&w, &w), [floats(&[54.0])]);
        assert_eq!(v.value(), Some(floats(&[7.0])));
    }
}

#[test]
fn an_uninitialised_variable_may_be_assigned_and_not_read() {
    let assign = function("Assign", &[RESOURCE, F32], |g, a| {
        op_no_output(g, "AssignVariableOp", &[a[0], a[1]], &[dtype(F32)]);
        vec![]
    });
    for (_, client) in clients() {
        let resources = ResourceManager::new();
        let v = variable(&resources, "fresh", None);
        let compiler = compiler(client);
        let read = XlaLaunch::of(Arc::clone(&compiler), cluster(&add_variable(), &[], &[1]));
        let x = Value::Tensor(floats(&[2.0]));
        let inputs = [x.clone(), Value::Variable(Arc::clone(&v))];
        let error = in_step(&resources, |c| read.run(&inputs, c)).unwrap_err();
        assert_eq!(error.code(), Code::FailedPrecondition);
        assert!(error.to_string().contains("fresh"), "{error}");
        let write = XlaLaunch::of(compiler, cluster(&assign, &[], &[0]));
        let inputs = [Value::Variable(Arc::clone(&v)), x.clone()];
        in_step(&resources, |c| write.run(&inputs, c)).unwrap();
        assert_eq!(v.value(), Some(floats(&[2.0])));
        let inputs = [x, Value::Variable(v)];
        assert_eq!(
            tensors(&in_step(&resources, |c| read.run(&inputs, c)).unwrap()),
            [floats(&[4.0])]
        );
    }
}

#[test]
fn lists_of_arguments_are_checked_when_kernels_are_made() {
    let function = x_plus_y();
    let library = library(&[&function]);
    let make = |constants: Vec<usize>, resources: Vec<usize>| {
        Cluster::new(Arc::clone(&library), Arc::clone(&function), constants, resources)
    };
    assert!(make(vec![0, 1], vec![]).is_ok());
    for (constants, resources) in [(vec![1, 0], vec![]), (vec![0, 0], vec![]), (vec![], vec![2])] {
        let error = make(constants, resources).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }
}
