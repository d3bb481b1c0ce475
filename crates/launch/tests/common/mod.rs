//! Functions, clients and steps for the tests of the launch system.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test uses a part; failing is what tests do"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::smallvec;
use tfjit_base::{DType, PartialShape, Result, Shape, Tensor};
use tfjit_bridge::Arg;
use tfjit_client::{Arguments, Buffer, Client, CompileOptions, Executable, ExecuteOptions, Memory};
use tfjit_hlo::{Module, TensorType};
use tfjit_launch::{Cluster, CompileMode, CompilerOptions, DeviceCompiler, Ready, Request};
use tfjit_local::{EvalClient, LocalClient, LocalOptions};
use tfjit_model::{
    AttrValue, Attrs, Endpoint, Function, FunctionLibrary, Graph, Node, Param, ResultDef, TfType,
    optable,
};
use tfjit_runtime::{ResourceManager, StepContext, StepState, Value};

/// The `_Arg` nodes of a function.
fn arg(graph: &mut Graph, index: usize, tftype: TfType) -> Param {
    let name: Arc<str> = format!("arg{index}").into();
    let attrs =
        Attrs::new().with("T", AttrValue::Type(tftype)).with("index", AttrValue::Int(index as i64));
    let node = graph
        .add(Node {
            name: Arc::clone(&name),
            op: "_Arg".into(),
            device: "".into(),
            inputs: vec![],
            control_inputs: vec![],
            attrs,
            output_types: smallvec![tftype],
            def: optable::find("_Arg"),
        })
        .unwrap();
    Param {
        name,
        tftype,
        shape: PartialShape::unknown(),
        attrs: Attrs::new(),
        handle: vec![],
        node,
    }
}

/// A function whose body `build` adds to the graph; it returns the results.
pub fn function(
    name: &str,
    params: &[TfType],
    build: impl FnOnce(&mut Graph, &[Endpoint]) -> Vec<Endpoint>,
) -> Arc<Function> {
    let mut graph = Graph::new();
    let params: Vec<Param> =
        params.iter().enumerate().map(|(i, &t)| arg(&mut graph, i, t)).collect();
    let args: Vec<Endpoint> = params.iter().map(|p| Endpoint::new(p.node, 0)).collect();
    let results = build(&mut graph, &args);
    let results = results
        .into_iter()
        .enumerate()
        .map(|(i, endpoint)| ResultDef {
            name: format!("result{i}").into(),
            tftype: graph.output_type(endpoint).unwrap(),
            shape: PartialShape::unknown(),
            endpoint,
        })
        .collect();
    let control_results =
        graph.iter().filter(|(_, node)| node.is_stateful()).map(|(id, _)| id).collect();
    Arc::new(Function {
        name: name.into(),
        params,
        results,
        control_results,
        graph,
        attrs: Attrs::new(),
        stateful: true,
    })
}

/// Adds a node with type attributes and returns its first output.
pub fn op(
    graph: &mut Graph,
    op: &str,
    inputs: &[Endpoint],
    attrs: &[(&str, AttrValue)],
) -> Endpoint {
    let attrs = attrs.iter().fold(Attrs::new(), |all, (k, v)| all.with(*k, v.clone()));
    let name = graph.unique_name(op);
    let id = graph.add_op(name, op, inputs.to_vec(), attrs).unwrap();
    Endpoint::new(id, 0)
}

/// The attribute `T`.
pub fn t(tftype: TfType) -> (&'static str, AttrValue) {
    ("T", AttrValue::Type(tftype))
}

/// The attribute `dtype`.
pub fn dtype(tftype: TfType) -> (&'static str, AttrValue) {
    ("dtype", AttrValue::Type(tftype))
}

pub const F32: TfType = TfType::DtFloat;
pub const I32: TfType = TfType::DtInt32;
pub const RESOURCE: TfType = TfType::DtResource;

/// `x + y`.
pub fn x_plus_y() -> Arc<Function> {
    function("XPlusY", &[F32, F32], |g, a| vec![op(g, "AddV2", &[a[0], a[1]], &[t(F32)])])
}

/// `fill(dims, value)`.
pub fn fill() -> Arc<Function> {
    let index = ("index_type", AttrValue::Type(I32));
    function("Filled", &[I32, F32], |g, a| vec![op(g, "Fill", &[a[0], a[1]], &[t(F32), index])])
}

/// A function of `tensor, variable`: adds the tensor to the variable and returns nothing.
pub fn assign_add() -> Arc<Function> {
    function("AssignAdd", &[F32, RESOURCE], |g, a| {
        op_no_output(g, "AssignAddVariableOp", &[a[1], a[0]], &[dtype(F32)]);
        vec![]
    })
}

/// A function of `tensor, variable`: the sum of both.
pub fn add_variable() -> Arc<Function> {
    function("AddVariable", &[F32, RESOURCE], |g, a| {
        let value = op(g, "ReadVariableOp", &[a[1]], &[dtype(F32)]);
        vec![op(g, "AddV2", &[a[0], value], &[t(F32)])]
    })
}

/// As [`op`], for ops without outputs.
pub fn op_no_output(
    graph: &mut Graph,
    name: &str,
    inputs: &[Endpoint],
    attrs: &[(&str, AttrValue)],
) {
    op(graph, name, inputs, attrs);
}

pub fn library(functions: &[&Arc<Function>]) -> Arc<FunctionLibrary> {
    let mut library = FunctionLibrary::new();
    for function in functions {
        library.insert(Arc::clone(function));
    }
    Arc::new(library)
}

pub fn local() -> Arc<dyn Client> {
    Arc::new(LocalClient::new(LocalOptions::default()))
}

pub fn eval() -> Arc<dyn Client> {
    Arc::new(EvalClient)
}

/// Both clients, by name.
pub fn clients() -> [(&'static str, Arc<dyn Client>); 2] {
    [("local", local()), ("eval", eval())]
}

pub fn compiler(client: Arc<dyn Client>) -> Arc<DeviceCompiler> {
    Arc::new(DeviceCompiler::new(client, CompilerOptions::default()))
}

pub fn parameter(dtype: DType, dims: &[i64]) -> Arg {
    Arg::Parameter(TensorType::new(dtype, dims))
}

pub fn floats(values: &[f32]) -> Tensor {
    Tensor::from_slice(Shape::new(&[values.len()]), values).unwrap()
}

pub fn ints(values: &[i32]) -> Tensor {
    Tensor::from_slice(Shape::new(&[values.len()]), values).unwrap()
}

/// Asks a compiler for a function.
pub fn request(
    compiler: &DeviceCompiler,
    function: &Arc<Function>,
    args: &[Arg],
    mode: CompileMode,
) -> Result<Option<Ready>> {
    let library = library(&[function]);
    compiler.compile_if_needed(&Request { library: &library, function, args, mode })
}

/// A cluster of a function with these constants and resources.
pub fn cluster(function: &Arc<Function>, constants: &[usize], resources: &[usize]) -> Cluster {
    let library = library(&[function]);
    Cluster::new(library, Arc::clone(function), constants.to_vec(), resources.to_vec()).unwrap()
}

/// Calls `run` with a context of a step of its own.
pub fn in_step<R>(resources: &ResourceManager, run: impl FnOnce(&StepContext<'_>) -> R) -> R {
    let step = StepState::new();
    run(&StepContext::new(resources, &step))
}

pub fn tensors(values: &[Value]) -> Vec<Tensor> {
    values.iter().map(|value| value.tensor().unwrap().clone()).collect()
}

/// A client that counts, around another.
pub struct Counting {
    pub inner: Arc<dyn Client>,
    pub compiles: AtomicU64,
    pub launches: Arc<AtomicU64>,
    /// Executables that live.
    pub live: Arc<AtomicU64>,
    /// Slows compiling down until it is opened.
    pub gate: Option<Arc<Gate>>,
    /// Fails every compilation with this error.
    pub failure: Option<tfjit_base::Error>,
}

impl Counting {
    pub fn new(inner: Arc<dyn Client>) -> Counting {
        Counting {
            inner,
            compiles: AtomicU64::new(0),
            launches: Arc::default(),
            live: Arc::default(),
            gate: None,
            failure: None,
        }
    }
}

struct Counted {
    inner: Arc<dyn Executable>,
    launches: Arc<AtomicU64>,
    live: Arc<AtomicU64>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.live.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Client for Counting {
    fn platform(&self) -> &str {
        self.inner.platform()
    }
    fn fingerprint(&self) -> String {
        self.inner.fingerprint()
    }
    fn device_count(&self) -> usize {
        self.inner.device_count()
    }
    fn compile(&self, module: Module, options: &CompileOptions) -> Result<Arc<dyn Executable>> {
        self.compiles.fetch_add(1, Ordering::SeqCst);
        if let Some(gate) = &self.gate {
            gate.pass();
        }
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        let inner = self.inner.compile(module, options)?;
        self.live.fetch_add(1, Ordering::SeqCst);
        let (launches, live) = (Arc::clone(&self.launches), Arc::clone(&self.live));
        Ok(Arc::new(Counted { inner, launches, live }))
    }
    fn deserialize(&self, bytes: &[u8], options: &CompileOptions) -> Result<Arc<dyn Executable>> {
        self.inner.deserialize(bytes, options)
    }
    fn buffer(&self, tensor: &Tensor, device: usize) -> Result<Buffer> {
        self.inner.buffer(tensor, device)
    }
}

impl Executable for Counted {
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn parameters(&self) -> &[TensorType] {
        self.inner.parameters()
    }
    fn results(&self) -> &[TensorType] {
        self.inner.results()
    }
    fn execute(&self, arguments: Arguments, options: &ExecuteOptions) -> Result<Vec<Buffer>> {
        self.launches.fetch_add(1, Ordering::SeqCst);
        self.inner.execute(arguments, options)
    }
    fn serialize(&self) -> Result<Vec<u8>> {
        self.inner.serialize()
    }
    fn text(&self, stage: &str) -> Option<String> {
        self.inner.text(stage)
    }
    fn memory(&self) -> Memory {
        self.inner.memory()
    }
}

/// Holds whoever passes until it is opened.
#[derive(Default)]
pub struct Gate {
    open: std::sync::Mutex<bool>,
    changed: std::sync::Condvar,
    waiting: AtomicU64,
}

impl Gate {
    pub fn pass(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut open = self.open.lock().unwrap();
        while !*open {
            open = self.changed.wait(open).unwrap();
        }
    }

    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.changed.notify_all();
    }

    /// Those that came so far.
    pub fn came(&self) -> u64 {
        self.waiting.load(Ordering::SeqCst)
    }
}

/// Waits until `condition` holds; fails the test after a long time.
pub fn until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..60_000 {
        if condition() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("waited too long for {what}");
}
