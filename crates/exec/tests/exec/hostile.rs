//! Plans that no planner makes, but a file may hold.

use crate::builder::{Builder, rows, stream};
use smallvec::smallvec;
use tfjit_base::{Code, DType};
use tfjit_exec::LoadOptions;
use tfjit_plan::{BufferId, KernelId, LoopCall, Step, StreamArg};

/// One sum a column: stored once a block of columns, rows or not.
const SUM_OF_COLUMN: &str = "\
kernel @sum over rows {
  s0: in f32 unit
  s1: out f32 unit
  each:
    v0: f32 = load s0
    v1: f32 = reduce.sum v0
  once:
    store s1, v1
}
";

/// One sum a row: stored once a row, columns or not.
const SUM_OF_ROW: &str = "\
kernel @sum over columns {
  s0: in f32 row
  s1: out f32 row
  each:
    v0: f32 = load s0
    v1: f32 = reduce.sum v0
  once:
    store s1, v1
}
";

const COPY: &str = "\
kernel @copy over columns {
  s0: in f32 unit
  s1: out f32 unit
  each:
    v0: f32 = load s0
    store s1, v0
}
";

/// Loads a plan of one kernel with a parameter and a result of so many elements.
fn load(
    kernel: &str,
    elements: [i64; 2],
    step: impl FnOnce(KernelId, BufferId, BufferId) -> Step,
) -> Result<(), String> {
    let mut b = Builder::default();
    let x = b.parameter(DType::F32, &[elements[0]]);
    let y = b.result(DType::F32, &[elements[1]]);
    let kernel = b.kernel(kernel);
    b.push(step(kernel, x, y));
    let loaded = b.load_with(&LoadOptions::default()).map(drop);
    loaded.map_err(|error| {
        assert_eq!(error.code(), Code::Internal);
        error.to_string()
    })
}

#[test]
fn what_is_stored_without_rows_or_columns_has_room() {
    let columns = |k, x, y| rows(k, 0, 8, vec![stream(x, 32), stream(y, 0)]);
    load(SUM_OF_COLUMN, [0, 8], columns).unwrap();
    load(SUM_OF_COLUMN, [0, 2], columns).unwrap_err();
    let lines = |k, x, y| rows(k, 4, 0, vec![stream(x, 4), stream(y, 4)]);
    load(SUM_OF_ROW, [4, 4], lines).unwrap();
    load(SUM_OF_ROW, [4, 2], lines).unwrap_err();
    load(SUM_OF_ROW, [0, 4], lines).unwrap_err();
}

#[test]
fn spaces_are_not_larger_than_what_they_write() {
    let arg = |buffer, strides: [isize; 2]| StreamArg {
        buffer,
        offset: 0,
        outer: smallvec![strides[0], strides[1]],
        row: 4,
        col: 0,
    };
    let step = |n: usize, strides: [isize; 2]| {
        move |kernel, x, y| {
            let streams = vec![arg(x, strides), arg(y, strides)];
            Step::Loop(LoopCall { kernel, outer: smallvec![n, n], rows: 1, cols: 1, streams })
        }
    };
    load(COPY, [100, 100], step(10, [40, 4])).unwrap();
    // The strides reach no further, but elements are written again and again.
    let message = load(COPY, [200, 200], step(100, [4, 4])).unwrap_err();
    assert!(message.contains("10000 elements"), "{message}");
}

#[test]
fn numbers_that_would_overflow_are_refused() {
    let wide = |cols| move |k, x, y| rows(k, 1, cols, vec![stream(x, 0), stream(y, 0)]);
    load(SUM_OF_ROW, [1, 1], wide(1 << 20)).unwrap();
    load(SUM_OF_ROW, [1, 1], wide(1 << 41)).unwrap_err();
    let far = |row| move |k, x, y| rows(k, 1, 1, vec![stream(x, row), stream(y, 0)]);
    load(SUM_OF_ROW, [1, 1], far(1 << 40)).unwrap();
    load(SUM_OF_ROW, [1, 1], far(isize::MAX)).unwrap_err();
    // Nothing is read, and yet addresses are computed.
    let none = |k, x, y| rows(k, 0, 8, vec![stream(x, isize::MIN), stream(y, 0)]);
    load(SUM_OF_COLUMN, [0, 8], none).unwrap_err();
}
