//! Runs every query of the dashboard and every rule on a Prometheus that reads real nodes.
//!
//! What is found wrong is collected and reported together. What this cannot find: whether Grafana draws the panels as it should.
//! It is in no package registry that the tests have; its types are held against the file by `testing/monitoring/grafana`.

use crate::{
    expression::{self, metric, selectors},
    panels::{self, Panel},
    prometheus::{Loaded, Prometheus},
    rules::{self, Rule},
    Error, Result,
};
use promql_parser::parser::VectorSelector;
use std::{collections::BTreeSet, fs, path::Path, thread::sleep, time::Duration};

/// Over how many seconds rates are taken.
pub const RATE_SECONDS: u64 = 15;
/// How long nodes may take to show all that they will.
const SHOW_LIMIT: Duration = Duration::from_secs(60);
/// How long a healthy network may take until no alert has begun: what the first moments look like passes.
const CALM_LIMIT: Duration = Duration::from_secs(60);
/// How long an alert of [`rules::hurried`] may take after its cause.
const FIRE_LIMIT: Duration = Duration::from_secs(60);

/// Alerts whose cause a test makes, and which are therefore loaded a second time, with seconds for minutes.
pub const WATCHED: [&str; 2] = ["DuetNodeDown", "DuetNoSpareSigners"];

/// Alerts that are about the machine more than about the network, and may begin on one that is busy with tests.
pub const OF_THE_MACHINE: [(&str, &str); 1] = [(
    "DuetLoopSlow",
    "several nodes share a machine with whatever else is tested there",
)];

/// How metrics begin of which a healthy network may have no series, and why.
pub const RIGHTLY_ABSENT: [(&str, &str); 2] = [
    (
        "substrate_rpc_calls_",
        "have a series for each method, from its first call on",
    ),
    (
        "substrate_duet_recovery_",
        "are shown where the chain has recovery, from the next minute on",
    ),
];

/// A Prometheus with our rules, and the dashboard that it is asked about.
#[derive(Debug)]
pub struct Live {
    prometheus: Prometheus,
    rules: Vec<Rule>,
    panels: Vec<Panel>,
}

impl Live {
    /// Starts Prometheus with the rules of the repository at `root`, and waits until it reads all these nodes.
    ///
    /// # Errors
    /// [`Error`] when it does not start, or a node does not answer.
    pub fn start(program: &Path, root: &Path, nodes: &[String]) -> Result<Self> {
        let rules = rules::read(root)?;
        let file = root.join(rules::FILE);
        let text = fs::read_to_string(&file);
        let text = text.map_err(Error::io(format!("reading {}", file.display())))?;
        let files = [
            ("rules.yml", text),
            ("hurried.yml", rules::hurried(&rules, &WATCHED)?),
        ];
        let mut prometheus = Prometheus::start(program, nodes, &files)?;
        prometheus.wait("all nodes to answer", SHOW_LIMIT, |prometheus| {
            let targets = prometheus.targets()?;
            let up = targets.iter().filter(|target| target.health == "up");
            Ok(match up.count() == nodes.len() {
                true => Ok(()),
                false => Err(format!("{targets:?}")),
            })
        })?;
        Ok(Self {
            prometheus,
            rules,
            panels: panels::read(root)?,
        })
    }

    /// The Prometheus.
    pub fn prometheus(&self) -> &Prometheus {
        &self.prometheus
    }

    /// The panels of the dashboard.
    pub fn panels(&self) -> &[Panel] {
        &self.panels
    }

    /// Goes on reading until it has done so for this long.
    pub fn read_for(&self, time: Duration) {
        sleep(time.saturating_sub(self.prometheus.age()));
    }

    /// Checks everything that holds on a healthy network.
    ///
    /// Every query of the dashboard and every expression of the rules is answered; each query and each metric that a rule names has a
    /// series, but for [`RIGHTLY_ABSENT`]; the rules are loaded as [`rules::read`] reads them; none is in error, and
    /// no alert fires or waits to fire, but for [`OF_THE_MACHINE`] and those that are `expected`.
    ///
    /// # Errors
    /// [`Error::Findings`] with all that does not hold, and others when Prometheus does not answer.
    pub fn check(&mut self, expected: &[&str]) -> Result<()> {
        let mut findings = Vec::new();
        for (place, expression) in self.asked()? {
            let answered = self.has_series(&expression);
            findings.extend(answered?.map(|problem| format!("{place}: `{expression}` {problem}")));
        }
        for rule in &self.rules {
            if let Err(error) = self.prometheus.query(&rule.expression) {
                findings.push(format!("rule {}: {error}", rule.name));
            }
        }
        findings.extend(self.compare_rules(expected)?);
        if findings.is_empty() {
            Ok(())
        } else {
            Err(Error::Findings(findings))
        }
    }

    /// What must have series: the queries of the dashboard, and the metrics that rules name.
    fn asked(&self) -> Result<Vec<(String, String)>> {
        let queries = self.panels.iter().flat_map(|panel| {
            let of_panel = |query: &panels::Query| {
                (
                    format!("panel {} / {}", panel.row, panel.title),
                    query.for_all(RATE_SECONDS),
                )
            };
            panel.queries.iter().map(of_panel)
        });
        let mut metrics = BTreeSet::new();
        for rule in &self.rules {
            let selected = selectors(&rule.expression)?.all.into_iter();
            metrics.extend(selected.map(|series| {
                // What is there now, and not what was there once.
                let now = VectorSelector::new(series.name, series.matchers);
                now.to_string()
            }));
        }
        let metrics = metrics.into_iter().map(|text| ("a rule".to_owned(), text));
        Ok(queries.chain(metrics).collect())
    }

    /// Waits for a series, unless there need not be one. Says what is wrong.
    fn has_series(&mut self, expression: &str) -> Result<Option<String>> {
        let may_be_absent = selectors(expression)?.all.iter().any(|series| {
            let metric = metric(series);
            let begins = |(absent, _): &(&str, _)| metric.starts_with(absent);
            RIGHTLY_ABSENT.iter().any(begins)
        });
        let look = |prometheus: &mut Prometheus| {
            Ok(match prometheus.query(expression)?.as_slice() {
                [] if !may_be_absent => Err("no series".to_owned()),
                _ => Ok(()),
            })
        };
        match self.prometheus.wait("a series", self.patience(), look) {
            Ok(()) => Ok(None),
            Err(Error::TimedOut { .. }) => Ok(Some("has no series".to_owned())),
            Err(Error::Refused { message, .. }) => Ok(Some(format!("is refused: {message}"))),
            Err(other) => Err(other),
        }
    }

    /// How long a query may take to have a series: until rates can be taken, from when the nodes were first read.
    fn patience(&self) -> Duration {
        SHOW_LIMIT.saturating_sub(self.prometheus.age())
    }

    /// Waits until all rules have been evaluated and no other alert has begun, and compares the rules with the file.
    fn compare_rules(&mut self, expected: &[&str]) -> Result<Vec<String>> {
        let look = |prometheus: &mut Prometheus| {
            let rules = prometheus.rules()?;
            let problems: Vec<_> = rules
                .iter()
                .flat_map(|rule| problems(rule, expected))
                .collect();
            Ok(match problems.is_empty() {
                true => Ok(()),
                false => Err(problems.join("\n")),
            })
        };
        let mut findings = Vec::new();
        match self
            .prometheus
            .wait("rules and no alerts", CALM_LIMIT, look)
        {
            Ok(()) => {}
            Err(Error::TimedOut { last, .. }) => findings.push(last),
            Err(other) => return Err(other),
        }
        let loaded = self.prometheus.rules()?;
        let (hurried, plain): (Vec<_>, Vec<_>) = loaded
            .iter()
            .partition(|rule| rule.group.starts_with(rules::HURRIED));
        let hurried: BTreeSet<_> = hurried.iter().map(|rule| rule.name.as_str()).collect();
        if hurried != BTreeSet::from(WATCHED) {
            findings.push(format!("unexpected watched alerts: {hurried:?}"));
        }
        if plain.len() != self.rules.len() {
            let (loaded, read) = (plain.len(), self.rules.len());
            findings.push(format!(
                "Prometheus loaded {loaded} rules, but the file has {read}"
            ));
        }
        // Prometheus sorts the groups.
        let lost = |rule: &&Rule| !plain.iter().any(|loaded| is_same(rule, loaded));
        let lost = self.rules.iter().filter(lost);
        findings.extend(lost.map(|rule| format!("rule not loaded as in the file: {rule:?}")));
        Ok(findings)
    }

    /// Waits until one of the [`WATCHED`] alerts fires, with this label, and says with which labels.
    ///
    /// # Errors
    /// [`Error::TimedOut`] with what fires instead.
    pub fn wait_until_firing(&mut self, alert: &str, label: (&str, &str)) -> Result<String> {
        let (name, value) = label;
        let group = format!("{}{alert}", rules::HURRIED);
        let what = format!("{alert} to fire with {name} {value}");
        self.prometheus.wait(&what, FIRE_LIMIT, |prometheus| {
            let loaded = prometheus.rules()?;
            let firing: Vec<_> = loaded
                .iter()
                .filter(|rule| rule.group == group)
                .flat_map(|rule| &rule.firing)
                .collect();
            let found = firing
                .iter()
                .find(|labels| labels.get(name).map(String::as_str) == Some(value));
            Ok(match found {
                Some(labels) => Ok(format!("{labels:?}")),
                None => Err(format!("{firing:?} fire")),
            })
        })
    }
}

/// What is wrong with a rule on a healthy network.
fn problems(rule: &Loaded, expected: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    if rule.health != "ok" {
        problems.push(format!("rule {}: {}", rule.name, rule.health));
    }
    let of_the_machine = OF_THE_MACHINE.iter().map(|(alert, _)| alert);
    if of_the_machine
        .chain(expected)
        .all(|alert| *alert != rule.name)
    {
        let begun = rule.pending.iter().chain(&rule.firing);
        problems.extend(begun.map(|labels| format!("alert {} has begun: {labels:?}", rule.name)));
    }
    problems
}

/// Whether Prometheus loaded what was read. It writes expressions and durations in a form of its own.
fn is_same(rule: &Rule, loaded: &Loaded) -> bool {
    let loaded_expression = expression::parse(&loaded.expression).ok();
    let lasts = expression::duration(&rule.lasts).ok();
    rule.group == loaded.group
        && rule.name == loaded.name
        && lasts.map(|lasts| lasts.as_secs_f64()) == Some(loaded.lasts)
        && rule.labels == loaded.labels
        && rule.annotations == loaded.annotations
        && expression::parse(&rule.expression).is_ok_and(|read| Some(read) == loaded_expression)
}
