//! `FunctionDef`s as functions: parameters become `_Arg` nodes, results point into the body.
//!
//! It must not know who calls a function.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tfjit_base::{Error, PartialShape, Result, limits};
use tfjit_proto::tensorflow as pb;

use super::nodes::{Configured, Import, Input, Session, with_hint};
use super::wire::Nodes;
use super::{Budget, Place, Strings, attr, tensor};
use crate::attr::{AttrList, AttrValue, Attrs};
use crate::function::{Function, FunctionLibrary, Param, ResultDef};
use crate::node::NodeId;
use crate::optable::{self, ArgDef, ArgType, OpDef, OpFlags};
use crate::problems::Problems;
use crate::{TfType, suggest, tftype};

/// Functions seen as ops, by name.
pub(crate) type Signatures = FxHashMap<Arc<str>, Arc<OpDef>>;

/// A library as imported.
pub(crate) struct Imported {
    pub(crate) library: FunctionLibrary,
    pub(crate) signatures: Signatures,
    /// Functions with type parameters, which have no graph until they are called.
    pub(crate) generic: FxHashSet<Arc<str>>,
}

/// Imports a library.
///
/// # Errors
/// DATA_LOSS when a node is no node; all else goes to `problems`.
pub(crate) fn library(
    protos: &[(pb::FunctionDef, Nodes)],
    gradient: Vec<pb::GradientDef>,
    problems: &mut Problems,
    strings: &mut Strings,
    budget: &mut Budget,
) -> Result<Imported> {
    if protos.len() > limits::FUNCTIONS_MAX {
        problems.error(Error::resource_exhausted(format!(
            "the file has {} functions, more than {}",
            protos.len(),
            limits::FUNCTIONS_MAX
        )));
        return Ok(Imported {
            library: FunctionLibrary::new(),
            signatures: Signatures::default(),
            generic: FxHashSet::default(),
        });
    }
    let mut signatures = Signatures::default();
    let mut generic = FxHashSet::default();
    for (f, _) in protos {
        match signature(f) {
            Err(e) => problems.error(e),
            Ok(def) => {
                let name = strings.share(&def.name);
                if is_generic(&def) {
                    generic.insert(name.clone());
                }
                if signatures.insert(name, Arc::new(def)).is_some() {
                    let e = Error::invalid_argument("two functions have the same name");
                    problems.error(e.at(format!("function {}", function_name(f))));
                }
            }
        }
    }
    let mut library = FunctionLibrary::new();
    let mut session = Session {
        problems,
        strings,
        budget,
        functions: &signatures,
        configured: Configured::default(),
        broken: None,
    };
    for (f, nodes) in protos {
        let name = function_name(f);
        if name.is_empty() || generic.contains(name) {
            nodes.check()?;
        } else {
            let function = function(f, nodes, &mut session);
            library.insert(Arc::new(function));
        }
        if let Some(e) = session.broken {
            return Err(e);
        }
    }
    gradients(gradient, &signatures, &mut library, problems);
    Ok(Imported { library, signatures, generic })
}

fn function_name(f: &pb::FunctionDef) -> &str {
    f.signature.as_ref().map_or("", |s| s.name.as_str())
}

fn gradients(
    protos: Vec<pb::GradientDef>,
    signatures: &Signatures,
    library: &mut FunctionLibrary,
    problems: &mut Problems,
) {
    for g in protos {
        for name in [&g.function_name, &g.gradient_func] {
            if !signatures.contains_key(name.as_str()) {
                let e = format!("a gradient names the function {name}, which is not there");
                problems.error(Error::invalid_argument(e));
            }
        }
        let known = library.gradient(&g.function_name).is_some_and(|old| old != g.gradient_func);
        if known {
            let e = format!("the function {} has two gradients", g.function_name);
            problems.error(Error::invalid_argument(e));
        }
        library.set_gradient(g.function_name, g.gradient_func);
    }
}

/// A function's signature as an op definition.
fn signature(f: &pb::FunctionDef) -> Result<OpDef> {
    let name = function_name(f);
    let proto = match &f.signature {
        Some(proto) if !name.is_empty() => proto,
        _ => return Err(Error::invalid_argument("a function of the library has no name")),
    };
    let blame = |e: Error| e.at(format!("function {name}"));
    if optable::find(name).is_some() {
        return Err(blame(Error::invalid_argument("a function has the name of an op")));
    }
    let args = |args: &[pb::op_def::ArgDef]| args.iter().map(arg).collect::<Result<Vec<_>>>();
    Ok(OpDef {
        name: Cow::Owned(name.to_string()),
        inputs: args(&proto.input_arg).map_err(blame)?,
        outputs: args(&proto.output_arg).map_err(blame)?,
        attrs: Vec::new(),
        flags: OpFlags { stateful: proto.is_stateful, ..OpFlags::default() },
        deprecated: None,
    })
}

fn arg(proto: &pb::op_def::ArgDef) -> Result<ArgDef> {
    let broken =
        |what: &str| Error::invalid_argument(format!("the argument {:?} {what}", proto.name));
    if proto.name.is_empty() {
        return Err(broken("has no name"));
    }
    let owned = |s: &str| Cow::Owned(s.to_string());
    let fixed = TfType::try_from(proto.r#type).map_err(|_| broken("has an unknown type"))?;
    let tftype = match (fixed, proto.type_attr.as_str(), proto.type_list_attr.as_str()) {
        (TfType::DtInvalid, "", "") => return Err(broken("has no type")),
        (TfType::DtInvalid, "", list) => ArgType::List(owned(list)),
        (TfType::DtInvalid, attr, _) => ArgType::Attr(owned(attr)),
        (fixed, _, _) => ArgType::Fixed(fixed),
    };
    let number = Some(proto.number_attr.as_str()).filter(|n| !n.is_empty());
    Ok(ArgDef { name: owned(&proto.name), tftype, number: number.map(owned), is_ref: proto.is_ref })
}

/// Whether types or numbers of arguments are left to the caller.
fn is_generic(def: &OpDef) -> bool {
    let mut args = def.inputs.iter().chain(&def.outputs);
    args.any(|a| a.number.is_some() || !matches!(a.tftype, ArgType::Fixed(_)))
}

fn function<'a>(proto: &pb::FunctionDef, nodes: &'a Nodes, session: &mut Session<'a>) -> Function {
    let name = session.strings.share(function_name(proto));
    let place = Place { function: Some(&name) };
    let mut import = Import::new(session, place);
    let attrs = match attr::attrs(&proto.attr, import.strings()) {
        Ok(attrs) => attrs,
        Err(e) => {
            import.report_here(e);
            Attrs::new()
        }
    };
    if nodes.len() > limits::NODES_MAX {
        let e = format!("a function has {} nodes", nodes.len());
        import.report_here(Error::resource_exhausted(e));
    }
    let unnamed = pb::OpDef::default();
    let signature = proto.signature.as_ref().unwrap_or(&unnamed);
    let params = params(signature, &proto.arg_attr, &attrs, &mut import);
    import.nodes(nodes, limits::NODES_MAX);
    import.connect();
    let results = results(signature, &proto.ret, &mut import);
    let control_results = control_results(&proto.control_ret, &mut import);
    let graph = import.finish();
    Function {
        name,
        params,
        results,
        control_results,
        graph,
        attrs,
        stateful: signature.is_stateful,
    }
}

fn params(
    signature: &pb::OpDef,
    arg_attrs: &std::collections::BTreeMap<u32, pb::function_def::ArgAttrs>,
    function_attrs: &Attrs,
    import: &mut Import<'_, '_>,
) -> Vec<Param> {
    let shapes = match function_attrs.get("_input_shapes") {
        Some(AttrValue::List(AttrList::Shapes(shapes))) => shapes.as_slice(),
        _ => &[],
    };
    let mut params = Vec::with_capacity(signature.input_arg.len());
    for (index, arg) in signature.input_arg.iter().enumerate() {
        let tftype = match TfType::try_from(arg.r#type) {
            Ok(t) if arg.is_ref => tftype::ref_type(t),
            Ok(t) => t,
            Err(_) => continue,
        };
        let given = u32::try_from(index).ok().and_then(|i| arg_attrs.get(&i));
        let attrs = match given.map(|a| attr::attrs(&a.attr, import.strings())) {
            None => Attrs::new(),
            Some(Ok(attrs)) => attrs,
            Some(Err(e)) => {
                import.report_here(e.context(format!("argument {}", arg.name)));
                Attrs::new()
            }
        };
        let shape = match attrs.get("_output_shapes") {
            Some(AttrValue::List(AttrList::Shapes(list))) if list.len() == 1 => list[0].clone(),
            _ => shapes.get(index).cloned().unwrap_or_default(),
        };
        let handle = match handle(arg) {
            Ok(handle) => handle,
            Err(e) => {
                import.report_here(e.context(format!("argument {}", arg.name)));
                Vec::new()
            }
        };
        let Some(node) = import.param(&arg.name, index, tftype, attrs.clone()) else { continue };
        let name = arg.name.as_str().into();
        params.push(Param { name, tftype, shape, attrs, handle, node });
    }
    params
}

fn handle(arg: &pb::op_def::ArgDef) -> Result<Vec<(TfType, PartialShape)>> {
    arg.handle_data
        .iter()
        .map(|h| {
            let tftype = TfType::try_from(h.dtype).unwrap_or(TfType::DtInvalid);
            let shape = h.shape.as_ref().map(tensor::partial_shape).transpose()?;
            Ok((tftype, shape.unwrap_or_default()))
        })
        .collect()
}

fn results(
    signature: &pb::OpDef,
    ret: &std::collections::BTreeMap<String, String>,
    import: &mut Import<'_, '_>,
) -> Vec<ResultDef> {
    let mut results = Vec::with_capacity(signature.output_arg.len());
    for arg in &signature.output_arg {
        match result(arg, ret, import) {
            Ok(result) => results.push(result),
            Err(e) => import.report_here(e.context(format!("result {}", arg.name))),
        }
    }
    // What is returned under other names is not used, but must be there.
    for (name, text) in ret {
        if !signature.output_arg.iter().any(|a| a.name == *name)
            && let Err(e) = import.resolve(text)
        {
            import.report_here(e.context(format!("returned value {name}")));
        }
    }
    results
}

fn result(
    arg: &pb::op_def::ArgDef,
    ret: &std::collections::BTreeMap<String, String>,
    import: &Import<'_, '_>,
) -> Result<ResultDef> {
    let Some(text) = ret.get(&arg.name) else {
        let e = Error::invalid_argument("nothing is returned for it");
        let hint = suggest::hint(&arg.name, ret.keys().map(String::as_str));
        return Err(with_hint(e, hint));
    };
    let Input::Data(endpoint) = import.resolve(text)? else {
        return Err(Error::invalid_argument(format!("{text} is no value")));
    };
    let declared = TfType::try_from(arg.r#type).unwrap_or(TfType::DtInvalid);
    if let Some(got) = import.output_type(endpoint)
        && tftype::base_type(got) != tftype::base_type(declared)
    {
        return Err(Error::invalid_argument(format!(
            "{text} is {}, but {} is declared",
            tftype::tf_name(got),
            tftype::tf_name(declared)
        )));
    }
    let shape = PartialShape::unknown();
    Ok(ResultDef { name: arg.name.as_str().into(), tftype: declared, shape, endpoint })
}

fn control_results(
    control_ret: &std::collections::BTreeMap<String, String>,
    import: &mut Import<'_, '_>,
) -> Vec<NodeId> {
    let mut out = Vec::new();
    for (name, node) in control_ret {
        match import.find(node.strip_prefix('^').unwrap_or(node)) {
            Ok(id) => out.push(id),
            Err(e) => import.report_here(e.context(format!("control result {name}"))),
        }
    }
    out
}
