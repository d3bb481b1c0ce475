//! What a launch that hits the cache costs, beside the bare call of the executable, for
//! `x * 2 + 1` on four elements; and how launches of several signatures scale with threads.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement for people")]

use std::sync::Arc;
use std::time::Instant;

use smallvec::smallvec;
use tfjit_base::{DType, PartialShape, Shape, Tensor};
use tfjit_bridge::Arg;
use tfjit_client::{Argument, Arguments, Client, ExecuteOptions};
use tfjit_hlo::TensorType;
use tfjit_launch::{Cluster, CompileMode, CompilerOptions, DeviceCompiler, Request, XlaLaunch};
use tfjit_local::{LocalClient, LocalOptions};
use tfjit_model::{
    AttrValue, Attrs, Endpoint, Function, FunctionLibrary, Graph, Node, Param, ResultDef,
    TensorValue, TfType, optable,
};
use tfjit_runtime::{Kernel, ResourceManager, StepContext, StepState, Value};

/// `x * 2 + 1`.
fn function(name: &str) -> Arc<Function> {
    let mut graph = Graph::new();
    let float = TfType::DtFloat;
    let arg = graph
        .add(Node {
            name: "x".into(),
            op: "_Arg".into(),
            device: "".into(),
            inputs: vec![],
            control_inputs: vec![],
            attrs: Attrs::new().with("T", AttrValue::Type(float)).with("index", AttrValue::Int(0)),
            output_types: smallvec![float],
            def: optable::find("_Arg"),
        })
        .unwrap();
    let mut constant = |name: &str, value: f32| {
        let value = TensorValue::dense(Tensor::scalar(value));
        let attrs = Attrs::new()
            .with("value", AttrValue::Tensor(Box::new(value)))
            .with("dtype", AttrValue::Type(float));
        Endpoint::new(graph.add_op(name, "Const", vec![], attrs).unwrap(), 0)
    };
    let (two, one) = (constant("two", 2.0), constant("one", 1.0));
    let t = || Attrs::new().with("T", AttrValue::Type(float));
    let mul = graph.add_op("mul", "Mul", vec![Endpoint::new(arg, 0), two], t()).unwrap();
    let add = graph.add_op("add", "AddV2", vec![Endpoint::new(mul, 0), one], t()).unwrap();
    let result = ResultDef {
        name: "y".into(),
        tftype: float,
        shape: PartialShape::unknown(),
        endpoint: Endpoint::new(add, 0),
    };
    let param = Param {
        name: "x".into(),
        tftype: float,
        shape: PartialShape::unknown(),
        attrs: Attrs::new(),
        handle: vec![],
        node: arg,
    };
    Arc::new(Function {
        name: name.into(),
        params: vec![param],
        results: vec![result],
        control_results: vec![],
        graph,
        attrs: Attrs::new(),
        stateful: false,
    })
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Nanoseconds and allocations of one call, the median of many rounds.
fn measure(mut call: impl FnMut()) -> (f64, f64) {
    const CALLS: u32 = 1000;
    for _ in 0..CALLS {
        call();
    }
    let rounds = (0..200).map(|_| {
        let start = Instant::now();
        for _ in 0..CALLS {
            call();
        }
        start.elapsed().as_nanos() as f64 / f64::from(CALLS)
    });
    let time = median(rounds.collect());
    let counted = allocation_counter::measure(|| (0..CALLS).for_each(|_| call()));
    (time, counted.count_total as f64 / f64::from(CALLS))
}

fn kernel(compiler: &Arc<DeviceCompiler>, name: &str) -> XlaLaunch {
    let function = function(name);
    let library = Arc::new(FunctionLibrary::new());
    let cluster = Cluster::new(library, function, vec![], vec![]).unwrap();
    XlaLaunch::of(Arc::clone(compiler), cluster)
}

fn main() {
    let client: Arc<dyn Client> = Arc::new(LocalClient::new(LocalOptions::default()));
    let compiler = Arc::new(DeviceCompiler::new(client, CompilerOptions::default()));
    let x = Tensor::from_slice(Shape::new(&[4]), &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let function = function("f");
    let library = Arc::new(FunctionLibrary::new());
    let args = [Arg::Parameter(TensorType::new(DType::F32, &[4]))];
    let request =
        Request { library: &library, function: &function, args: &args, mode: CompileMode::Strict };
    let ready = compiler.compile_if_needed(&request).unwrap().unwrap();
    let options = ExecuteOptions::default();
    let (bare, bare_allocations) = measure(|| {
        let buffer = compiler.client().buffer(&x, 0).unwrap();
        let arguments: Arguments = smallvec![Argument { buffer, donate: false }];
        ready.executable.execute(arguments, &options).unwrap();
    });
    let launch = kernel(&compiler, "f");
    let resources = ResourceManager::new();
    let inputs = [Value::Tensor(x.clone())];
    let (full, allocations) = measure(|| {
        let step = StepState::new();
        launch.run(&inputs, &StepContext::new(&resources, &step)).unwrap();
    });
    println!("bare call of the executable  {bare:7.0} ns  {bare_allocations:.2} allocations");
    println!("launch that hits the cache   {full:7.0} ns  {allocations:.2} allocations");
    println!("overhead                     {:7.0} ns", full - bare);

    let kernels: Vec<XlaLaunch> = (0..4).map(|i| kernel(&compiler, &format!("f{i}"))).collect();
    let mut alone = 0.0;
    for threads in [1usize, 2, 4, 16] {
        const LAUNCHES: usize = 400_000;
        let start = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (kernels, inputs, resources) = (&kernels, &inputs, &resources);
                scope.spawn(move || {
                    for i in 0..LAUNCHES / threads {
                        let step = StepState::new();
                        let kernel = &kernels[(i + thread) % kernels.len()];
                        kernel.run(inputs, &StepContext::new(resources, &step)).unwrap();
                    }
                });
            }
        });
        let rate = LAUNCHES as f64 / start.elapsed().as_secs_f64();
        if threads == 1 {
            alone = rate;
        }
        println!("{threads:2} threads, 4 signatures  {rate:10.0} launches/s  {:.2}x", rate / alone);
    }
}
