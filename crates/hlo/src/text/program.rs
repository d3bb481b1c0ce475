//! Parsing of modules and functions, in pretty and generic form.

use tfjit_base::{Error, Result};

use super::body::Body;
use super::parser::Parser;
use crate::{Attr, Attrs, Func, Module, Type};

/// The module attribute that stands for `sdy.mesh` operations.
pub(super) const MESHES: &str = "sdy.meshes";

impl<'t> Parser<'t> {
    /// Takes everything there is: one module, or functions without a module around them.
    /// `None` when there is neither.
    pub(super) fn program(mut self) -> Result<Option<Module>> {
        let mut module: Option<Module> = None;
        let mut bare = Module::default();
        loop {
            match self.cur.peek() {
                None => break,
                Some(b'#' | b'!') => {
                    self.skip_alias()?;
                }
                Some(b'{') => self.trailer()?,
                _ => {
                    let at = self.cur.pos();
                    let found = self.module()?;
                    if found.is_some() && (module.is_some() || !bare.funcs.is_empty()) {
                        let message = "a second module; '// -----' lines separate modules";
                        return Err(self.cur.fail_at(at, message));
                    }
                    match found {
                        Some(found) => module = Some(found),
                        None if module.is_some() => {
                            return Err(self.cur.expected("the end of the text"));
                        }
                        None => self.module_item(&mut bare)?,
                    }
                }
            }
        }
        Ok(module.or((!bare.funcs.is_empty()).then_some(bare)))
    }

    /// Takes a module if one is next.
    fn module(&mut self) -> Result<Option<Module>> {
        let start = self.cur.clone();
        if self.cur.peek() == Some(b'"') {
            if self.cur.raw_string()? == "builtin.module" {
                return self.generic_module().map(Some);
            }
            self.cur = start;
            return Ok(None);
        }
        if !matches!(self.cur.word(), Some("module" | "builtin.module")) {
            self.cur = start;
            return Ok(None);
        }
        let mut module = Module::default();
        if self.cur.sees("@") {
            module.name = self.cur.symbol()?;
        }
        if self.cur.eat_word("attributes") {
            self.dict(&mut module.attrs)?;
        }
        self.module_items(&mut module)?;
        self.optional_loc()?;
        Ok(Some(module))
    }

    /// Takes `() <{…}> ({ items }) {…} : () -> ()`.
    fn generic_module(&mut self) -> Result<Module> {
        let mut module = Module::default();
        self.cur.expect("(")?;
        self.cur.expect(")")?;
        let mut attrs = Attrs::new();
        self.properties(&mut attrs)?;
        self.cur.expect("(")?;
        self.module_items(&mut module)?;
        self.cur.expect(")")?;
        self.optional_dict(&mut attrs)?;
        self.cur.expect(":")?;
        self.function_type()?;
        self.optional_loc()?;
        if let Some(Attr::Str(name)) = attrs.shift_remove("sym_name") {
            module.name = name;
        }
        attrs.extend(std::mem::take(&mut module.attrs));
        module.attrs = attrs;
        Ok(module)
    }

    fn properties(&mut self, attrs: &mut Attrs) -> Result<()> {
        if self.cur.eat("<") {
            self.dict(attrs)?;
            self.cur.expect(">")?;
        }
        Ok(())
    }

    /// Takes `{ functions }`.
    fn module_items(&mut self, module: &mut Module) -> Result<()> {
        self.cur.expect("{")?;
        if self.cur.sigil(b'^').is_some() {
            self.cur.expect(":")?;
        }
        while !self.cur.eat("}") {
            self.module_item(module)?;
        }
        Ok(())
    }

    /// Notes the name of a function, which must be new.
    fn new_name(&mut self, at: usize, name: &str) -> Result<()> {
        if self.func_names.insert(name.to_owned()) {
            return Ok(());
        }
        Err(self.cur.fail_at(at, format_args!("a second function @{name}")))
    }

    fn module_item(&mut self, module: &mut Module) -> Result<()> {
        self.cur.skip();
        let at = self.cur.pos();
        if self.cur.byte() == Some(b'"') {
            let name = self.cur.raw_string()?;
            return match name {
                "func.func" => {
                    module.funcs.push(self.generic_func()?);
                    Ok(())
                }
                _ => Err(self.unsupported_at(at, format_args!("{name} in a module"))),
            };
        }
        match self.cur.word() {
            Some("func.func" | "func") => module.funcs.push(self.func()?),
            Some("sdy.mesh") => self.mesh(module)?,
            Some(word @ ("module" | "builtin.module")) => {
                return Err(self.unsupported_at(at, format_args!("a {word} inside a module")));
            }
            _ => {
                self.cur.seek(at);
                return Err(self.cur.expected("a module or a function"));
            }
        }
        Ok(())
    }

    /// Takes `@name = <…>`: a mesh of devices, kept so that shardings that name it print well.
    fn mesh(&mut self, module: &mut Module) -> Result<()> {
        let name = self.cur.symbol()?;
        self.cur.expect("=")?;
        let text = super::attrs::normalised(self.cur.balanced()?);
        self.optional_loc()?;
        let meshes =
            module.attrs.entry(MESHES.to_owned()).or_insert_with(|| Attr::Dict(Attrs::new()));
        if let Attr::Dict(meshes) = meshes {
            meshes.insert(name, Attr::Opaque(text));
        }
        Ok(())
    }

    /// Takes a function after its keyword.
    fn func(&mut self) -> Result<Func> {
        let visibility = match self.cur.peek_word() {
            Some(word @ ("public" | "private" | "nested")) => {
                self.cur.word();
                word
            }
            _ => "public",
        };
        self.cur.skip();
        let at = self.cur.pos();
        let name = self.cur.symbol()?;
        self.new_name(at, &name)?;
        let mut body = Body::new(self, name);
        body.func.public = visibility == "public";
        body.p.cur.expect("(")?;
        if !body.p.cur.eat(")") {
            loop {
                let attrs = body.func_param()?;
                body.func.param_attrs.push(attrs);
                if body.p.cur.eat(")") {
                    break;
                }
                body.p.cur.expect(",")?;
            }
        }
        if body.p.cur.eat("->") {
            body.func_results()?;
        }
        if body.p.cur.eat_word("attributes") {
            body.p.dict(&mut body.func.attrs)?;
        }
        if !body.p.cur.sees("{") {
            let message = format_args!("the function @{} has no body", body.func.name);
            return Err(body.p.unsupported_at(at, message));
        }
        let entry = body.func.entry;
        body.region(entry)?;
        body.p.optional_loc()?;
        body.check_results(at)?;
        Ok(without_empty_attrs(body.func))
    }

    /// Takes `() <{…}> ({ body }) {…} : () -> ()`.
    fn generic_func(&mut self) -> Result<Func> {
        let at = self.cur.pos();
        self.cur.expect("(")?;
        self.cur.expect(")")?;
        let mut attrs = Attrs::new();
        self.properties(&mut attrs)?;
        self.cur.expect("(")?;
        let mut body = Body::new(self, String::new());
        let entry = body.func.entry;
        body.region(entry)?;
        let mut func = body.func;
        self.cur.expect(")")?;
        self.optional_dict(&mut attrs)?;
        self.cur.expect(":")?;
        self.function_type()?;
        self.optional_loc()?;
        let types = func.results().iter().map(|&v| func.ty(v).clone()).collect();
        func.result_types = types;
        self.func_attrs(&mut func, attrs).map_err(|e| self.cur.fail_at(at, e.message()))?;
        self.new_name(at, &func.name)?;
        Ok(without_empty_attrs(func))
    }

    /// Sorts the attributes of a generic function to where they belong.
    fn func_attrs(&self, func: &mut Func, mut attrs: Attrs) -> Result<()> {
        match attrs.shift_remove("sym_name") {
            Some(Attr::Str(name)) => func.name = name,
            _ => return Err(Error::invalid_argument("func.func needs the attribute sym_name")),
        }
        let visibility = attrs.shift_remove("sym_visibility");
        func.public = !matches!(visibility, Some(Attr::Str(v)) if v != "public");
        attrs.shift_remove("function_type");
        for (key, side) in [("arg_attrs", true), ("res_attrs", false)] {
            let Some(attr) = attrs.shift_remove(key) else { continue };
            let Attr::Array(items) = attr else {
                return Err(Error::invalid_argument(format!("{key} must be a list")));
            };
            let dicts: Option<Vec<Attrs>> = items
                .into_iter()
                .map(|item| match item {
                    Attr::Dict(dict) => Some(dict),
                    _ => None,
                })
                .collect();
            let dicts = dicts.ok_or_else(|| {
                Error::invalid_argument(format!("{key} must be a list of dictionaries"))
            })?;
            *(if side { &mut func.param_attrs } else { &mut func.result_attrs }) = dicts;
        }
        func.attrs = attrs;
        Ok(())
    }
}

/// Empty dictionaries at the end of a list may as well not be there.
fn without_empty_attrs(mut func: Func) -> Func {
    for list in [&mut func.param_attrs, &mut func.result_attrs] {
        let end = list.iter().rposition(|attrs| !attrs.is_empty());
        list.truncate(end.map_or(0, |last| last + 1));
    }
    func
}

impl Body<'_, '_> {
    /// Takes `%name: type {attributes} loc(…)`.
    fn func_param(&mut self) -> Result<Attrs> {
        let entry = self.func.entry;
        if !self.p.cur.sees("%") && self.p.ty().is_ok() {
            let at = self.p.cur.pos();
            let message = format_args!("the function @{} has no body", self.func.name);
            return Err(self.p.unsupported_at(at, message));
        }
        self.param(entry)?;
        let mut attrs = Attrs::new();
        self.p.optional_dict(&mut attrs)?;
        self.p.optional_loc()?;
        Ok(attrs)
    }

    /// Takes `type` or `(type {attributes}, …)`.
    fn func_results(&mut self) -> Result<()> {
        if !self.p.cur.eat("(") {
            let ty = self.p.ty()?;
            self.func.result_types.push(ty);
            return Ok(());
        }
        let results: Vec<(Type, Attrs)> = self.p.list_until(")", |p| {
            let ty = p.ty()?;
            let mut attrs = Attrs::new();
            p.optional_dict(&mut attrs)?;
            Ok((ty, attrs))
        })?;
        (self.func.result_types, self.func.result_attrs) = results.into_iter().unzip();
        Ok(())
    }

    /// Checks what the function returns against what it says it returns.
    fn check_results(&self, at: usize) -> Result<()> {
        let returned: Vec<Type> =
            self.func.results().iter().map(|&v| self.func.ty(v).clone()).collect();
        if returned == self.func.result_types {
            return Ok(());
        }
        let list = |types: &[Type]| {
            let types: Vec<String> = types.iter().map(Type::to_string).collect();
            types.join(", ")
        };
        let message = format!(
            "@{} returns ({}), not ({}) as it says",
            self.func.name,
            list(&returned),
            list(&self.func.result_types)
        );
        Err(self.p.cur.fail_at(at, message))
    }
}
