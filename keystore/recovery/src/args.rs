//! The command line.

use duet_primitives::{DualKeyBytes, Pk1Bytes, H256};
use sp_core::crypto::AccountId32;
use std::{path::PathBuf, str::FromStr};

const EXIT_STATUS: &str = "\
Exit status:
  0    done
  1    refused, or a file cannot be read or written
  2    bad usage: wrong arguments";

/// Makes, proves, drills and uses recovery keys of Duet. Needs no network and no node.
///
/// Results go to the standard output, messages to the standard error. FILE may be "-", the standard input.
#[derive(Debug, clap::Parser)]
#[command(version, after_help = [EXIT_STATUS, duet_process::EXIT_STATUS].concat())]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Make a key from the system's randomness, keep it in a key file, and print its public key.
    Generate(Keys),
    /// Keep the key of a secret URI from the standard input in a key file, and print its public key.
    Insert(Keys),
    /// Prove a key for an account on a chain, for the call duetRecovery.registerKey. (RECOVER-1)
    Prove(OwnedKey),
    /// Sign a recent block, for the call duetRecovery.drill. (RECOVER-2)
    Drill {
        #[command(flatten)]
        key: OwnedKey,
        /// The number of the block.
        #[arg(long, value_name = "NUMBER")]
        block_number: u32,
        /// Its hash.
        #[arg(long, value_name = "HASH", value_parser = hash)]
        block_hash: H256,
    },
    /// Say in words what a text holds. No signature is checked.
    Inspect {
        /// The text.
        file: PathBuf,
    },
    /// Sign a statement, one for each block number. (RECOVER-5, RECOVER-10)
    Sign {
        #[command(flatten)]
        key: Key,
        #[command(flatten)]
        members: Members,
        /// The text of the statement.
        #[arg(long, value_name = "FILE")]
        statement: PathBuf,
    },
    /// Combine the signatures of members to a recovery proof. (RECOVER-6)
    Combine {
        #[command(flatten)]
        members: Members,
        /// The texts of the signatures.
        #[arg(required = true, value_name = "SIGNATURE_FILE")]
        signatures: Vec<PathBuf>,
    },
    /// Check a recovery proof. (RECOVER-6)
    Verify {
        #[command(flatten)]
        members: Members,
        /// The text of the proof.
        #[arg(long, value_name = "FILE")]
        proof: PathBuf,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Keys {
    /// The directory of the key files and the records of signed statements.
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,

    /// A file with the password of the key files: its whole content, as for the node. Without it, key files are not
    /// encrypted.
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Key {
    #[command(flatten)]
    pub(crate) keys: Keys,

    /// The key: 0x-hex of its pk1, 48 bytes, or of both halves, 144 bytes.
    #[arg(long, value_name = "PK1", value_parser = pk1)]
    pub(crate) key: Pk1Bytes,
}

#[derive(Debug, clap::Args)]
pub(crate) struct OwnedKey {
    #[command(flatten)]
    pub(crate) key: Key,

    /// The genesis hash of the chain.
    #[arg(long, value_name = "HASH", value_parser = hash)]
    pub(crate) genesis: H256,

    /// The account that the key is for, SS58 or 0x-hex: the validator's stash.
    #[arg(long, value_parser = account)]
    pub(crate) account: AccountId32,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Members {
    /// The text of the recovery set's members. Get it from the chain's proven state.
    #[arg(long, value_name = "FILE")]
    pub(crate) members: PathBuf,
}

fn account(text: &str) -> Result<AccountId32, String> {
    AccountId32::from_str(text)
        .map_err(|error| format!("neither an SS58 address nor 0x-hex of 32 bytes: {error}"))
}

fn pk1(text: &str) -> Result<Pk1Bytes, String> {
    bytes(text)
        .map(Pk1Bytes)
        .or_else(|error| match bytes(text) {
            Ok(both) => Ok(DualKeyBytes(both).pk1()),
            Err(_) => Err(error),
        })
}

fn hash(text: &str) -> Result<H256, String> {
    bytes(text).map(H256)
}

fn bytes<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let mut bytes = [0; N];
    hex::decode_to_slice(digits, &mut bytes)
        .map(|()| bytes)
        .map_err(|error| format!("not 0x-hex of {N} bytes: {error}"))
}
