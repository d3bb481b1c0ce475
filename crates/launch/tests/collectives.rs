//! Programs with collectives, launched by all members of a group on both clients.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod group;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use group::{clients, compile, floats, ints, launch_all, options, with_group};
use tfjit_base::{Code, Error, Result, Tensor};
use tfjit_client::{Arguments, ExecuteOptions};
use tfjit_launch::{Group, GroupOptions};

/// All collectives that have no groups of their own; `N` members, vectors of `N * 3` elements.
const ALL: &str = r#"
func.func @main(%x: tensor<LxTYPE>) -> (tensor<LxTYPE>, tensor<LxTYPE>, tensor<MxTYPE>,
    tensor<3xTYPE>, tensor<LxTYPE>, tensor<LxTYPE>, tensor<LxTYPE>, tensor<ui32>, tensor<ui32>) {
  %sum = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
    %s = stablehlo.add %a, %b : tensor<TYPE>
    stablehlo.return %s : tensor<TYPE>
  }) {replica_groups = dense<[IDS]> : tensor<1xNxi64>} : (tensor<LxTYPE>) -> tensor<LxTYPE>
  // Neither commutative nor associative: a * 2 - b.
  %odd = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
    %t = stablehlo.add %a, %a : tensor<TYPE>
    %s = stablehlo.subtract %t, %b : tensor<TYPE>
    stablehlo.return %s : tensor<TYPE>
  }) {replica_groups = dense<[IDS]> : tensor<1xNxi64>} : (tensor<LxTYPE>) -> tensor<LxTYPE>
  %all = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
    replica_groups = dense<[IDS]> : tensor<1xNxi64>} : (tensor<LxTYPE>) -> tensor<MxTYPE>
  %part = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
    %s = stablehlo.maximum %a, %b : tensor<TYPE>
    stablehlo.return %s : tensor<TYPE>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[IDS]> : tensor<1xNxi64>}
    : (tensor<LxTYPE>) -> tensor<3xTYPE>
  %mixed = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64,
    split_count = N : i64, replica_groups = dense<[IDS]> : tensor<1xNxi64>}
    : (tensor<LxTYPE>) -> tensor<LxTYPE>
  %moved = "stablehlo.collective_permute"(%x) {
    source_target_pairs = dense<[PAIRS]> : tensor<COUNTx2xi64>}
    : (tensor<LxTYPE>) -> tensor<LxTYPE>
  %last = "stablehlo.collective_broadcast"(%x) {
    replica_groups = dense<[[BACK]]> : tensor<1xNxi64>} : (tensor<LxTYPE>) -> tensor<LxTYPE>
  %r = stablehlo.replica_id : tensor<ui32>
  %p = stablehlo.partition_id : tensor<ui32>
  return %sum, %odd, %all, %part, %mixed, %moved, %last, %r, %p : tensor<LxTYPE>, tensor<LxTYPE>,
    tensor<MxTYPE>, tensor<3xTYPE>, tensor<LxTYPE>, tensor<LxTYPE>, tensor<LxTYPE>, tensor<ui32>,
    tensor<ui32>
}"#;

fn text(ty: &str, n: usize) -> String {
    let list = |ids: &mut dyn Iterator<Item = usize>| {
        ids.map(|i| i.to_string()).collect::<Vec<_>>().join(", ")
    };
    let pairs: Vec<String> = (0..n - 1).map(|i| format!("[{i}, {}]", i + 1)).collect();
    ALL.replace("tensor<1xNxi64>", &format!("tensor<1x{n}xi64>"))
        .replace("COUNT", &(n - 1).to_string())
        .replace("PAIRS", &pairs.join(", "))
        .replace("[IDS]", &format!("[[{}]]", list(&mut (0..n))))
        .replace("BACK", &list(&mut (0..n).rev()))
        .replace("split_count = N", &format!("split_count = {n}"))
        .replace("tensor<Lx", &format!("tensor<{}x", 3 * n))
        .replace("tensor<Mx", &format!("tensor<{}x", 3 * n * n))
        .replace("TYPE", ty)
}

/// What each member brings.
fn brought(n: usize) -> Vec<Vec<i64>> {
    (0..n).map(|m| (0..3 * n).map(|i| (m * 5 + i * i) as i64 % 17 - 6).collect()).collect()
}

/// The results that `ALL` has for a member, but for its ids.
fn expected(rows: &[Vec<i64>], me: usize) -> Vec<Vec<i64>> {
    let (n, width) = (rows.len(), rows[0].len());
    let fold = |f: &dyn Fn(i64, i64) -> i64| -> Vec<i64> {
        (0..width).map(|i| rows[1..].iter().fold(rows[0][i], |a, row| f(a, row[i]))).collect()
    };
    let most = fold(&|a, b| a.max(b));
    vec![
        fold(&|a, b| a + b),
        fold(&|a, b| 2 * a - b),
        rows.concat(),
        most[3 * me..3 * me + 3].to_vec(),
        rows.iter().flat_map(|row| row[3 * me..3 * me + 3].to_vec()).collect(),
        if me == 0 { vec![0; width] } else { rows[me - 1].clone() },
        rows[n - 1].clone(),
    ]
}

#[test]
fn every_collective_gives_what_it_should() {
    for (name, client) in clients() {
        for n in [2, 3, 8] {
            for (ty, make) in
                [("i32", ints as fn(&[i64]) -> Tensor), ("f32", floats as fn(&[i64]) -> Tensor)]
            {
                let executable = compile(&*client, &text(ty, n), n);
                let group = Group::new(GroupOptions::default());
                let rows = brought(n);
                let args: Vec<Vec<Tensor>> = rows.iter().map(|row| vec![make(row)]).collect();
                let results = launch_all(&executable, &args, &|m| options(&group, m, n, 7));
                for (me, results) in results.into_iter().enumerate() {
                    let results = results.unwrap_or_else(|e| panic!("{name} {n} {ty}: {e}"));
                    for (k, want) in expected(&rows, me).iter().enumerate() {
                        assert_eq!(results[k], make(want), "{name}: result {k} of {me} of {n}");
                    }
                    assert_eq!(results[7], Tensor::scalar(me as u32));
                    assert_eq!(results[8], Tensor::scalar(0u32));
                }
                assert_eq!(group.running(), 0);
            }
        }
    }
}

const SUM: &str = r#"
func.func @main(%x: tensor<40000xf32>) -> tensor<40000xf32> {
  %y = stablehlo.multiply %x, %x : tensor<40000xf32>
  %sum = "stablehlo.all_reduce"(%y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}
    : (tensor<40000xf32>) -> tensor<40000xf32>
  return %sum : tensor<40000xf32>
}"#;

#[test]
fn sums_are_the_same_bits_in_every_run() {
    let (_, client) = clients().swap_remove(1);
    let executable = compile(&*client, SUM, 4);
    let args: Vec<Vec<Tensor>> = (0..4)
        .map(|m| {
            let row: Vec<f32> =
                (0..40000).map(|i| ((i * 31 + m * 17) as f32).sin() * 1e3).collect();
            vec![Tensor::from_slice(tfjit_base::Shape::new(&[40000]), &row).unwrap()]
        })
        .collect();
    let group = Group::new(GroupOptions::default());
    let mut first: Option<Tensor> = None;
    for run in 0..20 {
        for result in launch_all(&executable, &args, &|m| options(&group, m, 4, run)) {
            let result = result.unwrap().swap_remove(0);
            let first = first.get_or_insert_with(|| result.clone());
            assert_eq!(first.bytes(), result.bytes());
        }
    }
}

#[test]
fn launches_of_one_run_id_follow_each_other() {
    // Members are not in step: each launches again as soon as it can.
    for (_, client) in clients() {
        let executable = compile(&*client, &text("i32", 2), 2);
        let group = Group::new(GroupOptions::default());
        std::thread::scope(|scope| {
            for me in 0..2 {
                let (executable, group) = (&executable, &group);
                scope.spawn(move || {
                    for round in 0..50 {
                        let rows: Vec<Vec<i64>> = (0..2).map(|m| vec![round * 10 + m; 6]).collect();
                        let args = [ints(&rows[me])];
                        let results = with_group(executable, &args, &options(group, me, 2, 0));
                        let want = expected(&rows, me);
                        assert_eq!(results.unwrap()[0], ints(&want[0]), "round {round}");
                    }
                });
            }
        });
        assert_eq!(group.running(), 0);
    }
}

#[test]
fn two_groups_at_once() {
    let (_, client) = clients().swap_remove(1);
    let executable = compile(&*client, &text("i32", 3), 3);
    std::thread::scope(|scope| {
        for offset in [0, 100] {
            let executable = &executable;
            scope.spawn(move || {
                let group = Group::new(GroupOptions::default());
                let rows: Vec<Vec<i64>> = (0..3).map(|m| vec![offset + m; 9]).collect();
                let args: Vec<Vec<Tensor>> = rows.iter().map(|row| vec![ints(row)]).collect();
                for run in 0..20 {
                    let results = launch_all(executable, &args, &|m| options(&group, m, 3, run));
                    for (me, result) in results.into_iter().enumerate() {
                        assert_eq!(result.unwrap()[0], ints(&expected(&rows, me)[0]));
                    }
                }
            });
        }
    });
}

/// A boolean.
fn flag(value: bool) -> Tensor {
    let scalar = tfjit_base::Shape::scalar();
    Tensor::from_raw(tfjit_base::DType::Bool, scalar, &[u8::from(value)]).unwrap()
}

fn code(result: &Result<Vec<Tensor>>) -> (Code, String) {
    let error = result.as_ref().unwrap_err();
    (error.code(), error.message().to_owned())
}

#[test]
fn a_missing_member_is_named() {
    for (_, client) in clients() {
        let executable = compile(&*client, &text("i32", 3), 3);
        let group = Group::new(GroupOptions { timeout: Duration::from_millis(200) });
        let args: Vec<Vec<Tensor>> = brought(3).iter().map(|row| vec![ints(row)]).collect();
        // The last one never launches.
        let results = launch_all(&executable, &args[..2], &|m| options(&group, m, 3, 1));
        for result in &results {
            let (code, message) = code(result);
            assert_eq!(code, Code::DeadlineExceeded, "{message}");
            assert!(message.contains("all_reduce without replica 2"), "{message}");
        }
    }
}

#[test]
fn a_member_that_leaves_is_noticed_at_once() {
    // Whoever has true ends without the second sum.
    let program = r#"
func.func @main(%leaves: tensor<i1>, %x: tensor<2xi32>) -> tensor<2xi32> {
  %r = "stablehlo.if"(%leaves) ({
    stablehlo.return %x : tensor<2xi32>
  }, {
    %sum = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    stablehlo.return %sum : tensor<2xi32>
  }) : (tensor<i1>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}"#;
    for (_, client) in clients() {
        let executable = compile(&*client, program, 2);
        let group = Group::new(GroupOptions { timeout: Duration::from_secs(600) });
        let args: Vec<Vec<Tensor>> =
            [false, true].iter().map(|&b| vec![flag(b), ints(&[1, 2])]).collect();
        let results = launch_all(&executable, &args, &|m| options(&group, m, 2, 1));
        let (code, message) = code(&results[0]);
        assert_eq!(code, Code::FailedPrecondition, "{message}");
        assert!(message.contains("replica 1"), "{message}");
        assert_eq!(group.running(), 0);
    }
}

#[test]
fn members_in_another_order_are_a_circle() {
    let program = |first: i64, second: i64| {
        let sum = |name: &str, channel: i64| {
            format!(
                r#"%{name} = "stablehlo.all_reduce"(%x) ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }}) {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids,
    channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 0>}}
    : (tensor<2xi32>) -> tensor<2xi32>
"#
            )
        };
        format!(
            "func.func @main(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {{
{}{}return %p, %q : tensor<2xi32>, tensor<2xi32>
}}",
            sum("p", first),
            sum("q", second)
        )
    };
    for (_, client) in clients() {
        let executables = [(1, 2), (2, 1)].map(|(a, b)| compile(&*client, &program(a, b), 2));
        let group = Group::new(GroupOptions { timeout: Duration::from_secs(600) });
        std::thread::scope(|scope| {
            for (me, executable) in executables.iter().enumerate() {
                let group = &group;
                scope.spawn(move || {
                    let result =
                        with_group(executable, &[ints(&[1, 2])], &options(group, me, 2, 1));
                    let (code, message) = code(&result);
                    assert_eq!(code, Code::FailedPrecondition, "{message}");
                    assert!(message.contains("wait for one another"), "{message}");
                    assert!(message.contains("all_reduce on channel 1"), "{message}");
                    assert!(message.contains("all_reduce on channel 2"), "{message}");
                });
            }
        });
    }
}

#[test]
fn a_failing_member_fails_all() {
    for (_, client) in clients() {
        let executable = compile(&*client, &text("i32", 3), 3);
        let group = Group::new(GroupOptions { timeout: Duration::from_secs(600) });
        let mut args: Vec<Vec<Tensor>> = brought(3).iter().map(|row| vec![ints(row)]).collect();
        args[1] = vec![ints(&[1])];
        let results = launch_all(&executable, &args, &|m| options(&group, m, 3, 1));
        let (own, first) = code(&results[1]);
        for other in [0, 2] {
            let (code, message) = code(&results[other]);
            assert_eq!(code, own);
            assert_eq!(message, format!("replica 1 failed: {first}"));
        }
        assert_eq!(group.running(), 0);
    }
}

#[test]
fn a_cancelled_member_cancels_all() {
    for (_, client) in clients() {
        let executable = compile(&*client, &text("i32", 2), 2);
        let group = Group::new(GroupOptions { timeout: Duration::from_secs(600) });
        let flag = Arc::new(AtomicBool::new(false));
        let session_of_the_other = {
            use tfjit_client::{Collectives, Member, Participation};
            let me = Member { replica: 1, partition: 0 };
            group.begin(&Participation { run_id: 1, me, grid: (2, 1) }).unwrap()
        };
        std::thread::scope(|scope| {
            let (executable, group, flag) = (&executable, &group, &flag);
            let waiting = scope.spawn(move || {
                let cancel = Some(Arc::clone(flag));
                let options = ExecuteOptions { cancel, ..options(group, 0, 2, 1) };
                with_group(executable, &[ints(&[1; 6])], &options)
            });
            std::thread::sleep(Duration::from_millis(20));
            flag.store(true, Ordering::Relaxed);
            assert_eq!(code(&waiting.join().unwrap()).0, Code::Cancelled);
        });
        let error = session_of_the_other.recv(1, &|| false).unwrap_err();
        assert_eq!(error.code(), Code::Cancelled, "{error}");
        assert!(error.message().starts_with("replica 0 failed"), "{error}");
    }
}

#[test]
fn an_aborted_run_wakes_everybody() {
    let (_, client) = clients().swap_remove(0);
    let executable = compile(&*client, &text("i32", 3), 3);
    let group = Group::new(GroupOptions { timeout: Duration::from_secs(600) });
    let args: Vec<Vec<Tensor>> = brought(3).iter().map(|row| vec![ints(row)]).collect();
    let results = std::thread::scope(|scope| {
        scope.spawn(|| {
            // As soon as both wait.
            while group.running() == 0 {
                std::thread::yield_now();
            }
            group.abort(4, &Error::unavailable("the step was given up"));
        });
        launch_all(&executable, &args[..2], &|m| options(&group, m, 3, 4))
    });
    for result in &results {
        assert_eq!(code(result).0, Code::Unavailable);
    }
}

#[test]
fn without_a_group_a_launch_says_so() {
    for (_, client) in clients() {
        let executable = compile(&*client, &text("i32", 2), 2);
        let result = with_group(&executable, &[ints(&[1; 6])], &ExecuteOptions::default());
        assert!(result.is_err());
        let alone = ExecuteOptions { grid: (2, 1), ..ExecuteOptions::default() };
        let (code, message) = code(&with_group(&executable, &[ints(&[1; 6])], &alone));
        assert_eq!(code, Code::Unavailable, "{message}");
        let nobody = ExecuteOptions { replica: 2, grid: (2, 1), ..ExecuteOptions::default() };
        let error = executable.execute(Arguments::new(), &nobody).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }
}

#[test]
fn members_with_random_delays_always_agree() {
    let seed = AtomicU64::new(1);
    let pause = || {
        let next = seed.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        std::thread::sleep(Duration::from_micros((next >> 40) % 400));
    };
    for (_, client) in clients() {
        let executable = compile(&*client, &text("f32", 8), 8);
        let group = Group::new(GroupOptions::default());
        let rows = brought(8);
        std::thread::scope(|scope| {
            for me in 0..8 {
                let (executable, group, rows, pause) = (&executable, &group, &rows, &pause);
                scope.spawn(move || {
                    for run in 0..25 {
                        pause();
                        let args = [floats(&rows[me])];
                        // Two runs may overlap; ids tell them apart.
                        let results = with_group(executable, &args, &options(group, me, 8, run));
                        let results = results.unwrap();
                        for (k, want) in expected(rows, me).iter().enumerate() {
                            assert_eq!(results[k], floats(want));
                        }
                    }
                });
            }
        });
        assert_eq!(group.running(), 0);
    }
}
