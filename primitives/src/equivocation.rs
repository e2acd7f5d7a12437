//! Equivocation: two votes of one validator on one block that say different things.

use crate::{
    commitment::{Commitment, RoundMessage},
    dleq,
    error::EquivocationError,
    keyset::KeysetCommitment,
    merkle::MerkleProof,
    numbers::{BlockNumber, SetId, SignerIndex},
    Keyset, Pk1, Pk1Bytes, UncheckedVote, Vote, VoteSignature, H256,
};
use codec::{Decode, DecodeWithMemTracking, Encode};
use scale_info::TypeInfo;

/// Evidence as it travels: both votes, and a proof that the key is a member of the set. The check takes hashes and
/// DLEQ proofs, no pairing.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
pub struct EquivocationProof {
    /// Position of the offender in its set.
    pub signer: SignerIndex,
    /// Its key.
    pub key: Pk1Bytes,
    /// Proves that the key is the one at this position.
    pub membership: MerkleProof,
    /// One vote: its commitment and signature.
    pub first: (Commitment, VoteSignature),
    /// The other.
    pub second: (Commitment, VoteSignature),
}

/// Whether a chain can still act on evidence. (EQV-6, EQV-7)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, TypeInfo)]
pub enum EvidenceStatus {
    /// The offence is not known, and can be punished.
    #[codec(index = 0)]
    New,
    /// EQV-7: the offence is known.
    #[codec(index = 1)]
    Reported,
    /// EQV-6: the set does not sign yet at this block.
    #[codec(index = 2)]
    NotActive,
    /// EQV-6: the set can no longer be punished.
    #[codec(index = 3)]
    NotSlashable,
    /// Nobody can be punished for it: it breaks another rule, or the owner of the key is not known.
    #[codec(index = 4)]
    Invalid,
}

/// Checked evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivocation {
    /// The set of both votes.
    pub set_id: SetId,
    /// Position of the offender in the set.
    pub signer: SignerIndex,
    /// The offender's key.
    pub key: Pk1Bytes,
    /// The block.
    pub block_number: BlockNumber,
}

impl EquivocationProof {
    /// Makes the evidence from two checked votes of one signer of `set`.
    ///
    /// # Errors
    /// [`EquivocationError`] when they are not an equivocation.
    pub fn new(set: &Keyset, first: &Vote, second: &Vote) -> Result<Self, EquivocationError> {
        let (signer, key) = (first.signer(), first.key().to_bytes());
        if second.signer() != signer || second.key() != first.key() {
            return Err(EquivocationError::DifferentSigners);
        }
        if first.message().genesis_hash() != second.message().genesis_hash() {
            return Err(EquivocationError::DifferentChains);
        }
        check_conflict(first.commitment(), second.commitment(), set.id())?;
        let membership = set.prove(&[signer])?;
        let part = |vote: &Vote| {
            let UncheckedVote {
                commitment,
                signature,
                ..
            } = vote.to_unchecked();
            (commitment, signature)
        };
        Ok(Self {
            signer,
            key,
            membership,
            first: part(first),
            second: part(second),
        })
    }

    /// Checks this evidence against the set that the votes name.
    ///
    /// Rules: EQV-1 both of this set, EQV-2 one block, EQV-3 two commitments, EQV-4 the key is a member of the set,
    /// EQV-5 both signatures (DLEQ-2).
    /// Cost: `O(log n)` hashes, two hashes to the curve, two DLEQ checks; no pairing.
    ///
    /// # Errors
    /// The first broken rule in that order; see [`EquivocationError::culprit`].
    ///
    /// # Security
    /// `set` must come from chain state.
    pub fn check(
        &self,
        set: &KeysetCommitment,
        genesis_hash: H256,
    ) -> Result<Equivocation, EquivocationError> {
        let Self {
            signer,
            key,
            membership,
            first,
            second,
        } = self;
        check_conflict(&first.0, &second.0, set.id)?;
        membership.check(set.root, set.len, &[(*signer, *key)])?;
        let key1 = Pk1::from_chain_state_unchecked(key)?;
        for (which, (commitment, signature)) in [first, second].into_iter().enumerate() {
            let message = RoundMessage::new(genesis_hash, commitment.clone());
            dleq::check(signature, &key1.0, message.hm())
                .map(|_sigma| ())
                .map_err(|error| EquivocationError::Signature { which, error })?;
        }
        let block_number = first.0.block_number;
        Ok(Equivocation {
            set_id: set.id,
            signer: *signer,
            key: *key,
            block_number,
        })
    }
}

/// EQV-1 to EQV-3.
fn check_conflict(
    first: &Commitment,
    second: &Commitment,
    set_id: SetId,
) -> Result<(), EquivocationError> {
    for commitment in [first, second] {
        let (expected, got) = (set_id, commitment.validator_set_id);
        if expected != got {
            return Err(EquivocationError::WrongSet { expected, got });
        }
    }
    if first.block_number != second.block_number {
        return Err(EquivocationError::DifferentBlocks);
    }
    if first == second {
        return Err(EquivocationError::SameCommitment);
    }
    Ok(())
}
