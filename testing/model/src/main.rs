//! Runs the model checker, and writes its tables.

use clap::Parser;
use duet_model::campaign::{
    breaks, check, check_recovery, Break, Checked, LARGE, RECOVERIES, SMALL,
};
use std::{fs, io, process::ExitCode};

/// Visits every state of a small network of validators, their chain and light clients, by the real code.
#[derive(Parser)]
struct Arguments {
    /// Only the bounds with this name; "mutants" for the broken rules.
    #[arg(long, value_name = "NAME")]
    bounds: Option<String>,
    /// Goes further.
    #[arg(long)]
    large: bool,
    /// Also writes the tables into the documentation.
    #[arg(long, conflicts_with = "bounds")]
    docs: bool,
}

/// The tables, in this repository.
const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/model/tables.md");

fn main() -> io::Result<ExitCode> {
    let arguments = Arguments::parse();
    let wanted = |name: &str| arguments.bounds.as_ref().is_none_or(|only| only == name);
    let mut text = String::from(HEAD);
    let mut good = true;
    let mut add = |checked: &Checked, text: &mut String| {
        let row = row(checked);
        print!("{row}");
        for (property, steps) in &checked.broken {
            println!("  does not hold: {property}\n    {}", steps.join("\n    "));
        }
        for property in &checked.missed {
            println!("  never happened: {property}");
        }
        good &= checked.broken.is_empty() && checked.missed.is_empty();
        text.push_str(&row);
    };
    let large = LARGE.iter().filter(|_| arguments.large);
    for bounds in SMALL
        .iter()
        .chain(large)
        .filter(|bounds| wanted(bounds.name))
    {
        add(&check(*bounds, None, true), &mut text);
    }
    for of in RECOVERIES.iter().filter(|of| wanted(of.0)) {
        add(&check_recovery(*of, None), &mut text);
    }
    if wanted("mutants") {
        text.push_str(MUTANTS);
        for broken in breaks() {
            let checked = broken.check();
            let lines = trace(&broken, &checked);
            good &= lines.is_some();
            let lines =
                lines.unwrap_or_else(|| format!("| {} | **not found** | | |\n", broken.what));
            print!("{lines}");
            text.push_str(&lines);
        }
    }
    if arguments.docs {
        fs::write(TABLES, text)?;
    }
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

const HEAD: &str = "\
# Model checking: all rows

`cargo xtask model --large --docs` wrote this page. [The report](../model.md) says what the columns and the bounds
mean.

| bounds | states | steps | depth | states of one validator | states of one client | seconds | peak of memory, MB |
| --- | --- | --- | --- | --- | --- | --- | --- |
";

const MUTANTS: &str = "
## Broken rules

Each rule is broken in the wiring around the code. The steps are the shortest way to a state in which the property
fails.

| broken rule | property that fails | states before it was found | shortest trace |
| --- | --- | --- | --- |
";

fn row(checked: &Checked) -> String {
    let (nodes, clients) = checked.computed;
    format!(
        "| {} | {} | {} | {} | {nodes} | {clients} | {:.1} | {} |\n",
        checked.name,
        checked.states,
        checked.steps,
        checked.depth,
        checked.took,
        peak().map_or("unknown".to_owned(), |peak| peak.to_string()),
    )
}

fn trace(broken: &Break, checked: &Checked) -> Option<String> {
    let found = checked
        .broken
        .iter()
        .find(|(property, _)| *property == broken.fails);
    let (property, steps) = found?;
    let steps: Vec<_> = steps.iter().map(|step| format!("`{step}`")).collect();
    let steps = steps.join(", ");
    Some(format!(
        "| {} | {property} | {} | {steps} |\n",
        broken.what, checked.states
    ))
}

/// The most memory that this process ever had, in megabytes, where the system says so.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes / 1000)
}
