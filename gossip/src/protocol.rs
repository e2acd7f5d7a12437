//! Protocol names, and every limit on sizes and counts of what peers send.

use crate::interest::Interest;
use duet_primitives::H256;
use sc_network::{
    config::{NonReservedPeerMode, SetConfig},
    peer_store::PeerStoreProvider,
    NetworkBackend, NotificationMetrics, NotificationService, ProtocolName,
};
use sp_runtime::traits::Block as BlockT;
use std::{sync::Arc, time::Duration};

/// Longest notification that is read. A vote has 285 bytes, a justification of the largest set 13 KiB.
pub(crate) const MAX_NOTIFICATION_SIZE: u64 = 64 * 1024;
/// Longest request that is read.
pub(crate) const MAX_REQUEST_SIZE: u64 = 32;
/// Longest response that is written or read.
pub(crate) const MAX_RESPONSE_SIZE: u64 = 1024 * 1024;
/// Requests that wait to be served; further ones are refused by the network. (GOSSIP-7)
pub(crate) const INBOUND_REQUESTS: usize = 16;
/// Longest response with handoff proofs: that of the largest set, with its keys, has 4.6 MiB. (REQ-3)
pub(crate) const MAX_HISTORY_RESPONSE_SIZE: u64 = 6 * 1024 * 1024;
/// Most handoff proofs in one response. (REQ-3)
pub(crate) const MAX_HANDOFFS: u8 = 64;
/// How long a peer may take to send handoff proofs. (REQ-3)
pub(crate) const HISTORY_TIMEOUT: Duration = Duration::from_secs(20);
/// How many peers are asked for handoff proofs at once: one, so that one response is held at most. (REQ-3)
pub(crate) const PARALLEL_HISTORY_REQUESTS: usize = 1;
/// Most handoff justifications in one response. (REQ-2)
pub const MAX_JUSTIFICATIONS: u8 = 64;
/// How long an asked peer may take. (REQ-2)
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// How many peers are asked at once. (REQ-1)
pub(crate) const PARALLEL_REQUESTS: usize = 3;
/// Checked batches of votes, and proofs, that wait for the worker; nothing more is checked meanwhile. (GOSSIP-7)
pub(crate) const CHECKED_QUEUE: usize = 64;

/// `/{genesis}/{fork}/{suffix}`, without the fork where there is none.
fn protocol_name(genesis_hash: H256, fork_id: Option<&str>, suffix: &str) -> ProtocolName {
    let genesis = hex::encode(genesis_hash);
    match fork_id {
        Some(fork) => format!("/{genesis}/{fork}/{suffix}").into(),
        None => format!("/{genesis}/{suffix}").into(),
    }
}

/// The name of the gossip protocol: `/{genesis}/duet/1`.
pub fn gossip_protocol_name(genesis_hash: H256, fork_id: Option<&str>) -> ProtocolName {
    protocol_name(genesis_hash, fork_id, "duet/1")
}

/// The name of the protocol that asks for handoff justifications: `/{genesis}/duet/justifications/1`.
pub(crate) fn justifications_protocol_name(
    genesis_hash: H256,
    fork_id: Option<&str>,
) -> ProtocolName {
    protocol_name(genesis_hash, fork_id, "duet/justifications/1")
}

/// The name of the protocol that asks for the history before a node began: `/{genesis}/duet/history/1`.
pub(crate) fn history_protocol_name(genesis_hash: H256, fork_id: Option<&str>) -> ProtocolName {
    protocol_name(genesis_hash, fork_id, "duet/history/1")
}

/// Registers the gossip protocol with a network back end.
///
/// The peers are those that the node syncs with: they are added to the reserved set as they connect. They are told in
/// the handshake what this node wants to hear (GOSSIP-9). The service goes into [`Endpoints`](crate::Endpoints).
pub fn peers_set_config<B: BlockT, N: NetworkBackend<B, B::Hash>>(
    protocol: ProtocolName,
    interest: Interest,
    metrics: NotificationMetrics,
    peer_store: Arc<dyn PeerStoreProvider>,
) -> (N::NotificationProtocolConfig, Box<dyn NotificationService>) {
    let set_config = SetConfig {
        in_peers: 0,
        out_peers: 0,
        reserved_nodes: Vec::new(),
        non_reserved_mode: NonReservedPeerMode::Deny,
    };
    N::notification_config(
        protocol,
        Vec::new(),
        MAX_NOTIFICATION_SIZE,
        interest.handshake(),
        set_config,
        metrics,
        peer_store,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_the_genesis_and_the_fork() {
        let genesis = H256::repeat_byte(0xab);
        let hash = "ab".repeat(32);
        let name = gossip_protocol_name(genesis, None);
        assert_eq!(name.to_string(), format!("/{hash}/duet/1"));
        let name = justifications_protocol_name(genesis, Some("fork"));
        assert_eq!(
            name.to_string(),
            format!("/{hash}/fork/duet/justifications/1")
        );
        let name = history_protocol_name(genesis, None);
        assert_eq!(name.to_string(), format!("/{hash}/duet/history/1"));
    }
}
