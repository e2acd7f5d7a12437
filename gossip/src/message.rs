//! What is gossiped, and how it is decoded within bounds. (GOSSIP-1)
//!
//! A message is one byte for its kind and the SCALE of the vote or justification. Its length is bounded before
//! it is decoded, and nothing may follow it.

use codec::{Decode, Encode, MaxEncodedLen, Output};
use duet_primitives::{suite, Commitment, UncheckedJustification, UncheckedVote};

/// First byte of a vote.
const VOTE: u8 = 0;
/// First byte of a finality proof.
const JUSTIFICATION: u8 = 1;

/// What travels over the gossip protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GossipMessage {
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

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MessageError {
    /// There are no bytes.
    #[error("GOSSIP-1: the message is empty")]
    Empty,
    /// Longer than any message of its kind.
    #[error("GOSSIP-1: the message has {got} bytes, {limit} at most")]
    TooLong {
        /// The most for its kind, without the byte that names it.
        limit: usize,
        /// How many there are, without that byte.
        got: usize,
    },
    /// Not the encoding of its kind, or something follows it.
    #[error("GOSSIP-1: the message of {got} bytes does not decode")]
    Malformed {
        /// How many bytes there are.
        got: usize,
    },
}

/// The encoded length of a justification of the largest set.
pub(crate) fn max_justification_len() -> usize {
    const BITS_PER_BYTE: usize = 8;
    const COMPACT_PREFIX: usize = 4;
    let bitfield = usize::try_from(suite::MAX_VALIDATORS).unwrap_or(usize::MAX) / BITS_PER_BYTE + 1;
    Commitment::max_encoded_len() + COMPACT_PREFIX + bitfield + suite::G1_LEN + suite::G2_LEN
}

/// Decodes a value that must fill `bytes` exactly.
pub(crate) fn decode_exactly<T: Decode>(mut bytes: &[u8]) -> Option<T> {
    let value = T::decode(&mut bytes).ok()?;
    bytes.is_empty().then_some(value)
}

impl GossipMessage {
    /// Decodes what a stranger sent. Cost: linear in the bytes, no arithmetic; points stay bytes.
    ///
    /// # Errors
    /// [`MessageError`]; whoever sent it is to blame.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, MessageError> {
        let got = bytes.len();
        let (kind, body) = bytes.split_first().ok_or(MessageError::Empty)?;
        let within = |limit| match body.len() {
            len if len > limit => Err(MessageError::TooLong { limit, got: len }),
            _ => Ok(()),
        };
        let message = match *kind {
            VOTE => {
                within(UncheckedVote::max_encoded_len())?;
                decode_exactly(body).map(Self::Vote)
            }
            JUSTIFICATION => {
                within(max_justification_len())?;
                decode_exactly(body).map(Self::Justification)
            }
            _ => None,
        };
        message.ok_or(MessageError::Malformed { got })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::protocol::MAX_NOTIFICATION_SIZE;
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

    #[test]
    fn what_is_encoded_decodes_and_fits_the_notification() {
        for message in messages() {
            let bytes = message.encode();
            assert_eq!(GossipMessage::from_bytes(&bytes), Ok(message));
        }
        let longest = 1 + UncheckedVote::max_encoded_len().max(max_justification_len());
        assert!(u64::try_from(longest).unwrap() <= MAX_NOTIFICATION_SIZE);
    }

    #[test]
    fn a_byte_too_many_or_too_few_is_refused() {
        for message in messages() {
            let bytes = message.encode();
            let longer = [&bytes[..], &[0]].concat();
            assert!(GossipMessage::from_bytes(&longer).is_err());
            for cut in 0..bytes.len() {
                assert!(
                    GossipMessage::from_bytes(&bytes[..cut]).is_err(),
                    "cut at {cut}"
                );
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
            Err(MessageError::Malformed { got })
        );
        assert_eq!(GossipMessage::from_bytes(&[]), Err(MessageError::Empty));
    }

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
