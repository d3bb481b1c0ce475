//! What an executable does, for people: its steps, what was fused into each, and what stopped it.

use std::fmt::Write as _;

use tfjit_plan::{Cost, Plan, Step};

/// The explanation of a plan. `refusal` says why it is left to the interpreter whole.
pub(crate) fn text(plan: &Plan, refusal: Option<&str>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, plan, refusal);
    text
}

fn write(text: &mut String, plan: &Plan, refusal: Option<&str>) -> std::fmt::Result {
    let costs: Vec<Cost> = plan.steps.iter().map(|step| plan.cost(step)).collect();
    let flops: u64 = costs.iter().map(|c| c.flops).sum();
    let bytes: u64 = costs.iter().map(|c| c.bytes).sum();
    writeln!(
        text,
        "{} steps, {} kernels, {} of work, {} of memory traffic, {} of temporary memory",
        plan.steps.len(),
        plan.kernels.len(),
        scaled(flops, "FLOP"),
        scaled(bytes, "B"),
        scaled(plan.arena_bytes as u64, "B"),
    )?;
    if let Some(reason) = refusal {
        writeln!(text, "left to the interpreter whole: {reason}")?;
    }
    for (i, (step, cost)) in plan.steps.iter().zip(&costs).enumerate() {
        writeln!(
            text,
            "{i:5} {:10} {:>12} {:>10}  {}",
            kind(step),
            scaled(cost.flops, "FLOP"),
            scaled(cost.bytes, "B"),
            kernel_name(plan, step),
        )?;
        for note in plan.notes.iter().filter(|n| n.steps.end == i + 1 && !n.steps.is_empty()) {
            writeln!(text, "        from {}", note.fused.join(", "))?;
            for stopped in &note.stopped {
                writeln!(text, "        apart: {stopped}")?;
            }
        }
    }
    Ok(())
}

/// What a step is.
fn kind(step: &Step) -> &'static str {
    match step {
        Step::Loop(_) => "loop",
        Step::Matmul(_) => "matmul",
        Step::Conv(_) => "conv",
        Step::Pool(_) => "pool",
        Step::Copy(_) => "copy",
        Step::Gather(_) => "gather",
        Step::Reference(_) => "reference",
        Step::While { .. } => "while",
        Step::Switch { .. } => "switch",
    }
}

/// The kernel of a step.
fn kernel_name(plan: &Plan, step: &Step) -> String {
    let named = |id| format!("@{}", plan.kernels[id].name);
    match step {
        Step::Loop(call) => named(call.kernel),
        Step::Matmul(call) => call.epilogue.as_ref().map(|e| named(e.kernel)).unwrap_or_default(),
        Step::Conv(call) => call.epilogue.as_ref().map(|e| named(e.kernel)).unwrap_or_default(),
        Step::Reference(call) => call.module.name.clone(),
        _ => String::new(),
    }
}

/// A count with a unit of a thousand's power.
fn scaled(count: u64, unit: &str) -> String {
    let mut value = count as f64;
    for prefix in ["", "k", "M", "G", "T"] {
        if value < 1000.0 || prefix == "T" {
            let digits = if prefix.is_empty() { 0 } else { 1 };
            return format!("{value:.digits$} {prefix}{unit}");
        }
        value /= 1000.0;
    }
    String::new()
}
