//! The arguments of `duet-schemes statistics`.

use crate::{
    keys::{KeyArg, RegisterArgs},
    mklhs::SignersArg,
    output::To,
};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const NOTES: &str = "\
The keys are those of `duet-schemes mklhs keygen`, and the file of signers that of `duet-schemes mklhs register`. Values are \
integers of at most 32 bits. Verifiers trust a source for its values, and for signing the correct squares: sums of squares that no \
values can have are refused, smaller lies about a square are not noticed. The sums of each source are in clear.";

/// Operations.
#[derive(Subcommand)]
#[command(after_long_help = NOTES)]
pub(crate) enum Command {
    /// Signs the values of a source, and the square of each. A data set is signed once.
    Sign(Sign),
    /// Computes a statistic of signed values, and its proof. Needs no key.
    Prove(Prove),
    /// Verifies the proof of a statistic, and prints its value.
    Verify(Verify),
}

/// The measured quantity, and its time.
#[derive(Args)]
pub(crate) struct DataArgs {
    /// The chain or the deployment.
    #[arg(long)]
    pub(super) context: String,
    /// The epoch or the height.
    #[arg(long)]
    pub(super) dataset: String,
    /// The name of the measured quantity.
    #[arg(long)]
    pub(super) metric: String,
}

#[derive(Args)]
pub(crate) struct Sign {
    #[command(flatten)]
    pub(super) key: KeyArg,
    #[command(flatten)]
    pub(super) register: RegisterArgs,
    #[command(flatten)]
    pub(super) data: DataArgs,
    #[command(flatten)]
    pub(super) to: To,
    /// The values, from a file instead, separated by spaces or line breaks; `-` for standard input.
    #[arg(long = "values", value_name = "FILE", conflicts_with = "values")]
    pub(super) file: Option<PathBuf>,
    /// The values.
    #[arg(
        required_unless_present = "file",
        value_name = "VALUE",
        allow_negative_numbers = true
    )]
    pub(super) values: Vec<i64>,
}

/// A statistic.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    Mean,
    /// Of the population.
    Variance,
    /// Of the population. Its proof is that of the variance.
    Deviation,
}

/// A source and the weight of each of its values.
#[derive(Clone)]
pub(crate) struct Source {
    pub(super) id: String,
    pub(super) weight: u64,
}

/// The verifier's own view: the sources and their weights. Never take it from the sender of a proof.
#[derive(Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(super) signers: SignersArg,
    #[command(flatten)]
    pub(super) data: DataArgs,
    /// The number of values of each source.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(super) count: u32,
    /// A source, with the weight of its values if that is not one. Repeat for each source.
    #[arg(long = "source", value_name = "ID[=WEIGHT]", value_parser = source, required = true)]
    pub(super) sources: Vec<Source>,
}

#[derive(Args)]
pub(crate) struct Prove {
    /// The statistic.
    #[arg(value_enum)]
    pub(super) stat: Kind,
    #[command(flatten)]
    pub(super) view: ViewArgs,
    #[command(flatten)]
    pub(super) to: To,
    /// The files of records. Invalid records, and records of other labels, are dropped.
    #[arg(required = true)]
    pub(super) records: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Verify {
    /// The statistic.
    #[arg(value_enum)]
    pub(super) stat: Kind,
    #[command(flatten)]
    pub(super) view: ViewArgs,
    /// The proof.
    #[arg(default_value = "-")]
    pub(super) proof: PathBuf,
}

fn source(text: &str) -> Result<Source, String> {
    let (id, weight) = match text.split_once('=') {
        Some((id, weight)) => (id, weight.parse().map_err(|error| format!("{error}"))?),
        None => (text, 1),
    };
    let id = id.to_owned();
    Ok(Source { id, weight })
}
