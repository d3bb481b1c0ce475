//! When each node of a function with the control flow of TensorFlow 1 is alive, and in which frame.
//!
//! Every output gets a predicate, a formula over the predicates of switches; equal formulas have
//! equal ids, and nodes whose ids are equal are alive together. Formulas are simplified only as far
//! as joining branches needs it, so that unequal ids prove nothing. The merges of a loop are alive
//! together in every iteration if they are in the first one and if what they get from the iteration
//! before is; that is assumed, then checked, and given up for the loops where it does not hold.
//!
//! It must not know what the answer is used for.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tfjit_base::ids::Id;
use tfjit_model::{Endpoint, Function, Node, NodeId};

/// A predicate; equal ones are alive together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Pred(u32);

impl Pred {
    /// Always alive.
    pub(crate) const TRUE: Pred = Pred(0);
}

/// What is known of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Life {
    /// When it runs.
    pub(crate) pred: Pred,
    /// In which frame, 0 for the root.
    pub(crate) frame: u32,
}

/// Terms of a conjunction; none means true.
type And = BTreeSet<Atom>;

/// What predicates are made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Atom {
    /// The value that a switch looks at is this one of so many.
    Is { value: Endpoint, index: u32, of: u32 },
    /// Unknown, and different for every node.
    Node(NodeId),
    /// The frame goes through another iteration.
    Iterates(u32),
    /// One of several conjunctions holds.
    Any(u32),
}

/// Conjunctions in a disjunction, and terms in a conjunction, beyond which nothing is looked into.
const TERMS_MAX: usize = 32;

#[derive(Default)]
struct Formulas {
    ands: Vec<And>,
    ids: FxHashMap<And, Pred>,
    anys: FxHashMap<BTreeSet<Pred>, u32>,
}

impl Formulas {
    fn intern(&mut self, terms: And) -> Pred {
        if let Some(&id) = self.ids.get(&terms) {
            return id;
        }
        let id = Pred(self.ands.len() as u32);
        self.ands.push(terms.clone());
        self.ids.insert(terms, id);
        id
    }

    fn terms(&self, pred: Pred) -> &And {
        &self.ands[pred.0 as usize]
    }

    fn and(&mut self, a: Pred, b: Pred) -> Pred {
        if a == b || b == Pred::TRUE {
            return a;
        }
        if a == Pred::TRUE {
            return b;
        }
        let terms = self.terms(a).union(self.terms(b)).copied().collect();
        self.intern(terms)
    }

    fn with(&mut self, a: Pred, atom: Atom) -> Pred {
        let mut terms = self.terms(a).clone();
        terms.insert(atom);
        self.intern(terms)
    }

    /// At least one of them, of which `node` is the merge.
    fn or(&mut self, preds: &[Pred], node: NodeId) -> Pred {
        let mut alternatives: BTreeSet<Pred> = preds.iter().copied().collect();
        if alternatives.len() > TERMS_MAX {
            return self.with(Pred::TRUE, Atom::Node(node));
        }
        while let Some((gone, joined)) = self.join(&alternatives) {
            alternatives.retain(|pred| !gone.contains(pred));
            alternatives.insert(joined);
        }
        if let (1, Some(&only)) = (alternatives.len(), alternatives.first()) {
            return only;
        }
        let next = self.anys.len() as u32;
        let any = *self.anys.entry(alternatives).or_insert(next);
        self.with(Pred::TRUE, Atom::Any(any))
    }

    /// Alternatives that are one: a stronger one beside a weaker one, or all values of a switch.
    fn join(&mut self, alternatives: &BTreeSet<Pred>) -> Option<(Vec<Pred>, Pred)> {
        for &a in alternatives {
            for &b in alternatives {
                if a != b && self.terms(a).is_subset(self.terms(b)) {
                    return Some((vec![b], a));
                }
            }
        }
        for &a in alternatives {
            let terms = self.terms(a).clone();
            for atom in terms.iter().take(TERMS_MAX) {
                let &Atom::Is { value, of, .. } = atom else { continue };
                let mut rest = terms.clone();
                rest.remove(atom);
                let others: Option<Vec<Pred>> = (0..of)
                    .map(|index| {
                        let mut other = rest.clone();
                        other.insert(Atom::Is { value, index, of });
                        self.ids.get(&other).copied().filter(|p| alternatives.contains(p))
                    })
                    .collect();
                if let Some(all) = others {
                    return Some((all, self.intern(rest)));
                }
            }
        }
        None
    }
}

/// A frame of the function.
struct Frame {
    parent: u32,
    /// What its merges are when they start, and what they get from an iteration before.
    merges: Vec<(Pred, NodeId, Vec<Endpoint>)>,
    /// The value that ends the loop, as its exits see it.
    ends: Option<Endpoint>,
    /// Nothing is assumed of it.
    plain: bool,
}

struct Analysis<'f> {
    function: &'f Function,
    formulas: Formulas,
    frames: Vec<Frame>,
    names: FxHashMap<(u32, Arc<str>), u32>,
    /// Frames of which nothing may be assumed, by their numbers, which are the same every time.
    distrusted: FxHashSet<u32>,
    /// When a node runs, and the frame that its outputs are in.
    nodes: FxHashMap<NodeId, (Pred, u32)>,
    /// Outputs that live shorter than their node.
    outputs: FxHashMap<Endpoint, Pred>,
}

/// Ops that make or join dead values, or lead into and out of frames.
pub(crate) fn is_control_flow(op: &str) -> bool {
    matches!(
        op,
        "Switch"
            | "RefSwitch"
            | "_SwitchN"
            | "Merge"
            | "RefMerge"
            | "_XlaMerge"
            | "Enter"
            | "RefEnter"
            | "Exit"
            | "RefExit"
            | "NextIteration"
            | "RefNextIteration"
            | "ControlTrigger"
            | "_Recv"
            | "_HostRecv"
    )
}

/// The lives of the nodes in `order`, by id; `None` when there is no such control flow.
pub(crate) fn lives(function: &Function, order: &[NodeId]) -> Option<Vec<Life>> {
    let graph = &function.graph;
    let special = |id: &NodeId| graph.get(*id).is_some_and(|n| is_control_flow(&n.op));
    if !order.iter().any(special) {
        return None;
    }
    let mut distrusted = FxHashSet::default();
    // Each round distrusts one more frame at least.
    loop {
        let mut analysis = Analysis::new(function, distrusted);
        let lives = analysis.walk(order);
        if !analysis.verify() {
            distrusted = analysis.distrusted;
            continue;
        }
        return Some(lives);
    }
}

impl<'f> Analysis<'f> {
    fn new(function: &'f Function, distrusted: FxHashSet<u32>) -> Analysis<'f> {
        let mut formulas = Formulas::default();
        // The first conjunction, without terms, is true.
        formulas.intern(And::new());
        let root = Frame { parent: 0, merges: Vec::new(), ends: None, plain: true };
        Analysis {
            function,
            formulas,
            frames: vec![root],
            names: FxHashMap::default(),
            distrusted,
            nodes: FxHashMap::default(),
            outputs: FxHashMap::default(),
        }
    }

    fn walk(&mut self, order: &[NodeId]) -> Vec<Life> {
        let mut lives = vec![Life { pred: Pred::TRUE, frame: 0 }; self.function.graph.len()];
        for &id in order {
            let Some(node) = self.function.graph.get(id) else { continue };
            lives[id.index()] = self.node(id, node);
        }
        lives
    }

    fn output(&self, endpoint: Endpoint) -> Pred {
        let of_node = || self.nodes.get(&endpoint.node).map_or(Pred::TRUE, |(pred, _)| *pred);
        self.outputs.get(&endpoint).copied().unwrap_or_else(of_node)
    }

    fn node(&mut self, id: NodeId, node: &Node) -> Life {
        let known = |n: &NodeId| self.nodes.get(n).map(|(_, frame)| *frame);
        let frame = node.predecessors().find_map(|n| known(&n)).unwrap_or(0);
        let mut pred = Pred::TRUE;
        for &control in &node.control_inputs {
            let of = self.nodes.get(&control).map_or(Pred::TRUE, |(pred, _)| *pred);
            pred = self.formulas.and(pred, of);
        }
        for &input in &node.inputs {
            let of = self.output(input);
            pred = self.formulas.and(pred, of);
        }
        let mut target = frame;
        match &*node.op {
            "ControlTrigger" => pred = Pred::TRUE,
            "Merge" | "RefMerge" | "_XlaMerge" => pred = self.merge(id, node, frame),
            "Switch" | "RefSwitch" | "_SwitchN" => self.switch(id, node, pred),
            "Enter" | "RefEnter" => target = self.enter(node, frame),
            "Exit" | "RefExit" => {
                target = self.frames[frame as usize].parent;
                let outside = self.exit(id, node, frame);
                self.outputs.insert(Endpoint::new(id, 0), outside);
                self.nodes.insert(id, (outside, target));
                return Life { pred, frame };
            }
            "_Recv" | "_HostRecv" => pred = self.formulas.with(pred, Atom::Node(id)),
            _ => {}
        }
        self.nodes.insert(id, (pred, target));
        Life { pred, frame }
    }

    fn switch(&mut self, id: NodeId, node: &Node, pred: Pred) {
        let of = node.output_types.len() as u32;
        let Some(&value) = node.inputs.get(1) else { return };
        let value = self.source(value);
        for index in 0..of {
            let taken = self.formulas.with(pred, Atom::Is { value, index, of });
            self.outputs.insert(Endpoint::new(id, index), taken);
        }
    }

    /// What a value is handed on from.
    fn source(&self, mut value: Endpoint) -> Endpoint {
        while let Some(node) = self.function.graph.get(value.node)
            && matches!(&*node.op, "Identity" | "LoopCond")
            && let Some(&input) = node.inputs.first()
        {
            value = input;
        }
        value
    }

    fn merge(&mut self, id: NodeId, node: &Node, frame: u32) -> Pred {
        let is_next = |e: &&Endpoint| {
            let maker = self.function.graph.get(e.node);
            maker.is_some_and(|n| matches!(&*n.op, "NextIteration" | "RefNextIteration"))
        };
        let back: Vec<Endpoint> = node.inputs.iter().filter(is_next).copied().collect();
        let first: Vec<Pred> = node
            .inputs
            .iter()
            .filter(|e| !back.contains(e))
            .map(|&input| self.output(input))
            .collect();
        let start = self.formulas.or(&first, id);
        if back.is_empty() {
            return start;
        }
        if self.frames[frame as usize].plain {
            return self.formulas.with(Pred::TRUE, Atom::Node(id));
        }
        self.frames[frame as usize].merges.push((start, id, back));
        self.formulas.with(start, Atom::Iterates(frame))
    }

    fn enter(&mut self, node: &Node, frame: u32) -> u32 {
        let name: Arc<str> = node.attr_str("frame_name").unwrap_or_default().into();
        let next = self.frames.len() as u32;
        let id = *self.names.entry((frame, name)).or_insert(next);
        if id == next {
            let plain = self.distrusted.contains(&id);
            self.frames.push(Frame { parent: frame, merges: Vec::new(), ends: None, plain });
        }
        id
    }

    /// When a loop hands out a value: when it was started, if it ends as loops do.
    fn exit(&mut self, id: NodeId, node: &Node, frame: u32) -> Pred {
        let unknown = Atom::Node(id);
        let input = node.inputs.first().copied();
        let merges = &self.frames[frame as usize].merges;
        let (Some(input), Some((start, ..))) = (input, merges.first()) else {
            return self.formulas.with(Pred::TRUE, unknown);
        };
        let start = *start;
        let inside = self.formulas.with(start, Atom::Iterates(frame));
        let here = self.output(input);
        let extra: Vec<Atom> =
            self.formulas.terms(here).difference(self.formulas.terms(inside)).copied().collect();
        let all = self.formulas.terms(inside).is_subset(self.formulas.terms(here));
        if let ([Atom::Is { value, index: 0, of: 2 }], true) = (&extra[..], all)
            && *self.frames[frame as usize].ends.get_or_insert(*value) == *value
        {
            return start;
        }
        self.formulas.with(Pred::TRUE, unknown)
    }

    /// Whether what was assumed of the frames holds; distrusts those where it does not.
    fn verify(&mut self) -> bool {
        let mut good = true;
        for frame in 0..self.frames.len() as u32 {
            let Frame { merges, ends, .. } = &self.frames[frame as usize];
            let Some((start, ..)) = merges.first().cloned() else { continue };
            let mut next = self.formulas.with(start, Atom::Iterates(frame));
            if let Some(value) = *ends {
                next = self.formulas.with(next, Atom::Is { value, index: 1, of: 2 });
            } else if let Some(&back) = merges.first().and_then(|(_, _, back)| back.first()) {
                next = self.output(back);
            }
            let same = self.frames[frame as usize].merges.iter().all(|(own, _, back)| {
                *own == start && back.iter().all(|&b| self.output(b) == next)
            });
            if !same {
                self.distrusted.insert(frame);
                good = false;
            }
        }
        good
    }
}
