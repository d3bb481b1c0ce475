//! The walk over a function: nodes in topological order, each through its row.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result, Tensor, limits};
use tfjit_hlo::{FuncBuilder, Literal, Module, TensorType, ValueId};
use tfjit_model::{Endpoint, Function, FunctionLibrary, Node, NodeId};

use crate::checks::{self, Check, Checks};
use crate::fold::Folder;
use crate::ops::collective::{CollectiveInfo, Communication};
use crate::{OpCtx, TfValue, calls, row_of};

/// What is known about an argument of the function when it is compiled.
#[derive(Clone, Debug)]
pub enum Arg {
    /// Passed at run time.
    Parameter(TensorType),
    /// Known now; not a parameter of the module.
    Constant(Tensor),
    /// A variable: its name for errors, and its current type, `None` while uninitialised.
    Variable(String, Option<TensorType>),
    /// A variable whose value must be known now and may be written: its name and its value.
    ConstantVariable(String, Tensor),
    /// The same variable as the argument of this lower number.
    Alias(usize),
    /// A variable whose value stays: a constant of the module, which shares its memory.
    Frozen(FrozenVariable),
}

/// A variable whose value stays.
#[derive(Clone, Debug)]
pub struct FrozenVariable {
    /// A number that stands for the variable and this value of it; what is compiled is told apart
    /// by it, and the value is never looked through for that.
    pub id: u64,
    /// Its name, for errors.
    pub name: String,
    /// Its value, of numbers.
    pub value: Tensor,
}

/// How to lower.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether run-time checks are emitted; off gives XLA's behaviour (clamp, pass through).
    pub checks: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { checks: true }
    }
}

/// Where a parameter of the module comes from: the position of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// The argument: a tensor, or a variable's value.
    pub arg: usize,
}

/// Where a result of the function comes from.
#[derive(Clone, Debug)]
pub enum Ret {
    /// A result of the module.
    Output(usize),
    /// The variable that is argument number so, passed through.
    Variable(usize),
    /// Known while compiling and not representable in HLO (strings).
    Constant(Tensor),
}

/// A variable that the function writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update {
    /// The argument that is the variable.
    pub arg: usize,
    /// The result of the module that is its new value.
    pub output: usize,
}

/// A lowered function.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program; its entry is `main`.
    pub module: Module,
    /// One entry per parameter of the module.
    pub params: Vec<Param>,
    /// One entry per result of the function.
    pub rets: Vec<Ret>,
    /// Variables to write back.
    pub updates: Vec<Update>,
    /// The checks; when there are any, the module's last result is their `u32` vector.
    pub checks: Vec<Check>,
    /// The group of its collectives, if it has any.
    pub collective: Option<CollectiveInfo>,
}

/// A variable during lowering.
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) arg: usize,
    pub(crate) value: Option<ValueId>,
    pub(crate) modified: bool,
    /// Whether its value was promised to stay.
    pub(crate) frozen: bool,
}

/// The state of lowering one module.
pub(crate) struct Lowering<'m> {
    pub(crate) library: &'m FunctionLibrary,
    pub(crate) options: Options,
    pub(crate) b: FuncBuilder,
    pub(crate) folder: Folder,
    pub(crate) checks: Checks,
    pub(crate) vars: Vec<Variable>,
    /// Whether some loop so far stops when a check fires in it.
    pub(crate) halts: bool,
    /// What the function communicates.
    pub(crate) communication: Communication,
    depth: usize,
    nodes: usize,
}

/// Lowers `function` for the given arguments.
///
/// # Errors
/// UNIMPLEMENTED listing every node that has no row, INVALID_ARGUMENT for what TensorFlow's own
/// shape functions would refuse; each names the node.
pub fn lower(
    library: &FunctionLibrary,
    function: &Function,
    args: &[Arg],
    options: Options,
) -> Result<Lowered> {
    if args.len() != function.params.len() {
        return Err(Error::internal(format!(
            "function {} takes {} arguments, not {}",
            function.name,
            function.params.len(),
            args.len()
        )));
    }
    if let Some(error) = Error::collect(unsupported(library, function)) {
        return Err(error);
    }
    let mut low = Lowering {
        library,
        options,
        b: FuncBuilder::new("main"),
        folder: Folder::default(),
        checks: Checks::new(),
        vars: Vec::new(),
        halts: false,
        communication: Communication::default(),
        depth: 0,
        nodes: 0,
    };
    let mut params = Vec::new();
    let mut values = Vec::with_capacity(args.len());
    for (i, arg) in args.iter().enumerate() {
        let value = match arg {
            Arg::Alias(of) => values.get(*of).cloned().ok_or_else(|| {
                Error::internal(format!("argument {i} can't be the same as argument {of}"))
            })?,
            _ => low.argument(i, arg, &mut params)?,
        };
        values.push(value);
    }
    let results = low.function(function, values)?;
    low.finish(function, results, params)
}

/// Nodes of `function` and of the functions it calls that the bridge can't lower, as errors.
pub fn unsupported(library: &FunctionLibrary, function: &Function) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack: Vec<(&Function, String)> = vec![(function, String::new())];
    while let Some((f, path)) = stack.pop() {
        for id in needed(f) {
            let Some(node) = f.graph.get(id) else { continue };
            for callee in calls::callees(library, node) {
                if seen.insert(callee.name.clone()) {
                    stack.push((callee, format!("{path}{}/", node.name)));
                }
            }
            if errors.len() < limits::PROBLEMS_MAX && !is_lowerable(library, node) {
                errors.push(
                    Error::unimplemented(format!("op {} cannot be compiled", node.op))
                        .at(format!("{path}{}", node.name)),
                );
            }
        }
    }
    errors
}

/// What keeps one node, or the functions it calls, from being lowered; empty when nothing does.
pub fn blockers(library: &FunctionLibrary, node: &Node) -> Vec<Error> {
    if !is_lowerable(library, node) {
        let error = Error::unimplemented(format!("op {} cannot be compiled", node.op));
        return vec![error.at(&*node.name)];
    }
    calls::callees(library, node).into_iter().flat_map(|f| unsupported(library, f)).collect()
}

fn is_lowerable(library: &FunctionLibrary, node: &Node) -> bool {
    row_of(&node.op).is_some_and(|row| (row.accepts)(node))
        || &*node.op == "_Arg"
        || library.get(&node.op).is_some()
}

/// Nodes that the results or the control results need, in topological order.
pub(crate) fn needed(function: &Function) -> Vec<NodeId> {
    let graph = &function.graph;
    let wanted = graph.reachable(function.roots(), |_| false);
    // The reader refuses cycles, so an order exists.
    let order = graph.topological_order().unwrap_or_default();
    order.into_iter().filter(|id| wanted[id.index()]).collect()
}

impl<'m> Lowering<'m> {
    /// The symbolic value of argument `i`.
    fn argument(&mut self, i: usize, arg: &Arg, params: &mut Vec<Param>) -> Result<TfValue> {
        Ok(match arg {
            Arg::Parameter(ty) => {
                params.push(Param { arg: i });
                TfValue::Tensor(self.b.param(ty.clone()))
            }
            Arg::Constant(tensor) => self.constant(tensor.clone())?,
            Arg::Variable(name, ty) => {
                let value = ty.as_ref().map(|ty| {
                    params.push(Param { arg: i });
                    self.b.param(ty.clone())
                });
                self.variable(i, name, value, false)
            }
            Arg::ConstantVariable(name, value) => {
                let value = self.b.literal(Literal::dense(value.clone()))?;
                self.variable(i, name, Some(value), false)
            }
            Arg::Alias(_) => return Err(Error::internal("an alias is no argument of its own")),
            Arg::Frozen(variable) => {
                let value = self.b.literal(Literal::dense(variable.value.clone()))?;
                self.variable(i, &variable.name, Some(value), true)
            }
        })
    }

    fn variable(
        &mut self,
        arg: usize,
        name: &str,
        value: Option<ValueId>,
        frozen: bool,
    ) -> TfValue {
        let name = name.to_owned();
        self.vars.push(Variable { name, arg, value, modified: false, frozen });
        TfValue::Variable(self.vars.len() - 1)
    }

    /// A constant as a symbolic value: strings stay outside the program.
    pub(crate) fn constant(&mut self, tensor: Tensor) -> Result<TfValue> {
        if tensor.as_strings().is_some() {
            return Ok(TfValue::Host(tensor));
        }
        Ok(TfValue::Tensor(self.b.literal(Literal::dense(tensor))?))
    }

    /// Lowers a function body; returns its results.
    pub(crate) fn function(
        &mut self,
        function: &Function,
        args: Vec<TfValue>,
    ) -> Result<Vec<TfValue>> {
        if self.depth >= limits::CALL_DEPTH_MAX {
            return Err(Error::resource_exhausted(format!(
                "functions call each other more than {} deep at {}",
                limits::CALL_DEPTH_MAX,
                function.name
            )));
        }
        self.depth += 1;
        let mut env = Env { outputs: FxHashMap::default() };
        for (i, value) in args.into_iter().enumerate() {
            if let Some(id) = function.param_node(i) {
                env.outputs.insert(id, vec![value]);
            }
        }
        for id in needed(function) {
            if !env.outputs.contains_key(&id) {
                let Some(node) = function.graph.get(id) else { continue };
                let outputs = self.node(node, &env).map_err(|e| e.at(&*node.name))?;
                env.outputs.insert(id, outputs);
            }
        }
        self.depth -= 1;
        function.results.iter().map(|r| env.get(r.endpoint).map_err(|e| e.at(&*r.name))).collect()
    }

    fn node(&mut self, node: &Node, env: &Env) -> Result<Vec<TfValue>> {
        self.nodes += 1;
        if self.nodes > limits::INLINED_NODES_MAX {
            return Err(Error::resource_exhausted(format!(
                "more than {} nodes after inlining all calls",
                limits::INLINED_NODES_MAX
            )));
        }
        let inputs: Vec<TfValue> =
            node.inputs.iter().map(|&e| env.get(e)).collect::<Result<_>>()?;
        if let Some(callee) = self.library.get(&node.op) {
            let callee = Arc::clone(callee);
            return self.function(&callee, inputs);
        }
        let row = row_of(&node.op)
            .ok_or_else(|| Error::unimplemented(format!("op {} cannot be compiled", node.op)))?;
        self.b.set_source(Some(Arc::clone(&node.name)));
        let mut ctx = OpCtx { low: self, node, inputs: &inputs, outputs: Vec::new() };
        (row.lower)(&mut ctx)?;
        Ok(ctx.outputs)
    }

    /// The current value of variable `k`.
    pub(crate) fn read_variable(&mut self, k: usize) -> Result<ValueId> {
        let var = &self.vars[k];
        var.value.ok_or_else(|| {
            Error::failed_precondition(format!(
                "Read variable failure {}: the variable is uninitialized",
                var.name
            ))
        })
    }

    /// Gives variable `k` a new value; its element type is fixed once it has a value.
    pub(crate) fn assign_variable(&mut self, k: usize, value: ValueId) -> Result<()> {
        if self.vars[k].frozen {
            return Err(Error::internal(format!(
                "variable {} was taken for one that nothing writes",
                self.vars[k].name
            )));
        }
        let new = self.b.ty(value)?.clone();
        if let Some(old) = self.vars[k].value {
            let old = self.b.ty(old)?;
            if old.dtype != new.dtype {
                return Err(Error::invalid_argument(format!(
                    "variable {} holds {}, it cannot be assigned {}",
                    self.vars[k].name, old.dtype, new.dtype
                )));
            }
        }
        self.vars[k].value = Some(value);
        self.vars[k].modified = true;
        Ok(())
    }

    fn finish(
        mut self,
        function: &Function,
        results: Vec<TfValue>,
        params: Vec<Param>,
    ) -> Result<Lowered> {
        let mut outputs = Vec::new();
        let mut rets = Vec::new();
        for (value, def) in results.into_iter().zip(&function.results) {
            rets.push(match value {
                TfValue::Tensor(v) => {
                    outputs.push(v);
                    Ret::Output(outputs.len() - 1)
                }
                TfValue::Variable(k) if tfjit_model::dtype(def.tftype).is_some() => {
                    outputs.push(self.read_variable(k)?);
                    Ret::Output(outputs.len() - 1)
                }
                TfValue::Variable(k) => Ret::Variable(self.vars[k].arg),
                TfValue::Host(tensor) => Ret::Constant(tensor),
                TfValue::List(_) | TfValue::Nothing => {
                    return Err(Error::unimplemented(format!(
                        "result {} of {} is not a tensor",
                        def.name, function.name
                    )));
                }
            });
        }
        let mut updates = Vec::new();
        for var in self.vars.iter().filter(|v| v.modified) {
            let value = var.value.expect("a modified variable has a value");
            updates.push(Update { arg: var.arg, output: outputs.len() });
            outputs.push(value);
        }
        let fired = std::mem::take(&mut self.checks.scopes[0]);
        if !fired.is_empty() {
            self.b.set_source(None);
            outputs.push(checks::pack(&mut self.b, &fired)?);
        }
        let used = fired.iter().map(|&(i, _)| self.checks.all[i].clone()).collect();
        let func = self.b.finish(&outputs);
        let module =
            Module { name: symbol(&function.name), funcs: vec![func], ..Module::default() };
        let collective = self.communication.info;
        Ok(Lowered { module, params, rets, updates, checks: used, collective })
    }
}

/// Outputs of the nodes lowered so far.
struct Env {
    outputs: FxHashMap<NodeId, Vec<TfValue>>,
}

impl Env {
    fn get(&self, endpoint: Endpoint) -> Result<TfValue> {
        let outputs = self.outputs.get(&endpoint.node);
        let value = outputs.and_then(|o| o.get(endpoint.output as usize));
        value.cloned().ok_or_else(|| {
            Error::internal(format!("output {} of a node was never made", endpoint.output))
        })
    }
}

/// A module name made of letters, digits, `_` and `.`.
fn symbol(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect()
}
