//! The discrete Gaussian over the integers: `D(z) ~ exp(-pi (z - c)^2 / s^2)`.
//!
//! Rejection sampling from the uniform distribution within 12 standard deviations, with about ten draws per sample.
//! Acceptance with probability `exp(-x)` is drawn as `2^-k` from k bits, and the rest from 53 more bits, so the tail is
//! as precise as the centre. Not constant-time: the running time depends on the draws.

use super::stream::Stream;
use std::f64::consts::{LN_2, PI};

/// The tail is cut at this many standard deviations. The part that is cut has probability 2^-104.
const TAIL: f64 = 12.0;

/// A sample of the Gaussian with the given `width` and `centre`. Both are below 2^52 in magnitude, and `width` is
/// positive.
pub(crate) fn sample(stream: &mut Stream, centre: f64, width: f64) -> i64 {
    let reach = TAIL * width / (2.0 * PI).sqrt();
    let lowest = to_integer((centre - reach).ceil());
    let highest = to_integer((centre + reach).floor());
    // A checked key has a width that is large enough for the range to contain an integer.
    let span = highest.abs_diff(lowest.min(highest)) + 1;
    loop {
        let drawn = lowest.saturating_add_unsigned(stream.below(span));
        let distance = (to_float(drawn) - centre) / width;
        if accept(stream, PI * distance * distance) {
            return drawn;
        }
    }
}

/// True with probability `exp(-x)`, for x from 0 to a few hundred.
fn accept(stream: &mut Stream, x: f64) -> bool {
    let halvings = (x / LN_2).floor();
    let rest = (x - halvings * LN_2).max(0.0);
    for _ in 0..to_integer(halvings) / 64 {
        if stream.word() != 0 {
            return false;
        }
    }
    let bits = u32::try_from(to_integer(halvings) % 64).unwrap_or(0);
    if stream.word() & ((1 << bits) - 1) != 0 {
        return false;
    }
    // libm instead of the platform's function: a retry on another machine must give the same signature.
    let threshold = libm::exp(-rest) * to_float(1 << 53);
    to_float((stream.word() >> 11).cast_signed()) < threshold
}

/// Exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "callers stay below 2^53")]
pub(crate) fn to_float(integer: i64) -> f64 {
    integer as f64
}

/// The integer value of a float without fraction. Saturates if it is out of range.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn to_integer(float: f64) -> i64 {
    float as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: u32 = 100_000;

    /// Probabilities of `D` around `centre`, from `lowest` to `highest`.
    fn weights(centre: f64, width: f64, lowest: i64, highest: i64) -> Vec<f64> {
        let weight = |z: i64| (-PI * ((to_float(z) - centre) / width).powi(2)).exp();
        let all: f64 = (-400..=400).map(weight).sum();
        (lowest..=highest).map(|z| weight(z) / all).collect()
    }

    /// The chi-square statistic of samples against `D`, divided by its 99.9% quantile.
    ///
    /// Values beyond three standard deviations share one bin on each side, which makes a cut tail visible.
    fn chi_square(centre: f64, width: f64, mut draw: impl FnMut() -> i64) -> f64 {
        let (lowest, highest) = (-120, 120);
        let expected = weights(centre, width, lowest, highest);
        let mut seen = vec![0.0; expected.len()];
        for _ in 0..SAMPLES {
            seen[usize::try_from(draw() - lowest).unwrap()] += 1.0;
        }
        let deviation = width / (2.0 * PI).sqrt();
        let bin = |z: i64| ((to_float(z) - centre) / deviation).clamp(-3.0, 3.0);
        let mut bins: Vec<(f64, f64, f64)> = Vec::new();
        for ((z, expected), seen) in (lowest..=highest).zip(expected).zip(seen) {
            let place = bin(z);
            match bins.last_mut() {
                Some(last) if last.0 == place => {
                    last.1 += expected * f64::from(SAMPLES);
                    last.2 += seen;
                }
                _ => bins.push((place, expected * f64::from(SAMPLES), seen)),
            }
        }
        let statistic: f64 = bins.iter().map(|(_, e, s)| (s - e).powi(2) / e).sum();
        // Wilson and Hilferty's approximation of the 99.9% quantile.
        let freedom = f64::from(u32::try_from(bins.len() - 1).unwrap());
        let ninth = 2.0 / (9.0 * freedom);
        statistic / (freedom * (1.0 - ninth + 3.09 * ninth.sqrt()).powi(3))
    }

    #[test]
    fn samples_pass_the_chi_square_test() {
        for (label, centre, width) in [(b"a", 0.0, 20.0), (b"b", 0.5, 20.0), (b"c", -3.3, 33.7)] {
            let mut stream = Stream::new(&[label]);
            let ratio = chi_square(centre, width, || sample(&mut stream, centre, width));
            assert!(ratio < 1.0, "{centre} {width}: {ratio}");
        }
    }

    #[test]
    fn the_chi_square_test_detects_a_truncated_tail() {
        // Cut at s log10(n), as in published code: about three standard deviations for n = 16.
        let (width, mut stream) = (20.0, Stream::new(&[b"cut"]));
        let reach = width * 16f64.log10();
        let ratio = chi_square(0.0, width, || loop {
            let drawn = sample(&mut stream, 0.0, width);
            if to_float(drawn).abs() <= reach {
                return drawn;
            }
        });
        assert!(ratio > 1.0, "{ratio}");
    }

    #[test]
    fn the_chi_square_test_detects_a_centre_that_is_rounded() {
        let mut stream = Stream::new(&[b"rounded"]);
        let ratio = chi_square(0.5, 20.0, || sample(&mut stream, 0.0, 20.0));
        assert!(ratio > 1.0, "{ratio}");
    }

    #[test]
    fn an_acceptance_of_exp_minus_x_is_as_frequent() {
        let mut stream = Stream::new(&[b"accept"]);
        for x in [0.0, 0.1, LN_2, 1.0, 5.0] {
            let accepted = (0..SAMPLES).filter(|_| accept(&mut stream, x)).count();
            let share = f64::from(u32::try_from(accepted).unwrap()) / f64::from(SAMPLES);
            assert!((share - (-x).exp()).abs() < 0.006, "{x}: {share}");
        }
        assert!(!(0..1000).any(|_| accept(&mut stream, 100.0)));
    }
}
