//! The error value of the whole house: a canonical code, a message, the place, and what would help.
//!
//! It must not print anything; the command renders it.

use std::fmt;

/// Canonical status codes, numbered as in absl and TensorFlow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the variant names are absl's own")]
pub enum Code {
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

impl Code {
    /// The code in capitals with underscores, as TensorFlow logs print it.
    pub const fn name(self) -> &'static str {
        match self {
            Code::Cancelled => "CANCELLED",
            Code::Unknown => "UNKNOWN",
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Code::NotFound => "NOT_FOUND",
            Code::AlreadyExists => "ALREADY_EXISTS",
            Code::PermissionDenied => "PERMISSION_DENIED",
            Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Code::FailedPrecondition => "FAILED_PRECONDITION",
            Code::Aborted => "ABORTED",
            Code::OutOfRange => "OUT_OF_RANGE",
            Code::Unimplemented => "UNIMPLEMENTED",
            Code::Internal => "INTERNAL",
            Code::Unavailable => "UNAVAILABLE",
            Code::DataLoss => "DATA_LOSS",
            Code::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    /// The code whose absl number is `number`, or `None` for 0 and unknown numbers.
    pub const fn from_number(number: u32) -> Option<Code> {
        Some(match number {
            1 => Code::Cancelled,
            2 => Code::Unknown,
            3 => Code::InvalidArgument,
            4 => Code::DeadlineExceeded,
            5 => Code::NotFound,
            6 => Code::AlreadyExists,
            7 => Code::PermissionDenied,
            8 => Code::ResourceExhausted,
            9 => Code::FailedPrecondition,
            10 => Code::Aborted,
            11 => Code::OutOfRange,
            12 => Code::Unimplemented,
            13 => Code::Internal,
            14 => Code::Unavailable,
            15 => Code::DataLoss,
            16 => Code::Unauthenticated,
            _ => return None,
        })
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What went wrong, where, and what would help.
///
/// Boxed inside, so that `Result<T>` stays one word wider than `T` at most.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    code: Code,
    message: String,
    node: Option<String>,
    help: Option<String>,
    others: Vec<Error>,
}

/// `Result` with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! constructors {
    ($($name:ident => $code:ident),* $(,)?) => {
        $(
            #[doc = concat!("An error with the code [`Code::", stringify!($code), "`].")]
            pub fn $name(message: impl Into<String>) -> Error {
                Error::new(Code::$code, message)
            }
        )*
    };
}

impl Error {
    /// An error with `code` and one paragraph of text, without a final full stop or newline.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            code,
            message: message.into(),
            node: None,
            help: None,
            others: Vec::new(),
        }))
    }

    constructors! {
        cancelled => Cancelled,
        invalid_argument => InvalidArgument,
        not_found => NotFound,
        resource_exhausted => ResourceExhausted,
        failed_precondition => FailedPrecondition,
        out_of_range => OutOfRange,
        unimplemented => Unimplemented,
        internal => Internal,
        unavailable => Unavailable,
        data_loss => DataLoss,
        already_exists => AlreadyExists,
        deadline_exceeded => DeadlineExceeded,
    }

    /// The same error, attributed to `node` unless an inner place is already named.
    #[must_use]
    pub fn at(mut self, node: impl Into<String>) -> Error {
        self.0.node.get_or_insert_with(|| node.into());
        self
    }

    /// The same error with a hint of what would help, unless it has one.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.0.help.get_or_insert_with(|| help.into());
        self
    }

    /// The same error with `context: ` in front of its message.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Error {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// One error out of all problems found in a file: the first carries the code, all are listed.
    /// `None` when there is none.
    pub fn collect(errors: Vec<Error>) -> Option<Error> {
        let mut all = errors.into_iter();
        let mut first = all.next()?;
        first.0.others.extend(all);
        Some(first)
    }

    /// The canonical code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The text, without code, place and hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The node (or file, key, argument) the error is about.
    pub fn node(&self) -> Option<&str> {
        self.0.node.as_deref()
    }

    /// What would help.
    pub fn hint(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Further problems found in the same walk.
    pub fn others(&self) -> &[Error] {
        &self.0.others
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)?;
        if let Some(node) = &self.0.node {
            write!(f, " [at {node}]")?;
        }
        if let Some(help) = &self.0.help {
            write!(f, "; {help}")?;
        }
        for other in &self.0.others {
            write!(f, "\n{other}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_place_wins() {
        let e = Error::not_found("no such key").at("inner").at("outer").help("look");
        assert_eq!(e.to_string(), "NOT_FOUND: no such key [at inner]; look");
    }

    #[test]
    fn numbers_round_trip() {
        for n in 1..=16 {
            assert_eq!(Code::from_number(n).map(|c| c as u32), Some(n));
        }
        assert_eq!(Code::from_number(0), None);
        assert_eq!(Code::from_number(17), None);
    }

    #[test]
    fn collected_errors_are_all_listed() {
        let e = Error::collect(vec![Error::data_loss("a"), Error::not_found("b")]).unwrap();
        assert_eq!(e.code(), Code::DataLoss);
        assert_eq!(e.to_string(), "DATA_LOSS: a\nNOT_FOUND: b");
    }
}
