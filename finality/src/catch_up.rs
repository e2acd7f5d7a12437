//! Follows the finalized chain: the voter's beginning, and the logs of newly final blocks.

use crate::{
    bootstrap::{Beginning, Search},
    chain::{error::ChainError, Chain},
    error::Error,
    reading::try_again,
    store::{Reset, Store},
    voting::Voting,
};
use duet_gossip::{clock::Clock, Network, LOG_TARGET};
use duet_primitives::{BlockNumber, ConsensusLog, VotingRules, H256};
use duet_voter::{Event, Millis, State};
use std::{fmt, sync::Arc};

/// The most blocks scanned before the voter is informed and other work gets its turn,
const SCAN_BATCH: u32 = 256;
/// and the time after which other work gets its turn anyway.
const SCAN_TIME: Millis = 2;

/// The result of [`Follower::follow`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// A voter was started, or replaced.
    pub(crate) started: bool,
    /// The voter was informed of further final blocks.
    pub(crate) scanned: bool,
    /// There are more to inform it of.
    pub(crate) behind: bool,
}

/// Follows the finalized chain.
pub(crate) struct Follower {
    chain: Arc<Chain>,
    store: Store,
    network: Arc<dyn Network>,
    clock: Arc<dyn Clock>,
    search: Search,
    /// Up to where a reset was looked for ahead of the logs that the voter has room for.
    sought: BlockNumber,
}

impl Follower {
    pub(crate) fn new(
        chain: Arc<Chain>,
        store: Store,
        network: Arc<dyn Network>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            chain,
            store,
            network,
            clock,
            search: Search::default(),
            sought: BlockNumber::ZERO,
        }
    }

    /// Starts the voter when the chain has a set, and delivers the logs of newly final blocks.
    pub(crate) fn follow(&mut self, voting: &mut Voting) -> Result<Progress, Error> {
        let mut progress = Progress::default();
        if voting.state().is_none() {
            let Some(state) = self.first_state()? else {
                return Ok(progress);
            };
            log::info!(
                target: LOG_TARGET,
                "Duet follows the chain from block {}, the last proven block is {}",
                state.scanned(),
                state.best_number(),
            );
            tell_of_unknown(state.signing().rules, "the signing set votes");
            voting.start(state)?;
            progress.started = true;
        }
        let from = voting.state().map_or(BlockNumber::ZERO, State::scanned);
        let mut scanned = from;
        let (finalized, _) = self.chain.finalized();
        let to = finalized.min(from.saturating_add(SCAN_BATCH));
        let stop_at = self.clock.now().saturating_add(SCAN_TIME);
        for number in (from.saturating_next().get()..=to.get()).map(BlockNumber::new) {
            if !voting.accepts_set_changes() {
                progress.behind |= self.look_for_reset(scanned, finalized, stop_at, voting)?;
                break;
            }
            if self.clock.now() >= stop_at {
                progress.behind = true;
                break;
            }
            match self.deliver_logs(number, voting) {
                Ok(()) => scanned = number,
                Err(DeliverError::Stop(error)) => return Err(error),
                Err(DeliverError::Unreadable(error)) => {
                    progress.started |= self.begin_anew(number, &error, voting)?;
                    return Ok(progress);
                }
            }
        }
        if scanned > from {
            voting.handle(Event::Finalized { number: scanned })?;
            progress.scanned = true;
            progress.behind |= scanned == to && to < finalized;
        }
        Ok(progress)
    }

    /// Looks for a reset above the voter's room: of all waiting logs, only a reset can help. Returns whether there is
    /// more to do. (RESET-4)
    fn look_for_reset(
        &mut self,
        above: BlockNumber,
        finalized: BlockNumber,
        stop_at: Millis,
        voting: &mut Voting,
    ) -> Result<bool, Error> {
        let from = self.sought.max(above).saturating_next();
        for number in (from.get()..=finalized.get()).map(BlockNumber::new) {
            if self.clock.now() >= stop_at {
                return Ok(true);
            }
            match self.read_reset(number) {
                // Its block is read again with its other logs, because the voter has scanned only its ancestors.
                Ok(Some(reset)) => {
                    voting.handle(reset)?;
                    return Ok(true);
                }
                Ok(None) => self.sought = number,
                Err(ChainError::Store(error)) => return Err(error.into()),
                Err(error) => {
                    try_again("a final block cannot be read", &error);
                    return Ok(false);
                }
            }
        }
        Ok(false)
    }

    /// The reset in a final block, if it has one.
    fn read_reset(&self, number: BlockNumber) -> Result<Option<Event>, ChainError> {
        let logs = self.chain.logs(number)?;
        if !logs
            .iter()
            .any(|log| matches!(log, ConsensusLog::Reset { .. }))
        {
            return Ok(None);
        }
        let (_, events) = self.read_logs(number)?;
        Ok(events.into_iter().next())
    }

    /// Loads the stored state, or begins where the chain allows a new node to begin. `None` until it does.
    fn first_state(&mut self) -> Result<Option<State>, Error> {
        if let Some(bytes) = self.store.voter_state()? {
            return Ok(Some(State::from_bytes(&bytes)?));
        }
        let found = match self.store.floor()? {
            None => self.search.beginning(&self.chain),
            // The genesis is too long ago.
            Some(_) => self.search.beginning_above(&self.chain, BlockNumber::ZERO),
        };
        match found {
            Ok(Some(beginning)) => self.state_at(&beginning).map(Some),
            Ok(None) => Ok(None),
            Err(error) => {
                try_again("the chain's first set cannot be read", &error);
                Ok(None)
            }
        }
    }

    /// Stores the set of a beginning, and makes the initial state. After the record of this node's votes was lost it is
    /// silent up to the block of the repair, however late it begins. (ROUND-4)
    fn state_at(&self, beginning: &Beginning) -> Result<State, Error> {
        let set = &beginning.sets.current;
        if let Err(error) = self.chain.keep_keys(set, beginning.hash) {
            log::warn!(target: LOG_TARGET, "the keys of set {} cannot be read: {error}", set.id);
        }
        self.store.put_set(set)?;
        let floor = self.store.floor()?.unwrap_or(BlockNumber::ZERO);
        Ok(beginning.state().silent_up_to(floor))
    }

    /// Delivers the logs of a final block.
    fn deliver_logs(&self, number: BlockNumber, voting: &mut Voting) -> Result<(), DeliverError> {
        let (hash, events) = self.read_logs(number)?;
        for event in events {
            voting.handle(event)?;
        }
        voting.keep_payload(number, hash);
        Ok(())
    }

    /// Reads the logs of a final block, and stores the keys of the sets that they plan.
    fn read_logs(&self, number: BlockNumber) -> Result<(H256, Vec<Event>), ChainError> {
        let hash = self.chain.hash(number)?;
        let mut events = Vec::new();
        for log in self.chain.logs(number)? {
            events.push(match log {
                ConsensusLog::Activated(id) => Event::Activated { block: number, id },
                ConsensusLog::Planned(commitment) => {
                    self.chain.keep_keys(&commitment, hash)?;
                    self.store.put_set(&commitment)?;
                    Event::Planned {
                        block: number,
                        set: commitment,
                    }
                }
                ConsensusLog::Reset { ended, set } => {
                    log::warn!(
                        target: LOG_TARGET,
                        "RESET-1: block {number} ends set {ended} without a handoff, and set {} signs from that block \
                         on; light clients need a later checkpoint",
                        set.id,
                    );
                    self.chain.keep_keys(&set, hash)?;
                    self.store.put_set(&set)?;
                    self.store.put_reset(&Reset {
                        block: number,
                        hash,
                        ended,
                        set: set.clone(),
                    })?;
                    Event::Reset { block: number, set }
                }
                ConsensusLog::Rules(rules) => {
                    tell_of_unknown(rules, format_args!("sets vote from block {number} on"));
                    Event::Rules {
                        block: number,
                        rules,
                    }
                }
                // They change no set.
                ConsensusLog::Payload(_) | ConsensusLog::Pardoned(_) => continue,
            });
        }
        Ok((hash, events))
    }

    /// A final block or the keys that it plans are missing: the node did not download or execute it. The voter
    /// restarts above it, without the proofs in between. Its earlier votes are below, so it signs nothing twice.
    /// Returns whether it restarted.
    fn begin_anew(
        &mut self,
        unreadable: BlockNumber,
        error: &ChainError,
        voting: &mut Voting,
    ) -> Result<bool, Error> {
        let scanned = voting.state().map_or(BlockNumber::ZERO, State::scanned);
        if self.network.is_syncing() {
            try_again("a final block cannot be read", error);
            return Ok(false);
        }
        match self.search.beginning_above(&self.chain, scanned) {
            Ok(Some(beginning)) if beginning.start > unreadable => {
                log::warn!(
                    target: LOG_TARGET,
                    "block {unreadable} cannot be read ({error}); continuing from block {}",
                    beginning.start,
                );
                let state = self.state_at(&beginning)?;
                voting.persist(&state);
                voting.start(state)?;
                Ok(true)
            }
            Ok(_) => {
                try_again("a final block cannot be read", error);
                Ok(false)
            }
            Err(error) => {
                try_again("no block to continue from", &error);
                Ok(false)
            }
        }
    }
}

/// ROUND-11: a validator that does not support the rules does not vote, so its operator has to upgrade it.
fn tell_of_unknown(rules: VotingRules, who: impl fmt::Display) {
    if !rules.are_known() {
        log::error!(
            target: LOG_TARGET,
            "ROUND-11: {who} by rules of version {}, but this node knows versions up to {}: it follows the chain \
             and does not vote; upgrade the node",
            rules.version,
            VotingRules::VERSION,
        );
    }
}

/// Why the logs of a block were not delivered.
enum DeliverError {
    /// The worker cannot go on.
    Stop(Error),
    /// The block is unreadable.
    Unreadable(ChainError),
}

impl From<Error> for DeliverError {
    fn from(error: Error) -> Self {
        Self::Stop(error)
    }
}

impl From<ChainError> for DeliverError {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Store(error) => Self::Stop(error.into()),
            error => Self::Unreadable(error),
        }
    }
}
