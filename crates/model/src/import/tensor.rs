//! Constants out of `TensorProto`: raw content, or lists of values that may stop early.
//!
//! It must not materialise anything the file does not hold byte for byte.

use std::sync::Arc;

use tfjit_base::{
    AlignedBytes, DType, Error, PartialShape, Result, Shape, Storage, Tensor, limits,
};
use tfjit_proto::bytes;
use tfjit_proto::tensorflow as pb;

use crate::tensor_value::{TensorData, TensorValue, VariantValue};
use crate::{TfType, tftype};

/// Content up to this size is copied into aligned memory; larger content stays in the file.
const COPY_BYTES_MAX: usize = 4096;
/// Nesting of variants within variants.
const VARIANT_DEPTH_MAX: usize = 16;

/// Bytes of a decoded file, kept alive by reference count.
struct Shared(bytes::Bytes);

impl Storage for Shared {
    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A shape with possibly unknown parts.
///
/// # Errors
/// INVALID_ARGUMENT for extents below -1, too many dimensions or a product that overflows.
pub(crate) fn partial_shape(shape: &pb::TensorShapeProto) -> Result<PartialShape> {
    if shape.unknown_rank {
        if !shape.dim.is_empty() {
            return Err(Error::invalid_argument("a shape of unknown rank lists dimensions"));
        }
        return Ok(PartialShape::unknown());
    }
    if shape.dim.len() > limits::RANK_MAX {
        return Err(Error::invalid_argument(format!(
            "a shape has {} dimensions, more than {}",
            shape.dim.len(),
            limits::RANK_MAX
        )));
    }
    let mut product: i64 = 1;
    let mut dims = Vec::with_capacity(shape.dim.len());
    for d in &shape.dim {
        if d.size < -1 {
            return Err(Error::invalid_argument(format!("a shape has the extent {}", d.size)));
        }
        if d.size > 0 {
            product = product.checked_mul(d.size).ok_or_else(|| {
                Error::invalid_argument("the extents of a shape overflow when multiplied")
            })?;
        }
        dims.push(usize::try_from(d.size).ok());
    }
    Ok(PartialShape::new(dims))
}

/// The shape of a constant, which must be known.
pub(crate) fn full_shape(shape: Option<&pb::TensorShapeProto>) -> Result<Shape> {
    let Some(shape) = shape else { return Ok(Shape::scalar()) };
    if shape.unknown_rank {
        return Err(Error::invalid_argument("a constant has an unknown rank"));
    }
    let dims: Vec<i64> = shape.dim.iter().map(|d| d.size).collect();
    if dims.len() > limits::RANK_MAX {
        return Err(Error::invalid_argument(format!("a constant has {} dimensions", dims.len())));
    }
    Shape::from_i64(&dims)
}

/// A constant.
///
/// # Errors
/// INVALID_ARGUMENT when type, shape and content do not fit together or the type cannot be a
/// constant; RESOURCE_EXHAUSTED for shapes past the limits.
pub(crate) fn tensor_value(proto: &pb::TensorProto) -> Result<TensorValue> {
    value_at_depth(proto, 0)
}

fn value_at_depth(proto: &pb::TensorProto, depth: usize) -> Result<TensorValue> {
    let tftype = TfType::try_from(proto.dtype).unwrap_or(TfType::DtInvalid);
    let shape = full_shape(proto.tensor_shape.as_ref())?;
    if tftype == TfType::DtVariant {
        return variants(proto, shape, depth);
    }
    let dtype = match tftype::dtype(tftype) {
        Some(dtype) if !tftype::is_ref(tftype) => dtype,
        _ => {
            return Err(Error::invalid_argument(format!(
                "a constant cannot be of type {}",
                type_name(proto.dtype)
            )));
        }
    };
    let data = if !proto.tensor_content.is_empty() {
        TensorData::Dense(content(dtype, &shape, &proto.tensor_content)?)
    } else {
        listed(proto, dtype, &shape)?
    };
    Ok(TensorValue { tftype, shape, data })
}

/// The name of a type number, or the number itself.
pub(crate) fn type_name(number: i32) -> String {
    match TfType::try_from(number) {
        Ok(t) => tftype::tf_name(t).to_string(),
        Err(_) => format!("number {number}"),
    }
}

/// Raw little-endian content.
fn content(dtype: DType, shape: &Shape, content: &bytes::Bytes) -> Result<Tensor> {
    let n = shape.checked_elements()?;
    if dtype == DType::String {
        return Tensor::strings(shape.clone(), packed_strings(content, n)?);
    }
    let want = n.saturating_mul(dtype.size());
    if want != content.len() {
        return Err(Error::invalid_argument(format!(
            "a constant {dtype}{shape} takes {want} bytes, its content has {}",
            content.len()
        )));
    }
    if dtype == DType::Bool && content.iter().any(|&b| b > 1) {
        let bits: Vec<bool> = content.iter().map(|&b| b != 0).collect();
        return Tensor::from_bools(shape.clone(), &bits);
    }
    if content.len() <= COPY_BYTES_MAX {
        return Tensor::from_raw(dtype, shape.clone(), content);
    }
    let storage: Arc<dyn Storage> = Arc::new(Shared(content.clone()));
    let view = tfjit_base::Bytes::view(storage, 0..content.len())?;
    Tensor::new(dtype, shape.clone(), view)
}

/// Strings in raw content: all lengths as varints, then all bytes.
fn packed_strings(content: &[u8], n: usize) -> Result<Vec<Vec<u8>>> {
    let broken = || Error::invalid_argument("the content of a string constant is broken");
    if n > content.len() {
        return Err(broken());
    }
    let mut rest = content;
    let mut lengths = Vec::with_capacity(n);
    for _ in 0..n {
        let mut length = 0u64;
        let mut shift = 0;
        loop {
            let (&byte, tail) = rest.split_first().ok_or_else(broken)?;
            rest = tail;
            if shift > 56 {
                return Err(broken());
            }
            length |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        lengths.push(usize::try_from(length).map_err(|_| broken())?);
    }
    let mut out = Vec::with_capacity(n);
    for length in lengths {
        let (head, tail) = rest.split_at_checked(length).ok_or_else(broken)?;
        out.push(head.to_vec());
        rest = tail;
    }
    if rest.is_empty() { Ok(out) } else { Err(broken()) }
}

/// The values of a `*_val` list as a vector.
fn listed(proto: &pb::TensorProto, dtype: DType, shape: &Shape) -> Result<TensorData> {
    let n = shape.checked_elements()?;
    let values = values(proto, dtype)?;
    let given = values.elements();
    if given > n {
        return Err(Error::invalid_argument(format!(
            "a constant {dtype}{shape} has {n} elements, the file lists {given}"
        )));
    }
    if given == n {
        return Ok(TensorData::Dense(values.reshaped(shape.clone())?));
    }
    match given {
        0 => Ok(TensorData::Splat(Tensor::zeros(dtype, Shape::scalar())?)),
        1 => Ok(TensorData::Splat(values.reshaped(Shape::scalar())?)),
        _ => Ok(TensorData::Padded(values)),
    }
}

fn values(proto: &pb::TensorProto, dtype: DType) -> Result<Tensor> {
    // One row a type: which list holds it, and how an element is narrowed. Values that do not fit
    // their type wrap, as they do in TensorFlow.
    macro_rules! narrow {
        ($list:expr, $t:ty) => {{
            let bytes: Vec<u8> = $list.iter().flat_map(|&v| (v as $t).to_le_bytes()).collect();
            raw(dtype, bytes)
        }};
    }
    let pairs = |n: usize| match n % 2 {
        0 => Ok(()),
        _ => Err(Error::invalid_argument("a complex constant lists half a number")),
    };
    match dtype {
        DType::F32 => narrow!(proto.float_val, f32),
        DType::F64 => narrow!(proto.double_val, f64),
        DType::I32 => narrow!(proto.int_val, i32),
        DType::I64 => narrow!(proto.int64_val, i64),
        DType::U32 => narrow!(proto.uint32_val, u32),
        DType::U64 => narrow!(proto.uint64_val, u64),
        DType::I16 => narrow!(proto.int_val, i16),
        DType::U16 => narrow!(proto.int_val, u16),
        DType::I8 | DType::U8 => narrow!(proto.int_val, u8),
        DType::F16 | DType::BF16 => narrow!(proto.half_val, u16),
        DType::Bool => narrow!(proto.bool_val, u8),
        DType::U2 => narrow!(proto.int_val.iter().map(|v| v & 3).collect::<Vec<_>>(), u8),
        DType::U4 => narrow!(proto.int_val.iter().map(|v| v & 15).collect::<Vec<_>>(), u8),
        DType::I2 => narrow!(proto.int_val.iter().map(|v| v << 30 >> 30).collect::<Vec<_>>(), u8),
        DType::I4 => narrow!(proto.int_val.iter().map(|v| v << 28 >> 28).collect::<Vec<_>>(), u8),
        DType::C64 => {
            pairs(proto.scomplex_val.len())?;
            narrow!(proto.scomplex_val, f32)
        }
        DType::C128 => {
            pairs(proto.dcomplex_val.len())?;
            narrow!(proto.dcomplex_val, f64)
        }
        DType::String => {
            let strings: Vec<Vec<u8>> = proto.string_val.iter().map(|s| s.to_vec()).collect();
            Tensor::strings(Shape::new(&[strings.len()]), strings)
        }
        // The narrow floats.
        _ => raw(dtype, proto.float8_val.to_vec()),
    }
}

fn raw(dtype: DType, bytes: Vec<u8>) -> Result<Tensor> {
    let n = bytes.len() / dtype.size().max(1);
    Tensor::new(dtype, Shape::new(&[n]), AlignedBytes::copy_of(&bytes)?)
}

fn variants(proto: &pb::TensorProto, shape: Shape, depth: usize) -> Result<TensorValue> {
    if depth > VARIANT_DEPTH_MAX {
        return Err(Error::invalid_argument("variants are nested too deep"));
    }
    if proto.variant_val.len() != shape.checked_elements()? {
        return Err(Error::invalid_argument(format!(
            "a variant constant of shape {shape} lists {} elements",
            proto.variant_val.len()
        )));
    }
    let mut elements = Vec::with_capacity(proto.variant_val.len());
    for v in &proto.variant_val {
        let tensors = v.tensors.iter().map(|t| value_at_depth(t, depth + 1));
        elements.push(VariantValue {
            type_name: v.type_name.clone(),
            metadata: v.metadata.to_vec(),
            tensors: tensors.collect::<Result<_>>()?,
        });
    }
    Ok(TensorValue {
        tftype: TfType::DtVariant,
        shape,
        data: TensorData::Variants(elements.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(dims: &[i64]) -> Option<pb::TensorShapeProto> {
        let dim = |&size| pb::tensor_shape_proto::Dim { size, name: String::new() };
        Some(pb::TensorShapeProto { dim: dims.iter().map(dim).collect(), unknown_rank: false })
    }

    fn proto(dtype: TfType, dims: &[i64]) -> pb::TensorProto {
        pb::TensorProto { dtype: dtype as i32, tensor_shape: shape(dims), ..Default::default() }
    }

    #[test]
    fn lists_may_stop_early() {
        let mut p = proto(TfType::DtFloat, &[2, 2]);
        assert!(matches!(tensor_value(&p).unwrap().data, TensorData::Splat(_)), "zeros");
        p.float_val = vec![2.5];
        let v = tensor_value(&p).unwrap();
        assert_eq!(v.to_tensor().unwrap().to_vec::<f32>().unwrap(), [2.5; 4]);
        p.float_val = vec![1.0, 2.0];
        let v = tensor_value(&p).unwrap();
        assert_eq!(v.to_tensor().unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0, 2.0, 2.0]);
        p.float_val = vec![0.0; 5];
        assert!(tensor_value(&p).is_err());
        let mut huge = proto(TfType::DtFloat, &[1 << 40]);
        huge.float_val = vec![1.0];
        assert!(matches!(tensor_value(&huge).unwrap().data, TensorData::Splat(_)));
    }

    #[test]
    fn content_must_fit() {
        let mut p = proto(TfType::DtFloat, &[4]);
        p.tensor_content = vec![0; 7].into();
        let e = tensor_value(&p).unwrap_err();
        assert_eq!(e.message(), "a constant f32[4] takes 16 bytes, its content has 7");
        for dims in [&[-5][..], &[1 << 31, 1 << 31, 1 << 31], &[1; 33]] {
            assert!(tensor_value(&proto(TfType::DtFloat, dims)).is_err(), "{dims:?}");
        }
        for t in [TfType::DtInvalid, TfType::DtFloatRef, TfType::DtResource] {
            assert!(tensor_value(&proto(t, &[])).is_err(), "{t:?}");
        }
    }

    #[test]
    fn large_content_is_shared_with_the_file() {
        let file: bytes::Bytes = vec![1u8; 8192].into();
        let mut p = proto(TfType::DtUint8, &[8192]);
        p.tensor_content = file.clone();
        let TensorData::Dense(t) = tensor_value(&p).unwrap().data else { panic!() };
        assert_eq!(t.bytes().as_ptr(), file.as_ptr());
    }

    #[test]
    fn odd_types_and_packed_strings() {
        let mut p = proto(TfType::DtBfloat16, &[1]);
        p.half_val = vec![0x3f80];
        let one = tensor_value(&p).unwrap().to_tensor().unwrap();
        assert_eq!(one.to_f64s().unwrap(), [1.0]);
        let mut p = proto(TfType::DtInt4, &[2]);
        p.int_val = vec![-1, 7];
        assert_eq!(tensor_value(&p).unwrap().to_tensor().unwrap().to_i64s().unwrap(), [-1, 7]);
        let mut p = proto(TfType::DtString, &[2]);
        p.tensor_content = b"\x02\x01abc".to_vec().into();
        let t = tensor_value(&p).unwrap().to_tensor().unwrap();
        assert_eq!(t.as_strings().unwrap(), [b"ab".to_vec(), b"c".to_vec()]);
        p.tensor_content = b"\x02\x05abc".to_vec().into();
        assert!(tensor_value(&p).is_err());
    }

    #[test]
    fn partial_shapes_are_checked() {
        assert!(partial_shape(&shape(&[-7]).unwrap()).is_err());
        assert!(partial_shape(&shape(&[1 << 40, -1, 1 << 40]).unwrap()).is_err());
        assert_eq!(partial_shape(&shape(&[-1, 3]).unwrap()).unwrap().to_string(), "[?,3]");
    }
}
