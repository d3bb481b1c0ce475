//! Loop kernels to machine code.
