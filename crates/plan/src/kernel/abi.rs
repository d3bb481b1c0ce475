//! How machine code of a kernel is called: what who emits it and who calls it must agree on.
//!
//! A kernel is a function `extern "sysv64" fn(frame: *const u64)` without a result. The frame is an
//! array of 64-bit words: [`ROWS`], [`COLS`], [`FIRST_COLUMN`], one unused word, then
//! [`STREAM_WORDS`] words a stream in order of the kernel's streams: address of its first element,
//! stride of rows in bytes, stride of columns in bytes (read for strided access only).
//!
//! The caller has set the floating-point mode (round to nearest, all exceptions masked, subnormals
//! flushed or not as it wishes) and it is not changed. A kernel reads and writes no byte outside
//! the elements of its rows and columns, for any extents, 0 included, and calls nothing.

/// Word of the number of rows.
pub const ROWS: usize = 0;
/// Word of the number of columns.
pub const COLS: usize = 1;
/// Word of the number of the first column, for [`super::Op::Column`].
pub const FIRST_COLUMN: usize = 2;
/// First word of the first stream.
pub const STREAMS: usize = 4;
/// Words of a stream.
pub const STREAM_WORDS: usize = 3;
