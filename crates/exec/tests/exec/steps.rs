//! Plans of loops, control flow and instructions of the reference interpreter.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use smallvec::smallvec;
use tfjit_base::{AlignedBytes, Bytes, Code, DType, Shape, Tensor};
use tfjit_exec::{Loaded, Profile, RunOptions};
use tfjit_hlo::TensorType;
use tfjit_plan::{CopyCall, LoopCall, ReferenceCall, Step, StreamArg};

use crate::builder::{ADD_ONE, Builder, SOFTMAX, floats, noise, rows, stream, with};

#[test]
fn softmax_is_the_same_on_any_number_of_threads() {
    for (n, m) in [(1, 1), (7, 31), (50, 33), (3, 1000), (700, 513)] {
        let mut b = Builder::default();
        let x = b.parameter(DType::F32, &[n as i64, m as i64]);
        let y = b.result(DType::F32, &[n as i64, m as i64]);
        let kernel = b.kernel(SOFTMAX);
        let row = m as isize * 4;
        b.push(rows(kernel, n, m, vec![stream(x, row), stream(y, row)]));
        let loaded = b.load(3);
        let x = noise(9, &[n, m]);
        let one = loaded.run(std::slice::from_ref(&x), &with(1)).unwrap();
        for row in floats(&one[0]).chunks(m) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        for threads in [2, 3] {
            assert_eq!(loaded.run(std::slice::from_ref(&x), &with(threads)).unwrap(), one);
        }
    }
}

/// `out[c, a, b] = x[a, b, c] + row[b] * column`, columns of the kernel along `b`.
#[test]
fn outer_dimensions_strides_and_columns() {
    const TEXT: &str = "\
kernel @mixed over columns {
  s0: in f32 strided
  s1: in f32 row
  s2: out f64 unit
  each:
    v0: f32 = load s0
    v1: f32 = load s1
    v2: i32 = column
    v3: f32 = convert v2
    v4: f32 = fma v1, v3, v0
    v5: f64 = convert v4
    store s2, v5
}
";
    let [na, nb, nc] = [5usize, 1300, 7];
    let mut b = Builder::default();
    let x = b.parameter(DType::F32, &[na as i64, nb as i64, nc as i64]);
    let scale = b.parameter(DType::F32, &[na as i64]);
    let out = b.result(DType::F64, &[nc as i64, na as i64, nb as i64]);
    let kernel = b.kernel(TEXT);
    let [c, bc] = [4 * nc as isize, 4 * (nb * nc) as isize];
    b.push(Step::Loop(LoopCall {
        kernel,
        outer: smallvec![nc],
        rows: na,
        cols: nb,
        streams: vec![
            StreamArg { buffer: x, offset: 0, outer: smallvec![4], row: bc, col: c },
            StreamArg { buffer: scale, offset: 0, outer: smallvec![0], row: 4, col: 0 },
            StreamArg {
                buffer: out,
                offset: 0,
                outer: smallvec![8 * (na * nb) as isize],
                row: 8 * nb as isize,
                col: 0,
            },
        ],
    }));
    let loaded = b.load(2);
    let (x, scale) = (noise(4, &[na, nb, nc]), noise(5, &[na]));
    let got = loaded.run(&[x.clone(), scale.clone()], &with(2)).unwrap();
    assert_eq!(loaded.run(&[x.clone(), scale.clone()], &with(1)).unwrap(), got);
    let (x, scale, got) = (floats(&x), floats(&scale), got[0].to_vec::<f64>().unwrap());
    for (i, &got) in got.iter().enumerate() {
        let (c, a, b) = (i / (na * nb), i / nb % na, i % nb);
        let want = scale[a].mul_add(b as f32, x[(a * nb + b) * nc + c]);
        assert_eq!(got, f64::from(want), "{i}");
    }
}

/// Mean and largest value of each column.
#[test]
fn reductions_along_rows() {
    const TEXT: &str = "\
kernel @columns over rows {
  s0: in f32 unit
  s1: out f32 unit
  s2: out f32 unit
  each:
    v0: f32 = load s0
    v1: f32 = reduce.sum v0
    v2: f32 = reduce.max v0
  once:
    v3: f32 = const 0.01
    v4: f32 = mul v1, v3
    store s1, v4
    store s2, v2
}
";
    for cols in [1, 63, 64, 700, 5000] {
        let mut b = Builder::default();
        let x = b.parameter(DType::F32, &[100, cols as i64]);
        let mean = b.result(DType::F32, &[cols as i64]);
        let most = b.result(DType::F32, &[cols as i64]);
        let kernel = b.kernel(TEXT);
        let streams = vec![stream(x, cols as isize * 4), stream(mean, 0), stream(most, 0)];
        b.push(rows(kernel, 100, cols, streams));
        let loaded = b.load(2);
        let x = noise(3, &[100, cols]);
        let got = loaded.run(std::slice::from_ref(&x), &with(2)).unwrap();
        assert_eq!(loaded.run(std::slice::from_ref(&x), &with(1)).unwrap(), got);
        let (x, mean, most) = (floats(&x), floats(&got[0]), floats(&got[1]));
        for c in 0..cols {
            let column = (0..100).map(|r| x[r * cols + c]);
            // Ascending order, one sum a column: the very bits.
            assert_eq!(mean[c], column.clone().fold(0.0, |s, v| s + v) * 0.01);
            assert_eq!(most[c], column.fold(f32::NEG_INFINITY, f32::max));
        }
    }
}

/// Adds one until the counter has run down.
fn counting(cancel_forever: bool) -> Loaded {
    const TEST: &str = "\
kernel @positive over columns {
  s0: in i32 unit
  s1: out bool unit
  each:
    v0: i32 = load s0
    v1: i32 = const 0
    v2: pred = compare.gt v0, v1
    store s1, v2
}
";
    const DOWN: &str = "\
kernel @down over columns {
  s0: in i32 unit
  s1: out i32 unit
  each:
    v0: i32 = load s0
    v1: i32 = const 1
    v2: i32 = sub v0, v1
    store s1, v2
}
";
    let mut b = Builder::default();
    let start = b.parameter(DType::I32, &[]);
    let x = b.parameter(DType::F32, &[10]);
    let counter = b.temporary(DType::I32, &[]);
    let condition = b.temporary(DType::Bool, &[]);
    let out = b.result(DType::F32, &[10]);
    let copy = |from, to, n: usize| {
        Step::Copy(CopyCall {
            element: 4,
            extents: smallvec![n],
            input: (from, 0, smallvec![4]),
            out: (to, 0, smallvec![4]),
            input_at: vec![],
            out_at: vec![],
        })
    };
    b.push(copy(start, counter, 1));
    b.push(copy(x, out, 10));
    let (test, down, add) = (b.kernel(TEST), b.kernel(DOWN), b.kernel(ADD_ONE));
    let mut body = vec![rows(add, 1, 10, vec![stream(out, 0), stream(out, 0)])];
    if !cancel_forever {
        body.push(rows(down, 1, 1, vec![stream(counter, 0), stream(counter, 0)]));
    }
    b.push(Step::While {
        test: vec![rows(test, 1, 1, vec![stream(counter, 0), stream(condition, 0)])],
        condition,
        body,
    });
    b.load(2)
}

#[test]
fn loops_repeat_while_the_condition_holds() {
    let loaded = counting(false);
    for n in [-1, 0, 1, 17] {
        let args =
            [Tensor::scalar(n), Tensor::from_slice(Shape::new(&[10]), &[0.5f32; 10]).unwrap()];
        let got = loaded.run(&args, &with(2)).unwrap();
        assert_eq!(floats(&got[0]), [0.5 + n.max(0) as f32; 10]);
    }
}

#[test]
fn endless_loops_can_be_cancelled() {
    let loaded = counting(true);
    let flag = Arc::new(AtomicBool::new(false));
    let options = RunOptions { cancel: Some(Arc::clone(&flag)), ..with(1) };
    let error = std::thread::scope(|scope| {
        let run = scope.spawn(|| loaded.run(&[Tensor::scalar(1i32), noise(1, &[10])], &options));
        std::thread::sleep(std::time::Duration::from_millis(10));
        flag.store(true, Ordering::Relaxed);
        run.join().unwrap().unwrap_err()
    });
    assert_eq!(error.code(), Code::Cancelled);
}

#[test]
fn switches_take_one_branch() {
    for dtype in [DType::I32, DType::Bool] {
        let mut b = Builder::default();
        let index = b.parameter(dtype, &[]);
        let x = b.parameter(DType::F32, &[3]);
        let out = b.result(DType::F32, &[3]);
        let add = b.kernel(ADD_ONE);
        let first = vec![rows(add, 1, 3, vec![stream(x, 0), stream(out, 0)])];
        let mut second = first.clone();
        second.push(rows(add, 1, 3, vec![stream(out, 0), stream(out, 0)]));
        b.push(Step::Switch { index, branches: vec![first, second] });
        let loaded = b.load(1);
        let x = Tensor::from_slice(Shape::new(&[3]), &[0.0f32, 10.0, 20.0]).unwrap();
        let cases: Vec<(Tensor, f32)> = match dtype {
            DType::Bool => {
                vec![(Tensor::scalar_bool(true), 1.0), (Tensor::scalar_bool(false), 2.0)]
            }
            _ => [(0, 1.0), (1, 2.0), (2, 2.0), (-1, 2.0)]
                .map(|(i, n)| (Tensor::scalar::<i32>(i), n))
                .to_vec(),
        };
        for (index, n) in cases {
            let got = loaded.run(&[index, x.clone()], &with(1)).unwrap();
            assert_eq!(floats(&got[0]), [n, 10.0 + n, 20.0 + n]);
        }
    }
}

#[test]
fn instructions_of_the_reference_interpreter() {
    let text = "\
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.multiply %a, %1 : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}";
    let module = Arc::new(tfjit_hlo::parse(text).unwrap());
    let mut b = Builder::default();
    let x = b.parameter(DType::F32, &[4]);
    let scale = b.constant(Tensor::scalar(2e-20f32));
    let moved = b.temporary(DType::F32, &[4]);
    let (out, scaled) = (b.result(DType::F32, &[4]), b.result(DType::F32, &[4]));
    let add = b.kernel(ADD_ONE);
    b.push(rows(add, 1, 4, vec![stream(x, 0), stream(moved, 0)]));
    let ty = TensorType::new(DType::F32, &[4]);
    b.push(Step::Reference(Box::new(ReferenceCall {
        module,
        operands: vec![(moved, ty.clone()), (scale, TensorType::scalar(DType::F32))],
        results: vec![(out, ty.clone()), (scaled, ty)],
    })));
    let loaded = b.load(1);
    let x = Tensor::from_slice(Shape::new(&[4]), &[1.0f32, 2.0, 3.0, -1.0 + 1e-20]).unwrap();
    let got = loaded.run(&[x], &with(1)).unwrap();
    assert_eq!(floats(&got[0]), [0.0, 4.0, 3.0, 2.0]);
    assert_eq!(floats(&got[1])[..2], [4e-20, 6e-20]);
}

#[test]
fn subnormals_are_flushed_and_the_mode_comes_back() {
    let mut b = Builder::default();
    let x = b.parameter(DType::F32, &[2]);
    let y = b.result(DType::F32, &[2]);
    let kernel = b.kernel(
        "kernel @square over columns {\n  s0: in f32 unit\n  s1: out f32 unit\n  each:\n    \
         v0: f32 = load s0\n    v1: f32 = mul v0, v0\n    store s1, v1\n}\n",
    );
    b.push(rows(kernel, 1, 2, vec![stream(x, 0), stream(y, 0)]));
    let loaded = b.load(1);
    let tiny = 1e-20f32;
    let x = Tensor::from_slice(Shape::new(&[2]), &[tiny, 3.0]).unwrap();
    assert_eq!(floats(&loaded.run(&[x], &with(1)).unwrap()[0]), [0.0, 9.0]);
    assert_ne!(std::hint::black_box(tiny) * std::hint::black_box(tiny), 0.0);
}

#[test]
fn results_are_fresh_and_arguments_pass_through() {
    let mut b = Builder::default();
    let x = b.parameter(DType::F32, &[2, 3]);
    let c = b.constant(Tensor::scalar(5i32));
    let y = b.result(DType::F32, &[6]);
    for (buffer, dtype, dims) in [(x, DType::F32, &[3i64, 2][..]), (c, DType::I32, &[])] {
        b.plan.results.push(TensorType::new(dtype, dims));
        b.plan.outputs.push(buffer);
    }
    let add = b.kernel(ADD_ONE);
    b.push(rows(add, 1, 6, vec![stream(x, 0), stream(y, 0)]));
    let loaded = b.load(1);
    let mut kept = Vec::new();
    for i in 0..10 {
        let x = Tensor::from_slice(Shape::new(&[2, 3]), &[i as f32; 6]).unwrap();
        let got = loaded.run(std::slice::from_ref(&x), &with(1)).unwrap();
        assert_eq!(got[1].bytes().as_ptr(), x.bytes().as_ptr());
        assert_eq!(got[1].shape().dims(), [3, 2]);
        assert_eq!(got[2], Tensor::scalar(5i32));
        kept.push(got[0].clone());
    }
    for (i, tensor) in kept.iter().enumerate() {
        assert_eq!(floats(tensor), [i as f32 + 1.0; 6]);
    }
    // Memory that nobody holds is used again.
    kept.clear();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..10 {
        let got = loaded.run(&[noise(1, &[2, 3])], &with(1)).unwrap();
        seen.insert(got[0].bytes().as_ptr().addr());
    }
    assert!(seen.len() <= 2);
}

#[test]
fn arguments_at_odd_addresses_are_copied() {
    let mut b = Builder::default();
    let x = b.parameter(DType::F32, &[5]);
    let y = b.result(DType::F32, &[5]);
    let add = b.kernel(ADD_ONE);
    b.push(rows(add, 1, 5, vec![stream(x, 0), stream(y, 0)]));
    let loaded = b.load(1);
    let mut raw = vec![0u8; 21];
    for (i, chunk) in raw[1..].chunks_mut(4).enumerate() {
        chunk.copy_from_slice(&(i as f32).to_le_bytes());
    }
    let storage = Arc::new(AlignedBytes::copy_of(&raw).unwrap());
    let bytes = Bytes::view(storage, 1..21).unwrap();
    let x = Tensor::new(DType::F32, Shape::new(&[5]), bytes).unwrap();
    assert_eq!(floats(&loaded.run(&[x], &with(1)).unwrap()[0]), [1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn wrong_arguments_are_refused() {
    let loaded = counting(false);
    for args in [
        vec![],
        vec![Tensor::scalar(1i32)],
        vec![Tensor::scalar(1i32), noise(1, &[11])],
        vec![Tensor::scalar(1u32), noise(1, &[10])],
    ] {
        assert_eq!(loaded.run(&args, &with(1)).unwrap_err().code(), Code::InvalidArgument);
    }
}

#[test]
fn steps_are_told() {
    #[derive(Default)]
    struct Count(AtomicUsize, AtomicUsize);
    impl Profile for Count {
        fn begin(&self, step: usize) {
            self.0.fetch_add(step + 1, Ordering::Relaxed);
        }
        fn end(&self, step: usize) {
            self.1.fetch_add(step + 1, Ordering::Relaxed);
        }
    }
    let loaded = counting(false);
    let names = loaded.step_names();
    assert_eq!(
        names,
        ["copy [1]", "copy [10]", "while", "loop positive", "loop add_one", "loop down"]
    );
    let count = Count::default();
    let options = RunOptions { profile: Some(&count), ..with(1) };
    loaded.run(&[Tensor::scalar(2i32), noise(1, &[10])], &options).unwrap();
    let total = 1 + 2 + 3 + 3 * 4 + 2 * (5 + 6);
    assert_eq!(count.0.into_inner(), total);
    assert_eq!(count.1.into_inner(), total);
}
