//! The verbs of `duet-schemes sequential`.

use super::{
    queue,
    registry::{self, Keys},
};
use clap::{Args, Subcommand, ValueEnum};
use duet_sequential::{Party, HASH_LEN};
use std::path::PathBuf;

/// What can be done with records. A file that is called `-` is standard input or output.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Makes a key: a secret file for its owner, and a public one for everybody else.
    Keygen(Keygen),
    /// Begins a record: signs a message as the first hop.
    Sign(Sign),
    /// Signs a message on top of a record, without verifying it.
    Append(Append),
    /// Signs a place in a path, as the first hop or on top of a record: what, from whom, to whom, until when.
    Attest(Attest),
    /// Verifies every signature of a record and, with --receiver, that it is a path which ends there.
    Verify(Verify),
    /// Shows what a record says, unverified.
    Inspect(Inspect),
    /// Takes the last hop off a record, which anybody may do.
    Peel(Peel),
    /// The list of keys that a verifier trusts.
    #[command(subcommand)]
    Registry(registry::Command),
    /// Records that wait to be verified.
    #[command(subcommand)]
    Queue(queue::Command),
}

#[derive(Args)]
pub(crate) struct Keygen {
    /// The size of the modulus. All keys of one record have the same.
    #[arg(long, value_enum, default_value_t = Bits::Rsa3072)]
    pub(super) bits: Bits,
    /// The new file for the secret key; one that is there is not overwritten.
    #[arg(long)]
    pub(super) secret: PathBuf,
    /// The file for the public key: the bare modulus.
    #[arg(long)]
    pub(super) public: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Bits {
    /// About 112 bits of security.
    #[value(name = "2048")]
    Rsa2048,
    /// About 128 bits of security.
    #[value(name = "3072")]
    Rsa3072,
}

#[derive(Args)]
pub(crate) struct Sign {
    /// The own secret key.
    #[arg(long)]
    pub(super) key: PathBuf,
    /// The file with the message.
    #[arg(long)]
    pub(super) message: PathBuf,
    /// The epoch as of which keys are to be looked up.
    #[arg(long)]
    pub(super) epoch: u64,
    /// Where the record goes.
    #[arg(long, default_value = "-")]
    pub(super) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct Append {
    /// The own secret key.
    #[arg(long)]
    pub(super) key: PathBuf,
    /// The file with the message.
    #[arg(long)]
    pub(super) message: PathBuf,
    /// The record as it was received.
    #[arg(long, default_value = "-")]
    pub(super) record: PathBuf,
    /// Where the longer record goes.
    #[arg(long, default_value = "-")]
    pub(super) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct Attest {
    /// The own secret key.
    #[arg(long)]
    pub(super) key: PathBuf,
    /// The record as it was received; without it a new one is begun.
    #[arg(long, conflicts_with_all = ["payload", "from", "epoch"])]
    pub(super) record: Option<PathBuf>,
    /// The file that is relayed, of which only the hash is signed. For the first hop.
    #[arg(long, required_unless_present = "record")]
    pub(super) payload: Option<PathBuf>,
    /// From whom it comes: a name, or 64 hex digits. For the first hop.
    #[arg(long, required_unless_present = "record", value_parser = party)]
    pub(super) from: Option<Party>,
    /// The epoch as of which keys are to be looked up. For the first hop.
    #[arg(long, required_unless_present = "record")]
    pub(super) epoch: Option<u64>,
    /// To whom it goes: the next hop's fingerprint, or the receiver's name.
    #[arg(long, value_parser = party)]
    pub(super) to: Party,
    /// Until when the path is worth something, in seconds since 1970.
    #[arg(long)]
    pub(super) expires: u64,
    /// What the hop asks for its work.
    #[arg(long, default_value_t = 0)]
    pub(super) fee: u64,
    /// Where the record goes.
    #[arg(long, default_value = "-")]
    pub(super) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(super) keys: Keys,
    /// The record.
    #[arg(long, default_value = "-")]
    pub(super) record: PathBuf,
    /// The messages must be a path that ends at this party: a name, or 64 hex digits.
    #[arg(long, value_parser = party)]
    pub(super) receiver: Option<Party>,
    /// The time at which a path must be good, in seconds since 1970; the present if absent.
    #[arg(long, requires = "receiver")]
    pub(super) now: Option<u64>,
    /// The file that must be what was relayed.
    #[arg(long, requires = "receiver")]
    pub(super) payload: Option<PathBuf>,
    /// The party from whom the path must come: a name, or 64 hex digits.
    #[arg(long, requires = "receiver", value_parser = party)]
    pub(super) from: Option<Party>,
}

#[derive(Args)]
pub(crate) struct Inspect {
    /// The record.
    #[arg(long, default_value = "-")]
    pub(super) record: PathBuf,
}

#[derive(Args)]
pub(crate) struct Peel {
    /// The record.
    #[arg(long, default_value = "-")]
    pub(super) record: PathBuf,
    /// The last hop's public key.
    #[arg(long)]
    pub(super) key: PathBuf,
    /// Where the shorter record goes.
    #[arg(long, default_value = "-")]
    pub(super) output: PathBuf,
}

/// A fingerprint or another 32 bytes as 64 hex digits, or a name.
pub(super) fn party(text: &str) -> Result<Party, String> {
    match hash(text) {
        Ok(hash) => Ok(Party(hash)),
        Err(_) if text.is_empty() => Err("empty".to_owned()),
        Err(_) => Ok(Party::named(text)),
    }
}

/// 64 hex digits.
pub(super) fn hash(text: &str) -> Result<[u8; HASH_LEN], String> {
    let mut hash = [0; HASH_LEN];
    hex::decode_to_slice(text, &mut hash).map_err(|error| error.to_string())?;
    Ok(hash)
}
