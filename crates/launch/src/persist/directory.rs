//! The cache as files of one folder, one an entry. Several processes may share it: files appear
//! whole, by renaming, and any may vanish at any time.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use tfjit_base::{Code, Error, Result};
use tfjit_model::mapped::io_error;

use super::folder::{TEMPORARY, list, read_entry, remove_old};
use super::{Entry, Key, NewEntry, Persistor, device_type_allowed};
use crate::metrics;

/// Names that are tried for a file before it is in its place.
const NAMES_MAX: u64 = 16;

/// How a folder is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirectoryOptions {
    /// The folder, which is made when it is needed; an empty path turns the cache off.
    pub folder: PathBuf,
    /// Types of devices, with commas, that entries are kept for; empty for all. `CPU` and
    /// `XLA_CPU_JIT` mean the same.
    pub device_types: String,
    /// Whether nothing is written: no entry, and no time of use.
    pub read_only: bool,
    /// Start of the names of files.
    pub prefix: String,
    /// Whether an entry is refused when the program in it was changed.
    pub check_hlo: bool,
    /// Bytes that all entries together may take; those that were not used for longest go first.
    pub bytes_max: Option<u64>,
}

impl Default for DirectoryOptions {
    fn default() -> DirectoryOptions {
        DirectoryOptions {
            folder: PathBuf::new(),
            device_types: String::new(),
            read_only: false,
            prefix: super::PREFIX.to_owned(),
            check_hlo: true,
            bytes_max: None,
        }
    }
}

/// A folder with entries.
#[derive(Debug)]
pub struct DirectoryCache {
    options: DirectoryOptions,
    /// An estimate of the bytes in the folder; `u64::MAX` until it was looked at.
    bytes: AtomicU64,
}

impl DirectoryCache {
    /// A cache in a folder that need not be there yet.
    pub fn new(options: DirectoryOptions) -> DirectoryCache {
        DirectoryCache { options, bytes: AtomicU64::new(u64::MAX) }
    }

    /// How the folder is used.
    pub fn options(&self) -> &DirectoryOptions {
        &self.options
    }

    /// Where the entry of this key is, or would be.
    pub fn path(&self, key: &Key) -> PathBuf {
        self.options.folder.join(self.key(key).file_name())
    }

    /// The key with the prefix of this cache.
    fn key(&self, key: &Key) -> Key {
        Key { prefix: self.options.prefix.clone(), ..key.clone() }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        make_folder(&self.options.folder)?;
        let temporary = unique_file(path, unique_number, |file| file.write_all(bytes))?;
        fs::rename(&temporary, path).map_err(|error| {
            // It is of no use to anybody.
            let _ = fs::remove_file(&temporary);
            io_error(path, &error)
        })
    }

    /// Counts `added` bytes and removes old entries when that is too much.
    fn bound(&self, path: &Path, added: u64) {
        let Some(bytes_max) = self.options.bytes_max else { return };
        let known = self.bytes.load(Ordering::Relaxed);
        let estimate = known.saturating_add(added);
        if known != u64::MAX && estimate <= bytes_max {
            self.bytes.store(estimate, Ordering::Relaxed);
            return;
        }
        // The entry is in its place; trouble with the others is none of it.
        let folder = &self.options.folder;
        if let Ok(gone) = remove_old(folder, Some(bytes_max), None, Some(path), false) {
            metrics::global().persistent_cache_eviction_count.add(gone.len() as u64);
        }
        if let Ok(files) = list(folder) {
            let total = files.iter().fold(0u64, |sum, file| sum.saturating_add(file.bytes));
            self.bytes.store(total, Ordering::Relaxed);
        }
    }
}

impl Persistor for DirectoryCache {
    fn load(&self, key: &Key) -> Result<Option<Entry>> {
        if !self.is_enabled(&key.device_type) {
            return Ok(None);
        }
        let key = self.key(key);
        key.check()?;
        let path = self.options.folder.join(key.file_name());
        let entry = match read_entry(&path) {
            Ok(entry) => entry,
            Err(error) if error.code() == Code::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        entry.verify(&key, self.options.check_hlo)?;
        if !self.options.read_only {
            // It is a hint for who is to go first; a folder of another user has none.
            let file = fs::File::open(&path);
            let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        }
        Ok(Some(entry))
    }

    fn save(&self, key: &Key, entry: &NewEntry<'_>) -> Result<()> {
        if self.options.read_only || !self.is_enabled(&key.device_type) {
            return Ok(());
        }
        let key = self.key(key);
        key.check()?;
        let bytes = entry.encode(&key);
        if self.options.bytes_max.is_some_and(|max| bytes.len() as u64 > max) {
            tracing::debug!("{} takes more than the whole cache may", key.file_name());
            return Ok(());
        }
        let path = self.options.folder.join(key.file_name());
        self.write(&path, &bytes)?;
        metrics::global().persistent_cache_save_count.add(1);
        metrics::global().persistent_cache_written_bytes.add(bytes.len() as u64);
        self.bound(&path, bytes.len() as u64);
        Ok(())
    }

    fn is_enabled(&self, device_type: &str) -> bool {
        !self.options.folder.as_os_str().is_empty()
            && device_type_allowed(&self.options.device_types, device_type)
    }
}

/// Makes the folder, and those above it, for this user alone.
fn make_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| io_error(folder, &e))
}

/// A number that no other call in this process gives, and hardly one in another.
fn unique_number() -> u64 {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let seed = [u64::from(std::process::id()), now.as_nanos() as u64, count];
    let mut fingerprint = super::fingerprint::Fingerprint::new();
    seed.iter().for_each(|&word| fingerprint.word(word));
    fingerprint.finish()
}

/// Writes a new file beside `path`: `<name>.<number>.tmp`. It is gone again when writing fails.
///
/// # Errors
/// UNAVAILABLE when all names that were tried are taken; what the system says.
fn unique_file(
    path: &Path,
    mut number: impl FnMut() -> u64,
    write: impl FnOnce(&mut fs::File) -> io::Result<()>,
) -> Result<PathBuf> {
    for _ in 0..NAMES_MAX {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{:016x}{TEMPORARY}", number()));
        let temporary = PathBuf::from(name);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io_error(&temporary, &error)),
            Ok(mut file) => {
                return write(&mut file).map(|()| temporary.clone()).map_err(|error| {
                    let _ = fs::remove_file(&temporary);
                    io_error(&temporary, &error)
                });
            }
        }
    }
    Err(Error::unavailable(format!("no unique name for a file beside {}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::persist::Metadata;
    use std::time::Duration;

    /// A folder of its own for each test, gone at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let name = format!("tfjit-persist-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }

        fn cache(&self, options: DirectoryOptions) -> DirectoryCache {
            DirectoryCache::new(DirectoryOptions { folder: self.0.join("a/b"), ..options })
        }

        fn names(&self) -> Vec<String> {
            let Ok(entries) = fs::read_dir(self.0.join("a/b")) else { return Vec::new() };
            let name = |e: io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
            let mut names: Vec<String> = entries.map(name).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn key(cluster: u64) -> Key {
        Key { signature: 1, cluster, ..Key::default() }
    }

    fn save(cache: &DirectoryCache, cluster: u64, executable: &[u8]) -> Result<()> {
        let metadata = Metadata::default();
        let entry = NewEntry {
            hlo: "module {}",
            executable,
            metadata: &metadata,
            function: "f",
            signature: "f",
            compile_micros: 1,
        };
        cache.save(&key(cluster), &entry)
    }

    /// Sets the last use of an entry back.
    fn age(cache: &DirectoryCache, cluster: u64, seconds: u64) {
        let file = fs::File::open(cache.path(&key(cluster))).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn nothing_but_entries_stays_in_the_folder() {
        let folder = Folder::new("plain");
        let cache = folder.cache(DirectoryOptions::default());
        assert!(cache.load(&key(2)).unwrap().is_none());
        assert_eq!(folder.names(), Vec::<String>::new());
        save(&cache, 2, b"one").unwrap();
        save(&cache, 2, b"two").unwrap();
        assert_eq!(folder.names(), ["xla_compile_cache__1__2__XLA_CPU_JIT.pb"]);
        assert_eq!(cache.load(&key(2)).unwrap().unwrap().executable(), b"two");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(folder.0.join("a")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let folder = Folder::new("lru");
        let cache = folder.cache(DirectoryOptions::default());
        save(&cache, 1, &[0; 1000]).unwrap();
        let one = fs::metadata(cache.path(&key(1))).unwrap().len();
        let options = DirectoryOptions { bytes_max: Some(3 * one), ..Default::default() };
        let cache = folder.cache(options);
        for cluster in 2..=3 {
            save(&cache, cluster, &[0; 1000]).unwrap();
        }
        (1..=3).for_each(|cluster| age(&cache, cluster, 100 - cluster));
        // Used now, the oldest is the newest.
        assert!(cache.load(&key(1)).unwrap().is_some());
        save(&cache, 4, &[0; 1000]).unwrap();
        let found = |cluster| cache.load(&key(cluster)).unwrap().is_some();
        assert_eq!([1, 2, 3, 4].map(found), [true, false, true, true]);
        // What is larger than everything is not kept at all, and pushes nothing out.
        save(&cache, 5, &[0; 10_000]).unwrap();
        assert_eq!([1, 2, 3, 4, 5].map(found), [true, false, true, true, false]);
    }

    #[test]
    fn files_of_others_are_not_ours_to_remove() {
        let folder = Folder::new("others");
        let cache = folder.cache(DirectoryOptions::default());
        save(&cache, 1, &[0; 1000]).unwrap();
        let dir = folder.0.join("a/b");
        let foreign = ["xla_compile_cache__5__6__XLA_CPU_JIT.pb", "notes.pb", "x.tmp"];
        for name in foreign {
            fs::write(dir.join(name), vec![8; 1000]).unwrap();
        }
        let stale = dir.join("xla_compile_cache__1__1__XLA_CPU_JIT.pb.00000000000000aa.tmp");
        fs::write(&stale, b"half").unwrap();
        let fresh = dir.join("xla_compile_cache__1__2__XLA_CPU_JIT.pb.00000000000000ab.tmp");
        fs::write(&fresh, b"half").unwrap();
        let old = SystemTime::now() - Duration::from_secs(2 * 3600);
        fs::File::open(&stale).unwrap().set_modified(old).unwrap();
        let gone = remove_old(&dir, Some(0), None, None, true).unwrap();
        assert_eq!((gone.len(), folder.names().len()), (1, 6));
        remove_old(&dir, Some(0), None, None, false).unwrap();
        assert!(foreign.iter().all(|name| dir.join(name).exists()));
        assert_eq!((stale.exists(), fresh.exists()), (false, true));
        assert!(cache.load(&key(1)).unwrap().is_none());
    }

    #[test]
    fn large_entries_outlive_their_files() {
        let folder = Folder::new("large");
        let cache = folder.cache(DirectoryOptions::default());
        save(&cache, 1, &[7; 3 << 20]).unwrap();
        let entry = cache.load(&key(1)).unwrap().unwrap();
        let shared = entry.executable_shared().unwrap();
        save(&cache, 1, &[8; 3 << 20]).unwrap();
        fs::remove_file(cache.path(&key(1))).unwrap();
        assert!(shared.as_ref().iter().all(|&byte| byte == 7));
        assert_eq!(shared.as_ref().as_ptr() as usize % 64, 0);
    }

    #[test]
    fn without_a_unique_name_the_cache_is_unavailable() {
        let folder = Folder::new("unique");
        fs::create_dir_all(&folder.0).unwrap();
        let path = folder.0.join("x.pb");
        unique_file(&path, || 7, |file| file.write_all(b"1")).unwrap();
        let error = unique_file(&path, || 7, |file| file.write_all(b"2")).unwrap_err();
        assert_eq!(error.code(), Code::Unavailable);
        let full = |_: &mut fs::File| Err(io::Error::from(io::ErrorKind::StorageFull));
        let error = unique_file(&path, || 8, full).unwrap_err();
        assert_eq!(error.code(), Code::ResourceExhausted);
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    }

    #[test]
    fn processes_may_share_a_folder() {
        let folder = Folder::new("shared");
        let bytes_max = Some(4000);
        let threads: Vec<_> = (0..4u8)
            .map(|thread| {
                let options = DirectoryOptions { bytes_max, ..Default::default() };
                let cache = folder.cache(options);
                std::thread::spawn(move || {
                    for round in 0..50u64 {
                        save(&cache, round % 5, &[thread; 900]).unwrap();
                        // Another may have thrown it out; what is there is whole.
                        if let Some(entry) = cache.load(&key(round % 5)).unwrap() {
                            let first = entry.executable()[0];
                            assert_eq!(entry.executable(), [first; 900]);
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(folder.names().iter().all(|name| name.ends_with(".pb")));
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = Folder::new("strange");
        let cache = folder.cache(DirectoryOptions::default());
        fs::create_dir_all(cache.path(&key(1))).unwrap();
        assert_eq!(cache.load(&key(1)).unwrap_err().code(), Code::InvalidArgument);
        assert!(save(&cache, 1, b"x").is_err());
        assert_eq!(folder.names().len(), 1);
        let escape = Key { device_type: "../../x".to_owned(), ..key(1) };
        assert_eq!(cache.load(&escape).unwrap_err().code(), Code::InvalidArgument);
    }
}
