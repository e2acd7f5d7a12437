//! What a validator does with each message, said once more from `docs/spec/rounds.md`: without the filter, and with the
//! judge's arithmetic.

use super::definition;
use crate::{judge, sample::GENESIS};
use duet_gossip::{message::GossipMessage, reputation::PeerBehaviour};
use duet_primitives::{
    BlockNumber, Commitment, DualKeyset, JustificationError, Pk1Bytes, SetId, SignerIndex,
    UncheckedJustification, UncheckedVote,
};
use std::collections::{BTreeMap, BTreeSet};

/// Blocks of one set whose messages are needed, both ends included.
pub(super) struct Range<'a> {
    pub(super) set: &'a DualKeyset,
    pub(super) lowest: u32,
    pub(super) highest: u32,
}

impl Range<'_> {
    fn id(&self) -> SetId {
        self.set.keyset().id()
    }

    fn holds(&self, commitment: &Commitment) -> bool {
        let block = commitment.block_number.get();
        self.id() == commitment.validator_set_id && (self.lowest..=self.highest).contains(&block)
    }

    fn keys(&self) -> Vec<Pk1Bytes> {
        self.set.keyset().key_bytes()
    }
}

/// What a message leads to.
#[derive(Debug)]
pub(super) enum Fate {
    /// It is kept, relayed and handed to the worker, and its sender is rewarded.
    Kept(Box<GossipMessage>, PeerBehaviour),
    /// It is dropped, and its sender is blamed.
    Blamed(PeerBehaviour),
    /// It is dropped.
    Dropped,
}

impl Fate {
    fn kept(message: GossipMessage, behaviour: PeerBehaviour) -> Self {
        Self::Kept(Box::new(message), behaviour)
    }

    /// What is reported of its sender.
    pub(super) fn behaviour(&self) -> Option<PeerBehaviour> {
        match self {
            Self::Kept(_, behaviour) | Self::Blamed(behaviour) => Some(*behaviour),
            Self::Dropped => None,
        }
    }
}

type Signer = (SetId, SignerIndex);

/// The rounds of a signer that count, and the block up to which its votes are no longer taken. (GOSSIP-7)
#[derive(Default)]
struct Rounds {
    open: BTreeSet<BlockNumber>,
    floor: Option<BlockNumber>,
}

/// What has been seen.
pub(super) struct Model<'a> {
    /// Where votes and proofs are needed. (GOSSIP-2)
    windows: Vec<Range<'a>>,
    /// Where proofs are needed besides.
    awaited: Range<'a>,
    /// In how many rounds a signer may have votes.
    rounds_per_signer: usize,
    votes: BTreeMap<(Signer, BlockNumber), Vec<Commitment>>,
    rounds: BTreeMap<Signer, Rounds>,
    /// One of each statement: two about one block contradict each other. (ROUND-10)
    proofs: Vec<Commitment>,
}

impl<'a> Model<'a> {
    pub(super) fn new(
        windows: Vec<Range<'a>>,
        awaited: Range<'a>,
        rounds_per_signer: usize,
    ) -> Self {
        Self {
            windows,
            awaited,
            rounds_per_signer,
            votes: BTreeMap::new(),
            rounds: BTreeMap::new(),
            proofs: Vec::new(),
        }
    }

    /// What becomes of the messages of the next notification. A bundle is read up to the first vote of nobody.
    /// (GOSSIP-11)
    pub(super) fn receive(&mut self, bytes: &[u8]) -> Vec<Fate> {
        let messages = match definition::messages(bytes) {
            Ok(messages) => messages,
            Err(error) => return vec![Fate::Blamed(PeerBehaviour::of_message_error(&error))],
        };
        let (mut fates, mut signers) = (Vec::new(), BTreeSet::new());
        for message in messages {
            fates.push(match message {
                // The first one waits for its check, and a peer has one place for both.
                GossipMessage::Vote(vote) if !signers.insert(vote.signer) => Fate::Dropped,
                GossipMessage::Vote(vote) => self.vote(vote),
                GossipMessage::Justification(proof) => self.justification(proof),
            });
            if let Some(Fate::Blamed(PeerBehaviour::UnknownSigner)) = fates.last() {
                break;
            }
        }
        fates
    }

    fn vote(&mut self, vote: UncheckedVote) -> Fate {
        let mut windows = self.windows.iter();
        let Some(window) = windows.find(|range| range.holds(&vote.commitment)) else {
            return Fate::Dropped;
        };
        let keys = window.keys();
        let place = usize::try_from(vote.signer.get()).ok();
        let Some(key) = place.and_then(|place| keys.get(place)) else {
            return Fate::Blamed(PeerBehaviour::UnknownSigner);
        };
        let (signer, block) = ((window.id(), vote.signer), vote.commitment.block_number);
        let known = self.votes.get(&(signer, block));
        let known = known.map_or(&[][..], Vec::as_slice);
        if known.first() == Some(&vote.commitment) || known.len() > 1 {
            return Fate::Dropped;
        }
        let rounds = self.rounds.entry(signer).or_default();
        if known.is_empty() && rounds.is_closed_to(block, self.rounds_per_signer) {
            return Fate::Dropped;
        }
        let signed = vote.commitment.signed_bytes(GENESIS);
        if judge::signature(key, &signed, &vote.signature).is_err() {
            return Fate::Blamed(PeerBehaviour::BadVote);
        }
        if !known.is_empty() {
            self.keep(signer, &vote.commitment);
            return Fate::kept(GossipMessage::Vote(vote), PeerBehaviour::GoodEvidence);
        }
        if let Some(displaced) = rounds.open(block, self.rounds_per_signer) {
            self.votes.remove(&(signer, displaced));
        }
        self.keep(signer, &vote.commitment);
        Fate::kept(GossipMessage::Vote(vote), PeerBehaviour::GoodVote)
    }

    fn keep(&mut self, signer: Signer, commitment: &Commitment) {
        let of_round = self.votes.entry((signer, commitment.block_number));
        of_round.or_default().push(commitment.clone());
    }

    fn justification(&mut self, proof: UncheckedJustification) -> Fate {
        let commitment = &proof.commitment;
        let mut ranges = self.windows.iter().chain([&self.awaited]);
        let Some(range) = ranges.find(|range| range.holds(commitment)) else {
            return Fate::Dropped;
        };
        if self.proofs.contains(commitment) {
            return Fate::Dropped;
        }
        let set = judge::Set {
            id: range.id(),
            keys: &range.keys(),
            genesis: GENESIS,
        };
        match judge::justification(&proof, &set) {
            Ok(()) => {
                self.proofs.push(commitment.clone());
                let proof = GossipMessage::Justification(proof);
                Fate::kept(proof, PeerBehaviour::GoodJustification)
            }
            Err(
                JustificationError::BitfieldLength { .. }
                | JustificationError::PaddingBits
                | JustificationError::BelowThreshold { .. },
            ) => Fate::Blamed(PeerBehaviour::MisshapenJustification),
            Err(_) => Fate::Blamed(PeerBehaviour::BadJustification),
        }
    }
}

impl Rounds {
    fn is_closed_to(&self, block: BlockNumber, most: usize) -> bool {
        let was_displaced = self.floor.is_some_and(|floor| block <= floor);
        let would_be = self.open.len() >= most && self.open.first().is_some_and(|it| block < *it);
        was_displaced || would_be
    }

    /// Counts a round; the lowest one, when there are too many.
    fn open(&mut self, block: BlockNumber, most: usize) -> Option<BlockNumber> {
        self.open.insert(block);
        if self.open.len() <= most {
            return None;
        }
        self.floor = self.open.pop_first();
        self.floor
    }
}
