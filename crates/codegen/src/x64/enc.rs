//! The encoder: bytes of x86-64 instructions, labels, and the pool of constants after the code.
//!
//! It writes what it is told and knows no kernels. With a listing it also writes each instruction
//! as text; the tests compare both with a disassembler.

use rustc_hash::FxHashMap;

use super::ops::{Class, Form, Ins};
use super::text::{g64, general32, hex, memory, operand, size, vector_text};

/// Constants up to which a pool is searched from its beginning.
const SEARCHED: usize = 64;

/// A general register, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct G(pub(crate) u8);

/// A vector register, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct X(pub(crate) u8);

pub(crate) const RAX: G = G(0);
pub(crate) const RCX: G = G(1);
pub(crate) const RDX: G = G(2);
pub(crate) const RBX: G = G(3);
pub(crate) const RSP: G = G(4);
pub(crate) const RBP: G = G(5);
pub(crate) const RSI: G = G(6);
pub(crate) const RDI: G = G(7);
pub(crate) const R10: G = G(10);

/// Length of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Len {
    L128,
    L256,
}

/// Where a memory operand begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Reg(G),
    /// The pool; the displacement is an offset there.
    Pool,
}

/// A memory operand: `base + index * 2^scale + disp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mem {
    pub(crate) base: Base,
    pub(crate) index: Option<(G, u8)>,
    pub(crate) disp: i32,
}

impl Mem {
    pub(crate) fn at(base: G, disp: i32) -> Mem {
        Mem { base: Base::Reg(base), index: None, disp }
    }

    pub(crate) fn indexed(base: G, index: G, scale: u8, disp: i32) -> Mem {
        Mem { base: Base::Reg(base), index: Some((index, scale)), disp }
    }

    pub(crate) fn pool(offset: i32) -> Mem {
        Mem { base: Base::Pool, index: None, disp: offset }
    }
}

/// An operand that may be in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rm {
    X(X),
    G(G),
    M(Mem),
}

impl From<X> for Rm {
    fn from(x: X) -> Rm {
        Rm::X(x)
    }
}

impl From<G> for Rm {
    fn from(g: G) -> Rm {
        Rm::G(g)
    }
}

impl From<Mem> for Rm {
    fn from(m: Mem) -> Rm {
        Rm::M(m)
    }
}

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(u32);

/// Conditions of jumps, by their number in the opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cond {
    Below = 2,
    Zero = 4,
    NotZero = 5,
    BelowEqual = 6,
    Sign = 8,
    LessEqual = 14,
    Greater = 15,
}

impl Cond {
    fn name(self) -> &'static str {
        match self {
            Cond::Below => "jb",
            Cond::Zero => "je",
            Cond::NotZero => "jne",
            Cond::BelowEqual => "jbe",
            Cond::Sign => "js",
            Cond::LessEqual => "jle",
            Cond::Greater => "jg",
        }
    }
}

/// Arithmetic of general registers, by the number in the opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alu {
    Add = 0,
    Or = 1,
    And = 4,
    Sub = 5,
    Cmp = 7,
}

impl Alu {
    fn name(self) -> &'static str {
        match self {
            Alu::Add => "add",
            Alu::Or => "or",
            Alu::And => "and",
            Alu::Sub => "sub",
            Alu::Cmp => "cmp",
        }
    }
}

/// Code being written. Offsets are from its beginning.
#[derive(Debug, Default)]
pub(crate) struct Enc {
    pub(crate) code: Vec<u8>,
    pool: Vec<u8>,
    /// Places of constants by their bytes, of the first `hashed` ones of a large pool.
    places: FxHashMap<[u8; 32], usize>,
    hashed: usize,
    labels: Vec<Option<usize>>,
    jumps: Vec<(usize, Label)>,
    pool_uses: Vec<usize>,
    /// Offsets and text of instructions and labels, when wanted.
    pub(crate) listing: Option<Vec<(usize, String)>>,
}

impl Enc {
    pub(crate) fn new(listing: bool) -> Enc {
        Enc { listing: listing.then(Vec::new), ..Enc::default() }
    }

    fn note(&mut self, start: usize, text: impl FnOnce() -> String) {
        if let Some(listing) = &mut self.listing {
            listing.push((start, text()));
        }
    }

    // Vectors.

    /// `reg, vvvv, rm` with the operands an instruction of the form has; `imm` is a byte or a
    /// register.
    fn vex(&mut self, ins: &Ins, len: Len, reg: u8, vvvv: u8, rm: Rm, imm: Option<u8>) {
        let start = self.code.len();
        let (b, x) = match rm {
            Rm::X(X(n)) | Rm::G(G(n)) => (n >> 3, 0),
            Rm::M(m) => {
                let b = if let Base::Reg(g) = m.base { g.0 >> 3 } else { 0 };
                (b, m.index.map_or(0, |(g, _)| g.0 >> 3))
            }
        };
        let low = ((!vvvv & 15) << 3) | (u8::from(len == Len::L256) << 2) | ins.pp;
        let r = (!(reg >> 3) & 1) << 7;
        if ins.map == 1 && ins.w == 0 && b == 0 && x == 0 {
            self.code.extend([0xC5, r | low]);
        } else {
            let second = r | ((x ^ 1) << 6) | ((b ^ 1) << 5) | ins.map;
            self.code.extend([0xC4, second, (ins.w << 7) | low]);
        }
        self.code.push(ins.opcode);
        self.modrm(reg, rm, usize::from(imm.is_some()));
        self.code.extend(imm);
        self.note(start, || vector_text(ins, len, reg, vvvv, rm, imm.unwrap_or(0)));
    }

    pub(crate) fn rvm(&mut self, ins: &Ins, len: Len, d: X, a: X, b: impl Into<Rm>) {
        debug_assert_eq!(ins.form, Form::Rvm);
        self.vex(ins, len, d.0, a.0, b.into(), None);
    }

    pub(crate) fn rvmi(&mut self, ins: &Ins, len: Len, d: X, a: X, b: impl Into<Rm>, imm: u8) {
        debug_assert_eq!(ins.form, Form::Rvmi);
        self.vex(ins, len, d.0, a.0, b.into(), Some(imm));
    }

    pub(crate) fn rvmr(&mut self, ins: &Ins, len: Len, d: X, a: X, b: impl Into<Rm>, c: X) {
        debug_assert_eq!(ins.form, Form::Rvmr);
        self.vex(ins, len, d.0, a.0, b.into(), Some(c.0 << 4));
    }

    pub(crate) fn rm(&mut self, ins: &Ins, len: Len, d: X, a: impl Into<Rm>) {
        debug_assert_eq!(ins.form, Form::Rm);
        self.vex(ins, len, d.0, 0, a.into(), None);
    }

    pub(crate) fn rmi(&mut self, ins: &Ins, len: Len, d: X, a: impl Into<Rm>, imm: u8) {
        debug_assert_eq!(ins.form, Form::Rmi);
        self.vex(ins, len, d.0, 0, a.into(), Some(imm));
    }

    pub(crate) fn mr(&mut self, ins: &Ins, len: Len, d: impl Into<Rm>, a: X) {
        debug_assert_eq!(ins.form, Form::Mr);
        self.vex(ins, len, a.0, 0, d.into(), None);
    }

    pub(crate) fn mri(&mut self, ins: &Ins, len: Len, d: impl Into<Rm>, a: X, imm: u8) {
        debug_assert_eq!(ins.form, Form::Mri);
        self.vex(ins, len, a.0, 0, d.into(), Some(imm));
    }

    /// A shift by a constant.
    pub(crate) fn shift(&mut self, ins: &Ins, len: Len, d: X, a: X, imm: u8) {
        if let Form::Vmi(digit) = ins.form {
            self.vex(ins, len, digit, d.0, Rm::X(a), Some(imm));
        }
    }

    /// A copy of a register, unless it is to itself.
    pub(crate) fn copy(&mut self, len: Len, d: X, a: X) {
        if d != a {
            self.rm(super::ops::VMOVAPS, len, d, a);
        }
    }

    pub(crate) fn vzeroupper(&mut self) {
        self.plain(&[0xC5, 0xF8, 0x77], "vzeroupper");
    }

    fn modrm(&mut self, reg: u8, rm: Rm, after: usize) {
        let reg = (reg & 7) << 3;
        let m = match rm {
            Rm::X(X(n)) | Rm::G(G(n)) => return self.code.push(0xC0 | reg | (n & 7)),
            Rm::M(m) => m,
        };
        let Base::Reg(base) = m.base else {
            self.code.push(reg | 5);
            let end = self.code.len() + 4 + after;
            self.pool_uses.push(self.code.len());
            // What is missing is the offset of the pool.
            self.code.extend((m.disp - end as i32).to_le_bytes());
            return;
        };
        let short = i8::try_from(m.disp);
        let mode = match short {
            Ok(0) if base.0 & 7 != 5 => 0,
            Ok(_) => 0x40,
            Err(_) => 0x80,
        };
        match m.index {
            Some((index, scale)) => {
                self.code.push(mode | reg | 4);
                self.code.push((scale << 6) | ((index.0 & 7) << 3) | (base.0 & 7));
            }
            None if base.0 & 7 == 4 => self.code.extend([mode | reg | 4, 0x24]),
            None => self.code.push(mode | reg | (base.0 & 7)),
        }
        match (mode, short) {
            (0x40, Ok(short)) => self.code.push(short.cast_unsigned()),
            (0x80, _) => self.code.extend(m.disp.to_le_bytes()),
            _ => {}
        }
    }

    // General registers. All are of 64 bits unless said otherwise.

    fn plain(&mut self, bytes: &[u8], text: &str) {
        let start = self.code.len();
        self.code.extend_from_slice(bytes);
        self.note(start, || text.to_owned());
    }

    fn general(&mut self, wide: bool, opcode: &[u8], reg: u8, rm: Rm, after: usize) {
        let (b, x) = match rm {
            Rm::X(X(n)) | Rm::G(G(n)) => (n >> 3, 0),
            Rm::M(m) => {
                let b = if let Base::Reg(g) = m.base { g.0 >> 3 } else { 0 };
                (b, m.index.map_or(0, |(g, _)| g.0 >> 3))
            }
        };
        let rex = 0x40 | (u8::from(wide) << 3) | ((reg >> 3) << 2) | (x << 1) | b;
        if rex != 0x40 {
            self.code.push(rex);
        }
        self.code.extend_from_slice(opcode);
        self.modrm(reg, rm, after);
    }

    pub(crate) fn mov(&mut self, d: G, s: impl Into<Rm>) {
        let (start, s) = (self.code.len(), s.into());
        self.general(true, &[0x8B], d.0, s, 0);
        self.note(start, || format!("mov {},{}", g64(d), operand(s, Class::G64, Len::L128)));
    }

    pub(crate) fn mov_store(&mut self, d: Mem, s: G) {
        let start = self.code.len();
        self.general(true, &[0x89], s.0, Rm::M(d), 0);
        self.note(start, || format!("mov {},{}", memory(d), g64(s)));
    }

    pub(crate) fn lea(&mut self, d: G, m: Mem) {
        let start = self.code.len();
        self.general(true, &[0x8D], d.0, Rm::M(m), 0);
        self.note(start, || format!("lea {},{}", g64(d), memory(m)));
    }

    pub(crate) fn alu(&mut self, op: Alu, d: G, s: impl Into<Rm>) {
        let (start, s) = (self.code.len(), s.into());
        self.general(true, &[((op as u8) << 3) | 3], d.0, s, 0);
        self.note(start, || {
            format!("{} {},{}", op.name(), g64(d), operand(s, Class::G64, Len::L128))
        });
    }

    pub(crate) fn alu_imm(&mut self, op: Alu, d: G, imm: i32) {
        let start = self.code.len();
        if let Ok(short) = i8::try_from(imm) {
            self.general(true, &[0x83], op as u8, Rm::G(d), 1);
            self.code.push(short.cast_unsigned());
        } else {
            // The short form of rax is not used: the place of the constant stays the same.
            self.general(true, &[0x81], op as u8, Rm::G(d), 4);
            self.code.extend(imm.to_le_bytes());
        }
        self.note(start, || format!("{} {},{}", op.name(), g64(d), hex(imm.into())));
    }

    /// `sub rsp, ...` with a constant of four bytes that [`Enc::patch32`] sets; returns its place.
    pub(crate) fn sub_rsp_later(&mut self) -> usize {
        self.general(true, &[0x81], Alu::Sub as u8, Rm::G(RSP), 4);
        self.code.extend([0; 4]);
        self.code.len() - 4
    }

    /// Sets a constant of [`Enc::sub_rsp_later`].
    pub(crate) fn patch32(&mut self, place: usize, value: u32) {
        self.code[place..place + 4].copy_from_slice(&value.to_le_bytes());
        let text = format!("sub rsp,{}", hex(value.into()));
        if let Some(listing) = &mut self.listing {
            let at = listing.partition_point(|(start, _)| *start < place - 3);
            listing.insert(at, (place - 3, text));
        }
    }

    /// 32 bits, the upper half becomes 0.
    pub(crate) fn xor32(&mut self, d: G) {
        let start = self.code.len();
        self.general(false, &[0x33], d.0, Rm::G(d), 0);
        let name = general32(d);
        self.note(start, || format!("xor {name},{name}"));
    }

    pub(crate) fn imul(&mut self, d: G, s: impl Into<Rm>) {
        let (start, s) = (self.code.len(), s.into());
        self.general(true, &[0x0F, 0xAF], d.0, s, 0);
        self.note(start, || format!("imul {},{}", g64(d), operand(s, Class::G64, Len::L128)));
    }

    pub(crate) fn test(&mut self, a: G, b: G) {
        let start = self.code.len();
        self.general(true, &[0x85], b.0, Rm::G(a), 0);
        self.note(start, || format!("test {},{}", g64(a), g64(b)));
    }

    /// Bits of the low byte of rdx.
    pub(crate) fn test_dl(&mut self, bits: u8) {
        let start = self.code.len();
        self.code.extend([0xF6, 0xC2, bits]);
        self.note(start, || format!("test dl,{}", hex(bits.into())));
    }

    pub(crate) fn neg(&mut self, d: G) {
        let start = self.code.len();
        self.general(true, &[0xF7], 3, Rm::G(d), 0);
        self.note(start, || format!("neg {}", g64(d)));
    }

    /// Logical shift to the right by one.
    pub(crate) fn shr1(&mut self, d: G) {
        let start = self.code.len();
        self.general(true, &[0xD1], 5, Rm::G(d), 0);
        self.note(start, || format!("shr {},1", g64(d)));
    }

    /// Divides rdx:rax, after rdx was set for the sign.
    pub(crate) fn divide(&mut self, signed: bool, by: Mem) {
        if signed {
            self.plain(&[0x48, 0x99], "cqo");
        } else {
            self.xor32(RDX);
        }
        let start = self.code.len();
        self.general(true, &[0xF7], if signed { 7 } else { 6 }, Rm::M(by), 0);
        let name = if signed { "idiv" } else { "div" };
        self.note(start, || format!("{name} qword {}", memory(by)));
    }

    pub(crate) fn push(&mut self, r: G) {
        self.push_pop(0x50, r, "push");
    }

    pub(crate) fn pop(&mut self, r: G) {
        self.push_pop(0x58, r, "pop");
    }

    fn push_pop(&mut self, opcode: u8, r: G, name: &str) {
        let start = self.code.len();
        if r.0 >= 8 {
            self.code.push(0x41);
        }
        self.code.push(opcode | (r.0 & 7));
        self.note(start, || format!("{name} {}", g64(r)));
    }

    pub(crate) fn ret(&mut self) {
        self.plain(&[0xC3], "ret");
    }

    /// A double in memory to an integer, toward zero.
    pub(crate) fn truncate_double(&mut self, d: G, from: Mem) {
        self.vex(super::ops::VCVTTSD2SI, Len::L128, d.0, 0, Rm::M(from), None);
    }

    // The stack of the old floating-point unit, for exact remainders.

    /// Pushes a float of 4 or 8 bytes.
    pub(crate) fn fld(&mut self, m: Mem, bytes: usize) {
        let start = self.code.len();
        self.general(false, &[if bytes == 4 { 0xD9 } else { 0xDD }], 0, Rm::M(m), 0);
        self.note(start, || format!("fld {} {}", size(bytes), memory(m)));
    }

    /// Pops a float of 4 or 8 bytes.
    pub(crate) fn fstp(&mut self, m: Mem, bytes: usize) {
        let start = self.code.len();
        self.general(false, &[if bytes == 4 { 0xD9 } else { 0xDD }], 3, Rm::M(m), 0);
        self.note(start, || format!("fstp {} {}", size(bytes), memory(m)));
    }

    /// Reduces the top by what is under it; parity of the status is set while it is not complete.
    pub(crate) fn fprem(&mut self) {
        self.plain(&[0xD9, 0xF8], "fprem");
        self.plain(&[0xDF, 0xE0], "fnstsw ax");
        self.plain(&[0xF6, 0xC4, 0x04], "test ah,4");
    }

    /// Drops the top.
    pub(crate) fn fdrop(&mut self) {
        self.plain(&[0xDD, 0xD8], "fstp st0");
    }

    // Places.

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    pub(crate) fn bind(&mut self, label: Label) {
        let at = self.code.len();
        self.labels[label.0 as usize] = Some(at);
        self.note(at, || format!(".L{}:", label.0));
    }

    pub(crate) fn jump(&mut self, to: Label) {
        let start = self.code.len();
        self.code.extend([0xE9, 0, 0, 0, 0]);
        self.jumps.push((self.code.len() - 4, to));
        self.note(start, || format!("jmp .L{}", to.0));
    }

    pub(crate) fn jump_if(&mut self, cond: Cond, to: Label) {
        let start = self.code.len();
        self.code.extend([0x0F, 0x80 | cond as u8, 0, 0, 0, 0]);
        self.jumps.push((self.code.len() - 4, to));
        self.note(start, || format!("{} .L{}", cond.name(), to.0));
    }

    /// Fills with instructions that do nothing up to a multiple of a power of two.
    pub(crate) fn align(&mut self, to: usize) {
        const NOPS: [&[u8]; 8] = [
            &[0x90],
            &[0x66, 0x90],
            &[0x0F, 0x1F, 0x00],
            &[0x0F, 0x1F, 0x40, 0],
            &[0x0F, 0x1F, 0x44, 0, 0],
            &[0x66, 0x0F, 0x1F, 0x44, 0, 0],
            &[0x0F, 0x1F, 0x80, 0, 0, 0, 0],
            &[0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0],
        ];
        let mut missing = self.code.len().wrapping_neg() & (to - 1);
        while missing > 0 {
            let take = missing.min(8);
            self.code.extend_from_slice(NOPS[take - 1]);
            missing -= take;
        }
    }

    // Constants.

    /// The place of 32 bytes in the pool, aligned to 32.
    pub(crate) fn constant(&mut self, bytes: &[u8; 32]) -> i32 {
        let known = self.pool.len() / 32;
        let found = if known <= SEARCHED {
            self.pool.chunks_exact(32).position(|c| c == bytes)
        } else {
            for (at, chunk) in self.pool.chunks_exact(32).enumerate().skip(self.hashed) {
                let mut key = [0; 32];
                key.copy_from_slice(chunk);
                self.places.entry(key).or_insert(at);
            }
            self.hashed = known;
            self.places.get(bytes).copied()
        };
        let at = found.unwrap_or_else(|| {
            self.pool.extend_from_slice(bytes);
            known
        });
        (at * 32) as i32
    }

    /// The place of 64 bytes in the pool, aligned to 32. They are not looked for.
    pub(crate) fn constant64(&mut self, bytes: &[u8; 64]) -> i32 {
        self.pool.extend_from_slice(bytes);
        (self.pool.len() - 64) as i32
    }

    /// Resolves jumps and appends the pool at a multiple of 64. Nothing is left but the listing.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        for &(place, label) in &self.jumps {
            let target = self.labels[label.0 as usize].unwrap_or(0);
            let distance = target as i32 - (place as i32 + 4);
            self.code[place..place + 4].copy_from_slice(&distance.to_le_bytes());
        }
        let end = self.code.len();
        if !self.pool.is_empty() {
            self.code.resize(end.next_multiple_of(64), 0xCC);
        }
        let pool = self.code.len() as i32;
        for &place in &self.pool_uses {
            let mut word = [0; 4];
            word.copy_from_slice(&self.code[place..place + 4]);
            let value = i32::from_le_bytes(word) + pool;
            self.code[place..place + 4].copy_from_slice(&value.to_le_bytes());
        }
        self.code.append(&mut self.pool);
        std::mem::take(&mut self.code)
    }
}
