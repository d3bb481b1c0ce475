//! What is written reads back as the same graph.

use tfjit_model::{Model, from_graph_def, write};
use tfjit_proto::Message;
use tfjit_proto::tensorflow::GraphDef;

use crate::fixtures::load;

/// Everything the text of graphs shows.
fn show(model: &Model) -> String {
    let mut out = model.graph.to_string();
    for f in model.library.iter() {
        out.push_str(&format!("{} {:?} {:?}\n", f.name, f.attrs, f.stateful));
        for p in &f.params {
            out.push_str(&format!(
                "  {} {:?} {:?} {:?} {}\n",
                p.name, p.tftype, p.handle, p.attrs, p.node
            ));
        }
        for r in &f.results {
            out.push_str(&format!("  {} {:?} {}\n", r.name, r.tftype, r.endpoint));
        }
        out.push_str(&format!("  {:?}\n{}", f.control_results, f.graph));
    }
    out
}

#[test]
fn written_graphs_read_back_equal() {
    for name in ["mlp", "counter", "vocab", "v1"] {
        let model = load(name);
        let written = write::graph_def(&model.graph, &model.library).unwrap();
        let bytes = written.encode_to_vec();
        let again = from_graph_def(GraphDef::decode(bytes.as_slice()).unwrap()).unwrap();
        assert_eq!(show(&model), show(&again), "{name}");
        // Constants bit by bit.
        let constants = |m: &Model| {
            let nodes = m.graph.iter().map(|(_, n)| n.clone());
            nodes.filter_map(|n| n.attrs.attr_tensor("value").ok().cloned()).collect::<Vec<_>>()
        };
        assert_eq!(constants(&model), constants(&again), "{name}");
    }
}
