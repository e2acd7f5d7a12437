//! All checks that a change must pass, step by step: `.ci/run` calls this in a separate checkout.
//!
//! A step whose inputs are those of its last success is skipped. After a step, the files that it read are compared
//! with its declared inputs ([`reads`]). A step that read other files is never skipped; with `--reads` it fails.

mod inputs;
#[cfg(test)]
mod page;
mod reads;
mod records;
mod steps;

use crate::{lint, result::Result};
use inputs::Tree;
use records::{Green, Greens};
use std::{
    env,
    time::{Duration, Instant},
};
use steps::{Step, STEPS};

/// Which steps to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Runs every step, including those with unchanged inputs.
    #[arg(long)]
    all: bool,
    /// Fails when a step reads files outside its declared inputs; by default such a step is run each time.
    #[arg(long)]
    reads: bool,
    /// Runs the steps that a change need not pass, too.
    #[arg(long)]
    full: bool,
    /// Lists the steps and their commands, and runs none.
    #[arg(long)]
    list: bool,
    /// Runs only these steps, even with unchanged inputs.
    #[arg(value_name = "STEP", conflicts_with = "all")]
    steps: Vec<String>,
}

/// Runs the steps in order, and ends with the first failure. `chore` runs a chore by its arguments.
pub(crate) fn run(options: &Options, chore: impl Fn(&[&str]) -> Result) -> Result {
    if let Some(unknown) = options
        .steps
        .iter()
        .find(|name| steps::named(name).is_none())
    {
        return Err(format!(
            "no step is named {unknown}; `cargo xtask ci --full --list` shows all"
        )
        .into());
    }
    let chosen = steps::all().filter(|step| {
        let is_named = options.steps.iter().any(|name| name == step.name);
        let is_everyday = STEPS.iter().any(|everyday| everyday.name == step.name);
        is_named || options.steps.is_empty() && (is_everyday || options.full)
    });
    if options.list {
        chosen.for_each(|step| println!("{}: {}", step.name, step.shown()));
        return Ok(());
    }
    lint::in_every_build()?;
    // A run compiles a crate once; the state for doing it again would be most of what the cache holds.
    env::set_var("CARGO_INCREMENTAL", "0");
    let began = Instant::now();
    let tree = Tree::of_head()?;
    let greens = Greens::open()?;
    let is_forced = options.all || !options.steps.is_empty();
    let mut times = Vec::new();
    for step in chosen {
        let state = tree.state_of(step)?;
        let last = greens
            .last(step.name)
            .filter(|last| last.state == state && !is_forced);
        if let Some(last) = last {
            println!("=== {}: unchanged since {}", step.name, last.commit);
            continue;
        }
        greens.forget(step.name)?;
        let (took, unnamed) = play(step, &chore)?;
        times.push((step.name, took));
        match unnamed {
            None => greens.keep(
                step.name,
                &Green {
                    state,
                    commit: tree.commit.clone(),
                },
            )?,
            Some(error) if options.reads => return Err(error.into()),
            Some(error) => println!("xtask: {error}"),
        }
    }
    for (name, took) in times {
        println!("{:>10} {name}", minutes(took));
    }
    println!("every check passed in {}", minutes(began.elapsed()));
    Ok(())
}

/// Runs one step. Returns its duration, and how its reads differ from its declared inputs.
fn play(step: &Step, chore: impl Fn(&[&str]) -> Result) -> Result<(Duration, Option<String>)> {
    println!("==> {}: {}", step.name, step.shown());
    let began = Instant::now();
    let watch = reads::Watch::begin()?;
    chore(step.chore).map_err(|error| format!("{}: {error}", step.name))?;
    let unnamed = watch.end(step)?;
    let took = began.elapsed();
    println!("<== {}: {}", step.name, minutes(took));
    Ok((took, unnamed))
}

fn minutes(time: Duration) -> String {
    format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
}
