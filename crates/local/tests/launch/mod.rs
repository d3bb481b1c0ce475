//! What the tests of the client share: programs as text, launched.
#![allow(dead_code, reason = "not every test file uses all of it")]

use tfjit_base::{DType, Result, Shape, Tensor};
use tfjit_client::{Argument, Buffer, Client, CompileOptions, Executable, ExecuteOptions};
use tfjit_eval::{Interpreter, Options, Value};
use tfjit_hlo::{Module, parse, verify};
use tfjit_local::{LocalClient, LocalOptions};

/// A verified module.
pub(crate) fn module(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module
}

/// Launches on so many threads; the arguments stay the caller's.
pub(crate) fn launch(
    executable: &dyn Executable,
    args: &[Tensor],
    threads: usize,
) -> Result<Vec<Tensor>> {
    let arguments =
        args.iter().map(|t| Argument { buffer: Buffer::Host(t.clone()), donate: false }).collect();
    let options = ExecuteOptions { threads, ..ExecuteOptions::default() };
    executable.execute(arguments, &options)?.iter().map(Buffer::to_host).collect()
}

/// Compiles and launches on one thread.
pub(crate) fn run(client: &LocalClient, text: &str, args: &[Tensor]) -> Result<Vec<Tensor>> {
    let executable = client.compile(module(text), &CompileOptions::default())?;
    launch(&*executable, args, 1)
}

/// Compares a program on the interpreter, as machine code and with interpreted kernels: every bit.
pub(crate) fn agree(text: &str, args: &[Tensor]) {
    let module = module(text);
    let options = Options { flush_subnormals: true, ..Options::default() };
    let values: Vec<Value> = args.iter().cloned().map(Value::Tensor).collect();
    let want = Interpreter::new(&module, options).run_entry(&values).expect("interpreted");
    for codegen in [true, false] {
        let client = LocalClient::new(LocalOptions { codegen, ..LocalOptions::default() });
        let executable = client.compile(module.clone(), &CompileOptions::default());
        let executable = executable.unwrap_or_else(|e| panic!("{e}\n{text}"));
        for threads in [1, 2] {
            let got = launch(&*executable, args, threads).expect("launched");
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                assert_eq!(got, want.tensor().expect("a tensor"), "result {i} of\n{text}");
            }
        }
    }
}

/// Numbers between -1 and 1 that look random.
pub(crate) fn floats(dims: &[usize]) -> Tensor {
    let shape = Shape::new(dims);
    let number = |i: usize| {
        let bits = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        bits as f32 / (1 << 23) as f32 - 1.0
    };
    let values: Vec<f32> = (0..shape.elements()).map(number).collect();
    Tensor::from_slice(shape, &values).expect("one number an element")
}

/// A truth value.
pub(crate) fn bool_scalar(value: bool) -> Tensor {
    Tensor::from_raw(DType::Bool, Shape::scalar(), &[u8::from(value)]).expect("one byte")
}
