//! A client before a reset, with thieves of recovery keys, old keys for sale, and time that passes.
//!
//! One set signs, loses its keys, and is reset; the next set signs. A client follows, waits and crosses, by the real
//! verifier. Time goes by half waits. The client has an honest server: before it crosses, and before half a wait is
//! over, it has been shown what is proven.

use crate::{mutant::Mutant, state::Failed};
use codec::Encode;
use duet_light_client::{
    recovery_terms, testing::StartState, Crossing, Dated, Mode, Outcome, StartProof, Trusted,
};
use duet_primitives::{
    testing::TestSet, BlockNumber, Commitment, Keysets, Recovery, RecoveryMessage, RecoveryProof,
    RecoveryStatement, RecoveryTerms, RecoveryVote, RoundMessage, SetId, SignerIndex,
    UncheckedJustification, H256,
};
use stateright::{Model, Property};
use std::{
    collections::HashMap,
    sync::{Mutex, OnceLock, PoisonError},
};

/// Half a wait, in milliseconds.
const HALF: u64 = 100_000;
/// The wait, in seconds.
const DELAY: u64 = 200;
/// The trusting period, in seconds: six half waits.
const PERIOD: u64 = 600;
/// After so many half waits the ended set's members have their stake back, and sell their keys.
const BONDED: u8 = 7;
/// The block of the reset, and the first one that the next set proves.
const RESET: u32 = 10;

/// Who proves a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Block {
    /// The first set, on the chain.
    First(u32),
    /// The set of the reset, on the chain.
    Second(u32),
    /// Whoever bought the first set's keys.
    Sold(u32),
    /// The thieves' own set.
    Thieves(u32),
}

/// What the recovery set says of the block that a client knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Statement {
    /// The truth.
    True,
    /// That the thieves' set signs.
    False,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waiting {
    /// In half waits.
    pub time: u8,
    /// When each block of the first set was made.
    pub first: Vec<u8>,
    /// When the sets were reset.
    pub reset: Option<u8>,
    /// How many blocks the second set proved.
    pub second: u32,
    /// Whether a third of the first set's keys are lost.
    pub keys_lost: bool,
    /// Whether the first set proved a block since time passed.
    pub fresh: bool,
    /// The client, by number.
    pub client: usize,
    /// The statements that it was told about its newest block.
    pub heard: Vec<Statement>,
    /// Whether it crossed although it had heard both.
    pub crossed_both: bool,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Half a wait passes.
    Wait,
    /// The set proves a block.
    Prove,
    /// More than a third of the first set's keys are lost.
    LoseKeys,
    /// Governance resets the sets.
    Reset,
    /// The client gets a proof.
    Follow(Block),
    /// The client gets a recovery proof.
    Announce(Statement),
    /// The client crosses.
    Cross,
    /// The client restarts.
    Restart,
}

/// The model.
pub struct Recovering {
    /// Whether thieves have the recovery keys. Then the first set keeps its own: who has both kinds leads clients
    /// astray.
    pub stolen: bool,
    /// Whether the owners of the recovery keys sign the truth, too.
    pub honest: bool,
    /// How long time goes.
    pub time: u8,
    /// How many blocks each set proves.
    pub blocks: u32,
    /// The broken rule.
    pub mutant: Option<Mutant>,
    known: Mutex<Known>,
    failed: Failed,
}

#[derive(Default)]
struct Known {
    clients: Vec<Trusted>,
    numbers: HashMap<Vec<u8>, usize>,
    proofs: HashMap<Block, UncheckedJustification>,
    statements: HashMap<(Vec<u8>, Statement), RecoveryProof>,
    /// What the real code made of a client by a step at a time; none where it refused.
    steps: HashMap<(usize, Step, u64), Option<usize>>,
}

struct Sets {
    first: TestSet,
    second: TestSet,
    thieves: TestSet,
    recovery: TestSet,
}

fn sets() -> &'static Sets {
    static SETS: OnceLock<Sets> = OnceLock::new();
    SETS.get_or_init(|| Sets {
        first: TestSet::new(0, 0..4),
        second: TestSet::new(1, 4..8),
        thieves: TestSet::new(1, 8..12),
        recovery: TestSet::new(0, 16..20),
    })
}

fn genesis() -> &'static StartProof {
    static GENESIS: OnceLock<StartProof> = OnceLock::new();
    GENESIS.get_or_init(make_genesis)
}

fn make_genesis() -> StartProof {
    let first = &sets().first;
    let keysets = Keysets::without_successor(first.set.commitment().clone());
    let state = StartState {
        keysets: Some(&keysets.encode()),
        ..StartState::default()
    };
    state.start_proof(H256::zero(), 0, first.set.keyset().key_bytes())
}

impl Block {
    fn number(self) -> u32 {
        match self {
            Self::First(number) | Self::Sold(number) => number,
            Self::Second(number) | Self::Thieves(number) => RESET + number,
        }
    }

    fn hash(self) -> H256 {
        let honest = matches!(self, Self::First(_) | Self::Second(_));
        H256::from_low_u64_be(u64::from(self.number()) + if honest { 1000 } else { 2000 })
    }

    fn prove(self) -> UncheckedJustification {
        let Sets {
            first,
            second,
            thieves,
            ..
        } = sets();
        let by = match self {
            Self::First(_) | Self::Sold(_) => first,
            Self::Second(_) => second,
            Self::Thieves(_) => thieves,
        };
        let commitment = Commitment {
            block_number: BlockNumber::new(self.number()),
            block_hash: self.hash(),
            mmr_root: H256::zero(),
            validator_set_id: by.set.commitment().id,
            next: by.set.commitment().clone(),
        };
        let message = RoundMessage::new(genesis().block_hash(), commitment);
        by.justify(&message, 0..3).into_unchecked()
    }
}

impl Statement {
    fn prove(self, about: &Trusted) -> RecoveryProof {
        let all = sets();
        let (set, block) = match self {
            Self::True => (&all.second, Block::Second(0)),
            Self::False => (&all.thieves, Block::Thieves(0)),
        };
        let statement = RecoveryStatement {
            recovery_set: SetId::new(0),
            block_number: about.best_number(),
            block_hash: about.best_hash(),
            ended: SetId::new(0),
            reset_number: BlockNumber::new(RESET),
            reset_hash: block.hash(),
            set: set.set.commitment().clone(),
        };
        let message = RecoveryMessage::new(about.genesis_hash(), statement);
        let vote = |signer: u32| {
            let secret = &all.recovery.secrets[signer as usize];
            RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
        };
        let votes = [0, 1, 2].map(vote);
        let proof = Recovery::combine(all.recovery.set.keyset(), about.genesis_hash(), &votes);
        proof.expect("three of four signed").into_unchecked()
    }
}

fn terms() -> RecoveryTerms {
    let terms = RecoveryTerms {
        set: sets().recovery.set.commitment().clone(),
        delay: DELAY,
    };
    recovery_terms(Some(&terms.encode())).expect("terms of a set")
}

fn millis(time: u8) -> u64 {
    u64::from(time) * HALF
}

fn dated(time: u8) -> Dated {
    Dated {
        time: millis(time),
        trusting_period: Some(PERIOD),
    }
}

/// Keys from anybody.
fn with_keys(trusted: Trusted) -> Trusted {
    let Some(missing) = trusted.missing_keys() else {
        return trusted;
    };
    let all = sets();
    let mut sets = [&all.first, &all.second, &all.thieves]
        .map(|set| set.set.keyset())
        .into_iter();
    let keys = sets.find(|set| set.commitment() == trusted.signing());
    let keys = keys.expect("one of the sets").key_bytes();
    trusted
        .with_keys(missing, &keys)
        .expect("they are its keys")
}

impl Known {
    fn number(&mut self, client: Trusted) -> usize {
        let next = self.clients.len();
        let id = *self.numbers.entry(client.encode()).or_insert(next);
        if id == next {
            self.clients.push(client);
        }
        id
    }

    fn step(
        &mut self,
        client: usize,
        step: Step,
        time: u64,
        run: impl FnOnce(&mut Self) -> Option<Trusted>,
    ) -> Option<usize> {
        if let Some(known) = self.steps.get(&(client, step, time)) {
            return *known;
        }
        let after = run(self).map(|trusted| self.number(trusted));
        self.steps.insert((client, step, time), after);
        after
    }

    fn proof(&mut self, block: Block) -> UncheckedJustification {
        self.proofs
            .entry(block)
            .or_insert_with(|| block.prove())
            .clone()
    }

    fn statement(&mut self, client: usize, statement: Statement) -> RecoveryProof {
        let about = &self.clients[client];
        let key = (about.checkpoint().encode(), statement);
        let proof = self.statements.entry(key);
        proof.or_insert_with(|| statement.prove(about)).clone()
    }
}

impl Recovering {
    /// The model.
    pub fn new(stolen: bool, honest: bool, time: u8, blocks: u32, mutant: Option<Mutant>) -> Self {
        Self {
            stolen,
            honest,
            time,
            blocks,
            mutant,
            known: Mutex::default(),
            failed: Failed::default(),
        }
    }

    fn client(&self, state: &Waiting) -> Trusted {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clients[state.client].clone()
    }

    /// How many states of clients there were.
    pub fn clients(&self) -> usize {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clients.len()
    }

    /// LIGHT-9, then LIGHT-4 to LIGHT-6.
    fn follow(&self, state: &mut Waiting, block: Block, known: &mut Known) {
        let client = known.clients[state.client].clone();
        let is_young = client
            .dated()
            .is_none_or(|dated| dated.check(millis(state.time), None).is_ok());
        if !is_young && self.mutant != Some(Mutant::PeriodIgnored) {
            return;
        }
        let made = match block {
            Block::First(number) => state.first[number as usize - 1],
            _ => state.time,
        };
        let followed = known.step(state.client, Step::Follow(block), millis(made), |known| {
            let Ok(Outcome::New(verified)) = client.verify(known.proof(block)) else {
                return None;
            };
            Some(verified.trusted.with_date(dated(made)))
        });
        if let Some(followed) = followed {
            state.heard.clear();
            state.client = followed;
        }
    }

    fn announce(&self, state: &mut Waiting, statement: Statement, known: &mut Known) {
        let client = known.clients[state.client].clone();
        let (id, now) = (state.client, millis(state.time));
        let announced = known.step(id, Step::Announce(statement), now, |known| {
            let proof = known.statement(id, statement);
            client.announce(&terms(), proof, now, None).ok()
        });
        let Some(announced) = announced else {
            return;
        };
        if !state.heard.contains(&statement) {
            state.heard.push(statement);
            state.heard.sort_unstable();
        }
        let forgets = self.mutant == Some(Mutant::ContradictionForgotten);
        if forgets && client.announced().is_some() {
            return;
        }
        state.client = announced;
    }

    fn cross(&self, state: &mut Waiting, known: &mut Known) {
        let client = known.clients[state.client].clone();
        let ahead = match self.mutant {
            Some(Mutant::DelayIgnored) => DELAY * 1000,
            _ => 0,
        };
        let now = millis(state.time) + ahead;
        let after = known.step(state.client, Step::Cross, now, |_| {
            match client.cross(now, None).ok()? {
                Crossing::Crossed(crossed) => Some(with_keys(*crossed)),
                Crossing::Restarted(again) => Some(*again),
            }
        });
        let Some(after) = after else {
            return;
        };
        if known.clients[after].best_number() != client.best_number() {
            state.crossed_both |= state.heard.len() > 1;
            state.heard.clear();
        }
        state.client = after;
    }

    /// Whether the client's block and set are the chain's.
    fn is_on_chain(&self, state: &Waiting) -> bool {
        let client = self.client(state);
        let (number, hash) = (client.best_number().get(), client.best_hash());
        let block = match number.checked_sub(RESET) {
            _ if number == 0 => return true,
            None => Block::First(number),
            Some(number) => Block::Second(number),
        };
        block.hash() == hash && client.signing() != sets().thieves.set.commitment()
    }

    /// What an honest server shows: the newest proof of the set that the client knows.
    fn newest(state: &Waiting) -> Option<u32> {
        u32::try_from(state.first.len())
            .ok()
            .filter(|number| *number > 0)
    }
}

impl Model for Recovering {
    type State = Waiting;
    type Action = Step;

    fn init_states(&self) -> Vec<Waiting> {
        let start = genesis();
        let began = Trusted::from_genesis(start.block_hash(), start, Mode::Full);
        let began = began.expect("a genesis with a set").with_date(dated(0));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        vec![Waiting {
            time: 0,
            first: vec![],
            reset: None,
            second: 0,
            keys_lost: false,
            fresh: false,
            client: known.number(began),
            heard: vec![],
            crossed_both: false,
        }]
    }

    fn actions(&self, state: &Waiting, steps: &mut Vec<Step>) {
        let client = self.client(state);
        let best = client.best_number().get();
        let blocks = u32::try_from(state.first.len()).unwrap_or(u32::MAX);
        // A chain with its keys proves a block in half a wait, and an honest server shows it in the next.
        let is_shown = Self::newest(state).is_none_or(|newest| best + 1 >= newest);
        let waits = state.time < self.time && (state.keys_lost || state.fresh) && is_shown;
        steps.extend(waits.then_some(Step::Wait));
        let proves = match state.reset {
            Some(_) => state.second < self.blocks,
            None => !state.keys_lost && blocks < self.blocks,
        };
        steps.extend(proves.then_some(Step::Prove));
        let loses = !self.stolen || self.honest;
        steps.extend((loses && !state.keys_lost && blocks > 0).then_some(Step::LoseKeys));
        steps.extend((state.keys_lost && state.reset.is_none()).then_some(Step::Reset));
        steps.extend((1..=blocks).map(|number| Step::Follow(Block::First(number))));
        steps.extend((1..=state.second).map(|number| Step::Follow(Block::Second(number))));
        if state
            .reset
            .is_some_and(|reset| state.time >= reset + BONDED)
        {
            steps.push(Step::Follow(Block::Sold(best + 1)));
        }
        steps.push(Step::Follow(Block::Thieves(1)));
        if self.stolen && best < RESET {
            steps.push(Step::Announce(Statement::False));
        }
        // The owners sign what is true: the newest block that was proven, after the reset.
        if self.honest && state.reset.is_some() && best == blocks {
            steps.push(Step::Announce(Statement::True));
        }
        // RECOVER-8: right before, the servers were asked for a newer proof.
        if Self::newest(state).is_none_or(|newest| best >= newest) {
            steps.push(Step::Cross);
        }
        steps.push(Step::Restart);
    }

    fn next_state(&self, before: &Waiting, step: Step) -> Option<Waiting> {
        let mut state = before.clone();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = &mut *known;
        match step {
            Step::Wait => {
                state.time += 1;
                state.fresh = false;
            }
            Step::Prove if state.reset.is_some() => state.second += 1,
            Step::Prove => {
                state.first.push(state.time);
                state.fresh = true;
            }
            Step::LoseKeys => state.keys_lost = true,
            Step::Reset => state.reset = Some(state.time),
            Step::Follow(block) => self.follow(&mut state, block, known),
            Step::Announce(statement) => self.announce(&mut state, statement, known),
            Step::Cross => self.cross(&mut state, known),
            Step::Restart => {
                let stored = known.clients[state.client].encode();
                let read = Trusted::decode(&stored).expect("a client's own state can be read");
                state.client = known.number(read);
            }
        }
        (state != *before).then_some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut all = vec![Property::always(
            NOT_BOTH,
            |model: &Self, state: &Waiting| model.failed.holds(NOT_BOTH, !state.crossed_both),
        )];
        // Who has both kinds of keys leads a client astray that has not heard the truth.
        if !(self.stolen && self.honest) {
            all.push(Property::always(
                NOT_ASTRAY,
                |model: &Self, state: &Waiting| {
                    model.failed.holds(NOT_ASTRAY, model.is_on_chain(state))
                },
            ));
        }
        if self.honest {
            all.push(Property::sometimes(
                CROSSES,
                |model: &Self, state: &Waiting| model.client(state).best_number().get() > RESET,
            ));
        }
        all
    }
}

/// The property of clients before a reset. (RECOVER-8, LIGHT-9)
pub const NOT_ASTRAY: &str = "no client follows thieves, or the keys of a set whose stake is free";
/// The property of contradictions. (RECOVER-8)
pub const NOT_BOTH: &str = "a client that heard two statements about one block crosses by neither";
/// What happens in some state. (RECOVER-7, RECOVER-8)
pub const CROSSES: &str = "a client crosses, and follows the set of the reset";
