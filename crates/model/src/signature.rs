//! Signatures: named inputs and outputs of the main graph.
//!
//! It must not know graphs; names are resolved by whoever selects a signature.

use std::collections::BTreeMap;

use tfjit_base::PartialShape;

use crate::TfType;
use crate::tensor_value::TensorValue;

/// A way to call the model: inputs and outputs by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignatureDef {
    /// Inputs by key.
    pub inputs: BTreeMap<String, TensorInfo>,
    /// Outputs by key.
    pub outputs: BTreeMap<String, TensorInfo>,
    /// The serving method: `tensorflow/serving/predict`.
    pub method_name: String,
    /// Values of inputs that a caller may leave out.
    pub defaults: BTreeMap<String, TensorValue>,
}

/// A tensor of the main graph with its declared type and shape.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorInfo {
    /// The tensor's name, `x:0`; empty if it is a composite or was left out.
    pub name: String,
    /// The declared type.
    pub tftype: TfType,
    /// The declared shape.
    pub shape: PartialShape,
    /// How it is made of several tensors, if it is.
    pub encoding: Encoding,
}

/// What a tensor of a signature is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Encoding {
    /// One dense tensor.
    #[default]
    Dense,
    /// A sparse tensor in coordinate form, as three tensors named `x:0`.
    Sparse {
        /// The values.
        values: String,
        /// The indices.
        indices: String,
        /// The dense shape.
        dense_shape: String,
    },
    /// Some other composite, such as a ragged tensor.
    Composite {
        /// The Python class or the kind: `RAGGED_TENSOR_SPEC`.
        kind: String,
        /// The tensors it is made of.
        components: Vec<TensorInfo>,
    },
}

impl TensorInfo {
    /// The dense tensors this stands for: suffix of the key (empty for a dense one), name, type
    /// and shape.
    pub fn flatten(&self) -> Vec<FlatTensor> {
        let mut out = Vec::new();
        self.flatten_into("", &mut out);
        out
    }

    fn flatten_into(&self, suffix: &str, out: &mut Vec<FlatTensor>) {
        let mut one = |part: &str, name: &str, tftype, shape: PartialShape| {
            out.push(FlatTensor {
                suffix: format!("{suffix}{part}"),
                name: name.to_string(),
                tftype,
                shape,
            });
        };
        match &self.encoding {
            Encoding::Dense => one("", &self.name, self.tftype, self.shape.clone()),
            Encoding::Sparse { values, indices, dense_shape } => {
                let rank = self.shape.rank();
                let indices_shape = PartialShape::new(vec![None, rank]);
                one("/indices", indices, TfType::DtInt64, indices_shape);
                one("/values", values, self.tftype, PartialShape::new(vec![None]));
                one("/dense_shape", dense_shape, TfType::DtInt64, PartialShape::new(vec![rank]));
            }
            // The reader bounds how deep composites are nested.
            Encoding::Composite { components, .. } => {
                for (i, component) in components.iter().enumerate() {
                    component.flatten_into(&format!("{suffix}/{i}"), out);
                }
            }
        }
    }
}

/// One dense tensor of a signature.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatTensor {
    /// What is appended to the key: empty, `/values`, `/0`.
    pub suffix: String,
    /// The tensor's name in the main graph.
    pub name: String,
    /// The declared type.
    pub tftype: TfType,
    /// The declared shape.
    pub shape: PartialShape,
}
