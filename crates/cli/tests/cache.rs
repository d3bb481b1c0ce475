//! The command `cache` on folders made for the purpose, as a user runs it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use tfjit::{Options, client_fingerprint};
use tfjit_launch::persist::{
    DirectoryCache, DirectoryOptions, Key, Metadata, NewEntry, Persistor, options_text,
};

/// A folder of its own for each test, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("tfjit-cli-cache-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// Saves an entry that was used so many seconds ago; gives back its file.
    fn save(&self, key: &Key, function: &str, seconds: u64) -> PathBuf {
        let options = DirectoryOptions { folder: self.0.clone(), ..Default::default() };
        let cache = DirectoryCache::new(options);
        let signature = format!("{function},f32 [{seconds}]");
        let metadata = Metadata::default();
        let entry = NewEntry {
            hlo: "module {}",
            executable: &[5; 3000],
            metadata: &metadata,
            function,
            signature: &signature,
            compile_micros: 1500,
        };
        cache.save(key, &entry).unwrap();
        let path = cache.path(key);
        let used = SystemTime::now() - Duration::from_secs(seconds);
        fs::File::open(&path).unwrap().set_modified(used).unwrap();
        path
    }

    fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The key this program would ask for.
fn current(cluster: u64) -> Key {
    let options = Options::default();
    Key {
        signature: 7,
        cluster,
        client: client_fingerprint(&options),
        options: options_text(options.checks, options.optimise, 1),
        ..Key::default()
    }
}

/// Stdout, stderr and the exit status.
fn tfjit(words: &[&str]) -> (String, String, i32) {
    let done = Command::new(env!("CARGO_BIN_EXE_tfjit")).arg("cache").args(words).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(done.stdout), text(done.stderr), done.status.code().unwrap())
}

fn columns(line: &str) -> Vec<String> {
    line.split("  ").map(|cell| cell.trim().to_owned()).filter(|c| !c.is_empty()).collect()
}

#[test]
fn entries_are_listed_with_those_used_last_first() {
    let folder = Folder::new("ls");
    folder.save(&current(1), "old", 3 * 86_400);
    folder.save(&current(2), "new", 90);
    let (out, _, code) = tfjit(&["ls", folder.path()]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = out.lines().collect();
    let head = ["function", "signature", "device", "size", "compiled in", "used", "file"];
    assert_eq!(columns(lines[0]), head);
    let first = columns(lines[1]);
    assert_eq!(first[..3], ["new", "f32 [90]", "XLA_CPU_JIT"]);
    assert_eq!(first[4], "1.50 ms");
    assert_eq!(first[6], "xla_compile_cache__7__2__XLA_CPU_JIT.pb");
    assert_eq!(columns(lines[2])[5], "3 days ago");
    assert!(lines[3].starts_with("2 entries, "), "{out}");
    let (out, _, _) = tfjit(&["ls", folder.path(), "--names"]);
    assert_eq!(out.lines().count(), 2);
}

#[test]
fn a_missing_folder_is_an_error() {
    let (out, err, code) = tfjit(&["ls", "/nowhere/at/all"]);
    assert_eq!((out.as_str(), code), ("", 1));
    assert!(err.contains("NOT_FOUND"), "{err}");
}

#[test]
fn why_tells_what_differs_from_this_program() {
    let folder = Folder::new("why");
    folder.save(&current(1), "good", 1);
    let older = Key { compiler: "tfjit 0.0.1 format 0".to_owned(), ..current(2) };
    folder.save(&older, "older", 1);
    let (out, _, code) = tfjit(&["why", folder.path(), "good"]);
    assert_eq!(code, 0);
    assert!(
        out.ends_with("nothing in its key keeps the entry from being what is asked for here\n")
    );
    let (out, _, _) = tfjit(&["why", folder.path(), "older"]);
    assert!(out.ends_with("the entry is not what is asked for here: compiler\n"), "{out}");
    let line = out.lines().find(|l| l.contains("compiler")).unwrap();
    assert!(line.starts_with('!') && line.contains("tfjit 0.0.1 format 0"), "{line}");
    let (out, _, _) = tfjit(&["why", folder.path(), "good", "--checks", "off"]);
    assert!(out.ends_with("the entry is not what is asked for here: options\n"), "{out}");
}

#[test]
fn why_compares_two_entries() {
    let folder = Folder::new("two");
    folder.save(&current(1), "f", 1);
    folder.save(&Key { signature: 8, ..current(1) }, "f", 2);
    let names = ["xla_compile_cache__7__", "xla_compile_cache__8__"];
    let (out, _, code) = tfjit(&["why", folder.path(), names[0], names[1]]);
    assert_eq!(code, 0);
    let last = "the entry is not the other entry: arguments, signature (fingerprint)\n";
    assert!(out.ends_with(last), "{out}");
    let (_, err, code) = tfjit(&["why", folder.path(), "f"]);
    assert_eq!(code, 1);
    assert!(err.contains("2 entries have \"f\" in their names"), "{err}");
    let (_, err, code) = tfjit(&["why", folder.path(), "nothing"]);
    assert_eq!(code, 1);
    assert!(err.contains("NOT_FOUND"), "{err}");
}

#[test]
fn old_entries_go_and_are_named() {
    let folder = Folder::new("gc");
    let old = folder.save(&current(1), "a", 3 * 86_400);
    let newer = folder.save(&current(2), "b", 86_400);
    let newest = folder.save(&current(3), "c", 5);
    let (out, _, code) = tfjit(&["gc", folder.path(), "--max-age", "2d", "--dry-run"]);
    assert_eq!((code, folder.files()), (0, 3));
    assert!(out.contains("__7__1__") && out.contains("1 entry") && out.contains("would be"));
    let (out, _, _) = tfjit(&["gc", folder.path(), "--max-age", "2d"]);
    assert!(out.lines().last().unwrap().ends_with(" removed"), "{out}");
    assert_eq!([&old, &newer, &newest].map(|p| p.exists()), [false, true, true]);
    tfjit(&["gc", folder.path(), "--max-bytes", "4K"]);
    assert_eq!([&old, &newer, &newest].map(|p| p.exists()), [false, false, true]);
    let (_, _, code) = tfjit(&["gc", folder.path()]);
    assert_eq!(code, 2);
}

#[test]
fn damage_is_found_and_is_the_exit_status() {
    let folder = Folder::new("verify");
    let good = folder.save(&current(1), "a", 1);
    let (out, _, code) = tfjit(&["verify", folder.path()]);
    assert_eq!(code, 0);
    assert_eq!(out, "ok       xla_compile_cache__7__1__XLA_CPU_JIT.pb\n");
    let bad = folder.save(&current(2), "b", 1);
    let mut bytes = fs::read(&bad).unwrap();
    *bytes.last_mut().unwrap() ^= 4;
    fs::write(&bad, bytes).unwrap();
    fs::copy(&good, Path::new(folder.path()).join("x__1__2__XLA_CPU_JIT.pb")).unwrap();
    let (out, err, code) = tfjit(&["verify", folder.path()]);
    assert_eq!(code, 1);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("damaged  x__1__2__"), "{out}");
    assert!(lines[1].starts_with("ok "), "{out}");
    assert!(lines[2].contains("the checksum is"), "{out}");
    assert!(err.contains("DATA_LOSS: 2 of 3 files damaged"), "{err}");
}

#[test]
fn a_trace_is_a_file_with_what_happened() {
    let path = std::env::temp_dir().join(format!("tfjit-cli-trace-{}.json", std::process::id()));
    let done = Command::new(env!("CARGO_BIN_EXE_tfjit"))
        .args(["-q", "run", "frozen.pbtxt", "--input", "x:0=[[1,2]]", "--trace"])
        .arg(&path)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(text.starts_with("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"), "{text}");
    for name in ["Compilation of XLA executable", "Lower", "Optimise"] {
        assert!(text.contains(&format!("{{\"name\":\"{name}\",\"cat\":\"tfjit\"")), "{text}");
    }
}
