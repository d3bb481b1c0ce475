//! The op table: what every TensorFlow op takes, gives and is configured by.
//!
//! The table is a text file inside the binary (`optable/ops.txt`, one op a line, sorted), split
//! into lines on first use and parsed one op at a time when somebody asks for it. It must not know
//! how any op computes.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::TfType;
use crate::attr::{AttrList, AttrValue, Attrs};

mod parse;

pub use parse::ParseError;

/// The definition of one op, or the signature of a function seen as an op.
#[derive(Clone, Debug, PartialEq)]
pub struct OpDef {
    /// The op's name.
    pub name: Cow<'static, str>,
    /// Input arguments.
    pub inputs: Vec<ArgDef>,
    /// Output arguments.
    pub outputs: Vec<ArgDef>,
    /// Attributes.
    pub attrs: Vec<AttrDef>,
    /// Properties.
    pub flags: OpFlags,
    /// The GraphDef version from which on the op is deprecated.
    pub deprecated: Option<u32>,
}

/// Yes-or-no properties of an op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpFlags {
    /// It keeps state or has an effect.
    pub stateful: bool,
    /// `op(a, b) == op(b, a)`.
    pub commutative: bool,
    /// It is commutative and associative over any number of inputs.
    pub aggregate: bool,
    /// It may be given a variable that has no value yet.
    pub allows_uninitialized_input: bool,
    /// It talks to other processes.
    pub distributed_communication: bool,
}

/// An input or output argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgDef {
    /// The argument's name.
    pub name: Cow<'static, str>,
    /// The type of its elements.
    pub tftype: ArgType,
    /// The `int` attribute that tells how many tensors of that type there are.
    pub number: Option<Cow<'static, str>>,
    /// Whether it is a reference to a variable's buffer.
    pub is_ref: bool,
}

/// Where the type of an argument comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgType {
    /// It is always this one.
    Fixed(TfType),
    /// The `type` attribute of this name.
    Attr(Cow<'static, str>),
    /// The `list(type)` attribute of this name: one tensor for each of its elements.
    List(Cow<'static, str>),
}

/// An attribute of an op.
#[derive(Clone, Debug, PartialEq)]
pub struct AttrDef {
    /// The attribute's name.
    pub name: Cow<'static, str>,
    /// What it holds.
    pub kind: AttrKind,
    /// Whether it holds a list of them.
    pub list: bool,
    /// The value it has when a node does not give one.
    pub default: Option<AttrValue>,
    /// The only values allowed (a list of types or of strings).
    pub allowed: Option<AttrList>,
    /// The least value of an `int`, or the least length of a list.
    pub minimum: Option<i64>,
}

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variant names are those of op definitions")]
pub enum AttrKind {
    String,
    Int,
    Float,
    Bool,
    Type,
    Shape,
    Tensor,
    Func,
}

impl AttrKind {
    /// The name in op definitions: `string`, `int`.
    pub fn name(self) -> &'static str {
        match self {
            AttrKind::String => "string",
            AttrKind::Int => "int",
            AttrKind::Float => "float",
            AttrKind::Bool => "bool",
            AttrKind::Type => "type",
            AttrKind::Shape => "shape",
            AttrKind::Tensor => "tensor",
            AttrKind::Func => "func",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<AttrKind> {
        use AttrKind::*;
        [String, Int, Float, Bool, Type, Shape, Tensor, Func].into_iter().find(|k| k.name() == name)
    }
}

impl AttrDef {
    /// `int`, `list(type)`.
    pub fn kind_name(&self) -> String {
        if self.list { format!("list({})", self.kind.name()) } else { self.kind.name().into() }
    }
}

impl ArgDef {
    /// How many tensors the argument stands for; `None` when the attribute that tells is missing.
    pub fn count(&self, attrs: &Attrs) -> Option<usize> {
        if let ArgType::List(name) = &self.tftype {
            return Some(attrs.attr_types(name).ok()?.len());
        }
        match &self.number {
            None => Some(1),
            Some(name) => usize::try_from(attrs.attr_int(name).ok()?).ok(),
        }
    }
}

impl OpDef {
    /// The attribute called `name`.
    pub fn attr(&self, name: &str) -> Option<&AttrDef> {
        self.attrs.iter().find(|a| a.name == name)
    }
}

struct Row {
    name: &'static str,
    line: &'static str,
    parsed: OnceLock<Option<Arc<OpDef>>>,
}

struct Table {
    sets: Vec<&'static str>,
    rows: Vec<Row>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table { sets: Vec::new(), rows: Vec::with_capacity(2048) };
        for line in include_str!("optable/ops.txt").lines() {
            if let Some(set) = line.strip_prefix('@') {
                table.sets.push(set);
            } else if !line.starts_with('#') {
                let (name, line) = line.split_once('\t').unwrap_or((line, ""));
                table.rows.push(Row { name, line, parsed: OnceLock::new() });
            }
        }
        table
    })
}

/// The definition of the op called `name`.
pub fn find(name: &str) -> Option<Arc<OpDef>> {
    let table = table();
    let at = table.rows.binary_search_by(|r| r.name.cmp(name)).ok()?;
    let row = &table.rows[at];
    row.parsed
        .get_or_init(|| parse::row(row.name, row.line, &table.sets).ok().map(Arc::new))
        .clone()
}

/// The names of all ops, sorted by bytes.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    table().rows.iter().map(|r| r.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::PartialShape;

    #[test]
    fn every_row_parses_and_they_are_sorted() {
        let table = table();
        assert!(table.rows.len() > 1800);
        for pair in table.rows.windows(2) {
            assert!(pair[0].name < pair[1].name);
        }
        for row in &table.rows {
            if let Err(e) = parse::row(row.name, row.line, &table.sets) {
                panic!("{}: {e:?}", row.name);
            }
        }
    }

    #[test]
    fn matmul_is_as_tensorflow_defines_it() {
        let def = find("MatMul").unwrap();
        assert_eq!(def.inputs.len(), 2);
        assert_eq!(def.inputs[0].tftype, ArgType::Attr("T".into()));
        let t = def.attr("T").unwrap();
        assert_eq!((t.kind, t.list), (AttrKind::Type, false));
        let Some(AttrList::Types(allowed)) = &t.allowed else { panic!() };
        assert!(allowed.contains(&TfType::DtBfloat16) && !allowed.contains(&TfType::DtString));
        assert_eq!(def.attr("transpose_a").unwrap().default, Some(AttrValue::Bool(false)));
        assert!(find("MatMu").is_none());
    }

    #[test]
    fn lists_references_defaults_and_minimums() {
        let concat = find("ConcatV2").unwrap();
        assert_eq!(concat.inputs[0].number.as_deref(), Some("N"));
        assert_eq!(concat.attr("N").unwrap().minimum, Some(2));
        let assign = find("Assign").unwrap();
        assert!(assign.inputs[0].is_ref && assign.outputs[0].is_ref);
        assert!(assign.flags.allows_uninitialized_input);
        let call = find("StatefulPartitionedCall").unwrap();
        assert_eq!(call.inputs[0].tftype, ArgType::List("Tin".into()));
        assert!(call.flags.stateful);
        let placeholder = find("Placeholder").unwrap();
        let shape = placeholder.attr("shape").unwrap();
        assert_eq!(shape.default, Some(AttrValue::Shape(PartialShape::unknown())));
        let print = find("PrintV2").unwrap();
        assert_eq!(print.attr("end").unwrap().default, Some(AttrValue::Bytes(b"\n".to_vec())));
        let conv = find("Conv2D").unwrap();
        let ones = AttrValue::List(AttrList::Ints(vec![1; 4]));
        assert_eq!(conv.attr("dilations").unwrap().default, Some(ones));
    }
}
