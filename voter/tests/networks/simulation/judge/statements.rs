//! What becomes of votes, above all of false ones: who may be accused, who must be, and whose votes make a proof.

use super::{Judge, Ledger};
use crate::simulation::{chain::Era, crypto, NodeId};
use duet_primitives::{
    BlockNumber, Commitment, Pk1Bytes, SetId, SignerIndex, UncheckedJustification, UncheckedVote,
};
use duet_voter::Ignored;
use std::collections::{BTreeMap, BTreeSet};

/// How far beyond the best block nobody can have voted honestly. (GOSSIP-10)
const BEYOND: u32 = 32;
/// So many concluded rounds are kept for evidence; what they say may be forgotten of lower ones.
const KEPT_ROUNDS: usize = 8;

/// Set, block and signer of a vote.
type Place = (SetId, BlockNumber, SignerIndex);

/// What is known of votes.
#[derive(Default)]
pub(super) struct Statements {
    /// What each member has voted for, whoever got it.
    voted: BTreeMap<Place, Vec<Commitment>>,
    /// Of each node, since it was started.
    lives: BTreeMap<NodeId, Life>,
    pub(super) false_votes: FalseVotes,
    /// Who accuses which member.
    accusers: BTreeSet<(NodeId, SetId, SignerIndex)>,
}

/// What became of false votes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FalseVotes {
    /// Honest nodes took so many.
    pub(crate) taken: u64,
    /// They accuse because of so many,
    pub(crate) accused: u64,
    /// and forgot so many for others before the chain could tell.
    pub(crate) forgotten: u64,
}

/// What a node has taken since it was started.
#[derive(Default)]
struct Life {
    /// The first vote of each signer on a block.
    taken: BTreeMap<Place, Commitment>,
    /// Rounds of which its chain has said what is true.
    prepared: BTreeSet<(SetId, BlockNumber)>,
    /// Rounds of which it knows something.
    rounds: BTreeSet<(SetId, BlockNumber)>,
    /// Whose second vote on a block it has, too.
    equivocators: BTreeSet<Place>,
    /// Of what it took, what is false and was not compared with the chain yet.
    unjudged: BTreeSet<Place>,
    accused: BTreeSet<Place>,
}

impl Life {
    /// Whether a signer has taken the room that it has with rounds above this one. (GOSSIP-7)
    fn is_displaced(&self, (id, block, signer): Place, room: usize) -> bool {
        let higher = (id, block.saturating_next(), SignerIndex::new(0))
            ..=(id, BlockNumber::MAX, SignerIndex::new(u32::MAX));
        let held = self.taken.range(higher);
        held.filter(|((.., by), _)| *by == signer).count() >= room
    }

    /// Whether so many concluded rounds are above this one that it may be forgotten. (GOSSIP-4)
    fn is_forgotten(&self, (id, block, _): Place, (signing, lowest): (SetId, BlockNumber)) -> bool {
        let higher = self.rounds.range((id, block.saturating_next())..);
        let concluded = higher.filter(|(set, block)| *set < signing || *block < lowest);
        concluded.count() >= KEPT_ROUNDS
    }
}

/// Where a node stands when it looks at a vote.
#[derive(Clone, Copy)]
pub(crate) struct Standing {
    pub(crate) node: NodeId,
    /// Up to where it knows what GRANDPA finalized.
    pub(crate) finalized: BlockNumber,
    /// The best block that it has; none while it is catching up.
    pub(crate) best: Option<BlockNumber>,
}

fn place(vote: &UncheckedVote) -> Place {
    let commitment = &vote.commitment;
    (
        commitment.validator_set_id,
        commitment.block_number,
        vote.signer,
    )
}

impl Judge {
    /// A member's vote leaves its node.
    pub(crate) fn voted(&mut self, vote: &UncheckedVote) {
        let said = self.statements.voted.entry(place(vote)).or_default();
        if !said.contains(&vote.commitment) {
            said.push(vote.commitment.clone());
        }
    }

    /// A coalition sends a proof of its own: those in it have signed, although their votes may come later.
    pub(crate) fn colluded(&mut self, proof: &UncheckedJustification, coalition: &[NodeId]) {
        let said = &proof.commitment;
        let Some(era) = self.chain.era(said.validator_set_id) else {
            return;
        };
        let keyset = era.set.set.keyset();
        let members = coalition
            .iter()
            .map(|id| keyset.position(&crypto::key(*id)));
        let named = members
            .flatten()
            .filter(|signer| proof.signers.contains(*signer));
        let votes: Vec<_> = named
            .map(|signer| crypto::sign(&era.set, signer, said))
            .collect();
        votes.iter().for_each(|vote| self.voted(vote));
    }

    /// A proof names only members who voted for what it says.
    pub(crate) fn counted(&self, node: NodeId, proof: &UncheckedJustification) {
        let said = &proof.commitment;
        let (id, block) = (said.validator_set_id, said.block_number);
        let members = self
            .chain
            .era(id)
            .map_or(0, |era| era.set.set.keyset().len());
        let named = (0..members).map(SignerIndex::new);
        for signer in named.filter(|signer| proof.signers.contains(*signer)) {
            let votes = self.statements.voted.get(&(id, block, signer));
            self.require(votes.is_some_and(|votes| votes.contains(said)), || {
                format!("node {node} counts signer {signer} for block {block}, who did not vote for that")
            });
        }
    }

    /// A node prepared a block: it keeps a round of it.
    pub(crate) fn prepared(&mut self, node: NodeId, commitment: &Commitment) {
        let round = (commitment.validator_set_id, commitment.block_number);
        let life = self.life(node);
        life.prepared.insert(round);
        life.rounds.insert(round);
    }

    /// Whether a node has looked at what its chain says about the block of a statement.
    pub(super) fn has_prepared(&self, node: NodeId, said: &Commitment) -> bool {
        let round = (said.validator_set_id, said.block_number);
        let life = self.statements.lives.get(&node);
        life.is_some_and(|life| life.prepared.contains(&round))
    }

    /// A node took the first valid vote of a signer on a block.
    pub(crate) fn took(&mut self, node: NodeId, vote: &UncheckedVote) {
        let (place, said) = (place(vote), &vote.commitment);
        let is_false = !self.is_true(said);
        let life = self.life(node);
        life.taken.insert(place, said.clone());
        life.rounds.insert((place.0, place.1));
        if is_false && life.unjudged.insert(place) {
            self.statements.false_votes.taken += 1;
        }
    }

    /// A node has evidence that a signer voted twice on a block.
    pub(crate) fn took_evidence(&mut self, node: NodeId, vote: &UncheckedVote) {
        let place = place(vote);
        self.life(node).equivocators.insert(place);
    }

    /// GOSSIP-3: a vote costs nothing because the same signer said the same before.
    pub(crate) fn knew(&mut self, node: NodeId, vote: &UncheckedVote) {
        let first = self.life(node).taken.get(&place(vote));
        let knows = first == Some(&vote.commitment);
        self.require(knows, || {
            format!(
                "GOSSIP-3: node {node} drops a vote of signer {} on block {} as known, and does not know it",
                vote.signer, vote.commitment.block_number
            )
        });
    }

    /// GOSSIP-2 and GOSSIP-7: a vote that is needed is dropped for a reason that holds.
    pub(crate) fn ignored(&mut self, at: Standing, vote: &UncheckedVote, reason: Ignored) {
        let place = place(vote);
        let needed = self.needs(at, place);
        let room = self.premises.rounds_per_signer;
        let life = self.life(at.node);
        let holds = match reason {
            // The set is being loaded.
            Ignored::NotReady => true,
            Ignored::Equivocator { .. } => life.equivocators.contains(&place),
            Ignored::Crowded { .. } => life.is_displaced(place, room),
            _ => !needed,
        };
        self.require(holds, || {
            format!(
                "GOSSIP-2: node {} needs the vote of signer {} on block {} and drops it: {reason:?}",
                at.node, vote.signer, vote.commitment.block_number
            )
        });
    }

    /// GOSSIP-10: a node has compared the votes that it holds with its chain, and accuses some. It accuses only of what
    /// is false, nobody who is honest, and nobody twice. What it took and is false it no longer keeps to itself, once the
    /// chain can tell.
    pub(crate) fn compared(&mut self, at: Standing, accused: &[UncheckedVote]) {
        let node = at.node;
        for vote in accused {
            let (signer, block) = (vote.signer, vote.commitment.block_number);
            self.require(self.is_refuted(at, &vote.commitment), || {
                format!("GOSSIP-10: node {node} accuses signer {signer} of what is true of block {block}, or not known yet")
            });
            self.require(!self.is_honest(place(vote)), || {
                format!(
                    "GOSSIP-10: node {node} accuses the honest signer {signer} for block {block}"
                )
            });
            let first = self.life(node).accused.insert(place(vote));
            self.require(first, || {
                format!("GOSSIP-10: node {node} accuses signer {signer} twice for block {block}")
            });
            self.statements.false_votes.accused += 1;
            let (id, _, signer) = place(vote);
            self.statements.accusers.insert((node, id, signer));
        }
        let stage = self.stage(at);
        let room = self.premises.rounds_per_signer;
        let mut judged = Vec::new();
        let life = self.statements.lives.entry(node).or_default();
        for place in std::mem::take(&mut life.unjudged) {
            if life.accused.contains(&place) {
                continue;
            }
            if life.is_displaced(place, room) || life.is_forgotten(place, stage) {
                self.statements.false_votes.forgotten += 1;
                continue;
            }
            let said = life
                .taken
                .get(&place)
                .expect("what is not judged was taken");
            judged.push((place, said.clone()));
        }
        for (place, said) in judged {
            let (_, block, signer) = place;
            self.require(!self.is_refuted(at, &said), || {
                format!("GOSSIP-10: node {node} has a false vote of signer {signer} on block {block} and accuses nobody")
            });
            self.life(node).unjudged.insert(place);
        }
    }

    /// Whether a node accuses another one.
    pub(crate) fn accuses(&self, node: NodeId, other: NodeId) -> bool {
        let mut accusers = self.statements.accusers.iter();
        let key = crypto::key(other);
        accusers.any(|(by, id, signer)| *by == node && self.key(*id, *signer) == key)
    }

    pub(crate) fn false_votes(&self) -> FalseVotes {
        self.statements.false_votes
    }

    /// What a node took and did not judge is lost with its memory.
    pub(super) fn forget_votes(&mut self, node: NodeId) {
        self.statements.lives.remove(&node);
    }

    fn life(&mut self, node: NodeId) -> &mut Life {
        self.statements.lives.entry(node).or_default()
    }

    fn is_true(&self, said: &Commitment) -> bool {
        let block = said.block_number;
        block <= self.chain.height && said == &self.chain.commitment(block)
    }

    /// FALSE-1, as the node can tell.
    fn is_refuted(&self, at: Standing, said: &Commitment) -> bool {
        let block = said.block_number;
        let beyond = |best: BlockNumber| block.saturating_sub(best) > BEYOND;
        block <= at.finalized && !self.is_true(said) || at.best.is_some_and(beyond)
    }

    fn is_honest(&self, (id, _, signer): Place) -> bool {
        let key = self.key(id, signer);
        let mut honest = self.honest.iter();
        honest.any(|node| Some(*node) != self.premises.reorging && crypto::key(*node) == key)
    }

    pub(super) fn key(&self, id: SetId, signer: SignerIndex) -> Pk1Bytes {
        let era = self.chain.era(id).expect("a set of the chain");
        era.set.set.keyset().key_bytes()[signer.get() as usize]
    }

    /// The set that signs at a node, and the lowest block that it may prove.
    fn stage(&self, at: Standing) -> (SetId, BlockNumber) {
        let best = self
            .concluded
            .get(&at.node)
            .map_or(BlockNumber::ZERO, |ledger: &Ledger| ledger.best);
        let eras: Vec<(u64, &Era)> = (0..).zip(&self.chain.eras).collect();
        let started = |era: &Era| era.start <= at.finalized;
        let reset = eras
            .iter()
            .rposition(|(_, era)| era.is_reset && started(era));
        let mut signing = reset.unwrap_or(0);
        while let Some((_, next)) = eras.get(signing + 1) {
            let handed_off = eras[signing].1.mandatory.is_some_and(|block| block <= best);
            if !handed_off || !started(next) {
                break;
            }
            signing += 1;
        }
        let (id, era) = eras[signing];
        (SetId::new(id), era.start.max(best.saturating_next()))
    }

    /// Whether a node needs votes of this place: of the set that signs there, on a block that is not proven, up to the
    /// mandatory one while that is not, and not too far ahead.
    fn needs(&self, at: Standing, (id, block, _): Place) -> bool {
        let (signing, lowest) = self.stage(at);
        let mandatory = self.chain.era(signing).and_then(|era| era.mandatory);
        let pending = mandatory.filter(|block| *block >= lowest && *block <= at.finalized);
        let reach = at.finalized.saturating_add(self.premises.lookahead);
        let highest = pending.unwrap_or(BlockNumber::MAX).min(reach);
        id == signing && (lowest..=highest).contains(&block)
    }
}
