//! TF.js models as TensorFlow and protobuf's own library wrote them (`testdata/tfjs`).

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tfjit_base::Code;
use tfjit_proto::tensorflow::{AttrValue, NodeDef, TensorProto, attr_value, tensor_info};

use super::*;

mod hostile;

fn testdata(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tfjs").join(path)
}

/// A folder with a model of two constants, `a` (f32 [2]) and `b` (i32 []), that a test may change.
struct Small {
    dir: PathBuf,
    root: Value,
}

impl Small {
    fn new() -> Small {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("tfjit-tfjs-{}-{n}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let constant = |name: &str, dtype: &str, dim: Value| {
            json!({"name": name, "op": "Const", "attr": {"dtype": {"type": dtype},
                "value": {"tensor": {"dtype": dtype, "tensorShape": {"dim": dim}}}}})
        };
        let root = json!({
            "format": "graph-model",
            "modelTopology": {"node": [
                constant("a", "DT_FLOAT", json!([{"size": "2"}])),
                constant("b", "DT_INT32", json!([])),
            ]},
            "weightsManifest": [{"paths": ["w.bin"], "weights": [
                {"name": "a", "dtype": "float32", "shape": [2]},
                {"name": "b", "dtype": "int32", "shape": []},
            ]}],
        });
        let small = Small { dir, root };
        small.shard("w.bin", &[0, 0, 128, 63, 0, 0, 0, 64, 7, 0, 0, 0]);
        small
    }

    fn shard(&self, name: &str, bytes: &[u8]) {
        fs::write(self.dir.join(name), bytes).unwrap();
    }

    fn at(&mut self, pointer: &str) -> &mut Value {
        self.root.pointer_mut(pointer).unwrap()
    }

    fn read(&self) -> Result<TfjsModel> {
        parse(&self.dir, self.root.to_string().as_bytes())
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.dir).unwrap();
    }
}

fn value(node: &NodeDef) -> &TensorProto {
    match &node.attr["value"] {
        AttrValue { value: Some(attr_value::Value::Tensor(tensor)) } => tensor,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_type_is_read() {
    let model = read(&testdata("types/model.json")).unwrap();
    let want = fs::read(testdata("types/graph.pb")).unwrap();
    let want = GraphDef::decode(want.as_slice()).unwrap();
    assert_eq!(model.graph.node.len(), want.node.len());
    for (got, want) in model.graph.node.iter().zip(&want.node) {
        assert_eq!(got, want, "{}", got.name);
    }
    assert_eq!(model.graph, want, "functions and versions");
    assert_eq!(model.warnings, [""; 0]);
    assert_eq!(model.metadata.as_deref(), Some(r#"{"note":[1,"ü"]}"#));
    assert_eq!(model.converted_by, "make.py");
    assert_eq!(model.init_op, None);
}

#[test]
fn signatures_are_read() {
    let model = read(&testdata("types/model.json")).unwrap();
    let signature = &model.signatures[SIGNATURE_NAME];
    assert_eq!(signature.method_name, METHOD_NAME);
    let x = &signature.inputs["x"];
    assert_eq!((x.dtype, x.encoding.clone()), (1, Some(tensor_info::Encoding::Name("x:0".into()))));
    assert_eq!(x.tensor_shape.as_ref().unwrap().dim[0].size, -1);
    assert_eq!(signature.outputs.len(), 7);
    // Older converters put it into the metadata, or leave it out.
    let mut small = Small::new();
    assert!(small.read().unwrap().signatures.is_empty());
    assert_eq!(small.read().unwrap().warnings, ["the model has no signature"]);
    small.root["userDefinedMetadata"] = json!({"signature": {"outputs": {"o": {"name": "a:0"}}}});
    assert!(small.read().unwrap().signatures[SIGNATURE_NAME].outputs.contains_key("o"));
}

#[test]
fn aligned_weights_share_the_file() {
    let small = Small::new();
    let model = small.read().unwrap();
    let a = value(&model.graph.node[0]);
    assert_eq!(a.tensor_content.as_ptr() as usize % 4096, 0, "mapped, not copied");
    assert_eq!(a.tensor_content.as_ref(), [0, 0, 128, 63, 0, 0, 0, 64]);
    // One byte further, and it is a copy in an aligned place.
    let mut small = Small::new();
    small.shard("w.bin", &[1, 0, 0, 128, 63, 0, 0, 0, 64, 7, 0, 0, 0]);
    small
        .at("/weightsManifest/0/weights")
        .as_array_mut()
        .unwrap()
        .insert(0, json!({"name": "c", "dtype": "bool", "shape": [1]}));
    let model = small.read().unwrap();
    let a = value(&model.graph.node[0]);
    assert_eq!(a.tensor_content.as_ptr() as usize % 64, 0);
    assert_eq!(a.tensor_content.as_ref(), [0, 0, 128, 63, 0, 0, 0, 64]);
    assert_eq!(model.warnings[..1], ["1 weights belong to no constant: c"]);
}

#[test]
fn narrowed_weights_are_widened() {
    for (stored, dtype, bytes, want) in [
        (
            "int32",
            "DT_INT64",
            [254, 255, 255, 255],
            Ok(vec![254, 255, 255, 255, 255, 255, 255, 255]),
        ),
        ("int32", "DT_UINT32", [254, 255, 255, 255], Ok(vec![254, 255, 255, 255])),
        ("int32", "DT_UINT8", [254, 0, 0, 0], Ok(vec![254])),
        ("int32", "DT_QINT8", [254, 255, 255, 255], Ok(vec![254])),
        ("int32", "DT_UINT8", [0, 1, 0, 0], Err("an element of the weight does not fit u8")),
        ("int32", "DT_UINT64", [255; 4], Err("does not fit u64")),
        ("float32", "DT_DOUBLE", [0, 0, 128, 63], Ok(vec![0, 0, 0, 0, 0, 0, 240, 63])),
        ("float32", "DT_HALF", [0, 0, 128, 63], Ok(vec![0, 60])),
        ("float32", "DT_BFLOAT16", [0, 0, 128, 63], Ok(vec![128, 63])),
        ("float32", "DT_INT32", [0; 4], Err("the constant is of type i32, its weight of type f32")),
        ("int32", "DT_RESOURCE", [0; 4], Err("a constant cannot be of type DT_RESOURCE")),
        ("int32", "DT_INT32_REF", [0; 4], Err("a constant cannot be of type DT_INT32_REF")),
    ] {
        let mut small = Small::new();
        small.shard("w.bin", &[&[0; 8][..], &bytes].concat());
        *small.at("/modelTopology/node/1/attr/dtype/type") = json!(dtype);
        *small.at("/weightsManifest/0/weights/1/dtype") = json!(stored);
        let got = small.read().map(|model| value(&model.graph.node[1]).tensor_content.to_vec());
        match (got, want) {
            (Ok(got), Ok(want)) => assert_eq!(got, want, "{dtype}"),
            (Err(got), Err(want)) => assert!(got.to_string().contains(want), "{got}"),
            (got, want) => panic!("{dtype}: {got:?}, not {want:?}"),
        }
    }
}

#[test]
fn initializers_join_the_graph() {
    let mut small = Small::new();
    let b = small.at("/modelTopology/node/1").clone();
    let table = |name: &str| json!({"name": name, "op": "HashTableV2", "attr": {}});
    small.at("/modelTopology/node").as_array_mut().unwrap().extend([
        table("t"),
        json!({"name": "tables/p", "op": "Placeholder",
            "attr": {"dtype": {"type": "DT_RESOURCE"}}}),
        json!({"name": "x", "op": "NoOp"}),
    ]);
    small.root["modelInitializer"] = json!({"node": [
        b, table("t"), table("u"), {"name": "x", "op": "Fill", "input": ["b", "b:0"]},
        {"name": "i", "op": "LookupTableImportV2", "input": ["t", "x:0", "b"]},
        {"name": "j", "op": "LookupTableImportV2", "input": ["u", "x", "b", "^x"]},
    ]});
    small.root["signature"] = json!({"inputs": {
        "in": {"name": "a:0", "dtype": "DT_FLOAT"},
        "p": {"name": "tables/p:0", "dtype": "DT_RESOURCE", "resourceId": 7},
        "q": {"name": "a:0", "resourceId": 8}}});
    small.root["initializerSignature"] = json!({"outputs": {
        "t": {"name": "t:0", "resourceId": 3},
        "u:0": {"dtype": "DT_RESOURCE", "resourceId": "7"}}});
    let model = small.read().unwrap();
    let line = |n: &NodeDef| format!("{} = {}({})", n.name, n.op, n.input.join(", "));
    assert_eq!(
        model.graph.node.iter().map(line).collect::<Vec<_>>(),
        [
            "a = Const()",
            "b = Const()",
            "t = HashTableV2()",
            "tables/p = Identity(u:0)",
            "x = NoOp()",
            "u = HashTableV2()",
            "x/initializer = Fill(b, b:0)",
            "i = LookupTableImportV2(t, x/initializer:0, b)",
            "j = LookupTableImportV2(u, x/initializer, b, ^x/initializer)",
            "tfjs/initializer = NoOp(^i, ^j)",
        ]
    );
    assert_eq!(model.init_op.as_deref(), Some("tfjs/initializer"));
    let inputs: Vec<_> = model.signatures[SIGNATURE_NAME].inputs.keys().cloned().collect();
    assert_eq!(inputs, ["in", "q"]);
    let meta = model.into_meta_graph();
    let kind = meta.collection_def[INIT_COLLECTION].kind.as_ref().unwrap();
    assert!(format!("{kind:?}").contains("tfjs/initializer"));
}

#[test]
fn initializers_may_be_empty() {
    let mut small = Small::new();
    small.root["modelInitializer"] = json!({});
    assert_eq!(small.read().unwrap().init_op, None);
    // Its constants have weights as those of the graph do.
    let b = small.at("/modelTopology/node").as_array_mut().unwrap().pop().unwrap();
    small.root["modelInitializer"] = json!({"node": [b]});
    let model = small.read().unwrap();
    assert_eq!(value(&model.graph.node[1]).tensor_content.as_ref(), [7, 0, 0, 0]);
    // Of its functions only those it calls count.
    let library = |op: &str| {
        let body = json!([{"name": "n", "op": op}]);
        json!({"function": [{"signature": {"name": "f"}, "nodeDef": body},
            {"signature": {"name": "g"}, "nodeDef": [{"name": "n", "op": "f"}]}]})
    };
    small.root["modelTopology"]["library"] = library("A");
    small.root["modelInitializer"]["library"] = library("Const");
    let functions = |small: &Small| small.read().map(|m| m.graph.library.unwrap().function.len());
    assert_eq!(functions(&small), Ok(2));
    small.root["modelInitializer"]["library"] = library("B");
    let call = json!({"then_branch": {"func": {"name": "g"}}});
    let call = json!({"name": "c", "op": "StatelessIf", "attr": call});
    small.at("/modelInitializer/node").as_array_mut().unwrap().push(call);
    assert_eq!(functions(&small).unwrap_err().node(), Some("f"));
    small.root["modelInitializer"]["library"] = library("A");
    assert_eq!(functions(&small), Ok(2));
    small.root["modelTopology"]["library"] = json!({});
    assert_eq!(functions(&small), Ok(2));
}

#[test]
fn constants_may_hold_their_value() {
    let mut small = Small::new();
    small.at("/weightsManifest/0/weights").as_array_mut().unwrap().pop();
    let e = small.read().unwrap_err();
    assert_eq!(
        (e.node(), e.message()),
        (Some("b"), "the constant has no weight in weightsManifest")
    );
    *small.at("/modelTopology/node/1/attr/value/tensor") =
        json!({"dtype": "DT_INT32", "intVal": [5]});
    let model = small.read().unwrap();
    assert_eq!(value(&model.graph.node[1]).int_val, [5]);
    assert_eq!(model.warnings[..1], ["4 bytes behind the last weight of a group (a ...)"]);
    *small.at("/modelTopology/node/1/attr/value/tensor") =
        json!({"dtype": "DT_INT32", "tensorShape": {"dim": [{"size": 3}, {}]}});
    assert!(small.read().is_ok(), "nothing is what an empty constant holds");
}

#[test]
fn other_formats_are_told() {
    let tell = |root: Value| parse(Path::new(""), root.to_string().as_bytes()).unwrap_err();
    for root in [
        json!({"format": "layers-model", "modelTopology": {}}),
        json!({"modelTopology": {"class_name": "Model", "config": {}}}),
        json!({"modelTopology": {"model_config": {}, "keras_version": "2.4"}}),
    ] {
        let e = tell(root);
        assert_eq!(e.code(), Code::Unimplemented);
        assert!(e.hint().unwrap().contains("tfjs_layers_model"), "{e}");
    }
    assert_eq!(tell(json!({"format": "hypermodel"})).code(), Code::Unimplemented);
    assert!(tell(json!({"a": 1})).message().contains("no modelTopology"));
    assert!(tell(json!([])).message().contains("no modelTopology"));
    assert!(tell(json!({"modelTopology": {}})).message().contains("has no nodes"));
    assert!(parse(Path::new(""), b"\x08\x01").unwrap_err().message().contains("this is not JSON"));
    assert_eq!(read(Path::new("/nowhere/model.json")).unwrap_err().code(), Code::NotFound);
}
