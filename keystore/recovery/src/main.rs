//! `duet-recovery`: makes, proves, drills and uses recovery keys, on a machine without network.

#![forbid(unsafe_code)]
#![warn(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

mod args;
mod failure;
mod keys;
mod members;
mod record;
mod run;
mod words;

use args::Args;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Args { command } = duet_process::arguments();
    duet_process::exit(run::run(command), |failure| {
        duet_process::warn(format_args!("duet-recovery: {failure}"));
        1
    })
}
