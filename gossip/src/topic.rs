//! What a message is about and where it came from, as the 32 bytes under which the gossip engine keeps it.
//!
//! The engine asks about every kept message on every tick and for every peer. It passes the topic along, so the
//! topic itself carries all that the answer needs and no message is decoded twice. Topics never leave the node.

use crate::peers::Connection;
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
    /// The connection over which it came; `None` for this node's own messages.
    pub(crate) from: Option<Connection>,
}

impl Topic {
    /// The subject of an own message of this kind about this commitment.
    pub(crate) fn own(kind: Kind, commitment: &Commitment) -> Self {
        Self {
            kind,
            set_id: commitment.validator_set_id,
            number: commitment.block_number,
            from: None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_read_back_from_its_hash() {
        for kind in [Kind::Vote, Kind::Justification] {
            for from in [None, Some(Connection::new(u64::MAX))] {
                let topic = Topic {
                    kind,
                    set_id: SetId::new(u64::MAX),
                    number: BlockNumber::MAX,
                    from,
                };
                assert!(topic.encoded_size() <= H256::len_bytes());
                assert_eq!(Topic::from_hash(&topic.to_hash()), Ok(topic));
            }
        }
    }

    #[test]
    fn bytes_behind_a_topic_are_refused() {
        let topic = Topic {
            kind: Kind::Vote,
            set_id: SetId::new(1),
            number: BlockNumber::new(2),
            from: None,
        };
        let mut hash = topic.to_hash();
        hash.0[31] = 1;
        assert!(Topic::from_hash(&hash).is_err());
    }
}
