//! Models on disk and in memory for the tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use tfjit_base::Result;
use tfjit_model::{Model, ReadOptions, read};
use tfjit_proto::Message;
use tfjit_proto::tensorflow as pb;

/// The folder of a committed model.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/models").join(name)
}

pub(crate) fn load(name: &str) -> Model {
    read(&path(name), &ReadOptions::default()).unwrap()
}

/// The message of a committed model.
pub(crate) fn saved_model(name: &str) -> pb::SavedModel {
    let bytes = std::fs::read(path(name).join("saved_model.pb")).unwrap();
    pb::SavedModel::decode(bytes.as_slice()).unwrap()
}

/// A folder that goes away with its value.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tfjit-model-{}-{n}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A copy of a committed model.
    pub(crate) fn copy_of(name: &str) -> Folder {
        let folder = Folder::new();
        copy(&path(name), &folder.0);
        folder
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    pub(crate) fn read(&self) -> Result<Model> {
        read(&self.0, &ReadOptions::default())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left in the temporary folder harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
