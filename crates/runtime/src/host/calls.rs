//! Calls of functions, where a callee cannot be compiled whole.
//!
//! The callee is found when it is first called; it is a program of its own, with clusters and host
//! nodes. It must not know how a program is made of a function.

use std::sync::Arc;

use tfjit_base::{Error, Result};
use tfjit_model::{AttrValue, Node};

use super::HostRow;
use crate::{Kernel, StepContext, Value};

pub(super) const ROWS: &[HostRow] = &[
    HostRow { name: "Case", doc: "calls the function of a position", make: make_case },
    HostRow { name: "If", doc: "calls one of two functions", make: make_if },
    HostRow { name: "PartitionedCall", doc: "calls a function", make: make_call },
    HostRow { name: "RemoteCall", doc: "calls a function, here", make: make_remote },
    HostRow { name: "StatefulPartitionedCall", doc: "calls a function", make: make_call },
    HostRow { name: "StatelessCase", doc: "calls the function of a position", make: make_case },
    HostRow { name: "StatelessIf", doc: "calls one of two functions", make: make_if },
    HostRow {
        name: "StatelessWhile",
        doc: "calls a function while another holds",
        make: make_while,
    },
    HostRow { name: "While", doc: "calls a function while another holds", make: make_while },
];

/// A kernel that calls the function `name` with all its inputs.
pub fn call_kernel(name: &str) -> Box<dyn Kernel> {
    Box::new(Call { name: name.into(), skip: 0 })
}

fn function(node: &Node, attr: &str) -> Result<Arc<str>> {
    match node.attrs.get(attr).map_or(&[][..], AttrValue::funcs) {
        [f] => Ok((*f.name).into()),
        _ => {
            Err(Error::invalid_argument(format!("attribute {attr} names no function"))
                .at(&*node.name))
        }
    }
}

/// Whether a condition holds: a bool, a number that is not zero, a string that is not empty, or a
/// tensor with elements.
fn holds(value: &Value) -> Result<bool> {
    let tensor = value.tensor()?;
    if tensor.shape().rank() > 0 {
        return Ok(tensor.elements() > 0);
    }
    if let Some(strings) = tensor.as_strings() {
        return Ok(strings.iter().any(|s| !s.is_empty()));
    }
    if let Ok(bools) = tensor.to_bools() {
        return Ok(bools.contains(&true));
    }
    Ok(tensor.to_f64s()?.iter().any(|x| *x != 0.0))
}

#[derive(Debug)]
struct Call {
    name: Arc<str>,
    skip: usize,
}

impl Kernel for Call {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        context.call(&self.name, inputs.get(self.skip..).unwrap_or_default().to_vec())
    }
}

fn make_call(node: &Node) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(Call { name: function(node, "f")?, skip: 0 }))
}

/// The first input is the device; every device is this process.
fn make_remote(node: &Node) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(Call { name: function(node, "f")?, skip: 1 }))
}

#[derive(Debug)]
struct Branch {
    branches: Vec<Arc<str>>,
    /// Whether the first input is a condition; else it is a position.
    condition: bool,
}

impl Branch {
    fn chosen(&self, first: &Value) -> Result<usize> {
        if self.condition {
            return Ok(usize::from(!holds(first)?));
        }
        let last = self.branches.len() - 1;
        let at = first.tensor()?.to_i64s()?.first().copied();
        let at = at.ok_or_else(|| Error::invalid_argument("the position has no element"))?;
        // TensorFlow: a position out of range means the last branch.
        Ok(usize::try_from(at).map_or(last, |at| at.min(last)))
    }
}

impl Kernel for Branch {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let (first, rest) =
            inputs.split_first().ok_or_else(|| Error::internal("a branch without inputs"))?;
        context.call(&self.branches[self.chosen(first)?], rest.to_vec())
    }
}

fn make_if(node: &Node) -> Result<Box<dyn Kernel>> {
    let branches = vec![function(node, "then_branch")?, function(node, "else_branch")?];
    Ok(Box::new(Branch { branches, condition: true }))
}

fn make_case(node: &Node) -> Result<Box<dyn Kernel>> {
    let funcs = node.attrs.get("branches").map_or(&[][..], AttrValue::funcs);
    let branches: Vec<Arc<str>> = funcs.iter().map(|f| (*f.name).into()).collect();
    if branches.is_empty() {
        return Err(Error::invalid_argument("attribute branches is empty").at(&*node.name));
    }
    Ok(Box::new(Branch { branches, condition: false }))
}

#[derive(Debug)]
struct While {
    condition: Arc<str>,
    body: Arc<str>,
}

impl Kernel for While {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let mut values = inputs.to_vec();
        loop {
            context.check()?;
            let condition = context.call(&self.condition, values.clone())?;
            let first = condition.first().ok_or_else(|| {
                Error::invalid_argument(format!("{} returns no condition", self.condition))
            })?;
            if !holds(first)? {
                return Ok(values);
            }
            let count = values.len();
            values = context.call(&self.body, values)?;
            if values.len() != count {
                return Err(Error::invalid_argument(format!(
                    "{} takes {count} values and returns {}",
                    self.body,
                    values.len()
                )));
            }
        }
    }
}

fn make_while(node: &Node) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(While { condition: function(node, "cond")?, body: function(node, "body")? }))
}

/// A kernel that reads the variables that input values refer to: what TensorFlow does where a
/// reference meets an op that takes values.
pub fn dereference_kernel() -> Box<dyn Kernel> {
    Box::new(Dereference)
}

#[derive(Debug)]
struct Dereference;

impl Kernel for Dereference {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let read = |value: &Value| match value {
            Value::Variable(v) => v.value().map(Value::Tensor).ok_or_else(|| {
                Error::failed_precondition(format!(
                    "Attempting to use uninitialized value {}",
                    v.name()
                ))
            }),
            other => Ok(other.clone()),
        };
        inputs.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{Shape, Tensor};

    #[test]
    fn conditions_of_all_types() {
        let text = |s: &str| Tensor::strings(Shape::scalar(), vec![s.into()]).unwrap();
        let cases = [
            (Tensor::scalar_bool(true), true),
            (Tensor::scalar_bool(false), false),
            (Tensor::scalar(0i64), false),
            (Tensor::scalar(-1i32), true),
            (Tensor::scalar(0.5f32), true),
            (text(""), false),
            (text("x"), true),
            (Tensor::from_slice(Shape::new(&[1]), &[0i32]).unwrap(), true),
            (Tensor::from_slice::<i32>(Shape::new(&[0]), &[]).unwrap(), false),
        ];
        for (tensor, want) in cases {
            assert_eq!(holds(&Value::Tensor(tensor.clone())).unwrap(), want, "{tensor:?}");
        }
    }

    #[test]
    fn positions_out_of_range_mean_the_last_branch() {
        let branch = Branch { branches: vec!["a".into(), "b".into()], condition: false };
        for (at, want) in [(0, 0), (1, 1), (2, 1), (-1, 1)] {
            assert_eq!(branch.chosen(&Value::Tensor(Tensor::scalar(at))).unwrap(), want);
        }
    }
}
