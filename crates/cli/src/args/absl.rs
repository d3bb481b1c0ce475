//! The habits of absl's flags, which saved_model_cli has: one dash or two, `--noall`,
//! `--all=false`.
//!
//! It rewrites the words of the command line; clap reads the result.

use std::ffi::OsString;

use clap::{Arg, Command};

/// A truth value of an absl flag.
pub(super) fn parse_bool(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "t" | "1" => Ok(true),
        "false" | "f" | "0" => Ok(false),
        _ => Err("a truth value is true, t, 1, false, f or 0".to_owned()),
    }
}

/// The words in clap's form: `-dir x` becomes `--dir x`, and `--noall` becomes `--all=false`.
/// Only words that name a flag of the chosen command are touched.
pub(crate) fn normalise(words: Vec<OsString>, root: &Command) -> Vec<OsString> {
    let mut command = None;
    let mut literal = false;
    let mut out = Vec::with_capacity(words.len());
    for (position, word) in words.into_iter().enumerate() {
        let text = word.to_str().unwrap_or("");
        if position == 0 || literal || !text.starts_with('-') {
            if position > 0 && command.is_none() {
                command = root.find_subcommand(text);
            }
            out.push(word);
            continue;
        }
        literal = text == "--";
        match command.and_then(|c| rewrite(text, c)) {
            Some(text) => out.push(text.into()),
            None => out.push(word),
        }
    }
    out
}

fn rewrite(text: &str, command: &Command) -> Option<String> {
    let (flag, value) = match text.split_once('=') {
        Some((flag, value)) => (flag, Some(value)),
        None => (text, None),
    };
    let name = flag.strip_prefix("--").or_else(|| flag.strip_prefix('-'))?;
    if name.len() > 1 && find(command, name).is_some() {
        // A single dash stands for two.
        return (!flag.starts_with("--")).then(|| format!("-{text}"));
    }
    let positive = name.strip_prefix("no")?;
    let takes_bool = |arg: &Arg| arg.is_require_equals_set();
    (value.is_none() && find(command, positive).is_some_and(takes_bool))
        .then(|| format!("--{positive}=false"))
}

fn find<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| {
        arg.get_long() == Some(name)
            || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn absl_forms_become_claps() {
        let root = super::super::Cli::command();
        let check = |words: &str, want: &str| {
            let words = words.split(' ').map(OsString::from).collect();
            let got: Vec<String> =
                normalise(words, &root).into_iter().map(|w| w.into_string().unwrap()).collect();
            assert_eq!(got.join(" "), want);
        };
        check("tfjit show -dir d -all", "tfjit show --dir d --all");
        check("tfjit show -dir=d --noall", "tfjit show --dir=d --all=false");
        check("tfjit run --dir d -nooverwrite", "tfjit run --dir d --overwrite=false");
        check("tfjit run -q m --image-scale -1..1", "tfjit run -q m --image-scale -1..1");
        check("tfjit show -- -dir", "tfjit show -- -dir");
        check("tfjit -dir show", "tfjit -dir show");
    }
}
