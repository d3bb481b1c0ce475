//! The tags of a SavedModel's meta graphs, found by stepping over everything else in the file.
//!
//! It must not know what else a meta graph holds.

/// `SavedModel.meta_graphs`.
const META_GRAPHS: u64 = 2;
/// `MetaGraphDef.meta_info_def`.
const META_INFO: u64 = 1;
/// `MetaInfoDef.tags`.
const TAGS: u64 = 4;

/// The tags of each meta graph of a serialised SavedModel; `None` when the bytes are none.
pub(super) fn scan(file: &[u8]) -> Option<Vec<Vec<String>>> {
    let mut sets = Vec::new();
    for meta in fields(file, META_GRAPHS) {
        let mut tags = Vec::new();
        for info in fields(meta?, META_INFO) {
            for tag in fields(info?, TAGS) {
                tags.push(String::from_utf8(tag?.to_vec()).ok()?);
            }
        }
        sets.push(tags);
    }
    Some(sets)
}

/// The fields of a message that have this number and hold bytes; `None` at the first broken one.
fn fields(message: &[u8], number: u64) -> impl Iterator<Item = Option<&[u8]>> {
    let mut rest = message;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            match field(&mut rest) {
                None => {
                    rest = &[];
                    return Some(None);
                }
                Some((n, Some(bytes))) if n == number => return Some(Some(bytes)),
                Some(_) => {}
            }
        }
        None
    })
}

/// Steps over one field: its number, and its bytes if it is of that kind.
fn field<'b>(rest: &mut &'b [u8]) -> Option<(u64, Option<&'b [u8]>)> {
    let key = varint(rest)?;
    let kind = key & 7;
    let length = match kind {
        0 => varint(rest).map(|_| 0)?,
        1 => 8,
        2 => varint(rest)?,
        5 => 4,
        _ => return None,
    };
    let (bytes, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    Some((key >> 3, (kind == 2).then_some(bytes)))
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(number: u8, inner: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, inner.len() as u8], inner].concat()
    }

    #[test]
    fn tags_of_several_meta_graphs_are_found_among_other_fields() {
        let info = [bytes(2, b"x"), bytes(4, b"serve"), vec![5 << 3, 0x81, 1], bytes(4, b"gpu")];
        let first = [bytes(2, b"graph"), bytes(1, &info.concat())].concat();
        let file = [vec![1 << 3, 1], bytes(2, &first), bytes(2, &[])].concat();
        let want = vec![vec!["serve".to_owned(), "gpu".to_owned()], vec![]];
        assert_eq!(scan(&file), Some(want));
    }

    #[test]
    fn broken_files_have_no_tags() {
        assert_eq!(scan(&[2 << 3 | 2, 200]), None);
        assert_eq!(scan(&[2 << 3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), None);
        assert_eq!(scan(&[2 << 3 | 3]), None);
        assert_eq!(scan(&[]), Some(vec![]));
    }
}
