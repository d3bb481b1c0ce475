//! Every emitted instruction against a disassembler: bytes and our own text say the same.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use common::Random;
use common::kernels::Maker;
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, MemorySizeOptions, NasmFormatter};
use tfjit_codegen::{Target, asm_text, emit};
use tfjit_plan::kernel::Kernel;

fn formatter() -> NasmFormatter {
    let mut formatter = NasmFormatter::new();
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_space_after_operand_separator(false);
    options.set_memory_size_options(MemorySizeOptions::Never);
    options.set_branch_leading_zeros(false);
    options.set_rip_relative_addresses(false);
    options.set_show_branch_size(false);
    formatter
}

/// Instructions of a listing by offset, with labels and pool offsets resolved as the disassembler
/// has them.
fn listed(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut labels: Vec<(String, usize)> = Vec::new();
    for line in text.lines().skip_while(|l| !l.starts_with("  ")) {
        match line.strip_suffix(':') {
            Some(label) => labels.push((label.to_owned(), lines.len())),
            None => {
                let (offset, text) = line.trim().split_once("  ").unwrap();
                lines.push((usize::from_str_radix(offset, 16).unwrap(), text.to_owned()));
            }
        }
    }
    let end = lines.last().unwrap().0 + 1;
    let pool = end.next_multiple_of(64);
    // A label's instruction follows it, after the padding of a loop.
    let targets: HashMap<String, usize> =
        labels.into_iter().map(|(label, next)| (label, lines[next].0)).collect();
    for (_, text) in &mut lines {
        if let Some((before, after)) = text.split_once("[pool+") {
            let (offset, after) = after.split_once(']').unwrap();
            let offset = match offset.strip_prefix("0x") {
                Some(hex) => usize::from_str_radix(hex, 16).unwrap(),
                None => offset.parse().unwrap(),
            };
            *text = format!("{before}[rel {:#x}]{after}", pool + offset);
        } else if let Some((before, label)) = text.clone().split_once(".L") {
            *text = format!("{before}{:#x}", targets[&format!(".L{label}")]);
        }
    }
    lines
}

fn decoded(code: &[u8], offsets: &HashSet<usize>) -> Vec<(usize, String)> {
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let (mut formatter, mut out) = (formatter(), Vec::new());
    let mut instruction = Instruction::default();
    let last = offsets.iter().copied().max().unwrap();
    while decoder.can_decode() && decoder.position() <= last {
        let at = decoder.position();
        decoder.decode_out(&mut instruction);
        assert!(!instruction.is_invalid(), "at {at:#x}");
        let mut text = String::new();
        formatter.format(&instruction, &mut text);
        if offsets.contains(&at) {
            out.push((at, text));
        } else {
            assert!(text.starts_with("nop") || text.starts_with("xchg"), "unlisted {text}");
        }
    }
    out
}

/// Our names for what the disassembler names otherwise.
fn plain(text: &str) -> String {
    const COMPARISONS: [(&str, u8); 9] = [
        ("eq", 0),
        ("unord", 3),
        ("neq", 4),
        ("ord", 7),
        ("lt_oq", 0x11),
        ("le_oq", 0x12),
        ("ge_oq", 0x1d),
        ("gt_oq", 0x1e),
        ("nlt", 5),
    ];
    let mut text = text.to_owned();
    for (name, code) in COMPARISONS {
        for kind in ["ps", "pd"] {
            if let Some(rest) = text.strip_prefix(&format!("vcmp{name}{kind} ")) {
                let mut long = format!("vcmp{kind} {rest},");
                let _ = if code < 10 { write!(long, "{code}") } else { write!(long, "{code:#x}") };
                text = long;
            }
        }
    }
    if let Some((before, digits)) = text.clone().split_once(",0xffffffff")
        && let (8, Ok(low)) = (digits.len(), u32::from_str_radix(digits, 16))
    {
        // A negative number of 64 bits.
        let (n, hex) = (low.wrapping_neg(), low.wrapping_neg() >= 10);
        text =
            if hex { format!("{before},-{n:#x}") } else { format!("{before},{}", -i64::from(n)) };
    }
    text.replace("qword ", "").replace("dword ", "").replace("near ", "").replace("short ", "")
}

fn check(kernel: &Kernel, seen: &mut HashSet<String>) {
    let emitted = emit(&[kernel], Target::X64Avx2).unwrap();
    assert!(emitted.entries[0].is_ok(), "{kernel}");
    let text = asm_text(&[kernel], Target::X64Avx2);
    let listed = listed(&text);
    let offsets = listed.iter().map(|(at, _)| *at).collect();
    let decoded = decoded(&emitted.artifact.code, &offsets);
    assert_eq!(listed.len(), decoded.len());
    for ((at, ours), (at2, theirs)) in listed.iter().zip(&decoded) {
        assert_eq!((at, plain(ours)), (at2, plain(theirs)), "\n{kernel}");
        let name = ours.split(' ').next().unwrap().to_owned();
        let wide = if ours.contains("ymm") { " ymm" } else { "" };
        let memory = if ours.contains('[') { " []" } else { "" };
        seen.insert(format!("{name}{wide}{memory}"));
    }
}

#[test]
fn listings_are_what_a_disassembler_reads() {
    let mut seen = HashSet::new();
    for seed in 0..600 {
        let size = if seed % 10 == 0 { 120 } else { 20 };
        check(&Maker::kernel(&mut Random(seed), size), &mut seen);
    }
    // So many forms of instructions, by name, length and memory operand.
    assert!(seen.len() > 200, "{}", seen.len());
}
