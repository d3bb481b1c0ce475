//! Signatures of a meta graph, resolved against its graph.
//!
//! It must not know how a signature is run.

use std::collections::BTreeMap;

use tfjit_base::{Error, Result};
use tfjit_proto::tensorflow as pb;

use super::tensor;
use crate::graph::Graph;
use crate::node::NodeId;
use crate::problems::Problems;
use crate::signature::{Encoding, SignatureDef, TensorInfo};
use crate::{TfType, tensor_name, tftype};

/// TensorFlow keeps the initialiser under this key.
pub(crate) const INIT_KEY: &str = "__saved_model_init_op";
/// And a training op under this one.
pub(crate) const TRAIN_KEY: &str = "__saved_model_train_op";
/// Nesting of composite tensors.
const COMPOSITE_DEPTH_MAX: usize = 8;

/// The signatures, without the internal ones.
pub(crate) fn signatures(
    protos: &BTreeMap<String, pb::SignatureDef>,
    problems: &mut Problems,
) -> BTreeMap<String, SignatureDef> {
    let mut out = BTreeMap::new();
    for (key, proto) in protos {
        if key == INIT_KEY || key == TRAIN_KEY {
            continue;
        }
        let parsed = signature(proto).map_err(|e| e.at(format!("signature {key}")));
        if let Some(signature) = problems.keep(parsed) {
            out.insert(key.clone(), signature);
        }
    }
    out
}

fn signature(proto: &pb::SignatureDef) -> Result<SignatureDef> {
    let infos = |protos: &BTreeMap<String, pb::TensorInfo>, what: &str| {
        protos
            .iter()
            .map(|(key, p)| {
                let info = info(p, 0).map_err(|e| e.context(format!("{what} {key}")))?;
                Ok((key.clone(), info))
            })
            .collect::<Result<BTreeMap<_, _>>>()
    };
    let defaults = proto.defaults.iter().map(|(key, p)| {
        let value = tensor::tensor_value(p).map_err(|e| e.context(format!("default {key}")))?;
        Ok((key.clone(), value))
    });
    Ok(SignatureDef {
        inputs: infos(&proto.inputs, "input")?,
        outputs: infos(&proto.outputs, "output")?,
        method_name: proto.method_name.clone(),
        defaults: defaults.collect::<Result<_>>()?,
    })
}

fn info(proto: &pb::TensorInfo, depth: usize) -> Result<TensorInfo> {
    use pb::tensor_info::Encoding as Wire;
    let tftype = TfType::try_from(proto.dtype)
        .map_err(|_| Error::invalid_argument(format!("{} is no type", proto.dtype)))?;
    let shape = proto.tensor_shape.as_ref().map(tensor::partial_shape).transpose()?;
    let mut name = String::new();
    let encoding = match &proto.encoding {
        None => Encoding::Dense,
        Some(Wire::Name(n)) => {
            name = n.clone();
            Encoding::Dense
        }
        Some(Wire::CooSparse(s)) => Encoding::Sparse {
            values: s.values_tensor_name.clone(),
            indices: s.indices_tensor_name.clone(),
            dense_shape: s.dense_shape_tensor_name.clone(),
        },
        Some(Wire::CompositeTensor(_)) if depth >= COMPOSITE_DEPTH_MAX => {
            return Err(Error::invalid_argument("composite tensors are nested too deep"));
        }
        Some(Wire::CompositeTensor(c)) => {
            let spec = c.type_spec.as_ref();
            let class = spec.map_or("", |s| s.type_spec_class_name.as_str());
            let kind = match class {
                "" => spec.map_or("composite", |s| s.type_spec_class().as_str_name()),
                class => class,
            };
            let components = c.components.iter().map(|c| info(c, depth + 1));
            Encoding::Composite {
                kind: kind.to_string(),
                components: components.collect::<Result<_>>()?,
            }
        }
    };
    Ok(TensorInfo { name, tftype, shape: shape.unwrap_or_default(), encoding })
}

/// Checks that all tensors of the signatures are there and of the declared types.
pub(crate) fn check(
    signatures: &BTreeMap<String, SignatureDef>,
    graph: &Graph,
    problems: &mut Problems,
) {
    for (key, signature) in signatures {
        let inputs = signature.inputs.iter().map(|(k, i)| ("input", k, i));
        let outputs = signature.outputs.iter().map(|(k, i)| ("output", k, i));
        for (what, name, info) in inputs.chain(outputs) {
            for flat in info.flatten() {
                let checked = check_tensor(graph, &flat.name, flat.tftype).map_err(|e| {
                    e.context(format!("{what} {name}{}", flat.suffix))
                        .at(format!("signature {key}"))
                });
                problems.keep(checked);
            }
        }
    }
}

fn check_tensor(graph: &Graph, name: &str, declared: TfType) -> Result<()> {
    let endpoint = graph.find_tensor(name)?;
    let Some(got) = graph.output_type(endpoint) else { return Ok(()) };
    if declared != TfType::DtInvalid && tftype::base_type(declared) != tftype::base_type(got) {
        return Err(Error::invalid_argument(format!(
            "{name} is {}, but {} is declared",
            tftype::tf_name(got),
            tftype::tf_name(declared)
        )));
    }
    Ok(())
}

/// The node that initialises the model: out of the signature TensorFlow 2 writes, or one of the
/// two collections of TensorFlow 1.
pub(crate) fn init_op(meta: &pb::MetaGraphDef, graph: &Graph) -> Result<Option<NodeId>> {
    if let Some(signature) = meta.signature_def.get(INIT_KEY) {
        let place = |e: Error| e.at(format!("signature {INIT_KEY}"));
        let Some(info) = signature.outputs.get(INIT_KEY) else {
            let e = format!("it has no output called {INIT_KEY}");
            return Err(place(Error::failed_precondition(e)));
        };
        let name = match &info.encoding {
            Some(pb::tensor_info::Encoding::Name(name)) => name.as_str(),
            _ => "",
        };
        return node_of(graph, name).map(Some).map_err(place);
    }
    for collection in ["saved_model_main_op", "legacy_init_op"] {
        let Some(found) = meta.collection_def.get(collection) else { continue };
        let place = |e: Error| e.at(format!("collection {collection}"));
        let names = match &found.kind {
            Some(pb::collection_def::Kind::NodeList(list)) => list.value.as_slice(),
            _ => &[],
        };
        let [name] = names else {
            let e = format!("it lists {} nodes instead of one", names.len());
            return Err(place(Error::failed_precondition(e)));
        };
        return node_of(graph, name).map(Some).map_err(place);
    }
    Ok(None)
}

/// The node of a name that may have an output number behind it.
pub(crate) fn node_of(graph: &Graph, name: &str) -> Result<NodeId> {
    let (node, _) = tensor_name::split(name)?;
    graph.find_node(node)
}
