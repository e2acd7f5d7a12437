//! Sees what honest nodes send and conclude, knows the chain, and says what must never have
//! happened. Shares no code with the voter.

mod divergence;
pub(crate) mod statements;

use super::{
    chain::{Chain, Era},
    crypto, NodeId,
};
use duet_primitives::{
    BlockNumber, Commitment, EquivocationProof, SetId, SignerIndex, UncheckedJustification,
    UncheckedVote, H256,
};
use statements::Statements;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Node, its life, set, block and signer.
type Place = (NodeId, u64, SetId, BlockNumber, SignerIndex);

/// What the judge takes for granted of a network.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Premises {
    /// A node whose chain says something else after each restart.
    pub(crate) reorging: Option<NodeId>,
    /// Whether more than the tolerated third may be faulty.
    pub(crate) coalition: bool,
    /// As in the voters' configuration.
    pub(crate) lookahead: u32,
    pub(crate) rounds_per_signer: usize,
}

pub(crate) struct Judge {
    chain: Arc<Chain>,
    premises: Premises,
    honest: Vec<NodeId>,
    /// What each honest node has signed about each block, in all its lives.
    signed: BTreeMap<(NodeId, BlockNumber), UncheckedVote>,
    /// What each honest node has concluded and still knows of.
    concluded: BTreeMap<NodeId, Ledger>,
    /// Curve work for valid objects: node, life, object's place.
    votes_checked: BTreeMap<Place, Vec<Commitment>>,
    /// Those that were displaced and taken again.
    votes_taken_again: BTreeSet<Place>,
    proofs_checked: BTreeSet<(NodeId, u64, SetId, BlockNumber, H256)>,
    statements: Statements,
    /// Nodes that got a valid proof of another block.
    informed: BTreeSet<(NodeId, BlockNumber)>,
    /// Nodes that published a proof of a block.
    pub(crate) publishers: BTreeMap<BlockNumber, BTreeSet<NodeId>>,
    /// Who reported whom, in which life.
    pub(crate) reports: BTreeSet<(NodeId, u64, SetId, SignerIndex)>,
    /// Nodes that were blamed by honest ones.
    pub(crate) blamed: BTreeSet<NodeId>,
    /// Nodes that saw their chain contradicted.
    pub(crate) diverged: BTreeSet<NodeId>,
}

struct Ledger {
    /// Blocks with proofs, in this life and as persisted.
    best: BlockNumber,
    persisted_best: BlockNumber,
    handoffs: BTreeSet<SetId>,
    proofs: BTreeMap<BlockNumber, UncheckedJustification>,
    /// Up to where the voter was told what GRANDPA finalized, with all logs.
    told: BlockNumber,
}

impl Ledger {
    fn new() -> Self {
        Self {
            best: BlockNumber::ZERO,
            persisted_best: BlockNumber::ZERO,
            handoffs: BTreeSet::new(),
            proofs: BTreeMap::new(),
            told: BlockNumber::ZERO,
        }
    }

    /// Whether the handoff to this set is proven; the first set needs none, nor does one that a reset starts.
    fn may_sign(&self, chain: &Chain, id: SetId) -> bool {
        chain.era(id).is_some_and(|era| era.is_reset)
            || id
                .checked_previous()
                .is_none_or(|before| self.handoffs.contains(&before))
    }
}

impl Judge {
    pub(crate) fn new(chain: Arc<Chain>, honest: Vec<NodeId>) -> Self {
        Self::assuming(Premises::default(), chain, honest)
    }

    pub(crate) fn assuming(premises: Premises, chain: Arc<Chain>, honest: Vec<NodeId>) -> Self {
        Self {
            chain,
            premises,
            concluded: honest.iter().map(|id| (*id, Ledger::new())).collect(),
            honest,
            signed: BTreeMap::new(),
            votes_checked: BTreeMap::new(),
            votes_taken_again: BTreeSet::new(),
            proofs_checked: BTreeSet::new(),
            statements: Statements::default(),
            informed: BTreeSet::new(),
            publishers: BTreeMap::new(),
            reports: BTreeSet::new(),
            blamed: BTreeSet::new(),
            diverged: BTreeSet::new(),
        }
    }

    pub(crate) fn require(&self, holds: bool, otherwise: impl FnOnce() -> String) {
        assert!(holds, "{}", otherwise());
    }

    fn ledger(&self, node: NodeId) -> &Ledger {
        self.concluded
            .get(&node)
            .expect("only honest nodes are watched")
    }

    /// The highest block that a node has concluded.
    pub(crate) fn best(&self, node: NodeId) -> BlockNumber {
        self.ledger(node).best
    }

    /// How many votes honest nodes have signed.
    pub(crate) fn votes(&self) -> u64 {
        self.signed.len() as u64
    }

    /// How many proofs honest nodes have concluded.
    pub(crate) fn proofs(&self) -> u64 {
        self.concluded
            .values()
            .map(|ledger| ledger.proofs.len() as u64)
            .sum()
    }

    /// An honest node's vote leaves the node.
    pub(crate) fn published(&mut self, node: NodeId, grandpa: BlockNumber, vote: &UncheckedVote) {
        let block = vote.commitment.block_number;
        let id = vote.commitment.validator_set_id;
        self.require(block <= grandpa, || {
            format!("ROUND-1: node {node} votes on {block}, GRANDPA is at {grandpa}")
        });
        if let Some(first) = self.signed.get(&(node, block)) {
            self.require(first.commitment == vote.commitment, || {
                format!("ROUND-4: node {node} signs two commitments for block {block}")
            });
        }
        self.require(!self.diverged.contains(&node), || {
            format!("ROUND-10: node {node} votes on {block}, and a proof contradicts its chain")
        });
        self.signed.insert((node, block), vote.clone());
        self.voted(vote);
        let era = self.chain.era(id).expect("a set of the chain");
        self.require(
            self.chain.era_at(block).set.set.commitment().id == id,
            || format!("ROUND-5: node {node} votes in set {id} on block {block} of another set"),
        );
        let ledger = self.ledger(node);
        self.require(
            era.mandatory
                .is_none_or(|m| block <= m || ledger.handoffs.contains(&id)),
            || format!("ROUND-2: node {node} votes on {block} before the handoff of set {id}"),
        );
        self.require(ledger.may_sign(&self.chain, id), || {
            format!("ROUND-5: node {node} votes in set {id} before the handoff to it")
        });
        let lowest = era.start.get() - 1 + era.rules.min_delta;
        self.require(
            block.get() >= lowest || era.mandatory == Some(block),
            || format!("ROUND-11: node {node} votes on {block}, and set {id} begins with {lowest}"),
        );
        // While the logs of a long time are delivered, the voter may still send what it has signed before.
        let told = ledger.told;
        let ended = |(_, era): &(u64, &Era)| era.is_reset && era.start <= told;
        let reset = (0..).zip(&self.chain.eras).filter(ended).last();
        self.require(
            reset.is_none_or(|(first, _)| id >= SetId::new(first)),
            || format!("RESET-4: node {node} votes in set {id}, which a reset has ended"),
        );
    }

    /// An honest node was told that GRANDPA has finalized all up to a block, after the logs up to it.
    pub(crate) fn finalized(&mut self, node: NodeId, number: BlockNumber) {
        if let Some(ledger) = self.concluded.get_mut(&node) {
            ledger.told = ledger.told.max(number);
        }
    }

    /// An honest node concludes: everything that PROTOCOL.md asks of a finality proof, and of the
    /// order of proofs.
    pub(crate) fn concluded(
        &mut self,
        node: NodeId,
        proof: &UncheckedJustification,
        mandatory: bool,
    ) {
        let commitment = &proof.commitment;
        let (block, id) = (commitment.block_number, commitment.validator_set_id);
        self.require(self.may_believe(node, commitment), || {
            format!("node {node} concludes something untrue about block {block}")
        });
        let era = self.chain.era(id).expect("a set of the chain");
        let n = era.set.secrets.len();
        let signers = (0..)
            .take(n)
            .filter(|index| proof.signers.contains(SignerIndex::new(*index)))
            .count();
        self.require(signers >= n - (n - 1) / 3, || {
            format!("JUST-4: node {node} concludes block {block} with {signers} of {n}")
        });
        self.require(crypto::check_proof(&era.set, proof).is_ok(), || {
            format!("node {node} concludes block {block} with a proof that does not hold")
        });
        self.require(mandatory == (era.mandatory == Some(block)), || {
            format!("ROUND-2: node {node} is wrong on whether block {block} is mandatory")
        });
        let ledger = self
            .concluded
            .get_mut(&node)
            .expect("only honest nodes are watched");
        let ordered = block > ledger.best;
        let own = era
            .mandatory
            .is_none_or(|m| block <= m || ledger.handoffs.contains(&id));
        let earlier = ledger.may_sign(&self.chain, id);
        assert!(
            ordered,
            "node {node} concludes block {block} after block {}",
            ledger.best
        );
        assert!(
            own,
            "ROUND-2: node {node} concludes {block} before the handoff of set {id}"
        );
        assert!(
            earlier,
            "ROUND-5: node {node} concludes {block} of set {id} too early"
        );
        ledger.best = block;
        ledger.proofs.insert(block, proof.clone());
        if mandatory {
            ledger.handoffs.insert(id);
        }
    }

    /// ROUND-9: a proof only grows, and stays a proof of what was concluded.
    pub(crate) fn grown(&mut self, node: NodeId, proof: &UncheckedJustification) {
        let block = proof.commitment.block_number;
        let set = self.chain.era(proof.commitment.validator_set_id);
        let set = &set.expect("a set of the chain").set;
        self.require(crypto::check_proof(set, proof).is_ok(), || {
            format!("the grown proof of block {block} at node {node} does not hold")
        });
        let ledger = self
            .concluded
            .get_mut(&node)
            .expect("only honest nodes are watched");
        let Some(before) = ledger.proofs.insert(block, proof.clone()) else {
            panic!("node {node} has a grown proof of block {block}, which it did not conclude");
        };
        assert_eq!(before.commitment, proof.commitment, "ROUND-9");
        let lost = (0..set.set.keyset().len())
            .map(SignerIndex::new)
            .find(|index| before.signers.contains(*index) && !proof.signers.contains(*index));
        assert!(
            lost.is_none() && proof.signers.count() > before.signers.count(),
            "ROUND-9: the proof of block {block} at node {node} did not grow: {before:?} {proof:?}",
        );
    }

    pub(crate) fn persisted(&mut self, node: NodeId) {
        let ledger = self
            .concluded
            .get_mut(&node)
            .expect("only honest nodes are watched");
        ledger.persisted_best = ledger.best;
    }

    /// What was concluded is stored for ever; what was not persisted may be concluded again.
    pub(crate) fn crashed(&mut self, node: NodeId) {
        let ledger = self
            .concluded
            .get_mut(&node)
            .expect("only honest nodes are watched");
        ledger.best = ledger.persisted_best;
        self.forget_votes(node);
        self.forget_proofs(node);
    }

    pub(crate) fn published_proof(&mut self, node: NodeId, proof: &UncheckedJustification) {
        let block = proof.commitment.block_number;
        self.require(self.ledger(node).proofs.contains_key(&block), || {
            format!("node {node} publishes a proof of block {block} that it did not conclude")
        });
        self.publishers.entry(block).or_default().insert(node);
    }

    /// Whether the signer has votes on so many blocks of the set that they displace each other. (GOSSIP-7)
    fn crowds(&self, (node, epoch, id, _, signer): Place) -> bool {
        let first = (node, epoch, id, BlockNumber::ZERO, signer);
        let last = (node, epoch, id, BlockNumber::MAX, signer);
        let of_signer = self.votes_checked.range(first..=last);
        let blocks = of_signer.filter(|((.., of), _)| *of == signer).count();
        let room = self.premises.rounds_per_signer;
        room > 0 && blocks > room
    }

    /// GOSSIP-3 and GOSSIP-4: of each signer and block one vote, and one that contradicts it.
    pub(crate) fn checked_vote(&mut self, node: NodeId, epoch: u64, vote: &UncheckedVote) {
        let (id, block) = (
            vote.commitment.validator_set_id,
            vote.commitment.block_number,
        );
        let key = (node, epoch, id, block, vote.signer);
        let crowds = self.crowds(key);
        let checked = self.votes_checked.entry(key).or_default();
        let enough =
            |checked: &[Commitment]| checked.contains(&vote.commitment) || checked.len() >= 2;
        if enough(checked) && crowds && self.votes_taken_again.insert(key) {
            checked.clear();
        }
        assert!(
            !enough(checked),
            "GOSSIP-3: node {node} checks signer {} on block {block} too often",
            vote.signer,
        );
        checked.push(vote.commitment.clone());
    }

    pub(crate) fn checked_proof(
        &mut self,
        node: NodeId,
        epoch: u64,
        proof: &UncheckedJustification,
    ) {
        let (id, block) = (
            proof.commitment.validator_set_id,
            proof.commitment.block_number,
        );
        let hash = proof.commitment.block_hash;
        assert!(
            self.proofs_checked.insert((node, epoch, id, block, hash)),
            "GOSSIP-3: node {node} checks two proofs of block {block}",
        );
    }

    /// Only who misbehaves is blamed.
    pub(crate) fn blamed(&mut self, by: NodeId, node: NodeId) {
        self.require(!self.honest.contains(&node), || {
            format!("GOSSIP-6: node {by} blames the honest node {node}")
        });
        self.blamed.insert(node);
    }

    /// Evidence holds, and names nobody who is honest.
    pub(crate) fn reported(&mut self, by: NodeId, epoch: u64, proof: &EquivocationProof) {
        let id = proof.first.0.validator_set_id;
        let era = self.chain.era(id).expect("a set of the chain");
        let offender = self.key(id, proof.signer);
        let honest = self.honest.iter().any(|id| crypto::key(*id) == offender);
        self.require(!honest, || format!("node {by} reports an honest node"));
        let checked = crypto::check_evidence(&era.set, proof);
        self.require(checked.is_ok(), || {
            format!("node {by} reports evidence that fails")
        });
        assert!(
            self.reports.insert((by, epoch, id, proof.signer)),
            "node {by} reports signer {} of set {id} twice",
            proof.signer,
        );
    }

    /// Whether every honest node has proven all that it must.
    pub(crate) fn is_done(&self, height: BlockNumber, except: Option<NodeId>) -> bool {
        let mut watched = self
            .concluded
            .iter()
            .filter(|(node, _)| Some(**node) != except);
        watched.all(|(_, ledger)| ledger.best >= height)
    }

    /// When the network has been calm for a while, every honest node has a proof of all that
    /// GRANDPA finalized, and one from each set to the next. Proofs of different nodes never
    /// contradict each other.
    pub(crate) fn finish(&self, height: BlockNumber, except: Option<NodeId>) {
        self.check_informed();
        let mut proven: BTreeMap<BlockNumber, &UncheckedJustification> = BTreeMap::new();
        for ledger in self.concluded.values() {
            for (block, proof) in &ledger.proofs {
                let first = proven.entry(*block).or_insert(proof);
                let agree = first.commitment == proof.commitment;
                // What each of them concludes was judged already.
                self.require(agree || self.premises.coalition, || {
                    format!("two proofs of block {block} contradict each other")
                });
            }
        }
        // With so many faulty nobody promises progress.
        if self.premises.coalition {
            return;
        }
        let handoffs = |eras: Vec<(u64, &Era)>| -> BTreeSet<SetId> {
            let mandatory = eras.into_iter().filter(|(_, era)| era.mandatory.is_some());
            mandatory.map(|(id, _)| SetId::new(id)).collect()
        };
        let eras: Vec<_> = (0..).zip(&self.chain.eras).collect();
        let reset = eras.iter().rposition(|(_, era)| era.is_reset).unwrap_or(0);
        // What was handed off before a reset a late node fetches otherwise. (RESET-5)
        let (all, needed) = (handoffs(eras.clone()), handoffs(eras[reset..].to_vec()));
        for (node, ledger) in self
            .concluded
            .iter()
            .filter(|(node, _)| Some(**node) != except)
        {
            self.require(ledger.best >= height, || {
                format!(
                    "node {node} has a proof of {}, GRANDPA is at {height}",
                    ledger.best
                )
            });
            let got = &ledger.handoffs;
            self.require(needed.is_subset(got) && got.is_subset(&all), || {
                format!(
                    "node {node} has the handoffs of sets {:?}, of {needed:?} in {all:?}",
                    ledger.handoffs
                )
            });
        }
    }
}
