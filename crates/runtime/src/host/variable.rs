//! Variables of strings, which no program can hold.

use tfjit_base::{Error, Result};
use tfjit_model::Node;

use super::HostRow;
use super::tensors::tensor;
use crate::{Kernel, StepContext, Value};

pub(super) const ROWS: &[HostRow] = &[
    HostRow { name: "AssignVariableOp", doc: "a new value", make: |_| Ok(Box::new(Assign)) },
    HostRow { name: "ReadVariableOp", doc: "the value", make: make_read },
];

fn variable(inputs: &[Value]) -> Result<&Value> {
    inputs.first().ok_or_else(|| Error::internal("no handle"))
}

#[derive(Debug)]
struct Assign;

impl Kernel for Assign {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        variable(inputs)?.variable()?.assign(tensor(inputs, 1)?.clone())?;
        Ok(Vec::new())
    }
}

#[derive(Debug)]
struct Read;

impl Kernel for Read {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let variable = variable(inputs)?.variable()?;
        let value = variable.value().ok_or_else(|| {
            Error::failed_precondition(format!(
                "Error while reading resource variable {}: it is uninitialized",
                variable.name()
            ))
        })?;
        Ok(vec![Value::Tensor(value)])
    }
}

fn make_read(_: &Node) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(Read))
}
