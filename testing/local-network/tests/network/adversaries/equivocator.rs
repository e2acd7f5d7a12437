//! An attacker with a validator's secret: it gossips votes that contradict those of the validator's own node.

use super::gossiped;
use duet_local_network::Peer;
use duet_primitives::{Commitment, RoundMessage, SecretKey, SignerIndex, UncheckedVote, H256};

/// A peer that votes with somebody else's secret.
pub(crate) struct Equivocator {
    peer: Peer,
    secret: SecretKey,
    signer: SignerIndex,
    genesis: H256,
}

impl Equivocator {
    /// Votes through this peer as `signer` of the set, whose secret it has.
    pub(crate) fn new(peer: Peer, genesis: H256, secret: SecretKey, signer: SignerIndex) -> Self {
        Self {
            peer,
            secret,
            signer,
            genesis,
        }
    }

    /// Votes for another block in place of the one that `honest` names.
    pub(crate) fn contradict(&self, honest: Commitment) {
        self.vote(Commitment {
            block_hash: H256::repeat_byte(0xee),
            ..honest
        });
    }

    /// Votes.
    pub(crate) fn vote(&self, commitment: Commitment) {
        let message = RoundMessage::new(self.genesis, commitment);
        let vote = UncheckedVote::sign(&self.secret, self.signer, &message);
        self.peer.send(gossiped(&vote));
    }
}
