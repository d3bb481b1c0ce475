//! Larger batches of golden inputs, and what came out as a few bytes.

use anyhow::{Result, ensure};
use tfjit_base::{PartialShape, Shape, Tensor};

use super::subject::Named;

/// Whether the first extent is there and not known.
pub(crate) fn is_open(shape: &PartialShape) -> bool {
    shape.dims().is_some_and(|dims| dims.first().is_some_and(Option::is_none))
}

/// So many copies of a tensor, one after the other along the first dimension.
pub(crate) fn repeated(tensor: &Tensor, copies: usize) -> Result<Tensor> {
    let shape = scaled(tensor, |first| first * copies)?;
    if let Some(strings) = tensor.as_strings() {
        let all = (0..copies).flat_map(|_| strings.iter().cloned()).collect();
        return Ok(Tensor::strings(shape, all)?);
    }
    Ok(Tensor::from_raw(tensor.dtype(), shape, &tensor.bytes().repeat(copies))?)
}

/// A tensor cut into so many equal pieces along the first dimension.
pub(crate) fn parts(tensor: &Tensor, count: usize) -> Result<Vec<Tensor>> {
    let first = tensor.shape().first().copied().unwrap_or(0);
    ensure!(first % count == 0, "{} does not hold {count} copies", tensor.shape());
    let shape = scaled(tensor, |first| first / count)?;
    let elements = shape.elements();
    let part = |i: usize| match tensor.as_strings() {
        Some(strings) => {
            Tensor::strings(shape.clone(), strings[i * elements..][..elements].to_vec())
        }
        None => {
            let bytes = elements * tensor.dtype().size();
            Tensor::from_raw(tensor.dtype(), shape.clone(), &tensor.bytes()[i * bytes..][..bytes])
        }
    };
    (0..count).map(|i| Ok(part(i)?)).collect()
}

fn scaled(tensor: &Tensor, first: impl Fn(usize) -> usize) -> Result<Shape> {
    let mut dims = tensor.shape().dims().to_vec();
    ensure!(!dims.is_empty(), "a scalar has no batch");
    dims[0] = first(dims[0]);
    Ok(Shape::new(&dims))
}

/// The bits of all results as a number: FNV-1a, 64 bits.
pub(crate) fn digest(results: &Named) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for (name, tensor) in results {
        take(name.as_bytes());
        match tensor.as_strings() {
            Some(strings) => strings.iter().for_each(|s| take(s)),
            None => take(tensor.bytes()),
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_parts() {
        let t = Tensor::from_slice(Shape::new(&[2, 2]), &[1i32, 2, 3, 4]).unwrap();
        let all = repeated(&t, 3).unwrap();
        assert_eq!(all.shape().dims(), [6, 2]);
        assert_eq!(parts(&all, 3).unwrap(), [t.clone(), t.clone(), t.clone()]);
        assert!(parts(&t, 3).is_err());
        assert!(repeated(&Tensor::scalar(1i32), 2).is_err());
        let words = Tensor::strings(Shape::new(&[1]), vec![b"a".to_vec()]).unwrap();
        assert_eq!(parts(&repeated(&words, 2).unwrap(), 2).unwrap(), [words.clone(), words]);
    }

    #[test]
    fn a_digest_sees_every_bit() {
        let of = |v: f32| digest(&vec![("x".to_owned(), Tensor::scalar(v))]);
        assert_eq!(of(0.0), of(0.0));
        assert_ne!(of(0.0), of(-0.0));
    }
}
