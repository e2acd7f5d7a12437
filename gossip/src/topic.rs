//! The topic of a message. Messages with the same topic are kept once.

use crate::message::GossipMessage;
use codec::Encode;
use duet_primitives::{BlockNumber, Commitment, SetId, SignerIndex, H256};
use sp_runtime::traits::{BlakeTwo256, Hash};

/// The topic of a message: equal for messages that say the same. Topics never leave the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Topic {
    /// The block.
    pub(crate) number: BlockNumber,
    /// The signing set.
    pub(crate) set_id: SetId,
    /// The voter; `None` for a finality proof.
    pub(crate) signer: Option<SignerIndex>,
    /// Distinguishes commitments to one block.
    pub(crate) commitment: H256,
}

impl Topic {
    /// The topic of a message. Cost: one hash of some hundred bytes.
    pub(crate) fn of(message: &GossipMessage) -> Self {
        match message {
            GossipMessage::Vote(vote) => Self::new(Some(vote.signer), &vote.commitment),
            GossipMessage::Justification(justification) => {
                Self::of_proof(&justification.commitment)
            }
        }
    }

    /// The topic of a finality proof.
    pub(crate) fn of_proof(commitment: &Commitment) -> Self {
        Self::new(None, commitment)
    }

    fn new(signer: Option<SignerIndex>, commitment: &Commitment) -> Self {
        Self {
            number: commitment.block_number,
            set_id: commitment.validator_set_id,
            signer,
            commitment: commitment.using_encoded(BlakeTwo256::hash),
        }
    }
}
