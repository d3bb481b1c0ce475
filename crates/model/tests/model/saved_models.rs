//! The sound models: what is in them, and what signatures become.

use tfjit_base::Code;
use tfjit_model::{Function, ReadOptions, TfType, read, read_saved_model_meta};

use crate::fixtures::{Folder, load, path};

/// Parameters and results as text.
fn interface(f: &Function) -> String {
    let params = f.params.iter().map(|p| format!("{}: {:?}{}", p.name, p.tftype, p.shape));
    let results = f.results.iter().map(|r| format!("{}: {:?}{}", r.name, r.tftype, r.shape));
    let (params, results): (Vec<_>, Vec<_>) = (params.collect(), results.collect());
    format!("({}) -> ({})", params.join(", "), results.join(", "))
}

#[test]
fn a_dense_layer() {
    let model = load("mlp");
    assert_eq!(model.tags, ["serve"]);
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    let f = model.signature_function("serving_default").unwrap();
    assert_eq!(interface(&f), "(x: DtFloat[?,3]) -> (y: DtFloat[?,2])");
    // Parameter, two handles and the call; nothing of saving and restoring.
    let ops: Vec<&str> = f.graph.iter().map(|(_, n)| &*n.op).collect();
    assert_eq!(ops, ["_Arg", "VarHandleOp", "VarHandleOp", "StatefulPartitionedCall"]);
    let values: Vec<_> = model
        .variables
        .iter()
        .map(|v| (v.name.as_str(), v.value.as_ref().unwrap().to_f64s().unwrap()))
        .collect();
    assert_eq!(values, [("b", vec![0.5, -0.5]), ("w", vec![-2.0, -1.0, 0.0, 1.0, 2.0, 3.0])]);
    assert_eq!(model.variables[1].checkpoint_key.as_deref(), Some("w/.ATTRIBUTES/VARIABLE_VALUE"));
    assert!(model.restore.as_ref().is_some_and(|r| r.only_variables));
}

#[test]
fn functions_have_typed_parameters_and_flat_outputs() {
    let model = load("counter");
    let f = model.signature_function("serving_default").unwrap();
    assert_eq!(interface(&f), "(x: DtFloat[2]) -> (n: DtInt64[], sum: DtFloat[2])");
    let call = f.graph.iter().find(|(_, n)| &*n.op == "StatefulPartitionedCall").unwrap().1;
    let callee = model.library.get(&call.attr_func("f").unwrap().name).unwrap();
    assert_eq!(callee.params[0].tftype, TfType::DtFloat);
    assert_eq!(callee.params[1].tftype, TfType::DtResource);
    assert_eq!(callee.params[1].handle[0].0, TfType::DtInt64);
    let first = callee.param_node(0).unwrap();
    assert_eq!(&*callee.graph[first].op, "_Arg");
    assert!(callee.stateful && !callee.control_results.is_empty());
    let second = callee.results.iter().map(|r| r.endpoint.output).max();
    assert!(second.is_some());
}

#[test]
fn an_asset_feeds_the_initialiser() {
    let model = load("vocab");
    assert_eq!(model.assets.len(), 1);
    assert_eq!(model.assets[0].filename, "words.txt");
    assert!(model.assets[0].path.ends_with("assets/words.txt"));
    let init = model.init_function().unwrap().unwrap();
    assert_eq!(init.params.len(), 1);
    assert_eq!(init.params[0].tftype, TfType::DtString);
    assert_eq!(init.control_results.len(), 1);
    let f = model.signature_function("serving_default").unwrap();
    assert_eq!(interface(&f), "(words: DtString[?]) -> (ids: DtInt64[?])");
}

#[test]
fn a_partitioned_variable_of_tensorflow_1() {
    let model = load("v1");
    let values: Vec<_> = model
        .variables
        .iter()
        .map(|v| (v.name.as_str(), v.is_ref, v.value.as_ref().unwrap().to_f64s().unwrap()))
        .collect();
    let want = [
        ("b", true, vec![1.0, -1.0]),
        ("w/part_0", true, vec![0.0, 1.0, 2.0, 3.0]),
        ("w/part_1", true, vec![4.0, 5.0, 6.0, 7.0]),
        ("w/part_2", true, vec![8.0, 9.0, 10.0, 11.0]),
    ];
    assert_eq!(values, want);
    assert_eq!(model.variables[2].checkpoint_key.as_deref(), Some("w"));
    assert!(model.init_op.is_some());
    let f = model.signature_function("serving_default").unwrap();
    assert_eq!(interface(&f), "(x: DtFloat[?,3]) -> (y: DtFloat[?,2])");
}

#[test]
fn signatures_are_cut_from_the_main_graph() {
    let model = load("v1");
    let names = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
    // A feed in the middle: what is in front of it is not needed.
    let f =
        model.function_from_tensors(&names(&["x", "y/MatMul:0"]), &names(&["y:0"]), &[]).unwrap();
    assert_eq!(
        interface(&f),
        "(x: DtFloat[?,3], y/MatMul:0: DtFloat<unknown>) -> (y:0: DtFloat<unknown>)"
    );
    assert!(f.graph.iter().all(|(_, n)| !n.name.starts_with("w/")), "{}", f.graph);
    // A feed that is also fetched.
    let f = model.function_from_tensors(&names(&["x"]), &names(&["x:0"]), &[]).unwrap();
    assert_eq!((f.graph.len(), f.results[0].endpoint.node), (1, f.params[0].node));
    // Nodes to run besides.
    let f = model.function_from_tensors(&[], &[], &names(&["init"])).unwrap();
    assert_eq!(f.control_results.len(), 1);
    for (feeds, fetches, want) in [
        (&["xx"][..], &["y"][..], "no node called \"xx\""),
        (&["x:1"], &["y"], "x is a Placeholder node with 1 outputs"),
        (&["x", "x:0"], &["y"], "are the same tensor"),
        (&[], &["y"], "the placeholder x is needed but no input feeds it"),
        (&["x"], &["y:"], "no name of a tensor"),
    ] {
        let e = model.function_from_tensors(&names(feeds), &names(fetches), &[]).unwrap_err();
        assert!(e.to_string().contains(want), "{e}");
    }
}

#[test]
fn an_unknown_signature_lists_the_known_ones() {
    let e = load("mlp").signature_function("serving_defualt").unwrap_err();
    assert_eq!(e.code(), Code::NotFound);
    let text = e.to_string();
    assert!(text.contains("there are serving_default; did you mean serving_default?"), "{text}");
}

#[test]
fn a_summary_touches_no_variables() {
    let folder = Folder::copy_of("mlp");
    std::fs::remove_dir_all(folder.0.join("variables")).unwrap();
    let summary = read_saved_model_meta(&folder.0).unwrap();
    let meta = &summary.meta_graphs[0];
    assert_eq!(meta.tags, ["serve"]);
    assert_eq!(meta.signatures.keys().collect::<Vec<_>>(), ["serving_default"]);
    assert_eq!(meta.ops["MatMul"], 1);
    assert!(meta.objects.is_some());
}

#[test]
fn tags_choose_the_meta_graph() {
    let tags = |tags: &[&str]| ReadOptions {
        tags: Some(tags.iter().map(|t| t.to_string()).collect()),
        format: None,
    };
    assert!(read(&path("mlp"), &tags(&["serve"])).is_ok());
    let e = read(&path("mlp"), &tags(&["train"])).unwrap_err().to_string();
    assert!(e.contains("no meta graph has the tags {train}; there are {serve}"), "{e}");
}

#[test]
fn other_formats_say_what_to_do() {
    let folder = Folder::new();
    for (name, bytes, want) in [
        ("m.keras", &b"PK\x03\x04"[..], "model.export"),
        ("m.bin", b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        ("m.tflite", b"abcdTFL3", "TensorFlow Lite"),
        ("m.onnx", b"\x08\x07", "an ONNX file"),
        ("saved_model.cpb", b"riegeli", "split into chunks"),
        ("empty.pb", b"", "the file is empty"),
        ("text.pbtxt", b"node { name: 'x' opp: 'NoOp' }", "1:18: tensorflow.NodeDef has no field"),
        ("cut.pb", b"\x0a\x7f\x0a", "no sound GraphDef"),
    ] {
        folder.write(name, bytes);
        let e = read(&folder.0.join(name), &ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains(want), "{name}: {e}");
    }
    let e = read(&folder.0, &ReadOptions::default()).unwrap_err().to_string();
    assert!(e.contains("split into chunks"), "{e}");
    let e = read(&path(""), &ReadOptions::default()).unwrap_err().to_string();
    assert!(e.contains("holds no saved_model.pb; there is one in"), "{e}");
}
