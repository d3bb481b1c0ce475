//! Buffers that end where readable memory ends, and the orders of sums, written as plainly as they
//! can be.
#![allow(
    dead_code,
    unreachable_pub,
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "each test uses a part of it; guard pages are raw memory"
)]

use tfjit_kernels::{Block, Scratch};

/// Elements in memory whose last byte is the last one before a page that faults.
pub struct Guarded<T> {
    map: *mut u8,
    map_len: usize,
    at: *mut T,
    len: usize,
}

const PAGE: usize = 4096;

impl<T: Copy> Guarded<T> {
    pub fn new(values: &[T]) -> Guarded<T> {
        let bytes = size_of_val(values);
        let map_len = bytes.next_multiple_of(PAGE) + 2 * PAGE;
        // SAFETY: an anonymous mapping; the copy stays within it.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let prot = libc::PROT_READ | libc::PROT_WRITE;
            let map = libc::mmap(std::ptr::null_mut(), map_len, prot, flags, -1, 0);
            assert_ne!(map, libc::MAP_FAILED);
            let map = map.cast::<u8>();
            for guard in [map, map.add(map_len - PAGE)] {
                assert_eq!(libc::mprotect(guard.cast(), PAGE, libc::PROT_NONE), 0);
            }
            let at = map.add(map_len - PAGE - bytes).cast::<T>();
            std::ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), at.cast(), bytes);
            Guarded { map, map_len, at, len: values.len() }
        }
    }

    pub fn ptr(&self) -> *const u8 {
        self.at.cast()
    }

    pub fn ptr_mut(&self) -> *mut u8 {
        self.at.cast()
    }

    pub fn values(&self) -> Vec<T> {
        // SAFETY: all elements were written by `new`.
        (0..self.len).map(|i| unsafe { self.at.add(i).read_unaligned() }).collect()
    }
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made.
        unsafe { libc::munmap(self.map.cast(), self.map_len) };
    }
}

/// Memory aligned to 64 bytes, so that a packed matrix ends at most 63 bytes before a fault.
pub fn packed_buffer(bytes: usize) -> Guarded<[u8; 64]> {
    Guarded::new(&vec![[0xff; 64]; bytes.div_ceil(64)])
}

pub fn scratch(bytes: usize) -> Scratch {
    let mut scratch = Scratch::new();
    scratch.reserve(bytes).unwrap();
    scratch
}

/// Pseudorandom numbers of different sizes, so that every other order of sums shows.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn float(&mut self) -> f32 {
        let unit = (self.next() % (1 << 24)) as f32 / (1 << 23) as f32 - 1.0;
        unit * [1.0, 0.125, 16.0, 1e-3][self.next() as usize % 4]
    }

    pub fn floats(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.float()).collect()
    }
}

/// What sums of products are made of.
pub trait Number: Copy + PartialEq + std::fmt::Debug {
    fn zero() -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self + a * b` as a kernel adds a term.
    fn term(self, a: Self, b: Self) -> Self;
    fn bits(self) -> u64;
}

impl Number for f32 {
    fn zero() -> f32 {
        0.0
    }
    fn add(self, other: f32) -> f32 {
        self + other
    }
    fn mul(self, other: f32) -> f32 {
        self * other
    }
    fn term(self, a: f32, b: f32) -> f32 {
        a.mul_add(b, self)
    }
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Number for f64 {
    fn zero() -> f64 {
        0.0
    }
    fn add(self, other: f64) -> f64 {
        self + other
    }
    fn mul(self, other: f64) -> f64 {
        self * other
    }
    fn term(self, a: f64, b: f64) -> f64 {
        self + a * b
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

impl Number for i32 {
    fn zero() -> i32 {
        0
    }
    fn add(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
    fn mul(self, other: i32) -> i32 {
        self.wrapping_mul(other)
    }
    fn term(self, a: i32, b: i32) -> i32 {
        self.wrapping_add(a.wrapping_mul(b))
    }
    fn bits(self) -> u64 {
        u64::from(self as u32)
    }
}

/// The order of a sum.
#[derive(Clone, Copy, PartialEq)]
pub enum Order {
    Ascending,
    Apart,
    Edge,
    Dot,
}

/// How column `col` of `n` columns is summed.
pub fn order(edge: bool, col: usize, n: usize) -> Order {
    let tail = n % 16;
    match () {
        () if n < 8 => Order::Dot,
        () if edge => Order::Edge,
        () if (1..=8).contains(&tail) && col >= n - tail => Order::Apart,
        () => Order::Ascending,
    }
}

/// The sum of `a[i] * b[i]` in an order.
pub fn sum<T: Number>(order: Order, a: &[T], b: &[T]) -> T {
    let mut total = T::zero();
    if order == Order::Dot {
        for (a, b) in a.chunks(128).zip(b.chunks(128)) {
            let mut s = [T::zero(); 8];
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                s[i % 8] = s[i % 8].term(*a, *b);
            }
            let p = [s[0].add(s[1]), s[2].add(s[3]), s[4].add(s[5]), s[6].add(s[7])];
            total = total.add(p[0].add(p[2]).add(p[1].add(p[3])));
        }
        return total;
    }
    for (a, b) in a.chunks(256).zip(b.chunks(256)) {
        let mut s = [T::zero(); 2];
        for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
            match order {
                Order::Ascending => s[0] = s[0].term(a, b),
                Order::Apart => s[i % 2] = s[i % 2].term(a, b),
                _ => s[i % 2] = s[i % 2].add(a.mul(b)),
            }
        }
        total = total.add(if order == Order::Ascending { s[0] } else { s[0].add(s[1]) });
    }
    total
}

/// Counts how often each element of a result was reported.
pub struct Reports {
    pub rows: usize,
    pub cols: usize,
    pub seen: Vec<u8>,
}

impl Reports {
    pub fn new(batch: usize, rows: usize, cols: usize) -> Reports {
        Reports { rows, cols, seen: vec![0; batch * rows * cols] }
    }

    pub fn add(&mut self, b: Block) {
        assert!(b.row + b.rows <= self.rows && b.col + b.cols <= self.cols, "{b:?}");
        for row in b.row..b.row + b.rows {
            let start = (b.batch * self.rows + row) * self.cols + b.col;
            self.seen[start..][..b.cols].iter_mut().for_each(|s| *s += 1);
        }
    }

    pub fn assert_complete(&self) {
        assert!(self.seen.iter().all(|&s| s == 1), "not every element was reported once");
    }
}
