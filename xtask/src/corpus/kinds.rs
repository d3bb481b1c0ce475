//! The kinds of comparison an op case may ask for.
//!
//! Factorisations are unique only up to signs and phases, so what is compared is the product of the
//! factors; unsorted results are compared as sets; of random ones only the range can be compared.

use anyhow::{Result, bail, ensure};
use tfjit_base::{DType, Tensor};

use super::compare::{Judge, Number, Tolerance, close, numbers, same_form};
use super::matrix::Matrix;

/// Compares all results of one case.
pub(crate) fn compare(
    kind: &str,
    got: &[Tensor],
    want: &[Tensor],
    tolerances: &[Tolerance],
) -> Result<()> {
    ensure!(got.len() == want.len(), "{} results, not {}", got.len(), want.len());
    let tolerance =
        |i: usize| tolerances.get(i).copied().unwrap_or_else(|| Tolerance::usual(want[i].dtype()));
    let tolerances: Vec<Tolerance> = (0..want.len()).map(tolerance).collect();
    match kind {
        "close" | "special" | "prng" => each(got, want, |i, g, w| close(g, w, tolerances[i])),
        "qr" => factors(got, want, tolerances[0], qr),
        "eig" => factors(got, want, tolerances[0], eig),
        "svd" => factors(got, want, tolerances[0], svd),
        "unsorted" => sets(got, want, &tolerances),
        "permutation" => each(got, want, |i, g, w| permutation(g, w, tolerances[i])),
        "random" | "distribution" => each(got, want, |_, g, w| range(g, w)),
        other => bail!("unknown kind of comparison `{other}`"),
    }
}

fn each(
    got: &[Tensor],
    want: &[Tensor],
    check: impl Fn(usize, &Tensor, &Tensor) -> Result<()>,
) -> Result<()> {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        check(i, got, want).map_err(|e| e.context(format!("result {i}")))?;
    }
    Ok(())
}

/// What the factors of one batch element multiply to, and the factor that must be orthonormal.
type Product = fn(&[Matrix]) -> (Matrix, Matrix);

fn qr(f: &[Matrix]) -> (Matrix, Matrix) {
    (f[0].times(&f[1]), f[0].clone())
}

fn eig(f: &[Matrix]) -> (Matrix, Matrix) {
    (f[1].scale_columns(&f[0].data).times(&f[1].adjoint()), f[1].clone())
}

fn svd(f: &[Matrix]) -> (Matrix, Matrix) {
    let n = f[0].data.len();
    let (u, v) = (f[1].first_columns(n), f[2].first_columns(n));
    (u.scale_columns(&f[0].data).times(&v.adjoint()), u)
}

/// Compares products of factors, and values (the first result of `eig` and `svd`) as they are.
fn factors(got: &[Tensor], want: &[Tensor], tol: Tolerance, product: Product) -> Result<()> {
    each(got, want, |_, g, w| same_form(g, w))?;
    let vectors = want.last().is_some_and(|t| t.elements() > 0);
    let by_value = want[0].shape().rank() < want[want.len() - 1].shape().rank() || !vectors;
    if by_value {
        close(&got[0], &want[0], tol)?;
    }
    if !vectors {
        return Ok(());
    }
    let split = |all: &[Tensor]| -> Result<Vec<Vec<Matrix>>> {
        all.iter().enumerate().map(|(i, t)| Matrix::batch(t, by_value && i == 0)).collect()
    };
    let (got_parts, want_parts) = (split(got)?, split(want)?);
    for b in 0..want_parts[0].len() {
        let pick = |parts: &[Vec<Matrix>]| parts.iter().map(|p| p[b].clone()).collect::<Vec<_>>();
        let (got_product, basis) = product(&pick(&got_parts));
        let (want_product, _) = product(&pick(&want_parts));
        let size = want_product.largest().max(1.0) * want_product.columns.max(1) as f64;
        let slack = (tol.atol + tol.rtol) * size;
        matrix_close(&got_product, &want_product, slack, "product of the factors")?;
        let square = basis.adjoint().times(&basis);
        let one = Matrix::identity(square.rows);
        let slack = (tol.atol + tol.rtol) * square.rows.max(1) as f64;
        matrix_close(&square, &one, slack, "vectors are not orthonormal:")?;
    }
    Ok(())
}

fn matrix_close(got: &Matrix, want: &Matrix, slack: f64, what: &str) -> Result<()> {
    for (i, (g, w)) in got.data.iter().zip(&want.data).enumerate() {
        let difference = (g - w).norm();
        // A difference that is not a number is not within the slack either.
        let within = difference <= slack;
        ensure!(within, "{what} at {i}: got {g}, want {w}, {slack:.1e} allowed");
    }
    Ok(())
}

/// Compares along the last dimension as sets of tuples, one component from each result.
fn sets(got: &[Tensor], want: &[Tensor], tolerances: &[Tolerance]) -> Result<()> {
    each(got, want, |_, g, w| same_form(g, w))?;
    let width = want[0].shape().last().copied().unwrap_or(1);
    let (got_rows, want_rows) = (sorted_tuples(got, width)?, sorted_tuples(want, width)?);
    for (k, form) in want.iter().enumerate() {
        let mut judge = Judge::new(form);
        for (i, (g, w)) in got_rows.iter().zip(&want_rows).enumerate() {
            judge.number(i, g[k], w[k], tolerances[k]);
        }
        judge.finish().map_err(|e| e.context(format!("result {k}, sorted")))?;
    }
    Ok(())
}

fn sorted_tuples(results: &[Tensor], width: usize) -> Result<Vec<Vec<Number>>> {
    let columns: Vec<Vec<Number>> = results.iter().map(numbers).collect::<Result<_>>()?;
    let n = columns.iter().map(Vec::len).min().unwrap_or(0);
    let mut tuples: Vec<Vec<Number>> =
        (0..n).map(|i| columns.iter().map(|column| column[i]).collect()).collect();
    for row in tuples.chunks_mut(width.max(1)) {
        row.sort_by(|a, b| order(a, b));
    }
    Ok(tuples)
}

fn order(a: &[Number], b: &[Number]) -> std::cmp::Ordering {
    let key = |v: &Number| [v.re, v.im];
    let (a, b) = (a.iter().flat_map(key), b.iter().flat_map(key));
    let mut parts = a.zip(b).map(|(x, y)| x.total_cmp(&y));
    parts.find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}

/// Compares as a set of rows of the first dimension.
fn permutation(got: &Tensor, want: &Tensor, tolerance: Tolerance) -> Result<()> {
    same_form(got, want)?;
    let rows = want.shape().first().copied().unwrap_or(1).max(1);
    let width = (want.elements() / rows).max(1);
    let sorted = |t: &Tensor| -> Result<Vec<Number>> {
        let all = numbers(t)?;
        let mut rows: Vec<&[Number]> = all.chunks(width).collect();
        rows.sort_by(|a, b| order(a, b));
        Ok(rows.concat())
    };
    let mut judge = Judge::new(want);
    for (i, (g, w)) in sorted(got)?.iter().zip(sorted(want)?).enumerate() {
        judge.number(i, *g, w, tolerance);
    }
    judge.finish()
}

/// Random results: the form, and no value far outside the range of those wanted.
fn range(got: &Tensor, want: &Tensor) -> Result<()> {
    same_form(got, want)?;
    if want.elements() == 0 || want.dtype() == DType::String {
        return Ok(());
    }
    let real = |t: &Tensor| -> Result<Vec<f64>> { Ok(numbers(t)?.iter().map(|v| v.re).collect()) };
    let (got, want) = (real(got)?, real(want)?);
    let low = want.iter().copied().fold(f64::INFINITY, f64::min);
    let high = want.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A few samples do not span their distribution; twice their spread is generous.
    let slack = 2.0 * (high - low).max(high.abs()).max(1.0);
    for value in &got {
        let inside = *value >= low - slack && *value <= high + slack;
        ensure!(inside, "{value} is far from the range {low} to {high}");
    }
    let constant = got.len() > 3 && high > low && got.iter().all(|v| *v == got[0]);
    ensure!(!constant, "all random values are {}", got[0]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::Shape;

    fn tensor(dims: &[usize], values: &[f64]) -> Tensor {
        Tensor::from_slice(Shape::new(dims), values).unwrap()
    }

    fn agree(kind: &str, got: &[Tensor], want: &[Tensor]) -> bool {
        let tolerances = vec![Tolerance { rtol: 1e-6, atol: 1e-6 }; want.len()];
        compare(kind, got, want, &tolerances).is_ok()
    }

    #[test]
    fn eigenvectors_up_to_sign() {
        let (values, h) = (tensor(&[2], &[-1.0, 3.0]), 0.5f64.sqrt());
        let vectors = |s: f64| tensor(&[2, 2], &[s * h, h, -s * h, h]);
        assert!(agree("eig", &[values.clone(), vectors(-1.0)], &[values.clone(), vectors(1.0)]));
        let other = tensor(&[2, 2], &[1.0, 0.0, 0.0, 1.0]);
        assert!(!agree("eig", &[values.clone(), other], &[values.clone(), vectors(1.0)]));
        let wrong = tensor(&[2], &[-1.0, 3.1]);
        assert!(!agree("eig", &[wrong, vectors(1.0)], &[values, vectors(1.0)]));
    }

    #[test]
    fn singular_vectors_up_to_sign() {
        let (s, one) = (tensor(&[1], &[2.0]), tensor(&[1, 1], &[1.0]));
        let minus = tensor(&[1, 1], &[-1.0]);
        let want = [s.clone(), one.clone(), one.clone()];
        assert!(agree("svd", &[s.clone(), minus.clone(), minus.clone()], &want));
        assert!(!agree("svd", &[s, minus, one], &want));
    }

    #[test]
    fn a_factor_must_be_orthonormal() {
        let q = |v: f64| tensor(&[1, 1], &[v]);
        assert!(agree("qr", &[q(-1.0), q(-6.0)], &[q(1.0), q(6.0)]));
        assert!(!agree("qr", &[q(2.0), q(3.0)], &[q(1.0), q(6.0)]));
        assert!(!agree("qr", &[q(f64::NAN), q(6.0)], &[q(1.0), q(6.0)]));
    }

    #[test]
    fn unsorted_results_are_sets_of_pairs() {
        let values = |v: &[f64]| tensor(&[2, 2], v);
        let want = [values(&[1.0, 2.0, 3.0, 4.0]), values(&[0.0, 1.0, 0.0, 1.0])];
        let turned = [values(&[2.0, 1.0, 3.0, 4.0]), values(&[1.0, 0.0, 0.0, 1.0])];
        assert!(agree("unsorted", &turned, &want));
        let mixed = [values(&[2.0, 1.0, 3.0, 4.0]), values(&[0.0, 1.0, 0.0, 1.0])];
        assert!(!agree("unsorted", &mixed, &want));
    }

    #[test]
    fn permutations_and_ranges() {
        let want = tensor(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let rows = tensor(&[3, 2], &[5.0, 6.0, 1.0, 2.0, 3.0, 4.0]);
        let torn = tensor(&[3, 2], &[6.0, 5.0, 1.0, 2.0, 3.0, 4.0]);
        assert!(agree("permutation", std::slice::from_ref(&rows), std::slice::from_ref(&want)));
        assert!(!agree("permutation", &[torn], std::slice::from_ref(&want)));
        assert!(agree("distribution", &[rows], std::slice::from_ref(&want)));
        assert!(!agree("distribution", &[tensor(&[3, 2], &[2.0; 6])], std::slice::from_ref(&want)));
        let far = tensor(&[3, 2], &[0.0, 1.0, 99.0, 0.0, 0.0, 0.0]);
        assert!(!agree("distribution", &[far], std::slice::from_ref(&want)));
        let nan = tensor(&[3, 2], &[0.0, 1.0, f64::NAN, 0.0, 0.0, 0.0]);
        assert!(!agree("random", &[nan], std::slice::from_ref(&want)));
        assert!(!agree("guess", std::slice::from_ref(&want), std::slice::from_ref(&want)));
    }
}
