//! Places for buffers in temporary memory: those that are never needed at once share it.
//!
//! Steps are numbered in order, those of loops and branches inside their own. A buffer is needed
//! from the first step that touches it to the last; what a loop reads or writes and did not come
//! into being in it is needed until the loop ends. Nothing here knows what steps compute.

use std::collections::BTreeMap;

use tfjit_base::ids::Id;
use tfjit_base::{Error, Result};

use crate::plan::{BufferId, Place, Plan, Step};

/// Alignment of buffers in bytes: a cache line, and two vectors of 32 bytes.
const ALIGN: usize = 64;

/// Gives every temporary buffer of `plan` its offset.
///
/// # Errors
/// RESOURCE_EXHAUSTED when the sum of sizes overflows.
pub(crate) fn place(mut plan: Plan) -> Result<Plan> {
    let mut spans = Spans::default();
    spans.walk(&plan.steps);
    for &output in &plan.outputs {
        spans.touch(output);
    }
    let touched = spans.of.iter().enumerate();
    let mut order: Vec<(BufferId, usize, usize)> = touched
        .filter_map(|(i, span)| span.map(|(first, last)| (BufferId::new(i), first, last)))
        .filter(|(b, ..)| matches!(plan.buffers[*b].place, Place::Arena(_)))
        .collect();
    order.sort_by_key(|&(_, first, _)| first);
    let mut free = Free::default();
    let mut live: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (buffer, first, last) in order {
        while let Some(entry) = live.first_entry() {
            if *entry.key() >= first {
                break;
            }
            for (offset, bytes) in entry.remove() {
                free.give(offset, bytes);
            }
        }
        let bytes = plan.buffers[buffer]
            .bytes
            .max(1)
            .checked_next_multiple_of(ALIGN)
            .ok_or_else(|| Error::resource_exhausted("a buffer is too large"))?;
        let offset = free.take(bytes)?;
        plan.buffers[buffer].place = Place::Arena(offset);
        live.entry(last).or_default().push((offset, bytes));
    }
    // What no step touches is never read: it may be anywhere.
    for i in 0..plan.buffers.len() {
        let buffer = &mut plan.buffers[BufferId::new(i)];
        if buffer.place == Place::Arena(usize::MAX) {
            buffer.place = Place::Arena(0);
            buffer.bytes = 0;
        }
    }
    plan.arena_bytes = free.end;
    Ok(plan)
}

/// When buffers are needed.
#[derive(Default)]
struct Spans {
    /// First and last step of each buffer that is touched.
    of: Vec<Option<(usize, usize)>>,
    now: usize,
}

impl Spans {
    fn touch(&mut self, buffer: BufferId) {
        if self.of.len() <= buffer.index() {
            self.of.resize(buffer.index() + 1, None);
        }
        let span = self.of[buffer.index()].get_or_insert((self.now, self.now));
        span.1 = self.now;
    }

    fn walk(&mut self, steps: &[Step]) {
        for step in steps {
            self.now += 1;
            match step {
                Step::While { test, condition, body } => {
                    let start = self.now;
                    self.walk(test);
                    self.now += 1;
                    self.touch(*condition);
                    self.walk(body);
                    self.now += 1;
                    self.outlive(start);
                }
                Step::Switch { index, branches } => {
                    self.touch(*index);
                    for branch in branches {
                        self.walk(branch);
                    }
                    self.now += 1;
                }
                other => other.buffers(&mut |buffer| self.touch(buffer)),
            }
        }
        self.now += 1;
    }

    /// What was there before a loop that began at `start` and is touched in it is needed again in
    /// the next round.
    fn outlive(&mut self, start: usize) {
        let now = self.now;
        for (first, last) in self.of.iter_mut().flatten() {
            if *first < start && *last >= start {
                *last = now;
            }
        }
    }
}

/// Free pieces of memory: by offset, their sizes.
#[derive(Default)]
struct Free {
    pieces: BTreeMap<usize, usize>,
    /// Pieces by size, for the best fit.
    sizes: BTreeMap<(usize, usize), ()>,
    end: usize,
}

impl Free {
    /// The smallest piece that is large enough, or new memory at the end.
    fn take(&mut self, bytes: usize) -> Result<usize> {
        let fit = self.sizes.range((bytes, 0)..).next().map(|(&key, ())| key);
        if let Some((size, offset)) = fit {
            self.remove(offset, size);
            if size > bytes {
                self.insert(offset + bytes, size - bytes);
            }
            return Ok(offset);
        }
        // A piece at the end can grow.
        let last = self.pieces.last_key_value().map(|(&o, &s)| (o, s));
        let start = match last {
            Some((offset, size)) if offset + size == self.end => {
                self.remove(offset, size);
                offset
            }
            _ => self.end,
        };
        self.end = start
            .checked_add(bytes)
            .ok_or_else(|| Error::resource_exhausted("temporary memory is too large"))?;
        Ok(start)
    }

    /// Gives a piece back and joins it with its neighbours.
    fn give(&mut self, mut offset: usize, mut bytes: usize) {
        if let Some((&before, &size)) = self.pieces.range(..offset).next_back()
            && before + size == offset
        {
            self.remove(before, size);
            offset = before;
            bytes += size;
        }
        if let Some(&size) = self.pieces.get(&(offset + bytes)) {
            self.remove(offset + bytes, size);
            bytes += size;
        }
        self.insert(offset, bytes);
    }

    fn insert(&mut self, offset: usize, bytes: usize) {
        self.pieces.insert(offset, bytes);
        self.sizes.insert((bytes, offset), ());
    }

    fn remove(&mut self, offset: usize, bytes: usize) {
        self.pieces.remove(&offset);
        self.sizes.remove(&(bytes, offset));
    }
}
