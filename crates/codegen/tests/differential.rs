//! Random kernels: what the emitted code computes is what the reference computes, bit for bit.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::kernels::{Maker, call};
use common::{Call, Random, emitted, eval};
use tfjit_base::ids::Id;
use tfjit_base::{DType, bf16, f16};
use tfjit_plan::kernel::{Kernel, Op, Val};

/// Whether bytes are equal but for the bits of NaN.
fn same(dtype: DType, a: &[u8], b: &[u8]) -> bool {
    fn word(bytes: &[u8]) -> u64 {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    }
    let nan = |bytes: &[u8]| match dtype {
        DType::F32 => f32::from_bits(word(bytes) as u32).is_nan(),
        DType::F64 => f64::from_bits(word(bytes)).is_nan(),
        DType::BF16 => bf16::from_bits(word(bytes) as u16).is_nan(),
        DType::F16 => f16::from_bits(word(bytes) as u16).is_nan(),
        _ => false,
    };
    a == b
        || a.chunks(dtype.size())
            .zip(b.chunks(dtype.size()))
            .all(|(a, b)| a == b || (a.len() == dtype.size() && nan(a) && nan(b)))
}

/// What differs between the emitted code and the reference, if anything.
fn difference(kernel: &Kernel, call: &Call, at_end: bool) -> Option<String> {
    let want = eval::run(kernel, call);
    let got = call.run(&emitted(kernel), 0, at_end);
    for (id, stream) in kernel.streams.iter() {
        let place = call.places[id.index()];
        let (want, got) = (&want[place.buffer], &got[place.buffer]);
        if same(stream.dtype, want, got) {
            continue;
        }
        let size = stream.dtype.size();
        let mut pairs = want.chunks(size).zip(got.chunks(size));
        let at = pairs.position(|(a, b)| !same(stream.dtype, a, b)).unwrap() * size;
        let end = want.len().min(at + size);
        return Some(format!(
            "{} rows, {} columns, {id} differs at byte {at} ({place:?}): want {:02x?} got {:02x?}",
            call.rows,
            call.cols,
            &want[at..end],
            &got[at..end],
        ));
    }
    None
}

/// A kernel with as many instructions as possible made constants or taken away that still differs.
fn shrunk(kernel: &Kernel, call: &Call, at_end: bool) -> Kernel {
    let mut best = kernel.clone();
    loop {
        let before = best.to_string();
        for val in best.insts.ids().rev().collect::<Vec<_>>() {
            let mut simpler = best.clone();
            let inst = &mut simpler.insts[val];
            match inst.op {
                Op::Const(_) => continue,
                Op::Store(_) => {
                    simpler.phases.iter_mut().for_each(|p| p.insts.retain(|&v| v != val));
                }
                Op::Reduce(_) => inst.args[0] = Val::new(0),
                _ => {
                    inst.op = Op::Const(0);
                    inst.args.clear();
                }
            }
            if simpler.verify().is_ok() && difference(&simpler, call, at_end).is_some() {
                best = simpler;
            }
        }
        if best.to_string() == before {
            return best;
        }
    }
}

fn one(seed: u64, calls: usize, functions: bool) {
    let mut random = Random(seed.wrapping_mul(0x1234_5678_9ABC_DEF1));
    let size = if seed.is_multiple_of(20) { 150 } else { 4 + (seed % 7) as usize * 5 };
    let kernel = if functions {
        Maker::with_functions(&mut random, size).expand().unwrap()
    } else {
        Maker::kernel(&mut random, size)
    };
    for i in 0..calls {
        let (rows, cols) = (random.below(6), (seed as usize + i * 13) % 71);
        let call = call(&mut random, &kernel, rows, cols);
        let at_end = random.one_in(2);
        if difference(&kernel, &call, at_end).is_some() {
            let kernel = shrunk(&kernel, &call, at_end);
            let difference = difference(&kernel, &call, at_end).unwrap();
            panic!("seed {seed}: {difference}\n{}", live(&kernel));
        }
    }
}

/// The lines of a kernel that do something.
fn live(kernel: &Kernel) -> String {
    let text = kernel.to_string();
    let used = |line: &&str| match line.trim().split_once(": ") {
        Some((val, _)) if val.starts_with('v') => {
            text.contains(&format!(" {val},")) || text.contains(&format!(" {val}\n"))
        }
        _ => true,
    };
    text.lines().filter(used).collect::<Vec<_>>().join("\n")
}

#[test]
fn random_kernels() {
    (0..1500).for_each(|seed| one(seed, 6, false));
}

#[test]
fn random_kernels_with_functions() {
    (0..300).for_each(|seed| one(seed, 3, true));
}

#[test]
#[ignore = "long; for changes of the emitter"]
fn many_random_kernels() {
    (10_000..110_000).for_each(|seed| one(seed, 8, seed.is_multiple_of(4)));
}
