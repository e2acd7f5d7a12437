//! Why a `duet-key` command failed.

use crate::genesis::GenesisError;
use duet_keystore::{KeyStoreError, SignerError, SuriError};
use duet_primitives::{KeyError, Pk1Bytes, PossessionError};
use std::path::PathBuf;

/// Why a `duet-key` command failed. The process then exits with a status that is not zero.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DuetKeyError {
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
    /// Not that key.
    #[error("the secret of the key {0} is not here")]
    NoSuchKey(Pk1Bytes),
    /// Several keys to choose from.
    #[error("there are {0} keys in the keystore: say which one with --public")]
    SeveralKeys(usize),
}
