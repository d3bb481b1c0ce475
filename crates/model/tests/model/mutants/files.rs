//! Versions, tags, signatures, assets, variables.

use super::*;

pub(super) const ROWS: &[Row] = &[
    ("no meta graph", |m| m.meta_graphs.clear(), INVALID, "has no meta graph"),
    ("no graph", |m| m.meta_graphs[0].graph_def = None, INVALID, "the meta graph has no graph"),
    (
        "future schema",
        |m| m.saved_model_schema_version = 99,
        Code::FailedPrecondition,
        "schema version 99",
    ),
    (
        "no tags",
        |m| m.meta_graphs[0].meta_info_def.as_mut().unwrap().tags.clear(),
        Code::NotFound,
        "no meta graph has the tags {serve}; there are {}",
    ),
    (
        "newer reader wanted",
        |m| graph(m).versions.as_mut().unwrap().min_consumer = 99999,
        INVALID,
        "GraphDef version 99999 or later",
    ),
    (
        "initialiser without output",
        |m| {
            let init = m.meta_graphs[0].signature_def.get_mut("__saved_model_init_op").unwrap();
            init.outputs.clear();
        },
        Code::FailedPrecondition,
        "it has no output called __saved_model_init_op",
    ),
    (
        "initialiser that is not there",
        |m| {
            let init = m.meta_graphs[0].signature_def.get_mut("__saved_model_init_op").unwrap();
            let info = init.outputs.values_mut().next().unwrap();
            info.encoding = Some(pb::tensor_info::Encoding::Name("NoOpp".into()));
        },
        Code::NotFound,
        "did you mean NoOp?",
    ),
    (
        "signature of a tensor that is not there",
        |m| {
            let info = signature(m).outputs.values_mut().next().unwrap();
            info.encoding = Some(pb::tensor_info::Encoding::Name("nope:0".into()));
        },
        Code::NotFound,
        "output y: the graph has no node called \"nope\" [at signature serving_default]",
    ),
    (
        "signature of an output that is not there",
        |m| {
            let info = signature(m).outputs.values_mut().next().unwrap();
            let name = "StatefulPartitionedCall:7".to_string();
            info.encoding = Some(pb::tensor_info::Encoding::Name(name));
        },
        INVALID,
        "node with 1 outputs, StatefulPartitionedCall:7 is none",
    ),
    (
        "signature of another type",
        |m| signature(m).inputs.values_mut().next().unwrap().dtype = 3,
        INVALID,
        "serving_default_x:0 is DT_FLOAT, but DT_INT32 is declared",
    ),
    (
        "signature without a name",
        |m| signature(m).inputs.values_mut().next().unwrap().encoding = None,
        INVALID,
        "input x: \"\" is no name of a tensor",
    ),
    (
        "restore op that is not there",
        |m| m.meta_graphs[0].saver_def.as_mut().unwrap().restore_op_name = "nope".into(),
        Code::NotFound,
        "no node called \"nope\" [at saver_def]",
    ),
    (
        "asset that leads out",
        |m| {
            let name = pb::tensor_info::Encoding::Name("saver_filename:0".into());
            m.meta_graphs[0].asset_file_def.push(pb::AssetFileDef {
                tensor_info: Some(pb::TensorInfo { encoding: Some(name), ..Default::default() }),
                filename: "../../../../etc/passwd".into(),
            });
        },
        INVALID,
        "leads out of the model's folder",
    ),
    (
        "asset that is missing",
        |m| {
            let name = pb::tensor_info::Encoding::Name("saver_filename:0".into());
            m.meta_graphs[0].asset_file_def.push(pb::AssetFileDef {
                tensor_info: Some(pb::TensorInfo { encoding: Some(name), ..Default::default() }),
                filename: "nope.txt".into(),
            });
        },
        Code::NotFound,
        "nope.txt is missing",
    ),
    (
        "variable of another type than the checkpoint",
        |m| {
            graph(m).node.iter_mut().filter(|n| n.name.starts_with('w')).for_each(|n| {
                set(n, "dtype", Value::Type(pb::DataType::DtInt32 as i32));
            })
        },
        INVALID,
        "the checkpoint holds DT_FLOAT under \"w/.ATTRIBUTES/VARIABLE_VALUE\"",
    ),
    (
        "variable of another shape than the checkpoint",
        |m| {
            set(
                graph(m).node.iter_mut().find(|n| n.name == "w").unwrap(),
                "shape",
                Value::Shape(shape(&[2, 3])),
            )
        },
        INVALID,
        "holds the shape [3,2]",
    ),
];
