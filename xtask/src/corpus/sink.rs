//! Where a worker reports its cases: one line each on its standard output, behind a mark.
//!
//! A case is announced before it starts, so that the parent knows which one a dead or hanging
//! worker was at. A panic inside a case is a failure of that case.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Result;

use super::skips::Skips;

/// What each line of the protocol starts with; programs may print too.
pub(crate) const MARK: &str = "@tfjit-corpus ";

/// Reports the cases of one unit.
pub(crate) struct Sink<'a> {
    /// Lets through this case, or the cases of this unit, and no others.
    pub(crate) only: Option<&'a str>,
    /// Lets through the cases behind this one.
    pub(crate) after: Option<String>,
    /// Cases that are not run.
    pub(crate) skips: &'a Skips,
    /// Where the lines go.
    pub(crate) out: &'a mut dyn Write,
    /// How often the inputs of models are repeated.
    pub(crate) batch: usize,
    /// Whether models run twice and tell what came out.
    pub(crate) digest: bool,
}

/// An error of a case that is none under the options of the run: it does not count.
#[derive(Debug)]
pub(crate) struct NoCase;

impl std::fmt::Display for NoCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no case under these options")
    }
}

impl std::error::Error for NoCase {}

impl Sink<'_> {
    /// Runs the case `id`, unless it is not wanted.
    pub(crate) fn case(&mut self, id: &str, run: impl FnOnce() -> Result<()>) {
        self.telling_case(id, || run().map(|()| String::new()));
    }

    /// As [`Sink::case`], with a word on what came out.
    pub(crate) fn telling_case(&mut self, id: &str, run: impl FnOnce() -> Result<String>) {
        if let Some(after) = &self.after {
            if after == id {
                self.after = None;
            }
            return;
        }
        if self.only.is_some_and(|only| !within(id, only)) {
            return;
        }
        if let Some(reason) = self.skips.reason(id) {
            self.line(&format!("skip\t{id}\t{reason}"));
            return;
        }
        self.line(&format!("start\t{id}"));
        let outcome = catch_unwind(AssertUnwindSafe(run));
        let line = match outcome {
            Ok(Ok(told)) if told.is_empty() => format!("pass\t{id}"),
            Ok(Ok(told)) => format!("pass\t{id}\t{told}"),
            Ok(Err(e)) if e.is::<NoCase>() => format!("none\t{id}"),
            Ok(Err(e)) => format!("fail\t{id}\t{}", one_line(&format!("{e:#}"))),
            Err(panic) => format!("fail\t{id}\tpanicked: {}", one_line(panic_text(&*panic))),
        };
        self.line(&line);
    }

    /// Writes one line of the protocol.
    pub(crate) fn line(&mut self, text: &str) {
        // When the parent is gone there is nobody left to tell.
        let _ = writeln!(self.out, "{MARK}{text}").and_then(|()| io::Write::flush(self.out));
    }
}

/// Whether `id` is `outer` or lies in it.
pub(crate) fn within(id: &str, outer: &str) -> bool {
    id.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The first line that says something, cut at a length that a terminal can show.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message");
    line.replace('\t', " ").chars().take(300).collect()
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn report(only: Option<&str>, after: Option<&str>) -> String {
        let mut out = Vec::new();
        let skips = Skips::parse("c\tno reason\n").unwrap();
        let after = after.map(str::to_owned);
        let (batch, digest) = (1, false);
        let mut sink = Sink { only, after, skips: &skips, out: &mut out, batch, digest };
        sink.case("a", || Ok(()));
        sink.case("b", || bail!("no\tgood\nat all"));
        sink.case("c", || unreachable!());
        String::from_utf8(out).unwrap().replace(MARK, "")
    }

    #[test]
    fn lines_of_the_protocol() {
        let (a, b, c) =
            ("start\ta\npass\ta\n", "start\tb\nfail\tb\tno good\n", "skip\tc\tno reason\n");
        assert_eq!(report(None, None), format!("{a}{b}{c}"));
        assert_eq!(report(Some("b"), None), b);
        assert_eq!(report(None, Some("a")), format!("{b}{c}"));
        assert_eq!(report(None, Some("b")), c);
        assert!(within("a/b", "a") && within("a", "a") && !within("ab", "a"));
    }

    #[test]
    fn a_panic_is_a_failure() {
        let mut out = Vec::new();
        std::panic::set_hook(Box::new(|_| {}));
        let skips = Skips::default();
        let (batch, digest) = (1, false);
        let (only, after) = (None, None);
        let mut sink = Sink { only, after, skips: &skips, out: &mut out, batch, digest };
        sink.case("a", || panic!("oh {}", 1));
        let _ = std::panic::take_hook();
        assert!(String::from_utf8(out).unwrap().contains("fail\ta\tpanicked: oh 1"));
    }
}
