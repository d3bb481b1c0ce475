//! SIMD library kernels.
