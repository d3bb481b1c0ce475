//! Op cases: files of records, each a small graph with inputs and the results of TensorFlow's own
//! kernels (`tf`) and of its XLA (`xla`).

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use tfjit_base::{Shape, Tensor};

use super::arrays;
use super::compare::Tolerance;
use super::kinds;
use super::sink::Sink;
use super::subject::{Named, Subject};

#[derive(Deserialize)]
struct Header {
    id: String,
    features: Vec<String>,
    compare: String,
    inputs: Vec<Stored>,
    fetches: Vec<String>,
    targets: Vec<String>,
    init_targets: Vec<String>,
    tf: Outcome,
    xla: Outcome,
    tolerance: Option<Vec<Option<Tolerance>>>,
}

#[derive(Deserialize)]
struct Stored {
    #[serde(default)]
    name: String,
    dtype: String,
    shape: Vec<usize>,
    t: usize,
}

#[derive(Deserialize)]
struct Outcome {
    status: String,
    kind: Option<String>,
    code: Option<String>,
    #[serde(default)]
    outputs: Vec<Stored>,
}

struct Case<'a> {
    header: Header,
    graph: &'a [u8],
    tensors: Vec<&'a [u8]>,
}

/// Runs the cases of one file.
pub(crate) fn run(path: &Path, subject: &dyn Subject, sink: &mut Sink<'_>) -> Result<()> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    let mut reader = Reader { rest: &bytes };
    while !reader.rest.is_empty() {
        let case = reader.case().with_context(|| path.display().to_string())?;
        sink.case(&format!("ops/{}", case.header.id), || check(&case, subject));
    }
    Ok(())
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (part, rest) = self.rest.split_at_checked(n).context("cut short")?;
        self.rest = rest;
        Ok(part)
    }

    fn u32(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into()?) as usize)
    }

    fn u64(&mut self) -> Result<usize> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into()?).try_into()?)
    }

    fn case(&mut self) -> Result<Case<'a>> {
        let length = self.u32()?;
        let header = serde_json::from_slice(self.take(length)?).context("header")?;
        let length = self.u32()?;
        let graph = self.take(length)?;
        let mut tensors = Vec::new();
        for _ in 0..self.u32()? {
            let length = self.u64()?;
            tensors.push(self.take(length)?);
        }
        Ok(Case { header, graph, tensors })
    }
}

impl Case<'_> {
    fn tensor(&self, stored: &Stored) -> Result<Tensor> {
        let raw = self.tensors.get(stored.t).context("no such tensor")?;
        let (dtype, shape) = (arrays::dtype(&stored.dtype)?, Shape::new(&stored.shape));
        Ok(Tensor::from_raw(dtype, shape, raw)?)
    }

    fn compare(&self, got: &[Tensor], column: &Outcome) -> Result<()> {
        let want: Vec<Tensor> =
            column.outputs.iter().map(|o| self.tensor(o)).collect::<Result<_>>()?;
        let given = self.header.tolerance.iter().flatten();
        let tolerances: Vec<Tolerance> = given.map(|t| t.unwrap_or_default()).collect();
        kinds::compare(&self.header.compare, got, &want, &tolerances)
    }
}

/// What a case has to meet.
#[derive(PartialEq, Eq, Debug)]
enum Right<'a> {
    /// The results of this column.
    Results(&'a str),
    /// An error with this code.
    Code(&'a str),
    /// An error with this code, or the results of the `xla` column.
    CodeOrXla(&'a str),
}

/// TensorFlow's kernels are right where they are defined. What they have no kernel or no code for
/// is judged by XLA. What they refuse while it runs (an index out of range, a division by zero) is
/// an error for us too; other refusals may as well work as they do in XLA.
fn right(header: &Header) -> Result<Right<'_>> {
    let (tf, xla) = (&header.tf, &header.xla);
    let has = |names: &[&str]| header.features.iter().any(|f| names.contains(&f.as_str()));
    let code = || tf.code.as_deref().context("an error without a code");
    Ok(match (tf.status.as_str(), xla.status.as_str()) {
        (_, "ok") if has(&["undefined_in_tf"]) => Right::Results("xla"),
        ("ok", _) => Right::Results("tf"),
        ("error", "ok") if tf.kind.as_deref() == Some("no_kernel") => Right::Results("xla"),
        ("error", "ok") if code()? == "UNIMPLEMENTED" => Right::Results("xla"),
        ("error", "ok") if has(&["error", "out_of_bounds", "div_by_zero"]) => Right::Code(code()?),
        ("error", "ok") => Right::CodeOrXla(code()?),
        ("error", _) => Right::Code(code()?),
        (tf, xla) => bail!("nothing to meet: tf {tf}, xla {xla}"),
    })
}

fn check(case: &Case<'_>, subject: &dyn Subject) -> Result<()> {
    let header = &case.header;
    let right = right(header)?;
    let mut feeds: Named = Vec::new();
    for input in &header.inputs {
        feeds.push((format!("{}:0", input.name), case.tensor(input)?));
    }
    let result = subject.graph_def(case.graph).and_then(|mut program| {
        if !header.init_targets.is_empty() {
            program.run(&feeds, &[], &header.init_targets)?;
        }
        program.run(&feeds, &header.fetches, &header.targets)
    });
    match (right, result) {
        (Right::Results("xla") | Right::CodeOrXla(_), Ok(got)) => case.compare(&got, &header.xla),
        (Right::Results(_), Ok(got)) => case.compare(&got, &header.tf),
        (Right::Results(_), Err(e)) => Err(e.into()),
        (Right::Code(code), Ok(_)) => bail!("ran, and {code} is wanted"),
        (Right::Code(code) | Right::CodeOrXla(code), Err(e)) => {
            ensure!(e.code().name() == code, "{code} is wanted, not {e}");
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(tf: &str, xla: &str, feature: &str) -> Header {
        let text = format!(
            r#"{{"id":"A/b","features":["{feature}"],"compare":"close","inputs":[],"fetches":[],
            "targets":[],"init_targets":[],"tolerance":null,"tf":{tf},"xla":{xla}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn which_column_is_right() {
        let ok = r#"{"status":"ok","outputs":[]}"#;
        let no_kernel = r#"{"status":"error","kind":"no_kernel","code":"INVALID_ARGUMENT"}"#;
        let missing = r#"{"status":"error","kind":"op_error","code":"UNIMPLEMENTED"}"#;
        let refused = r#"{"status":"error","kind":"op_error","code":"INVALID_ARGUMENT"}"#;
        let code = "INVALID_ARGUMENT";
        let cases = [
            (ok, ok, "", Right::Results("tf")),
            (ok, refused, "", Right::Results("tf")),
            (ok, ok, "undefined_in_tf", Right::Results("xla")),
            (no_kernel, ok, "", Right::Results("xla")),
            (missing, ok, "nchw", Right::Results("xla")),
            (refused, ok, "div_by_zero", Right::Code(code)),
            (refused, ok, "rng_alg2", Right::CodeOrXla(code)),
            (refused, refused, "", Right::Code(code)),
        ];
        for (tf, xla, feature, wanted) in cases {
            assert_eq!(right(&header(tf, xla, feature)).unwrap(), wanted);
        }
    }

    #[test]
    fn records_are_read_whole() {
        let text = r#"{"id":"A/b","features":[],"compare":"close","inputs":[],"fetches":[],
            "targets":[],"init_targets":[],"tf":{"status":"ok"},"xla":{"status":"ok"}}"#;
        let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
        bytes.extend(text.as_bytes());
        bytes.extend([1, 0, 0, 0, 7, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 8, 9]);
        let mut reader = Reader { rest: &bytes };
        let case = reader.case().unwrap();
        assert_eq!((case.graph, &case.tensors[..]), (&[7u8][..], &[&[8u8, 9][..]][..]));
        assert!(reader.rest.is_empty());
        assert!(Reader { rest: &bytes[..bytes.len() - 1] }.case().is_err());
    }
}
