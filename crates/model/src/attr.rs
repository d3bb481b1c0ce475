//! Attribute values and the sorted list of a node's attributes, with typed getters.
//!
//! It must not know op definitions: what an attribute should be is checked elsewhere, so that the
//! getters only fail for attributes no op definition promises.

use std::fmt;
use std::sync::Arc;

use tfjit_base::{DType, Error, PartialShape, Result};

use crate::tensor_value::TensorValue;
use crate::{TfType, tftype};

/// A function's name, and the attributes it is called with.
#[derive(Clone, PartialEq, Debug)]
pub struct FuncRef {
    /// The function's name in the library.
    pub name: Arc<str>,
    /// Attributes of the call; empty unless the function is generic.
    pub attrs: Attrs,
}

/// One attribute value.
#[derive(Clone, PartialEq, Debug)]
pub enum AttrValue {
    /// A `string` attribute: arbitrary bytes.
    Bytes(Vec<u8>),
    /// An `int`.
    Int(i64),
    /// A `float`.
    Float(f32),
    /// A `bool`.
    Bool(bool),
    /// A `type`.
    Type(TfType),
    /// A `shape`.
    Shape(PartialShape),
    /// A `tensor`; boxed, as it is large and most attributes are small.
    Tensor(Box<TensorValue>),
    /// A `func`.
    Func(FuncRef),
    /// A list of any of these.
    List(AttrList),
    /// The name of an attribute of the function around it, to be filled in by a call.
    Placeholder(String),
}

/// A list of attribute values of one kind.
#[derive(Clone, PartialEq, Debug)]
pub enum AttrList {
    /// No elements, kind unknown: the wire form of an empty list does not tell.
    Empty,
    /// `list(string)`.
    Bytes(Vec<Vec<u8>>),
    /// `list(int)`.
    Ints(Vec<i64>),
    /// `list(float)`.
    Floats(Vec<f32>),
    /// `list(bool)`.
    Bools(Vec<bool>),
    /// `list(type)`.
    Types(Vec<TfType>),
    /// `list(shape)`.
    Shapes(Vec<PartialShape>),
    /// `list(tensor)`.
    Tensors(Vec<TensorValue>),
    /// `list(func)`.
    Funcs(Vec<FuncRef>),
}

impl AttrList {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            AttrList::Empty => 0,
            AttrList::Bytes(v) => v.len(),
            AttrList::Ints(v) => v.len(),
            AttrList::Floats(v) => v.len(),
            AttrList::Bools(v) => v.len(),
            AttrList::Types(v) => v.len(),
            AttrList::Shapes(v) => v.len(),
            AttrList::Tensors(v) => v.len(),
            AttrList::Funcs(v) => v.len(),
        }
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl AttrValue {
    /// What op definitions call this kind of value: `int`, `list(type)`.
    pub fn kind_name(&self) -> &'static str {
        match self {
            AttrValue::Bytes(_) => "string",
            AttrValue::Int(_) => "int",
            AttrValue::Float(_) => "float",
            AttrValue::Bool(_) => "bool",
            AttrValue::Type(_) => "type",
            AttrValue::Shape(_) => "shape",
            AttrValue::Tensor(_) => "tensor",
            AttrValue::Func(_) => "func",
            AttrValue::Placeholder(_) => "placeholder",
            AttrValue::List(list) => match list {
                AttrList::Empty => "empty list",
                AttrList::Bytes(_) => "list(string)",
                AttrList::Ints(_) => "list(int)",
                AttrList::Floats(_) => "list(float)",
                AttrList::Bools(_) => "list(bool)",
                AttrList::Types(_) => "list(type)",
                AttrList::Shapes(_) => "list(shape)",
                AttrList::Tensors(_) => "list(tensor)",
                AttrList::Funcs(_) => "list(func)",
            },
        }
    }

    /// The functions this value names.
    pub fn funcs(&self) -> &[FuncRef] {
        match self {
            AttrValue::Func(f) => std::slice::from_ref(f),
            AttrValue::List(AttrList::Funcs(list)) => list,
            _ => &[],
        }
    }
}

/// Prints values as op definitions write them: `3`, `'VALID'`, `[1,2]`, `float`, `[?,3]`.
impl fmt::Display for AttrValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T>(
            f: &mut fmt::Formatter<'_>,
            items: &[T],
            show: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
        ) -> fmt::Result {
            f.write_str("[")?;
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    f.write_str(",")?;
                }
                show(f, item)?;
            }
            f.write_str("]")
        }
        match self {
            AttrValue::Bytes(v) => write!(f, "'{}'", v.escape_ascii()),
            AttrValue::Int(v) => write!(f, "{v}"),
            AttrValue::Float(v) => write!(f, "{v:?}"),
            AttrValue::Bool(v) => write!(f, "{v}"),
            AttrValue::Type(v) => f.write_str(&tftype::op_def_name(*v)),
            AttrValue::Shape(v) => write!(f, "{v}"),
            AttrValue::Tensor(v) => write!(f, "{v}"),
            AttrValue::Func(v) => f.write_str(&v.name),
            AttrValue::Placeholder(v) => write!(f, "${v}"),
            AttrValue::List(v) => match v {
                AttrList::Empty => f.write_str("[]"),
                AttrList::Bytes(v) => list(f, v, |f, v| write!(f, "'{}'", v.escape_ascii())),
                AttrList::Ints(v) => list(f, v, |f, v| write!(f, "{v}")),
                AttrList::Floats(v) => list(f, v, |f, v| write!(f, "{v:?}")),
                AttrList::Bools(v) => list(f, v, |f, v| write!(f, "{v}")),
                AttrList::Types(v) => list(f, v, |f, v| f.write_str(&tftype::op_def_name(*v))),
                AttrList::Shapes(v) => list(f, v, |f, v| write!(f, "{v}")),
                AttrList::Tensors(v) => list(f, v, |f, v| write!(f, "{v}")),
                AttrList::Funcs(v) => list(f, v, |f, v| f.write_str(&v.name)),
            },
        }
    }
}

/// Attributes, sorted by name; cloning shares them.
#[derive(Clone, PartialEq, Default)]
pub struct Attrs(Arc<Vec<(Arc<str>, AttrValue)>>);

impl Attrs {
    /// No attributes.
    pub fn new() -> Attrs {
        Attrs::default()
    }

    /// The value of `name`.
    pub fn get(&self, name: &str) -> Option<&AttrValue> {
        let at = self.0.binary_search_by(|(n, _)| (**n).cmp(name)).ok()?;
        Some(&self.0[at].1)
    }

    /// Whether `name` is set.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets `name`, replacing an earlier value.
    pub fn set(&mut self, name: impl Into<Arc<str>>, value: AttrValue) {
        let name = name.into();
        let entries = Arc::make_mut(&mut self.0);
        match entries.binary_search_by(|(n, _)| n.cmp(&name)) {
            Ok(at) => entries[at].1 = value,
            Err(at) => entries.insert(at, (name, value)),
        }
    }

    /// The same attributes with `name` set.
    #[must_use]
    pub fn with(mut self, name: impl Into<Arc<str>>, value: AttrValue) -> Attrs {
        self.set(name, value);
        self
    }

    /// Removes `name`.
    pub fn remove(&mut self, name: &str) -> Option<AttrValue> {
        let at = self.0.binary_search_by(|(n, _)| (**n).cmp(name)).ok()?;
        Some(Arc::make_mut(&mut self.0).remove(at).1)
    }

    /// Names and values in the order of names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &AttrValue)> {
        self.0.iter().map(|(n, v)| (n, v))
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn wrong(&self, name: &str, want: &str) -> Error {
        match self.get(name) {
            None => Error::invalid_argument(format!("the attribute {name} ({want}) is missing")),
            Some(got) => Error::invalid_argument(format!(
                "the attribute {name} is {} {got}, not {want}",
                got.kind_name()
            )),
        }
    }
}

impl FromIterator<(Arc<str>, AttrValue)> for Attrs {
    fn from_iter<T: IntoIterator<Item = (Arc<str>, AttrValue)>>(iter: T) -> Attrs {
        let mut entries: Vec<_> = iter.into_iter().collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                // The last of several equal names wins, as in a map on the wire.
                std::mem::swap(later, first);
            }
            same
        });
        Attrs(Arc::new(entries))
    }
}

impl fmt::Debug for Attrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, (name, value)) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{name}={value}")?;
        }
        f.write_str("}")
    }
}

/// Getters that give a reference into the attribute, one row each: name, variant, type, and the
/// empty list where it is a list.
macro_rules! getters {
    ($($get:ident, $kind:literal, $pattern:pat => $found:expr, $out:ty $(, $empty:expr)?;)*) => {
        impl Attrs {
            $(
                #[doc = concat!("The `", $kind, "` attribute `name`.")]
                ///
                /// # Errors
                /// INVALID_ARGUMENT when it is missing or of another kind.
                pub fn $get(&self, name: &str) -> Result<$out> {
                    match self.get(name) {
                        Some($pattern) => Ok($found),
                        $(Some(AttrValue::List(AttrList::Empty)) => Ok($empty),)?
                        _ => Err(self.wrong(name, $kind)),
                    }
                }
            )*
        }

        impl crate::Node {
            $(
                #[doc = concat!("The `", $kind, "` attribute `name`.")]
                ///
                /// # Errors
                /// INVALID_ARGUMENT, naming the node, when it is missing or of another kind.
                pub fn $get(&self, name: &str) -> Result<$out> {
                    self.attrs.$get(name).map_err(|e| self.blame(e))
                }
            )*
        }
    };
}

use AttrValue as V;
getters! {
    attr_bytes, "string", V::Bytes(v) => v, &[u8];
    attr_int, "int", V::Int(v) => *v, i64;
    attr_float, "float", V::Float(v) => *v, f32;
    attr_bool, "bool", V::Bool(v) => *v, bool;
    attr_type, "type", V::Type(v) => *v, TfType;
    attr_shape, "shape", V::Shape(v) => v, &PartialShape;
    attr_tensor, "tensor", V::Tensor(v) => v, &TensorValue;
    attr_func, "func", V::Func(v) => v, &FuncRef;
    attr_byte_strings, "list(string)", V::List(AttrList::Bytes(v)) => v, &[Vec<u8>], &[];
    attr_ints, "list(int)", V::List(AttrList::Ints(v)) => v, &[i64], &[];
    attr_floats, "list(float)", V::List(AttrList::Floats(v)) => v, &[f32], &[];
    attr_bools, "list(bool)", V::List(AttrList::Bools(v)) => v, &[bool], &[];
    attr_types, "list(type)", V::List(AttrList::Types(v)) => v, &[TfType], &[];
    attr_shapes, "list(shape)", V::List(AttrList::Shapes(v)) => v, &[PartialShape], &[];
    attr_tensors, "list(tensor)", V::List(AttrList::Tensors(v)) => v, &[TensorValue], &[];
    attr_funcs, "list(func)", V::List(AttrList::Funcs(v)) => v, &[FuncRef], &[];
}

impl crate::Node {
    fn blame(&self, error: Error) -> Error {
        error.context(format!("{} node", self.op)).at(&*self.name)
    }

    /// The `string` attribute `name`, as text.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is missing, of another kind, or not UTF-8.
    pub fn attr_str(&self, name: &str) -> Result<&str> {
        self.attrs.attr_str(name).map_err(|e| self.blame(e))
    }

    /// The `type` attribute `name`, as an element type.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is missing, of another kind, or has no elements (resources).
    pub fn attr_dtype(&self, name: &str) -> Result<DType> {
        let tftype = self.attr_type(name)?;
        tftype::dtype(tftype).ok_or_else(|| {
            self.blame(Error::invalid_argument(format!(
                "the attribute {name} is {}, which has no elements to compute with",
                tftype::tf_name(tftype)
            )))
        })
    }

    /// The `list(string)` attribute `name`, as text.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is missing, of another kind, or not UTF-8.
    pub fn attr_strs(&self, name: &str) -> Result<Vec<&str>> {
        let bytes = self.attr_byte_strings(name)?;
        bytes.iter().map(|b| text(name, b)).collect::<Result<_>>().map_err(|e| self.blame(e))
    }

    /// Whether the `bool` attribute `name` is there and true (for `_` attributes).
    pub fn flag(&self, name: &str) -> bool {
        self.attrs.flag(name)
    }
}

impl Attrs {
    /// The `string` attribute `name`, as text.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is missing, of another kind, or not UTF-8.
    pub fn attr_str(&self, name: &str) -> Result<&str> {
        text(name, self.attr_bytes(name)?)
    }

    /// Whether the `bool` attribute `name` is there and true (for `_` attributes).
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(AttrValue::Bool(true)))
    }
}

fn text<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes)
        .map_err(|_| Error::invalid_argument(format!("the attribute {name} is not UTF-8 text")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_sorted_and_the_last_wins() {
        let pairs = [("b", 1), ("a", 2), ("b", 3)];
        let attrs: Attrs = pairs.iter().map(|(n, v)| ((*n).into(), V::Int(*v))).collect();
        assert_eq!(format!("{attrs:?}"), "{a=2, b=3}");
        assert_eq!(attrs.attr_int("b").unwrap(), 3);
        let e = attrs.attr_ints("b").unwrap_err();
        assert_eq!(e.message(), "the attribute b is int 3, not list(int)");
        assert!(attrs.attr_int("c").unwrap_err().message().contains("missing"));
    }

    #[test]
    fn an_empty_list_is_a_list_of_anything() {
        let attrs = Attrs::new().with("l", V::List(AttrList::Empty));
        assert!(attrs.attr_ints("l").unwrap().is_empty());
        assert!(attrs.attr_types("l").unwrap().is_empty());
        assert!(attrs.attr_int("l").is_err());
    }
}
