//! The messages around a graph, with its nodes left as they are on the wire.
//!
//! Nodes are nearly all of a file. Whoever takes them one at a time needs no memory for all of
//! them at once. Fields and numbers are those of the messages of the same names in
//! [`crate::tensorflow`]; what nobody reads is left out. This file must not know what is in a node.

#![allow(missing_docs, reason = "the fields are those of the messages of the same names")]

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::tensorflow as pb;

/// [`pb::SavedModel`].
#[derive(Clone, PartialEq, prost::Message)]
pub struct SavedModel {
    #[prost(int64, tag = "1")]
    pub saved_model_schema_version: i64,
    #[prost(message, repeated, tag = "2")]
    pub meta_graphs: Vec<MetaGraphDef>,
}

/// [`pb::MetaGraphDef`].
#[derive(Clone, PartialEq, prost::Message)]
pub struct MetaGraphDef {
    #[prost(message, optional, tag = "1")]
    pub meta_info_def: Option<pb::meta_graph_def::MetaInfoDef>,
    #[prost(message, optional, tag = "2")]
    pub graph_def: Option<GraphDef>,
    #[prost(message, optional, tag = "3")]
    pub saver_def: Option<pb::SaverDef>,
    #[prost(btree_map = "string, message", tag = "4")]
    pub collection_def: BTreeMap<String, pb::CollectionDef>,
    #[prost(btree_map = "string, message", tag = "5")]
    pub signature_def: BTreeMap<String, pb::SignatureDef>,
    #[prost(message, repeated, tag = "6")]
    pub asset_file_def: Vec<pb::AssetFileDef>,
    #[prost(message, optional, tag = "7")]
    pub object_graph_def: Option<pb::SavedObjectGraph>,
}

/// [`pb::GraphDef`]; each node is a [`pb::NodeDef`].
#[derive(Clone, PartialEq, prost::Message)]
pub struct GraphDef {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub node: Vec<Bytes>,
    #[prost(message, optional, tag = "2")]
    pub library: Option<FunctionDefLibrary>,
    #[prost(int32, tag = "3")]
    pub version: i32,
    #[prost(message, optional, tag = "4")]
    pub versions: Option<pb::VersionDef>,
}

/// [`pb::FunctionDefLibrary`].
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionDefLibrary {
    #[prost(message, repeated, tag = "1")]
    pub function: Vec<FunctionDef>,
    #[prost(message, repeated, tag = "2")]
    pub gradient: Vec<pb::GradientDef>,
    #[prost(message, repeated, tag = "3")]
    pub registered_gradients: Vec<pb::RegisteredGradient>,
}

/// [`pb::FunctionDef`]; each node is a [`pb::NodeDef`].
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionDef {
    #[prost(message, optional, tag = "1")]
    pub signature: Option<pb::OpDef>,
    #[prost(bytes = "bytes", repeated, tag = "3")]
    pub node_def: Vec<Bytes>,
    #[prost(btree_map = "string, string", tag = "4")]
    pub ret: BTreeMap<String, String>,
    #[prost(btree_map = "string, message", tag = "5")]
    pub attr: BTreeMap<String, pb::AttrValue>,
    #[prost(btree_map = "string, string", tag = "6")]
    pub control_ret: BTreeMap<String, String>,
    #[prost(btree_map = "uint32, message", tag = "7")]
    pub arg_attr: BTreeMap<u32, pb::function_def::ArgAttrs>,
    #[prost(btree_map = "uint32, uint32", tag = "8")]
    pub resource_arg_unique_id: BTreeMap<u32, u32>,
}
