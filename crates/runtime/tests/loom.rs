//! The rendezvous under all interleavings of its threads:
//! `RUSTFLAGS="--cfg loom" cargo test -p tfjit-runtime --release --test loom`.
#![cfg(loom)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::sync::Arc;
use loom::thread;
use tfjit_base::{Code, Error, Tensor};
use tfjit_runtime::{Rendezvous, Sent, Value};

fn sent(x: i32) -> Sent {
    Sent::Value(Value::Tensor(Tensor::scalar(x)))
}

fn number(sent: Sent) -> i32 {
    match sent {
        Sent::Value(value) => value.tensor().unwrap().to_vec::<i32>().unwrap()[0],
        Sent::Dead => -1,
    }
}

#[test]
fn a_value_reaches_its_receiver() {
    loom::model(|| {
        let r = Arc::new(Rendezvous::new());
        let other = Arc::clone(&r);
        let sender = thread::spawn(move || other.send("a", sent(7)).unwrap());
        assert_eq!(number(r.recv_unless("a", || false).unwrap()), 7);
        sender.join().unwrap();
    });
}

#[test]
fn two_values_reach_two_receivers() {
    loom::model(|| {
        let r = Arc::new(Rendezvous::new());
        let (one, two) = (Arc::clone(&r), Arc::clone(&r));
        let sender = thread::spawn(move || {
            one.send("a", sent(1)).unwrap();
            one.send("a", sent(2)).unwrap();
        });
        let receiver = thread::spawn(move || number(two.recv_unless("a", || false).unwrap()));
        let own = number(r.recv_unless("a", || false).unwrap());
        let other = receiver.join().unwrap();
        sender.join().unwrap();
        assert_eq!((own.min(other), own.max(other)), (1, 2));
    });
}

#[test]
fn an_abort_is_seen_by_who_waits_and_who_comes_later() {
    loom::model(|| {
        let r = Arc::new(Rendezvous::new());
        let other = Arc::clone(&r);
        let aborting = thread::spawn(move || other.abort(&Error::data_loss("gone")));
        let error = r.recv_unless("a", || false).unwrap_err();
        assert_eq!(error.code(), Code::DataLoss);
        aborting.join().unwrap();
        assert!(r.send("a", sent(1)).is_err());
    });
}

#[test]
fn a_callback_is_called_once_or_forgotten() {
    loom::model(|| {
        let r = Arc::new(Rendezvous::new());
        // Plain counters: they are no part of what is checked.
        let calls = std::sync::Arc::new(AtomicUsize::new(0));
        let counted = std::sync::Arc::clone(&calls);
        let ticket = r.recv_then("a", move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let other = Arc::clone(&r);
        let sender = thread::spawn(move || other.send("a", sent(1)).unwrap());
        let forgotten = r.forget("a", ticket.unwrap());
        sender.join().unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), usize::from(!forgotten));
        if forgotten {
            // The value is still there.
            assert_eq!(number(r.recv_unless("a", || false).unwrap()), 1);
        }
    });
}

#[test]
fn an_abort_and_a_value_race_and_one_wins() {
    loom::model(|| {
        let r = Arc::new(Rendezvous::new());
        let results = std::sync::Arc::new(Mutex::new(Vec::new()));
        let into = std::sync::Arc::clone(&results);
        r.recv_then("a", move |result| into.lock().unwrap().push(result.is_ok()));
        let (one, two) = (Arc::clone(&r), Arc::clone(&r));
        let sender = thread::spawn(move || one.send("a", sent(1)).is_ok());
        let aborting = thread::spawn(move || two.abort(&Error::cancelled("stop")));
        let was_sent = sender.join().unwrap();
        aborting.join().unwrap();
        assert_eq!(*results.lock().unwrap(), [was_sent]);
    });
}
