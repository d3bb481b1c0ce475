//! Names of devices and keys of rendezvous, as TensorFlow writes them.
//!
//! A full name is `/job:localhost/replica:0/task:0/device:CPU:0`; any part may be missing or `*`.
//! `/cpu:0` and `/gpu:0` are old forms of `/device:CPU:0` and `/device:GPU:0`.

use std::fmt;
use std::str::FromStr;

use tfjit_base::{Error, Result};

/// The parts of a device's name that are given.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DeviceName {
    /// The job.
    pub job: Option<String>,
    /// The replica.
    pub replica: Option<u32>,
    /// The task.
    pub task: Option<u32>,
    /// The type: `CPU`, `GPU`, `XLA_CPU`.
    pub kind: Option<String>,
    /// The number among the devices of its type.
    pub id: Option<u32>,
}

impl DeviceName {
    /// The device of this process's only task.
    pub fn local(kind: &str, id: u32) -> DeviceName {
        DeviceName {
            job: Some("localhost".into()),
            replica: Some(0),
            task: Some(0),
            kind: Some(kind.into()),
            id: Some(id),
        }
    }

    /// Whether no part is missing.
    pub fn is_full(&self) -> bool {
        self.is_full_task() && self.kind.is_some() && self.id.is_some()
    }

    fn is_full_task(&self) -> bool {
        self.job.is_some() && self.replica.is_some() && self.task.is_some()
    }

    /// The name of the task alone: `/job:localhost/replica:0/task:0`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when one of its parts is missing.
    pub fn task_prefix(&self) -> Result<String> {
        if !self.is_full_task() {
            return Err(Error::invalid_argument(format!("device {self} names no task")));
        }
        Ok(DeviceName { kind: None, id: None, ..self.clone() }.to_string())
    }

    /// This name with the parts that it lacks taken from `other`.
    #[must_use]
    pub fn or(&self, other: &DeviceName) -> DeviceName {
        DeviceName {
            job: self.job.clone().or_else(|| other.job.clone()),
            replica: self.replica.or(other.replica),
            task: self.task.or(other.task),
            kind: self.kind.clone().or_else(|| other.kind.clone()),
            id: self.id.or(other.id),
        }
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(job) = &self.job {
            write!(f, "/job:{job}")?;
        }
        if let Some(replica) = self.replica {
            write!(f, "/replica:{replica}")?;
        }
        if let Some(task) = self.task {
            write!(f, "/task:{task}")?;
        }
        if self.kind.is_some() || self.id.is_some() {
            write!(f, "/device:{}", self.kind.as_deref().unwrap_or("*"))?;
            match self.id {
                Some(id) => write!(f, ":{id}")?,
                None => f.write_str(":*")?,
            }
        }
        Ok(())
    }
}

impl FromStr for DeviceName {
    type Err = Error;

    /// Parses a name. Parts may come in any order; the types `cpu` and `gpu` are written in
    /// capitals. Empty text is a name without parts.
    fn from_str(text: &str) -> Result<DeviceName> {
        parse(text).ok_or_else(|| Error::invalid_argument(format!("'{text}' is no device's name")))
    }
}

fn parse(text: &str) -> Option<DeviceName> {
    let mut name = DeviceName::default();
    if text.is_empty() {
        return Some(name);
    }
    for part in text.strip_prefix('/')?.split('/') {
        let (key, value) = part.split_once(':')?;
        match key {
            "job" => name.job = given(value, job)?,
            "replica" => name.replica = given(value, number)?,
            "task" => name.task = given(value, number)?,
            "device" => {
                let (kind, id) = match value.split_once(':') {
                    Some((kind, id)) => (kind, id),
                    None => (value, "*"),
                };
                name.kind = given(kind, type_name)?;
                name.id = given(id, number)?;
            }
            "cpu" | "CPU" | "gpu" | "GPU" => {
                name.kind = Some(key.to_ascii_uppercase());
                name.id = given(value, number)?;
            }
            _ => return None,
        }
    }
    Some(name)
}

/// `Some(None)` for a star, `None` for what does not parse.
#[allow(clippy::option_option, reason = "inside: whether it is given; outside: whether it parses")]
fn given<T>(text: &str, parse: fn(&str) -> Option<T>) -> Option<Option<T>> {
    if text == "*" { Some(None) } else { parse(text).map(Some) }
}

/// Digits without a sign; no leading zeros are asked for.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok().filter(|n| i32::try_from(*n).is_ok()) } else { None }
}

fn word(text: &str, dash: bool) -> bool {
    let tail = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || (dash && b == b'-');
    text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic()) && text.bytes().all(tail)
}

fn job(text: &str) -> Option<String> {
    word(text, true).then(|| text.to_owned())
}

fn type_name(text: &str) -> Option<String> {
    let known = matches!(text, "cpu" | "gpu");
    let name = if known { text.to_ascii_uppercase() } else { text.to_owned() };
    word(text, false).then_some(name)
}

/// What a value is sent under: `src;incarnation;dst;name;frame:iter`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RendezvousKey {
    /// The sending device, a full name.
    pub source: DeviceName,
    /// The incarnation of the sending device.
    pub incarnation: u64,
    /// The receiving device, a full name.
    pub target: DeviceName,
    /// The name of the value.
    pub name: String,
    /// The frame of the nodes.
    pub frame: u64,
    /// Their iteration.
    pub iteration: u64,
}

impl fmt::Display for RendezvousKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RendezvousKey { source, incarnation, target, name, frame, iteration } = self;
        write!(f, "{source};{incarnation:016x};{target};{name};{frame}:{iteration}")
    }
}

impl FromStr for RendezvousKey {
    type Err = Error;

    /// Parses the form that is printed and no other.
    fn from_str(text: &str) -> Result<RendezvousKey> {
        parse_key(text).filter(|key| key.to_string() == text).ok_or_else(|| {
            Error::invalid_argument(format!("Invalid  rendezvous key: {text}"))
                .help("the form is src;16 hex digits;dst;name;frame:iter with full device names")
        })
    }
}

fn parse_key(text: &str) -> Option<RendezvousKey> {
    let parts: Vec<&str> = text.split(';').collect();
    let [source, incarnation, target, name, place] = parts[..] else { return None };
    let (frame, iteration) = place.split_once(':')?;
    let full = |text: &str| text.parse().ok().filter(DeviceName::is_full);
    Some(RendezvousKey {
        source: full(source)?,
        incarnation: u64::from_str_radix(incarnation, 16).ok()?,
        target: full(target)?,
        name: Some(name).filter(|name| !name.is_empty())?.to_owned(),
        frame: frame.parse().ok()?,
        iteration: iteration.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_print_as_they_are_written() {
        for text in [
            "/job:localhost/replica:0/task:0/device:CPU:0",
            "/job:my-worker_2/task:3",
            "/device:XLA_CPU:*",
            "/device:*:3",
            "/replica:1",
            "",
        ] {
            assert_eq!(text.parse::<DeviceName>().unwrap().to_string(), text);
        }
        let same = [
            ("/cpu:0", "/device:CPU:0"),
            ("/GPU:*", "/device:GPU:*"),
            ("/device:gpu:1", "/device:GPU:1"),
            ("/device:CPU", "/device:CPU:*"),
            ("/job:*/replica:*/task:*/device:*:*", ""),
            ("/device:CPU:1/job:a", "/job:a/device:CPU:1"),
        ];
        for (text, canonical) in same {
            assert_eq!(text.parse::<DeviceName>().unwrap().to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn broken_names_are_errors() {
        for text in [
            "cpu:0",
            "/",
            "/job:",
            "/job:1a",
            "/task:-1",
            "/task:+1",
            "/task:99999999999",
            "/device:CPU:x",
            "/device:A-B:0",
            "/what:1",
            "/job:a//task:1",
            "/job:a/",
            "/cpu",
        ] {
            assert!(text.parse::<DeviceName>().is_err(), "{text}");
        }
    }

    #[test]
    fn tasks_of_devices() {
        let full = DeviceName::local("CPU", 0);
        assert!(full.is_full());
        assert_eq!(full.task_prefix().unwrap(), "/job:localhost/replica:0/task:0");
        let part: DeviceName = "/device:GPU:1".parse().unwrap();
        assert!(!part.is_full() && part.task_prefix().is_err());
        let text = "/job:localhost/replica:0/task:0/device:GPU:1";
        assert_eq!(part.or(&full).to_string(), text);
    }

    #[test]
    fn keys_are_strict() {
        let device = "/job:localhost/replica:0/task:0/device:CPU:0";
        let text = format!("{device};00000000000000ab;{device};edge_1_x;2:3");
        let key: RendezvousKey = text.parse().unwrap();
        assert_eq!((key.incarnation, key.frame, key.iteration), (0xab, 2, 3));
        assert_eq!(key.to_string(), text);
        for bad in [
            format!("{device};ab;{device};e;0:0"),
            format!("{device};00000000000000AB;{device};e;0:0"),
            format!("{device};00000000000000ab;{device};;0:0"),
            format!("{device};00000000000000ab;{device};e;0"),
            format!("{device};00000000000000ab;{device};e;0:0;"),
            format!("{device};00000000000000ab;{device};e;00:0"),
            format!("/cpu:0;00000000000000ab;{device};e;0:0"),
            String::new(),
        ] {
            assert!(bad.parse::<RendezvousKey>().is_err(), "{bad}");
        }
    }
}
