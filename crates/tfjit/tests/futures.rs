//! Runs that go on elsewhere.
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

use tfjit::{Code, Model, Options, Session, Shape, Signature, Tensor};

/// The sum of two vectors.
const GRAPH: &str = r#"
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "add" op: "AddV2" input: "x" input: "y"
  attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: 1882 }
"#;

fn session() -> Session {
    let model = tfjit_model::from_graph_text(GRAPH).unwrap();
    Model::from_raw(model).session(&Options::default()).unwrap()
}

fn signature(session: &Session) -> Signature {
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    session.function(&names(&["x:0", "y:0"]), &names(&["add:0"]), &[]).unwrap()
}

fn feeds(value: f32) -> Vec<(String, Tensor)> {
    let tensor = |v: f32| Tensor::from_slice(Shape::new(&[2]), &[v, v]).unwrap();
    vec![("x:0".to_owned(), tensor(value)), ("y:0".to_owned(), tensor(1.0))]
}

#[test]
fn many_runs_at_once_give_each_their_own_result() {
    let session = session();
    let signature = signature(&session);
    let futures: Vec<_> = (0..100).map(|i| signature.run_async(feeds(i as f32)).unwrap()).collect();
    for (i, future) in futures.into_iter().enumerate() {
        let outputs = future.wait().unwrap();
        let sum = outputs.values[0].1.to_vec::<f32>().unwrap();
        assert_eq!(sum, [i as f32 + 1.0; 2]);
    }
}

#[test]
fn errors_are_the_result() {
    let session = session();
    let signature = signature(&session);
    let future = signature.run_async(feeds(1.0)[..1].to_vec()).unwrap();
    assert_eq!(future.wait().unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn a_session_may_go_while_its_runs_go_on() {
    let session = session();
    let signature = signature(&session);
    let futures: Vec<_> = (0..50).map(|i| signature.run_async(feeds(i as f32)).unwrap()).collect();
    drop(signature);
    drop(session);
    for future in futures {
        assert!(future.wait().is_ok());
    }
}
