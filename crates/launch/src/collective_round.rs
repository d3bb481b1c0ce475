//! One collective among members of one process: who has arrived, and what work is left.
//!
//! It is data under the lock of the launch it belongs to, and knows neither threads nor errors.

use std::sync::Arc;

use tfjit_base::Tensor;

/// A collective, from the first member that arrives to the last that leaves.
pub(crate) struct Round {
    brought: Vec<Option<Vec<Tensor>>>,
    phase: Phase,
    /// Members that have not left.
    inside: usize,
}

enum Phase {
    Gathering,
    /// All are there; nobody has counted the pieces of the work.
    Full(Arc<Vec<Vec<Tensor>>>),
    Working {
        parts: Arc<Vec<Vec<Tensor>>>,
        next: usize,
        done: Vec<Option<Vec<Tensor>>>,
        joining: bool,
    },
    Done(Arc<Vec<Vec<Tensor>>>, Arc<Vec<Tensor>>),
}

/// What a member is to do next.
pub(crate) enum Stage {
    /// Wait for the members at these positions.
    Gathering(Vec<usize>),
    /// Count the pieces of the work.
    Count(Arc<Vec<Vec<Tensor>>>),
    /// Do a piece, of so many.
    Piece(Arc<Vec<Vec<Tensor>>>, usize, usize),
    /// Join all pieces.
    Join(Arc<Vec<Vec<Tensor>>>, Vec<Vec<Tensor>>),
    /// Wait for others that work.
    Busy,
    /// Take what everybody brought and what all share, and leave.
    Done(Arc<Vec<Vec<Tensor>>>, Arc<Vec<Tensor>>),
}

impl Round {
    /// A collective that nobody has reached.
    pub(crate) fn new(members: usize) -> Round {
        Round { brought: vec![None; members], phase: Phase::Gathering, inside: members }
    }

    /// Whether the member at a position has not come.
    pub(crate) fn lacks(&self, place: usize) -> bool {
        matches!(self.phase, Phase::Gathering)
            && self.brought.get(place).is_some_and(Option::is_none)
    }

    /// A member comes; whether it is the last.
    pub(crate) fn bring(&mut self, place: usize, operands: Vec<Tensor>) -> bool {
        self.brought[place] = Some(operands);
        if self.brought.iter().any(Option::is_none) {
            return false;
        }
        let parts = std::mem::take(&mut self.brought).into_iter().flatten().collect();
        self.phase = Phase::Full(Arc::new(parts));
        true
    }

    /// Whether all members are there.
    pub(crate) fn is_full(&self) -> bool {
        !matches!(self.phase, Phase::Gathering)
    }

    /// What the member that asks is to do; pieces are given to one member each.
    pub(crate) fn next(&mut self) -> Stage {
        match &mut self.phase {
            Phase::Gathering => {
                let missing = self.brought.iter().enumerate().filter(|(_, b)| b.is_none());
                Stage::Gathering(missing.map(|(place, _)| place).collect())
            }
            Phase::Full(parts) => Stage::Count(Arc::clone(parts)),
            Phase::Working { parts, next, done, joining } => {
                if *next < done.len() {
                    *next += 1;
                    return Stage::Piece(Arc::clone(parts), *next - 1, done.len());
                }
                if *joining || done.iter().any(Option::is_none) {
                    return Stage::Busy;
                }
                *joining = true;
                Stage::Join(Arc::clone(parts), std::mem::take(done).into_iter().flatten().collect())
            }
            Phase::Done(parts, shared) => Stage::Done(Arc::clone(parts), Arc::clone(shared)),
        }
    }

    /// The work has so many pieces; with none, it is done.
    pub(crate) fn begin(&mut self, pieces: usize) {
        let Phase::Full(parts) = &self.phase else { return };
        let parts = Arc::clone(parts);
        self.phase = match pieces {
            0 => Phase::Done(parts, Arc::default()),
            _ => Phase::Working { parts, next: 0, done: vec![None; pieces], joining: false },
        };
    }

    /// A piece is done.
    pub(crate) fn finished(&mut self, piece: usize, result: Vec<Tensor>) {
        if let Phase::Working { done, .. } = &mut self.phase
            && let Some(place) = done.get_mut(piece)
        {
            *place = Some(result);
        }
    }

    /// All is done.
    pub(crate) fn joined(&mut self, shared: Vec<Tensor>) {
        if let Phase::Working { parts, .. } = &self.phase {
            self.phase = Phase::Done(Arc::clone(parts), Arc::new(shared));
        }
    }

    /// A member leaves; whether it is the last.
    pub(crate) fn leave(&mut self) -> bool {
        self.inside = self.inside.saturating_sub(1);
        self.inside == 0
    }
}
