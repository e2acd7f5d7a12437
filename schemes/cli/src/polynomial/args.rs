//! The arguments of `duet-schemes polynomial`.

use super::formats::integer;
use clap::{Args, Subcommand, ValueEnum};
use duet_polynomial::research::register::RegisterFiles;
use num_bigint::BigInt;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Generates a key and the empty register of what it signs.
    Keygen(Keygen),
    /// Signs the values of a data set.
    Sign(Sign),
    /// Applies a polynomial to signed values, without any key but the public one.
    Evaluate(Evaluate),
    /// Checks that a value is the polynomial, or the statistic, of the values that were signed.
    Verify(Verify),
    /// Computes a statistic of signed values, and checks it.
    #[command(subcommand)]
    Stats(Stats),
    /// Shows that the scheme is not secure: signs any value from the public key alone.
    ///
    /// The tests do it up to dimension 32 and the benches up to 64; estimates say that it succeeds at 128 as well.
    Forge(Forge),
}

#[derive(Args)]
pub(crate) struct Keygen {
    /// The dimension of the ring: 4, 8, 16, 32, 64 or 128.
    #[arg(long, default_value_t = 64)]
    pub(super) dimension: usize,
    /// The most values in a data set.
    #[arg(long, default_value_t = 20)]
    pub(super) values: u32,
    /// The highest degree of a polynomial.
    #[arg(long, default_value_t = 2)]
    pub(super) degree: u8,
    /// The largest coefficient of a polynomial; without it, what the variance of that many values needs.
    #[arg(long)]
    pub(super) coefficient: Option<u64>,
    /// Where the secret key goes; a file that is there is not overwritten.
    #[arg(long)]
    pub(super) secret: PathBuf,
    /// Where the public key goes; `-` for standard output.
    #[arg(long)]
    pub(super) public: PathBuf,
    #[command(flatten)]
    pub(super) register: Register,
}

/// The record of what a key has signed.
#[derive(Args)]
pub(crate) struct Register {
    /// The register's journal. The key never signs without it.
    ///
    /// A journal that is restored from a copy is told by the anchor, and refused. Both restored from a copy are not
    /// told: then the key signs a label a second time, and anybody can forge with the two signatures.
    #[arg(long)]
    pub(super) register: PathBuf,
    /// The register's anchor, which says how far the journal has come; without this option, the journal's name with
    /// `.anchor` after it. Best on another disk than the journal; leave it out of backups.
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
    /// The name of the data set, which no other may have.
    #[arg(long)]
    pub(super) tag: String,
    /// The values, integers with spaces or line breaks between them; `-` for standard input.
    #[arg(long, default_value = "-")]
    pub(super) values: PathBuf,
    /// Where the signatures go, in hexadecimal, one in a line; `-` for standard output.
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
    /// Where the signature of the result goes; `-` for standard output.
    #[arg(long)]
    pub(super) out: PathBuf,
}

/// What was computed, by the verifier's own view.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct What {
    /// A polynomial, such as `3*x0^2*x1 - x2`.
    #[arg(long, allow_hyphen_values = true)]
    pub(super) function: Option<String>,
    /// A statistic of all values. Signed is k times the mean, and k squared times the variance.
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
    /// How many values the data set has.
    #[arg(long)]
    pub(super) count: u32,
    #[command(flatten)]
    pub(super) what: What,
    /// The value that is signed, an integer.
    #[arg(long, allow_hyphen_values = true, value_parser = integer)]
    pub(super) value: BigInt,
}

#[derive(Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(super) claim: Claim,
    /// The largest magnitude of a value in this data set, as the verifier knows it: what values up to it cannot give
    /// without wrapping around mod p is refused.
    #[arg(long)]
    pub(super) range: u64,
    /// The signature of the result; `-` for standard input.
    #[arg(long, default_value = "-")]
    pub(super) signature: PathBuf,
    /// Checks against the paper's bound on the norm, which is the same for all functions, and not the function's own.
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
    /// Where the signature of the result goes.
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Forge {
    #[command(flatten)]
    pub(super) claim: Claim,
    /// Where the forged signature goes; `-` for standard output.
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
}
