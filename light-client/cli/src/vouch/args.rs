//! The arguments about vouchers.

use clap::Args as ArgsGroup;
use std::{ffi::OsString, path::PathBuf, time::Duration};

const DAY: f64 = 24.0 * 60.0 * 60.0;

/// The vouchers that the checkpoint needs.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Vouching {
    /// A record of vouchers that `vouch` wrote; several are counted together. Not read when the state file is newer
    /// than the checkpoint.
    #[arg(long, value_name = "FILE", requires_all = ["checkpoint", "vouchers"])]
    pub(crate) vouched: Vec<PathBuf>,

    /// A file of the keys that you trust: one fingerprint and name per line.
    #[arg(long, value_name = "FILE", requires = "vouched")]
    pub(crate) vouchers: Option<PathBuf>,

    /// Refuse a checkpoint with fewer vouchers from your list; 0 shows them and refuses only false records.
    #[arg(long, value_name = "K", default_value_t = 1, requires = "vouched")]
    pub(crate) require: usize,

    /// The maximum age of a signature. Keep it below the chain's bonding duration.
    #[arg(long, value_name = "DAYS", default_value = "14", value_parser = days, requires = "vouched")]
    pub(crate) vouched_within: Duration,
}

/// `vouch`.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Vouch {
    /// The checkpoint (JSON, as `status --checkpoint` prints it).
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: PathBuf,

    /// Your secret key: an RSA key of 2048 or 3072 bits in PEM, or a key from `duet-schemes sequential keygen`.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "public",
        conflicts_with_all = ["public", "command"]
    )]
    pub(crate) key: Option<PathBuf>,

    /// The public key for COMMAND's signatures, in PEM.
    #[arg(long, value_name = "FILE", requires = "command")]
    pub(crate) public: Option<PathBuf>,

    /// Add the signature to this existing record instead of starting a new one.
    #[arg(long, value_name = "FILE")]
    pub(crate) onto: Option<PathBuf>,

    /// The output file for the record. An existing file is not replaced.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// The timeout of COMMAND.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) sign_timeout: Duration,

    /// Print one JSON object per line on standard output.
    #[arg(long)]
    pub(crate) json: bool,

    /// After `--`: a command that signs in place of a key file, for example with a token. It reads a block from
    /// standard input and writes the raw RSA signature, without padding, to standard output.
    #[arg(last = true, value_name = "COMMAND", requires = "public")]
    pub(crate) command: Vec<OsString>,
}

/// `fingerprint`.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Fingerprint {
    /// A public or secret key, in any form that `vouch` accepts.
    #[arg(value_name = "FILE")]
    pub(crate) key: PathBuf,
}

fn days(text: &str) -> Result<Duration, String> {
    scaled(text, DAY).map_err(|error| format!("not a number of days: {error}"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    scaled(text, 1.0).map_err(|error| format!("not a number of seconds: {error}"))
}

fn scaled(text: &str, unit: f64) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    Duration::try_from_secs_f64(number * unit).map_err(|error| error.to_string())
}
