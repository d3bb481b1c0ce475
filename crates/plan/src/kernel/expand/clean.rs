//! Leaves out instructions that nothing uses.

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;

use super::super::{Kernel, Op, Val};

/// The kernel without instructions from which no store follows.
pub(super) fn live_only(kernel: Kernel) -> Kernel {
    let mut live = vec![false; kernel.insts.len()];
    for phase in kernel.phases.iter().rev() {
        for &val in phase.insts.iter().rev() {
            let inst = &kernel.insts[val];
            if matches!(inst.op, Op::Store(_)) {
                live[val.index()] = true;
            }
            if live[val.index()] {
                inst.args.iter().for_each(|arg| live[arg.index()] = true);
            }
        }
    }
    let mut out = Kernel::new(kernel.name, kernel.axis);
    out.streams = kernel.streams;
    let mut names: FxHashMap<Val, Val> = FxHashMap::default();
    for phase in &kernel.phases {
        let kept: Vec<Val> = phase.insts.iter().copied().filter(|v| live[v.index()]).collect();
        if kept.is_empty() {
            continue;
        }
        out.begin(phase.when);
        for val in kept {
            let inst = &kernel.insts[val];
            let args: smallvec::SmallVec<[Val; 3]> =
                inst.args.iter().map(|arg| names[arg]).collect();
            names.insert(val, out.push(inst.op, &args, inst.ty));
        }
    }
    out
}
