//! Why a `duet-key` command failed.

pub use crate::{
    genesis::GenesisError, needed::StillNeeded, rpc::NodeError, transaction::FormatError,
};
use duet_keystore::{KeyStoreError, SignerError, SuriError, VoteExportError};
use duet_primitives::{DualKeyBytes, KeyError, Pk1Bytes, PossessionError, H256};
use duet_process::Lost;
use sp_core::crypto::AccountId32;
use std::{io, path::PathBuf};

/// Why a `duet-key` command failed. The process then exits with a status that is not zero.
#[derive(Debug, thiserror::Error)]
pub enum DuetKeyError {
    /// The base path, the password file or the prompt.
    #[error(transparent)]
    Cli(#[from] sc_cli::Error),
    /// The chain specification.
    #[error("the chain specification cannot be loaded: {0}")]
    Spec(String),
    /// Its genesis.
    #[error(transparent)]
    Genesis(#[from] GenesisError),
    /// The secret URI.
    #[error(transparent)]
    Suri(#[from] SuriError),
    /// The key file.
    #[error(transparent)]
    KeyStore(#[from] KeyStoreError),
    /// The signer.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The public key.
    #[error("not a valid public key: {0}")]
    Key(#[from] KeyError),
    /// The proof.
    #[error("the proof of possession does not hold: {0}")]
    Proof(#[from] PossessionError),
    /// No directory of key files.
    #[error("there is no keystore at {}: insert a key first, or give --base-path or --keystore-path", .0.display())]
    NoDirectory(PathBuf),
    /// No key at all.
    #[error("there is no Duet key in the keystore: insert one first, or give --suri")]
    NoKeys,
    /// The requested key is missing.
    #[error("there is no secret for the key {0}")]
    NoSuchKey(Pk1Bytes),
    /// Several keys, and none was chosen.
    #[error("there are {0} keys in the keystore: choose one with --public")]
    SeveralKeys(usize),
    /// The result could not be written.
    #[error(transparent)]
    Output(#[from] Lost),
    /// The exported votes.
    #[error("the exported votes: {0}")]
    Votes(#[from] VoteExportError),
    /// No record of votes at all.
    #[error("no key in this keystore has a vote record for the chain with the genesis hash {0:?}: check --chain and --base-path")]
    NoRecords(H256),
    /// A file named on the command line.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The file system's error.
        error: io::Error,
    },
    /// A query to a node.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The key must stay.
    #[error("the key is not removed: {0}")]
    Needed(#[from] StillNeeded),
    /// The secret URI of an account.
    #[error("no account can be derived from the secret URI")]
    AccountUri,
    /// The secret URI is that of another account.
    #[error(
        "the secret URI belongs to the account {got}, not to {expected}: check --suri and --scheme"
    )]
    OtherAccount {
        /// The account that the key is for.
        expected: AccountId32,
        /// The account of the secret URI.
        got: AccountId32,
    },
    /// The registration failed or timed out.
    #[error("the key is on the node, but possibly not registered: {error}; to try again with this key: --public {key}")]
    NotRegistered {
        /// The key.
        key: DualKeyBytes,
        /// The reason.
        error: Box<NodeError>,
    },
}

impl From<DuetKeyError> for sc_cli::Error {
    fn from(error: DuetKeyError) -> Self {
        match error {
            DuetKeyError::Cli(error) => error,
            error => Self::Application(Box::new(error)),
        }
    }
}
