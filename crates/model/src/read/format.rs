//! Which format a file is in: by what a folder holds, by the name, by the first bytes.
//!
//! It must not parse anything. Formats that are known but not read get an error that says what to
//! do.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tfjit_base::{Error, Result};

use crate::mapped;

/// A format that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// `saved_model.pb` in its folder.
    SavedModel,
    /// `saved_model.pbtxt` in its folder.
    SavedModelText,
    /// A graph alone, usually frozen.
    GraphDef,
    /// The same in text form.
    GraphDefText,
    /// The `.meta` file of a TensorFlow 1 checkpoint.
    MetaGraphDef,
    /// `model.json` of a TF.js graph model.
    TfjsModel,
}

/// The file to read and its format.
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) format: Format,
}

/// The files that make a folder a model.
const IN_FOLDER: &[(&str, Format)] = &[
    ("saved_model.pb", Format::SavedModel),
    ("saved_model.pbtxt", Format::SavedModelText),
    ("model.json", Format::TfjsModel),
];

/// Formats that are not read: how to recognise them, and what to say.
struct Foreign {
    extension: &'static str,
    /// Bytes at an offset.
    magic: Option<(usize, &'static [u8])>,
    what: &'static str,
    help: &'static str,
}

const FOREIGN: &[Foreign] = &[
    Foreign {
        extension: "keras",
        magic: Some((0, b"PK\x03\x04")),
        what: "a Keras file",
        help: "write a SavedModel with model.export(folder) and give that folder",
    },
    Foreign {
        extension: "h5",
        magic: Some((0, b"\x89HDF\r\n\x1a\n")),
        what: "an HDF5 file",
        help: "load it with Keras and write a SavedModel with model.export(folder)",
    },
    Foreign {
        extension: "tflite",
        magic: Some((4, b"TFL3")),
        what: "a TensorFlow Lite file",
        help: "give the SavedModel it was converted from",
    },
    Foreign {
        extension: "onnx",
        magic: None,
        what: "an ONNX file",
        help: "give the TensorFlow model it was converted from",
    },
    Foreign {
        extension: "cpb",
        magic: None,
        what: "a SavedModel split into chunks",
        help: "save it again without experimental_image_format",
    },
    Foreign {
        extension: "index",
        magic: None,
        what: "the index of a checkpoint, which holds no program",
        help: "give the SavedModel folder, or the .meta file of a TensorFlow 1 checkpoint",
    },
];

/// Finds out what is at `path`.
pub(super) fn recognise(path: &Path) -> Result<Found> {
    if path.is_dir() {
        return in_folder(path);
    }
    let head = head(path)?;
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    for foreign in FOREIGN {
        let magic = foreign.magic.is_some_and(|(at, m)| head.get(at..at + m.len()) == Some(m));
        if magic || foreign.extension == extension {
            let e = Error::unimplemented(format!("{} is {}", path.display(), foreign.what));
            return Err(e.help(foreign.help));
        }
    }
    let saved = path.file_stem().is_some_and(|n| n == "saved_model");
    let format = match extension.as_str() {
        "meta" => Format::MetaGraphDef,
        "json" => Format::TfjsModel,
        "pbtxt" | "pbtext" | "prototxt" | "textproto" => text_format(&head),
        // A SavedModel begins with its schema version, a graph with its first node.
        "pb" if saved || head.starts_with(&[0x08]) => Format::SavedModel,
        "pb" => Format::GraphDef,
        _ if head.starts_with(b"{") => Format::TfjsModel,
        _ if head.starts_with(&[0x08]) => Format::SavedModel,
        _ if is_text(&head) => text_format(&head),
        _ => Format::GraphDef,
    };
    Ok(Found { path: path.to_path_buf(), format })
}

fn in_folder(folder: &Path) -> Result<Found> {
    for (name, format) in IN_FOLDER {
        let path = folder.join(name);
        if path.exists() {
            return Ok(Found { path, format: *format });
        }
    }
    let e = Error::not_found(format!("{} holds no saved_model.pb", folder.display()));
    if folder.join("saved_model.cpb").exists() {
        let e = Error::unimplemented(format!("{} is split into chunks", folder.display()));
        return Err(e.help("save it again without experimental_image_format"));
    }
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map_err(|e| mapped::io_error(folder, &e))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let inner = |n: &&String| IN_FOLDER.iter().any(|(f, _)| folder.join(n).join(f).exists());
    if let Some(name) = names.iter().find(inner) {
        return Err(e.help(format!("there is one in {}", folder.join(name).display())));
    }
    names.truncate(10);
    Err(e.help(match names.as_slice() {
        [] => "the folder is empty".to_string(),
        names => format!("there are {}", names.join(", ")),
    }))
}

fn head(path: &Path) -> Result<Vec<u8>> {
    mapped::file_length(path)?;
    let file = File::open(path).map_err(|e| mapped::io_error(path, &e))?;
    let mut head = Vec::new();
    file.take(4096).read_to_end(&mut head).map_err(|e| mapped::io_error(path, &e))?;
    Ok(head)
}

fn is_text(head: &[u8]) -> bool {
    head.iter().all(|&b| b >= 0x20 || matches!(b, b'\n' | b'\r' | b'\t'))
}

/// Text of a SavedModel begins with one of its two fields.
fn text_format(head: &[u8]) -> Format {
    let text = String::from_utf8_lossy(head);
    let first = text
        .lines()
        .map(str::trim_start)
        .find(|line| !line.is_empty() && !line.starts_with('#'))
        .unwrap_or("");
    let saved = ["saved_model_schema_version", "meta_graphs"];
    match saved.iter().any(|f| first.starts_with(f)) {
        true => Format::SavedModelText,
        false => Format::GraphDefText,
    }
}
