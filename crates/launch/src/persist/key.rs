//! What an entry of the cache is found by, and the name of its file.

use std::fmt;

use tfjit_base::{Error, Result};

use super::wire::{Reader, Writer, damaged};

/// The prefix of file names unless another is wished for.
pub const PREFIX: &str = "xla_compile_cache";

/// What all names of files end in.
pub(super) const EXTENSION: &str = ".pb";
/// What stands in front of it for entries of PJRT clients.
const PJRT: &str = "__pjrt";

/// Everything that must agree before an entry may be used.
///
/// The first five fields are TensorFlow's, and make the name of the file; two entries that differ
/// in the others only take each other's place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// Fingerprint of the function's canonical name and of what is known of its arguments.
    pub signature: u64,
    /// Fingerprint of what the function does, with all it calls, and of what changes its lowering.
    pub cluster: u64,
    /// Type of the device: `XLA_CPU_JIT`.
    pub device_type: String,
    /// Start of the file's name; may be empty.
    pub prefix: String,
    /// Whether a PJRT client compiled it.
    pub pjrt: bool,
    /// Version of the compiler and of its files.
    pub compiler: String,
    /// Fingerprint of the client, with the features of the processor.
    pub client: String,
    /// Fingerprint of the plugin, if there is one.
    pub plugin: String,
    /// Options that change what is compiled, as text: `checks=true optimise=true`.
    pub options: String,
}

impl Default for Key {
    fn default() -> Key {
        Key {
            signature: 0,
            cluster: 0,
            device_type: "XLA_CPU_JIT".to_owned(),
            prefix: PREFIX.to_owned(),
            pjrt: false,
            compiler: super::compiler_version(),
            client: String::new(),
            plugin: String::new(),
            options: String::new(),
        }
    }
}

/// A part of a key in which two keys differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The part's name.
    pub part: &'static str,
    /// Its value in the key that was found.
    pub found: String,
    /// Its value in the key that was asked for.
    pub wanted: String,
}

/// `the client is 'a', not 'b'`.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} is '{}', not '{}'", self.part, self.found, self.wanted)
    }
}

impl Key {
    /// The parts by name, in the order they are compared in.
    pub fn parts(&self) -> [(&'static str, String); 9] {
        [
            ("signature", self.signature.to_string()),
            ("function", self.cluster.to_string()),
            ("device type", self.device_type.clone()),
            ("prefix", self.prefix.clone()),
            ("kind of client", if self.pjrt { "PJRT" } else { "local" }.to_owned()),
            ("compiler", self.compiler.clone()),
            ("client", self.client.clone()),
            ("plugin", self.plugin.clone()),
            ("options", self.options.clone()),
        ]
    }

    /// Where this key, which was found, is not the one that was asked for.
    pub fn differences(&self, wanted: &Key) -> Vec<Difference> {
        let pairs = self.parts().into_iter().zip(wanted.parts());
        let differs = pairs.filter(|((_, found), (_, wanted))| found != wanted);
        differs.map(|((part, found), (_, wanted))| Difference { part, found, wanted }).collect()
    }

    /// The name of the file:
    /// `<prefix>__<signature>__<cluster>__<device type>.pb`, with `__pjrt` in front of the
    /// extension for PJRT clients and without `<prefix>__` if the prefix is empty.
    pub fn file_name(&self) -> String {
        let prefix = if self.prefix.is_empty() { "" } else { "__" };
        let (signature, cluster, device) = (self.signature, self.cluster, &self.device_type);
        let pjrt = if self.pjrt { PJRT } else { "" };
        let start = &self.prefix;
        format!("{start}{prefix}{signature}__{cluster}__{device}{pjrt}{EXTENSION}")
    }

    /// Whether prefix and device type can be parts of a file's name.
    ///
    /// # Errors
    /// INVALID_ARGUMENT naming the one that can't.
    pub fn check(&self) -> Result<()> {
        check_name("prefix", &self.prefix)?;
        check_name("device type", &self.device_type)?;
        if self.device_type.is_empty() || self.device_type.contains("__") {
            let text = format!("{:?} is no type of device", self.device_type);
            return Err(Error::invalid_argument(text));
        }
        Ok(())
    }

    /// The key as a message.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.varint(1, self.signature);
        w.varint(2, self.cluster);
        w.text(3, &self.device_type);
        w.text(4, &self.prefix);
        w.varint(5, u64::from(self.pjrt));
        w.text(16, &self.compiler);
        w.text(17, &self.client);
        w.text(18, &self.plugin);
        w.text(19, &self.options);
        w.finish()
    }

    /// The key in a message; fields that are not known are skipped.
    pub(super) fn decode(bytes: &[u8]) -> Result<Key> {
        let mut key = Key {
            device_type: String::new(),
            prefix: String::new(),
            compiler: String::new(),
            ..Key::default()
        };
        let mut reader = Reader::new(bytes);
        while let Some((field, value)) = reader.field()? {
            match field {
                1 => key.signature = value.number()?,
                2 => key.cluster = value.number()?,
                3 => key.device_type = value.text()?.to_owned(),
                4 => key.prefix = value.text()?.to_owned(),
                5 => key.pjrt = value.number()? != 0,
                16 => key.compiler = value.text()?.to_owned(),
                17 => key.client = value.text()?.to_owned(),
                18 => key.plugin = value.text()?.to_owned(),
                19 => key.options = value.text()?.to_owned(),
                _ => {}
            }
        }
        key.check().map_err(|e| damaged(e.message()))?;
        Ok(key)
    }
}

/// Whether a text may be part of a file's name.
fn check_name(what: &str, text: &str) -> Result<()> {
    const LENGTH_MAX: usize = 128;
    let bad = |c: char| c == '/' || c == '\\' || c.is_control();
    if text.len() > LENGTH_MAX || text.contains(bad) || text.starts_with('.') {
        return Err(Error::invalid_argument(format!("the {what} {text:?} can't name a file"))
            .help("use letters, digits, '-', '_' and '.'"));
    }
    Ok(())
}

/// The options in a key: what besides the client changes what is compiled.
pub fn options_text(checks: bool, optimise: bool, replicas: usize) -> String {
    format!("checks={checks} optimise={optimise} replicas={replicas}")
}

/// What the name of a file tells of its key; `None` for names of another pattern.
pub fn parse_file_name(name: &str) -> Option<Key> {
    let stem = name.strip_suffix(EXTENSION)?;
    let (stem, pjrt) = match stem.strip_suffix(PJRT) {
        Some(stem) => (stem, true),
        None => (stem, false),
    };
    let (rest, device_type) = stem.rsplit_once("__")?;
    let (rest, cluster) = rest.rsplit_once("__")?;
    let (prefix, signature) = rest.rsplit_once("__").unwrap_or(("", rest));
    let number = |text: &str| {
        let plain = text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u64>().ok().filter(|n| plain && n.to_string() == text)
    };
    let key = Key {
        signature: number(signature)?,
        cluster: number(cluster)?,
        device_type: device_type.to_owned(),
        prefix: prefix.to_owned(),
        pjrt,
        ..Key::default()
    };
    (key.check().is_ok() && key.file_name() == name).then_some(key)
}

/// Whether a list of device types with commas, which is empty for all, has this one. `CPU` and
/// `XLA_CPU_JIT` mean the same.
pub fn device_type_allowed(list: &str, device_type: &str) -> bool {
    let plain = |text: &str| {
        let text = text.trim().to_ascii_uppercase();
        let text = text.strip_prefix("XLA_").unwrap_or(&text);
        text.strip_suffix("_JIT").unwrap_or(text).to_owned()
    };
    let wanted = plain(device_type);
    let mut types = list.split(',').filter(|t| !t.trim().is_empty()).peekable();
    types.peek().is_none() || types.any(|t| plain(t) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key { signature: 13407681395581253986, cluster: 3694502045313959494, ..Key::default() }
    }

    #[test]
    fn files_are_named_as_tensorflow_names_them() {
        let name = "xla_compile_cache__13407681395581253986__3694502045313959494__XLA_CPU_JIT.pb";
        assert_eq!(key().file_name(), name);
        let bare = Key { prefix: String::new(), pjrt: true, ..key() };
        let name = "13407681395581253986__3694502045313959494__XLA_CPU_JIT__pjrt.pb";
        assert_eq!(bare.file_name(), name);
    }

    #[test]
    fn names_are_read_back() {
        for key in [
            key(),
            Key { pjrt: true, ..key() },
            Key { prefix: String::new(), ..key() },
            Key { prefix: "a__b__7".to_owned(), device_type: "XLA_GPU_JIT".to_owned(), ..key() },
        ] {
            assert_eq!(parse_file_name(&key.file_name()), Some(key));
        }
        for name in ["", ".pb", "a.pb", "1__2.pb", "1__2__.pb", "x__01__2__D.pb", "1__2__D.tmp"] {
            assert_eq!(parse_file_name(name), None, "{name}");
        }
    }

    #[test]
    fn messages_are_read_back() {
        let full = Key {
            pjrt: true,
            client: "cpu avx2".to_owned(),
            plugin: "p".to_owned(),
            options: "checks=true".to_owned(),
            ..key()
        };
        assert_eq!(Key::decode(&full.encode()).unwrap(), full);
        let foreign = [0x08, 0x05, 0x1a, 0x01, b'D', 0xfa, 0x07, 0x00];
        let read = Key::decode(&foreign).unwrap();
        assert_eq!((read.signature, read.device_type.as_str()), (5, "D"));
        assert!(Key::decode(&[]).is_err());
        let escape = Key { prefix: "../x".to_owned(), ..key() };
        assert!(Key::decode(&escape.encode()).is_err());
    }

    #[test]
    fn the_part_that_differs_is_named() {
        let other = Key { client: "cpu avx512".to_owned(), pjrt: true, ..key() };
        let parts: Vec<_> = other.differences(&key()).into_iter().map(|d| d.part).collect();
        assert_eq!(parts, ["kind of client", "client"]);
        assert_eq!(key().differences(&key()), []);
        let text = other.differences(&key())[1].to_string();
        assert_eq!(text, "the client is 'cpu avx512', not ''");
    }

    #[test]
    fn both_spellings_of_devices_are_understood() {
        for list in ["", " , ", "CPU", "XLA_CPU_JIT", "GPU, cpu", "XLA_CPU"] {
            assert!(device_type_allowed(list, "XLA_CPU_JIT"), "{list}");
        }
        for list in ["GPU", "XLA_GPU_JIT", "CPUX"] {
            assert!(!device_type_allowed(list, "XLA_CPU_JIT"), "{list}");
        }
        assert!(!device_type_allowed("GPU,CPU", "XLA_TPU_JIT"));
    }
}
