//! Which values hang together as moves of twins, and what is gained by computing the twins.

use rustc_hash::FxHashMap;
use tfjit_hlo::{BlockId, Dims, Func, InstId, Live, Op, Patch, TensorType, User, ValueId};

use super::Kind;
use super::twin::{Twin, carried, free, moved_operands};
use crate::algebra::through;
use crate::insert::{elementwise, simple};

/// A value that is a move of a twin: the move's own result (a seed), or what an operation that can
/// be done on twins makes of such values (a member).
pub(super) struct Node {
    pub(super) value: ValueId,
    pub(super) inst: InstId,
    pub(super) twin: Twin,
    pub(super) seed: bool,
    pub(super) kept: bool,
    /// The nodes among the operands, one a use.
    pub(super) operands: Vec<usize>,
    /// Uses by what cannot do with the twin.
    pub(super) outside: usize,
    /// Uses that take the twin instead, and what each saves.
    pub(super) absorbers: Vec<(InstId, usize)>,
    /// Uses by members that are kept.
    members: usize,
    /// What the moves cost that absorbers are.
    saving: u64,
    /// What moving it costs.
    cost: u64,
}

/// All nodes, in program order.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// Node of a value.
    of: FxHashMap<ValueId, usize>,
}

/// What an operation is in which a node is used.
enum Place {
    /// It has a kept result that is a node.
    Member,
    /// It reads the twin and saves this.
    Absorbs(u64),
    Outside,
}

fn cost(kind: Kind, ty: &TensorType) -> u64 {
    let elements = ty.dims.iter().fold(1u64, |n, &d| n.saturating_mul(d.max(0) as u64));
    match kind {
        Kind::Transpose => elements.saturating_mul(ty.dtype.bits() as u64),
        Kind::Reshape => 1,
    }
}

/// A type of which twins are made: static, plain and not empty.
fn plain(func: &Func, value: ValueId) -> Option<&TensorType> {
    let ty = func.tensor_ty(value)?;
    (ty.is_static() && ty.quant.is_none() && !ty.dims.contains(&0)).then_some(ty)
}

impl Graph {
    pub(super) fn new(patch: &Patch<'_>, kind: Kind, order: &[InstId], folds: bool) -> Graph {
        let mut graph = Graph { nodes: Vec::new(), of: FxHashMap::default() };
        // What is dead gains nothing and needs nothing.
        let live = patch.func().live();
        for &inst in order.iter().filter(|&&inst| live.has(inst)) {
            graph.visit(patch, kind, inst, folds);
        }
        for at in 0..graph.nodes.len() {
            graph.note_uses(patch, kind, at, &live);
        }
        graph
    }

    /// The node of a value that is defined in `block`.
    fn node_in(&self, patch: &Patch<'_>, value: ValueId, block: Option<BlockId>) -> Option<usize> {
        let at = *self.of.get(&value)?;
        (patch.block_of(self.nodes[at].inst) == block).then_some(at)
    }

    /// Makes an instruction a node if it is a seed or can be a member.
    fn visit(&mut self, patch: &Patch<'_>, kind: Kind, id: InstId, folds: bool) {
        let func = patch.func();
        let inst = &func.insts[id];
        let Some(&value) = inst.results.first().filter(|_| inst.results.len() == 1) else { return };
        let Some(ty) = plain(func, value) else { return };
        let (seed, (twin, operands)) = match self.seed(func, kind, id) {
            Some(twin) => (true, (twin, Vec::new())),
            None => match self.member(patch, id, &ty.dims, folds) {
                Some(member) => (false, member),
                None => return,
            },
        };
        if twin.is_nothing(&ty.dims) {
            return;
        }
        let cost = cost(kind, ty);
        self.of.insert(value, self.nodes.len());
        self.nodes.push(Node {
            value,
            inst: id,
            twin,
            seed,
            kept: true,
            operands,
            outside: 0,
            absorbers: Vec::new(),
            members: 0,
            saving: 0,
            cost,
        });
    }

    /// The twin of the result of a move.
    fn seed(&self, func: &Func, kind: Kind, id: InstId) -> Option<Twin> {
        let inst = &func.insts[id];
        if !kind.is(&inst.op) {
            return None;
        }
        let x = inst.operands[0];
        let ty = plain(func, x)?;
        if func.def(x).is_some_and(|(_, inst)| matches!(inst.op, Op::Constant(_))) {
            return None;
        }
        // What moves a node back is read from the node's twin, and is no move of its own.
        if let Some(&node) = self.of.get(&x) {
            let twin = self.nodes[node].twin.then(&inst.op)?;
            let out = func.tensor_ty(inst.results[0])?;
            if twin.is_nothing(&out.dims) {
                return None;
            }
        }
        Some(match &inst.op {
            Op::Transpose { permutation } => Twin::Transpose(permutation.clone()),
            _ => Twin::Reshape(ty.dims.clone()),
        })
    }

    /// How the result of an operation that can be done on twins is made of the result on twins,
    /// and the nodes among its operands.
    fn member(
        &self,
        patch: &Patch<'_>,
        id: InstId,
        dims: &[i64],
        folds: bool,
    ) -> Option<(Twin, Vec<usize>)> {
        let func = patch.func();
        let inst = &func.insts[id];
        let block = patch.block_of(id);
        let node = |value: ValueId| self.node_in(patch, value, block);
        if elementwise(&inst.op) {
            let nodes: Vec<usize> = inst.operands.iter().filter_map(|&v| node(v)).collect();
            let twin = &self.nodes[*nodes.first()?].twin;
            let fits = |&v: &ValueId| match node(v) {
                Some(at) => {
                    let same = func.tensor_ty(v).is_some_and(|ty| ty.dims[..] == *dims);
                    same && self.nodes[at].twin == *twin
                }
                None => free(func, v, twin, dims, folds).is_some(),
            };
            return inst.operands.iter().all(fits).then(|| (twin.clone(), nodes));
        }
        let moved = inst.operands.get(..moved_operands(inst))?;
        let nodes: Vec<usize> = moved.iter().map(|&v| node(v)).collect::<Option<_>>()?;
        let first = *nodes.first()?;
        let twin = &self.nodes[first].twin;
        let same = nodes.iter().all(|&at| self.nodes[at].twin == *twin);
        let regions = inst.regions.iter().all(|&r| simple(func, r));
        let carried = carried(inst, twin, func.tensor_ty(self.nodes[first].value)?)?;
        (same && regions).then_some((carried.twin, nodes))
    }

    /// Sorts the uses of a node.
    fn note_uses(&mut self, patch: &Patch<'_>, kind: Kind, at: usize, live: &Live) {
        for u in patch.uses(self.nodes[at].value) {
            let place = match u.user {
                User::Return(_) => Place::Outside,
                User::Inst(user) if !live.has(user) => continue,
                User::Inst(user) => self.place(patch, kind, at, user, u.index as usize),
            };
            let node = &mut self.nodes[at];
            match (place, u.user) {
                (Place::Member, _) => node.members += 1,
                (Place::Absorbs(saving), User::Inst(user)) => {
                    node.saving += saving;
                    node.absorbers.push((user, u.index as usize));
                }
                _ => node.outside += 1,
            }
        }
    }

    fn place(&self, patch: &Patch<'_>, kind: Kind, at: usize, user: InstId, i: usize) -> Place {
        let func = patch.func();
        let (node, inst) = (&self.nodes[at], &func.insts[user]);
        let result = inst.results.first().and_then(|v| self.of.get(v)).map(|&n| &self.nodes[n]);
        if result.is_some_and(|n| !n.seed && n.operands.contains(&at)) {
            return Place::Member;
        }
        if result.is_some() || inst.results.len() != 1 {
            return Place::Outside;
        }
        let Some(out) = plain(func, inst.results[0]) else { return Place::Outside };
        let nothing = |twin: Option<Twin>| twin.is_some_and(|twin| twin.is_nothing(&out.dims));
        if kind.is(&inst.op) && nothing(node.twin.then(&inst.op)) {
            return Place::Absorbs(cost(kind, out));
        }
        let here = patch.block_of(node.inst) == patch.block_of(user);
        match &inst.op {
            Op::Reduce { .. } if i == 0 && here => {
                let ty = func.tensor_ty(node.value);
                let carried = ty.and_then(|ty| carried(inst, &node.twin, ty));
                match nothing(carried.map(|c| c.twin)) {
                    true => Place::Absorbs(0),
                    false => Place::Outside,
                }
            }
            op if absorbed(func, op, i, node).is_some() => Place::Absorbs(0),
            _ => Place::Outside,
        }
    }

    /// Gives up members that gain nothing, last ones first, and then groups that gain nothing.
    pub(super) fn prune(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            if node.seed || node.members > 0 {
                continue;
            }
            let mut operands = node.operands.clone();
            let pays = if node.outside > 0 { node.cost } else { 0 };
            let mut gains = node.saving;
            operands.dedup();
            for &o in &operands {
                // Without this member somebody outside would use its operand.
                gains += if self.nodes[o].outside == 0 { self.nodes[o].cost } else { 0 };
            }
            if gains <= pays {
                self.give_up(at);
            }
        }
        let roots = self.roots();
        let mut gain = vec![0i128; self.nodes.len()];
        for (node, &root) in self.nodes.iter().zip(&roots) {
            let saved = match node.seed {
                true if node.members > 0 && node.outside == 0 => node.cost,
                true => 0,
                false => node.saving,
            };
            let pays = if !node.seed && node.outside > 0 { node.cost } else { 0 };
            if node.kept {
                gain[root] += i128::from(saved) - i128::from(pays);
            }
        }
        for (node, &root) in self.nodes.iter_mut().zip(&roots) {
            node.kept &= gain[root] > 0 && (!node.seed || node.members > 0);
        }
    }

    fn give_up(&mut self, at: usize) {
        self.nodes[at].kept = false;
        for o in self.nodes[at].operands.clone() {
            self.nodes[o].members -= 1;
            self.nodes[o].outside += 1;
        }
    }

    /// A node of each node's group, the same for all of the group.
    pub(super) fn roots(&self) -> Vec<usize> {
        let mut parents: Vec<usize> = (0..self.nodes.len()).collect();
        fn root(parents: &mut [usize], mut at: usize) -> usize {
            while parents[at] != at {
                parents[at] = parents[parents[at]];
                at = parents[at];
            }
            at
        }
        for (at, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.kept) {
            for &o in &node.operands {
                let (a, b) = (root(&mut parents, at), root(&mut parents, o));
                parents[a.max(b)] = a.min(b);
            }
        }
        (0..self.nodes.len()).map(|at| root(&mut parents, at)).collect()
    }
}

/// An operation of another kind that reads the twin of operand `i`, if the result is the same.
pub(super) fn absorbed(func: &Func, op: &Op, i: usize, node: &Node) -> Option<Op> {
    match (op, &node.twin) {
        (Op::DotGeneral(dot), Twin::Transpose(p)) => {
            let mut dot = dot.clone();
            let (batching, contracting) = match i {
                0 => (&mut dot.lhs_batching_dimensions, &mut dot.lhs_contracting_dimensions),
                _ => (&mut dot.rhs_batching_dimensions, &mut dot.rhs_contracting_dimensions),
            };
            let (b, c) = through(p, batching, contracting)?;
            (*batching, *contracting) = (b, c);
            Some(Op::DotGeneral(dot))
        }
        (Op::BroadcastInDim { broadcast_dimensions }, Twin::Reshape(twin)) => {
            let dims = &func.tensor_ty(node.value)?.dims;
            let broadcast_dimensions = without_ones(broadcast_dimensions, dims, twin)?;
            Some(Op::BroadcastInDim { broadcast_dimensions })
        }
        _ => None,
    }
}

/// Where the dimensions of a twin go in a broadcast of a value that has dimensions of extent 1
/// more.
fn without_ones(map: &Dims, dims: &[i64], twin: &[i64]) -> Option<Dims> {
    let mut rest = twin.iter().peekable();
    let mut out = Dims::new();
    for (&d, &n) in map.iter().zip(dims) {
        match rest.next_if_eq(&&n) {
            Some(_) => out.push(d),
            None if n == 1 => {}
            None => return None,
        }
    }
    rest.next().is_none().then_some(out)
}
