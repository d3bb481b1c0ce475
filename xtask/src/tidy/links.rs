//! Links between the Markdown pages of the repository: each must lead to a file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// One problem for each relative link of a page in the root or in `docs/` that leads nowhere.
pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for folder in [root.to_path_buf(), root.join("docs")] {
        for page in pages(&folder)? {
            let text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
            for target in targets(&text).filter(|target| !folder.join(target).exists()) {
                let page = page.strip_prefix(root).unwrap_or(&page).display();
                problems.push(format!("{page}: the link to `{target}` leads nowhere"));
            }
        }
    }
    Ok(problems)
}

fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths: Vec<PathBuf> = entries.map(|e| Ok(e?.path())).collect::<Result<_>>()?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == "md")).collect())
}

/// The files that the links of `text` lead to.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = links.filter(|link| !link.contains("://") && !link.starts_with('#'));
    files.filter_map(|link| link.split('#').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_only() {
        let text = "[a](docs/a.md#part) [b](https://x.y/z) [c](#here) ![d](e.svg)";
        assert_eq!(targets(text).collect::<Vec<_>>(), ["docs/a.md", "e.svg"]);
    }
}
