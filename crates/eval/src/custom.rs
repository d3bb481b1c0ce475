//! Custom calls: rows of targets with an obvious meaning; everything else is the host's.

use tfjit_base::{DType, Error, Result, Tensor};
use tfjit_hlo::{Attr, Binary, CustomCall, InstId, Op, TensorType, Type, Unary};

use crate::inst::eval_typed;
use crate::interpreter::{Frame, Run, owned_types};
use crate::{Value, check, moves, parallel, sort};

/// A call about to be made.
pub(crate) struct Call<'c> {
    pub(crate) call: &'c CustomCall,
    pub(crate) operands: Vec<Value>,
    pub(crate) results: Vec<&'c Type>,
}

/// What a target does.
type Target = fn(&mut Run<'_, '_>, Call<'_>) -> Result<Vec<Value>>;

/// The known targets.
const TARGETS: &[(&str, Target)] = &[
    ("Sharding", identity),
    ("SPMDFullToShardShape", identity),
    ("SPMDShardToFullShape", identity),
    ("LayoutConstraint", identity),
    ("MoveToDevice", identity),
    ("MoveToHost", identity),
    ("annotate_device_placement", identity),
    ("xla.sdy.FuncResultSharding", identity),
    ("xla.sdy.GlobalToLocalShape", identity),
    ("xla.sdy.LocalToGlobalShape", identity),
    ("ApproxTopK", approx_top_k),
    ("TopK", top_k),
    ("mhlo.topk", top_k),
    ("shape_assertion", shape_assertion),
    ("check.eq", check::equal),
    ("check.expect_eq", check::equal),
    ("check.expect_eq_const", check::equal),
    ("check.expect_almost_eq", check::almost_equal),
    ("check.expect_almost_eq_const", check::almost_equal),
    ("check.expect_close", check::close),
    ("check.expect_serialized_eq", check::probed),
    ("interpreter.print", check::print),
    ("interpreter.probe", check::probe),
    ("interpreter.run_parallel", parallel::custom_call),
];

/// Runs a custom call.
pub(crate) fn call<'r>(
    run: &mut Run<'r, '_>,
    frame: &mut Frame<'r>,
    inst: InstId,
    call: &CustomCall,
) -> Result<Vec<Value>> {
    let func = frame.func;
    let data = &func.insts[inst];
    let operands = run.operands(frame, inst)?;
    let results: Vec<&Type> = data.results.iter().map(|&v| func.ty(v)).collect();
    let name = call.call_target_name.as_str();
    if let Some((_, target)) = TARGETS.iter().find(|(target, _)| *target == name) {
        return target(run, Call { call, operands, results });
    }
    if let Some(op) = elementwise(name) {
        let tensors: Vec<&Tensor> = operands.iter().map(Value::tensor).collect::<Result<_>>()?;
        let types: Vec<TensorType> =
            tensors.iter().map(|x| TensorType::of(x.dtype(), x.shape())).collect();
        let types: Vec<&TensorType> = types.iter().collect();
        let result_types = owned_types(func, &data.results)?;
        let results = eval_typed(&op, &tensors, &types, &result_types, run.mode())?;
        return Ok(results.into_iter().map(Value::Tensor).collect());
    }
    if let Some(host) = run.options().host
        && let Some(values) = host.custom_call(call, &operands, &results)?
    {
        return Ok(values);
    }
    Err(unknown(name))
}

/// `mhlo.erf` and the like: an elementwise operation under the name of another dialect.
fn elementwise(name: &str) -> Option<Op> {
    let bare = name.strip_prefix("mhlo.").or_else(|| name.strip_prefix("chlo."))?;
    ["chlo.", "stablehlo."].iter().find_map(|dialect| {
        let name = format!("{dialect}{bare}");
        let unary = Unary::from_text(&name).map(Op::Unary);
        unary.or_else(|| Binary::from_text(&name).map(Op::Binary))
    })
}

fn unknown(name: &str) -> Error {
    let known: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    Error::unimplemented(format!("the custom call target {name:?} is not known"))
        .help(format!("known targets: {}, mhlo.* of elementwise operations", known.join(", ")))
}

/// Each result is the operand at its place.
fn identity(_run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let mut operands = call.operands;
    operands.truncate(call.results.len());
    Ok(operands)
}

/// The attribute `name`, wherever the exporter put it.
pub(crate) fn attribute<'c>(call: &'c CustomCall, name: &str) -> Option<&'c Attr> {
    let inside = |attr: Option<&'c Attr>| match attr {
        Some(Attr::Dict(attrs)) => attrs.get(name),
        _ => None,
    };
    call.rest
        .get(name)
        .or_else(|| inside(call.rest.get("mhlo.attributes")))
        .or_else(|| inside(call.rest.get("mhlo.backend_config")))
        .or_else(|| inside(call.backend_config.as_ref()))
}

/// Values and indices of the best elements; how many, the result type says.
fn top_k(_run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let largest = match (attribute(call.call, "largest"), &call.call.backend_config) {
        (Some(Attr::Bool(largest)), _) => *largest,
        (_, Some(Attr::Str(config))) => !config.contains("largest=false"),
        _ => true,
    };
    let result = call.results.first().and_then(|ty| ty.as_tensor());
    let k = match (attribute(call.call, "k"), result.and_then(|ty| ty.dims.last())) {
        (Some(Attr::Int(k, _)), _) => *k,
        (_, Some(&k)) => k,
        _ => return Err(Error::invalid_argument("a top-k call does not say how many")),
    };
    let x = call.operands.first().ok_or_else(|| Error::invalid_argument("top-k of nothing"))?;
    let [values, indices] = sort::top_k(x.tensor()?, k, largest)?;
    Ok(vec![values.into(), indices.into()])
}

/// The best elements by a comparator of the program, exactly: `operands..., initial values...`.
fn approx_top_k(run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let wrong = || Error::invalid_argument("a top-k call without comparator, dimension or type");
    let name = call.call.called_computations.first().ok_or_else(wrong)?;
    let Some(Attr::Int(dimension, _)) = attribute(call.call, "reduction_dim") else {
        return Err(wrong());
    };
    let operands = &call.operands[..call.operands.len() / 2];
    let operands: Vec<&Tensor> = operands.iter().map(Value::tensor).collect::<Result<_>>()?;
    let mut comparator = run.function(name)?;
    let sorted = sort::sort(&operands, *dimension, &mut comparator)?;
    let first = |(x, ty): (&Tensor, &&Type)| {
        let ty = ty.as_tensor().ok_or_else(wrong)?;
        let (start, steps) = (vec![0; ty.rank()], vec![1; ty.rank()]);
        Ok(moves::slice(x, &start, &ty.dims, &steps)?.into())
    };
    sorted.iter().zip(&call.results).map(first).collect()
}

/// A check on the shapes an exported program was called with.
fn shape_assertion(_run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let holds = call.operands.first().map(Value::tensor).transpose()?;
    let holds = holds.filter(|x| x.dtype() == DType::Bool && x.elements() == 1);
    let holds = holds.ok_or_else(|| Error::invalid_argument("a shape assertion of no boolean"))?;
    if holds.bytes()[0] != 0 {
        return Ok(Vec::new());
    }
    let mut message = match attribute(call.call, "error_message") {
        Some(Attr::Str(message)) => message.clone(),
        _ => "a shape assertion failed".to_owned(),
    };
    for (i, value) in call.operands[1..].iter().enumerate() {
        let shown = value.tensor()?.to_i64s()?.first().map_or_else(String::new, i64::to_string);
        message = message.replace(&format!("{{{i}}}"), &shown);
    }
    Err(Error::invalid_argument(message))
}
