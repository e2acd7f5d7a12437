//! Reads `operations/monitoring/dashboard.json`, as Grafana would.

use crate::{Error, Result};
use serde_json::Value;
use std::{fs, path::Path};

/// Where the dashboard is, from the repository's root.
pub const FILE: &str = "operations/monitoring/dashboard.json";

/// A query, and how its series are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The expression, with the variables of Grafana.
    pub expression: String,
    /// The name of a series, with its labels in double braces.
    pub legend: String,
}

/// How a panel shows its series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As lines.
    Graph,
    /// As the last number of each.
    Number,
}

/// Where a panel is, in the 24 columns of Grafana.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first column.
    pub x: u64,
    /// The first line.
    pub y: u64,
    /// How many columns.
    pub width: u64,
    /// How many lines.
    pub height: u64,
}

/// One panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The title of its row.
    pub row: String,
    /// Its title.
    pub title: String,
    /// What it means.
    pub description: String,
    /// How it shows its series.
    pub shape: Shape,
    /// The unit, as Grafana names it.
    pub unit: String,
    /// Where it is.
    pub place: Place,
    /// From which value on it is shown in which colour; the first value is none.
    pub steps: Vec<(Option<f64>, String)>,
    /// Its queries.
    pub queries: Vec<Query>,
}

impl Query {
    /// The expression for all nodes, with rates over `seconds`.
    pub fn for_all(&self, seconds: u64) -> String {
        let expression = self.with_rates_over(seconds);
        expression.replace("$job", ".*").replace("$instance", ".*")
    }

    /// The expression for the chosen nodes, with rates over `seconds`.
    pub fn with_rates_over(&self, seconds: u64) -> String {
        let seconds = format!("{seconds}s");
        self.expression.replace("$__rate_interval", &seconds)
    }
}

/// Reads the dashboard.
///
/// # Errors
/// [`Error`] when the file cannot be read, or a panel lacks something.
pub fn read(root: &Path) -> Result<Vec<Panel>> {
    parse(&load(root)?)
}

/// The dashboard as JSON.
///
/// # Errors
/// [`Error`] when the file cannot be read.
pub fn load(root: &Path) -> Result<Value> {
    let path = root.join(FILE);
    let failed = Error::io(format!("reading {}", path.display()));
    let text = fs::read_to_string(&path).map_err(failed)?;
    let what = path.display().to_string();
    serde_json::from_str(&text).map_err(|source| Error::Json { what, source })
}

/// The panels of a dashboard.
///
/// # Errors
/// [`Error::Form`] with the first thing that a panel lacks.
pub fn parse(dashboard: &Value) -> Result<Vec<Panel>> {
    let mut row = String::new();
    let mut panels = Vec::new();
    for panel in list(dashboard, "/panels")? {
        if text(panel, "/type")? == "row" {
            row = text(panel, "/title")?;
        } else {
            panels.push(parse_panel(&row, panel)?);
        }
    }
    Ok(panels)
}

fn parse_panel(row: &str, panel: &Value) -> Result<Panel> {
    let shape = match text(panel, "/type")?.as_str() {
        "timeseries" => Shape::Graph,
        "stat" => Shape::Number,
        other => {
            return Err(Error::Form(format!(
                "the type {other} of a dashboard panel"
            )))
        }
    };
    let queries = list(panel, "/targets")?.iter().map(|target| {
        Ok(Query {
            expression: text(target, "/expr")?,
            legend: text(target, "/legendFormat")?,
        })
    });
    let steps = list(panel, "/fieldConfig/defaults/thresholds/steps")?;
    let steps = steps.iter().map(|step| {
        let from = step.get("value").and_then(Value::as_f64);
        Ok((from, text(step, "/color")?))
    });
    let place = |name| number(panel, &format!("/gridPos/{name}"));
    Ok(Panel {
        row: row.to_owned(),
        title: text(panel, "/title")?,
        description: text(panel, "/description")?,
        shape,
        unit: text(panel, "/fieldConfig/defaults/unit")?,
        place: Place {
            x: place("x")?,
            y: place("y")?,
            width: place("w")?,
            height: place("h")?,
        },
        steps: steps.collect::<Result<_>>()?,
        queries: queries.collect::<Result<_>>()?,
    })
}

fn list<'a>(value: &'a Value, at: &str) -> Result<&'a [Value]> {
    let list = value.pointer(at).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or_else(|| missing(value, at))
}

fn text(value: &Value, at: &str) -> Result<String> {
    let text = value.pointer(at).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| missing(value, at))
}

fn number(value: &Value, at: &str) -> Result<u64> {
    let number = value.pointer(at).and_then(Value::as_u64);
    number.ok_or_else(|| missing(value, at))
}

fn missing(value: &Value, at: &str) -> Error {
    let title = value.get("title").and_then(Value::as_str);
    Error::Form(format!(
        "{at} of the panel {}",
        title.unwrap_or("without title")
    ))
}
