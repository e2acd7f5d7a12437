//! An attacker without any secret of the set: it gossips votes in the name of its members.

use super::gossiped;
use duet_local_network::Peer;
use duet_primitives::{
    suite::VOTE_SIGNATURE_LEN, Commitment, RoundMessage, SecretKey, SignerIndex, UncheckedVote,
    H256,
};
use std::collections::HashSet;

/// A peer that forges votes, each different from all before.
pub(crate) struct Forger {
    peer: Peer,
    secret: SecretKey,
    genesis: H256,
    forged: Vec<Vec<u8>>,
}

impl Forger {
    /// Forges through this peer, with a secret that is nobody's.
    pub(crate) fn new(peer: Peer, genesis: H256, secret: SecretKey) -> Self {
        Self {
            peer,
            secret,
            genesis,
            forged: Vec::new(),
        }
    }

    /// Votes in the name of `signer`, about the block of `honest`, for a block that nobody else has named.
    pub(crate) fn forge(&mut self, honest: &Commitment, signer: SignerIndex) {
        let count = u64::try_from(self.forged.len()).expect("not so many");
        let lie = Commitment {
            block_hash: H256::from_low_u64_be(count),
            ..honest.clone()
        };
        let message = RoundMessage::new(self.genesis, lie);
        let message = gossiped(&UncheckedVote::sign(&self.secret, signer, &message));
        self.forged.push(message.clone());
        self.peer.send(message);
    }

    /// Whether one of these notifications carries a vote that it forged.
    pub(crate) fn forged_one_of(&self, notifications: &[Vec<u8>]) -> bool {
        // A vote ends with the signature, also in a bundle.
        let forged = self.forged.iter();
        let signatures: HashSet<_> = forged
            .map(|vote| &vote[vote.len() - VOTE_SIGNATURE_LEN..])
            .collect();
        let mut parts = notifications
            .iter()
            .flat_map(|notification| notification.windows(VOTE_SIGNATURE_LEN));
        parts.any(|part| signatures.contains(part))
    }

    /// Whether the node still listens to it.
    pub(crate) fn is_in(&self) -> bool {
        self.peer.is_in()
    }
}
