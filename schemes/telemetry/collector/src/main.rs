//! `duet-collector`: takes encrypted readings of nodes, keeps them for a while, finds those of a metric and an hour,
//! and adds them up, without reading one.

#![forbid(unsafe_code)]
// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod args;
mod failure;
mod server;
mod store;
mod sum;

use args::{Args, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Args { command } = duet_process::arguments();
    let result = match command {
        Command::Serve(args) => server::serve(&args),
        Command::Sum(args) => sum::sum(&args),
    };
    duet_process::exit(result.map(duet_process::tell), |failure| {
        duet_process::warn(format_args!("duet-collector: {failure}"));
        failure.code()
    })
}
