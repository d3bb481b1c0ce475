//! Columns of text that line up.

use crate::console::plain;

/// Where the text stands in its column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells.
pub(crate) struct Table {
    aligns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows.
    pub(crate) fn new(aligns: &[Align]) -> Table {
        Table { aligns: aligns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row; cells that are missing are empty.
    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let clean = |cell: S| {
            let cell: String = cell.into();
            // A cell is one line, whatever the name in it holds.
            plain(&cell).replace(['\n', '\t'], " ")
        };
        self.rows.push(cells.into_iter().map(clean).collect());
    }

    /// Whether there is no row.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows, each indented and ended by a newline, with two spaces between columns.
    pub(crate) fn text(&self, indent: usize) -> String {
        let len = |cell: &String| cell.chars().count();
        let widths: Vec<usize> = (0..self.aligns.len())
            .map(|c| self.rows.iter().filter_map(|r| r.get(c)).map(len).max().unwrap_or(0))
            .collect();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = " ".repeat(indent);
            for ((cell, &width), &align) in row.iter().zip(&widths).zip(&self.aligns) {
                let pad = " ".repeat(width - len(cell));
                match align {
                    Align::Left => line.extend([cell.as_str(), &pad, "  "]),
                    Align::Right => line.extend([pad.as_str(), cell, "  "]),
                }
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// A number of bytes for people: `512 B`, `1.5 KiB`.
pub(crate) fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// A time for people, with three digits or so: `1.23 ms`.
pub(crate) fn seconds_text(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "us"),
        s => (s * 1e9, "ns"),
    };
    let decimals = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {unit}")
}

/// A number for people, with three digits or so and a thousand's power: `1.50 M`.
pub(crate) fn scaled_text(number: f64, unit: &str) -> String {
    const PREFIXES: [&str; 5] = ["", "k", "M", "G", "T"];
    let mut value = number;
    let mut power = 0;
    while value >= 999.5 && power + 1 < PREFIXES.len() {
        value /= 1000.0;
        power += 1;
    }
    let decimals = match value {
        v if power == 0 || v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {}{unit}", PREFIXES[power]).trim_end().to_owned()
}

/// `1 node`, `2 nodes`.
pub(crate) fn count_text(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut t = Table::new(&[Align::Left, Align::Right, Align::Left]);
        t.row(["a", "1", "x"]);
        t.row(["bcd", "22", ""]);
        assert_eq!(t.text(2), "  a     1  x\n  bcd  22\n");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(bytes_text(1023), "1023 B");
        assert_eq!(bytes_text(1536), "1.5 KiB");
        assert_eq!(seconds_text(0.00123), "1.23 ms");
        assert_eq!(seconds_text(12.34), "12.3 s");
        assert_eq!(scaled_text(999.0, "B"), "999 B");
        assert_eq!(scaled_text(1_234_567.0, ""), "1.23 M");
        assert_eq!(scaled_text(123_456.0, ""), "123 k");
        assert_eq!(count_text(1, "node"), "1 node");
    }
}
