//! Random kernels: what the emitted code computes is what the reference computes, bit for bit.

mod common;

use common::kernels::{Maker, call};
use common::{Call, Random, emitted, eval};
use tfjit_base::ids::Id;
use tfjit_base::{DType, bf16, f16};
use tfjit_plan::kernel::Kernel;

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

fn check(kernel: &Kernel, call: &Call, code: &common::Code, at_end: bool, seed: u64) {
    let want = eval::run(kernel, call);
    let got = call.run(code, 0, at_end);
    for (id, stream) in kernel.streams.iter() {
        let place = call.places[id.index()];
        let (want, got) = (&want[place.buffer], &got[place.buffer]);
        if same(stream.dtype, want, got) {
            continue;
        }
        let size = stream.dtype.size();
        let at =
            want.chunks(size).zip(got.chunks(size)).position(|(a, b)| !same(stream.dtype, a, b));
        let at = at.unwrap() * size;
        panic!(
            "seed {seed}: {} rows, {} columns, stream {id} differs at byte {at} ({place:?}):\n\
             want {:02x?}\ngot  {:02x?}\n{kernel}",
            call.rows,
            call.cols,
            &want[at..at + size],
            &got[at..at + size],
        );
    }
}

fn one(seed: u64, calls: usize) {
    let mut random = Random(seed.wrapping_mul(0x1234_5678_9ABC_DEF1));
    let size = if seed % 20 == 0 { 150 } else { 4 + (seed % 7) as usize * 5 };
    let kernel = Maker::kernel(&mut random, size);
    let code = emitted(&kernel);
    for i in 0..calls {
        let (rows, cols) = (random.below(6), (seed as usize + i * 13) % 71);
        let call = call(&mut random, &kernel, rows, cols);
        let at_end = random.one_in(2);
        check(&kernel, &call, &code, at_end, seed);
    }
}

#[test]
fn random_kernels() {
    (0..1500).for_each(|seed| one(seed, 6));
}

#[test]
#[ignore = "long; for changes of the emitter"]
fn many_random_kernels() {
    (10_000..110_000).for_each(|seed| one(seed, 8));
}
