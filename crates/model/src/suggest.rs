//! The nearest of some known names to one that is not known.
//!
//! It must not know what the names are of. Work is bounded: long names are cut and only the first
//! candidates are compared.

/// Bytes of a name that count.
const LENGTH_MAX: usize = 80;
/// Candidates that are compared.
const CANDIDATES_MAX: usize = 5000;

/// The candidate nearest to `name`, if one is near enough to be meant.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = folded(name);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().take(CANDIDATES_MAX) {
        let most = best.map_or(wanted.len() / 3 + 1, |(d, _)| d - 1);
        let found = folded(candidate);
        if found.len().abs_diff(wanted.len()) > most {
            continue;
        }
        let distance = distance(&wanted, &found);
        if distance <= most {
            best = Some((distance, candidate));
            if distance == 0 {
                break;
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `did you mean ...?`, or nothing.
pub(crate) fn hint<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, candidates).map(|n| format!("did you mean {n}?"))
}

fn folded(name: &str) -> Vec<u8> {
    name.bytes().take(LENGTH_MAX).map(|b| b.to_ascii_lowercase()).collect()
}

/// Insertions, deletions and replacements that turn one into the other.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["MatMul", "BatchMatMul", "Mul", "Max"];
        assert_eq!(nearest("Matmull", names), Some("MatMul"));
        assert_eq!(nearest("matmul", names), Some("MatMul"));
        assert_eq!(nearest("Convolution", names), None);
        assert_eq!(distance(b"kitten", b"sitting"), 3);
    }
}
