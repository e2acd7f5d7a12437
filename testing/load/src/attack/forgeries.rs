//! Votes that do not hold, in the name of validators.

use super::scene::Scene;
use duet_gossip::{message::GossipMessage, notification::next_notification, GOSSIP};
use duet_local_network::Peer;
use duet_primitives::{testing::secret, RoundMessage, SignerIndex, UncheckedVote};

/// A secret of nobody in the set.
const NOBODY: u64 = u64::MAX;

/// Votes as all validators, once, in the largest bundles, for what the node votes for, and for what it votes for next, until the node does not
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
            let vote = UncheckedVote::sign(&nobody, SignerIndex::new(0), &message);
            let forged = scene.validators.played().map(|signer| {
                GossipMessage::Vote(UncheckedVote {
                    signer,
                    ..vote.clone()
                })
            });
            let forged: Vec<_> = forged.collect();
            let mut left = &forged[..];
            while let Some((bundle, len)) = next_notification(left, GOSSIP.newest) {
                left = &left[len..];
                if !scene.deliver(&peer, bundle).await {
                    return;
                }
            }
        }
        if !scene.next(&mut newest, &peer).await {
            return;
        }
    }
}
