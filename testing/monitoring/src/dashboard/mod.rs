//! Makes `monitoring/dashboard.json`: rows of panels, each a few lines here and sixty there.

mod finality;
mod json;
mod nodes;
mod panel;
mod participation;
mod proofs;
mod votes;

pub use json::SCHEMA_VERSION;

use panel::Row;
use serde_json::Value;

/// The dashboard, as Grafana imports it.
pub fn dashboard() -> Value {
    json::dashboard(&rows())
}

/// The same as the text of a file. The keys are in alphabetical order.
pub fn text() -> String {
    format!("{:#}\n", sorted(dashboard()))
}

fn rows() -> Vec<Row> {
    vec![
        finality::row(),
        participation::row(),
        votes::row(),
        nodes::network(),
        proofs::row(),
        nodes::rpc(),
        nodes::resources(),
    ]
}

/// The order of keys depends on a feature of `serde_json` that another crate of a build may turn on.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.into_iter().collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            let entries = entries.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(entries.collect())
        }
        other => other,
    }
}
