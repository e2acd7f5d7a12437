//! Bytes that are no messages.

use super::scene::Scene;
use duet_local_network::Peer;
use rand_chacha::{
    rand_core::{RngCore, SeedableRng},
    ChaCha8Rng,
};

/// How long each is: that of a vote.
const LENGTH: usize = 285;

/// Sends such bytes until the node does not listen any more.
pub(super) async fn send(scene: Scene, peer: Peer) {
    let mut random = ChaCha8Rng::seed_from_u64(scene.tally.identities());
    loop {
        let mut bytes = vec![0; LENGTH];
        random.fill_bytes(&mut bytes);
        // Of no kind that there is.
        bytes[0] |= 2;
        if !scene.deliver(&peer, bytes).await {
            return;
        }
    }
}
