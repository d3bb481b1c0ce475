//! Types of the values of flags.

use std::fmt;

/// The value of a flag.
pub trait FlagValue: fmt::Display {
    /// The type's name in messages and tables.
    const TYPE: &'static str;

    /// Takes the value in `text`; `None` is the form without `=`. False for what is none.
    fn set(&mut self, text: Option<&str>) -> bool;
}

fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Stores what could be read.
fn store<T>(to: &mut T, value: Option<T>) -> bool {
    let good = value.is_some();
    if let Some(value) = value {
        *to = value;
    }
    good
}

impl FlagValue for bool {
    const TYPE: &'static str = "bool";
    fn set(&mut self, text: Option<&str>) -> bool {
        store(self, text.map_or(Some(true), boolean))
    }
}

macro_rules! parsed {
    ($($type:ty => $name:literal),*) => {
        $(impl FlagValue for $type {
            const TYPE: &'static str = $name;
            fn set(&mut self, text: Option<&str>) -> bool {
                store(self, text.and_then(|text| text.trim().parse().ok()))
            }
        })*
    };
}
parsed! { i32 => "int", i64 => "int", f32 => "float" }

impl FlagValue for String {
    const TYPE: &'static str = "text";
    fn set(&mut self, text: Option<&str>) -> bool {
        store(self, text.map(str::to_owned))
    }
}

/// A switch that may be left alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Switch(pub Option<bool>);

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("unspecified"),
            Some(on) => write!(f, "{on}"),
        }
    }
}

impl FlagValue for Switch {
    const TYPE: &'static str = "bool";
    fn set(&mut self, text: Option<&str>) -> bool {
        store(self, text.map_or(Some(true), boolean).map(|on| Switch(Some(on))))
    }
}

/// A list with commas; giving the flag again adds to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommaList(pub Vec<String>);

impl fmt::Display for CommaList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

impl FlagValue for CommaList {
    const TYPE: &'static str = "list";
    fn set(&mut self, text: Option<&str>) -> bool {
        let parts = text.map(|t| t.split(',').filter(|p| !p.is_empty()).map(str::to_owned));
        self.0.extend(parts.into_iter().flatten());
        text.is_some()
    }
}

/// How eagerly graphs are clustered: -1 off, 0 as the session says, 1 what surely pays, 2 all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AutoJit {
    /// For graphs in general.
    pub general: i32,
    /// For graphs on one GPU.
    pub single_gpu: i32,
    /// Whether `fusible` was written, which also sets the ops to cluster.
    pub fusible: bool,
}

impl fmt::Display for AutoJit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AutoJit { fusible: true, .. } => f.write_str("fusible"),
            AutoJit { general, single_gpu, .. } if general == single_gpu => write!(f, "{general}"),
            AutoJit { single_gpu, .. } => write!(f, "single-gpu({single_gpu})"),
        }
    }
}

impl FlagValue for AutoJit {
    const TYPE: &'static str = "level";
    /// `2` sets both levels, `single-gpu(2)` one of them, `fusible` both to 1.
    fn set(&mut self, text: Option<&str>) -> bool {
        let Some(text) = text.map(str::trim) else { return false };
        let inner = text.strip_prefix("single-gpu(").and_then(|rest| rest.strip_suffix(')'));
        let value = match (text, inner) {
            ("fusible", _) => Some(AutoJit { general: 1, single_gpu: 1, fusible: true }),
            (_, Some(level)) => {
                let level = level.trim().parse().ok();
                level.map(|single_gpu| AutoJit { single_gpu, ..*self })
            }
            _ => {
                let level = text.parse::<i32>().ok();
                level.map(|n| AutoJit { general: n, single_gpu: n, fusible: false })
            }
        };
        store(self, value)
    }
}
