//! Printing of the pretty forms: regular ones by their row, the others in their own format.

use std::fmt::Write;

use super::forms::{Form, Item, Types, Value, form};
use super::names::Otherwise;
use super::print::Printer;
use super::props::{Props, props};
use super::show::{
    entries, separator, write_attr, write_dict, write_list, write_literal, write_string,
    write_symbol,
};
use crate::{Attr, Binary, BlockId, Convolution, DotGeneral, Inst, Op, Type, ValueId};

/// The attributes of an operation but the one its form writes elsewhere.
fn props_without(op: &Op, key: &str) -> Props {
    let mut all = props(op);
    all.retain(|(k, _)| *k != key);
    all
}

impl Printer<'_> {
    /// Writes the pretty form of an instruction, after its results, if it has one.
    pub(super) fn pretty(&mut self, inst: &Inst) -> bool {
        match &inst.op {
            Op::Constant(literal) => {
                self.out.push_str("stablehlo.constant ");
                if let Some(attrs) = &inst.attrs {
                    write_dict(&mut self.out, entries(attrs));
                    self.out.push(' ');
                }
                write_literal(&mut self.out, literal, self.options.elide_above);
            }
            Op::DotGeneral(dot) => self.dot(inst, dot),
            Op::Convolution(conv) => self.convolution(inst, conv),
            Op::Reduce { dimensions } => return self.reduce(inst, dimensions),
            Op::While => return self.while_loop(inst),
            Op::OptimizationBarrier => self.barrier(inst),
            Op::Call { callee } => {
                // Only right inside a function MLIR knows whose `call` is meant.
                let name = if self.depth == 1 { "call" } else { "func.call" };
                self.call(name, callee, inst, &[]);
            }
            Op::CustomCall(call) => {
                let rest = props_without(&inst.op, "call_target_name");
                self.call("stablehlo.custom_call", &call.call_target_name, inst, &rest);
            }
            Op::Composite(composite) => self.composite(inst, &composite.name),
            op => {
                return self.small(inst)
                    || match form(op.row().name) {
                        Some(form) if self.fits(form, inst) => {
                            self.regular(form, inst);
                            true
                        }
                        _ => false,
                    };
            }
        }
        true
    }

    /// Writes forms that are a line with something of its own in it.
    fn small(&mut self, inst: &Inst) -> bool {
        match &inst.op {
            Op::Compare { direction, compare_type } => {
                let _ = write!(self.out, "stablehlo.compare {direction}, ");
                self.values(&inst.operands);
                if *compare_type != crate::CompareType::None {
                    let _ = write!(self.out, ", {compare_type}");
                }
                self.rest(inst, &[]);
            }
            Op::Slice { start_indices, limit_indices, strides } => {
                self.head(inst);
                let ranges = start_indices.iter().zip(limit_indices).zip(strides);
                self.out.push(' ');
                write_list(
                    &mut self.out,
                    ranges.map(|((start, limit), stride)| match stride {
                        1 => format!("{start}:{limit}"),
                        _ => format!("{start}:{limit}:{stride}"),
                    }),
                );
                self.rest(inst, &[]);
            }
            Op::GetTupleElement { index } => {
                self.head(inst);
                let _ = write!(self.out, "[{index}]");
                self.rest(inst, &[]);
            }
            Op::ReducePrecision { exponent_bits, mantissa_bits } => {
                self.head(inst);
                let _ = write!(self.out, ", format = e{exponent_bits}m{mantissa_bits}");
                self.dict(inst, &[]);
                self.out.push_str(" : ");
                self.types(Types::Same, inst);
            }
            Op::TopK { k, .. } => {
                self.out.push_str("chlo.top_k(");
                self.values(&inst.operands);
                let _ = write!(self.out, ", k = {k})");
                self.dict(inst, &props_without(&inst.op, "k"));
                self.out.push_str(" : ");
                self.types(Types::Arrow, inst);
            }
            _ => return false,
        }
        true
    }

    fn composite(&mut self, inst: &Inst, name: &str) {
        self.out.push_str("stablehlo.composite ");
        write_string(&mut self.out, name);
        if !inst.operands.is_empty() {
            self.out.push(' ');
            self.values(&inst.operands);
        }
        self.rest(inst, &props_without(&inst.op, "name"));
    }

    /// Writes `name operands`.
    fn head(&mut self, inst: &Inst) {
        self.out.push_str(inst.op.row().name);
        if !inst.operands.is_empty() {
            self.out.push(' ');
            self.values(&inst.operands);
        }
    }

    /// Writes `{attributes}` of both kinds unless there are none.
    fn dict(&mut self, inst: &Inst, props: &[(&'static str, Attr)]) {
        let own = props.iter().map(|(key, attr)| (*key, attr));
        let call = match &inst.op {
            Op::CustomCall(call) => Some(&call.rest),
            _ => None,
        };
        let more = call.into_iter().chain(inst.attrs.as_deref()).flat_map(entries);
        let all: Vec<(&str, &Attr)> = own.chain(more).collect();
        if !all.is_empty() {
            self.out.push(' ');
            write_dict(&mut self.out, all);
        }
    }

    /// Writes ` {attributes} : (types) -> types`.
    fn rest(&mut self, inst: &Inst, props: &[(&'static str, Attr)]) {
        self.dict(inst, props);
        self.out.push_str(" : ");
        self.function_type(inst);
    }

    /// Whether an instruction has the shape its regular form can say.
    fn fits(&self, form: Form, inst: &Inst) -> bool {
        let operands = inst.operands.len();
        let single = inst.results.len() == 1;
        match form.types {
            Types::Function | Types::Pairwise => true,
            Types::Same => single || operands > 0,
            Types::Result => single && operands == 0,
            Types::Arrow => operands > 0,
            Types::Complex => single && operands == 2,
            Types::Select => single && operands == 3,
            Types::Tuple => match inst.results.first().map(|&v| self.func.ty(v)) {
                Some(Type::Tuple(parts)) => {
                    parts.iter().eq(inst.operands.iter().map(|&v| self.func.ty(v)))
                }
                _ => false,
            },
        }
    }

    /// Writes a regular form.
    fn regular(&mut self, form: Form, inst: &Inst) {
        self.head(inst);
        let mut props = props(&inst.op);
        let mut first = inst.operands.is_empty();
        for item in form.items {
            let Some(i) = props.iter().position(|(key, _)| *key == item.attr) else { continue };
            let (_, attr) = props.remove(i);
            self.out.push_str(if first { " " } else { ", " });
            first = false;
            self.item(item, &attr);
        }
        self.dict(inst, &props);
        self.out.push_str(" : ");
        self.types(form.types, inst);
    }

    /// Writes `key = value`.
    fn item(&mut self, item: &Item, attr: &Attr) {
        let _ = write!(self.out, "{} = ", item.key);
        match (item.value, attr) {
            (Value::Dims, Attr::DenseArray(_, values)) => write_list(&mut self.out, values),
            (Value::Int, Attr::Int(value, _)) => {
                let _ = write!(self.out, "{value}");
            }
            (Value::Word(_), Attr::Opaque(text)) => {
                let word = text.trim_end_matches('>').rsplit(' ').next().unwrap_or_default();
                self.out.push_str(word);
            }
            _ => write_attr(&mut self.out, attr),
        }
    }

    /// Writes types in the given way, or as a function type where that cannot say them.
    fn types(&mut self, types: Types, inst: &Inst) {
        let func = self.func;
        let ty = |v: &ValueId| func.ty(*v);
        let same = |v: &ValueId| inst.results.first().is_some_and(|r| ty(r) == ty(v));
        let short = match types {
            Types::Function => false,
            Types::Same => inst.operands.iter().all(same),
            Types::Complex => inst.operands.iter().all(|v| {
                let result = inst.results.first().and_then(|&r| func.tensor_ty(r));
                let real = result.map(|r| r.with_dtype(r.dtype.real()));
                real.is_some() && real.as_ref() == func.tensor_ty(*v)
            }),
            Types::Select => inst.operands.iter().skip(1).all(same),
            Types::Result | Types::Arrow | Types::Tuple | Types::Pairwise => true,
        };
        if !short {
            self.function_type(inst);
            return;
        }
        match types {
            Types::Select => {
                self.types_of(&inst.operands[..1]);
                self.out.push_str(", ");
                self.types_of(&inst.results);
            }
            Types::Arrow => {
                self.types_of(&inst.operands);
                self.out.push_str(" -> ");
                let many = inst.results.len() != 1;
                self.out.push_str(if many { "(" } else { "" });
                self.types_of(&inst.results);
                self.out.push_str(if many { ")" } else { "" });
            }
            _ => self.types_of(&inst.results),
        }
    }

    fn call(&mut self, name: &str, callee: &str, inst: &Inst, props: &[(&'static str, Attr)]) {
        self.out.push_str(name);
        self.out.push(' ');
        write_symbol(&mut self.out, callee);
        self.out.push('(');
        self.values(&inst.operands);
        self.out.push(')');
        self.rest(inst, props);
    }

    fn barrier(&mut self, inst: &Inst) {
        self.out.push_str("stablehlo.optimization_barrier");
        self.dict(inst, &[]);
        if inst.operands.is_empty() {
            self.out.push_str("()");
            return;
        }
        self.out.push(' ');
        self.values(&inst.operands);
        self.out.push_str(" : ");
        self.types_of(&inst.operands);
    }

    fn dot(&mut self, inst: &Inst, dot: &DotGeneral) {
        self.head(inst);
        let mut pair = |key: &str, left: &[i64], right: &[i64]| {
            let _ = write!(self.out, ", {key} = ");
            write_list(&mut self.out, left);
            self.out.push_str(" x ");
            write_list(&mut self.out, right);
        };
        if !(dot.lhs_batching_dimensions.is_empty() && dot.rhs_batching_dimensions.is_empty()) {
            pair("batching_dims", &dot.lhs_batching_dimensions, &dot.rhs_batching_dimensions);
        }
        pair("contracting_dims", &dot.lhs_contracting_dimensions, &dot.rhs_contracting_dimensions);
        if !dot.precision.is_empty() {
            self.out.push_str(", precision = ");
            write_list(&mut self.out, &dot.precision);
        }
        let mut rest = Props::new();
        match &dot.algorithm {
            Some(Attr::Opaque(text)) if text.starts_with("#stablehlo.dot_algorithm<") => {
                self.out.push_str(", algorithm = ");
                self.out.push_str(text.trim_start_matches("#stablehlo.dot_algorithm"));
            }
            other => rest.extend(other.iter().map(|attr| ("algorithm", attr.clone()))),
        }
        self.rest(inst, &rest);
    }

    fn convolution(&mut self, inst: &Inst, conv: &Convolution) {
        self.out.push_str("stablehlo.convolution(");
        self.values(&inst.operands);
        let mut rest = props(&inst.op);
        self.out.push_str(") dim_numbers = ");
        if let Some(i) = rest.iter().position(|(key, _)| *key == "dimension_numbers")
            && let (_, Attr::Opaque(text)) = rest.remove(i)
        {
            let inner = text.strip_prefix("#stablehlo.conv<").and_then(|t| t.strip_suffix('>'));
            self.out.push_str(inner.unwrap_or(&text));
        }
        self.out.push_str(", window = {");
        let mut count = 0;
        let mut entry = |out: &mut String, key: &str| {
            let _ = write!(out, "{}{key} = ", separator(count));
            count += 1;
        };
        for (key, attr, values) in [
            ("stride", "window_strides", &conv.window_strides),
            ("lhs_dilate", "lhs_dilation", &conv.lhs_dilation),
            ("rhs_dilate", "rhs_dilation", &conv.rhs_dilation),
        ] {
            if let Some(i) = rest.iter().position(|(k, _)| *k == attr) {
                rest.remove(i);
                entry(&mut self.out, key);
                write_list(&mut self.out, values);
            }
        }
        if let Some(i) = rest.iter().position(|(k, _)| *k == "padding") {
            rest.remove(i);
            entry(&mut self.out, "pad");
            write_list(&mut self.out, conv.padding.iter().map(|[l, h]| format!("[{l}, {h}]")));
        }
        if let Some(i) = rest.iter().position(|(k, _)| *k == "window_reversal") {
            rest.remove(i);
            entry(&mut self.out, "reverse");
            write_list(&mut self.out, &conv.window_reversal);
        }
        self.out.push('}');
        self.rest(inst, &rest);
    }

    /// The operation that a reduction's region applies to its two parameters and nothing else.
    fn applied(&self, inst: &Inst) -> Option<&'static str> {
        let &[_, init] = inst.operands.as_slice() else { return None };
        let block = &self.func.blocks[*inst.regions.first()?];
        let (&[inner], &[x, y], &[result]) =
            (block.insts.as_slice(), block.params.as_slice(), block.results.as_slice())
        else {
            return None;
        };
        let inner = &self.func.insts[inner];
        let Op::Binary(binary) = inner.op else { return None };
        let commutes = matches!(
            binary,
            Binary::Add
                | Binary::And
                | Binary::Maximum
                | Binary::Minimum
                | Binary::Multiply
                | Binary::Or
                | Binary::Xor
        );
        let scalar = self.func.ty(init);
        let plain = inner.operands.as_slice() == [x, y]
            && inner.results.as_slice() == [result]
            && inner.attrs.is_none()
            && (inner.source.is_none() || !self.options.locations)
            && self.func.tensor_ty(init).is_some_and(|ty| ty.rank() == 0)
            && [x, y, result].iter().all(|&v| self.func.ty(v) == scalar);
        (commutes && plain).then_some(binary.text())
    }

    fn reduce(&mut self, inst: &Inst, dimensions: &[i64]) -> bool {
        let (&[region], 0) = (inst.regions.as_slice(), inst.operands.len() % 2) else {
            return false;
        };
        let func = self.func;
        let count = inst.operands.len() / 2;
        if func.blocks[region].params.len() != 2 * count || count == 0 {
            return false;
        }
        self.out.push_str("stablehlo.reduce");
        let (inputs, inits) = inst.operands.split_at(count);
        for (i, (&input, &init)) in inputs.iter().zip(inits).enumerate() {
            self.out.push_str(separator(i));
            self.out.push('(');
            self.value(input);
            self.out.push_str(" init: ");
            self.value(init);
            self.out.push(')');
        }
        let applied = self.applied(inst);
        if let Some(name) = applied {
            let _ = write!(self.out, " applies {name}");
        }
        self.out.push_str(" across dimensions = ");
        write_list(&mut self.out, dimensions);
        self.rest(inst, &[]);
        if applied.is_none() {
            self.reducer(region, count);
        }
        true
    }

    /// Writes `reducer(%x0: type, %y0: type) … {region}` on the next line.
    fn reducer(&mut self, region: BlockId, count: usize) {
        let func = self.func;
        let params = &func.blocks[region].params;
        let scope = self.names.enter();
        for i in 0..count {
            self.name_param(params[i]);
            self.name_param(params[count + i]);
        }
        self.out.push('\n');
        self.line();
        self.out.push_str(" reducer");
        for i in 0..count {
            self.out.push_str(if i == 0 { "(" } else { " (" });
            self.param(params[i]);
            self.out.push_str(", ");
            self.param(params[count + i]);
            self.out.push(')');
        }
        self.out.push(' ');
        self.region(region, false, "stablehlo.return");
        self.names.leave(scope);
    }

    fn while_loop(&mut self, inst: &Inst) -> bool {
        let func = self.func;
        let &[cond, body] = inst.regions.as_slice() else { return false };
        let (conds, bodies) = (&func.blocks[cond].params, &func.blocks[body].params);
        let count = inst.operands.len();
        let types =
            |values: &[ValueId]| -> Vec<&Type> { values.iter().map(|&v| func.ty(v)).collect() };
        let want = types(&inst.operands);
        let lists: [&[ValueId]; 3] = [conds, bodies, &inst.results];
        if lists.iter().any(|list| types(list) != want) {
            return false;
        }
        let scope = self.names.enter();
        self.out.push_str("stablehlo.while(");
        let mut names = Vec::with_capacity(count);
        for i in 0..count {
            let hint = |v: ValueId| func.values[v].name.as_deref();
            let hint = hint(bodies[i]).or_else(|| hint(conds[i]));
            names.push(self.names.fresh(hint, Otherwise::Name("iterArg")));
            let _ = write!(self.out, "{}%{} = ", separator(i), names[i]);
            self.value(inst.operands[i]);
        }
        self.out.push(')');
        if count > 0 {
            self.out.push_str(" : ");
            self.types_of(&inst.operands);
        }
        if let Some(attrs) = &inst.attrs {
            self.out.push_str(" attributes ");
            write_dict(&mut self.out, entries(attrs));
        }
        for (i, name) in names.into_iter().enumerate() {
            self.names.set(conds[i], name.clone());
            self.names.set(bodies[i], name);
        }
        self.out.push('\n');
        self.line();
        self.out.push_str("cond ");
        self.in_scope(cond);
        self.out.push_str(" do ");
        self.in_scope(body);
        self.names.leave(scope);
        true
    }

    /// Writes a region whose parameters are named already.
    fn in_scope(&mut self, block: BlockId) {
        let scope = self.names.enter();
        self.region(block, false, "stablehlo.return");
        self.names.leave(scope);
    }
}
