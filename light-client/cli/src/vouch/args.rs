//! The arguments about vouchers.

use clap::Args as ArgsGroup;
use std::{ffi::OsString, path::PathBuf, time::Duration};

const DAY: f64 = 24.0 * 60.0 * 60.0;

/// Who has to vouch for the checkpoint.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Vouching {
    /// Who vouches for the checkpoint, as `vouch` wrote it; several are counted together. Not read when the state file is
    /// newer than the checkpoint.
    #[arg(long, value_name = "FILE", requires_all = ["checkpoint", "vouchers"])]
    pub(crate) vouched: Vec<PathBuf>,

    /// The keys that you trust: on each line a fingerprint and a name.
    #[arg(long, value_name = "FILE", requires = "vouched")]
    pub(crate) vouchers: Option<PathBuf>,

    /// Refuse the checkpoint unless so many of your list vouch for it; 0 shows who does, and refuses only what is false.
    #[arg(long, value_name = "K", default_value_t = 1, requires = "vouched")]
    pub(crate) require: usize,

    /// How long a signature counts. Less than the chain's bonding duration.
    #[arg(long, value_name = "DAYS", default_value = "14", value_parser = days, requires = "vouched")]
    pub(crate) vouched_within: Duration,
}

/// `vouch`.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Vouch {
    /// The checkpoint (JSON, as `status --checkpoint` prints it).
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: PathBuf,

    /// Your secret key: an RSA key of 2048 or 3072 bits in PEM, or one of `duet-schemes sequential keygen`.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "public",
        conflicts_with_all = ["public", "command"]
    )]
    pub(crate) key: Option<PathBuf>,

    /// The public key of the one that COMMAND signs with, in PEM.
    #[arg(long, value_name = "FILE", requires = "command")]
    pub(crate) public: Option<PathBuf>,

    /// Add to this record, which others made, instead of beginning one.
    #[arg(long, value_name = "FILE")]
    pub(crate) onto: Option<PathBuf>,

    /// Where to write the record. An existing file is not replaced.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// How long COMMAND may take.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) sign_timeout: Duration,

    /// Print one JSON object per line on standard output.
    #[arg(long)]
    pub(crate) json: bool,

    /// After `--`: a command that signs in place of a key file, for example with a token. It gets a block on standard
    /// input and writes its raw RSA signature, without padding, to standard output.
    #[arg(last = true, value_name = "COMMAND", requires = "public")]
    pub(crate) command: Vec<OsString>,
}

/// `fingerprint`.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Fingerprint {
    /// A key in any form that `vouch` takes, public or secret.
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
