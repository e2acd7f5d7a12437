//! A panel, as the rows describe it.
//!
//! Expressions have two abbreviations: `@name` is the series `substrate_duet_name` of the nodes that the variables choose, `%name`
//! the series `substrate_name` of the SDK, and `[~]` the time that Grafana finds right for a rate.

use crate::{panels::Shape, sources::PREFIX};

/// What the metrics of the SDK begin with.
const OF_SDK: &str = "substrate_";
/// The nodes that the variables choose.
const CHOSEN: &str = r#"job=~"$job",instance=~"$instance""#;

/// The names of series by node.
pub(super) const NODE: &str = "{{instance}}";

/// A unit, as Grafana names it.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// Blocks, validators, votes: a number without a unit.
    Number,
    PerSecond,
    PerMinute,
    Seconds,
    Microseconds,
    Percent,
    Ratio,
    Bytes,
    BytesPerSecond,
    /// 0 or 1.
    Flag,
}

impl Unit {
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Number | Self::Flag => "none",
            Self::PerSecond => "cps",
            Self::PerMinute => "cpm",
            Self::Seconds => "s",
            Self::Microseconds => "µs",
            Self::Percent => "percent",
            Self::Ratio => "percentunit",
            Self::Bytes => "bytes",
            Self::BytesPerSecond => "Bps",
        }
    }
}

/// A row of panels, under its title.
pub(super) struct Row {
    pub(super) title: &'static str,
    pub(super) panels: Vec<Panel>,
}

/// One panel.
pub(super) struct Panel {
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) shape: Shape,
    pub(super) unit: Unit,
    /// From which value on it is shown in which colour.
    pub(super) steps: Vec<(f64, &'static str)>,
    /// The colour below the first of these.
    pub(super) base: &'static str,
    /// Expressions, written out, and the names of their series.
    pub(super) queries: Vec<(String, &'static str)>,
}

impl Panel {
    /// Lines.
    pub(super) fn graph(title: &'static str, unit: Unit, description: &'static str) -> Self {
        Self::new(Shape::Graph, title, unit, description)
    }

    /// A number.
    pub(super) fn number(title: &'static str, unit: Unit, description: &'static str) -> Self {
        Self::new(Shape::Number, title, unit, description)
    }

    fn new(shape: Shape, title: &'static str, unit: Unit, description: &'static str) -> Self {
        Self {
            title,
            description,
            shape,
            unit,
            steps: Vec::new(),
            base: "green",
            queries: Vec::new(),
        }
    }

    /// Shows the series of an expression.
    pub(super) fn query(mut self, legend: &'static str, expression: &str) -> Self {
        self.queries.push((written_out(expression), legend));
        self
    }

    /// Orange from this value on.
    pub(super) fn warns_from(mut self, value: f64) -> Self {
        self.steps.push((value, "orange"));
        self
    }

    /// Red from this value on.
    pub(super) fn alarms_from(mut self, value: f64) -> Self {
        self.steps.push((value, "red"));
        self
    }

    /// Red below this value.
    pub(super) fn alarms_below(mut self, value: f64) -> Self {
        self.base = "red";
        self.steps.push((value, "green"));
        self
    }
}

/// The expression without abbreviations.
fn written_out(expression: &str) -> String {
    let expression = expression.replace("[~]", "[$__rate_interval]");
    let mut written = String::new();
    let mut rest = expression.as_str();
    while let Some(at) = rest.find(['@', '%']) {
        let (before, name) = rest.split_at(at);
        let prefix = if name.starts_with('@') {
            PREFIX
        } else {
            OF_SDK
        };
        let name = name.get(1..).unwrap_or_default();
        let is_in_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let end = name.find(|sign| !is_in_name(sign)).unwrap_or(name.len());
        let (name, after) = name.split_at(end);
        written.push_str(&format!("{before}{prefix}{name}{{{CHOSEN}"));
        rest = match after.strip_prefix('{') {
            Some(labels) => {
                written.push(',');
                labels
            }
            None => {
                written.push('}');
                after
            }
        };
    }
    written.push_str(rest);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_written_out() {
        for (short, long) in [
            (
                "max(@a)",
                r#"max(substrate_duet_a{job=~"$job",instance=~"$instance"})"#,
            ),
            (
                r#"rate(%b{c="d"}[~]) - @e"#,
                r#"rate(substrate_b{job=~"$job",instance=~"$instance",c="d"}[$__rate_interval]) - substrate_duet_e{job=~"$job",instance=~"$instance"}"#,
            ),
            ("vector(0)", "vector(0)"),
        ] {
            assert_eq!(written_out(short), long);
        }
    }
}
