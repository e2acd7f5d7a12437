//! Votes of validators that collude, for blocks that nobody else has named.

use super::scene::{colluders, Scene, AT_A_TIME};
use codec::Encode;
use duet_gossip::message::GossipMessage;
use duet_local_network::Peer;
use duet_primitives::{BlockNumber, Commitment, RoundMessage, SignerIndex, H256};

/// For how many blocks they vote each time, from that on for which the node votes.
const BLOCKS: u32 = 4;

/// Votes as all colluders whenever the honest validators begin to vote for something new. Each names a block of its own,
/// so that nothing that the node works out for one vote serves for another.
pub(super) async fn vote(scene: Scene, peer: Peer) {
    let (mut newest, mut begun) = (scene.heard.newest(), scene.begun.clone());
    let place = scene.tally.identities();
    while scene.next(&mut newest, &peer).await {
        let Some(honest) = newest.borrow_and_update().clone() else {
            continue;
        };
        let block = honest.block_number;
        let votes = of_share(scene.clone(), honest, place).await;
        let is_due = |begun: &Option<Commitment>| {
            begun
                .as_ref()
                .is_some_and(|begun| begun.block_number >= block)
        };
        if begun.wait_for(is_due).await.is_err() {
            return;
        }
        for vote in votes {
            if !scene.deliver(&peer, vote).await {
                return;
            }
        }
    }
}

/// The votes of an attacker's share of the colluders.
async fn of_share(scene: Scene, honest: Commitment, place: u64) -> Vec<Vec<u8>> {
    let attackers = u64::try_from(AT_A_TIME).unwrap_or(1);
    let sign = move || {
        let is_mine =
            |signer: &SignerIndex| u64::from(signer.get()) % attackers == place % attackers;
        let mine = colluders(&scene.validators).into_iter().filter(is_mine);
        let blocks = mine.flat_map(|signer| (0..BLOCKS).map(move |ahead| (signer, ahead)));
        blocks
            .map(|(signer, ahead)| strange(&scene, &honest, signer, ahead))
            .collect()
    };
    tokio::task::spawn_blocking(sign).await.unwrap_or_default()
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
