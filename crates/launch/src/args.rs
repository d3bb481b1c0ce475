//! From the inputs of a launch to what the compiler is told about them.
//!
//! It must not know how anything is compiled or run.

use std::sync::Arc;

use tfjit_base::{Error, Result, Tensor};
use tfjit_bridge::{Arg, FrozenVariable};
use tfjit_hlo::TensorType;
use tfjit_model::{Function, FunctionLibrary};
use tfjit_runtime::{LockPlan, Locked, Value, Variable};

use crate::CollectiveExecutor;

/// A cluster: its function, and which of the function's arguments are what.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Where functions that are called are found.
    pub library: Arc<FunctionLibrary>,
    /// The function.
    pub function: Arc<Function>,
    /// Arguments that must be known while compiling, ascending.
    pub constants: Vec<usize>,
    /// Arguments that are variables, ascending.
    pub resources: Vec<usize>,
    /// Whether frozen variables are taken as constants. An explicit launch node does not: by
    /// TensorFlow's rule, variables of the same types share what was compiled.
    pub freeze: bool,
    /// Whether reference variables of TensorFlow 1 may be around, whose memory others may hold
    /// without it being seen: then no variable's memory is given away.
    pub has_ref_vars: bool,
    /// Where its launches run, and how they meet others.
    pub place: DevicePlace,
}

/// A device, and how launches on it meet those on others.
#[derive(Clone, Debug)]
pub struct DevicePlace {
    /// Its full name.
    pub device: Arc<str>,
    /// How devices form groups; without it there are no collectives.
    pub collectives: Option<Arc<CollectiveExecutor>>,
}

impl Default for DevicePlace {
    /// The first processor of this process, alone.
    fn default() -> DevicePlace {
        DevicePlace {
            device: "/job:localhost/replica:0/task:0/device:CPU:0".into(),
            collectives: None,
        }
    }
}

/// What the variables of a cluster hold while it is looked at, by argument.
pub(crate) trait Variables {
    /// The value; `None` while uninitialised.
    fn value(&self, arg: usize, variable: &Variable) -> Result<Option<Tensor>>;
}

impl Variables for Locked<'_> {
    fn value(&self, _: usize, variable: &Variable) -> Result<Option<Tensor>> {
        Ok(Locked::value(self, variable)?.cloned())
    }
}

impl Cluster {
    /// A cluster of `function` with these constant and variable arguments.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when a list is not strictly ascending or names an argument that the
    /// function does not have.
    pub fn new(
        library: Arc<FunctionLibrary>,
        function: Arc<Function>,
        constants: Vec<usize>,
        resources: Vec<usize>,
    ) -> Result<Cluster> {
        for (what, list) in [("constant", &constants), ("resource", &resources)] {
            if !list.is_sorted_by(|a, b| a < b) {
                let text = format!("the {what} arguments {list:?} are not sorted");
                return Err(Error::invalid_argument(text).at(&*function.name));
            }
            if let Some(last) = list.last().filter(|&&last| last >= function.params.len()) {
                let count = function.params.len();
                let text = format!("argument {last} is listed as a {what} of {count} arguments");
                return Err(Error::invalid_argument(text).at(&*function.name));
            }
        }
        let (freeze, has_ref_vars, place) = (false, true, DevicePlace::default());
        Ok(Cluster { library, function, constants, resources, freeze, has_ref_vars, place })
    }

    /// Whether argument `i` is a variable.
    pub(crate) fn is_resource(&self, i: usize) -> bool {
        self.resources.binary_search(&i).is_ok()
    }

    fn is_constant(&self, i: usize) -> bool {
        self.constants.binary_search(&i).is_ok()
    }

    /// The variables among `inputs`, each once or more, with the number of the argument.
    pub(crate) fn variables<'v>(
        &self,
        inputs: &'v [Value],
    ) -> Result<Vec<(usize, &'v Arc<Variable>)>> {
        if inputs.len() != self.function.params.len() {
            return Err(Error::invalid_argument(format!(
                "{} takes {} arguments, not {}",
                self.function.name,
                self.function.params.len(),
                inputs.len()
            )));
        }
        let mut variables = Vec::with_capacity(self.resources.len());
        for (i, input) in inputs.iter().enumerate() {
            match (input, self.is_resource(i)) {
                (Value::Variable(variable), true) => variables.push((i, variable)),
                (Value::Variable(variable), false) => {
                    return Err(Error::invalid_argument(format!(
                        "input {i} must be a tensor, it is the handle of {}",
                        variable.name()
                    )));
                }
                (_, true) => {
                    let text = format!("input {i} must be a variable's handle");
                    return Err(Error::invalid_argument(text));
                }
                _ => {}
            }
        }
        Ok(variables)
    }

    /// Shared locks on all variables that are not frozen: no value changes while they are held.
    pub(crate) fn lock_shared<'v>(&self, variables: &[(usize, &'v Arc<Variable>)]) -> Locked<'v> {
        let mut plan = LockPlan::new();
        for (_, variable) in variables {
            if self.frozen(variable).is_none() {
                plan.add(variable, false);
            }
        }
        plan.lock()
    }

    /// What the compiler is told of the inputs.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when an input is not what its place asks for; FAILED_PRECONDITION when a
    /// variable whose value must be known while compiling has none.
    pub(crate) fn arguments(&self, inputs: &[Value], values: &dyn Variables) -> Result<Vec<Arg>> {
        let variables = self.variables(inputs)?;
        let mut args = Vec::with_capacity(inputs.len());
        for (i, input) in inputs.iter().enumerate() {
            let arg = match input {
                Value::Variable(variable) => {
                    let mut before = variables.iter().take_while(|(at, _)| *at < i);
                    match before.find(|(_, other)| Arc::ptr_eq(other, variable)) {
                        Some((first, _)) => Arg::Alias(*first),
                        None => self.variable(i, variable, values)?,
                    }
                }
                Value::Tensor(tensor) => self.tensor(i, tensor),
                other => {
                    return Err(Error::invalid_argument(format!(
                        "input {i} is {}, which no cluster takes",
                        other.describe()
                    )));
                }
            };
            args.push(arg);
        }
        Ok(args)
    }

    fn variable(&self, i: usize, variable: &Variable, values: &dyn Variables) -> Result<Arg> {
        let name = variable.name().to_owned();
        if let Some(value) = self.frozen(variable) {
            return Ok(Arg::Frozen(FrozenVariable { id: variable.id(), name, value }));
        }
        let value = values.value(i, variable)?;
        if self.is_constant(i) {
            let value = value.ok_or_else(|| uninitialized(variable))?;
            return Ok(Arg::ConstantVariable(name, value));
        }
        Ok(Arg::Variable(name, value.map(|t| TensorType::of(t.dtype(), t.shape()))))
    }

    /// The value of a variable that is a constant. Strings are none that a program could hold.
    fn frozen(&self, variable: &Variable) -> Option<Tensor> {
        let value = if self.freeze { variable.frozen_value() } else { None };
        value.filter(|t| t.as_strings().is_none())
    }

    /// Tensors without elements are constants too: they carry nothing that could change.
    fn tensor(&self, i: usize, tensor: &Tensor) -> Arg {
        if self.is_constant(i) || tensor.elements() == 0 || tensor.as_strings().is_some() {
            return Arg::Constant(tensor.clone());
        }
        Arg::Parameter(TensorType::of(tensor.dtype(), tensor.shape()))
    }
}

fn uninitialized(variable: &Variable) -> Error {
    Error::failed_precondition(format!("variable {} is uninitialized", variable.name()))
        .help("its value must be known to compile what reads it")
}

/// Whether a tensor has this type.
pub(crate) fn same_type(ty: &TensorType, tensor: &Tensor) -> bool {
    let dims = tensor.shape().dims();
    let mut pairs = ty.dims.iter().zip(dims);
    ty.dtype == tensor.dtype()
        && ty.dims.len() == dims.len()
        && pairs.all(|(a, b)| usize::try_from(*a) == Ok(*b))
}
