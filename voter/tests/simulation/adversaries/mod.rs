//! Each adversary is a file with a name.

pub(crate) mod equivocator;
pub(crate) mod flooder;
pub(crate) mod forger;
pub(crate) mod silent;
pub(crate) mod stale;

use super::{chain::Chain, crypto, Message, NodeId};
use duet_primitives::{testing, BlockNumber, Commitment, SignerIndex, UncheckedVote};
use rand_chacha::ChaCha8Rng;

/// Which adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Equivocator,
    Flooder,
    Forger,
    Silent,
    Stale,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [
        Self::Equivocator,
        Self::Flooder,
        Self::Forger,
        Self::Silent,
        Self::Stale,
    ];
}

/// What an adversary sees when it is its turn: everything.
pub(crate) struct View<'a> {
    pub(crate) id: NodeId,
    pub(crate) finalized: BlockNumber,
    pub(crate) chain: &'a Chain,
    pub(crate) peers: &'a [NodeId],
}

impl View<'_> {
    /// Its position in the set that signs at a block.
    pub(crate) fn signer_at(&self, block: BlockNumber) -> Option<SignerIndex> {
        let key = testing::secret(self.id as u64).public().pk1();
        self.chain.era_at(block).set.set.keyset().position(&key)
    }

    /// Its valid vote on anything, under the set that the commitment names.
    pub(crate) fn sign(&self, commitment: &Commitment) -> Option<UncheckedVote> {
        let era = self.chain.era(commitment.validator_set_id)?;
        let key = testing::secret(self.id as u64).public().pk1();
        let signer = era.set.set.keyset().position(&key)?;
        Some(crypto::sign(&era.set, signer, commitment))
    }

    /// The same message to every peer.
    pub(crate) fn to_all(&self, message: &Message) -> Vec<(NodeId, Message)> {
        self.peers
            .iter()
            .map(|peer| (*peer, message.clone()))
            .collect()
    }
}

pub(crate) trait Adversary {
    /// A message reaches it.
    fn hear(&mut self, _message: &Message) {}

    /// It is its turn: what does it send to whom?
    fn act(&mut self, view: &View<'_>, rng: &mut ChaCha8Rng) -> Vec<(NodeId, Message)>;
}

pub(crate) fn make(kind: Kind, _id: NodeId) -> Box<dyn Adversary> {
    match kind {
        Kind::Equivocator => Box::<equivocator::Equivocator>::default(),
        Kind::Flooder => Box::<flooder::Flooder>::default(),
        Kind::Forger => Box::<forger::Forger>::default(),
        Kind::Silent => Box::new(silent::Silent),
        Kind::Stale => Box::<stale::Stale>::default(),
    }
}
