//! What tests of collectives and transfers share: clients, programs, groups of launches.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses a part; what does not hold is a failed test"
)]

use std::sync::Arc;

use tfjit_base::{Result, Shape, Tensor};
use tfjit_client::{
    Argument, Arguments, Buffer, Client, CompileOptions, Executable, ExecuteOptions,
};
use tfjit_launch::Group;
use tfjit_local::{EvalClient, LocalClient, LocalOptions};

/// The interpreter and the CPU compiler.
pub(crate) fn clients() -> Vec<(&'static str, Box<dyn Client>)> {
    let local = LocalClient::new(LocalOptions::default());
    vec![("eval", Box::new(EvalClient)), ("local", Box::new(local))]
}

/// Compiles a program for so many replicas.
pub(crate) fn compile(client: &dyn Client, text: &str, replicas: usize) -> Arc<dyn Executable> {
    let module = tfjit_hlo::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    tfjit_hlo::verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = CompileOptions { replicas, keep_text: true, ..CompileOptions::default() };
    client.compile(module, &options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A vector.
pub(crate) fn ints(values: &[i64]) -> Tensor {
    let values: Vec<i32> = values.iter().map(|&v| v as i32).collect();
    Tensor::from_slice(Shape::new(&[values.len()]), &values).unwrap()
}

/// A vector.
pub(crate) fn floats(values: &[i64]) -> Tensor {
    let values: Vec<f32> = values.iter().map(|&v| v as f32).collect();
    Tensor::from_slice(Shape::new(&[values.len()]), &values).unwrap()
}

/// Options of a member.
pub(crate) fn options(group: &Group, me: usize, members: usize, run_id: u64) -> ExecuteOptions {
    ExecuteOptions {
        collectives: Some(Arc::new(group.clone())),
        replica: me as u32,
        grid: (members as u32, 1),
        run_id,
        ..ExecuteOptions::default()
    }
}

/// Launches one member.
pub(crate) fn with_group(
    executable: &Arc<dyn Executable>,
    args: &[Tensor],
    options: &ExecuteOptions,
) -> Result<Vec<Tensor>> {
    let argument = |t: &Tensor| Argument { buffer: Buffer::Host(t.clone()), donate: false };
    let arguments: Arguments = args.iter().map(argument).collect();
    executable.execute(arguments, options)?.iter().map(Buffer::to_host).collect()
}

/// Launches a member for each list of arguments, at the same time.
pub(crate) fn launch_all(
    executable: &Arc<dyn Executable>,
    args: &[Vec<Tensor>],
    options: &(dyn Fn(usize) -> ExecuteOptions + Sync),
) -> Vec<Result<Vec<Tensor>>> {
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (me, args) in args.iter().enumerate() {
            threads.push(scope.spawn(move || with_group(executable, args, &options(me))));
        }
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
