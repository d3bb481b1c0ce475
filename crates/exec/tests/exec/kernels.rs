//! The block interpreter against one element at a time, for all operations and types.

use tfjit_base::{DType, bf16, f16};
use tfjit_exec::{Program, Registers};
use tfjit_plan::kernel::{Access, Axis, Kernel};

/// Memory of a stream, and its strides in bytes.
struct Memory<'m> {
    at: *const u8,
    row: isize,
    col: isize,
    life: std::marker::PhantomData<&'m ()>,
}

fn unit<T>(values: &[T], cols: usize) -> Memory<'_> {
    let row = (cols * size_of::<T>()) as isize;
    Memory { at: values.as_ptr().cast(), row, col: 0, life: std::marker::PhantomData }
}

#[allow(unsafe_code, reason = "tests call the program as the executor does")]
fn run(program: &Program, rows: usize, cols: usize, streams: &[Memory<'_>]) {
    let mut frame = vec![rows as u64, cols as u64, 5, 0];
    for stream in streams {
        frame.extend([stream.at as u64, stream.row as u64, stream.col as u64]);
    }
    // SAFETY: the tests bring memory for all rows and columns.
    unsafe { program.run(frame.as_ptr(), &mut Registers::default()) };
}

/// Runs a kernel of unit streams, the last of which is written, on one row.
pub(crate) fn apply<T: Copy + Default, R: Copy + Default>(
    program: &Program,
    inputs: &[&[T]],
) -> Vec<R> {
    let n = inputs[0].len();
    let mut out = vec![R::default(); n];
    let mut streams: Vec<Memory<'_>> = inputs.iter().map(|input| unit(input, n)).collect();
    let result = Memory { at: out.as_mut_ptr().cast(), ..unit::<R>(&[], n) };
    streams.push(result);
    run(program, 1, n, &streams);
    out
}

/// `out = OP inputs` for one line of kernel text.
fn program(op: &str, args: &[(&str, &str)], result: (&str, &str)) -> Program {
    let mut text = "kernel @k over columns {\n".to_owned();
    for (i, (dtype, _)) in args.iter().enumerate() {
        text += &format!("  s{i}: in {dtype} unit\n");
    }
    let n = args.len();
    text += &format!("  s{n}: out {} unit\n  each:\n", result.0);
    for (i, (_, lane)) in args.iter().enumerate() {
        text += &format!("    v{i}: {lane} = load s{i}\n");
    }
    let names: Vec<String> = (0..n).map(|i| format!("v{i}")).collect();
    text +=
        &format!("    v{n}: {} = {op} {}\n    store s{n}, v{n}\n}}\n", result.1, names.join(", "));
    let kernel = Kernel::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Program::compile(&kernel).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// All pairs of some values, enough for more than one block.
fn pairs<T: Copy>(values: &[T]) -> (Vec<T>, Vec<T>) {
    let all = values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b)));
    all.cycle().take(1200.max(values.len() * values.len())).unzip()
}

/// The same bits, or both NaN.
trait Same: Copy {
    fn same(self, other: Self) -> bool;
}
macro_rules! same {
    ($($t:ty),*) => {$(impl Same for $t {
        fn same(self, other: $t) -> bool { self == other }
    })*};
}
same!(u8, i32, u32, i64, u64);
macro_rules! same_float {
    ($($t:ty),*) => {$(impl Same for $t {
        fn same(self, other: $t) -> bool {
            self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
        }
    })*};
}
same_float!(f32, f64);

fn two<T: Same + Default + std::fmt::Debug>(
    lane: &str,
    values: &[T],
    ops: &[(&str, fn(T, T) -> T)],
) {
    let (a, b) = pairs(values);
    for (op, exact) in ops {
        let program = program(op, &[(lane, lane), (lane, lane)], (lane, lane));
        let got: Vec<T> = apply(&program, &[&a, &b]);
        for ((&a, &b), &got) in a.iter().zip(&b).zip(&got) {
            let want = exact(a, b);
            assert!(got.same(want), "{lane} {op} {a:?} {b:?}: {got:?}, not {want:?}");
        }
    }
}

fn comparisons<T: Same + PartialOrd + Default + std::fmt::Debug>(lane: &str, values: &[T]) {
    let (a, b) = pairs(values);
    let ops: [(&str, fn(&T, &T) -> bool); 6] = [
        ("compare.eq", T::eq),
        ("compare.ne", T::ne),
        ("compare.lt", T::lt),
        ("compare.le", T::le),
        ("compare.gt", T::gt),
        ("compare.ge", T::ge),
    ];
    for (op, exact) in ops {
        let program = program(op, &[(lane, lane), (lane, lane)], ("bool", "pred"));
        let got: Vec<u8> = apply(&program, &[&a, &b]);
        for ((a, b), &got) in a.iter().zip(&b).zip(&got) {
            assert_eq!(got, u8::from(exact(a, b)), "{lane} {op} {a:?} {b:?}");
        }
    }
}

macro_rules! integers {
    ($name:ident, $lane:literal, $t:ty, $signed:ty, $unsigned:ty) => {
        #[test]
        fn $name() {
            let bits = <$t>::BITS as $t;
            let values: [$t; 12] = [
                0,
                1,
                2,
                7,
                bits - 1,
                bits,
                bits + 5,
                <$t>::MAX,
                <$t>::MIN,
                <$t>::MAX / 3,
                (0 as $t).wrapping_sub(1),
                (0 as $t).wrapping_sub(9),
            ];
            let far = |b: $t| b as $unsigned >= <$t>::BITS as $unsigned;
            let _ = far;
            two(
                $lane,
                &values,
                &[
                    ("add", |a, b| a.wrapping_add(b)),
                    ("sub", |a, b| a.wrapping_sub(b)),
                    ("mul", |a, b| a.wrapping_mul(b)),
                    ("div", |a, b| a.checked_div(b).unwrap_or(if b == 0 { !0 } else { a })),
                    ("rem", |a, b| a.checked_rem(b).unwrap_or(if b == 0 { a } else { 0 })),
                    ("min", std::cmp::Ord::min),
                    ("max", std::cmp::Ord::max),
                    ("and", |a, b| a & b),
                    ("or", |a, b| a | b),
                    ("xor", |a, b| a ^ b),
                    ("shl", |a, b| {
                        u32::try_from(b as $unsigned)
                            .ok()
                            .and_then(|b| a.checked_shl(b))
                            .unwrap_or(0)
                    }),
                    ("shr_logical", |a, b| {
                        let shifted = u32::try_from(b as $unsigned)
                            .ok()
                            .and_then(|b| (a as $unsigned).checked_shr(b));
                        shifted.unwrap_or(0) as $t
                    }),
                    ("shr_arithmetic", |a, b| {
                        let b =
                            u32::try_from(b as $unsigned).unwrap_or(u32::MAX).min(<$t>::BITS - 1);
                        ((a as $signed) >> b) as $t
                    }),
                ],
            );
            comparisons($lane, &values);
        }
    };
}
integers!(operations_of_i32, "i32", i32, i32, u32);
integers!(operations_of_u32, "u32", u32, i32, u32);
integers!(operations_of_i64, "i64", i64, i64, u64);
integers!(operations_of_u64, "u64", u64, i64, u64);

macro_rules! floats {
    ($name:ident, $lane:literal, $t:ident) => {
        #[test]
        fn $name() {
            let values: [$t; 14] = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                2.5,
                -3.5,
                1e30,
                -1e-30,
                $t::INFINITY,
                $t::NEG_INFINITY,
                $t::NAN,
                $t::MAX,
                1.0 / 3.0,
            ];
            fn least(a: $t, b: $t) -> $t {
                if a.is_nan() || b.is_nan() {
                    $t::NAN
                } else if a.total_cmp(&b).is_lt() {
                    a
                } else {
                    b
                }
            }
            fn most(a: $t, b: $t) -> $t {
                if a.is_nan() || b.is_nan() {
                    $t::NAN
                } else if a.total_cmp(&b).is_gt() {
                    a
                } else {
                    b
                }
            }
            two(
                $lane,
                &values,
                &[
                    ("add", |a, b| a + b),
                    ("sub", |a, b| a - b),
                    ("mul", |a, b| a * b),
                    ("div", |a, b| a / b),
                    ("rem", |a, b| a % b),
                    ("min", least),
                    ("max", most),
                    ("min_fast", |a, b| if a < b { a } else { b }),
                    ("max_fast", |a, b| if a > b { a } else { b }),
                ],
            );
            comparisons($lane, &values);
            let unary: [(&str, fn($t) -> $t); 8] = [
                ("neg", |x| -x),
                ("abs", $t::abs),
                ("sqrt", $t::sqrt),
                ("floor", $t::floor),
                ("ceil", $t::ceil),
                ("trunc", $t::trunc),
                ("round_even", $t::round_ties_even),
                ("round_afz", $t::round),
            ];
            for (op, exact) in unary {
                let program = program(op, &[($lane, $lane)], ($lane, $lane));
                let got: Vec<$t> = apply(&program, &[&values]);
                for (&x, got) in values.iter().zip(got) {
                    assert!(got.same(exact(x)), "{op} {x}: {got}");
                }
            }
            let (a, b) = pairs(&values);
            let c: Vec<$t> = a.iter().rev().copied().collect();
            let fma = program("fma", &[($lane, $lane); 3], ($lane, $lane));
            let got: Vec<$t> = apply(&fma, &[&a, &b, &c]);
            for i in 0..a.len() {
                assert!(got[i].same(a[i].mul_add(b[i], c[i])));
            }
        }
    };
}
floats!(operations_of_f32, "f32", f32);
floats!(operations_of_f64, "f64", f64);

#[test]
fn conversions_saturate_round_and_wrap() {
    let floats = [0.0f32, -0.0, 1.9, -1.9, 3e9, -3e9, 1e20, -1e20, f32::NAN, f32::INFINITY, 0.5];
    let integers = [0i64, 1, -1, i64::MAX, i64::MIN, (1 << 24) + 1, (1 << 53) + 1, -(1 << 40) + 3];
    macro_rules! case {
        ($values:ident, $from:literal $($to:literal $t:ty),*) => {$({
            let convert = program("convert", &[($from, $from)], ($to, $to));
            let got: Vec<$t> = apply(&convert, &[&$values]);
            for (&x, got) in $values.iter().zip(got) {
                assert!(got.same(x as $t), "{x} to {}: {got}", $to);
            }
        })*};
    }
    case!(floats, "f32" "i32" i32, "u32" u32, "i64" i64, "u64" u64, "f64" f64);
    case!(integers, "i64" "i32" i32, "u32" u32, "u64" u64, "f32" f32, "f64" f64);
    let got: Vec<u8> = apply(&program("convert", &[("f32", "f32")], ("bool", "pred")), &[&floats]);
    assert_eq!(got, [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    let got: Vec<f32> =
        apply(&program("convert", &[("bool", "pred")], ("f32", "f32")), &[&[0u8, 1, 7]]);
    assert_eq!(got, [0.0, 1.0, 1.0]);
}

#[test]
fn narrow_elements_are_widened_and_rounded() {
    let bytes: Vec<u8> = (0..=255).collect();
    let copy = |dtype: &str, lane: &str, to: &str| {
        let text = format!(
            "kernel @k over columns {{\n  s0: in {dtype} unit\n  s1: out {to} unit\n  each:\n    \
             v0: {lane} = load s0\n    store s1, v0\n}}\n"
        );
        Program::compile(&Kernel::parse(&text).unwrap()).unwrap()
    };
    let wide: Vec<i32> = apply(&copy("i8", "i32", "i32"), &[&bytes]);
    assert!(wide.iter().zip(&bytes).all(|(&w, &b)| w == i32::from(b as i8)));
    let back: Vec<u8> = apply(&copy("i32", "i32", "i8"), &[&wide]);
    assert_eq!(back, bytes);
    let words: Vec<u16> = (0..=u16::MAX).collect();
    let wide: Vec<u32> = apply(&copy("u16", "u32", "u32"), &[&words]);
    assert!(wide.iter().zip(&words).all(|(&w, &b)| w == u32::from(b)));
    let floats: Vec<f32> = (0..70_000u32).map(|i| f32::from_bits(i.wrapping_mul(61_357))).collect();
    let narrow: Vec<u16> = apply(&copy("f32", "f32", "bf16"), &[&floats]);
    for (&x, &got) in floats.iter().zip(&narrow) {
        let (got, want) = (bf16::from_bits(got), bf16::from_f32(x));
        assert!(got == want || got.is_nan() && want.is_nan(), "{x}");
    }
    let narrow: Vec<u16> = apply(&copy("f32", "f32", "f16"), &[&floats]);
    for (&x, &got) in floats.iter().zip(&narrow) {
        let (got, want) = (f16::from_bits(got), f16::from_f32(x));
        assert!(got == want || got.is_nan() && want.is_nan(), "{x}");
    }
    let wide: Vec<f32> = apply(&copy("f16", "f32", "f32"), &[&words]);
    for (&x, &got) in words.iter().zip(&wide) {
        assert!(got.same(f16::from_bits(x).to_f32()));
    }
    for (op, exact) in [
        ("narrow.f16", (|x| f16::from_f32(x).to_f32()) as fn(f32) -> f32),
        ("narrow.bf16", |x| bf16::from_f32(x).to_f32()),
    ] {
        let got: Vec<f32> = apply(&program(op, &[("f32", "f32")], ("f32", "f32")), &[&floats]);
        assert!(got.iter().zip(&floats).all(|(got, &x)| got.same(exact(x))));
    }
}

#[test]
fn choices_and_truth() {
    let a = [0u8, 0, 1, 1];
    let b = [0u8, 1, 0, 1];
    let pred = ("bool", "pred");
    for (op, want) in [("and", [0u8, 0, 0, 1]), ("or", [0, 1, 1, 1]), ("xor", [0, 1, 1, 0])] {
        let got: Vec<u8> = apply(&program(op, &[pred, pred], pred), &[&a, &b]);
        assert_eq!(got, want, "{op}");
    }
    let got: Vec<u8> = apply(&program("not", &[pred], pred), &[&b]);
    assert_eq!(got, [1, 0, 1, 0]);
    let text = "\
kernel @k over columns {
  s0: in i64 unit
  s1: out i64 unit
  each:
    v0: i64 = load s0
    v1: i64 = const 3
    v2: pred = compare.lt v0, v1
    v3: i32 = column
    v4: i64 = convert v3
    v5: i64 = select v2, v1, v4
    store s1, v5
}
";
    let program = Program::compile(&Kernel::parse(text).unwrap()).unwrap();
    let values: Vec<i64> = (0..1000).map(|i| i % 7).collect();
    let got: Vec<i64> = apply(&program, &[&values]);
    for (i, (&v, &got)) in values.iter().zip(&got).enumerate() {
        // The frame says that the first column is number 5.
        assert_eq!(got, if v < 3 { 3 } else { i as i64 + 5 });
    }
}

/// Sums along columns: 32 partial sums, then halves.
fn sum_of(row: &[f32]) -> f32 {
    let mut partials = [0f32; 32];
    row.iter().enumerate().for_each(|(c, &x)| partials[c % 32] += x);
    for half in [16, 8, 4, 2, 1] {
        for i in 0..half {
            partials[i] += partials[i + half];
        }
    }
    partials[0]
}

#[test]
fn reductions_have_the_documented_order() {
    let text = "\
kernel @k over columns {
  s0: in f32 unit
  s1: out f32 row
  s2: out f32 row
  s3: out f32 unit
  each:
    v0: f32 = load s0
    v1: f32 = reduce.sum v0
    v2: f32 = reduce.min v0
  once:
    v3: f32 = sqrt v1
    store s1, v1
    store s2, v2
  each:
    v6: f32 = load s0
    v7: f32 = mul v6, v3
    store s3, v7
}
";
    let program = Program::compile(&Kernel::parse(text).unwrap()).unwrap();
    for cols in [1usize, 2, 31, 32, 33, 100, 511, 512, 513, 1500] {
        let rows = 3;
        let x: Vec<f32> = (0..rows * cols).map(|i| ((i * 7919) % 1000) as f32 * 0.37).collect();
        let (sums, least, scaled) = (vec![0f32; rows], vec![0f32; rows], vec![0f32; rows * cols]);
        run(
            &program,
            rows,
            cols,
            &[unit(&x, cols), unit(&sums, 1), unit(&least, 1), unit(&scaled, cols)],
        );
        for r in 0..rows {
            let row = &x[r * cols..][..cols];
            assert_eq!(sums[r], sum_of(row), "{cols} columns");
            assert_eq!(least[r], row.iter().copied().fold(f32::INFINITY, f32::min));
            for c in 0..cols {
                assert_eq!(scaled[r * cols + c], row[c] * sums[r].sqrt());
            }
        }
    }
}

#[test]
fn nothing_outside_is_touched() {
    let text = "\
kernel @k over columns {
  s0: in f32 strided
  s1: in i8 row
  s2: out bf16 unit
  each:
    v0: f32 = load s0
    v1: i32 = load s1
    v2: f32 = convert v1
    v3: f32 = add v0, v2
    store s2, v3
}
";
    let program = Program::compile(&Kernel::parse(text).unwrap()).unwrap();
    for (rows, cols) in [(0, 5), (5, 0), (1, 1), (2, 3), (3, 515)] {
        // Backwards, with gaps of one element between columns.
        let x: Vec<f32> = (0..rows * cols * 2 + 1).map(|i| i as f32).collect();
        let bias: Vec<i8> = (0..rows as i8 + 1).collect();
        let out = vec![0x5555u16; rows * (cols + 3) + 2];
        let last = x.len() - 1;
        let streams = [
            Memory {
                at: (&raw const x[last]).cast(),
                row: -8 * cols as isize,
                col: -8,
                ..unit::<f32>(&[], 0)
            },
            unit(&bias, 1),
            Memory {
                at: out[1.min(out.len() - 1)..].as_ptr().cast(),
                row: 2 * (cols as isize + 3),
                ..unit::<u16>(&[], 0)
            },
        ];
        run(&program, rows, cols, &streams);
        for (i, &got) in out.iter().enumerate() {
            let at = i.wrapping_sub(1);
            let (r, c) = (at / (cols + 3), at % (cols + 3));
            let inside = i >= 1 && r < rows && c < cols;
            let want = if inside {
                bf16::from_f32(x[last - 2 * (r * cols + c)] + f32::from(bias[r])).to_bits()
            } else {
                0x5555
            };
            assert_eq!(got, want, "{rows} by {cols}, element {i}");
        }
    }
}

#[test]
fn streams_of_the_kernel_are_known() {
    let k = Kernel::new("nothing", Axis::Columns);
    let program = Program::compile(&k).unwrap();
    assert_eq!((program.name(), program.block_bytes()), ("nothing", 0));
    let mut broken = Kernel::new("broken", Axis::Rows);
    broken.streams.push(tfjit_plan::kernel::Stream {
        dtype: DType::C64,
        output: false,
        access: Access::Unit,
    });
    assert!(Program::compile(&broken).is_err());
}
