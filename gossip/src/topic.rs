//! The topic of a message. Messages with the same topic are kept once.

use crate::message::GossipMessage;
use codec::Encode;
use duet_primitives::{BlockNumber, Commitment, SetId, SignerIndex, UncheckedVote, H256};
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
    /// The topic of a vote. Cost: one hash of some hundred bytes.
    pub(crate) fn of_vote(vote: &UncheckedVote) -> Self {
        Self::new(Some(vote.signer), &vote.commitment, hash(&vote.commitment))
    }

    /// The topic of a finality proof. Cost: one hash of some hundred bytes.
    pub(crate) fn of_proof(commitment: &Commitment) -> Self {
        Self::new(None, commitment, hash(commitment))
    }

    fn new(signer: Option<SignerIndex>, commitment: &Commitment, hash: H256) -> Self {
        Self {
            number: commitment.block_number,
            set_id: commitment.validator_set_id,
            signer,
            commitment: hash,
        }
    }
}

fn hash(commitment: &Commitment) -> H256 {
    commitment.using_encoded(BlakeTwo256::hash)
}

/// Finds the topics of messages. Many that follow each other are on one commitment, which is hashed once.
#[derive(Debug, Default)]
pub(crate) struct Topics {
    last: Option<(Commitment, H256)>,
}

impl Topics {
    /// The topic of a message.
    pub(crate) fn of(&mut self, message: &GossipMessage) -> Topic {
        let (signer, commitment) = match message {
            GossipMessage::Vote(vote) => (Some(vote.signer), &vote.commitment),
            GossipMessage::Justification(justification) => (None, &justification.commitment),
        };
        let hash = match &self.last {
            Some((last, hash)) if last == commitment => *hash,
            _ => self.last.insert((commitment.clone(), hash(commitment))).1,
        };
        Topic::new(signer, commitment, hash)
    }
}

#[cfg(test)]
impl Topic {
    /// The topic of a message.
    pub(crate) fn of(message: &GossipMessage) -> Self {
        Topics::default().of(message)
    }
}
