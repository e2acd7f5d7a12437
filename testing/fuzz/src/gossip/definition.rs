//! The limits of `docs/spec/rounds.md` once more, as numbers.

use codec::DecodeAll;
use duet_gossip::message::{GossipMessage, MessageError};

/// A vote, without the byte for its kind.
const VOTE_LEN: usize = 284;
/// A justification of the largest set, without the byte for its kind.
const LONGEST_JUSTIFICATION: usize = 12_817;
/// Most handoff proofs or handoff justifications that one request may ask for.
pub(super) const MOST_HANDOFFS: u8 = 64;
/// Most nodes of a trie in an answer.
pub(super) const MOST_NODES: usize = 97;
/// Requests of one peer that are served in ten seconds.
pub(super) const QUOTA: u32 = 20;

/// What bytes of the gossip protocol are. (GOSSIP-1)
///
/// # Errors
/// The first broken rule.
pub(super) fn message(bytes: &[u8]) -> Result<GossipMessage, MessageError> {
    let got = bytes.len();
    let malformed = |error| MessageError::Malformed { got, error };
    let too_long = |limit| MessageError::TooLong {
        limit,
        got: got - 1,
    };
    match bytes {
        [] => Err(MessageError::Empty),
        [0, body @ ..] if body.len() > VOTE_LEN => Err(too_long(VOTE_LEN)),
        [0, body @ ..] => DecodeAll::decode_all(&mut &*body)
            .map(GossipMessage::Vote)
            .map_err(malformed),
        [1, body @ ..] if body.len() > LONGEST_JUSTIFICATION => {
            Err(too_long(LONGEST_JUSTIFICATION))
        }
        [1, body @ ..] => DecodeAll::decode_all(&mut &*body)
            .map(GossipMessage::Justification)
            .map_err(malformed),
        [kind, ..] => Err(MessageError::UnknownKind { kind: *kind, got }),
    }
}
