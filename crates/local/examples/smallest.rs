//! Times compiling and launching the smallest program, `x * 2 + 1` on four elements.
//!
//! Every compilation has another constant, so that its kernel is emitted anew. It measures one
//! process after its first compilation; it must not be taken for a start-up time.
#![allow(clippy::print_stdout, reason = "prints what it measured")]

use std::time::{Duration, Instant};

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_client::{Argument, Buffer, Client, CompileOptions, ExecuteOptions};
use tfjit_local::{LocalClient, LocalOptions};

fn program(constant: usize) -> String {
    format!(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %a = stablehlo.constant dense<{constant}.0> : tensor<4xf32>
  %b = stablehlo.constant dense<1.0> : tensor<4xf32>
  %y = stablehlo.multiply %x, %a : tensor<4xf32>
  %z = stablehlo.add %y, %b : tensor<4xf32>
  return %z : tensor<4xf32>
}}"
    )
}

fn median(mut times: Vec<Duration>) -> Result<(Duration, Duration)> {
    times.sort();
    let least = *times.first().ok_or_else(|| Error::internal("nothing was measured"))?;
    Ok((times[times.len() / 2], least))
}

fn main() -> Result<()> {
    let client = LocalClient::new(LocalOptions::default());
    let x = Tensor::from_slice(Shape::new(&[4]), &[1.0f32, 2.0, 3.0, 4.0])?;
    let (mut compiles, mut launches) = (Vec::new(), Vec::new());
    for i in 0..500 {
        let module = tfjit_hlo::parse(&program(i + 2))?;
        let start = Instant::now();
        let executable = client.compile(module, &CompileOptions::default())?;
        compiles.push(start.elapsed());
        let options = ExecuteOptions { threads: 1, ..ExecuteOptions::default() };
        for _ in 0..20 {
            let argument = Argument { buffer: Buffer::Host(x.clone()), donate: false };
            let start = Instant::now();
            let results = executable.execute(vec![argument].into(), &options)?;
            launches.push(start.elapsed());
            drop(results);
        }
    }
    let (middle, least) = median(compiles)?;
    println!("compile: median {middle:?}, least {least:?}");
    let (middle, least) = median(launches)?;
    println!("launch:  median {middle:?}, least {least:?}");
    Ok(())
}
