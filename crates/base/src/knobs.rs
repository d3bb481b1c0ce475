//! The only reader of the environment.
//!
//! A knob sets the default of a typed option; nothing else may call `std::env::var`. Each knob is
//! one constant with its doc line, from which the reference page is printed.

/// An environment variable tfjit looks at.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// The variable's name.
    pub name: &'static str,
    /// What it sets, in one line.
    pub doc: &'static str,
}

/// All knobs.
pub const ALL: &[Knob] = &[BLESS, NO_COLOR, COLUMNS, FUZZ_PROGRAMS, TF_XLA_FLAGS, XLA_FLAGS];

/// `BLESS=1` rewrites expected text in test files.
pub const BLESS: Knob =
    Knob { name: "BLESS", doc: "rewrite the expected text in test files instead of comparing" };
/// `NO_COLOR` set to anything turns colours off.
pub const NO_COLOR: Knob = Knob { name: "NO_COLOR", doc: "no colours in the command's output" };
/// Width of the terminal.
pub const COLUMNS: Knob = Knob { name: "COLUMNS", doc: "width of the terminal in characters" };
/// Number of random programs that the tests of the CPU compiler try.
pub const FUZZ_PROGRAMS: Knob =
    Knob { name: "TFJIT_FUZZ_PROGRAMS", doc: "random programs that tests of the compiler try" };
/// Flags of TensorFlow's just-in-time compiler: `--tf_xla_auto_jit=2`, or the name of a file.
pub const TF_XLA_FLAGS: Knob = Knob {
    name: "TF_XLA_FLAGS",
    doc: "flags of TensorFlow's just-in-time compiler (tf_xla_auto_jit and others)",
};
/// Flags of XLA: `--xla_dump_to=DIR`, or the name of a file.
pub const XLA_FLAGS: Knob =
    Knob { name: "XLA_FLAGS", doc: "flags of XLA (xla_dump_to and others)" };

impl Knob {
    /// The value, if set and valid UTF-8.
    pub fn get(self) -> Option<String> {
        std::env::var(self.name).ok()
    }

    /// Whether the variable is set to something other than the empty text or `0`.
    pub fn is_on(self) -> bool {
        self.get().is_some_and(|v| !v.is_empty() && v != "0")
    }
}
