//! Which metrics an expression of Prometheus names.

/// Beginnings of the names that count: those of nodes, and those that our rules record.
const BEGINNINGS: [&str; 2] = ["substrate_", "duet:"];
/// Names that Prometheus itself has.
const OF_PROMETHEUS: [&str; 2] = ["up", "ALERTS"];
/// What a histogram's series end with.
const OF_HISTOGRAMS: [&str; 3] = ["_bucket", "_count", "_sum"];

/// A metric, and which of its series are meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selector {
    /// The name.
    pub name: String,
    /// The labels in braces, with these; empty if there are none.
    pub labels: String,
}

impl Selector {
    /// The metric, without what a histogram's series end with.
    pub fn metric(&self) -> &str {
        let base = OF_HISTOGRAMS
            .iter()
            .find_map(|end| self.name.strip_suffix(end));
        base.unwrap_or(&self.name)
    }

    /// As it stands in an expression.
    pub fn text(&self) -> String {
        format!("{}{}", self.name, self.labels)
    }
}

/// The metrics that an expression names, in their order.
pub fn selectors(expression: &str) -> Vec<Selector> {
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(start) = rest.find(begins_word) {
        rest = rest.get(start..).unwrap_or_default();
        if let Some(text) = rest.strip_prefix('"') {
            rest = text.split_once('"').map_or("", |(_, after)| after);
            continue;
        }
        let end = rest.find(|sign| !is_in_word(sign)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        if is_metric(word) {
            found.push(Selector {
                name: word.to_owned(),
                labels: braces(after).to_owned(),
            });
        }
    }
    found
}

fn begins_word(sign: char) -> bool {
    sign == '"' || is_in_word(sign)
}

fn is_in_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_' || sign == ':'
}

fn is_metric(word: &str) -> bool {
    OF_PROMETHEUS.contains(&word) || BEGINNINGS.iter().any(|begin| word.starts_with(begin))
}

/// The braces at the beginning, if any. No label of ours has a brace in its value.
fn braces(text: &str) -> &str {
    let end = text.find('}').filter(|_| text.starts_with('{'));
    end.and_then(|end| text.get(..=end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(expression: &str) -> Vec<String> {
        selectors(expression).iter().map(Selector::text).collect()
    }

    #[test]
    fn names_of_metrics_are_found_and_functions_labels_and_texts_are_not() {
        let expression = r#"sum by (substrate) (rate(substrate_a_bucket{le="0.1",job="substrate_b"}[5m])) and on (job) up == 1
            or label_replace(duet:c, "x", "substrate_d", "", "") unless group_up"#;
        let expected = [
            r#"substrate_a_bucket{le="0.1",job="substrate_b"}"#,
            "up",
            "duet:c",
        ];
        assert_eq!(names(expression), expected);
    }

    #[test]
    fn series_of_a_histogram_are_of_one_metric() {
        for (name, metric) in [
            ("substrate_a_bucket", "substrate_a"),
            ("substrate_a_count", "substrate_a"),
            ("substrate_a_total", "substrate_a_total"),
        ] {
            let found = selectors(name);
            let [selector] = found.as_slice() else {
                panic!("{found:?}")
            };
            assert_eq!(selector.metric(), metric);
        }
    }
}
