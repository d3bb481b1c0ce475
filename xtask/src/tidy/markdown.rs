//! Reads a table out of a Markdown page, so that the page is the only place of the table.

use anyhow::{Result, bail};

/// The rows below the header of the first table behind the line `## heading`.
///
/// # Errors
/// When there is no such heading or no table behind it.
pub(super) fn table(text: &str, heading: &str) -> Result<Vec<Vec<String>>> {
    let title = format!("## {heading}");
    let mut lines = text.lines().skip_while(|line| line.trim_end() != title).skip(1);
    let mut rows = Vec::new();
    let header = lines.find(|line| line.starts_with('|') || line.starts_with("## "));
    if !header.is_some_and(|line| line.starts_with('|')) {
        bail!("no table behind `{title}`");
    }
    for line in lines.skip(1).take_while(|line| line.starts_with('|')) {
        let cells = line.trim().trim_matches('|').split('|');
        rows.push(cells.map(|cell| cell.trim().replace('`', "")).collect());
    }
    Ok(rows)
}

/// The comma-separated words of a cell.
pub(super) fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(',').map(str::trim).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_a_heading() {
        let text = "## A\n\n## B\ntext\n\n| L | x |\n|---|---|\n| 0 | `a`, b |\n\n| 1 | c |\n";
        assert_eq!(table(text, "B").unwrap(), [["0", "a, b"]]);
        assert_eq!(words("a, b").collect::<Vec<_>>(), ["a", "b"]);
        assert!(table(text, "A").is_err());
        assert!(table(text, "C").is_err());
    }
}
