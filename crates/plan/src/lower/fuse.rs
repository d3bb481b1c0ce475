//! Fusion: which instructions of a block become one loop.
//!
//! Instructions are taken in order. Units stay in an order in which each can run after the ones it
//! reads: an instruction joins the last unit it reads from, and earlier units move down to it when
//! nobody in between reads them. So no cycle can come about and the work is linear.
//!
//! A unit loops over a space of elements. Its members are computed for each element, or, after a
//! reduction, once for each of the reduction's results.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tfjit_base::DType;
use tfjit_base::ids::Id;
use tfjit_hlo::{BlockId, Func, InstId, Op, Uses, ValueId};

use super::elementwise;
use super::facts::Facts;
use super::view::{def_of, dense_strides, dims_of, same_strides};

/// Members of a unit at most: more would not fit in registers, and nothing is gained.
const MEMBERS_MAX: usize = 48;
/// Values from outside a unit that it reads at most.
const INPUTS_MAX: usize = 14;

/// How often a member is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    /// For each element of the space.
    Each,
    /// For each result of the unit's reduction.
    Once,
}

/// What a loop runs over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Space {
    /// Extents.
    pub(crate) dims: SmallVec<[usize; 6]>,
    /// Which dimensions its reductions take away; all false without a reduction.
    pub(crate) reduced: SmallVec<[bool; 6]>,
}

/// What a unit is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A loop.
    Loop(Space),
    /// One instruction of another kind.
    Single,
}

/// A unit: instructions that run together.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// What it is.
    pub(crate) kind: Kind,
    /// Members in order, each with its level.
    pub(crate) members: Vec<(InstId, Level)>,
    /// A contraction whose result is finished by this loop.
    pub(crate) contraction: Option<InstId>,
    /// Where fusion stopped: a member, the instruction it reads from another unit, and why.
    pub(crate) stopped: Vec<(InstId, InstId, Stop)>,
}

/// Why two instructions are not one loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// One of them is no loop, and no loop finishes it.
    NoLoop,
    /// They run over different spaces, or reduce different dimensions.
    Space,
    /// The elements are read elsewhere than at their own place.
    Moved,
    /// The loop would be too large.
    Limit,
    /// Something between them reads the first and is read by the second.
    Between,
}

impl Stop {
    /// A line for people.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Stop::NoLoop => "it is no loop",
            Stop::Space => "it runs over another space",
            Stop::Moved => "its elements are read in another order",
            Stop::Limit => "the loop would be too large",
            Stop::Between => "what lies between reads it",
        }
    }
}

/// The units of a block in an order in which they can run; empty ones are gone.
pub(crate) fn units(func: &Func, block: BlockId, facts: &Facts, uses: &Uses) -> Vec<Unit> {
    let mut fuser = Fuser { func, facts, uses, units: Vec::new(), unit_of: FxHashMap::default() };
    for &inst in &func.blocks[block].insts {
        let constant = facts.is_constant(func, inst);
        let written = !facts.is_view(func, inst) && !facts.is_absorbed(inst);
        if !constant && written && facts.is_needed(inst) {
            fuser.take(inst);
        }
    }
    fuser.attach_contractions();
    fuser.units.retain(|u| !u.members.is_empty());
    fuser.put_off_receiving();
    fuser.units
}

struct Fuser<'a> {
    func: &'a Func,
    facts: &'a Facts,
    uses: &'a Uses,
    units: Vec<Unit>,
    /// The unit of each instruction taken so far.
    unit_of: FxHashMap<InstId, usize>,
}

impl Fuser<'_> {
    /// Lets what does not need it run before the program waits for something it receives. What has
    /// effects stays in order.
    fn put_off_receiving(&mut self) {
        let waits = |unit: &Unit| match unit.members[..] {
            [(inst, _)] => matches!(self.func.insts[inst].op, Op::Recv { .. } | Op::Infeed { .. }),
            _ => false,
        };
        if !self.units.iter().any(waits) {
            return;
        }
        let effects = self.func.effects_by(&super::acts);
        for at in (0..self.units.len()).rev() {
            if !waits(&self.units[at]) {
                continue;
            }
            let received = &self.func.insts[self.units[at].members[0].0].results;
            let readers: FxHashSet<InstId> = received
                .iter()
                .flat_map(|&value| self.facts.readers(self.func, self.uses, value))
                .collect();
            let needs = |unit: &Unit| {
                let mut insts = unit.members.iter().map(|m| m.0).chain(unit.contraction);
                insts.any(|inst| effects[inst.index()] || readers.contains(&inst))
            };
            let behind = &self.units[at + 1..];
            let end = at + 1 + behind.iter().position(needs).unwrap_or(behind.len());
            self.units[at..end].rotate_left(1);
        }
    }

    /// Puts an instruction into a unit.
    fn take(&mut self, inst: InstId) {
        let sources = self.sources(inst);
        let last = sources.iter().copied().max();
        let Some(space) = self.own_space(inst) else {
            self.push(inst, Kind::Single, Level::Each);
            return;
        };
        let mut stopped: SmallVec<[(usize, Stop); 4]> = SmallVec::new();
        let at = match last.map(|unit| (unit, self.join(inst, &space, unit))) {
            Some((unit, Ok(level))) => {
                self.units[unit].members.push((inst, level));
                self.unit_of.insert(inst, unit);
                unit
            }
            other => {
                if let Some((unit, Err(stop))) = other {
                    stopped.push((unit, stop));
                }
                self.push(inst, Kind::Loop(space), Level::Each)
            }
        };
        for source in sources {
            if source == at {
                continue;
            }
            if let Err(stop) = self.move_down(source, at) {
                stopped.retain(|(unit, _)| *unit != source);
                stopped.push((source, stop));
            } else {
                stopped.retain(|(unit, _)| *unit != source);
            }
        }
        for (source, stop) in stopped {
            if let Some(&(read, _)) = self.units[source].members.last() {
                self.units[at].stopped.push((inst, read, stop));
            }
        }
    }

    fn push(&mut self, inst: InstId, kind: Kind, level: Level) -> usize {
        let members = vec![(inst, level)];
        self.units.push(Unit { kind, members, contraction: None, stopped: Vec::new() });
        self.unit_of.insert(inst, self.units.len() - 1);
        self.units.len() - 1
    }

    /// The units that `inst` reads from, each once.
    fn sources(&self, inst: InstId) -> SmallVec<[usize; 4]> {
        let mut sources: SmallVec<[usize; 4]> = SmallVec::new();
        let data = &self.func.insts[inst];
        let captured = if data.regions.is_empty() { vec![] } else { self.func.captures(inst) };
        for &value in data.operands.iter().chain(&captured) {
            let mut root = self.facts.view(value).map_or(value, |v| v.root);
            if let Some(padded) = self.facts.padded(self.func, root) {
                root = self.facts.view(padded).map_or(padded, |v| v.root);
            }
            let Some((def, _)) = def_of(self.func, root) else { continue };
            if let Some(&unit) = self.unit_of.get(&def)
                && !sources.contains(&unit)
            {
                sources.push(unit);
            }
        }
        sources
    }

    /// The space that `inst` would loop over on its own; `None` when it is no loop.
    fn own_space(&self, inst: InstId) -> Option<Space> {
        let data = &self.func.insts[inst];
        if let Some(reduction) = self.facts.reduction(inst) {
            let dims = dims_of(self.func, data.operands[0])?;
            let mut reduced = SmallVec::from_elem(false, dims.len());
            for &d in &reduction.dimensions {
                reduced[d as usize] = true;
            }
            return Some(Space { dims, reduced });
        }
        if !self.facts.is_elementwise(inst) {
            return None;
        }
        let dims = dims_of(self.func, data.results[0])?;
        let reduced = SmallVec::from_elem(false, dims.len());
        Some(Space { dims, reduced })
    }

    /// Whether `inst` can be a member of `unit`, and at which level.
    fn join(&mut self, inst: InstId, own: &Space, unit: usize) -> Result<Level, Stop> {
        let target = &self.units[unit];
        let Kind::Loop(space) = &target.kind else { return Err(Stop::NoLoop) };
        if target.members.len() >= MEMBERS_MAX || self.inputs(&[unit], inst) > INPUTS_MAX {
            return Err(Stop::Limit);
        }
        let reduces = own.reduced.contains(&true);
        let mut why = Stop::Space;
        if own.dims == space.dims {
            let agrees = !reduces || !space.reduced.contains(&true) || own.reduced == space.reduced;
            if agrees && self.reads_fit(inst, unit, Level::Each, space, own) {
                if reduces {
                    let reduced = own.reduced.clone();
                    if let Kind::Loop(space) = &mut self.units[unit].kind {
                        space.reduced = reduced;
                    }
                }
                return Ok(Level::Each);
            }
            if agrees {
                why = Stop::Moved;
            }
        }
        let once = !reduces
            && space.reduced.contains(&true)
            && own.dims.iter().product::<usize>() == space.kept()
            && self.reads_fit(inst, unit, Level::Once, space, own);
        if once { Ok(Level::Once) } else { Err(why) }
    }

    /// Whether every value that `inst` reads from members of `unit` is there when the loop gets to
    /// it: at the same element, or a reduction's result.
    fn reads_fit(
        &self,
        inst: InstId,
        unit: usize,
        level: Level,
        space: &Space,
        own: &Space,
    ) -> bool {
        let reduction = self.facts.reduction(inst).is_some();
        let operands = &self.func.insts[inst].operands;
        let read = if reduction { &operands[..1] } else { &operands[..] };
        read.iter().all(|&value| {
            let Some(view) = self.facts.view(value) else { return false };
            let Some(from) = self.member_level(view.root, unit) else { return true };
            // Scalars are read for every element whatever the operand's own extents.
            match (from, level) {
                (Level::Each, Level::Each) => {
                    dims_of(self.func, value).as_deref() == Some(&own.dims[..])
                        && view.is_dense(&own.dims)
                }
                (Level::Once, Level::Each) => {
                    dims_of(self.func, value).as_deref() == Some(&own.dims[..])
                        && view.offset == 0
                        && same_strides(&view.strides, &space.once_strides(), &space.dims)
                }
                (Level::Once, Level::Once) => {
                    dims_of(self.func, value).as_deref() == Some(&own.dims[..])
                        && view.is_dense(&own.dims)
                }
                (Level::Each, Level::Once) => false,
            }
        })
    }

    /// The level at which results of the member that defines `root` are there, if it is one.
    fn member_level(&self, root: ValueId, unit: usize) -> Option<Level> {
        let (def, _) = def_of(self.func, root)?;
        if self.unit_of.get(&def) != Some(&unit) {
            return None;
        }
        if self.facts.reduction(def).is_some() {
            return Some(Level::Once);
        }
        self.units[unit].members.iter().rev().find(|(m, _)| *m == def).map(|&(_, level)| level)
    }

    /// How many values from outside some units they and `inst` read, at most.
    fn inputs(&self, units: &[usize], inst: InstId) -> usize {
        let members = units.iter().flat_map(|&u| self.units[u].members.iter().map(|m| m.0));
        let mut roots: SmallVec<[ValueId; 16]> = SmallVec::new();
        for member in members.chain([inst]) {
            for &value in &self.func.insts[member].operands {
                let Some(view) = self.facts.view(value) else { continue };
                let inside = self
                    .func
                    .def(view.root)
                    .and_then(|(def, _)| self.unit_of.get(&def))
                    .is_some_and(|u| units.contains(u));
                if !inside && !roots.contains(&view.root) && !self.facts.is_number(view.root) {
                    roots.push(view.root);
                }
            }
        }
        roots.len()
    }

    /// Makes the members of `source` members of the later unit `at`, where that is possible.
    fn move_down(&mut self, source: usize, at: usize) -> Result<(), Stop> {
        let (Kind::Loop(from), Kind::Loop(to)) = (&self.units[source].kind, &self.units[at].kind)
        else {
            return Err(Stop::NoLoop);
        };
        let members = self.units[source].members.len() + self.units[at].members.len();
        if from.dims != to.dims {
            return Err(Stop::Space);
        }
        if members > MEMBERS_MAX {
            return Err(Stop::Limit);
        }
        let reduces = (from.reduced.contains(&true), to.reduced.contains(&true));
        if reduces == (true, true) && from.reduced != to.reduced {
            return Err(Stop::Space);
        }
        let first = self.units[at].members[0].0;
        if self.inputs(&[source, at], first) > INPUTS_MAX {
            return Err(Stop::Limit);
        }
        let merged = Space {
            dims: to.dims.clone(),
            reduced: if reduces.0 { from.reduced.clone() } else { to.reduced.clone() },
        };
        if !self.nobody_between(source, at) {
            return Err(Stop::Between);
        }
        if !self.all_reads_fit(source, at, &merged) {
            return Err(Stop::Moved);
        }
        let mut moved = std::mem::take(&mut self.units[source].members);
        for (inst, _) in &moved {
            self.unit_of.insert(*inst, at);
        }
        moved.append(&mut self.units[at].members);
        self.units[at].members = moved;
        self.units[at].kind = Kind::Loop(merged);
        let stopped = std::mem::take(&mut self.units[source].stopped);
        self.units[at].stopped.extend(stopped);
        Ok(())
    }

    /// Whether no unit between reads a member of `source`.
    fn nobody_between(&self, source: usize, at: usize) -> bool {
        self.units[source].members.iter().all(|&(inst, _)| {
            self.func.insts[inst].results.iter().all(|&result| {
                self.facts
                    .readers(self.func, self.uses, result)
                    .into_iter()
                    .all(|reader| self.unit_of.get(&reader).is_none_or(|&u| u == source || u >= at))
            })
        })
    }

    /// Whether the members of `at` could read those of `source` in one loop over `space`.
    fn all_reads_fit(&self, source: usize, at: usize, space: &Space) -> bool {
        self.units[at].members.iter().all(|&(inst, level)| {
            let own_dims = match self.facts.reduction(inst) {
                Some(_) => dims_of(self.func, self.func.insts[inst].operands[0]),
                None => dims_of(self.func, self.func.insts[inst].results[0]),
            };
            let Some(dims) = own_dims else { return false };
            let reduced = SmallVec::from_elem(false, dims.len());
            self.reads_fit(inst, source, level, space, &Space { dims, reduced })
        })
    }

    /// Lets loops finish the contractions that only they read.
    fn attach_contractions(&mut self) {
        for at in 0..self.units.len() {
            let Kind::Loop(space) = &self.units[at].kind else { continue };
            if space.reduced.contains(&true) {
                continue;
            }
            let space = space.clone();
            let found = self.contractions_of(at, &space);
            if let Some((unit, inst)) = found {
                self.units[at].contraction = Some(inst);
                self.units[at].stopped.retain(|(_, read, _)| *read != inst);
                self.units[unit].members.clear();
                self.unit_of.insert(inst, at);
            }
        }
    }

    /// The last contraction that only unit `at` reads, element by element.
    fn contractions_of(&self, at: usize, space: &Space) -> Option<(usize, InstId)> {
        let mut best: Option<(usize, InstId)> = None;
        for &(member, _) in &self.units[at].members {
            for &value in &self.func.insts[member].operands {
                let Some(view) = self.facts.view(value) else { continue };
                let Some((def, data)) = def_of(self.func, view.root) else { continue };
                if !matches!(data.op, Op::DotGeneral(_) | Op::Convolution(_)) {
                    continue;
                }
                let Some(&unit) = self.unit_of.get(&def) else { continue };
                let alone = self.units[unit].members.len() == 1
                    && self.facts.is_contraction(def)
                    && !self.facts.is_result(view.root);
                let dense = dims_of(self.func, view.root).as_deref() == Some(&space.dims[..]);
                let only = self
                    .facts
                    .readers(self.func, self.uses, view.root)
                    .into_iter()
                    .all(|reader| self.unit_of.get(&reader) == Some(&at));
                let later = best.is_none_or(|(u, _)| unit > u);
                if alone && dense && only && later && self.reads_whole(at, view.root, space) {
                    best = Some((unit, def));
                }
            }
        }
        best
    }

    /// Whether the members of `at` read `root` only at their own element.
    fn reads_whole(&self, at: usize, root: ValueId, space: &Space) -> bool {
        self.units[at].members.iter().all(|&(inst, _)| {
            self.func.insts[inst].operands.iter().all(|&value| {
                let Some(view) = self.facts.view(value) else { return true };
                view.root != root
                    || (dims_of(self.func, value).as_deref() == Some(&space.dims[..])
                        && view.is_dense(&space.dims))
            })
        })
    }
}

impl Space {
    /// Number of results of its reduction.
    pub(crate) fn kept(&self) -> usize {
        let pairs = self.dims.iter().zip(&self.reduced);
        pairs.filter(|(_, reduced)| !**reduced).map(|(&d, _)| d).product()
    }

    /// The strides with which a reduction's dense results are read for each element.
    pub(crate) fn once_strides(&self) -> super::view::Strides {
        let pairs = self.dims.iter().zip(&self.reduced);
        let kept: SmallVec<[usize; 6]> =
            pairs.map(|(&d, &reduced)| if reduced { 1 } else { d }).collect();
        let dense = dense_strides(&kept);
        dense.iter().zip(&self.reduced).map(|(&s, &r)| if r { 0 } else { s }).collect()
    }
}

/// Whether an instruction is elementwise and kernels can do it; the element types must be those of
/// lanes. Asked once an instruction.
pub(crate) fn is_elementwise(func: &Func, inst: InstId) -> bool {
    let data = &func.insts[inst];
    if data.results.len() != 1 {
        return false;
    }
    let Some(result) = func.tensor_ty(data.results[0]) else { return false };
    if !result.is_static() || result.quant.is_some() {
        return false;
    }
    let mut dtypes: SmallVec<[DType; 3]> = SmallVec::new();
    for &operand in &data.operands {
        match func.tensor_ty(operand) {
            Some(ty) if ty.is_static() && ty.quant.is_none() => dtypes.push(ty.dtype),
            _ => return false,
        }
    }
    elementwise::supported(&data.op, &dtypes, result.dtype)
}
