//! The key file of a Duet validator, and the signer behind it.
//!
//! The SDK's keystore names a file after the whole public key, and a dual key is too long for a file name.
//! So Duet keeps its own files, in the same directory and under the same password options: [`KeyRing`] for tools, and
//! [`KeyStore`] for the node, which has the directory to itself.
//! Signatures come from a [`Signer`], whose callers never see a secret, so that a signer on another machine can take
//! the place of the key file.
//!
//! ```
//! use duet_keystore::{KeyRing, KeyStore, Signer};
//! use duet_primitives::ownership_statement;
//!
//! let dir = tempfile::tempdir()?;
//! let store = KeyStore::open(dir.path(), None)?;
//! let public = store.generate()?;
//!
//! let owner = ownership_statement([7; 32].into(), &"account");
//! let proof = store.prove_possession(&public.pk1(), &owner)?;
//! public.check_possession(&owner, &proof)?;
//!
//! assert_eq!(KeyRing::open(dir.path(), None)?.keys()?, [public]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each signature is verified before it is given out, because a faulty one can give the secret away.
//!
//! Next to each key lies a record of its votes, flushed to disk before a vote is given out: a key signs one
//! commitment for a block, whatever happens to the node's database. (ROUND-4) The record moves to another machine as
//! a [`VoteExport`], and is merged there.

// Untrusted files reach this crate, and a panic kills the validator: non-test code must neither panic nor overflow.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod directory;
mod error;
mod export;
mod fault;
mod file;
mod lock;
mod record;
mod records;
mod ring;
mod seal;
mod signer;
mod store;
mod suri;
mod votes;
#[cfg(unix)]
mod writers;

pub use directory::{create as create_directory, read_record, replace as replace_file, Record};
pub use error::{Corruption, KeyStoreError};
pub use export::{VoteExport, VoteExportError};
pub use fault::Fault;
pub use file::{file_name, FILE_PREFIX};
pub use records::{ImportedVotes, VoteRecords};
pub use ring::KeyRing;
pub use seal::SealCost;
pub use signer::{Signer, SignerError};
pub use store::KeyStore;
pub use suri::{generate_phrase, secret_of_suri, SuriError};
#[cfg(unix)]
pub use writers::{other_writers, OtherWriters};
