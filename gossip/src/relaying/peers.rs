//! Which peers speak the gossip protocol now, and the highest set that each is known to have reached.

use super::pace::Allowance;
use crate::topic::Topic;
use duet_primitives::SetId;
use duet_voter::Millis;
use sc_network_types::PeerId;
use std::collections::{BTreeSet, HashMap};

/// One connection with a peer. A peer that leaves and comes back gets another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Connection(u64);

/// A message that the engine keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept<'a> {
    /// What it is about.
    pub(crate) topic: Topic,
    /// The message.
    pub(crate) bytes: &'a [u8],
}

/// Tells messages apart. Two proofs of one commitment have the same topic and end differently.
type Key = (Topic, [u8; 8]);

impl Kept<'_> {
    fn key(&self) -> Key {
        (
            self.topic,
            self.bytes.last_chunk().copied().unwrap_or_default(),
        )
    }
}

/// What is known of a connected peer.
#[derive(Debug)]
struct Peer {
    connection: Connection,
    /// The highest set of which it sent something valid, if it did.
    furthest: Option<SetId>,
    /// What may still be sent to it now.
    allowance: Allowance,
    /// What was sent to it.
    sent: BTreeSet<Key>,
}

/// The connected peers. Bounded by the connections that the network allows.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    connected: HashMap<PeerId, Peer>,
    connections: u64,
}

impl Peers {
    /// Adds a peer; one that is there already keeps its connection.
    pub(crate) fn connected(&mut self, peer: PeerId, now: Millis) {
        let connections = &mut self.connections;
        self.connected.entry(peer).or_insert_with(|| {
            *connections = connections.saturating_add(1);
            Peer {
                connection: Connection(*connections),
                furthest: None,
                allowance: Allowance::full(now),
                sent: BTreeSet::new(),
            }
        });
    }

    /// Removes a peer.
    pub(crate) fn disconnected(&mut self, peer: &PeerId) {
        self.connected.remove(peer);
    }

    /// The connection with a peer; `None` when there is none.
    pub(super) fn connection(&self, peer: &PeerId) -> Option<Connection> {
        self.connected.get(peer).map(|peer| peer.connection)
    }

    /// Notes that `peer` sent something valid of this set.
    pub(super) fn showed(&mut self, peer: &PeerId, set_id: SetId) {
        if let Some(peer) = self.connected.get_mut(peer) {
            peer.furthest = peer.furthest.max(Some(set_id));
        }
    }

    /// Takes one message from what may go to a peer now; `false` when it has to wait, or is not connected.
    pub(super) fn take_allowance(&mut self, peer: &PeerId, now: Millis) -> bool {
        let peer = self.connected.get_mut(peer);
        peer.is_some_and(|peer| peer.allowance.take(now))
    }

    /// Whether a message was sent over the connection with a peer.
    pub(super) fn was_sent(&self, peer: &PeerId, message: &Kept<'_>) -> bool {
        let peer = self.connected.get(peer);
        peer.is_some_and(|peer| peer.sent.contains(&message.key()))
    }

    /// Notes that a message is sent to a peer.
    pub(super) fn note_sent(&mut self, peer: &PeerId, message: &Kept<'_>) {
        if let Some(peer) = self.connected.get_mut(peer) {
            peer.sent.insert(message.key());
        }
    }

    /// Forgets who was sent what comes before this topic.
    pub(super) fn forget_sent_before(&mut self, first: Topic) {
        for peer in self.connected.values_mut() {
            peer.sent = peer.sent.split_off(&(first, [0; 8]));
        }
    }

    /// How many peers there are.
    pub(crate) fn len(&self) -> usize {
        self.connected.len()
    }

    /// The peers, those that are furthest first; ties by id, so that the order is fixed.
    pub(crate) fn furthest_first(&self) -> Vec<PeerId> {
        let mut peers: Vec<_> = self
            .connected
            .iter()
            .map(|(id, peer)| (peer.furthest, *id))
            .collect();
        peers.sort_by(|a, b| b.cmp(a));
        peers.into_iter().map(|(_, id)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_asked_in_the_order_of_what_they_showed() {
        let (ahead, behind, gone) = (PeerId::random(), PeerId::random(), PeerId::random());
        let mut peers = Peers::default();
        for peer in [ahead, behind, gone] {
            peers.connected(peer, 0);
        }
        peers.showed(&ahead, SetId::new(5));
        peers.showed(&ahead, SetId::new(3));
        peers.showed(&behind, SetId::new(4));
        peers.showed(&gone, SetId::new(9));
        peers.disconnected(&gone);
        peers.showed(&gone, SetId::new(10));
        assert_eq!(peers.furthest_first(), [ahead, behind]);
    }

    #[test]
    fn a_peer_that_comes_back_has_another_connection() {
        let (mut peers, peer) = (Peers::default(), PeerId::random());
        peers.connected(peer, 0);
        let first = peers.connection(&peer);
        peers.connected(peer, 0);
        assert_eq!(peers.connection(&peer), first, "it did not leave");
        peers.disconnected(&peer);
        assert_eq!(peers.connection(&peer), None);
        peers.connected(peer, 0);
        assert_ne!(peers.connection(&peer), first);
    }
}
