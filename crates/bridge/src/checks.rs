//! Run-time checks in compiled code (promise: one meaning).
//!
//! A lowering calls [`OpCtx::check`](crate::OpCtx::check) with a scalar that is true when something
//! is wrong. All checks of a module end in one extra result, a vector of `u32` with one word a
//! check, zero when all is well; [`decode`] turns a nonzero word into the error.

use tfjit_base::{Code, DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{FuncBuilder, ValueId};

/// What a check means when it fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The canonical code.
    pub code: Code,
    /// The text.
    pub message: String,
    /// The node that asked for it.
    pub node: String,
}

/// Checks collected so far: what they mean, and in the current region, which value says so.
#[derive(Default)]
pub(crate) struct Checks {
    pub(crate) all: Vec<Check>,
    /// One scope per open region, the outermost first: (index into `all`, scalar `i1`).
    pub(crate) scopes: Vec<Vec<(usize, ValueId)>>,
}

impl Checks {
    pub(crate) fn new() -> Checks {
        Checks { all: Vec::new(), scopes: vec![Vec::new()] }
    }

    /// What was added in the innermost open region.
    pub(crate) fn open(&self) -> &[(usize, ValueId)] {
        self.scopes.last().map_or(&[], Vec::as_slice)
    }

    pub(crate) fn add(&mut self, check: Check, fired: ValueId) {
        self.all.push(check);
        let index = self.all.len() - 1;
        self.scopes.last_mut().expect("the outermost scope stays").push((index, fired));
    }
}

/// Packs the outermost scope into a `u32` vector with a word for each check.
pub(crate) fn pack(b: &mut FuncBuilder, fired: &[(usize, ValueId)]) -> Result<ValueId> {
    let mut words = Vec::with_capacity(fired.len());
    for &(_, flag) in fired {
        let word = b.convert(flag, DType::U32)?;
        words.push(b.reshape(word, &Shape::new(&[1]))?);
    }
    match words.as_slice() {
        [one] => Ok(*one),
        many => b.concatenate(many, 0),
    }
}

/// The first check that fired, as an error.
///
/// # Errors
/// The check's own code, naming its node; INTERNAL when the result has another length.
pub fn decode(checks: &[Check], result: &Tensor) -> Result<()> {
    let words = result.to_vec::<u32>()?;
    if words.len() != checks.len() {
        return Err(Error::internal("the check vector does not match the module's checks"));
    }
    match words.iter().position(|&w| w != 0) {
        None => Ok(()),
        Some(i) => Err(Error::new(checks[i].code, checks[i].message.clone()).at(&checks[i].node)),
    }
}
