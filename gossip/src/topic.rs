//! What a message is about, as the 32 bytes under which the gossip engine keeps it.
//!
//! The engine asks about every kept message on every tick and for every peer. It passes the topic along, so the
//! topic itself carries all that the answer needs and no message is decoded twice. Topics never leave the node.

use codec::{Decode, Encode};
use duet_primitives::{BlockNumber, Commitment, SetId, SignerIndex, UncheckedVote, H256};
use sp_runtime::traits::{BlakeTwo256, Hash};

/// The subject of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub(crate) struct Topic {
    /// The block.
    pub(crate) number: BlockNumber,
    /// The set that signs.
    pub(crate) set_id: SetId,
    /// Whose vote it is; `None` for a finality proof.
    pub(crate) signer: Option<SignerIndex>,
    /// Tells commitments to one block apart.
    pub(crate) digest: [u8; DIGEST],
}

/// Enough that honest commitments differ. Who makes others that do not only misses messages itself.
const DIGEST: usize = 8;

impl Topic {
    /// The subject of a vote.
    pub(crate) fn of_vote(vote: &UncheckedVote) -> Self {
        Self::new(Some(vote.signer), &vote.commitment)
    }

    /// The subject of a proof of this commitment.
    pub(crate) fn of_justification(commitment: &Commitment) -> Self {
        Self::new(None, commitment)
    }

    fn new(signer: Option<SignerIndex>, commitment: &Commitment) -> Self {
        Self {
            number: commitment.block_number,
            set_id: commitment.validator_set_id,
            signer,
            digest: digest(commitment),
        }
    }

    /// The topic under which the engine keeps it.
    pub(crate) fn to_hash(self) -> H256 {
        let mut hash = H256::zero();
        self.using_encoded(|bytes| {
            for (to, from) in hash.0.iter_mut().zip(bytes) {
                *to = *from;
            }
        });
        hash
    }

    /// Reads back what [`Topic::to_hash`] wrote.
    ///
    /// # Errors
    /// When the hash is not a topic of this validator.
    pub(crate) fn from_hash(hash: &H256) -> Result<Self, codec::Error> {
        let mut bytes = hash.as_bytes();
        let topic = Self::decode(&mut bytes)?;
        if bytes.iter().any(|byte| *byte != 0) {
            return Err("a topic is followed by zeros".into());
        }
        Ok(topic)
    }
}

fn digest(commitment: &Commitment) -> [u8; DIGEST] {
    let hash = commitment.using_encoded(BlakeTwo256::hash);
    let mut digest = [0; DIGEST];
    for (to, from) in digest.iter_mut().zip(hash.0) {
        *to = from;
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(signer: Option<SignerIndex>) -> Topic {
        Topic {
            number: BlockNumber::MAX,
            set_id: SetId::new(u64::MAX),
            signer,
            digest: [u8::MAX; DIGEST],
        }
    }

    #[test]
    fn a_topic_is_read_back_from_its_hash() {
        for signer in [Some(SignerIndex::new(u32::MAX)), None] {
            let topic = topic(signer);
            assert!(topic.encoded_size() <= H256::len_bytes());
            assert_eq!(Topic::from_hash(&topic.to_hash()), Ok(topic));
        }
    }

    #[test]
    fn bytes_behind_a_topic_are_refused() {
        let mut hash = topic(None).to_hash();
        hash.0[31] = 1;
        assert!(Topic::from_hash(&hash).is_err());
    }
}
