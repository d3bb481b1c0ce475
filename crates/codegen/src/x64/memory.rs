//! Loads and stores: element types, access patterns, tails.
//!
//! A narrow vector is packed in the low bytes of a register between memory and its lanes. A tail
//! touches no byte outside of its elements: wide elements are loaded under a mask, narrow ones and
//! all stores go in pieces of 4, 2 and 1 elements.

use tfjit_base::ids::Id;
use tfjit_base::{DType, Result};
use tfjit_plan::kernel::{Access, Lane, StreamId, Val, abi};

use super::emitter::{Emitter, frame_word, stream_word};
use super::enc::{Alu, Cond, Len, Mem, R10, RAX, RCX, RDX, Rm, X};
use super::ops;
use crate::alloc::Home;
use crate::program::Role;

/// Scale of an index of elements.
fn scale(bytes: usize) -> u8 {
    bytes.trailing_zeros() as u8
}

impl Emitter<'_> {
    /// The memory of the columns at hand of a stream of unit access.
    fn unit(&mut self, s: StreamId) -> Mem {
        let bytes = self.program.kernel.streams[s].dtype.size();
        let base = self.base(s, R10);
        Mem::indexed(base, RCX, scale(bytes), (self.column * bytes) as i32)
    }

    /// r10 as the address of the columns at hand; for strided access rax becomes the stride.
    fn pointer(&mut self, s: StreamId) {
        let stream = &self.program.kernel.streams[s];
        if stream.access == Access::Unit {
            let mem = self.unit(s);
            return self.enc.lea(R10, mem);
        }
        self.enc.lea(RAX, Mem::at(RCX, self.column as i32));
        self.enc.imul(RAX, stream_word(s.index(), 2));
        let base = self.base(s, R10);
        self.enc.lea(R10, Mem::indexed(base, RAX, 0, 0));
        self.enc.mov(RAX, stream_word(s.index(), 2));
    }

    /// Whether a load may happen where its value is used: once, whole, with no store in between.
    pub(super) fn is_deferred(&self, val: Val, s: StreamId) -> bool {
        let stream = &self.program.kernel.streams[s];
        let uses = self.program.uses(val);
        if self.tail
            || self.program.role(val) != Role::Local
            || stream.access != Access::Unit
            || stream.dtype.size() < 4
            || self.bases[s.index()].is_none()
            || uses.len() != 1
        {
            return false;
        }
        !self.program.stores_between(self.place, uses[0] as usize)
    }

    pub(super) fn load(&mut self, val: Val, s: StreamId) -> Result<()> {
        let stream = &self.program.kernel.streams[s];
        let (dtype, bytes) = (stream.dtype, stream.dtype.size());
        match stream.access {
            Access::Row => {
                let base = self.base(s, R10);
                let d = self.def(val);
                self.broadcast(d, dtype, Mem::at(base, 0));
            }
            Access::Unit if !self.tail => {
                let mem = self.unit(s);
                if self.is_deferred(val, s) {
                    let key = self.key(val);
                    self.alloc.set_home(key, Home::Memory(mem));
                } else {
                    let d = self.def(val);
                    self.widen(d, dtype, Rm::M(mem));
                }
            }
            Access::Unit if bytes >= 4 => {
                let mask = self.reg_of(self.masks[usize::from(bytes == 8)]);
                let mem = self.unit(s);
                let d = self.def(val);
                let ins = if bytes == 8 { ops::VMASKMOVPD } else { ops::VMASKMOVPS };
                let len = self.len(self.ty(val));
                self.enc.rvm(ins, len, d, mask, mem);
            }
            Access::Unit => {
                let d = self.def(val);
                self.load_pieces(d, s, bytes);
                self.widen(d, dtype, Rm::X(d));
            }
            Access::Strided => {
                let d = self.def(val);
                self.gather(d, s, bytes);
                self.widen(d, dtype, Rm::X(d));
            }
        }
        Ok(())
    }

    /// One element in all lanes.
    fn broadcast(&mut self, d: X, dtype: DType, mem: Mem) {
        match dtype.size() {
            8 => self.enc.rm(ops::VBROADCASTSD, Len::L256, d, mem),
            4 => self.enc.rm(ops::VBROADCASTSS, self.len(Lane::F32), d, mem),
            2 => self.enc.rm(ops::VPBROADCASTW, Len::L128, d, mem),
            _ => self.enc.rm(ops::VPBROADCASTB, Len::L128, d, mem),
        }
        if dtype.size() < 4 {
            self.widen(d, dtype, Rm::X(d));
        }
    }

    /// Packed elements to lanes.
    fn widen(&mut self, d: X, dtype: DType, from: Rm) {
        let len = self.len(Lane::F32);
        let ins = match dtype {
            DType::I8 => ops::VPMOVSXBD,
            DType::U8 | DType::Bool => ops::VPMOVZXBD,
            DType::I16 => ops::VPMOVSXWD,
            DType::U16 | DType::BF16 => ops::VPMOVZXWD,
            DType::F16 => ops::VCVTPH2PS,
            _ => {
                if from != Rm::X(d) {
                    let len = if dtype.size() == 8 { Len::L256 } else { len };
                    self.enc.rm(ops::VMOVUPS, len, d, from);
                }
                return;
            }
        };
        self.enc.rm(ins, len, d, from);
        match dtype {
            DType::BF16 => self.enc.shift(ops::VPSLLD, len, d, d, 16),
            DType::Bool => {
                let zero = self.c32(0);
                self.enc.rvm(ops::VPCMPGTD, len, d, d, zero);
            }
            _ => {}
        }
    }

    /// The packed narrow elements of a tail, from the last piece to the first.
    fn load_pieces(&mut self, d: X, s: StreamId, bytes: usize) {
        self.pointer(s);
        self.enc.rvm(ops::VPXOR, Len::L128, d, d, d);
        let scale = scale(bytes);
        for piece in [1usize, 2, 4] {
            if piece >= self.lanes {
                break;
            }
            let skip = self.enc.label();
            self.enc.test_dl(piece as u8);
            self.enc.jump_if(Cond::Zero, skip);
            // The piece begins after the larger ones.
            let mem = match piece {
                1 => Mem::indexed(R10, RDX, scale, -(bytes as i32)),
                2 => {
                    self.enc.mov(RAX, RDX);
                    self.enc.alu_imm(Alu::And, RAX, 4);
                    Mem::indexed(R10, RAX, scale, 0)
                }
                _ => Mem::at(R10, 0),
            };
            if piece > 1 {
                self.enc.shift(ops::VPSLLDQ, Len::L128, d, d, (piece * bytes) as u8);
            }
            let ins = match piece * bytes {
                1 => ops::VPINSRB,
                2 => ops::VPINSRW,
                4 => ops::VPINSRD,
                _ => ops::VPINSRQ,
            };
            self.enc.rvmi(ins, Len::L128, d, d, mem, 0);
            self.enc.bind(skip);
        }
    }

    /// Packed elements from a stride.
    fn gather(&mut self, d: X, s: StreamId, bytes: usize) {
        self.pointer(s);
        let half = if bytes >= 4 { 16 / bytes } else { self.lanes };
        let high = (half < self.lanes).then(|| self.temp());
        for x in [Some(d), high].into_iter().flatten() {
            self.enc.rvm(ops::VPXOR, Len::L128, x, x, x);
        }
        let done = self.enc.label();
        for lane in 0..self.lanes {
            if self.tail && lane > 0 {
                self.enc.alu_imm(Alu::Cmp, RDX, lane as i32);
                self.enc.jump_if(Cond::BelowEqual, done);
            }
            let x = if lane < half { d } else { high.unwrap_or(d) };
            let ins = match bytes {
                1 => ops::VPINSRB,
                2 => ops::VPINSRW,
                4 => ops::VPINSRD,
                _ => ops::VPINSRQ,
            };
            self.enc.rvmi(ins, Len::L128, x, x, Mem::at(R10, 0), (lane % half) as u8);
            if lane + 1 < self.lanes {
                self.enc.alu(Alu::Add, R10, RAX);
            }
        }
        self.enc.bind(done);
        if let Some(high) = high {
            self.enc.rvmi(ops::VINSERTI128, Len::L256, d, d, high, 1);
        }
    }

    pub(super) fn store(&mut self, s: StreamId, val: Val) -> Result<()> {
        let stream = &self.program.kernel.streams[s];
        let (dtype, bytes) = (stream.dtype, stream.dtype.size());
        let len = self.len(self.ty(val));
        let v = self.reg(val);
        match stream.access {
            Access::Row => {
                let packed = self.pack(v, dtype);
                let base = self.base(s, R10);
                self.store_one(Mem::at(base, 0), packed, bytes, 0);
            }
            Access::Unit if !self.tail => {
                let packed = self.pack(v, dtype);
                let mem = self.unit(s);
                match bytes * self.lanes {
                    4 => self.enc.mr(ops::VMOVD_ST, Len::L128, mem, packed),
                    8 => self.enc.mr(ops::VMOVQ_ST, Len::L128, mem, packed),
                    16 => self.enc.mr(ops::VMOVUPS_ST, Len::L128, mem, packed),
                    _ => self.enc.mr(ops::VMOVUPS_ST, len, mem, packed),
                }
            }
            Access::Unit => {
                let packed = self.pack_own(v, dtype, len);
                self.store_pieces(s, packed, bytes);
            }
            Access::Strided => {
                let packed = self.pack_own(v, dtype, len);
                self.scatter(s, packed, bytes);
            }
        }
        Ok(())
    }

    /// The packed elements of a vector in a register that may be overwritten.
    fn pack_own(&mut self, v: X, dtype: DType, len: Len) -> X {
        let packed = self.pack(v, dtype);
        if packed != v {
            return packed;
        }
        let t = self.temp();
        self.enc.copy(len, t, v);
        t
    }

    /// The elements of a vector packed; the vector itself when its type is as wide.
    fn pack(&mut self, v: X, dtype: DType) -> X {
        const HIGH: u8 = 0x80;
        let mut control = [HIGH; 16];
        let (len, full) = (self.len(Lane::F32), !self.program.wide);
        match dtype {
            DType::Bool | DType::I8 | DType::U8 => {
                let t = self.temp();
                (0..4).for_each(|i| control[i] = 4 * i as u8);
                let control = self.bytes16(control);
                self.enc.rvm(ops::VPSHUFB, len, t, v, control);
                if full {
                    let high = self.temp();
                    self.enc.mri(ops::VEXTRACTI128, Len::L256, high, t, 1);
                    self.enc.rvm(ops::VPUNPCKLDQ, Len::L128, t, t, high);
                    self.free(high);
                }
                if dtype == DType::Bool {
                    self.enc.rm(ops::VPABSB, Len::L128, t, t);
                }
                t
            }
            DType::I16 | DType::U16 | DType::BF16 => {
                let bf16 = dtype == DType::BF16;
                let t = if bf16 { self.round_bf16(v) } else { self.temp() };
                let from = if bf16 { t } else { v };
                for i in 0..4 {
                    control[2 * i] = 4 * i as u8 + if bf16 { 2 } else { 0 };
                    control[2 * i + 1] = control[2 * i] + 1;
                }
                let control = self.bytes16(control);
                self.enc.rvm(ops::VPSHUFB, len, t, from, control);
                if full {
                    self.enc.rmi(ops::VPERMQ, Len::L256, t, t, 0x08);
                }
                t
            }
            DType::F16 => {
                let t = self.temp();
                self.enc.mri(ops::VCVTPS2PH, len, t, v, 0);
                t
            }
            _ => v,
        }
    }

    /// Floats rounded to bf16 in the high halves of their lanes; the low halves are garbage.
    pub(super) fn round_bf16(&mut self, v: X) -> X {
        let len = self.len(Lane::F32);
        let (t, nan) = (self.temp(), self.temp());
        let (one, bias, quiet) = (self.c32(1), self.c32(0x7fff), self.c32(0x0040_0000));
        self.enc.shift(ops::VPSRLD, len, t, v, 16);
        self.enc.rvm(ops::VPAND, len, t, t, one);
        self.enc.rvm(ops::VPADDD, len, t, t, bias);
        self.enc.rvm(ops::VPADDD, len, t, t, v);
        self.enc.rvmi(ops::VCMPPS, len, nan, v, v, 3);
        let q = self.temp();
        self.enc.rvm(ops::VORPS, len, q, v, quiet);
        self.enc.rvmr(ops::VBLENDVPS, len, t, t, q, nan);
        self.free(nan);
        self.free(q);
        t
    }

    /// One element of a packed vector, from its first half.
    fn store_one(&mut self, mem: Mem, packed: X, bytes: usize, lane: u8) {
        let ins = match bytes {
            1 => ops::VPEXTRB,
            2 => ops::VPEXTRW,
            4 if lane == 0 => return self.enc.mr(ops::VMOVSS_ST, Len::L128, mem, packed),
            4 => ops::VPEXTRD,
            _ if lane == 0 => return self.enc.mr(ops::VMOVSD_ST, Len::L128, mem, packed),
            _ => ops::VPEXTRQ,
        };
        self.enc.mri(ins, Len::L128, mem, packed, lane);
    }

    /// The elements of a tail, largest piece first; the register is lost.
    fn store_pieces(&mut self, s: StreamId, packed: X, bytes: usize) {
        self.pointer(s);
        for piece in [4usize, 2, 1] {
            if piece >= self.lanes {
                continue;
            }
            let skip = self.enc.label();
            self.enc.test_dl(piece as u8);
            self.enc.jump_if(Cond::Zero, skip);
            let size = piece * bytes;
            let mem = Mem::at(R10, 0);
            match size {
                1 => self.enc.mri(ops::VPEXTRB, Len::L128, mem, packed, 0),
                2 => self.enc.mri(ops::VPEXTRW, Len::L128, mem, packed, 0),
                4 => self.enc.mr(ops::VMOVSS_ST, Len::L128, mem, packed),
                8 => self.enc.mr(ops::VMOVSD_ST, Len::L128, mem, packed),
                _ => self.enc.mr(ops::VMOVUPS_ST, Len::L128, mem, packed),
            }
            if piece > 1 {
                self.enc.alu_imm(Alu::Add, R10, size as i32);
                if size == 16 {
                    self.enc.mri(ops::VEXTRACTI128, Len::L256, packed, packed, 1);
                } else {
                    self.enc.shift(ops::VPSRLDQ, Len::L128, packed, packed, size as u8);
                }
            }
            self.enc.bind(skip);
        }
    }

    /// Packed elements to a stride; the register is lost.
    fn scatter(&mut self, s: StreamId, packed: X, bytes: usize) {
        self.pointer(s);
        let half = if bytes >= 4 { 16 / bytes } else { self.lanes };
        let done = self.enc.label();
        for lane in 0..self.lanes {
            if self.tail && lane > 0 {
                self.enc.alu_imm(Alu::Cmp, RDX, lane as i32);
                self.enc.jump_if(Cond::BelowEqual, done);
            }
            if lane == half {
                self.enc.mri(ops::VEXTRACTI128, Len::L256, packed, packed, 1);
            }
            self.store_one(Mem::at(R10, 0), packed, bytes, (lane % half) as u8);
            if lane + 1 < self.lanes {
                self.enc.alu(Alu::Add, R10, RAX);
            }
        }
        self.enc.bind(done);
    }

    /// Numbers of the columns.
    pub(super) fn column_numbers(&mut self, val: Val) {
        let len = self.len(Lane::I32);
        let d = self.def(val);
        let mut bytes = [0; 32];
        for (i, c) in bytes.chunks_exact_mut(4).enumerate() {
            c.copy_from_slice(&(i as u32).to_le_bytes());
        }
        let iota = Mem::pool(self.enc.constant(&bytes));
        self.enc.lea(RAX, Mem::at(RCX, self.column as i32));
        self.enc.alu(Alu::Add, RAX, frame_word(abi::FIRST_COLUMN));
        self.enc.rm(ops::VMOVD_G, Len::L128, d, RAX);
        self.enc.rm(ops::VPBROADCASTD, len, d, d);
        self.enc.rvm(ops::VPADDD, len, d, d, iota);
    }
}
