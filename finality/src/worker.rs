//! The only loop: what happens becomes an event, the voter answers with effects, and they are carried out in
//! order.

use super::{
    chain::{AccountId, Chain, ChainError},
    history::History,
    import::Imported,
    links::Awaited,
    DuetClient, Error, Metrics, Params, Store, VoterLinks,
};
use crate::{
    network::{
        gossip_protocol_name,
        on_demand::{OnDemand, RequestId, Schedule},
        protocol::{history_protocol_name, justifications_protocol_name, CHECKED_QUEUE},
        requests::Server,
        validator::{Checked, GossipValidator},
    },
    LOG_TARGET,
};
use duet_keystore::Signer;
use duet_primitives::{
    BlockNumber, DuetApi, KeysetCommitment, Pk1Bytes, SetId, UncheckedJustification, H256,
};
use duet_voter::{Config, Counters, Event, Filter, Millis, State, Voter};
use futures::{future, stream::FuturesUnordered, FutureExt, StreamExt};
use futures_timer::Delay;
use sc_client_api::{Backend as BackendT, FinalityNotifications};
use sc_network::{NetworkRequest, ProtocolName, RequestFailure};
use sc_network_gossip::{GossipEngine, Network as GossipNetwork, Syncing as GossipSyncing};
use sc_network_types::PeerId;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sc_utils::notification::NotificationSender;
use sp_consensus::SyncOracle;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::{
    collections::{BTreeMap, VecDeque},
    future::Future,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

/// How often the worker looks after what no notification tells: keys added to the key file, the end of a major
/// sync, blocks that were finalized without a notification.
const HOUSEKEEPING: Duration = Duration::from_secs(1);
/// Justifications that came with blocks which are not final yet. (GOSSIP-7)
pub(super) const MAX_IMPORTED: usize = 2048;

/// An answer to a request, or why there is none.
pub(super) type Answer = (RequestId, PeerId, SetId, Result<Vec<u8>, RequestFailure>);

pub(super) struct Worker<Block: BlockT, Backend, Client, Network, Syncing> {
    pub(super) chain: Chain<Block, Backend, Client>,
    pub(super) store: Store,
    pub(super) metrics: Metrics,
    pub(super) genesis_hash: H256,
    pub(super) network: Network,
    pub(super) requests_protocol: ProtocolName,
    pub(super) history_protocol: ProtocolName,
    pub(super) sync: Syncing,
    pub(super) engine: GossipEngine<Block>,
    pub(super) validator: Arc<GossipValidator>,
    pub(super) signer: Arc<dyn Signer>,
    pub(super) is_authority: bool,
    pub(super) justifications: NotificationSender<UncheckedJustification>,
    pub(super) pool: OffchainTransactionPoolFactory<Block>,
    pub(super) config: Config,
    /// `None` until the chain has a set.
    pub(super) voter: Option<Voter>,
    pub(super) on_demand: OnDemand<SetId>,
    pub(super) answers: FuturesUnordered<Pin<Box<dyn Future<Output = Answer> + Send>>>,
    pub(super) history: History,
    /// Tells the RPC what of the past is not here yet.
    pub(super) awaited: Awaited,
    /// Justifications that came with blocks which are not final yet, by block.
    pub(super) imported: BTreeMap<BlockNumber, UncheckedJustification>,
    /// Blocks whose payload was kept until they are proven.
    pub(super) kept: BTreeMap<BlockNumber, H256>,
    pub(super) own_keys: Vec<Pk1Bytes>,
    /// The signing set for which the operator was told whether this validator has a key.
    pub(super) told_of: Option<SetId>,
    /// The highest block whose vote was counted as sent.
    pub(super) best_voted: BlockNumber,
    /// Whether the node was catching up when it was last looked at.
    pub(super) syncing: bool,
    /// When the signer is asked for its keys again.
    pub(super) ask_keys_at: Millis,
    /// What of the voter's counters is in the metrics already.
    pub(super) counted: Counters,
    pub(super) wake_at: Option<Millis>,
    pub(super) started: Instant,
}

/// Runs Duet on a node until the network shuts down or what must survive cannot be written.
///
/// Waits for the chain to have a set first: a chain may take Duet up by a runtime upgrade. Spawn it as an
/// essential, blocking task: it checks proofs and writes to disk, and a node without it does not finalize.
pub async fn run<Block, Backend, Client, Network, Syncing>(
    params: Params<Block, Backend, Client, Network, Syncing>,
) where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<BlockNumber> + From<BlockNumber>,
    Backend: BackendT<Block> + 'static,
    Client: DuetClient<Block>,
    Client::Api: DuetApi<Block, AccountId>,
    Network: GossipNetwork<Block> + NetworkRequest + Clone + Send + Sync + 'static,
    Syncing: GossipSyncing<Block> + SyncOracle + Clone + Send + Sync + 'static,
{
    let finality = params.client.finality();
    let (checked_sender, checked) = async_channel::bounded(CHECKED_QUEUE);
    let imported = params.links.imported.clone();
    let (worker, server) = Worker::new(params, checked_sender);
    let server = server.run(worker.store.clone(), worker.metrics.clone());
    let loops = worker.run(finality, checked, imported);
    futures::pin_mut!(server, loops);
    let result = match future::select(loops, server).await {
        future::Either::Left((result, _)) => result,
        future::Either::Right(((), _)) => Err(Error::NetworkGone),
    };
    match result {
        Ok(never) => match never {},
        Err(error @ Error::NetworkGone) => log::debug!(target: LOG_TARGET, "stopped: {error}"),
        Err(error) => log::error!(target: LOG_TARGET, "stopped: {error}"),
    }
}

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
    fn new(
        params: Params<Block, Backend, Client, Network, Syncing>,
        checked: async_channel::Sender<Checked>,
    ) -> (Self, Server) {
        let Params {
            genesis_hash,
            config,
            network,
            sync,
            links,
            ..
        } = params;
        let VoterLinks {
            imported: _,
            justifications,
            store,
            awaited,
        } = links;
        let metrics = Metrics::new(params.prometheus_registry.as_ref());
        let validator = Arc::new(GossipValidator::new(
            genesis_hash,
            Filter::new(config.rounds_per_signer),
            Duration::from_millis(config.rebroadcast),
            checked,
            Box::new(network.clone()),
            metrics.clone(),
        ));
        let fork_id = params.fork_id.as_deref();
        let engine = GossipEngine::new(
            network.clone(),
            sync.clone(),
            params.notification_service,
            gossip_protocol_name(genesis_hash, fork_id),
            validator.clone(),
            // Its metrics are not told apart by protocol, and GRANDPA's engine has registered them.
            None,
        );
        let worker = Self {
            chain: Chain::new(params.client, params.backend, store.clone()),
            store,
            metrics,
            genesis_hash,
            network,
            requests_protocol: justifications_protocol_name(genesis_hash, fork_id),
            history_protocol: history_protocol_name(genesis_hash, fork_id),
            sync,
            engine,
            validator,
            signer: params.signer,
            is_authority: params.is_authority,
            justifications,
            pool: params.offchain_tx_pool_factory,
            config,
            voter: None,
            on_demand: OnDemand::new(Schedule::URGENT),
            answers: FuturesUnordered::new(),
            history: History::default(),
            awaited,
            imported: BTreeMap::new(),
            kept: BTreeMap::new(),
            own_keys: Vec::new(),
            told_of: None,
            best_voted: 0,
            syncing: false,
            ask_keys_at: 0,
            counted: Counters::default(),
            wake_at: None,
            started: Instant::now(),
        };
        (worker, params.requests)
    }

    async fn run(
        mut self,
        mut finality: FinalityNotifications<Block>,
        mut checked: async_channel::Receiver<Checked>,
        mut imported: async_channel::Receiver<Imported>,
    ) -> Result<std::convert::Infallible, Error> {
        self.keep_genesis_proof()?;
        self.housekeeping()?;
        let mut timer = Delay::new(self.until_next_wake());
        loop {
            let mut past = self.history.has_work();
            // In this order: what costs nothing and moves the window first, then what strangers can multiply, and
            // the past when nothing of now waits.
            futures::select_biased! {
                _ = (&mut timer).fuse() => self.on_timer()?,
                notification = finality.next() => {
                    notification.ok_or(Error::ClientGone)?;
                    // One pass covers every notification that has piled up, and lets go of their blocks.
                    while let Some(Some(_)) = finality.next().now_or_never() {}
                    self.follow_finality()?;
                },
                () = (&mut self.engine).fuse() => return Err(Error::NetworkGone),
                answer = self.answers.select_next_some() => self.on_answer(answer)?,
                answer = self.history.answers.select_next_some() => self.on_history_answer(answer)?,
                block = imported.next() => match block {
                    Some(block) => self.on_imported(block)?,
                    None => return Err(Error::ClientGone),
                },
                message = checked.next() => match message {
                    Some(message) => self.on_checked(message)?,
                    None => return Err(Error::NetworkGone),
                },
                () = past => self.check_history()?,
            }
            timer.reset(self.until_next_wake());
        }
    }

    /// Milliseconds since the worker started: the voter's clock.
    pub(super) fn now(&self) -> Millis {
        Millis::try_from(self.started.elapsed().as_millis()).unwrap_or(Millis::MAX)
    }

    fn until_next_wake(&self) -> Duration {
        let now = self.now();
        let wakes = [self.wake_at, self.on_demand.wake_at()];
        let next = wakes.into_iter().flatten().min();
        next.map_or(HOUSEKEEPING, |at| {
            Duration::from_millis(at.saturating_sub(now))
        })
        .min(HOUSEKEEPING)
    }

    fn on_timer(&mut self) -> Result<(), Error> {
        if self.wake_at.is_some_and(|at| at <= self.now()) {
            self.wake_at = None;
            self.handle(Event::Tick)?;
        }
        self.send_requests();
        self.housekeeping()
    }

    fn on_checked(&mut self, message: Checked) -> Result<(), Error> {
        self.handle(match message {
            Checked::Vote { vote, message } => Event::Vote { vote, message },
            Checked::Equivocation(proof) => Event::Equivocation(proof),
            Checked::Justification(justification) => Event::Justification(justification),
        })
    }

    /// Gives the voter an event and carries out what it asks for, until it asks for nothing more.
    pub(super) fn handle(&mut self, event: Event) -> Result<(), Error> {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            let now = self.now();
            let Some(voter) = &mut self.voter else {
                return Ok(());
            };
            for effect in voter.handle(event, now) {
                events.extend(self.carry_out(effect)?);
            }
            self.follow_voter();
        }
        self.send_requests();
        Ok(())
    }

    /// Moves the filter's window and the metrics to where the voter is.
    fn follow_voter(&mut self) {
        let Some(voter) = &self.voter else { return };
        self.validator
            .update(voter.window(), voter.state().best_number());
        self.metrics.follow(voter, &mut self.counted);
        let signing = voter.state().signing().set.clone();
        self.tell_operator(&signing);
    }

    /// Says, once per signing set, whether this validator is in it.
    fn tell_operator(&mut self, commitment: &KeysetCommitment) {
        if !self.is_authority || self.told_of == Some(commitment.id) {
            return;
        }
        let (_, finalized) = self.chain.finalized();
        let Ok(set) = self.chain.set(commitment, finalized) else {
            return;
        };
        self.told_of = Some(commitment.id);
        let id = commitment.id;
        match self
            .own_keys
            .iter()
            .find(|key| set.keyset().position(key).is_some())
        {
            Some(key) => log::info!(target: LOG_TARGET, "set {id} signs now, with our key {key}"),
            None => {
                self.metrics.no_key_in_set.inc();
                log::error!(
                    target: LOG_TARGET,
                    "set {id} signs now, and this validator has none of its {} keys",
                    commitment.len,
                );
            }
        }
    }
}

/// The voter over a stored state.
pub(super) fn stored_state(store: &Store) -> Result<Option<State>, Error> {
    let Some(bytes) = store.voter_state()? else {
        return Ok(None);
    };
    Ok(Some(State::from_bytes(&bytes)?))
}

/// Logs what could not be read this time; it is asked for again.
pub(super) fn try_again(what: &str, error: &ChainError) {
    log::debug!(target: LOG_TARGET, "{what}: {error}");
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
