//! Names of values while printing: their own where they have one, made different where two of one
//! scope agree; numbers otherwise.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cursor::is_word;
use crate::ValueId;

/// Names in scope.
#[derive(Default)]
pub(super) struct Names {
    texts: FxHashMap<ValueId, String>,
    used: FxHashSet<String>,
    /// Names in order of definition, to forget those of a region at its end.
    defined: Vec<String>,
    next_number: usize,
    next_argument: usize,
    /// Whether values keep their own names.
    keep: bool,
}

/// The start of a scope.
pub(super) struct Scope {
    defined: usize,
    next_number: usize,
    next_argument: usize,
}

impl Names {
    pub(super) fn new(keep: bool) -> Names {
        Names { keep, ..Names::default() }
    }

    /// Starts a scope.
    pub(super) fn enter(&self) -> Scope {
        Scope {
            defined: self.defined.len(),
            next_number: self.next_number,
            next_argument: self.next_argument,
        }
    }

    /// Ends a scope: its names are free again.
    pub(super) fn leave(&mut self, scope: Scope) {
        for name in self.defined.drain(scope.defined..) {
            self.used.remove(&name);
        }
        (self.next_number, self.next_argument) = (scope.next_number, scope.next_argument);
    }

    /// A new name after `hint`, or after what is usual for parameters or results.
    pub(super) fn fresh(&mut self, hint: Option<&str>, otherwise: Otherwise) -> String {
        let hint = hint.filter(|_| self.keep).and_then(printable);
        let name = match (hint, otherwise) {
            (Some(hint), _) => self.unused(&hint),
            (None, Otherwise::Name(name)) => self.unused(name),
            (None, Otherwise::Argument) => loop {
                let name = format!("arg{}", self.next_argument);
                self.next_argument += 1;
                if !self.used.contains(&name) {
                    break name;
                }
            },
            (None, Otherwise::Number) => {
                self.next_number += 1;
                (self.next_number - 1).to_string()
            }
        };
        self.used.insert(name.clone());
        self.defined.push(name.clone());
        name
    }

    fn unused(&self, name: &str) -> String {
        if !self.used.contains(name) {
            return name.to_owned();
        }
        let numbered = (0..).map(|i| format!("{name}_{i}")).find(|n| !self.used.contains(n));
        numbered.expect("finitely many names are used")
    }

    /// Gives `value` the text `%text`.
    pub(super) fn set(&mut self, value: ValueId, text: String) {
        self.texts.insert(value, text);
    }

    /// The text of `value`, without `%`.
    pub(super) fn get(&self, value: ValueId) -> &str {
        // A value that is not in scope is an error of the program; it must still print.
        self.texts.get(&value).map_or("<<undefined>>", String::as_str)
    }
}

/// What to call a value without a name.
#[derive(Clone, Copy)]
pub(super) enum Otherwise {
    /// `arg0`.
    Argument,
    /// `0`.
    Number,
    /// This name.
    Name(&'static str),
}

/// The name with characters that MLIR refuses replaced; `None` if nothing is left of it.
fn printable(name: &str) -> Option<String> {
    let ok = |b: u8| if is_word(b) || b == b'-' { b as char } else { '_' };
    let mut text: String = name.bytes().map(ok).collect();
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different_within_a_scope() {
        let mut names = Names::new(true);
        assert_eq!(names.fresh(Some("x"), Otherwise::Number), "x");
        assert_eq!(names.fresh(Some("x"), Otherwise::Number), "x_0");
        assert_eq!(names.fresh(None, Otherwise::Number), "0");
        let scope = names.enter();
        assert_eq!(names.fresh(Some("a/b:0"), Otherwise::Number), "a_b_0");
        assert_eq!(names.fresh(None, Otherwise::Number), "1");
        names.leave(scope);
        assert_eq!(names.fresh(Some("a/b:0"), Otherwise::Number), "a_b_0");
        assert_eq!(names.fresh(Some("7"), Otherwise::Number), "_7");
        assert_eq!(names.fresh(None, Otherwise::Number), "1");
        assert_eq!(names.fresh(Some("arg0"), Otherwise::Number), "arg0");
        assert_eq!(names.fresh(None, Otherwise::Argument), "arg1");
    }
}
