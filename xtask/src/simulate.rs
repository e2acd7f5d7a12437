//! Runs the simulation of large networks, and shows it: its tables, and plots.

use crate::{
    cargo,
    documents::{put_tables, write_plots, Plots},
    svg::{Chart, Line},
    Result,
};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What to simulate, and where to put it.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Where the costs, the results, the tables and the plots go; beside the build by default.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Simulates nothing: shows what this folder of an earlier run holds.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "arguments"])]
    from: Option<PathBuf>,
    /// Also puts the tables and the plots into the documentation.
    #[arg(long)]
    docs: bool,
    /// Passed on to `duet-simulate`: see its `--help`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Simulates or reads, then shows.
pub(crate) fn run(options: &Options) -> Result {
    let folder = match &options.from {
        Some(folder) => folder.clone(),
        None => simulate(options)?,
    };
    let results: Results = serde_json::from_str(&read(&folder.join("results.json"))?)?;
    let plots = plots(&results);
    write_plots(&plots, &folder)?;
    println!(
        "Results, tables and {} plots: {}",
        plots.len(),
        folder.display()
    );
    if options.docs {
        let docs = cargo::root().join("docs");
        write_plots(&plots, &docs.join("simulation"))?;
        put_tables(
            &docs.join("simulation.md"),
            &read(&folder.join("tables.md"))?,
        )?;
    }
    Ok(())
}

fn read(file: &Path) -> Result<String> {
    Ok(fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?)
}

/// Builds beside the benches, with which the simulation shares what it measures and all dependencies.
fn simulate(options: &Options) -> Result<PathBuf> {
    let target = cargo::target_directory().join("bench");
    let output = options.output.clone().unwrap_or(target.join("simulation"));
    let mut simulation = cargo::cargo(["run", "--package", "duet-simulation", "--locked", "--"]);
    simulation
        .arg("--output")
        .arg(std::path::absolute(&output)?)
        .args(&options.arguments)
        .env("CARGO_TARGET_DIR", target);
    cargo::run(&mut simulation)?;
    Ok(output)
}

/// What the plots need of `results.json`.
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
                lines: lines(results, |row| Some(row.first_proof?.median() / 1e9)),
            },
        ),
        (
            "bytes",
            Chart {
                title: "Bytes that a node sends in a round, median node",
                x: "validators",
                y: "kilobytes",
                lines: lines(results, |row| Some(row.sent.median() / 1e3)),
            },
        ),
    ];
    charts
        .into_iter()
        .filter_map(|(name, chart)| Some((name, chart.draw()?)))
        .collect()
}

/// What is drawn: scheme and share of garbage senders, as the results name them, and the label.
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
