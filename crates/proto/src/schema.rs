//! The schema as data: which fields a message has, for readers that work by name.
//!
//! It must not know prost; the tables are generated beside the prost code.

/// One message type.
#[derive(Debug)]
pub struct MessageSchema {
    /// The full name, `tensorflow.GraphDef`.
    pub name: &'static str,
    /// Whether it is the entry type of a map field: `key` and `value`.
    pub map_entry: bool,
    /// The fields, in the order of the file.
    pub fields: &'static [FieldSchema],
}

/// One field.
#[derive(Debug)]
pub struct FieldSchema {
    /// The field's name.
    pub name: &'static str,
    /// The field's number on the wire.
    pub number: u32,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may occur several times.
    pub repeated: bool,
}

/// What a field holds; messages and enums are indices into [`MESSAGES`] and [`ENUMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variant names are protobuf's own")]
pub enum Kind {
    Double,
    Float,
    Int64,
    Uint64,
    Int32,
    Uint32,
    Fixed64,
    Fixed32,
    Bool,
    String,
    Bytes,
    Sint64,
    Message(usize),
    Enum(usize),
}

/// One enum type.
#[derive(Debug)]
pub struct EnumSchema {
    /// The full name.
    pub name: &'static str,
    /// Names and numbers.
    pub values: &'static [(&'static str, i32)],
}

/// The message with this full name.
pub fn message(name: &str) -> Option<&'static MessageSchema> {
    MESSAGES.binary_search_by(|m| m.name.cmp(name)).ok().map(|i| &MESSAGES[i])
}

include!("generated/schema.rs");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_fresh() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
        paths.sort();
        let bytes = paths.iter().flat_map(|p| std::fs::read(p).unwrap());
        let digest = bytes.fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        assert_eq!(digest, SOURCES, "run cargo xtask proto");
    }

    #[test]
    fn messages_are_found_by_name() {
        for m in MESSAGES {
            assert_eq!(message(m.name).map(|f| f.fields.len()), Some(m.fields.len()), "{}", m.name);
        }
        assert!(message("tensorflow.Nothing").is_none());
    }
}
