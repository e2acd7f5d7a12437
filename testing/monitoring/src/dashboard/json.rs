//! The dashboard in the form that Grafana imports.

use super::panel::{Panel, Row, Unit};
use crate::panels::{Place, Shape};
use serde_json::{json, Value};

/// The version of that form: Grafana 12.4 and 13.2 write it. `testing/monitoring/grafana` holds it against Grafana's types.
pub const SCHEMA_VERSION: u32 = 42;

/// Grafana's columns.
const COLUMNS: u64 = 24;

/// The whole dashboard.
pub(super) fn dashboard(rows: &[Row]) -> Value {
    json!({
        "annotations": { "list": [] },
        "description": "Nodes that run Duet. docs/operators/monitoring.md says what to do when something is wrong.",
        "editable": true,
        "graphTooltip": 1,
        "id": null,
        "links": [],
        "panels": panels(rows),
        "refresh": "30s",
        "schemaVersion": SCHEMA_VERSION,
        "tags": ["duet"],
        "templating": { "list": [
            source(),
            variable("job", "Job", "label_values(substrate_duet_best_block, job)"),
            variable("instance", "Node", r#"label_values(substrate_duet_best_block{job=~"$job"}, instance)"#),
        ] },
        "time": { "from": "now-1h", "to": "now" },
        "timezone": "browser",
        "title": "Duet",
        "uid": "duet-finality",
        "version": 1,
    })
}

/// Which Prometheus is asked.
fn source() -> Value {
    json!({
        "label": "Prometheus",
        "name": "datasource",
        "query": "prometheus",
        "refresh": 1,
        "type": "datasource",
    })
}

/// Which nodes are shown; all at first.
fn variable(name: &str, label: &str, query: &str) -> Value {
    json!({
        "allValue": ".*",
        "current": { "text": "All", "value": "$__all" },
        "datasource": prometheus(),
        "includeAll": true,
        "label": label,
        "multi": true,
        "name": name,
        "query": { "qryType": 1, "query": query, "refId": name },
        "refresh": 2,
        "sort": 1,
        "type": "query",
    })
}

fn prometheus() -> Value {
    json!({ "type": "prometheus", "uid": "${datasource}" })
}

/// Rows and their panels, from left to right and from top to bottom.
fn panels(rows: &[Row]) -> Vec<Value> {
    let mut panels = Vec::new();
    let mut y = 0;
    for row in rows {
        let place = Place {
            x: 0,
            y,
            width: COLUMNS,
            height: 1,
        };
        panels.push(header(row, &place, panels.len()));
        y += place.height;
        let (mut x, mut height) = (0, 0);
        for panel in &row.panels {
            let (wide, high) = size(panel.shape);
            if x + wide > COLUMNS || (x > 0 && high != height) {
                (x, y) = (0, y + height);
            }
            let place = Place {
                x,
                y,
                width: wide,
                height: high,
            };
            panels.push(shown(panel, &place, panels.len()));
            (x, height) = (x + wide, high);
        }
        y += height;
    }
    panels
}

/// Columns and lines.
fn size(shape: Shape) -> (u64, u64) {
    match shape {
        Shape::Graph => (8, 8),
        Shape::Number => (4, 4),
    }
}

fn at(place: &Place) -> Value {
    json!({ "h": place.height, "w": place.width, "x": place.x, "y": place.y })
}

fn header(row: &Row, place: &Place, before: usize) -> Value {
    json!({
        "collapsed": false,
        "gridPos": at(place),
        "id": before + 1,
        "panels": [],
        "title": row.title,
        "type": "row",
    })
}

fn shown(panel: &Panel, place: &Place, before: usize) -> Value {
    let (kind, options, custom) = match panel.shape {
        Shape::Graph => ("timeseries", graph_options(), graph_style(panel)),
        Shape::Number => ("stat", number_options(), json!({})),
    };
    let targets = panel
        .queries
        .iter()
        .zip('A'..)
        .map(|((expression, legend), id)| {
            json!({
                "datasource": prometheus(),
                "editorMode": "code",
                "expr": expression,
                "legendFormat": legend,
                "range": true,
                "refId": id.to_string(),
            })
        });
    json!({
        "datasource": prometheus(),
        "description": panel.description,
        "fieldConfig": { "defaults": defaults(panel, custom), "overrides": [] },
        "gridPos": at(place),
        "id": before + 1,
        "options": options,
        "targets": targets.collect::<Vec<_>>(),
        "title": panel.title,
        "type": kind,
    })
}

fn defaults(panel: &Panel, custom: Value) -> Value {
    let first = json!({ "color": panel.base, "value": null });
    let others = panel.steps.iter();
    let others = others.map(|(from, color)| json!({ "color": color, "value": from }));
    let color = match panel.shape {
        Shape::Graph => "palette-classic",
        Shape::Number => "thresholds",
    };
    let mappings = match panel.unit {
        Unit::Flag => json!([{
            "options": { "0": { "index": 0, "text": "no" }, "1": { "index": 1, "text": "yes" } },
            "type": "value",
        }]),
        _ => json!([]),
    };
    json!({
        "color": { "mode": color },
        "custom": custom,
        "mappings": mappings,
        "min": 0,
        "thresholds": {
            "mode": "absolute",
            "steps": std::iter::once(first).chain(others).collect::<Vec<_>>(),
        },
        "unit": panel.unit.id(),
    })
}

fn graph_style(panel: &Panel) -> Value {
    let thresholds = if panel.steps.is_empty() {
        "off"
    } else {
        "dashed"
    };
    json!({
        "drawStyle": "line",
        "fillOpacity": 8,
        "lineInterpolation": "linear",
        "lineWidth": 1,
        "showPoints": "never",
        "thresholdsStyle": { "mode": thresholds },
    })
}

fn graph_options() -> Value {
    json!({
        "legend": { "calcs": ["lastNotNull"], "displayMode": "list", "placement": "bottom", "showLegend": true },
        "tooltip": { "mode": "multi", "sort": "desc" },
    })
}

fn number_options() -> Value {
    json!({
        "colorMode": "value",
        "graphMode": "area",
        "justifyMode": "auto",
        "orientation": "auto",
        "percentChangeColorMode": "standard",
        "reduceOptions": { "calcs": ["lastNotNull"], "fields": "", "values": false },
        "showPercentChange": false,
        "textMode": "auto",
        "wideLayout": true,
    })
}
