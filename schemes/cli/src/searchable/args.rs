//! The arguments that several verbs of `duet-schemes searchable` share.

use crate::failure::Failure;
use clap::{ArgGroup, Args};
use duet_searchable::Keyword;
use std::path::PathBuf;

/// The keyword of the ciphertexts.
#[derive(Args)]
#[command(group(ArgGroup::new("keyword_source").required(true).args(["keyword", "telemetry"])))]
pub(super) struct KeywordArgs {
    /// The keyword, as text.
    #[arg(long)]
    pub(super) keyword: Option<String>,
    /// The keyword of a metric of a chain in an epoch.
    #[arg(long, num_args = 3, value_names = ["CHAIN", "METRIC", "EPOCH"])]
    pub(super) telemetry: Option<Vec<String>>,
}

impl KeywordArgs {
    pub(super) fn keyword(&self) -> Result<Keyword, Failure> {
        let keyword = match (&self.keyword, self.telemetry.as_deref()) {
            (Some(keyword), _) => Keyword::new(keyword.as_bytes()),
            (None, Some([chain, metric, epoch])) => {
                let epoch = epoch
                    .parse()
                    .map_err(|error| Failure::input(format!("epoch {epoch}: {error}")))?;
                Keyword::telemetry(chain, metric, epoch)
            }
            (None, _) => return Err(Failure::input("a keyword is required")),
        };
        keyword.map_err(Failure::input)
    }
}

/// The receiver's public key.
#[derive(Args)]
pub(super) struct PublicArgs {
    /// The receiver's public key: its file, or the key's folder.
    #[arg(long, value_name = "FILE")]
    pub(super) public: PathBuf,
    /// The fingerprint that `keygen` printed, in hexadecimal. Any other public key is refused.
    #[arg(long, value_name = "HEX")]
    pub(super) fingerprint: Option<String>,
}

/// The server's keys.
#[derive(Args)]
pub(super) struct ServerArgs {
    #[command(flatten)]
    pub(super) public: PublicArgs,
    /// The trapdoor of the keyword.
    #[arg(long, value_name = "FILE")]
    pub(super) trapdoor: PathBuf,
    #[command(flatten)]
    pub(super) keyword: KeywordArgs,
}

/// The decryption key: the receiver's secret, or a delegated key with its public key.
#[derive(Args)]
#[command(group(ArgGroup::new("reader").required(true).args(["key", "delegated"])))]
pub(super) struct ReaderArgs {
    /// The receiver's key: its folder, or a file with the secret alone; `-` is standard input.
    #[arg(long, value_name = "KEY")]
    pub(super) key: Option<PathBuf>,
    /// A delegated key of the keyword.
    #[arg(long, value_name = "FILE", requires = "public")]
    pub(super) delegated: Option<PathBuf>,
    /// The receiver's public key, for a delegated key: its file, or the key's folder.
    #[arg(long, value_name = "FILE")]
    pub(super) public: Option<PathBuf>,
    /// The fingerprint of that public key, in hexadecimal: another key is refused.
    #[arg(long, value_name = "HEX", requires = "delegated")]
    pub(super) fingerprint: Option<String>,
    #[command(flatten)]
    pub(super) keyword: KeywordArgs,
    /// The memory for the table of discrete logarithms, in MiB. More memory makes the search faster.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    pub(super) memory: usize,
}
