//! The interface to a holder of secrets. The voter, the RPC and the command line use it.

use crate::{error::KeyStoreError, fault::Fault};
use duet_primitives::{
    BlockNumber, DualKeyBytes, Pk1Bytes, PossessionProof, RoundMessage, SignerIndex, UncheckedVote,
};

/// Holds secrets and signs with them. The secrets never leave it.
///
/// Implementations are shared between threads and may block while they compute an answer: below a millisecond for a
/// signature from the key file, a network round trip from a remote signer.
pub trait Signer: Send + Sync {
    /// The keys that this signer can now sign with, in ascending order of their bytes. Includes keys added since the
    /// last call.
    ///
    /// # Errors
    /// [`SignerError`] when the keys cannot be listed.
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError>;

    /// Signs the round's commitment as the member at position `signer`. (VOTE-3)
    ///
    /// Deterministic: asked twice, a signer gives the same bytes. It verifies each signature before it returns it. It
    /// remembers the votes of each key, across power cuts too, and signs no second commitment for a block. (ROUND-4)
    ///
    /// # Errors
    /// [`SignerError::NoKey`] when there is no secret for `key`; [`SignerError::AlreadyVoted`] and
    /// [`SignerError::TooOld`] for votes that must not be signed; [`SignerError::Faulty`] when the fresh signature
    /// does not hold; otherwise the cause of the failure.
    fn sign_vote(
        &self,
        key: &Pk1Bytes,
        signer: SignerIndex,
        message: &RoundMessage,
    ) -> Result<UncheckedVote, SignerError>;

    /// Proves to `owner` that this signer holds the secret of `key`. (POP-1, POP-2)
    ///
    /// `owner` is [`ownership_statement`](duet_primitives::ownership_statement) of an account for keys that go
    /// on chain.
    ///
    /// # Errors
    /// As [`Signer::sign_vote`].
    fn prove_possession(
        &self,
        key: &Pk1Bytes,
        owner: &[u8],
    ) -> Result<PossessionProof, SignerError>;

    /// Makes a new key, keeps its secret and returns the public half.
    ///
    /// # Errors
    /// [`SignerError::CannotGenerate`] from signers that do not make keys, which is the default.
    fn generate(&self) -> Result<DualKeyBytes, SignerError> {
        Err(SignerError::CannotGenerate)
    }
}

/// Why a signer refused or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignerError {
    /// The signer has no secret for this key.
    #[error("there is no secret for the key {0}")]
    NoKey(Pk1Bytes),
    /// ROUND-4: the key signed another commitment for this block. Typical causes are two nodes with one key, or a
    /// restarted chain; the vote would be evidence against the validator.
    #[error("ROUND-4: the key {key} has signed another commitment for block {block}")]
    AlreadyVoted {
        /// The key.
        key: Pk1Bytes,
        /// The block.
        block: BlockNumber,
    },
    /// ROUND-4: the block is below the remembered votes, so it is unknown whether the key signed it.
    #[error("ROUND-4: block {block} is below all recorded votes of the key {key}")]
    TooOld {
        /// The key.
        key: Pk1Bytes,
        /// The block.
        block: BlockNumber,
    },
    /// The fresh signature does not hold, so it was discarded: a faulty signature can give the secret away.
    #[error(
        "the key {key} produced a faulty signature, which was discarded; check the memory and the processor of this \
         machine: {fault}"
    )]
    Faulty {
        /// The key.
        key: Pk1Bytes,
        /// The rule that the signature broke.
        fault: Fault,
    },
    /// This signer cannot generate keys.
    #[error("this signer cannot generate keys: generate them where its secrets are kept")]
    CannotGenerate,
    /// The key file or the record of votes failed.
    #[error(transparent)]
    KeyStore(#[from] KeyStoreError),
    /// A signer of another kind could not be reached.
    #[error("the request to the signer failed: {0}")]
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
}
