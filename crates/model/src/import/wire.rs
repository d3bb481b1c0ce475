//! Nodes as a file holds them, read in place.
//!
//! What writers write today (each field once, no unknown ones) is read without a copy. Anything
//! else is left to the decoder of messages, which decides what it means or that it is broken. This
//! file must not know what attributes are for.

use std::borrow::Cow;

use smallvec::SmallVec;
use tfjit_base::Result;
use tfjit_proto::bytes::Bytes;
use tfjit_proto::tensorflow as pb;
use tfjit_proto::{Message, lazy};

use super::attr::RawAttr;
use crate::read::broken;

/// Nodes that are not imported yet.
pub(crate) enum Nodes {
    /// As the file has them.
    Wire(Vec<Bytes>),
    /// Made or decoded in memory.
    Messages(Vec<pb::NodeDef>),
}

impl Nodes {
    pub(crate) fn len(&self) -> usize {
        match self {
            Nodes::Wire(nodes) => nodes.len(),
            Nodes::Messages(nodes) => nodes.len(),
        }
    }

    /// Node number `at`.
    ///
    /// # Errors
    /// DATA_LOSS when its bytes are no node.
    pub(crate) fn view(&self, at: usize) -> Result<NodeView<'_>> {
        match self {
            Nodes::Messages(nodes) => Ok(NodeView::of(Cow::Borrowed(&nodes[at]))),
            Nodes::Wire(nodes) => match NodeView::read(&nodes[at]) {
                Some(view) => Ok(view),
                None => {
                    let node = pb::NodeDef::decode(nodes[at].clone());
                    Ok(NodeView::of(Cow::Owned(node.map_err(|e| broken("NodeDef", &e))?)))
                }
            },
        }
    }

    /// Looks whether all are nodes, without keeping anything.
    ///
    /// # Errors
    /// DATA_LOSS when they are not.
    pub(crate) fn check(&self) -> Result<()> {
        let Nodes::Wire(nodes) = self else { return Ok(()) };
        for node in nodes {
            pb::NodeDef::decode(node.clone()).map_err(|e| broken("NodeDef", &e))?;
        }
        Ok(())
    }
}

/// A graph that is not imported yet.
pub(crate) struct GraphParts {
    /// Versions, but neither nodes nor functions.
    pub(crate) rest: pb::GraphDef,
    pub(crate) nodes: Nodes,
    /// Functions; the nodes of each are beside it.
    pub(crate) functions: Vec<(pb::FunctionDef, Nodes)>,
    pub(crate) gradients: Vec<pb::GradientDef>,
}

impl GraphParts {
    /// As [`Nodes::check`], of the graph and all functions.
    pub(crate) fn check(&self) -> Result<()> {
        self.nodes.check()?;
        self.functions.iter().try_for_each(|(_, nodes)| nodes.check())
    }
}

impl From<lazy::GraphDef> for GraphParts {
    fn from(graph: lazy::GraphDef) -> GraphParts {
        let library = graph.library.unwrap_or_default();
        let rest = pb::GraphDef {
            version: graph.version,
            versions: graph.versions,
            ..pb::GraphDef::default()
        };
        let functions = library.function.into_iter().map(|f| {
            let rest = pb::FunctionDef {
                signature: f.signature,
                node_def: Vec::new(),
                ret: f.ret,
                attr: f.attr,
                control_ret: f.control_ret,
                arg_attr: f.arg_attr,
                resource_arg_unique_id: f.resource_arg_unique_id,
            };
            (rest, Nodes::Wire(f.node_def))
        });
        GraphParts {
            rest,
            nodes: Nodes::Wire(graph.node),
            functions: functions.collect(),
            gradients: library.gradient,
        }
    }
}

impl From<pb::GraphDef> for GraphParts {
    fn from(mut graph: pb::GraphDef) -> GraphParts {
        let library = graph.library.take().unwrap_or_default();
        let nodes = Nodes::Messages(std::mem::take(&mut graph.node));
        let functions = library.function.into_iter().map(|mut f| {
            let nodes = Nodes::Messages(std::mem::take(&mut f.node_def));
            (f, nodes)
        });
        let functions = functions.collect();
        GraphParts { rest: graph, nodes, functions, gradients: library.gradient }
    }
}

/// A meta graph without its graph, and the graph.
pub(crate) fn meta_parts(meta: lazy::MetaGraphDef) -> (pb::MetaGraphDef, Option<GraphParts>) {
    let rest = pb::MetaGraphDef {
        meta_info_def: meta.meta_info_def,
        graph_def: None,
        saver_def: meta.saver_def,
        collection_def: meta.collection_def,
        signature_def: meta.signature_def,
        asset_file_def: meta.asset_file_def,
        object_graph_def: meta.object_graph_def,
    };
    (rest, meta.graph_def.map(GraphParts::from))
}

/// A node as it is written.
pub(crate) struct NodeView<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) op: Cow<'a, str>,
    pub(crate) device: Cow<'a, str>,
    pub(crate) inputs: SmallVec<[Cow<'a, str>; 4]>,
    /// In the order of names, each once.
    pub(crate) attrs: Vec<(Cow<'a, str>, RawAttr<'a>)>,
    /// The bytes that all of `attrs` come from, if they lie together. Equal bytes are equal
    /// attributes.
    pub(crate) attr_bytes: Option<&'a [u8]>,
}

impl<'a> NodeView<'a> {
    fn of(node: Cow<'a, pb::NodeDef>) -> NodeView<'a> {
        match node {
            Cow::Borrowed(node) => NodeView {
                name: Cow::Borrowed(&node.name),
                op: Cow::Borrowed(&node.op),
                device: Cow::Borrowed(&node.device),
                inputs: node.input.iter().map(|i| Cow::Borrowed(i.as_str())).collect(),
                attrs: node
                    .attr
                    .iter()
                    .map(|(name, value)| {
                        (Cow::Borrowed(name.as_str()), RawAttr::Message(Cow::Borrowed(value)))
                    })
                    .collect(),
                attr_bytes: None,
            },
            Cow::Owned(node) => NodeView {
                name: Cow::Owned(node.name),
                op: Cow::Owned(node.op),
                device: Cow::Owned(node.device),
                inputs: node.input.into_iter().map(Cow::Owned).collect(),
                attrs: node
                    .attr
                    .into_iter()
                    .map(|(name, value)| (Cow::Owned(name), RawAttr::Message(Cow::Owned(value))))
                    .collect(),
                attr_bytes: None,
            },
        }
    }

    /// A node in its usual form; `None` for any other.
    fn read(bytes: &'a Bytes) -> Option<NodeView<'a>> {
        let mut node = NodeView {
            name: Cow::Borrowed(""),
            op: Cow::Borrowed(""),
            device: Cow::Borrowed(""),
            inputs: SmallVec::new(),
            attrs: Vec::new(),
            attr_bytes: None,
        };
        let all: &'a [u8] = bytes;
        let mut reader = Reader(all);
        let (mut together, mut before) = (true, false);
        while !reader.0.is_empty() {
            let start = all.len() - reader.0.len();
            let tag = reader.byte()?;
            let field = reader.piece()?;
            match tag {
                0x0a => node.name = Cow::Borrowed(text(field)?),
                0x12 => node.op = Cow::Borrowed(text(field)?),
                0x1a => node.inputs.push(Cow::Borrowed(text(field)?)),
                0x22 => node.device = Cow::Borrowed(text(field)?),
                0x2a => {
                    node.attrs.push(entry(field, bytes)?);
                    let end = all.len() - reader.0.len();
                    match node.attr_bytes {
                        None => node.attr_bytes = Some(&all[start..end]),
                        Some(known) if before => {
                            let first = start - known.len();
                            node.attr_bytes = Some(&all[first..end]);
                        }
                        Some(_) => together = false,
                    }
                }
                // Debug information and types, which nobody reads.
                0x32 | 0x3a => {}
                _ => return None,
            }
            before = tag == 0x2a;
        }
        if !together {
            node.attr_bytes = None;
        }
        node.attrs.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        node.attrs.windows(2).all(|pair| pair[0].0 != pair[1].0).then_some(node)
    }
}

/// An entry of the map of attributes.
fn entry<'a>(bytes: &'a [u8], file: &'a Bytes) -> Option<(Cow<'a, str>, RawAttr<'a>)> {
    let mut reader = Reader(bytes);
    if reader.byte()? != 0x0a {
        return None;
    }
    let name = text(reader.piece()?)?;
    if reader.byte()? != 0x12 {
        return None;
    }
    let value = reader.piece()?;
    reader.0.is_empty().then_some((Cow::Borrowed(name), RawAttr::Wire(value, file)))
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The rest of a message.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// A number of at most ten bytes.
    pub(crate) fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for at in 0..10 {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if at == 9 && byte > 1 {
                return None;
            }
            value |= bits << (7 * at);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Bytes with their length in front.
    pub(crate) fn piece(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        let (piece, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Strings, attr};
    use tfjit_proto::tensorflow::attr_value::Value;

    fn node() -> pb::NodeDef {
        let value = |value| pb::AttrValue { value: Some(value) };
        let shape = pb::TensorShapeProto { unknown_rank: true, ..Default::default() };
        let attrs = [
            ("T", Value::Type(pb::DataType::DtInt64 as i32)),
            ("b", Value::B(true)),
            ("f", Value::F(0.5)),
            ("i", Value::I(-3)),
            ("s", Value::S(b"text".as_slice().into())),
            ("shape", Value::Shape(shape)),
        ];
        pb::NodeDef {
            name: "n".to_owned(),
            op: "Op".to_owned(),
            input: vec!["a".to_owned(), "^b".to_owned()],
            device: "/cpu:0".to_owned(),
            attr: attrs.into_iter().map(|(n, v)| (n.to_owned(), value(v))).collect(),
            experimental_debug_info: b"xyz".as_slice().into(),
            ..Default::default()
        }
    }

    /// Everything in a view, as text.
    fn show(view: &NodeView<'_>) -> String {
        let attrs = attr::node_attrs(view, &mut Strings::default()).unwrap();
        format!("{} {} {} {:?} {attrs:?}", view.name, view.op, view.device, view.inputs)
    }

    #[test]
    fn bytes_and_messages_are_read_alike() {
        let message = Nodes::Messages(vec![node()]);
        let bytes = Bytes::from(node().encode_to_vec());
        let view = NodeView::read(&bytes).unwrap();
        assert_eq!(show(&view), show(&message.view(0).unwrap()));
        assert_eq!(
            show(&view),
            "n Op /cpu:0 [\"a\", \"^b\"] {T=int64, b=true, f=0.5, i=-3, s='text', shape=<unknown>}"
        );
        // All attributes, and nothing else, are in the bytes that stand for them.
        let only = pb::NodeDef { attr: node().attr, ..Default::default() };
        assert_eq!(view.attr_bytes, Some(only.encode_to_vec().as_slice()));
    }

    #[test]
    fn what_is_unusual_is_left_to_the_decoder() {
        let entry = |name: &str, i: i64| {
            let value = pb::AttrValue { value: Some(Value::I(i)) };
            let attr = [(name.to_owned(), value)].into();
            pb::NodeDef { attr, ..Default::default() }.encode_to_vec()
        };
        let usual = node().encode_to_vec();
        let unknown = [usual.as_slice(), &[0x7a, 1, 0]].concat();
        let twice = [usual.as_slice(), &entry("i", 7)].concat();
        for (bytes, want) in [(unknown, "i=-3"), (twice, "i=7")] {
            let bytes = Bytes::from(bytes);
            assert!(NodeView::read(&bytes).is_none());
            let nodes = Nodes::Wire(vec![bytes]);
            assert!(show(&nodes.view(0).unwrap()).contains(want), "{want}");
        }
        // Attributes with something between them do not share what is made of their bytes.
        let apart = [usual.as_slice(), b"\x1a\x01c", &entry("z", 1)].concat();
        assert_eq!(NodeView::read(&Bytes::from(apart)).unwrap().attr_bytes, None);
    }

    #[test]
    fn what_is_no_node_is_an_error() {
        let usual = node().encode_to_vec();
        for bytes in [&usual[..usual.len() - 1], b"\x0a\x02\xff\xff", b"\x0a\xff", b"\x08\x01"] {
            let nodes = Nodes::Wire(vec![Bytes::copy_from_slice(bytes)]);
            let e = nodes.view(0).map(|_| ()).unwrap_err();
            assert_eq!(e.code(), tfjit_base::Code::DataLoss, "{bytes:?}");
            assert!(nodes.check().is_err());
        }
    }
}
