//! Kernels of TensorFlow's collective ops over devices of one process, and their lowering.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::sync::Arc;
use std::time::Duration;

use smallvec::smallvec;
use tfjit_base::{Code, DType, Result, Shape, Tensor};
use tfjit_launch::{CollectiveExecutor, GroupOptions, collective_kernel, transfer_kernel};
use tfjit_model::{AttrList, AttrValue, Attrs, Node, TfType, optable};
use tfjit_runtime::{Kernel, ResourceManager, StepContext, StepState, Value};

fn node(op: &str, attrs: Attrs) -> Node {
    Node {
        name: "n".into(),
        op: op.into(),
        device: "".into(),
        inputs: vec![],
        control_inputs: vec![],
        attrs,
        output_types: smallvec![TfType::DtFloat],
        def: optable::find(op),
    }
}

fn text(value: &str) -> AttrValue {
    AttrValue::Bytes(value.as_bytes().to_vec())
}

/// Attributes of a reduction.
fn reduction(merge: &str, last: &str) -> Attrs {
    Attrs::new()
        .with("T", AttrValue::Type(TfType::DtFloat))
        .with("merge_op", text(merge))
        .with("final_op", text(last))
}

fn device(rank: usize) -> String {
    format!("/job:localhost/replica:0/task:0/device:CPU:{rank}")
}

fn floats(values: &[f32]) -> Value {
    Value::Tensor(Tensor::from_slice(Shape::new(&[values.len()]), values).unwrap())
}

fn int(value: i32) -> Value {
    Value::Tensor(Tensor::scalar(value))
}

fn run(kernel: &dyn Kernel, inputs: &[Value]) -> Result<Vec<Value>> {
    let (resources, step) = (ResourceManager::default(), StepState::new());
    kernel.run(inputs, &StepContext::new(&resources, &step))
}

fn kernels(node: &Node, count: usize, executor: &Arc<CollectiveExecutor>) -> Vec<Box<dyn Kernel>> {
    let make = |rank| collective_kernel(node, &device(rank), executor).unwrap().unwrap();
    (0..count).map(make).collect()
}

/// Runs a kernel on each device at the same time.
fn all(kernels: &[Box<dyn Kernel>], inputs: &[Vec<Value>]) -> Vec<Result<Vec<f32>>> {
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (kernel, inputs) in kernels.iter().zip(inputs) {
            assert!(kernel.blocks());
            threads.push(scope.spawn(move || {
                let values = run(&**kernel, inputs)?;
                values[0].tensor()?.to_vec::<f32>()
            }));
        }
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn executor() -> Arc<CollectiveExecutor> {
    Arc::new(CollectiveExecutor::new(GroupOptions { timeout: Duration::from_secs(600) }))
}

#[test]
fn reductions_over_three_devices() {
    let rows = [[1.0f32, 2.0], [3.0, -4.0], [5.0, 9.0]];
    let cases = [
        ("Add", "Id", [9.0, 7.0]),
        ("Add", "Div", [3.0, 7.0 / 3.0]),
        ("Mul", "Id", [15.0, -72.0]),
        ("Min", "Id", [1.0, -4.0]),
        ("Max", "Id", [5.0, 9.0]),
    ];
    let executor = executor();
    for (instance, (merge, last, want)) in cases.into_iter().enumerate() {
        let node = node("CollectiveReduceV2", reduction(merge, last));
        let kernels = kernels(&node, 3, &executor);
        let inputs: Vec<Vec<Value>> = rows
            .iter()
            .map(|row| vec![floats(row), int(3), int(1), int(instance as i32)])
            .collect();
        // The same instance meets in every step.
        for _ in 0..5 {
            for result in all(&kernels, &inputs) {
                assert_eq!(result.unwrap(), want, "{merge} {last}");
            }
        }
    }
}

#[test]
fn attributes_describe_groups_too() {
    let attrs = reduction("Add", "Id")
        .with("group_size", AttrValue::Int(2))
        .with("group_key", AttrValue::Int(5))
        .with("instance_key", AttrValue::Int(6));
    let kernels = kernels(&node("CollectiveReduce", attrs), 2, &executor());
    let inputs = [vec![floats(&[1.0])], vec![floats(&[2.0])]];
    for result in all(&kernels, &inputs) {
        assert_eq!(result.unwrap(), [3.0]);
    }
}

#[test]
fn gathers_scatters_and_exchanges_follow_the_devices_order() {
    let executor = executor();
    let group = |row: &[f32], instance| vec![floats(row), int(2), int(1), int(instance)];
    let plain = Attrs::new().with("T", AttrValue::Type(TfType::DtFloat));
    let gather = kernels(&node("CollectiveGatherV2", plain.clone()), 2, &executor);
    for result in all(&gather, &[group(&[1.0, 2.0], 1), group(&[3.0, 4.0], 1)]) {
        assert_eq!(result.unwrap(), [1.0, 2.0, 3.0, 4.0]);
    }
    let scatter = node("CollectiveReduceScatterV2", reduction("Add", "Id"));
    let scatter = kernels(&scatter, 2, &executor);
    let results = all(&scatter, &[group(&[1.0, 2.0], 2), group(&[3.0, 4.0], 2)]);
    assert_eq!(results.into_iter().map(|r| r.unwrap()).collect::<Vec<_>>(), [[4.0], [6.0]]);
    let exchange = kernels(&node("CollectiveAllToAllV2", plain), 2, &executor);
    let results = all(&exchange, &[group(&[1.0, 2.0], 3), group(&[3.0, 4.0], 3)]);
    let want = [[1.0, 3.0], [2.0, 4.0]];
    assert_eq!(results.into_iter().map(|r| r.unwrap()).collect::<Vec<_>>(), want);
}

#[test]
fn one_device_sends_to_all() {
    let executor = executor();
    let plain = Attrs::new().with("T", AttrValue::Type(TfType::DtFloat));
    let send = kernels(&node("CollectiveBcastSendV2", plain.clone()), 1, &executor);
    let mut group = vec![
        collective_kernel(&node("CollectiveBcastRecvV2", plain.clone()), &device(3), &executor),
        collective_kernel(&node("CollectiveBcastRecvV2", plain), &device(4), &executor),
    ]
    .into_iter()
    .map(|kernel| kernel.unwrap().unwrap())
    .collect::<Vec<_>>();
    group.extend(send);
    let shape = Value::Tensor(Tensor::from_slice(Shape::new(&[1]), &[2i32]).unwrap());
    let receive = vec![int(3), int(1), int(9), shape];
    let sending = vec![floats(&[7.0, 8.0]), int(3), int(1), int(9)];
    for result in all(&group, &[receive.clone(), receive, sending]) {
        assert_eq!(result.unwrap(), [7.0, 8.0]);
    }
}

#[test]
fn communicators_have_ranks_of_their_own() {
    let executor = executor();
    let init = node("CollectiveInitializeCommunicator", Attrs::new());
    let init = kernels(&init, 4, &executor);
    // Ranks in the reverse order of the devices.
    let communicators: Vec<Value> = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (i, kernel) in init.iter().enumerate() {
            threads.push(scope.spawn(move || {
                run(&**kernel, &[int(8), int(3 - i as i32), int(4)]).unwrap().swap_remove(0)
            }));
        }
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let attrs =
        Attrs::new().with("T", AttrValue::Type(TfType::DtFloat)).with("reduction", text("Add"));
    let reduce = kernels(&node("CollectiveReduceV3", attrs), 4, &executor);
    let groups = Tensor::from_slice(Shape::new(&[2, 2]), &[0i32, 1, 2, 3]).unwrap();
    let inputs: Vec<Vec<Value>> = communicators
        .into_iter()
        .enumerate()
        .map(|(i, c)| vec![floats(&[10f32.powi(i as i32)]), c, Value::Tensor(groups.clone())])
        .collect();
    let results: Vec<f32> = all(&reduce, &inputs).into_iter().map(|r| r.unwrap()[0]).collect();
    assert_eq!(results, [11.0, 11.0, 1100.0, 1100.0]);
}

#[test]
fn devices_that_differ_or_stay_away_are_errors() {
    let executor = executor();
    let reduce = kernels(&node("CollectiveReduceV2", reduction("Add", "Id")), 2, &executor);
    let input = |row: &[f32]| vec![floats(row), int(2), int(1), int(1)];
    for result in all(&reduce, &[input(&[1.0]), input(&[1.0, 2.0])]) {
        let error = result.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{error}");
        assert!(error.message().contains("f32[1], f32[2]"), "{error}");
    }
    let attrs = reduction("Add", "Id").with("timeout_seconds", AttrValue::Float(0.05));
    let alone = kernels(&node("CollectiveReduceV2", attrs), 1, &executor);
    let input = vec![floats(&[1.0]), int(2), int(2), int(1)];
    let error = all(&alone, &[input]).swap_remove(0).unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error}");
    assert!(error.message().contains(&device(0)), "{error}");
    // A step that fails frees those that wait.
    let (resources, step) = (ResourceManager::default(), StepState::new());
    step.fail(&tfjit_base::Error::internal("another kernel"));
    let context = StepContext::new(&resources, &step);
    let input = [floats(&[1.0]), int(2), int(3), int(1)];
    assert_eq!(reduce[0].run(&input, &context).unwrap_err().code(), Code::Cancelled);
}

#[test]
fn groups_are_assigned_by_rows() {
    let assign = node("CollectiveAssignGroupV2", Attrs::new());
    let kernel = collective_kernel(&assign, &device(0), &executor()).unwrap().unwrap();
    let groups = Tensor::from_slice(Shape::new(&[2, 2]), &[0i32, 1, 2, 3]).unwrap();
    let values = run(&*kernel, &[Value::Tensor(groups.clone()), int(2), int(100)]).unwrap();
    let number = |value: &Value| value.tensor().unwrap().to_i64s().unwrap()[0];
    assert_eq!(values.iter().map(number).collect::<Vec<_>>(), [2, 101]);
    let error = run(&*kernel, &[Value::Tensor(groups), int(7), int(100)]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}

#[test]
fn the_host_and_a_program_share_keys() {
    let types = AttrValue::List(AttrList::Types(vec![TfType::DtFloat, TfType::DtFloat]));
    let attrs = Attrs::new()
        .with("key", text("k"))
        .with("device_ordinal", AttrValue::Int(1))
        .with("device_type", text("CPU"))
        .with("Toutputs", types.clone())
        .with("Tinputs", types);
    let receive = transfer_kernel(&node("_XlaRecvAtHost", attrs.clone())).unwrap().unwrap();
    let send = transfer_kernel(&node("_XlaSendFromHost", attrs)).unwrap().unwrap();
    let (resources, step) = (ResourceManager::default(), StepState::new());
    let context = StepContext::new(&resources, &step);
    let launch =
        tfjit_launch::RendezvousTransfers::new(Arc::clone(step.rendezvous()), &device(1), "launch")
            .unwrap();
    use tfjit_client::{TransferChannel, Transfers};
    let channel = |name: String| TransferChannel { handle: 1, rendezvous: name };
    let dynamic =
        Value::Tensor(Tensor::strings(Shape::scalar(), vec![b"launch".to_vec()]).unwrap());
    for i in 0..2 {
        let name = channel(tfjit_launch::to_host_name("k", i));
        launch.send(&name, vec![Tensor::scalar(i as f32)]).unwrap();
    }
    let got = receive.run(std::slice::from_ref(&dynamic), &context).unwrap();
    assert_eq!(*got[1].tensor().unwrap(), Tensor::scalar(1f32));
    send.run(&[floats(&[4.0]), floats(&[5.0]), dynamic], &context).unwrap();
    let ty = tfjit_hlo::TensorType::new(DType::F32, &[1]);
    let name = channel(tfjit_launch::to_device_name("k", 1));
    let got = launch.recv(&name, &[ty], &|| false).unwrap();
    assert_eq!(got[0].to_vec::<f32>().unwrap(), [5.0]);
}
