//! Protocol names, and every limit on the size and number of peers' messages.

use crate::interest::Interest;
use duet_primitives::H256;
use sc_network::{
    config::{NonReservedPeerMode, SetConfig},
    peer_store::PeerStoreProvider,
    NetworkBackend, NotificationMetrics, NotificationService, ProtocolName,
};
use sp_runtime::traits::Block as BlockT;
use std::{sync::Arc, time::Duration};

/// The longest accepted notification. A vote has 285 bytes, a justification of the largest set 13 KiB.
pub(crate) const MAX_NOTIFICATION_SIZE: u64 = 64 * 1024;
/// The longest accepted request.
pub(crate) const MAX_REQUEST_SIZE: u64 = 32;
/// The longest response, sent or accepted.
pub(crate) const MAX_RESPONSE_SIZE: u64 = 1024 * 1024;
/// The most waiting requests; the network refuses further ones. (GOSSIP-7)
pub(crate) const INBOUND_REQUESTS: usize = 16;
/// The longest response with handoff proofs: that of the largest set, with its keys, has 4.6 MiB. (REQ-3)
pub(crate) const MAX_HISTORY_RESPONSE_SIZE: u64 = 6 * 1024 * 1024;
/// The most handoff proofs in one response. (REQ-3)
pub(crate) const MAX_HANDOFFS: u8 = 64;
/// The time limit for a peer to send handoff proofs. (REQ-3)
pub(crate) const HISTORY_TIMEOUT: Duration = Duration::from_secs(20);
/// How many peers are asked for handoff proofs at once: one, so that at most one response is held. (REQ-3)
pub(crate) const PARALLEL_HISTORY_REQUESTS: usize = 1;
/// The most handoff justifications in one response. (REQ-2)
pub const MAX_JUSTIFICATIONS: u8 = 64;
/// The time limit for an asked peer. (REQ-2)
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// How many peers are asked at once. (REQ-1)
pub(crate) const PARALLEL_REQUESTS: usize = 3;
/// The most checked batches of votes, and proofs, that wait for the worker; meanwhile no more are checked. (GOSSIP-7)
pub(crate) const CHECKED_QUEUE: usize = 64;

/// A protocol and its supported versions. Messages of one version never change.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// The common part of all versions' names.
    pub name: &'static str,
    /// The newest version.
    pub newest: u16,
    /// Older supported versions, newest first.
    pub older: &'static [u16],
}

/// A protocol's names on one chain. Two nodes speak the newest version that both support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolNames {
    /// The name of the newest version.
    pub newest: ProtocolName,
    /// The names of older versions, newest first, for peers that do not support the newest.
    pub older: Vec<ProtocolName>,
}

/// The gossip protocol: `/{genesis}/duet/2`. Its version 1 has no bundles.
pub const GOSSIP: Protocol = Protocol {
    name: "duet",
    newest: 2,
    older: &[1],
};

/// The first version of the gossip protocol with [bundles](crate::notification). (GOSSIP-11)
pub(crate) const BUNDLES_SINCE: u16 = 2;

/// The protocol that asks for handoff justifications: `/{genesis}/duet/justifications/1`.
pub(crate) const JUSTIFICATIONS: Protocol = Protocol {
    name: "duet/justifications",
    newest: 1,
    older: &[],
};

/// The protocol that asks for the history before a node began: `/{genesis}/duet/history/1`.
pub(crate) const HISTORY: Protocol = Protocol {
    name: "duet/history",
    newest: 1,
    older: &[],
};

impl Protocol {
    /// The names on a chain: `/{genesis}/{fork}/{name}/{version}`, without the fork if there is none.
    pub fn names(&self, genesis_hash: H256, fork_id: Option<&str>) -> ProtocolNames {
        let genesis = hex::encode(genesis_hash);
        let chain = match fork_id {
            Some(fork) => format!("{genesis}/{fork}"),
            None => genesis,
        };
        let name = |version: &u16| format!("/{chain}/{}/{version}", self.name).into();
        ProtocolNames {
            newest: name(&self.newest),
            older: self.older.iter().map(name).collect(),
        }
    }

    /// The version in a protocol name; 0 for a name without one.
    pub(crate) fn version_of(name: &ProtocolName) -> u16 {
        let version = name.rsplit('/').next().map(str::parse);
        version.and_then(Result::ok).unwrap_or(0)
    }
}

/// Registers the gossip protocol with a network back end.
///
/// The peers are the node's sync peers: they are added to the reserved set as they connect. The handshake tells them
/// this node's interest (GOSSIP-9). The service goes into [`Endpoints`](crate::Endpoints).
pub fn peers_set_config<B: BlockT, N: NetworkBackend<B, B::Hash>>(
    names: ProtocolNames,
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
        names.newest,
        names.older,
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
    fn names_carry_the_genesis_and_the_fork_and_older_versions_come_after_the_newest() {
        let genesis = H256::repeat_byte(0xab);
        let hash = "ab".repeat(32);
        let name = |protocol: Protocol, fork| {
            let names = protocol.names(genesis, fork);
            assert_eq!(Protocol::version_of(&names.newest), protocol.newest);
            names.newest.to_string()
        };
        assert_eq!(name(GOSSIP, None), format!("/{hash}/duet/2"));
        assert_eq!(
            name(JUSTIFICATIONS, Some("fork")),
            format!("/{hash}/fork/duet/justifications/1")
        );
        assert_eq!(name(HISTORY, None), format!("/{hash}/duet/history/1"));

        let later = Protocol {
            newest: 3,
            older: &[2, 1],
            ..GOSSIP
        };
        let older = later.names(genesis, None).older;
        let older: Vec<_> = older.iter().map(ToString::to_string).collect();
        assert_eq!(
            older,
            [2, 1].map(|version| format!("/{hash}/duet/{version}"))
        );
    }
}
