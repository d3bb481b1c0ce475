//! Parsing of `loc(…)`: of a location only the name of what an instruction was made from is kept.

use std::sync::Arc;

use tfjit_base::Result;

use super::cursor::unescape;
use super::parser::Parser;

impl<'t> Parser<'t> {
    /// Takes `loc(…)` if it is next and gives the name in it.
    pub(super) fn optional_loc(&mut self) -> Result<Option<Arc<str>>> {
        if !self.cur.eat_word("loc") {
            return Ok(None);
        }
        self.cur.expect("(")?;
        let name = self.location()?;
        self.cur.expect(")")?;
        Ok(name)
    }

    /// Takes what stands inside `loc(…)`.
    fn location(&mut self) -> Result<Option<Arc<str>>> {
        self.nested(|p| match p.cur.peek() {
            Some(b'#') => p.location_alias(),
            Some(b'"') => p.named_location(),
            _ => match p.cur.word() {
                Some("unknown") => Ok(None),
                Some("callsite") => p.callsite(),
                Some("fused") => p.fused(),
                Some("loc") => {
                    p.cur.expect("(")?;
                    let name = p.location()?;
                    p.cur.expect(")")?;
                    Ok(name)
                }
                _ => Err(p.cur.expected("a location")),
            },
        })
    }

    fn location_alias(&mut self) -> Result<Option<Arc<str>>> {
        let name = self.cur.sigil(b'#').ok_or_else(|| self.cur.expected("a location"))?;
        if let Some(known) = self.sources.get(name) {
            return Ok(known.clone());
        }
        // A location that leads back to itself names nothing.
        self.sources.insert(name, None);
        // Each location is looked up once, so following it costs no more than its text.
        let nodes = self.alias_nodes;
        // Tracebacks may nest deeper than the parser goes; they are decoration.
        let source = self.in_alias('#', name, Parser::location).ok().flatten().flatten();
        self.alias_nodes = nodes;
        self.sources.insert(name, source.clone());
        Ok(source)
    }

    /// Takes `"name"`, `"name"(child)` or `"file":line:column`, the last also as a range.
    fn named_location(&mut self) -> Result<Option<Arc<str>>> {
        let raw = self.cur.raw_string()?;
        if self.cur.eat(":") {
            self.cur.integer()?;
            while self.cur.eat(":") || self.cur.eat_word("to") {
                if !self.cur.sees(":") {
                    self.cur.integer()?;
                }
            }
            return Ok(None);
        }
        let mut child = None;
        if self.cur.eat("(") {
            child = self.location()?;
            self.cur.expect(")")?;
        }
        // A name that ends in a colon is the type of the operation; its child has the name.
        let own = (!raw.is_empty()).then(|| Arc::from(unescape(raw).as_deref().unwrap_or(raw)));
        Ok(if raw.ends_with(':') { child.or(own) } else { own.or(child) })
    }

    fn callsite(&mut self) -> Result<Option<Arc<str>>> {
        self.cur.expect("(")?;
        let callee = self.location()?;
        self.cur.expect_keyword("at")?;
        let caller = self.location()?;
        self.cur.expect(")")?;
        Ok(callee.or(caller))
    }

    fn fused(&mut self) -> Result<Option<Arc<str>>> {
        if self.cur.sees("<") {
            self.cur.balanced()?;
        }
        self.cur.expect("[")?;
        let parts = self.list_until("]", Parser::location)?;
        Ok(parts.into_iter().flatten().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Option<String> {
        let mut parser = Parser::new(text, 0).unwrap();
        parser.optional_loc().unwrap().map(|s| s.to_string())
    }

    #[test]
    fn the_first_name_is_the_source() {
        assert_eq!(source("loc(unknown)"), None);
        assert_eq!(source(r#"loc("f.py":3:7)"#), None);
        assert_eq!(source(r#"loc("f.py":3:7 to :9)"#), None);
        assert_eq!(source(r#"loc("f.py":3:7 to 4:9)"#), None);
        assert_eq!(source(r#"loc("a"("f.py":3:7))"#).unwrap(), "a");
        assert_eq!(source(r#"loc("add:"("jit(f)/add"(unknown)))"#).unwrap(), "jit(f)/add");
        assert_eq!(source(r#"loc(fused<"x">["f":1:1, "b", "c"])"#).unwrap(), "b");
        assert_eq!(source(r#"loc(callsite("f":1:1 at "d"))"#).unwrap(), "d");
    }

    #[test]
    fn aliases_are_followed_and_loops_end() {
        let text = "loc(#loc1)\n#loc = loc(\"file\":1:2)\n#loc1 = loc(fused[#loc, #loc2])\n\
            #loc2 = loc(\"n\"(#loc1))\n";
        assert_eq!(source(text).unwrap(), "n");
        assert_eq!(source("loc(#nowhere)"), None);
    }
}
