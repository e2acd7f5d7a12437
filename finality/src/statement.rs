//! Validators' statements that contradict the chain, as stored until they are reported.

use crate::store::Entry;
use codec::{Decode, Encode};
use duet_primitives::{
    BlockNumber, Commitment, SetId, SignerIndex, UncheckedJustification, UncheckedVote, H256,
};
use sp_runtime::traits::{BlakeTwo256, Hash};
use std::fmt;

/// A false statement.
#[allow(clippy::cast_possible_truncation)] // In what the codec derives.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) enum FalseStatement {
    /// One validator signed it.
    #[codec(index = 0)]
    Vote(UncheckedVote),
    /// All signers of the proof signed it.
    #[codec(index = 1)]
    Proof(UncheckedJustification),
}

impl FalseStatement {
    pub(crate) fn commitment(&self) -> &Commitment {
        match self {
            Self::Vote(vote) => &vote.commitment,
            Self::Proof(proof) => &proof.commitment,
        }
    }
}

impl fmt::Display for FalseStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.commitment();
        match self {
            Self::Vote(vote) => write!(f, "the vote of validator {}", vote.signer)?,
            Self::Proof(proof) => write!(f, "the proof by {} signers", proof.signers.count())?,
        }
        write!(
            f,
            " of set {} that block {} is {:?} with the MMR root {:?}",
            said.validator_set_id, said.block_number, said.block_hash, said.mmr_root,
        )
    }
}

impl Entry for FalseStatement {
    const ENTRY: &'static str = "false_statement";
    const LIST: &'static str = "false_statements";

    /// One report per validator and block is enough. Different proofs of a block may have different signers.
    type Id = (SetId, BlockNumber, Option<SignerIndex>, H256);

    fn id(&self) -> Self::Id {
        let said = self.commitment();
        let (signer, proof) = match self {
            Self::Vote(vote) => (Some(vote.signer), H256::zero()),
            Self::Proof(proof) => (None, BlakeTwo256::hash_of(proof)),
        };
        (said.validator_set_id, said.block_number, signer, proof)
    }

    fn describe(&self) -> String {
        format!("{self}, which is not true of the chain,")
    }
}
