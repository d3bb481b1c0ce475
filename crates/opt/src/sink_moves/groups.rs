//! Which dimensions of two shapes of the same elements belong together.

use std::ops::Range;

/// Neighbouring dimensions of two shapes with the same number of elements.
pub(super) type Group = (Range<usize>, Range<usize>);

/// The smallest groups of dimensions that a reshape from `a` to `b` joins or splits: products of
/// extents in a group are equal. Dimensions of extent 1 join the group before them, or the first.
/// `None` when an extent is 0 or not known.
pub(super) fn groups(a: &[i64], b: &[i64]) -> Option<Vec<Group>> {
    if a.iter().chain(b).any(|&n| n <= 0) {
        return None;
    }
    let mut out: Vec<Group> = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let start = (i, j);
        let (mut x, mut y) = (1i64, 1i64);
        loop {
            if x == y && (i, j) != start && x > 1 {
                break;
            }
            if x <= y && i < a.len() {
                x = x.checked_mul(a[i])?;
                i += 1;
            } else if j < b.len() {
                y = y.checked_mul(b[j])?;
                j += 1;
            } else if i < a.len() {
                x = x.checked_mul(a[i])?;
                i += 1;
            } else {
                break;
            }
        }
        // Ones behind a full group belong to it.
        while i < a.len() && a[i] == 1 {
            i += 1;
        }
        while j < b.len() && b[j] == 1 {
            j += 1;
        }
        if x != y {
            return None;
        }
        out.push((start.0..i, start.1..j));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn dimensions_that_belong_together() {
        let all = |a: &[i64], b: &[i64]| groups(a, b).unwrap();
        assert_eq!(all(&[2, 3, 4], &[6, 4]), [(0..2, 0..1), (2..3, 1..2)]);
        assert_eq!(all(&[6, 4], &[2, 3, 4]), [(0..1, 0..2), (1..2, 2..3)]);
        assert_eq!(all(&[2, 1, 3], &[2, 3]), [(0..2, 0..1), (2..3, 1..2)]);
        assert_eq!(all(&[1, 2], &[2]), [(0..2, 0..1)]);
        assert_eq!(all(&[4, 6], &[8, 3]), [(0..2, 0..2)]);
        assert_eq!(all(&[1, 1], &[]), [(0..2, 0..0)]);
        assert_eq!(all(&[], &[1]), [(0..0, 0..1)]);
        assert_eq!(all(&[], &[]), []);
        assert_eq!(groups(&[0, 2], &[0]), None);
        assert_eq!(groups(&[2], &[3]), None);
    }
}
