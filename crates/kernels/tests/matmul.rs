//! Products of matrices against the definition of their order of sums, bit for bit, in memory that
//! ends where a buffer ends.
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    clippy::unwrap_used,
    reason = "the kernels' contracts are about raw memory; a test may panic"
)]

mod common;

use common::*;
use tfjit_base::{DType, bf16, f16};
use tfjit_kernels::{Isa, Matmul, MatmulSpec, Matrix};

/// A product to test. Operands and result are dense; `left` and `right` say whether the operands
/// are stored transposed.
#[derive(Clone, Copy, Debug)]
struct Case {
    m: usize,
    k: usize,
    n: usize,
    left: bool,
    right: bool,
}

impl Case {
    fn plain(m: usize, k: usize, n: usize) -> Case {
        Case { m, k, n, left: false, right: false }
    }

    fn at(&self, transposed: bool, rows: usize, cols: usize, (row, col): (usize, usize)) -> usize {
        if transposed { col * rows + row } else { row * cols + col }
    }

    fn reference<T: Number>(&self, lhs: &[T], rhs: &[T]) -> Vec<T> {
        let Case { m, k, n, left, right } = *self;
        let mut out = Vec::new();
        for row in 0..m {
            let a: Vec<T> = (0..k).map(|l| lhs[self.at(left, m, k, (row, l))]).collect();
            for col in 0..n {
                let b: Vec<T> = (0..k).map(|l| rhs[self.at(right, k, n, (l, col))]).collect();
                out.push(sum(order(false, col, n), &a, &b));
            }
        }
        out
    }

    /// The result of the kernel; `whole` packs inside.
    fn run<T: Copy, O: Copy>(
        &self,
        isa: Isa,
        types: (DType, DType),
        (lhs, rhs): (&[T], &[T]),
        fill: O,
        whole: bool,
    ) -> Vec<O> {
        let Case { m, k, n, left, right } = *self;
        let strides = |transposed: bool, rows: usize, cols: usize| {
            if transposed { (1, rows as isize) } else { (cols as isize, 1) }
        };
        let (lhs_row, lhs_col) = strides(left, m, k);
        let (row, col) = strides(right, k, n);
        let (dtype, out) = types;
        let spec = MatmulSpec { dtype, out, m, k, n, lhs_row, lhs_col, out_row: n as isize };
        let matmul = Matmul::new(isa, spec).unwrap();
        let (lhs, rhs) = (Guarded::new(lhs), Guarded::new(rhs));
        let out = Guarded::new(&vec![fill; m * n]);
        let packed = packed_buffer(matmul.rhs().bytes());
        let mut scratch = scratch(matmul.whole_scratch_bytes());
        let mut reports = Reports::new(1, m, n);
        let from = Matrix { at: rhs.ptr(), row, col };
        let mut done = |block| reports.add(block);
        // SAFETY: all buffers are as large as the spec says.
        unsafe {
            if whole {
                matmul.run_whole(lhs.ptr(), from, out.ptr_mut(), &mut scratch, &mut done);
            } else {
                for unit in (0..matmul.rhs().units()).rev() {
                    matmul.rhs().pack(isa, unit, from, packed.ptr_mut());
                }
                for unit in (0..matmul.units()).rev() {
                    let (lhs, packed, out) = (lhs.ptr(), packed.ptr(), out.ptr_mut());
                    matmul.run(unit, lhs, packed, out, &mut scratch, &mut done);
                }
            }
        }
        reports.assert_complete();
        out.values()
    }

    fn check_f32(&self, isa: Isa) {
        let Case { m, k, n, .. } = *self;
        let mut random = Random::new((m * 71 + k) as u64 * 71 + n as u64);
        let (lhs, rhs) = (random.floats(m * k), random.floats(k * n));
        let want: Vec<u32> = self.reference(&lhs, &rhs).into_iter().map(f32::to_bits).collect();
        let types = (DType::F32, DType::F32);
        for whole in [false, true] {
            let got = self.run(isa, types, (&lhs, &rhs), f32::NAN, whole);
            let got: Vec<u32> = got.into_iter().map(f32::to_bits).collect();
            assert_eq!(got, want, "{self:?} {}", isa.name());
        }
    }
}

#[test]
fn every_remainder_of_rows_and_columns() {
    for m in 0..15 {
        for n in 0..70 {
            Case::plain(m, 5, n).check_f32(Isa::detect());
        }
    }
    for m in 15..70 {
        for n in [1, 7, 8, 9, 16, 23, 25] {
            Case::plain(m, 3, n).check_f32(Isa::detect());
        }
    }
}

#[test]
fn every_remainder_of_terms() {
    for k in 0..70 {
        for (m, n) in [(1, 1), (3, 7), (1, 64), (2, 40), (7, 8), (5, 31), (1, 100)] {
            Case::plain(m, k, n).check_f32(Isa::detect());
        }
    }
}

#[test]
fn blocks_of_terms() {
    for k in [127, 128, 129, 135, 255, 256, 257, 383, 384, 511, 512, 513, 1000] {
        for (m, n) in [(1, 3), (6, 6), (13, 17), (4, 24), (100, 30), (2, 200)] {
            Case::plain(m, k, n).check_f32(Isa::detect());
        }
    }
}

#[test]
fn strides() {
    for (left, right) in [(true, false), (false, true), (true, true)] {
        for (m, k, n) in
            [(1, 1, 1), (5, 9, 3), (7, 33, 17), (13, 300, 70), (97, 40, 25), (8, 8, 16)]
        {
            Case { m, k, n, left, right }.check_f32(Isa::detect());
        }
    }
}

#[test]
fn large_results_are_divided() {
    for (m, k, n) in [(200, 300, 1100), (500, 20, 65), (1, 2000, 3000)] {
        Case::plain(m, k, n).check_f32(Isa::detect());
    }
}

#[test]
fn other_processors_give_the_same_bits() {
    for (m, k, n) in [(0, 3, 4), (5, 0, 20), (7, 300, 5), (9, 257, 24), (3, 31, 31), (2, 40, 64)] {
        for (left, right) in [(false, false), (true, true)] {
            Case { m, k, n, left, right }.check_f32(Isa::portable());
        }
    }
}

#[test]
fn other_types() {
    for (m, k, n) in [(1, 1, 1), (7, 300, 5), (9, 257, 24), (13, 40, 31)] {
        for (left, right) in [(false, false), (true, true)] {
            let case = Case { m, k, n, left, right };
            let mut random = Random::new((m + k + n) as u64);
            let (lhs, rhs) = (random.floats(m * k), random.floats(k * n));
            let f64s = |v: &[f32]| v.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
            let (l, r) = (f64s(&lhs), f64s(&rhs));
            let types = (DType::F64, DType::F64);
            let got = case.run(Isa::detect(), types, (&l, &r), 0.0f64, false);
            assert_eq!(got, case.reference(&l, &r), "{case:?}");

            let narrow = |v: &[f32]| v.iter().map(|&v| bf16::from_f32(v)).collect::<Vec<_>>();
            let wide = |v: &[bf16]| v.iter().map(|v| v.to_f32()).collect::<Vec<_>>();
            let (l, r) = (narrow(&lhs), narrow(&rhs));
            let want = case.reference(&wide(&l), &wide(&r));
            let types = (DType::BF16, DType::BF16);
            let got = case.run(Isa::detect(), types, (&l, &r), bf16::ONE, false);
            assert_eq!(got, narrow(&want), "{case:?}");
            let got = case.run(Isa::detect(), (DType::BF16, DType::F32), (&l, &r), 0f32, false);
            assert_eq!(got, want, "{case:?}");

            let narrow = |v: &[f32]| v.iter().map(|&v| f16::from_f32(v)).collect::<Vec<_>>();
            let wide = |v: &[f16]| v.iter().map(|v| v.to_f32()).collect::<Vec<_>>();
            let (l, r) = (narrow(&lhs), narrow(&rhs));
            let want = narrow(&case.reference(&wide(&l), &wide(&r)));
            let types = (DType::F16, DType::F16);
            let got = case.run(Isa::detect(), types, (&l, &r), f16::ONE, false);
            assert_eq!(got, want, "{case:?}");
        }
    }
}

#[test]
fn integers() {
    for (m, k, n) in [(1, 1, 1), (7, 300, 5), (9, 257, 24), (13, 40, 31)] {
        let case = Case::plain(m, k, n);
        let mut random = Random::new((m + k + n) as u64);
        let mut i8s = |n: usize| (0..n).map(|_| random.next() as i8).collect::<Vec<_>>();
        let (lhs, rhs) = (i8s(m * k), i8s(k * n));
        let wide = |v: &[i8]| v.iter().map(|&v| i32::from(v)).collect::<Vec<_>>();
        let want = case.reference(&wide(&lhs), &wide(&rhs));
        let isa = Isa::detect();
        let got = case.run(isa, (DType::I8, DType::I32), (&lhs, &rhs), 0i32, true);
        assert_eq!(got, want, "{case:?}");
        let got = case.run(isa, (DType::I8, DType::I8), (&lhs, &rhs), 0i8, false);
        assert_eq!(got, want.iter().map(|&v| v as i8).collect::<Vec<_>>(), "{case:?}");
        let (l, r) = (wide(&lhs), wide(&rhs));
        let got = case.run(isa, (DType::I32, DType::I32), (&l, &r), 0i32, false);
        assert_eq!(got, want, "{case:?}");
        let long = |v: &[i32]| v.iter().map(|&v| i64::from(v)).collect::<Vec<_>>();
        let got = case.run(isa, (DType::I64, DType::I64), (&long(&l), &long(&r)), 0, false);
        assert_eq!(got, long(&want), "{case:?}");
    }
}

#[test]
fn what_is_not_there_is_an_error() {
    let isa = Isa::detect();
    let spec = |dtype, out, m, k, n| {
        let (lhs_row, lhs_col, out_row) = (k as isize, 1, n as isize);
        Matmul::new(isa, MatmulSpec { dtype, out, m, k, n, lhs_row, lhs_col, out_row })
    };
    assert!(spec(DType::Bool, DType::Bool, 1, 1, 1).is_err());
    assert!(spec(DType::F32, DType::I32, 1, 1, 1).is_err());
    assert!(spec(DType::F32, DType::F32, 1, usize::MAX / 2, 16).is_err());
    assert!(spec(DType::F32, DType::F32, usize::MAX / 2, 16, 1).is_err());
}
