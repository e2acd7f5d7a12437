//! Evidence that members of a recovery set signed a statement, which the chain compares with its own resets.

use super::{RecoveryProof, RecoveryStatement, RecoveryVote};
use crate::{
    bytes::decode_list,
    error::RecoveryError,
    keyset::{Keyset, KeysetCommitment},
    merkle::MerkleProof,
    numbers::SignerIndex,
    suite::MAX_ACCUSED,
    Pk1, Pk1Bytes, Recovery, H256,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, Error, Input};
use scale_info::TypeInfo;

/// What the accused signed.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
#[allow(clippy::cast_possible_truncation)] // In what the codec derives.
pub enum Signed {
    /// The signature of one member.
    #[codec(index = 0)]
    Vote(RecoveryVote),
    /// A recovery proof: each of its signers made it.
    #[codec(index = 1)]
    Proof(RecoveryProof),
}

/// The signers of a statement, with the proof that they signed. (RECOVER-9)
///
/// Decoding refuses more than [`MAX_ACCUSED`] keys before it allocates: use several accusations for more.
#[derive(Clone, Debug, PartialEq, Eq, Encode, DecodeWithMemTracking, TypeInfo)]
pub struct RecoveryAccusation {
    /// What they signed.
    pub signed: Signed,
    /// Who is accused: positions in set order, and keys.
    pub accused: Vec<(SignerIndex, Pk1Bytes)>,
    /// Proves that these are the keys at these positions.
    pub membership: MerkleProof,
}

impl Decode for RecoveryAccusation {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        Ok(Self {
            signed: Decode::decode(input)?,
            accused: decode_list(input, MAX_ACCUSED, "RECOVER-9: too many accused members")?,
            membership: Decode::decode(input)?,
        })
    }
}

impl RecoveryAccusation {
    /// Accuses the signer of a signature that holds. `None` when it does not hold in this set.
    pub fn of_vote(vote: &RecoveryVote, set: &Keyset, genesis_hash: H256) -> Option<Self> {
        vote.check(set, genesis_hash).ok()?;
        Self::of(Signed::Vote(vote.clone()), &[vote.signer], set)
    }

    /// Accuses all signers of a proof, in one or more accusations. None when the proof is not by this set.
    pub fn of_proof(proof: &Recovery, set: &Keyset) -> Vec<Self> {
        if proof.statement().recovery_set != set.id() {
            return Vec::new();
        }
        let proof = proof.as_unchecked();
        let signers: Vec<_> = proof.signers.signers(set.len()).collect();
        let accuse = |signers| Self::of(Signed::Proof(proof.clone()), signers, set);
        let parts = signers.chunks(MAX_ACCUSED as usize);
        parts.filter_map(accuse).collect()
    }

    fn of(signed: Signed, signers: &[SignerIndex], set: &Keyset) -> Option<Self> {
        let key = |signer: &SignerIndex| Some((*signer, set.key(*signer)?.to_bytes()));
        Some(Self {
            signed,
            accused: signers.iter().filter_map(key).collect(),
            membership: set.prove(signers).ok()?,
        })
    }

    /// The signed statement.
    pub fn statement(&self) -> &RecoveryStatement {
        match &self.signed {
            Signed::Vote(vote) => &vote.statement,
            Signed::Proof(proof) => &proof.statement,
        }
    }

    /// The number of accused, and of other keys in the proof. They determine the cost of the check.
    pub fn sizes(&self) -> (u32, u32) {
        let len = |list: usize| u32::try_from(list).unwrap_or(u32::MAX);
        let others = match &self.signed {
            Signed::Vote(_) => 0,
            Signed::Proof(proof) => len(proof.non_signers.len()),
        };
        (len(self.accused.len()), others)
    }

    /// Checks that all accused signed the statement. (RECOVER-9)
    ///
    /// Rules: RECOVER-6 for set and form, somebody is accused, the accused are signers, the keys are members, and the
    /// signature or the proof holds (RECOVER-6). Cost: that of the check of what is signed, and `O(log n)` hashes for
    /// each of the accused.
    ///
    /// # Errors
    /// The first broken rule in that order.
    ///
    /// # Security
    /// `set` must come from chain state. This does not check that the signed statement is false.
    pub fn check(&self, set: &KeysetCommitment, genesis_hash: H256) -> Result<(), RecoveryError> {
        self.statement().check_for(set)?;
        if self.accused.is_empty() {
            return Err(RecoveryError::Nobody);
        }
        let is_signer = |signer: SignerIndex| match &self.signed {
            Signed::Vote(vote) => vote.signer == signer,
            Signed::Proof(proof) => proof.signers.contains(signer),
        };
        let mut accused = self.accused.iter();
        if let Some((signer, _)) = accused.find(|(signer, _)| !is_signer(*signer)) {
            return Err(RecoveryError::NotASigner { signer: *signer });
        }
        self.membership.check(set.root, set.len, &self.accused)?;
        match &self.signed {
            // All of the accused are at one position, and positions ascend: there is one.
            Signed::Vote(vote) => self.accused.iter().try_for_each(|(index, key)| {
                let key = Pk1::from_chain_state_unchecked(key).map_err(|error| {
                    RecoveryError::Proof(crate::StatelessError::Key {
                        index: *index,
                        error,
                    })
                })?;
                vote.check_equation(&key, genesis_hash)
            }),
            Signed::Proof(proof) => proof.clone().check(set, genesis_hash).map(|_| ()),
        }
    }
}
