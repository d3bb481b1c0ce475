//! The second table of ops: nodes that run on the host beside the compiled clusters.
//!
//! One row an op: its name, a line, and how to make its kernel from a node.

mod arithmetic;
mod calls;
mod diagonal;
mod dynamic;
mod fingerprint;
mod flow;
mod format;
mod random;
mod scatter;
mod sparse;
mod stack;
mod strings;
mod suppress;
mod table;
mod tensor_array;
mod tensor_list;
mod tensors;
mod text;
mod transfer;
mod variable;

use std::sync::LazyLock;

use tfjit_base::{Error, Result};
use tfjit_model::Node;

pub use calls::{call_kernel, dereference_kernel};
pub use flow::flow_of;

use crate::{Kernel, StepContext, Value};

/// Everything about one host op.
#[derive(Clone, Copy)]
pub struct HostRow {
    /// The op's name.
    pub name: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
    /// Makes the kernel of a node.
    pub make: fn(&Node) -> Result<Box<dyn Kernel>>,
}

/// A row, as the tables of ops write it.
const fn row(
    name: &'static str,
    doc: &'static str,
    make: fn(&Node) -> Result<Box<dyn Kernel>>,
) -> HostRow {
    HostRow { name, doc, make }
}

/// All rows, sorted by name.
pub fn host_table() -> &'static [HostRow] {
    static TABLE: LazyLock<Vec<HostRow>> = LazyLock::new(|| {
        let groups = [
            ROWS,
            calls::ROWS,
            diagonal::ROWS,
            dynamic::ROWS,
            flow::ROWS,
            random::ROWS,
            scatter::ROWS,
            sparse::ROWS,
            stack::ROWS,
            strings::ROWS,
            suppress::ROWS,
            table::ROWS,
            tensor_array::ROWS,
            tensor_list::ROWS,
            text::ROWS,
            transfer::ROWS,
            variable::ROWS,
        ];
        let mut rows = groups.concat();
        rows.sort_by_key(|row| row.name);
        rows
    });
    &TABLE
}

const ROWS: &[HostRow] = &[
    HostRow { name: "Const", doc: "a constant", make: make_const },
    HostRow { name: "Identity", doc: "the input", make: make_identity },
    HostRow { name: "LoopCond", doc: "the condition of a loop", make: make_identity },
    HostRow { name: "NoOp", doc: "nothing", make: make_identity },
    HostRow { name: "VarHandleOp", doc: "a handle to a variable", make: make_handle },
    HostRow { name: "Variable", doc: "a reference variable", make: make_handle },
    HostRow { name: "VariableV2", doc: "a reference variable", make: make_handle },
];

/// The row of an op.
pub fn host_row(op: &str) -> Option<&'static HostRow> {
    let table = host_table();
    table.binary_search_by(|row| row.name.cmp(op)).ok().map(|at| &table[at])
}

/// The kernel of a node that stays on the host.
///
/// # Errors
/// UNIMPLEMENTED when no row has its op.
pub fn host_kernel(node: &Node) -> Result<Box<dyn Kernel>> {
    match host_row(&node.op) {
        Some(row) => (row.make)(node),
        None => Err(Error::unimplemented(format!(
            "op {} can neither be compiled nor run on the host",
            node.op
        ))
        .at(&*node.name)),
    }
}

#[derive(Debug)]
struct Constant(Value);

impl Kernel for Constant {
    fn run(&self, _: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        Ok(vec![self.0.clone()])
    }
}

fn make_const(node: &Node) -> Result<Box<dyn Kernel>> {
    let value = node.attr_tensor("value")?.to_tensor()?;
    Ok(Box::new(Constant(Value::Tensor(value))))
}

#[derive(Debug)]
struct Identity;

impl Kernel for Identity {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        Ok(inputs.to_vec())
    }
}

fn make_identity(_: &Node) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(Identity))
}

#[derive(Debug)]
struct Handle {
    container: String,
    name: String,
}

impl Kernel for Handle {
    fn run(&self, _: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let variable = context.resources.lookup_or_create(&self.container, &self.name);
        Ok(vec![Value::Variable(variable)])
    }
}

/// The name of handles that never share a variable.
const ANONYMOUS: &str = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

/// Whether the node is a variable: a handle, or a buffer of TensorFlow 1.
pub(crate) fn is_variable(node: &Node) -> bool {
    matches!(&*node.op, "VarHandleOp" | "VariableV2" | "Variable")
}

/// Container and name of a variable: its `shared_name`, or the node's name when that is empty or
/// shared with nobody.
pub(crate) fn variable_identity(node: &Node) -> (String, String) {
    let text = |name| node.attr_str(name).unwrap_or_default();
    let name = match text("shared_name") {
        "" | ANONYMOUS => &*node.name,
        shared => shared,
    };
    (text("container").to_owned(), name.to_owned())
}

fn make_handle(node: &Node) -> Result<Box<dyn Kernel>> {
    let (container, name) = variable_identity(node);
    Ok(Box::new(Handle { container, name }))
}
