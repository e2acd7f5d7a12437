//! The interface to whatever holds the secrets. The voter, the RPC and the command line use it.

use crate::{error::KeyStoreError, fault::Fault};
use duet_primitives::{
    BlockNumber, DualKeyBytes, Pk1Bytes, PossessionProof, RoundMessage, SignerIndex, UncheckedVote,
};

/// Holds secrets and signs with them. The secrets never leave it.
///
/// Implementations are shared between threads and may block for as long as an answer takes: a signature is
/// below a millisecond from the key file, a network round trip from a remote signer.
pub trait Signer: Send + Sync {
    /// The keys that this signer can sign with now, in ascending order of their bytes. A key that was added
    /// since the last call is among them.
    ///
    /// # Errors
    /// [`SignerError`] when the keys cannot be listed.
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError>;

    /// Signs the round's commitment as the member at position `signer`. (VOTE-3)
    ///
    /// Deterministic: asked twice, it gives the same bytes. A signer verifies each signature before it returns it. It
    /// remembers, across power cuts too, what each key has signed, and signs no second commitment for a block.
    /// (ROUND-4)
    ///
    /// # Errors
    /// [`SignerError::NoKey`] when there is no secret for `key`; [`SignerError::AlreadyVoted`] and
    /// [`SignerError::TooOld`] for what must not be signed; [`SignerError::Faulty`] when the fresh signature does not
    /// hold; otherwise what went wrong.
    fn sign_vote(
        &self,
        key: &Pk1Bytes,
        signer: SignerIndex,
        message: &RoundMessage,
    ) -> Result<UncheckedVote, SignerError>;

    /// Proves to `owner` that the secret behind `key` is here. (POP-1, POP-2)
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
    /// [`SignerError::CannotGenerate`] from signers whose keys are made elsewhere, which is the default.
    fn generate(&self) -> Result<DualKeyBytes, SignerError> {
        Err(SignerError::CannotGenerate)
    }
}

/// Why a signer gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignerError {
    /// There is no secret for this key.
    #[error("there is no secret for the key {0}")]
    NoKey(Pk1Bytes),
    /// ROUND-4: the key signed another commitment for this block. Two nodes with one key, or a chain that was
    /// started anew, look like this; the vote would be evidence against the validator.
    #[error("ROUND-4: the key {key} has signed another commitment for block {block}")]
    AlreadyVoted {
        /// The key.
        key: Pk1Bytes,
        /// The block.
        block: BlockNumber,
    },
    /// ROUND-4: the block is below the votes that are remembered, so that it is not known whether the key signed it.
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
    /// The key file, or the record of votes.
    #[error(transparent)]
    KeyStore(#[from] KeyStoreError),
    /// A signer of another kind could not be asked.
    #[error("the signer cannot be asked: {0}")]
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
}
