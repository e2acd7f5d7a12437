//! What nodes send.

use super::{
    event::{Message, What},
    footprint::Footprint,
    running::{index, Running},
};
use crate::mesh::Edge;

impl Running<'_> {
    /// Sends to all peers that are not known to have it.
    pub(super) fn forward(&mut self, at: u64, node: u32, message: Message) {
        for edge in self.round.plan.mesh.edges_of(node) {
            if self.is_needed(edge, message) {
                self.offer_to_link(at, edge, message);
            }
        }
    }

    /// Sends good votes to a few peers at once, and to the others later. (GOSSIP-12)
    pub(super) fn relay(&mut self, at: u64, node: u32, message: Message) {
        let Message::VoteBatch(batch) = message else {
            return self.forward(at, node, message);
        };
        for edge in self.round.plan.mesh.edges_of(node) {
            if self.is_eager(edge, node, batch) && self.is_needed(edge, message) {
                self.offer_to_link(at, edge, message);
            }
        }
        let later = at + self.round.model.relay_delay;
        self.push(later, What::Relays { node, batch });
    }

    /// Sends votes to the peers that did not get them at once, if they are of use still.
    pub(super) fn relays(&mut self, at: u64, node: u32, batch: u32) {
        if self.has_proof(node) {
            return;
        }
        let message = Message::VoteBatch(batch);
        for edge in self.round.plan.mesh.edges_of(node) {
            if !self.is_eager(edge, node, batch) && self.is_needed(edge, message) {
                self.offer_to_link(at, edge, message);
            }
        }
    }

    /// Whether the peer gets these votes at once: neighbours in the list of edges do, others for each batch.
    fn is_eager(&self, edge: u32, node: u32, batch: u32) -> bool {
        let edges = self.round.plan.mesh.edges_of(node);
        let (slot, peers) = (edge - edges.start, edges.end - edges.start);
        let first = mixed(node, batch) % peers;
        (slot + peers - first) % peers < self.round.model.eager_peers
    }

    fn is_needed(&self, edge: u32, message: Message) -> bool {
        let is_brought = |place| self.brought.has(index(edge), place);
        !self.is_closed[index(edge)] && !self.place(message).is_some_and(is_brought)
    }

    fn offer_to_link(&mut self, at: u64, edge: u32, message: Message) {
        let (bytes, window) = (self.footprint(message).bytes, self.round.model.window);
        let link = &mut self.links[index(edge)];
        let goes_first = link.is_idle() || message == Message::Proof;
        if goes_first && link.has_room(at, bytes, window) {
            return self.transmit(at, edge, message);
        }
        link.wait(message);
        self.schedule(edge);
    }

    fn schedule(&mut self, edge: u32) {
        if let Some(at) = self.links[index(edge)].schedule() {
            self.push(at, What::Credit { edge });
        }
    }

    fn transmit(&mut self, at: u64, edge: u32, message: Message) {
        let plan = self.round.plan;
        let Footprint {
            bytes, duration, ..
        } = self.footprint(message);
        let Edge {
            from, to, latency, ..
        } = *plan.mesh.edge(edge);
        let left = self.nodes[index(from)].send(at, bytes, duration);
        // What garbage senders do with what they receive is not looked at.
        if !plan.garbage[index(to)] {
            self.links[index(edge)].send(bytes);
            // The receiver books the time that the bytes take, from the first of them on.
            let first_byte = left - duration + latency;
            self.push(first_byte, What::Arrives { edge, message });
        }
    }

    /// The receiver has handled a message, which the sender learns after the latency of the link.
    pub(super) fn gives_credit(&mut self, at: u64, edge: u32, message: Message) {
        let Edge { from, latency, .. } = *self.round.plan.mesh.edge(edge);
        if self.round.plan.garbage[index(from)] {
            return; // Sends at its rate in any case.
        }
        let bytes = self.footprint(message).bytes;
        self.links[index(edge)].credit(at + latency, bytes);
        self.schedule(edge);
    }

    /// There may be room for what waits at a link. What is no longer needed is dropped.
    pub(super) fn send_waiting(&mut self, at: u64, edge: u32) {
        let from = self.round.plan.mesh.edge(edge).from;
        self.links[index(edge)].wake();
        while let Some(message) = self.links[index(edge)].first() {
            let is_useful = message == Message::Proof || !self.has_proof(from);
            if is_useful && self.is_needed(edge, message) {
                let (bytes, window) = (self.footprint(message).bytes, self.round.model.window);
                if !self.links[index(edge)].has_room(at, bytes, window) {
                    return self.schedule(edge);
                }
                self.transmit(at, edge, message);
            }
            self.links[index(edge)].drop_first();
        }
    }

    /// A garbage sender goes on until the link is closed or the round is over.
    pub(super) fn garbage(&mut self, at: u64, edge: u32) {
        if self.is_closed[index(edge)] || self.without_proof == 0 {
            return;
        }
        let latency = self.round.plan.mesh.edge(edge).latency;
        let message = Message::Garbage;
        self.push(at + latency, What::Arrives { edge, message });
        let next = at + self.round.model.garbage_interval();
        self.push(next, What::Garbage { edge });
    }
}

/// A number that looks random (the finalizer of splitmix64).
fn mixed(node: u32, batch: u32) -> u32 {
    let seed = (u64::from(node) << u32::BITS) | u64::from(batch);
    let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    u32::try_from(mixed >> u32::BITS).expect("32 bits; qed")
}
