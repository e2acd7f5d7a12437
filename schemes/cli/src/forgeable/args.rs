//! The arguments of `duet-schemes research-forgeable-polynomial`.

use super::formats::integer;
use crate::{
    keys::{KeyArg, RegisterArgs},
    output::To,
};
use clap::{Args, Subcommand, ValueEnum};
use num_bigint::BigInt;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Generates a key in a new folder, with its empty register.
    Keygen(Keygen),
    /// Signs the values of a data set.
    Sign(Sign),
    /// Applies a polynomial to signed values. Needs only the public key.
    Evaluate(Evaluate),
    /// Verifies that a value is the polynomial, or the statistic, of the signed values.
    Verify(Verify),
    /// Computes a statistic of signed values, and verifies it.
    #[command(subcommand)]
    Stats(Stats),
    /// Demonstrates that the scheme is insecure: signs any value with the public key alone.
    ///
    /// The tests do this up to dimension 32 and the benches up to 64. Estimates say that it succeeds at 128 as well.
    Forge(Forge),
}

#[derive(Args)]
pub(crate) struct Keygen {
    /// The dimension of the ring: 4, 8, 16, 32, 64 or 128.
    #[arg(long, default_value_t = 64)]
    pub(super) dimension: usize,
    /// The maximum number of values in a data set.
    #[arg(long, default_value_t = 20)]
    pub(super) values: u32,
    /// The maximum degree of a polynomial.
    #[arg(long, default_value_t = 2)]
    pub(super) degree: u8,
    /// The largest coefficient of a polynomial. The default suffices for the variance of that many values.
    #[arg(long)]
    pub(super) coefficient: Option<u64>,
    /// The folder to create.
    pub(super) key: PathBuf,
    #[command(flatten)]
    pub(super) register: RegisterArgs,
}

#[derive(Args)]
pub(crate) struct Sign {
    #[command(flatten)]
    pub(super) key: KeyArg,
    /// The public key, if it is not in the key's folder.
    #[arg(long, value_name = "FILE")]
    pub(super) public: Option<PathBuf>,
    #[command(flatten)]
    pub(super) register: RegisterArgs,
    /// The name of the data set. Never use a name twice.
    #[arg(long)]
    pub(super) tag: String,
    /// The values: integers separated by spaces or line breaks; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(super) values: PathBuf,
    #[command(flatten)]
    pub(super) to: To,
}

#[derive(Args)]
pub(crate) struct Evaluate {
    /// The signer's public key: its file, or the key's folder.
    #[arg(long, value_name = "FILE")]
    pub(super) public: PathBuf,
    /// The signatures, as `sign` writes them; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(super) signatures: PathBuf,
    /// The polynomial, such as `3*x0^2*x1 - x2`; x0 is the first value.
    #[arg(long, allow_hyphen_values = true)]
    pub(super) function: String,
    /// The largest magnitude of a value in this data set.
    #[arg(long)]
    pub(super) range: u64,
    #[command(flatten)]
    pub(super) to: To,
}

/// The computed function, from the verifier's own view.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct FunctionArgs {
    /// A polynomial, such as `3*x0^2*x1 - x2`.
    #[arg(long, allow_hyphen_values = true)]
    pub(super) function: Option<String>,
    /// A statistic of all values. The signed number is k times the mean, or k squared times the variance.
    #[arg(long)]
    pub(super) stat: Option<Kind>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    Mean,
    Variance,
    Deviation,
}

/// A claim about the values of a data set.
#[derive(Args)]
pub(crate) struct Claim {
    /// The signer's public key: its file, or the key's folder.
    #[arg(long, value_name = "FILE")]
    pub(super) public: PathBuf,
    /// The name of the data set.
    #[arg(long)]
    pub(super) tag: String,
    /// The number of values in the data set.
    #[arg(long)]
    pub(super) count: u32,
    #[command(flatten)]
    pub(super) what: FunctionArgs,
    /// The signed number, an integer.
    #[arg(long, allow_hyphen_values = true, value_parser = integer)]
    pub(super) value: BigInt,
}

#[derive(Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(super) claim: Claim,
    /// The largest magnitude of a value in this data set, as known to the verifier. Functions that could wrap around
    /// mod p with such values are refused.
    #[arg(long)]
    pub(super) range: u64,
    /// The signature of the result; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(super) signature: PathBuf,
    /// Uses the paper's norm bound, which is the same for all functions, instead of the bound for this function.
    #[arg(long)]
    pub(super) paper_bound: bool,
}

#[derive(Subcommand)]
pub(crate) enum Stats {
    /// The mean.
    Mean(Data),
    /// The variance of the population.
    Variance(Data),
    /// The standard deviation of the population.
    Deviation(Data),
}

#[derive(Args)]
pub(crate) struct Data {
    /// The signer's public key: its file, or the key's folder.
    #[arg(long, value_name = "FILE")]
    pub(super) public: PathBuf,
    /// The name of the data set.
    #[arg(long)]
    pub(super) tag: String,
    /// The signatures of all values of the data set, as `sign` writes them; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(super) signatures: PathBuf,
    /// The largest magnitude of a value in this data set.
    #[arg(long)]
    pub(super) range: u64,
    /// The output file for the signature of the result. Without it, the signature is not written.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Forge {
    #[command(flatten)]
    pub(super) claim: Claim,
    /// The output file for the forged signature. Without it, the signature is not written.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}
