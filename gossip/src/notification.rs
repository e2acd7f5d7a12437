//! Notifications: a message, or a bundle of votes. (GOSSIP-1, GOSSIP-11)
//!
//! The votes of a bundle are on one commitment, which it names once. A bundle is made when the connection has room for
//! it, of the votes that the peer lacks then: no vote waits for others, and load makes bundles larger.

use crate::{
    message::{GossipMessage, MessageError},
    protocol::BUNDLES_SINCE,
};
use codec::{DecodeAll, Encode, MaxEncodedLen};
use duet_primitives::{Commitment, SignerIndex, UncheckedVote, VoteSignature};
use std::borrow::Borrow;

/// First byte of a bundle.
const BUNDLE: u8 = 2;
/// The most votes in a bundle: as many as are checked together.
pub const MAX_BUNDLED: usize = crate::pending::BATCH;

/// A vote of a bundle, without the commitment.
type Bundled = (SignerIndex, VoteSignature);

/// The encoded length of the largest bundle, without its first byte.
fn max_bundle_len() -> usize {
    const COMPACT_LEN: usize = 2;
    Commitment::max_encoded_len()
        .saturating_add(COMPACT_LEN)
        .saturating_add(Bundled::max_encoded_len().saturating_mul(MAX_BUNDLED))
}

/// Decodes a peer's notification: its messages, at least one. Cost: linear in the bytes, no arithmetic; points stay
/// bytes.
///
/// # Errors
/// [`MessageError`]; the sender is to blame.
pub fn messages_of(notification: &[u8]) -> Result<Vec<GossipMessage>, MessageError> {
    let Some((&BUNDLE, body)) = notification.split_first() else {
        return GossipMessage::from_bytes(notification).map(|message| vec![message]);
    };
    let (got, limit) = (body.len(), max_bundle_len());
    if got > limit {
        return Err(MessageError::TooLong { limit, got });
    }
    decode(body).map_err(|error| MessageError::Malformed {
        got: notification.len(),
        error,
    })
}

fn decode(body: &[u8]) -> Result<Vec<GossipMessage>, codec::Error> {
    let (commitment, votes): (Commitment, Vec<Bundled>) = DecodeAll::decode_all(&mut &*body)?;
    if votes.is_empty() {
        return Err("a bundle without votes".into());
    }
    let vote = |(signer, signature)| {
        GossipMessage::Vote(UncheckedVote {
            commitment: commitment.clone(),
            signer,
            signature,
        })
    };
    Ok(votes.into_iter().map(vote).collect())
}

/// The next notification for a peer that is to receive these messages, in their order, over this version of the
/// protocol; and how many of them it contains. `None` if there are no messages. Cost: linear in its bytes.
pub fn next_notification<M: Borrow<GossipMessage>>(
    messages: &[M],
    version: u16,
) -> Option<(Vec<u8>, usize)> {
    let first = messages.first()?.borrow();
    let bundle = match first {
        GossipMessage::Vote(vote) if version >= BUNDLES_SINCE => bundle(&vote.commitment, messages),
        GossipMessage::Vote(_) | GossipMessage::Justification(_) => None,
    };
    Some(bundle.unwrap_or_else(|| (first.encode(), 1)))
}

/// A bundle of the first messages, as far as they are votes on this commitment; `None` for a single vote.
fn bundle<M: Borrow<GossipMessage>>(
    commitment: &Commitment,
    messages: &[M],
) -> Option<(Vec<u8>, usize)> {
    let bundled = |message: &M| match message.borrow() {
        GossipMessage::Vote(vote) if vote.commitment == *commitment => {
            Some((vote.signer, vote.signature))
        }
        GossipMessage::Vote(_) | GossipMessage::Justification(_) => None,
    };
    let votes = messages.iter().map_while(bundled).take(MAX_BUNDLED);
    let votes: Vec<Bundled> = votes.collect();
    (votes.len() > 1).then(|| ((BUNDLE, commitment, &votes).encode(), votes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        protocol::{GOSSIP, MAX_NOTIFICATION_SIZE},
        relaying::testing::{proof, vote},
    };

    /// All notifications, with the number of messages in each.
    fn notifications(messages: &[GossipMessage], version: u16) -> Vec<(Vec<u8>, usize)> {
        let mut left = messages;
        std::iter::from_fn(|| {
            let (notification, len) = next_notification(left, version)?;
            left = &left[len..];
            Some((notification, len))
        })
        .collect()
    }

    fn lengths(notifications: &[(Vec<u8>, usize)]) -> Vec<usize> {
        notifications.iter().map(|(_, len)| *len).collect()
    }

    fn read(notifications: &[(Vec<u8>, usize)]) -> Vec<GossipMessage> {
        let read = |(bytes, _): &(Vec<u8>, usize)| messages_of(bytes).unwrap();
        notifications.iter().flat_map(read).collect()
    }

    /// GOSSIP-11.
    #[test]
    fn votes_that_follow_each_other_and_say_the_same_share_a_notification() {
        let mut messages = vec![proof(7), vote(9, 0), vote(9, 1), vote(9, 2), vote(8, 0)];
        messages.extend([vote(9, 3), proof(6)]);
        messages.extend((0..600).map(|signer| vote(5, signer)));
        let bundled = notifications(&messages, GOSSIP.newest);
        assert_eq!(lengths(&bundled), [1, 3, 1, 1, 1, 256, 256, 88]);
        assert_eq!(read(&bundled), messages);
        let single = notifications(&messages, 1);
        assert_eq!(lengths(&single), [1; 607]);
        assert_eq!(read(&single), messages);
    }

    /// GOSSIP-11.
    #[test]
    fn a_bundle_names_its_commitment_once_and_fits_a_notification() {
        let votes: Vec<_> = (0..256).map(|signer| vote(5, signer)).collect();
        let alone = votes[0].encode().len();
        let commitment = Commitment::max_encoded_len();
        let bundles = notifications(&votes, GOSSIP.newest);
        let [(bundle, 256)] = &bundles[..] else {
            panic!("{:?}", lengths(&bundles))
        };
        assert_eq!(bundle.len(), alone + 2 + 255 * (alone - 1 - commitment));
        assert_eq!(bundle.len(), 1 + max_bundle_len());
        assert!(u64::try_from(bundle.len()).unwrap() <= MAX_NOTIFICATION_SIZE);
    }

    /// GOSSIP-1.
    #[test]
    fn a_bundle_too_large_or_empty_or_cut_is_refused() {
        let signature = VoteSignature([0; VoteSignature::LEN]);
        let GossipMessage::Vote(vote) = vote(5, 0) else {
            unreachable!("it is a vote")
        };
        let bundle = |len| {
            let votes = vec![(SignerIndex::new(0), signature); len];
            (BUNDLE, &vote.commitment, votes).encode()
        };
        let refused = |bytes: &[u8]| messages_of(bytes).unwrap_err();
        assert_eq!(messages_of(&bundle(1)).map(|it| it.len()), Ok(1));
        let (limit, longer) = (max_bundle_len(), bundle(257));
        let got = longer.len() - 1;
        assert_eq!(refused(&longer), MessageError::TooLong { limit, got });
        for bytes in [
            bundle(0),
            [bundle(3), vec![0]].concat(),
            bundle(3)[..300].to_vec(),
        ] {
            let error = refused(&bytes);
            let MessageError::Malformed { got, .. } = error else {
                panic!("{error}")
            };
            assert_eq!(got, bytes.len());
        }
    }
}
