//! The schema as a Rust table: every message with its fields, every enum with its values.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorSet};

#[derive(Default)]
struct Found {
    messages: BTreeMap<String, DescriptorProto>,
    enums: BTreeMap<String, EnumDescriptorProto>,
}

/// The text of `schema.rs`; `digest` is the hash of the sources.
pub fn table(set: &FileDescriptorSet, digest: u64) -> Result<String, Box<dyn Error>> {
    let mut found = Found::default();
    for file in &set.file {
        let scope = format!(".{}", file.package());
        for message in &file.message_type {
            collect(message, &scope, &mut found);
        }
        for e in &file.enum_type {
            found.enums.insert(format!("{scope}.{}", e.name()), e.clone());
        }
    }
    let mut out = String::from("// Written by tools/protogen from proto/*.proto; not edited.\n\n");
    writeln!(out, "/// FNV-1a of the .proto files this was made from, in the order of names.")?;
    writeln!(out, "#[cfg(test)]\nconst SOURCES: u64 = {digest:#018x};\n")?;
    writeln!(out, "/// Every message, in the order of names.")?;
    writeln!(out, "pub static MESSAGES: &[MessageSchema] = &[")?;
    for (name, message) in &found.messages {
        let map = message.options.as_ref().is_some_and(|o| o.map_entry());
        writeln!(out, "    MessageSchema {{ name: {:?}, map_entry: {map}, fields: &[", &name[1..])?;
        for field in &message.field {
            writeln!(out, "        {},", row(field, &found)?)?;
        }
        writeln!(out, "    ] }},")?;
    }
    writeln!(out, "];\n\n/// Every enum, in the order of names.")?;
    writeln!(out, "pub static ENUMS: &[EnumSchema] = &[")?;
    for (name, e) in &found.enums {
        writeln!(out, "    EnumSchema {{ name: {:?}, values: &[", &name[1..])?;
        for value in &e.value {
            writeln!(out, "        ({:?}, {}),", value.name(), value.number())?;
        }
        writeln!(out, "    ] }},")?;
    }
    out.push_str("];\n");
    Ok(out)
}

fn collect(message: &DescriptorProto, scope: &str, found: &mut Found) {
    let name = format!("{scope}.{}", message.name());
    for nested in &message.nested_type {
        collect(nested, &name, found);
    }
    for e in &message.enum_type {
        found.enums.insert(format!("{name}.{}", e.name()), e.clone());
    }
    found.messages.insert(name, message.clone());
}

fn row(field: &FieldDescriptorProto, found: &Found) -> Result<String, Box<dyn Error>> {
    let index = |names: Vec<&String>| {
        names
            .iter()
            .position(|n| n.as_str() == field.type_name())
            .ok_or_else(|| format!("type {} is not in the set", field.type_name()))
    };
    let kind = match field.r#type() {
        Type::Double => "Double".to_string(),
        Type::Float => "Float".to_string(),
        Type::Int64 => "Int64".to_string(),
        Type::Uint64 => "Uint64".to_string(),
        Type::Int32 => "Int32".to_string(),
        Type::Uint32 => "Uint32".to_string(),
        Type::Fixed64 => "Fixed64".to_string(),
        Type::Fixed32 => "Fixed32".to_string(),
        Type::Bool => "Bool".to_string(),
        Type::String => "String".to_string(),
        Type::Bytes => "Bytes".to_string(),
        Type::Sint64 => "Sint64".to_string(),
        Type::Message => format!("Message({})", index(found.messages.keys().collect())?),
        Type::Enum => format!("Enum({})", index(found.enums.keys().collect())?),
        other => return Err(format!("{}: kind {other:?} is not used", field.name()).into()),
    };
    let repeated = field.label() == Label::Repeated;
    Ok(format!(
        "FieldSchema {{ name: {:?}, number: {}, kind: Kind::{kind}, repeated: {repeated} }}",
        field.name(),
        field.number()
    ))
}
