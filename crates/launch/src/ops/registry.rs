//! On which devices the launch ops have kernels, and which of their inputs and outputs are kept in
//! host memory there.
//!
//! It must not know what the kernels do.

use tfjit_base::{Error, Result};
use tfjit_model::optable::ArgType;
use tfjit_model::{Function, FunctionLibrary, Node, TfType};

/// Where a tensor is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryType {
    /// Memory of the device.
    Device,
    /// Memory of the host.
    Host,
}

/// A kernel's registration for a type of device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registration {
    /// The op.
    pub op: &'static str,
    /// The type of device; `DEFAULT` stands for those that have no registration of their own and
    /// are none of TensorFlow's.
    pub device: &'static str,
    /// Arguments of the op, inputs or outputs, in host memory.
    pub host: &'static [&'static str],
    /// Whether results are limited to the types of the legacy XLA devices.
    pub legacy_types: bool,
}

const fn row(
    op: &'static str,
    device: &'static str,
    host: &'static [&'static str],
) -> Registration {
    Registration { op, device, host, legacy_types: false }
}

const LAUNCH_HOST: &[&str] = &["constants", "resources"];
const COMPILE_HOST: &[&str] = &["constants", "key", "compilation_successful", "resources"];

/// All registrations. On CPU, device memory is host memory.
const ROWS: &[Registration] = &[
    row("XlaLaunch", "CPU", &[]),
    row("XlaLaunch", "GPU", LAUNCH_HOST),
    row("XlaLaunch", "XLA_CPU", LAUNCH_HOST),
    row("XlaLaunch", "XLA_GPU", LAUNCH_HOST),
    row("XlaLaunchV2", "CPU", &[]),
    row("_XlaCompile", "CPU", &[]),
    row("_XlaCompile", "GPU", COMPILE_HOST),
    row("_XlaCompile", "DEFAULT", COMPILE_HOST),
    row("_XlaCompile", "XLA_CPU", COMPILE_HOST),
    row("_XlaCompile", "XLA_GPU", COMPILE_HOST),
    row("_XlaRun", "CPU", &[]),
    row("_XlaRun", "GPU", &["key"]),
    row("_XlaRun", "DEFAULT", &["key"]),
    Registration { op: "_XlaRun", device: "XLA_CPU", host: &[], legacy_types: true },
    Registration { op: "_XlaRun", device: "XLA_GPU", host: &[], legacy_types: true },
    row("_XlaMerge", "CPU", &[]),
    row("_XlaMerge", "GPU", &[]),
    row("_XlaMerge", "DEFAULT", &[]),
];

/// Types of devices that `DEFAULT` does not stand for.
const OWN_DEVICES: &[&str] = &["CPU", "GPU", "TPU", "XLA_CPU", "XLA_GPU"];

/// Types that `_XlaRun` takes and gives on the legacy XLA devices.
const LEGACY_TYPES: &[TfType] = &[
    TfType::DtUint8,
    TfType::DtQuint8,
    TfType::DtUint16,
    TfType::DtInt8,
    TfType::DtQint8,
    TfType::DtInt16,
    TfType::DtInt32,
    TfType::DtQint32,
    TfType::DtInt64,
    TfType::DtHalf,
    TfType::DtFloat,
    TfType::DtDouble,
    TfType::DtComplex64,
    TfType::DtComplex128,
    TfType::DtBool,
    TfType::DtBfloat16,
    TfType::DtInt4,
    TfType::DtUint4,
    TfType::DtResource,
    TfType::DtString,
];

/// The registration of `op` for a type of device.
pub fn registration(op: &str, device: &str) -> Option<&'static Registration> {
    let find = |device: &str| ROWS.iter().find(|row| row.op == op && row.device == device);
    let default = || if OWN_DEVICES.contains(&device) { None } else { find("DEFAULT") };
    find(device).or_else(default)
}

/// All registrations, for the reference pages.
pub fn registrations() -> &'static [Registration] {
    ROWS
}

/// Where each input and each output of a node is kept on a type of device. Handles and strings are
/// always in host memory.
///
/// # Errors
/// NOT_FOUND when the op has no kernel there; INVALID_ARGUMENT when a type is not supported there.
pub fn memory_types(node: &Node, device: &str) -> Result<(Vec<MemoryType>, Vec<MemoryType>)> {
    let found = registration(&node.op, device).ok_or_else(|| {
        let devices: Vec<&str> =
            ROWS.iter().filter(|row| *row.op == *node.op).map(|row| row.device).collect();
        Error::not_found(format!("{} has no kernel for devices of type {device}", node.op))
            .at(&*node.name)
            .help(match devices.as_slice() {
                [] => "it is none of the launch ops".to_owned(),
                some => format!("it has kernels for {}", some.join(", ")),
            })
    })?;
    let inputs = types_of(node, true)?;
    let outputs = types_of(node, false)?;
    let wrong = |tftype: &&TfType| found.legacy_types && !LEGACY_TYPES.contains(tftype);
    if let Some(tftype) = inputs.iter().chain(&outputs).map(|(_, t)| t).find(wrong) {
        let name = tfjit_model::tf_name(*tftype);
        let text = format!("{} takes no {name} on devices of type {device}", node.op);
        return Err(Error::invalid_argument(text).at(&*node.name));
    }
    let place = |(arg, tftype): &(String, TfType)| {
        let on_host = matches!(tftype, TfType::DtResource | TfType::DtString);
        match on_host || found.host.contains(&arg.as_str()) {
            true => MemoryType::Host,
            false => MemoryType::Device,
        }
    };
    Ok((inputs.iter().map(place).collect(), outputs.iter().map(place).collect()))
}

/// The name of the argument and the type of each input, or of each output.
fn types_of(node: &Node, inputs: bool) -> Result<Vec<(String, TfType)>> {
    let def = node
        .def
        .as_ref()
        .ok_or_else(|| Error::internal(format!("{} has no definition", node.op)).at(&*node.name))?;
    let args = if inputs { &def.inputs } else { &def.outputs };
    let mut types = Vec::new();
    for arg in args {
        let count = arg.count(&node.attrs).unwrap_or(0);
        let tftypes = match &arg.tftype {
            ArgType::List(name) => node.attr_types(name)?.to_vec(),
            ArgType::Attr(name) => vec![node.attr_type(name)?; count],
            ArgType::Fixed(tftype) => vec![*tftype; count],
        };
        types.extend(tftypes.into_iter().map(|tftype| (arg.name.to_string(), tftype)));
    }
    Ok(types)
}

/// Attribute of calls, and of functions, that must be compiled.
const MUST_COMPILE: &str = "_XlaMustCompile";

/// What a call of a function that must be compiled becomes: a launch of the whole function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MustCompile {
    /// Arguments that must be known while compiling, ascending.
    pub constants: Vec<usize>,
    /// Arguments that are variables, ascending.
    pub resources: Vec<usize>,
    /// Where the inputs are.
    pub inputs: Vec<MemoryType>,
    /// Where the outputs are.
    pub outputs: Vec<MemoryType>,
}

/// The launch that a call of `function` becomes.
///
/// # Errors
/// INTERNAL "Invalid node" when the call has no `_XlaMustCompile` that is true.
pub fn must_compile(
    node: &Node,
    function: &Function,
    library: &FunctionLibrary,
) -> Result<MustCompile> {
    if !node.flag(MUST_COMPILE) {
        let text = format!("Invalid node: {} is not to be compiled", node.name);
        return Err(Error::internal(text).at(&*node.name));
    }
    let is_resource = |t: TfType| t == TfType::DtResource || tfjit_model::tftype::is_ref(t);
    let resources: Vec<usize> =
        (0..function.params.len()).filter(|&i| is_resource(function.params[i].tftype)).collect();
    let must = tfjit_bridge::const_args(library, function);
    let constants: Vec<usize> =
        (0..must.len()).filter(|i| must[*i] && !resources.contains(i)).collect();
    let host = |i: usize| constants.contains(&i) || resources.contains(&i);
    let memory = |host| if host { MemoryType::Host } else { MemoryType::Device };
    let inputs = (0..function.params.len()).map(|i| memory(host(i))).collect();
    let outputs = function.results.iter().map(|r| memory(is_resource(r.tftype))).collect();
    Ok(MustCompile { constants, resources, inputs, outputs })
}
