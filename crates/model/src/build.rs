//! New nodes, checked like those of a file.
//!
//! It must not know graphs beyond what a new node reads.

use std::sync::Arc;

use tfjit_base::{Error, Result};

use crate::attr::Attrs;
use crate::graph::Graph;
use crate::import::nodes::{check_types, expand, total, with_hint};
use crate::import::{Budget, conform};
use crate::node::{Endpoint, Node, NodeId};
use crate::{optable, suggest};

impl Graph {
    /// Adds a node with an op of the op table: attributes are checked and completed, inputs
    /// compared with what the op takes, outputs typed.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown op, ALREADY_EXISTS for a name that is taken, INVALID_ARGUMENT for
    /// attributes or inputs that do not fit.
    pub fn add_op(
        &mut self,
        name: impl Into<Arc<str>>,
        op: &str,
        inputs: Vec<Endpoint>,
        attrs: Attrs,
    ) -> Result<NodeId> {
        let name = name.into();
        let node = self.new_op(name.clone(), op, inputs, attrs);
        self.add(node.map_err(|e| e.context(format!("{op} node")).at(&*name))?)
    }

    fn new_op(
        &self,
        name: Arc<str>,
        op: &str,
        inputs: Vec<Endpoint>,
        mut attrs: Attrs,
    ) -> Result<Node> {
        let def = optable::find(op).ok_or_else(|| {
            let e = Error::not_found(format!("{op} is no TensorFlow op"));
            with_hint(e, suggest::hint(op, optable::names()))
        })?;
        conform::complete_or_fail(&def, &mut attrs)?;
        Budget::new().take_outputs(total(&def.outputs, &attrs)?)?;
        let mut output_types = smallvec::SmallVec::new();
        expand(&def.outputs, &attrs, |t| output_types.push(t))?;
        let node = Node {
            name,
            op: op.into(),
            device: "".into(),
            inputs,
            control_inputs: Vec::new(),
            attrs,
            output_types,
            def: Some(def),
        };
        for input in &node.inputs {
            let known = self
                .get(input.node)
                .is_some_and(|n| n.def.is_none() || (input.output as usize) < n.output_types.len());
            if !known {
                let e = format!("there is no output {}", self.endpoint_name(*input));
                return Err(Error::invalid_argument(e));
            }
        }
        check_types(&node, self, |e| self.output_type(e))?;
        Ok(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr::AttrValue;
    use crate::{TensorValue, TfType};
    use tfjit_base::Tensor;

    #[test]
    fn nodes_are_checked_and_typed() {
        let mut g = Graph::new();
        let t = |t| AttrValue::Type(t);
        let value = AttrValue::Tensor(Box::new(TensorValue::dense(Tensor::scalar(1.5f32))));
        let attrs = Attrs::new().with("dtype", t(TfType::DtFloat)).with("value", value);
        let c = Endpoint::new(g.add_op("c", "Const", vec![], attrs).unwrap(), 0);
        let add = |t| Attrs::new().with("T", AttrValue::Type(t));
        let sum = g.add_op("s", "AddV2", vec![c, c], add(TfType::DtFloat)).unwrap();
        assert_eq!(g[sum].output_types.as_slice(), [TfType::DtFloat]);
        for (op, inputs, attrs, want) in [
            ("AddV2", vec![c, c], add(TfType::DtInt32), "is DT_FLOAT, but DT_INT32 is expected"),
            ("AddV2", vec![c], add(TfType::DtFloat), "it takes 2 inputs, 1 are given"),
            ("AddV2", vec![c, Endpoint::new(sum, 1)], add(TfType::DtFloat), "no output s:1"),
            ("AddV3", vec![], Attrs::new(), "AddV3 is no TensorFlow op"),
        ] {
            let e = g.add_op("x", op, inputs, attrs).unwrap_err();
            assert!(e.to_string().contains(want), "{e}");
        }
    }
}
