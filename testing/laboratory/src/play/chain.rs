//! Waits for blocks, sessions and sets.

use super::{seen, Player, PATIENCE, SLOT, SLOTS_OF_A_BLOCK};
use crate::{network::Network, Result};
use std::time::Duration;

/// Blocks of a session, as in the runtime that the node has.
const SESSION_BLOCKS: u32 = 10;
/// Within how many sessions a new key signs: from one to the next it waits, in the one after that it is planned.
const SESSIONS_OF_A_SET: u32 = 4;

impl Player {
    pub(super) async fn sessions(&mut self, sessions: u32) -> Result {
        let blocks = sessions * SESSION_BLOCKS;
        let height = self.network.recorder.history().best() + blocks;
        self.made(height, SLOT * SLOTS_OF_A_BLOCK * blocks + PATIENCE)
            .await
    }

    /// Waits for the first block of a session.
    pub(super) async fn new_session(&mut self) -> Result {
        let best = self.network.recorder.history().best();
        let height = (best / SESSION_BLOCKS + 1) * SESSION_BLOCKS;
        let limit = SLOT * SLOTS_OF_A_BLOCK * SESSION_BLOCKS + PATIENCE;
        self.made(height, limit).await
    }

    /// Waits until a block of this height is made.
    pub(super) async fn made(&mut self, height: u32, limit: Duration) -> Result {
        let what = format!("block {height}");
        let holds = |network: &Network| network.recorder.history().best() >= height;
        let running = self.network.running();
        self.network
            .until(&what, limit, holds, |network| seen(network, &running))
            .await
    }

    pub(super) async fn new_sets(&mut self, sets: u64) -> Result {
        let running = self.network.running();
        let last = |network: &Network, node: Option<u16>| network.recorder.history().set(node);
        let set = last(&self.network, None) + sets;
        let holds =
            |network: &Network| running.iter().all(|node| last(network, Some(*node)) >= set);
        let limit = SLOT * SESSION_BLOCKS * SESSIONS_OF_A_SET + PATIENCE;
        let what = format!("a proof by set {set} at each node");
        self.network
            .until(&what, limit, holds, |network| seen(network, &running))
            .await
    }
}
