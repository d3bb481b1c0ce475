//! Functions cut out of the main graph: a signature, an initialiser, or any feeds and fetches.
//!
//! A feed may be any tensor; what is in front of it is then not needed. It must not know files.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_base::{Error, PartialShape, Result};

use crate::attr::{AttrValue, Attrs};
use crate::function::{Function, Param, ResultDef};
use crate::graph::Graph;
use crate::import::legacy;
use crate::import::meta::unknown_ops;
use crate::import::nodes::with_hint;
use crate::model::Model;
use crate::node::{Endpoint, Node, NodeId};
use crate::signature::{SignatureDef, TensorInfo};
use crate::{TfType, optable, suggest, tftype};

/// A tensor that becomes a parameter or a result.
struct Port {
    name: String,
    endpoint: Endpoint,
    tftype: TfType,
    shape: PartialShape,
}

impl Model {
    /// The signature of this name.
    ///
    /// # Errors
    /// NOT_FOUND, listing the signatures there are and the nearest.
    pub fn signature(&self, key: &str) -> Result<&SignatureDef> {
        self.signatures.get(key).ok_or_else(|| {
            let names: Vec<&str> = self.signatures.keys().map(String::as_str).collect();
            let e = match names.as_slice() {
                [] => "the model has no signatures".to_string(),
                names => format!("no signature is called {key}, there are {}", names.join(", ")),
            };
            let hint = suggest::hint(key, names.iter().copied());
            let hint = hint.or_else(|| self.other_ways());
            with_hint(Error::not_found(e), hint)
        })
    }

    /// What else can be called when there is no signature.
    fn other_ways(&self) -> Option<String> {
        const SHOWN: usize = 10;
        if !self.signatures.is_empty() {
            return None;
        }
        let functions = self.objects.as_ref()?.concrete_functions.keys();
        let names: Vec<&str> = functions.take(SHOWN).map(String::as_str).collect();
        match names.as_slice() {
            [] => None,
            names => Some(format!("these functions can be called: {}", names.join(", "))),
        }
    }

    /// The signature `key` as a function: parameters are its inputs and results its outputs, both
    /// in the order of keys. A sparse or composite input stands for several parameters, named
    /// `key/indices` and so on.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown signature or an op nobody knows, INVALID_ARGUMENT when two inputs
    /// are the same tensor or a placeholder stays without a value.
    pub fn signature_function(&self, key: &str) -> Result<Function> {
        let signature = self.signature(key)?;
        let feeds = self.ports(&signature.inputs)?;
        let fetches = self.ports(&signature.outputs)?;
        // A signature that returns nothing is called for its effects, which nothing fetches.
        let effects = if fetches.is_empty() { self.effects_of(&feeds) } else { Vec::new() };
        self.cut(key, feeds, fetches, &effects).map_err(|e| e.at(format!("signature {key}")))
    }

    /// Stateful nodes that read one of `feeds`, directly or through others.
    fn effects_of(&self, feeds: &[Port]) -> Vec<NodeId> {
        let consumers = self.graph.consumers();
        let mut seen = vec![false; self.graph.len()];
        let mut stack: Vec<NodeId> = feeds.iter().map(|p| p.endpoint.node).collect();
        let mut found = Vec::new();
        while let Some(id) = stack.pop() {
            for &(next, _) in consumers.get(id.index()).into_iter().flatten() {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    stack.push(next);
                    if self.graph.get(next).is_some_and(Node::is_stateful) {
                        found.push(next);
                    }
                }
            }
        }
        found
    }

    fn ports<'a>(
        &self,
        infos: impl IntoIterator<Item = (&'a String, &'a TensorInfo)>,
    ) -> Result<Vec<Port>> {
        let mut out = Vec::new();
        for (key, info) in infos {
            for flat in info.flatten() {
                let endpoint = self.graph.find_tensor(&flat.name)?;
                out.push(self.port(format!("{key}{}", flat.suffix), endpoint, flat.shape));
            }
        }
        Ok(out)
    }

    fn port(&self, name: String, endpoint: Endpoint, declared: PartialShape) -> Port {
        let tftype = self.graph.output_type(endpoint).unwrap_or(TfType::DtInvalid);
        let node = &self.graph[endpoint.node];
        let shape = match (declared.rank(), &*node.op) {
            (None, "Placeholder" | "PlaceholderWithDefault") => {
                let shape = node.attr_shape("shape").cloned().unwrap_or_default();
                let old = self.versions.producer < legacy::SCALAR_PLACEHOLDERS_SINCE;
                if old && shape.rank() == Some(0) { PartialShape::unknown() } else { shape }
            }
            _ => declared,
        };
        Port { name, endpoint, tftype: tftype::base_type(tftype), shape }
    }

    /// A function from tensors of the main graph: `feeds` become parameters, `fetches` results,
    /// both under the names given here (`x:0`, or `x`); `targets` are nodes that run besides.
    ///
    /// # Errors
    /// NOT_FOUND for names that are not there, with the nearest; as
    /// [`Model::signature_function`] otherwise.
    pub fn function_from_tensors(
        &self,
        feeds: &[String],
        fetches: &[String],
        targets: &[String],
    ) -> Result<Function> {
        let ports = |names: &[String]| {
            let found = names.iter().map(|name| {
                let endpoint = self.graph.find_tensor(name)?;
                Ok(self.port(name.clone(), endpoint, PartialShape::unknown()))
            });
            found.collect::<Result<Vec<_>>>()
        };
        let targets = targets.iter().map(|name| {
            let node = name.strip_prefix('^').unwrap_or(name);
            crate::import::signatures::node_of(&self.graph, node)
        });
        let targets = targets.collect::<Result<Vec<_>>>()?;
        self.cut("main", ports(feeds)?, ports(fetches)?, &targets)
    }

    /// The initialiser as a function without results, if there is one: its parameters are the
    /// paths of the assets, named as the tensors that hold them.
    ///
    /// # Errors
    /// As [`Model::signature_function`].
    pub fn init_function(&self) -> Result<Option<Function>> {
        let Some(op) = self.init_op else { return Ok(None) };
        let mut feeds: Vec<Port> = Vec::new();
        for asset in &self.assets {
            if !feeds.iter().any(|f| f.endpoint == asset.tensor) {
                let name = self.graph.endpoint_name(asset.tensor);
                feeds.push(self.port(name, asset.tensor, PartialShape::new(Vec::new())));
            }
        }
        self.cut("init", feeds, Vec::new(), &[op]).map(Some)
    }

    fn cut(
        &self,
        name: &str,
        feeds: Vec<Port>,
        fetches: Vec<Port>,
        targets: &[NodeId],
    ) -> Result<Function> {
        let graph = &*self.graph;
        let mut fed: FxHashMap<Endpoint, usize> = FxHashMap::default();
        for (at, port) in feeds.iter().enumerate() {
            if let Some(other) = fed.insert(port.endpoint, at) {
                return Err(Error::invalid_argument(format!(
                    "the inputs {} and {} are the same tensor {}",
                    feeds[other].name,
                    port.name,
                    graph.endpoint_name(port.endpoint)
                )));
            }
        }
        let live = needed(graph, &fed, fetches.iter().map(|p| p.endpoint), targets);
        if let Some(e) = Error::collect(unknown_ops(&self.library, graph, &live)) {
            return Err(e);
        }
        check_placeholders(graph, &live)?;
        let mut cut = Cut { graph, live: &live, fed: &fed, out: Graph::new(), ids: Vec::new() };
        let params = cut.params(feeds)?;
        cut.nodes(&params)?;
        let results = fetches.into_iter().map(|port| ResultDef {
            name: port.name.into(),
            tftype: port.tftype,
            shape: port.shape,
            endpoint: cut.endpoint(port.endpoint, &params),
        });
        let results = results.collect();
        let control_results = targets.iter().filter_map(|t| cut.ids[t.index()]).collect();
        let stateful = cut.out.iter().any(|(_, n)| n.is_stateful() && &*n.op != "_Arg");
        Ok(Function {
            name: name.into(),
            params,
            results,
            control_results,
            graph: cut.out,
            attrs: Attrs::new(),
            stateful,
        })
    }
}

/// Nodes that must be computed, walking back from fetches and targets and stopping at feeds.
fn needed(
    graph: &Graph,
    fed: &FxHashMap<Endpoint, usize>,
    fetches: impl Iterator<Item = Endpoint>,
    targets: &[NodeId],
) -> Vec<bool> {
    let mut live = vec![false; graph.len()];
    let mut stack: Vec<NodeId> = targets.to_vec();
    stack.extend(fetches.filter(|e| !fed.contains_key(e)).map(|e| e.node));
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut live[id.index()], true) {
            continue;
        }
        let node = &graph[id];
        stack.extend(node.inputs.iter().filter(|e| !fed.contains_key(e)).map(|e| e.node));
        stack.extend(node.control_inputs.iter().filter(|c| !is_fed_placeholder(graph, fed, **c)));
    }
    live
}

/// A placeholder that is fed does not run, so nothing waits for it.
fn is_fed_placeholder(graph: &Graph, fed: &FxHashMap<Endpoint, usize>, id: NodeId) -> bool {
    matches!(&*graph[id].op, "Placeholder" | "PlaceholderV2")
        && fed.contains_key(&Endpoint::new(id, 0))
}

fn check_placeholders(graph: &Graph, live: &[bool]) -> Result<()> {
    let mut errors = Vec::new();
    for (id, node) in graph.iter().filter(|(id, _)| live[id.index()]) {
        if matches!(&*node.op, "Placeholder" | "PlaceholderV2") {
            let e = Error::invalid_argument(format!(
                "the placeholder {} is needed but no input feeds it",
                node.name
            ));
            errors.push(e.at(graph.endpoint_name(Endpoint::new(id, 0))));
        }
    }
    Error::collect(errors).map_or(Ok(()), Err)
}

/// A graph being cut out of another.
struct Cut<'a> {
    graph: &'a Graph,
    live: &'a [bool],
    fed: &'a FxHashMap<Endpoint, usize>,
    out: Graph,
    /// Old ids to new ones.
    ids: Vec<Option<NodeId>>,
}

impl Cut<'_> {
    fn params(&mut self, feeds: Vec<Port>) -> Result<Vec<Param>> {
        let mut params = Vec::with_capacity(feeds.len());
        for (index, port) in feeds.into_iter().enumerate() {
            let attrs = Attrs::new()
                .with("T", AttrValue::Type(port.tftype))
                .with("index", AttrValue::Int(index as i64));
            let node = self.out.add(Node {
                name: self.param_name(port.endpoint),
                op: "_Arg".into(),
                device: "".into(),
                inputs: Vec::new(),
                control_inputs: Vec::new(),
                attrs,
                output_types: [port.tftype].into_iter().collect(),
                def: optable::find("_Arg"),
            })?;
            params.push(Param {
                name: port.name.into(),
                tftype: port.tftype,
                shape: port.shape,
                attrs: Attrs::new(),
                handle: Vec::new(),
                node,
            });
        }
        Ok(params)
    }

    /// The name of the fed node, unless that stays in the graph too.
    fn param_name(&self, endpoint: Endpoint) -> Arc<str> {
        let name = &self.graph[endpoint.node].name;
        if !self.live[endpoint.node.index()] && self.out.find(name).is_none() {
            return name.clone();
        }
        let mut wanted = format!("{name}/feed_{}", endpoint.output);
        while self.graph.find(&wanted).is_some() || self.out.find(&wanted).is_some() {
            wanted.push('_');
        }
        wanted.into()
    }

    fn nodes(&mut self, params: &[Param]) -> Result<()> {
        let graph = self.graph;
        self.ids = vec![None; graph.len()];
        for (id, node) in graph.iter().filter(|(id, _)| self.live[id.index()]) {
            self.ids[id.index()] = Some(self.out.add(node.clone())?);
        }
        for new in self.out.ids().skip(params.len()) {
            let old = &self.out[new];
            let inputs = old.inputs.iter().map(|e| self.endpoint(*e, params)).collect();
            let control = old.control_inputs.iter().filter_map(|c| self.ids[c.index()]).collect();
            let node = self.out.node_mut(new);
            node.inputs = inputs;
            node.control_inputs = control;
        }
        Ok(())
    }

    /// The same endpoint in the new graph. Every live node's inputs are fed or live.
    fn endpoint(&self, old: Endpoint, params: &[Param]) -> Endpoint {
        if let Some(at) = self.fed.get(&old) {
            return Endpoint::new(params[*at].node, 0);
        }
        let id = self.ids[old.node.index()].expect("what a live node reads is fed or live");
        Endpoint::new(id, old.output)
    }
}
