//! Which peers speak the protocol now, and how far each has shown to be.

use duet_primitives::SetId;
use sc_network_types::PeerId;
use std::collections::HashMap;

/// The connected peers. Bounded by the connections that the network allows.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    /// The highest set of which each peer sent something valid.
    seen: HashMap<PeerId, SetId>,
}

impl Peers {
    pub(crate) fn connected(&mut self, peer: PeerId) {
        self.seen.entry(peer).or_default();
    }

    pub(crate) fn disconnected(&mut self, peer: &PeerId) {
        self.seen.remove(peer);
    }

    /// Notes that `peer` sent something valid of this set.
    pub(crate) fn showed(&mut self, peer: &PeerId, set_id: SetId) {
        if let Some(seen) = self.seen.get_mut(peer) {
            *seen = set_id.max(*seen);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.seen.len()
    }

    /// The peers, those that are furthest first; ties by id, so that the order is one.
    pub(crate) fn furthest_first(&self) -> Vec<PeerId> {
        let mut peers: Vec<_> = self.seen.iter().map(|(peer, set)| (*set, *peer)).collect();
        peers.sort_by(|a, b| b.cmp(a));
        peers.into_iter().map(|(_, peer)| peer).collect()
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
            peers.connected(peer);
        }
        peers.showed(&ahead, 5);
        peers.showed(&ahead, 3);
        peers.showed(&gone, 9);
        peers.disconnected(&gone);
        peers.showed(&gone, 10);
        assert_eq!(peers.furthest_first(), [ahead, behind]);
    }
}
