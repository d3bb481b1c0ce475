//! Writes instructions of an expanded kernel, each only once a phase.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::{Binary, Compare, Kernel, Lane, Op, Unary, Val, When};

/// What makes two instructions the same.
#[derive(PartialEq)]
struct Key {
    op: Op,
    args: SmallVec<[Val; 3]>,
    ty: Lane,
}

// Equality of operations is total: constants are compared as bits.
impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.op {
            Op::Const(bits) => bits.hash(state),
            Op::Load(stream) | Op::Store(stream) => stream.hash(state),
            Op::Unary(unary) => unary.hash(state),
            Op::Binary(binary) => binary.hash(state),
            Op::Compare(compare) => compare.hash(state),
            Op::Reduce(reduce) => reduce.hash(state),
            Op::Column | Op::Fma | Op::Select | Op::Convert | Op::Bitcast => {
                std::mem::discriminant(&self.op).hash(state);
            }
        }
        self.args.hash(state);
        self.ty.hash(state);
    }
}

/// A kernel that is being written.
pub(super) struct Emit {
    kernel: Kernel,
    /// Instructions of the current phase that may be used again.
    seen: FxHashMap<Key, Val>,
}

impl Emit {
    pub(super) fn new(kernel: Kernel) -> Emit {
        Emit { kernel, seen: FxHashMap::default() }
    }

    pub(super) fn begin(&mut self, when: When) {
        self.kernel.begin(when);
        self.seen.clear();
    }

    pub(super) fn finish(self) -> Kernel {
        self.kernel
    }

    /// An instruction, or an earlier one that is the same.
    pub(super) fn op(&mut self, op: Op, args: &[Val], ty: Lane) -> Val {
        let once = match op {
            Op::Store(_) | Op::Reduce(_) => false,
            Op::Load(stream) => !self.kernel.streams[stream].output,
            _ => true,
        };
        if !once {
            return self.kernel.push(op, args, ty);
        }
        let key = Key { op, args: SmallVec::from_slice(args), ty };
        let kernel = &mut self.kernel;
        *self.seen.entry(key).or_insert_with(|| kernel.push(op, args, ty))
    }

    pub(super) fn lane(&self, v: Val) -> Lane {
        self.kernel.insts[v].ty
    }

    /// A constant of a floating-point or integer type.
    pub(super) fn num(&mut self, lane: Lane, value: f64) -> Val {
        let bits = match lane {
            Lane::F32 => u64::from((value as f32).to_bits()),
            Lane::F64 => value.to_bits(),
            Lane::I32 | Lane::U32 => u64::from(value as i64 as u32),
            Lane::I64 | Lane::U64 | Lane::Pred => value as i64 as u64,
        };
        self.int(lane, bits)
    }

    /// A constant by its bits.
    pub(super) fn int(&mut self, lane: Lane, bits: u64) -> Val {
        self.op(Op::Const(bits), &[], lane)
    }

    pub(super) fn un(&mut self, unary: Unary, a: Val) -> Val {
        let ty = self.lane(a);
        self.op(Op::Unary(unary), &[a], ty)
    }

    pub(super) fn bin(&mut self, binary: Binary, a: Val, b: Val) -> Val {
        let ty = self.lane(a);
        self.op(Op::Binary(binary), &[a, b], ty)
    }

    pub(super) fn add(&mut self, a: Val, b: Val) -> Val {
        self.bin(Binary::Add, a, b)
    }

    pub(super) fn sub(&mut self, a: Val, b: Val) -> Val {
        self.bin(Binary::Sub, a, b)
    }

    pub(super) fn mul(&mut self, a: Val, b: Val) -> Val {
        self.bin(Binary::Mul, a, b)
    }

    pub(super) fn div(&mut self, a: Val, b: Val) -> Val {
        self.bin(Binary::Div, a, b)
    }

    pub(super) fn abs(&mut self, a: Val) -> Val {
        self.un(Unary::Abs, a)
    }

    /// Adds a constant.
    pub(super) fn add_k(&mut self, a: Val, k: f64) -> Val {
        let k = self.num(self.lane(a), k);
        self.add(a, k)
    }

    /// Multiplies by a constant.
    pub(super) fn mul_k(&mut self, a: Val, k: f64) -> Val {
        let k = self.num(self.lane(a), k);
        self.mul(a, k)
    }

    /// The smaller of a value and a constant; NaN stays.
    pub(super) fn at_most(&mut self, a: Val, k: f64) -> Val {
        let k = self.num(self.lane(a), k);
        self.bin(Binary::MinFast, k, a)
    }

    /// The larger of a value and a constant; NaN stays.
    pub(super) fn at_least(&mut self, a: Val, k: f64) -> Val {
        let k = self.num(self.lane(a), k);
        self.bin(Binary::MaxFast, k, a)
    }

    pub(super) fn fma(&mut self, a: Val, b: Val, c: Val) -> Val {
        let ty = self.lane(a);
        self.op(Op::Fma, &[a, b, c], ty)
    }

    /// `a * k + c`.
    pub(super) fn fma_k(&mut self, a: Val, k: f64, c: Val) -> Val {
        let k = self.num(self.lane(a), k);
        self.fma(a, k, c)
    }

    pub(super) fn cmp(&mut self, compare: Compare, a: Val, b: Val) -> Val {
        self.op(Op::Compare(compare), &[a, b], Lane::Pred)
    }

    pub(super) fn cmp_k(&mut self, compare: Compare, a: Val, k: f64) -> Val {
        let k = self.num(self.lane(a), k);
        self.cmp(compare, a, k)
    }

    pub(super) fn sel(&mut self, pred: Val, a: Val, b: Val) -> Val {
        let ty = self.lane(a);
        self.op(Op::Select, &[pred, a, b], ty)
    }

    pub(super) fn cast(&mut self, a: Val, ty: Lane) -> Val {
        self.op(Op::Convert, &[a], ty)
    }

    pub(super) fn bits(&mut self, a: Val, ty: Lane) -> Val {
        self.op(Op::Bitcast, &[a], ty)
    }

    /// The signed integer type of the width of a floating-point type.
    pub(super) fn int_of(&self, a: Val) -> Lane {
        if self.lane(a).bytes() == 4 { Lane::I32 } else { Lane::I64 }
    }

    fn sign_mask(&mut self, lane: Lane) -> Val {
        let bits = if lane.bytes() == 4 { 1 << 31 } else { 1 << 63 };
        self.int(lane, bits)
    }

    /// The sign bit of a floating-point value, as an integer.
    pub(super) fn sign_bit(&mut self, a: Val) -> Val {
        let int = self.int_of(a);
        let bits = self.bits(a, int);
        let mask = self.sign_mask(int);
        self.bin(Binary::And, bits, mask)
    }

    /// A value that is not negative, with a sign bit.
    pub(super) fn with_sign(&mut self, a: Val, sign: Val) -> Val {
        let (float, int) = (self.lane(a), self.lane(sign));
        let bits = self.bits(a, int);
        let bits = self.bin(Binary::Or, bits, sign);
        self.bits(bits, float)
    }

    /// A value with its sign changed where the sign bit is set.
    pub(super) fn flip_sign(&mut self, a: Val, sign: Val) -> Val {
        let (float, int) = (self.lane(a), self.lane(sign));
        let bits = self.bits(a, int);
        let bits = self.bin(Binary::Xor, bits, sign);
        self.bits(bits, float)
    }

    /// A polynomial, the constant coefficient first, in Horner's form.
    pub(super) fn poly(&mut self, x: Val, coefficients: &[f64]) -> Val {
        let lane = self.lane(x);
        let mut rest = coefficients.iter().rev();
        let mut sum = self.num(lane, rest.next().copied().unwrap_or(0.0));
        for &k in rest {
            let k = self.num(lane, k);
            sum = self.fma(sum, x, k);
        }
        sum
    }
}
