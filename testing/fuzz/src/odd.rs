//! The cases of [`duet_curve::testing`] by name. Their verdicts are left out: what is asserted here comes from `judge`.

use duet_curve::testing::{self, Case};
use std::sync::LazyLock;

pub use duet_curve::testing::{compress, small_g1, small_g2, G1_ORDERS, G2_ORDERS};

/// An encoding with its description.
pub type Odd<const N: usize> = (String, [u8; N]);

/// Encodings that a point of G1 may be replaced with; the first is the generator.
pub static G1: LazyLock<Vec<Odd<48>>> = LazyLock::new(|| testing::G1.iter().map(named).collect());

/// Encodings that a point of G2 may be replaced with; the first is the generator.
pub static G2: LazyLock<Vec<Odd<96>>> = LazyLock::new(|| testing::G2.iter().map(named).collect());

/// Scalars of interest, little-endian.
pub static SCALARS: LazyLock<Vec<Odd<32>>> = LazyLock::new(|| {
    let scalars = testing::SCALARS.iter();
    scalars
        .map(|case| (case.name.to_owned(), case.bytes))
        .collect()
});

fn named<const N: usize>(case: &Case<N>) -> Odd<N> {
    (case.name.clone(), case.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;

    #[test]
    fn the_judge_has_the_verdict_of_every_case() {
        for case in testing::G1.iter() {
            let found = judge::g1(&case.bytes).map(|_| ());
            assert_eq!(found, case.verdict, "G1: {}", case.name);
        }
        for case in testing::G2.iter() {
            let found = judge::g2(&case.bytes).map(|_| ());
            assert_eq!(found, case.verdict, "G2: {}", case.name);
        }
        for case in testing::SCALARS.iter() {
            let found = judge::scalar(&case.bytes).is_some();
            assert_eq!(found, case.is_scalar, "{}", case.name);
        }
    }
}
