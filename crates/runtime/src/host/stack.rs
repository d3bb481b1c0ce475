//! Stacks of TensorFlow 1: tensors that a loop pushes and its gradient pops.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfjit_base::{Error, Result, Tensor};
use tfjit_model::Node;

use super::HostRow;
use super::tensors::{int, tensor};
use crate::{Kernel, Object, StepContext, Value};

pub(super) const ROWS: &[HostRow] = &[
    HostRow { name: "StackCloseV2", doc: "gives up a stack", make: |_| Ok(Box::new(Close)) },
    HostRow { name: "StackPopV2", doc: "takes the last element off", make: |_| Ok(Box::new(Pop)) },
    HostRow { name: "StackPushV2", doc: "puts an element on", make: |_| Ok(Box::new(Push)) },
    HostRow { name: "StackV2", doc: "a new stack", make: make_stack },
];

/// Elements of a stack without a size of its own.
const SIZE_MAX: usize = 1 << 24;

#[derive(Debug)]
struct Stack {
    name: String,
    most: usize,
    /// `None` once closed.
    elements: Mutex<Option<Vec<Tensor>>>,
}

impl Object for Stack {
    fn kind(&self) -> &'static str {
        "Stack"
    }
    fn as_any(&self) -> &(dyn Any + Send + Sync) {
        self
    }
}

impl Stack {
    fn lock(&self) -> MutexGuard<'_, Option<Vec<Tensor>>> {
        self.elements.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, text: &str) -> Error {
        Error::invalid_argument(format!("Stack[{}] {text}", self.name))
    }
}

fn stack(inputs: &[Value]) -> Result<&Stack> {
    inputs.first().ok_or_else(|| Error::internal("no handle"))?.object()
}

#[derive(Debug)]
struct Make(String);

impl Kernel for Make {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let most = int(inputs, 0)?;
        let most = usize::try_from(most).map_or(SIZE_MAX, |most| most.min(SIZE_MAX));
        let elements = Mutex::new(Some(Vec::new()));
        let name = self.0.clone();
        Ok(vec![Value::Object(Arc::new(Stack { name, most, elements }))])
    }
}

fn make_stack(node: &Node) -> Result<Box<dyn Kernel>> {
    let name = match node.attr_str("stack_name")? {
        "" => node.name.to_string(),
        name => name.to_owned(),
    };
    Ok(Box::new(Make(name)))
}

#[derive(Debug)]
struct Push;

impl Kernel for Push {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let (stack, value) = (stack(inputs)?, tensor(inputs, 1)?);
        let mut elements = stack.lock();
        let elements = elements.as_mut().ok_or_else(|| stack.error("has already been closed."))?;
        if elements.len() >= stack.most {
            let text = format!("overflowed its max_size ({})", stack.most);
            return Err(stack.error(&text));
        }
        elements.push(value.clone());
        Ok(vec![Value::Tensor(value.clone())])
    }
}

#[derive(Debug)]
struct Pop;

impl Kernel for Pop {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let stack = stack(inputs)?;
        let mut elements = stack.lock();
        let elements = elements.as_mut().ok_or_else(|| stack.error("has already been closed."))?;
        let value = elements.pop().ok_or_else(|| stack.error("is empty when calling Pop()."))?;
        Ok(vec![Value::Tensor(value)])
    }
}

#[derive(Debug)]
struct Close;

impl Kernel for Close {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        *stack(inputs)?.lock() = None;
        Ok(Vec::new())
    }
}
