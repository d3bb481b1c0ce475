//! Fingerprints of 64 bits that are the same on every machine and in every build: of bytes, of
//! tensors, and of functions with all they call.
//!
//! The function is ours and written out here; changing anything in it makes all files of the cache
//! unknown, so that [`super::FORMAT`] must count up with it. It is no cryptographic digest: who can
//! write to the cache can put any code there anyway.
//!
//! Definition. `fold(a, b)` is the exclusive or of both halves of the 128-bit product. Taking the
//! word `w` into the state `s` gives `fold(s ^ w, K4) + (s rotated left by 23)`. Bytes are taken in
//! as two words, the value of [`bytes64`] and the length. [`bytes64`] reads blocks of 64 bytes as
//! eight little-endian words, two for each of four lanes; a lane `l` with the words `a` and `b`
//! becomes `fold(a ^ Ki, b ^ l) + (l rotated left by 29)`. The last block is filled up with zeros.
//! At the end the lanes are taken, as words, into a state that starts as the length.

use rustc_hash::FxHashSet;
use tfjit_base::ids::Id;
use tfjit_base::{PartialShape, Tensor};
use tfjit_model::{
    AttrList, AttrValue, Attrs, Endpoint, Function, FunctionLibrary, Node, TensorData, TensorValue,
};

/// Odd constants with as many ones as zeros: fractional digits of roots of small primes.
const K: [u64; 5] = [
    0x9e37_79b9_7f4a_7c15,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
];

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The eight words of a block.
fn words(block: &[u8; 64]) -> [u64; 8] {
    let mut out = [0u64; 8];
    for (word, bytes) in out.iter_mut().zip(block.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    out
}

fn take_block(lanes: &mut [u64; 4], block: &[u8; 64]) {
    let w = words(block);
    for i in 0..4 {
        let lane = lanes[i];
        lanes[i] = fold(w[2 * i] ^ K[i], w[2 * i + 1] ^ lane).wrapping_add(lane.rotate_left(29));
    }
}

/// The fingerprint of bytes, at several gigabytes a second.
pub fn bytes64(bytes: &[u8]) -> u64 {
    let mut lanes = [K[1], K[2], K[3], K[0]];
    let (blocks, rest) = bytes.as_chunks::<64>();
    for block in blocks {
        take_block(&mut lanes, block);
    }
    if !rest.is_empty() {
        let mut last = [0u8; 64];
        last[..rest.len()].copy_from_slice(rest);
        take_block(&mut lanes, &last);
    }
    let mut state = Fingerprint { state: bytes.len() as u64 };
    for lane in lanes {
        state.word(lane);
    }
    state.finish()
}

/// A fingerprint that is made piece by piece.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    state: u64,
}

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint { state: K[0] }
    }
}

impl Fingerprint {
    /// Nothing yet.
    pub fn new() -> Fingerprint {
        Fingerprint::default()
    }

    /// Takes in a number.
    pub fn word(&mut self, word: u64) {
        let state = self.state;
        self.state = fold(state ^ word, K[4]).wrapping_add(state.rotate_left(23));
    }

    /// Takes in a length or an index.
    pub fn count(&mut self, count: usize) {
        self.word(count as u64);
    }

    /// Takes in bytes and how many there are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes64(bytes));
        self.count(bytes.len());
    }

    /// Takes in text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Takes in type, extents and elements.
    pub fn tensor(&mut self, tensor: &Tensor) {
        self.text(tensor.dtype().name());
        self.count(tensor.shape().rank());
        tensor.shape().dims().iter().for_each(|&d| self.count(d));
        match tensor.as_strings() {
            Some(values) => values.iter().for_each(|value| self.bytes(value)),
            None => self.bytes(tensor.bytes()),
        }
    }

    /// The fingerprint.
    pub fn finish(&self) -> u64 {
        fold(self.state ^ K[2], K[3]) ^ self.state
    }
}

/// The fingerprint of a tensor: type, extents and elements.
pub fn tensor64(tensor: &Tensor) -> u64 {
    let mut fingerprint = Fingerprint::new();
    fingerprint.tensor(tensor);
    fingerprint.finish()
}

/// The fingerprint of what a function does: its parameters, nodes and results, and those of all
/// functions of `library` that it may call. The names of nodes count, as errors tell them.
pub fn function64(library: &FunctionLibrary, function: &Function) -> u64 {
    let mut fingerprint = Fingerprint::new();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut stack: Vec<&Function> = vec![function];
    while let Some(next) = stack.pop() {
        let mut callees = Vec::new();
        one_function(next, library, &mut fingerprint, &mut callees);
        for name in callees.into_iter().rev() {
            if let Some(callee) = library.get(name)
                && seen.insert(name)
            {
                stack.push(callee);
            }
        }
    }
    fingerprint.finish()
}

fn one_function<'a>(
    function: &'a Function,
    library: &'a FunctionLibrary,
    to: &mut Fingerprint,
    callees: &mut Vec<&'a str>,
) {
    to.text(&function.name);
    attrs(&function.attrs, to, callees);
    to.word(u64::from(function.stateful));
    to.count(function.params.len());
    for param in &function.params {
        to.text(&param.name);
        to.word(param.tftype as i32 as u64);
        shape(&param.shape, to);
        to.count(param.handle.len());
        for (ty, handle_shape) in &param.handle {
            to.word(*ty as i32 as u64);
            shape(handle_shape, to);
        }
        to.count(param.node.index());
    }
    to.count(function.results.len());
    for result in &function.results {
        to.text(&result.name);
        to.word(result.tftype as i32 as u64);
        endpoint(result.endpoint, to);
    }
    to.count(function.control_results.len());
    function.control_results.iter().for_each(|id| to.count(id.index()));
    to.count(function.graph.len());
    for (_, node) in function.graph.iter() {
        one_node(node, to, callees);
        if library.get(&node.op).is_some() {
            callees.push(&node.op);
        }
    }
    if let Some(gradient) = library.gradient(&function.name) {
        to.text(gradient);
        callees.push(gradient);
    }
}

fn one_node<'a>(node: &'a Node, to: &mut Fingerprint, callees: &mut Vec<&'a str>) {
    to.text(&node.name);
    to.text(&node.op);
    to.text(&node.device);
    to.count(node.inputs.len());
    node.inputs.iter().for_each(|&input| endpoint(input, to));
    to.count(node.control_inputs.len());
    node.control_inputs.iter().for_each(|id| to.count(id.index()));
    attrs(&node.attrs, to, callees);
    to.count(node.output_types.len());
    node.output_types.iter().for_each(|&ty| to.word(ty as i32 as u64));
}

fn endpoint(endpoint: Endpoint, to: &mut Fingerprint) {
    to.word((endpoint.node.index() as u64) << 32 | u64::from(endpoint.output));
}

fn shape(shape: &PartialShape, to: &mut Fingerprint) {
    let Some(dims) = shape.dims() else { return to.word(u64::MAX) };
    to.count(dims.len());
    dims.iter().for_each(|dim| to.word(dim.map_or(u64::MAX, |d| d as u64)));
}

fn attrs<'a>(attrs: &'a Attrs, to: &mut Fingerprint, callees: &mut Vec<&'a str>) {
    to.count(attrs.len());
    for (name, value) in attrs.iter() {
        to.text(name);
        attr(value, to, callees);
    }
}

/// Takes in a value; the nesting of attributes of function names is bounded by the reader.
fn attr<'a>(value: &'a AttrValue, to: &mut Fingerprint, callees: &mut Vec<&'a str>) {
    to.text(value.kind_name());
    match value {
        AttrValue::Bytes(bytes) => to.bytes(bytes),
        AttrValue::Int(v) => to.word(*v as u64),
        AttrValue::Float(v) => to.word(u64::from(v.to_bits())),
        AttrValue::Bool(v) => to.word(u64::from(*v)),
        AttrValue::Type(v) => to.word(*v as i32 as u64),
        AttrValue::Shape(v) => shape(v, to),
        AttrValue::Tensor(v) => constant(v, to),
        AttrValue::Placeholder(v) => to.text(v),
        AttrValue::Func(_) => {}
        AttrValue::List(list) => {
            to.count(list.len());
            match list {
                AttrList::Empty | AttrList::Funcs(_) => {}
                AttrList::Bytes(v) => v.iter().for_each(|v| to.bytes(v)),
                AttrList::Ints(v) => v.iter().for_each(|v| to.word(*v as u64)),
                AttrList::Floats(v) => v.iter().for_each(|v| to.word(u64::from(v.to_bits()))),
                AttrList::Bools(v) => v.iter().for_each(|v| to.word(u64::from(*v))),
                AttrList::Types(v) => v.iter().for_each(|v| to.word(*v as i32 as u64)),
                AttrList::Shapes(v) => v.iter().for_each(|v| shape(v, to)),
                AttrList::Tensors(v) => v.iter().for_each(|v| constant(v, to)),
            }
        }
    }
    for func in value.funcs() {
        to.text(&func.name);
        attrs(&func.attrs, to, callees);
        callees.push(&func.name);
    }
}

fn constant(value: &TensorValue, to: &mut Fingerprint) {
    to.word(value.tftype as i32 as u64);
    to.count(value.shape.rank());
    value.shape.dims().iter().for_each(|&d| to.count(d));
    match &value.data {
        TensorData::Dense(t) => to.tensor(t),
        TensorData::Splat(t) => {
            to.word(1);
            to.tensor(t);
        }
        TensorData::Padded(t) => {
            to.word(2);
            to.tensor(t);
        }
        TensorData::Variants(variants) => {
            to.count(variants.len());
            for variant in variants.iter() {
                to.text(&variant.type_name);
                to.bytes(&variant.metadata);
                to.count(variant.tensors.len());
                variant.tensors.iter().for_each(|t| constant(t, to));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tfjit_base::Shape;
    use tfjit_model::{Graph, NodeId};

    #[test]
    fn the_numbers_are_the_same_everywhere() {
        assert_eq!(bytes64(b""), 0xcbaa_b6d9_d98b_67ed);
        assert_eq!(bytes64(b"tfjit"), 0x6e5a_99d6_7db9_95ef);
        let long: Vec<u8> = (0..1000u32).map(|i| (i * i) as u8).collect();
        assert_eq!(bytes64(&long), 0x5a67_b0fb_4228_474d);
        let tensor = Tensor::from_slice(Shape::new(&[2, 1]), &[1.0f32, -0.0]).unwrap();
        assert_eq!(tensor64(&tensor), 0xc3fe_8974_fce7_a1b5);
    }

    #[test]
    fn any_bit_and_any_length_count() {
        let bytes: Vec<u8> = (1..=200u8).collect();
        let mut seen = FxHashSet::default();
        for length in 0..bytes.len() {
            assert!(seen.insert(bytes64(&bytes[..length])));
            assert!(seen.insert(bytes64(&vec![0; length + 1])));
        }
        for bit in 0..bytes.len() * 8 {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            let changed = (bytes64(&other) ^ bytes64(&bytes)).count_ones();
            assert!((10..=54).contains(&changed), "bit {bit} changes {changed} bits");
        }
    }

    #[test]
    fn tensors_are_told_apart_by_type_shape_and_value() {
        let two = |shape: &[usize], v: &[i32]| {
            tensor64(&Tensor::from_slice(Shape::new(shape), v).unwrap())
        };
        let strings = |values: &[&str]| {
            let values: Vec<Vec<u8>> = values.iter().map(|v| v.as_bytes().to_vec()).collect();
            tensor64(&Tensor::strings(Shape::new(&[values.len()]), values).unwrap())
        };
        let mut all = vec![
            two(&[4, 0], &[]),
            two(&[0, 4], &[]),
            two(&[2], &[1, 2]),
            two(&[2, 1], &[1, 2]),
            two(&[2], &[2, 1]),
            tensor64(&Tensor::from_slice(Shape::new(&[2]), &[1u32, 2]).unwrap()),
            strings(&["a", "bc"]),
            strings(&["ab", "c"]),
        ];
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    fn node(name: &str, op: &str, attrs: Attrs, inputs: Vec<Endpoint>) -> Node {
        Node {
            name: name.into(),
            op: op.into(),
            device: "".into(),
            inputs,
            control_inputs: Vec::new(),
            attrs,
            output_types: Default::default(),
            def: None,
        }
    }

    fn function(name: &str, nodes: Vec<Node>) -> Function {
        let mut graph = Graph::new();
        for node in nodes {
            graph.add(node).unwrap();
        }
        Function {
            name: name.into(),
            params: Vec::new(),
            results: Vec::new(),
            control_results: Vec::new(),
            graph,
            attrs: Attrs::new(),
            stateful: false,
        }
    }

    #[test]
    fn functions_are_told_apart_by_what_they_do_and_call() {
        let library = |value: i64| {
            let attrs = Attrs::new().with("value", AttrValue::Int(value));
            let mut library = FunctionLibrary::new();
            // It calls itself, which a walk must survive.
            let inner = function(
                "g",
                vec![node("c", "Const", attrs, vec![]), node("again", "g", Attrs::new(), vec![])],
            );
            library.insert(Arc::new(inner));
            library
        };
        let first = NodeId::new(0);
        let caller = |name: &str, output: u32| {
            function(
                "f",
                vec![
                    node(name, "g", Attrs::new(), vec![]),
                    node("n", "Neg", Attrs::new(), vec![Endpoint::new(first, output)]),
                ],
            )
        };
        let base = function64(&library(1), &caller("x", 0));
        assert_eq!(base, function64(&library(1), &caller("x", 0)));
        assert_ne!(base, function64(&library(2), &caller("x", 0)));
        assert_ne!(base, function64(&library(1), &caller("y", 0)));
        assert_ne!(base, function64(&library(1), &caller("x", 1)));
        assert_ne!(base, function64(&FunctionLibrary::new(), &caller("x", 0)));
        let mut with_gradient = library(1);
        with_gradient.set_gradient("f".to_owned(), "g".to_owned());
        assert_ne!(base, function64(&with_gradient, &caller("x", 0)));
    }
}
