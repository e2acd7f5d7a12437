//! An honest validator: the real voter, the real signer with its record of votes, and a host that carries out effects.
//!
//! Time stands still and every interval is zero: what the voter would do later, it does with the next event, and the
//! order of events says what was late. Counters are the only part of a voter that no decision reads.

use crate::{
    chain::Chain,
    keys::{keys_of, KeyNumber, Mask, VALIDATORS},
    mutant::Mutant,
    world::{public_key, secret_key, StatementId, World},
};
use duet_keystore::{KeyStore, Signer, VoteExport};
use duet_primitives::{BlockNumber, ConsensusLog, Pk1Bytes, RoundMessage, SignerIndex};
use duet_voter::{Config, Effect, Event, State, Voter};
use std::{
    collections::{hash_map::DefaultHasher, BTreeMap},
    fmt::{self, Write},
    hash::{Hash, Hasher},
};

/// Something that happens to one validator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeEvent {
    /// Its GRANDPA finalizes the newest block of this chain.
    Finalize(Chain),
    /// Its signer answers.
    Sign,
    /// Its signer records the vote, and the node crashes before it stores or sends it.
    SignAndCrash,
    /// Votes of these keys arrive.
    Votes(StatementId, Mask),
    /// A proof by these keys arrives, by gossip or as an answer.
    Proof(StatementId, Mask),
    /// It restarts with what the voter stored.
    Crash,
    /// It restarts without its database, which was not flushed. The record of votes was.
    PowerCut,
    /// It restarts without database and record, when the chain has this height.
    LoseAll(u32),
    /// Its operator restores the database from the backup. The record stays.
    Restore,
    /// Its operator acknowledges the proofs that contradict its chain. (ROUND-10)
    Acknowledge,
}

/// A validator with everything that it stores.
#[derive(Clone)]
pub struct Node {
    validator: u8,
    voter: Voter,
    /// The chain that its GRANDPA finalized.
    chain: Chain,
    /// The voter's stored state.
    stored: Vec<u8>,
    /// The height of the backup for a restore, and what it has.
    backup: Option<(u32, Vec<u8>)>,
    /// The signer's record, in the form in which it moves between machines.
    record: Option<VoteExport>,
    /// The record on disk; it differs only where a rule is broken.
    flushed: Option<VoteExport>,
    /// What the voter asked the signer for.
    asked: BTreeMap<BlockNumber, (RoundMessage, SignerIndex, Pk1Bytes)>,
    /// Whether a proof contradicted its chain. (ROUND-10)
    diverged: bool,
}

/// The votes that a validator sends.
pub type Sent = Vec<(StatementId, KeyNumber)>;

impl Node {
    /// A validator that knows the genesis.
    ///
    /// Its operator keeps a backup of the database from when its chain had that height.
    pub fn new(validator: u8, backup: Option<u32>, world: &mut World) -> Self {
        let state = first_state(world);
        let stored = state.to_bytes();
        let mut node = Self {
            validator,
            voter: Voter::new(config(), state, keys(validator)),
            chain: Chain::default(),
            backup: backup.map(|height| (height, stored.clone())),
            stored,
            record: None,
            flushed: None,
            asked: BTreeMap::new(),
            diverged: false,
        };
        node.pump(vec![Event::Tick], world);
        node
    }

    /// The chain that its GRANDPA finalized.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The height of the chain that it finalized.
    pub fn height(&self) -> u32 {
        self.voter.scanned().get()
    }

    /// Whether its signer is asked for something.
    pub fn wants_to_sign(&self) -> bool {
        !self.asked.is_empty()
    }

    /// The height that it proved.
    pub fn proven(&self) -> u32 {
        self.voter.state().best_number().get()
    }

    /// The set that it takes for the signing one.
    pub fn set_id(&self) -> u64 {
        self.voter.set_id().get()
    }

    /// Whether a proof contradicted its chain.
    pub fn diverged(&self) -> bool {
        self.diverged
    }

    /// The validator after an event, and the votes that it sent.
    pub fn after(
        &self,
        event: &NodeEvent,
        mutant: Option<Mutant>,
        world: &mut World,
    ) -> (Self, Sent) {
        let mut node = self.clone();
        let sent = node.apply(event, mutant, world);
        let (height, stored) = (node.height(), node.stored.clone());
        if let Some((_, kept)) = node.backup.as_mut().filter(|(at, _)| height <= *at) {
            *kept = stored;
        }
        (node, sent)
    }

    fn apply(&mut self, event: &NodeEvent, mutant: Option<Mutant>, world: &mut World) -> Sent {
        match event {
            NodeEvent::Finalize(chain) => self.finalize(chain, world),
            NodeEvent::Sign => self.sign(false, mutant, world),
            NodeEvent::SignAndCrash => self.sign(true, mutant, world),
            NodeEvent::Votes(id, signers) => {
                let votes = keys_of(*signers).filter_map(|key| world.vote(*id, key));
                let votes = Event::Votes(votes.collect());
                self.pump(vec![votes], world)
            }
            NodeEvent::Proof(id, signers) => self.hear_proof(*id, *signers, world),
            NodeEvent::Acknowledge => {
                self.diverged = false;
                self.pump(vec![Event::Halted(false)], world)
            }
            NodeEvent::Crash => {
                self.record.clone_from(&self.flushed);
                self.restart(self.stored.clone(), world)
            }
            NodeEvent::PowerCut => {
                self.record.clone_from(&self.flushed);
                self.restart(first_state(world).to_bytes(), world)
            }
            NodeEvent::LoseAll(height) => {
                (self.record, self.flushed) = (None, None);
                let state = match mutant {
                    Some(Mutant::FloorSkipped) => first_state(world),
                    _ => first_state(world).silent_up_to(BlockNumber::new(*height)),
                };
                self.restart(state.to_bytes(), world)
            }
            NodeEvent::Restore => {
                if matches!(mutant, Some(Mutant::RecordRestored)) {
                    (self.record, self.flushed) = (None, None);
                }
                self.record.clone_from(&self.flushed);
                let backup = self.backup.clone();
                let (_, kept) = backup.expect("only bounds with a backup have restores");
                self.restart(kept, world)
            }
        }
    }

    fn finalize(&mut self, chain: &Chain, world: &mut World) -> Sent {
        self.chain = chain.clone();
        let block = world.block(chain);
        let number = BlockNumber::new(chain.height());
        let logs = block.logs.iter().cloned().filter_map(|log| {
            Some(match log {
                ConsensusLog::Planned(set) => Event::Planned { block: number, set },
                ConsensusLog::Activated(id) => Event::Activated { block: number, id },
                ConsensusLog::Reset { set, .. } => Event::Reset { block: number, set },
                _ => return None,
            })
        });
        let events = logs.chain([Event::Finalized { number }]).collect();
        self.pump(events, world)
    }

    /// The signer records a vote and gives it out. (ROUND-4)
    fn sign(&mut self, crashes: bool, mutant: Option<Mutant>, world: &mut World) -> Sent {
        let Some((_, (message, signer, key))) = self.asked.pop_first() else {
            return vec![];
        };
        let store = KeyStore::in_memory();
        for number in key_numbers(self.validator) {
            store.insert_ephemeral(secret_key(number));
        }
        let before = self.record.take();
        if let Some(record) = &before {
            store
                .records()
                .import(record)
                .expect("a record in memory can be merged");
        }
        let signed = store.sign_vote(&key, signer, &message);
        self.record = store.records().export(world.genesis).ok();
        self.flushed = match mutant {
            Some(Mutant::VoteBeforeRecord) => self.flushed.take(),
            _ => self.record.clone(),
        };
        if crashes {
            self.record.clone_from(&self.flushed);
            return self.restart(self.stored.clone(), world);
        }
        let Some(id) = world.statement_of(message.commitment()) else {
            return vec![];
        };
        // A refused vote is no event: the voter asks again at its leisure, and is refused again.
        let own = signed.ok().and_then(|signed| {
            let votes = key_numbers(self.validator).map(|key| world.vote(id, key));
            votes
                .into_iter()
                .flatten()
                .find(|vote| vote.to_unchecked() == signed)
        });
        own.map_or_else(Vec::new, |vote| self.pump(vec![Event::Signed(vote)], world))
    }

    /// ROUND-10: the host compares the block with its own.
    fn hear_proof(&mut self, id: StatementId, signers: Mask, world: &mut World) -> Sent {
        let Some(proof) = world.proof(id, signers) else {
            return vec![];
        };
        let commitment = proof.commitment();
        let own = world.block(&self.chain.up_to(commitment.block_number.get()));
        if own.hash != commitment.block_hash {
            self.diverged = true;
            return self.pump(vec![Event::Halted(true)], world);
        }
        self.pump(vec![Event::Justification(proof)], world)
    }

    fn restart(&mut self, stored: Vec<u8>, world: &mut World) -> Sent {
        let state = State::from_bytes(&stored).expect("a state that the voter wrote");
        self.chain = self.chain.up_to(state.scanned().get());
        self.voter = Voter::new(config(), state, keys(self.validator));
        self.stored = stored;
        self.asked.clear();
        let mut events = vec![Event::Tick];
        if self.diverged {
            events.insert(0, Event::Halted(true));
        }
        self.pump(events, world)
    }

    /// Sends events, and answers each effect that can be answered at once.
    fn pump(&mut self, mut events: Vec<Event>, world: &mut World) -> Sent {
        let mut sent = vec![];
        events.reverse();
        while let Some(event) = events.pop() {
            let mut answers = vec![];
            for effect in self.voter.handle(event, 0) {
                match effect {
                    Effect::LoadSet(commitment) => {
                        let set = world.set_with(&commitment);
                        answers.extend(set.map(|set| Event::Set(set.for_a_node())));
                    }
                    Effect::Prepare { number } => answers.extend(self.prepare(number, world)),
                    Effect::Aggregate(votes) => {
                        let sum = votes.run();
                        let own = world.block(&self.chain.up_to(sum.block().get()));
                        answers.push(Event::Aggregated(Box::new(sum.with_finalized(own.hash))));
                    }
                    Effect::Sign {
                        message,
                        signer,
                        key,
                    } => {
                        let block = message.commitment().block_number;
                        self.asked.insert(block, (message, signer, key));
                    }
                    Effect::Persist => self.stored = self.voter.state().to_bytes(),
                    Effect::PublishVote(vote) => sent.extend(world.signer_of(&vote)),
                    Effect::Diverged(_) => self.diverged = true,
                    Effect::Conclude { .. }
                    | Effect::Grow { .. }
                    | Effect::PublishJustification(_)
                    | Effect::Report(_)
                    | Effect::Request { .. }
                    | Effect::WakeAt(_) => {}
                }
            }
            answers.reverse();
            events.extend(answers);
        }
        sent
    }

    /// ROUND-1: what this node's own chain says about a block.
    fn prepare(&self, number: BlockNumber, world: &mut World) -> Option<Event> {
        if number.get() > self.chain.height() {
            return None;
        }
        let block = world.block(&self.chain.up_to(number.get()));
        let statement = world.statement(block.statement?);
        Some(Event::Prepared(statement.message.clone()))
    }

    /// A number that two nodes share only if they are equal.
    pub fn fingerprint(&self) -> u128 {
        let mut text = Text::default();
        let record = self.record.as_ref().map(VoteExport::to_text);
        let flushed = self.flushed.as_ref().map(VoteExport::to_text);
        let asked: Vec<_> = self
            .asked
            .values()
            .map(|(message, ..)| message.hash())
            .collect();
        write!(text, "{:?} {asked:?} {record:?} {flushed:?}", self.voter)
            .expect("the writer takes everything");
        text.flush();
        let rest = (
            &self.chain,
            &self.stored,
            &self.backup,
            self.validator,
            self.diverged,
        );
        let Text {
            mut one, mut other, ..
        } = text;
        rest.hash(&mut one);
        rest.hash(&mut other);
        u128::from(one.finish()) << 64 | u128::from(other.finish())
    }
}

/// Zero intervals: see the module's documentation.
fn config() -> Config {
    Config {
        publish_step: 0,
        grace: 0,
        grow_step: 0,
        rebroadcast: u64::MAX,
        retry: 0,
        ..Config::default()
    }
}

/// The state of a node that begins at the genesis.
fn first_state(world: &mut World) -> State {
    let genesis = world.block(&Chain::default());
    let set = world.set(&genesis.pallet.current);
    State::new(set.set.commitment().clone(), BlockNumber::new(1))
}

fn key_numbers(validator: u8) -> [KeyNumber; 2] {
    [validator, validator + VALIDATORS]
}

fn keys(validator: u8) -> Vec<Pk1Bytes> {
    key_numbers(validator).map(public_key).to_vec()
}

/// Hashes a text without what tells equal voters apart: their counters, tables that speed up later checks, and sets,
/// which have such tables and whose commitments are elsewhere in the text.
#[derive(Default)]
struct Text {
    one: DefaultHasher,
    other: DefaultHasher,
    /// How many brackets are open in what is left out.
    depth: u32,
    /// The end of the text, which is not hashed yet.
    tail: String,
}

const LEFT_OUT: [&str; 3] = ["tables: Tables(", "Counters {", "DualKeyset {"];
/// Longer than each of them.
const KEPT: usize = 16;

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Most pieces open and close nothing.
        for piece in text.split_inclusive(['(', '{', '[', ')', '}', ']']) {
            let end = piece.chars().next_back();
            if self.depth > 0 {
                match end {
                    Some('(' | '{' | '[') => self.depth += 1,
                    Some(')' | '}' | ']') => self.depth -= 1,
                    _ => {}
                }
                continue;
            }
            self.tail.push_str(piece);
            let opens = matches!(end, Some('(' | '{'));
            if opens && LEFT_OUT.iter().any(|left| self.tail.ends_with(left)) {
                self.depth = 1;
            }
            if self.tail.len() > 256 * KEPT && self.tail.is_ascii() {
                let kept = self.tail.split_off(self.tail.len() - KEPT);
                self.flush();
                self.tail = kept;
            }
        }
        Ok(())
    }
}

impl Text {
    fn flush(&mut self) {
        self.one.write(self.tail.as_bytes());
        self.other.write_u8(1);
        self.other.write(self.tail.as_bytes());
        self.tail.clear();
    }
}
