//! Instructions as people read them, for listings.

use super::enc::{Base, G, Len, Mem, Rm, X};
use super::ops::{Class, Form, Ins};

const NAMES64: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15",
];
const NAMES32: [&str; 16] = [
    "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d",
    "r13d", "r14d", "r15d",
];

pub(super) fn g64(g: G) -> &'static str {
    NAMES64[usize::from(g.0)]
}

pub(super) fn general32(g: G) -> &'static str {
    NAMES32[usize::from(g.0)]
}

pub(super) fn size(bytes: usize) -> &'static str {
    if bytes == 4 { "dword" } else { "qword" }
}

pub(super) fn hex(value: i64) -> String {
    if value < 0 {
        format!("-{}", hex(-value))
    } else if value < 10 {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}

pub(super) fn memory(m: Mem) -> String {
    let Base::Reg(base) = m.base else { return format!("[pool+{}]", hex(m.disp.into())) };
    let index = match m.index {
        Some((index, 0)) => format!("+{}", g64(index)),
        Some((index, scale)) => format!("+{}*{}", g64(index), 1 << scale),
        None => String::new(),
    };
    let disp = match m.disp {
        0 => String::new(),
        d if d < 0 => hex(d.into()),
        d => format!("+{}", hex(d.into())),
    };
    format!("[{}{index}{disp}]", g64(base))
}

fn register(n: u8, class: Class, len: Len) -> String {
    match (class, len) {
        (Class::G32, _) => NAMES32[usize::from(n)].to_owned(),
        (Class::G64, _) => NAMES64[usize::from(n)].to_owned(),
        (Class::Vector, Len::L256) => format!("ymm{n}"),
        _ => format!("xmm{n}"),
    }
}

pub(super) fn operand(rm: Rm, class: Class, len: Len) -> String {
    match rm {
        Rm::M(m) => memory(m),
        Rm::X(X(n)) | Rm::G(G(n)) => register(n, class, len),
    }
}

pub(super) fn vector_text(ins: &Ins, len: Len, reg: u8, vvvv: u8, rm: Rm, imm: u8) -> String {
    let r = register(reg, ins.reg, len);
    let v = || register(vvvv, ins.reg, len);
    let m = operand(rm, ins.rm, len);
    let name = ins.name;
    let i = || hex(imm.into());
    match ins.form {
        Form::Rvm => format!("{name} {r},{},{m}", v()),
        Form::Rvmi => format!("{name} {r},{},{m},{}", v(), i()),
        Form::Rvmr => format!("{name} {r},{},{m},{}", v(), register(imm >> 4, ins.reg, len)),
        Form::Rm => format!("{name} {r},{m}"),
        Form::Rmi => format!("{name} {r},{m},{}", i()),
        Form::Mr => format!("{name} {m},{r}"),
        Form::Mri => format!("{name} {m},{r},{}", i()),
        Form::Vmi(_) => format!("{name} {},{m},{}", register(vvvv, ins.reg, len), i()),
    }
}
