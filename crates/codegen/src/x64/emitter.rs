//! The emitter's state and its small words: operands, results, temporaries, constants.
//!
//! What instructions a kernel's operations become is in the other files of this folder.

use tfjit_base::Error;
use tfjit_base::ids::Id;
use tfjit_plan::kernel::{Axis, Inst, Lane, StreamId, Val, abi};

use super::enc::{Enc, G, Len, Mem, RAX, RBP, RBX, RDI, RDX, RSP, Rm, X};
use super::ops;
use crate::alloc::{Alloc, Home, Key};
use crate::program::{Program, Role};

/// Vector registers.
pub(super) const REGISTERS: usize = 16;
/// Registers for addresses of streams, those that need no saving first.
const BASES: [G; 9] = [G(8), G(9), G(11), RBX, RBP, G(12), G(13), G(14), G(15)];
/// Word of the stack that keeps the caller's stack pointer.
pub(super) const OLD_RSP: Mem = stack_word(0);
/// Word of the stack for rdx where a division needs it.
pub(super) const SAVED_RDX: Mem = stack_word(1);
/// First word of the stack with the address of a stream that has no register.
const BASE_WORDS: i32 = 2;
/// Most vectors that are worked on side by side.
pub(super) const BESIDE: usize = 2;
/// Bytes of a slot of the stack.
pub(super) const SLOT: usize = 32;

pub(super) const fn stack_word(n: i32) -> Mem {
    Mem { base: super::enc::Base::Reg(RSP), index: None, disp: n * 8 }
}

/// A word of the frame.
pub(super) fn frame_word(n: usize) -> Mem {
    Mem::at(RDI, (n * 8) as i32)
}

/// Where a stream's word is in the frame.
pub(super) fn stream_word(s: usize, word: usize) -> Mem {
    frame_word(abi::STREAMS + s * abi::STREAM_WORDS + word)
}

pub(super) struct Emitter<'k> {
    pub(super) enc: Enc,
    pub(super) program: Program<'k>,
    pub(super) alloc: Alloc<Mem>,
    /// Lanes of a vector: 8 of 32 bits or 4 of 64.
    pub(super) lanes: usize,
    /// First key of each value.
    keys: Vec<Key>,
    /// The value of a key, when it has one.
    values: Vec<Option<Val>>,
    /// Keys of partial sums over columns, by value.
    pub(super) partials: Vec<(Val, Key)>,
    /// Which columns the tail has, as masks of 32 and 64 bits.
    pub(super) masks: [Key; 2],
    /// Where the pool has the masks of all tails.
    pub(super) mask_table: Option<i32>,
    /// Registers with the addresses of streams.
    pub(super) bases: Vec<Option<G>>,
    /// Place of the instruction at hand.
    pub(super) place: usize,
    /// Which vector of a block or of an unrolled body it is.
    pub(super) copy: usize,
    /// Which of the vectors it is that are worked on side by side.
    pub(super) beside: usize,
    /// Its columns after rcx.
    pub(super) column: usize,
    /// The places of the loop it is in, or nothing outside of loops.
    pub(super) within: Option<(usize, usize)>,
    /// Whether only some lanes have columns; rdx is how many.
    pub(super) tail: bool,
}

impl<'k> Emitter<'k> {
    /// With a number of vectors in a block, over rows.
    pub(super) fn new(program: Program<'k>, block: usize, listing: bool) -> Emitter<'k> {
        let lanes = if program.wide { 4 } else { 8 };
        let mut alloc = Alloc::new(REGISTERS as u8);
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for val in program.kernel.insts.ids() {
            let copies = match program.role(val) {
                Role::Carried => block,
                Role::Local => BESIDE,
                _ => 1,
            };
            keys.push(alloc.add_keys(copies));
            values.extend(std::iter::repeat_n(Some(val), copies));
        }
        let masks = [alloc.add_keys(1), alloc.add_keys(1)];
        values.extend([None, None]);
        let bases = Emitter::place_bases(&program);
        Emitter {
            enc: Enc::new(listing),
            program,
            alloc,
            lanes,
            keys,
            values,
            partials: Vec::new(),
            masks,
            mask_table: None,
            bases,
            place: 0,
            copy: 0,
            beside: 0,
            column: 0,
            within: None,
            tail: false,
        }
    }

    /// Gives registers to the streams that loops read and write.
    fn place_bases(program: &Program) -> Vec<Option<G>> {
        use tfjit_plan::kernel::Access;
        let streams = &program.kernel.streams;
        let columns = program.kernel.axis == Axis::Columns;
        let mut bases = vec![None; streams.len()];
        let mut free = BASES.iter();
        for rows in [false, true] {
            for (id, stream) in streams.iter() {
                if (columns && stream.access == Access::Row) == rows {
                    bases[id.index()] = free.next().copied();
                }
            }
        }
        bases
    }

    /// Keys of partial sums, which are no values of the kernel.
    pub(super) fn add_partials(&mut self, count: usize) -> Key {
        self.values.extend(std::iter::repeat_n(None, count));
        self.alloc.add_keys(count)
    }

    pub(super) fn is_rows(&self) -> bool {
        self.program.kernel.axis == Axis::Rows
    }

    pub(super) fn unsupported(&self, what: impl Into<String>) -> Error {
        Error::unimplemented(what).at(format!("kernel {}", self.program.kernel.name))
    }

    pub(super) fn ty(&self, val: Val) -> Lane {
        self.program.ty(val)
    }

    /// Length of the vectors of a type.
    pub(super) fn len(&self, ty: Lane) -> Len {
        if self.program.wide && ty.bytes() != 8 { Len::L128 } else { Len::L256 }
    }

    /// Offset of the slots from the stack pointer.
    fn slots_at(&self) -> usize {
        (BASE_WORDS as usize * 8 + self.bases.len() * 8).next_multiple_of(64)
    }

    pub(super) fn slot(&self, slot: u32) -> Mem {
        Mem::at(RSP, (self.slots_at() + slot as usize * SLOT) as i32)
    }

    /// Bytes of the stack that the kernel uses.
    pub(super) fn stack_bytes(&self) -> usize {
        (self.slots_at() + self.alloc.slots() as usize * SLOT).next_multiple_of(64)
    }

    /// The word of the stack with the address of a stream that has no register.
    pub(super) fn base_word(s: StreamId) -> Mem {
        stack_word(BASE_WORDS + s.index() as i32)
    }

    // Values.

    pub(super) fn key(&self, val: Val) -> Key {
        let first = self.keys[val.index()];
        match self.program.role(val) {
            Role::Carried => first + self.copy as Key,
            Role::Local => first + self.beside as Key,
            _ => first,
        }
    }

    /// All keys of a value.
    pub(super) fn keys_of(&self, val: Val) -> std::ops::Range<Key> {
        let first = self.keys[val.index()];
        let next = self.keys.get(val.index() + 1).copied().unwrap_or(self.masks[0]);
        first..next
    }

    fn next_use(&self, key: Key) -> usize {
        match self.values.get(key as usize).copied().flatten() {
            Some(val) => self.program.next_use(val, self.place).unwrap_or(usize::MAX),
            None => self.place + 2,
        }
    }

    /// Whether the instruction at hand is the last to use a value.
    pub(super) fn dies(&self, val: Val) -> bool {
        match self.program.role(val) {
            Role::Const | Role::Dead => false,
            Role::Local => !self.program.is_used_after(val, self.place),
            Role::Shared | Role::Carried => {
                self.within.is_none() && !self.program.is_used_after(val, self.place)
            }
        }
    }

    /// A fresh register, which is free again after the instruction unless a value gets it.
    pub(super) fn temp(&mut self) -> X {
        if let Some(r) = self.alloc.free_register() {
            return X(r);
        }
        let victim = self.alloc.victim(|key| self.next_use(key));
        // An instruction locks at most nine registers, and loops leave as many.
        let key = victim.expect("a register that is neither locked nor pinned");
        self.spill(key);
        let r = self.alloc.detach(key).expect("values of registers have registers");
        X(r)
    }

    /// Sees to it that the home of a value has it.
    pub(super) fn spill(&mut self, key: Key) {
        let Some(r) = self.alloc.register(key).filter(|_| self.alloc.is_dirty(key)) else { return };
        let slot = match self.alloc.home(key) {
            Home::Slot(slot) => slot,
            _ => self.alloc.take_slot(),
        };
        self.alloc.set_home(key, Home::Slot(slot));
        let (mem, len) = (self.slot(slot), self.key_len(key));
        self.enc.mr(ops::VMOVAPS_ST, len, mem, X(r));
        self.alloc.clean(key);
    }

    fn key_len(&self, key: Key) -> Len {
        match self.values.get(key as usize).copied().flatten() {
            Some(val) => self.len(self.ty(val)),
            None if key == self.masks[0] => self.len(Lane::I32),
            None => Len::L256,
        }
    }

    /// The register of a key, loaded when needed, locked.
    pub(super) fn reg_of(&mut self, key: Key) -> X {
        if let Some(r) = self.alloc.register(key) {
            self.alloc.lock(r);
            return X(r);
        }
        let d = self.temp();
        let len = self.key_len(key);
        if let Some(mem) = self.home_of(key) {
            self.enc.rm(ops::VMOVUPS, len, d, mem);
        }
        self.alloc.attach(key, d.0, false);
        d
    }

    pub(super) fn home_of(&self, key: Key) -> Option<Mem> {
        match self.alloc.home(key) {
            Home::Slot(slot) => Some(self.slot(slot)),
            Home::Memory(mem) => Some(mem),
            Home::Nowhere => None,
        }
    }

    /// The register of a value.
    pub(super) fn reg(&mut self, val: Val) -> X {
        self.reg_of(self.key(val))
    }

    /// A value where it is.
    pub(super) fn rm(&mut self, val: Val) -> Rm {
        let key = self.key(val);
        match (self.alloc.register(key), self.home_of(key)) {
            (None, Some(mem)) => Rm::M(mem),
            _ => Rm::X(self.reg_of(key)),
        }
    }

    pub(super) fn in_register(&self, val: Val) -> bool {
        self.alloc.register(self.key(val)).is_some()
    }

    /// Locks the registers of all operands, so that loading one does not move another away.
    pub(super) fn hold(&mut self, inst: &Inst) {
        for &arg in &inst.args {
            if let Some(r) = self.alloc.register(self.key(arg)) {
                self.alloc.lock(r);
            }
        }
    }

    /// Frees the registers of operands that die. Only for results that are written by the last
    /// instruction that reads operands.
    pub(super) fn release(&mut self, inst: &Inst) {
        for &arg in &inst.args {
            if self.dies(arg) {
                self.alloc.kill(self.key(arg));
            }
        }
    }

    /// The register of a dying value, to become the result's.
    pub(super) fn take(&mut self, val: Val) -> Option<X> {
        let key = self.key(val);
        let r = self.alloc.register(key)?;
        if !self.dies(val) || self.alloc.is_pinned(r) {
            return None;
        }
        self.alloc.detach(key).map(X)
    }

    /// A register for a result.
    pub(super) fn def(&mut self, val: Val) -> X {
        let d = self.temp();
        self.attach(val, d);
        d
    }

    /// Makes a register that of a result.
    pub(super) fn attach(&mut self, val: Val, d: X) {
        let key = self.key(val);
        if let Home::Memory(_) = self.alloc.home(key) {
            self.alloc.set_home(key, Home::Nowhere);
        }
        self.alloc.attach(key, d.0, true);
        self.alloc.lock(d.0);
    }

    /// The register of a value that may be overwritten: its own when it dies, else a copy.
    pub(super) fn own(&mut self, val: Val) -> X {
        if let Some(d) = self.take(val) {
            return d;
        }
        let (a, len) = (self.rm(val), self.len(self.ty(val)));
        let d = self.temp();
        match a {
            Rm::X(a) => self.enc.copy(len, d, a),
            _ => self.enc.rm(ops::VMOVUPS, len, d, a),
        }
        d
    }

    pub(super) fn free(&mut self, x: X) {
        self.alloc.free_temporary(x.0);
    }

    /// After an instruction.
    pub(super) fn end(&mut self, inst: &Inst) {
        self.release(inst);
        self.alloc.end();
    }

    // Constants.

    /// A vector of a 32-bit constant.
    pub(super) fn c32(&mut self, bits: u32) -> Mem {
        let mut bytes = [0; 32];
        bytes.chunks_exact_mut(4).for_each(|c| c.copy_from_slice(&bits.to_le_bytes()));
        Mem::pool(self.enc.constant(&bytes))
    }

    pub(super) fn f32(&mut self, value: f32) -> Mem {
        self.c32(value.to_bits())
    }

    /// A vector of a 64-bit constant.
    pub(super) fn c64(&mut self, bits: u64) -> Mem {
        let mut bytes = [0; 32];
        bytes.chunks_exact_mut(8).for_each(|c| c.copy_from_slice(&bits.to_le_bytes()));
        Mem::pool(self.enc.constant(&bytes))
    }

    pub(super) fn f64(&mut self, value: f64) -> Mem {
        self.c64(value.to_bits())
    }

    /// A constant of a lane type, from its bits.
    pub(super) fn constant(&mut self, ty: Lane, bits: u64) -> Mem {
        match ty {
            Lane::Pred => self.c32(if bits & 1 == 1 { u32::MAX } else { 0 }),
            _ if ty.bytes() == 8 => self.c64(bits),
            _ => self.c32(bits as u32),
        }
    }

    /// All bits but the sign, or only the sign.
    pub(super) fn sign(&mut self, ty: Lane) -> Mem {
        if ty.bytes() == 8 { self.c64(1 << 63) } else { self.c32(1 << 31) }
    }

    /// Sixteen bytes, twice.
    pub(super) fn bytes16(&mut self, half: [u8; 16]) -> Mem {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&half);
        bytes[16..].copy_from_slice(&half);
        Mem::pool(self.enc.constant(&bytes))
    }

    /// A zero register, as a temporary.
    pub(super) fn zero(&mut self) -> X {
        let d = self.temp();
        self.enc.rvm(ops::VPXOR, Len::L128, d, d, d);
        d
    }

    /// Calls code for each lane with the lane's number in r10; rax and rdx are free in it.
    pub(super) fn each_lane(&mut self, lane: impl FnOnce(&mut Emitter<'k>)) {
        use super::enc::{Alu, Cond, R10};
        self.enc.mov_store(SAVED_RDX, RDX);
        self.enc.xor32(R10);
        let top = self.enc.label();
        self.enc.bind(top);
        lane(self);
        self.enc.alu_imm(Alu::Add, R10, 1);
        self.enc.alu_imm(Alu::Cmp, R10, self.lanes as i32);
        self.enc.jump_if(Cond::Below, top);
        self.enc.mov(RDX, SAVED_RDX);
    }

    /// The address of a stream in a register: its own, or `scratch`.
    pub(super) fn base(&mut self, s: StreamId, scratch: G) -> G {
        match self.bases[s.index()] {
            Some(base) => base,
            None => {
                self.enc.mov(scratch, Emitter::base_word(s));
                scratch
            }
        }
    }

    /// Sets the addresses of streams to those of the first row.
    pub(super) fn load_bases(&mut self, streams: impl Iterator<Item = StreamId>) {
        for s in streams {
            let first = stream_word(s.index(), 0);
            match self.bases[s.index()] {
                Some(base) => self.enc.mov(base, first),
                None => {
                    self.enc.mov(RAX, first);
                    self.enc.mov_store(Emitter::base_word(s), RAX);
                }
            }
        }
    }

    /// Moves the addresses of streams to the next row.
    pub(super) fn advance_bases(&mut self, streams: impl Iterator<Item = StreamId>) {
        use super::enc::Alu;
        for s in streams {
            let stride = stream_word(s.index(), 1);
            match self.bases[s.index()] {
                Some(base) => self.enc.alu(Alu::Add, base, stride),
                None => {
                    self.enc.mov(RAX, Emitter::base_word(s));
                    self.enc.alu(Alu::Add, RAX, stride);
                    self.enc.mov_store(Emitter::base_word(s), RAX);
                }
            }
        }
    }

    /// Saved registers among those of addresses.
    pub(super) fn saved(&self) -> Vec<G> {
        let kept = |g: &G| matches!(g.0, 3 | 5 | 12..=15);
        self.bases.iter().flatten().copied().filter(kept).collect()
    }

    pub(super) fn finish_keys(&mut self, keys: std::ops::Range<Key>) {
        keys.for_each(|key| self.alloc.kill(key));
    }
}
