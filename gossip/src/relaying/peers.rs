//! Which peers speak the gossip protocol now, and the highest set that each is known to have reached.

use super::pace::Allowance;
use crate::topic::Topic;
use duet_primitives::SetId;
use duet_voter::Millis;
use sc_network_types::PeerId;
use std::collections::{BTreeSet, HashMap};

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

/// What is known of a connected peer. A peer that leaves and comes back begins anew.
#[derive(Debug)]
struct Peer {
    /// The highest set of which it sent something valid, if it did.
    furthest: Option<SetId>,
    /// What may still be sent to it now.
    allowance: Allowance,
    /// What was sent to it.
    sent: BTreeSet<Key>,
    /// What it sent a message about that holds.
    brought: BTreeSet<Topic>,
}

/// The connected peers. Bounded by the connections that the network allows.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    connected: HashMap<PeerId, Peer>,
}

impl Peers {
    /// Adds a peer; nothing changes for one that is there already.
    pub(crate) fn connected(&mut self, peer: PeerId, now: Millis) {
        self.connected.entry(peer).or_insert_with(|| Peer {
            furthest: None,
            allowance: Allowance::full(now),
            sent: BTreeSet::new(),
            brought: BTreeSet::new(),
        });
    }

    /// Removes a peer.
    pub(crate) fn disconnected(&mut self, peer: &PeerId) {
        self.connected.remove(peer);
    }

    /// Whether a peer sent a message about this over its connection.
    pub(super) fn has_brought(&self, peer: &PeerId, topic: &Topic) -> bool {
        let peer = self.connected.get(peer);
        peer.is_some_and(|peer| peer.brought.contains(topic))
    }

    /// Notes that a peer that is connected sent a message about this.
    pub(super) fn note_brought(&mut self, peer: &PeerId, topic: Topic) {
        if let Some(peer) = self.connected.get_mut(peer) {
            peer.brought.insert(topic);
        }
    }

    /// What a peer sent messages about.
    #[cfg(test)]
    pub(crate) fn brought(&self, peer: &PeerId) -> Vec<Topic> {
        let peer = self.connected.get(peer);
        peer.map_or_else(Vec::new, |peer| peer.brought.iter().copied().collect())
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

    /// Forgets who was sent, and who sent, what comes before this topic.
    pub(super) fn forget_before(&mut self, first: Topic) {
        for peer in self.connected.values_mut() {
            peer.sent = peer.sent.split_off(&(first, [0; 8]));
            peer.brought = peer.brought.split_off(&first);
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
    use duet_primitives::BlockNumber;

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
    fn what_a_peer_brought_is_known_as_long_as_it_stays() {
        let (mut peers, peer) = (Peers::default(), PeerId::random());
        let topic = Topic {
            number: BlockNumber::new(7),
            set_id: SetId::new(0),
            signer: None,
            digest: [7; 8],
        };
        peers.note_brought(&peer, topic);
        assert!(!peers.has_brought(&peer, &topic), "it is not connected");
        peers.connected(peer, 0);
        peers.note_brought(&peer, topic);
        peers.connected(peer, 0);
        assert!(peers.has_brought(&peer, &topic), "it did not leave");
        peers.disconnected(&peer);
        assert!(!peers.has_brought(&peer, &topic));
        peers.connected(peer, 0);
        assert!(!peers.has_brought(&peer, &topic));
    }
}
