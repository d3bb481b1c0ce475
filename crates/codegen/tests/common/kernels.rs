//! Random well-formed kernels and calls of them.

use tfjit_base::DType;
use tfjit_base::ids::Id;
use tfjit_plan::kernel::{
    Access, Axis, Binary, Compare, Kernel, Lane, Op, Reduce, Stream, StreamId, Unary, Val, When,
};

use super::{Call, Place, Random};

const NARROW: [DType; 10] = [
    DType::Bool,
    DType::I8,
    DType::U8,
    DType::I16,
    DType::U16,
    DType::BF16,
    DType::F16,
    DType::I32,
    DType::U32,
    DType::F32,
];
const WIDE: [DType; 3] = [DType::I64, DType::U64, DType::F64];
const LANES: [Lane; 7] =
    [Lane::Pred, Lane::I32, Lane::U32, Lane::F32, Lane::I64, Lane::U64, Lane::F64];

/// Makes a kernel.
pub struct Maker<'r> {
    random: &'r mut Random,
    kernel: Kernel,
    wide: bool,
    /// Whether there are functions that `expand` rewrites.
    functions: bool,
    /// Values that can be used, and the phase in which that ends, if it does.
    scope: Vec<Val>,
    /// Results of reductions of the phase at hand.
    coming: Vec<Val>,
    /// Over rows: whether an output is stored in `Once` phases.
    once: Vec<bool>,
    stored: Vec<bool>,
}

impl Maker<'_> {
    /// A kernel of about `size` instructions a phase.
    pub fn kernel(random: &mut Random, size: usize) -> Kernel {
        Maker::any(random, size, false)
    }

    /// A kernel with functions that are not primitive.
    pub fn with_functions(random: &mut Random, size: usize) -> Kernel {
        Maker::any(random, size, true)
    }

    fn any(random: &mut Random, size: usize, functions: bool) -> Kernel {
        let axis = random.pick(&[Axis::Columns, Axis::Columns, Axis::Rows]);
        let wide = random.one_in(3);
        let mut maker = Maker {
            random,
            kernel: Kernel::new("random", axis),
            wide,
            functions,
            scope: Vec::new(),
            coming: Vec::new(),
            once: Vec::new(),
            stored: Vec::new(),
        };
        maker.streams();
        for _ in 0..1 + maker.random.below(4) {
            let once = maker.random.one_in(3);
            maker.phase(if once { When::Once } else { When::Each }, size);
        }
        let kernel = maker.kernel;
        kernel.verify().unwrap();
        kernel
    }

    fn dtype(&mut self) -> DType {
        match self.wide && self.random.one_in(2) {
            true => self.random.pick(&WIDE),
            // Floats more often than each of the others.
            false if self.random.one_in(3) => DType::F32,
            false => self.random.pick(&NARROW),
        }
    }

    fn streams(&mut self) {
        let rows = self.kernel.axis == Axis::Rows;
        let many = if self.random.one_in(10) { 12 } else { 4 };
        let (inputs, outputs) = (1 + self.random.below(many), 1 + self.random.below(3));
        for i in 0..inputs + outputs {
            let output = i >= inputs;
            let once = output && rows && self.random.one_in(2);
            let access = match self.random.below(5) {
                0 if !(output && rows) => Access::Row,
                1 if !once => Access::Strided,
                _ => Access::Unit,
            };
            let dtype = self.dtype();
            self.kernel.streams.push(Stream { dtype, output, access });
            self.once.push(once);
            self.stored.push(false);
        }
    }

    fn phase(&mut self, when: When, size: usize) {
        self.kernel.begin(when);
        let outside = self.scope.len();
        for _ in 0..1 + self.random.below(size) {
            self.inst(when);
        }
        for s in self.kernel.streams.ids().collect::<Vec<_>>() {
            if self.can_store(s, when) && !self.random.one_in(4) {
                self.store(s);
            }
        }
        if when == When::Each {
            self.scope.truncate(outside);
        }
        self.scope.append(&mut self.coming);
    }

    fn can_store(&self, s: StreamId, when: When) -> bool {
        let stream = &self.kernel.streams[s];
        let row = stream.access == Access::Row;
        let fits = match self.kernel.axis {
            Axis::Columns => row == (when == When::Once),
            Axis::Rows => self.once[s.index()] == (when == When::Once),
        };
        stream.output && fits
    }

    fn store(&mut self, s: StreamId) {
        let ty = Lane::of(self.kernel.streams[s].dtype).unwrap();
        let val = self.value(ty);
        self.kernel.push(Op::Store(s), &[val], ty);
        self.stored[s.index()] = true;
    }

    /// A value of a type: one there is, or a constant.
    fn value(&mut self, ty: Lane) -> Val {
        let all: Vec<Val> =
            self.scope.iter().copied().filter(|&v| self.kernel.insts[v].ty == ty).collect();
        if all.is_empty() || self.random.one_in(12) {
            let bits = interesting(self.random, ty);
            return self.kernel.push(Op::Const(bits), &[], ty);
        }
        // Rather a late one.
        let late = all.len() - 1 - self.random.below(all.len()).min(self.random.below(all.len()));
        all[late]
    }

    fn ty(&mut self) -> Lane {
        let lane = self.random.pick(&LANES);
        if lane.bytes() == 8 && !self.wide { Lane::F32 } else { lane }
    }

    fn number(&mut self) -> Lane {
        match self.ty() {
            Lane::Pred => Lane::F32,
            ty => ty,
        }
    }

    fn float(&mut self) -> Lane {
        if self.wide && self.random.one_in(2) { Lane::F64 } else { Lane::F32 }
    }

    fn integer(&mut self) -> Lane {
        match self.number() {
            Lane::F32 => Lane::I32,
            Lane::F64 => Lane::U64,
            ty => ty,
        }
    }

    fn push(&mut self, op: Op, args: &[Val], ty: Lane) -> Val {
        let val = self.kernel.push(op, args, ty);
        self.scope.push(val);
        val
    }

    fn inst(&mut self, when: When) {
        match self.random.below(20) {
            0..=4 => self.load(when),
            5 => self.unary(),
            6..=10 => self.binary(),
            11 => {
                let (ty, op) = (self.ty(), self.random.pick(&COMPARES));
                let args = [self.value(ty), self.value(ty)];
                self.push(Op::Compare(op), &args, Lane::Pred);
            }
            12 | 13 => {
                let ty = self.float();
                let args = [self.value(ty), self.value(ty), self.value(ty)];
                self.push(Op::Fma, &args, ty);
            }
            14 => {
                let ty = self.ty();
                let args = [self.value(Lane::Pred), self.value(ty), self.value(ty)];
                self.push(Op::Select, &args, ty);
            }
            15 | 16 => {
                let (from, to) = (self.ty(), self.ty());
                let arg = self.value(from);
                self.push(Op::Convert, &[arg], to);
            }
            17 => self.bitcast(),
            18 if when == When::Each => self.reduce(),
            18 => {}
            _ if when == When::Each || self.kernel.axis == Axis::Rows => {
                self.push(Op::Column, &[], Lane::I32);
            }
            _ => {}
        }
    }

    fn load(&mut self, when: When) {
        let all: Vec<StreamId> = self.kernel.streams.ids().collect();
        let s = self.random.pick(&all);
        let stream = self.kernel.streams[s].clone();
        let rows = self.kernel.axis == Axis::Rows;
        let no_columns = when == When::Once && !rows;
        let reached =
            self.stored[s.index()] && (!rows || when == When::Each || self.once[s.index()]);
        if (no_columns && stream.access != Access::Row) || (stream.output && !reached) {
            return;
        }
        self.push(Op::Load(s), &[], Lane::of(stream.dtype).unwrap());
    }

    fn unary(&mut self) {
        if self.functions {
            let (op, ty) = (self.random.pick(&FUNCTIONS), self.float());
            if Op::Unary(op).can_expand(ty) {
                let arg = self.value(ty);
                self.push(Op::Unary(op), &[arg], ty);
                return;
            }
        }
        let (op, ty) = match self.random.below(10) {
            0 | 1 => (Unary::Neg, self.number()),
            2 => (Unary::Abs, self.number()),
            3 if self.random.one_in(2) => (Unary::Not, Lane::Pred),
            3 => (Unary::Not, self.integer()),
            4 => (Unary::Sqrt, self.float()),
            5 => (Unary::Floor, self.float()),
            6 => (Unary::Ceil, self.float()),
            7 => (Unary::Trunc, self.float()),
            8 => (Unary::RoundEven, self.float()),
            _ => {
                let dtype = self.random.pick(&NARROW[1..7]);
                (Unary::Narrow(dtype), Lane::of(dtype).unwrap())
            }
        };
        let arg = self.value(ty);
        self.push(Op::Unary(op), &[arg], ty);
    }

    fn binary(&mut self) {
        use Binary as B;
        let (op, ty) = match self.random.below(12) {
            0..=5 => {
                let ops = [B::Add, B::Sub, B::Mul, B::Div, B::Rem, B::Min, B::Max];
                (self.random.pick(&ops), self.number())
            }
            6 => (self.random.pick(&[B::MinFast, B::MaxFast]), self.float()),
            7 => (self.random.pick(&[B::And, B::Or, B::Xor]), Lane::Pred),
            8 => (self.random.pick(&[B::And, B::Or, B::Xor]), self.integer()),
            9 => (self.random.pick(&[B::Shl, B::ShrArithmetic, B::ShrLogical]), self.integer()),
            _ => (self.random.pick(&[B::Add, B::Mul]), self.float()),
        };
        let args = [self.value(ty), self.value(ty)];
        self.push(Op::Binary(op), &args, ty);
    }

    /// Between types of one width. NaN is made 0 before, since its bits are nobody's business.
    fn bitcast(&mut self) {
        let from = self.number();
        let same: Vec<Lane> = LANES.into_iter().filter(|t| t.bytes() == from.bytes()).collect();
        let to = self.random.pick(&same);
        let mut arg = self.value(from);
        if from.is_float() {
            let is_number = self.push(Op::Compare(Compare::Eq), &[arg, arg], Lane::Pred);
            let zero = self.push(Op::Const(0), &[], from);
            arg = self.push(Op::Select, &[is_number, arg, zero], from);
        }
        self.push(Op::Bitcast, &[arg], to);
    }

    fn reduce(&mut self) {
        let (op, ty) = match self.random.below(6) {
            0 => (self.random.pick(&[Reduce::And, Reduce::Or]), Lane::Pred),
            1 => (self.random.pick(&[Reduce::And, Reduce::Or]), self.integer()),
            _ => {
                let ops = [Reduce::Sum, Reduce::Sum, Reduce::Product, Reduce::Min, Reduce::Max];
                (self.random.pick(&ops), self.number())
            }
        };
        let arg = self.value(ty);
        let val = self.kernel.push(Op::Reduce(op), &[arg], ty);
        self.coming.push(val);
    }
}

const COMPARES: [Compare; 6] =
    [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];

const FUNCTIONS: [Unary; 23] = [
    Unary::RoundAfz,
    Unary::Sign,
    Unary::Rsqrt,
    Unary::Cbrt,
    Unary::Exp,
    Unary::Expm1,
    Unary::Log,
    Unary::Log1p,
    Unary::Logistic,
    Unary::Tanh,
    Unary::Sin,
    Unary::Cos,
    Unary::Tan,
    Unary::Erf,
    Unary::Erfc,
    Unary::Atan,
    Unary::Asin,
    Unary::Acos,
    Unary::Sinh,
    Unary::Cosh,
    Unary::Asinh,
    Unary::Acosh,
    Unary::Atanh,
];

/// Bits of a value of a lane type, often at an end of something.
pub fn interesting(random: &mut Random, ty: Lane) -> u64 {
    const F: [f64; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.5,
        -3.5,
        1e10,
        -1e10,
        2147483648.0,
        4294967296.0,
        9223372036854775808.0,
        1.8446744073709552e19,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    const I: [i64; 12] =
        [0, 1, -1, 2, 31, 32, 64, 0x7fff_ffff, -0x8000_0000, i64::MAX, i64::MIN, 0x0100_0001];
    match ty {
        Lane::Pred => random.next() & 1,
        Lane::F32 | Lane::F64 => {
            let value = match random.below(4) {
                0 => random.pick(&F),
                1 => (random.below(41) as f64 - 20.0) / 4.0,
                2 => (random.next() as i64 as f64) / 2f64.powi(40 + random.below(30) as i32),
                _ => (random.below(2000) as f64 - 1000.0) / 7.0,
            };
            if ty == Lane::F32 { (value as f32).to_bits().into() } else { value.to_bits() }
        }
        _ => {
            let value = match random.below(3) {
                0 => random.pick(&I) as u64,
                1 => (random.below(100) as i64 - 50) as u64,
                _ => random.next(),
            };
            if ty.bytes() == 4 { value & 0xffff_ffff } else { value }
        }
    }
}

/// Bits of an element.
fn element(random: &mut Random, dtype: DType) -> u64 {
    let bits = interesting(random, Lane::of(dtype).unwrap());
    match dtype {
        DType::BF16 => tfjit_base::bf16::from_f32(f32::from_bits(bits as u32)).to_bits().into(),
        DType::F16 => tfjit_base::f16::from_f32(f32::from_bits(bits as u32)).to_bits().into(),
        _ => bits,
    }
}

/// A call of a kernel for some rows and columns, on random memory.
pub fn call(random: &mut Random, kernel: &Kernel, rows: usize, cols: usize) -> Call {
    let mut call = Call {
        rows,
        cols,
        first_column: random.below(3) * 100,
        places: Vec::new(),
        buffers: Vec::new(),
    };
    for (id, stream) in kernel.streams.iter() {
        let bytes = stream.dtype.size();
        // Where an output lies on an input, it has all of its element.
        let twin = kernel.streams.iter().find(|(other, s)| {
            let same = s.dtype == stream.dtype && s.access == stream.access;
            other.index() < id.index() && same && !s.output
        });
        if let (true, Some((other, _)), true) = (stream.output, twin, random.one_in(3)) {
            let place = call.places[other.index()];
            let shared = |p: &Place| p.buffer == place.buffer;
            if call.places.iter().filter(|p| shared(p)).count() == 1 && !only_once(kernel, id) {
                call.places.push(place);
                continue;
            }
        }
        place(random, kernel, id, bytes, &mut call);
    }
    call
}

/// Whether an output is of `Once` phases over rows: its rows are one.
fn only_once(kernel: &Kernel, s: StreamId) -> bool {
    kernel.axis == Axis::Rows
        && kernel.phases.iter().any(|p| {
            let stores = p.insts.iter().any(|&v| kernel.insts[v].op == Op::Store(s));
            p.when == When::Once && stores
        })
}

fn place(random: &mut Random, kernel: &Kernel, id: StreamId, bytes: usize, call: &mut Call) {
    let stream = &kernel.streams[id];
    let cols = if stream.access == Access::Row { 1 } else { call.cols };
    let gap = if stream.access == Access::Strided { random.below(3) } else { 0 };
    let mut col = ((1 + gap) * bytes) as isize;
    let width = cols.saturating_sub(1) * col as usize + if cols > 0 { bytes } else { 0 };
    // Inputs of `Once` phases over rows are those of the first row, if there are rows or not.
    let mut rows = call.rows.max(1);
    let mut row = (width + random.below(2) * 3 * bytes) as isize;
    if only_once(kernel, id) || (!stream.output && random.one_in(5)) {
        (rows, row) = (1, 0);
    }
    let len = width + (rows - 1) * row as usize;
    let mut offset = 0;
    if random.one_in(4) {
        offset += (rows - 1) * row as usize;
        row = -row;
    }
    if stream.access == Access::Strided && random.one_in(4) {
        offset += cols.saturating_sub(1) * col as usize;
        col = -col;
    }
    let mut buffer = Vec::with_capacity(len);
    while buffer.len() < len {
        let bits = element(random, stream.dtype).to_le_bytes();
        buffer.extend_from_slice(&bits[..bytes]);
    }
    buffer.truncate(len);
    call.places.push(Place { buffer: call.buffers.len(), offset, row, col });
    call.buffers.push(buffer);
}
