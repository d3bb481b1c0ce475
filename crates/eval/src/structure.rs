//! Tuples, tokens and barriers.

use tfjit_base::{Error, Result};
use tfjit_hlo::Op;

use crate::Value;

/// An instruction that rearranges whole values.
pub(crate) fn eval(op: &Op, mut operands: Vec<Value>) -> Result<Vec<Value>> {
    match op {
        Op::Tuple => Ok(vec![Value::Tuple(operands)]),
        Op::GetTupleElement { index } => match (operands.pop(), usize::try_from(*index)) {
            (Some(Value::Tuple(mut parts)), Ok(index)) if index < parts.len() => {
                Ok(vec![parts.swap_remove(index)])
            }
            _ => Err(Error::invalid_argument(format!("there is no tuple element {index}"))),
        },
        Op::AfterAll => Ok(vec![Value::Token]),
        _ => Ok(operands),
    }
}
