//! Functional control flow: if, case and while become HLO's, with branches as regions.

use std::sync::Arc;

use tfjit_base::{DType, Error, Result, Shape};
use tfjit_hlo::{Binary, BlockId, Direction, Op, Type, Unary, ValueId};
use tfjit_model::{Function, NodeId};

use crate::region::{Region, flatten, rebuild};
use crate::row::{OpRow, row};
use crate::{OpCtx, TfValue};

pub(super) const ROWS: &[OpRow] = &[
    row("If", "one of two functions", branch_if),
    row("StatelessIf", "one of two functions", branch_if),
    row("Case", "one of several functions; out of range takes the last", branch_case),
    row("StatelessCase", "one of several functions; out of range takes the last", |c| {
        branch_case(c)
    }),
    row("While", "a loop over functions", while_loop),
    row("StatelessWhile", "a loop over functions", while_loop),
];

fn callee(c: &OpCtx<'_, '_>, name: &str) -> Result<Arc<Function>> {
    c.low
        .library
        .get(name)
        .cloned()
        .ok_or_else(|| Error::not_found(format!("function {name} is not in the library")))
}

/// A scalar is true when nonzero, anything else when it has elements.
fn truth(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    let shape = c.shape(x)?;
    if shape.rank() > 0 {
        return c.constant(tfjit_base::Tensor::scalar_bool(shape.elements() > 0));
    }
    if c.dtype(x)? == DType::Bool {
        return Ok(x);
    }
    let zero = c.full_like(x, 0.0)?;
    c.compare(Direction::Ne, x, zero)
}

fn branch_if(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let condition = c.input(0)?;
    let condition = truth(c, condition)?;
    let names = [
        c.node().attr_func("then_branch")?.name.clone(),
        c.node().attr_func("else_branch")?.name.clone(),
    ];
    let branches = [callee(c, &names[0])?, callee(c, &names[1])?];
    if let Some(known) = c.const_value(condition)? {
        let taken = usize::from(!known.to_bools()?[0]);
        return inline(c, &branches[taken]);
    }
    branch(c, Op::If, condition, &branches)
}

fn branch_case(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let index = c.input(0)?;
    let names: Vec<Arc<str>> =
        c.node().attr_funcs("branches")?.iter().map(|f| f.name.clone()).collect();
    let branches: Vec<Arc<Function>> = names.iter().map(|n| callee(c, n)).collect::<Result<_>>()?;
    if branches.is_empty() {
        return Err(Error::invalid_argument("there is no branch"));
    }
    if let Some(known) = c.const_value(index)? {
        let last = branches.len() - 1;
        let wanted = known.to_i64s()?.first().copied().unwrap_or(-1);
        let taken = usize::try_from(wanted).map_or(last, |i| i.min(last));
        return inline(c, &branches[taken]);
    }
    branch(c, Op::Case, index, &branches)
}

/// Only one branch can be taken: no region is needed.
fn inline(c: &mut OpCtx<'_, '_>, function: &Arc<Function>) -> Result<()> {
    let args = c.inputs[1..].to_vec();
    c.outputs = c.low.function(function, args)?;
    Ok(())
}

/// The results of a region with references to variables read where the node wants tensors.
fn results_of(c: &OpCtx<'_, '_>, region: &Region) -> Result<Vec<TfValue>> {
    let read = |(i, value): (usize, &TfValue)| match value {
        TfValue::Variable(k) if c.output_dtype(i).is_ok() => {
            let value = region.variables[*k].ok_or_else(|| {
                Error::failed_precondition(format!("{} is uninitialized", c.low.vars[*k].name))
            })?;
            Ok(TfValue::Tensor(value))
        }
        other => Ok(other.clone()),
    };
    region.results.iter().enumerate().map(read).collect()
}

/// Variables that some region wrote.
fn written(c: &OpCtx<'_, '_>, regions: &[Region]) -> Vec<usize> {
    (0..c.low.vars.len()).filter(|&k| regions.iter().any(|r| r.modified[k])).collect()
}

fn branch(
    c: &mut OpCtx<'_, '_>,
    op: Op,
    selector: ValueId,
    branches: &[Arc<Function>],
) -> Result<()> {
    let args = c.inputs[1..].to_vec();
    let mut regions: Vec<Region> = Vec::new();
    for function in branches {
        regions.push(c.low.lower_region(function, &[], |_, _| Ok(args.clone()))?);
    }
    let written = written(c, &regions);
    let like = results_of(c, &regions[0])?;
    finish_branches(c, &regions, &written)?;
    let blocks: Vec<_> = regions.iter().map(|r| r.block).collect();
    let mut values = c.push(op, &[selector], &blocks)?.into_iter();
    for (i, value) in like.iter().enumerate() {
        let value = rebuild(value, &mut values)?;
        c.set_raw(i, value);
    }
    for k in written {
        let value = values.next().ok_or_else(|| Error::internal("a region lost a value"))?;
        c.low.assign_variable(k, value)?;
    }
    let checks = regions.into_iter().flat_map(|r| r.checks);
    for ((check, _), fired) in checks.zip(values) {
        c.low.checks.add(check, fired);
    }
    Ok(())
}

/// Fixes what branches return: results, written variables, and the flags of all branches' checks.
fn finish_branches(c: &mut OpCtx<'_, '_>, regions: &[Region], written: &[usize]) -> Result<()> {
    let no = c.low.no()?;
    let flags: usize = regions.iter().map(|r| r.checks.len()).sum();
    let mut first_flag = 0;
    let mut types: Vec<Type> = Vec::new();
    for (branch, region) in regions.iter().enumerate() {
        let mut results = Vec::new();
        for value in results_of(c, region)? {
            results.extend(flatten(&value)?);
        }
        for &k in written {
            results.push(region.variables[k].ok_or_else(|| {
                Error::unimplemented(format!("Uninitialized arguments: {}", c.low.vars[k].name))
            })?);
        }
        let mut own = vec![no; flags];
        for (i, (_, fired)) in region.checks.iter().enumerate() {
            own[first_flag + i] = *fired;
        }
        first_flag += region.checks.len();
        results.extend(own);
        let these: Vec<Type> = results.iter().map(|&v| c.func().ty(v).clone()).collect();
        if branch > 0 && these != types {
            return Err(Error::invalid_argument(
                "Output shapes of then and else branches do not match",
            ));
        }
        types = these;
        c.set_region_results(region.block, &results);
    }
    Ok(())
}

/// Which results of a body are its own parameters, unchanged: loop invariants.
fn invariants(body: &Function) -> Vec<bool> {
    let source = |mut id: NodeId| {
        // Follows identities; bounded by the number of nodes, which are acyclic.
        while let Some(node) = body.graph.get(id) {
            match (&*node.op, node.inputs.as_slice()) {
                ("Identity", [input]) if input.output == 0 => id = input.node,
                _ => break,
            }
        }
        id
    };
    (0..body.params.len())
        .map(|i| match (body.results.get(i), body.param_node(i)) {
            (Some(result), Some(param)) => source(result.endpoint.node) == param,
            _ => false,
        })
        .collect()
}

/// What a loop carries: positions of the arguments that change, and their starting values.
struct Carried {
    /// One entry per argument of the loop.
    invariant: Vec<bool>,
    /// Arguments with lists given their final element shape.
    start: Vec<TfValue>,
    /// Variables that the loop may write.
    variables: Vec<usize>,
}

impl Carried {
    /// Flat starting values.
    fn values(&self, c: &OpCtx<'_, '_>) -> Result<Vec<ValueId>> {
        let mut flat = Vec::new();
        for (value, invariant) in self.start.iter().zip(&self.invariant) {
            if !invariant {
                flat.extend(flatten(value)?);
            }
        }
        for &k in &self.variables {
            flat.push(c.low.vars[k].value.ok_or_else(|| {
                Error::unimplemented(format!("Uninitialized arguments: {}", c.low.vars[k].name))
            })?);
        }
        Ok(flat)
    }

    /// The arguments of a body or condition out of a region's parameters; sets the variables.
    fn arguments(
        &self,
        low: &mut crate::lower::Lowering<'_>,
        params: &[ValueId],
    ) -> Result<Vec<TfValue>> {
        let mut params = params.iter().copied();
        let mut args = Vec::with_capacity(self.start.len());
        for (value, invariant) in self.start.iter().zip(&self.invariant) {
            args.push(if *invariant { value.clone() } else { rebuild(value, &mut params)? });
        }
        for &k in &self.variables {
            low.vars[k].value = params.next();
        }
        Ok(args)
    }
}

fn while_loop(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let condition = c.node().attr_func("cond")?.name.clone();
    let body = c.node().attr_func("body")?.name.clone();
    let (condition, body) = (callee(c, &condition)?, callee(c, &body)?);
    let mut start = Vec::with_capacity(c.inputs.len());
    for i in 0..c.input_count() {
        start.push(match c.raw_input(i)? {
            TfValue::Variable(_) if c.output_dtype(i).is_ok() => TfValue::Tensor(c.input(i)?),
            other => other.clone(),
        });
    }
    let variables = (0..c.low.vars.len())
        .filter(|&k| !c.low.vars[k].frozen)
        .filter(|&k| start.iter().any(|v| matches!(v, TfValue::Variable(j) if *j == k)))
        .collect();
    let mut carried = Carried { invariant: invariants(&body), start, variables };
    shape_lists(c, &body, &mut carried)?;
    let flat = carried.values(c)?;
    let types: Vec<Type> = flat.iter().map(|&v| c.func().ty(v).clone()).collect();

    let cond = c.low.lower_region(&condition, &types, |low, p| carried.arguments(low, p))?;
    if !cond.checks.is_empty() {
        // They can't leave a condition beside the predicate.
        return rotated_loop(c, &carried, &condition, &body);
    }
    let halts = std::mem::replace(&mut c.low.halts, false);
    let inner = c.low.lower_region(&body, &types, |low, p| carried.arguments(low, p))?;
    let goes_on = if c.low.halts { GoesOn::WhileSound } else { GoesOn::Always };
    c.low.halts |= halts;
    let outer = c.current();
    c.set_current(cond.block);
    let predicate = predicate(c, &cond.results);
    c.set_current(outer);
    c.set_region_results(cond.block, &[predicate?]);
    finish_loop(c, &carried, flat, cond.block, inner, goes_on)
}

/// The loop condition out of what its function returns.
fn predicate(c: &mut OpCtx<'_, '_>, results: &[TfValue]) -> Result<ValueId> {
    match results.first() {
        Some(TfValue::Tensor(v)) => truth(c, *v),
        _ => Err(Error::invalid_argument("the loop condition returns no tensor")),
    }
}

/// What happens to a loop when a check fires in it.
enum GoesOn {
    /// It runs as it would without checks.
    Always,
    /// It stops: a loop inside has stopped and left values that this one may wait for in vain.
    WhileSound,
    /// The same, and whether it goes on is carried: at first, and after a pass.
    Carried(ValueId, ValueId),
}

/// A loop whose condition has checks: it is evaluated once before the loop and at the end of each
/// pass, where checks have a way out, and the loop carries whether it goes on. After a check has
/// fired it does not: what comes later would be computed from what is wrong.
fn rotated_loop(
    c: &mut OpCtx<'_, '_>,
    carried: &Carried,
    condition: &Function,
    body: &Function,
) -> Result<()> {
    let known = c.low.checks.open().len();
    let first = c.low.function(condition, carried.start.clone())?;
    let go = predicate(c, &first)?;
    let fired: Vec<ValueId> = c.low.checks.open()[known..].iter().map(|&(_, f)| f).collect();
    let go = unless(c, go, &fired)?;
    let flat = carried.values(c)?;
    let types: Vec<Type> = flat.iter().map(|&v| c.func().ty(v).clone()).collect();
    let tensors: Vec<bool> = (0..carried.start.len()).map(|i| c.output_dtype(i).is_ok()).collect();
    let count = tensors.len();
    let mut inner = c.low.lower_region_with(&types, |low, params| {
        let args = carried.arguments(low, params)?;
        let mut results = low.function(body, args)?;
        if results.len() != count {
            let e = "a loop body returns another number of values";
            return Err(Error::invalid_argument(e));
        }
        for ((value, start), i) in results.iter_mut().zip(&carried.start).zip(0..) {
            match value {
                _ if carried.invariant[i] => *value = start.clone(),
                TfValue::Variable(k) if tensors[i] => {
                    *value = TfValue::Tensor(low.read_variable(*k)?);
                }
                _ => {}
            }
        }
        let again = low.function(condition, results.clone())?;
        results.extend(again.into_iter().next());
        Ok(results)
    })?;
    let again = inner.results.split_off(count.min(inner.results.len()));
    let outer = c.current();
    c.set_current(inner.block);
    let fired: Vec<ValueId> = inner.checks.iter().map(|(_, fired)| *fired).collect();
    let on = predicate(c, &again).and_then(|on| unless(c, on, &fired));
    c.set_current(outer);
    let (block, params) = c.new_region(&types);
    debug_assert_eq!(params.len(), flat.len(), "a parameter for each value");
    c.low.halts = true;
    finish_loop(c, carried, flat, block, inner, GoesOn::Carried(go, on?))
}

/// `x`, and none of `fired`.
fn unless(c: &mut OpCtx<'_, '_>, x: ValueId, fired: &[ValueId]) -> Result<ValueId> {
    let mut x = x;
    for &flag in fired {
        let fine = c.unary(Unary::Not, flag)?;
        x = c.binary(Binary::And, x, fine)?;
    }
    Ok(x)
}

/// Lists whose element shape is unknown get a buffer of the shape that the first pass through the
/// body gives them.
fn shape_lists(c: &mut OpCtx<'_, '_>, body: &Function, carried: &mut Carried) -> Result<()> {
    let open = |v: &TfValue| matches!(v, TfValue::List(list) if list.buffer.is_none());
    if !carried.start.iter().any(open) {
        return Ok(());
    }
    let start = carried.start.clone();
    let trial = c.low.lower_region(body, &[], |_, _| Ok(start))?;
    for (value, result) in carried.start.iter_mut().zip(&trial.results) {
        if let (TfValue::List(list), TfValue::List(after)) = (value, result)
            && let (None, Some(buffer)) = (list.buffer, after.buffer)
        {
            let (dtype, shape) = (c.dtype(buffer)?, c.shape(buffer)?);
            list.buffer = Some(c.full(dtype, &shape, 0.0)?);
        }
    }
    Ok(())
}

/// Builds the loop of a condition `cond`, which lacks parameters for flags, and a body. If the loop
/// carries whether it goes on, the condition has no result yet either.
fn finish_loop(
    c: &mut OpCtx<'_, '_>,
    carried: &Carried,
    mut flat: Vec<ValueId>,
    cond: BlockId,
    body: Region,
    goes_on: GoesOn,
) -> Result<()> {
    let scalar = Type::tensor(DType::Bool, &[]);
    let no = c.low.no()?;
    let mut results = Vec::new();
    for (i, value) in results_of(c, &body)?.iter().enumerate() {
        if !carried.invariant.get(i).copied().unwrap_or(false) {
            results.extend(flatten(value)?);
        }
    }
    for &k in &carried.variables {
        results.extend(body.variables[k]);
    }
    if let GoesOn::Carried(first, again) = goes_on {
        flat.push(first);
        results.push(again);
        c.add_region_param(body.block, scalar.clone());
        let on = c.add_region_param(cond, scalar.clone());
        c.set_region_results(cond, &[on]);
    }
    // Flags of checks stay up once they are up.
    let outer = c.current();
    let mut flags = Vec::new();
    for (_, fired) in &body.checks {
        flat.push(no);
        flags.push(c.add_region_param(cond, scalar.clone()));
        let before = c.add_region_param(body.block, scalar.clone());
        c.set_current(body.block);
        let flag = c.binary(Binary::Or, before, *fired);
        c.set_current(outer);
        results.push(flag?);
    }
    if let (GoesOn::WhileSound, [predicate]) = (&goes_on, &c.func().blocks[cond].results[..]) {
        let predicate = *predicate;
        c.set_current(cond);
        let on = unless(c, predicate, &flags);
        c.set_current(outer);
        c.set_region_results(cond, &[on?]);
    }
    loop_types(c, &flat, &results)?;
    c.set_region_results(body.block, &results);
    let mut values = c.push(Op::While, &flat, &[cond, body.block])?.into_iter();
    for (i, (value, invariant)) in carried.start.iter().zip(&carried.invariant).enumerate() {
        let value = if *invariant { value.clone() } else { rebuild(value, &mut values)? };
        c.set_raw(i, value);
    }
    for &k in &carried.variables {
        let value = values.next().ok_or_else(|| Error::internal("a loop lost a value"))?;
        if body.modified[k] {
            c.low.assign_variable(k, value)?;
        }
    }
    let values = values.skip(usize::from(matches!(goes_on, GoesOn::Carried(..))));
    for ((check, _), fired) in body.checks.into_iter().zip(values) {
        c.low.checks.add(check, fired);
    }
    Ok(())
}

/// A loop's values keep their types.
fn loop_types(c: &OpCtx<'_, '_>, start: &[ValueId], results: &[ValueId]) -> Result<()> {
    let show = |v: ValueId| match c.func().tensor_ty(v) {
        Some(ty) => {
            let dims: Shape = ty.dims.iter().map(|&d| d as usize).collect();
            format!("{}{dims}", ty.dtype)
        }
        None => "no tensor".to_owned(),
    };
    if start.len() != results.len() {
        return Err(Error::invalid_argument("a loop body returns another number of values"));
    }
    match start.iter().zip(results).find(|(a, b)| c.func().ty(**a) != c.func().ty(**b)) {
        None => Ok(()),
        Some((a, b)) => Err(Error::invalid_argument(format!(
            "Input and output shapes of loop body do not match: {} vs. {}",
            show(*a),
            show(*b)
        ))),
    }
}
