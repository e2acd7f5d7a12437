//! A client's state as Rust leads it, what of it the contract stores, and the verdict on a call. The differences between
//! both verifiers are those of the README.

use crate::reading::{Call, Said};
use duet_calldata::set_bytes;
use duet_evm_tests::{Verdict, BEGINNING};
use duet_light_client::{Checkpoint, Conflict, Error, Mode, Outcome, Trusted, Verified};
use duet_primitives::{
    check_stateless, suite::MAX_VALIDATORS, BlockNumber, Commitment, KeysetCommitment, H256,
};
use revm::primitives::{keccak256, B256, U256};
use std::collections::BTreeMap;

/// The storage of a client, without the pair that it remembers.
pub(crate) type Slots = [U256; 16];
const BLOCKS: usize = 3;
const REPLACED: usize = 11;
const REPLACED_AT: usize = 15;

/// How many blocks, and how many sets before the signing one, a client remembers.
const KEPT: u32 = 8;
const KEPT_SETS: u64 = 4;

#[derive(Clone)]
pub(crate) struct State {
    pub(crate) trusted: Trusted,
    pub(crate) is_frozen: bool,
    /// The blocks that were proven, the newest last.
    kept: Vec<Commitment>,
    replaced: BTreeMap<u64, KeysetCommitment>,
    /// How many blocks were remembered.
    count: u32,
    slots: Slots,
}

/// A verdict, the rule that Rust names when it refuses, and the storage afterwards.
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    pub(crate) rule: Option<&'static str>,
    pub(crate) slots: Slots,
}

fn word(hash: B256) -> U256 {
    U256::from_be_bytes(hash.0)
}

fn hash_of_set(set: &KeysetCommitment) -> U256 {
    word(keccak256(set_bytes(set)))
}

fn id_of(set: &KeysetCommitment) -> u64 {
    set.id.get()
}

/// What a client says of a block.
fn block(said: &Commitment) -> (BlockNumber, H256, H256) {
    (said.block_number, said.block_hash, said.mmr_root)
}

impl State {
    /// At a checkpoint, after so many other blocks; `slots` are what the contract has.
    pub(crate) fn new(checkpoint: Checkpoint, count: u32, slots: Slots) -> Self {
        let trusted = Trusted::from_checkpoint(checkpoint, Mode::Stateless);
        let mut state = Self {
            trusted: trusted.expect("a checkpoint"),
            is_frozen: false,
            kept: Vec::new(),
            replaced: BTreeMap::new(),
            count,
            slots,
        };
        state.slots[0] = state.packed();
        state.slots[1] = hash_of_set(state.trusted.signing());
        state
    }

    pub(crate) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// `ClientState.State` in its slot.
    fn packed(&self) -> U256 {
        let trusted = &self.trusted;
        let bits = |value: u64, shift: usize| U256::from(value) << shift;
        bits(trusted.best_number().get().into(), 0)
            | bits(id_of(trusted.signing()), 32)
            | bits(trusted.next().is_some().into(), 96)
            | bits(self.is_frozen.into(), 104)
            | bits(trusted.best_proof().is_none().into(), 112)
            | bits(self.count.into(), 120)
            | bits(BEGINNING, 152)
    }

    /// Follows a proof. The block is not remembered when others come in the same call.
    pub(crate) fn take(&mut self, verified: Verified, is_last: bool) {
        let before = self.trusted.signing().clone();
        self.trusted = verified.trusted;
        let id = id_of(&before);
        if id_of(self.trusted.signing()) != id {
            let place = (id % KEPT_SETS) as usize;
            self.slots[REPLACED + place] = hash_of_set(&before);
            let mask = U256::from(u64::MAX) << (64 * place);
            let time = U256::from(BEGINNING) << (64 * place);
            self.slots[REPLACED_AT] = self.slots[REPLACED_AT] & !mask | time;
            self.replaced.insert(id, before);
        }
        self.slots[1] = hash_of_set(self.trusted.signing());
        if let Some(next) = self.trusted.next() {
            self.slots[2] = hash_of_set(next);
        }
        if is_last {
            let said = verified.justification.commitment();
            let number = U256::from(said.block_number.get()).to_be_bytes::<32>();
            let hash = keccak256([number, said.block_hash.0, said.mmr_root.0].concat());
            self.slots[BLOCKS + (self.count % KEPT) as usize] = word(hash);
            self.count += 1;
            self.kept.push(said.clone());
            if self.kept.len() > KEPT as usize {
                self.kept.remove(0);
            }
        }
        self.slots[0] = self.packed();
    }

    /// After two proofs that contradict each other.
    pub(crate) fn freeze(&mut self) {
        self.is_frozen = true;
        self.slots[0] = self.packed();
    }

    /// What a call does to the client.
    pub(crate) fn judge(&self, calldata: &[u8]) -> Judged {
        let mut after = self.clone();
        let done = match Call::read(calldata) {
            _ if self.is_frozen => Err(None),
            None => Err(None),
            Some(Call::Submit(bytes)) => after.submit(bytes),
            Some(Call::Many(list)) => after.many(&list).ok_or(None),
            Some(Call::Report(proofs)) => after.report(proofs).ok_or(None),
        };
        let (verdict, rule) = match done {
            Ok(verdict) => (verdict, None),
            Err(rule) => (Verdict::Refused, rule),
        };
        let slots = match verdict {
            Verdict::Refused => self.slots,
            _ => after.slots,
        };
        Judged {
            verdict,
            rule,
            slots,
        }
    }

    /// The set with this id that may sign, or could.
    fn set(&self, id: u64, with_replaced: bool) -> Option<&KeysetCommitment> {
        let trusted = [Some(self.trusted.signing()), self.trusted.next()];
        let is_kept = id.saturating_add(KEPT_SETS) >= id_of(self.trusted.signing());
        let replaced = self.replaced.get(&id);
        let found = trusted.into_iter().flatten().find(|set| id_of(set) == id);
        found.or(replaced.filter(|_| with_replaced && is_kept))
    }

    /// The set that a proof brings is the trusted one.
    fn brings_its_set(&self, said: &Said<'_>, with_replaced: bool) -> Option<&KeysetCommitment> {
        let set = self.set(said.commitment.validator_set_id.get(), with_replaced)?;
        (set_bytes(set) == said.set).then_some(set)
    }

    fn submit(&mut self, bytes: &[u8]) -> Result<Verdict, Option<&'static str>> {
        let said = Said::read(bytes).ok_or(None)?;
        if self.says_what_is_known(&said) {
            return Ok(Verdict::Known);
        }
        let proof = said.proof().ok_or(None)?;
        let verdict = self.trusted.verify(proof);
        let brings_its_set = self.brings_its_set(&said, false).is_some();
        let has_next = self.trusted.next().is_some();
        let is_of_signing = said.commitment.validator_set_id == self.trusted.signing().id;
        let is_named = !said.commitment.is_handoff() || said.is_successor_a_point();
        let (verdict, is_good) = match verdict {
            Ok(Outcome::New(verified)) => {
                self.take(*verified, true);
                (Verdict::New, is_named)
            }
            Ok(Outcome::Known) => (Verdict::Known, is_named || !(has_next && is_of_signing)),
            Err(Error::Misbehaviour(_) | Error::CheckpointContradicted { .. }) => {
                let is_good = is_named || self.is_another_block(&said.commitment);
                self.freeze();
                (Verdict::Frozen, is_good)
            }
            Err(error) => return Err(Some(error.rule())),
        };
        (is_good && brings_its_set).then_some(verdict).ok_or(None)
    }

    /// What the contract does not verify, because nothing changes.
    fn says_what_is_known(&self, said: &Said<'_>) -> bool {
        let commitment = &said.commitment;
        if commitment.block_number != self.trusted.best_number() {
            let is_older = commitment.block_number < self.trusted.best_number();
            return is_older && self.kept.iter().any(|it| block(it) == block(commitment));
        }
        let Some(best) = self.trusted.best_proof() else {
            return false;
        };
        let is_same = best.commitment == *commitment && self.brings_its_set(said, false).is_some();
        is_same && (!commitment.is_handoff() || said.successor == set_bytes(&commitment.next))
    }

    /// The newest block's number with something else in its place: a contradiction whatever y of the successor is.
    fn is_another_block(&self, commitment: &Commitment) -> bool {
        let is_other = match self.trusted.best_proof() {
            None => commitment.block_hash != self.trusted.best_hash(),
            Some(best) => {
                block(&best.commitment) != block(commitment)
                    || best.commitment.validator_set_id != commitment.validator_set_id
                    || best.commitment.is_handoff() != commitment.is_handoff()
            }
        };
        is_other && commitment.block_number == self.trusted.best_number()
    }

    /// One after the other, all or nothing. (JUST-10)
    fn many(&mut self, list: &[&[u8]]) -> Option<Verdict> {
        for (i, bytes) in list.iter().enumerate() {
            let said = Said::read(bytes)?;
            self.brings_its_set(&said, false)?;
            let signing = self.trusted.signing().id;
            let is_next = i == 0 || said.commitment.validator_set_id != signing;
            let is_handoff = said.commitment.is_handoff() && said.is_successor_a_point();
            match self.trusted.verify(said.proof()?) {
                Ok(Outcome::New(verified)) if is_next && is_handoff => {
                    self.take(*verified, i + 1 == list.len());
                }
                _ => return None,
            }
        }
        (!list.is_empty()).then_some(Verdict::New)
    }

    fn report(&mut self, proofs: [&[u8]; 2]) -> Option<Verdict> {
        let [first, second] = proofs.map(|bytes| self.checked(bytes));
        Conflict::between(&first?, &second?)?;
        self.freeze();
        Some(Verdict::Frozen)
    }

    /// A valid proof of any block, with a successor that can be one.
    fn checked(&self, bytes: &[u8]) -> Option<Commitment> {
        let said = Said::read(bytes)?;
        let set = self.brings_its_set(&said, true)?;
        check_stateless(said.proof()?, set, self.trusted.genesis_hash()).ok()?;
        let next = &said.commitment.next;
        let follows = set.id.checked_next() == Some(next.id);
        let is_good = next == set || follows && (1..=MAX_VALIDATORS).contains(&next.len);
        is_good.then_some(said.commitment)
    }
}
