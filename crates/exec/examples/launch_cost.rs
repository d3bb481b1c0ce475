//! How long launches take beside their work: `cargo run --release -p tfjit-exec --example
//! launch_cost`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints")]

use std::hint::black_box;
use std::time::Instant;

use tfjit_base::{DType, Shape, Tensor};
use tfjit_exec::{LoadOptions, Loaded, Pool, Program, RunOptions};
use tfjit_plan::kernel::Kernel;

use builder::{Builder, SOFTMAX, stream};

#[allow(dead_code, reason = "tests use more of it")]
#[path = "../tests/exec/builder.rs"]
mod builder;

/// Least and middle of many times of some calls, in nanoseconds a call.
fn time(calls: u32, mut call: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..40)
        .map(|_| {
            let start = Instant::now();
            (0..calls).for_each(|_| call());
            start.elapsed().as_nanos() as f64 / f64::from(calls)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

/// One kernel over `rows` by `cols` elements of two streams.
fn plan(text: &str, rows: usize, cols: usize) -> Loaded {
    let mut b = Builder::default();
    let dims = [rows as i64, cols as i64];
    let (x, y) = (b.parameter(DType::F32, &dims), b.result(DType::F32, &dims));
    let (kernel, row) = (b.kernel(text), cols as isize * 4);
    b.push(builder::rows(kernel, rows, cols, vec![stream(x, row), stream(y, row)]));
    b.load_with(&LoadOptions::default()).unwrap()
}

const GELU: &str = "\
kernel @gelu over columns {
  s0: in f32 unit
  s1: out f32 unit
  each:
    v0: f32 = load s0
    v1: f32 = const 0.044715
    v2: f32 = mul v0, v0
    v3: f32 = mul v2, v0
    v4: f32 = fma v3, v1, v0
    v5: f32 = const 0.7978846
    v6: f32 = mul v4, v5
    v7: f32 = tanh v6
    v8: f32 = const 0.5
    v9: f32 = mul v0, v8
    v10: f32 = fma v9, v7, v9
    store s1, v10
}
";

const RELU: &str = "\
kernel @relu over columns {
  s0: in f32 unit
  s1: out f32 unit
  each:
    v0: f32 = load s0
    v1: f32 = const 0.0
    v2: f32 = max v0, v1
    store s1, v2
}
";

fn main() {
    let one = RunOptions { threads: 1, ..RunOptions::default() };
    let loaded = plan(RELU, 1, 4);
    let x = Tensor::from_slice(Shape::new(&[1, 4]), &[1.0f32, -2.0, 3.0, 4.0]).unwrap();
    let args = [x];
    let (least, middle) = time(20_000, || {
        black_box(loaded.run(&args, &one).unwrap());
    });
    println!("launch of one kernel of 4 elements: {least:.0} ns (middle {middle:.0})");
    for (name, text) in [("relu", RELU), ("gelu", GELU), ("softmax", SOFTMAX)] {
        let start = Instant::now();
        let kernel = Kernel::parse(text).unwrap();
        for _ in 0..100 {
            black_box(Program::compile(&kernel).unwrap());
        }
        println!("{name}: {:.1} us to compile", start.elapsed().as_micros() as f64 / 100.0);
        for (rows, cols) in [(8, 512), (128, 512), (4096, 1024)] {
            let loaded = plan(text, rows, cols);
            let values: Vec<f32> = (0..rows * cols).map(|i| (i % 97) as f32 * 0.1 - 4.0).collect();
            let x = Tensor::from_slice(Shape::new(&[rows, cols]), &values).unwrap();
            let args = [x];
            let n = (rows * cols) as f64;
            let calls = (2_000_000 / (rows * cols)).max(1) as u32;
            let (one_thread, _) = time(calls, || {
                black_box(loaded.run(&args, &one).unwrap());
            });
            let (two, _) = time(calls, || {
                black_box(loaded.run(&args, &RunOptions::default()).unwrap());
            });
            println!(
                "  {rows}x{cols}: {:.3} ns an element on one thread, {:.3} on {}",
                one_thread / n,
                two / n,
                Pool::shared().threads()
            );
        }
    }
    let pool = Pool::shared();
    let (least, middle) = time(2_000, || pool.run(2, 2, 10_000_000, true, &|_, _| ()).unwrap());
    println!("empty job on {} threads: {least:.0} ns (middle {middle:.0})", pool.threads());
    let spin = |ns: u64| {
        let start = Instant::now();
        while (start.elapsed().as_nanos() as u64) < ns {
            std::hint::spin_loop();
        }
    };
    for idle_us in [0u64, 500] {
        let (least, middle) = time(1, || {
            std::thread::sleep(std::time::Duration::from_micros(idle_us));
            let start = Instant::now();
            pool.run(2, 2, 40_000, true, &|_, _| spin(20_000)).unwrap();
            black_box(start.elapsed());
        });
        let _ = (least, middle);
        let mut times: Vec<u128> = (0..200)
            .map(|_| {
                std::thread::sleep(std::time::Duration::from_micros(idle_us));
                let start = Instant::now();
                pool.run(2, 2, 40_000, true, &|_, _| spin(20_000)).unwrap();
                start.elapsed().as_nanos()
            })
            .collect();
        times.sort_unstable();
        println!("2 x 20 us after {idle_us} us idle: {} ns, middle {}", times[0], times[100]);
    }
}
