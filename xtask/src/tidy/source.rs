//! The rules that one Rust file is held to: sizes, the opening line, names, forbidden calls.

use super::layers::House;
use super::lexer::{Token, tokens};
use super::ratchet::Counts;
use super::tree::SourceFile;

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;
const COLUMNS_MAX: usize = 100;

/// A file named like this says nothing about what is in it.
const EMPTY_NAMES: &[&str] = &["utils", "util", "common", "helpers", "helper", "misc", "manager"];

/// The one reader of the environment, and the chores around the house.
const ENVIRONMENT_READERS: &[&str] = &["crates/base/src/knobs.rs", "xtask/", "tools/"];

/// What nobody below `launch` may name in its sources, with the reason.
const FORBIDDEN_BELOW_LAUNCH: &[(&str, &str)] = &[
    ("Instant", "the clock"),
    ("SystemTime", "the clock"),
    ("home_dir", "the home folder"),
    ("TcpStream", "the network"),
    ("TcpListener", "the network"),
    ("UdpSocket", "the network"),
];

/// Checks `file`; what may only fall is counted, the rest becomes a problem at once.
pub(super) fn check(
    file: &SourceFile,
    house: &House,
    counts: &mut Counts,
    problems: &mut Vec<String>,
) {
    let path = &file.path;
    let lines = file.text.lines().count();
    if lines > FILE_LINES_MAX {
        counts.add("file-lines", path, lines);
    }
    let wide = file.text.lines().filter(|line| line.chars().count() > COLUMNS_MAX).count();
    counts.add("wide-lines", path, wide);
    if !opens_with_doc(&file.text) {
        problems.push(format!("{path}: does not open with a `//!` that says what it is"));
    }
    let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    if EMPTY_NAMES.contains(&stem) {
        problems.push(format!("{path}: `{stem}` says nothing about what is in it"));
    }
    let tokens = tokens(&file.text);
    for (name, length) in long_functions(&tokens) {
        counts.add("function-lines", &format!("{path}:{name}"), length);
    }
    let unsafes = tokens.iter().filter(|(token, _)| *token == Token::Word("unsafe")).count();
    counts.add("unsafe", &file.unit(), unsafes);
    check_calls(file, house, &tokens, problems);
}

/// The first line that is neither blank, a plain comment nor an attribute is a `//!`.
fn opens_with_doc(text: &str) -> bool {
    let plain = |line: &&str| {
        let comment = line.starts_with("//") && !line.starts_with("//!");
        !(line.is_empty() || comment || line.starts_with("#!["))
    };
    text.lines().map(str::trim).find(plain).is_some_and(|line| line.starts_with("//!"))
}

fn check_calls(
    file: &SourceFile,
    house: &House,
    tokens: &[(Token<'_>, usize)],
    problems: &mut Vec<String>,
) {
    let path = &file.path;
    if !ENVIRONMENT_READERS.iter().any(|allowed| path.starts_with(allowed)) {
        for window in tokens.windows(4) {
            let [
                (Token::Word("env"), line),
                (Token::Punct(':'), _),
                (Token::Punct(':'), _),
                (last, _),
            ] = window
            else {
                continue;
            };
            if matches!(last, Token::Word("var" | "var_os" | "vars" | "vars_os" | "set_var")) {
                problems.push(format!("{path}:{line}: only base's knobs read the environment"));
            }
        }
    }
    let sources = file.crate_folder().is_some_and(|name| {
        house.below_launch(name) && path.starts_with(&format!("crates/{name}/src/"))
    });
    for (token, line) in tokens.iter().filter(|_| sources) {
        let word = match token {
            Token::Word(word) => word,
            Token::Punct(_) | Token::Literal => continue,
        };
        if let Some((_, what)) = FORBIDDEN_BELOW_LAUNCH.iter().find(|(name, _)| name == word) {
            problems.push(format!("{path}:{line}: `{word}`: nobody below launch reads {what}"));
        }
    }
}

/// Functions of more than the allowed lines, by name.
fn long_functions<'a>(tokens: &[(Token<'a>, usize)]) -> Vec<(&'a str, usize)> {
    let mut out = Vec::new();
    for (i, pair) in tokens.windows(2).enumerate() {
        let [(Token::Word("fn"), start), (Token::Word(name), _)] = pair else { continue };
        let length = body_end(&tokens[i + 2..]).map_or(0, |end| end + 1 - start);
        if length > FUNCTION_LINES_MAX {
            out.push((*name, length));
        }
    }
    out
}

/// The line of the brace that closes the function whose parameters `tokens` start with; `None`
/// for a function without a body.
fn body_end(tokens: &[(Token<'_>, usize)]) -> Option<usize> {
    let (mut braces, mut brackets) = (0usize, 0usize);
    for (token, line) in tokens {
        match token {
            Token::Punct('(' | '[') => brackets += 1,
            Token::Punct(')' | ']') => brackets = brackets.saturating_sub(1),
            Token::Punct('{') => braces += 1,
            Token::Punct('}') => {
                braces = braces.saturating_sub(1);
                if braces == 0 && brackets == 0 {
                    return Some(*line);
                }
            }
            Token::Punct(';') if braces == 0 && brackets == 0 => return None,
            Token::Punct(_) | Token::Word(_) | Token::Literal => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
## Layers\n| L | crate |\n|---|---|\n| 0 | base |\n| 6 | launch |\n
## Closed doors\n| a | b |\n|---|---|\n## Fences\n| a | b |\n|---|---|\n";

    fn problems(path: &str, text: &str) -> Vec<String> {
        let file = SourceFile { path: path.to_owned(), text: text.to_owned() };
        let (mut counts, mut problems) = (Counts::default(), Vec::new());
        check(&file, &House::parse(PAGE).unwrap(), &mut counts, &mut problems);
        let none = crate::tidy::Ratchets::parse("").unwrap();
        problems.extend(none.check(&counts));
        problems
    }

    #[test]
    fn a_good_file_has_no_problem() {
        let text = "// Licence.\n#![no_std]\n//! What it is.\nfn f() { env::args(); }\n";
        assert_eq!(problems("crates/base/src/lib.rs", text), [""; 0]);
    }

    #[test]
    fn each_rule_bites() {
        let doc = "//! What it is.\n";
        let long = format!("{doc}{}", "\n".repeat(FILE_LINES_MAX));
        let wide = format!("{doc}// {}\n", "x".repeat(COLUMNS_MAX));
        let tall = format!("{doc}fn f(a: [u8; 3]) {{{}}}\n", "\n".repeat(FUNCTION_LINES_MAX));
        let cases = [
            ("crates/base/src/lib.rs", "use x;\n//! Late.\n".to_owned()),
            ("crates/base/src/utils.rs", doc.to_owned()),
            ("crates/base/src/lib.rs", format!("{doc}fn f() {{ std::env::var(\"X\"); }}\n")),
            ("crates/base/src/lib.rs", format!("{doc}use std::time::Instant;\n")),
            ("crates/base/src/lib.rs", format!("{doc}unsafe fn f() {{}}\n")),
            ("crates/base/src/lib.rs", long),
            ("crates/base/src/lib.rs", wide),
            ("crates/base/src/lib.rs", tall),
        ];
        for (path, text) in cases {
            assert_eq!(problems(path, &text).len(), 1, "{path}: {text}");
        }
    }

    #[test]
    fn the_clock_is_for_launch_and_above() {
        let text = "//! What it is.\nuse std::time::Instant;\n";
        assert_eq!(problems("crates/launch/src/lib.rs", text), [""; 0]);
        assert_eq!(problems("crates/base/benches/speed.rs", text), [""; 0]);
    }

    #[test]
    fn a_function_without_a_body_has_no_length() {
        let text = "trait T { fn f(&self) -> [u8; 3]; fn g(&self) {} }";
        assert!(long_functions(&tokens(text)).is_empty());
        let blank = "\n".repeat(FUNCTION_LINES_MAX);
        let text = format!("fn f() -> fn(u8) {{ (|| {{ {blank} }})() }}");
        assert_eq!(long_functions(&tokens(&text)), [("f", FUNCTION_LINES_MAX + 1)]);
    }
}
