//! Every alert is tested, and says what to do.

mod support;

use duet_monitoring::{
    pages,
    rules::{self, Makes, Rule},
};
use std::{collections::BTreeSet, path::Path};
use support::repository;

fn alerts() -> Vec<Rule> {
    let mut rules = rules::read(&repository()).expect("rules");
    rules.retain(|rule| rule.makes == Makes::Alert);
    assert!(rules.len() > 30, "only {} were found", rules.len());
    rules
}

fn names(rules: &[Rule]) -> BTreeSet<String> {
    rules.iter().map(|rule| rule.name.clone()).collect()
}

#[test]
fn every_alert_has_a_test_in_which_it_fires_and_one_in_which_it_does_not() {
    let alerts = names(&alerts());
    let cases = rules::read_tests(&repository()).expect("tests");
    let (firing, silent): (Vec<_>, Vec<_>) =
        cases.into_iter().partition(|case| !case.firing.is_empty());
    for cases in [firing, silent] {
        let tested: BTreeSet<_> = cases.into_iter().map(|case| case.alert).collect();
        assert_eq!(tested, alerts);
    }
}

/// A group that promtool is not told about comes at any time, and then an alert may be late.
#[test]
fn the_tests_evaluate_the_groups_in_the_order_of_the_file() {
    let rules = rules::read(&repository()).expect("rules");
    let mut groups: Vec<_> = rules.into_iter().map(|rule| rule.group).collect();
    groups.dedup();
    assert_eq!(rules::read_order(&repository()).expect("an order"), groups);
}

#[test]
fn every_alert_has_a_severity_and_texts_and_no_other_has_its_name() {
    let alerts = alerts();
    assert_eq!(names(&alerts).len(), alerts.len());
    for alert in &alerts {
        let labels: Vec<_> = alert.labels.iter().collect();
        let [(key, severity)] = labels.as_slice() else {
            panic!("{}: {labels:?}", alert.name)
        };
        assert_eq!(*key, "severity", "{}", alert.name);
        assert!(
            ["critical", "warning"].contains(&severity.as_str()),
            "{severity}"
        );
        let texts: Vec<_> = alert.annotations.keys().map(String::as_str).collect();
        assert_eq!(
            texts,
            ["description", "runbook", "summary"],
            "{}",
            alert.name
        );
    }
}

#[test]
fn every_alert_names_a_place_for_operators_that_exists() {
    let pages = pages::read(&repository()).expect("pages");
    for alert in alerts() {
        let runbook = &alert.annotations["runbook"];
        let (path, place) = runbook.split_once('#').expect("a page and a place");
        assert!(path.starts_with("docs/operators/"), "{path}");
        let page = pages.get(Path::new(path));
        let page = page.unwrap_or_else(|| panic!("{}: no page {path}", alert.name));
        assert!(
            pages::anchors(page).contains(place),
            "{}: {runbook}",
            alert.name
        );
    }
}

#[test]
fn the_page_of_alerts_has_a_heading_for_each_and_for_no_other() {
    let pages = pages::read(&repository()).expect("pages");
    let page = &pages[Path::new(pages::MONITORING)];
    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    let headings: BTreeSet<_> = headings.map(str::to_owned).collect();
    assert_eq!(headings, names(&alerts()));
}
