//! Shows the results of the simulation of large networks.

use crate::{
    documents::{folder_of_docs, put_tables, write_plots, Plots},
    results::{read, read_json},
    svg::{Chart, Line, Marks},
    Result,
};
use serde::Deserialize;
use std::{collections::BTreeMap, path::PathBuf};

/// The simulation to show.
#[derive(clap::Args)]
pub struct Options {
    /// The folder that `duet-simulate --output` wrote. The plots go there too.
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// Also puts the tables and the plots into the documentation.
    #[arg(long)]
    docs: bool,
}

/// Draws the plots.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(options: &Options) -> Result {
    let folder = &options.from;
    let results = read_json(&folder.join("results.json"))?;
    let plots = plots(&results);
    write_plots(&plots, folder)?;
    println!(
        "Results, tables and {} plots: {}",
        plots.len(),
        folder.display()
    );
    if options.docs {
        let docs = folder_of_docs();
        write_plots(&plots, &docs.join("simulation"))?;
        let tables = read(&folder.join("tables.md"))?;
        put_tables(&docs.join("simulation/tables.md"), &tables)?;
    }
    Ok(())
}

/// The part of `results.json` that the plots need.
#[derive(Deserialize)]
struct Results {
    costs: Costs,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Costs {
    sets: Vec<SetCosts>,
}

#[derive(Deserialize)]
struct SetCosts {
    validators: u32,
    pairings: SchemeCosts,
}

#[derive(Deserialize)]
struct SchemeCosts {
    vote: u32,
}

#[derive(Deserialize)]
struct Row {
    scheme: String,
    validators: u32,
    garbage: u32,
    cpu: Figure,
    sent: Figure,
    first_proof: Option<Figure>,
}

#[derive(Clone, Copy, Deserialize)]
struct Figure {
    median: u64,
}

impl Figure {
    fn median(self) -> f64 {
        self.median as f64
    }
}

fn plots(results: &Results) -> Plots {
    let units: BTreeMap<_, _> = results
        .costs
        .sets
        .iter()
        .map(|set| (set.validators, f64::from(set.pairings.vote)))
        .collect();
    let charts = [
        (
            "processor",
            Chart {
                title: "Processor time of a round, median node",
                x: "validators",
                y: "verifications of one signature by blst",
                marks: Marks::Decades,
                lines: lines(results, |row| {
                    Some(row.cpu.median() / units.get(&row.validators)?)
                }),
            },
        ),
        (
            "first_proof",
            Chart {
                title: "Time to the first proof",
                x: "validators",
                y: "seconds",
                marks: Marks::Decades,
                lines: lines(results, |row| Some(row.first_proof?.median() / 1e9)),
            },
        ),
        (
            "bytes",
            Chart {
                title: "Bytes that a node sends in a round, median node",
                x: "validators",
                y: "kilobytes",
                marks: Marks::Decades,
                lines: lines(results, |row| Some(row.sent.median() / 1e3)),
            },
        ),
    ];
    charts
        .into_iter()
        .filter_map(|(name, chart)| Some((name, chart.draw()?)))
        .collect()
}

/// The drawn lines: scheme and share of garbage senders, as the results name them, and the label.
const LINES: [(&str, u32, &str); 6] = [
    ("dleq", 0, "DLEQ (Duet)"),
    ("dleq", 33, "DLEQ, 33 % send garbage"),
    ("pairings", 0, "pairings (blst)"),
    ("pairings", 33, "pairings, 33 % garbage"),
    ("ecdsa", 0, "ECDSA (BEEFY)"),
    ("ecdsa", 33, "ECDSA, 33 % send garbage"),
];

fn lines(results: &Results, figure: impl Fn(&Row) -> Option<f64>) -> Vec<Line> {
    let line = |(scheme, garbage, label)| {
        let of = |row: &&Row| row.scheme == scheme && row.garbage == garbage;
        let point = |row: &Row| Some((f64::from(row.validators), figure(row)?));
        Line {
            label,
            ours: scheme == "dleq",
            points: results.rows.iter().filter(of).filter_map(point).collect(),
            bars: Vec::new(),
        }
    };
    LINES.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_become_one_point_per_row_and_what_has_no_proof_has_none() {
        let figure = |median: u64| serde_json::json!({ "median": median, "most": 0 });
        let row = |scheme: &str, validators: u32, proof: Option<u64>| {
            serde_json::json!({
                "scheme": scheme, "validators": validators, "garbage": 0, "cpu": figure(8_000),
                "sent": figure(5_000), "first_proof": proof.map(figure),
            })
        };
        let results = serde_json::json!({
            "costs": { "sets": [{ "validators": 100, "pairings": { "vote": 2_000 } }] },
            "rows": [row("dleq", 100, Some(1)), row("ecdsa", 100, None)],
        });
        let results: Results = serde_json::from_value(results).expect("results");
        let points = |lines: Vec<Line>| {
            let points = lines.into_iter().flat_map(|line| line.points);
            points.collect::<Vec<_>>()
        };
        let bytes = lines(&results, |row| Some(row.sent.median()));
        assert_eq!(points(bytes), [(100.0, 5_000.0), (100.0, 5_000.0)]);
        let proofs = lines(&results, |row| Some(row.first_proof?.median()));
        assert_eq!(points(proofs), [(100.0, 1.0)]);
        assert_eq!(plots(&results).len(), 3);
    }
}
