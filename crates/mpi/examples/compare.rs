//! Runs a program with every collective on all processes of an MPI world, and again with as many
//! threads of one process, and compares every bit.
//!
//! `mpirun -n 4 target/debug/examples/compare`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::sync::Arc;
use std::time::Duration;

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_client::{
    Argument, Arguments, Buffer, Client, Collectives, CompileOptions, Executable, ExecuteOptions,
};
use tfjit_launch::{Group, GroupOptions};
use tfjit_local::{LocalClient, LocalOptions};
use tfjit_mpi::MpiGroup;

/// Vectors of `N * 5000` numbers; `IDS` are all members.
const PROGRAM: &str = r#"
func.func @main(%x: tensor<Lxf32>) -> (tensor<Lxf32>, tensor<Mxf32>, tensor<5000xf32>,
    tensor<Lxf32>, tensor<Lxf32>, tensor<Lxf32>) {
  %y = stablehlo.tanh %x : tensor<Lxf32>
  %sum = "stablehlo.all_reduce"(%y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[IDS]]> : tensor<1xNxi64>} : (tensor<Lxf32>) -> tensor<Lxf32>
  %all = "stablehlo.all_gather"(%y) {all_gather_dim = 0 : i64,
    replica_groups = dense<[[IDS]]> : tensor<1xNxi64>} : (tensor<Lxf32>) -> tensor<Mxf32>
  %part = "stablehlo.reduce_scatter"(%y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.multiply %a, %a : tensor<f32>
    %s = stablehlo.subtract %t, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[IDS]]> : tensor<1xNxi64>}
    : (tensor<Lxf32>) -> tensor<5000xf32>
  %mixed = "stablehlo.all_to_all"(%y) {split_dimension = 0 : i64, concat_dimension = 0 : i64,
    split_count = N : i64, replica_groups = dense<[[IDS]]> : tensor<1xNxi64>}
    : (tensor<Lxf32>) -> tensor<Lxf32>
  %moved = "stablehlo.collective_permute"(%sum) {
    source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<Lxf32>) -> tensor<Lxf32>
  %first = "stablehlo.collective_broadcast"(%y) {
    replica_groups = dense<[[IDS]]> : tensor<1xNxi64>} : (tensor<Lxf32>) -> tensor<Lxf32>
  return %sum, %all, %part, %mixed, %moved, %first : tensor<Lxf32>, tensor<Mxf32>,
    tensor<5000xf32>, tensor<Lxf32>, tensor<Lxf32>, tensor<Lxf32>
}"#;

fn argument(member: usize, members: usize) -> Result<Tensor> {
    let number = |i: usize| ((i * 37 + member * 101) as f32 * 0.01).sin() * 3.0;
    let row: Vec<f32> = (0..members * 5000).map(number).collect();
    Tensor::from_slice(Shape::new(&[row.len()]), &row)
}

fn launch(
    executable: &dyn Executable,
    group: Arc<dyn Collectives>,
    (member, members): (usize, usize),
    run_id: u64,
) -> Result<Vec<Tensor>> {
    let options = ExecuteOptions {
        collectives: Some(group),
        replica: member as u32,
        grid: (members as u32, 1),
        run_id,
        ..ExecuteOptions::default()
    };
    let buffer = Buffer::Host(argument(member, members)?);
    let arguments: Arguments = [Argument { buffer, donate: false }].into_iter().collect();
    executable.execute(arguments, &options)?.iter().map(Buffer::to_host).collect()
}

/// The results of a member among threads of this process.
fn in_one_process(executable: &Arc<dyn Executable>, me: usize, n: usize) -> Result<Vec<Tensor>> {
    let group = Arc::new(Group::new(GroupOptions::default()));
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for member in 0..n {
            let group: Arc<dyn Collectives> = Arc::<Group>::clone(&group);
            threads.push(scope.spawn(move || launch(&**executable, group, (member, n), 1)));
        }
        let mut results = Vec::new();
        for thread in threads {
            let panicked = |_| Error::internal("a member panicked");
            results.push(thread.join().map_err(panicked)??);
        }
        Ok(results.swap_remove(me))
    })
}

fn main() -> Result<()> {
    let mpi = Arc::new(MpiGroup::start(Duration::from_secs(60))?);
    let (me, n) = (mpi.rank(), mpi.size());
    let ids: Vec<String> = (0..n).map(|i| i.to_string()).collect();
    let text = PROGRAM
        .replace("IDS", &ids.join(", "))
        .replace("1xNx", &format!("1x{n}x"))
        .replace("split_count = N", &format!("split_count = {n}"))
        .replace("<Lx", &format!("<{}x", n * 5000))
        .replace("<Mx", &format!("<{}x", n * n * 5000));
    let client = LocalClient::new(LocalOptions::default());
    let options = CompileOptions { replicas: n, ..CompileOptions::default() };
    let executable = client.compile(tfjit_hlo::parse(&text)?, &options)?;
    let want = in_one_process(&executable, me, n)?;
    for run in 0..20 {
        let group: Arc<dyn Collectives> = Arc::<MpiGroup>::clone(&mpi);
        let got = launch(&*executable, group, (me, n), run)?;
        for (k, (got, want)) in got.iter().zip(&want).enumerate() {
            if got.bytes() != want.bytes() {
                let text = format!("result {k} of process {me} differs in run {run}");
                return Err(Error::internal(text));
            }
        }
    }
    println!("process {me} of {n}: every bit as in one process");
    Ok(())
}
