//! The groups of a corpus folder and the units in them: what one worker runs in one go.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::sink::Sink;
use super::subject::Subject;
use super::{clusters, hlo, models, mutants, ops, train, zoo};

/// One group: its name in reports and ids, and its folder.
pub(crate) struct Group {
    /// The name.
    pub(crate) name: &'static str,
    folder: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Models,
    Train,
    Zoo,
    Mutants,
    Ops,
    Hlo,
    Clusters,
}

/// All groups, in the order of the report.
pub(crate) const GROUPS: &[Group] = &[
    Group { name: "real", folder: "models/real", kind: Kind::Models },
    Group { name: "arch", folder: "models/arch", kind: Kind::Models },
    Group { name: "train", folder: "models/train", kind: Kind::Train },
    Group { name: "zoo", folder: "zoo", kind: Kind::Zoo },
    Group { name: "mutants", folder: "mutants", kind: Kind::Mutants },
    Group { name: "ops", folder: "ops", kind: Kind::Ops },
    Group { name: "hlo", folder: "hlo", kind: Kind::Hlo },
    Group { name: "xla_graphs", folder: "xla_graphs", kind: Kind::Clusters },
];

/// The groups called `name`: one, or those of the models together.
pub(crate) fn groups(name: &str) -> Vec<&'static Group> {
    let wanted =
        |g: &&Group| g.name == name || (name == "models" && g.folder.starts_with("models/"));
    GROUPS.iter().filter(wanted).collect()
}

impl Group {
    /// The names of the units below the corpus folder `root`, sorted; none if the group is absent.
    pub(crate) fn units(&self, root: &Path) -> Result<Vec<String>> {
        let folder = root.join(self.folder);
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let mut names = match self.kind {
            Kind::Models | Kind::Train | Kind::Zoo => holding(&folder, "manifest.json")?,
            Kind::Clusters => holding(&folder, "io.json")?,
            Kind::Mutants => mutants::list(&folder)?.into_iter().map(|(name, _)| name).collect(),
            Kind::Hlo => hlo::list(&folder)?,
            Kind::Ops => {
                let files = entries(&folder)?.into_iter();
                let cases = files.filter(|path| path.extension().is_some_and(|e| e == "tfcase"));
                cases.filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned())).collect()
            }
        };
        names.sort();
        Ok(names)
    }

    /// Runs the unit `name`.
    pub(crate) fn run(
        &self,
        root: &Path,
        name: &str,
        subject: &dyn Subject,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let (id, folder) = (format!("{}/{name}", self.name), root.join(self.folder));
        match self.kind {
            Kind::Models => models::run(&id, &folder.join(name), subject, sink),
            Kind::Train => train::run(&id, &folder.join(name), subject, sink),
            Kind::Zoo => zoo::run(&id, &folder.join(name), subject, sink),
            Kind::Clusters => clusters::run(&id, &folder.join(name), subject, sink),
            Kind::Ops => ops::run(&folder.join(format!("{name}.tfcase")), subject, sink),
            Kind::Hlo => hlo::run(&id, &folder, name, subject, sink),
            Kind::Mutants => {
                let list = mutants::list(&folder)?;
                let found = list.iter().find(|(known, _)| known == name);
                let (_, right) = found.with_context(|| format!("no mutant `{name}`"))?;
                mutants::run(&id, &folder.join(name), right, subject, sink);
                Ok(())
            }
        }
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    read.map(|entry| Ok(entry?.path())).collect()
}

/// The names of the folders in `folder` that hold the file `file`.
fn holding(folder: &Path, file: &str) -> Result<Vec<String>> {
    let cases = entries(folder)?.into_iter().filter(|path| path.join(file).is_file());
    Ok(cases.filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_by_name() {
        assert_eq!(groups("ops").len(), 1);
        assert_eq!(groups("models").len(), 3);
        assert!(groups("nothing").is_empty());
    }
}
