//! `duet-node`: a Substrate node that finalizes with GRANDPA and proves it with Duet.
//!
//! - `cli`: the command line, with `flags` for the parts of a running node;
//! - `command`: what each subcommand does;
//! - `duet_key`: the tools for Duet keys, which the SDK's `key` cannot do;
//! - `genesis`: the genesis hash of a chain specification, without a database;
//! - `service`: the running node, one builder per concern.

// The SDK's errors are that large, and its traits and callbacks take them unboxed.
#![allow(clippy::result_large_err)]

mod cli;
mod command;
mod duet_key;
mod duet_state;
mod flags;
mod genesis;
mod service;

use std::process::ExitCode;

fn main() -> ExitCode {
    match command::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut said = error.to_string();
            eprintln!("Error: {said}");
            let mut cause = std::error::Error::source(&error);
            while let Some(error) = cause {
                // Some errors repeat their cause in their own message.
                if !said.contains(&error.to_string()) {
                    said = error.to_string();
                    eprintln!("  because: {said}");
                }
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}
