//! Each adversary is a file with a name.

pub(crate) mod colluder;
pub(crate) mod equivocator;
pub(crate) mod flooder;
pub(crate) mod forger;
pub(crate) mod forker;
pub(crate) mod prophet;
pub(crate) mod silent;
pub(crate) mod stale;

use super::{chain::Chain, crypto, Message, NodeId};
use duet_primitives::{BlockNumber, Commitment, UncheckedVote};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Which adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Equivocator,
    Flooder,
    Forger,
    Forker,
    Prophet,
    Silent,
    Stale,
    /// One of more than the tolerated third.
    Colluder,
}

impl Kind {
    /// Those of which up to a third of a set may be.
    pub(crate) const ALL: [Self; 7] = [
        Self::Equivocator,
        Self::Flooder,
        Self::Forger,
        Self::Forker,
        Self::Prophet,
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
    /// The best block.
    pub(crate) best: BlockNumber,
    /// Those of its coalition.
    pub(crate) colluders: &'a [NodeId],
    /// How far above GRANDPA's best honest nodes take votes.
    pub(crate) lookahead: u32,
}

impl View<'_> {
    /// Its valid vote on anything, under the set that the commitment names.
    pub(crate) fn sign(&self, commitment: &Commitment) -> Option<UncheckedVote> {
        let era = self.chain.era(commitment.validator_set_id)?;
        let key = crypto::key(self.id);
        let signer = era.set.set.keyset().position(&key)?;
        Some(crypto::sign(&era.set, signer, commitment))
    }

    /// That vote as a message.
    pub(crate) fn vote(&self, commitment: &Commitment) -> Option<Arc<Message>> {
        let vote = self.sign(commitment)?;
        Some(Arc::new(Message::Vote(vote)))
    }

    /// The same message to every peer.
    pub(crate) fn to_all(&self, message: &Arc<Message>) -> Vec<(NodeId, Arc<Message>)> {
        self.peers
            .iter()
            .map(|peer| (*peer, message.clone()))
            .collect()
    }
}

pub(crate) trait Adversary {
    /// A message reaches it.
    fn hear(&mut self, _message: &Arc<Message>) {}

    /// It is its turn: what does it send to whom?
    fn act(&mut self, view: &View<'_>, rng: &mut ChaCha8Rng) -> Vec<(NodeId, Arc<Message>)>;
}

pub(crate) fn make(kind: Kind, _id: NodeId) -> Box<dyn Adversary> {
    match kind {
        Kind::Equivocator => Box::<equivocator::Equivocator>::default(),
        Kind::Flooder => Box::<flooder::Flooder>::default(),
        Kind::Forger => Box::<forger::Forger>::default(),
        Kind::Forker => Box::<forker::Forker>::default(),
        Kind::Prophet => Box::<prophet::Prophet>::default(),
        Kind::Colluder => Box::<colluder::Colluder>::default(),
        Kind::Silent => Box::new(silent::Silent),
        Kind::Stale => Box::<stale::Stale>::default(),
    }
}
