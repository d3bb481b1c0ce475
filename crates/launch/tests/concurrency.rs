//! Many threads at once: launches with assignments in between against a serial history, changes of
//! shape under way, cancelling in the middle, and what is left at the end.
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use common::*;
use tfjit_base::{Code, Tensor};
use tfjit_launch::{CompilerOptions, DeviceCompiler, XlaLaunch};
use tfjit_model::AttrValue;
use tfjit_runtime::{Kernel, ResourceManager, StepContext, StepState, Value, Variable};

/// Launches of the tests that always run; `--ignored` runs the long one.
const LAUNCHES: u64 = 20_000;

/// A variable of a manager, with a value.
fn variable(resources: &ResourceManager, name: &str, value: Tensor) -> Arc<Variable> {
    let variable = resources.lookup_or_create("", name);
    variable.assign(value).unwrap();
    variable
}

/// f(x, a, b): a += x, b -= x, and returns a + b as they were before.
fn transfer() -> Arc<tfjit_model::Function> {
    function("Transfer", &[F32, RESOURCE, RESOURCE], |g, args| {
        let a = op(g, "ReadVariableOp", &[args[1]], &[dtype(F32)]);
        let b = op(g, "ReadVariableOp", &[args[2]], &[dtype(F32)]);
        let sum = op(g, "AddV2", &[a, b], &[t(F32)]);
        let more = op(g, "AddV2", &[a, args[0]], &[t(F32)]);
        let less = op(g, "Sub", &[b, args[0]], &[t(F32)]);
        op_no_output(g, "AssignVariableOp", &[args[1], more], &[dtype(F32)]);
        op_no_output(g, "AssignVariableOp", &[args[2], less], &[dtype(F32)]);
        vec![sum]
    })
}

#[test]
fn launches_and_assignments_have_a_serial_history() {
    history(LAUNCHES);
}

#[test]
#[ignore = "takes a minute in release and many in debug; run it by hand"]
fn a_million_launches_have_a_serial_history() {
    history(1_000_000);
}

fn history(launches: u64) {
    const THREADS: u64 = 8;
    let function = transfer();
    let resources = ResourceManager::new();
    let names = ["a", "b", "c", "d"];
    let accounts = names.map(|name| variable(&resources, name, floats(&[1000.0])));
    let log = variable(&resources, "log", floats(&[0.0]));
    let kernel = XlaLaunch::of(compiler(local()), cluster(&function, &[], &[1, 2]));
    let count = XlaLaunch::of(compiler(local()), cluster(&assign_add(), &[], &[1]));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (kernel, count, accounts, log) = (&kernel, &count, &accounts, &log);
            let resources = &resources;
            scope.spawn(move || {
                let mut random = tfjit_hlo::SplitMix::new(thread);
                for _ in 0..launches / THREADS {
                    let from = random.below(4);
                    let to = (from + 1 + random.below(3)) % 4;
                    let step = StepState::new();
                    let context = StepContext::new(resources, &step);
                    let amount = random.below(10) as f32;
                    let inputs = [
                        Value::Tensor(floats(&[amount])),
                        Value::Variable(Arc::clone(&accounts[to])),
                        Value::Variable(Arc::clone(&accounts[from])),
                    ];
                    kernel.run(&inputs, &context).unwrap();
                    let one = Value::Tensor(floats(&[1.0]));
                    count.run(&[one, Value::Variable(Arc::clone(log))], &context).unwrap();
                }
            });
        }
    });
    // Whatever the order was, nothing was lost: money moved, and each launch was counted.
    let total: f32 = accounts.iter().map(|a| a.value().unwrap().to_vec::<f32>().unwrap()[0]).sum();
    assert_eq!(total, 4000.0);
    let counted = log.value().unwrap().to_vec::<f32>().unwrap()[0];
    assert_eq!(counted as u64, launches / THREADS * THREADS);
}

#[test]
fn a_snapshot_of_two_variables_is_of_one_moment() {
    let function = transfer();
    let resources = ResourceManager::new();
    let a = variable(&resources, "a", floats(&[500.0]));
    let b = variable(&resources, "b", floats(&[500.0]));
    let kernel = XlaLaunch::of(compiler(local()), cluster(&function, &[], &[1, 2]));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (kernel, resources, a, b) = (&kernel, &resources, &a, &b);
            scope.spawn(move || {
                for i in 0..LAUNCHES / 20 {
                    let step = StepState::new();
                    let (x, y) = if thread % 2 == 0 { (a, b) } else { (b, a) };
                    let inputs = [
                        Value::Tensor(floats(&[(i % 7) as f32])),
                        Value::Variable(Arc::clone(x)),
                        Value::Variable(Arc::clone(y)),
                    ];
                    let context = StepContext::new(resources, &step);
                    let sum = tensors(&kernel.run(&inputs, &context).unwrap());
                    assert_eq!(sum, [floats(&[1000.0])]);
                }
            });
        }
    });
}

#[test]
fn a_shape_that_changes_under_way_is_never_mixed_up() {
    let resources = ResourceManager::new();
    let v = variable(&resources, "v", floats(&[1.0]));
    let kernel = XlaLaunch::of(compiler(local()), cluster(&add_variable(), &[], &[1]));
    let stop = AtomicBool::new(false);
    let seen = [AtomicU64::new(0), AtomicU64::new(0)];
    std::thread::scope(|scope| {
        let (stop, seen, v, kernel, resources) = (&stop, &seen, &v, &kernel, &resources);
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                v.assign(floats(&[1.0])).unwrap();
                v.assign(floats(&[2.0, 2.0, 2.0])).unwrap();
            }
        });
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(move || {
                    for _ in 0..LAUNCHES / 20 {
                        let step = StepState::new();
                        let x = Value::Tensor(Tensor::scalar(10.0f32));
                        let inputs = [x, Value::Variable(Arc::clone(v))];
                        let context = StepContext::new(resources, &step);
                        match kernel.run(&inputs, &context) {
                            Ok(values) => {
                                let sum = tensors(&values).remove(0);
                                let short = sum == floats(&[11.0]);
                                assert!(short || sum == floats(&[12.0, 12.0, 12.0]));
                                seen[usize::from(short)].fetch_add(1, Ordering::Relaxed);
                            }
                            // Sixteen races in a row are unlikely and no wrong answer.
                            Err(error) => assert_eq!(error.code(), Code::FailedPrecondition),
                        }
                    }
                })
            })
            .collect();
        for reader in readers {
            reader.join().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(seen.iter().map(|n| n.load(Ordering::Relaxed)).sum::<u64>() > 0);
}

/// Counts up to a number, slowly.
fn long_loop() -> (Arc<tfjit_model::Function>, Arc<tfjit_model::FunctionLibrary>) {
    let cond = function("Cond", &[I32], |g, a| {
        let value = tfjit_model::TensorValue::dense(Tensor::scalar(i32::MAX));
        let value = ("value", AttrValue::Tensor(Box::new(value)));
        let limit = op(g, "Const", &[], &[value, dtype(I32)]);
        vec![op(g, "Less", &[a[0], limit], &[t(I32)])]
    });
    let body = function("Body", &[I32], |g, a| {
        let value = tfjit_model::TensorValue::dense(Tensor::scalar(1i32));
        let value = ("value", AttrValue::Tensor(Box::new(value)));
        let one = op(g, "Const", &[], &[value, dtype(I32)]);
        vec![op(g, "AddV2", &[a[0], one], &[t(I32)])]
    });
    let func = |name: &str| {
        let attrs = tfjit_model::Attrs::new();
        AttrValue::Func(tfjit_model::FuncRef { name: name.into(), attrs })
    };
    let types = AttrValue::List(tfjit_model::AttrList::Types(vec![I32]));
    let main = function("Main", &[I32], |g, a| {
        let attrs = [("T", types), ("cond", func("Cond")), ("body", func("Body"))];
        vec![op(g, "While", &[a[0]], &attrs)]
    });
    let library = library(&[&cond, &body]);
    (main, library)
}

#[test]
fn a_launch_is_cancelled_in_the_middle_and_writes_nothing() {
    let (main, library) = long_loop();
    let cluster = tfjit_launch::Cluster::new(library, main, vec![], vec![]).unwrap();
    for (name, client) in clients() {
        let kernel = XlaLaunch::of(compiler(client), cluster.clone());
        let cancel = Arc::new(AtomicBool::new(false));
        let resources = ResourceManager::new();
        let error = std::thread::scope(|scope| {
            let running = scope.spawn(|| {
                let step = StepState::new();
                let context =
                    StepContext { cancel: Some(&cancel), ..StepContext::new(&resources, &step) };
                kernel.run(&[Value::Tensor(Tensor::scalar(0i32))], &context)
            });
            std::thread::sleep(std::time::Duration::from_millis(20));
            cancel.store(true, Ordering::SeqCst);
            running.join().unwrap().unwrap_err()
        });
        assert_eq!(error.code(), Code::Cancelled, "{name}: {error}");
    }
}

#[test]
fn nothing_is_left_when_all_is_dropped() {
    let client = Arc::new(Counting::new(local()));
    let live = Arc::clone(&client.live);
    let weak = {
        let client: Arc<dyn tfjit_client::Client> = client;
        let compiler = Arc::new(DeviceCompiler::new(client, CompilerOptions::default()));
        let kernel = XlaLaunch::of(Arc::clone(&compiler), cluster(&assign_add(), &[], &[1]));
        let resources = ResourceManager::new();
        let v = variable(&resources, "v", floats(&[1.0, 2.0]));
        let x = floats(&[1.0, 1.0]);
        for _ in 0..10 {
            let inputs = [Value::Tensor(x.clone()), Value::Variable(Arc::clone(&v))];
            in_step(&resources, |c| kernel.run(&inputs, c)).unwrap();
        }
        assert_eq!(x.shared_bytes().unwrap().share_count(), 1);
        assert_eq!(v.value().unwrap().shared_bytes().unwrap().share_count(), 2);
        assert_eq!(live.load(Ordering::SeqCst), 1);
        Arc::downgrade(&compiler)
    };
    assert_eq!(weak.strong_count(), 0);
    assert_eq!(live.load(Ordering::SeqCst), 0);
}
