//! Why a command failed.

use duet_keystore::{KeyStoreError, SignerError, SuriError};
use duet_primitives::{
    BlockNumber, CombineError, KeyError, KeysetError, Pk1Bytes, PossessionError, RecoveryError,
    SignatureError, SignerIndex, H256,
};
use duet_recovery::text::TextError;
use std::{io, path::PathBuf};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The result cannot be written.
    #[error(transparent)]
    Output(#[from] duet_process::Lost),
    /// A text does not hold what it should.
    #[error("{}: {error}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The fault.
        error: TextError,
    },
    /// The key files.
    #[error(transparent)]
    Keys(#[from] KeyStoreError),
    /// The keys could not be listed.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The secret URI.
    #[error(transparent)]
    Suri(#[from] SuriError),
    /// There is no directory of keys.
    #[error("there are no key files at {}", .0.display())]
    NoDirectory(PathBuf),
    /// There is no file for the key.
    #[error("there is no secret for the key {0}")]
    NoKey(Pk1Bytes),
    /// A fresh proof of possession does not hold: memory or processor erred.
    #[error("the fresh proof of possession is faulty, and discarded: {0}")]
    FaultyProof(PossessionError),
    /// The public key in a fresh drill does not hold.
    #[error("the key is faulty: {0}")]
    FaultyKey(#[from] KeyError),
    /// A fresh drill does not hold.
    #[error("the fresh drill is faulty, and discarded: {0}")]
    FaultyDrill(SignatureError),
    /// A fresh signature of a statement does not hold.
    #[error("the fresh signature is faulty, and discarded: {0}")]
    FaultySignature(RecoveryError),
    /// The members are not those of the terms.
    #[error("{}: the members are not those of the terms: {error}", path.display())]
    Members {
        /// The file.
        path: PathBuf,
        /// The broken rule.
        error: Box<KeysetError>,
    },
    /// A text is about another chain.
    #[error("{}: it is for the chain with genesis {got:?}, but the members are of {expected:?}", path.display())]
    OtherGenesis {
        /// The file.
        path: PathBuf,
        /// The genesis of the members.
        expected: H256,
        /// Its genesis.
        got: H256,
    },
    /// The key is not in the recovery set.
    #[error("the key {0} is not a member of the recovery set")]
    NotAMember(Pk1Bytes),
    /// A statement, a signature or a proof does not hold.
    #[error("{}: {error}", path.display())]
    Recovery {
        /// The file.
        path: PathBuf,
        /// The broken rule.
        error: RecoveryError,
    },
    /// A signature is for another statement than the first one.
    #[error("{}: RECOVER-5: it is for another statement than {}", path.display(), first.display())]
    OtherStatement {
        /// The file.
        path: PathBuf,
        /// The first file.
        first: PathBuf,
    },
    /// A signer has two signatures.
    #[error("{}: JUST-4: signer {signer} has another signature before it", path.display())]
    Repeated {
        /// The file.
        path: PathBuf,
        /// The signer.
        signer: SignerIndex,
    },
    /// The signatures do not make a proof.
    #[error(transparent)]
    Combine(#[from] CombineError),
    /// The key signed another statement about this block.
    #[error(
        "RECOVER-10: the key signed another statement about block {block}, as {} records. A second one would be \
         evidence against its owner",
        path.display()
    )]
    SignedOther {
        /// The block.
        block: BlockNumber,
        /// The record.
        path: PathBuf,
    },
    /// The record of signed statements is damaged.
    #[error(
        "{}: RECOVER-10: this record of signed statements is damaged in line {line}, so nothing is signed: restore it",
        path.display()
    )]
    DamagedRecord {
        /// The record.
        path: PathBuf,
        /// The line, from one.
        line: usize,
    },
    /// Other users may change the record of signed statements.
    #[error(
        "{}: RECOVER-10: other users may write this record of signed statements (mode {mode:04o}), so nothing is signed: \
         chmod 600 it, if nobody changed it",
        path.display()
    )]
    WritableRecord {
        /// The record.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}
