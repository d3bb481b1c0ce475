//! What the tests that run code share: a loader, buffers between guard pages, a generator of
//! numbers, a reference evaluator and a generator of kernels.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "tests map and run the code they check"
)]

pub(crate) mod eval;
pub(crate) mod kernels;

use std::ptr;

use tfjit_plan::kernel::{Kernel, abi};

const PAGE: usize = 4096;

/// Pages of memory.
struct Pages {
    at: *mut u8,
    bytes: usize,
}

impl Pages {
    fn new(bytes: usize) -> Pages {
        let bytes = bytes.next_multiple_of(PAGE).max(PAGE);
        // SAFETY: a fresh anonymous mapping.
        let at = unsafe {
            let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE);
            libc::mmap(ptr::null_mut(), bytes, prot, flags | libc::MAP_ANONYMOUS, -1, 0)
        };
        assert_ne!(at, libc::MAP_FAILED);
        Pages { at: at.cast(), bytes }
    }

    fn protect(&self, offset: usize, bytes: usize, protection: i32) {
        // SAFETY: whole pages of our own mapping, of which nobody has a reference.
        let rc = unsafe { libc::mprotect(self.at.add(offset).cast(), bytes, protection) };
        assert_eq!(rc, 0);
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: our own mapping.
        unsafe { libc::munmap(self.at.cast(), self.bytes) };
    }
}

/// Code that can run.
pub struct Code {
    pages: Pages,
}

impl Code {
    pub fn new(code: &[u8]) -> Code {
        let pages = Pages::new(code.len());
        // SAFETY: the mapping is at least as long as the code and writable.
        unsafe { ptr::copy_nonoverlapping(code.as_ptr(), pages.at, code.len()) };
        pages.protect(0, pages.bytes, libc::PROT_READ | libc::PROT_EXEC);
        Code { pages }
    }

    /// Runs the function at an offset.
    ///
    /// # Safety
    /// There is a kernel of the calling convention, and the frame is right for it.
    pub unsafe fn run(&self, offset: usize, frame: &[u64]) {
        // SAFETY: as the caller says.
        unsafe {
            let function: extern "sysv64" fn(*const u64) =
                std::mem::transmute(self.pages.at.add(offset));
            function(frame.as_ptr());
        }
    }
}

impl Code {
    /// What becomes of the buffers of a call of the first kernel.
    pub fn run_call(&self, call: &Call) -> Vec<Vec<u8>> {
        call.run(self, 0, true)
    }
}

/// Bytes that begin right after a page that can't be touched, or end right before one.
pub struct Guarded {
    pages: Pages,
    start: usize,
    len: usize,
}

impl Guarded {
    pub fn new(bytes: &[u8], at_end: bool) -> Guarded {
        let inner = bytes.len().next_multiple_of(PAGE).max(PAGE);
        let pages = Pages::new(inner + 2 * PAGE);
        pages.protect(0, PAGE, libc::PROT_NONE);
        pages.protect(PAGE + inner, PAGE, libc::PROT_NONE);
        let start = if at_end { PAGE + inner - bytes.len() } else { PAGE };
        // SAFETY: in the mapping, between the protected pages.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), pages.at.add(start), bytes.len()) };
        Guarded { pages, start, len: bytes.len() }
    }

    pub fn address(&self) -> u64 {
        self.pages.at as u64 + self.start as u64
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: in the mapping; no code runs while the reference lives.
        unsafe { std::slice::from_raw_parts(self.pages.at.add(self.start), self.len) }
    }
}

/// Where a stream is: a buffer, the offset of its first element, strides of rows and columns.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub buffer: usize,
    pub offset: usize,
    pub row: isize,
    pub col: isize,
}

/// A call of a kernel: extents, streams, memory.
#[derive(Clone, Debug)]
pub struct Call {
    pub rows: usize,
    pub cols: usize,
    pub first_column: usize,
    pub places: Vec<Place>,
    pub buffers: Vec<Vec<u8>>,
}

impl Call {
    /// Runs emitted code on copies of the buffers; gives what became of them.
    pub fn run(&self, code: &Code, offset: usize, at_end: bool) -> Vec<Vec<u8>> {
        let memory: Vec<Guarded> = self.buffers.iter().map(|b| Guarded::new(b, at_end)).collect();
        let mut frame = vec![0u64; abi::STREAMS + abi::STREAM_WORDS * self.places.len()];
        frame[abi::ROWS] = self.rows as u64;
        frame[abi::COLS] = self.cols as u64;
        frame[abi::FIRST_COLUMN] = self.first_column as u64;
        for (place, words) in
            self.places.iter().zip(frame[abi::STREAMS..].chunks_exact_mut(abi::STREAM_WORDS))
        {
            words[0] = memory[place.buffer].address() + place.offset as u64;
            words[1] = place.row as u64;
            words[2] = place.col as u64;
        }
        // SAFETY: the code was emitted for the kernel whose streams these are.
        unsafe { code.run(offset, &frame) };
        memory.iter().map(|m| m.bytes().to_vec()).collect()
    }
}

/// Emits a kernel that must be supported.
pub fn emitted(kernel: &Kernel) -> Code {
    let emitted = tfjit_codegen::emit(&[kernel], tfjit_codegen::Target::X64Avx2).unwrap();
    if let Err(error) = &emitted.entries[0] {
        panic!("{error}\n{kernel}");
    }
    assert_eq!(emitted.artifact.entries[0].offset, 0);
    Code::new(&emitted.artifact.code)
}

/// A generator of numbers that always gives the same.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
