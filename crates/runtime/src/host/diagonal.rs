//! Diagonals of matrices: taken out, put in, bands kept. Only moves, so any type will do.

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_model::Node;

use super::tensors::{Blocks, int, pure, tensor};
use super::{HostRow, row};
use crate::{Kernel, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("Diag", "a tensor on the diagonal of one of twice the rank", |_| pure("Diag", diag)),
    row("DiagPart", "the diagonal of a tensor of even rank", |_| pure("DiagPart", diag_part)),
    row("MatrixBandPart", "matrices without what lies far from the diagonal", make_band),
    row("MatrixDiag", "matrices with these diagonals", make_diag),
    row("MatrixDiagPart", "diagonals of matrices", make_part),
    row("MatrixDiagPartV2", "bands of matrices, diagonal by diagonal", make_part),
    row("MatrixDiagPartV3", "bands of matrices, diagonal by diagonal", make_part),
    row("MatrixDiagV2", "matrices with these bands", make_diag),
    row("MatrixDiagV3", "matrices with these bands", make_diag),
    row("MatrixSetDiag", "matrices with other diagonals", make_set),
    row("MatrixSetDiagV2", "matrices with other bands", make_set),
    row("MatrixSetDiagV3", "matrices with other bands", make_set),
];

/// Which diagonals of matrices, and how short ones lie in rows of the longest.
struct Band {
    rows: usize,
    columns: usize,
    lower: i64,
    upper: i64,
    left_super: bool,
    left_sub: bool,
}

impl Band {
    fn count(&self) -> usize {
        (self.upper - self.lower + 1) as usize
    }

    fn length(&self, d: i64) -> usize {
        let rows = self.rows as i64 + d.min(0);
        rows.min(self.columns as i64 - d.max(0)).max(0) as usize
    }

    /// Length of the longest.
    fn longest(&self) -> usize {
        let rows = self.rows as i64 + self.upper.min(0);
        rows.min(self.columns as i64 - self.lower.max(0)).max(0) as usize
    }

    /// Where diagonal `d` starts in its row.
    fn offset(&self, d: i64, longest: usize) -> usize {
        let left = (d >= 0 && self.left_super) || (d <= 0 && self.left_sub);
        if left { 0 } else { longest.saturating_sub(self.length(d)) }
    }

    /// Position in the diagonals, `longest` to a row, of the matrix' element (i, j).
    fn position(&self, i: usize, j: usize, longest: usize) -> Option<usize> {
        let d = j as i64 - i as i64;
        if d < self.lower || d > self.upper {
            return None;
        }
        let row = (self.upper - d) as usize;
        Some(row * longest + i.min(j) + self.offset(d, longest))
    }

    fn check(&self) -> Result<()> {
        let (rows, columns) = (self.rows as i64, self.columns as i64);
        for (name, d) in [("lower", self.lower), ("upper", self.upper)] {
            if !((-rows < d && d < columns) || d == 0) {
                return Err(Error::invalid_argument(format!(
                    "{name}_diag_index is out of bound: {d}. It must be between {} and {columns}",
                    -rows
                )));
            }
        }
        Ok(())
    }
}

/// How an op names its diagonals.
#[derive(Clone, Copy)]
struct Form {
    /// Whether an input says which; the main ones otherwise.
    banded: bool,
    left_super: bool,
    left_sub: bool,
}

impl Form {
    fn of(node: &Node) -> Result<Form> {
        let banded = node.op.ends_with("V2") || node.op.ends_with("V3");
        let align = if node.op.ends_with("V3") { node.attr_str("align")? } else { "LEFT_LEFT" };
        let left_super = matches!(align, "LEFT_LEFT" | "LEFT_RIGHT");
        let left_sub = matches!(align, "LEFT_LEFT" | "RIGHT_LEFT");
        Ok(Form { banded, left_super, left_sub })
    }

    fn band(&self, k: Option<&Tensor>, rows: usize, columns: usize) -> Result<Band> {
        let (lower, upper) = match k {
            None => (0, 0),
            Some(k) => match k.to_i64s()?[..] {
                [d] => (d, d),
                [lower, upper] => (lower, upper),
                _ => {
                    return Err(Error::invalid_argument(format!(
                        "diag_index must be a scalar or a vector of one or two elements, not of \
                         shape {}",
                        k.shape()
                    )));
                }
            },
        };
        if lower > upper {
            return Err(Error::invalid_argument(format!(
                "lower_diag_index must not be larger than upper_diag_index: {lower} > {upper}"
            )));
        }
        let Form { left_super, left_sub, .. } = *self;
        Ok(Band { rows, columns, lower, upper, left_super, left_sub })
    }
}

/// Dimensions in front, rows and columns of matrices.
fn matrices(t: &Tensor) -> Result<(&[usize], usize, usize)> {
    match t.shape().dims() {
        [batch @ .., rows, columns] => Ok((batch, *rows, *columns)),
        _ => Err(Error::invalid_argument(format!(
            "input must be at least 2-dim, received shape: {}",
            t.shape()
        ))),
    }
}

fn shape(batch: &[usize], rest: &[usize]) -> Shape {
    Shape::new(&[batch, rest].concat())
}

/// One value of the type of `like`, or zero.
fn padding(inputs: &[Value], at: usize, like: &Tensor) -> Result<Tensor> {
    match inputs.get(at) {
        Some(value) => {
            let value = value.tensor()?;
            if value.elements() != 1 {
                return Err(Error::invalid_argument("padding_value must be a scalar"));
            }
            Ok(value.clone())
        }
        None => Tensor::zeros(like.dtype(), Shape::scalar()),
    }
}

fn make_part(node: &Node) -> Result<Box<dyn Kernel>> {
    let form = Form::of(node)?;
    pure("MatrixDiagPart", move |inputs| {
        let t = tensor(inputs, 0)?;
        let (batch, rows, columns) = matrices(t)?;
        let k = if form.banded { Some(tensor(inputs, 1)?) } else { None };
        let band = form.band(k, rows, columns)?;
        band.check()?;
        let pad = padding(inputs, 2, t)?;
        let (count, longest) = (band.count(), band.longest());
        let mut out = Blocks::new(t.dtype());
        for matrix in 0..batch.iter().product() {
            let base = matrix * rows * columns;
            for d in (band.lower..=band.upper).rev() {
                let (length, offset) = (band.length(d), band.offset(d, longest));
                let (i, j) = ((-d).max(0) as usize, d.max(0) as usize);
                for at in 0..longest {
                    match at.checked_sub(offset).filter(|n| *n < length) {
                        Some(n) => {
                            let from = base + (i + n) * columns + j + n;
                            out.push(t, from..from + 1)?;
                        }
                        None => out.push(&pad, 0..1)?,
                    }
                }
            }
        }
        let rest = [count, longest];
        Ok(vec![out.done(shape(batch, if count == 1 { &rest[1..] } else { &rest }))?])
    })
}

/// Dimensions in front of the diagonals, and whether their number and length fit.
fn diagonals(t: &Tensor, count: usize) -> Result<(&[usize], usize)> {
    match t.shape().dims() {
        [batch @ .., longest] if count == 1 => Ok((batch, *longest)),
        [batch @ .., given, longest] if *given == count => Ok((batch, *longest)),
        _ => Err(Error::invalid_argument(format!(
            "The number of diagonals provided in the input does not match the lower_diag_index and \
             upper_diag_index range: {count} diagonals, shape {}",
            t.shape()
        ))),
    }
}

fn make_diag(node: &Node) -> Result<Box<dyn Kernel>> {
    let form = Form::of(node)?;
    pure("MatrixDiag", move |inputs| {
        let t = tensor(inputs, 0)?;
        let k = if form.banded { Some(tensor(inputs, 1)?) } else { None };
        let mut band = form.band(k, 0, 0)?;
        let (batch, longest) = diagonals(t, band.count())?;
        (band.rows, band.columns) = extents(inputs, &band, longest, form.banded)?;
        let pad = padding(inputs, 4, t)?;
        let per = band.count() * longest;
        let mut out = Blocks::with_room(t.dtype(), band.rows.saturating_mul(band.columns))?;
        for matrix in 0..batch.iter().product() {
            for i in 0..band.rows {
                for j in 0..band.columns {
                    match band.position(i, j, longest) {
                        Some(at) => out.push(t, matrix * per + at..matrix * per + at + 1)?,
                        None => out.push(&pad, 0..1)?,
                    }
                }
            }
        }
        Ok(vec![out.done(shape(batch, &[band.rows, band.columns]))?])
    })
}

/// Rows and columns of the matrices of a `MatrixDiag`, of which inputs may give either or both.
fn extents(inputs: &[Value], band: &Band, longest: usize, banded: bool) -> Result<(usize, usize)> {
    let least_rows = longest as i64 - band.upper.min(0);
    let least_columns = longest as i64 + band.lower.max(0);
    let (rows, columns) = if banded { (int(inputs, 2)?, int(inputs, 3)?) } else { (-1, -1) };
    let (rows, columns) = match (rows, columns) {
        (-1, -1) => {
            let both = least_rows.max(least_columns);
            (both, both)
        }
        (-1, columns) => (least_rows, columns),
        (rows, -1) => (rows, least_columns),
        both => both,
    };
    let wrong = |text: &str| Err(Error::invalid_argument(text));
    if rows < least_rows {
        return wrong("The number of rows is too small.");
    }
    if columns < least_columns {
        return wrong("The number of columns is too small.");
    }
    if rows != least_rows && columns != least_columns {
        return wrong(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, \
             and diagonal.",
        );
    }
    Ok((rows as usize, columns as usize))
}

fn make_set(node: &Node) -> Result<Box<dyn Kernel>> {
    let form = Form::of(node)?;
    pure("MatrixSetDiag", move |inputs| {
        let (t, diagonal) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        let (batch, rows, columns) = matrices(t)?;
        let k = if form.banded { Some(tensor(inputs, 2)?) } else { None };
        let band = form.band(k, rows, columns)?;
        band.check()?;
        let (count, longest) = (band.count(), band.longest());
        let rest = [count, longest];
        let want = shape(batch, if count == 1 { &rest[1..] } else { &rest });
        if *diagonal.shape() != want {
            return Err(Error::invalid_argument(format!(
                "Either first dimensions of diagonal don't match input.shape[:-2], or \
                 diagonal.shape[:-1] is not equal to the longests diagonal: {} is not {want}",
                diagonal.shape()
            )));
        }
        let mut out = Blocks::new(t.dtype());
        for matrix in 0..batch.iter().product::<usize>() {
            for i in 0..rows {
                for j in 0..columns {
                    match band.position(i, j, longest) {
                        Some(at) => {
                            let from = matrix * count * longest + at;
                            out.push(diagonal, from..from + 1)?;
                        }
                        None => {
                            let from = (matrix * rows + i) * columns + j;
                            out.push(t, from..from + 1)?;
                        }
                    }
                }
            }
        }
        Ok(vec![out.done(t.shape().clone())?])
    })
}

fn make_band(_: &Node) -> Result<Box<dyn Kernel>> {
    pure("MatrixBandPart", |inputs| {
        let t = tensor(inputs, 0)?;
        let (lower, upper) = (int(inputs, 1)?, int(inputs, 2)?);
        let (batch, rows, columns) = matrices(t)?;
        for (name, n, most) in [("num_lower", lower, rows), ("num_upper", upper, columns)] {
            if n > most as i64 {
                return Err(Error::invalid_argument(format!(
                    "{name} must be negative or less or equal to number of rows or columns \
                     ({most}) got: {n}"
                )));
            }
        }
        let mut out = Blocks::new(t.dtype());
        for matrix in 0..batch.iter().product::<usize>() {
            for i in 0..rows {
                for j in 0..columns {
                    let d = j as i64 - i as i64;
                    if (lower < 0 || -d <= lower) && (upper < 0 || d <= upper) {
                        let from = (matrix * rows + i) * columns + j;
                        out.push(t, from..from + 1)?;
                    } else {
                        out.push_zeros(1);
                    }
                }
            }
        }
        Ok(vec![out.done(t.shape().clone())?])
    })
}

fn diag(inputs: &[Value]) -> Result<Vec<Tensor>> {
    let t = tensor(inputs, 0)?;
    let (n, dims) = (t.elements(), t.shape().dims());
    let mut out = Blocks::with_room(t.dtype(), n.saturating_mul(n))?;
    for i in 0..n {
        out.push_zeros(i);
        out.push(t, i..i + 1)?;
        out.push_zeros(n - i - 1);
    }
    Ok(vec![out.done(shape(dims, dims))?])
}

fn diag_part(inputs: &[Value]) -> Result<Vec<Tensor>> {
    let t = tensor(inputs, 0)?;
    let dims = t.shape().dims();
    let (first, second) = dims.split_at(dims.len() / 2);
    if first != second || dims.is_empty() {
        return Err(Error::invalid_argument(format!(
            "Invalid shape {}: dimensions of the two halves do not match",
            t.shape()
        )));
    }
    let n: usize = first.iter().product();
    let mut out = Blocks::new(t.dtype());
    for i in 0..n {
        out.push(t, i * n + i..i * n + i + 1)?;
    }
    Ok(vec![out.done(Shape::new(first))?])
}
