//! Special functions in `f64`: digamma, polygamma, the inverse error function, Bessel's I1.
//!
//! Formulas are those of the NIST Digital Library of Mathematical Functions (DLMF), by number.

use std::f64::consts::PI;

use super::zeta::zeta;

/// `B_2k / 2k` for k = 1..8, the coefficients of digamma's asymptotic series (DLMF 5.11.2).
const DIGAMMA_SERIES: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
];

/// The logarithmic derivative of the gamma function; NaN at its poles.
pub(crate) fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY || (x <= 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x < 0.0 {
        // Reflection, DLMF 5.5.4; the cotangent has period one, which keeps it exact far out.
        return digamma(1.0 - x) - PI / (PI * (x - x.round())).tan();
    }
    // Recurrence, DLMF 5.5.2, up to where the series is exact.
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += 1.0 / x;
        x += 1.0;
    }
    let inverse_square = 1.0 / (x * x);
    let series = DIGAMMA_SERIES.iter().rev().fold(0.0, |sum, c| (sum + c) * inverse_square);
    x.ln() - 0.5 / x - series - shift
}

/// The `n`-th derivative of digamma; NaN unless `n` is a natural number.
pub(crate) fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return digamma(x);
    }
    if !(n > 0.0 && n == n.floor()) {
        return f64::NAN;
    }
    // DLMF 25.11.12. Past 2^53 `n + 1` is even by rounding; infinity is taken to be.
    let odd = (n + 1.0) % 2.0 == 1.0;
    let value = libm::tgamma(n + 1.0) * zeta(n + 1.0, x);
    if odd { -value } else { value }
}

/// The inverse of the error function, NaN outside [-1, 1].
///
/// A first guess (Winitzki's) is good to three digits; each of Halley's steps triples them. Near
/// one the residual is taken from the complementary function, where it does not cancel.
pub(crate) fn erf_inv(y: f64) -> f64 {
    let a = y.abs();
    if a.is_nan() || a > 1.0 {
        return f64::NAN;
    }
    if a == 1.0 || a == 0.0 {
        return if a == 1.0 { f64::INFINITY.copysign(y) } else { y };
    }
    let mut x = if a < 1e-4 {
        a * PI.sqrt() / 2.0
    } else {
        let log = (-a * a).ln_1p();
        let b = 2.0 / (PI * 0.147) + log / 2.0;
        ((b * b - log / 0.147).sqrt() - b).sqrt()
    };
    for _ in 0..3 {
        let residual = if a < 0.5 { libm::erf(x) - a } else { (1.0 - a) - libm::erfc(x) };
        let slope = 2.0 / PI.sqrt() * (-x * x).exp();
        x -= residual / (slope + x * residual);
    }
    x.copysign(y)
}

/// `exp(-|x|) I1(x)`, the scaled modified Bessel function of the first kind.
pub(crate) fn bessel_i1e(x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() {
        return x;
    }
    let value = if a < 25.0 { bessel_series(a) } else { bessel_asymptotic(a) };
    value.copysign(x)
}

/// DLMF 10.25.2: all terms are positive, nothing cancels.
fn bessel_series(a: f64) -> f64 {
    let quarter = a * a / 4.0;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while term > sum * 1e-18 {
        term *= quarter / (k * (k + 1.0));
        sum += term;
        k += 1.0;
    }
    a / 2.0 * sum * (-a).exp()
}

/// DLMF 10.40.1, whose terms fall below one unit in the last place before they grow.
fn bessel_asymptotic(a: f64) -> f64 {
    if a.is_infinite() {
        return 0.0;
    }
    let (mut term, mut sum, mut k) = (1.0f64, 1.0, 1.0);
    while term.abs() > 1e-18 && k < 60.0 {
        let odd = 2.0 * k - 1.0;
        term *= -(4.0 - odd * odd) / (8.0 * k * a);
        sum += term;
        k += 1.0;
    }
    sum / (2.0 * PI * a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64) {
        assert!((got - want).abs() <= want.abs() * 4e-15, "got {got:e}, want {want:e}");
    }

    #[test]
    fn digamma_values() {
        // -gamma, and values of SciPy 1.x.
        close(digamma(1.0), -0.577_215_664_901_532_9);
        close(digamma(0.5), -1.963_510_026_021_423_5);
        // Close to a zero of the function: the error is absolute.
        assert!((digamma(-0.5) - 0.036_489_973_978_576_52).abs() < 1e-15);
        close(digamma(100.0), 4.600_161_852_738_087);
        assert!(digamma(0.0).is_nan() && digamma(-3.0).is_nan());
        assert_eq!(digamma(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn polygamma_values() {
        close(polygamma(1.0, 1.0), PI * PI / 6.0);
        close(polygamma(2.0, 1.0), -2.404_113_806_319_188_6);
        close(polygamma(0.0, 1.0), digamma(1.0));
        assert!(polygamma(1.5, 1.0).is_nan() && polygamma(-1.0, 1.0).is_nan());
    }

    #[test]
    fn erf_inv_inverts() {
        for y in [1e-300, 1e-9, 1e-4, 0.1, 0.5, 0.75, 0.999, 1.0 - 1e-12] {
            let x = erf_inv(y);
            let back = if y < 0.5 { libm::erf(x) } else { 1.0 - libm::erfc(x) };
            close(back, y);
            assert_eq!(erf_inv(-y), -x);
        }
        close(erf_inv(0.5), 0.476_936_276_204_469_9);
        assert_eq!(erf_inv(1.0), f64::INFINITY);
        assert!(erf_inv(1.1).is_nan());
    }

    #[test]
    fn bessel_values() {
        close(bessel_i1e(1.0), 0.207_910_415_349_708_45);
        close(bessel_i1e(-10.0), -0.121_262_681_384_455_59);
        close(bessel_i1e(30.0), 0.071_916_330_598_647_55);
        close(bessel_series(25.0), bessel_asymptotic(25.0));
        assert_eq!(bessel_i1e(0.0), 0.0);
        assert_eq!(bessel_i1e(f64::INFINITY), 0.0);
    }
}
