//! The text of a whole array: brackets, line breaks, and `...` in the middle of large ones.
//!
//! As `str` of an array in NumPy 2.4 with its default print options: line width 75, more than
//! 1000 elements are summarised to three at each edge.

use tfjit_base::{Result, Tensor};

use super::element::{ElementText, scalar_text};

const LINE_WIDTH: usize = 75;
const THRESHOLD: usize = 1000;
const EDGE_ITEMS: usize = 3;

/// What Python prints for `str(tensor)` as a NumPy array (a NumPy scalar when it has rank 0).
///
/// # Errors
/// None for a sound tensor.
pub(crate) fn array_text(tensor: &Tensor) -> Result<String> {
    if tensor.shape().rank() == 0 {
        return scalar_text(tensor, 0);
    }
    text(tensor, "", 1, LINE_WIDTH)
}

/// What Python prints for `repr(array)`; `dtype` is NumPy's name of the element type.
///
/// # Errors
/// None for a sound tensor.
pub(crate) fn array_repr(tensor: &Tensor, dtype: &str) -> Result<String> {
    const PREFIX: &str = "array(";
    let text = match tensor.shape().rank() {
        0 => ElementText::of(tensor, &[0])?.text(0).trim_start().to_owned(),
        _ => text(tensor, ",", PREFIX.len() + 1, LINE_WIDTH - 1)?,
    };
    if IMPLIED.contains(&dtype) && tensor.elements() > 0 {
        return Ok(format!("{PREFIX}{text})"));
    }
    let line = text.rsplit('\n').next().unwrap_or_default();
    // The first line has the prefix in front; the others are indented already.
    let last = if text.contains('\n') { line.len() } else { PREFIX.len() + line.len() };
    let dtype = format!("dtype={dtype})");
    let space = if last + 1 + dtype.len() + 1 > LINE_WIDTH { "\n      " } else { " " };
    Ok(format!("{PREFIX}{text},{space}{dtype}"))
}

/// Element types that literals have by themselves.
const IMPLIED: [&str; 4] = ["bool", "int64", "float64", "complex128"];

fn text(tensor: &Tensor, separator: &str, indent: usize, width: usize) -> Result<String> {
    if tensor.elements() == 0 {
        return Ok("[]".to_owned());
    }
    let summarise = tensor.elements() > THRESHOLD;
    let layout = Layout {
        dims: tensor.shape().dims(),
        strides: &tensor.shape().strides(),
        summarise,
        separator,
        elements: ElementText::of(tensor, &shown_indices(tensor, summarise))?,
    };
    Ok(layout.text(0, 0, indent, width))
}

/// The flat indices of the elements that are printed.
fn shown_indices(tensor: &Tensor, summarise: bool) -> Vec<usize> {
    let mut indices = vec![0];
    for (&extent, &stride) in tensor.shape().iter().zip(&tensor.shape().strides()) {
        let items: Vec<usize> = shown_items(extent, summarise).flatten().collect();
        indices =
            indices.iter().flat_map(|at| items.iter().map(move |i| at + i * stride)).collect();
    }
    indices
}

/// The positions along one axis that are printed, `None` where `...` stands.
fn shown_items(extent: usize, summarise: bool) -> Box<dyn Iterator<Item = Option<usize>>> {
    if summarise && extent > 2 * EDGE_ITEMS {
        let tail = (extent - EDGE_ITEMS..extent).map(Some);
        Box::new((0..EDGE_ITEMS).map(Some).chain([None]).chain(tail))
    } else {
        Box::new((0..extent).map(Some))
    }
}

struct Layout<'a> {
    dims: &'a [usize],
    strides: &'a [usize],
    summarise: bool,
    /// What stands behind an item, without the space or newline.
    separator: &'a str,
    elements: ElementText,
}

impl Layout<'_> {
    /// The sub-array that starts at flat index `at`, from `axis` on; lines after the first are
    /// indented by `indent`.
    fn text(&self, axis: usize, at: usize, indent: usize, width: usize) -> String {
        let items = shown_items(self.dims[axis], self.summarise);
        let inner = if axis + 1 == self.dims.len() {
            // One column for the bracket or the separator behind the item.
            self.row(items, at, self.strides[axis], indent, width - 1)
        } else {
            let newlines = "\n".repeat(self.dims.len() - axis - 1);
            let separator = format!("{}{newlines}{}", self.separator, " ".repeat(indent));
            let parts: Vec<String> = items
                .map(|item| match item {
                    Some(i) => {
                        self.text(axis + 1, at + i * self.strides[axis], indent + 1, width - 1)
                    }
                    None => "...".to_owned(),
                })
                .collect();
            parts.join(&separator)
        };
        format!("[{inner}]")
    }

    /// The innermost axis, broken into lines no wider than `width`.
    fn row(
        &self,
        items: impl Iterator<Item = Option<usize>>,
        at: usize,
        stride: usize,
        indent: usize,
        width: usize,
    ) -> String {
        let mut lines = String::new();
        let mut line = " ".repeat(indent);
        for (position, item) in items.enumerate() {
            if position > 0 {
                line.push_str(self.separator);
                line.push(' ');
            }
            let word = match item {
                Some(i) => self.elements.text(at + i * stride),
                None => "...".to_owned(),
            };
            if line.len() + word.len() > width && line.len() > indent {
                lines.push_str(line.trim_end());
                lines.push('\n');
                line = " ".repeat(indent);
            }
            line.push_str(&word);
        }
        lines.push_str(&line);
        lines.split_off(indent)
    }
}

#[cfg(test)]
mod tests {
    use tfjit_base::{DType, Shape};

    use super::super::Npz;
    use super::*;

    /// NumPy's names of the types it does not have itself; their bytes come without a type.
    const EXTENSION: &[(&str, DType)] = &[
        ("bfloat16", DType::BF16),
        ("float8_e4m3fn", DType::F8E4M3FN),
        ("float8_e5m2", DType::F8E5M2),
        ("float8_e4m3fnuz", DType::F8E4M3FNUZ),
        ("float4_e2m1fn", DType::F4E2M1FN),
        ("int4", DType::I4),
        ("uint4", DType::U4),
        ("int2", DType::I2),
        ("uint2", DType::U2),
    ];

    /// The `i`-th sub-array along the first axis.
    fn slice(t: &Tensor, i: usize) -> Tensor {
        let shape = Shape::new(&t.shape()[1..]);
        let n = shape.elements();
        match t.as_strings() {
            Some(s) => Tensor::strings(shape, s[i * n..][..n].to_vec()).unwrap(),
            None => {
                let size = n * t.dtype().size();
                Tensor::from_raw(t.dtype(), shape, &t.bytes()[i * size..][..size]).unwrap()
            }
        }
    }

    /// `tests/numpy/make.py` wrote the arrays and what NumPy prints.
    #[test]
    fn arrays_are_printed_as_numpy_prints_them() {
        let npz = Npz::open(include_bytes!("../../tests/numpy/cases.npz")).unwrap();
        let mut want = include_str!("../../tests/numpy/cases.txt").strip_prefix("== ");
        let mut checked = 0;
        for name in npz.names() {
            let raw = EXTENSION.iter().find(|(key, _)| name.split('.').any(|part| part == *key));
            let tensor = npz.read(name, raw.map(|(_, dtype)| *dtype)).unwrap();
            let pieces = match name.starts_with("rows.") || name.starts_with("scalars.") {
                true => (0..tensor.shape()[0]).map(|i| slice(&tensor, i)).collect(),
                false => vec![tensor],
            };
            for piece in pieces {
                let (case, rest) = match want.unwrap().split_once("\n== ") {
                    Some((case, rest)) => (case, Some(rest)),
                    None => (want.unwrap().trim_end(), None),
                };
                assert_eq!(format!("{name}\n{}", array_text(&piece).unwrap()), case);
                want = rest;
                checked += 1;
            }
        }
        assert!(want.is_none() && checked > 2000, "{checked}");
    }

    #[test]
    fn representations() {
        let check = |t: Tensor, dtype: &str, want: &str| {
            assert_eq!(array_repr(&t, dtype).unwrap(), want);
        };
        check(Tensor::scalar(0.0f32), "float32", "array(0., dtype=float32)");
        check(Tensor::scalar(-1.5f64), "float64", "array(-1.5)");
        check(Tensor::scalar(7i32), "int32", "array(7, dtype=int32)");
        let row = Tensor::from_slice(Shape::new(&[2]), &[1i64, -20]).unwrap();
        check(row, "int64", "array([  1, -20])");
        let long = Tensor::from_slice(Shape::new(&[20]), &[0.25f32; 20]).unwrap();
        let line = "0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25";
        let rest = "0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25";
        let want = format!("array([{line},\n       {rest}],\n      dtype=float32)");
        check(long, "float32", &want);
    }
}
