//! Quantised weights: stored in 8 or 16 bits, expanded when read.
//!
//! Integers stand for `scale * q + min`, computed in 64 bits and then rounded, as TF.js does; half
//! precision stands for itself. It must not know files.

use serde_json::Value;
use tfjit_base::{AlignedBytes, DType, Error, Result, Shape, Tensor, f16};

/// How a weight is quantised.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Quantization {
    /// `bytes` (1 or 2) of an unsigned integer.
    Affine { bytes: usize, scale: f64, min: f64 },
    /// Half precision.
    Half,
}

impl Quantization {
    /// Reads the member `quantization` of a weight of type `dtype`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for an unknown scheme, a missing scale or minimum, or a type that cannot
    /// be quantised.
    pub(super) fn parse(value: &Value, dtype: DType) -> Result<Quantization> {
        let scheme = value.get("dtype").and_then(Value::as_str).unwrap_or("");
        let number = |key: &str| {
            value.get(key).and_then(Value::as_f64).filter(|n| n.is_finite()).ok_or_else(|| {
                Error::invalid_argument(format!("the quantization has no finite number {key}"))
            })
        };
        let (allowed, parsed): (&[DType], _) = match scheme {
            "float16" => (&[DType::F32], Ok(Quantization::Half)),
            "uint8" | "uint16" => {
                let bytes = if scheme == "uint8" { 1 } else { 2 };
                let affine = number("scale").and_then(|scale| {
                    Ok(Quantization::Affine { bytes, scale, min: number("min")? })
                });
                (&[DType::F32, DType::I32], affine)
            }
            _ => {
                return Err(Error::invalid_argument(format!("unknown quantization {scheme:?}"))
                    .help("there are uint8, uint16 and float16"));
            }
        };
        if !allowed.contains(&dtype) {
            return Err(Error::invalid_argument(format!(
                "a weight of type {dtype} cannot be quantised as {scheme}"
            )));
        }
        parsed
    }

    /// Stored bytes of one element.
    pub(super) fn size(&self) -> usize {
        match self {
            Quantization::Affine { bytes, .. } => *bytes,
            Quantization::Half => 2,
        }
    }

    /// The tensor that `bytes` stand for.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when an integer leaves 32 bits or `shape` does not fit `bytes`.
    pub(super) fn expand(&self, dtype: DType, shape: Shape, bytes: &[u8]) -> Result<Tensor> {
        let mut out = AlignedBytes::zeroed(bytes.len() / self.size() * dtype.size())?;
        let target = out.as_mut().as_chunks_mut::<4>().0;
        match *self {
            Quantization::Half => {
                for (to, from) in target.iter_mut().zip(bytes.as_chunks::<2>().0) {
                    *to = f16::from_le_bytes(*from).to_f32().to_le_bytes();
                }
            }
            Quantization::Affine { bytes: 1, scale, min } => {
                let table = (0..=u8::MAX).map(|q| affine(dtype, q.into(), scale, min));
                let table: Vec<Option<[u8; 4]>> = table.collect();
                for (to, from) in target.iter_mut().zip(bytes) {
                    *to = table[usize::from(*from)].ok_or_else(too_large)?;
                }
            }
            Quantization::Affine { scale, min, .. } => {
                for (to, from) in target.iter_mut().zip(bytes.as_chunks::<2>().0) {
                    let q = u16::from_le_bytes(*from);
                    *to = affine(dtype, q.into(), scale, min).ok_or_else(too_large)?;
                }
            }
        }
        Tensor::new(dtype, shape, out)
    }
}

/// The element that `q` stands for; `None` for an integer that 32 bits cannot hold.
fn affine(dtype: DType, q: f64, scale: f64, min: f64) -> Option<[u8; 4]> {
    let value = q * scale + min;
    if dtype == DType::F32 {
        return Some((value as f32).to_le_bytes());
    }
    // JavaScript rounds halves up.
    let rounded = (value + 0.5).floor();
    let fits = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&rounded);
    fits.then(|| (rounded as i32).to_le_bytes())
}

fn too_large() -> Error {
    Error::invalid_argument("a quantised integer leaves 32 bits")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn expand(value: Value, dtype: DType, bytes: &[u8]) -> Result<Tensor> {
        let quantization = Quantization::parse(&value, dtype)?;
        let count = bytes.len() / quantization.size();
        quantization.expand(dtype, Shape::new(&[count]), bytes)
    }

    #[test]
    fn values_are_expanded() {
        let eight = json!({"dtype": "uint8", "scale": 0.1, "min": -1.0});
        let t = expand(eight, DType::F32, &[0, 10, 255]).unwrap();
        assert_eq!(t.to_vec::<f32>().unwrap(), [-1.0, 0.0, 24.5]);
        let sixteen = json!({"dtype": "uint16", "scale": 0.5, "min": -2});
        let t = expand(sixteen.clone(), DType::F32, &[0, 0, 1, 1]).unwrap();
        assert_eq!(t.to_vec::<f32>().unwrap(), [-2.0, 126.5]);
        let t = expand(sixteen, DType::I32, &[1, 0, 3, 0, 0, 1]).unwrap();
        assert_eq!(t.to_vec::<i32>().unwrap(), [-1, 0, 126], "-1.5 and -0.5 are rounded up");
        let t = expand(json!({"dtype": "float16"}), DType::F32, &[0, 0x3c, 0, 0xfc]).unwrap();
        assert_eq!(t.to_vec::<f32>().unwrap(), [1.0, f32::NEG_INFINITY]);
    }

    #[test]
    fn broken_schemes_are_refused() {
        for (value, dtype, want) in [
            (json!({}), DType::F32, "unknown quantization \"\""),
            (json!({"dtype": "uint4"}), DType::F32, "unknown quantization \"uint4\""),
            (json!({"dtype": "uint8", "min": 0}), DType::F32, "no finite number scale"),
            (json!({"dtype": "uint8", "scale": "NaN", "min": 0}), DType::F32, "number scale"),
            (json!({"dtype": "uint8", "scale": 1}), DType::F32, "no finite number min"),
            (json!({"dtype": "float16"}), DType::I32, "i32 cannot be quantised as float16"),
            (json!({"dtype": "uint8", "scale": 1, "min": 0}), DType::Bool, "bool cannot be"),
            (json!({"dtype": "uint8", "scale": 1e300, "min": 0}), DType::I32, "leaves 32 bits"),
        ] {
            let error = expand(value, dtype, &[3, 4]).unwrap_err().to_string();
            assert!(error.contains(want), "{want}: {error}");
        }
    }
}
