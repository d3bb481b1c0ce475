//! Nodes, edges, attributes and constants.

use super::*;

pub(super) const ROWS: &[Row] = &[
    (
        "duplicate node",
        |m| {
            let node = main_node(m, "VarHandleOp").clone();
            graph(m).node.push(node);
        },
        INVALID,
        "two nodes of one graph have the same name [at ",
    ),
    (
        "missing input",
        |m| main_node(m, "StatefulPartitionedCall").input[0] = "nowhere".into(),
        INVALID,
        "there is no node called nowhere [at StatefulPartitionedCall]",
    ),
    (
        "missing control input",
        |m| main_node(m, "NoOp").input.push("^nowhere".into()),
        INVALID,
        "there is no node called nowhere [at NoOp]",
    ),
    (
        "malformed input",
        |m| main_node(m, "StatefulPartitionedCall").input[0] = "x:y".into(),
        INVALID,
        "the input \"x:y\" is malformed",
    ),
    (
        "input after control input",
        |m| main_node(m, "StatefulPartitionedCall").input.insert(0, "^NoOp".into()),
        INVALID,
        "comes after a control input",
    ),
    (
        "output index",
        |m| main_node(m, "StatefulPartitionedCall").input[0] = "serving_default_x:1".into(),
        INVALID,
        "the input serving_default_x:1 is output 1 of a Placeholder node, which has 1",
    ),
    (
        "output of a function's node",
        |m| {
            function(m).node_def.iter_mut().for_each(|n| {
                n.input.iter_mut().for_each(|i| *i = i.replace(":product:", ":produkt:"));
            })
        },
        INVALID,
        "MatMul has no output called produkt",
    ),
    (
        "cycle",
        |m| {
            for (name, input) in [("p", "q"), ("q", "p")] {
                let mut node = pb::NodeDef {
                    name: name.into(),
                    op: "Identity".into(),
                    input: vec![input.into()],
                    ..Default::default()
                };
                set(&mut node, "T", Value::Type(1));
                graph(m).node.push(node);
            }
        },
        INVALID,
        "2 nodes form a cycle: p <- q <- p",
    ),
    ("no name", |m| main_node(m, "NoOp").name.clear(), INVALID, "with the op \"NoOp\" has no name"),
    ("no op", |m| main_node(m, "NoOp").op.clear(), INVALID, "the node has no op [at NoOp]"),
    ("odd name", |m| main_node(m, "NoOp").name = "^x".into(), INVALID, "may not start with ^"),
    ("unknown op", |m| matmul(m).op = "MatMull".into(), Code::NotFound, "did you mean MatMul?"),
    (
        "missing attribute",
        |m| drop(matmul(m).attr.remove("T")),
        INVALID,
        "the attribute T (type) of MatMul is missing [at MatMul in function",
    ),
    (
        "attribute of another kind",
        |m| set(matmul(m), "transpose_a", Value::I(3)),
        INVALID,
        "the attribute transpose_a is int 3, not bool",
    ),
    (
        "attribute without value",
        |m| drop(matmul(m).attr.insert("T".into(), pb::AttrValue { value: None })),
        INVALID,
        "the attribute T has no value",
    ),
    (
        "type that is not allowed",
        |m| set(matmul(m), "T", Value::Type(pb::DataType::DtString as i32)),
        INVALID,
        "the attribute T cannot be string",
    ),
    (
        "type number that is none",
        |m| set(matmul(m), "T", Value::Type(77)),
        INVALID,
        "77 is not the number of a type",
    ),
    (
        "reference type",
        |m| set(matmul(m), "T", Value::Type(pb::DataType::DtFloatRef as i32)),
        INVALID,
        "cannot be the type DT_FLOAT_REF",
    ),
    (
        "types of an edge",
        |m| set(matmul(m), "T", Value::Type(pb::DataType::DtInt64 as i32)),
        INVALID,
        "is DT_FLOAT, but DT_INT64 is expected",
    ),
    (
        "number of inputs",
        |m| matmul(m).input.truncate(1),
        INVALID,
        "it takes 2 inputs, 1 are given",
    ),
    (
        "list of types",
        |m| set(main_node(m, "StatefulPartitionedCall"), "Tin", Value::List(Box::default())),
        INVALID,
        "it takes 0 inputs, 3 are given",
    ),
    (
        "list of two kinds",
        |m| {
            let list = ListValue { i: vec![1], b: vec![true], ..Default::default() };
            set(main_node(m, "StatefulPartitionedCall"), "Tin", Value::List(Box::new(list)));
        },
        INVALID,
        "a list holds several kinds of values",
    ),
    (
        "number of outputs",
        |m| {
            let mut node =
                pb::NodeDef { name: "s".into(), op: "Split".into(), ..Default::default() };
            set(&mut node, "T", Value::Type(1));
            set(&mut node, "num_split", Value::I(1 << 40));
            graph(m).node.push(node);
        },
        EXHAUSTED,
        "the node has 1099511627776 outputs",
    ),
    (
        "placeholder shape",
        |m| set(main_node(m, "Placeholder"), "shape", Value::Shape(shape(&[-7]))),
        INVALID,
        "a shape has the extent -7",
    ),
    (
        "partial shape that overflows",
        |m| {
            let dims = shape(&[1 << 40, -1, 1 << 40]);
            set(main_node(m, "Placeholder"), "shape", Value::Shape(dims));
        },
        INVALID,
        "overflow when multiplied",
    ),
    (
        "huge constant",
        |m| float_const(m, &[1 << 31, 1 << 31, 1 << 31], |_| ()),
        EXHAUSTED,
        "[at c]",
    ),
    ("negative extent", |m| float_const(m, &[-5], |_| ()), INVALID, "the negative extent -5"),
    (
        "content of a constant",
        |m| float_const(m, &[4], |t| t.tensor_content = vec![0; 7].into()),
        INVALID,
        "takes 16 bytes, its content has 7 [at c]",
    ),
    (
        "too many values",
        |m| float_const(m, &[2], |t| t.float_val = vec![0.0; 3]),
        INVALID,
        "has 2 elements, the file lists 3",
    ),
    (
        "constant without a type",
        |m| float_const(m, &[], |t| t.dtype = 0),
        INVALID,
        "a constant cannot be of type DT_INVALID",
    ),
    (
        "constant of another type",
        |m| float_const(m, &[], |t| t.dtype = 3),
        INVALID,
        "the value is DT_INT32, the attribute dtype says DT_FLOAT",
    ),
    (
        "resource constant",
        |m| {
            let handle = pb::ResourceHandleProto { hash_code: 7, ..Default::default() };
            let tensor = pb::TensorProto {
                dtype: pb::DataType::DtResource as i32,
                resource_handle_val: vec![handle],
                ..Default::default()
            };
            unused_const(m, pb::DataType::DtResource, tensor);
        },
        INVALID,
        "a constant cannot be of type DT_RESOURCE",
    ),
];
