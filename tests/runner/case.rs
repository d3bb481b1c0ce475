//! A test file taken apart: parts, header options, input and expected text.
//!
//! What marks a part, an option or expected text is always a comment of the file's own language,
//! so that the file can be given to other tools as it is.

use std::fmt::Write as _;
use std::path::Path;

use similar::TextDiff;

/// How comments are written in a kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Syntax {
    comment: &'static str,
}

impl Syntax {
    /// By the ending of the file's name; `None` for files that are no tests.
    pub(crate) fn of(path: &Path) -> Option<Syntax> {
        let comment = match path.extension()?.to_str()? {
            "mlir" | "txt" => "//",
            "pbtxt" => "#",
            _ => return None,
        };
        Some(Syntax { comment })
    }

    fn expected_mark(self) -> String {
        format!("{} ==>", self.comment)
    }

    fn part_mark(self) -> String {
        format!("{} -----", self.comment)
    }
}

/// One test: a file may hold several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// Everything in front of the expected text.
    pub(crate) input: String,
    /// The expected text, without the comment marks.
    pub(crate) expected: Option<String>,
}

impl Part {
    /// The value of `name: value` in the comment lines that the part starts with.
    pub(crate) fn option(&self, name: &str, syntax: Syntax) -> Option<String> {
        let lines = self.input.lines().map(str::trim_start).skip_while(|line| line.is_empty());
        let comments = lines.map_while(|line| line.strip_prefix(syntax.comment));
        let values = comments.filter_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'));
        values.map(|value| value.trim().to_owned()).next()
    }
}

/// The parts of a file.
pub(crate) fn split(text: &str, syntax: Syntax) -> Vec<Part> {
    let mut parts = vec![Part { input: String::new(), expected: None }];
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare == syntax.part_mark() {
            parts.push(Part { input: String::new(), expected: None });
            continue;
        }
        let part = parts.last_mut().expect("there is at least one part");
        if bare == syntax.expected_mark() {
            part.expected.get_or_insert_default();
            continue;
        }
        match &mut part.expected {
            None => part.input.push_str(line),
            Some(expected) => {
                let content = bare.strip_prefix(syntax.comment).unwrap_or(bare);
                expected.push_str(content.strip_prefix(' ').unwrap_or(content));
                expected.push('\n');
            }
        }
    }
    parts
}

/// The file that [`split`] takes apart into `parts`.
pub(crate) fn join(parts: &[Part], syntax: Syntax) -> String {
    let mut out = String::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            let _ = writeln!(out, "{}", syntax.part_mark());
        }
        out.push_str(&part.input);
        let Some(expected) = &part.expected else { continue };
        if !out.ends_with('\n') {
            out.push('\n');
        }
        let _ = writeln!(out, "{}", syntax.expected_mark());
        for line in expected.lines() {
            let space = if line.is_empty() { "" } else { " " };
            let _ = writeln!(out, "{}{space}{line}", syntax.comment);
        }
    }
    out
}

/// `text` without space at the ends of its lines, which no editor keeps, and with a last newline.
pub(crate) fn trimmed(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The difference of two texts, in lines.
pub(crate) fn diff(expected: &str, actual: &str) -> String {
    let diff = TextDiff::from_lines(expected, actual);
    diff.unified_diff().context_radius(3).header("expected", "actual").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
// stage: opt(dce)
// expect-error: NOT_FOUND
module {}
// stage: not in the header
// ==>
// module {
//
//   x
// -----
// stage: roundtrip
module @b {}
";

    #[test]
    fn a_file_of_two_parts() {
        let syntax = Syntax::of(Path::new("a.mlir")).unwrap();
        let parts = split(FILE, syntax);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0].option("stage", syntax).as_deref(), Some("opt(dce)"));
        assert_eq!(parts[0].option("expect-error", syntax).as_deref(), Some("NOT_FOUND"));
        assert_eq!(parts[0].expected.as_deref(), Some("module {\n\n  x\n"));
        assert_eq!(parts[1].option("stage", syntax).as_deref(), Some("roundtrip"));
        assert_eq!(parts[1].expected, None);
        assert_eq!(join(&parts, syntax), FILE);
    }

    #[test]
    fn a_header_ends_at_the_first_other_line() {
        let syntax = Syntax::of(Path::new("a.pbtxt")).unwrap();
        let part = Part { input: "\n# a: 1\nnode {}\n# b: 2\n".into(), expected: None };
        assert_eq!(part.option("a", syntax).as_deref(), Some("1"));
        assert_eq!(part.option("b", syntax), None);
        assert_eq!(Syntax::of(Path::new("a.rs")), None);
    }

    #[test]
    fn differences_show_both_sides() {
        let text = diff("a\nb\n", "a\nc\n");
        assert!(text.contains("-b\n+c\n"), "{text}");
        assert_eq!(trimmed("a  \n b\n \nc"), "a\n b\n\nc\n");
    }
}
