//! Printing of modules, functions and the generic form of instructions.

use std::fmt::{self, Write};

use super::names::{Names, Otherwise};
use super::program::MESHES;
use super::props::props;
use super::show::{entries, separator, write_attr, write_dict, write_literal, write_symbol};
use crate::{Attr, Attrs, BlockId, Func, Inst, InstId, Module, Op, Type, ValueId};

/// How a module prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrintOptions {
    /// Every operation as `"name"(operands) <{attributes}> ({regions}) : types`.
    pub generic: bool,
    /// Constants of more elements lose their data; such text is for people and does not parse.
    pub elide_above: usize,
    /// Whether values keep their names; without, they are numbered.
    pub names: bool,
    /// Whether instructions carry `loc("source")`.
    pub locations: bool,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions { generic: false, elide_above: usize::MAX, names: true, locations: true }
    }
}

/// The module with every operation in its generic form.
pub fn print_generic(module: &Module) -> String {
    module.text(&PrintOptions { generic: true, ..PrintOptions::default() })
}

impl Module {
    /// The module as MLIR text.
    pub fn text(&self, options: &PrintOptions) -> String {
        let mut out = String::new();
        let mut attrs = self.attrs.clone();
        let meshes = attrs.shift_remove(MESHES);
        if options.generic {
            out.push_str("\"builtin.module\"() ");
            if !self.name.is_empty() {
                let name = Attr::Str(self.name.clone());
                out.push('<');
                write_dict(&mut out, [("sym_name", &name)]);
                out.push_str("> ");
            }
            out.push_str("({\n");
        } else {
            out.push_str("module ");
            if !self.name.is_empty() {
                write_symbol(&mut out, &self.name);
                out.push(' ');
            }
            if !attrs.is_empty() {
                out.push_str("attributes ");
                write_dict(&mut out, entries(&attrs));
                out.push(' ');
            }
            out.push_str("{\n");
        }
        if let Some(Attr::Dict(meshes)) = &meshes {
            for (name, mesh) in meshes {
                out.push_str("  sdy.mesh ");
                write_symbol(&mut out, name);
                out.push_str(" = ");
                write_attr(&mut out, mesh);
                out.push('\n');
            }
        }
        for func in &self.funcs {
            let mut printer = Printer::new(func, options, out, 1);
            printer.function();
            out = printer.out;
        }
        out.push('}');
        if options.generic {
            out.push(')');
            if !attrs.is_empty() {
                out.push(' ');
                write_dict(&mut out, entries(&attrs));
            }
            out.push_str(" : () -> ()");
        }
        out.push('\n');
        out
    }
}

/// The pretty form; [`crate::parse`] reads it back.
impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&PrintOptions::default()))
    }
}

/// The pretty form of the function alone.
impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self, &PrintOptions::default(), String::new(), 0);
        printer.function();
        f.write_str(&printer.out)
    }
}

/// The state of printing one function.
pub(super) struct Printer<'f> {
    pub(super) func: &'f Func,
    pub(super) options: PrintOptions,
    pub(super) out: String,
    pub(super) names: Names,
    indent: usize,
    /// Regions around the current line.
    pub(super) depth: usize,
}

impl<'f> Printer<'f> {
    fn new(func: &'f Func, options: &PrintOptions, out: String, indent: usize) -> Printer<'f> {
        Printer { func, options: *options, out, names: Names::new(options.names), indent, depth: 0 }
    }

    /// Starts a line.
    pub(super) fn line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn function(&mut self) {
        let func = self.func;
        for &param in func.params() {
            self.name_param(param);
        }
        self.line();
        if self.options.generic {
            self.generic_function();
            return;
        }
        self.out.push_str("func.func ");
        if !func.public {
            self.out.push_str("private ");
        }
        write_symbol(&mut self.out, &func.name);
        self.out.push('(');
        for (i, &param) in func.params().iter().enumerate() {
            self.out.push_str(separator(i));
            self.param(param);
            self.optional_dict(func.param_attrs.get(i));
        }
        self.out.push(')');
        self.function_results();
        if !func.attrs.is_empty() {
            self.out.push_str(" attributes");
            self.optional_dict(Some(&func.attrs));
        }
        self.out.push(' ');
        self.region(func.entry, false, "return");
        self.out.push('\n');
    }

    fn function_results(&mut self) {
        let func = self.func;
        let plain = func.result_attrs.iter().all(Attrs::is_empty);
        match func.result_types.as_slice() {
            [] => {}
            [only] if plain => {
                let _ = write!(self.out, " -> {only}");
            }
            types => {
                self.out.push_str(" -> (");
                for (i, ty) in types.iter().enumerate() {
                    let _ = write!(self.out, "{}{ty}", separator(i));
                    self.optional_dict(func.result_attrs.get(i));
                }
                self.out.push(')');
            }
        }
    }

    fn generic_function(&mut self) {
        let func = self.func;
        let dicts = |attrs: &[Attrs], count: usize| {
            let dict = |i| Attr::Dict(attrs.get(i).cloned().unwrap_or_default());
            let any = attrs.iter().any(|a| !a.is_empty());
            any.then(|| Attr::Array((0..count).map(dict).collect()))
        };
        let mut ty = String::new();
        write_function_type(&mut ty, func.param_types(), &func.result_types);
        let visibility = (!func.public).then(|| Attr::Str("private".to_owned()));
        let props: Vec<(&str, Attr)> = [
            ("arg_attrs", dicts(&func.param_attrs, func.params().len())),
            ("function_type", Some(Attr::Opaque(ty))),
            ("res_attrs", dicts(&func.result_attrs, func.result_types.len())),
            ("sym_name", Some(Attr::Str(func.name.clone()))),
            ("sym_visibility", visibility),
        ]
        .into_iter()
        .filter_map(|(key, attr)| Some((key, attr?)))
        .collect();
        self.out.push_str("\"func.func\"() <");
        write_dict(&mut self.out, props.iter().map(|(key, attr)| (*key, attr)));
        self.out.push_str("> (");
        self.region(func.entry, true, "func.return");
        self.out.push(')');
        self.optional_dict(Some(&func.attrs));
        self.out.push_str(" : () -> ()\n");
    }

    /// Writes ` {…}` unless there is nothing in it.
    fn optional_dict(&mut self, attrs: Option<&Attrs>) {
        if let Some(attrs) = attrs.filter(|a| !a.is_empty()) {
            self.out.push(' ');
            write_dict(&mut self.out, entries(attrs));
        }
    }

    /// Names a parameter.
    pub(super) fn name_param(&mut self, value: ValueId) {
        let hint = self.func.values[value].name.as_deref();
        let name = self.names.fresh(hint, Otherwise::Argument);
        self.names.set(value, name);
    }

    /// Writes `%name: type`.
    pub(super) fn param(&mut self, value: ValueId) {
        let _ = write!(self.out, "%{}: {}", self.names.get(value), self.func.ty(value));
    }

    /// Writes `%name`.
    pub(super) fn value(&mut self, value: ValueId) {
        self.out.push('%');
        self.out.push_str(self.names.get(value));
    }

    /// Writes `%a, %b`.
    pub(super) fn values(&mut self, values: &[ValueId]) {
        for (i, &value) in values.iter().enumerate() {
            self.out.push_str(separator(i));
            self.value(value);
        }
    }

    /// Writes the types of values.
    pub(super) fn types_of(&mut self, values: &[ValueId]) {
        for (i, &value) in values.iter().enumerate() {
            let _ = write!(self.out, "{}{}", separator(i), self.func.ty(value));
        }
    }

    /// Writes `{`, the block and `}`; parameters are named already.
    pub(super) fn region(&mut self, block: BlockId, header: bool, terminator: &str) {
        let func = self.func;
        let data = &func.blocks[block];
        self.out.push_str("{\n");
        if header && !data.params.is_empty() {
            self.line();
            self.out.push_str("^bb0(");
            for (i, &param) in data.params.iter().enumerate() {
                self.out.push_str(separator(i));
                self.param(param);
            }
            self.out.push_str("):\n");
        }
        self.indent += 1;
        self.depth += 1;
        for &inst in &data.insts {
            self.instruction(inst);
        }
        self.line();
        if self.options.generic {
            let _ = write!(self.out, "\"{terminator}\"(");
            self.values(&data.results);
            self.out.push_str(") : (");
            self.types_of(&data.results);
            self.out.push_str(") -> ()");
        } else {
            self.out.push_str(terminator);
            if !data.results.is_empty() {
                self.out.push(' ');
                self.values(&data.results);
                self.out.push_str(" : ");
                self.types_of(&data.results);
            }
        }
        self.out.push('\n');
        self.indent -= 1;
        self.depth -= 1;
        self.line();
        self.out.push('}');
    }

    /// Writes a region whose parameters stand in its block's header.
    pub(super) fn region_with_header(&mut self, block: BlockId) {
        let scope = self.names.enter();
        for &param in &self.func.blocks[block].params {
            self.name_param(param);
        }
        self.region(block, true, "stablehlo.return");
        self.names.leave(scope);
    }

    fn instruction(&mut self, id: InstId) {
        let inst = &self.func.insts[id];
        self.line();
        self.results(inst);
        if self.options.generic || !self.pretty(inst) {
            self.generic(inst);
        }
        if let Some(source) = inst.source.as_deref().filter(|_| self.options.locations) {
            self.out.push_str(" loc(");
            super::show::write_string(&mut self.out, source);
            self.out.push(')');
        }
        self.out.push('\n');
    }

    /// Names the results and writes `%a, %b = ` or `%a:2 = `.
    fn results(&mut self, inst: &Inst) {
        let func = self.func;
        let hint = |v: ValueId| func.values[v].name.as_deref();
        let own = inst.results.iter().skip(1).any(|&v| hint(v).is_some()) && self.options.names;
        if inst.results.len() > 1 && !own {
            let name = self.names.fresh(hint(inst.results[0]), Otherwise::Number);
            let _ = write!(self.out, "%{name}:{} = ", inst.results.len());
            for (i, &value) in inst.results.iter().enumerate() {
                self.names.set(value, format!("{name}#{i}"));
            }
            return;
        }
        for &value in &inst.results {
            let name = self.names.fresh(hint(value), Otherwise::Number);
            self.names.set(value, name);
        }
        self.values(&inst.results);
        if !inst.results.is_empty() {
            self.out.push_str(" = ");
        }
    }

    /// Writes `"name"(operands) <{attributes}> ({regions}) {more attributes} : types`.
    fn generic(&mut self, inst: &Inst) {
        let _ = write!(self.out, "\"{}\"(", inst.op.row().name);
        self.values(&inst.operands);
        self.out.push(')');
        if let Op::Constant(literal) = &inst.op {
            self.out.push_str(" <{value = ");
            write_literal(&mut self.out, literal, self.options.elide_above);
            self.out.push_str("}>");
        }
        let props = props(&inst.op);
        if !props.is_empty() {
            self.out.push_str(" <");
            write_dict(&mut self.out, props.iter().map(|(key, attr)| (*key, attr)));
            self.out.push('>');
        }
        if !inst.regions.is_empty() {
            self.out.push_str(" (");
            for (i, &region) in inst.regions.iter().enumerate() {
                self.out.push_str(separator(i));
                self.region_with_header(region);
            }
            self.out.push(')');
        }
        if let Op::CustomCall(call) = &inst.op {
            self.optional_dict(Some(&call.rest));
        }
        self.optional_dict(inst.attrs.as_deref());
        self.out.push_str(" : ");
        self.function_type(inst);
    }

    /// Writes `(types) -> types`.
    pub(super) fn function_type(&mut self, inst: &Inst) {
        let func = self.func;
        let results: Vec<Type> = inst.results.iter().map(|&v| func.ty(v).clone()).collect();
        let operands = inst.operands.iter().map(|&v| func.ty(v));
        write_function_type(&mut self.out, operands, &results);
    }
}

fn write_function_type<'a>(
    out: &mut String,
    inputs: impl Iterator<Item = &'a Type>,
    results: &[Type],
) {
    out.push('(');
    for (i, ty) in inputs.enumerate() {
        let _ = write!(out, "{}{ty}", separator(i));
    }
    out.push_str(") -> ");
    match results {
        [only] => {
            let _ = write!(out, "{only}");
        }
        results => {
            out.push('(');
            for (i, ty) in results.iter().enumerate() {
                let _ = write!(out, "{}{ty}", separator(i));
            }
            out.push(')');
        }
    }
}
