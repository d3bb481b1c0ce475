//! The one runner of text tests: text in, text out, the expected text in the same file.
//!
//! `docs/tests.md` says how a test file is written. A stage is one row of [`stages::ALL`]; the
//! runner itself knows no stage.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

mod case;
mod compiled;
pub mod stages;

use case::{Part, Syntax};

/// Folders below the root with the stage of the files that do not name one.
const FOLDERS: &[(&str, Option<&str>)] =
    &[("tests", None), ("testdata/jax", Some("run")), ("testdata/jax_kernels", Some("run"))];

/// One test file.
pub struct TestFile {
    /// The path from the root, which is the name of the test.
    pub name: String,
    path: PathBuf,
    usual_stage: Option<&'static str>,
}

/// All test files below `root`.
///
/// # Errors
/// When a folder cannot be read.
pub fn find(root: &Path) -> Result<Vec<TestFile>> {
    let mut files = Vec::new();
    for (folder, usual_stage) in FOLDERS {
        let mut paths = Vec::new();
        walk(&root.join(folder), &mut paths)?;
        paths.sort();
        for path in paths {
            let name = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            files.push(TestFile { name, path, usual_stage: *usual_stage });
        }
    }
    ensure!(!files.is_empty(), "no test files below {}", root.display());
    Ok(files)
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, out)?;
        } else if Syntax::of(&path).is_some() {
            out.push(path);
        }
    }
    Ok(())
}

impl TestFile {
    /// Runs the parts of the file; with `bless` the expected text is rewritten where it differs.
    ///
    /// # Errors
    /// The problems of all parts, one after the other.
    pub fn run(&self, bless: bool) -> Result<()> {
        let text = fs::read_to_string(&self.path).context("cannot be read")?;
        let syntax = Syntax::of(&self.path).context("a file of no known kind")?;
        let mut parts = case::split(&text, syntax);
        let mut problems = Vec::new();
        for (i, part) in parts.iter_mut().enumerate() {
            if let Err(e) = self.run_part(part, syntax, bless) {
                problems.push(format!("part {}: {e:#}", i + 1));
            }
        }
        let blessed = case::join(&parts, syntax);
        if bless && blessed != text {
            fs::write(&self.path, blessed).context("cannot be written")?;
        }
        if problems.is_empty() { Ok(()) } else { bail!("{}", problems.join("\n\n")) }
    }

    fn run_part(&self, part: &mut Part, syntax: Syntax, bless: bool) -> Result<()> {
        let stage = part.option("stage", syntax).or_else(|| self.usual_stage.map(str::to_owned));
        let stage = stage.context("the first line does not name a stage")?;
        let expect_error = part.option("expect-error", syntax);
        let output = stages::run(&stage, &part.input);
        let actual = match (output, expect_error) {
            (Ok(output), None) => output,
            (Ok(_), Some(code)) => bail!("{stage}: succeeds, and the error {code} is expected"),
            (Err(e), None) => return Err(e.context(stage)),
            (Err(e), Some(code)) => {
                let text = format!("{e:#}\n");
                ensure!(text.contains(&code), "{stage}: {code} is expected, not {text}");
                Some(text)
            }
        };
        match (&part.expected, actual.map(|text| case::trimmed(&text))) {
            (None, None) => Ok(()),
            (Some(_), None) => bail!("{stage} has no output to compare with"),
            (Some(expected), Some(actual)) if *expected == actual => Ok(()),
            (_, Some(actual)) if bless => {
                part.expected = Some(actual);
                Ok(())
            }
            (None, Some(_)) => bail!("{stage}: no expected text; BLESS=1 writes it"),
            (Some(expected), Some(actual)) => bail!("{stage}:\n{}", case::diff(expected, &actual)),
        }
    }
}
