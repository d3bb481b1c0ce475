//! A function of one op, for compiling ops one at a time through the same lowering and cache.
//!
//! It must not know the compiler.

use std::sync::Arc;

use smallvec::smallvec;
use tfjit_base::{Error, PartialShape, Result};
use tfjit_model::{
    AttrValue, Attrs, Endpoint, Function, FunctionLibrary, Graph, Node, Param, ResultDef, TfType,
    optable,
};

/// Attributes that say where an op runs, not what it does.
const NOT_IN_NAME: &[&str] = &["_class"];

/// The function `_arg0, …, op, _retval0, …` of a node, whose inputs have these types. Its name is
/// the op's with its attributes, so that equal ops share what is compiled.
///
/// # Errors
/// INTERNAL when the node's own types contradict each other.
pub fn single_op_function(node: &Node, inputs: &[TfType]) -> Result<Function> {
    let mut graph = Graph::new();
    let mut params = Vec::with_capacity(inputs.len());
    for (i, &tftype) in inputs.iter().enumerate() {
        let name: Arc<str> = format!("_arg{i}").into();
        let attrs =
            Attrs::new().with("T", AttrValue::Type(tftype)).with("index", AttrValue::Int(i as i64));
        let arg = graph.add(Node {
            name: Arc::clone(&name),
            op: "_Arg".into(),
            device: "".into(),
            inputs: Vec::new(),
            control_inputs: Vec::new(),
            attrs,
            output_types: smallvec![tftype],
            def: optable::find("_Arg"),
        })?;
        params.push(Param {
            name,
            tftype,
            shape: PartialShape::unknown(),
            attrs: Attrs::new(),
            handle: Vec::new(),
            node: arg,
        });
    }
    let args = params.iter().map(|param| Endpoint::new(param.node, 0)).collect();
    let copy = Node { inputs: args, control_inputs: Vec::new(), ..node.clone() };
    let id = graph.add(copy)?;
    let results = node
        .output_types
        .iter()
        .enumerate()
        .map(|(i, &tftype)| ResultDef {
            name: format!("_retval{i}").into(),
            tftype,
            shape: PartialShape::unknown(),
            endpoint: Endpoint::new(id, i as u32),
        })
        .collect();
    Ok(Function {
        name: canonical_name(node).into(),
        params,
        results,
        control_results: vec![id],
        graph,
        attrs: Attrs::new(),
        stateful: node.is_stateful(),
    })
}

/// The op's name with the attributes that matter, in order of their names.
fn canonical_name(node: &Node) -> String {
    let attrs: Vec<String> = node
        .attrs
        .iter()
        .filter(|(name, _)| !NOT_IN_NAME.contains(&&***name))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    match attrs.is_empty() {
        true => node.op.to_string(),
        false => format!("{}[{}]", node.op, attrs.join(",")),
    }
}

/// Inputs of a single op that must be known while compiling, ascending.
///
/// # Errors
/// INTERNAL when the list and the function disagree.
pub fn constant_inputs(library: &FunctionLibrary, function: &Function) -> Result<Vec<usize>> {
    let must = tfjit_bridge::const_args(library, function);
    if must.len() != function.params.len() {
        return Err(Error::internal("the constant inputs of an op are unclear"));
    }
    let resource = |i: usize| function.params[i].tftype == TfType::DtResource;
    Ok((0..must.len()).filter(|&i| must[i] && !resource(i)).collect())
}
