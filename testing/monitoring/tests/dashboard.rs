//! The dashboard is whole, and what people edit there stays uniform.

mod support;

use duet_monitoring::{
    expression::selectors,
    live::RATE_SECONDS,
    pages,
    panels::{self, Panel},
    sources,
};
use serde_json::{json, Value};
use std::collections::BTreeSet;
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
/// The version that `docs/operators/monitoring.md` names. `testing/monitoring/grafana` compares it with Grafana's types.
const SCHEMA_VERSION: u32 = 42;
/// Grafana's columns.
const COLUMNS: u64 = 24;
/// Units that the test page writes as Grafana does.
const UNITS: [&str; 9] = [
    "none",
    "cps",
    "cpm",
    "s",
    "µs",
    "percent",
    "percentunit",
    "bytes",
    "Bps",
];
/// What every series is selected by, so that the lists on top choose the nodes.
const CHOSEN: [&str; 2] = [r#"job=~"$job""#, r#"instance=~"$instance""#];
/// Which Prometheus is asked.
const SOURCE: &str = "${datasource}";

fn read() -> Vec<Panel> {
    panels::read(&repository()).expect("a dashboard")
}

/// Rows and panels in their order.
fn items() -> Vec<Value> {
    let file = panels::load(&repository()).expect("JSON");
    file["panels"].as_array().expect("panels").clone()
}

fn is_row(item: &Value) -> bool {
    item["type"] == "row"
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
        let legends: BTreeSet<_> = panel.queries.iter().map(|query| &query.legend).collect();
        assert_eq!(legends.len(), panel.queries.len(), "{title}");
        assert!(legends.iter().all(|legend| !legend.is_empty()), "{title}");
    }
}

#[test]
fn every_query_is_an_expression_and_selects_the_chosen_nodes_throughout() {
    for panel in read() {
        let title = &panel.title;
        for query in &panel.queries {
            let selected = selectors(&query.with_rates_over(RATE_SECONDS));
            let selected = selected.unwrap_or_else(|error| panic!("{title}: {error}"));
            assert!(!selected.all.is_empty(), "{title}");
            for series in selected.all {
                let matchers = series.matchers.matchers.iter();
                let matchers: Vec<_> = matchers.map(ToString::to_string).collect();
                let is_among = |chosen: &&str| matchers.iter().any(|one| one == chosen);
                let is_chosen = CHOSEN.iter().all(is_among);
                assert!(is_chosen || title == "Alerts", "{title}: {series}");
            }
        }
    }
}

#[test]
fn rates_are_over_the_time_that_grafana_chooses_and_counts_over_the_last_hour() {
    for panel in read() {
        let is_of_hour = panel.description.starts_with("In the last hour: ");
        let time = if is_of_hour {
            "[1h]"
        } else {
            "[$__rate_interval]"
        };
        for query in &panel.queries {
            let (all, right) = (
                query.expression.matches('['),
                query.expression.matches(time),
            );
            assert_eq!(all.count(), right.count(), "{}", panel.title);
        }
    }
}

#[test]
fn units_are_known_and_numbers_by_the_minute_are_of_minutes() {
    for panel in read() {
        let Panel { title, unit, .. } = &panel;
        assert!(UNITS.contains(&unit.as_str()), "{title}: {unit}");
        for query in &panel.queries {
            let is_by_the_minute = query.expression.starts_with("60 * ");
            assert_eq!(is_by_the_minute, unit == "cpm", "{title}");
        }
    }
}

#[test]
fn panels_are_below_their_rows_and_not_on_top_of_each_other() {
    let mut taken = BTreeSet::new();
    let (mut row, mut bottom) = (0, 0);
    for item in items() {
        let title = &item["title"];
        let at = |name: &str| item["gridPos"][name].as_u64().expect("a number");
        let (x, y, width, height) = (at("x"), at("y"), at("w"), at("h"));
        if is_row(&item) {
            assert_eq!((x, width, height), (0, COLUMNS, 1), "{title}");
            assert_eq!(y, bottom, "{title} is not right below the row before it");
            row = y + 1;
        }
        assert!(x + width <= COLUMNS, "{title}");
        assert!(is_row(&item) || y >= row, "{title} is above its row");
        for place in (x..x + width).flat_map(|x| (y..y + height).map(move |y| (x, y))) {
            assert!(taken.insert(place), "{title} is on another one");
        }
        bottom = bottom.max(y + height);
    }
}

#[test]
fn ids_are_distinct_and_every_row_is_open() {
    let items = items();
    assert_eq!(distinct(&items, "id"), items.len());
    for item in &items {
        if is_row(item) {
            // A closed row has its panels inside, where they are not read.
            assert_eq!(item["collapsed"], false, "{}", item["title"]);
            assert_eq!(item["panels"], json!([]), "{}", item["title"]);
        } else {
            let targets = item["targets"].as_array().expect("queries");
            assert_eq!(distinct(targets, "refId"), targets.len());
        }
    }
}

fn distinct(items: &[Value], key: &str) -> usize {
    let values = items.iter().map(|item| item[key].to_string());
    values.collect::<BTreeSet<_>>().len()
}

#[test]
fn the_source_of_data_is_a_variable_everywhere() {
    for item in items().iter().filter(|item| !is_row(item)) {
        let targets = item["targets"].as_array().expect("queries");
        for asking in targets.iter().chain([item]) {
            let source = json!({ "type": "prometheus", "uid": SOURCE });
            assert_eq!(asking["datasource"], source, "{}", item["title"]);
        }
    }
}

#[test]
fn the_lists_on_top_choose_the_source_then_jobs_then_nodes() {
    let file = panels::load(&repository()).expect("JSON");
    let variables = file["templating"]["list"].as_array().expect("variables");
    let names: Vec<_> = variables.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["datasource", "job", "instance"]);
    let [source, lists @ ..] = variables.as_slice() else {
        panic!("no variables")
    };
    assert_eq!(source["type"], "datasource");
    let known = sources::read(&repository()).expect("readable sources");
    for list in lists {
        assert_eq!(list["datasource"]["uid"], SOURCE);
        assert_eq!(list["allValue"], ".*");
        let query = list["query"]["query"].as_str().expect("a query");
        let named = pages::mentioned(query);
        assert!(!named.is_empty(), "{query}");
        assert!(named.iter().all(|name| known.contains_key(name)), "{query}");
    }
}

/// Grafana takes an `id` of another installation for a dashboard that is already there.
#[test]
fn it_can_be_imported_anywhere() {
    let file = panels::load(&repository()).expect("JSON");
    assert_eq!(file["id"], Value::Null);
    assert_eq!(file["schemaVersion"], SCHEMA_VERSION);
}

#[test]
fn panels_of_one_kind_look_alike() {
    for kind in ["timeseries", "stat"] {
        let items = items().into_iter().filter(|item| item["type"] == kind);
        let looks: BTreeSet<_> = items.map(|item| look(item).to_string()).collect();
        assert_eq!(looks.len(), 1, "{looks:#?}");
    }
}

/// A panel without the parts in which it differs from others.
fn look(mut panel: Value) -> Value {
    for part in ["title", "description", "id", "targets"] {
        panel[part].take();
    }
    for part in ["x", "y"] {
        panel["gridPos"][part].take();
    }
    let fields = &mut panel["fieldConfig"]["defaults"];
    for part in ["mappings", "thresholds", "unit"] {
        fields[part].take();
    }
    if fields["custom"]["thresholdsStyle"].is_object() {
        fields["custom"]["thresholdsStyle"].take();
    }
    panel
}

#[test]
fn thresholds_rise_from_the_lowest_value_and_lines_show_them() {
    for item in items().iter().filter(|item| !is_row(item)) {
        let (title, fields) = (&item["title"], &item["fieldConfig"]["defaults"]);
        assert_eq!(fields["thresholds"]["mode"], "absolute", "{title}");
        let steps = fields["thresholds"]["steps"].as_array().expect("steps");
        let from: Vec<_> = steps.iter().map(|step| step["value"].as_f64()).collect();
        assert_eq!(from.first(), Some(&None), "{title}");
        assert!(from.is_sorted_by(|a, b| a < b), "{title}: {from:?}");
        let known = |step: &Value| {
            ["green", "orange", "red"]
                .iter()
                .any(|one| step["color"] == *one)
        };
        assert!(steps.iter().all(known), "{title}");
        if item["type"] == "timeseries" {
            let style = if from.len() > 1 { "dashed" } else { "off" };
            let shown = &fields["custom"]["thresholdsStyle"]["mode"];
            assert_eq!(*shown, style, "{title}");
        }
    }
}

#[test]
fn values_are_shown_as_they_are_or_as_yes_and_no() {
    let words = json!({ "0": { "index": 0, "text": "no" }, "1": { "index": 1, "text": "yes" } });
    let words = json!([{ "options": words, "type": "value" }]);
    for item in items().iter().filter(|item| !is_row(item)) {
        let shown = &item["fieldConfig"]["defaults"]["mappings"];
        assert!(*shown == json!([]) || *shown == words, "{}", item["title"]);
    }
}
