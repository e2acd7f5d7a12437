//! Fresh signatures are verified before they are given out.
//!
//! Signing is deterministic (DLEQ-3). If memory or processor err once during signing, a correct and a faulty
//! signature over one message can share a witness, and two responses `s` with one witness and different challenges
//! reveal the secret. The same holds when the public key in memory is damaged. So each signature is verified as by a
//! third party: from the bytes of the requested key and of the message, decoded and hashed anew.

use duet_primitives::{
    DualKeyBytes, KeyError, Pk1Bytes, PossessionError, PossessionProof, RoundMessage,
    SignatureError, UncheckedVote,
};

/// Why a fresh signature was discarded. It does not hold the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The requested key no longer decodes.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The signature of a vote. (VOTE-3)
    #[error(transparent)]
    Vote(#[from] SignatureError),
    /// The proof of possession.
    #[error(transparent)]
    Possession(#[from] PossessionError),
}

/// Returns the vote if its signature holds. (VOTE-3)
///
/// Cost: one hash to the curve, two decompressions with their subgroup checks, four multiplications in G1.
///
/// # Errors
/// [`Fault`] with the broken rule; the vote is dropped.
pub(crate) fn verified_vote(
    key: &Pk1Bytes,
    message: &RoundMessage,
    vote: UncheckedVote,
) -> Result<UncheckedVote, Fault> {
    let signed = message.commitment().signed_bytes(message.genesis_hash());
    key.check()?.verify(&signed, &vote.signature)?;
    Ok(vote)
}

/// Returns the proof of possession if it holds. (POP-1 to POP-3)
///
/// # Errors
/// [`Fault`] with the broken rule; the proof is dropped.
pub(crate) fn verified_possession(
    key: &DualKeyBytes,
    owner: &[u8],
    proof: PossessionProof,
) -> Result<PossessionProof, Fault> {
    key.check_possession(owner, &proof)?;
    Ok(proof)
}

#[cfg(test)]
pub(crate) mod tests {
    use duet_primitives::VoteSignature;

    /// One bit of the response `s` flips during signing.
    pub(crate) fn with_fault(VoteSignature(mut bytes): VoteSignature) -> VoteSignature {
        bytes[80] ^= 1;
        VoteSignature(bytes)
    }
}
