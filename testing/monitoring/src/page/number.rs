//! Numbers with their units, as people read them.

/// A value in a unit of Grafana's.
pub(super) fn text(value: f64, unit: &str) -> String {
    match unit {
        "s" if value.abs() < 1e-3 => format!("{} µs", short(value * 1e6)),
        "s" if value.abs() < 1.0 => format!("{} ms", short(value * 1e3)),
        "µs" if value.abs() >= 1e6 => format!("{} s", short(value / 1e6)),
        "µs" if value.abs() >= 1e3 => format!("{} ms", short(value / 1e3)),
        "percent" => format!("{} %", short(value)),
        "percentunit" => format!("{} %", short(value * 100.0)),
        "cps" => format!("{}/s", short(value)),
        "cpm" => format!("{}/min", short(value)),
        "bytes" => bytes(value),
        "Bps" => format!("{}/s", bytes(value)),
        "none" => short(value),
        other => format!("{} {other}", short(value)),
    }
}

fn bytes(value: f64) -> String {
    let units = [
        (1_073_741_824.0, "GiB"),
        (1_048_576.0, "MiB"),
        (1_024.0, "KiB"),
    ];
    let unit = units.iter().find(|(size, _)| value.abs() >= *size);
    match unit {
        Some((size, name)) => format!("{} {name}", short(value / size)),
        None => format!("{} B", short(value)),
    }
}

/// A whole number as it is, another one with three digits.
fn short(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 || value.fract() == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if digits > 0 {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// A text for HTML.
pub(super) fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_have_their_units() {
        for (value, unit, expected) in [
            (12_345.0, "none", "12345"),
            (0.0, "none", "0"),
            (2.5, "none", "2.5"),
            (0.000_25, "s", "250 µs"),
            (0.0051, "s", "5.1 ms"),
            (75.0, "s", "75 s"),
            (1_500.0, "µs", "1.5 ms"),
            (0.05, "percentunit", "5 %"),
            (1_572_864.0, "bytes", "1.5 MiB"),
            (100.0, "Bps", "100 B/s"),
            (30.25, "cpm", "30.2/min"),
        ] {
            assert_eq!(text(value, unit), expected);
        }
    }

    #[test]
    fn signs_of_html_are_escaped() {
        assert_eq!(escape("a<b>\"&"), "a&lt;b&gt;&quot;&amp;");
    }
}
