//! `duet-schemes searchable`: encrypted numbers that a server finds and adds without reading them.
//!
//! Keys are files of their raw bytes. Ciphertexts are kept one after the other in a file, each with the version byte
//! that says how long it is, so that files can be joined by `cat`.

mod aggregate;
mod keys;
mod products;
mod readings;
mod records;

use crate::output::{Failure, Output};
use clap::{ArgGroup, Args};
use duet_searchable::Keyword;
use std::path::PathBuf;

/// Encrypted readings that a server finds and sums without reading them.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Makes a receiver's secret key and the public key that data holders encrypt to.
    Keygen(keys::Keygen),
    /// Makes the trapdoor of a keyword: what a server needs to find and to add its ciphertexts.
    Trapdoor(keys::Trapdoor),
    /// Makes a key that decrypts what is under one keyword, for somebody in the receiver's place.
    Delegate(keys::Delegate),
    /// Encrypts numbers under a keyword.
    Encrypt(readings::Encrypt),
    /// Tells whether every ciphertext is under a keyword; names the first that is not.
    Test(readings::Test),
    /// Keeps the ciphertexts that are under a keyword, and drops the others.
    Search(readings::Search),
    /// Adds ciphertexts: one ciphertext of the (weighted) sum. Tests all of them first.
    Aggregate(aggregate::Aggregate),
    /// Decrypts numbers.
    Decrypt(readings::Decrypt),
    /// Encrypts the numbers of a vector so that it can be multiplied once with another.
    EncryptVector(products::EncryptVector),
    /// Multiplies two encrypted vectors: their encrypted inner product.
    InnerProduct(products::InnerProduct),
    /// Decrypts an inner product.
    DecryptProduct(products::DecryptProduct),
}

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen(command) => keys::keygen(&command, output),
        Command::Trapdoor(command) => keys::trapdoor(&command, output),
        Command::Delegate(command) => keys::delegate(&command, output),
        Command::Encrypt(command) => readings::encrypt(&command, output),
        Command::Test(command) => readings::test(&command, output),
        Command::Search(command) => readings::search(&command, output),
        Command::Aggregate(command) => aggregate::aggregate(&command, output),
        Command::Decrypt(command) => readings::decrypt(&command, output),
        Command::EncryptVector(command) => products::encrypt_vector(&command, output),
        Command::InnerProduct(command) => products::inner_product(&command, output),
        Command::DecryptProduct(command) => products::decrypt_product(&command, output),
    }
}

/// What ciphertexts are filed under.
#[derive(Args)]
#[command(group(ArgGroup::new("filed under").required(true).args(["keyword", "telemetry"])))]
struct KeywordArgs {
    /// The keyword, as text.
    #[arg(long)]
    keyword: Option<String>,
    /// The keyword of a metric of a chain in an epoch.
    #[arg(long, num_args = 3, value_names = ["CHAIN", "METRIC", "EPOCH"])]
    telemetry: Option<Vec<String>>,
}

impl KeywordArgs {
    fn keyword(&self) -> Result<Keyword, Failure> {
        let keyword = match (&self.keyword, self.telemetry.as_deref()) {
            (Some(keyword), _) => Keyword::new(keyword.as_bytes()),
            (None, Some([chain, metric, epoch])) => {
                let epoch = epoch
                    .parse()
                    .map_err(|error| Failure::input(format!("epoch {epoch}: {error}")))?;
                Keyword::telemetry(chain, metric, epoch)
            }
            (None, _) => return Err(Failure::input("a keyword is needed")),
        };
        keyword.map_err(Failure::input)
    }
}

/// The receiver's public key.
#[derive(Args)]
struct PublicArgs {
    /// The receiver's public key.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
    /// The fingerprint that `keygen` told, in hexadecimal: a public key with another one is refused.
    #[arg(long, value_name = "HEX")]
    fingerprint: Option<String>,
}

/// What a server works with.
#[derive(Args)]
struct ServerArgs {
    #[command(flatten)]
    public: PublicArgs,
    /// The trapdoor of the keyword.
    #[arg(long, value_name = "FILE")]
    trapdoor: PathBuf,
    #[command(flatten)]
    keyword: KeywordArgs,
}

/// What decrypts: the receiver's secret, or a delegated key and the public key that it belongs to.
#[derive(Args)]
#[command(group(ArgGroup::new("key").required(true).args(["secret", "delegated"])))]
struct ReaderArgs {
    /// The receiver's secret key.
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// A delegated key of the keyword.
    #[arg(long, value_name = "FILE", requires = "public")]
    delegated: Option<PathBuf>,
    /// The receiver's public key, for a delegated key.
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// The fingerprint of that public key, in hexadecimal: another key is refused.
    #[arg(long, value_name = "HEX", requires = "delegated")]
    fingerprint: Option<String>,
    #[command(flatten)]
    keyword: KeywordArgs,
    /// Mebibytes for the table that numbers are found with: more makes the search shorter.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    memory: usize,
}
