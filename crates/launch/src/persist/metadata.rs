//! How an executable belongs to a function, as bytes: which argument each parameter is, where each
//! result comes from, which variables are written, and what the checks mean.

use tfjit_base::{Code, DType, Error, Result, Shape, Tensor, limits};
use tfjit_bridge::{Check, Param, Ret, Update};

use super::wire::{Reader, Value, Writer, damaged, unpacked};

/// How an executable belongs to a function.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// Where each parameter comes from.
    pub params: Vec<Param>,
    /// Where each result of the function comes from.
    pub rets: Vec<Ret>,
    /// Variables to write.
    pub updates: Vec<Update>,
    /// Checks; when there are any, the last result of the executable is their vector.
    pub checks: Vec<Check>,
}

/// Kinds of results, as they are written.
const OUTPUT: u64 = 0;
const VARIABLE: u64 = 1;
const CONSTANT: u64 = 2;

impl Metadata {
    /// The bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        for param in &self.params {
            let mut m = Writer::default();
            m.varint(1, param.arg as u64);
            w.bytes(1, &m.finish());
        }
        for ret in &self.rets {
            let mut m = Writer::default();
            match ret {
                Ret::Output(i) => {
                    m.varint(1, OUTPUT);
                    m.varint(2, *i as u64);
                }
                Ret::Variable(i) => {
                    m.varint(1, VARIABLE);
                    m.varint(2, *i as u64);
                }
                Ret::Constant(tensor) => {
                    m.varint(1, CONSTANT);
                    m.bytes(3, &encode_tensor(tensor));
                }
            }
            w.bytes(2, &m.finish());
        }
        for update in &self.updates {
            let mut m = Writer::default();
            m.varint(1, update.arg as u64);
            m.varint(2, update.output as u64);
            w.bytes(3, &m.finish());
        }
        for check in &self.checks {
            let mut m = Writer::default();
            m.varint(1, check.code as u64);
            m.text(2, &check.message);
            m.text(3, &check.node);
            w.bytes(4, &m.finish());
        }
        w.finish()
    }

    /// What the bytes say; see [`Metadata::validate`].
    ///
    /// # Errors
    /// DATA_LOSS when they say nothing.
    pub fn decode(bytes: &[u8]) -> Result<Metadata> {
        let mut out = Metadata::default();
        each(bytes, |field, value| {
            match field {
                1 => {
                    let [arg, _] = indices(value.bytes()?)?;
                    out.params.push(Param { arg });
                }
                2 => out.rets.push(ret(value.bytes()?)?),
                3 => {
                    let [arg, output] = indices(value.bytes()?)?;
                    out.updates.push(Update { arg, output });
                }
                4 => out.checks.push(check(value.bytes()?)?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// Whether it fits a function with `args` arguments and `rets` results, and an executable with
    /// `params` parameters and `outputs` results.
    ///
    /// # Errors
    /// DATA_LOSS saying what does not fit.
    pub fn validate(&self, args: usize, rets: usize, params: usize, outputs: usize) -> Result<()> {
        let values = outputs.checked_sub(usize::from(!self.checks.is_empty()));
        let values = values.ok_or_else(|| damaged("there is no result for the checks"))?;
        let arg = |i: usize| i < args;
        let good_ret = |ret: &Ret| match ret {
            Ret::Output(i) => *i < values,
            Ret::Variable(i) => arg(*i),
            Ret::Constant(_) => true,
        };
        let problems = [
            (self.params.len() != params, "the number of parameters"),
            (self.rets.len() != rets, "the number of results"),
            (!self.params.iter().all(|p| arg(p.arg)), "a parameter"),
            (!self.rets.iter().all(good_ret), "a result"),
            (!self.updates.iter().all(|u| arg(u.arg) && u.output < values), "an update"),
        ];
        match problems.iter().find(|(wrong, _)| *wrong) {
            None => Ok(()),
            Some((_, what)) => Err(damaged(&format!("{what} does not fit the function"))),
        }
    }
}

/// Calls `visit` for each field of a message.
fn each<'a>(bytes: &'a [u8], mut visit: impl FnMut(u32, Value<'a>) -> Result<()>) -> Result<()> {
    let mut reader = Reader::new(bytes);
    while let Some((field, value)) = reader.field()? {
        visit(field, value)?;
    }
    Ok(())
}

/// Fields 1 and 2 as indices.
fn indices(bytes: &[u8]) -> Result<[usize; 2]> {
    let mut out = [0; 2];
    each(bytes, |field, value| {
        if let 1 | 2 = field {
            out[field as usize - 1] = value.index()?;
        }
        Ok(())
    })?;
    Ok(out)
}

fn ret(bytes: &[u8]) -> Result<Ret> {
    let (mut kind, mut index, mut tensor) = (OUTPUT, 0, None);
    each(bytes, |field, value| {
        match field {
            1 => kind = value.number()?,
            2 => index = value.index()?,
            3 => tensor = Some(decode_tensor(value.bytes()?)?),
            _ => {}
        }
        Ok(())
    })?;
    match (kind, tensor) {
        (OUTPUT, None) => Ok(Ret::Output(index)),
        (VARIABLE, None) => Ok(Ret::Variable(index)),
        (CONSTANT, Some(tensor)) => Ok(Ret::Constant(tensor)),
        _ => Err(damaged("a result is of no known kind")),
    }
}

fn check(bytes: &[u8]) -> Result<Check> {
    let mut code = None;
    let (mut message, mut node) = (String::new(), String::new());
    each(bytes, |field, value| {
        match field {
            1 => code = u32::try_from(value.number()?).ok().and_then(Code::from_number),
            2 => message = value.text()?.to_owned(),
            3 => node = value.text()?.to_owned(),
            _ => {}
        }
        Ok(())
    })?;
    let code = code.ok_or_else(|| damaged("a check has no code"))?;
    Ok(Check { code, message, node })
}

/// A tensor: 1 name of its type, 2 extents, 3 elements, 4 each string.
fn encode_tensor(tensor: &Tensor) -> Vec<u8> {
    let mut w = Writer::default();
    w.text(1, tensor.dtype().name());
    w.packed(2, tensor.shape().dims().iter().map(|&d| d as u64));
    match tensor.as_strings() {
        Some(strings) => strings.iter().for_each(|s| w.bytes(4, s)),
        None => w.bytes(3, tensor.bytes()),
    }
    w.finish()
}

fn decode_tensor(bytes: &[u8]) -> Result<Tensor> {
    let (mut dtype, mut dims, mut raw) = (None, Vec::new(), &[][..]);
    let mut strings: Vec<Vec<u8>> = Vec::new();
    each(bytes, |field, value| {
        match field {
            1 => {
                let name = value.text()?;
                dtype = DType::ALL.into_iter().find(|d| d.name() == name);
            }
            2 => dims = unpacked(value.bytes()?)?,
            3 => raw = value.bytes()?,
            4 => strings.push(value.bytes()?.to_vec()),
            _ => {}
        }
        Ok(())
    })?;
    let dtype = dtype.ok_or_else(|| damaged("a tensor is of no known type"))?;
    if dims.len() > limits::RANK_MAX {
        return Err(damaged("a tensor has too many dimensions"));
    }
    let dims: Result<Vec<usize>, _> = dims.into_iter().map(usize::try_from).collect();
    let shape = Shape::new(&dims.map_err(|_| damaged("an extent is too large"))?);
    let lost = |e: Error| damaged(e.message());
    match dtype {
        DType::String => Tensor::strings(shape, strings).map_err(lost),
        _ => Tensor::from_raw(dtype, shape, raw).map_err(lost),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Metadata {
        let strings = vec![b"".to_vec(), b"x\xff".to_vec()];
        Metadata {
            params: vec![Param { arg: 0 }, Param { arg: 300 }],
            rets: vec![
                Ret::Output(0),
                Ret::Variable(2),
                Ret::Constant(Tensor::strings(Shape::new(&[2, 1]), strings).unwrap()),
                Ret::Constant(Tensor::from_slice(Shape::new(&[2]), &[1.5f32, f32::NAN]).unwrap()),
                Ret::Constant(Tensor::zeros(DType::I64, Shape::new(&[0, 3])).unwrap()),
                Ret::Constant(Tensor::scalar_bool(true)),
            ],
            updates: vec![Update { arg: 0, output: 1 }],
            checks: vec![
                Check { code: Code::OutOfRange, message: "m".to_owned(), node: "a/b".to_owned() },
                Check { code: Code::Unauthenticated, message: String::new(), node: String::new() },
            ],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let sample = sample();
        let bytes = sample.encode();
        let read = Metadata::decode(&bytes).unwrap();
        assert_eq!(read.params, sample.params);
        assert_eq!(read.updates, sample.updates);
        assert_eq!(read.checks, sample.checks);
        assert_eq!(format!("{:?}", read.rets), format!("{:?}", sample.rets));
        assert_eq!(read.encode(), bytes);
        assert!(Metadata::decode(&[]).unwrap().encode().is_empty());
    }

    #[test]
    fn broken_bytes_are_no_panic() {
        let bytes = sample().encode();
        for at in 0..bytes.len() {
            let _ = Metadata::decode(&bytes[..at]);
            for flip in [1u8, 0x80, 0xff] {
                let mut other = bytes.clone();
                other[at] ^= flip;
                let _ = Metadata::decode(&other);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let fits = |m: &Metadata| m.validate(301, 6, 2, 3);
        fits(&sample()).unwrap();
        assert!(sample().validate(300, 6, 2, 3).is_err());
        assert!(sample().validate(301, 5, 2, 3).is_err());
        assert!(sample().validate(301, 6, 3, 3).is_err());
        // The last of two results is that of the checks.
        assert!(sample().validate(301, 6, 2, 2).is_err());
        assert!(sample().validate(301, 6, 2, 0).is_err());
        let unchecked = Metadata { checks: Vec::new(), ..sample() };
        unchecked.validate(301, 6, 2, 2).unwrap();
    }
}
