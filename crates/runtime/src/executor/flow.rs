//! What is known of a program with control flow before it runs: which frame each step runs in, who
//! reads each value, and how much each step waits for.

use std::sync::Arc;

use tfjit_base::{Error, Result};

use super::{Flow, Slot, Step};

/// Position of a step.
pub(super) type StepId = u32;
/// Position of a frame; 0 is the root.
pub(super) type FrameId = u32;

/// A program's static facts.
#[derive(Debug)]
pub(super) struct FlowGraph {
    pub(super) nodes: Vec<Node>,
    pub(super) frames: Vec<Frame>,
    pub(super) slots: Vec<SlotInfo>,
    /// Whether some kernel needs a thread of its own.
    pub(super) blocks: bool,
    /// Steps of the root frame that wait for nothing.
    pub(super) roots: Vec<StepId>,
    readers: Vec<(StepId, u32)>,
    followers: Vec<StepId>,
}

/// A step.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The frame that it runs in.
    pub(super) frame: FrameId,
    /// Where its outputs go: its own frame, the one entered, or the one around.
    pub(super) target: FrameId,
    /// Its position in its frame.
    pub(super) local: u32,
    /// Inputs of a merge that come from the iteration before; 0 for all others.
    pub(super) back: u32,
    followers: (u32, u32),
}

/// A slot.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotInfo {
    /// Its position in the frame where it is read.
    pub(super) local: u32,
    frame: FrameId,
    readers: (u32, u32),
}

/// A frame: what happens between the enters and exits of one name.
#[derive(Debug)]
pub(super) struct Frame {
    name: Arc<str>,
    parent: Option<FrameId>,
    /// Number of enters.
    pub(super) enters: u32,
    /// What each step waits for at the start of an iteration, see [`MERGE_WAITS`].
    pub(super) pending: Vec<u32>,
    /// Number of slots.
    pub(super) slots: u32,
}

/// A merge waits for one value: bit 0, which stays while none came. Its control inputs count by
/// twos above. All other steps count their inputs by ones.
pub(super) const MERGE_WAITS: u32 = 1;
/// One control input of a merge.
pub(super) const MERGE_CONTROL: u32 = 2;

impl FlowGraph {
    pub(super) fn new(
        slots: usize,
        params: &[Slot],
        steps: &[Step],
        results: &[Slot],
    ) -> Result<FlowGraph> {
        let mut makers: Vec<Option<StepId>> = vec![None; slots];
        for (i, step) in steps.iter().enumerate() {
            for &slot in &step.outputs {
                makers[slot] = Some(i as StepId);
            }
        }
        for &slot in params {
            makers[slot] = None;
        }
        check_made(params, steps, &makers)?;
        let root = Frame { name: "".into(), parent: None, enters: 0, pending: vec![], slots: 0 };
        let mut graph = FlowGraph {
            nodes: steps.iter().map(|_| Node::default()).collect(),
            frames: vec![root],
            slots: vec![SlotInfo::default(); slots],
            blocks: steps.iter().any(|s| s.kernel.blocks()),
            roots: Vec::new(),
            readers: Vec::new(),
            followers: Vec::new(),
        };
        graph.find_frames(steps, &makers)?;
        graph.place_slots(params, steps);
        graph.count_waits(steps, &makers)?;
        graph.link(steps);
        if results.iter().any(|&slot| graph.slots[slot].frame != 0) {
            return Err(Error::invalid_argument("a result lies inside a frame"));
        }
        Ok(graph)
    }

    /// The frame that a frame lies in; the root lies in itself.
    pub(super) fn parent(&self, frame: FrameId) -> FrameId {
        self.frames[frame as usize].parent.unwrap_or(0)
    }

    /// A frame's name.
    pub(super) fn frame_name(&self, frame: FrameId) -> &str {
        &self.frames[frame as usize].name
    }

    /// Who reads a slot, and as which input.
    pub(super) fn readers(&self, slot: Slot) -> &[(StepId, u32)] {
        let (start, end) = self.slots[slot].readers;
        &self.readers[start as usize..end as usize]
    }

    /// Who waits for a step without reading it.
    pub(super) fn followers(&self, step: StepId) -> &[StepId] {
        let (start, end) = self.nodes[step as usize].followers;
        &self.followers[start as usize..end as usize]
    }

    fn find_frames(&mut self, steps: &[Step], makers: &[Option<StepId>]) -> Result<()> {
        let mut done = vec![false; steps.len()];
        for (i, step) in steps.iter().enumerate() {
            let is_merge = step.flow == Flow::Merge;
            let data = step.inputs.iter().map(|&s| makers[s]);
            let before = data.chain(step.after.iter().map(|&s| Some(s as StepId)));
            let mut frame = None;
            for maker in before {
                // A parameter's value belongs to the root.
                let from = maker.map_or(0, |m| self.nodes[m as usize].target);
                if let Some(maker) = maker
                    && !done[maker as usize]
                {
                    let back = steps[maker as usize].flow == Flow::NextIteration && is_merge;
                    if back {
                        continue;
                    }
                    return Err(Error::invalid_argument(format!(
                        "it runs before {}, which it needs; only a NextIteration may lead back, \
                         and to a Merge",
                        steps[maker as usize].name
                    ))
                    .at(&*step.name));
                }
                if *frame.get_or_insert(from) != from {
                    return Err(Error::invalid_argument(format!(
                        "its inputs come from different frames: '{}' and '{}'",
                        self.frames[frame.unwrap_or(0) as usize].name,
                        self.frames[from as usize].name
                    ))
                    .at(&*step.name));
                }
            }
            let frame = frame.unwrap_or(0);
            let target = self.target(frame, step)?;
            self.nodes[i] = Node { frame, target, ..Node::default() };
            done[i] = true;
        }
        self.check_loops(steps, makers)
    }

    fn target(&mut self, frame: FrameId, step: &Step) -> Result<FrameId> {
        match &step.flow {
            Flow::Enter { frame: name, .. } => {
                let known =
                    self.frames.iter().position(|f| f.parent == Some(frame) && f.name == *name);
                let child = known.unwrap_or_else(|| {
                    let name = Arc::clone(name);
                    let (pending, slots) = (Vec::new(), 0);
                    self.frames.push(Frame {
                        name,
                        parent: Some(frame),
                        enters: 0,
                        pending,
                        slots,
                    });
                    self.frames.len() - 1
                });
                self.frames[child].enters += 1;
                Ok(child as FrameId)
            }
            Flow::Exit => self.frames[frame as usize].parent.ok_or_else(|| {
                Error::invalid_argument("an Exit is in no frame that it could leave")
                    .at(&*step.name)
            }),
            Flow::NextIteration if frame == 0 => {
                Err(Error::invalid_argument("a NextIteration is in no frame").at(&*step.name))
            }
            _ => Ok(frame),
        }
    }

    /// Edges that lead back stay in their frame; steps wait for no next iteration otherwise.
    fn check_loops(&self, steps: &[Step], makers: &[Option<StepId>]) -> Result<()> {
        for (i, step) in steps.iter().enumerate() {
            let wrong = |text: &str| Err(Error::invalid_argument(text).at(&*step.name));
            let next = |s: StepId| steps[s as usize].flow == Flow::NextIteration;
            if step.after.iter().any(|&s| next(s as StepId)) {
                return wrong("nothing may wait for a NextIteration without reading it");
            }
            for maker in step.inputs.iter().filter_map(|&s| makers[s]).filter(|&m| next(m)) {
                if step.flow != Flow::Merge {
                    return wrong("only a Merge may read a NextIteration");
                }
                if self.nodes[maker as usize].frame != self.nodes[i].frame {
                    return wrong("a NextIteration and the Merge that reads it are in two frames");
                }
            }
        }
        Ok(())
    }

    fn place_slots(&mut self, params: &[Slot], steps: &[Step]) {
        let mut place = |slot: Slot, frame: FrameId| {
            let slots = &mut self.frames[frame as usize].slots;
            self.slots[slot] = SlotInfo { local: *slots, frame, readers: (0, 0) };
            *slots += 1;
        };
        params.iter().for_each(|&slot| place(slot, 0));
        for (i, step) in steps.iter().enumerate() {
            step.outputs.iter().for_each(|&slot| place(slot, self.nodes[i].target));
        }
    }

    fn count_waits(&mut self, steps: &[Step], makers: &[Option<StepId>]) -> Result<()> {
        for (i, step) in steps.iter().enumerate() {
            let node = &mut self.nodes[i];
            let frame = &mut self.frames[node.frame as usize];
            node.local = frame.pending.len() as u32;
            let controls = step.after.len() as u32;
            let data = step.inputs.len() as u32;
            if step.flow == Flow::Merge {
                let next = |m: StepId| steps[m as usize].flow == Flow::NextIteration;
                let backs = step.inputs.iter().filter(|&&s| makers[s].is_some_and(next));
                node.back = backs.count() as u32;
                if data == 0 || data == node.back {
                    let e = Error::invalid_argument("a Merge has nothing to start with");
                    return Err(e.at(&*step.name));
                }
                frame.pending.push(MERGE_WAITS + MERGE_CONTROL * controls);
            } else {
                frame.pending.push(data + controls);
                if data + controls == 0 {
                    self.roots.push(i as StepId);
                }
            }
        }
        Ok(())
    }

    fn link(&mut self, steps: &[Step]) {
        let mut readers: Vec<Vec<(StepId, u32)>> = vec![Vec::new(); self.slots.len()];
        let mut followers: Vec<Vec<StepId>> = vec![Vec::new(); steps.len()];
        for (i, step) in steps.iter().enumerate() {
            for (at, &slot) in step.inputs.iter().enumerate() {
                readers[slot].push((i as StepId, at as u32));
            }
            for &before in &step.after {
                followers[before].push(i as StepId);
            }
        }
        for (slot, list) in self.slots.iter_mut().zip(readers) {
            let start = self.readers.len() as u32;
            self.readers.extend(list);
            slot.readers = (start, self.readers.len() as u32);
        }
        for (node, list) in self.nodes.iter_mut().zip(followers) {
            let start = self.followers.len() as u32;
            self.followers.extend(list);
            node.followers = (start, self.followers.len() as u32);
        }
    }
}

/// Whether everything that is read is made somewhere.
fn check_made(params: &[Slot], steps: &[Step], makers: &[Option<StepId>]) -> Result<()> {
    for step in steps {
        if step.inputs.iter().any(|s| makers[*s].is_none() && !params.contains(s)) {
            return Err(Error::internal("nothing makes one of its inputs").at(&*step.name));
        }
        if step.flow != Flow::Plain && step.outputs.is_empty() && step.flow != Flow::Trigger {
            return Err(Error::internal("it has no outputs").at(&*step.name));
        }
    }
    Ok(())
}
