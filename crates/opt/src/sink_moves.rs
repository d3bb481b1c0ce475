//! Moves transposes and reshapes behind the operations that do not care, where they meet and
//! cancel.
//!
//! What is computed from a moved value is computed from the value before the move (its twin)
//! instead, and the result is moved, if somebody needs it so. Elementwise operations, pads, slices,
//! joins, windows and reductions can be computed from twins; broadcasts and small constants beside
//! them are made in the twin's form.
//!
//! ```text
//! %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2]
//! %1 = stablehlo.add %0, %bias
//! %2 = stablehlo.transpose %1, dims = [0, 2, 3, 1]
//! // ==>
//! %0 = stablehlo.add %x, %bias
//! ```
//!
//! The gain is counted beforehand, over all operations that hang together: bytes that transposes
//! move (or the number of reshapes) that go away, less those that come. A group that gains nothing
//! stays as it is. Terminates: bytes moved by transposes, or the number of reshapes, fall with each
//! rewrite, and neither rewrite makes the other kind.
//!
//! Read first: `graph` says which operations hang together, `twin` how each is computed from twins,
//! `apply` rewrites.

mod apply;
mod graph;
mod groups;
mod twin;

use tfjit_base::Result;
use tfjit_hlo::{Func, Module, Op, Patch};

use crate::{Changed, Pass, PassCtx};
use graph::Graph;

/// The pass.
#[derive(Default)]
pub struct SinkMoves;

impl Pass for SinkMoves {
    const NAME: &'static str = "sink-moves";
    const DOC: &'static str = "moves transposes and reshapes to where they cancel";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            for kind in [Kind::Transpose, Kind::Reshape] {
                changed |= sink(func, kind, ctx)?;
            }
        }
        Ok(Changed::when(changed))
    }
}

/// Which moves are sunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Transpose,
    Reshape,
}

impl Kind {
    fn is(self, op: &Op) -> bool {
        match self {
            Kind::Transpose => matches!(op, Op::Transpose { .. }),
            Kind::Reshape => *op == Op::Reshape,
        }
    }
}

fn sink(func: &mut Func, kind: Kind, ctx: &PassCtx<'_>) -> Result<bool> {
    let order = func.walk();
    if !order.iter().any(|&id| kind.is(&func.insts[id].op)) {
        return Ok(false);
    }
    let mut patch = Patch::new(func, ctx.fuel);
    let mut graph = Graph::new(&patch, kind, &order, ctx.fold.is_some());
    graph.prune();
    apply::apply(&mut patch, &graph, ctx.fold)
}
