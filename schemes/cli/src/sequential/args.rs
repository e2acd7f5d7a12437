//! The arguments of `duet-schemes sequential`.

use super::{
    parse::party,
    queue,
    registry::{self, Keys},
};
use crate::{keys::KeyArg, output::To};
use clap::{Args, Subcommand, ValueEnum};
use duet_sequential::Party;
use std::path::PathBuf;

/// Operations on records. The file name `-` means standard input or output.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Generates a key in a new folder.
    Keygen(Keygen),
    /// Begins a plain record: signs a message as the first hop. Its epoch is not signed; `attest` signs it.
    Sign(Sign),
    /// Signs a message on top of a plain record, without verifying it.
    Append(Append),
    /// Signs an attestation as the first hop of a path, or on top of a record: payload, sender, next party and expiry.
    Attest(Attest),
    /// Verifies that an attested record is a path that ends at a receiver, or with --plain the signatures of a record alone.
    Verify(Verify),
    /// Removes the last hop of a record, which anyone can do.
    Peel(Peel),
    /// Manages the list of keys that a verifier trusts.
    #[command(subcommand)]
    Registry(registry::Command),
    /// Manages the queue of records that wait to be verified.
    #[command(subcommand)]
    Queue(queue::Command),
}

#[derive(Args)]
pub(crate) struct Keygen {
    /// The modulus size. All keys of a record have the same size.
    #[arg(long, value_enum, default_value_t = Bits::Rsa3072)]
    pub(super) bits: Bits,
    /// The folder to create.
    pub(super) key: PathBuf,
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
    #[command(flatten)]
    pub(super) key: KeyArg,
    /// The file that contains the message.
    #[arg(long, value_name = "FILE")]
    pub(super) message: PathBuf,
    /// The epoch for the key lookup.
    #[arg(long)]
    pub(super) epoch: u64,
    #[command(flatten)]
    pub(super) output: To,
}

#[derive(Args)]
pub(crate) struct Append {
    #[command(flatten)]
    pub(super) key: KeyArg,
    /// The file that contains the message.
    #[arg(long, value_name = "FILE")]
    pub(super) message: PathBuf,
    /// The received record.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(super) record: PathBuf,
    #[command(flatten)]
    pub(super) output: To,
}

#[derive(Args)]
pub(crate) struct Attest {
    #[command(flatten)]
    pub(super) key: KeyArg,
    /// The received record. Without it, a new record is begun.
    #[arg(long, conflicts_with_all = ["payload", "from", "epoch"])]
    pub(super) record: Option<PathBuf>,
    /// The file to relay; only its hash is signed. For the first hop.
    #[arg(long, required_unless_present = "record")]
    pub(super) payload: Option<PathBuf>,
    /// The sender: a name, or 64 hex digits. For the first hop.
    #[arg(long, required_unless_present = "record", value_parser = party)]
    pub(super) from: Option<Party>,
    /// The epoch for the key lookup. For the first hop.
    #[arg(long, required_unless_present = "record")]
    pub(super) epoch: Option<u64>,
    /// The next party: the next hop's fingerprint, or the receiver's name.
    #[arg(long, value_parser = party)]
    pub(super) to: Party,
    /// The time at which the path expires, in seconds since 1970.
    #[arg(long)]
    pub(super) expires: u64,
    /// The hop's fee.
    #[arg(long, default_value_t = 0)]
    pub(super) fee: u64,
    #[command(flatten)]
    pub(super) output: To,
}

#[derive(Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(super) keys: Keys,
    /// The record.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(super) record: PathBuf,
    /// The party at which the path has to end: a name, or 64 hex digits.
    #[arg(long, value_parser = party, required_unless_present = "plain")]
    pub(super) receiver: Option<Party>,
    /// Checks the signatures alone. The epoch of a plain record is not signed: a relay can set an epoch in which a key
    /// was not yet revoked.
    #[arg(long, conflicts_with = "receiver")]
    pub(super) plain: bool,
    /// The time at which the path must be valid, in seconds since 1970. The default is the current time.
    #[arg(long, requires = "receiver")]
    pub(super) now: Option<u64>,
    /// The file that must be the payload.
    #[arg(long, requires = "receiver")]
    pub(super) payload: Option<PathBuf>,
    /// The party at which the path must begin: a name, or 64 hex digits.
    #[arg(long, requires = "receiver", value_parser = party)]
    pub(super) from: Option<Party>,
}

#[derive(Args)]
pub(crate) struct Peel {
    /// The record.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(super) record: PathBuf,
    /// The last hop's public key: its file, or the key's folder.
    #[arg(long, value_name = "FILE")]
    pub(super) public: PathBuf,
    #[command(flatten)]
    pub(super) output: To,
}
