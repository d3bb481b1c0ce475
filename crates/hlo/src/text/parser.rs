//! What parsing of every construct shares: the cursor, nesting limits, aliases and resources.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tfjit_base::{Result, limits};

use super::cursor::Cursor;

/// The state of parsing one module.
pub(super) struct Parser<'t> {
    pub(super) cur: Cursor<'t>,
    depth: usize,
    /// Where the value of each `#name = …` and `!name = …` stands, by name with its sigil.
    aliases: FxHashMap<&'t str, usize>,
    alias_depth: usize,
    pub(super) alias_nodes: usize,
    /// Hexadecimal data of `dialect_resources`, by name.
    pub(super) resources: FxHashMap<String, &'t str>,
    /// What the locations of aliases name, once looked up.
    pub(super) sources: FxHashMap<&'t str, Option<Arc<str>>>,
    /// Names of the functions so far.
    pub(super) func_names: FxHashSet<String>,
}

impl<'t> Parser<'t> {
    /// A parser at the start of `text`, which follows `lines_before` lines of its file.
    pub(super) fn new(text: &'t str, lines_before: usize) -> Result<Parser<'t>> {
        let mut parser = Parser {
            cur: Cursor::new(text, lines_before),
            depth: 0,
            aliases: find_aliases(text),
            alias_depth: 0,
            alias_nodes: 0,
            resources: FxHashMap::default(),
            sources: FxHashMap::default(),
            func_names: FxHashSet::default(),
        };
        if let Some(start) = find_trailer(text) {
            parser.cur.seek(start);
            parser.trailer()?;
            parser.cur.seek(0);
        }
        Ok(parser)
    }

    /// Runs `parse` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Parser<'t>) -> Result<T>,
    ) -> Result<T> {
        if self.depth >= limits::TEXT_DEPTH_MAX {
            return Err(self.cur.fail("too deeply nested"));
        }
        self.alias_nodes += usize::from(self.alias_depth > 0);
        if self.alias_nodes > limits::ALIAS_NODES_MAX {
            return Err(self.cur.fail("aliases that stand for too much text"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Runs `parse` where the alias is defined and comes back; `None` if there is no such alias.
    pub(super) fn in_alias<T>(
        &mut self,
        sigil: char,
        name: &str,
        parse: impl FnOnce(&mut Parser<'t>) -> Result<T>,
    ) -> Result<Option<T>> {
        let Some(home) = self.alias_home(sigil, name) else { return Ok(None) };
        let back = self.cur.pos();
        self.cur.seek(home);
        self.alias_depth += 1;
        let result = self.nested(parse);
        self.alias_depth -= 1;
        self.cur.seek(back);
        result.map(Some)
    }

    fn alias_home(&self, sigil: char, name: &str) -> Option<usize> {
        let mut key = String::with_capacity(name.len() + 1);
        key.push(sigil);
        key.push_str(name);
        self.aliases.get(key.as_str()).copied()
    }

    /// Takes items separated by commas up to and with `close`.
    pub(super) fn list_until<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Parser<'t>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.cur.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.cur.eat(close) {
                return Ok(items);
            }
            if !self.cur.eat(",") {
                return Err(self.cur.expected(format_args!("',' or '{close}'")));
            }
        }
    }

    /// Takes `[1, 2]`.
    pub(super) fn int_list(&mut self) -> Result<Vec<i64>> {
        self.cur.expect("[")?;
        self.list_until("]", |p| p.cur.integer())
    }

    /// Takes an alias definition if one is next; its value was found beforehand.
    pub(super) fn skip_alias(&mut self) -> Result<bool> {
        let Some(sigil @ (b'#' | b'!')) = self.cur.peek() else { return Ok(false) };
        if self.cur.sigil(sigil).is_none() || !self.cur.eat("=") {
            return Err(self.cur.expected("an alias definition"));
        }
        // A value is a run of tokens and brackets that ends where a new line begins another item.
        loop {
            match self.cur.byte() {
                None | Some(b'\n') => return Ok(true),
                Some(b'<' | b'(' | b'[' | b'{') => {
                    self.cur.balanced()?;
                }
                Some(b'"') => {
                    self.cur.raw_string()?;
                }
                Some(b'/') if self.cur.sees("//") => {
                    self.cur.skip();
                    return Ok(true);
                }
                Some(b) => {
                    self.cur.eat_byte(b);
                }
            }
        }
    }

    /// Takes `{-# dialect_resources: {builtin: {name: "0x…"}} #-}`.
    pub(super) fn trailer(&mut self) -> Result<()> {
        self.cur.expect("{-#")?;
        self.list_until("#-}", |p| {
            p.cur.expect_word("a section of resources")?;
            p.cur.expect(":")?;
            p.cur.expect("{")?;
            p.list_until("}", |p| {
                p.cur.expect_word("a dialect")?;
                p.cur.expect(":")?;
                p.cur.expect("{")?;
                p.list_until("}", Parser::resource)
            })
        })?;
        Ok(())
    }

    fn resource(&mut self) -> Result<()> {
        let name = match self.cur.peek() {
            Some(b'"') => self.cur.string()?,
            _ => self.cur.expect_word("the name of a resource")?.to_owned(),
        };
        self.cur.expect(":")?;
        if self.cur.peek() == Some(b'"') {
            let data = self.cur.raw_string()?;
            self.resources.insert(name, data);
        } else if self.cur.word().is_none() {
            self.cur.number().ok_or_else(|| self.cur.expected("the value of a resource"))?;
        }
        Ok(())
    }
}

/// Where alias values stand. Locations are used long before they are defined, so definitions are
/// looked for first: they are the lines that begin `#name =` or `!name =`.
fn find_aliases(text: &str) -> FxHashMap<&str, usize> {
    let mut aliases = FxHashMap::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with(['#', '!']) {
            let name_end = 1 + trimmed[1..]
                .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$' | '.'))
                .unwrap_or(trimmed.len() - 1);
            let rest = trimmed[name_end..].trim_start();
            if rest.starts_with('=') && name_end > 1 {
                let value = start + line.len() - rest.len() + 1;
                aliases.entry(&trimmed[..name_end]).or_insert(value);
            }
        }
        start += line.len();
    }
    aliases
}

/// Where the trailer with resources begins: a line that starts `{-#`.
fn find_trailer(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text[from..].find("{-#") {
        let at = from + found;
        if text[..at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty()) {
            return Some(at);
        }
        from = at + 3;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Type;
    use tfjit_base::DType;

    #[test]
    fn aliases_are_found_before_and_after_use() {
        let text = "tensor<2x!e>\n!e = f32\n#loc1 = loc(\"x\")\n";
        let mut p = Parser::new(text, 0).unwrap();
        assert_eq!(p.ty().unwrap(), Type::tensor(DType::F32, &[2]));
        assert!(p.skip_alias().unwrap() && p.skip_alias().unwrap());
        assert!(p.cur.at_end());
    }

    #[test]
    fn aliases_that_loop_or_explode_are_errors() {
        let looping = "!a\n!a = !b\n!b = !a";
        assert!(Parser::new(looping, 0).unwrap().ty().is_err());
        let mut bomb = String::from("!a0\n");
        for i in 0..60 {
            bomb += &format!("!a{i} = tuple<!a{0}, !a{0}>\n", i + 1);
        }
        bomb += "!a60 = tensor<f32>\n";
        let error = Parser::new(&bomb, 0).unwrap().ty().unwrap_err();
        assert!(error.message().contains("too much text"), "{error}");
    }

    #[test]
    fn resources_are_read_from_the_trailer() {
        let text = "module {}\n{-#\n dialect_resources: {\n builtin: {\n  w: \"0x04000000AB\", \
            \"b c\": \"0x\"\n }\n }\n#-}\n";
        let p = Parser::new(text, 0).unwrap();
        assert_eq!(p.resources["w"], "0x04000000AB");
        assert_eq!(p.resources["b c"], "0x");
    }
}
