//! The arguments of `duet-schemes polynomial`.

use super::formats::integer;
use clap::{Args, Subcommand, ValueEnum};
use duet_polynomial::research::register::RegisterFiles;
use num_bigint::BigInt;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Generates a key and its empty register.
    Keygen(Keygen),
    /// Prints the fingerprint of a public key.
    Fingerprint {
        /// The public key.
        public: PathBuf,
    },
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
    /// The largest coefficient of a polynomial. The default is what the variance of that many values needs.
    #[arg(long)]
    pub(super) coefficient: Option<u64>,
    /// The output file for the secret key. Existing files are not overwritten.
    #[arg(long)]
    pub(super) secret: PathBuf,
    /// The output file for the public key; `-` for standard output.
    #[arg(long)]
    pub(super) public: PathBuf,
    #[command(flatten)]
    pub(super) register: Register,
}

/// The label register of a key.
#[derive(Args)]
pub(crate) struct Register {
    /// The register's journal. The key never signs without it.
    ///
    /// A journal that was restored from a copy is detected by the anchor, and refused. If both files were restored,
    /// this is not detected: the key then signs a label a second time, and anyone can forge with the two signatures.
    #[arg(long)]
    pub(super) register: PathBuf,
    /// The register's anchor, which stores the position of the journal. The default is the journal's name with
    /// `.anchor` appended. Best on another disk than the journal; exclude it from backups.
    #[arg(long)]
    pub(super) anchor: Option<PathBuf>,
}

impl Register {
    pub(super) fn files(&self) -> RegisterFiles {
        let beside = || {
            let mut name = self.register.clone().into_os_string();
            name.push(".anchor");
            name.into()
        };
        RegisterFiles {
            journal: self.register.clone(),
            anchor: self.anchor.clone().unwrap_or_else(beside),
        }
    }
}

#[derive(Args)]
pub(crate) struct Sign {
    /// The secret key.
    #[arg(long)]
    pub(super) secret: PathBuf,
    /// Its public key.
    #[arg(long)]
    pub(super) public: PathBuf,
    #[command(flatten)]
    pub(super) register: Register,
    /// The name of the data set. Never use a name twice.
    #[arg(long)]
    pub(super) tag: String,
    /// The values: integers separated by spaces or line breaks; `-` for standard input.
    #[arg(long, default_value = "-")]
    pub(super) values: PathBuf,
    /// The output file for the signatures, in hexadecimal, one per line; `-` for standard output.
    #[arg(long)]
    pub(super) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct Evaluate {
    /// The signer's public key.
    #[arg(long)]
    pub(super) public: PathBuf,
    /// The signatures, as `sign` writes them; `-` for standard input.
    #[arg(long, default_value = "-")]
    pub(super) signatures: PathBuf,
    /// The polynomial, such as `3*x0^2*x1 - x2`; x0 is the first value.
    #[arg(long, allow_hyphen_values = true)]
    pub(super) function: String,
    /// The largest magnitude of a value in this data set.
    #[arg(long)]
    pub(super) range: u64,
    /// The output file for the signature of the result; `-` for standard output.
    #[arg(long)]
    pub(super) out: PathBuf,
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
    /// The signer's public key.
    #[arg(long)]
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
    #[arg(long, default_value = "-")]
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
    /// The signer's public key.
    #[arg(long)]
    pub(super) public: PathBuf,
    /// The name of the data set.
    #[arg(long)]
    pub(super) tag: String,
    /// The signatures of all its values, as `sign` writes them; `-` for standard input.
    #[arg(long, default_value = "-")]
    pub(super) signatures: PathBuf,
    /// The largest magnitude of a value in this data set.
    #[arg(long)]
    pub(super) range: u64,
    /// The output file for the signature of the result.
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Forge {
    #[command(flatten)]
    pub(super) claim: Claim,
    /// The output file for the forged signature; `-` for standard output.
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
}
