//! Scalar values: from tokens to the wire.
//!
//! It must not know messages; one call writes one value with its head.

use tfjit_base::Result;

use super::lexer::{Lexer, Token};
use crate::schema::{self, FieldSchema, Kind};
use crate::wire::{self, head, varint};

/// Reads one value of `field` and writes it with its key.
pub(super) fn write(lexer: &mut Lexer<'_>, field: &FieldSchema, out: &mut Vec<u8>) -> Result<()> {
    let number = field.number;
    let mut plain = |value: u64| {
        head(number, wire::VARINT, out);
        varint(value, out);
    };
    match field.kind {
        Kind::Int64 => plain(integer(lexer, i64::MIN.into(), i64::MAX.into())? as u64),
        // Negative numbers of 32 bits go out sign-extended to 64.
        Kind::Int32 => plain(integer(lexer, i32::MIN.into(), i32::MAX.into())? as i64 as u64),
        Kind::Uint64 => plain(integer(lexer, 0, u64::MAX.into())? as u64),
        Kind::Uint32 => plain(integer(lexer, 0, u32::MAX.into())? as u64),
        Kind::Sint64 => {
            let value = integer(lexer, i64::MIN.into(), i64::MAX.into())? as i64;
            plain((value << 1 ^ value >> 63) as u64);
        }
        Kind::Bool => plain(u64::from(boolean(lexer)?)),
        Kind::Enum(index) => plain(enumerator(lexer, &schema::ENUMS[index])? as i64 as u64),
        Kind::Fixed64 => {
            let value = integer(lexer, 0, u64::MAX.into())? as u64;
            head(number, wire::FIXED64, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Kind::Fixed32 => {
            let value = integer(lexer, 0, u32::MAX.into())? as u32;
            head(number, wire::FIXED32, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Kind::Double => {
            let value = float::<f64>(lexer)?;
            head(number, wire::FIXED64, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Kind::Float => {
            let value = float::<f32>(lexer)?;
            head(number, wire::FIXED32, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Kind::String | Kind::Bytes => {
            let value = string(lexer)?;
            head(number, wire::BYTES, out);
            varint(value.len() as u64, out);
            out.extend_from_slice(&value);
        }
        Kind::Message(_) => return Err(lexer.expected("a message")),
    }
    Ok(())
}

fn sign(lexer: &mut Lexer<'_>) -> Result<bool> {
    lexer.eat(b'-')
}

fn integer(lexer: &mut Lexer<'_>, min: i128, max: i128) -> Result<i128> {
    let place = lexer.place();
    let negative = sign(lexer)?;
    let Token::Number(token) = lexer.peek() else { return Err(lexer.expected("a number")) };
    let digits = std::str::from_utf8(token).unwrap_or("?");
    let parsed = match digits.get(..2) {
        Some("0x" | "0X") => i128::from_str_radix(&digits[2..], 16),
        _ if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(digits, 8),
        _ => digits.parse(),
    };
    let value = match parsed {
        Ok(value) if negative => -value,
        Ok(value) => value,
        Err(_) => return Err(lexer.expected("a whole number")),
    };
    if !(min..=max).contains(&value) {
        return Err(lexer.error_at(place, format!("{value} does not fit into {min}..={max}")));
    }
    lexer.advance()?;
    Ok(value)
}

fn float<T: std::str::FromStr + std::ops::Neg<Output = T>>(lexer: &mut Lexer<'_>) -> Result<T> {
    let negative = sign(lexer)?;
    let (Token::Number(token) | Token::Word(token)) = lexer.peek() else {
        return Err(lexer.expected("a number"));
    };
    let text = std::str::from_utf8(token).unwrap_or("?").to_ascii_lowercase();
    let text = match text.as_str() {
        "infinity" => "inf",
        named @ ("inf" | "nan") => named,
        number => number.strip_suffix('f').unwrap_or(number),
    };
    let value: T = text.parse().map_err(|_| lexer.expected("a number"))?;
    lexer.advance()?;
    Ok(if negative { -value } else { value })
}

fn boolean(lexer: &mut Lexer<'_>) -> Result<bool> {
    let value = match lexer.peek() {
        Token::Word(b"true" | b"True" | b"t") | Token::Number(b"1") => true,
        Token::Word(b"false" | b"False" | b"f") | Token::Number(b"0") => false,
        _ => return Err(lexer.expected("true or false")),
    };
    lexer.advance()?;
    Ok(value)
}

fn enumerator(lexer: &mut Lexer<'_>, schema: &schema::EnumSchema) -> Result<i32> {
    let Token::Word(word) = lexer.peek() else {
        return Ok(integer(lexer, i32::MIN.into(), i32::MAX.into())? as i32);
    };
    let found = schema.values.iter().find(|(name, _)| name.as_bytes() == word);
    let Some((_, number)) = found else {
        return Err(lexer.error(format!(
            "{} has no value called {}",
            schema.name,
            String::from_utf8_lossy(word)
        )));
    };
    lexer.advance()?;
    Ok(*number)
}

/// Adjacent strings are one string.
fn string(lexer: &mut Lexer<'_>) -> Result<Vec<u8>> {
    let Token::Str(_) = lexer.peek() else { return Err(lexer.expected("a string")) };
    let mut out = Vec::new();
    while let Token::Str(token) = lexer.peek() {
        unescape(lexer, &token[1..token.len() - 1], &mut out)?;
        lexer.advance()?;
    }
    Ok(out)
}

fn unescape(lexer: &Lexer<'_>, mut body: &[u8], out: &mut Vec<u8>) -> Result<()> {
    while let Some((&first, rest)) = body.split_first() {
        body = rest;
        if first != b'\\' {
            out.push(first);
            continue;
        }
        let Some((&kind, rest)) = body.split_first() else { break };
        let simple = match kind {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => kind,
            b'0'..=b'7' => {
                let (value, used) = digits(body, 8, 3);
                out.push(value as u8);
                body = &body[used..];
                continue;
            }
            b'x' | b'X' => {
                let (value, used) = digits(rest, 16, 2);
                if used == 0 {
                    return Err(lexer.error("\\x without hex digits"));
                }
                out.push(value as u8);
                body = &rest[used..];
                continue;
            }
            b'u' | b'U' => {
                let want = if kind == b'u' { 4 } else { 8 };
                let (value, used) = digits(rest, 16, want);
                let c = char::from_u32(value).filter(|_| used == want);
                let c = c.ok_or_else(|| lexer.error("a \\u escape names no character"))?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                body = &rest[used..];
                continue;
            }
            other => {
                let other = char::from(other);
                return Err(lexer.error(format!("unknown escape \\{other}")));
            }
        };
        out.push(simple);
        body = rest;
    }
    Ok(())
}

/// The number made of up to `most` leading digits, and how many there were.
fn digits(text: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let mut value = 0u32;
    let mut used = 0;
    for &b in text.iter().take(most) {
        let Some(d) = char::from(b).to_digit(radix) else { break };
        value = value.wrapping_mul(radix).wrapping_add(d);
        used += 1;
    }
    (value, used)
}
