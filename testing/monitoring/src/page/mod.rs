//! The dashboard as one HTML file, drawn from the answers of a Prometheus. It loads nothing from anywhere.
//!
//! It shows the same panels in the same places. It is not Grafana: nothing in it can be chosen or moved.

mod graph;
mod number;

use crate::{
    live::RATE_SECONDS,
    panels::{Panel, Shape},
    prometheus::{Line, Prometheus},
    Result,
};
use graph::Series;

/// Points on a line, at most.
const POINTS: u64 = 240;

const STYLE: &str = "
body { background: #111217; color: #ccccdc; font: 12px sans-serif; margin: 16px }
h1 { font-size: 20px; margin: 0 0 4px } h2 { font-size: 15px; margin: 18px 0 6px }
p { margin: 0 0 8px; color: #9fa7b3 }
.row { display: grid; grid-template-columns: repeat(24, 1fr); gap: 8px }
.panel { background: #181b1f; border: 1px solid #2c3235; padding: 6px 8px; overflow: hidden }
.panel h3 { font-size: 12px; font-weight: 600; margin: 0 0 4px }
.number { font-size: 28px; text-align: center; padding: 10px 0 }
.legend { font-size: 10px; color: #9fa7b3; line-height: 1.5 } .legend b { font-weight: normal; white-space: nowrap; margin-right: 9px }
svg { width: 100%; display: block } text { fill: #9fa7b3; font: 9px sans-serif }
";

/// Draws the panels, from `start` to `end` in seconds since 1970.
///
/// # Errors
/// [`Error`](crate::Error) when Prometheus does not answer a query.
pub fn draw(panels: &[Panel], prometheus: &Prometheus, [start, end]: [u64; 2]) -> Result<String> {
    let step = (end.saturating_sub(start) / POINTS).max(1);
    let seconds = end.saturating_sub(start);
    let mut page = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Duet</title><style>{STYLE}</style>\n<h1>Duet</h1>\n\
         <p>The panels of operations/monitoring/dashboard.json, drawn by duet-monitoring from a Prometheus: the last {seconds} s, \
         rates over {RATE_SECONDS} s.</p>\n"
    );
    let mut row = "";
    for panel in panels {
        if panel.row != row {
            let end_of_last = if row.is_empty() { "" } else { "</div>\n" };
            row = &panel.row;
            let title = number::escape(row);
            page.push_str(&format!(
                "{end_of_last}<h2>{title}</h2>\n<div class=\"row\">\n"
            ));
        }
        let mut series = Vec::new();
        for query in &panel.queries {
            let expression = query.for_all(RATE_SECONDS);
            for line in prometheus.lines(&expression, [start, end, step])? {
                series.push(named(&query.legend, line));
            }
        }
        page.push_str(&panel_as_html(panel, &series, [start, end]));
    }
    page.push_str("</div>\n");
    Ok(page)
}

/// A series with its name: the legend, with its labels.
fn named(legend: &str, line: Line) -> Series {
    let mut name = legend.to_owned();
    for (label, value) in &line.labels {
        name = name.replace(&format!("{{{{{label}}}}}"), value);
    }
    Series {
        name,
        points: line.points,
    }
}

fn panel_as_html(panel: &Panel, series: &[Series], span: [u64; 2]) -> String {
    let title = number::escape(&panel.title);
    let description = number::escape(&panel.description);
    let inside = match panel.shape {
        Shape::Graph => graph::draw(panel, series, span),
        Shape::Number => {
            let last = series.iter().find_map(Series::last);
            let colour = last.map_or("#9fa7b3", |value| colour(panel, value));
            let text = last.map_or("no data".to_owned(), |value| {
                number::text(value, &panel.unit)
            });
            format!("<div class=\"number\" style=\"color: {colour}\">{text}</div>")
        }
    };
    format!(
        "<div class=\"panel\" style=\"grid-column: span {}\" title=\"{description}\"><h3>{title}</h3>{inside}</div>\n",
        panel.place.width
    )
}

/// The colour of the highest step that the value reaches.
fn colour(panel: &Panel, value: f64) -> &'static str {
    let reached = panel.steps.iter().rev();
    let mut reached = reached.filter(|(from, _)| from.is_none_or(|from| value >= from));
    match reached.next().map(|(_, name)| name.as_str()) {
        Some("red") => "#f2495c",
        Some("orange") => "#ff9830",
        _ => "#73bf69",
    }
}
