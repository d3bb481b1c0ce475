//! What a pass is, and what it may see beside the module.

use tfjit_base::{Result, Tensor};
use tfjit_hlo::{Fuel, Module};

/// Whether a pass changed the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Changed {
    /// It is what it was.
    No,
    /// Something is different.
    Yes,
}

impl Changed {
    /// `Yes` when `changed`.
    pub fn when(changed: bool) -> Changed {
        if changed { Changed::Yes } else { Changed::No }
    }
}

/// One rewriting of modules.
pub trait Pass: Default {
    /// The name in pipelines, dumps and tests.
    const NAME: &'static str;
    /// One line of what it does.
    const DOC: &'static str;
    /// Whether results stay the same bit for bit, as far as this crate promises it.
    const EXACT: bool = true;

    /// Rewrites `module`, paying a unit of fuel for each rewrite.
    ///
    /// # Errors
    /// INTERNAL for a mistake in the pass; a valid module never makes it fail.
    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed>;
}

/// Evaluates programs of constants.
pub trait Fold {
    /// The results of `module`, whose entry takes no parameters and has no effects.
    ///
    /// # Errors
    /// Any error means that the program is not folded.
    fn evaluate(&self, module: &Module) -> Result<Vec<Tensor>>;
}

impl<F: Fn(&Module) -> Result<Vec<Tensor>>> Fold for F {
    fn evaluate(&self, module: &Module) -> Result<Vec<Tensor>> {
        self(module)
    }
}

/// What passes see beside the module.
#[derive(Clone, Copy)]
pub struct PassCtx<'a> {
    /// What rewrites are paid from.
    pub fuel: &'a Fuel,
    /// Who evaluates constants, if anybody.
    pub fold: Option<&'a dyn Fold>,
    /// Functions of up to this many instructions are inlined even where they are called often.
    pub inline_insts_max: usize,
}
