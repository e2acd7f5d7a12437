//! The state that survives a restart, and the two rules that depend on it: no second vote on a block (ROUND-4), and
//! sets without a gap between them (ROUND-5).

use codec::{Decode, DecodeAll, Encode};
use duet_primitives::{
    BlockNumber, Justification, KeysetCommitment, SetId, UncheckedJustification, UncheckedVote,
    VotingRules,
};
use std::{collections::VecDeque, fmt, iter};

mod first;

use first::{FirstEra, FirstState};

/// The layout that this code writes; it reads the [`first`] one, too.
const VERSION: u16 = 2;
const FIRST_VERSION: u16 = 1;
/// How many own votes above the best proven block are remembered one by one.
const MAX_VOTES: usize = 64;

/// The era of a set: the blocks that it signs, from the first one to the last one before its successor's.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Era {
    /// The set.
    pub set: KeysetCommitment,
    /// The first block that it signs; `None` as long as it is only planned.
    pub start: Option<BlockNumber>,
    /// The block that names its successor, once known. (ROUND-2)
    pub mandatory: Option<BlockNumber>,
    /// How it votes; until it starts, as the set before. (ROUND-11)
    pub rules: VotingRules,
}

/// The state that survives a restart: the sets, the proven blocks, the signed votes.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct State {
    /// The set that signs; always activated.
    signing: Era,
    /// The sets that follow it, ids without gaps; only the last may be not activated yet.
    later: VecDeque<Era>,
    /// The eras hold the logs up to this block.
    scanned: BlockNumber,
    /// The highest proof.
    best: Option<UncheckedJustification>,
    /// Nothing at or below this block is signed any more.
    floor: BlockNumber,
    /// Own votes above `floor`, ascending by block, one per block.
    votes: Vec<UncheckedVote>,
}

/// Why a stored state was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// Written by another version.
    Version {
        /// The newest that this code reads.
        expected: u16,
        /// The version found.
        got: u16,
    },
    /// The bytes are not a state.
    Malformed(codec::Error),
    /// The sets do not follow each other.
    Eras,
    /// The own votes are out of order or more than a voter keeps.
    Votes,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version { expected, got } => {
                write!(
                    f,
                    "the voter's state has version {got}, but this node reads version {expected}"
                )
            }
            Self::Malformed(error) => write!(f, "the voter's state does not decode: {error}"),
            Self::Eras => f.write_str("ROUND-5: the sets in the voter's state leave a gap"),
            Self::Votes => f.write_str("ROUND-4: the votes in the voter's state are out of order"),
        }
    }
}

impl std::error::Error for StateError {}

impl From<FirstEra> for Era {
    fn from(era: FirstEra) -> Self {
        Self {
            set: era.set,
            start: era.start,
            mandatory: era.mandatory,
            rules: VotingRules::default(),
        }
    }
}

impl From<FirstState> for State {
    fn from(first: FirstState) -> Self {
        Self {
            signing: first.signing.into(),
            later: first.later.into_iter().map(Era::from).collect(),
            scanned: first.scanned,
            best: first.best,
            floor: first.floor,
            votes: first.votes,
        }
    }
}

/// The effect of a log of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logged {
    /// It is new.
    New,
    /// It was delivered before.
    Known,
    /// It does not follow the logs before it: some were left out.
    Gap,
}

impl State {
    /// The state of a node that knows nothing but the first set, which signs from `start` on, by the rules of chains that
    /// say nothing of rules.
    pub fn new(first: KeysetCommitment, start: BlockNumber) -> Self {
        let floor = start.saturating_previous();
        Self {
            signing: Era {
                set: first,
                start: Some(start),
                mandatory: None,
                rules: VotingRules::default(),
            },
            later: VecDeque::new(),
            scanned: floor,
            best: None,
            floor,
            votes: Vec::new(),
        }
    }

    /// The same, with a first set that votes by these rules. (ROUND-11)
    #[must_use]
    pub fn with_rules(mut self, rules: VotingRules) -> Self {
        self.signing.rules = rules;
        self
    }

    /// The same for a node that does not know its earlier votes: it signs nothing up to this block. (ROUND-4)
    #[must_use]
    pub fn silent_up_to(mut self, block: BlockNumber) -> Self {
        self.raise_floor(block);
        self
    }

    /// The bytes to store: a version, then SCALE.
    pub fn to_bytes(&self) -> Vec<u8> {
        (VERSION, self).encode()
    }

    /// Reads the bytes of [`State::to_bytes`].
    ///
    /// # Errors
    /// [`StateError`]; a node must not start afresh on an error, because it would forget its own votes.
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Self, StateError> {
        let state = match u16::decode(&mut bytes).map_err(StateError::Malformed)? {
            VERSION => Self::decode_all(&mut bytes),
            FIRST_VERSION => FirstState::decode_all(&mut bytes).map(Self::from),
            got => {
                return Err(StateError::Version {
                    expected: VERSION,
                    got,
                })
            }
        }
        .map_err(StateError::Malformed)?;
        state.check_eras()?;
        state.check_votes()?;
        Ok(state)
    }

    fn check_eras(&self) -> Result<(), StateError> {
        let eras: Vec<_> = self.eras().collect();
        let follows = |pair: &[&Era]| match pair {
            [era, next] => {
                Some(next.set.id) == era.set.id.checked_next()
                    && era.start.is_some_and(|start| era.mandatory >= Some(start))
                    && next.start.is_none_or(|start| era.mandatory < Some(start))
            }
            _ => false,
        };
        let last = self.last();
        let open = last.mandatory.is_none();
        let started = self.signing.start.is_some();
        (started && open && eras.windows(2).all(follows))
            .then_some(())
            .ok_or(StateError::Eras)
    }

    fn check_votes(&self) -> Result<(), StateError> {
        let blocks: Vec<_> = self
            .votes
            .iter()
            .map(|vote| vote.commitment.block_number)
            .collect();
        let ascending = blocks.windows(2).all(|pair| pair.first() < pair.last());
        let above = blocks.first().is_none_or(|lowest| *lowest > self.floor);
        (ascending && above && blocks.len() <= MAX_VOTES)
            .then_some(())
            .ok_or(StateError::Votes)
    }

    /// The eras that have not ended, in order; the set of the first one signs. Never empty.
    pub fn eras(&self) -> impl Iterator<Item = &Era> {
        iter::once(&self.signing).chain(&self.later)
    }

    /// The set that signs.
    pub fn signing(&self) -> &Era {
        &self.signing
    }

    /// The set that takes over, once it is planned.
    pub fn next(&self) -> Option<&Era> {
        self.later.front()
    }

    /// The highest proof, as it travels.
    pub fn best(&self) -> Option<&UncheckedJustification> {
        self.best.as_ref()
    }

    /// The highest proven block; before the first proof, the one before the first set's first
    /// block.
    pub fn best_number(&self) -> BlockNumber {
        match (&self.best, self.signing.start) {
            (Some(best), _) => best.commitment.block_number,
            (None, start) => start.unwrap_or(BlockNumber::ZERO).saturating_previous(),
        }
    }

    /// The block up to which GRANDPA finalized and the chain's logs are known.
    pub fn scanned(&self) -> BlockNumber {
        self.scanned
    }

    /// The own votes whose rounds may still be open, ascending by block.
    pub fn votes(&self) -> &[UncheckedVote] {
        &self.votes
    }

    fn last(&self) -> &Era {
        self.later.back().unwrap_or(&self.signing)
    }

    fn last_mut(&mut self) -> &mut Era {
        self.later.back_mut().unwrap_or(&mut self.signing)
    }

    /// Whether the signing set's mandatory block is proven. (ROUND-2)
    pub(crate) fn is_handed_off(&self) -> bool {
        self.signing
            .mandatory
            .is_some_and(|mandatory| mandatory <= self.best_number())
    }

    /// The mandatory block that the signing set has yet to prove. (ROUND-2)
    pub(crate) fn pending(&self) -> Option<BlockNumber> {
        self.signing.mandatory.filter(|_| !self.is_handed_off())
    }

    /// The lowest block that the signing set may still prove. (ROUND-5)
    pub(crate) fn lowest(&self) -> BlockNumber {
        let start = self.signing.start.unwrap_or(BlockNumber::MAX);
        start.max(self.best_number().saturating_next())
    }

    /// The highest block that the signing set may prove, as far as the chain tells: its mandatory
    /// block until that is proven (ROUND-2), then up to its successor's first block.
    pub(crate) fn highest(&self) -> BlockNumber {
        let successor = self.next().and_then(|next| next.start);
        let last = successor.map_or(BlockNumber::MAX, BlockNumber::saturating_previous);
        self.pending().unwrap_or(last)
    }

    /// The next set that a commitment of the signing set to this block must name.
    pub(crate) fn successor_at(&self, block: BlockNumber) -> &KeysetCommitment {
        match (self.signing.mandatory, self.next()) {
            (Some(mandatory), Some(next)) if block >= mandatory => &next.set,
            _ => &self.signing.set,
        }
    }

    /// A set was planned at `block`.
    pub(crate) fn plan(&mut self, block: BlockNumber, set: KeysetCommitment) -> Logged {
        let last = self.last_mut();
        if set.id <= last.set.id {
            return Logged::Known;
        }
        if last.set.id.checked_next() != Some(set.id)
            || last.start.is_none_or(|start| block < start)
        {
            return Logged::Gap;
        }
        last.mandatory = Some(block);
        let rules = last.rules;
        self.later.push_back(Era {
            set,
            start: None,
            mandatory: None,
            rules,
        });
        Logged::New
    }

    /// A planned set was activated at `block`.
    pub(crate) fn activate(&mut self, block: BlockNumber, id: SetId) -> Logged {
        let known = self
            .eras()
            .any(|era| era.set.id >= id && era.start.is_some());
        if known {
            return Logged::Known;
        }
        let planned = self
            .later
            .iter()
            .rev()
            .nth(1)
            .unwrap_or(&self.signing)
            .mandatory;
        let last = self.last_mut();
        if last.set.id != id || planned.is_none_or(|planned| planned >= block) {
            return Logged::Gap;
        }
        last.start = Some(block);
        Logged::New
    }

    /// The set that starts at this block votes by `rules`. (ROUND-11)
    pub(crate) fn rule(&mut self, block: BlockNumber, rules: VotingRules) -> Logged {
        let is_over = self.signing.start >= Some(block);
        let mut eras = iter::once(&mut self.signing).chain(&mut self.later);
        match eras.find(|era| era.start == Some(block)) {
            Some(era) if era.rules == rules => Logged::Known,
            Some(era) => {
                era.rules = rules;
                Logged::New
            }
            None if is_over => Logged::Known,
            None => Logged::Gap,
        }
    }

    /// The sets were reset at `block`: `set` signs from it on, and nothing of the sets before it is waited for any more.
    /// (RESET-4)
    pub(crate) fn reset(&mut self, block: BlockNumber, set: KeysetCommitment) -> Logged {
        if set.id <= self.last().set.id {
            return Logged::Known;
        }
        self.signing = Era {
            set,
            start: Some(block),
            mandatory: None,
            rules: self.signing.rules,
        };
        self.later.clear();
        // No log below counts any more, so those that were not delivered are not missing.
        let before = block.saturating_previous();
        self.scan(before);
        self.raise_floor(before);
        Logged::New
    }

    /// The logs up to `number` were delivered.
    pub(crate) fn scan(&mut self, number: BlockNumber) {
        self.scanned = self.scanned.max(number);
    }

    /// A block of the signing set is proven; votes up to it are no longer needed. (ROUND-7)
    pub(crate) fn conclude(&mut self, proof: &Justification) {
        self.raise_floor(proof.commitment().block_number);
        self.best = Some(proof.as_unchecked().clone());
    }

    /// Goes on to the next set when the handoff is proven and the next set's first block is
    /// finalized. (ROUND-5)
    pub(crate) fn take_over(&mut self) -> bool {
        let reached = self
            .next()
            .and_then(|next| next.start)
            .filter(|start| *start <= self.scanned);
        let (true, Some(start)) = (self.is_handed_off(), reached) else {
            return false;
        };
        let Some(next) = self.later.pop_front() else {
            return false;
        };
        self.signing = next;
        self.raise_floor(start.saturating_previous());
        true
    }

    /// ROUND-4: whether this node may still sign about this block: it certainly has not signed
    /// about it.
    pub(crate) fn may_sign(&self, block: BlockNumber) -> bool {
        block > self.floor && self.vote_at(block).is_none()
    }

    /// The own vote on a block.
    pub(crate) fn vote_at(&self, block: BlockNumber) -> Option<&UncheckedVote> {
        self.votes
            .iter()
            .find(|vote| vote.commitment.block_number == block)
    }

    /// ROUND-4: remembers an own vote, to be persisted before it is sent. When there are too many,
    /// the lowest is forgotten together with the right to vote at or below it.
    pub(crate) fn record(&mut self, vote: UncheckedVote) {
        let block = vote.commitment.block_number;
        let at = self
            .votes
            .partition_point(|vote| vote.commitment.block_number < block);
        self.votes.insert(at, vote);
        let surplus = self.votes.len().saturating_sub(MAX_VOTES);
        if let Some(lowest) = surplus
            .checked_sub(1)
            .and_then(|index| self.votes.get(index))
        {
            self.raise_floor(lowest.commitment.block_number);
        }
    }

    fn raise_floor(&mut self, block: BlockNumber) {
        self.floor = self.floor.max(block);
        let floor = self.floor;
        self.votes
            .retain(|vote| vote.commitment.block_number > floor);
    }
}

#[cfg(test)]
mod tests;
