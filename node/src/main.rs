//! `duet-node`: a Substrate node that finalizes with GRANDPA and proves it with Duet.
//!
//! - `cli`: the command line, with `flags` for the parts of a running node;
//! - `command`: what each subcommand does;
//! - `service`: the running node, one builder per concern.

// The SDK's errors are that large, and its traits and callbacks take them unboxed.
#![allow(clippy::result_large_err)]

mod cli;
mod command;
mod duet_state;
mod flags;
mod service;

use cli::Cli;
use sc_cli::SubstrateCli;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_from_iter(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            let error = duet_process::with_names::<Cli>(error);
            return duet_process::refuse(&error).into();
        }
    };
    duet_process::exit(command::run(&cli), |error| {
        let mut said = error.to_string();
        duet_process::warn(format_args!("Error: {said}"));
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            // Some errors repeat their cause in their own message.
            if !said.contains(&error.to_string()) {
                said = error.to_string();
                duet_process::warn(format_args!("  because: {said}"));
            }
            cause = error.source();
        }
        1
    })
}
