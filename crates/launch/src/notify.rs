//! Tells listeners.

use std::sync::Arc;

use tfjit_base::{Error, Result};

pub trait ActivityListener: Send + Sync {}

pub struct JitCompilationActivity {
    pub cluster_name: String,
    pub compile_count: u64,
    pub compile_time_us: u64,
    pub cumulative_compile_time_us: u64,
    pub used_persistent_cache: bool,
}

pub enum RemarkWarning {
    MegamorphicFunction,
}

pub struct Remark {
    pub warning: RemarkWarning,
    pub debug_information: String,
}

pub(crate) fn jit_compilation(
    _: &[Arc<dyn ActivityListener>],
    _: &JitCompilationActivity,
) -> Result<()> {
    Ok(())
}

pub(crate) fn remark(_: &[Arc<dyn ActivityListener>], _: &Remark) {}

pub(crate) fn background_failure(_: &str, _: &Error) {}
