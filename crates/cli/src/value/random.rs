//! Made-up values, the same for the same seed everywhere.

use tfjit_base::{DType, DTypeClass, Result, Shape, Tensor};

use super::cast::{complex_tensor, float_tensor, int_tensor};

/// Random integers stay below this, so that they are sound indices and labels in most models.
const INTEGER_BOUND: u64 = 2;
const STRING_LEN: usize = 8;

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A tensor of made-up values: floats uniform in [0, 1), integers and truth values 0 or 1,
/// strings of eight lower-case letters.
///
/// # Errors
/// RESOURCE_EXHAUSTED when it is too large.
pub(crate) fn random(dtype: DType, shape: &Shape, seed: u64) -> Result<Tensor> {
    // Refuses what is too large before anything is drawn.
    Tensor::zeros(dtype, shape.clone())?;
    let n = shape.elements();
    let mut generator = Generator(seed);
    let shape = shape.clone();
    match dtype.class() {
        DTypeClass::Float => {
            let values: Vec<f64> = (0..n).map(|_| generator.unit()).collect();
            float_tensor(dtype, shape, &values)
        }
        DTypeClass::Complex => {
            let values: Vec<(f64, f64)> =
                (0..n).map(|_| (generator.unit(), generator.unit())).collect();
            complex_tensor(dtype, shape, &values)
        }
        DTypeClass::String => {
            let word = |_| -> Vec<u8> {
                (0..STRING_LEN).map(|_| b'a' + (generator.next() % 26) as u8).collect()
            };
            Tensor::strings(shape, (0..n).map(word).collect())
        }
        _ => {
            let values: Vec<i128> =
                (0..n).map(|_| i128::from(generator.next() % INTEGER_BOUND)).collect();
            int_tensor(dtype, shape, &values)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides() {
        let shape = Shape::new(&[100]);
        for dtype in DType::ALL {
            let t = random(dtype, &shape, 1).unwrap();
            assert_eq!(t.dtype(), dtype);
            assert_eq!(t, random(dtype, &shape, 1).unwrap(), "{dtype}");
        }
        let values = random(DType::F32, &shape, 1).unwrap().to_vec::<f32>().unwrap();
        assert!(values.iter().all(|v| (0.0..=1.0).contains(v)));
        assert_ne!(values, random(DType::F32, &shape, 2).unwrap().to_vec::<f32>().unwrap());
        assert!(random(DType::F32, &Shape::new(&[1 << 35]), 1).is_err());
    }
}
