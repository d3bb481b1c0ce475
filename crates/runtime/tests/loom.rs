//! The rendezvous and the locks of variables under all interleavings of their threads:
//! `RUSTFLAGS="--cfg loom" cargo test -p tfjit-runtime --release --test loom`.
#![cfg(loom)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::sync::Arc;
use loom::thread;
use tfjit_base::{Code, Error, Tensor};
use tfjit_runtime::{LockPlan, Rendezvous, Sent, Value, Variable};

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

fn values(locked: &tfjit_runtime::Locked<'_>, pair: &(Variable, Variable)) -> [i32; 2] {
    [&pair.0, &pair.1].map(|v| {
        let value = locked.value(v).unwrap().unwrap();
        value.to_vec::<i32>().unwrap()[0]
    })
}

#[test]
fn opposite_orders_of_two_variables_do_not_deadlock_and_readers_see_whole_writes() {
    loom::model(|| {
        let one = || Some(Tensor::scalar(1i32));
        let pair = Arc::new((Variable::new("a", one()), Variable::new("b", one())));
        let writers: Vec<_> = [false, true]
            .into_iter()
            .map(|flip| {
                let pair = Arc::clone(&pair);
                thread::spawn(move || {
                    let (x, y) = if flip { (&pair.1, &pair.0) } else { (&pair.0, &pair.1) };
                    let mut plan = LockPlan::new();
                    plan.add(x, true);
                    plan.add(y, true);
                    let mut locked = plan.lock();
                    let [a, b] = values(&locked, &pair);
                    locked.set(&pair.0, Tensor::scalar(a * 2)).unwrap();
                    locked.set(&pair.1, Tensor::scalar(b * 2)).unwrap();
                })
            })
            .collect();
        let mut plan = LockPlan::new();
        plan.add(&pair.1, false);
        plan.add(&pair.0, false);
        let locked = plan.lock();
        let [a, b] = values(&locked, &pair);
        assert_eq!(a, b);
        drop(locked);
        for writer in writers {
            writer.join().unwrap();
        }
        let mut plan = LockPlan::new();
        plan.add(&pair.0, false);
        plan.add(&pair.1, false);
        assert_eq!(values(&plan.lock(), &pair), [4, 4]);
    });
}
