//! Protobuf's JSON mapping, read by schema and rewritten as wire bytes.
//!
//! As in the text format, one decoder (prost's) stays in charge of what a message is. Field names
//! come in lowerCamelCase or as declared, 64-bit integers as strings or numbers, enums as names or
//! numbers, bytes in base64 (or, as TF.js takes them, as arrays of numbers). Unknown fields are
//! skipped. It must not know what any field means. Recursion is bounded by the JSON parser, which
//! stops at 128 levels.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;
use tfjit_base::{Error, Result};
use tfjit_proto::schema::{self, EnumSchema, FieldSchema, Kind, MessageSchema};
use tfjit_proto::wire;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The wire bytes of the message `schema_name` given as JSON.
///
/// # Errors
/// INVALID_ARGUMENT with the path of the offending value.
pub(super) fn to_wire(schema_name: &str, value: &Value) -> Result<Vec<u8>> {
    let message = schema::message(schema_name)
        .ok_or_else(|| Error::internal(format!("no message is called {schema_name}")))?;
    let mut out = Vec::new();
    fields(message, value, &mut out).map_err(Mismatch::into_error)?;
    Ok(out)
}

/// A value that does not fit its field, with the way to it, innermost step first.
struct Mismatch {
    path: Vec<String>,
    message: String,
}

impl Mismatch {
    fn expected(what: &str, got: &Value) -> Mismatch {
        let mut got = got.to_string();
        if got.len() > 60 {
            got = got.chars().take(50).collect::<String>() + "...";
        }
        Mismatch { path: Vec::new(), message: format!("expected {what}, got {got}") }
    }

    fn within(mut self, step: impl Into<String>) -> Mismatch {
        self.path.push(step.into());
        self
    }

    fn into_error(self) -> Error {
        let path: String = self.path.into_iter().rev().collect();
        Error::invalid_argument(format!("{path}: {}", self.message))
    }
}

type Outcome<T = ()> = std::result::Result<T, Mismatch>;

fn fields(message: &MessageSchema, value: &Value, out: &mut Vec<u8>) -> Outcome {
    let Value::Object(members) = value else {
        return Err(Mismatch::expected("an object", value));
    };
    for (name, value) in members {
        let known = message.fields.iter().find(|f| f.name == name || is_camel(name, f.name));
        let Some(known) = known.filter(|_| !value.is_null()) else { continue };
        field(known, value, out).map_err(|e| e.within(format!(".{name}")))?;
    }
    Ok(())
}

/// Whether `camel` is `snake_case` in lowerCamelCase.
fn is_camel(camel: &str, snake: &str) -> bool {
    let mut upper = false;
    let folded = snake.chars().filter_map(|c| match c {
        '_' => {
            upper = true;
            None
        }
        c if std::mem::take(&mut upper) => Some(c.to_ascii_uppercase()),
        c => Some(c),
    });
    folded.eq(camel.chars())
}

fn field(field: &FieldSchema, value: &Value, out: &mut Vec<u8>) -> Outcome {
    if let Kind::Message(index) = field.kind
        && schema::MESSAGES[index].map_entry
    {
        return map(field.number, &schema::MESSAGES[index], value, out);
    }
    if !field.repeated {
        return single(field, value, out);
    }
    let Value::Array(items) = value else { return Err(Mismatch::expected("an array", value)) };
    for (i, item) in items.iter().enumerate() {
        single(field, item, out).map_err(|e| e.within(format!("[{i}]")))?;
    }
    Ok(())
}

/// A map is written as repeated messages of a key and a value.
fn map(number: u32, entry: &MessageSchema, value: &Value, out: &mut Vec<u8>) -> Outcome {
    let Value::Object(members) = value else {
        return Err(Mismatch::expected("an object", value));
    };
    for (name, value) in members {
        let mut body = Vec::new();
        for part in entry.fields {
            let written = match part.name {
                "key" => single(part, &Value::String(name.clone()), &mut body),
                _ => single(part, value, &mut body),
            };
            written.map_err(|e| e.within(format!(".{name}")))?;
        }
        bytes(number, &body, out);
    }
    Ok(())
}

fn bytes(number: u32, body: &[u8], out: &mut Vec<u8>) {
    wire::head(number, wire::BYTES, out);
    wire::varint(body.len() as u64, out);
    out.extend_from_slice(body);
}

/// One value with its head.
fn single(field: &FieldSchema, value: &Value, out: &mut Vec<u8>) -> Outcome {
    let number = field.number;
    let mut plain = |value: i128| {
        wire::head(number, wire::VARINT, out);
        // Negative numbers go out sign-extended to 64 bits.
        wire::varint(value as u64, out);
    };
    match field.kind {
        Kind::Message(index) => {
            let mut body = Vec::new();
            fields(&schema::MESSAGES[index], value, &mut body)?;
            bytes(number, &body, out);
        }
        Kind::Int64 => plain(integer(value, i64::MIN.into(), i64::MAX.into())?),
        Kind::Int32 => plain(integer(value, i32::MIN.into(), i32::MAX.into())?),
        Kind::Uint64 => plain(integer(value, 0, u64::MAX.into())?),
        Kind::Uint32 => plain(integer(value, 0, u32::MAX.into())?),
        Kind::Sint64 => {
            let value = integer(value, i64::MIN.into(), i64::MAX.into())?;
            plain(value << 1 ^ value >> 127);
        }
        Kind::Bool => match value {
            Value::Bool(value) => plain((*value).into()),
            other => return Err(Mismatch::expected("true or false", other)),
        },
        Kind::Enum(index) => plain(enumerator(value, &schema::ENUMS[index])?),
        Kind::Fixed64 => {
            let value = integer(value, 0, u64::MAX.into())? as u64;
            wire::head(number, wire::FIXED64, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Kind::Fixed32 => {
            let value = integer(value, 0, u32::MAX.into())? as u32;
            wire::head(number, wire::FIXED32, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Kind::Double => {
            let value = float(value)?;
            wire::head(number, wire::FIXED64, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Kind::Float => {
            let wide = float(value)?;
            let narrow = wide as f32;
            if narrow.is_infinite() && wide.is_finite() {
                return Err(Mismatch::expected("a number of 32 bits", value));
            }
            wire::head(number, wire::FIXED32, out);
            out.extend_from_slice(&narrow.to_le_bytes());
        }
        Kind::String => match value {
            Value::String(text) => bytes(number, text.as_bytes(), out),
            other => return Err(Mismatch::expected("a string", other)),
        },
        Kind::Bytes => bytes(number, &binary(value)?, out),
    }
    Ok(())
}

fn integer(value: &Value, min: i128, max: i128) -> Outcome<i128> {
    let parsed = match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(n), ..) => Some(n.into()),
            (_, Some(n), _) => Some(n.into()),
            // `1.0` and `1e3` are integers too; a cast saturates, and the range is checked below.
            (.., Some(n)) if n.fract() == 0.0 => Some(n as i128),
            _ => None,
        },
        _ => None,
    };
    parsed
        .filter(|n| (min..=max).contains(n))
        .ok_or_else(|| Mismatch::expected(&format!("an integer of {min}..={max}"), value))
}

fn float(value: &Value) -> Outcome<f64> {
    let parsed = match value {
        Value::Number(n) => n.as_f64(),
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            number => number.parse().ok().filter(|n: &f64| n.is_finite()),
        },
        _ => None,
    };
    parsed.ok_or_else(|| Mismatch::expected("a number", value))
}

fn enumerator(value: &Value, schema: &EnumSchema) -> Outcome<i128> {
    let Value::String(name) = value else {
        return integer(value, i32::MIN.into(), i32::MAX.into());
    };
    let found = schema.values.iter().find(|(known, _)| known == name);
    found
        .map(|&(_, number)| number.into())
        .ok_or_else(|| Mismatch::expected(&format!("a value of {}", schema.name), value))
}

fn binary(value: &Value) -> Outcome<Vec<u8>> {
    let decoded = match value {
        // The alphabet for addresses differs in two letters.
        Value::String(text) => BASE64.decode(text.replace('-', "+").replace('_', "/")).ok(),
        Value::Array(items) => items.iter().map(|item| u8::try_from(item.as_u64()?).ok()).collect(),
        _ => None,
    };
    decoded.ok_or_else(|| Mismatch::expected("bytes in base64", value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tfjit_proto::Message;
    use tfjit_proto::tensorflow::{GraphDef, TensorProto, attr_value};

    use super::*;

    fn graph(value: &Value) -> Result<GraphDef> {
        Ok(GraphDef::decode(to_wire(GraphDef::SCHEMA, value)?.as_slice()).unwrap())
    }

    #[test]
    fn a_graph_is_read() {
        let g = graph(&json!({
            "node": [{"name": "a", "op": "Const", "input": ["x", "^y"], "somethingNew": [1],
                "attr": {"dtype": {"type": "DT_FLOAT"}, "n": {"type": 3}, "e": null_free(),
                    "f": {"func": {"name": "g", "attr": {"T": {"type": "DT_INT64"}}}},
                    "i": {"i": "-9223372036854775808"},
                    "s": {"s": "U0FNRQ=="}, "t": {"s": [72, 105]},
                    "u": {"s": "_-8"}, "l": {"list": {"i": ["1", 2, 3.0], "f": ["NaN", 0.1]}},
                    "sh": {"shape": {"dim": [{"size": "-1"}, {"size": 2}, {}]}},
                    "un": {"shape": {"unknownRank": true}}, "em": {"list": {}}}}],
            "library": {"function": [{"signature": {"name": "g", "input_arg": [{"typeAttr": "T"}]},
                "argAttr": {"7": {"attr": {"x": {"b": true}}}}, "ret": {"o": "a:0"}}]},
            "versions": {"producer": 440, "badConsumers": [1, 2]}
        }))
        .unwrap();
        let value = |k: &str| g.node[0].attr[k].value.clone().unwrap();
        assert_eq!(value("dtype"), attr_value::Value::Type(1));
        assert_eq!(value("n"), attr_value::Value::Type(3));
        assert_eq!(value("i"), attr_value::Value::I(i64::MIN));
        assert_eq!(value("s"), attr_value::Value::S(b"SAME".as_slice().into()));
        assert_eq!(value("t"), attr_value::Value::S(b"Hi".as_slice().into()));
        assert_eq!(value("u"), attr_value::Value::S(b"\xff\xef".as_slice().into()));
        let attr_value::Value::List(list) = value("l") else { panic!() };
        assert_eq!((list.i, list.f[0].is_nan(), list.f[1]), (vec![1, 2, 3], true, 0.1));
        let attr_value::Value::Shape(shape) = value("sh") else { panic!() };
        assert_eq!(shape.dim.iter().map(|d| d.size).collect::<Vec<_>>(), [-1, 2, 0]);
        let attr_value::Value::Func(func) = value("f") else { panic!() };
        assert_eq!(func.attr["T"].value, Some(attr_value::Value::Type(9)));
        assert_eq!(value("em"), attr_value::Value::List(Default::default()));
        let f = &g.library.unwrap().function[0];
        assert_eq!(f.signature.as_ref().unwrap().input_arg[0].type_attr, "T");
        assert_eq!(f.arg_attr[&7].attr["x"].value, Some(attr_value::Value::B(true)));
        assert_eq!(f.ret["o"], "a:0");
        assert_eq!(g.versions.unwrap().bad_consumers, [1, 2]);
    }

    /// An attribute whose members are null is one without a value.
    fn null_free() -> Value {
        json!({"s": null})
    }

    #[test]
    fn numbers_keep_their_bits() {
        let value = json!({"floatVal": [0.1, "Infinity", "1e-3", 3.4028234663852886e38],
            "doubleVal": [0.1, "-Infinity"], "uint64Val": ["18446744073709551615"],
            "intVal": [-1], "boolVal": [true, false], "tensorContent": "AAEC"});
        let wire = to_wire("tensorflow.TensorProto", &value).unwrap();
        let t = TensorProto::decode(wire.as_slice()).unwrap();
        assert_eq!(t.float_val, [0.1, f32::INFINITY, 1e-3, f32::MAX]);
        assert_eq!(t.double_val, [0.1, f64::NEG_INFINITY]);
        assert_eq!(t.uint64_val, [u64::MAX]);
        assert_eq!((t.int_val, t.bool_val), (vec![-1], vec![true, false]));
        assert_eq!(t.tensor_content.as_ref(), [0, 1, 2]);
    }

    #[test]
    fn mismatches_are_placed() {
        let attr = |value: Value| json!({"node": [{}, {"attr": {"a.b": value}}]});
        for (value, want) in [
            (json!([]), ": expected an object, got []"),
            (json!({"node": {}}), ".node: expected an array, got {}"),
            (json!({"node": [3]}), ".node[0]: expected an object, got 3"),
            (json!({"node": [{"name": 3}]}), ".node[0].name: expected a string, got 3"),
            (attr(json!(1)), ".node[1].attr.a.b: expected an object, got 1"),
            (
                attr(json!({"type": "DT_NONE"})),
                ".a.b.type: expected a value of tensorflow.DataType",
            ),
            (attr(json!({"i": "1.5"})), ".a.b.i: expected an integer of"),
            (attr(json!({"i": 1.5})), ".a.b.i: expected an integer of"),
            (attr(json!({"i": 1e300})), ".a.b.i: expected an integer of"),
            (attr(json!({"f": "inf"})), ".a.b.f: expected a number, got \"inf\""),
            (attr(json!({"f": 1e300})), ".a.b.f: expected a number of 32 bits"),
            (attr(json!({"b": "true"})), ".a.b.b: expected true or false"),
            (attr(json!({"s": "U0FNR"})), ".a.b.s: expected bytes in base64"),
            (attr(json!({"s": [256]})), ".a.b.s: expected bytes in base64"),
            (
                json!({"versions": {"producer": 1u64 << 31}}),
                ".versions.producer: expected an integer",
            ),
            (
                json!({"library": {"function": [{"argAttr": {"x": {}}}]}}),
                ".argAttr.x: expected an int",
            ),
        ] {
            let error = graph(&value).unwrap_err().to_string();
            assert!(error.contains(want), "{want}: {error}");
        }
    }
}
