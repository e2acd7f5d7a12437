//! Everything that a change must pass, step by step: `.ci/run` calls this in a checkout of its own.
//!
//! A step whose inputs are those of its last success is skipped. After a step, the files that it read are compared with
//! the inputs that it names ([`reads`]), so that no step is skipped for want of a name.

mod inputs;
#[cfg(test)]
mod page;
mod reads;
mod records;
mod steps;

use crate::{cargo, lint, result::Result};
use inputs::Tree;
use records::{Green, Greens};
use std::{
    process::Command,
    time::{Duration, Instant},
};
use steps::{Step, STEPS};

/// Which steps to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Runs every step, also with unchanged inputs.
    #[arg(long)]
    all: bool,
    /// Lists the steps and their commands, and runs none.
    #[arg(long)]
    list: bool,
    /// Runs only these steps, with unchanged inputs too.
    #[arg(value_name = "STEP", conflicts_with = "all")]
    steps: Vec<String>,
}

/// Runs the steps in order, and ends with the first failure.
pub(crate) fn run(options: &Options) -> Result {
    if let Some(unknown) = options
        .steps
        .iter()
        .find(|name| steps::named(name).is_none())
    {
        return Err(
            format!("no step is named {unknown}; `cargo xtask ci --list` shows all").into(),
        );
    }
    let chosen = STEPS.iter().filter(|step| {
        options.steps.is_empty() || options.steps.iter().any(|name| name == step.name)
    });
    if options.list {
        chosen.for_each(|step| println!("{}: {}", step.name, step.shown()));
        return Ok(());
    }
    let began = Instant::now();
    let tree = Tree::of_head()?;
    let greens = Greens::open()?;
    let is_forced = options.all || !options.steps.is_empty();
    let mut times = Vec::new();
    for step in chosen {
        let state = tree.state_of(step)?;
        match greens.last(step.name) {
            Some(last) if last.state == state && !is_forced => {
                println!("=== {}: unchanged since {}", step.name, last.commit);
            }
            _ => times.push((step.name, play(step)?)),
        }
        let commit = tree.commit.clone();
        greens.keep(step.name, &Green { state, commit })?;
    }
    for (name, took) in times {
        println!("{:>10} {name}", minutes(took));
    }
    println!("every check passed in {}", minutes(began.elapsed()));
    Ok(())
}

/// Runs one step, and holds what it read against the inputs that it names.
fn play(step: &Step) -> Result<Duration> {
    println!("==> {}: {}", step.name, step.shown());
    let began = Instant::now();
    let watch = reads::Watch::begin()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.current_dir(cargo::root()).args(step.chore);
    lint::with_every_build(&mut command)?;
    cargo::run(&mut command).map_err(|error| format!("{}: {error}", step.name))?;
    watch.end(step)?;
    let took = began.elapsed();
    println!("<== {}: {}", step.name, minutes(took));
    Ok(took)
}

fn minutes(time: Duration) -> String {
    format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
}
