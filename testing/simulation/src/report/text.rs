//! Times and lengths in the unit that suits them.

use crate::model::{MILLISECOND, SECOND};
use duet_bench_report::text::short;

/// A time in the unit that suits it.
pub(super) fn time(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    if nanoseconds >= SECOND {
        format!("{} s", short(value / SECOND as f64))
    } else if nanoseconds >= MILLISECOND {
        format!("{} ms", short(value / MILLISECOND as f64))
    } else {
        format!("{} µs", short(value / 1e3))
    }
}

/// A length in the unit that suits it.
pub(super) fn bytes(count: u64) -> String {
    const KILO: f64 = 1e3;
    let value = count as f64;
    if value >= KILO * KILO {
        format!("{} MB", short(value / KILO / KILO))
    } else {
        format!("{} kB", short(value / KILO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_unit_that_suits_them() {
        assert_eq!(time(1_500), "1.50 µs");
        assert_eq!(time(250 * MILLISECOND), "250 ms");
        assert_eq!(time(12_340 * MILLISECOND), "12.3 s");
        assert_eq!(bytes(317), "0.317 kB");
        assert_eq!(bytes(45_600_000), "45.6 MB");
    }
}
