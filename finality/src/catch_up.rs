//! What the worker looks after by itself: where to begin, blocks that became final and their logs, keys, the
//! state of the sync.

use super::{
    bootstrap::Beginning,
    chain::{AccountId, ChainError},
    history::Genesis,
    links::AwaitedPast,
    worker::{stored_state, try_again, Worker},
    DuetClient, Error,
};
use crate::LOG_TARGET;
use duet_primitives::{BlockNumber, ConsensusLog, DualKeyset, DuetApi, SetId, H256};
use duet_voter::{Event, Millis, State, Voter};
use sc_client_api::Backend as BackendT;
use sc_network::NetworkRequest;
use sc_network_gossip::{Network as GossipNetwork, Syncing as GossipSyncing};
use sp_consensus::SyncOracle;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::sync::Arc;

/// Blocks that are scanned before the voter is told and other work gets its turn.
const SCAN_BATCH: BlockNumber = 1024;
/// How often the signer is asked for its keys.
const KEYS_INTERVAL: Millis = 3_000;
/// Blocks further than this above the last proven one get their payload kept: when they are voted on, their
/// state may be pruned. A target is never less than half-way between the last proven block and the finalized
/// one, and state is kept for 256 blocks.
const KEEP_ABOVE: BlockNumber = 64;

impl<Block, Backend, Client, Network, Syncing> Worker<Block, Backend, Client, Network, Syncing>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<BlockNumber> + From<BlockNumber>,
    Backend: BackendT<Block> + 'static,
    Client: DuetClient<Block>,
    Client::Api: DuetApi<Block, AccountId>,
    Network: GossipNetwork<Block> + NetworkRequest + Clone + Send + Sync + 'static,
    Syncing: GossipSyncing<Block> + SyncOracle + Clone + Send + Sync + 'static,
{
    /// Makes the proof that light clients start from while the genesis state is there: at the first start.
    pub(super) fn keep_genesis_proof(&mut self) -> Result<(), Error> {
        if self.store.genesis_proof()?.is_some() {
            self.history.set_genesis(Genesis::Proven);
            return Ok(());
        }
        match self.chain.prove_genesis() {
            Ok(Some(proof)) => {
                self.store.put_genesis_proof(&proof)?;
                self.history.set_genesis(Genesis::Proven);
            }
            Ok(None) => {
                log::debug!(target: LOG_TARGET, "the chain did not start with Duet");
                self.history.set_genesis(Genesis::WithoutDuet);
            }
            Err(error) => {
                // A client that starts by warp sync never writes it.
                log::info!(
                    target: LOG_TARGET,
                    "the state of the genesis is not here ({error}): peers will be asked for the proof of the first set",
                );
                *self.awaited.lock() = Some(AwaitedPast::EVERYTHING);
            }
        }
        Ok(())
    }

    /// What no notification tells of. Cheap when nothing has changed.
    pub(super) fn housekeeping(&mut self) -> Result<(), Error> {
        let syncing = self.sync.is_major_syncing();
        if syncing != self.syncing {
            self.syncing = syncing;
            self.handle(Event::Syncing(syncing))?;
        }
        self.follow_keys()?;
        self.follow_finality()?;
        self.follow_history()
    }

    /// Tells the voter of keys that were added to the signer or taken from it.
    fn follow_keys(&mut self) -> Result<(), Error> {
        let now = self.now();
        if !self.is_authority || now < self.ask_keys_at {
            return Ok(());
        }
        self.ask_keys_at = now.saturating_add(KEYS_INTERVAL);
        let keys = match self.signer.keys() {
            Ok(keys) => keys.iter().map(|key| key.pk1()).collect::<Vec<_>>(),
            Err(error) => {
                log::error!(target: LOG_TARGET, "the signer does not list its keys: {error}");
                return Ok(());
            }
        };
        if keys == self.own_keys {
            return Ok(());
        }
        self.own_keys.clone_from(&keys);
        self.told_of = None;
        self.handle(Event::OwnKeys(keys))
    }

    /// Begins when the chain has a set, and delivers the logs of blocks that have become final.
    pub(super) fn follow_finality(&mut self) -> Result<(), Error> {
        if self.voter.is_none() {
            self.begin()?;
        }
        let Some(voter) = &self.voter else {
            return Ok(());
        };
        let (finalized, _) = self.chain.finalized();
        let from = voter.state().scanned();
        if finalized <= from {
            return Ok(());
        }
        let to = finalized.min(from.saturating_add(SCAN_BATCH));
        let mut scanned = from;
        for number in from.saturating_add(1)..=to {
            if !self.voter.as_ref().is_some_and(Voter::accepts_spans) {
                break;
            }
            let (hash, events) = match self.read_logs(number) {
                Ok(read) => read,
                Err(ChainError::Store(error)) => return Err(error.into()),
                Err(error) => return self.begin_anew(from, number, &error),
            };
            for event in events {
                self.handle(event)?;
            }
            self.keep_payload(number, hash);
            scanned = number;
        }
        if scanned == from {
            return Ok(());
        }
        self.handle(Event::Finalized { number: scanned })?;
        self.deliver_imported(scanned)
    }

    /// Reads the logs of a final block, with the sets that they plan.
    fn read_logs(&mut self, number: BlockNumber) -> Result<(H256, Vec<Event>), ChainError> {
        let hash = self.chain.hash(number)?;
        let mut events = Vec::new();
        for log in self.chain.logs(number)? {
            events.push(match log {
                ConsensusLog::Activated(id) => Event::Activated { block: number, id },
                ConsensusLog::Planned(commitment) => {
                    let set = self.chain.set(&commitment, hash)?;
                    self.store.put_set(&commitment)?;
                    Event::Planned { block: number, set }
                }
            });
        }
        Ok((hash, events))
    }

    /// Keeps what is signed about a block that may be voted on only when its state is gone.
    fn keep_payload(&mut self, number: BlockNumber, hash: H256) {
        let best = self
            .voter
            .as_ref()
            .map_or(0, |voter| voter.state().best_number());
        if self.syncing || number.saturating_sub(best) <= KEEP_ABOVE {
            return;
        }
        match self.chain.keep_payload(hash) {
            Ok(()) => {
                self.kept.insert(number, hash);
            }
            Err(error) => try_again("what is signed about a block cannot be kept", &error),
        }
    }

    /// Takes up what is stored, or begins where the chain lets a new node begin.
    fn begin(&mut self) -> Result<(), Error> {
        let state = match stored_state(&self.store)? {
            Some(state) => state,
            None => match self.chain.beginning() {
                Ok(Some(beginning)) => self.take(&beginning)?,
                Ok(None) => return Ok(()),
                Err(error) => {
                    try_again("the chain's first set cannot be read", &error);
                    return Ok(());
                }
            },
        };
        log::info!(
            target: LOG_TARGET,
            "Duet follows the chain from block {}, the last proven block is {}",
            state.scanned(),
            state.best_number(),
        );
        self.voter = Some(Voter::new(
            self.config.clone(),
            state,
            self.own_keys.clone(),
        ));
        self.begun()
    }

    /// A new voter is told what the worker knows.
    fn begun(&mut self) -> Result<(), Error> {
        self.told_of = None;
        self.history.begun();
        self.handle(Event::Syncing(self.syncing))?;
        self.handle(Event::Tick)
    }

    /// Stores the set of a beginning, and makes the state to begin with.
    fn take(&mut self, beginning: &Beginning) -> Result<State, Error> {
        let set = &beginning.sets.current;
        if let Err(error) = self.chain.set(set, beginning.hash) {
            log::warn!(target: LOG_TARGET, "the keys of set {} cannot be read: {error}", set.id);
        }
        self.store.put_set(set)?;
        Ok(beginning.state())
    }

    /// A final block or the keys that it plans are not here: the node did not download or execute it. It begins
    /// anew above, without the proofs in between; what it signed before is below, so that it signs nothing twice.
    fn begin_anew(
        &mut self,
        scanned: BlockNumber,
        number: BlockNumber,
        error: &ChainError,
    ) -> Result<(), Error> {
        if self.sync.is_major_syncing() {
            try_again("a final block cannot be read", error);
            return Ok(());
        }
        match self.chain.beginning_above(scanned) {
            Ok(Some(beginning)) if beginning.start > number => {
                log::warn!(
                    target: LOG_TARGET,
                    "block {number} cannot be read ({error}); going on from block {}",
                    beginning.start,
                );
                let state = self.take(&beginning)?;
                self.store.put_voter_state(state.to_bytes())?;
                self.voter = Some(Voter::new(
                    self.config.clone(),
                    state,
                    self.own_keys.clone(),
                ));
                self.begun()
            }
            Ok(_) => {
                try_again("a final block cannot be read", error);
                Ok(())
            }
            Err(error) => {
                try_again("no block to go on from", &error);
                Ok(())
            }
        }
    }

    /// The set with this number on the finalized chain.
    pub(super) fn set_by_id(&mut self, id: SetId) -> Option<Arc<DualKeyset>> {
        let (_, finalized) = self.chain.finalized();
        let found = match self.store.set(id) {
            Ok(commitment) => self.chain.set(&commitment?, finalized),
            Err(error) => Err(error.into()),
        };
        found
            .map_err(|error| try_again("a set cannot be read", &error))
            .ok()
    }
}
