//! How tables and numbers are written in Markdown.

/// A table, or nothing when it has no rows.
pub fn table(title: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    format!("### {title}\n\n{}", bare_table(heads, rows))
}

/// A table without a title.
pub(crate) fn bare_table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heads: Vec<_> = heads.iter().map(|head| (*head).to_owned()).collect();
    let rules: Vec<_> = heads.iter().map(|_| "---".to_owned()).collect();
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{}{rows}", line(&heads), line(&rules))
}

/// At least three significant digits; three decimals at most.
pub fn short(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A time in milliseconds or microseconds.
pub(crate) fn time(nanoseconds: f64) -> String {
    if nanoseconds >= 1e6 {
        format!("{} ms", short(nanoseconds / 1e6))
    } else {
        format!("{} µs", short(nanoseconds / 1e3))
    }
}

/// Digits in groups of three.
pub fn grouped(count: impl ToString) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_written_in_groups() {
        assert_eq!(grouped(1_234_567), "1\u{a0}234\u{a0}567");
        assert_eq!(grouped(123), "123");
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
