//! What a message is about, as the 32 bytes under which the gossip engine keeps it.
//!
//! The engine asks about every kept message on every tick and for every peer. It hands the topic along, so the
//! topic itself carries all that the answer needs and no message is decoded twice.

use codec::{Decode, Encode};
use duet_primitives::{BlockNumber, Commitment, SetId, H256};

/// Kind of a kept message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) enum Kind {
    /// One validator's vote.
    Vote,
    /// A finality proof.
    Justification,
}

/// The subject of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) struct Topic {
    /// Which kind of message.
    pub(crate) kind: Kind,
    /// The set that signs.
    pub(crate) set_id: SetId,
    /// The block.
    pub(crate) number: BlockNumber,
}

impl Topic {
    /// The subject of a message of this kind about this commitment.
    pub(crate) fn new(kind: Kind, commitment: &Commitment) -> Self {
        Self {
            kind,
            set_id: commitment.validator_set_id,
            number: commitment.block_number,
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
    pub(crate) fn from_hash(hash: &H256) -> Option<Self> {
        let mut bytes = hash.as_bytes();
        let topic = Self::decode(&mut bytes).ok()?;
        bytes.iter().all(|byte| *byte == 0).then_some(topic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_read_back_from_its_hash() {
        for kind in [Kind::Vote, Kind::Justification] {
            let topic = Topic {
                kind,
                set_id: u64::MAX,
                number: u32::MAX,
            };
            assert!(topic.encoded_size() <= H256::len_bytes());
            assert_eq!(Topic::from_hash(&topic.to_hash()), Some(topic));
        }
        assert_eq!(Topic::from_hash(&H256::repeat_byte(1)), None);
    }
}
