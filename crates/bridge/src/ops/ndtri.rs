//! The quantile function of the normal distribution.
//!
//! Rational approximations of Moshier's Cephes library, which TensorFlow's kernel uses too: unlike
//! `erf_inv(2x - 1)` they lose nothing for small probabilities.

use tfjit_base::Result;
use tfjit_hlo::{Binary, Direction, Unary, ValueId};

use crate::OpCtx;

/// `(x - 1/2) / sqrt(2 pi)` is multiplied by this quotient of polynomials in its square, for
/// probabilities between exp(-2) and 1 - exp(-2). Coefficients of the highest power come first.
const CENTRE: [&[f64]; 2] = [
    &[
        -5.996_335_010_141_079e1,
        9.800_107_541_859_997e1,
        -5.667_628_574_690_703e1,
        1.393_126_093_872_795e1,
        -1.239_165_838_673_812_5,
    ],
    &[
        1.0,
        1.954_488_583_381_417_6,
        4.676_279_128_988_815,
        8.636_024_213_908_905e1,
        -2.254_626_878_541_193_7e2,
        2.002_602_123_800_606_6e2,
        -8.203_722_561_683_334e1,
        1.590_562_251_262_117e1,
        -1.183_316_211_213_300_3,
    ],
];

/// For `sqrt(-2 log x)` between 2 and 8, in its reciprocal.
const TAIL: [&[f64]; 2] = [
    &[
        4.055_448_923_059_624_5,
        3.152_510_945_998_939e1,
        5.716_281_922_464_213e1,
        4.408_050_738_932_008e1,
        1.468_495_619_288_580_2e1,
        2.186_633_068_507_903,
        -1.402_560_791_713_545e-1,
        -3.504_246_268_278_482e-2,
        -8.574_567_851_546_854e-4,
    ],
    &[
        1.0,
        1.577_998_832_564_667_5e1,
        4.539_076_351_288_792e1,
        4.131_720_382_546_72e1,
        1.504_253_856_929_075e1,
        2.504_649_462_083_094,
        -1.421_829_228_547_877_9e-1,
        -3.808_064_076_915_783e-2,
        -9.332_594_808_954_574e-4,
    ],
];

/// For `sqrt(-2 log x)` from 8 to 64, in its reciprocal.
const FAR_TAIL: [&[f64]; 2] = [
    &[
        3.237_748_917_769_460_4,
        6.915_228_890_689_842,
        3.938_810_252_924_744_3,
        1.333_034_608_158_075_5,
        2.014_853_895_491_790_8e-1,
        1.237_166_348_178_200_2e-2,
        3.015_815_535_082_354_2e-4,
        2.658_069_746_867_375_5e-6,
        6.239_745_391_849_833e-9,
    ],
    &[
        1.0,
        6.024_270_393_647_42,
        3.679_835_638_561_608_7,
        1.377_020_994_890_813_2,
        2.162_369_935_944_966_3e-1,
        1.342_040_060_885_431_8e-2,
        3.280_144_646_821_277_4e-4,
        2.892_478_647_453_807e-6,
        6.790_194_080_099_813e-9,
    ],
];

/// The sum of coefficients times powers, by Horner's rule.
fn polynomial(c: &mut OpCtx<'_, '_>, x: ValueId, coefficients: &[f64]) -> Result<ValueId> {
    let (first, rest) = coefficients.split_first().expect("the tables are not empty");
    let mut sum = c.full_like(x, *first)?;
    for &coefficient in rest {
        let scaled = c.binary(Binary::Multiply, sum, x)?;
        sum = c.binary_scalar(Binary::Add, scaled, coefficient)?;
    }
    Ok(sum)
}

fn quotient(c: &mut OpCtx<'_, '_>, x: ValueId, table: [&[f64]; 2]) -> Result<ValueId> {
    let (above, below) = (polynomial(c, x, table[0])?, polynomial(c, x, table[1])?);
    c.binary(Binary::Divide, above, below)
}

/// The number below which a standard normal variable is with probability `x`; -inf at 0, inf at 1,
/// NaN outside.
pub(super) fn ndtri(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    let edge = (-2f64).exp();
    let one = c.full_like(x, 1.0)?;
    let rest = c.binary(Binary::Subtract, one, x)?;
    let upper_edge = c.full_like(x, 1.0 - edge)?;
    let upper = c.compare(Direction::Gt, x, upper_edge)?;
    let y = c.select(upper, rest, x)?;
    // Around one half.
    let centred = c.binary_scalar(Binary::Subtract, y, 0.5)?;
    let square = c.binary(Binary::Multiply, centred, centred)?;
    let ratio = quotient(c, square, CENTRE)?;
    let growth = c.binary(Binary::Multiply, square, ratio)?;
    let part = c.binary(Binary::Multiply, centred, growth)?;
    let sum = c.binary(Binary::Add, centred, part)?;
    let near = c.binary_scalar(Binary::Multiply, sum, (2.0 * std::f64::consts::PI).sqrt())?;
    // Tails: t - log(t) / t - quotient(1/t) / t with t = sqrt(-2 log y).
    let log = c.unary(Unary::Log, y)?;
    let doubled = c.binary_scalar(Binary::Multiply, log, -2.0)?;
    let t = c.unary(Unary::Sqrt, doubled)?;
    let log = c.unary(Unary::Log, t)?;
    let log = c.binary(Binary::Divide, log, t)?;
    let start = c.binary(Binary::Subtract, t, log)?;
    let z = c.binary(Binary::Divide, one, t)?;
    let (tail, far) = (quotient(c, z, TAIL)?, quotient(c, z, FAR_TAIL)?);
    let eight = c.full_like(t, 8.0)?;
    let is_near = c.compare(Direction::Lt, t, eight)?;
    let ratio = c.select(is_near, tail, far)?;
    let rest = c.binary(Binary::Multiply, z, ratio)?;
    let away = c.binary(Binary::Subtract, start, rest)?;
    let minus = c.unary(Unary::Negate, away)?;
    let away = c.select(upper, away, minus)?;
    let lower_edge = c.full_like(x, edge)?;
    let inner = c.compare(Direction::Gt, y, lower_edge)?;
    let value = c.select(inner, near, away)?;
    ends(c, x, value)
}

/// Infinite at 0 and 1, where the tail's formula has infinity minus infinity.
fn ends(c: &mut OpCtx<'_, '_>, x: ValueId, value: ValueId) -> Result<ValueId> {
    let mut value = value;
    for (at, what) in [(0.0, f64::NEG_INFINITY), (1.0, f64::INFINITY)] {
        let end = c.full_like(x, at)?;
        let hit = c.compare(Direction::Eq, x, end)?;
        let limit = c.full_like(x, what)?;
        value = c.select(hit, limit, value)?;
    }
    Ok(value)
}
