//! From a function to a program that runs: clusters become launches, all other nodes kernels of the
//! host, in their places.
//!
//! Functions that host nodes call are assembled when they are first called. It must not know what
//! the kernels do.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result};
use tfjit_cluster::{Cluster, Clustered, Item, Options, Place};
use tfjit_model::{Endpoint, Function, FunctionLibrary, Node, NodeId, Param, TfType, tftype};
use tfjit_runtime::{
    CallFunction, Kernel, Program, Slot, Step, StepContext, Value, call_kernel, dereference_kernel,
    flow_of, host_kernel, host_row,
};

use crate::cluster_kernel::ClusterKernel;
use crate::clustering_report::report;
use crate::ops::{Env, is_launch_op, kernel};
use crate::string_move::StringMove;
use crate::{CompileMode, XlaLaunch};

/// What programs are assembled with, and the functions that were called.
#[derive(Debug)]
pub struct Environment {
    parts: Parts,
    functions: Mutex<FxHashMap<String, Called>>,
}

/// What programs are assembled with.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) launch: Env,
    pub(crate) options: Options,
    pub(crate) freeze_variables: bool,
    /// When clusters are compiled.
    pub(crate) mode: CompileMode,
    /// Whether integers are constants of what is compiled: where a cluster could not be compiled
    /// because a value was not known.
    pub(crate) constant_integers: bool,
}

/// A function that was called: its program, once that is made.
type Called = Arc<OnceLock<Result<Arc<Assembled>>>>;

/// A function that runs.
#[derive(Debug)]
pub struct Assembled {
    /// What runs.
    pub program: Program,
    /// Where each node is, and why.
    pub clustered: Clustered,
    /// The launches, by cluster.
    pub launches: Vec<Arc<XlaLaunch>>,
}

impl Environment {
    /// An environment that clusters.
    pub fn new(launch: Env) -> Environment {
        let options = Options::default();
        let (freeze_variables, constant_integers) = (false, false);
        let mode = CompileMode::Strict;
        let parts = Parts { launch, options, freeze_variables, mode, constant_integers };
        Environment { parts, functions: Mutex::default() }
    }

    /// The functions that nodes may call.
    pub fn library(&self) -> &Arc<FunctionLibrary> {
        &self.parts.launch.library
    }

    /// What the kernels of launch ops are made with.
    pub fn launch(&self) -> &Env {
        &self.parts.launch
    }

    /// Says when clusters are compiled.
    #[must_use]
    pub fn with_mode(mut self, mode: CompileMode) -> Environment {
        self.parts.mode = mode;
        self
    }

    /// Says whether nodes are compiled together.
    #[must_use]
    pub fn with_clusters(mut self, clusters: bool) -> Environment {
        self.parts.options.clusters = clusters;
        self
    }

    /// Says whether frozen variables are constants of what is compiled.
    #[must_use]
    pub fn with_frozen_variables(mut self, freeze_variables: bool) -> Environment {
        self.parts.freeze_variables = freeze_variables;
        self
    }

    /// The program of a function of the library, made at the first call.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown name; those of [`assemble`].
    pub fn function(&self, name: &str) -> Result<Arc<Assembled>> {
        let called = {
            let mut known = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
            match known.get(name) {
                Some(called) => Arc::clone(called),
                None => Arc::clone(known.entry(name.to_owned()).or_default()),
            }
        };
        // Outside the lock of the map: others may call other functions meanwhile.
        called
            .get_or_init(|| {
                let function = self.library().get(name).ok_or_else(|| {
                    Error::not_found(format!("the library has no function {name}"))
                })?;
                assemble(function, self).map(Arc::new)
            })
            .clone()
    }
}

impl CallFunction for Environment {
    fn call(
        &self,
        name: &str,
        arguments: Vec<Value>,
        context: &StepContext<'_>,
    ) -> Result<Vec<Value>> {
        self.function(name)?.program.run(arguments, context)
    }
}

/// Makes the program of a function.
///
/// # Errors
/// UNIMPLEMENTED listing nodes that can neither be compiled nor run on the host; those of listeners
/// that are told of clusters; INVALID_ARGUMENT
/// when frames are not entered and left as they must be.
pub fn assemble(function: &Function, env: &Environment) -> Result<Assembled> {
    let assembled = assemble_of(function, &env.parts)?;
    report(function, &assembled.clustered, env.parts.launch.local.listeners())?;
    Ok(assembled)
}

pub(crate) fn assemble_of(function: &Function, parts: &Parts) -> Result<Assembled> {
    let clustered = tfjit_cluster::cluster(&parts.launch.library, function, parts.options)?;
    let mut assembly = Assembly {
        parts,
        function,
        slots: FxHashMap::default(),
        fresh: 0,
        steps: Vec::new(),
        first: FxHashMap::default(),
        launches: vec![None; clustered.clusters.len()],
        problems: Vec::new(),
    };
    let param = |p: &tfjit_model::Param| Endpoint::new(p.node, 0);
    let params = function.params.iter().map(|p| assembly.slot(param(p))).collect();
    for &item in &clustered.items {
        match item {
            Item::Launch(number) => assembly.launch(number, &clustered.clusters[number]),
            Item::Host(id) => assembly.host(id, &clustered)?,
        }
    }
    if let Some(error) = Error::collect(std::mem::take(&mut assembly.problems)) {
        return Err(error);
    }
    assembly.order(&clustered);
    let results = function.results.iter().map(|r| assembly.slot(r.endpoint)).collect();
    let Assembly { steps, launches, fresh, .. } = assembly;
    let program = Program::new(fresh, params, steps, results)?;
    let launches = launches.into_iter().flatten().collect();
    Ok(Assembled { program, clustered, launches })
}

struct Assembly<'e> {
    parts: &'e Parts,
    function: &'e Function,
    slots: FxHashMap<Endpoint, Slot>,
    /// Slots so far.
    fresh: Slot,
    steps: Vec<Step>,
    /// The steps of each item: the first one, and the last one, which is the item itself.
    first: FxHashMap<Item, (usize, usize)>,
    launches: Vec<Option<Arc<XlaLaunch>>>,
    problems: Vec<Error>,
}

impl Assembly<'_> {
    fn slot(&mut self, endpoint: Endpoint) -> Slot {
        *self.slots.entry(endpoint).or_insert_with(|| {
            self.fresh += 1;
            self.fresh - 1
        })
    }

    fn launch(&mut self, number: usize, cluster: &Cluster) {
        let parts = self.parts;
        let mut constants = cluster.constants.clone();
        if parts.constant_integers {
            let integer = |p: &Param| matches!(p.tftype, TfType::DtInt32 | TfType::DtInt64);
            let params = cluster.function.params.iter().enumerate();
            constants.extend(params.filter(|(_, p)| integer(p)).map(|(i, _)| i));
            constants.sort_unstable();
            constants.dedup();
        }
        let launch = XlaLaunch::new(
            Arc::clone(&parts.launch.local),
            Arc::clone(&parts.launch.library),
            Arc::clone(&cluster.function),
            constants,
            cluster.resources.clone(),
        );
        let launch = Arc::new(
            launch.with_frozen_variables(parts.freeze_variables).at(parts.launch.place.clone()),
        );
        self.launches[number] = Some(Arc::clone(&launch));
        let inputs = cluster.inputs.iter().map(|&e| self.slot(e)).collect();
        let outputs = cluster.outputs.iter().map(|&e| self.slot(e)).collect();
        let name = Arc::clone(&cluster.function.name);
        let at = self.steps.len();
        self.first.insert(Item::Launch(number), (at, at));
        let kernel = ClusterKernel::new(launch, Arc::clone(&cluster.function), parts);
        self.steps.push(Step::new(name, Box::new(kernel), inputs, outputs));
    }

    fn host(&mut self, id: NodeId, clustered: &Clustered) -> Result<()> {
        let function = self.function;
        let Some(node) = function.graph.get(id) else { return Ok(()) };
        let kernel = match self.kernel(node) {
            Ok(kernel) => kernel,
            Err(error) => {
                let placement = &clustered.placements[id.index()];
                self.problems.push(error.help(format!("why not compiled: {}", placement.reason)));
                return Ok(());
            }
        };
        let first = self.steps.len();
        let inputs = (0..node.inputs.len()).map(|i| self.input(node, i)).collect();
        let outputs = 0..node.output_types.len() as u32;
        let outputs = outputs.map(|o| self.slot(Endpoint::new(id, o))).collect();
        let mut step = Step::new(Arc::clone(&node.name), kernel, inputs, outputs);
        step.flow = flow_of(node)?;
        self.first.insert(Item::Host(id), (first, self.steps.len()));
        self.steps.push(step);
        Ok(())
    }

    fn kernel(&self, node: &Node) -> Result<Box<dyn Kernel>> {
        if let Some(kernel) = kernel(node, &self.parts.launch) {
            return kernel;
        }
        if self.parts.launch.library.get(&node.op).is_some() {
            return Ok(call_kernel(&node.op));
        }
        let input = |e: &Endpoint| self.function.graph.output_type(*e);
        let inputs: Option<Vec<TfType>> = node.inputs.iter().map(input).collect();
        if host_row(&node.op).is_none()
            && let Some(inputs) = inputs
            && StringMove::moves(node, &inputs)
        {
            return Ok(Box::new(StringMove::new(node, &inputs, &self.parts.launch)?));
        }
        host_kernel(node)
    }

    /// The slot of an input; the value behind it where a reference meets an op that takes values.
    fn input(&mut self, node: &Node, at: usize) -> Slot {
        let endpoint = node.inputs[at];
        let slot = self.slot(endpoint);
        let tftype = self.function.graph.output_type(endpoint);
        if !tftype.is_some_and(tftype::is_ref) || takes_reference(node, at) {
            return slot;
        }
        let name = format!("{}/read", self.function.graph.endpoint_name(endpoint));
        let value = self.fresh;
        self.fresh += 1;
        self.steps.push(Step::new(name, dereference_kernel(), vec![slot], vec![value]));
        value
    }

    /// Adds the control edges between items.
    fn order(&mut self, clustered: &Clustered) {
        let item = |id: NodeId| match clustered.placements[id.index()].place {
            Place::Cluster(number) => Some(Item::Launch(number)),
            Place::Host => Some(Item::Host(id)),
            Place::Argument | Place::Unused => None,
        };
        for (id, node) in self.function.graph.iter() {
            let Some(own) = item(id) else { continue };
            let Some(&(first, last)) = self.first.get(&own) else { continue };
            for &control in &node.control_inputs {
                let Some(before) = item(control).filter(|before| *before != own) else { continue };
                let Some(&(_, before)) = self.first.get(&before) else { continue };
                for step in &mut self.steps[first..=last] {
                    step.after.push(before);
                }
            }
        }
        for step in &mut self.steps {
            step.after.sort_unstable();
            step.after.dedup();
        }
    }
}

/// Whether a node that is not compiled can run: as a launch op, a call, or on the host.
pub fn runs_on_host(function: &Function, node: &Node, library: &FunctionLibrary) -> bool {
    let input = |e: &Endpoint| function.graph.output_type(*e);
    let inputs: Option<Vec<TfType>> = node.inputs.iter().map(input).collect();
    is_launch_op(&node.op, "CPU")
        || library.get(&node.op).is_some()
        || host_kernel(node).is_ok()
        || inputs.is_some_and(|inputs| StringMove::moves(node, &inputs))
}

/// Whether an input is taken as a reference.
fn takes_reference(node: &Node, at: usize) -> bool {
    let Some(def) = &node.def else { return true };
    let mut end = 0;
    for arg in &def.inputs {
        let Some(count) = arg.count(&node.attrs) else { return true };
        end += count;
        if at < end {
            return arg.is_ref;
        }
    }
    true
}
