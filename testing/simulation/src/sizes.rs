//! Bytes on the wire, from the real encodings.

use crate::Scheme;
use codec::{Compact, Encode};
use duet_benches::sizes::Sizes;
use duet_primitives::suite;

/// What a message takes besides its own bytes: the notification's length prefix (2), one yamux header (12), one
/// noise frame (2 of length, 16 of tag). One frame per message: nothing is coalesced.
pub const FRAMING: u64 = 32;

/// The byte that says what a gossiped message is.
const KIND: usize = 1;

/// Bytes of the messages of one scheme in a set of one size, framing included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSizes {
    /// One vote.
    pub vote: u64,
    /// A finality proof by as many signers as one takes.
    pub proof: u64,
}

impl MessageSizes {
    /// The messages of `scheme` in a set of `validators`.
    ///
    /// Duet's are what `duet-primitives` encodes. With pairings a vote lacks the Chaum-Pedersen proof, and a
    /// finality proof lacks `apk2`. With ECDSA both are BEEFY's own encodings.
    pub fn new(scheme: Scheme, validators: u32) -> Self {
        let duet = Sizes::new(validators);
        let (vote, proof) = match scheme {
            Scheme::Dleq | Scheme::DleqPortable => (duet.vote, duet.justification),
            Scheme::Pairings => (
                duet.vote - 2 * suite::SCALAR_LEN,
                duet.justification - suite::G2_LEN,
            ),
            Scheme::Ecdsa => (beefy_vote(), duet.beefy_ecdsa),
        };
        Self {
            vote: on_the_wire(vote),
            proof: on_the_wire(proof),
        }
    }
}

fn on_the_wire(encoded: usize) -> u64 {
    let message = u64::try_from(KIND + encoded).expect("a length in memory; qed");
    message + FRAMING
}

/// The encoding of `sp-consensus-beefy`'s `VoteMessage`: the commitment (a list of one pair of a two-byte id and
/// a root of 32 bytes, the block number, the set's id), the compressed key, the recoverable signature.
fn beefy_vote() -> usize {
    let (payload_id, root, block_number, set_id, key, signature) = (2, 32, 4, 8, 33, 65);
    let list = |len: u32| Compact(len).encoded_size();
    list(1) + payload_id + list(32) + root + block_number + set_id + key + signature
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{testing::TestSet, RoundMessage, SignerIndex, UncheckedVote, H256};

    #[test]
    fn a_vote_has_the_bytes_that_a_real_one_encodes_to() {
        let set = TestSet::new(0, 0..4);
        let message = RoundMessage::new(H256::zero(), set.commitment(1, &set.set));
        let vote = UncheckedVote::sign(&set.secrets[0], SignerIndex::new(0), &message);
        let sizes = MessageSizes::new(Scheme::Dleq, 4);
        assert_eq!(sizes.vote, on_the_wire(vote.encoded_size()));
        let proof = set.justify(&message, 0..3).into_unchecked();
        assert_eq!(sizes.proof, on_the_wire(proof.encoded_size()));
    }

    #[test]
    fn rivals_votes_are_ours_without_the_proof_and_beefys_added_up_by_hand() {
        let vote = |scheme| MessageSizes::new(scheme, 100).vote;
        assert_eq!(vote(Scheme::Dleq) - vote(Scheme::Pairings), 64);
        assert_eq!(vote(Scheme::Ecdsa), 1 + 48 + 33 + 65 + FRAMING);
    }
}
