//! A list of `NodeDef`s as a graph: first the nodes, then, when all are known, their edges.
//!
//! It must not know whether the nodes are a main graph or a function's body, but for the way
//! inputs are written.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result};

use super::refs::Ref;
use super::wire::{NodeView, Nodes};
use super::{Budget, Place, Strings, attr, conform, legacy};
use crate::attr::{AttrValue, Attrs};
use crate::graph::Graph;
use crate::node::{Endpoint, Node, NodeId};
use crate::optable::{self, ArgDef, ArgType, OpDef};
use crate::problems::Problems;
use crate::{TfType, suggest, tftype};

/// What all graphs of one file share while they are imported.
pub(crate) struct Session<'a> {
    pub(crate) problems: &'a mut Problems,
    pub(crate) strings: &'a mut Strings,
    pub(crate) budget: &'a mut Budget,
    /// Functions seen as ops: a node may call one by having its name as op.
    pub(crate) functions: &'a FxHashMap<Arc<str>, Arc<OpDef>>,
    /// What was made of attributes before.
    pub(crate) configured: Configured<'a>,
    /// The first node that is none.
    pub(crate) broken: Option<Error>,
}

/// Attributes and types of outputs of nodes, by op and by the bytes of the attributes. Nodes come
/// in crowds that differ in names only, and share what is made of the first.
pub(crate) type Configured<'a> = FxHashMap<(Cow<'a, str>, &'a [u8]), (Attrs, OutputTypes)>;

/// The types of a node's outputs.
type OutputTypes = SmallVec<[TfType; 2]>;

/// Attributes of more bytes, which hold tensors, are rarely met twice.
const SHARED_BYTES_MAX: usize = 1024;

/// A graph under construction.
pub(crate) struct Import<'s, 'a> {
    session: &'s mut Session<'a>,
    place: Place<'s>,
    graph: Graph,
    /// Inputs as written, of all nodes.
    inputs: Vec<Cow<'a, str>>,
    /// Where those of each node are.
    spans: Vec<Range<usize>>,
    /// Whether types and outputs of a node are known for sure.
    sound: Vec<bool>,
}

impl<'s, 'a> Import<'s, 'a> {
    pub(crate) fn new(session: &'s mut Session<'a>, place: Place<'s>) -> Import<'s, 'a> {
        Import {
            session,
            place,
            graph: Graph::new(),
            inputs: Vec::new(),
            spans: Vec::new(),
            sound: Vec::new(),
        }
    }

    /// Records a problem at a node.
    fn report(&mut self, error: Error, node: &str) {
        let error = self.place.blame(error, node);
        self.session.problems.error(error);
    }

    /// Records a problem of the graph itself.
    pub(crate) fn report_here(&mut self, error: Error) {
        let error = match self.place.function {
            Some(function) => error.at(format!("function {function}")),
            None => error,
        };
        self.session.problems.error(error);
    }

    pub(crate) fn strings(&mut self) -> &mut Strings {
        self.session.strings
    }

    /// Adds the `_Arg` node of a parameter.
    pub(crate) fn param(
        &mut self,
        name: &str,
        index: usize,
        tftype: TfType,
        mut attrs: Attrs,
    ) -> Option<NodeId> {
        attrs.set(self.session.strings.share("T"), AttrValue::Type(tftype));
        attrs.set(self.session.strings.share("index"), AttrValue::Int(index as i64));
        let node = Node {
            name: name.into(),
            op: self.session.strings.share("_Arg"),
            device: self.session.strings.share(""),
            inputs: Vec::new(),
            control_inputs: Vec::new(),
            attrs,
            output_types: [tftype].into_iter().collect(),
            def: optable::find("_Arg"),
        };
        self.push(node, SmallVec::new(), true)
    }

    fn push(
        &mut self,
        node: Node,
        inputs: SmallVec<[Cow<'a, str>; 4]>,
        sound: bool,
    ) -> Option<NodeId> {
        let name = node.name.clone();
        match self.graph.add(node) {
            Ok(id) => {
                let start = self.inputs.len();
                self.inputs.extend(inputs);
                self.spans.push(start..self.inputs.len());
                self.sound.push(sound);
                Some(id)
            }
            Err(e) => {
                self.report(Error::invalid_argument(e.message()), &name);
                None
            }
        }
    }

    /// Adds the first `count` of the nodes; their edges come later.
    pub(crate) fn nodes(&mut self, nodes: &'a Nodes, count: usize) {
        let count = count.min(nodes.len());
        self.graph.reserve(count);
        for at in 0..count {
            match nodes.view(at) {
                Ok(node) => self.node(node),
                Err(e) => {
                    self.session.broken.get_or_insert(e);
                    return;
                }
            }
        }
    }

    fn node(&mut self, view: NodeView<'a>) {
        let name = &*view.name;
        if name.is_empty() {
            let e = format!("a node with the op {:?} has no name", view.op);
            return self.report_here(Error::invalid_argument(e));
        }
        if name.starts_with('^') || name.contains(':') {
            let e =
                Error::invalid_argument("a node's name may not start with ^ or contain a colon");
            return self.report(e, name);
        }
        if view.op.is_empty() {
            return self.report(Error::invalid_argument("the node has no op"), name);
        }
        let def = self.session.functions.get(&*view.op).cloned();
        let def = def.or_else(|| optable::find(&view.op));
        let (attrs, output_types, sound) = match self.configure(&view, def.as_deref()) {
            Ok((attrs, types)) => (attrs, types, def.is_some()),
            Err(errors) => {
                for e in errors {
                    self.report(e.context(format!("{} node", view.op)), name);
                }
                (Attrs::new(), SmallVec::new(), false)
            }
        };
        let node = Node {
            name: name.into(),
            op: self.session.strings.share(&view.op),
            device: self.session.strings.share(&view.device),
            inputs: Vec::new(),
            control_inputs: Vec::new(),
            attrs,
            output_types,
            def,
        };
        self.push(node, view.inputs, sound);
    }

    /// Attributes, completed, and types of outputs; those of an unknown op stay as they are.
    fn configure(
        &mut self,
        node: &NodeView<'a>,
        def: Option<&OpDef>,
    ) -> Result<(Attrs, OutputTypes), Vec<Error>> {
        // What older writers wrote is made modern with the number of inputs in mind.
        let bytes = node.attr_bytes.filter(|b| {
            b.len() <= SHARED_BYTES_MAX && def.is_some() && !legacy::counts_inputs(&node.op)
        });
        let Some(bytes) = bytes else { return self.configure_anew(node, def) };
        let key = (node.op.clone(), bytes);
        if let Some((attrs, types)) = self.session.configured.get(&key) {
            let (attrs, types) = (attrs.clone(), types.clone());
            self.session.budget.take_outputs(types.len()).map_err(|e| vec![e])?;
            return Ok((attrs, types));
        }
        let made = self.configure_anew(node, def)?;
        self.session.configured.insert(key, made.clone());
        Ok(made)
    }

    fn configure_anew(
        &mut self,
        node: &NodeView<'_>,
        def: Option<&OpDef>,
    ) -> Result<(Attrs, OutputTypes), Vec<Error>> {
        let hollow = node.attrs.iter().filter(|(_, value)| value.is_hollow());
        let hollow = hollow.filter(|(attr, _)| def.is_some_and(|d| d.attr(attr).is_some()));
        let mut errors: Vec<Error> = hollow
            .map(|(attr, _)| Error::invalid_argument(format!("the attribute {attr} has no value")))
            .collect();
        let mut attrs = match attr::node_attrs(node, self.session.strings) {
            Ok(attrs) if errors.is_empty() => attrs,
            Ok(_) => return Err(errors),
            Err(e) => {
                errors.push(e);
                return Err(errors);
            }
        };
        let Some(def) = def else { return Ok((attrs, SmallVec::new())) };
        legacy::modernise(&node.op, &mut attrs, node.inputs.len());
        self.complete(def, &mut attrs)?;
        let types = self.outputs(def, &attrs).map_err(|e| vec![e])?;
        Ok((attrs, types))
    }

    fn complete(&mut self, def: &OpDef, attrs: &mut Attrs) -> Result<(), Vec<Error>> {
        let mut errors = Vec::new();
        conform::complete(def, attrs, self.session.strings, |e| errors.push(e));
        if errors.is_empty() && def.name == "Const" {
            errors.extend(check_const(attrs).err());
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn outputs(&mut self, def: &OpDef, attrs: &Attrs) -> Result<OutputTypes> {
        self.session.budget.take_outputs(total(&def.outputs, attrs)?)?;
        let mut types = SmallVec::new();
        expand(&def.outputs, attrs, |t| types.push(t))?;
        Ok(types)
    }

    /// Looks up an input written as `text`.
    pub(crate) fn resolve(&self, text: &str) -> Result<Input> {
        let parsed = match self.place.function {
            Some(_) => Ref::function(text),
            None => Ref::graph(text),
        };
        let (name, output) = match parsed {
            None => {
                return Err(Error::invalid_argument(format!("the input {text:?} is malformed")));
            }
            Some(Ref::Control(name)) => return Ok(Input::Control(self.find(name)?)),
            Some(Ref::Flat(name, output)) => (name, Ok(output)),
            Some(Ref::Named(name, arg, element)) => (name, Err((arg, element))),
        };
        let id = self.find(name)?;
        let output = match output {
            Ok(flat) => flat,
            Err((arg, element)) => self.named_output(id, arg, element)?,
        };
        let count = self.graph[id].output_types.len();
        if self.sound[id.index()] && output as usize >= count {
            return Err(Error::invalid_argument(format!(
                "the input {text} is output {output} of a {} node, which has {count}",
                self.graph[id].op
            )));
        }
        Ok(Input::Data(Endpoint::new(id, output)))
    }

    fn named_output(&self, id: NodeId, arg: &str, element: u32) -> Result<u32> {
        let node = &self.graph[id];
        let Some(def) = node.def.as_ref().filter(|_| self.sound[id.index()]) else {
            return Ok(element);
        };
        let Some(span) = node.output_span(arg) else {
            let e = format!("{} has no output called {arg}", node.op);
            let hint = suggest::hint(arg, def.outputs.iter().map(|o| &*o.name));
            return Err(with_hint(Error::invalid_argument(e), hint));
        };
        if element as usize >= span.len() {
            return Err(Error::invalid_argument(format!(
                "{}:{arg} has {} elements, there is no element {element}",
                node.name,
                span.len()
            )));
        }
        Ok(span.start as u32 + element)
    }

    /// The node called `name`.
    pub(crate) fn find(&self, name: &str) -> Result<NodeId> {
        self.graph.find(name).ok_or_else(|| {
            let e = Error::invalid_argument(format!("there is no node called {name}"));
            let names = self.graph.iter().map(|(_, n)| &*n.name);
            // Searching names costs; a file of nothing but mistakes gets no hints at the end.
            let full = self.session.problems.is_full();
            with_hint(e, if full { None } else { suggest::hint(name, names) })
        })
    }

    /// The type of an output, if it is known for sure.
    pub(crate) fn output_type(&self, endpoint: Endpoint) -> Option<TfType> {
        self.graph.output_type(endpoint).filter(|_| self.sound[endpoint.node.index()])
    }

    /// Resolves all inputs and checks the types of edges and that there is no cycle.
    pub(crate) fn connect(&mut self) {
        let texts = std::mem::take(&mut self.inputs);
        for index in 0..self.spans.len() {
            let id = NodeId::new(index);
            let span = self.spans[index].clone();
            let (mut data, mut control) = (Vec::with_capacity(span.len()), Vec::new());
            let mut sound = true;
            for text in &texts[span] {
                let error = match self.resolve(text) {
                    Ok(Input::Control(node)) => {
                        control.push(node);
                        continue;
                    }
                    Ok(Input::Data(endpoint)) if control.is_empty() => {
                        data.push(endpoint);
                        continue;
                    }
                    Ok(Input::Data(_)) => Error::invalid_argument(format!(
                        "the data input {text} comes after a control input"
                    )),
                    Err(e) => e,
                };
                sound = false;
                let name = self.graph[id].name.clone();
                self.report(error, &name);
            }
            let node = self.graph.node_mut(id);
            node.inputs = data;
            node.control_inputs = control;
            if sound
                && self.sound[index]
                && let Err(e) = self.check_inputs(id)
            {
                let node = &self.graph[id];
                let (e, name) = (e.context(format!("{} node", node.op)), node.name.clone());
                self.report(e, &name);
            }
        }
        if let Err(e) = self.graph.topological_order() {
            self.report_here(e);
        }
    }

    fn check_inputs(&self, id: NodeId) -> Result<()> {
        check_types(&self.graph[id], &self.graph, |e| self.output_type(e))
    }

    /// The finished graph.
    pub(crate) fn finish(self) -> Graph {
        self.graph
    }
}

/// What an input text stands for.
pub(crate) enum Input {
    Data(Endpoint),
    Control(NodeId),
}

/// The error with a hint, if there is one.
pub(crate) fn with_hint(error: Error, hint: Option<String>) -> Error {
    match hint {
        Some(hint) => error.help(hint),
        None => error,
    }
}

/// A constant's value must be of the type the node declares.
fn check_const(attrs: &Attrs) -> Result<()> {
    let (value, declared) = (attrs.attr_tensor("value")?, attrs.attr_type("dtype")?);
    if value.tftype != declared {
        return Err(Error::invalid_argument(format!(
            "the value is {}, the attribute dtype says {}",
            tftype::tf_name(value.tftype),
            tftype::tf_name(declared)
        )));
    }
    Ok(())
}

/// Number and types of a node's inputs against its op definition; `type_of` gives the types that
/// are known for sure.
pub(crate) fn check_types(
    node: &Node,
    graph: &Graph,
    type_of: impl Fn(Endpoint) -> Option<TfType>,
) -> Result<()> {
    let Some(def) = &node.def else { return Ok(()) };
    let want = total(&def.inputs, &node.attrs)?;
    if want != node.inputs.len() {
        return Err(Error::invalid_argument(format!(
            "it takes {want} inputs, {} are given",
            node.inputs.len()
        )));
    }
    let mut wanted: SmallVec<[TfType; 4]> = SmallVec::new();
    expand(&def.inputs, &node.attrs, |t| wanted.push(t))?;
    for (at, (want, input)) in wanted.iter().zip(&node.inputs).enumerate() {
        let Some(got) = type_of(*input) else { continue };
        let base = tftype::base_type(got) == tftype::base_type(*want);
        if !base || (tftype::is_ref(*want) && !tftype::is_ref(got)) {
            return Err(Error::invalid_argument(format!(
                "input {at} ({}) is {}, but {} is expected",
                graph.endpoint_name(*input),
                tftype::tf_name(got),
                tftype::tf_name(*want)
            )));
        }
    }
    Ok(())
}

/// How many tensors the arguments stand for.
pub(crate) fn total(args: &[ArgDef], attrs: &Attrs) -> Result<usize> {
    let mut total = 0usize;
    for arg in args {
        let count = arg.count(attrs).ok_or_else(|| {
            Error::invalid_argument(format!("the length of {} is not known", arg.name))
        })?;
        total = total.saturating_add(count);
    }
    Ok(total)
}

/// The types of all tensors the arguments stand for. The caller has checked how many they are.
pub(crate) fn expand(args: &[ArgDef], attrs: &Attrs, mut push: impl FnMut(TfType)) -> Result<()> {
    for arg in args {
        let mut one = |t| push(if arg.is_ref { tftype::ref_type(t) } else { t });
        let t = match &arg.tftype {
            ArgType::List(name) => {
                attrs.attr_types(name)?.iter().for_each(|&t| one(t));
                continue;
            }
            ArgType::Fixed(t) => *t,
            ArgType::Attr(name) => attrs.attr_type(name)?,
        };
        (0..arg.count(attrs).unwrap_or(0)).for_each(|_| one(t));
    }
    Ok(())
}
