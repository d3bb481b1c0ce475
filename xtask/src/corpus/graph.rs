//! A look into a GraphDef: names, ops and the element types of placeholders.
//!
//! The runner needs it to know what to feed; it judges nothing about the graph.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use prost::Message;
use serde_json::Value;
use tfjit_base::{DType, Shape, Tensor};
use tfjit_proto::tensorflow::{GraphDef, NodeDef, attr_value};

/// A parsed GraphDef.
pub(crate) struct Graph(GraphDef);

impl Graph {
    /// Parses a binary GraphDef.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Graph> {
        Ok(Graph(GraphDef::decode(bytes)?))
    }

    /// The node `name`.
    pub(crate) fn node(&self, name: &str) -> Option<&NodeDef> {
        self.0.node.iter().find(|node| node.name == name)
    }

    /// The names of the nodes of `op`, in file order.
    pub(crate) fn of_op(&self, op: &str) -> impl Iterator<Item = &str> {
        self.0.node.iter().filter(move |node| node.op == op).map(|node| node.name.as_str())
    }

    /// The nodes whose outputs nobody in the graph uses.
    pub(crate) fn sinks(&self) -> Vec<String> {
        let name = |input: &str| input.trim_start_matches('^').split(':').next().map(str::to_owned);
        let inputs = self.0.node.iter().flat_map(|node| &node.input);
        let used: BTreeSet<String> = inputs.filter_map(|input| name(input)).collect();
        let names = self.0.node.iter().map(|node| node.name.clone());
        names.filter(|name| !used.contains(name)).collect()
    }

    /// The element type of the placeholder (or argument) that the tensor `name` is of.
    pub(crate) fn placeholder(&self, name: &str) -> Result<DType> {
        let node = name.split(':').next().unwrap_or(name);
        let node = self.node(node).with_context(|| format!("no node `{node}`"))?;
        let attr = node.attr.get("dtype").or_else(|| node.attr.get("T"));
        let number = match attr.and_then(|attr| attr.value.as_ref()) {
            Some(attr_value::Value::Type(number)) => *number,
            _ => bail!("`{name}` has no element type"),
        };
        let named = tfjit_model::TfType::try_from(number).ok();
        named.and_then(tfjit_model::dtype).with_context(|| format!("element type {number}"))
    }

    /// This graph with the nodes and functions of `other` that it has not itself.
    pub(crate) fn merged(mut self, other: Graph) -> Graph {
        for node in other.0.node {
            if self.node(&node.name).is_none() {
                self.0.node.push(node);
            }
        }
        let library = self.0.library.get_or_insert_default();
        let names: Vec<String> = library
            .function
            .iter()
            .filter_map(|f| Some(f.signature.as_ref()?.name.clone()))
            .collect();
        let theirs = other.0.library.unwrap_or_default().function;
        library.function.extend(
            theirs
                .into_iter()
                .filter(|f| f.signature.as_ref().is_some_and(|s| !names.contains(&s.name))),
        );
        self
    }

    /// The binary form.
    pub(crate) fn encode(&self) -> Vec<u8> {
        self.0.encode_to_vec()
    }
}

/// A tensor of `dtype` from nested lists of numbers or booleans.
pub(crate) fn json_tensor(value: &Value, dtype: DType) -> Result<Tensor> {
    let (mut dims, mut inner) = (Vec::new(), value);
    while let Value::Array(items) = inner {
        dims.push(items.len());
        let Some(first) = items.first() else { break };
        inner = first;
    }
    let mut flat = Vec::new();
    flatten(value, &mut flat)?;
    let shape = Shape::new(&dims);
    ensure!(shape.elements() == flat.len(), "lists of different lengths");
    Ok(match dtype {
        DType::F32 => {
            Tensor::from_slice(shape, &flat.iter().map(|&v| v as f32).collect::<Vec<_>>())?
        }
        DType::F64 => Tensor::from_slice(shape, &flat)?,
        DType::I32 => {
            Tensor::from_slice(shape, &flat.iter().map(|&v| v as i32).collect::<Vec<_>>())?
        }
        DType::I64 => {
            Tensor::from_slice(shape, &flat.iter().map(|&v| v as i64).collect::<Vec<_>>())?
        }
        DType::Bool => {
            Tensor::from_bools(shape, &flat.iter().map(|&v| v != 0.0).collect::<Vec<_>>())?
        }
        other => bail!("no {other} from JSON"),
    })
}

fn flatten(value: &Value, out: &mut Vec<f64>) -> Result<()> {
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| flatten(item, out)),
        Value::Bool(b) => {
            out.push(f64::from(u8::from(*b)));
            Ok(())
        }
        other => {
            out.push(other.as_f64().with_context(|| format!("`{other}` is no number"))?);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_tensors() {
        let value: Value = serde_json::from_str("[[1, 2.5], [3, 4]]").unwrap();
        let tensor = json_tensor(&value, DType::F32).unwrap();
        assert_eq!(tensor.shape(), &Shape::new(&[2, 2]));
        assert_eq!(tensor.to_f64s().unwrap(), [1.0, 2.5, 3.0, 4.0]);
        assert_eq!(json_tensor(&Value::Bool(true), DType::Bool).unwrap().bytes(), [1]);
        let ragged: Value = serde_json::from_str("[[1, 2], [3]]").unwrap();
        assert!(json_tensor(&ragged, DType::F32).is_err());
        assert!(json_tensor(&Value::Null, DType::F32).is_err());
    }
}
