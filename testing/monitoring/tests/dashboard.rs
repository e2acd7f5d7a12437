//! The dashboard is what this crate makes, and whole.

mod support;

use duet_monitoring::{
    dashboard,
    panels::{self, Panel},
};
use serde_json::Value;
use std::{collections::BTreeSet, fs};
use support::repository;

const ROWS: [&str; 7] = [
    "Finality",
    "Participation",
    "Votes and checks",
    "Network and peers",
    "Justifications and requests",
    "RPC",
    "Resources",
];

fn read() -> Vec<Panel> {
    panels::read(&repository()).expect("a dashboard")
}

#[test]
fn the_file_is_what_the_program_makes() {
    let file = fs::read_to_string(repository().join(panels::FILE)).expect("the file");
    assert!(
        file == dashboard::text(),
        "it differs: `cargo run -p duet-monitoring -- dashboard` writes it"
    );
}

#[test]
fn it_has_its_rows_in_order_and_no_two_panels_of_one_title_in_a_row() {
    let panels = read();
    let mut rows: Vec<_> = panels.iter().map(|panel| panel.row.as_str()).collect();
    rows.dedup();
    assert_eq!(rows, ROWS);
    let named = |panel: &Panel| (panel.row.clone(), panel.title.clone(), panel.shape as u8);
    let names: BTreeSet<_> = panels.iter().map(named).collect();
    assert_eq!(names.len(), panels.len());
}

#[test]
fn every_panel_says_what_it_means_and_asks_for_something() {
    for panel in read() {
        let Panel {
            title, description, ..
        } = &panel;
        assert!(
            description.ends_with('.') && description.len() > 30,
            "{title}: {description:?}"
        );
        assert!(!panel.queries.is_empty(), "{title}");
        for query in &panel.queries {
            assert!(!query.legend.is_empty(), "{title}");
            let is_chosen = query
                .expression
                .contains(r#"job=~"$job",instance=~"$instance""#);
            assert!(
                is_chosen || title == "Alerts",
                "{title}: {}",
                query.expression
            );
        }
    }
}

#[test]
fn panels_are_side_by_side_and_not_on_top_of_each_other() {
    let mut taken = BTreeSet::new();
    for panel in read() {
        let place = panel.place;
        assert!(place.x + place.width <= 24, "{}", panel.title);
        for x in place.x..place.x + place.width {
            for y in place.y..place.y + place.height {
                assert!(taken.insert((x, y)), "{} is on another one", panel.title);
            }
        }
    }
}

#[test]
fn ids_are_distinct_and_the_source_of_data_is_a_variable() {
    let file = panels::load(&repository()).expect("JSON");
    let list = file["panels"].as_array().expect("panels");
    let ids: BTreeSet<_> = list.iter().map(|panel| panel["id"].as_u64()).collect();
    assert_eq!(ids.len(), list.len());
    let of_rows = list.iter().filter(|panel| panel["type"] == "row").count();
    let shown = list.iter().filter(|panel| panel["type"] != "row");
    assert!(shown
        .clone()
        .all(|panel| panel["datasource"]["uid"] == "${datasource}"));
    assert_eq!(shown.count() + of_rows, list.len());
    let variables = file["templating"]["list"].as_array().expect("variables");
    let names: Vec<_> = variables.iter().map(|one| &one["name"]).collect();
    assert_eq!(
        names,
        ["datasource", "job", "instance"]
            .map(Value::from)
            .iter()
            .collect::<Vec<_>>()
    );
}
