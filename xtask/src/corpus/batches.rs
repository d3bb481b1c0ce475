//! Larger batches of golden inputs, and what came out as a few bytes.

use anyhow::{Result, ensure};
use tfjit_base::{PartialShape, Shape, Tensor};

use super::subject::Named;

/// Models that mix the elements of a batch, so that copies do not come out as copies, with how
/// that is known.
const MIXED: &[(&str, &str)] =
    &[("real/basic_pitch_nmp", "TensorFlow's own results of copies differ by 1e-4, as ours do")];

/// Whether the model with this id mixes the elements of a batch.
pub(crate) fn mixes(id: &str) -> bool {
    MIXED.iter().any(|(known, _)| *known == id)
}

/// Whether the first extent is there and not known.
pub(crate) fn is_open(shape: &PartialShape) -> bool {
    shape.dims().is_some_and(|dims| dims.first().is_some_and(Option::is_none))
}

/// Whether a result of copied inputs has to be copies of the golden one, which has the shape
/// `one`: what is `known` of its shape leaves the first extent open, and no other that is open
/// depends on the batch too. Where nothing is known, the extents themselves tell.
pub(crate) fn holds_copies(
    result: &Tensor,
    known: &PartialShape,
    one: &[usize],
    copies: usize,
) -> bool {
    let dims = result.shape().dims();
    match known.dims() {
        None => {
            let first = one.first().map(|&first| first * copies);
            first.is_some() && first == dims.first().copied() && dims[1..] == one[1..]
        }
        Some(known) => {
            let inner = known.iter().zip(dims.iter().zip(one)).skip(1);
            let mut square = inner.filter(|(known, (got, one))| known.is_none() && got != one);
            is_open(&PartialShape::new(known.to_vec())) && square.next().is_none()
        }
    }
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
    fn which_results_hold_copies() {
        let t = |dims: &[usize]| {
            Tensor::from_slice(Shape::new(dims), &vec![0i32; dims.iter().product()])
        };
        let holds = |dims: &[usize], known: &PartialShape| {
            holds_copies(&t(dims).unwrap(), known, &[2, 5], 3)
        };
        let open = PartialShape::new(vec![None, None]);
        assert!(holds(&[6, 5], &open));
        assert!(!holds(&[6, 15], &open));
        // A wrong extent is not excused: the comparison is to fail.
        assert!(holds(&[2, 5], &open));
        assert!(holds(&[6, 15], &PartialShape::new(vec![None, Some(5)])));
        assert!(!holds(&[2, 5], &PartialShape::new(vec![Some(2), Some(5)])));
        assert!(holds(&[6, 5], &PartialShape::default()));
        assert!(!holds(&[2, 5], &PartialShape::default()));
    }

    #[test]
    fn a_digest_sees_every_bit() {
        let of = |v: f32| digest(&vec![("x".to_owned(), Tensor::scalar(v))]);
        assert_eq!(of(0.0), of(0.0));
        assert_ne!(of(0.0), of(-0.0));
    }
}
