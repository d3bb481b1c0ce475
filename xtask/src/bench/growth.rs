//! How compile time grows with the number of nodes: generated programs of StableHLO.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::Result;

/// Numbers of nodes.
const NODES: &[usize] = &[100, 1_000, 10_000, 100_000];

/// Compilations of each program, of which the fastest counts.
const RUNS: usize = 3;

/// A kind of program: what it is, and its text with about so many nodes.
struct Kind {
    name: &'static str,
    text: fn(usize) -> String,
}

const KINDS: &[Kind] =
    &[Kind { name: "elementwise chain", text: chain }, Kind { name: "dense layers", text: layers }];

/// Compiles programs of growing size and writes a table.
///
/// # Errors
/// When one does not compile.
pub(super) fn table(page: &mut String, options: &tfjit::Options, nodes_max: usize) -> Result<()> {
    // Writing to a string can't fail.
    let _ = writeln!(
        page,
        "\n## Compile time by number of nodes\n\nBackend {}, fastest of {RUNS}.\n\n| program | \
         nodes | read | optimise | compile | compile, a node |\n|---|---|---|---|---|---|",
        options.backend
    );
    for kind in KINDS {
        for &nodes in NODES.iter().filter(|n| **n <= nodes_max) {
            let text = (kind.text)(nodes);
            let mut best: Option<[Duration; 3]> = None;
            for _ in 0..RUNS {
                let times = compile(&text, options)?;
                if best.is_none_or(|b| times.iter().sum::<Duration>() < b.iter().sum()) {
                    best = Some(times);
                }
            }
            let [read, optimise, compile] = best.unwrap_or_default();
            let ms = |d: Duration| format!("{:.2} ms", d.as_secs_f64() * 1e3);
            let each = (optimise + compile).as_secs_f64() * 1e6 / nodes as f64;
            let (name, read) = (kind.name, ms(read));
            let _ = writeln!(
                page,
                "| {name} | {nodes} | {read} | {} | {} | {each:.2} us |",
                ms(optimise),
                ms(compile)
            );
        }
    }
    Ok(())
}

/// Times of reading, optimising and compiling.
fn compile(text: &str, options: &tfjit::Options) -> Result<[Duration; 3]> {
    let start = Instant::now();
    let module = tfjit_hlo::parse(text)?;
    let read = start.elapsed();
    let (_, times) = tfjit::compile_module(&module, options)?;
    Ok([read, times.optimise, times.compile])
}

/// Each value is made of the two before it.
fn chain(nodes: usize) -> String {
    let ty = "tensor<64xf32>";
    let mut text = format!("func.func @main(%v0: {ty}, %v1: {ty}) -> {ty} {{\n");
    for i in 2..nodes + 2 {
        let (a, b) = (i - 1, i - 2);
        let _ = match i % 4 {
            0 => writeln!(text, "  %v{i} = stablehlo.add %v{a}, %v{b} : {ty}"),
            1 => writeln!(text, "  %v{i} = stablehlo.multiply %v{a}, %v{b} : {ty}"),
            2 => writeln!(text, "  %v{i} = stablehlo.tanh %v{a} : {ty}"),
            _ => writeln!(text, "  %v{i} = stablehlo.subtract %v{a}, %v{b} : {ty}"),
        };
    }
    let _ = writeln!(text, "  return %v{} : {ty}\n}}", nodes + 1);
    text
}

/// Matrix products with bias and a rectifier, five nodes a layer.
fn layers(nodes: usize) -> String {
    let (x, w, b) = ("tensor<8x32xf32>", "tensor<32x32xf32>", "tensor<32xf32>");
    let mut text = format!("func.func @main(%x0: {x}, %w: {w}, %b: {b}) -> {x} {{\n");
    let layers = (nodes / 5).max(1);
    for i in 0..layers {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  %p{i} = stablehlo.dot_general %x{i}, %w, contracting_dims = [1] x [0] : ({x}, {w}) \
             -> {x}\n  %c{i} = stablehlo.broadcast_in_dim %b, dims = [1] : ({b}) -> {x}\n  \
             %s{i} = stablehlo.add %p{i}, %c{i} : {x}\n  %t{i} = stablehlo.tanh %s{i} : {x}\n  \
             %x{next} = stablehlo.maximum %t{i}, %x{i} : {x}"
        );
    }
    let _ = writeln!(text, "  return %x{layers} : {x}\n}}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_so_many_nodes_and_compile() {
        let options = tfjit::Options { backend: tfjit::Backend::Eval, ..Default::default() };
        for kind in KINDS {
            let text = (kind.text)(100);
            let module = tfjit_hlo::parse(&text).unwrap();
            let count = module.entry().unwrap().walk().len();
            assert!((95..=105).contains(&count), "{}: {count}", kind.name);
            compile(&text, &options).unwrap();
        }
    }
}
