//! The reference: what a kernel means, element by element, with nothing clever.

use tfjit_base::ids::Id;
use tfjit_base::{DType, bf16, f16};
use tfjit_plan::kernel::{
    Access, Axis, Binary, Compare, Kernel, Lane, Op, PARTIALS, Phase, Reduce, StreamId, Unary, Val,
    When,
};

use super::Call;

/// Runs a kernel on the buffers of a call; gives what became of them.
pub fn run(kernel: &Kernel, call: &Call) -> Vec<Vec<u8>> {
    let mut state =
        State { kernel, call, buffers: call.buffers.clone(), values: vec![0; kernel.insts.len()] };
    match kernel.axis {
        Axis::Columns => {
            for row in 0..call.rows {
                for phase in &kernel.phases {
                    state.row_phase(phase, row);
                }
            }
        }
        Axis::Rows => {
            for col in 0..call.cols {
                for phase in &kernel.phases {
                    state.column_phase(phase, col);
                }
            }
        }
    }
    state.buffers
}

struct State<'k> {
    kernel: &'k Kernel,
    call: &'k Call,
    buffers: Vec<Vec<u8>>,
    /// Bits of values; floats of 32 bits in the low half.
    values: Vec<u64>,
}

impl State<'_> {
    fn reductions(&self, phase: &Phase) -> Vec<(Val, Reduce, Lane, Val)> {
        let insts = phase.insts.iter().map(|&v| (v, &self.kernel.insts[v]));
        insts
            .filter_map(|(v, i)| match i.op {
                Op::Reduce(r) => Some((v, r, i.ty, i.args[0])),
                _ => None,
            })
            .collect()
    }

    fn row_phase(&mut self, phase: &Phase, row: usize) {
        if phase.when == When::Once {
            return phase.insts.iter().for_each(|&v| self.step(v, row, 0));
        }
        let reductions = self.reductions(phase);
        let mut sums: Vec<Vec<u64>> =
            reductions.iter().map(|&(_, r, ty, _)| vec![identity(r, ty); PARTIALS]).collect();
        for col in 0..self.call.cols {
            phase.insts.iter().for_each(|&v| self.step(v, row, col));
            for (&(_, r, ty, arg), sums) in reductions.iter().zip(&mut sums) {
                let sum = &mut sums[col % PARTIALS];
                *sum = combine(r, ty, *sum, self.values[arg.index()]);
            }
        }
        for (&(v, r, ty, _), sums) in reductions.iter().zip(&mut sums) {
            let mut half = PARTIALS / 2;
            while half > 0 {
                for i in 0..half {
                    sums[i] = combine(r, ty, sums[i], sums[i + half]);
                }
                half /= 2;
            }
            self.values[v.index()] = sums[0];
        }
    }

    fn column_phase(&mut self, phase: &Phase, col: usize) {
        if phase.when == When::Once {
            return phase.insts.iter().for_each(|&v| self.step(v, 0, col));
        }
        let reductions = self.reductions(phase);
        let mut sums: Vec<u64> = reductions.iter().map(|&(_, r, ty, _)| identity(r, ty)).collect();
        for row in 0..self.call.rows {
            phase.insts.iter().for_each(|&v| self.step(v, row, col));
            for (&(_, r, ty, arg), sum) in reductions.iter().zip(&mut sums) {
                *sum = combine(r, ty, *sum, self.values[arg.index()]);
            }
        }
        for (&(v, ..), sum) in reductions.iter().zip(sums) {
            self.values[v.index()] = sum;
        }
    }

    fn element(&self, s: StreamId, row: usize, col: usize) -> (usize, usize, DType) {
        let (stream, place) = (&self.kernel.streams[s], &self.call.places[s.index()]);
        let bytes = stream.dtype.size() as isize;
        let col_stride = match stream.access {
            Access::Unit => bytes,
            Access::Row => 0,
            Access::Strided => place.col,
        };
        let at = place.offset as isize + place.row * row as isize + col_stride * col as isize;
        (place.buffer, at as usize, stream.dtype)
    }

    fn step(&mut self, val: Val, row: usize, col: usize) {
        let inst = &self.kernel.insts[val];
        let ty = inst.ty;
        let arg = |i: usize| self.values[inst.args[i].index()];
        let arg_ty = |i: usize| self.kernel.insts[inst.args[i]].ty;
        self.values[val.index()] = match inst.op {
            Op::Const(bits) => match ty.bytes() {
                8 => bits,
                4 => bits & 0xffff_ffff,
                _ => bits & 1,
            },
            Op::Load(s) => {
                let (buffer, at, dtype) = self.element(s, row, col);
                load(dtype, &self.buffers[buffer][at..at + dtype.size()])
            }
            Op::Store(s) => {
                let (buffer, at, dtype) = self.element(s, row, col);
                let bits = narrow(dtype, arg(0));
                let bytes = &bits.to_le_bytes()[..dtype.size()];
                self.buffers[buffer][at..at + dtype.size()].copy_from_slice(bytes);
                0
            }
            Op::Column => (col + self.call.first_column) as u64,
            Op::Unary(op) => unary(op, ty, arg(0)),
            Op::Binary(op) => binary(op, ty, arg(0), arg(1)),
            Op::Compare(op) => u64::from(compare(op, arg_ty(0), arg(0), arg(1))),
            Op::Fma => match ty {
                Lane::F32 => from32(f32_of(arg(0)).mul_add(f32_of(arg(1)), f32_of(arg(2)))),
                _ => f64_of(arg(0)).mul_add(f64_of(arg(1)), f64_of(arg(2))).to_bits(),
            },
            Op::Select => arg(if arg(0) == 1 { 1 } else { 2 }),
            Op::Convert => convert(arg_ty(0), ty, arg(0)),
            Op::Bitcast => arg(0),
            Op::Reduce(_) => return,
        };
    }
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn from32(value: f32) -> u64 {
    value.to_bits().into()
}

fn load(dtype: DType, bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    match dtype {
        DType::I8 => u64::from(bits as u8 as i8 as i32 as u32),
        DType::I16 => u64::from(bits as u16 as i16 as i32 as u32),
        DType::BF16 => from32(bf16::from_bits(bits as u16).to_f32()),
        DType::F16 => from32(f16::from_bits(bits as u16).to_f32()),
        _ => bits,
    }
}

fn narrow(dtype: DType, bits: u64) -> u64 {
    match dtype {
        DType::BF16 => bf16::from_f32(f32_of(bits)).to_bits().into(),
        DType::F16 => f16::from_f32(f32_of(bits)).to_bits().into(),
        _ => bits,
    }
}

fn unary(op: Unary, ty: Lane, a: u64) -> u64 {
    match (op, ty) {
        (Unary::Narrow(d), _) => {
            let bits = narrow(d, a).to_le_bytes();
            load(d, &bits[..d.size()])
        }
        (Unary::Not, Lane::Pred) => a ^ 1,
        (Unary::Not, _) => mask(ty, !a),
        (Unary::Neg, Lane::F32) => from32(-f32_of(a)),
        (Unary::Neg, Lane::F64) => (-f64_of(a)).to_bits(),
        (Unary::Neg, _) => mask(ty, a.wrapping_neg()),
        (Unary::Abs, Lane::F32) => from32(f32_of(a).abs()),
        (Unary::Abs, Lane::F64) => f64_of(a).abs().to_bits(),
        (Unary::Abs, Lane::I32) => (a as i32).wrapping_abs() as u32 as u64,
        (Unary::Abs, Lane::I64) => (a as i64).wrapping_abs() as u64,
        (Unary::Abs, _) => a,
        (_, Lane::F32) => from32(round(op, f64::from(f32_of(a))) as f32),
        (_, _) => round(op, f64_of(a)).to_bits(),
    }
}

/// Of a float as a double: the square root of a double rounded to a float is that of the float.
fn round(op: Unary, a: f64) -> f64 {
    match op {
        Unary::Sqrt => a.sqrt(),
        Unary::Floor => a.floor(),
        Unary::Ceil => a.ceil(),
        Unary::Trunc => a.trunc(),
        Unary::RoundEven => a.round_ties_even(),
        _ => panic!("{op} is not primitive"),
    }
}

fn mask(ty: Lane, bits: u64) -> u64 {
    if ty.bytes() == 4 { bits & 0xffff_ffff } else { bits }
}

fn signed(ty: Lane, bits: u64) -> i64 {
    if ty == Lane::I32 { i64::from(bits as i32) } else { bits as i64 }
}

fn binary(op: Binary, ty: Lane, a: u64, b: u64) -> u64 {
    match ty {
        Lane::F32 => {
            let (x, y) = (f32_of(a), f32_of(b));
            from32(match op {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div => x / y,
                Binary::Rem => x % y,
                Binary::MinFast => {
                    if x < y {
                        x
                    } else {
                        y
                    }
                }
                Binary::MaxFast => {
                    if x > y {
                        x
                    } else {
                        y
                    }
                }
                _ => float_min_max(op, x.into(), y.into()) as f32,
            })
        }
        Lane::F64 => {
            let (x, y) = (f64_of(a), f64_of(b));
            let result = match op {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div => x / y,
                Binary::Rem => x % y,
                Binary::MinFast => {
                    if x < y {
                        x
                    } else {
                        y
                    }
                }
                Binary::MaxFast => {
                    if x > y {
                        x
                    } else {
                        y
                    }
                }
                _ => float_min_max(op, x, y),
            };
            result.to_bits()
        }
        _ => mask(ty, integer(op, ty, a, b)),
    }
}

fn float_min_max(op: Binary, x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let first_is_less = x < y || (x == y && x.is_sign_negative());
    if (op == Binary::Min) == first_is_less { x } else { y }
}

fn integer(op: Binary, ty: Lane, a: u64, b: u64) -> u64 {
    let (s, t) = (signed(ty, a), signed(ty, b));
    let is_signed = matches!(ty, Lane::I32 | Lane::I64);
    let width = 8 * ty.bytes() as u64;
    let less = if is_signed { s < t } else { a < b };
    match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div if b == 0 => u64::MAX,
        Binary::Div if is_signed => s.wrapping_div(t) as u64,
        Binary::Div => a / b,
        Binary::Rem if b == 0 => a,
        Binary::Rem if is_signed => s.wrapping_rem(t) as u64,
        Binary::Rem => a % b,
        Binary::Min => {
            if less {
                a
            } else {
                b
            }
        }
        Binary::Max => {
            if less {
                b
            } else {
                a
            }
        }
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => {
            if b < width {
                a << b
            } else {
                0
            }
        }
        Binary::ShrLogical => {
            if b < width {
                a >> b
            } else {
                0
            }
        }
        Binary::ShrArithmetic => {
            let value = if width == 32 { i64::from(a as i32) } else { a as i64 };
            (value >> b.min(width - 1)) as u64
        }
        _ => panic!("{op} is not of integers"),
    }
}

fn compare(op: Compare, ty: Lane, a: u64, b: u64) -> bool {
    let order = match ty {
        Lane::F32 => f32_of(a).partial_cmp(&f32_of(b)),
        Lane::F64 => f64_of(a).partial_cmp(&f64_of(b)),
        Lane::I32 | Lane::I64 => Some(signed(ty, a).cmp(&signed(ty, b))),
        _ => Some(a.cmp(&b)),
    };
    let Some(order) = order else { return op == Compare::Ne };
    match op {
        Compare::Eq => order.is_eq(),
        Compare::Ne => order.is_ne(),
        Compare::Lt => order.is_lt(),
        Compare::Le => order.is_le(),
        Compare::Gt => order.is_gt(),
        Compare::Ge => order.is_ge(),
    }
}

fn convert(from: Lane, to: Lane, a: u64) -> u64 {
    match (from, to) {
        (Lane::F32, _) if from != to => from_float(f64::from(f32_of(a)), to),
        (Lane::F64, Lane::F32) => from32(f64_of(a) as f32),
        (Lane::F64, _) if from != to => from_float(f64_of(a), to),
        (_, Lane::Pred) => u64::from(a != 0),
        (Lane::I32 | Lane::I64, Lane::F32) => from32(signed(from, a) as f32),
        (Lane::I32 | Lane::I64, Lane::F64) => (signed(from, a) as f64).to_bits(),
        (Lane::Pred | Lane::U32 | Lane::U64, Lane::F32) => from32(a as f32),
        (Lane::Pred | Lane::U32 | Lane::U64, Lane::F64) => (a as f64).to_bits(),
        (Lane::I32, _) => mask(to, signed(from, a) as u64),
        _ => mask(to, a),
    }
}

fn from_float(a: f64, to: Lane) -> u64 {
    match to {
        Lane::Pred => u64::from(a != 0.0),
        Lane::I32 => u64::from(a as i32 as u32),
        Lane::U32 => u64::from(a as u32),
        Lane::I64 => a as i64 as u64,
        Lane::U64 => a as u64,
        Lane::F32 => from32(a as f32),
        Lane::F64 => a.to_bits(),
    }
}

fn identity(r: Reduce, ty: Lane) -> u64 {
    let float = |x: f64| if ty == Lane::F32 { from32(x as f32) } else { x.to_bits() };
    match (r, ty) {
        (Reduce::Sum, _) | (Reduce::Or, _) => 0,
        (Reduce::And, Lane::Pred) => 1,
        (Reduce::And, _) => mask(ty, u64::MAX),
        (Reduce::Product, Lane::F32 | Lane::F64) => float(1.0),
        (Reduce::Product, _) => 1,
        (Reduce::Min, Lane::F32 | Lane::F64) => float(f64::INFINITY),
        (Reduce::Max, Lane::F32 | Lane::F64) => float(f64::NEG_INFINITY),
        (Reduce::Min, Lane::I32) => i32::MAX as u32 as u64,
        (Reduce::Max, Lane::I32) => i32::MIN as u32 as u64,
        (Reduce::Min, Lane::I64) => i64::MAX as u64,
        (Reduce::Max, Lane::I64) => i64::MIN as u64,
        (Reduce::Min, _) => mask(ty, u64::MAX),
        (Reduce::Max, _) => 0,
    }
}

fn combine(r: Reduce, ty: Lane, a: u64, b: u64) -> u64 {
    let op = match r {
        Reduce::Sum => Binary::Add,
        Reduce::Product => Binary::Mul,
        Reduce::Min => Binary::Min,
        Reduce::Max => Binary::Max,
        Reduce::And => Binary::And,
        Reduce::Or => Binary::Or,
    };
    binary(op, ty, a, b)
}
