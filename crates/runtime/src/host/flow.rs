//! The control flow of TensorFlow 1: what the executor does itself.
//!
//! The rows are here so that the ops are known; their kernels are never asked.

use tfjit_base::{Error, Result};
use tfjit_model::Node;

use super::HostRow;
use crate::{Flow, Kernel, StepContext, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("ControlTrigger", "nothing, even when what it waits for is dead"),
    row("Enter", "a value that goes into a loop"),
    row("Exit", "a value that comes out of a loop"),
    row("Merge", "whichever input is alive, and its position"),
    row("NextIteration", "a value for the next iteration of a loop"),
    row("RefEnter", "a reference that goes into a loop"),
    row("RefExit", "a reference that comes out of a loop"),
    row("RefMerge", "whichever reference is alive, and its position"),
    row("RefNextIteration", "a reference for the next iteration of a loop"),
    row("RefSwitch", "a reference on one of two ways"),
    row("Switch", "a value on one of two ways"),
    row("_SwitchN", "a value on one of several ways"),
    row("_XlaMerge", "what a cluster or its fallback returned"),
];

const fn row(name: &'static str, doc: &'static str) -> HostRow {
    HostRow { name, doc, make }
}

/// What a node means to the executor.
///
/// # Errors
/// INVALID_ARGUMENT for a frame without a name.
pub fn flow_of(node: &Node) -> Result<Flow> {
    Ok(match &*node.op {
        "Switch" | "RefSwitch" | "_SwitchN" => Flow::Switch,
        "Merge" | "RefMerge" | "_XlaMerge" => Flow::Merge,
        "Enter" | "RefEnter" => {
            let frame = node.attr_str("frame_name")?;
            if frame.is_empty() {
                let e = Error::invalid_argument("attribute frame_name is empty");
                return Err(e.at(&*node.name));
            }
            Flow::Enter { frame: frame.into(), constant: node.flag("is_constant") }
        }
        "Exit" | "RefExit" => Flow::Exit,
        "NextIteration" | "RefNextIteration" => Flow::NextIteration,
        "ControlTrigger" => Flow::Trigger,
        _ => Flow::Plain,
    })
}

#[derive(Debug)]
struct Executed;

impl Kernel for Executed {
    fn run(&self, _: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        Err(Error::internal("the executor does this itself"))
    }
}

fn make(node: &Node) -> Result<Box<dyn Kernel>> {
    flow_of(node)?;
    Ok(Box::new(Executed))
}
