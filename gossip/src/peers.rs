//! The peers that speak the gossip protocol now, and the highest set that each is known to have reached.

use duet_primitives::SetId;
use sc_network_types::PeerId;
use std::collections::HashMap;

/// The connected peers, each with the highest set of its valid messages, if any. Bounded by the connections that the
/// network allows. A peer that reconnects starts anew.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    connected: HashMap<PeerId, Option<SetId>>,
}

impl Peers {
    /// Adds a peer; has no effect on a peer that is already there.
    pub(crate) fn connected(&mut self, peer: PeerId) {
        self.connected.entry(peer).or_default();
    }

    /// Removes a peer.
    pub(crate) fn disconnected(&mut self, peer: &PeerId) {
        self.connected.remove(peer);
    }

    /// Records that `peer` sent a valid message of this set.
    pub(crate) fn showed(&mut self, peer: &PeerId, set_id: SetId) {
        if let Some(furthest) = self.connected.get_mut(peer) {
            *furthest = (*furthest).max(Some(set_id));
        }
    }

    /// The number of peers.
    pub(crate) fn len(&self) -> usize {
        self.connected.len()
    }

    /// The peers, most advanced first; ties by id, so that the order is fixed.
    pub(crate) fn furthest_first(&self) -> Vec<PeerId> {
        let mut peers: Vec<_> = self
            .connected
            .iter()
            .map(|(id, furthest)| (*furthest, *id))
            .collect();
        peers.sort_by(|a, b| b.cmp(a));
        peers.into_iter().map(|(_, id)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_further_comes_first_and_who_left_is_gone() {
        let mut peers = Peers::default();
        let [behind, ahead, gone] = [(); 3].map(|()| PeerId::random());
        for peer in [behind, ahead, gone] {
            peers.connected(peer);
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
    fn a_peer_that_comes_back_begins_anew() {
        let mut peers = Peers::default();
        let [peer, other] = [(); 2].map(|()| PeerId::random());
        peers.connected(peer);
        peers.connected(other);
        peers.showed(&other, SetId::new(1));
        peers.showed(&peer, SetId::new(2));
        peers.connected(peer);
        assert_eq!(peers.furthest_first(), [peer, other], "it did not leave");
        peers.disconnected(&peer);
        peers.connected(peer);
        assert_eq!(peers.furthest_first(), [other, peer]);
    }
}
