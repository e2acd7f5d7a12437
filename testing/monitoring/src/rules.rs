//! `monitoring/rules.yml`, and the tests of it in `monitoring/rules_test.yml`.

use crate::{yaml, Error, Result};
use serde_json::{json, Map, Value};
use std::{collections::BTreeMap, fs, path::Path};

/// Where the rules are, from the repository's root.
pub const FILE: &str = "monitoring/rules.yml";
/// Where their tests are.
pub const TESTS: &str = "monitoring/rules_test.yml";
/// What the names of groups in [`hurried`] begin with.
pub const HURRIED: &str = "hurried-";

/// What a rule makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    /// An alert.
    Alert,
    /// A series.
    Series,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The group that it stands in.
    pub group: String,
    /// What it makes.
    pub makes: Makes,
    /// The name of that.
    pub name: String,
    /// The expression.
    pub expression: String,
    /// How long the expression must have a value before the alert fires, as it is written; empty for at once.
    pub lasts: String,
    /// Labels that it adds.
    pub labels: BTreeMap<String, String>,
    /// Texts for people.
    pub annotations: BTreeMap<String, String>,
}

/// Reads the rules.
///
/// # Errors
/// [`Error`] when the file cannot be read, or a rule has not the form of one.
pub fn read(root: &Path) -> Result<Vec<Rule>> {
    let file = load(root, FILE)?;
    let mut rules = Vec::new();
    for group in list(&file, "groups")? {
        let name = text(group, "name")?;
        for rule in list(group, "rules")? {
            rules.push(Rule::new(&name, rule)?);
        }
    }
    Ok(rules)
}

/// A test of an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The alert.
    pub alert: String,
    /// How many fire.
    pub firing: usize,
}

/// Reads the tests.
///
/// # Errors
/// The same as of [`read`].
pub fn read_tests(root: &Path) -> Result<Vec<Case>> {
    let file = load(root, TESTS)?;
    let mut cases = Vec::new();
    for test in list(&file, "tests")? {
        for case in test.get("alert_rule_test").map_or(Ok(&[][..]), items)? {
            cases.push(Case {
                alert: text(case, "alertname")?,
                firing: list(case, "exp_alerts")?.len(),
            });
        }
    }
    Ok(cases)
}

/// The names of groups in the order in which the tests evaluate them.
///
/// # Errors
/// The same as of [`read`].
pub fn read_order(root: &Path) -> Result<Vec<String>> {
    let file = load(root, TESTS)?;
    let names = list(&file, "group_eval_order")?.iter().map(|name| {
        let text = name.as_str().map(str::to_owned);
        text.ok_or_else(|| Error::Form(format!("a name where {name} is")))
    });
    names.collect()
}

/// A file of rules with the alerts of these names, for which a minute is a second: what takes minutes to fire is seen in seconds.
pub fn hurried(rules: &[Rule], names: &[&str]) -> String {
    let chosen = rules
        .iter()
        .filter(|rule| names.contains(&rule.name.as_str()));
    let groups = chosen.map(|rule| {
        let mut alert = Map::new();
        alert.insert("alert".into(), rule.name.clone().into());
        alert.insert("expr".into(), hurry(&rule.expression).into());
        if !rule.lasts.is_empty() {
            alert.insert("for".into(), hurry(&rule.lasts).into());
        }
        alert.insert("labels".into(), json!(rule.labels));
        json!({ "name": format!("{HURRIED}{}", rule.name), "rules": [alert] })
    });
    // JSON is YAML.
    json!({ "groups": groups.collect::<Vec<_>>() }).to_string()
}

/// The text with every duration in seconds, of which there is one for each minute.
fn hurry(text: &str) -> String {
    let mut hurried = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let digits = rest.len()
            - rest
                .trim_start_matches(|sign: char| sign.is_ascii_digit())
                .len();
        let (number, after) = rest.split_at(digits);
        let begins =
            !before.is_some_and(|sign: char| sign.is_alphanumeric() || "_.".contains(sign));
        match duration(number, after).filter(|_| begins) {
            Some((minutes, after)) => {
                hurried.push_str(&format!("{minutes}s"));
                (before, rest) = (Some('s'), after);
            }
            None => {
                hurried.push(sign);
                before = Some(sign);
                rest = rest.get(sign.len_utf8()..).unwrap_or_default();
            }
        }
    }
    hurried
}

/// How many minutes a number and its unit are, and what is behind them.
fn duration<'a>(number: &str, after: &'a str) -> Option<(u64, &'a str)> {
    let units = [('m', 1), ('h', 60), ('d', 1_440)];
    let (rest, minutes) = units
        .iter()
        .find_map(|(unit, minutes)| Some((after.strip_prefix(*unit)?, minutes)))?;
    let ends = !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_');
    let number: u64 = number.parse().ok().filter(|_| ends)?;
    Some((number.checked_mul(*minutes)?, rest))
}

impl Rule {
    fn new(group: &str, rule: &Value) -> Result<Self> {
        let (makes, key) = if rule.get("alert").is_some() {
            (Makes::Alert, "alert")
        } else {
            (Makes::Series, "record")
        };
        Ok(Self {
            group: group.to_owned(),
            makes,
            name: text(rule, key)?,
            expression: text(rule, "expr")?,
            lasts: rule
                .get("for")
                .map_or(Ok(String::new()), |_| text(rule, "for"))?,
            labels: texts(rule, "labels")?,
            annotations: texts(rule, "annotations")?,
        })
    }
}

fn load(root: &Path, name: &str) -> Result<Value> {
    let path = root.join(name);
    let failed = Error::io(format!("reading {}", path.display()));
    yaml::read(&fs::read_to_string(&path).map_err(failed)?)
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value]> {
    let found = value.get(key).ok_or_else(|| Error::Form(key.to_owned()))?;
    items(found)
}

fn items(value: &Value) -> Result<&[Value]> {
    let items = value.as_array().map(Vec::as_slice);
    items.ok_or_else(|| Error::Form(format!("a list where {value} is")))
}

fn text(value: &Value, key: &str) -> Result<String> {
    let text = value.get(key).and_then(Value::as_str);
    text.map(str::to_owned)
        .ok_or_else(|| Error::Form(format!("the text `{key}` of {value}")))
}

fn texts(value: &Value, key: &str) -> Result<BTreeMap<String, String>> {
    let Some(entries) = value.get(key) else {
        return Ok(BTreeMap::new());
    };
    let entries = entries
        .as_object()
        .ok_or_else(|| Error::Form(format!("`{key}` of {value}")))?;
    let texts = entries
        .keys()
        .map(|name| Ok((name.clone(), text(&value[key], name)?)));
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_become_seconds_and_nothing_else_does() {
        for (text, expected) in [
            ("4h", "240s"),
            (
                "max_over_time(duet:x5m[10m]) > 3",
                "max_over_time(duet:x5m[10s]) > 3",
            ),
            ("a offset 1h unless b[1d]", "a offset 60s unless b[1440s]"),
            (
                "rate(a{le=\"0.005\"}[30s]) + 5 * m",
                "rate(a{le=\"0.005\"}[30s]) + 5 * m",
            ),
            (
                "duet:slow:ratio_rate5m > 1.5",
                "duet:slow:ratio_rate5m > 1.5",
            ),
        ] {
            assert_eq!(hurry(text), expected);
        }
    }
}
