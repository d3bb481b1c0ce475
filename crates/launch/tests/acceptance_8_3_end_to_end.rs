//! The cache on disk from launch to launch (behaviour, 8.3.3): what a second process loads computes
//! what the first one compiled, with write access to the folder and without.
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use common::*;
use tfjit_base::{Result, Tensor};
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
fn acceptance_8_3_3_launches_from_disk_compute_the_same() {
    let folder = Folder::new("second");
    assert_eq!(process(folder.options(), true).unwrap(), 3);
    assert_eq!(folder.files().len(), 3);
    assert_eq!(process(folder.options(), true).unwrap(), 0);
    // Without write access too.
    let read_only = DirectoryOptions { read_only: true, ..folder.options() };
    assert_eq!(process(read_only, true).unwrap(), 0);
}
