//! Graphs written as text: how inputs, lists, references and functions resolve.

use tfjit_model::from_graph_text;

const T: &str = "attr { key: 'T' value { type: DT_FLOAT } }";

fn placeholder(name: &str) -> String {
    format!(
        "node {{ name: '{name}' op: 'Placeholder'
           attr {{ key: 'dtype' value {{ type: DT_FLOAT }} }} }}"
    )
}

#[test]
fn lists_are_flat_and_defaults_filled() {
    let text = format!(
        "{} {} node {{ name: 'n' op: 'IdentityN' input: ['a', 'b']
           attr {{ key: 'T' value {{ list {{ type: [DT_FLOAT, DT_FLOAT] }} }} }} }}
         node {{ name: 's' op: 'AddN' input: ['n:1', 'n', '^a'] {T}
           attr {{ key: 'N' value {{ i: 2 }} }} }}
         node {{ name: 'm' op: 'MatMul' input: ['s', 'n:1'] {T} }}",
        placeholder("a"),
        placeholder("b")
    );
    let model = from_graph_text(&text).unwrap();
    let text = model.graph.to_string();
    let want = "\
n0 a = Placeholder() {dtype=float, shape=<unknown>} -> float
n1 b = Placeholder() {dtype=float, shape=<unknown>} -> float
n2 n = IdentityN(n0:0, n1:0) {T=[float,float]} -> float,float
n3 s = AddN(n2:1, n2:0, ^n0) {N=2, T=float} -> float
n4 m = MatMul(n3:0, n2:1) {T=float, grad_a=false, grad_b=false, transpose_a=false, \
transpose_b=false} -> float
";
    assert_eq!(text, want);
    let n = &model.graph[model.graph.find("n").unwrap()];
    assert_eq!(n.input_span("input"), Some(0..2));
    assert_eq!(n.output_span("output"), Some(0..2));
}

#[test]
fn references_are_read_but_not_made() {
    let variable =
        "node { name: 'v' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } }
        attr { key: 'shape' value { shape { } } } }";
    let assign = |to: &str| {
        format!(
            "{variable} {} node {{ name: 's' op: 'Assign' input: ['{to}', 'a'] {T} }}",
            placeholder("a")
        )
    };
    let model = from_graph_text(&assign("v")).unwrap();
    assert!(model.variables[0].is_ref);
    let read = format!("{variable} node {{ name: 'r' op: 'Identity' input: 'v' {T} }}");
    assert!(from_graph_text(&read).is_ok());
    let e = from_graph_text(&assign("a")).unwrap_err().to_string();
    assert!(e.contains("is DT_FLOAT, but DT_FLOAT_REF is expected"), "{e}");
}

#[test]
fn functions_are_called_by_attribute_and_by_name() {
    let function = format!(
        "library {{ function {{
           signature {{ name: 'f' input_arg {{ name: 'x' type: DT_FLOAT }}
             output_arg {{ name: 'first' type: DT_FLOAT }}
             output_arg {{ name: 'second' type: DT_FLOAT }} }}
           node_def {{ name: 'two' op: 'Unpack' input: 'x' {T}
             attr {{ key: 'num' value {{ i: 2 }} }} }}
           ret {{ key: 'first' value: 'two:output:1' }} ret {{ key: 'second' value: 'x' }} }} }}"
    );
    let by_name = format!(
        "{function} {} node {{ name: 'c' op: 'f' input: 'a' }}
         node {{ name: 'r' op: 'Relu' input: 'c:1' {T} }}",
        placeholder("a")
    );
    let model = from_graph_text(&by_name).unwrap();
    let f = model.library.get("f").unwrap();
    assert_eq!(f.results[0].endpoint.output, 1);
    assert_eq!(f.results[1].endpoint.node, f.params[0].node);
    let c = &model.graph[model.graph.find("c").unwrap()];
    assert_eq!((c.output_types.len(), c.callees(&model.library)), (2, vec!["f"]));
    let wrong = by_name.replace("'c:1'", "'c:2'");
    let e = from_graph_text(&wrong).unwrap_err().to_string();
    assert!(e.contains("the input c:2 is output 2 of a f node, which has 2"), "{e}");
}

#[test]
fn loops_of_tensorflow_1_are_no_cycles() {
    let text = format!(
        "{} node {{ name: 'enter' op: 'Enter' input: 'a' {T}
           attr {{ key: 'frame_name' value {{ s: 'w' }} }} }}
         node {{ name: 'merge' op: 'Merge' input: ['enter', 'next'] {T}
           attr {{ key: 'N' value {{ i: 2 }} }} }}
         node {{ name: 'next' op: 'NextIteration' input: 'merge' {T} }}",
        placeholder("a")
    );
    let model = from_graph_text(&text).unwrap();
    assert_eq!(model.graph.topological_order().unwrap().len(), 4);
    let f = model.function_from_tensors(&["a".into()], &["merge".into()], &[]).unwrap();
    assert_eq!(f.graph.len(), 4);
}

#[test]
fn generic_functions_are_refused_when_they_are_called() {
    let text = format!(
        "library {{ function {{
           signature {{ name: 'g' input_arg {{ name: 'x' type_attr: 'T' }}
             output_arg {{ name: 'y' type_attr: 'T' }} attr {{ name: 'T' type: 'type' }} }}
           node_def {{ name: 'i' op: 'Identity' input: 'x'
             attr {{ key: 'T' value {{ placeholder: 'T' }} }} }}
           ret {{ key: 'y' value: 'i:output:0' }} }} }}
         {} node {{ name: 'c' op: 'g' input: 'a' {T} }}",
        placeholder("a")
    );
    let model = from_graph_text(&text).unwrap();
    assert_eq!(model.warnings, ["the function g is generic over types and was left out"]);
    let e = model.function_from_tensors(&["a".into()], &["c".into()], &[]).unwrap_err();
    assert_eq!(e.code(), tfjit_base::Code::Unimplemented, "{e}");
}

#[test]
fn forms_of_older_writers_are_read() {
    let fused = format!(
        "{} {} {} node {{ name: 'c' op: '_FusedConv2D' input: ['x', 'w', 'b'] {T}
           attr {{ key: 'num_args' value {{ i: 1 }} }}
           attr {{ key: 'strides' value {{ list {{ i: [1, 1, 1, 1] }} }} }}
           attr {{ key: 'padding' value {{ s: 'SAME' }} }}
           attr {{ key: 'fused_ops' value {{ list {{ s: 'BiasAdd' }} }} }} }}",
        placeholder("x"),
        placeholder("w"),
        placeholder("b")
    );
    let model = from_graph_text(&fused).unwrap();
    let c = &model.graph[model.graph.find("c").unwrap()];
    assert_eq!(c.attr_types("TArgs").unwrap().len(), 1);
    let scalar = |producer: i32| {
        let text = format!(
            "node {{ name: 'x' op: 'Placeholder'
               attr {{ key: 'dtype' value {{ type: DT_FLOAT }} }}
               attr {{ key: 'shape' value {{ shape {{ }} }} }} }}
             versions {{ producer: {producer} }}"
        );
        let model = from_graph_text(&text).unwrap();
        let f = model.function_from_tensors(&["x".into()], &["x".into()], &[]).unwrap();
        f.params[0].shape.to_string()
    };
    assert_eq!((scalar(23), scalar(24)), ("<unknown>".into(), "[]".into()));
}
