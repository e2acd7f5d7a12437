//! `operations/monitoring/rules.yml`, and the tests of it in `operations/monitoring/rules_test.yml`.

use crate::{expression, Error, Result};
use serde::{de::IgnoredAny, Deserialize};
use serde_json::{json, Map};
use std::{collections::BTreeMap, fs, path::Path};

/// Where the rules are, from the repository's root.
pub const FILE: &str = "operations/monitoring/rules.yml";
/// Where their tests are.
pub const TESTS: &str = "operations/monitoring/rules_test.yml";
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

/// Reads the rules. What Prometheus would refuse, a key for the second time or one that is unknown, is refused here too.
///
/// # Errors
/// [`Error`] when the file cannot be read, or a rule has not the form of one.
pub fn read(root: &Path) -> Result<Vec<Rule>> {
    rules(&text(root, FILE)?)
}

/// A test of an alert.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// The alert.
    #[serde(rename = "alertname")]
    pub alert: String,
    /// What fires.
    #[serde(rename = "exp_alerts")]
    pub firing: Vec<IgnoredAny>,
}

/// Reads the tests.
///
/// # Errors
/// The same as of [`read`].
pub fn read_tests(root: &Path) -> Result<Vec<Case>> {
    let tests = tests(root)?.tests.into_iter();
    Ok(tests.flat_map(|test| test.alert_rule_test).collect())
}

/// The names of groups in the order in which the tests evaluate them.
///
/// # Errors
/// The same as of [`read`].
pub fn read_order(root: &Path) -> Result<Vec<String>> {
    Ok(tests(root)?.group_eval_order)
}

/// A file of rules with the alerts of these names, for which a minute is a second: what takes minutes to fire is seen in seconds.
///
/// # Errors
/// [`Error`] for an expression or a duration that is none.
pub fn hurried(rules: &[Rule], names: &[&str]) -> Result<String> {
    let chosen = rules
        .iter()
        .filter(|rule| names.contains(&rule.name.as_str()));
    let groups = chosen.map(|rule| {
        let mut alert = Map::new();
        alert.insert("alert".into(), rule.name.clone().into());
        let expression = expression::hurried(&rule.expression)?;
        alert.insert("expr".into(), expression.into());
        if !rule.lasts.is_empty() {
            let lasts = expression::hurried_duration(&rule.lasts)?;
            alert.insert("for".into(), lasts.into());
        }
        alert.insert("labels".into(), json!(rule.labels));
        Ok(json!({ "name": format!("{HURRIED}{}", rule.name), "rules": [alert] }))
    });
    let groups = groups.collect::<Result<Vec<_>>>()?;
    // JSON is YAML.
    Ok(json!({ "groups": groups }).to_string())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Groups {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    rules: Vec<Written>,
}

/// A rule as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    alert: Option<String>,
    record: Option<String>,
    expr: String,
    #[serde(default, rename = "for")]
    lasts: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Tests {
    group_eval_order: Vec<String>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    #[serde(default)]
    alert_rule_test: Vec<Case>,
}

impl Written {
    fn of_group(self, group: &str) -> Result<Rule> {
        let (makes, name) = match (self.alert, self.record) {
            (Some(name), None) => (Makes::Alert, name),
            (None, Some(name)) => (Makes::Series, name),
            _ => {
                return Err(Error::Form(format!(
                    "`alert` or `record` of `{}`",
                    self.expr
                )))
            }
        };
        Ok(Rule {
            group: group.to_owned(),
            makes,
            name,
            expression: self.expr,
            lasts: self.lasts,
            labels: self.labels,
            annotations: self.annotations,
        })
    }
}

fn rules(text: &str) -> Result<Vec<Rule>> {
    let file: Groups = serde_saphyr::from_str(text).map_err(Error::yaml(FILE))?;
    let of_group = |Group { name, rules }: Group| {
        let rules = rules.into_iter();
        rules.map(move |rule| rule.of_group(&name))
    };
    file.groups.into_iter().flat_map(of_group).collect()
}

fn tests(root: &Path) -> Result<Tests> {
    serde_saphyr::from_str(&text(root, TESTS)?).map_err(Error::yaml(TESTS))
}

fn text(root: &Path, name: &str) -> Result<String> {
    let path = root.join(name);
    let failed = Error::io(format!("reading {}", path.display()));
    fs::read_to_string(&path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "
groups:
  - name: one
    rules:
      - alert: A
        # A comment.
        expr: >-
          up == 0
          and b{c=\"d\"} # no comment

        for: 2m
        annotations:
          summary: \"it's: # here\"
      - record: b
        expr: 'say{a=\"''x''\"}'
";

    #[test]
    fn rules_are_read_in_their_order() {
        let read = rules(RULES).expect("rules");
        let [alert, series] = read.as_slice() else {
            panic!("{read:?}")
        };
        assert_eq!((alert.makes, series.makes), (Makes::Alert, Makes::Series));
        assert_eq!((alert.group.as_str(), alert.name.as_str()), ("one", "A"));
        assert_eq!(alert.expression, "up == 0 and b{c=\"d\"} # no comment");
        assert_eq!(alert.lasts, "2m");
        assert_eq!(alert.annotations["summary"], "it's: # here");
        assert_eq!(series.expression, "say{a=\"'x'\"}");
    }

    #[test]
    fn keys_that_are_unknown_or_missing_or_stand_twice_are_refused() {
        for (now, then, expected) in [
            ("for: 2m", "fore: 2m", "unknown field `fore`"),
            ("for: 2m", "expr: b", "duplicate"),
            ("expr: 'say", "for: 'say", "missing field `expr`"),
            (
                "record: b",
                "alert: b\n        record: b",
                "`alert` or `record`",
            ),
        ] {
            assert!(RULES.contains(now));
            let error = rules(&RULES.replace(now, then))
                .expect_err(then)
                .to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
