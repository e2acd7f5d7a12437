//! Expressions of Prometheus: the metrics that they name, and the durations in them.

use crate::{Error, Result};
use promql_parser::{
    parser::{self, Expr, Offset, VectorSelector},
    util::{
        self,
        visitor::{self, ExprVisitor, ExprVisitorMut},
    },
};
use std::{convert::Infallible, time::Duration};

/// What a histogram's series end with.
const OF_HISTOGRAMS: [&str; 3] = ["_bucket", "_count", "_sum"];
/// Functions of series that only grow.
const RATES: [&str; 2] = ["rate", "increase"];
const SECONDS_IN_A_MINUTE: u32 = 60;

/// Selections of series, in the order of an expression.
#[derive(Debug, Default, PartialEq)]
pub struct Selectors {
    /// All of them.
    pub all: Vec<VectorSelector>,
    /// Those whose rate or increase is taken.
    pub rated: Vec<VectorSelector>,
}

/// Reads an expression.
///
/// # Errors
/// [`Error::Expression`] when it is none.
pub fn parse(expression: &str) -> Result<Expr> {
    parser::parse(expression).map_err(|problem| Error::Expression {
        expression: expression.to_owned(),
        problem,
    })
}

/// The series that an expression selects.
///
/// # Errors
/// The same as of [`parse`].
pub fn selectors(expression: &str) -> Result<Selectors> {
    Ok(selected(&parse(expression)?))
}

/// The metric of a selection, without the ending of a histogram's series.
pub fn metric(selector: &VectorSelector) -> &str {
    let name = selector.name.as_deref().unwrap_or_default();
    let base = OF_HISTOGRAMS.iter().find_map(|end| name.strip_suffix(end));
    base.unwrap_or(name)
}

/// The expression with a second for every minute.
///
/// # Errors
/// The same as of [`parse`].
pub fn hurried(expression: &str) -> Result<String> {
    let mut expression = parse(expression)?;
    let Ok(_) = visitor::walk_expr_mut(&mut Hurry, &mut expression);
    Ok(expression.to_string())
}

/// A duration of a rule with a second for every minute.
///
/// # Errors
/// [`Error::Form`] when it is none.
pub fn hurried_duration(text: &str) -> Result<String> {
    Ok(util::display_duration(
        &(duration(text)? / SECONDS_IN_A_MINUTE),
    ))
}

/// A duration of a rule; an empty text is none.
///
/// # Errors
/// [`Error::Form`] when it is none.
pub fn duration(text: &str) -> Result<Duration> {
    if text.is_empty() {
        return Ok(Duration::ZERO);
    }
    util::parse_duration(text).map_err(|_| Error::Form(format!("the duration {text}")))
}

fn selected(expression: &Expr) -> Selectors {
    let mut found = Selectors::default();
    let Ok(_) = visitor::walk_expr(&mut found, expression);
    found
}

impl ExprVisitor for Selectors {
    type Error = Infallible;

    fn pre_visit(&mut self, part: &Expr) -> std::result::Result<bool, Infallible> {
        match part {
            Expr::VectorSelector(series) => self.all.push(series.clone()),
            Expr::MatrixSelector(range) => self.all.push(range.vs.clone()),
            Expr::Call(call) if RATES.contains(&call.func.name) => {
                let arguments = call.args.args.iter();
                let rated = arguments.flat_map(|argument| selected(argument).all);
                self.rated.extend(rated);
            }
            _ => {}
        }
        Ok(true)
    }
}

/// Makes a second of every minute.
struct Hurry;

impl ExprVisitorMut for Hurry {
    type Error = Infallible;

    fn pre_visit(&mut self, part: &mut Expr) -> std::result::Result<bool, Infallible> {
        let (range, offset) = match part {
            Expr::VectorSelector(series) => (None, &mut series.offset),
            Expr::MatrixSelector(range) => (Some(&mut range.range), &mut range.vs.offset),
            Expr::Subquery(query) => {
                if let Some(step) = &mut query.step {
                    *step /= SECONDS_IN_A_MINUTE;
                }
                (Some(&mut query.range), &mut query.offset)
            }
            _ => return Ok(true),
        };
        if let Some(range) = range {
            *range /= SECONDS_IN_A_MINUTE;
        }
        if let Some(Offset::Pos(by) | Offset::Neg(by)) = offset {
            *by /= SECONDS_IN_A_MINUTE;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_metrics_are_found_and_functions_labels_and_texts_are_not() {
        let expression = r#"sum by (substrate) (rate(substrate_a_bucket{job="substrate_b",le="0.1"}[5m])) and on (job) up == 1
            or label_replace(duet:c, "x", "substrate_d", "", "") unless group_up offset 1h"#;
        let found = selectors(expression).expect("an expression");
        let texts =
            |found: &[VectorSelector]| found.iter().map(ToString::to_string).collect::<Vec<_>>();
        let rated = r#"substrate_a_bucket{job="substrate_b",le="0.1"}"#;
        assert_eq!(
            texts(&found.all),
            [rated, "up", "duet:c", "group_up offset 1h"]
        );
        assert_eq!(texts(&found.rated), [rated]);
    }

    #[test]
    fn series_of_a_histogram_are_of_one_metric() {
        for (name, expected) in [
            ("substrate_a_bucket", "substrate_a"),
            ("substrate_a_count", "substrate_a"),
            ("substrate_a_total", "substrate_a_total"),
        ] {
            assert_eq!(metric(&VectorSelector::from(name)), expected);
        }
    }

    #[test]
    fn an_expression_with_a_fault_is_refused_and_shown() {
        for fault in ["rate(a[5m]", "sum(a) by", "a{b=c}", "nosuch(a)"] {
            let error = selectors(fault).expect_err(fault).to_string();
            assert!(
                error.starts_with(&format!("`{fault}` is not a PromQL expression: ")),
                "{error}"
            );
        }
    }

    #[test]
    fn minutes_become_seconds_and_nothing_else_does() {
        for (text, expected) in [
            (
                "max_over_time(duet:x5m[10m]) > 3",
                "max_over_time(duet:x5m[10s]) > 3",
            ),
            (
                "a offset 1h unless rate(b[1d:5m])",
                "a offset 1m unless rate(b[24m:5s])",
            ),
            (
                r#"rate(a{le="0.005"}[3m] offset -2h) + 5 * m"#,
                r#"rate(a{le="0.005"}[3s] offset -2m) + 5 * m"#,
            ),
            (
                "duet:slow:ratio_rate5m > 1.5",
                "duet:slow:ratio_rate5m > 1.5",
            ),
        ] {
            assert_eq!(hurried(text).expect(text), expected);
        }
        assert_eq!(hurried_duration("4h").expect("a duration"), "4m");
    }

    #[test]
    fn durations_are_read_in_seconds() {
        for (text, expected) in [
            ("", Some(0)),
            ("2m", Some(120)),
            ("4h", Some(14_400)),
            ("2d", Some(172_800)),
            ("1h30m", Some(5_400)),
            ("m", None),
        ] {
            let expected = expected.map(Duration::from_secs);
            assert_eq!(duration(text).ok(), expected, "{text}");
        }
    }
}
