//! The cache on disk from launch to launch (behaviour, 8.3.3): three batch sizes in one process,
//! and in a second one; files that were edited; other prefixes.
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use common::*;
use tfjit_base::{Error, Result, Tensor};
use tfjit_client::Client;
use tfjit_launch::persist::{DirectoryCache, DirectoryOptions, PersistentCache};
use tfjit_launch::{CompilerOptions, DeviceCompiler, XlaLaunch};
use tfjit_runtime::{Kernel, ResourceManager, Value};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("tfjit-8-3-3-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn options(&self) -> DirectoryOptions {
        DirectoryOptions { folder: self.0.clone(), ..DirectoryOptions::default() }
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs three batch sizes as a new process would, and returns how many were compiled.
fn process(options: DirectoryOptions, strict: bool) -> Result<u64> {
    let persistent = PersistentCache::new(Arc::new(DirectoryCache::new(options)), strict);
    let options = CompilerOptions { persistent: Some(persistent), ..CompilerOptions::default() };
    let client = Arc::new(Counting::new(local()));
    let shared = Arc::clone(&client) as Arc<dyn Client>;
    let compiler = Arc::new(DeviceCompiler::new(shared, options));
    let kernel = XlaLaunch::of(compiler, cluster(&add_variable(), &[], &[1]));
    let resources = ResourceManager::new();
    for batch in 1..=3 {
        let v = resources.lookup_or_create("", &format!("v{batch}"));
        v.assign(floats(&vec![1.0; batch])).unwrap();
        let inputs = [Value::Tensor(Tensor::scalar(2.0f32)), Value::Variable(v)];
        let out = in_step(&resources, |context| kernel.run(&inputs, context))?;
        assert_eq!(tensors(&out), [floats(&vec![3.0; batch])]);
    }
    Ok(client.compiles.load(Ordering::SeqCst))
}

#[test]
fn acceptance_8_3_3_a_second_process_compiles_nothing() {
    let folder = Folder::new("second");
    assert_eq!(process(folder.options(), true).unwrap(), 3);
    assert_eq!(folder.files().len(), 3);
    assert_eq!(process(folder.options(), true).unwrap(), 0);
    // Without write access too.
    let read_only = DirectoryOptions { read_only: true, ..folder.options() };
    assert_eq!(process(read_only, true).unwrap(), 0);
}

/// Changes the program in all files that have one.
fn edit(files: &[PathBuf]) -> usize {
    let mut edited = 0;
    for file in files {
        let mut bytes = fs::read(file).unwrap();
        let word = b"stablehlo.add";
        if let Some(at) = bytes.windows(word.len()).position(|w| w == word) {
            bytes[at..at + word.len()].copy_from_slice(b"stablehlo.sub");
            fs::write(file, bytes).unwrap();
            edited += 1;
        }
    }
    edited
}

#[test]
fn acceptance_8_3_3_an_edited_program_is_refused() {
    let folder = Folder::new("edited");
    assert_eq!(process(folder.options(), true).unwrap(), 3);
    assert_eq!(edit(&folder.files()), 3);
    let error: Error = process(folder.options(), true).unwrap_err();
    assert!(error.message().contains("Serialized HLO does not match."), "{error}");
    // With the check off it is accepted, as in TensorFlow.
    let unchecked = DirectoryOptions { check_hlo: false, ..folder.options() };
    assert_eq!(process(unchecked, true).unwrap(), 0);
    // Ours: a miss, and the files are good again.
    assert_eq!(process(folder.options(), false).unwrap(), 3);
    assert_eq!(process(folder.options(), true).unwrap(), 0);
}

#[test]
fn acceptance_8_3_3_another_prefix_is_another_cache() {
    let folder = Folder::new("prefix");
    let custom = DirectoryOptions { prefix: "custom".to_owned(), ..folder.options() };
    assert_eq!(process(custom.clone(), true).unwrap(), 3);
    let default = |path: &PathBuf| {
        path.file_name().unwrap().to_str().unwrap().starts_with("xla_compile_cache")
    };
    assert_eq!(folder.files().iter().filter(|path| default(path)).count(), 0);
    assert_eq!(process(folder.options(), true).unwrap(), 3);
    assert_eq!(process(custom, true).unwrap(), 0);
    assert_eq!(folder.files().len(), 6);
}
