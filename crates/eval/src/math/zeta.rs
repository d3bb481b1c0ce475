//! The Hurwitz zeta function in `f64`, by Euler-Maclaurin summation (DLMF 25.11.5).

/// `B_2k / (2k)!` for k = 1..12.
const BERNOULLI: [f64; 12] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
    854_513.0 / 155_112_100_433_309_859_840_000.0,
    -236_364_091.0 / 1.693_824_136_731_743_7e27,
];

/// `sum over k >= 0 of (q + k)^-s`.
///
/// Infinite at `s = 1` and, for even `s` (an infinite one counts as even), where a term has a zero
/// base; NaN for `s < 1`, at the
/// other poles, and for negative `q` with a fractional `s` (as in Cephes and TensorFlow).
pub(crate) fn zeta(s: f64, q: f64) -> f64 {
    if s == 1.0 {
        return f64::INFINITY;
    }
    if s.is_nan() || q.is_nan() || s < 1.0 {
        return f64::NAN;
    }
    if q > 0.0 {
        return positive(s, q);
    }
    let even = s.is_infinite() || s % 2.0 == 0.0;
    if q == q.floor() {
        return if even { f64::INFINITY } else { f64::NAN };
    }
    if s != s.floor() {
        return f64::NAN;
    }
    // The terms with a negative base are those of a positive zeta function counted backwards:
    // no loop over them, however many there are.
    let count = (-q).ceil();
    let first = (-q) - (count - 1.0);
    let negative = positive(s, first) - positive(s, first + count);
    positive(s, q + count) + if even { negative } else { -negative }
}

/// The function for `s > 1`, `q > 0`.
fn positive(s: f64, q: f64) -> f64 {
    if q.is_infinite() {
        return 0.0;
    }
    // Direct summation up to `s + 10`, where the last correction is below 1e-18 of the first; for
    // large `s` the terms vanish within some forty steps, so this never runs long.
    let (mut a, mut sum) = (q, 0.0);
    while a < s + 10.0 {
        let term = a.powf(-s);
        sum += term;
        if term <= sum * 1e-18 || sum.is_infinite() {
            return sum;
        }
        a += 1.0;
    }
    let power = a.powf(-s);
    let mut total = sum + power * a / (s - 1.0) + power / 2.0;
    let mut factor = s * power / a;
    for (k, b) in BERNOULLI.iter().enumerate() {
        let term = b * factor;
        total += term;
        if term.abs() <= total.abs() * 1e-18 {
            break;
        }
        let i = s + 2.0 * k as f64;
        factor *= (i + 1.0) * (i + 2.0) / (a * a);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn close(got: f64, want: f64) {
        assert!((got - want).abs() <= want.abs() * 1e-14, "got {got:e}, want {want:e}");
    }

    #[test]
    fn known_values() {
        close(zeta(2.0, 1.0), PI * PI / 6.0);
        close(zeta(4.0, 1.0), PI.powi(4) / 90.0);
        close(zeta(3.0, 1.0), 1.202_056_903_159_594_2);
        close(zeta(2.0, 0.5), PI * PI / 2.0);
        close(zeta(1.5, 20.0), zeta(1.5, 21.0) + 20f64.powf(-1.5));
        close(zeta(1000.0, 20.0), 20f64.powf(-1000.0));
        close(zeta(50.0, 30.0), zeta(50.0, 31.0) + 30f64.powf(-50.0));
        close(zeta(12.0, 10.5), zeta(12.0, 11.5) + 10.5f64.powf(-12.0));
    }

    #[test]
    fn poles_and_undefined() {
        assert_eq!(zeta(1.0, 2.0), f64::INFINITY);
        assert_eq!(zeta(1.0, f64::NAN), f64::INFINITY);
        assert_eq!(zeta(f64::INFINITY, -1.0), f64::INFINITY);
        assert_eq!(zeta(f64::INFINITY, -0.5), f64::INFINITY);
        assert_eq!(zeta(f64::INFINITY, 1.0), 1.0);
        assert!(zeta(0.5, 2.0).is_nan());
        assert_eq!(zeta(2.0, -3.0), f64::INFINITY);
        assert!(zeta(3.0, -3.0).is_nan());
        assert!(zeta(2.5, -3.5).is_nan());
    }

    #[test]
    fn negative_arguments_shift() {
        for s in [2.0, 3.0] {
            close(zeta(s, -2.5), zeta(s, -1.5) + (-2.5f64).powf(-s));
            close(zeta(s, -0.25), zeta(s, 0.75) + (-0.25f64).powf(-s));
        }
        // Far out there is nothing to loop over.
        assert!(zeta(2.0, -1e15 - 0.5).is_finite());
    }
}
