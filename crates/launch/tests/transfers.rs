//! Programs that exchange values with the host while they run, on both clients.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod group;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use group::{clients, compile, ints, launch_all, options, with_group};
use tfjit_base::{Code, Error, Result, Tensor};
use tfjit_client::{ExecuteOptions, TransferChannel, Transfers};
use tfjit_hlo::TensorType;
use tfjit_launch::{Group, GroupOptions, RendezvousTransfers};
use tfjit_runtime::{Rendezvous, Sent};

const CPU: &str = "/job:localhost/replica:0/task:0/device:CPU:0";

/// The transfers of a step, and the step's rendezvous.
fn transfers() -> (Arc<Rendezvous>, ExecuteOptions) {
    let rendezvous = Arc::new(Rendezvous::new());
    let transfers = RendezvousTransfers::new(Arc::clone(&rendezvous), CPU, "c").unwrap();
    let options = ExecuteOptions { transfers: Some(Arc::new(transfers)), ..Default::default() };
    (rendezvous, options)
}

fn key(name: &str) -> String {
    format!("{CPU};0000000000000001;{CPU};c{name};0:0")
}

fn take(rendezvous: &Rendezvous, name: &str) -> Result<Tensor> {
    match rendezvous.recv_unless(&key(name), || false)? {
        Sent::Value(value) => Ok(value.tensor()?.clone()),
        Sent::Dead => Err(Error::internal("dead")),
    }
}

fn put(rendezvous: &Rendezvous, name: &str, value: Tensor) {
    rendezvous.send(&key(name), Sent::Value(value.into())).unwrap();
}

/// Sends the square, receives a vector, sends the sum, three times; returns what was received last.
const TALK: &str = r#"
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %t = stablehlo.after_all : !stablehlo.token
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:3 = "stablehlo.while"(%zero, %x, %t) ({
  ^bb0(%i: tensor<i32>, %y: tensor<3xi32>, %u: !stablehlo.token):
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %y: tensor<3xi32>, %u: !stablehlo.token):
    %q = stablehlo.multiply %y, %y : tensor<3xi32>
    %v = "stablehlo.send"(%q, %u) {is_host_transfer = true,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>,
      mhlo.frontend_attributes = {_xla_host_transfer_rendezvous = "ask"}}
      : (tensor<3xi32>, !stablehlo.token) -> !stablehlo.token
    %got:2 = "stablehlo.recv"(%v) {is_host_transfer = true,
      channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>,
      mhlo.frontend_attributes = {_xla_host_transfer_rendezvous = "answer"}}
      : (!stablehlo.token) -> (tensor<3xi32>, !stablehlo.token)
    %s = stablehlo.add %got#0, %y : tensor<3xi32>
    %w = "stablehlo.send"(%s, %got#1) {is_host_transfer = true,
      channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>,
      mhlo.frontend_attributes = {_xla_host_transfer_rendezvous = "ask"}}
      : (tensor<3xi32>, !stablehlo.token) -> !stablehlo.token
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %got#0, %w : tensor<i32>, tensor<3xi32>, !stablehlo.token
  }) : (tensor<i32>, tensor<3xi32>, !stablehlo.token)
    -> (tensor<i32>, tensor<3xi32>, !stablehlo.token)
  %m = stablehlo.negate %x : tensor<3xi32>
  return %r#1, %m : tensor<3xi32>, tensor<3xi32>
}"#;

#[test]
fn acceptance_8_5_6_a_program_and_its_host_talk() {
    for (name, client) in clients() {
        let executable = compile(&*client, TALK, 1);
        let (rendezvous, options) = transfers();
        std::thread::scope(|scope| {
            let host = scope.spawn(|| {
                let mut last = ints(&[1, 2, 3]);
                for i in 0..3 {
                    let square = take(&rendezvous, "ask").unwrap().to_i64s().unwrap();
                    let before = last.to_i64s().unwrap();
                    let want: Vec<i64> = before.iter().map(|x| x * x).collect();
                    assert_eq!(square, want, "{name}");
                    last = ints(&[i, 10 - i, 7]);
                    put(&rendezvous, "answer", last.clone());
                    let sum = take(&rendezvous, "ask").unwrap().to_i64s().unwrap();
                    let want = last.to_i64s().unwrap();
                    let want: Vec<i64> = want.iter().zip(&before).map(|(a, b)| a + b).collect();
                    assert_eq!(sum, want, "{name}");
                }
            });
            let results = with_group(&executable, &[ints(&[1, 2, 3])], &options).unwrap();
            assert_eq!(results, [ints(&[2, 8, 7]), ints(&[-1, -2, -3])]);
            host.join().unwrap();
        });
    }
}

#[test]
fn the_compiler_plans_transfers_step_by_step() {
    let (_, client) = clients().swap_remove(1);
    let executable = compile(&*client, TALK, 1);
    let steps: Vec<String> =
        executable.steps().iter().map(|s| format!("{} {}", s.kind, s.kernel)).collect();
    let sends = steps.iter().filter(|s| s.contains("send")).count();
    let receives = steps.iter().filter(|s| s.contains("recv")).count();
    assert_eq!((sends, receives), (2, 1), "{steps:?}");
    // The attribute is in the text behind all passes.
    let text = executable.text("optimise").unwrap();
    for name in ["ask", "answer"] {
        let attribute = format!("_xla_host_transfer_rendezvous = \"{name}\"");
        assert!(text.contains(&attribute), "{text}");
    }
    let again = tfjit_hlo::parse(&text).unwrap().to_string();
    assert_eq!(again, tfjit_hlo::parse(&again).unwrap().to_string());
    assert!(again.contains("\"answer\""));
}

/// Takes one value and keeps the next until it is told to go on.
#[derive(Debug, Default)]
struct Slow {
    sent: Mutex<(bool, Vec<Tensor>)>,
    go: Condvar,
    aborted: Mutex<Vec<Error>>,
}

impl Transfers for Slow {
    fn send(&self, _: &TransferChannel, values: Vec<Tensor>) -> Result<()> {
        let mut sent = self.sent.lock().unwrap();
        while !sent.0 {
            sent = self.go.wait(sent).unwrap();
        }
        sent.1.extend(values);
        Ok(())
    }

    fn recv(
        &self,
        _: &TransferChannel,
        _: &[TensorType],
        _: &dyn Fn() -> bool,
    ) -> Result<Vec<Tensor>> {
        // The launch got here although nothing of what it sent was taken.
        let mut sent = self.sent.lock().unwrap();
        assert!(sent.1.is_empty());
        sent.0 = true;
        self.go.notify_all();
        Ok(vec![ints(&[5, 5, 5])])
    }

    fn abort(&self, error: &Error) {
        self.aborted.lock().unwrap().push(error.clone());
        self.sent.lock().unwrap().0 = true;
        self.go.notify_all();
    }
}

#[test]
fn a_send_does_not_stop_the_launch() {
    for (_, client) in clients() {
        let executable = compile(&*client, TALK, 1);
        let slow = Arc::new(Slow::default());
        let options =
            ExecuteOptions { transfers: Some(Arc::clone(&slow) as _), ..Default::default() };
        // Of the first answer on, sends are taken; receiving asserts only once that none was.
        slow.sent.lock().unwrap().0 = false;
        let one = TALK.replace("dense<3>", "dense<1>");
        let executable_once = compile(&*client, &one, 1);
        with_group(&executable_once, &[ints(&[1, 2, 3])], &options).unwrap();
        // In order, and all of them when the launch is over.
        assert_eq!(slow.sent.lock().unwrap().1, [ints(&[1, 4, 9]), ints(&[6, 7, 8])]);
        assert!(slow.aborted.lock().unwrap().is_empty());
        drop(executable);
    }
}

#[test]
fn a_host_that_fails_wakes_the_program() {
    for (_, client) in clients() {
        let executable = compile(&*client, TALK, 1);
        let (rendezvous, options) = transfers();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                take(&rendezvous, "ask").unwrap();
                rendezvous.abort(&Error::data_loss("the host is gone"));
            });
            let error = with_group(&executable, &[ints(&[1, 2, 3])], &options).unwrap_err();
            assert_eq!(error.code(), Code::DataLoss, "{error}");
        });
    }
}

#[test]
fn a_program_that_fails_wakes_its_host() {
    // The argument has the wrong shape, so nothing is ever sent.
    for (_, client) in clients() {
        let executable = compile(&*client, TALK, 1);
        let (rendezvous, options) = transfers();
        std::thread::scope(|scope| {
            let host = scope.spawn(|| take(&rendezvous, "ask").unwrap_err());
            let error = with_group(&executable, &[ints(&[1])], &options).unwrap_err();
            let seen = host.join().unwrap();
            assert_eq!((seen.code(), seen.message()), (error.code(), error.message()));
        });
    }
}

#[test]
fn acceptance_8_5_6_a_failed_send_fails_the_launch() {
    for (_, client) in clients() {
        let one = TALK.replace("dense<3>", "dense<1>");
        let executable = compile(&*client, &one, 1);
        let (rendezvous, options) = transfers();
        put(&rendezvous, "answer", ints(&[1, 1, 1]));
        rendezvous.abort(&Error::unavailable("nobody is there"));
        let error = with_group(&executable, &[ints(&[1, 2, 3])], &options).unwrap_err();
        assert_eq!(error.code(), Code::Unavailable, "{error}");
    }
}

#[test]
fn a_cancelled_launch_stops_waiting_and_tells_its_host() {
    for (_, client) in clients() {
        let executable = compile(&*client, TALK, 1);
        let (rendezvous, options) = transfers();
        let flag = Arc::new(AtomicBool::new(false));
        let options = ExecuteOptions { cancel: Some(Arc::clone(&flag)), ..options };
        std::thread::scope(|scope| {
            let host = scope.spawn(|| {
                take(&rendezvous, "ask").unwrap();
                flag.store(true, Ordering::Relaxed);
                take(&rendezvous, "ask").unwrap_err()
            });
            let error = with_group(&executable, &[ints(&[1, 2, 3])], &options).unwrap_err();
            assert_eq!(error.code(), Code::Cancelled, "{error}");
            assert_eq!(host.join().unwrap().code(), Code::Cancelled);
        });
    }
}

#[test]
fn transfers_without_a_name_or_a_host_are_errors() {
    for (_, client) in clients() {
        let nameless = TALK.replace("_xla_host_transfer_rendezvous", "other");
        let (_, options) = transfers();
        let executable = compile(&*client, &nameless, 1);
        let error = with_group(&executable, &[ints(&[1, 2, 3])], &options).unwrap_err();
        assert_eq!(error.code(), Code::Internal, "{error}");
        assert!(error.message().contains("_xla_host_transfer_rendezvous"), "{error}");
        let executable = compile(&*client, TALK, 1);
        let alone = ExecuteOptions::default();
        let error = with_group(&executable, &[ints(&[1, 2, 3])], &alone).unwrap_err();
        assert_eq!(error.code(), Code::Unavailable, "{error}");
    }
}

/// Member 0 sends to member 1 over a channel, which adds and sends back.
const PEERS: &str = r#"
func.func @main(%first: tensor<i1>, %x: tensor<2xi32>) -> tensor<2xi32> {
  %t = stablehlo.after_all : !stablehlo.token
  %r = "stablehlo.if"(%first) ({
    %u = "stablehlo.send"(%x, %t) {
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    %got:2 = "stablehlo.recv"(%u) {
      channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}
      : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    stablehlo.return %got#0 : tensor<2xi32>
  }, {
    %got:2 = "stablehlo.recv"(%t) {
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %s = stablehlo.add %got#0, %x : tensor<2xi32>
    %u = "stablehlo.send"(%s, %got#1) {
      channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}
      : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %x : tensor<2xi32>
  }) : (tensor<i1>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}"#;

fn flag(value: bool) -> Tensor {
    let scalar = tfjit_base::Shape::scalar();
    Tensor::from_raw(tfjit_base::DType::Bool, scalar, &[u8::from(value)]).unwrap()
}

#[test]
fn members_send_to_each_other() {
    for (_, client) in clients() {
        let executable = compile(&*client, PEERS, 2);
        let group = Group::new(GroupOptions { timeout: Duration::from_secs(600) });
        let args = [vec![flag(true), ints(&[1, 2])], vec![flag(false), ints(&[10, 20])]];
        let results = launch_all(&executable, &args, &|m| options(&group, m, 2, 3));
        assert_eq!(*results[0].as_ref().unwrap(), [ints(&[11, 22])]);
        assert_eq!(*results[1].as_ref().unwrap(), [ints(&[10, 20])]);
        // Both wait for the other: noticed at once.
        let args = [vec![flag(false), ints(&[1, 2])], vec![flag(false), ints(&[10, 20])]];
        let results = launch_all(&executable, &args, &|m| options(&group, m, 2, 4));
        for result in results {
            let error = result.unwrap_err();
            assert_eq!(error.code(), Code::FailedPrecondition, "{error}");
            assert!(error.message().contains("recv on channel 1"), "{error}");
        }
        assert_eq!(group.running(), 0);
    }
}
