//! What an executable does, for people: its steps, what was fused into each, and what stopped it.
//!
//! It counts and names; it must not run or measure anything.

use std::fmt::Write as _;

use tfjit_client::StepInfo;
use tfjit_plan::{Epilogue, Note, Plan, Step};

/// Operations that are named of what was fused; of more, the first and the last ones.
const FUSED_SHOWN: usize = 8;

/// The explanation of a plan. `refusal` says why it is left to the interpreter whole.
pub(crate) fn text(plan: &Plan, refusal: Option<&str>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, plan, refusal);
    text
}

/// The steps of a plan, by the numbers that the executor gives them: in the order of the plan,
/// those inside of loops and branches behind the one they are in.
pub(crate) fn steps(plan: &Plan) -> Vec<StepInfo> {
    let mut list = Vec::new();
    add_steps(plan, &plan.steps, 0, &mut list);
    list
}

fn add_steps(plan: &Plan, steps: &[Step], depth: usize, list: &mut Vec<StepInfo>) {
    for step in steps {
        let cost = plan.cost(step);
        list.push(StepInfo {
            depth,
            kind: kind(step).to_owned(),
            kernel: kernel_name(plan, step),
            flops: cost.flops,
            bytes: cost.bytes,
        });
        match step {
            Step::While { test, body, .. } => {
                add_steps(plan, test, depth + 1, list);
                add_steps(plan, body, depth + 1, list);
            }
            Step::Switch { branches, .. } => {
                branches.iter().for_each(|branch| add_steps(plan, branch, depth + 1, list));
            }
            _ => {}
        }
    }
}

fn write(text: &mut String, plan: &Plan, refusal: Option<&str>) -> std::fmt::Result {
    let steps = steps(plan);
    let outer = || steps.iter().filter(|step| step.depth == 0);
    writeln!(
        text,
        "{}, {}, {} of work, {} of memory traffic, {} of temporary memory",
        counted(steps.len(), "step"),
        counted(plan.kernels.len(), "kernel"),
        scaled(outer().fold(0, |sum, s| s.flops.saturating_add(sum)), "FLOP"),
        scaled(outer().fold(0, |sum, s| s.bytes.saturating_add(sum)), "B"),
        scaled(plan.arena_bytes as u64, "B"),
    )?;
    if let Some(reason) = refusal {
        writeln!(text, "left to the interpreter whole: {reason}")?;
    }
    let name_width = |s: &StepInfo| 2 * s.depth + s.kind.len();
    let width = steps.iter().map(name_width).max().unwrap_or(0);
    // Notes are about the steps outside of loops and branches.
    let mut position = 0;
    for (number, step) in steps.iter().enumerate() {
        let name = format!("{:indent$}{}", "", step.kind, indent = 2 * step.depth);
        let line = format!(
            "{number:4}  {name:width$} {:>11} {:>9}  {}",
            scaled(step.flops, "FLOP"),
            scaled(step.bytes, "B"),
            step.kernel,
        );
        writeln!(text, "{}", line.trim_end())?;
        if steps.get(number + 1).is_none_or(|next| next.depth == 0) {
            position += 1;
            let ends_here = |n: &&Note| n.steps.end == position && !n.steps.is_empty();
            plan.notes.iter().filter(ends_here).try_for_each(|note| write_note(text, note))?;
        }
    }
    Ok(())
}

/// What was fused and what stopped it, each reason once.
fn write_note(text: &mut String, note: &Note) -> std::fmt::Result {
    if !note.fused.is_empty() {
        writeln!(text, "      from {}", fused_text(&note.fused))?;
    }
    for (i, stopped) in note.stopped.iter().enumerate() {
        if !note.stopped[..i].contains(stopped) {
            writeln!(text, "      apart: {stopped}")?;
        }
    }
    Ok(())
}

/// The operations, those of a kind and name that follow each other once, and of a long list its
/// ends.
fn fused_text(fused: &[String]) -> String {
    let mut runs: Vec<(&str, usize)> = Vec::new();
    for name in fused {
        match runs.last_mut() {
            Some((last, count)) if last == name => *count += 1,
            _ => runs.push((name, 1)),
        }
    }
    let one = |(name, count): &(&str, usize)| match count {
        1 => (*name).to_owned(),
        n => format!("{n} x {name}"),
    };
    if runs.len() <= FUSED_SHOWN {
        return runs.iter().map(one).collect::<Vec<_>>().join(", ");
    }
    let half = FUSED_SHOWN / 2;
    let mut words: Vec<String> = runs[..half].iter().map(one).collect();
    let hidden = &runs[half..runs.len() - half];
    words.push(format!("... {} more ...", hidden.iter().map(|(_, n)| n).sum::<usize>()));
    words.extend(runs[runs.len() - half..].iter().map(one));
    words.join(", ")
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

/// The kernel of a step, or its sizes and the kernel that follows.
fn kernel_name(plan: &Plan, step: &Step) -> String {
    let named = |id| format!("@{}", plan.kernels[id].name);
    let after = |e: &Option<Epilogue>| {
        e.as_ref().map(|e| format!(" + {}", named(e.kernel))).unwrap_or_default()
    };
    let by = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
    match step {
        Step::Loop(call) => named(call.kernel),
        Step::Matmul(c) => {
            let batch = if c.batch.is_empty() { String::new() } else { by(&c.batch) + " of " };
            format!("{batch}{}{}", by(&[c.m, c.k, c.n]), after(&c.epilogue))
        }
        Step::Conv(c) => format!(
            "{} window {} features {} to {}{}",
            by(&[c.batch, c.output_size[0], c.output_size[1]]),
            by(&c.window),
            c.input_features,
            c.output_features,
            after(&c.epilogue)
        ),
        Step::Pool(c) => format!(
            "{} window {}",
            by(&[c.batch, c.output_size[0], c.output_size[1], c.features]),
            by(&c.window)
        ),
        Step::Copy(c) => by(&c.extents),
        Step::Gather(c) => format!("{} of {} rows", c.count, c.input_rows),
        Step::Reference(c) => c.module.name.clone(),
        Step::While { .. } | Step::Switch { .. } => String::new(),
    }
}

/// `1 step`, `2 steps`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A count with a unit of a thousand's power.
fn scaled(count: u64, unit: &str) -> String {
    let mut value = count as f64;
    for prefix in ["", "k", "M", "G", "T"] {
        if value < 999.95 || prefix == "T" {
            let digits = usize::from(!prefix.is_empty());
            return format!("{value:.digits$} {prefix}{unit}");
        }
        value /= 1000.0;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_show_their_ends() {
        let names = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        assert_eq!(fused_text(&names(&["add", "mul"])), "add, mul");
        assert_eq!(fused_text(&names(&["mul", "add", "add", "add"])), "mul, 3 x add");
        let many: Vec<String> = (0..20).map(|i| format!("op{i}")).collect();
        let want = "op0, op1, op2, op3, ... 12 more ..., op16, op17, op18, op19";
        assert_eq!(fused_text(&many), want);
    }

    #[test]
    fn steps_are_numbered_as_the_executor_does() {
        let text = "func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
          %c = stablehlo.constant dense<0> : tensor<i32>
          %0:2 = stablehlo.while(%i = %c, %x = %arg0) : tensor<i32>, tensor<8xf32>
            cond {
              %n = stablehlo.constant dense<5> : tensor<i32>
              %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %p : tensor<i1>
            } do {
              %one = stablehlo.constant dense<1> : tensor<i32>
              %j = stablehlo.add %i, %one : tensor<i32>
              %y = stablehlo.sine %x : tensor<8xf32>
              stablehlo.return %j, %y : tensor<i32>, tensor<8xf32>
            }
          return %0#1 : tensor<8xf32>
        }";
        let module = tfjit_hlo::parse(text).expect("a module");
        let plan = tfjit_plan::plan(&module).expect("a plan");
        let kernels = crate::kernels::Kernels::new(false, false);
        let code = kernels.of(&plan).expect("code");
        let listed = steps(&plan);
        let plan = std::sync::Arc::new(plan);
        let load = tfjit_exec::LoadOptions::default();
        let loaded = tfjit_exec::Loaded::new(plan, code, &load).expect("a loaded plan");
        assert!(listed.iter().any(|s| s.depth == 1), "{listed:?}");
        assert_eq!(listed.len(), loaded.step_names().len());
        for (step, name) in listed.iter().zip(loaded.step_names()) {
            assert_eq!(Some(&*step.kind), name.split(' ').next());
        }
    }

    #[test]
    fn numbers_have_units() {
        assert_eq!(scaled(999, "B"), "999 B");
        assert_eq!(scaled(1500, "B"), "1.5 kB");
        assert_eq!(scaled(999_960, "B"), "1.0 MB");
    }
}
