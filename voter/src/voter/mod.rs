//! The voter: takes one event, changes its state, and says what to do.

mod advance;
mod apply;
mod ask;
mod grow;
mod growing;
mod outbox;
mod proofs;
mod retry;
mod show;

use crate::{
    filter::{Accepted, Window},
    round::Rounds,
    schedule::Schedule,
    Aggregated, Config, Effect, Era, Event, Millis, State,
};
use duet_primitives::{
    BlockNumber, DualKeyset, Pk1Bytes, SetId, SignerIndex, UncheckedJustification,
};
use growing::GrowingProofs;
use outbox::Outbox;
use proofs::Proofs;
use retry::Retry;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

/// The most concluded blocks that wait for a proof from the network.
const MAX_UNPUBLISHED: usize = 4;
/// The minimum room for sets: the signing set, its successor, and the set that may be planned in the block of the
/// takeover. With less room that block would never count as scanned, and no set would take over.
const MIN_ERAS: usize = 3;
/// The number of past sets whose reported offenders are remembered; the filter keeps evidence for no more rounds.
const REPORTED_SETS: u64 = 8;

/// Counts of everything dropped or refused since the start. (GOSSIP-7)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Votes on rounds that are concluded, or of sets that are not concerned.
    pub stale_votes: u64,
    /// Votes that were displaced by later ones of their signer.
    pub dropped_votes: u64,
    /// Justifications of blocks that are proven.
    pub stale_justifications: u64,
    /// Justifications that found no room to wait for GRANDPA.
    pub dropped_justifications: u64,
    /// Set changes that found no room and have to be delivered again.
    pub deferred_plans: u64,
    /// Events that contradict the voter's state: a gap in the logs, a prepared or signed
    /// commitment of another set or block, a threshold of signatures on another chain, evidence
    /// against an own key. The operator should investigate each.
    pub inconsistent: u64,
    /// Votes of an own key that this node did not make: the key is in use elsewhere, or the state of
    /// this node is an old copy.
    pub own_key_elsewhere: u64,
}

fn count(counter: &mut u64) {
    *counter = counter.saturating_add(1);
}

/// Decides what to prepare, sign, publish and conclude. See the crate's documentation for the
/// contract.
#[derive(Clone, Debug)]
pub struct Voter {
    config: Config,
    state: State,
    own_keys: Vec<Pk1Bytes>,
    syncing: bool,
    /// Whether this node votes no more. (ROUND-10)
    halted: bool,
    /// The signing set and the next one, as far as they are loaded.
    sets: BTreeMap<SetId, Arc<DualKeyset>>,
    /// Votes of the signing set and of the next one.
    rounds: BTreeMap<SetId, Rounds>,
    proofs: Proofs,
    schedule: Schedule,
    /// Blocks that this node concluded and for which no proof was seen on the network.
    unpublished: VecDeque<Accepted>,
    /// Signers that were reported, per set.
    reported: BTreeSet<(SetId, SignerIndex)>,
    /// The first block with a log that found no room.
    deferred: Option<BlockNumber>,
    counters: Counters,
    retry: Retries,
    rebroadcast_at: Option<Millis>,
    /// Until when more votes on the mandatory block are gathered, once it has enough. (ROUND-8)
    gathering: Option<Millis>,
    /// Proofs of concluded blocks that lack signers.
    growing: GrowingProofs,
    /// The sum of the votes on a block, until it is concluded.
    aggregated: Option<Aggregated>,
    wake_at: Option<Millis>,
}

/// Open requests to the host.
#[derive(Clone, Debug, Default)]
struct Retries {
    load: Retry<SetId>,
    prepare: Retry<BlockNumber>,
    sign: Retry<BlockNumber>,
    request: Retry<SetId>,
    aggregate: Retry<(SetId, BlockNumber)>,
    grow: Retry<(SetId, BlockNumber)>,
}

impl Voter {
    /// A voter that continues from a stored state. Send it [`Event::Tick`] once to start its requests.
    pub fn new(config: Config, state: State, own_keys: Vec<Pk1Bytes>) -> Self {
        Self {
            proofs: Proofs::new(config.max_justifications),
            config,
            state,
            own_keys,
            syncing: false,
            halted: false,
            sets: BTreeMap::new(),
            rounds: BTreeMap::new(),
            schedule: Schedule::default(),
            unpublished: VecDeque::new(),
            reported: BTreeSet::new(),
            deferred: None,
            counters: Counters::default(),
            retry: Retries::default(),
            rebroadcast_at: None,
            gathering: None,
            growing: GrowingProofs::default(),
            aggregated: None,
            wake_at: None,
        }
    }

    /// Takes an event and says what to do, in order. `now` must not go backwards.
    ///
    /// Cost: look-ups; after a restart one check of an own vote with each block that is prepared again.
    pub fn handle(&mut self, event: Event, now: Millis) -> Vec<Effect> {
        let mut out = Outbox::default();
        self.apply(event, now, &mut out);
        self.advance(now, &mut out);
        // A sum that cannot be concluded: a proof of the block or a higher one came first.
        self.aggregated = None;
        self.ask(now, &mut out);
        self.publish(now, &mut out);
        self.wake(now, &mut out);
        out.into_effects()
    }

    /// The state that survives a restart; stored on [`Effect::Persist`].
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The block up to which the logs are known: the host delivers the next ones from here on.
    pub fn scanned(&self) -> BlockNumber {
        self.state.scanned()
    }

    /// Whether there is room for another set change. Without room, [`Event::Planned`] is not accepted,
    /// [`Voter::scanned`] stays before its block, and the host may stop reading headers until proofs make room.
    pub fn accepts_eras(&self) -> bool {
        self.state.eras().count() < self.config.max_eras.max(MIN_ERAS)
    }

    /// The sets and blocks whose votes and proofs are needed now, for [`Filter::update`](crate::Filter::update).
    pub fn window(&self) -> Window {
        let reach = self.state.scanned().saturating_add(self.config.lookahead);
        let accepted = |era: &Era, lowest, highest: BlockNumber| {
            let set = self.sets.get(&era.set.id)?.clone();
            Some(Accepted {
                set,
                lowest,
                highest: highest.min(reach),
            })
        };
        let signing = self.state.signing();
        let next = self.state.next().and_then(|next| {
            let after = signing
                .mandatory
                .unwrap_or(BlockNumber::ZERO)
                .max(self.state.scanned());
            let lowest = next.start.unwrap_or(after.saturating_next());
            accepted(next, lowest, next.mandatory.unwrap_or(BlockNumber::MAX))
        });
        Window {
            signing: accepted(signing, self.state.lowest(), self.state.highest()),
            next,
            unpublished: self.unpublished.iter().cloned().collect(),
            late: self.growing.accepted(false),
            late_handoffs: self.growing.accepted(true),
        }
    }

    /// The era of a set, if it has not ended, with the commitment by which to load the set's keys.
    pub fn era(&self, id: SetId) -> Option<&Era> {
        self.state.eras().find(|era| era.set.id == id)
    }

    /// A set that is loaded: the signing one or the next.
    pub fn set(&self, id: SetId) -> Option<&Arc<DualKeyset>> {
        self.sets.get(&id)
    }

    /// Number of the signing set.
    pub fn set_id(&self) -> SetId {
        self.state.signing().set.id
    }

    /// The highest proof, as it travels.
    pub fn best(&self) -> Option<&UncheckedJustification> {
        self.state.best()
    }

    /// The block that the signing set should prove next, if GRANDPA has come that far. (ROUND-3)
    pub fn target(&self) -> Option<BlockNumber> {
        crate::target::target(&self.state)
    }

    /// The highest block that this node voted on and that may still be open.
    pub fn best_voted(&self) -> Option<BlockNumber> {
        self.state
            .votes()
            .last()
            .map(|vote| vote.commitment.block_number)
    }

    /// The position of this node's key in the signing set; `None` when it is not a member.
    pub fn own_signer(&self) -> Option<SignerIndex> {
        self.own(self.set_id()).map(|(signer, _)| signer)
    }

    /// Whether a contradiction keeps this node from voting. (ROUND-10)
    pub fn is_halted(&self) -> bool {
        self.halted
    }

    /// Whether this code knows the rules by which the signing set votes. If not, it does not vote. (ROUND-11)
    pub fn knows_rules(&self) -> bool {
        self.state.signing().rules.are_known()
    }

    /// Whether this node has a key of the signing set, and nothing keeps it from signing.
    pub fn may_vote(&self) -> bool {
        self.own_signer().is_some() && !self.is_silent()
    }

    /// Whether this node neither signs nor sends votes, although it may have a key of the set. (ROUND-10, ROUND-11)
    fn is_silent(&self) -> bool {
        self.halted || !self.knows_rules()
    }

    /// How many rounds are open.
    pub fn rounds_open(&self) -> usize {
        self.rounds.values().map(Rounds::len).sum()
    }

    /// How many votes are held.
    pub fn votes_held(&self) -> usize {
        let open: usize = self.rounds.values().map(Rounds::votes).sum();
        open.saturating_add(self.growing.votes())
    }

    /// How many justifications wait for GRANDPA or for an earlier proof.
    pub fn justifications_held(&self) -> usize {
        self.proofs.len()
    }

    /// How many activated sets wait for the handoff proof that names them.
    pub fn lagging_sets(&self) -> usize {
        self.state
            .eras()
            .skip(1)
            .filter(|era| era.start.is_some())
            .count()
    }

    /// Counts of everything dropped or refused since the start.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The first own key that is a member of a loaded set, and its position.
    fn own(&self, id: SetId) -> Option<(SignerIndex, Pk1Bytes)> {
        let set = self.sets.get(&id)?.keyset();
        self.own_keys
            .iter()
            .find_map(|key| Some((set.position(key)?, *key)))
    }

    /// The set that signs, once it is loaded.
    fn signing_set(&self) -> Option<&Arc<DualKeyset>> {
        self.sets.get(&self.set_id())
    }

    /// Whether the signing set proves this block, and GRANDPA has finalized it. (ROUND-1, ROUND-2)
    fn is_votable(&self, block: BlockNumber) -> bool {
        let highest = self.state.highest().min(self.state.scanned());
        (self.state.lowest()..=highest).contains(&block)
    }
}

#[cfg(test)]
mod tests;
