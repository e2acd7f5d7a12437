//! `duet-schemes`: the companion schemes at work on files and pipes.
//!
//! The schemes are in their own crates; here is what has to do with the world: arguments, files, progress, what is
//! printed, and how the program ends. One module for each scheme, and what they share in `files` and `output`.

mod files;
mod mklhs;
mod output;
mod polynomial;
mod searchable;
mod sequential;

use clap::{Parser, Subcommand};
use output::Output;
use std::process::ExitCode;

/// Computing on authenticated data: four schemes, none of them used by consensus.
#[derive(Parser)]
#[command(name = "duet-schemes", version, arg_required_else_help = true)]
struct Args {
    /// Prints one JSON object per line instead of text; errors too.
    #[arg(long, global = true)]
    json: bool,
    /// Shows no progress.
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    scheme: Scheme,
}

#[derive(Subcommand)]
enum Scheme {
    /// Numbers that many signed and anybody may add up.
    #[command(subcommand)]
    Mklhs(mklhs::Command),
    /// Statistics over one signer's records, with research-grade signatures that can be forged.
    #[command(subcommand)]
    Polynomial(polynomial::Command),
    /// A path of attestations that each hop adds without checking the others.
    #[command(subcommand)]
    Sequential(sequential::Command),
    /// Encrypted readings that a server finds and sums without reading them.
    #[command(subcommand)]
    Searchable(searchable::Command),
}

fn main() -> ExitCode {
    let Args {
        json,
        quiet,
        scheme,
    } = Args::parse();
    let output = Output::new(json, quiet);
    let result = match scheme {
        Scheme::Mklhs(command) => mklhs::run(command, &output),
        Scheme::Polynomial(command) => polynomial::run(command, &output),
        Scheme::Sequential(command) => sequential::run(command, &output),
        Scheme::Searchable(command) => searchable::run(command, &output),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failure(&failure);
            failure.code()
        }
    }
}
