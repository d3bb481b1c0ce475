//! Models on tfjit and on other engines, in turn.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::process::{Row, events, medians};
use crate::root;

/// Engines that the peer script knows, and what they are called.
const PEERS: &[(&str, &str)] = &[
    ("ort", "ONNX Runtime"),
    ("openvino", "OpenVINO"),
    ("tf", "TensorFlow"),
    ("tfxla", "TensorFlow, jit_compile"),
];

/// The difference from a golden output that counts as wrong, as a part of its largest value.
const WRONG: f64 = 1e-3;

/// What is measured.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) batches: Vec<usize>,
    pub(super) threads: Vec<usize>,
    /// The backend of tfjit; the usual one by default.
    pub(super) backend: Option<String>,
    /// Names of peers; all by default.
    pub(super) engines: Option<Vec<String>>,
    /// Each engine runs so often, in turn with the others.
    pub(super) rounds: usize,
    /// How long each run measures.
    pub(super) seconds: f64,
    /// A Python that has the peers, if there is one.
    pub(super) python: Option<String>,
}

/// An engine: its name in the table, and the command that measures a model.
struct Engine {
    name: &'static str,
    command: Vec<String>,
}

impl Plan {
    /// Measures the model in `folder` and writes a table.
    ///
    /// # Errors
    /// When tfjit fails or is wrong, or a peer fails in another way than by not being there.
    pub(super) fn table(&self, page: &mut String, tfjit: &Path, folder: &Path) -> Result<()> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        // Writing to a string can't fail.
        let _ = writeln!(page, "\n## {name}\n");
        page.push_str(
            "| batch, threads | engine | start to first result | load | compile | first | median \
             | min | peak memory | median / tfjit | off by |\n|---|---|---|---|---|---|---|---|\
             ---|---|---|\n",
        );
        for &batch in &self.batches {
            for &threads in &self.threads {
                eprintln!("bench: {name}, batch {batch}, {threads} threads");
                self.rows(page, tfjit, folder, batch, threads)?;
            }
        }
        Ok(())
    }

    fn rows(
        &self,
        page: &mut String,
        tfjit: &Path,
        folder: &Path,
        batch: usize,
        threads: usize,
    ) -> Result<()> {
        let engines = self.commands(tfjit, folder, batch, threads)?;
        let mut rows: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
        let mut missing: Vec<&str> = Vec::new();
        for round in 0..self.rounds {
            for (i, engine) in engines.iter().enumerate() {
                if missing.contains(&engine.name) {
                    continue;
                }
                // Nobody is always the first.
                let engine = &engines[(i + round) % engines.len()];
                match events(&engine.command, threads == 1) {
                    Ok(Some(row)) => rows.entry(engine.name).or_default().push(row),
                    Ok(None) => missing.push(engine.name),
                    Err(e) if engine.name == OURS => return Err(e.context(OURS)),
                    Err(e) => {
                        eprintln!("bench: {}: {e:#}", engine.name);
                        missing.push(engine.name);
                    }
                }
            }
        }
        let ours = medians(rows.get(OURS).context("tfjit was not measured")?);
        let number = |row: &Row, key: &str| row.get(key).copied().unwrap_or(f64::NAN);
        let (worst, scale) = (number(&ours, "worst"), number(&ours, "scale"));
        ensure!(worst <= WRONG * scale, "tfjit is off by {worst} where values reach {scale}");
        for engine in &engines {
            let Some(rows) = rows.get(engine.name) else { continue };
            let row = medians(rows);
            let ms = |key: &str| row.get(key).map_or("".to_owned(), |v| time(*v));
            let ratio = number(&row, "median_ms") / number(&ours, "median_ms");
            let _ = writeln!(
                page,
                "| {batch}, {threads} | {} | {} | {} | {} | {} | {} | {} | {:.0} MB | {ratio:.2} | \
                 {:.1e} |",
                engine.name,
                ms("start_ms"),
                ms("load_ms"),
                ms("compile_ms"),
                ms("first_ms"),
                ms("median_ms"),
                ms("min_ms"),
                number(&row, "peak_mb"),
                number(&row, "worst"),
            );
        }
        Ok(())
    }

    fn commands(
        &self,
        tfjit: &Path,
        folder: &Path,
        batch: usize,
        threads: usize,
    ) -> Result<Vec<Engine>> {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let golden = ["golden.npz", "golden_0.npz"].map(|name| folder.join(name));
        let golden = golden.into_iter().find(|path| path.exists()).context("no golden file")?;
        let numbers = [batch.to_string(), threads.to_string(), self.seconds.to_string()];
        let shared = |command: &mut Vec<String>| {
            for (flag, number) in ["--batch", "--threads", "--seconds"].iter().zip(&numbers) {
                command.extend([(*flag).to_owned(), number.clone()]);
            }
        };
        let mut ours = vec![text(tfjit.to_path_buf()), "bench".into()];
        ours.extend([text(folder.join("saved_model")), "--json".into()]);
        ours.extend(["--golden".into(), text(golden)]);
        shared(&mut ours);
        if let Some(backend) = &self.backend {
            ours.extend(["--backend".into(), backend.clone()]);
        }
        let mut engines = vec![Engine { name: OURS, command: ours }];
        let Some(python) = &self.python else { return Ok(engines) };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let cache = root().join("target/bench");
        std::fs::create_dir_all(&cache)?;
        for (key, name_of) in PEERS {
            if self.engines.as_ref().is_some_and(|names| !names.iter().any(|n| n == key)) {
                continue;
            }
            let script = text(root().join("tools/bench_peers.py"));
            let mut command = vec![python.clone(), script, (*key).to_owned()];
            command.push(text(folder.to_path_buf()));
            shared(&mut command);
            let onnx = text(cache.join(format!("{name}.onnx")));
            command.extend(["--onnx".into(), onnx.clone()]);
            if matches!(*key, "ort" | "openvino") && !Path::new(&onnx).exists() {
                // Converts; what it measures is thrown away.
                let _ = events(&command, false);
            }
            engines.push(Engine { name: name_of, command });
        }
        Ok(engines)
    }
}

/// Our own name.
const OURS: &str = "tfjit";

/// Milliseconds with three digits or so.
fn time(ms: f64) -> String {
    match ms {
        ms if ms >= 10_000.0 => format!("{:.1} s", ms / 1e3),
        ms if ms >= 100.0 => format!("{ms:.0} ms"),
        ms if ms >= 10.0 => format!("{ms:.1} ms"),
        ms if ms >= 1.0 => format!("{ms:.2} ms"),
        ms => format!("{:.1} us", ms * 1e3),
    }
}
