//! Numbers as words.

use crate::model::{MILLISECOND, SECOND};

/// Three digits that mean something.
pub(super) fn short(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Digits in groups of three.
pub(super) fn grouped(count: impl ToString) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{a0}');
        }
        out.push(digit);
    }
    out
}

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

/// A table, or nothing when it has no rows.
pub(super) fn table(title: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heads: Vec<_> = heads.iter().map(|head| (*head).to_owned()).collect();
    let rules: Vec<_> = heads.iter().map(|_| "---".to_owned()).collect();
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("### {title}\n\n{}{}{rows}", line(&heads), line(&rules))
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
        assert_eq!(grouped(1_234_567), "1\u{a0}234\u{a0}567");
    }

    #[test]
    fn a_table_without_rows_is_nothing() {
        assert_eq!(table("t", &["a"], &[]), "");
        assert_eq!(
            table("t", &["a", "b"], &[vec!["1".into(), "2".into()]]),
            "### t\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
        );
    }
}
