//! Gossip messages, and their bounded decoding. (GOSSIP-1)
//!
//! A message is one byte for its kind and the SCALE of the vote or justification. Its length is bounded before
//! decoding, and trailing bytes are rejected.

use codec::{DecodeAll, Encode, MaxEncodedLen, Output};
use duet_primitives::{suite, Commitment, UncheckedJustification, UncheckedVote};

/// First byte of a vote.
const VOTE: u8 = 0;
/// First byte of a finality proof.
const JUSTIFICATION: u8 = 1;

/// A message of the gossip protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GossipMessage {
    /// One validator's vote.
    Vote(UncheckedVote),
    /// A finality proof.
    Justification(UncheckedJustification),
}

impl Encode for GossipMessage {
    fn encode_to<O: Output + ?Sized>(&self, output: &mut O) {
        match self {
            Self::Vote(vote) => (VOTE, vote).encode_to(output),
            Self::Justification(justification) => (JUSTIFICATION, justification).encode_to(output),
        }
    }
}

/// Why bytes are not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// There are no bytes.
    #[error("GOSSIP-1: the message is empty")]
    Empty,
    /// Longer than the limit of its kind.
    #[error("GOSSIP-1: the message has {got} bytes, above the limit of {limit}")]
    TooLong {
        /// The limit of its kind, without the byte that names it.
        limit: usize,
        /// The length, without that byte.
        got: usize,
    },
    /// The kind does not exist.
    #[error("GOSSIP-1: unknown message kind {kind}; the message has {got} bytes")]
    UnknownKind {
        /// The byte that names the kind.
        kind: u8,
        /// The length of the message.
        got: usize,
    },
    /// Not the encoding of its kind, or with trailing bytes.
    #[error("GOSSIP-1: the message of {got} bytes does not decode: {error}")]
    Malformed {
        /// The length of the message.
        got: usize,
        /// The decoder's error.
        error: codec::Error,
    },
}

/// The encoded length of a justification of the largest set.
pub(crate) fn max_justification_len() -> usize {
    const BITS_PER_BYTE: usize = 8;
    const COMPACT_PREFIX: usize = 4;
    const BITFIELD: usize = suite::MAX_VALIDATORS as usize / BITS_PER_BYTE + 1;
    const WITHOUT_COMMITMENT: usize = COMPACT_PREFIX + BITFIELD + suite::G1_LEN + suite::G2_LEN;
    Commitment::max_encoded_len().saturating_add(WITHOUT_COMMITMENT)
}

impl GossipMessage {
    /// Decodes a single message. Cost: linear in the bytes, no arithmetic; points stay bytes.
    ///
    /// # Errors
    /// [`MessageError`]; the sender is to blame.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MessageError> {
        let got = bytes.len();
        let (kind, body) = bytes.split_first().ok_or(MessageError::Empty)?;
        let within = |limit| match body.len() {
            len if len > limit => Err(MessageError::TooLong { limit, got: len }),
            _ => Ok(()),
        };
        let message = match *kind {
            VOTE => {
                within(UncheckedVote::max_encoded_len())?;
                UncheckedVote::decode_all(&mut &*body).map(Self::Vote)
            }
            JUSTIFICATION => {
                within(max_justification_len())?;
                UncheckedJustification::decode_all(&mut &*body).map(Self::Justification)
            }
            kind => return Err(MessageError::UnknownKind { kind, got }),
        };
        message.map_err(|error| MessageError::Malformed { got, error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::MAX_NOTIFICATION_SIZE;
    use duet_primitives::{testing::TestSet, RoundMessage, H256};

    fn messages() -> [GossipMessage; 2] {
        let set = TestSet::new(0, 0..4);
        let message = RoundMessage::new(H256::zero(), set.commitment(7, &set.set));
        let vote = set.vote(1, &message).expect("the vote is of this set");
        let justification = set.justify(&message, 0..3);
        [
            GossipMessage::Vote(vote.into_unchecked()),
            GossipMessage::Justification(justification.into_unchecked()),
        ]
    }

    /// The length of the refused message.
    fn refused_length(error: &MessageError) -> Option<usize> {
        match error {
            MessageError::Malformed { got, .. } => Some(*got),
            // Without the byte that names the kind.
            MessageError::TooLong { got, .. } => Some(*got + 1),
            MessageError::Empty | MessageError::UnknownKind { .. } => None,
        }
    }

    #[test]
    fn what_is_encoded_decodes_and_fits_the_notification() {
        for message in messages() {
            let bytes = message.encode();
            assert_eq!(GossipMessage::from_bytes(&bytes), Ok(message));
        }
        let longest = 1 + UncheckedVote::max_encoded_len().max(max_justification_len());
        assert!(u64::try_from(longest).unwrap() <= MAX_NOTIFICATION_SIZE);
    }

    /// GOSSIP-1.
    #[test]
    fn a_byte_too_many_or_too_few_is_refused() {
        for message in messages() {
            let bytes = message.encode();
            let longer = [&bytes[..], &[0]].concat();
            let error = GossipMessage::from_bytes(&longer).unwrap_err();
            assert_eq!(refused_length(&error), Some(longer.len()));
            for cut in 1..bytes.len() {
                let error = GossipMessage::from_bytes(&bytes[..cut]).unwrap_err();
                assert_eq!(refused_length(&error), Some(cut), "{error}");
            }
        }
    }

    #[test]
    fn an_unknown_kind_is_refused() {
        let mut bytes = messages()[0].encode();
        bytes[0] = 2;
        let got = bytes.len();
        assert_eq!(
            GossipMessage::from_bytes(&bytes),
            Err(MessageError::UnknownKind { kind: 2, got })
        );
        assert_eq!(GossipMessage::from_bytes(&[]), Err(MessageError::Empty));
    }

    /// GOSSIP-1.
    #[test]
    fn a_long_message_is_refused_before_it_is_decoded() {
        let limit = max_justification_len();
        let bytes = vec![JUSTIFICATION; limit + 2];
        let error = MessageError::TooLong {
            limit,
            got: limit + 1,
        };
        assert_eq!(GossipMessage::from_bytes(&bytes), Err(error));
    }

    #[test]
    fn the_largest_bitfield_fits_the_limit_exactly() {
        let GossipMessage::Justification(mut justification) = messages()[1].clone() else {
            unreachable!("the second message is a justification")
        };
        justification.signers = duet_primitives::Bitfield::empty(suite::MAX_VALIDATORS);
        let bytes = GossipMessage::Justification(justification).encode();
        assert!(bytes.len() <= 1 + max_justification_len());
        assert!(GossipMessage::from_bytes(&bytes).is_ok());
    }
}
