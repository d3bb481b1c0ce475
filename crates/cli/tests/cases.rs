//! Runs the command as a user does and compares what it says with `tests/cases/*.txt`.
//!
//! A case is a line `$ tfjit ...`, then stdout, then `--- stderr` and stderr, then `--- exit N`;
//! the latter two only if there is something to say. `--- no newline` stands behind output that
//! does not end in one. The folder is `tests/models`, `{tmp}` is an empty folder that the cases
//! of a file share. A file that says `# stdout only` leaves stderr open. `BLESS=1` rewrites.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tfjit_base::knobs;

const STDOUT_ONLY: &str = "# stdout only";

/// A file of cases: the lines in front of the first, and the commands with what they print.
struct Cases {
    preamble: String,
    cases: Vec<(String, String)>,
}

fn parse(text: &str) -> Cases {
    let mut parts = text.split("\n$ ");
    let preamble = parts.next().unwrap_or_default().to_owned();
    let cases = parts
        .map(|part| {
            let (command, expected) = part.split_once('\n').unwrap_or((part, ""));
            (command.to_owned(), expected.to_owned())
        })
        .collect();
    Cases { preamble, cases }
}

/// Words as a POSIX shell splits them, without expansions.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('\\', Some('"')) if matches!(chars.peek(), Some('"' | '\\')) => {
                word.get_or_insert_default().extend(chars.next());
            }
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn run(command: &str, tmp: &Path, stderr_too: bool) -> String {
    let tmp_text = tmp.to_str().unwrap();
    let words = split(&command.replace("{tmp}", tmp_text));
    assert_eq!(words[0], "tfjit", "{command}");
    let done = Command::new(env!("CARGO_BIN_EXE_tfjit"))
        .args(&words[1..])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(tmp_text, "{tmp}");
    let mut out = text(&done.stdout);
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str("\n--- no newline\n");
    }
    if stderr_too && !done.stderr.is_empty() {
        out.push_str(&format!("--- stderr\n{}", text(&done.stderr)));
    }
    match done.status.code() {
        Some(0) => {}
        Some(code) => out.push_str(&format!("--- exit {code}\n")),
        None => out.push_str("--- killed\n"),
    }
    out
}

/// The text of the file with what the command says today, and the commands that changed.
fn replay(path: &Path, text: &str) -> (String, Vec<String>) {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let tmp = std::env::temp_dir().join(format!("tfjit-cases-{}-{name}", std::process::id()));
    fs::create_dir_all(&tmp).unwrap();
    let cases = parse(text);
    let stderr_too = !cases.preamble.contains(STDOUT_ONLY);
    let mut out = cases.preamble;
    let mut changed = Vec::new();
    for (command, expected) in cases.cases {
        let got = run(&command, &tmp, stderr_too);
        if got != expected {
            changed.push(format!("$ {command}\nwant:\n{expected}\ngot:\n{got}"));
        }
        out.push_str(&format!("\n$ {command}\n{got}"));
    }
    fs::remove_dir_all(&tmp).unwrap();
    (out, changed)
}

#[test]
fn the_command_says_what_the_cases_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = paths
            .iter()
            .map(|path| {
                scope.spawn(move || {
                    let text = fs::read_to_string(path).unwrap();
                    let (new, changed) = replay(path, &text);
                    if knobs::BLESS.is_on() {
                        fs::write(path, new).unwrap();
                        return Vec::new();
                    }
                    let shown = path.file_name().unwrap().to_string_lossy();
                    changed.into_iter().map(|c| format!("{shown}: {c}")).collect()
                })
            })
            .collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tfjit"))
        .args(["man", "run"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(done.status.code(), Some(0));
}

/// What the command prints, which must succeed.
fn stdout(command: &str) -> String {
    let out = run(command, Path::new("/nowhere"), true);
    assert!(!out.contains("--- exit"), "{out}");
    out
}

#[test]
fn every_stage_prints_its_product() {
    let check = |stage: &str, parts: &[&str]| {
        let out = stdout(&format!("tfjit explain frozen.pbtxt --shape x:0=5,2 --to={stage}"));
        for part in parts {
            assert!(out.contains(part), "{stage} without {part}:\n{out}");
        }
    };
    check("read", &["double = Mul(", "Placeholder"]);
    check("select", &["function main", "in x:0", "out relu:0", "double = Mul("]);
    check("cluster", &["cluster 0", "double = Mul"]);
    check("lower", &["stablehlo.multiply", "tensor<5x2xf32>"]);
    check("optimise", &["stablehlo.multiply", "tensor<5x2xf32>"]);
    let run = stdout("tfjit -q run frozen.pbtxt --input x:0=[[1,2]] --to=lower");
    assert!(run.contains("tensor<1x2xf32>") && !run.contains("relu:0"), "{run}");
}

#[test]
fn stages_are_dumped_into_files() {
    let folder = std::env::temp_dir().join(format!("tfjit-dump-{}", std::process::id()));
    stdout(&format!("tfjit -q run frozen.pbtxt --input x:0=[[1,2]] --dump {}", folder.display()));
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    fs::remove_dir_all(&folder).unwrap();
    for want in ["00-read.txt", "01-select.txt", "02-cluster.txt", "03-lower-main.mlir"] {
        assert!(names.iter().any(|name| name == want), "{names:?}");
    }
}

#[test]
fn a_bench_is_a_table_with_a_row_for_each_setting() {
    let out = stdout("tfjit -q bench mlp --batch 1,4 --threads 1,2 --seconds 0.01");
    let rows: Vec<Vec<&str>> = out.lines().map(|l| l.split_whitespace().collect()).collect();
    let head = ["batch", "threads", "first", "median", "min", "p99", "launches/s"];
    assert_eq!(rows[0], head);
    let settings: Vec<&[&str]> = rows[1..].iter().map(|row| &row[..2]).collect();
    assert_eq!(settings, [["1", "1"], ["4", "1"], ["1", "2"], ["4", "2"]]);
}

#[test]
fn every_command_has_help_with_examples() {
    for command in ["show", "run", "scan", "bench", "explain", "cache", "completions", "man"] {
        let help = stdout(&format!("tfjit {command} --help"));
        assert!(help.contains("Example") && help.contains(&format!("tfjit {command} ")), "{help}");
        assert!(stdout(&format!("tfjit man {command}")).contains(".TH tfjit-"));
    }
    assert!(stdout("tfjit completions bash").contains("list_ops"));
}
