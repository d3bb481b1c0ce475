//! Plans with contractions, on one thread and on several.

use std::sync::Arc;

use smallvec::smallvec;
use tfjit_base::{Code, DType, Shape, Tensor};
use tfjit_exec::{LoadOptions, Pool, Weights};
use tfjit_plan::{
    ConvCall, ConvKind, Epilogue, GatherCall, MatmulCall, MatrixView, PoolCall, PoolKind, Step,
    StreamArg,
};

use crate::builder::{ADD_ONE, Builder, SOFTMAX, close, floats, noise, rows, stream, with};

const BIAS_RELU: &str = "\
kernel @bias_relu over columns {
  s0: out f32 unit
  s1: in f32 unit
  s2: in f32 unit
  each:
    v0: f32 = load s2
    v1: f32 = load s1
    v2: f32 = add v0, v1
    v3: f32 = const 0.0
    v4: f32 = max v2, v3
    store s0, v4
}
";

fn view(buffer: tfjit_plan::BufferId, row: isize) -> MatrixView {
    MatrixView { buffer, offset: 0, batch: smallvec![], row, col: 1 }
}

fn product(a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) -> Vec<f32> {
    let mut out = vec![0f64; m * n];
    for i in 0..m {
        for l in 0..k {
            for j in 0..n {
                out[i * n + j] += f64::from(a[i * k + l]) * f64::from(b[l * n + j]);
            }
        }
    }
    out.into_iter().map(|x| x as f32).collect()
}

/// `max(x w + bias, 0)`; the weights are a constant or the second parameter.
fn dense(m: usize, k: usize, n: usize, weights: Option<&Tensor>) -> Builder {
    let mut b = Builder::default();
    let x = b.parameter(DType::F32, &[m as i64, k as i64]);
    let w = match weights {
        Some(tensor) => b.constant(tensor.clone()),
        None => b.parameter(DType::F32, &[k as i64, n as i64]),
    };
    let bias = b.constant(noise(77, &[n]));
    let out = b.result(DType::F32, &[m as i64, n as i64]);
    let kernel = b.kernel(BIAS_RELU);
    let row = n as isize * 4;
    let epilogue =
        Epilogue { kernel, streams: vec![stream(out, row), stream(bias, 0), stream(out, row)] };
    b.push(Step::Matmul(Box::new(MatmulCall {
        dtype: DType::F32,
        batch: smallvec![],
        m,
        k,
        n,
        lhs: view(x, k as isize),
        rhs: view(w, n as isize),
        out: view(out, n as isize),
        epilogue: Some(epilogue),
    })));
    b
}

fn dense_oracle(x: &Tensor, w: &Tensor, [m, k, n]: [usize; 3]) -> Vec<f32> {
    let bias = floats(&noise(77, &[n]));
    let sums = product(&floats(x), &floats(w), [m, k, n]);
    sums.iter().enumerate().map(|(i, s)| (s + bias[i % n]).max(0.0)).collect()
}

#[test]
fn a_product_with_bias_and_relu() {
    for [m, k, n] in [[1, 64, 10], [37, 120, 300], [300, 70, 520]] {
        let (x, w) = (noise(1, &[m, k]), noise(2, &[k, n]));
        let loaded = dense(m, k, n, Some(&w)).load(2);
        let want = dense_oracle(&x, &w, [m, k, n]);
        let one = loaded.run(std::slice::from_ref(&x), &with(1)).unwrap();
        close(&floats(&one[0]), &want, 1e-5);
        for _ in 0..20 {
            assert_eq!(loaded.run(std::slice::from_ref(&x), &with(2)).unwrap(), one);
        }
    }
}

#[test]
fn weights_that_are_parameters_may_change() {
    let [m, k, n] = [40, 50, 60];
    let loaded = dense(m, k, n, None).load(2);
    let x = noise(1, &[m, k]);
    for seed in [5, 5, 6, 6, 7, 8, 9, 10, 10, 11] {
        let w = noise(seed, &[k, n]);
        for threads in [1, 2] {
            let got = loaded.run(&[x.clone(), w.clone()], &with(threads)).unwrap();
            close(&floats(&got[0]), &dense_oracle(&x, &w, [m, k, n]), 1e-5);
        }
    }
    // What changes with each launch is not held.
    let held = [20, 21, 22, 23, 24].map(|seed| {
        let mut w = noise(seed, &[k, n]);
        let got = loaded.run(&[x.clone(), w.clone()], &with(2)).unwrap();
        close(&floats(&got[0]), &dense_oracle(&x, &w, [m, k, n]), 1e-5);
        w.unique_bytes().is_none()
    });
    assert_eq!(held, [true, true, false, false, false]);
}

#[test]
fn packed_constants_are_shared_by_plans() {
    let w = noise(2, &[200, 300]);
    let options = LoadOptions { weights: Arc::new(Weights::new()), ..LoadOptions::default() };
    let first = dense(8, 200, 300, Some(&w)).load_with(&options).unwrap();
    let bytes = options.weights.bytes();
    assert!(bytes >= 200 * 300 * 4);
    let second = dense(16, 200, 300, Some(&w)).load_with(&options).unwrap();
    assert_eq!(options.weights.bytes(), bytes);
    for (loaded, m) in [(first, 8), (second, 16)] {
        let x = noise(3, &[m, 200]);
        let got = loaded.run(std::slice::from_ref(&x), &with(0)).unwrap();
        close(&floats(&got[0]), &dense_oracle(&x, &w, [m, 200, 300]), 1e-5);
    }
}

/// Scores of attention: `q k^T` over a batch of heads in one tensor, softmax over rows.
#[test]
fn batches_of_computed_matrices() {
    for (heads, tokens, width) in [(3usize, 20usize, 16usize), (2, 200, 64)] {
        let mut b = Builder::default();
        let dims = [tokens as i64, heads as i64, width as i64];
        let q = b.parameter(DType::F32, &dims);
        let keys = b.parameter(DType::F32, &dims);
        let shifted = b.temporary(DType::F32, &dims);
        let scores = b.temporary(DType::F32, &[heads as i64, tokens as i64, tokens as i64]);
        let out = b.result(DType::F32, &[heads as i64, tokens as i64, tokens as i64]);
        let (add_one, softmax) = (b.kernel(ADD_ONE), b.kernel(SOFTMAX));
        let all = tokens * heads * width;
        b.push(rows(add_one, 1, all, vec![stream(keys, 0), stream(shifted, 0)]));
        let row = (heads * width) as isize;
        b.push(Step::Matmul(Box::new(MatmulCall {
            dtype: DType::F32,
            batch: smallvec![heads],
            m: tokens,
            k: width,
            n: tokens,
            lhs: MatrixView { buffer: q, offset: 0, batch: smallvec![width as isize], row, col: 1 },
            rhs: MatrixView {
                buffer: shifted,
                offset: 0,
                batch: smallvec![width as isize],
                row: 1,
                col: row,
            },
            out: MatrixView {
                buffer: scores,
                offset: 0,
                batch: smallvec![(tokens * tokens) as isize],
                row: tokens as isize,
                col: 1,
            },
            epilogue: None,
        })));
        let row = tokens as isize * 4;
        let space = vec![stream(scores, row), stream(out, row)];
        b.push(rows(softmax, heads * tokens, tokens, space));
        let loaded = b.load(3);
        let dims = [tokens, heads, width];
        let (q, keys) = (noise(1, &dims), noise(2, &dims));
        let one = loaded.run(&[q.clone(), keys.clone()], &with(1)).unwrap();
        assert_eq!(loaded.run(&[q.clone(), keys.clone()], &with(3)).unwrap(), one);
        let (q, keys, got) = (floats(&q), floats(&keys), floats(&one[0]));
        let at = |t: usize, h: usize, d: usize| (t * heads + h) * width + d;
        for (h, i) in [(0, 0), (heads - 1, tokens - 1), (1, 7)] {
            let scores = (0..tokens).map(|j| {
                let terms = (0..width).map(|d| q[at(i, h, d)] * (keys[at(j, h, d)] + 1.0));
                f64::from(terms.sum::<f32>()).exp()
            });
            let scores: Vec<f64> = scores.collect();
            let sum: f64 = scores.iter().sum();
            let want: Vec<f32> = scores.iter().map(|s| (s / sum) as f32).collect();
            close(&got[(h * tokens + i) * tokens..][..tokens], &want, 1e-5);
        }
    }
}

/// A convolution with bias and relu, pooling of its result, and images of that by indices.
fn image_plan(filter: &Tensor) -> Builder {
    let mut b = Builder::default();
    let x = b.parameter(DType::F32, &[2, 9, 8, 3]);
    let w = b.constant(filter.clone());
    let bias = b.constant(noise(77, &[20]));
    let conv = b.temporary(DType::F32, &[2, 9, 8, 20]);
    let pooled = b.result(DType::F32, &[2, 4, 4, 20]);
    let picked = b.result(DType::F32, &[3, 320]);
    let indices = b.constant(Tensor::from_slice(Shape::new(&[3]), &[1i64, -5, 9]).unwrap());
    let kernel = b.kernel(BIAS_RELU);
    let epilogue = Epilogue {
        kernel,
        streams: vec![
            StreamArg { outer: smallvec![9 * 8 * 80], ..stream(conv, 80) },
            StreamArg { outer: smallvec![0], ..stream(bias, 0) },
            StreamArg { outer: smallvec![9 * 8 * 80], ..stream(conv, 80) },
        ],
    };
    b.push(Step::Conv(Box::new(ConvCall {
        dtype: DType::F32,
        kind: ConvKind::Grouped { groups: 1 },
        input: x,
        filter: w,
        out: conv,
        batch: 2,
        input_size: [9, 8],
        input_features: 3,
        window: [3, 3],
        output_size: [9, 8],
        output_features: 20,
        strides: [1, 1],
        dilations: [1, 1],
        padding: [1, 1],
        epilogue: Some(epilogue),
    })));
    b.push(Step::Pool(Box::new(PoolCall {
        dtype: DType::F32,
        kind: PoolKind::Max,
        input: conv,
        out: pooled,
        batch: 2,
        input_size: [9, 8],
        features: 20,
        window: [2, 2],
        output_size: [4, 4],
        strides: [2, 2],
        dilations: [1, 1],
        padding: [0, 0],
    })));
    b.push(Step::Gather(GatherCall {
        input: pooled,
        input_rows: 2,
        indices,
        index_dtype: DType::I64,
        count: 3,
        row: 320 * 4,
        out: picked,
    }));
    b
}

#[test]
fn convolutions_pooling_and_gathers() {
    let filter = noise(6, &[3, 3, 3, 20]);
    let loaded = image_plan(&filter).load(2);
    let x = noise(1, &[2, 9, 8, 3]);
    let got = loaded.run(std::slice::from_ref(&x), &with(1)).unwrap();
    assert_eq!(loaded.run(std::slice::from_ref(&x), &with(2)).unwrap(), got);
    let (x, filter, bias) = (floats(&x), floats(&filter), floats(&noise(77, &[20])));
    let at = |n: usize, y: usize, x_: usize, f: usize| -> f32 {
        let mut sum = f64::from(bias[f]);
        for (dy, dx, c) in (0..27).map(|i| (i / 9, i / 3 % 3, i % 3)) {
            let (iy, ix) = ((y + dy).wrapping_sub(1), (x_ + dx).wrapping_sub(1));
            if iy < 9 && ix < 8 {
                let tap = f64::from(filter[((dy * 3 + dx) * 3 + c) * 20 + f]);
                sum += f64::from(x[((n * 9 + iy) * 8 + ix) * 3 + c]) * tap;
            }
        }
        (sum as f32).max(0.0)
    };
    let want: Vec<f32> = (0..2 * 4 * 4 * 20)
        .map(|i| {
            let (n, y, x, f) = (i / 320, i / 80 % 4 * 2, i / 20 % 4 * 2, i % 20);
            at(n, y, x, f).max(at(n, y, x + 1, f)).max(at(n, y + 1, x, f)).max(at(
                n,
                y + 1,
                x + 1,
                f,
            ))
        })
        .collect();
    close(&floats(&got[0]), &want, 1e-5);
    let (pooled, picked) = (floats(&got[0]), floats(&got[1]));
    assert_eq!(picked[..320], pooled[320..]);
    assert_eq!(picked[320..640], pooled[..320]);
    assert_eq!(picked[640..], pooled[320..]);
}

#[test]
fn launches_do_not_disturb_each_other() {
    let [m, k, n] = [50, 60, 200];
    let w = noise(2, &[k, n]);
    let loaded = dense(m, k, n, Some(&w)).load(2);
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (loaded, w) = (&loaded, &w);
            scope.spawn(move || {
                let x = noise(seed + 10, &[m, k]);
                let want = dense_oracle(&x, w, [m, k, n]);
                for _ in 0..100 {
                    let got = loaded.run(std::slice::from_ref(&x), &with(2)).unwrap();
                    close(&floats(&got[0]), &want, 1e-5);
                }
            });
        }
    });
}

#[test]
fn memory_is_limited() {
    let options = LoadOptions {
        pool: Arc::new(Pool::new(1)),
        memory_bytes_max: Some(10_000),
        ..LoadOptions::default()
    };
    let w = noise(2, &[100, 100]);
    let error = dense(1, 100, 100, Some(&w)).load_with(&options).err().unwrap();
    assert_eq!(error.code(), Code::ResourceExhausted);
    dense(1, 10, 10, Some(&noise(2, &[10, 10]))).load_with(&options).unwrap();
}
