//! What the tests of TensorFlow assert of the persistent cache, where it meets files: saving,
//! loading, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::{Counting, local, parameter, request, x_plus_y};
use tfjit_base::{AlignedBytes, Code, DType, Error, Result};
use tfjit_client::{Arguments, Buffer, Executable, ExecuteOptions, Memory};
use tfjit_hlo::TensorType;
use tfjit_launch::listener::{ActivityListener, JitCompilationActivity, Listeners};
use tfjit_launch::persist::{
    DirectoryCache, DirectoryOptions, Entry, Key, Metadata, NewEntry, PersistentCache, Persistor,
};
use tfjit_launch::{CompileMode, CompilerOptions, DeviceCompiler, metrics};

/// A folder of its own for each test, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("tfjit-acceptance-8-3-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn options(&self) -> DirectoryOptions {
        DirectoryOptions { folder: self.0.clone(), ..DirectoryOptions::default() }
    }

    fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.0) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An executable that serializes to what it is told.
struct Fake(Result<Vec<u8>>);

impl Executable for Fake {
    fn name(&self) -> &str {
        "fake"
    }
    fn parameters(&self) -> &[TensorType] {
        &[]
    }
    fn results(&self) -> &[TensorType] {
        &[]
    }
    fn execute(&self, _: Arguments, _: &ExecuteOptions) -> Result<Vec<Buffer>> {
        Ok(Vec::new())
    }
    fn serialize(&self) -> Result<Vec<u8>> {
        self.0.clone()
    }
    fn text(&self, _: &str) -> Option<String> {
        None
    }
    fn memory(&self) -> Memory {
        Memory::default()
    }
}

const HLO: &str = "module @cluster_0 {}";

fn key() -> Key {
    Key { signature: 123, cluster: 456, client: "this processor".to_owned(), ..Key::default() }
}

fn entry<'a>(metadata: &'a Metadata, executable: &'a [u8]) -> NewEntry<'a> {
    NewEntry {
        hlo: HLO,
        executable,
        metadata,
        function: "cluster_0",
        signature: "cluster_0,f32 [2]",
        compile_micros: 5,
    }
}

fn strict(options: DirectoryOptions) -> PersistentCache {
    PersistentCache::new(Arc::new(DirectoryCache::new(options)), true)
}

/// Saves what an executable serializes to.
fn save(
    cache: &PersistentCache,
    executable: Option<&dyn Executable>,
    rebuild: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<()> {
    cache.save_executable(&key(), entry(&Metadata::default(), &[]), executable, rebuild)
}

fn never() -> Result<Vec<u8>> {
    panic!("nothing is to be built a second time")
}

fn load(cache: &PersistentCache, key: &Key) -> Result<Option<Vec<u8>>> {
    cache.load(key, |entry| Ok(entry.executable().to_vec()))
}

fn stored(folder: &Folder) -> Entry {
    let names = folder.files();
    assert_eq!(names.len(), 1, "{names:?}");
    let bytes = fs::read(folder.0.join(&names[0])).unwrap();
    Entry::decode(Arc::new(AlignedBytes::copy_of(&bytes).unwrap())).unwrap()
}

#[test]
fn acceptance_8_3_1_without_a_directory_or_read_only_saving_is_ok_and_writes_nothing() {
    let folder = Folder::new("nowhere");
    let good = Fake(Ok(vec![1]));
    save(&strict(DirectoryOptions::default()), Some(&good), never).unwrap();
    let read_only = DirectoryOptions { read_only: true, ..folder.options() };
    save(&strict(read_only), Some(&good), never).unwrap();
    assert!(!folder.0.exists());
}

#[test]
fn acceptance_8_3_1_a_built_executable_is_saved() {
    let folder = Folder::new("built");
    save(&strict(folder.options()), Some(&Fake(Ok(vec![1, 2, 3]))), never).unwrap();
    assert_eq!(folder.files(), ["xla_compile_cache__123__456__XLA_CPU_JIT.pb"]);
    let entry = stored(&folder);
    assert_eq!(entry.executable(), [1, 2, 3]);
    assert_eq!((entry.hlo(), &entry.key), (HLO, &key()));
}

#[test]
fn acceptance_8_3_1_what_does_not_export_is_built_again_to_be_stored() {
    let folder = Folder::new("again");
    let builds = AtomicUsize::new(0);
    let rebuild = || {
        builds.fetch_add(1, Ordering::SeqCst);
        Ok(vec![9, 9])
    };
    let no_export = Fake(Err(Error::unimplemented("no export")));
    save(&strict(folder.options()), Some(&no_export), rebuild).unwrap();
    assert_eq!(builds.load(Ordering::SeqCst), 1);
    assert_eq!(stored(&folder).executable(), [9, 9]);
}

#[test]
fn acceptance_8_3_1_other_errors_of_serializing_are_returned() {
    let folder = Folder::new("error");
    let bad = Fake(Err(Error::invalid_argument("cannot serialize")));
    let error = save(&strict(folder.options()), Some(&bad), never).unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::InvalidArgument, "cannot serialize"));
    assert_eq!(folder.files(), [""; 0]);
}

#[test]
fn acceptance_8_3_1_without_an_executable_saving_is_a_failed_precondition() {
    let folder = Folder::new("none");
    let error = save(&strict(folder.options()), None, never).unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    assert_eq!(folder.files(), [""; 0]);
}

#[test]
fn acceptance_8_3_2_without_directory_or_file_there_is_none() {
    let folder = Folder::new("absent");
    assert_eq!(load(&strict(DirectoryOptions::default()), &key()).unwrap(), None);
    assert_eq!(load(&strict(folder.options()), &key()).unwrap(), None);
}

#[test]
fn acceptance_8_3_2_a_good_file_loads() {
    let folder = Folder::new("good");
    let cache = strict(folder.options());
    save(&cache, Some(&Fake(Ok(vec![4, 5]))), never).unwrap();
    assert_eq!(load(&cache, &key()).unwrap(), Some(vec![4, 5]));
}

/// Writes an entry under the name that belongs to [`key`].
fn plant(folder: &Folder, key_inside: &Key, executable: &[u8]) {
    fs::create_dir_all(&folder.0).unwrap();
    let bytes = entry(&Metadata::default(), executable).encode(key_inside);
    fs::write(folder.0.join(key().file_name()), bytes).unwrap();
}

#[test]
fn acceptance_8_3_2_a_wrong_key_is_refused() {
    let folder = Folder::new("key");
    for (wrong, part) in [
        (Key { signature: 124, ..key() }, "the signature is '124', not '123'"),
        (Key { cluster: 457, ..key() }, "the function is '457', not '456'"),
        (Key { device_type: "XLA_GPU_JIT".to_owned(), ..key() }, "the device type is"),
        (Key { pjrt: true, ..key() }, "the kind of client is 'PJRT', not 'local'"),
        (Key { client: "another".to_owned(), ..key() }, "the client is 'another'"),
        (Key { compiler: "older".to_owned(), ..key() }, "the compiler is 'older'"),
        (Key { options: "checks=false".to_owned(), ..key() }, "the options is 'checks=false'"),
        (Key { plugin: "p".to_owned(), ..key() }, "the plugin is 'p'"),
    ] {
        plant(&folder, &wrong, &[1]);
        let error = load(&strict(folder.options()), &key()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.message(), "Serialized cache key does not match.");
        assert!(error.hint().unwrap().starts_with(part), "{error}");
    }
}

/// Changes the program inside the file, as somebody with an editor of protobuf would.
fn edit_hlo(folder: &Folder) {
    let path = folder.0.join(key().file_name());
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(HLO.len()).position(|w| w == HLO.as_bytes()).unwrap();
    let name = HLO.find("cluster_0").unwrap();
    bytes[at + name..at + name + 9].copy_from_slice(b"cluster_1");
    fs::write(&path, bytes).unwrap();
}

#[test]
fn acceptance_8_3_2_a_wrong_program_is_refused_unless_checks_are_off() {
    let folder = Folder::new("hlo");
    plant(&folder, &key(), &[7]);
    edit_hlo(&folder);
    let error = load(&strict(folder.options()), &key()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(error.message(), "Serialized HLO does not match.");
    let lenient = DirectoryOptions { check_hlo: false, ..folder.options() };
    assert_eq!(load(&strict(lenient), &key()).unwrap(), Some(vec![7]));
}

#[test]
fn acceptance_8_3_2_an_empty_executable_is_refused() {
    let folder = Folder::new("empty");
    plant(&folder, &key(), &[]);
    let error = load(&strict(folder.options()), &key()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(error.message(), "No binary found in serialized entry.");
}

#[test]
fn acceptance_8_3_2_local_and_pjrt_entries_live_side_by_side() {
    let folder = Folder::new("side");
    let cache = strict(folder.options());
    let pjrt = Key { pjrt: true, ..key() };
    let metadata = Metadata::default();
    cache.save(&key(), &entry(&metadata, b"local")).unwrap();
    cache.save(&pjrt, &entry(&metadata, b"pjrt")).unwrap();
    let names = [
        "xla_compile_cache__123__456__XLA_CPU_JIT.pb",
        "xla_compile_cache__123__456__XLA_CPU_JIT__pjrt.pb",
    ];
    assert_eq!(folder.files(), names);
    assert_eq!(load(&cache, &key()).unwrap(), Some(b"local".to_vec()));
    assert_eq!(load(&cache, &pjrt).unwrap(), Some(b"pjrt".to_vec()));
}

#[test]
fn acceptance_8_3_3_another_prefix_finds_no_files() {
    let folder = Folder::new("prefix");
    let other = DirectoryOptions { prefix: "mine".to_owned(), ..folder.options() };
    save(&strict(other.clone()), Some(&Fake(Ok(vec![1]))), never).unwrap();
    assert_eq!(folder.files(), ["mine__123__456__XLA_CPU_JIT.pb"]);
    assert_eq!(load(&strict(folder.options()), &key()).unwrap(), None);
    assert_eq!(load(&strict(other), &key()).unwrap(), Some(vec![1]));
}

#[test]
fn trouble_is_a_miss_unless_it_is_to_be_an_error() {
    let folder = Folder::new("lenient");
    let lenient = PersistentCache::new(Arc::new(DirectoryCache::new(folder.options())), false);
    for damage in 0..5 {
        match damage {
            0 => plant(&folder, &Key { client: "another".to_owned(), ..key() }, &[1]),
            1 => plant(&folder, &key(), &[]),
            2 => {
                plant(&folder, &key(), &[1]);
                edit_hlo(&folder);
            }
            3 => fs::write(folder.0.join(key().file_name()), b"junk").unwrap(),
            _ => {
                plant(&folder, &key(), &[1, 2, 3, 4]);
                let path = folder.0.join(key().file_name());
                let mut bytes = fs::read(&path).unwrap();
                *bytes.last_mut().unwrap() ^= 1;
                fs::write(&path, bytes).unwrap();
            }
        }
        assert_eq!(load(&lenient, &key()).unwrap(), None, "{damage}");
        assert!(load(&strict(folder.options()), &key()).is_err(), "{damage}");
        // What is compiled then takes its place.
        save(&lenient, Some(&Fake(Ok(vec![8]))), never).unwrap();
        assert_eq!(load(&lenient, &key()).unwrap(), Some(vec![8]));
    }
    let bad = Fake(Err(Error::invalid_argument("cannot serialize")));
    save(&lenient, Some(&bad), never).unwrap();
    let loaded: Result<Option<()>> = lenient.load(&key(), |_| Err(Error::internal("client")));
    assert_eq!(loaded.unwrap(), None);
}

/// Fails as it is told.
struct Failing(Code);

impl Persistor for Failing {
    fn load(&self, _: &Key) -> Result<Option<Entry>> {
        Err(Error::new(self.0, "told to"))
    }
    fn save(&self, _: &Key, _: &NewEntry<'_>) -> Result<()> {
        Err(Error::new(self.0, "told to"))
    }
}

#[test]
fn errors_of_any_code_come_through_in_strict_mode_only() {
    for number in 1..=16 {
        let code = Code::from_number(number).unwrap();
        let executable = Fake(Ok(vec![1]));
        let strict = PersistentCache::new(Arc::new(Failing(code)), true);
        assert_eq!(load(&strict, &key()).unwrap_err().code(), code);
        assert_eq!(save(&strict, Some(&executable), never).unwrap_err().code(), code);
        let lenient = PersistentCache::new(Arc::new(Failing(code)), false);
        assert_eq!(load(&lenient, &key()).unwrap(), None);
        save(&lenient, Some(&executable), never).unwrap();
    }
}

#[test]
fn types_of_devices_that_are_not_listed_have_no_cache() {
    let folder = Folder::new("types");
    let types =
        |list: &str| strict(DirectoryOptions { device_types: list.to_owned(), ..folder.options() });
    let executable = Fake(Ok(vec![1]));
    assert!(!types("GPU").is_enabled("XLA_CPU_JIT"));
    save(&types("GPU"), Some(&executable), never).unwrap();
    assert_eq!(folder.files(), [""; 0]);
    save(&types("GPU,CPU"), Some(&executable), never).unwrap();
    assert_eq!(load(&types("XLA_CPU_JIT"), &key()).unwrap(), Some(vec![1]));
    assert_eq!(load(&types("XLA_GPU_JIT"), &key()).unwrap(), None);
}

#[test]
fn loads_are_counted() {
    let folder = Folder::new("counted");
    let cache = strict(folder.options());
    let count = || metrics::global().persistent_cache_load_count.get();
    save(&cache, Some(&Fake(Ok(vec![1]))), never).unwrap();
    let before = count();
    load(&cache, &key()).unwrap();
    assert!(count() > before);
}

/// Counts compilations by where they came from.
#[derive(Default)]
struct Sources(Mutex<Vec<bool>>);

impl ActivityListener for Sources {
    fn jit_compilation(&self, activity: &JitCompilationActivity) -> Result<()> {
        self.0.lock().unwrap().push(activity.used_persistent_cache);
        Ok(())
    }
}

/// What one process does: three batch sizes. Gives back how often the client compiled, and for
/// each compilation whether it came from the cache.
fn process(persistent: PersistentCache) -> Result<(u64, Vec<bool>)> {
    let client = Arc::new(Counting::new(local()));
    let sources = Arc::new(Sources::default());
    let listeners = Arc::new(Listeners::new());
    listeners.register(Arc::clone(&sources) as Arc<dyn ActivityListener>);
    let options =
        CompilerOptions { persistent: Some(persistent), listeners, ..CompilerOptions::default() };
    let compiler = DeviceCompiler::new(Arc::clone(&client) as Arc<_>, options);
    for batch in [1, 8, 32] {
        let args = [parameter(DType::F32, &[batch, 4]), parameter(DType::F32, &[4])];
        let ready = request(&compiler, &x_plus_y(), &args, CompileMode::Strict)?.unwrap();
        assert_eq!(ready.executable.results()[0].dims.as_slice(), [batch, 4]);
    }
    let sources = sources.0.lock().unwrap().clone();
    Ok((client.compiles.load(Ordering::SeqCst), sources))
}

/// Changes the name of a function in the programs of all files whose names begin with `prefix`.
fn edit_all(folder: &Folder, prefix: &str) -> usize {
    let names = folder.files();
    let names = names.iter().filter(|name| name.starts_with(prefix));
    let edited = names.map(|name| {
        let path = folder.0.join(name);
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes.windows(5).position(|w| w == b"@main").unwrap();
        bytes[at + 1..at + 5].copy_from_slice(b"mane");
        fs::write(&path, bytes).unwrap();
    });
    edited.count()
}

#[test]
fn acceptance_8_3_3_a_second_process_compiles_nothing() {
    let folder = Folder::new("processes");
    let (compiles, sources) = process(strict(folder.options())).unwrap();
    assert_eq!((compiles, sources), (3, vec![false; 3]));
    assert_eq!(folder.files().len(), 3);
    let (compiles, sources) = process(strict(folder.options())).unwrap();
    assert_eq!((compiles, sources), (0, vec![true; 3]));
}

#[test]
fn acceptance_8_3_3_edited_programs_fail_unless_checks_are_off() {
    let folder = Folder::new("edited");
    process(strict(folder.options())).unwrap();
    assert_eq!(edit_all(&folder, "xla_compile_cache"), 3);
    let error = process(strict(folder.options())).unwrap_err();
    assert_eq!(error.message(), "Serialized HLO does not match.");
    let lenient = DirectoryOptions { check_hlo: false, ..folder.options() };
    let (compiles, _) = process(strict(lenient)).unwrap();
    assert_eq!(compiles, 0);
    // Without strictness they are compiled again, and are good from then on.
    let forgiving = || PersistentCache::new(Arc::new(DirectoryCache::new(folder.options())), false);
    assert_eq!(process(forgiving()).unwrap().0, 3);
    assert_eq!(process(strict(folder.options())).unwrap().0, 0);
}

#[test]
fn acceptance_8_3_3_an_editor_of_the_usual_prefix_finds_no_files_of_another() {
    let folder = Folder::new("custom");
    let options = DirectoryOptions { prefix: "custom".to_owned(), ..folder.options() };
    process(strict(options.clone())).unwrap();
    assert_eq!(edit_all(&folder, "xla_compile_cache"), 0);
    let (compiles, sources) = process(strict(options)).unwrap();
    assert_eq!((compiles, sources), (0, vec![true; 3]));
}
