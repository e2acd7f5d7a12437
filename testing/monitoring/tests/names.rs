//! Rules, dashboard and pages name metrics that nodes have, and leave none out.

mod support;

use duet_monitoring::{
    expression::{metric, selectors, Selectors},
    live::{OF_THE_MACHINE, RATE_SECONDS, RIGHTLY_ABSENT, WATCHED},
    pages, panels,
    rules::{self, Makes},
    sources::{self, Kind, Metrics, PREFIX},
};
use std::collections::BTreeSet;
use support::repository;

fn registered() -> Metrics {
    let metrics = sources::read(&repository()).expect("readable sources");
    assert!(metrics.len() > 60, "only {} were found", metrics.len());
    metrics
}

/// Their names.
fn known() -> BTreeSet<String> {
    registered().into_keys().collect()
}

/// The series that all expressions select, of rules and dashboard.
fn selected() -> impl Iterator<Item = Selectors> {
    let rules = rules::read(&repository()).expect("rules").into_iter();
    let rules = rules.map(|rule| rule.expression);
    let expressions = rules.chain(queries());
    expressions.map(|text| selectors(&text).unwrap_or_else(|error| panic!("{error}")))
}

/// The metrics that they name.
fn used() -> BTreeSet<String> {
    selected().flat_map(|selected| metrics(&selected)).collect()
}

fn queries() -> impl Iterator<Item = String> {
    let panels = panels::read(&repository())
        .expect("a dashboard")
        .into_iter();
    let queries = panels.flat_map(|panel| panel.queries);
    queries.map(|query| query.for_all(RATE_SECONDS))
}

fn metrics(selected: &Selectors) -> Vec<String> {
    let series = selected.all.iter();
    series.map(|series| metric(series).to_owned()).collect()
}

fn none(names: impl IntoIterator<Item = String>, what: &str) {
    let names: Vec<_> = names.into_iter().collect();
    assert!(names.is_empty(), "{what}: {names:#?}");
}

#[test]
fn rules_and_dashboard_name_metrics_that_nodes_have() {
    let known = known();
    let ours = used().into_iter().filter(|name| name.starts_with(PREFIX));
    none(
        ours.filter(|name| !known.contains(name)),
        "no source registers",
    );
}

/// A name that is misspelt in its first letters would otherwise be nobody's.
#[test]
fn metrics_are_those_of_nodes_or_of_our_rules_or_of_prometheus_itself() {
    let begins = |name: &String| name.starts_with("substrate_") || name.starts_with("duet:");
    let others = used().into_iter().filter(|name| !begins(name));
    let others: Vec<_> = others.collect();
    assert_eq!(others, ["ALERTS", "up"]);
}

#[test]
fn series_that_rules_record_are_named_as_they_are_recorded() {
    let rules = rules::read(&repository()).expect("rules");
    let recorded = rules.iter().filter(|rule| rule.makes == Makes::Series);
    let recorded: BTreeSet<_> = recorded.map(|rule| rule.name.clone()).collect();
    let named = used().into_iter().filter(|name| name.starts_with("duet:"));
    none(
        named.filter(|name| !recorded.contains(name)),
        "no rule records",
    );
}

#[test]
fn every_metric_that_a_node_has_is_in_the_dashboard() {
    let shown: BTreeSet<_> = queries()
        .flat_map(|query| metrics(&selectors(&query).expect("an expression")))
        .collect();
    none(
        known().into_iter().filter(|name| !shown.contains(name)),
        "no panel shows",
    );
}

#[test]
fn every_metric_that_a_node_has_is_in_a_table_of_its_page() {
    let pages = pages::read(&repository()).expect("pages");
    let rows = pages::rows(&pages[std::path::Path::new(pages::METRICS)]);
    let known = known();
    none(known.difference(&rows).cloned(), "no row");
    none(rows.difference(&known).cloned(), "a row of none");
}

#[test]
fn pages_mention_metrics_that_nodes_have() {
    let known = known();
    for (path, text) in pages::read(&repository()).expect("pages") {
        let names = pages::mentioned(&text).into_iter();
        none(
            names.filter(|name| !known.contains(name)),
            &path.display().to_string(),
        );
    }
}

#[test]
fn rates_are_taken_of_what_only_grows() {
    let registered = registered();
    let mut seen = 0;
    for series in selected().flat_map(|selected| selected.rated) {
        let kind = registered.get(metric(&series));
        seen += usize::from(kind.is_some());
        assert_ne!(kind, Some(&Kind::Gauge), "the rate of {series}");
    }
    assert!(seen > 60, "only {seen} were seen");
}

#[test]
fn metrics_are_of_kinds_that_are_known_here() {
    let unknown = |(name, kind)| (kind == Kind::Unknown).then_some(name);
    none(
        registered().into_iter().filter_map(unknown),
        "of which kind is",
    );
}

#[test]
fn exceptions_are_about_something_that_exists() {
    let used = used();
    for (begin, _) in RIGHTLY_ABSENT {
        let is_used = used.iter().any(|name| name.starts_with(begin));
        assert!(is_used, "{begin} is not asked for");
    }
    let rules = rules::read(&repository()).expect("rules");
    let alerts = OF_THE_MACHINE
        .iter()
        .map(|(alert, _)| alert)
        .chain(&WATCHED);
    for alert in alerts {
        let is_rule = rules.iter().any(|rule| rule.name == *alert);
        assert!(is_rule, "{alert} is no alert");
    }
}
