//! The emitter for x86-64 with AVX2, FMA and F16C.
//!
//! [`ops`], [`enc`] and [`text`] know instructions, [`emitter`] where values are, [`loops`] what
//! surrounds them, and the rest what the operations of the IR become. It never runs what it makes.

mod arith;
mod compare;
mod convert;
mod emitter;
mod enc;
mod loops;
mod memory;
mod ops;
mod reduce;
mod scalar;
mod text;

use tfjit_base::Result;
use tfjit_plan::kernel::{Kernel, Op};

use crate::alloc::Home;
use crate::program::Program;
use emitter::Emitter;

/// Stack that a kernel may use before the emitter gives up on it.
const MOST_STACK: usize = 256 << 10;
/// Stack that needs no care.
const SMALL_STACK: usize = 4096;

/// A kernel's code with its constants, and the offsets and text of its instructions.
pub(crate) struct Function {
    pub(crate) code: Vec<u8>,
    pub(crate) listing: Option<Vec<(usize, String)>>,
}

/// Emits a kernel.
pub(crate) fn function(kernel: &Kernel, listing: bool) -> Result<Function> {
    let (function, stack) = attempt(kernel, listing, 0)?;
    if stack <= SMALL_STACK {
        return Ok(function);
    }
    // Code is the same but for the pages that are touched first.
    Ok(attempt(kernel, listing, stack)?.0)
}

fn attempt(kernel: &Kernel, listing: bool, stack: usize) -> Result<(Function, usize)> {
    let program = Program::new(kernel);
    let block = loops::block_of(&program);
    let mut emitter = Emitter::new(program, block, listing);
    for (val, inst) in kernel.insts.iter() {
        if let Op::Const(bits) = inst.op {
            if emitter.program.uses(val).is_empty() {
                continue;
            }
            let mem = emitter.constant(inst.ty, bits);
            let key = emitter.keys_of(val).start;
            emitter.alloc.set_home(key, Home::Memory(mem));
        }
    }
    emitter.enc.code.reserve(256 + 48 * kernel.insts.len());
    emitter.function(block, stack)?;
    let needed = emitter.stack_bytes();
    if needed > MOST_STACK {
        return Err(emitter.unsupported("too many values at once"));
    }
    let code = emitter.enc.finish();
    Ok((Function { code, listing: emitter.enc.listing.take() }, needed))
}
