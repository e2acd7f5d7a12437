//! What Prometheus answers, decoded.

use crate::{Error, Result};
use serde_json::Value;
use std::collections::BTreeMap;

/// The labels of a series; its name is that of `__name__`.
pub type Labels = BTreeMap<String, String>;

/// The value of a series at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The series.
    pub labels: Labels,
    /// The value.
    pub value: f64,
}

/// A series over some time.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The series.
    pub labels: Labels,
    /// Seconds since 1970, and the value then.
    pub points: Vec<(f64, f64)>,
}

/// A node that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its address.
    pub instance: String,
    /// Whether it answered the last time.
    pub health: String,
    /// Why it did not, if it did not.
    pub error: String,
}

/// A rule as it was loaded, with its state.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The group that it stands in.
    pub group: String,
    /// The name of the alert or of the series.
    pub name: String,
    /// The expression, as Prometheus writes it.
    pub expression: String,
    /// For how many seconds an alert must last.
    pub lasts: f64,
    /// Labels that it adds.
    pub labels: Labels,
    /// Texts for people.
    pub annotations: Labels,
    /// Whether its last evaluation went well: `ok`, or what else Prometheus says.
    pub health: String,
    /// The labels of each alert that has begun, and does not last long enough yet.
    pub pending: Vec<Labels>,
    /// The labels of each alert that fires.
    pub firing: Vec<Labels>,
}

/// The samples of an answer, whatever it is of.
pub(super) fn samples(data: &Value) -> Result<Vec<Sample>> {
    let result = data.get("result").ok_or_else(|| form("result", data))?;
    if data.get("resultType").and_then(Value::as_str) == Some("scalar") {
        let (_, value) = point(result)?;
        return Ok(vec![Sample {
            labels: Labels::new(),
            value,
        }]);
    }
    let samples = items(result)?.iter().map(|series| {
        Ok(Sample {
            labels: labels(series, "metric")?,
            value: point(field(series, "value")?)?.1,
        })
    });
    samples.collect()
}

pub(super) fn lines(data: &Value) -> Result<Vec<Line>> {
    let lines = items(field(data, "result")?)?.iter().map(|series| {
        let points = items(field(series, "values")?)?.iter().map(point);
        Ok(Line {
            labels: labels(series, "metric")?,
            points: points.collect::<Result<_>>()?,
        })
    });
    lines.collect()
}

pub(super) fn targets(data: &Value) -> Result<Vec<Target>> {
    let targets = items(field(data, "activeTargets")?)?.iter().map(|target| {
        let mut labels = labels(target, "labels")?;
        Ok(Target {
            instance: labels.remove("instance").unwrap_or_default(),
            health: text(target, "health")?,
            error: text(target, "lastError")?,
        })
    });
    targets.collect()
}

pub(super) fn rules(data: &Value) -> Result<Vec<Loaded>> {
    let mut loaded = Vec::new();
    for group in items(field(data, "groups")?)? {
        let name = text(group, "name")?;
        for rule in items(field(group, "rules")?)? {
            loaded.push(loaded_rule(&name, rule)?);
        }
    }
    Ok(loaded)
}

fn loaded_rule(group: &str, rule: &Value) -> Result<Loaded> {
    let is_alert = text(rule, "type")? == "alerting";
    let (mut pending, mut firing) = (Vec::new(), Vec::new());
    if is_alert {
        for alert in items(field(rule, "alerts")?)? {
            match text(alert, "state")?.as_str() {
                "firing" => firing.push(labels(alert, "labels")?),
                _ => pending.push(labels(alert, "labels")?),
            }
        }
    }
    let texts = |key| match rule.get(key) {
        Some(_) => labels(rule, key),
        None => Ok(Labels::new()),
    };
    Ok(Loaded {
        group: group.to_owned(),
        name: text(rule, "name")?,
        expression: text(rule, "query")?,
        lasts: rule.get("duration").and_then(Value::as_f64).unwrap_or(0.0),
        labels: texts("labels")?,
        annotations: texts("annotations")?,
        health: match rule.get("lastError").and_then(Value::as_str) {
            Some(error) => error.to_owned(),
            None => text(rule, "health")?,
        },
        pending,
        firing,
    })
}

/// `[seconds, "value"]`; Prometheus writes `NaN` and `+Inf` as Rust reads them.
fn point(value: &Value) -> Result<(f64, f64)> {
    let parsed = || {
        let [seconds, value] = value.as_array()?.as_slice() else {
            return None;
        };
        Some((seconds.as_f64()?, value.as_str()?.parse().ok()?))
    };
    parsed().ok_or_else(|| form("a time and a value", value))
}

fn field<'a>(value: &'a Value, key: &str) -> Result<&'a Value> {
    value.get(key).ok_or_else(|| form(key, value))
}

fn items(value: &Value) -> Result<&[Value]> {
    let items = value.as_array().map(Vec::as_slice);
    items.ok_or_else(|| form("a list", value))
}

fn text(value: &Value, key: &str) -> Result<String> {
    let text = value.get(key).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| form(key, value))
}

fn labels(value: &Value, key: &str) -> Result<Labels> {
    let entries = field(value, key)?.as_object();
    let entries = entries.ok_or_else(|| form(key, value))?;
    let labels = entries.iter().map(|(name, value)| {
        let value = value.as_str().ok_or_else(|| form(name, value))?;
        Ok((name.clone(), value.to_owned()))
    });
    labels.collect()
}

fn form(what: &str, value: &Value) -> Error {
    let mut shown = value.to_string();
    shown.truncate(shown.floor_char_boundary(200));
    Error::Form(format!("{what} in Prometheus's answer {shown}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn samples_of_vectors_and_of_scalars_are_read() {
        let vector = json!({"resultType": "vector", "result": [
            {"metric": {"__name__": "up", "job": "duet"}, "value": [5.5, "1"]},
            {"metric": {}, "value": [5.5, "+Inf"]},
        ]});
        let found = samples(&vector).expect("an answer");
        let [first, second] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((first.labels["job"].as_str(), first.value), ("duet", 1.0));
        assert_eq!(second.value, f64::INFINITY);
        let scalar = json!({"resultType": "scalar", "result": [5.5, "7"]});
        assert_eq!(samples(&scalar).expect("an answer")[0].value, 7.0);
    }

    #[test]
    fn rules_are_read_with_their_state() {
        let data = json!({"groups": [{"name": "g", "rules": [
            {"type": "alerting", "name": "A", "query": "up == 0", "duration": 120, "labels": {"severity": "x"}, "annotations": {},
             "health": "ok", "alerts": [
                {"state": "pending", "labels": {"instance": "a"}},
                {"state": "firing", "labels": {"instance": "b"}},
             ]},
            {"type": "recording", "name": "r", "query": "up", "health": "err", "lastError": "no"},
        ]}]});
        let found = rules(&data).expect("an answer");
        let [alert, series] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((alert.lasts, alert.health.as_str()), (120.0, "ok"));
        let instance = |name: &str| Labels::from([("instance".to_owned(), name.to_owned())]);
        assert_eq!(alert.pending, [instance("a")]);
        assert_eq!(alert.firing, [instance("b")]);
        assert_eq!((series.health.as_str(), series.firing.len()), ("no", 0));
    }

    #[test]
    fn an_answer_of_another_form_is_an_error_that_shows_it() {
        let error = samples(&json!({"resultType": "vector", "result": [{"metric": {}}]}));
        let shown = error.expect_err("no value").to_string();
        assert_eq!(
            shown,
            "value in Prometheus's answer {\"metric\":{}} is missing or malformed"
        );
    }
}
