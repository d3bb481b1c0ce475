//! Where the command writes: results to stdout, messages to stderr, colours on terminals.
//!
//! It must not know what is written. Everything for stdout is collected and written in few pieces.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use tfjit_base::knobs;

use crate::args::ColorChoice;
use crate::failure::Failure;

/// Bytes of results that are kept before they are written.
const FLUSH_BYTES: usize = 1 << 16;

/// The two streams.
pub(crate) struct Console {
    pending: Vec<u8>,
    quiet: bool,
    out_styled: bool,
    err_styled: bool,
}

/// How a piece of text stands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    Heading,
    Name,
    Faint,
    Error,
    Help,
    Warning,
}

impl Style {
    /// The SGR parameters.
    fn code(self) -> &'static str {
        match self {
            Style::Heading => "1",
            Style::Name => "36",
            Style::Faint => "2",
            Style::Error => "1;31",
            Style::Help => "1;32",
            Style::Warning => "1;33",
        }
    }
}

/// The text with control characters written out: names come from files, and an escape sequence in
/// one must not reach a terminal.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let is_safe = |c: char| !c.is_control() || c == '\n' || c == '\t';
    if text.chars().all(is_safe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_safe(c) {
            true => out.push(c),
            false => out.extend(c.escape_default()),
        }
    }
    Cow::Owned(out)
}

fn paint(styled: bool, style: Style, text: &str) -> String {
    if styled { format!("\x1b[{}m{text}\x1b[0m", style.code()) } else { text.to_owned() }
}

impl Console {
    /// A console with colours as chosen.
    pub(crate) fn new(color: ColorChoice, quiet: bool) -> Console {
        let styled = |terminal: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                terminal && knobs::NO_COLOR.get().is_none_or(|value| value.is_empty())
            }
        };
        Console {
            pending: Vec::new(),
            quiet,
            out_styled: styled(io::stdout().is_terminal()),
            err_styled: styled(io::stderr().is_terminal()),
        }
    }

    /// Adds to the results.
    ///
    /// # Errors
    /// When stdout cannot be written.
    pub(crate) fn print(&mut self, text: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.pending.extend(text.as_ref());
        if self.pending.len() >= FLUSH_BYTES { self.flush() } else { Ok(()) }
    }

    /// Adds a line to the results.
    ///
    /// # Errors
    /// When stdout cannot be written.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        self.pending.extend(text.as_ref().as_bytes());
        self.print("\n")
    }

    /// Writes the results so far.
    ///
    /// # Errors
    /// When stdout cannot be written.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let pending = std::mem::take(&mut self.pending);
        let mut out = io::stdout().lock();
        out.write_all(&pending).and_then(|()| out.flush()).map_err(Failure::of_stdout)
    }

    /// Text for stdout, styled if that is a terminal.
    pub(crate) fn style(&self, style: Style, text: &str) -> String {
        paint(self.out_styled, style, text)
    }

    /// A message for people; not a result.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.to_stderr(&plain(text));
        }
    }

    /// What stands in front of warnings; `None` when there are to be none.
    pub(crate) fn warning_label(&self) -> Option<String> {
        (!self.quiet).then(|| paint(self.err_styled, Style::Warning, "warning"))
    }

    /// A warning.
    pub(crate) fn warn(&self, text: &str) {
        if let Some(label) = self.warning_label() {
            self.to_stderr(&format!("{label}: {}", plain(text)));
        }
    }

    /// A line of an error report: `label: text`.
    pub(crate) fn report(&self, style: Style, label: &str, text: &str) {
        let label = paint(self.err_styled, style, label);
        self.to_stderr(&format!("{label}: {}", plain(text)));
    }

    fn to_stderr(&self, text: &str) {
        // Nothing can be done about a closed stderr.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Whether progress may be drawn.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Writes what is pending, also the partial results of a command that failed.
    ///
    /// # Errors
    /// That of the command, or that of writing.
    pub(crate) fn finish(&mut self, result: Result<(), Failure>) -> Result<(), Failure> {
        let flushed = self.flush();
        result.and(flushed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_written_out() {
        assert_eq!(plain("a\nb\tc é"), "a\nb\tc é");
        assert_eq!(plain("\x1b[31mred\r"), "\\u{1b}[31mred\\r");
    }
}
