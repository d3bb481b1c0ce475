//! All problems of one file, collected while it is walked.
//!
//! It must not know what is walked. Past the limit problems are only counted, so that a file of
//! nothing but mistakes stays cheap.

use tfjit_base::{Error, Result, limits};

/// Errors and warnings of one file.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    errors: Vec<Error>,
    dropped: usize,
    warnings: Vec<String>,
}

impl Problems {
    pub(crate) fn new() -> Problems {
        Problems::default()
    }

    pub(crate) fn error(&mut self, error: Error) {
        if self.errors.len() < limits::PROBLEMS_MAX {
            self.errors.push(error);
        } else {
            self.dropped += 1;
        }
    }

    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        if self.warnings.len() < limits::PROBLEMS_MAX {
            self.warnings.push(text.into());
        }
    }

    /// Keeps the value of a result, or its error.
    pub(crate) fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|e| self.error(e)).ok()
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Whether further errors would only be counted.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= limits::PROBLEMS_MAX
    }

    /// The warnings, or all errors as one.
    pub(crate) fn finish(mut self) -> Result<Vec<String>> {
        if self.dropped > 0 {
            let more = format!("and {} more problems", self.dropped);
            let code = self.errors[0].code();
            self.errors.push(Error::new(code, more));
        }
        match Error::collect(self.errors) {
            Some(error) => Err(error),
            None => Ok(self.warnings),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_listed_and_then_counted() {
        let mut p = Problems::new();
        p.warn("w");
        for i in 0..limits::PROBLEMS_MAX + 3 {
            p.error(Error::not_found(format!("no {i}")));
        }
        let e = p.finish().unwrap_err();
        assert_eq!(e.others().len(), limits::PROBLEMS_MAX);
        assert!(e.to_string().ends_with("NOT_FOUND: and 3 more problems"), "{e}");
    }
}
