//! The vector instructions that the emitter uses, one row each: how they are encoded and written.
//!
//! It must not know what they are used for. The encodings are those of the processor manuals; the
//! tests compare each form with a disassembler.

/// How the operands of an instruction are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `reg, vvvv, rm`
    Rvm,
    /// `reg, vvvv, rm, imm8`
    Rvmi,
    /// `reg, vvvv, rm, register in imm8`
    Rvmr,
    /// `reg, rm`
    Rm,
    /// `reg, rm, imm8`
    Rmi,
    /// `rm, reg`
    Mr,
    /// `rm, reg, imm8`
    Mri,
    /// `vvvv, rm, imm8` with an opcode digit in `reg`
    Vmi(u8),
}

/// The registers that an operand names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Vectors of the instruction's length.
    Vector,
    /// 128-bit vectors.
    Xmm,
    /// 32-bit general registers.
    G32,
    /// 64-bit general registers.
    G64,
}

/// An instruction with a VEX prefix.
#[derive(Debug)]
pub(crate) struct Ins {
    pub(crate) name: &'static str,
    /// Opcode map: 1 is `0F`, 2 is `0F 38`, 3 is `0F 3A`.
    pub(crate) map: u8,
    /// Implied prefix: 0 none, 1 is `66`, 2 is `F3`, 3 is `F2`.
    pub(crate) pp: u8,
    pub(crate) w: u8,
    pub(crate) opcode: u8,
    pub(crate) form: Form,
    pub(crate) reg: Class,
    pub(crate) rm: Class,
}

macro_rules! instructions {
    ($($id:ident = $name:literal $map:literal $pp:literal $w:literal $op:literal
        $form:expr, $reg:ident $rm:ident;)*) => {
        $(pub(crate) const $id: &Ins = &Ins {
            name: $name, map: $map, pp: $pp, w: $w, opcode: $op, form: $form,
            reg: Class::$reg, rm: Class::$rm,
        };)*
    };
}

use Form::{Mr, Mri, Rm, Rmi, Rvm, Rvmi, Rvmr, Vmi};

instructions! {
    VMOVUPS = "vmovups" 1 0 0 0x10 Rm, Vector Vector;
    VMOVUPS_ST = "vmovups" 1 0 0 0x11 Mr, Vector Vector;
    VMOVAPS = "vmovaps" 1 0 0 0x28 Rm, Vector Vector;
    VMOVAPS_ST = "vmovaps" 1 0 0 0x29 Mr, Vector Vector;
    VMOVSS_ST = "vmovss" 1 2 0 0x11 Mr, Xmm Xmm;
    VMOVSD_ST = "vmovsd" 1 3 0 0x11 Mr, Xmm Xmm;
    VMOVD_G = "vmovd" 1 1 0 0x6E Rm, Xmm G32;
    VMOVD_ST = "vmovd" 1 1 0 0x7E Mr, Xmm G32;
    VMOVQ_ST = "vmovq" 1 1 0 0xD6 Mr, Xmm Xmm;
    VMASKMOVPS = "vmaskmovps" 2 1 0 0x2C Rvm, Vector Vector;
    VMASKMOVPD = "vmaskmovpd" 2 1 0 0x2D Rvm, Vector Vector;
    VBROADCASTSS = "vbroadcastss" 2 1 0 0x18 Rm, Vector Xmm;
    VBROADCASTSD = "vbroadcastsd" 2 1 0 0x19 Rm, Vector Xmm;
    VPBROADCASTB = "vpbroadcastb" 2 1 0 0x78 Rm, Vector Xmm;
    VPBROADCASTW = "vpbroadcastw" 2 1 0 0x79 Rm, Vector Xmm;
    VPBROADCASTD = "vpbroadcastd" 2 1 0 0x58 Rm, Vector Xmm;

    VADDPS = "vaddps" 1 0 0 0x58 Rvm, Vector Vector;
    VSUBPS = "vsubps" 1 0 0 0x5C Rvm, Vector Vector;
    VMULPS = "vmulps" 1 0 0 0x59 Rvm, Vector Vector;
    VDIVPS = "vdivps" 1 0 0 0x5E Rvm, Vector Vector;
    VMINPS = "vminps" 1 0 0 0x5D Rvm, Vector Vector;
    VMAXPS = "vmaxps" 1 0 0 0x5F Rvm, Vector Vector;
    VSQRTPS = "vsqrtps" 1 0 0 0x51 Rm, Vector Vector;
    VROUNDPS = "vroundps" 3 1 0 0x08 Rmi, Vector Vector;
    VCMPPS = "vcmpps" 1 0 0 0xC2 Rvmi, Vector Vector;
    VBLENDVPS = "vblendvps" 3 1 0 0x4A Rvmr, Vector Vector;
    VSHUFPS = "vshufps" 1 0 0 0xC6 Rvmi, Vector Vector;
    VFMADD132PS = "vfmadd132ps" 2 1 0 0x98 Rvm, Vector Vector;
    VFMADD213PS = "vfmadd213ps" 2 1 0 0xA8 Rvm, Vector Vector;
    VFMADD231PS = "vfmadd231ps" 2 1 0 0xB8 Rvm, Vector Vector;
    VADDPD = "vaddpd" 1 1 0 0x58 Rvm, Vector Vector;
    VSUBPD = "vsubpd" 1 1 0 0x5C Rvm, Vector Vector;
    VMULPD = "vmulpd" 1 1 0 0x59 Rvm, Vector Vector;
    VDIVPD = "vdivpd" 1 1 0 0x5E Rvm, Vector Vector;
    VMINPD = "vminpd" 1 1 0 0x5D Rvm, Vector Vector;
    VMAXPD = "vmaxpd" 1 1 0 0x5F Rvm, Vector Vector;
    VSQRTPD = "vsqrtpd" 1 1 0 0x51 Rm, Vector Vector;
    VROUNDPD = "vroundpd" 3 1 0 0x09 Rmi, Vector Vector;
    VCMPPD = "vcmppd" 1 1 0 0xC2 Rvmi, Vector Vector;
    VBLENDVPD = "vblendvpd" 3 1 0 0x4B Rvmr, Vector Vector;
    VFMADD132PD = "vfmadd132pd" 2 1 1 0x98 Rvm, Vector Vector;
    VFMADD213PD = "vfmadd213pd" 2 1 1 0xA8 Rvm, Vector Vector;
    VFMADD231PD = "vfmadd231pd" 2 1 1 0xB8 Rvm, Vector Vector;

    VPADDD = "vpaddd" 1 1 0 0xFE Rvm, Vector Vector;
    VPSUBD = "vpsubd" 1 1 0 0xFA Rvm, Vector Vector;
    VPMULLD = "vpmulld" 2 1 0 0x40 Rvm, Vector Vector;
    VPMINSD = "vpminsd" 2 1 0 0x39 Rvm, Vector Vector;
    VPMAXSD = "vpmaxsd" 2 1 0 0x3D Rvm, Vector Vector;
    VPMINUD = "vpminud" 2 1 0 0x3B Rvm, Vector Vector;
    VPMAXUD = "vpmaxud" 2 1 0 0x3F Rvm, Vector Vector;
    VPABSB = "vpabsb" 2 1 0 0x1C Rm, Vector Vector;
    VPABSD = "vpabsd" 2 1 0 0x1E Rm, Vector Vector;
    VPSIGND = "vpsignd" 2 1 0 0x0A Rvm, Vector Vector;
    VPADDQ = "vpaddq" 1 1 0 0xD4 Rvm, Vector Vector;
    VPSUBQ = "vpsubq" 1 1 0 0xFB Rvm, Vector Vector;
    VPMULUDQ = "vpmuludq" 1 1 0 0xF4 Rvm, Vector Vector;
    VPAND = "vpand" 1 1 0 0xDB Rvm, Vector Vector;
    VPOR = "vpor" 1 1 0 0xEB Rvm, Vector Vector;
    VPXOR = "vpxor" 1 1 0 0xEF Rvm, Vector Vector;
    VANDPS = "vandps" 1 0 0 0x54 Rvm, Vector Vector;
    VORPS = "vorps" 1 0 0 0x56 Rvm, Vector Vector;
    VXORPS = "vxorps" 1 0 0 0x57 Rvm, Vector Vector;
    VPCMPEQD = "vpcmpeqd" 1 1 0 0x76 Rvm, Vector Vector;
    VPCMPGTD = "vpcmpgtd" 1 1 0 0x66 Rvm, Vector Vector;
    VPCMPEQQ = "vpcmpeqq" 2 1 0 0x29 Rvm, Vector Vector;
    VPCMPGTQ = "vpcmpgtq" 2 1 0 0x37 Rvm, Vector Vector;
    VPSLLVD = "vpsllvd" 2 1 0 0x47 Rvm, Vector Vector;
    VPSRLVD = "vpsrlvd" 2 1 0 0x45 Rvm, Vector Vector;
    VPSRAVD = "vpsravd" 2 1 0 0x46 Rvm, Vector Vector;
    VPSLLVQ = "vpsllvq" 2 1 1 0x47 Rvm, Vector Vector;
    VPSRLVQ = "vpsrlvq" 2 1 1 0x45 Rvm, Vector Vector;
    VPSLLD = "vpslld" 1 1 0 0x72 Vmi(6), Vector Vector;
    VPSRLD = "vpsrld" 1 1 0 0x72 Vmi(2), Vector Vector;
    VPSRAD = "vpsrad" 1 1 0 0x72 Vmi(4), Vector Vector;
    VPSLLQ = "vpsllq" 1 1 0 0x73 Vmi(6), Vector Vector;
    VPSRLQ = "vpsrlq" 1 1 0 0x73 Vmi(2), Vector Vector;
    VPSLLDQ = "vpslldq" 1 1 0 0x73 Vmi(7), Vector Vector;
    VPSRLDQ = "vpsrldq" 1 1 0 0x73 Vmi(3), Vector Vector;

    VCVTDQ2PS = "vcvtdq2ps" 1 0 0 0x5B Rm, Vector Vector;
    VCVTTPS2DQ = "vcvttps2dq" 1 2 0 0x5B Rm, Vector Vector;
    VCVTDQ2PD = "vcvtdq2pd" 1 2 0 0xE6 Rm, Vector Xmm;
    VCVTTPD2DQ = "vcvttpd2dq" 1 1 0 0xE6 Rm, Xmm Vector;
    VCVTPS2PD = "vcvtps2pd" 1 0 0 0x5A Rm, Vector Xmm;
    VCVTPD2PS = "vcvtpd2ps" 1 1 0 0x5A Rm, Xmm Vector;
    VCVTPH2PS = "vcvtph2ps" 2 1 0 0x13 Rm, Vector Xmm;
    VCVTPS2PH = "vcvtps2ph" 3 1 0 0x1D Mri, Vector Xmm;
    VCVTSI2SS = "vcvtsi2ss" 1 2 1 0x2A Rvm, Xmm G64;
    VCVTTSD2SI = "vcvttsd2si" 1 3 1 0x2C Rm, G64 Xmm;
    VADDSS = "vaddss" 1 2 0 0x58 Rvm, Xmm Xmm;

    VPMOVSXBD = "vpmovsxbd" 2 1 0 0x21 Rm, Vector Xmm;
    VPMOVZXBD = "vpmovzxbd" 2 1 0 0x31 Rm, Vector Xmm;
    VPMOVSXWD = "vpmovsxwd" 2 1 0 0x23 Rm, Vector Xmm;
    VPMOVZXWD = "vpmovzxwd" 2 1 0 0x33 Rm, Vector Xmm;
    VPMOVSXDQ = "vpmovsxdq" 2 1 0 0x25 Rm, Vector Xmm;
    VPMOVZXDQ = "vpmovzxdq" 2 1 0 0x35 Rm, Vector Xmm;
    VPSHUFB = "vpshufb" 2 1 0 0x00 Rvm, Vector Vector;
    VPSHUFD = "vpshufd" 1 1 0 0x70 Rmi, Vector Vector;
    VPERMQ = "vpermq" 3 1 1 0x00 Rmi, Vector Vector;
    VPUNPCKLDQ = "vpunpckldq" 1 1 0 0x62 Rvm, Vector Vector;
    VEXTRACTI128 = "vextracti128" 3 1 0 0x39 Mri, Vector Xmm;
    VINSERTI128 = "vinserti128" 3 1 0 0x38 Rvmi, Vector Xmm;
    VPINSRB = "vpinsrb" 3 1 0 0x20 Rvmi, Xmm G32;
    VPINSRW = "vpinsrw" 1 1 0 0xC4 Rvmi, Xmm G32;
    VPINSRD = "vpinsrd" 3 1 0 0x22 Rvmi, Xmm G32;
    VPINSRQ = "vpinsrq" 3 1 1 0x22 Rvmi, Xmm G64;
    VPEXTRB = "vpextrb" 3 1 0 0x14 Mri, Xmm G32;
    VPEXTRW = "vpextrw" 3 1 0 0x15 Mri, Xmm G32;
    VPEXTRD = "vpextrd" 3 1 0 0x16 Mri, Xmm G32;
    VPEXTRQ = "vpextrq" 3 1 1 0x16 Mri, Xmm G64;
}
