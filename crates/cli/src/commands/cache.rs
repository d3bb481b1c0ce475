//! `cache`: what is in a persistent cache, why an entry would not be used, what may go, and what
//! is damaged.

use std::path::Path;
use std::time::{Duration, SystemTime};

use tfjit::{Backend, Options, client_fingerprint};
use tfjit_base::{Error, Result};
use tfjit_launch::persist::{self, Entry, File, Key, list, options_text, read_entry, remove_old};

use crate::args::{self, CacheAction, CacheArgs, GcArgs, LsArgs, OnOff, VerifyArgs, WhyArgs};
use crate::console::{Console, Style};
use crate::failure::Failure;
use crate::table::{Align, Table, bytes_text, count_text, seconds_text};

/// Does what was asked for with the cache.
///
/// # Errors
/// Those of reading the folder and of writing to stdout; DATA_LOSS when a check finds damage.
pub(super) fn cache(args: &CacheArgs, console: &mut Console) -> Result<(), Failure> {
    match &args.action {
        CacheAction::Ls(args) => ls(args, console),
        CacheAction::Why(args) => why(args, console),
        CacheAction::Gc(args) => gc(args, console),
        CacheAction::Verify(args) => verify(args, console),
    }
}

/// `2 entries, 1.5 MiB`.
fn total_text(files: &[File]) -> String {
    let bytes = files.iter().fold(0u64, |sum, file| sum.saturating_add(file.bytes));
    let noun = if files.len() == 1 { "entry" } else { "entries" };
    format!("{} {noun}, {}", files.len(), bytes_text(bytes))
}

/// A time in the unit that people would say: `45 min`.
fn age_text(age: Duration) -> String {
    match age.as_secs() {
        s if s < 60 => format!("{s} s"),
        s if s < 2 * 3600 => format!("{} min", s / 60),
        s if s < 48 * 3600 => format!("{} h", s / 3600),
        s => format!("{} days", s / 86_400),
    }
}

fn ls(args: &LsArgs, console: &mut Console) -> Result<(), Failure> {
    let mut files = list(&args.dir)?;
    if args.names {
        return files.iter().try_for_each(|file| console.line(&file.name));
    }
    files.sort_by(|a, b| (b.used, &a.name).cmp(&(a.used, &b.name)));
    let now = SystemTime::now();
    let mut table = Table::new(&[
        Align::Left,
        Align::Left,
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
    ]);
    table.row(["function", "signature", "device", "size", "compiled in", "used", "file"]);
    for file in &files {
        let (function, signature, device, compiled) = match read_entry(&file.path) {
            Ok(entry) => (
                entry.function.clone(),
                arguments(&entry).to_owned(),
                entry.key.device_type.clone(),
                seconds_text(entry.compile_micros as f64 / 1e6),
            ),
            Err(_) => ("(damaged)".to_owned(), String::new(), String::new(), String::new()),
        };
        let used = format!("{} ago", age_text(file.age(now)));
        let size = bytes_text(file.bytes);
        table.row([function, signature, device, size, compiled, used, file.name.clone()]);
    }
    if !files.is_empty() {
        let text = table.text(0);
        let (head, rows) = text.split_once('\n').unwrap_or((&text, ""));
        let head = console.style(Style::Heading, head);
        console.line(head)?;
        console.print(rows)?;
    }
    console.line(total_text(&files))
}

/// The signature without the function's name in front of it.
fn arguments(entry: &Entry) -> &str {
    let rest = entry.signature.strip_prefix(&entry.function).unwrap_or(&entry.signature);
    rest.trim_start_matches([',', ';', ' '])
}

/// The one entry whose file's name, or whose function's, has `wanted` in it.
fn find(folder: &Path, wanted: &str) -> Result<Entry> {
    let files = list(folder)?;
    if let Some(file) = files.iter().find(|file| file.name == wanted) {
        return read_entry(&file.path);
    }
    let mut found: Vec<(&File, Entry)> = Vec::new();
    for file in &files {
        if let Ok(entry) = read_entry(&file.path)
            && (file.name.contains(wanted) || entry.function.contains(wanted))
        {
            found.push((file, entry));
        }
    }
    if found.len() > 1 {
        let names: Vec<&str> = found.iter().map(|(file, _)| file.name.as_str()).collect();
        let text = format!("{} entries have {wanted:?} in their names", found.len());
        return Err(Error::invalid_argument(text).help(format!("name one: {}", names.join(", "))));
    }
    found.pop().map(|(_, entry)| entry).ok_or_else(|| {
        Error::not_found(format!("no entry has {wanted:?} in its name"))
            .help(format!("tfjit cache ls {}", folder.display()))
    })
}

fn why(args: &WhyArgs, console: &mut Console) -> Result<(), Failure> {
    let entry = find(&args.dir, &args.entry)?;
    let (heads, rows, other) = match &args.other {
        Some(name) => {
            let other = find(&args.dir, name)?;
            let mut rows = vec![
                ("function", entry.function.clone(), other.function.clone()),
                ("arguments", arguments(&entry).to_owned(), arguments(&other).to_owned()),
            ];
            rows.extend(pairs(&entry.key, &other.key));
            (["entry", "other entry"], rows, "the other entry")
        }
        None => {
            let key = current_key(&entry.key, args);
            (["entry", "here"], pairs(&entry.key, &key), "what is asked for here")
        }
    };
    let mut table = Table::new(&[Align::Left; 4]);
    table.row(["", "part", heads[0], heads[1]]);
    let mut differing = Vec::new();
    for (part, found, wanted) in rows {
        let same = found == wanted;
        if !same {
            differing.push(part);
        }
        let mark = if same { "" } else { "!" };
        let wanted = if same { "the same".to_owned() } else { wanted };
        table.row([mark.to_owned(), part.to_owned(), found, wanted]);
    }
    console.print(table.text(0))?;
    if let Err(error) = entry.verify_content(true) {
        console.line(format!("the entry is damaged: {}", error.message()))?;
    }
    match differing.as_slice() {
        [] => console.line(format!("nothing in its key keeps the entry from being {other}")),
        parts => console.line(format!("the entry is not {other}: {}", parts.join(", "))),
    }
}

/// The parts of two keys; fingerprints of functions have names that people know them by.
fn pairs(found: &Key, wanted: &Key) -> Vec<(&'static str, String, String)> {
    let name = |part: &'static str| match part {
        "signature" => "signature (fingerprint)",
        "function" => "function (fingerprint)",
        part => part,
    };
    let parts = found.parts().into_iter().zip(wanted.parts());
    parts.map(|((part, found), (_, wanted))| (name(part), found, wanted)).collect()
}

/// The key that this program would ask for, for the entry's function and signature.
fn current_key(found: &Key, args: &WhyArgs) -> Key {
    let options = Options {
        backend: match args.backend {
            Some(args::Backend::Eval) => Backend::Eval,
            Some(args::Backend::Local) | None => Backend::Local,
        },
        codegen: args.codegen == OnOff::On,
        checks: args.checks == OnOff::On,
        ..Options::default()
    };
    Key {
        compiler: persist::compiler_version(),
        client: client_fingerprint(&options),
        options: options_text(options.checks, options.optimise, 1),
        pjrt: false,
        plugin: String::new(),
        ..found.clone()
    }
}

fn gc(args: &GcArgs, console: &mut Console) -> Result<(), Failure> {
    let gone = remove_old(&args.dir, args.max_bytes, args.max_age, None, args.dry_run)?;
    let now = SystemTime::now();
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right]);
    for file in &gone {
        let used = format!("used {} ago", age_text(file.age(now)));
        table.row([file.name.clone(), bytes_text(file.bytes), used]);
    }
    console.print(table.text(0))?;
    let verb = if args.dry_run { "would be removed" } else { "removed" };
    console.line(format!("{} {verb}", total_text(&gone)))
}

fn verify(args: &VerifyArgs, console: &mut Console) -> Result<(), Failure> {
    let files = list(&args.dir)?;
    let mut damaged = 0;
    for file in &files {
        let checked = read_entry(&file.path).and_then(|entry| {
            if entry.key.file_name() != file.name {
                let text = format!("the entry belongs into {}", entry.key.file_name());
                return Err(Error::data_loss(text));
            }
            entry.verify_content(true)
        });
        match checked {
            Ok(()) => console.line(format!("ok       {}", file.name))?,
            Err(error) => {
                damaged += 1;
                console.line(format!("damaged  {}: {}", file.name, error.message()))?;
            }
        }
    }
    if damaged > 0 {
        let text = format!("{damaged} of {} damaged", count_text(files.len(), "file"));
        return Err(Error::data_loss(text)
            .help("remove them; what they held is compiled again when it is needed")
            .into());
    }
    Ok(())
}
