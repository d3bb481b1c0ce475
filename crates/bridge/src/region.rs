//! Functions lowered into regions: branches and loop bodies.
//!
//! A region may use values from around it, so only what changes goes through parameters and
//! results. Variables, lists and checks are threaded through as further results.

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{BlockId, Type, ValueId};
use tfjit_model::Function;

use crate::TfValue;
use crate::checks::Check;
use crate::lower::Lowering;
use crate::value::TensorList;

/// A function lowered into a region, before what it returns is fixed.
pub(crate) struct Region {
    pub(crate) block: BlockId,
    pub(crate) results: Vec<TfValue>,
    /// The value of each variable at the end.
    pub(crate) variables: Vec<Option<ValueId>>,
    /// Variables it wrote.
    pub(crate) modified: Vec<bool>,
    /// Checks inside: what they mean, and the value that says so.
    pub(crate) checks: Vec<(Check, ValueId)>,
}

impl Lowering<'_> {
    /// Lowers `function` into a new region with parameters of `params` types; `args` makes the
    /// function's arguments of them. The state of variables outside is as before afterwards.
    pub(crate) fn lower_region(
        &mut self,
        function: &Function,
        params: &[Type],
        args: impl FnOnce(&mut Self, &[ValueId]) -> Result<Vec<TfValue>>,
    ) -> Result<Region> {
        self.lower_region_with(params, |low, values| {
            args(low, values).and_then(|args| low.function(function, args))
        })
    }

    /// Lowers whatever `make` makes of the parameters into a new region; it gives the results. The
    /// state of variables outside is as before afterwards.
    pub(crate) fn lower_region_with(
        &mut self,
        params: &[Type],
        make: impl FnOnce(&mut Self, &[ValueId]) -> Result<Vec<TfValue>>,
    ) -> Result<Region> {
        let (block, values) = self.b.new_region(params);
        let outer = self.b.current();
        self.b.set_current(block);
        let before: Vec<(Option<ValueId>, bool)> = self
            .vars
            .iter_mut()
            .map(|v| (v.value, std::mem::replace(&mut v.modified, false)))
            .collect();
        self.checks.scopes.push(Vec::new());
        let results = make(self, &values);
        let scope = self.checks.scopes.pop().unwrap_or_default();
        self.b.set_current(outer);
        let variables = self.vars.iter().map(|v| v.value).collect();
        let modified = self.vars.iter().map(|v| v.modified).collect();
        for (var, (value, was)) in self.vars.iter_mut().zip(before) {
            (var.value, var.modified) = (value, was);
        }
        let checks = scope.into_iter().map(|(i, v)| (self.checks.all[i].clone(), v)).collect();
        Ok(Region { block, results: results?, variables, modified, checks })
    }

    /// A constant `false`, for checks of a branch that was not taken.
    pub(crate) fn no(&mut self) -> Result<ValueId> {
        self.b.constant(Tensor::scalar_bool(false))
    }
}

/// The values a symbolic value is made of.
pub(crate) fn flatten(value: &TfValue) -> Result<Vec<ValueId>> {
    match value {
        TfValue::Tensor(v) => Ok(vec![*v]),
        TfValue::List(list) => match list.buffer {
            Some(buffer) => Ok(vec![buffer, list.length]),
            None => {
                Err(Error::invalid_argument("a list is used before its element shape is known"))
            }
        },
        TfValue::Variable(_) | TfValue::Nothing => Ok(Vec::new()),
        TfValue::Host(_) => Err(Error::unimplemented("a string goes through control flow")),
    }
}

/// A symbolic value like `like`, made of the next of `values`.
pub(crate) fn rebuild(
    like: &TfValue,
    values: &mut impl Iterator<Item = ValueId>,
) -> Result<TfValue> {
    let mut next = || values.next().ok_or_else(|| Error::internal("a region lost a value"));
    Ok(match like {
        TfValue::Tensor(_) => TfValue::Tensor(next()?),
        TfValue::List(list) => TfValue::List(TensorList {
            buffer: Some(next()?),
            length: next()?,
            capacity: list.capacity,
            dtype: list.dtype,
        }),
        other => other.clone(),
    })
}
