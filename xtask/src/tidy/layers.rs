//! Who may use whom: the tables of `ARCHITECTURE.md` against the manifests.
//!
//! The manifests are read through `cargo metadata`, which knows every way of writing a dependency.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::markdown::{table, words};

/// The tables.
pub(super) struct House {
    levels: BTreeMap<String, u32>,
    doors: Vec<(String, Vec<String>)>,
    fences: BTreeMap<String, Vec<String>>,
}

impl House {
    /// Reads the tables `Layers`, `Closed doors` and `Fences`.
    pub(super) fn parse(architecture: &str) -> Result<House> {
        let mut levels = BTreeMap::new();
        for row in table(architecture, "Layers")? {
            let [level, crates, ..] = &row[..] else { bail!("Layers: `{row:?}`") };
            let level: u32 = level.parse().with_context(|| format!("Layers: `{level}`"))?;
            for name in words(crates) {
                if levels.insert(name.to_owned(), level).is_some() {
                    bail!("Layers: `{name}` twice");
                }
            }
        }
        let mut doors = Vec::new();
        for row in table(architecture, "Closed doors")? {
            let [crates, banned, ..] = &row[..] else { bail!("Closed doors: `{row:?}`") };
            let banned: Vec<String> = words(banned).map(str::to_owned).collect();
            for name in words(crates).chain(banned.iter().map(String::as_str)) {
                if !levels.contains_key(name) {
                    bail!("Closed doors: `{name}` is not in the table of layers");
                }
            }
            doors.extend(words(crates).map(|name| (name.to_owned(), banned.clone())));
        }
        let mut fences = BTreeMap::new();
        for row in table(architecture, "Fences")? {
            let [outsiders, allowed, ..] = &row[..] else { bail!("Fences: `{row:?}`") };
            let allowed: Vec<String> = words(allowed).map(str::to_owned).collect();
            fences.extend(words(outsiders).map(|name| (name.to_owned(), allowed.clone())));
        }
        Ok(House { levels, doors, fences })
    }

    /// Whether `name` is a crate of a lower level than `launch`.
    pub(super) fn below_launch(&self, name: &str) -> bool {
        match (self.levels.get(name), self.levels.get("launch")) {
            (Some(level), Some(launch)) => level < launch,
            _ => false,
        }
    }

    /// The problems of `packages`, which are folder names with their dependencies.
    fn problems(&self, packages: &BTreeMap<String, Package>) -> Vec<String> {
        let mut problems = Vec::new();
        for (folder, package) in packages {
            self.check_fences(folder, package, &mut problems);
            if package.in_crates {
                self.check_levels(folder, package, &mut problems);
            }
        }
        for (folder, banned) in &self.doors {
            let reached = reach(folder, packages);
            for name in banned.iter().filter(|name| reached.contains(name.as_str())) {
                problems
                    .push(format!("crates/{folder}: must not use {name}, not even through others"));
            }
        }
        problems
    }

    fn check_levels(&self, folder: &str, package: &Package, problems: &mut Vec<String>) {
        let Some(&own) = self.levels.get(folder) else {
            problems.push(format!("crates/{folder}: has no row in ARCHITECTURE.md"));
            return;
        };
        for (name, in_tests) in &package.house {
            let allowed = match self.levels.get(name) {
                Some(&level) => level < own || (*in_tests && level == own),
                None => false,
            };
            if !allowed {
                problems.push(format!("crates/{folder}: may use lower levels only, not {name}"));
            }
        }
    }

    fn check_fences(&self, folder: &str, package: &Package, problems: &mut Vec<String>) {
        for name in &package.outsiders {
            let fenced =
                self.fences.get(name).filter(|allowed| !allowed.iter().any(|a| a == folder));
            if fenced.is_some() {
                problems.push(format!(
                    "{folder}: {name} is fenced; ARCHITECTURE.md lists where it may be"
                ));
            }
        }
    }
}

/// The crates that `folder` is built with.
fn reach<'a>(folder: &str, packages: &'a BTreeMap<String, Package>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> =
        packages.get_key_value(folder).map(|(k, _)| k.as_str()).into_iter().collect();
    while let Some(name) = open.pop() {
        let uses = packages.get(name).into_iter().flat_map(|p| &p.house);
        for (next, _) in uses.filter(|(_, in_tests)| !in_tests) {
            if seen.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    seen
}

/// One workspace member.
#[derive(Default)]
struct Package {
    in_crates: bool,
    /// Crates of the house, by folder, and whether only tests use them.
    house: Vec<(String, bool)>,
    /// Other dependencies that the built crate has.
    outsiders: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<MetaPackage>,
}

#[derive(Deserialize)]
struct MetaPackage {
    manifest_path: String,
    dependencies: Vec<MetaDependency>,
}

#[derive(Deserialize)]
struct MetaDependency {
    name: String,
    kind: Option<String>,
    path: Option<String>,
}

/// The problems of the manifests under `root`.
pub(super) fn check(root: &Path, house: &House) -> Result<Vec<String>> {
    let mut command = Command::new(crate::cargo());
    command.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = command.current_dir(root).output().context("cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    Ok(house.problems(&packages(metadata)))
}

fn packages(metadata: Metadata) -> BTreeMap<String, Package> {
    let mut out = BTreeMap::new();
    for package in metadata.packages {
        let Some(folder) = Path::new(&package.manifest_path).parent() else { continue };
        let mut mine = Package {
            in_crates: folder.parent().is_some_and(|p| p.ends_with("crates")),
            ..Package::default()
        };
        for dependency in package.dependencies {
            let in_tests = dependency.kind.as_deref() == Some("dev");
            match dependency.path.as_deref().map(Path::new).and_then(Path::file_name) {
                Some(name) => mine.house.push((name.to_string_lossy().into_owned(), in_tests)),
                None if in_tests => {}
                None => drop(mine.outsiders.insert(dependency.name)),
            }
        }
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        out.insert(name.unwrap_or_default(), mine);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
## Layers
| L | crate | what |
|---|---|---|
| 0 | `base` | x |
| 1 | `ir`, `wire` | x |
| 2 | `opt` | x |
| 6 | `launch` | x |
## Closed doors
| crate | must not use | why |
|---|---|---|
| `opt` | `wire` | x |
## Fences
| dependency | allowed in | why |
|---|---|---|
| `tokio` | `launch` | x |
";

    fn package(house: &[(&str, bool)], outsiders: &[&str]) -> Package {
        Package {
            in_crates: true,
            house: house.iter().map(|&(name, dev)| (name.to_owned(), dev)).collect(),
            outsiders: outsiders.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn problems(name: &str, its: Package) -> Vec<String> {
        let house = House::parse(PAGE).unwrap();
        let mut packages = BTreeMap::from([("ir".to_owned(), package(&[("base", false)], &[]))]);
        packages.insert(name.to_owned(), its);
        house.problems(&packages)
    }

    #[test]
    fn lower_levels_only() {
        assert!(problems("opt", package(&[("ir", false)], &[])).is_empty());
        assert_eq!(problems("wire", package(&[("ir", false)], &[])).len(), 1);
        assert!(problems("wire", package(&[("ir", true)], &[])).is_empty());
        assert_eq!(problems("base", package(&[("ir", true)], &[])).len(), 1);
        assert_eq!(problems("unheard", package(&[], &[])).len(), 1);
    }

    #[test]
    fn doors_are_closed_and_fences_hold() {
        assert_eq!(problems("opt", package(&[("wire", false)], &[])).len(), 1);
        assert_eq!(problems("opt", package(&[], &["tokio"])).len(), 1);
        assert!(problems("launch", package(&[], &["tokio"])).is_empty());
    }

    #[test]
    fn a_door_is_closed_through_others_too() {
        let house = House::parse(PAGE).unwrap();
        let mut packages = BTreeMap::new();
        packages.insert("ir".to_owned(), package(&[("wire", false)], &[]));
        packages.insert("opt".to_owned(), package(&[("ir", false)], &[]));
        let problems = house.problems(&packages);
        assert!(problems.iter().any(|p| p.contains("not even through others")), "{problems:?}");
    }

    #[test]
    fn below_launch() {
        let house = House::parse(PAGE).unwrap();
        assert!(house.below_launch("opt"));
        assert!(!house.below_launch("launch"));
        assert!(!house.below_launch("xtask"));
    }
}
