//! Which instructions may be used: decided once, carried as a token.

/// A set of instructions that the processor at hand has. Results are the same bits with all sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Isa {
    /// The best set of this processor.
    pub fn detect() -> Isa {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Isa(Level::Avx2);
        }
        Isa::portable()
    }

    /// Plain Rust: slow, and the same everywhere.
    pub fn portable() -> Isa {
        Isa(Level::Portable)
    }

    /// A name for people.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2+fma",
        }
    }

    /// Whether AVX2 and FMA may be used; only [`Isa::detect`] makes such a token.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_avx2(self) -> bool {
        self.0 == Level::Avx2
    }
}
