//! The texts of inputs: `node`, `node:1`, `^node`, and in functions `node:output:1`.
//!
//! It must not know which nodes there are.

/// One input as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ref<'a> {
    /// `^node`.
    Control(&'a str),
    /// `node` or `node:1`: an output by number.
    Flat(&'a str, u32),
    /// `node:output` or `node:output:1`: an element of an output argument.
    Named(&'a str, &'a str, u32),
}

impl<'a> Ref<'a> {
    /// An input of a node in a graph. `None` if the text is malformed.
    pub(crate) fn graph(text: &'a str) -> Option<Ref<'a>> {
        if let Some(name) = text.strip_prefix('^') {
            return (!name.is_empty()).then_some(Ref::Control(name));
        }
        let (name, number) = match text.rsplit_once(':') {
            None => (text, 0),
            Some((name, number)) => (name, index(number)?),
        };
        (!name.is_empty()).then_some(Ref::Flat(name, number))
    }

    /// An input of a node in a function. `None` if the text is malformed.
    pub(crate) fn function(text: &'a str) -> Option<Ref<'a>> {
        if text.starts_with('^') {
            return Ref::graph(text);
        }
        let mut parts = text.split(':');
        let name = parts.next().filter(|n| !n.is_empty())?;
        let Some(output) = parts.next() else { return Some(Ref::Flat(name, 0)) };
        let number = parts.next();
        if parts.next().is_some() || output.is_empty() {
            return None;
        }
        match (number, index(output)) {
            (Some(number), _) => Some(Ref::Named(name, output, index(number)?)),
            (None, Some(flat)) => Some(Ref::Flat(name, flat)),
            (None, None) => Some(Ref::Named(name, output, 0)),
        }
    }
}

fn index(text: &str) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_taken_apart() {
        assert_eq!(Ref::graph("a/b"), Some(Ref::Flat("a/b", 0)));
        assert_eq!(Ref::graph("a:12"), Some(Ref::Flat("a", 12)));
        assert_eq!(Ref::graph("^a"), Some(Ref::Control("a")));
        for bad in ["", "^", ":1", "a:", "a:x", "a:-1", "a:99999999999"] {
            assert_eq!(Ref::graph(bad), None, "{bad}");
        }
        assert_eq!(Ref::function("x"), Some(Ref::Flat("x", 0)));
        assert_eq!(Ref::function("a:out:2"), Some(Ref::Named("a", "out", 2)));
        assert_eq!(Ref::function("a:out"), Some(Ref::Named("a", "out", 0)));
        assert_eq!(Ref::function("a:3"), Some(Ref::Flat("a", 3)));
        for bad in ["a:b:c", "a:b:1:2", "a::1", ""] {
            assert_eq!(Ref::function(bad), None, "{bad}");
        }
    }
}
