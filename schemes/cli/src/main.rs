//! `duet-schemes`: the command line of the companion schemes.
//!
//! The schemes are in their own crates. This program handles arguments, files, progress, output and exit status. There
//! is one module per scheme; `failure`, `files`, `keys`, `object` and `output` are shared.

mod failure;
mod files;
mod forgeable;
mod keys;
mod mklhs;
mod object;
mod output;
mod searchable;
mod sequential;
mod show;
mod statistics;

use clap::{Parser, Subcommand};
use failure::{Failure, EXIT_STATUS};
use files::Existing;
use output::Output;
use std::{path::PathBuf, process::ExitCode, time::Duration};

/// Computing on authenticated data: four schemes, none of which is used by consensus.
#[derive(Parser)]
///
/// All output is PEM with its type, version and fingerprint: `show` lists the content of a file. A key is a folder,
/// made by `keygen`. Outputs go to `--output`, by default standard output. `-` is standard input or output.
#[command(
    name = "duet-schemes",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = [EXIT_STATUS, duet_process::EXIT_STATUS].concat()
)]
struct Args {
    /// Prints one JSON object per line instead of text; errors too.
    #[arg(long, global = true)]
    json: bool,
    /// Shows no progress.
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Replaces existing files, but never owner-only files such as secrets and registers.
    #[arg(long, global = true)]
    force: bool,
    /// The maximum time to wait for a register or a queue that another process uses.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 30)]
    wait: u64,
    #[command(subcommand)]
    scheme: Scheme,
}

#[derive(Subcommand)]
enum Scheme {
    /// Numbers signed by many signers, and verifiable weighted sums of them.
    #[command(subcommand)]
    Mklhs(mklhs::Command),
    /// Mean, variance and standard deviation of numbers that many sources sign.
    #[command(subcommand)]
    Statistics(statistics::Command),
    /// Paths of attestations, to which each hop adds its own without verifying the others.
    #[command(subcommand)]
    Sequential(sequential::Command),
    /// Encrypted readings that a server can find and add without decrypting them.
    #[command(subcommand)]
    Searchable(searchable::Command),
    /// Signatures for polynomials of one signer's values. For research only: anybody who has the public key can FORGE them.
    #[command(subcommand)]
    ResearchForgeablePolynomial(forgeable::Command),
    /// Shows the content of files: type, version, fingerprint and data of each object. Signatures are not verified.
    Show {
        /// The files, or folders of keys (the public key is shown); `-` for standard input.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    let Args {
        json,
        quiet,
        force,
        wait,
        scheme,
    } = match duet_process::try_arguments::<Args>() {
        Ok(args) => args,
        Err(error) => return ExitCode::from(refuse_arguments(&error)),
    };
    let existing = if force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let output = Output::new(json, quiet, existing, Duration::from_secs(wait));
    let result = match scheme {
        Scheme::Mklhs(command) => mklhs::run(command, &output),
        Scheme::Statistics(command) => statistics::run(command, &output),
        Scheme::Sequential(command) => sequential::run(command, &output),
        Scheme::Searchable(command) => searchable::run(command, &output),
        Scheme::ResearchForgeablePolynomial(command) => forgeable::run(command, &output),
        Scheme::Show { files } => show::run(&files, &output),
    };
    duet_process::exit(result, |failure| {
        output.failure(&failure);
        failure.code()
    })
}

/// Prints help as it is, and bad arguments like other failures: in JSON if `--json` can be recognised.
fn refuse_arguments(error: &clap::Error) -> u8 {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && wants_json {
        let text = error.to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        // The first paragraph says what is wrong, the others how the command is used.
        let why = text.split("\n\n").next().unwrap_or(text);
        let words: Vec<_> = why.split_whitespace().collect();
        let failure = Failure::input(words.join(" "));
        duet_process::warn(failure.to_json());
        failure.code()
    } else {
        duet_process::refuse(error)
    }
}
