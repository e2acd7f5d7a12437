//! Votes of validators that collude, for blocks that nobody else has named.

use super::{colluders, Scene};
use codec::Encode;
use duet_gossip::message::GossipMessage;
use duet_local_network::Peer;
use duet_primitives::{BlockNumber, Commitment, RoundMessage, SignerIndex, H256};

/// For how many blocks they vote each time, from that on for which the node votes.
const BLOCKS: u32 = 4;

/// Votes as all colluders whenever the node votes for something new. Each names a block of its own, so that nothing
/// that the node works out for one vote serves for another.
pub(super) async fn vote(scene: Scene, peer: Peer) {
    let mut newest = scene.heard.newest();
    let place = scene.tally.identities();
    while peer.is_in() {
        let commitment = newest.borrow_and_update().clone();
        for signer in colluders(&scene.validators) {
            // The attackers divide the colluders among themselves.
            if u64::from(signer.get()) % super::AT_A_TIME as u64 != place % super::AT_A_TIME as u64
            {
                continue;
            }
            let Some(honest) = &commitment else { break };
            for ahead in 0..BLOCKS {
                let message = strange(&scene, honest, signer, ahead);
                if !scene.deliver(&peer, message).await {
                    return;
                }
            }
        }
        if newest.changed().await.is_err() {
            return;
        }
    }
}

/// The vote of a colluder for a block of its own.
fn strange(scene: &Scene, honest: &Commitment, signer: SignerIndex, ahead: u32) -> Vec<u8> {
    let number = honest.block_number.get().saturating_add(ahead);
    let own = u64::from(number) << 32 | u64::from(signer.get());
    let lie = Commitment {
        block_number: BlockNumber::new(number),
        block_hash: H256::from_low_u64_be(own),
        ..honest.clone()
    };
    let message = RoundMessage::new(scene.genesis, lie);
    let vote = scene.validators.sign_one(&message, signer);
    GossipMessage::Vote(vote).encode()
}
