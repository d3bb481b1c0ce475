//! Groups of devices given as axes of a mesh: `#stablehlo.replica_group_mesh_axes<mesh = …,
//! axes = […]>`. Devices are numbered in row-major order of the mesh; a group holds the devices
//! that differ only along the given axes.

use tfjit_base::{Error, Result};

use super::cursor::Cursor;
use super::structs::body;

/// Devices of a mesh; keeps sizes in a text from asking for gigabytes.
const DEVICES_MAX: usize = 1 << 20;

/// An axis, or the part of one that stands after `before` devices and has `size` of them.
struct Axis<'t> {
    name: &'t str,
    before: usize,
    size: usize,
}

/// A piece of the mesh: how many devices along it, and which of the given axes it is.
struct Piece {
    size: usize,
    rank: Option<usize>,
}

/// The groups, one a row.
pub(super) fn mesh_groups(text: &str) -> Result<Vec<Vec<i64>>> {
    let mut cur = Cursor::new(body(text, "replica_group_mesh_axes")?, 0);
    cur.expect_key("mesh")?;
    let mesh = dialect(&mut cur, "mesh")?;
    cur.expect(",")?;
    cur.expect_key("axes")?;
    let axes = axes(&mut cur, "axis_ref")?;
    let mut cur = Cursor::new(mesh, 0);
    cur.expect_key("axes")?;
    let whole = self::axes(&mut cur, "mesh_axis")?;
    if !cur.at_end() {
        return Err(Error::unimplemented("a mesh whose devices have an order of their own"));
    }
    let devices = whole.iter().fold(1usize, |n, axis| n.saturating_mul(axis.size));
    if devices > DEVICES_MAX {
        return Err(Error::resource_exhausted(format!(
            "a mesh of more than {DEVICES_MAX} devices"
        )));
    }
    let mut pieces = Vec::new();
    for axis in &whole {
        split(axis, &axes, &mut pieces)?;
    }
    Ok(groups(&pieces, axes.len(), devices))
}

/// Takes `#dialect.NAME<…>` and gives what is inside.
fn dialect<'t>(cur: &mut Cursor<'t>, name: &str) -> Result<&'t str> {
    cur.skip();
    let start = cur.pos();
    if cur.sigil(b'#').is_none() {
        return Err(cur.expected(format_args!("#stablehlo.{name}<…>")));
    }
    cur.balanced()?;
    body(cur.slice(start, cur.pos()), name)
}

/// Takes `[#stablehlo.KIND<name = "x", …>, …]`.
fn axes<'t>(cur: &mut Cursor<'t>, kind: &str) -> Result<Vec<Axis<'t>>> {
    cur.expect("[")?;
    let mut axes = Vec::new();
    while !cur.eat("]") {
        axes.push(axis(dialect(cur, kind)?)?);
        if !cur.eat(",") && !cur.sees("]") {
            return Err(cur.expected("',' or ']'"));
        }
    }
    Ok(axes)
}

/// Reads `name = "x", size = 2`, or `name = "x", sub_axis_info = (1)2`; without a size, all of it.
fn axis(text: &str) -> Result<Axis<'_>> {
    let mut cur = Cursor::new(text, 0);
    cur.expect_key("name")?;
    let mut axis = Axis { name: cur.raw_string()?, before: 1, size: 0 };
    let count = |cur: &mut Cursor<'_>| {
        let at = cur.clone();
        usize::try_from(cur.integer()?).map_err(|_| at.expected("a number of devices"))
    };
    while cur.eat(",") {
        match cur.expect_word("size or sub_axis_info")? {
            "size" => {
                cur.expect("=")?;
                axis.size = count(&mut cur)?;
            }
            _ => {
                cur.expect("=")?;
                cur.expect("(")?;
                axis.before = count(&mut cur)?;
                cur.expect(")")?;
                axis.size = count(&mut cur)?;
            }
        }
    }
    Ok(axis)
}

/// Cuts an axis of the mesh where the given ones cut it.
fn split(axis: &Axis<'_>, given: &[Axis<'_>], pieces: &mut Vec<Piece>) -> Result<()> {
    let mut parts: Vec<(usize, usize, usize)> = given
        .iter()
        .enumerate()
        .filter(|(_, part)| part.name == axis.name)
        .map(|(i, part)| (part.before, if part.size == 0 { axis.size } else { part.size }, i))
        .collect();
    parts.sort_unstable();
    let mut before = 1;
    for (start, size, i) in parts {
        let gap = start.checked_div(before).filter(|gap| gap * before == start);
        let Some(gap) = gap.filter(|_| size > 0) else {
            return Err(Error::invalid_argument(format!(
                "parts of the axis {} overlap",
                axis.name
            )));
        };
        pieces.push(Piece { size: gap, rank: None });
        pieces.push(Piece { size, rank: Some(i) });
        before = start.saturating_mul(size);
    }
    match axis.size.checked_div(before).filter(|rest| rest * before == axis.size) {
        Some(rest) => pieces.push(Piece { size: rest, rank: None }),
        None => {
            let message = format!("the axis {} cannot be cut that way", axis.name);
            return Err(Error::invalid_argument(message));
        }
    }
    Ok(())
}

/// Sorts devices into groups by their places along the pieces.
fn groups(pieces: &[Piece], axes: usize, devices: usize) -> Vec<Vec<i64>> {
    let mut keyed: Vec<(Vec<usize>, Vec<usize>, i64)> = (0..devices)
        .map(|device| {
            let (mut outside, mut inside) = (Vec::new(), vec![0; axes]);
            let mut rest = device;
            for piece in pieces.iter().rev() {
                let place = rest % piece.size;
                rest /= piece.size;
                match piece.rank {
                    Some(rank) => inside[rank] = place,
                    None => outside.insert(0, place),
                }
            }
            (outside, inside, device as i64)
        })
        .collect();
    keyed.sort_unstable();
    let rows = keyed.chunk_by(|a, b| a.0 == b.0);
    rows.map(|row| row.iter().map(|&(_, _, device)| device).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups_of(axes: &str) -> Result<Vec<Vec<i64>>> {
        mesh_groups(&format!(
            "#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [\
             #stablehlo.mesh_axis<name = \"x\", size = 2>, \
             #stablehlo.mesh_axis<name = \"y\", size = 4>]>, axes = [{axes}]>"
        ))
    }

    #[test]
    fn groups_run_along_the_given_axes() {
        let x = "#stablehlo.axis_ref<name = \"x\">";
        let y = "#stablehlo.axis_ref<name = \"y\">";
        let high = "#stablehlo.axis_ref<name = \"y\", sub_axis_info = (1)2>";
        let low = "#stablehlo.axis_ref<name = \"y\", sub_axis_info = (2)2>";
        assert_eq!(groups_of(x).unwrap(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(groups_of(y).unwrap(), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(groups_of(high).unwrap(), [[0, 2], [1, 3], [4, 6], [5, 7]]);
        assert_eq!(groups_of(low).unwrap(), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(groups_of(&format!("{low}, {x}")).unwrap(), [[0, 4, 1, 5], [2, 6, 3, 7]]);
        assert_eq!(groups_of("").unwrap().len(), 8);
    }

    #[test]
    fn bad_meshes_are_errors() {
        for axes in [
            "#stablehlo.axis_ref<name = \"y\", sub_axis_info = (1)3>",
            "#stablehlo.axis_ref<name = \"y\", sub_axis_info = (3)2>",
            "#stablehlo.axis_ref<name = \"y\", sub_axis_info = (0)2>",
            "#stablehlo.axis_ref<name = \"y\", sub_axis_info = (1)-2>",
            "#stablehlo.mesh_axis<name = \"y\">",
        ] {
            assert!(groups_of(axes).is_err(), "{axes}");
        }
    }
}
