//! Times compiling a program and loading its artifact, in new clients: of the smallest program, and
//! of files of StableHLO text that are given.
//!
//! `cargo run --release -p tfjit-local --example artifact -- FILE...`
#![allow(clippy::print_stdout, reason = "prints what it measured")]

use std::time::{Duration, Instant};

use tfjit_base::{AlignedBytes, Bytes, Error, Result};
use tfjit_client::{Client, CompileOptions};
use tfjit_hlo::Module;
use tfjit_local::{LocalClient, LocalOptions};

const SMALLEST: &str = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.constant dense<2.0> : tensor<4xf32>
  %b = stablehlo.constant dense<1.0> : tensor<4xf32>
  %y = stablehlo.multiply %x, %a : tensor<4xf32>
  %z = stablehlo.add %y, %b : tensor<4xf32>
  return %z : tensor<4xf32>
}";

/// Time for one program.
const MEASURED: Duration = Duration::from_secs(2);

/// Median and least of several runs in new clients; what `run` made is dropped unmeasured.
fn time<T>(mut run: impl FnMut(&LocalClient) -> Result<T>) -> Result<(Duration, Duration)> {
    let mut times = Vec::new();
    let begin = Instant::now();
    while times.len() < 3 || begin.elapsed() < MEASURED {
        let client = LocalClient::new(LocalOptions::default());
        let start = Instant::now();
        let made = run(&client)?;
        times.push(start.elapsed());
        drop(made);
    }
    times.sort();
    Ok((times[times.len() / 2], times[0]))
}

fn measure(name: &str, module: &Module) -> Result<()> {
    let options = CompileOptions::default();
    let client = LocalClient::new(LocalOptions::default());
    let executable = client.compile(module.clone(), &options)?;
    let bytes = executable.serialize()?;
    println!("{name}: {} bytes", bytes.len());
    let line = |what: &str, (median, least): (Duration, Duration)| {
        println!("  {what:28} median {median:?}, least {least:?}");
    };
    line("compile", time(|client| client.compile(module.clone(), &options))?);
    line("serialise", time(|_| executable.serialize())?);
    line("load, constants copied", time(|client| client.deserialize(&bytes, &options))?);
    let shared = Bytes::from(AlignedBytes::copy_of(&bytes)?);
    line("load, constants in place", time(|c| c.deserialize_shared(&shared, &options))?);
    let known = time(|_| client.deserialize_shared(&shared, &options))?;
    line("load, kernels known", known);
    line("checksum", time(|_| Ok(crc32c::crc32c(&bytes)))?);
    Ok(())
}

fn main() -> Result<()> {
    measure("x * 2 + 1", &tfjit_hlo::parse(SMALLEST)?)?;
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path)
            .map_err(|e| Error::not_found(format!("cannot read {path}: {e}")))?;
        measure(&path, &tfjit_hlo::parse(&text)?)?;
    }
    Ok(())
}
