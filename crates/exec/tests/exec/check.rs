//! Plans that contradict themselves are refused, whatever is wrong.

use crate::builder::{Builder, nowhere, rows, stream};
use smallvec::smallvec;
use tfjit_base::{Code, DType};
use tfjit_exec::LoadOptions;
use tfjit_plan::{CopyCall, GatherCall, MatmulCall, MatrixView, Start, Step, StreamArg};

const COPY: &str = "\
kernel @copy over columns {
  s0: in f32 unit
  s1: out f32 unit
  each:
    v0: f32 = load s0
    store s1, v0
}
";

/// A copy of 4 by 8 elements, with something wrong.
fn refused(change: impl FnOnce(&mut Builder)) -> String {
    let mut b = Builder::default();
    let x = b.parameter(DType::F32, &[4, 8]);
    let y = b.result(DType::F32, &[4, 8]);
    let kernel = b.kernel(COPY);
    b.push(rows(kernel, 4, 8, vec![stream(x, 32), stream(y, 32)]));
    change(&mut b);
    let error = b.load_with(&LoadOptions::default()).err().expect("the plan is wrong");
    assert_eq!(error.code(), Code::Internal);
    error.to_string()
}

fn stream_of(b: &mut Builder, index: usize) -> &mut StreamArg {
    let Step::Loop(call) = &mut b.plan.steps[0] else { panic!("a loop") };
    &mut call.streams[index]
}

#[test]
fn streams_stay_in_their_buffers() {
    let message = refused(|b| stream_of(b, 0).row = 36);
    assert!(message.contains("step 0") && message.contains("stream s0"), "{message}");
    refused(|b| stream_of(b, 0).offset = 4);
    refused(|b| stream_of(b, 1).row = -32);
    refused(|b| stream_of(b, 1).row = isize::MAX);
    refused(|b| stream_of(b, 0).buffer = nowhere());
    refused(|b| stream_of(b, 0).outer = smallvec![4]);
    let message = refused(|b| stream_of(b, 1).row = 0);
    assert!(message.contains("same element"), "{message}");
    refused(|b| {
        let x = stream_of(b, 0).buffer;
        stream_of(b, 1).buffer = x;
    });
    refused(|b| {
        let Step::Loop(call) = &mut b.plan.steps[0] else { panic!("a loop") };
        call.streams.pop();
    });
    refused(|b| {
        let Step::Loop(call) = &mut b.plan.steps[0] else { panic!("a loop") };
        call.rows = usize::MAX;
    });
}

#[test]
fn buffers_stay_in_their_places() {
    refused(|b| {
        let big = b.temporary(DType::F32, &[100]);
        let _ = big;
        b.plan.arena_bytes = 64;
    });
    refused(|b| {
        let x = stream_of(b, 0).buffer;
        b.plan.buffers[x].bytes = 1000;
    });
    refused(|b| b.plan.outputs.clear());
    refused(|b| {
        let temporary = b.temporary(DType::F32, &[4, 8]);
        b.plan.outputs[0] = temporary;
    });
}

#[test]
fn copies_stay_in_their_buffers() {
    let copy = |count: usize, stride: isize, written: bool| {
        move |b: &mut Builder| {
            let (x, y) = (stream_of(b, 0).buffer, stream_of(b, 1).buffer);
            let dense = (if written { x } else { y }, 0, smallvec![4]);
            let odd = (if written { y } else { x }, 0, smallvec![stride]);
            let (input, out) = if written { (dense, odd) } else { (odd, dense) };
            let (input_at, out_at) = (vec![], vec![]);
            let extents = smallvec![count];
            b.push(Step::Copy(CopyCall { element: 4, extents, input, out, input_at, out_at }));
        }
    };
    for written in [false, true] {
        refused(copy(33, 4, written));
        refused(copy(32, -4, written));
        refused(copy(2, 128, written));
    }
    refused(copy(2, 0, true));
    let moving = |dtype: DType, max: usize, stride: isize| {
        move |b: &mut Builder| {
            let at = b.parameter(dtype, &[]);
            let (x, y) = (stream_of(b, 0).buffer, stream_of(b, 1).buffer);
            b.push(Step::Copy(CopyCall {
                element: 4,
                extents: smallvec![8],
                input: (x, 0, smallvec![4]),
                out: (y, 0, smallvec![4]),
                input_at: vec![Start { buffer: at, dtype, max, stride }],
                out_at: vec![],
            }));
        }
    };
    // Every place where the piece may begin counts, and a place is an integer.
    refused(moving(DType::I32, 25, 4));
    refused(moving(DType::I32, 1, -4));
    refused(moving(DType::I32, usize::MAX, 4));
    refused(moving(DType::F32, 24, 4));
}

#[test]
fn gathers_and_products_stay_in_their_buffers() {
    refused(|b| {
        let (x, y) = (stream_of(b, 0).buffer, stream_of(b, 1).buffer);
        b.push(Step::Gather(GatherCall {
            input: x,
            input_rows: 4,
            indices: x,
            index_dtype: DType::F32,
            count: 1,
            row: 32,
            out: y,
        }));
    });
    for (m, k, n) in [(5, 8, 8), (4, 9, 8), (4, 8, 9), (usize::MAX, 8, 8)] {
        refused(|b| {
            let (x, y) = (stream_of(b, 0).buffer, stream_of(b, 1).buffer);
            let w = b.temporary(DType::F32, &[8, 8]);
            let view =
                |buffer| MatrixView { buffer, offset: 0, batch: smallvec![], row: 8, col: 1 };
            b.push(Step::Matmul(Box::new(MatmulCall {
                dtype: DType::F32,
                batch: smallvec![],
                m,
                k,
                n,
                lhs: view(x),
                rhs: view(w),
                out: view(y),
                epilogue: None,
            })));
        });
    }
    let message = refused(|b| {
        let inner = vec![Step::Switch { index: nowhere(), branches: vec![vec![]] }];
        b.push(Step::While { test: inner, condition: nowhere(), body: vec![] });
    });
    assert!(message.contains("step 2"), "{message}");
}
