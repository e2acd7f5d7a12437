//! The limits of `docs/spec/rounds.md` once more, as numbers.

use codec::DecodeAll;
use duet_gossip::message::{GossipMessage, MessageError};
use duet_primitives::{Commitment, SignerIndex, UncheckedVote, VoteSignature};

/// A vote, without the byte for its kind.
const VOTE_LEN: usize = 284;
/// A justification of the largest set, without the byte for its kind.
const LONGEST_JUSTIFICATION: usize = 12_817;
/// A bundle of 256 votes, without the byte for its kind.
const LONGEST_BUNDLE: usize = 29_866;
/// Most handoff proofs or handoff justifications that one request may ask for.
pub(super) const MOST_HANDOFFS: u8 = 64;
/// Most nodes of a trie in an answer.
pub(super) const MOST_NODES: usize = 97;
/// Requests of one peer that are served in ten seconds.
pub(super) const QUOTA: u32 = 20;

/// The messages in a notification of the gossip protocol. (GOSSIP-1, GOSSIP-11)
///
/// # Errors
/// The first broken rule.
pub(super) fn messages(bytes: &[u8]) -> Result<Vec<GossipMessage>, MessageError> {
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
            .map(|vote| vec![GossipMessage::Vote(vote)])
            .map_err(malformed),
        [1, body @ ..] if body.len() > LONGEST_JUSTIFICATION => {
            Err(too_long(LONGEST_JUSTIFICATION))
        }
        [1, body @ ..] => DecodeAll::decode_all(&mut &*body)
            .map(|proof| vec![GossipMessage::Justification(proof)])
            .map_err(malformed),
        [2, body @ ..] if body.len() > LONGEST_BUNDLE => Err(too_long(LONGEST_BUNDLE)),
        [2, body @ ..] => bundled(body).map_err(malformed),
        [kind, ..] => Err(MessageError::UnknownKind { kind: *kind, got }),
    }
}

fn bundled(mut body: &[u8]) -> Result<Vec<GossipMessage>, codec::Error> {
    let (commitment, votes): (Commitment, Vec<(SignerIndex, VoteSignature)>) =
        DecodeAll::decode_all(&mut body)?;
    let vote = |(signer, signature)| {
        let commitment = commitment.clone();
        GossipMessage::Vote(UncheckedVote {
            commitment,
            signer,
            signature,
        })
    };
    let votes: Vec<_> = votes.into_iter().map(vote).collect();
    match votes[..] {
        [] => Err("a bundle without votes".into()),
        _ => Ok(votes),
    }
}
