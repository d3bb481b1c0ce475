//! Tests of the executor: deadness, frames, errors and cancelling.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tfjit_base::{Code, Error, Result, Tensor};

use super::{Flow, Kernel, Program, Step, StepContext, StepState, Value};
use crate::{ResourceManager, Sent};

type Body = dyn Fn(&[Value], &StepContext<'_>) -> Result<Vec<Value>> + Send + Sync;

struct Fn_(Box<Body>, bool);

impl std::fmt::Debug for Fn_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a test's kernel")
    }
}

impl Kernel for Fn_ {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        (self.0)(inputs, context)
    }
    fn blocks(&self) -> bool {
        self.1
    }
}

fn kernel(
    body: impl Fn(&[Value], &StepContext<'_>) -> Result<Vec<Value>> + Send + Sync + 'static,
) -> Box<dyn Kernel> {
    Box::new(Fn_(Box::new(body), false))
}

fn blocking(
    body: impl Fn(&[Value], &StepContext<'_>) -> Result<Vec<Value>> + Send + Sync + 'static,
) -> Box<dyn Kernel> {
    Box::new(Fn_(Box::new(body), true))
}

fn int(value: &Value) -> i32 {
    value.tensor().unwrap().to_vec::<i32>().unwrap()[0]
}

fn scalar(x: i32) -> Value {
    Value::Tensor(Tensor::scalar(x))
}

fn boolean(x: bool) -> Value {
    Value::Tensor(Tensor::scalar_bool(x))
}

/// Builds programs: one slot an output, in the order of the calls.
#[derive(Default)]
struct Build {
    slots: usize,
    params: Vec<usize>,
    steps: Vec<Step>,
}

impl Build {
    fn param(&mut self) -> usize {
        self.params.push(self.slots);
        self.slots += 1;
        self.slots - 1
    }

    /// Adds a step; returns its first slot.
    fn add(&mut self, kernel: Box<dyn Kernel>, flow: Flow, inputs: &[usize], outs: usize) -> usize {
        let name = format!("s{}", self.steps.len());
        let outputs = (self.slots..self.slots + outs).collect();
        let mut step = Step::new(name, kernel, inputs.to_vec(), outputs);
        step.flow = flow;
        self.steps.push(step);
        self.slots += outs;
        self.slots - outs
    }

    fn flow(&mut self, flow: Flow, inputs: &[usize]) -> usize {
        let outs = if matches!(flow, Flow::Switch | Flow::Merge) { 2 } else { 1 };
        self.add(kernel(|_, _| Err(Error::internal("not a kernel"))), flow, inputs, outs)
    }

    fn map(
        &mut self,
        inputs: &[usize],
        f: impl Fn(&[i32]) -> i32 + Send + Sync + 'static,
    ) -> usize {
        let body = move |values: &[Value], _: &StepContext<'_>| {
            let ints: Vec<i32> = values.iter().map(int).collect();
            Ok(vec![scalar(f(&ints))])
        };
        self.add(kernel(body), Flow::Plain, inputs, 1)
    }

    fn less(&mut self, a: usize, b: usize) -> usize {
        let body = |v: &[Value], _: &StepContext<'_>| Ok(vec![boolean(int(&v[0]) < int(&v[1]))]);
        self.add(kernel(body), Flow::Plain, &[a, b], 1)
    }

    /// The last step waits for the step at `before`.
    fn after(&mut self, before: usize) {
        self.steps.last_mut().unwrap().after.push(before);
    }

    fn last(&self) -> usize {
        self.steps.len() - 1
    }

    fn done(self, results: &[usize]) -> Result<Program> {
        Program::new(self.slots, self.params, self.steps, results.to_vec())
    }

    fn enter(&mut self, frame: &str, constant: bool, input: usize) -> usize {
        self.flow(Flow::Enter { frame: frame.into(), constant }, &[input])
    }
}

fn run(program: &Program, arguments: Vec<Value>) -> Result<Vec<Value>> {
    let (resources, step) = (ResourceManager::new(), StepState::new());
    program.run(arguments, &StepContext::new(&resources, &step))
}

#[test]
fn a_conditional_runs_one_branch() {
    for taken in [false, true] {
        let mut b = Build::default();
        let (p, x) = (b.param(), b.param());
        let switch = b.flow(Flow::Switch, &[x, p]);
        let ran = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&ran);
        let double = b.map(&[switch], move |v| {
            counted.fetch_add(1, Ordering::SeqCst);
            v[0] * 2
        });
        let negated = b.map(&[switch + 1], |v| -v[0]);
        let merge = b.flow(Flow::Merge, &[double, negated]);
        let program = b.done(&[merge, merge + 1]).unwrap();
        let out = run(&program, vec![boolean(taken), scalar(21)]).unwrap();
        let want = if taken { [-21, 1] } else { [42, 0] };
        assert_eq!([int(&out[0]), int(&out[1])], want);
        assert_eq!(ran.load(Ordering::SeqCst), usize::from(!taken));
    }
}

#[test]
fn dead_results_are_errors_and_dead_controls_kill() {
    let mut b = Build::default();
    let (p, x) = (b.param(), b.param());
    let switch = b.flow(Flow::Switch, &[x, p]);
    b.map(&[switch], |v| v[0]);
    let dead = b.last();
    // Killed by its control input although it reads a parameter.
    let killed = b.map(&[x], |v| v[0]);
    b.after(dead);
    // A merge is not killed by one, and neither is a trigger.
    let merge = b.flow(Flow::Merge, &[x]);
    b.after(dead);
    b.flow(Flow::Trigger, &[]);
    b.after(dead);
    let trigger = b.last();
    let behind = b.map(&[x], |v| v[0] + 1);
    b.after(trigger);
    let both = b.flow(Flow::Merge, &[killed, switch]);
    let mut steps = Build { slots: b.slots, params: b.params, steps: b.steps };
    let none = steps.map(&[both], |v| v[0]);
    let program = steps.done(&[merge, behind]).unwrap();
    let out = run(&program, vec![boolean(true), scalar(3)]).unwrap();
    assert_eq!((int(&out[0]), int(&out[1])), (3, 4));
    let program = Program { results: vec![none], ..program };
    let error = run(&program, vec![boolean(true), scalar(3)]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument, "{error}");
    assert_eq!(int(&run(&program, vec![boolean(false), scalar(3)]).unwrap()[0]), 3);
}

#[test]
fn switches_of_many() {
    let mut b = Build::default();
    let (x, i) = (b.param(), b.param());
    let switch = b.add(kernel(|_, _| Ok(vec![])), Flow::Switch, &[x, i], 3);
    let merge = b.flow(Flow::Merge, &[switch, switch + 1, switch + 2]);
    let program = b.done(&[merge + 1]).unwrap();
    for (index, want) in [(0, 0), (1, 1), (2, 2), (3, 2), (-1, 2)] {
        let out = run(&program, vec![scalar(9), scalar(index)]).unwrap();
        assert_eq!(int(&out[0]), want);
    }
}

/// A loop `while i < n { i += 1; acc = f(acc, i) }` in `frame`; returns the exits of `i` and `acc`.
fn counting_loop(
    b: &mut Build,
    frame: &str,
    start: [usize; 2],
    n: usize,
    body: impl FnOnce(&mut Build, usize, usize) -> usize,
) -> [usize; 2] {
    let n = b.enter(frame, true, n);
    let one = |b: &mut Build, start: usize| {
        let enter = b.enter(frame, false, start);
        // The second input is filled in when it is known.
        (b.flow(Flow::Merge, &[enter, usize::MAX]), b.last())
    };
    let (i, i_merge) = one(b, start[0]);
    let (acc, acc_merge) = one(b, start[1]);
    let condition = b.less(i, n);
    let i_switch = b.flow(Flow::Switch, &[i, condition]);
    let acc_switch = b.flow(Flow::Switch, &[acc, condition]);
    let next_i = b.map(&[i_switch + 1], |v| v[0] + 1);
    let next_acc = body(b, next_i, acc_switch + 1);
    for (merge, next) in [(i_merge, next_i), (acc_merge, next_acc)] {
        b.steps[merge].inputs[1] = b.flow(Flow::NextIteration, &[next]);
    }
    [b.flow(Flow::Exit, &[i_switch]), b.flow(Flow::Exit, &[acc_switch])]
}

#[test]
fn ten_thousand_iterations() {
    let mut b = Build::default();
    let (zero, n) = (b.param(), b.param());
    let [i, acc] =
        counting_loop(&mut b, "f", [zero, zero], n, |b, i, acc| b.map(&[i, acc], |v| v[0] + v[1]));
    let sum = b.map(&[i, acc], |v| v[0] + v[1]);
    let program = b.done(&[sum]).unwrap();
    assert!(!program.is_straight());
    assert_eq!(int(&run(&program, vec![scalar(0), scalar(10_000)]).unwrap()[0]), 50_015_000);
    assert_eq!(int(&run(&program, vec![scalar(0), scalar(0)]).unwrap()[0]), 0);
}

#[test]
fn loops_in_loops_and_branches_in_loops() {
    let mut b = Build::default();
    let (zero, n) = (b.param(), b.param());
    let [_, acc] = counting_loop(&mut b, "outer", [zero, zero], n, |b, i, acc| {
        // The inner loop adds 1 + … + i to the accumulator, through a branch on odd numbers that
        // subtracts instead.
        let start = b.map(&[i], |_| 0);
        let [_, out] = counting_loop(b, "inner", [start, acc], i, |b, j, acc| {
            let two = b.map(&[j], |v| (v[0] + 1) % 2);
            let one = b.map(&[j], |_| 1);
            let odd = b.less(two, one);
            let switch = b.flow(Flow::Switch, &[acc, odd]);
            let j_switch = b.flow(Flow::Switch, &[j, odd]);
            let add = b.map(&[switch, j_switch], |v| v[0] + v[1]);
            let sub = b.map(&[switch + 1, j_switch + 1], |v| v[0] - v[1]);
            b.flow(Flow::Merge, &[add, sub])
        });
        out
    });
    let program = b.done(&[acc]).unwrap();
    let mut want = 0;
    for i in 1..=20 {
        for j in 1..=i {
            want += if j % 2 == 1 { -j } else { j };
        }
    }
    assert_eq!(int(&run(&program, vec![scalar(0), scalar(20)]).unwrap()[0]), want);
}

#[test]
fn a_loop_in_a_branch_that_is_not_taken_is_dead() {
    let mut b = Build::default();
    let (p, zero, n) = (b.param(), b.param(), b.param());
    let switch = b.flow(Flow::Switch, &[zero, p]);
    let limit = b.flow(Flow::Switch, &[n, p]);
    let start = [switch + 1, switch + 1];
    let [_, acc] =
        counting_loop(&mut b, "f", start, limit + 1, |b, i, acc| b.map(&[i, acc], |v| v[0] + v[1]));
    let other = b.map(&[switch], |v| v[0] - 7);
    let merge = b.flow(Flow::Merge, &[acc, other]);
    // Behind the dead exit everything is dead, not forgotten: a trigger still runs.
    b.map(&[acc], |v| v[0]);
    let dead = b.last();
    b.flow(Flow::Trigger, &[]);
    b.after(dead);
    let trigger = b.last();
    let behind = b.map(&[zero], |v| v[0] + 1);
    b.after(trigger);
    let program = b.done(&[merge, behind]).unwrap();
    for (p, want) in [(true, 10), (false, -7)] {
        let out = run(&program, vec![boolean(p), scalar(0), scalar(4)]).unwrap();
        assert_eq!((int(&out[0]), int(&out[1])), (want, 1));
    }
}

#[test]
fn an_error_in_the_middle_names_its_node() {
    let mut b = Build::default();
    let (zero, n) = (b.param(), b.param());
    let [_, acc] = counting_loop(&mut b, "f", [zero, zero], n, |b, i, _| {
        let body = |v: &[Value], _: &StepContext<'_>| match int(&v[0]) {
            5 => Err(Error::out_of_range("five")),
            i => Ok(vec![scalar(i)]),
        };
        b.add(kernel(body), Flow::Plain, &[i], 1)
    });
    let program = b.done(&[acc]).unwrap();
    assert_eq!(int(&run(&program, vec![scalar(0), scalar(4)]).unwrap()[0]), 4);
    let error = run(&program, vec![scalar(0), scalar(9)]).unwrap_err();
    assert_eq!((error.code(), error.node()), (Code::OutOfRange, Some("s9")), "{error}");
}

#[test]
fn a_loop_without_end_can_be_cancelled() {
    let mut b = Build::default();
    let (zero, n) = (b.param(), b.param());
    let cancel = Arc::new(AtomicBool::new(false));
    let raise = Arc::clone(&cancel);
    let [_, acc] = counting_loop(&mut b, "f", [zero, zero], n, move |b, i, _| {
        b.map(&[i], move |v| {
            if v[0] == 100 {
                raise.store(true, Ordering::SeqCst);
            }
            v[0]
        })
    });
    let program = b.done(&[acc]).unwrap();
    let (resources, step) = (ResourceManager::new(), StepState::new());
    let context = StepContext { cancel: Some(&cancel), ..StepContext::new(&resources, &step) };
    let error = program.run(vec![scalar(0), scalar(i32::MAX)], &context).unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
}

#[test]
fn kernels_that_wait_for_each_other_wait_at_once() {
    let mut b = Build::default();
    let x = b.param();
    let recv = |key: &'static str| {
        blocking(move |_, context| match context.step.rendezvous().recv(key, context)? {
            Sent::Value(value) => Ok(vec![value]),
            Sent::Dead => Err(Error::internal("dead")),
        })
    };
    let one = b.add(recv("one"), Flow::Plain, &[], 1);
    let two = b.add(recv("two"), Flow::Plain, &[], 1);
    let send = kernel(|v, context| {
        context.step.rendezvous().send("two", Sent::Value(v[0].clone()))?;
        context.step.rendezvous().send("one", Sent::Value(scalar(1)))?;
        Ok(vec![])
    });
    b.add(send, Flow::Plain, &[x], 0);
    let sum = b.map(&[one, two], |v| v[0] * 100 + v[1]);
    let program = b.done(&[sum]).unwrap();
    assert_eq!(int(&run(&program, vec![scalar(7)]).unwrap()[0]), 107);
}

#[test]
fn the_first_error_ends_those_who_wait() {
    let mut b = Build::default();
    let x = b.param();
    let wait = || {
        blocking(|_, context| {
            context.step.rendezvous().recv("never", context).map(|_| vec![scalar(0)])
        })
    };
    let a = b.add(wait(), Flow::Plain, &[], 1);
    let c = b.add(wait(), Flow::Plain, &[], 1);
    b.add(kernel(|_, _| Err(Error::data_loss("broken"))), Flow::Plain, &[x], 0);
    let failing = b.last();
    let name = Arc::clone(&b.steps[failing].name);
    let sum = b.map(&[a, c], |v| v[0] + v[1]);
    let program = b.done(&[sum]).unwrap();
    let error = run(&program, vec![scalar(0)]).unwrap_err();
    assert_eq!((error.code(), error.node()), (Code::DataLoss, Some(&*name)));
}

#[test]
fn a_kernel_that_waits_is_cancelled_from_outside() {
    let mut b = Build::default();
    let cancel = Arc::new(AtomicBool::new(false));
    let raise = Arc::clone(&cancel);
    let wait = blocking(move |_, context| {
        raise.store(true, Ordering::SeqCst);
        context.step.rendezvous().recv("never", context).map(|_| vec![])
    });
    b.add(wait, Flow::Plain, &[], 0);
    let program = b.done(&[]).unwrap();
    let (resources, step) = (ResourceManager::new(), StepState::new());
    let context = StepContext { cancel: Some(&cancel), ..StepContext::new(&resources, &step) };
    assert_eq!(program.run(vec![], &context).unwrap_err().code(), Code::Cancelled);
}

#[test]
fn a_panic_of_a_waiting_kernel_is_an_error() {
    let mut b = Build::default();
    std::panic::set_hook(Box::new(|_| {}));
    b.add(blocking(|_, _| panic!("oh")), Flow::Plain, &[], 0);
    let error = run(&b.done(&[]).unwrap(), vec![]).unwrap_err();
    let _ = std::panic::take_hook();
    assert_eq!(error.code(), Code::Internal);
}

#[test]
fn a_hundred_thousand_nodes() {
    let mut b = Build::default();
    let (p, x) = (b.param(), b.param());
    let mut at = b.flow(Flow::Switch, &[x, p]);
    for _ in 0..100_000 {
        at = b.map(&[at], |v| v[0] + 1);
    }
    let program = b.done(&[at]).unwrap();
    assert_eq!(int(&run(&program, vec![boolean(false), scalar(0)]).unwrap()[0]), 100_000);
    assert!(run(&program, vec![boolean(true), scalar(0)]).is_err());
}

#[test]
fn broken_frames_are_refused() {
    let refused = |build: &dyn Fn(&mut Build, usize) -> usize| {
        let mut b = Build::default();
        let x = b.param();
        let result = build(&mut b, x);
        b.done(&[result]).unwrap_err().code()
    };
    // Out of no frame, in no frame, of two frames, a result in a frame, back to what is no merge.
    assert_eq!(refused(&|b, x| b.flow(Flow::Exit, &[x])), Code::InvalidArgument);
    assert_eq!(refused(&|b, x| b.flow(Flow::NextIteration, &[x])), Code::InvalidArgument);
    assert_eq!(
        refused(&|b, x| {
            let inside = b.enter("f", false, x);
            b.map(&[x, inside], |v| v[0])
        }),
        Code::InvalidArgument
    );
    assert_eq!(refused(&|b, x| b.enter("f", false, x)), Code::InvalidArgument);
    assert_eq!(
        refused(&|b, x| {
            let inside = b.enter("f", false, x);
            let next = b.flow(Flow::NextIteration, &[inside]);
            let read = b.map(&[next], |v| v[0]);
            b.flow(Flow::Exit, &[read])
        }),
        Code::InvalidArgument
    );
}

#[test]
fn straight_programs_stay_straight() {
    let mut b = Build::default();
    let x = b.param();
    let y = b.map(&[x], |v| v[0] + 1);
    let program = b.done(&[y, x]).unwrap();
    assert!(program.is_straight());
    let out = run(&program, vec![scalar(1)]).unwrap();
    assert_eq!((int(&out[0]), int(&out[1])), (2, 1));
    assert!(run(&program, vec![]).is_err());
}
