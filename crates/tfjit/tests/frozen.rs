//! Frozen variables: constants of what is compiled until somebody may write them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::{Arc, Mutex};

use tfjit::{Code, Model, Observer, Options, Result, Session, Shape, Tensor};

/// Two variables; `y = x * v + w`, and an assignment to `w`.
const GRAPH: &str = r#"
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "v" op: "VarHandleOp"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "w" op: "VarHandleOp"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "read_v" op: "ReadVariableOp" input: "v"
  attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "w_again" op: "Identity" input: "w" attr { key: "T" value { type: DT_RESOURCE } } }
node { name: "read_w" op: "ReadVariableOp" input: "w_again"
  attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "xv" op: "Mul" input: "x" input: "read_v"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y" op: "AddV2" input: "xv" input: "read_w"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "put" op: "AssignVariableOp" input: "w_again" input: "x"
  attr { key: "dtype" value { type: DT_FLOAT } } }
versions { producer: 1882 }
"#;

fn pair(a: f32, b: f32) -> Tensor {
    Tensor::from_slice(Shape::new(&[2]), &[a, b]).unwrap()
}

/// Keeps the lowered programs.
#[derive(Default)]
struct Programs(Mutex<Vec<String>>);

impl Observer for Programs {
    fn product(&self, stage: &str, _: &str, text: &str) -> Result<()> {
        if stage == "lower" {
            self.0.lock().unwrap().push(text.to_owned());
        }
        Ok(())
    }
}

fn session(options: &Options) -> Session {
    let mut model = tfjit_model::from_graph_text(GRAPH).unwrap();
    assert_eq!(model.variables.len(), 2);
    for variable in &mut model.variables {
        variable.value = Some(if variable.name == "v" { pair(3.0, 4.0) } else { pair(0.5, 0.5) });
    }
    Model::from_raw(model).session(options).unwrap()
}

fn observed(freeze_variables: bool) -> (Session, Arc<Programs>) {
    let programs = Arc::new(Programs::default());
    let observer = Some(Arc::clone(&programs) as Arc<dyn Observer>);
    (session(&Options { freeze_variables, observer, ..Options::default() }), programs)
}

fn y(session: &Session, x: Tensor) -> Vec<f32> {
    let signature = session.function(&["x".into()], &["y".into()], &[]).unwrap();
    signature.run(&[("x", x)]).unwrap().values[0].1.to_vec().unwrap()
}

/// Parameters of the program that was compiled last.
fn parameters(programs: &Programs) -> usize {
    let programs = programs.0.lock().unwrap();
    let head = programs.last().unwrap().lines().find(|l| l.contains("func.func")).unwrap();
    head.split("->").next().unwrap().matches(": tensor<").count()
}

#[test]
fn variables_that_nothing_writes_are_constants_if_the_option_says_so() {
    for (freeze, count) in [(true, 1), (false, 3)] {
        let (session, programs) = observed(freeze);
        assert_eq!(y(&session, pair(1.0, 2.0)), [3.5, 8.5]);
        assert_eq!(parameters(&programs), count, "freeze {freeze}");
        assert_eq!(y(&session, pair(0.0, 0.0)), [0.5, 0.5]);
        assert_eq!(session.cache().misses, 1);
    }
}

#[test]
fn an_assignment_through_the_session_is_seen_by_the_next_run() {
    let (session, programs) = observed(true);
    let signature = session.function(&["x".into()], &["y".into()], &[]).unwrap();
    let run = || signature.run(&[("x", pair(1.0, 1.0))]).unwrap().values[0].1.clone();
    assert_eq!(run(), pair(3.5, 4.5));
    session.assign("v", pair(10.0, 20.0)).unwrap();
    assert_eq!(run(), pair(10.5, 20.5));
    // The other one is a constant still.
    assert_eq!(parameters(&programs), 2);
    session.assign("v", pair(1.0, 1.0)).unwrap();
    assert_eq!(run(), pair(1.5, 1.5));
    assert_eq!(session.cache().misses, 2);
    let missing = session.assign("nothing", pair(0.0, 0.0)).unwrap_err();
    assert_eq!(missing.code(), Code::NotFound);
    let wrong = session.assign("v", Tensor::scalar(1i32)).unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidArgument);
    assert_eq!(run(), pair(1.5, 1.5));
}

#[test]
fn what_a_new_function_may_write_is_a_variable_from_then_on() {
    let (session, programs) = observed(true);
    let read = session.function(&["x".into()], &["y".into()], &[]).unwrap();
    let run = || read.run(&[("x", pair(0.0, 0.0))]).unwrap().values[0].1.clone();
    assert_eq!(run(), pair(0.5, 0.5));
    let write = session.function(&["x".into()], &[], &["put".into()]).unwrap();
    write.run(&[("x", pair(7.0, 8.0))]).unwrap();
    assert_eq!(run(), pair(7.0, 8.0));
    assert_eq!(parameters(&programs), 2);
    let values = session.variables();
    let w = values.iter().find(|(name, _)| name == "w").unwrap();
    assert_eq!(w.1, Some(pair(7.0, 8.0)));
}

#[test]
fn a_constant_shares_the_memory_of_the_variable() {
    let bytes = tfjit_base::AlignedBytes::zeroed(1 << 20).unwrap();
    let value = Tensor::new(tfjit::DType::F32, Shape::new(&[1 << 18]), bytes).unwrap();
    let mut model = tfjit_model::from_graph_text(GRAPH).unwrap();
    for variable in &mut model.variables {
        variable.value = Some(value.clone());
        variable.shape = tfjit::PartialShape::known(value.shape());
    }
    let session = Model::from_raw(model).session(&Options::default()).unwrap();
    let signature = session.function(&["x".into()], &["y".into()], &[]).unwrap();
    let modules = signature.programs(&[("x", Tensor::scalar(1.0f32))]).unwrap();
    let func = modules[0].entry().unwrap();
    let shared = func.insts.iter().filter(|(_, inst)| match &inst.op {
        tfjit_hlo::Op::Constant(literal) => std::ptr::eq(literal.stored().bytes(), value.bytes()),
        _ => false,
    });
    assert!(shared.count() >= 1);
}
