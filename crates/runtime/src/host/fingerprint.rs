//! FarmHash's 64-bit fingerprint of bytes (its `farmhashna` form), by which TensorFlow sorts
//! strings into buckets. It must not know ops.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

fn u64_at(s: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&s[at..at + 8]);
    u64::from_le_bytes(bytes)
}

fn u32_at(s: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&s[at..at + 4]);
    u64::from(u32::from_le_bytes(bytes))
}

fn shift_mix(x: u64) -> u64 {
    x ^ (x >> 47)
}

fn mix(u: u64, v: u64, mul: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(mul));
    shift_mix((v ^ a).wrapping_mul(mul)).wrapping_mul(mul)
}

/// The fingerprint.
pub(super) fn fingerprint(s: &[u8]) -> u64 {
    match s.len() {
        0..=16 => short(s),
        17..=32 => up_to_32(s),
        33..=64 => up_to_64(s),
        _ => long(s),
    }
}

fn multiplier(s: &[u8]) -> u64 {
    K2.wrapping_add(s.len() as u64 * 2)
}

fn short(s: &[u8]) -> u64 {
    let n = s.len();
    let mul = multiplier(s);
    if n >= 8 {
        let a = u64_at(s, 0).wrapping_add(K2);
        let b = u64_at(s, n - 8);
        let c = b.rotate_right(37).wrapping_mul(mul).wrapping_add(a);
        let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(mul);
        return mix(c, d, mul);
    }
    if n >= 4 {
        return mix((n as u64).wrapping_add(u32_at(s, 0) << 3), u32_at(s, n - 4), mul);
    }
    if n == 0 {
        return K2;
    }
    let (a, b, c) = (u64::from(s[0]), u64::from(s[n >> 1]), u64::from(s[n - 1]));
    let y = a.wrapping_add(b << 8);
    let z = (n as u64).wrapping_add(c << 2);
    shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
}

fn up_to_32(s: &[u8]) -> u64 {
    let n = s.len();
    let mul = multiplier(s);
    let a = u64_at(s, 0).wrapping_mul(K1);
    let b = u64_at(s, 8);
    let c = u64_at(s, n - 8).wrapping_mul(mul);
    let d = u64_at(s, n - 16).wrapping_mul(K2);
    let u = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let v = a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c);
    mix(u, v, mul)
}

fn up_to_64(s: &[u8]) -> u64 {
    let n = s.len();
    let mul = multiplier(s);
    let a = u64_at(s, 0).wrapping_mul(K2);
    let b = u64_at(s, 8);
    let c = u64_at(s, n - 8).wrapping_mul(mul);
    let d = u64_at(s, n - 16).wrapping_mul(K2);
    let y = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let z = mix(y, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), mul);
    let e = u64_at(s, 16).wrapping_mul(mul);
    let f = u64_at(s, 24);
    let g = y.wrapping_add(u64_at(s, n - 32)).wrapping_mul(mul);
    let h = z.wrapping_add(u64_at(s, n - 24)).wrapping_mul(mul);
    let u = e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h);
    let v = e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g);
    mix(u, v, mul)
}

/// Two words of state out of 32 bytes and two seeds.
fn weak(s: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let (w, x, y, z) = (u64_at(s, at), u64_at(s, at + 8), u64_at(s, at + 16), u64_at(s, at + 24));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    let a = a.wrapping_add(x).wrapping_add(y);
    let b = b.wrapping_add(a.rotate_right(44));
    (a.wrapping_add(z), b.wrapping_add(c))
}

struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    /// Takes in 64 bytes; `nine` and `mul` differ for the last ones.
    fn block(&mut self, s: &[u8], at: usize, mul: u64, nine: u64) {
        let State { x, y, z, v, w } = self;
        let word = |offset: usize| u64_at(s, at + offset);
        *x = x.wrapping_add(*y).wrapping_add(v.0).wrapping_add(word(8));
        *x = x.rotate_right(37).wrapping_mul(mul);
        *y = y.wrapping_add(v.1).wrapping_add(word(48)).rotate_right(42).wrapping_mul(mul);
        *x ^= w.1.wrapping_mul(nine);
        *y = y.wrapping_add(v.0.wrapping_mul(nine)).wrapping_add(word(40));
        *z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(mul);
        *v = weak(s, at, v.1.wrapping_mul(mul), x.wrapping_add(w.0));
        *w = weak(s, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(16)));
        std::mem::swap(z, x);
    }
}

fn long(s: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let y = SEED.wrapping_mul(K1).wrapping_add(113);
    let z = shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
    let x = SEED.wrapping_mul(K2).wrapping_add(u64_at(s, 0));
    let mut state = State { x, y, z, v: (0, 0), w: (0, 0) };
    let end = (s.len() - 1) / 64 * 64;
    for at in (0..end).step_by(64) {
        state.block(s, at, K1, 1);
    }
    let mul = K1.wrapping_add((state.z & 0xff) << 1);
    state.w.0 = state.w.0.wrapping_add((s.len() as u64 - 1) & 63);
    state.v.0 = state.v.0.wrapping_add(state.w.0);
    state.w.0 = state.w.0.wrapping_add(state.v.0);
    state.block(s, s.len() - 64, mul, 9);
    let State { x, y, z, v, w } = state;
    let first = mix(v.0, w.0, mul).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z);
    mix(first, mix(v.1, w.1, mul).wrapping_add(x), mul)
}
