//! From nodes to the kernels of the launch ops.
//!
//! It checks what TensorFlow checks when it constructs a kernel. It must not run anything.

use std::sync::Arc;

use tfjit_base::{Error, Result};
use tfjit_model::{Function, FunctionLibrary, Node, TfType};
use tfjit_runtime::{DeviceName, Kernel};

use super::registry::{memory_types, registration};
use super::{CompilePolicy, XlaCompile, XlaLaunch, XlaRun};
use crate::args::Cluster;
use crate::{
    CompileMode, DeviceApi, DeviceCompiler, DevicePlace, Family, OpFamily, collective_kernel,
    transfer_kernel,
};

/// When `_XlaCompile` nodes compile: the flags of auto-clustering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AutoJitPolicy {
    /// Lazy compilation; off compiles all clusters in strict mode.
    pub lazy: bool,
    /// Compilation in the background, in place of lazy mode.
    pub background: bool,
    /// Never compile.
    pub always_defer: bool,
    /// Fall back for every error of compiling, not for UNIMPLEMENTED alone.
    pub fall_back_on_any_error: bool,
}

impl Default for AutoJitPolicy {
    /// TensorFlow's.
    fn default() -> AutoJitPolicy {
        AutoJitPolicy {
            lazy: true,
            background: false,
            always_defer: false,
            fall_back_on_any_error: false,
        }
    }
}

/// What kernels of the launch ops are made with.
#[derive(Clone, Debug)]
pub struct Env {
    /// The functions of the model.
    pub library: Arc<FunctionLibrary>,
    /// The compiler of the built-in client.
    pub local: Arc<DeviceCompiler>,
    /// The compiler of a plugin's client, if there is one.
    pub pjrt: Option<Arc<DeviceCompiler>>,
    /// Which ops use which.
    pub api: DeviceApi,
    /// The type of the device: `CPU`.
    pub device_type: String,
    /// When clusters are compiled.
    pub policy: AutoJitPolicy,
    /// The device of nodes that name none, and how devices form groups.
    pub place: DevicePlace,
}

impl Env {
    /// An environment with the built-in client alone, on the processor.
    pub fn new(library: Arc<FunctionLibrary>, local: Arc<DeviceCompiler>) -> Env {
        Env {
            library,
            local,
            pjrt: None,
            api: DeviceApi::default(),
            device_type: "CPU".to_owned(),
            policy: AutoJitPolicy::default(),
            place: DevicePlace { collectives: Some(Arc::default()), ..DevicePlace::default() },
        }
    }

    /// The family that ops of `family` use here, and its compiler.
    ///
    /// # Errors
    /// FAILED_PRECONDITION when it is that of a plugin and there is none.
    pub fn compiler(&self, family: OpFamily) -> Result<(Family, &Arc<DeviceCompiler>)> {
        match self.api.family(family, &self.device_type) {
            Family::Local => Ok((Family::Local, &self.local)),
            Family::Pjrt => {
                let compiler = self.pjrt.as_ref().ok_or_else(|| {
                    let text = format!("there is no PJRT client for {}", self.device_type);
                    Error::failed_precondition(text)
                })?;
                Ok((Family::Pjrt, compiler))
            }
        }
    }

    /// Where a node is: what its device leaves open is that of the environment.
    fn place_of(&self, node: &Node) -> Result<DevicePlace> {
        if node.device.is_empty() {
            return Ok(self.place.clone());
        }
        let whole: DeviceName = self.place.device.parse()?;
        let own: DeviceName = node.device.parse()?;
        Ok(DevicePlace { device: own.or(&whole).to_string().into(), ..self.place.clone() })
    }

    fn function(&self, node: &Node) -> Result<Arc<Function>> {
        let name = &node.attr_func("function")?.name;
        self.library
            .get(name)
            .cloned()
            .ok_or_else(|| Error::not_found(format!("there is no function {name}")).at(&*node.name))
    }
}

/// The kernel of a node, if its op is one of the launch ops.
pub fn kernel(node: &Node, env: &Env) -> Option<Result<Box<dyn Kernel>>> {
    let make = match &*node.op {
        "XlaLaunch" => launch,
        "XlaLaunchV2" => launch_v2,
        "_XlaCompile" => compile,
        "_XlaRun" => run,
        _ => return outside(node, env),
    };
    let construct = || {
        memory_types(node, &env.device_type)?;
        make(node, env).map_err(|error| error.at(&*node.name))
    };
    Some(construct())
}

/// The kernel of a node that transfers to or from a launch, or that is a collective.
fn outside(node: &Node, env: &Env) -> Option<Result<Box<dyn Kernel>>> {
    if let Some(kernel) = transfer_kernel(node) {
        return Some(kernel);
    }
    let executor = env.place.collectives.as_ref()?;
    match env.place_of(node) {
        Ok(place) => collective_kernel(node, &place.device, executor),
        // Other nodes do not ask where they are.
        Err(error) => node.op.starts_with("Collective").then_some(Err(error)),
    }
}

/// Whether `op` is one of the launch ops that have a kernel on devices of this type.
pub fn is_launch_op(op: &str, device_type: &str) -> bool {
    op != "_XlaMerge" && registration(op, device_type).is_some()
}

fn launch(node: &Node, env: &Env) -> Result<Box<dyn Kernel>> {
    let (_, compiler) = env.compiler(OpFamily::XlaLaunch)?;
    let (constants, resources) = groups(node)?;
    let cluster = cluster(node, env, constants, resources)?;
    Ok(Box::new(XlaLaunch::of(Arc::clone(compiler), cluster)))
}

fn launch_v2(node: &Node, env: &Env) -> Result<Box<dyn Kernel>> {
    let (_, compiler) = env.compiler(OpFamily::XlaLaunch)?;
    let list = |name: &str| {
        let positions = node.attr_ints(name)?.iter();
        let position = |&at: &i64| {
            let text = format!("the attribute {name} has the position {at}");
            usize::try_from(at).map_err(|_| Error::invalid_argument(text))
        };
        positions.map(position).collect::<Result<Vec<usize>>>()
    };
    let cluster = cluster(node, env, list("constants")?, list("resources")?)?;
    Ok(Box::new(XlaLaunch::of(Arc::clone(compiler), cluster)))
}

fn compile(node: &Node, env: &Env) -> Result<Box<dyn Kernel>> {
    // TensorFlow's kernel asks for it and fails without, whatever it says.
    node.attr_bool("_XlaHasReferenceVars")?;
    let (family, compiler) = env.compiler(OpFamily::AutoJit)?;
    let policy = env.policy;
    let mode = match node.attr_bool("must_compile")? || !policy.lazy {
        true => CompileMode::Strict,
        false if policy.background => CompileMode::Async,
        false => CompileMode::Lazy,
    };
    let (constants, resources) = groups(node)?;
    let cluster = cluster(node, env, constants, resources)?;
    let policy = CompilePolicy {
        mode,
        always_defer: policy.always_defer,
        fall_back_on_any_error: policy.fall_back_on_any_error,
    };
    Ok(Box::new(XlaCompile::new(Arc::clone(compiler), family, cluster, policy)))
}

fn run(node: &Node, env: &Env) -> Result<Box<dyn Kernel>> {
    if node.inputs.len() != node.attr_types("Targs")?.len() + 1 {
        return Err(Error::invalid_argument("the key must be the last input"));
    }
    let (family, compiler) = env.compiler(OpFamily::AutoJit)?;
    let run = XlaRun::new(family, compiler.step_profiler());
    Ok(Box::new(run.at(env.place_of(node)?)))
}

/// Constants first, then arguments, then variables.
fn groups(node: &Node) -> Result<(Vec<usize>, Vec<usize>)> {
    let constants = node.attr_types("Tconstants")?.len();
    let args = node.attr_types("Targs")?.len();
    let resources = node.attr_int("Nresources")?;
    let resources = usize::try_from(resources)
        .map_err(|_| Error::invalid_argument(format!("Nresources is {resources}")))?;
    let first = constants.saturating_add(args);
    let total = first.saturating_add(resources);
    if total != node.inputs.len() {
        return Err(Error::invalid_argument(format!(
            "{constants} constants, {args} arguments and {resources} variables are claimed of {} \
             inputs",
            node.inputs.len()
        )));
    }
    Ok(((0..constants).collect(), (first..total).collect()))
}

/// The cluster of a node. Its outputs are those of the function, but where it only compiles.
fn cluster(
    node: &Node,
    env: &Env,
    constants: Vec<usize>,
    resources: Vec<usize>,
) -> Result<Cluster> {
    let function = env.function(node)?;
    let (inputs, params) = (node.inputs.len(), function.params.len());
    let (outputs, results) = (node.output_types.len(), function.results.len());
    if inputs != params || (&*node.op != "_XlaCompile" && outputs != results) {
        return Err(Error::invalid_argument(format!(
            "{} takes {params} arguments and gives {results} results, the node has {inputs} inputs \
             and {outputs} outputs",
            function.name
        )));
    }
    for (i, param) in function.params.iter().enumerate() {
        if resources.contains(&i) != (param.tftype == TfType::DtResource) {
            let is = tfjit_model::tf_name(param.tftype);
            return Err(Error::invalid_argument(format!(
                "argument {i} of {} is {is}, which contradicts the node's variables",
                function.name
            )));
        }
    }
    let cluster = Cluster::new(Arc::clone(&env.library), function, constants, resources)?;
    Ok(Cluster { place: env.place_of(node)?, ..cluster })
}
