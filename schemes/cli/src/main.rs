//! `duet-schemes`: the command line of the companion schemes.
//!
//! The schemes are in their own crates. This program handles arguments, files, progress, output and exit status. There
//! is one module per scheme; `files` and `output` are shared.

mod files;
mod mklhs;
mod output;
mod polynomial;
mod searchable;
mod sequential;

use clap::{Parser, Subcommand};
use output::Output;
use std::process::ExitCode;

/// Computing on authenticated data: four schemes, none of which is used by consensus.
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
    /// Numbers signed by many signers, and verifiable weighted sums of them.
    #[command(subcommand)]
    Mklhs(mklhs::Command),
    /// Statistics over one signer's records. For research only: the signatures can be forged.
    #[command(subcommand)]
    Polynomial(polynomial::Command),
    /// Paths of attestations, to which each hop adds its own without verifying the others.
    #[command(subcommand)]
    Sequential(sequential::Command),
    /// Encrypted readings that a server can find and add without decrypting them.
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
