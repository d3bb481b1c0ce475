//! Convolutions against the definition of their order of sums, bit for bit, in memory that ends
//! where a buffer ends.
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    clippy::unwrap_used,
    reason = "the kernels' contracts are about raw memory; a test may panic"
)]

mod common;

use common::*;
use tfjit_base::{DType, bf16};
use tfjit_kernels::{Conv, ConvSpec, Isa};

fn spec(input: [usize; 2], cin: usize, window: [usize; 2], cout: usize) -> ConvSpec {
    ConvSpec {
        dtype: DType::F32,
        groups: 1,
        batch: 1,
        input,
        input_features: cin,
        window,
        output: [input[0] - window[0] + 1, input[1] - window[1] + 1],
        output_features: cout,
        strides: [1, 1],
        dilations: [1, 1],
        padding: [0, 0],
    }
}

/// The same with steps and padding; `high` is the padding below and right.
fn with(
    s: ConvSpec,
    strides: [usize; 2],
    dilations: [usize; 2],
    padding: [isize; 2],
    high: [isize; 2],
) -> ConvSpec {
    let output = |i: usize| {
        let room = s.input[i] as isize + padding[i] + high[i];
        let room = room - ((s.window[i] as isize - 1) * dilations[i] as isize + 1);
        if room < 0 { 0 } else { room as usize / strides[i] + 1 }
    };
    ConvSpec { strides, dilations, padding, output: [output(0), output(1)], ..s }
}

/// Which rows are edges: the rule as it was measured.
fn is_edge(row: usize, rows: usize) -> bool {
    let mut blocks = vec![(0, rows)];
    if rows > 168 && (rows - 73) % 96 < 48 {
        let last = 73 + (rows - 73) % 24;
        let middle = rows - last / 2;
        blocks = vec![(rows - last, middle), (middle, rows)];
    }
    blocks.iter().any(|&(start, end)| {
        let left = (end - start) % 6;
        left < 4 && row >= end - left && row < end
    })
}

fn reference<T: Number>(s: &ConvSpec, input: &[T], filter: &[T]) -> Vec<T> {
    let ([h, w], [kh, kw], [oh, ow]) = (s.input, s.window, s.output);
    let (cin, cout) = (s.input_features / s.groups, s.output_features / s.groups);
    let depthwise = cin == 1 && s.groups > 1;
    let rows = s.batch * oh * ow;
    let mut out = Vec::new();
    for row in 0..rows {
        let (b, y, x) = (row / (oh * ow), row / ow % oh, row % ow);
        for f in 0..s.output_features {
            let (mut a, mut weights) = (vec![], vec![]);
            for ky in 0..kh {
                for kx in 0..kw {
                    let iy = (y * s.strides[0] + ky * s.dilations[0]) as isize - s.padding[0];
                    let ix = (x * s.strides[1] + kx * s.dilations[1]) as isize - s.padding[1];
                    let there = iy >= 0 && iy < h as isize && ix >= 0 && ix < w as isize;
                    if depthwise && !there {
                        continue;
                    }
                    for c in 0..cin {
                        let channel = f / cout * cin + c;
                        let at = ((b * h) as isize + iy) * w as isize + ix;
                        a.push(if there {
                            input[at as usize * s.input_features + channel]
                        } else {
                            T::zero()
                        });
                        weights.push(filter[((ky * kw + kx) * cin + c) * s.output_features + f]);
                    }
                }
            }
            out.push(if depthwise {
                a.iter().zip(&weights).fold(T::zero(), |sum, (a, w)| sum.term(*a, *w))
            } else {
                sum(order(is_edge(row, rows), f % cout, cout), &a, &weights)
            });
        }
    }
    out
}

fn run<T: Copy>(isa: Isa, spec: ConvSpec, input: &[T], filter: &[T], fill: T) -> Vec<T> {
    let conv = Conv::new(isa, spec).unwrap();
    let pixels = spec.output[0] * spec.output[1];
    let (input, filter) = (Guarded::new(input), Guarded::new(filter));
    let out = Guarded::new(&vec![fill; spec.batch * pixels * spec.output_features]);
    let packed = packed_buffer(conv.filter_bytes());
    let mut scratch = scratch(conv.scratch_bytes());
    let mut reports = Reports::new(spec.batch, pixels, spec.output_features);
    // SAFETY: all buffers are as large as the spec says.
    unsafe {
        for unit in 0..conv.filter_units() {
            conv.pack_filter(unit, filter.ptr(), packed.ptr_mut());
        }
        for unit in (0..conv.units()).rev() {
            let (input, packed, out) = (input.ptr(), packed.ptr(), out.ptr_mut());
            conv.run(unit, input, packed, out, &mut scratch, &mut |block| reports.add(block));
        }
    }
    reports.assert_complete();
    out.values()
}

fn sizes(s: &ConvSpec) -> (usize, usize) {
    let [kh, kw] = s.window;
    let input = s.batch * s.input[0] * s.input[1] * s.input_features;
    (input, kh * kw * s.input_features / s.groups * s.output_features)
}

fn check_on(isa: Isa, s: ConvSpec) {
    let mut random = Random::new(7);
    let (input, filter) = sizes(&s);
    let (input, filter) = (random.floats(input), random.floats(filter));
    let bits = |v: Vec<f32>| v.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let want = bits(reference(&s, &input, &filter));
    let got = bits(run(isa, s, &input, &filter, f32::NAN));
    assert_eq!(got.len(), want.len());
    if let Some(at) = (0..got.len()).find(|&i| got[i] != want[i]) {
        let (got, want) = (f32::from_bits(got[at]), f32::from_bits(want[at]));
        panic!("{s:?} {}: element {at} is {got}, not {want}", isa.name());
    }
}

fn check(s: ConvSpec) {
    check_on(Isa::detect(), s);
}

#[test]
fn pointwise() {
    for size in [[1, 1], [1, 5], [7, 7], [3, 50], [13, 14]] {
        for (cin, cout) in [(1, 1), (3, 7), (16, 24), (300, 40), (64, 130), (5, 9)] {
            check(spec(size, cin, [1, 1], cout));
            check(ConvSpec { batch: 2, ..spec(size, cin, [1, 1], cout) });
        }
    }
}

#[test]
fn windows() {
    for cin in [1, 2, 3, 4, 7, 8, 16, 17, 32, 64] {
        for cout in [1, 5, 8, 20, 32] {
            for window in [[3, 3], [1, 5], [2, 2]] {
                let s = ConvSpec { batch: 2, ..spec([7, 9], cin, window, cout) };
                check(s);
                check(with(s, [1, 1], [1, 1], [1, 1], [1, 1]));
                check(with(s, [2, 2], [1, 1], [0, 1], [1, 2]));
            }
        }
    }
}

#[test]
fn strides_dilations_and_padding() {
    for cin in [1, 3, 8, 24] {
        for (strides, dilations, padding, high) in [
            ([2, 1], [1, 2], [0, 0], [0, 0]),
            ([1, 3], [2, 1], [2, 3], [1, 0]),
            ([1, 1], [1, 1], [5, 6], [5, 6]),
            ([1, 2], [1, 1], [-1, -2], [0, 1]),
            ([4, 5], [3, 3], [3, -1], [6, 9]),
            ([3, 3], [1, 1], [0, 0], [0, 0]),
        ] {
            let s = ConvSpec { batch: 3, ..spec([9, 11], cin, [3, 2], 17) };
            check(with(s, strides, dilations, padding, high));
            check(with(ConvSpec { output_features: 4, ..s }, strides, dilations, padding, high));
        }
    }
}

#[test]
fn stems() {
    let s = spec([40, 37], 3, [7, 7], 64);
    check(with(s, [2, 2], [1, 1], [3, 3], [3, 3]));
    check(with(ConvSpec { batch: 2, ..s }, [2, 2], [1, 1], [2, 2], [3, 3]));
    check(with(spec([16, 300], 3, [3, 3], 24), [2, 2], [1, 1], [0, 0], [1, 1]));
    check(with(spec([32, 48], 3, [16, 16], 40), [16, 16], [1, 1], [0, 0], [0, 0]));
    check(with(spec([1, 500], 1, [1, 80], 20), [1, 4], [1, 1], [0, 38], [0, 38]));
}

#[test]
fn many_rows() {
    // Blocks of rows, their edges, and images that end within a block.
    for (batch, size) in [(1, [14, 14]), (4, [7, 7]), (1, [13, 20]), (3, [11, 9]), (2, [1, 200])] {
        let s = ConvSpec { batch, ..spec(size, 20, [1, 1], 33) };
        check(s);
        check(with(ConvSpec { window: [1, 3], ..s }, [1, 1], [1, 1], [0, 1], [0, 1]));
    }
}

#[test]
fn groups() {
    for (groups, cin, cout) in [(2, 4, 6), (2, 16, 32), (4, 12, 40), (3, 9, 72), (8, 64, 64)] {
        let s = ConvSpec { groups, batch: 2, ..spec([6, 7], cin, [3, 3], cout) };
        check(with(s, [1, 1], [1, 1], [1, 1], [1, 1]));
        check(with(s, [2, 1], [1, 2], [0, 1], [1, 3]));
    }
}

#[test]
fn depthwise() {
    for features in (2..20).chain([31, 32, 33, 64, 100]) {
        for window in [[3, 3], [5, 5], [1, 4]] {
            let s = spec([7, 16], features, window, features);
            let s = ConvSpec { groups: features, batch: 2, ..s };
            check(s);
            check(with(s, [1, 1], [1, 1], [1, 1], [1, 1]));
            check(with(s, [2, 2], [1, 1], [0, 0], [1, 1]));
            check(with(s, [1, 2], [2, 3], [3, -1], [3, 5]));
            check(with(s, [1, 1], [1, 1], [7, 20], [7, 20]));
        }
    }
    for multiplier in [2, 3, 8] {
        let s = spec([6, 5], 5, [3, 2], 5 * multiplier);
        check(with(ConvSpec { groups: 5, ..s }, [1, 1], [1, 1], [1, 1], [1, 1]));
    }
}

#[test]
fn wide_lines_are_told_in_parts() {
    let s = ConvSpec { groups: 100, ..spec([2, 400], 100, [1, 3], 100) };
    check(s);
    check(ConvSpec { groups: 8, batch: 3, ..spec([9, 5], 8, [2, 2], 8) });
}

#[test]
fn nothing_to_do() {
    check(ConvSpec { batch: 0, ..spec([5, 5], 4, [3, 3], 8) });
    check(spec([5, 5], 0, [3, 3], 8));
    check(spec([5, 5], 4, [3, 3], 0));
    check(ConvSpec { output: [0, 3], ..spec([5, 5], 4, [3, 3], 8) });
    check(ConvSpec { output: [3, 0], groups: 4, ..spec([5, 5], 4, [3, 3], 4) });
    check(ConvSpec { input: [0, 5], output: [3, 3], ..spec([5, 5], 4, [3, 3], 8) });
}

#[test]
fn other_processors_and_types() {
    let isa = Isa::portable();
    for (groups, cin, cout) in [(1, 3, 20), (1, 20, 5), (2, 4, 18), (6, 6, 12), (6, 6, 6)] {
        let s = ConvSpec { groups, batch: 2, ..spec([6, 7], cin, [3, 3], cout) };
        let s = with(s, [1, 2], [1, 1], [1, 1], [1, 1]);
        check_on(isa, s);
        let mut random = Random::new(3);
        let (input, filter) = sizes(&s);
        let (input, filter) = (random.floats(input), random.floats(filter));

        let f64s = |v: &[f32]| v.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
        let (i, f) = (f64s(&input), f64s(&filter));
        let got = run(Isa::detect(), ConvSpec { dtype: DType::F64, ..s }, &i, &f, 0.0);
        assert_eq!(got, reference(&s, &i, &f), "{s:?}");

        let ints = |v: &[f32]| v.iter().map(|&v| v.to_bits() as i32).collect::<Vec<_>>();
        let (i, f) = (ints(&input), ints(&filter));
        let got = run(Isa::detect(), ConvSpec { dtype: DType::I32, ..s }, &i, &f, 0);
        assert_eq!(got, reference(&s, &i, &f), "{s:?}");

        let narrow = |v: &[f32]| v.iter().map(|&v| bf16::from_f32(v)).collect::<Vec<_>>();
        let wide = |v: &[bf16]| v.iter().map(|v| v.to_f32()).collect::<Vec<_>>();
        let (i, f) = (narrow(&input), narrow(&filter));
        let spec = ConvSpec { dtype: DType::BF16, ..s };
        let got = run(Isa::detect(), spec, &i, &f, bf16::ONE);
        assert_eq!(got, narrow(&reference(&s, &wide(&i), &wide(&f))), "{s:?}");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let s = spec([5, 5], 4, [3, 3], 8);
    for bad in [
        ConvSpec { groups: 0, ..s },
        ConvSpec { groups: 3, ..s },
        ConvSpec { strides: [0, 1], ..s },
        ConvSpec { dilations: [1, 0], ..s },
        ConvSpec { dtype: DType::Bool, ..s },
        ConvSpec { batch: usize::MAX / 2, ..s },
        ConvSpec { padding: [isize::MIN, 0], ..s },
        ConvSpec { window: [1 << 20, 1 << 20], ..s },
    ] {
        assert!(Conv::new(Isa::detect(), bad).is_err(), "{bad:?}");
    }
}
