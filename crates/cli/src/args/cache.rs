//! Arguments of the command that looks after a persistent cache.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::shared::{Backend, OnOff};

/// Look after a persistent cache of compiled programs
///
/// The cache is a folder with a file for each program, which several processes may use at once.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tfjit cache ls ~/.cache/tfjit
  tfjit cache why ~/.cache/tfjit cluster_0
  tfjit cache gc ~/.cache/tfjit --max-bytes 500M --max-age 30d
  tfjit cache verify ~/.cache/tfjit")]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    pub(crate) action: CacheAction,
}

/// What to do with the cache.
#[derive(Subcommand, Debug)]
pub(crate) enum CacheAction {
    Ls(LsArgs),
    Why(WhyArgs),
    Gc(GcArgs),
    Verify(VerifyArgs),
}

/// List the programs, those used last first
#[derive(Args, Debug)]
#[command(after_help = "Example:
  tfjit cache ls ~/.cache/tfjit")]
pub(crate) struct LsArgs {
    /// Folder of the cache
    pub(crate) dir: PathBuf,
    /// Print the names of the files and nothing else
    #[arg(long)]
    pub(crate) names: bool,
}

/// Say why a program would not be used, or in what two of them differ
///
/// With one ENTRY, compares it with this version of tfjit, this processor and the options given;
/// with two, with each other. An entry is named by its file, or by a part of the file's or the
/// function's name that no other entry has.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tfjit cache why ~/.cache/tfjit cluster_0
  tfjit cache why ~/.cache/tfjit 3694502045313959494 --checks off
  tfjit cache why ~/.cache/tfjit 3694502045313959494 10285923170481274223")]
pub(crate) struct WhyArgs {
    /// Folder of the cache
    pub(crate) dir: PathBuf,
    /// The entry
    pub(crate) entry: String,
    /// Another entry
    #[arg(value_name = "ENTRY")]
    pub(crate) other: Option<String>,
    /// What would compile and run
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "other")]
    pub(crate) backend: Option<Backend>,
    /// Whether the backend local would make machine code
    #[arg(long, value_enum, default_value = "on", value_name = "WHEN")]
    pub(crate) codegen: OnOff,
    /// Whether checks would be compiled in
    #[arg(long, value_enum, default_value = "on", value_name = "WHEN")]
    pub(crate) checks: OnOff,
}

/// Remove programs that were not used for longest
///
/// Prints what goes. Files that tfjit did not write stay.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tfjit cache gc ~/.cache/tfjit --max-bytes 500M
  tfjit cache gc ~/.cache/tfjit --max-age 30d --dry-run")]
pub(crate) struct GcArgs {
    /// Folder of the cache
    pub(crate) dir: PathBuf,
    /// Bytes that all programs together may take: 1000, 64K, 500M, 2G
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) max_bytes: Option<u64>,
    /// Time since the last use: 90s, 45m, 12h, 30d
    #[arg(long, value_name = "TIME", value_parser = parse_time,
          required_unless_present = "max_bytes")]
    pub(crate) max_age: Option<Duration>,
    /// Say what would go, and leave it
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// Check that no program is damaged
///
/// Reads every file and compares its checksums. The exit status is 1 if one is damaged.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  tfjit cache verify ~/.cache/tfjit")]
pub(crate) struct VerifyArgs {
    /// Folder of the cache
    pub(crate) dir: PathBuf,
}

/// A number with a unit out of `units`.
fn parse_scaled(text: &str, units: &[(&str, u64)], example: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim()));
    let value = number.parse::<u64>().ok().zip(scale).and_then(|(n, (_, s))| n.checked_mul(*s));
    value.ok_or_else(|| format!("write it like {example}"))
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let units = [
        ("", 1),
        ("B", 1),
        ("K", 1 << 10),
        ("KiB", 1 << 10),
        ("M", 1 << 20),
        ("MiB", 1 << 20),
        ("G", 1 << 30),
        ("GiB", 1 << 30),
        ("T", 1 << 40),
        ("TiB", 1 << 40),
    ];
    parse_scaled(text, &units, "1000, 64K, 500M or 2G")
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    parse_scaled(text, &units, "90s, 45m, 12h or 30d").map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!(parse_bytes("1000"), Ok(1000));
        assert_eq!(parse_bytes("2g"), Ok(2 << 30));
        assert_eq!(parse_bytes("5 MiB"), Ok(5 << 20));
        assert_eq!(parse_time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("30d"), Ok(Duration::from_secs(30 * 86_400)));
        for bad in ["", "M", "1.5M", "1X", "-1", "99999999999999T"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
        assert!(parse_time("10").is_err());
    }
}
