//! Votes that do not hold, in the name of validators.

use super::scene::Scene;
use codec::Encode;
use duet_gossip::message::GossipMessage;
use duet_local_network::Peer;
use duet_primitives::{testing::secret, RoundMessage, SignerIndex, UncheckedVote};

/// A secret of nobody in the set.
const NOBODY: u64 = u64::MAX;

/// Votes as all validators, once, for what the node votes for, and for what it votes for next, until the node does not
/// listen any more. The honest votes come later, because they take longer to make.
///
/// One signature serves for all of them: each costs the node a whole check, because it is of the wrong key.
pub(super) async fn send(scene: Scene, peer: Peer) {
    let mut newest = scene.heard.newest();
    let nobody = secret(NOBODY);
    while peer.is_in() {
        let commitment = newest.borrow_and_update().clone();
        if let Some(commitment) = commitment {
            let message = RoundMessage::new(scene.genesis, commitment);
            let mut vote = UncheckedVote::sign(&nobody, SignerIndex::new(0), &message);
            for signer in scene.validators.played() {
                vote.signer = signer;
                let message = GossipMessage::Vote(vote.clone()).encode();
                if !scene.deliver(&peer, message).await {
                    return;
                }
            }
        }
        if !scene.next(&mut newest, &peer).await {
            return;
        }
    }
}
