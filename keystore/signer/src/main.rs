//! `duet-signer`: holds the Duet keys of a validator and signs for its nodes, which never see a secret.

#![forbid(unsafe_code)]
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
mod logger;
mod run;

use args::Args;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Args = duet_process::arguments();
    duet_process::exit(run::run(&args), |failure| {
        duet_process::warn(format_args!("duet-signer: {failure}"));
        1
    })
}
