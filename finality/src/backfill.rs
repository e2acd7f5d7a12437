//! Fetches from peers what happened before this node began: the proof of the first set, and the hand-overs up to
//! the set it began with. (REQ-3 to REQ-6)
//!
//! A node that starts by warp sync has neither the old states nor the keys that stood in them, and needs neither
//! to vote. Light clients that ask it do need them, from the genesis on. So each hand-over is fetched with the
//! keys of the set that it names, and checked as a light client checks it, one after the other from the genesis
//! hash: no peer is believed in anything. What was checked is stored at once, and what is stored is how far this
//! has come: after a restart it goes on behind the last hand-over.
//!
//! It is work for idle times: one question at a time and no more than one in a second, one answer held, and one
//! hand-over checked when nothing else waits.

use super::{
    chain::AccountId,
    links::AwaitedPast,
    worker::{try_again, Worker},
    DuetClient, Error, StoreError,
};
use crate::{
    network::{
        history::{decode_genesis, decode_handovers, Past},
        on_demand::{OnDemand, Outgoing, RequestId, Schedule},
        reputation::Conduct,
        requests::ask,
    },
    LOG_TARGET,
};
use codec::Encode;
use duet_light_client::{
    Checkpoint, Culprit, Error as LightError, Mode, Outcome, SetProof, Trusted,
};
use duet_primitives::{BlockNumber, DuetApi, Justification, Keysets, SetId, H256};
use duet_voter::Millis;
use futures::{
    future::{self, BoxFuture, Either, Pending, Ready},
    stream::FuturesUnordered,
    FutureExt,
};
use sc_client_api::Backend as BackendT;
use sc_network::{NetworkRequest, RequestFailure};
use sc_network_gossip::{Network as GossipNetwork, Syncing as GossipSyncing};
use sc_network_types::PeerId;
use sp_consensus::SyncOracle;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::collections::{HashSet, VecDeque};

/// The shortest time from one question to the next.
const PACE: Millis = 1_000;
/// Stored hand-overs that are passed over before other work gets its turn.
const SKIP_BATCH: usize = 1024;

/// Why what a peer sent about the past is not taken.
#[derive(Debug, thiserror::Error)]
enum HistoryError {
    #[error("REQ-3: the answer does not decode")]
    Malformed,
    #[error("REQ-4: the hand-over of set {expected} was next, and one of set {got} came")]
    WrongSet { expected: SetId, got: SetId },
    #[error("REQ-4: {0}")]
    Rule(#[from] LightError),
    #[error("REQ-5: it holds, and contradicts what this node knows to be final")]
    Contradiction(Box<Justification>),
    #[error("what is stored of set {set} is no beginning: {reason}")]
    Stored { set: SetId, reason: String },
}

impl HistoryError {
    fn blames_sender(&self) -> bool {
        match self {
            Self::Malformed | Self::WrongSet { .. } => true,
            Self::Rule(error) => error.culprit() == Culprit::Sender,
            Self::Contradiction(_) | Self::Stored { .. } => false,
        }
    }
}

/// An answer to a question about the past, or why there is none.
pub(super) struct HistoryAnswer {
    id: RequestId,
    peer: PeerId,
    wanted: Past,
    result: Result<Vec<u8>, RequestFailure>,
}

/// Hand-overs that a peer sent and that wait to be checked.
struct Received {
    peer: PeerId,
    proofs: VecDeque<SetProof>,
}

/// How far the past is known.
pub(super) struct History {
    pub(super) answers: FuturesUnordered<BoxFuture<'static, HistoryAnswer>>,
    on_demand: OnDemand<Past>,
    /// Where this node began, once that is known.
    began: Option<AwaitedPast>,
    /// Whether the proof of the first set is here.
    genesis: Genesis,
    /// The hand-overs of all sets below this one are here.
    next: SetId,
    /// What they lead to, while there is something to check.
    trusted: Option<Trusted>,
    received: Option<Received>,
    /// Peers whose answers did not hold: not asked again while they are connected.
    refused: HashSet<PeerId>,
    /// When the next question may be asked.
    ask_at: Millis,
}

/// Whether the proof of the first set is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Genesis {
    /// It is stored.
    Proven,
    /// The chain did not start with Duet: nothing leads from its genesis to its sets.
    WithoutDuet,
    /// This node never had the state of the genesis: peers are asked.
    Unknown,
    /// What is stored cannot be gone on from.
    Unusable,
}

impl Default for History {
    fn default() -> Self {
        Self {
            answers: FuturesUnordered::new(),
            on_demand: OnDemand::new(Schedule::BACKGROUND),
            began: None,
            genesis: Genesis::Unknown,
            next: 0,
            trusted: None,
            received: None,
            refused: HashSet::new(),
            ask_at: 0,
        }
    }
}

impl History {
    /// What the worker found out about the genesis when it started.
    pub(super) fn set_genesis(&mut self, genesis: Genesis) {
        self.genesis = genesis;
    }

    /// The voter begins, or begins anew, at a later block.
    pub(super) fn begun(&mut self) {
        self.began = None;
    }

    /// Is ready when there is something to check.
    pub(super) fn has_work(&self) -> Either<Ready<()>, Pending<()>> {
        match self.received {
            Some(_) => Either::Left(future::ready(())),
            None => Either::Right(future::pending()),
        }
    }
}

/// REQ-4: checks the hand-over of `set` against what the ones before it lead to.
fn check(
    trusted: &Trusted,
    set: SetId,
    proof: SetProof,
) -> Result<(Trusted, Justification), HistoryError> {
    let commitment = &proof.justification.commitment;
    let (got, number) = (commitment.validator_set_id, commitment.block_number);
    if got != set {
        return Err(HistoryError::WrongSet { expected: set, got });
    }
    match trusted.verify(proof)? {
        Outcome::New(verified) => Ok((verified.trusted, verified.justification)),
        Outcome::Known => Err(HistoryError::Rule(LightError::OldBlock {
            best: trusted.best_number(),
            got: number,
        })),
    }
}

/// Begins behind a hand-over that was checked when it was stored.
fn resume(genesis_hash: H256, before: SetProof) -> Result<Trusted, String> {
    let commitment = before.justification.commitment;
    let checkpoint = Checkpoint {
        genesis_hash,
        block_number: commitment.block_number,
        block_hash: commitment.block_hash,
        keysets: Keysets {
            current: commitment.next.clone(),
            next: commitment.next.clone(),
        },
    };
    let trusted = Trusted::from_checkpoint(checkpoint, Mode::Full);
    let trusted = trusted.map_err(|error| error.to_string())?;
    trusted
        .with_keys(commitment.next.id, &before.next_keys)
        .map_err(|error| error.to_string())
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
    /// Finds out what is missing, and asks for it if it is time. Cheap when nothing is.
    pub(super) fn follow_history(&mut self) -> Result<(), Error> {
        let Some(voter) = &self.voter else {
            return Ok(());
        };
        if self.history.received.is_some() {
            return Ok(());
        }
        let signing = voter.state().signing();
        let (below_set, start) = (signing.set.id, signing.start.unwrap_or_default());
        let Some(missing) = self.missing(below_set)? else {
            self.nothing_is_missing(below_set);
            return Ok(());
        };
        if self.history.began.is_none() {
            self.tell_what_is_missing(AwaitedPast {
                below_set,
                below_block: start,
            });
        }
        let sets = below_set.saturating_sub(self.history.next);
        self.metrics.history_missing.set(sets);
        self.history.on_demand.want(missing);
        self.ask_for_the_past();
        Ok(())
    }

    /// The first thing that is missing below the set that signs.
    fn missing(&mut self, signing: SetId) -> Result<Option<Past>, StoreError> {
        match self.history.genesis {
            Genesis::WithoutDuet | Genesis::Unusable => return Ok(None),
            Genesis::Unknown => return Ok(Some(Past::Genesis)),
            Genesis::Proven => {}
        }
        for _ in 0..SKIP_BATCH {
            let next = self.history.next;
            if next >= signing {
                return Ok(None);
            }
            if self.store.handover(next)?.is_none() {
                return Ok(Some(Past::Handovers(next)));
            }
            self.history.next = next.saturating_add(1);
        }
        // The rest is looked at in the next turn.
        Ok(None)
    }

    fn tell_what_is_missing(&mut self, awaited: AwaitedPast) {
        log::info!(
            target: LOG_TARGET,
            "this node began with set {}: asking peers for the proofs that lead there from the genesis, so that it can \
             serve light clients (the hand-over of set {} is next)",
            awaited.below_set,
            self.history.next,
        );
        self.history.began = Some(awaited);
        *self.awaited.lock() = Some(awaited);
    }

    fn nothing_is_missing(&mut self, signing: SetId) {
        let is_looked_through = self.history.next >= signing;
        if self.history.genesis == Genesis::Proven && !is_looked_through {
            return;
        }
        if self.history.began.take().is_some() {
            log::info!(
                target: LOG_TARGET,
                "all proofs from the genesis to set {signing} are here: this node serves light clients",
            );
        }
        *self.awaited.lock() = None;
        self.metrics.history_missing.set(0);
        self.history.on_demand.found(Past::Handovers(SetId::MAX));
        self.history.trusted = None;
    }

    /// Sends a question if it is time for one, and blames who let us wait.
    fn ask_for_the_past(&mut self) {
        let now = self.now();
        let Some(wanted) = self.history.on_demand.wanted() else {
            return;
        };
        if now < self.history.ask_at || self.syncing {
            return;
        }
        let mut peers = self.validator.peers();
        self.history.refused.retain(|peer| peers.contains(peer));
        peers.retain(|peer| !self.history.refused.contains(peer));
        if peers.is_empty() {
            return;
        }
        let rounds = self.history.on_demand.rounds_in_vain();
        let (outgoing, late) = self.history.on_demand.next(now, &peers);
        if rounds == 0 && self.history.on_demand.rounds_in_vain() > 0 {
            log::info!(target: LOG_TARGET, "no peer has {}; asking again from time to time", name(wanted));
        }
        for peer in late {
            self.metrics.history_failed.inc();
            self.network
                .report_peer(peer, Conduct::LateResponse.reputation());
        }
        for Outgoing { id, peer } in outgoing {
            self.history.ask_at = now.saturating_add(PACE);
            self.metrics.history_sent.inc();
            let protocol = self.history_protocol.clone();
            let answer =
                ask(&self.network, peer, protocol, wanted.request().encode()).map(move |result| {
                    HistoryAnswer {
                        id,
                        peer,
                        wanted,
                        result,
                    }
                });
            self.history.answers.push(answer.boxed());
        }
    }

    pub(super) fn on_history_answer(&mut self, answer: HistoryAnswer) -> Result<(), Error> {
        let HistoryAnswer {
            id,
            peer,
            wanted,
            result,
        } = answer;
        if !self.history.on_demand.answered(id) {
            return Ok(());
        }
        let bytes = match result {
            Ok(bytes) => bytes,
            Err(failure) => {
                self.metrics.history_failed.inc();
                if let RequestFailure::Refused = failure {
                    self.network
                        .report_peer(peer, Conduct::RefusedRequest.reputation());
                }
                return self.follow_history();
            }
        };
        let taken = match wanted {
            Past::Genesis => self.take_genesis(peer, &bytes)?,
            Past::Handovers(_) => self.take_handovers(peer, &bytes),
        };
        if let Err(error) = taken {
            self.refuse(peer, &error);
        }
        self.follow_history()
    }

    fn take_genesis(
        &mut self,
        peer: PeerId,
        bytes: &[u8],
    ) -> Result<Result<(), HistoryError>, Error> {
        let Some(answer) = decode_genesis(bytes) else {
            return Ok(Err(HistoryError::Malformed));
        };
        let Some(proof) = answer else {
            self.metrics.history_empty.inc();
            return Ok(Ok(()));
        };
        let trusted = match Trusted::from_genesis(self.genesis_hash, &proof, Mode::Full) {
            Ok(trusted) => trusted,
            Err(error) => return Ok(Err(error.into())),
        };
        self.store.put_fetched_genesis(&proof, trusted.signing())?;
        self.history.genesis = Genesis::Proven;
        self.history.trusted = Some(trusted);
        self.was_of_use(peer);
        Ok(Ok(()))
    }

    fn take_handovers(&mut self, peer: PeerId, bytes: &[u8]) -> Result<(), HistoryError> {
        let proofs = decode_handovers(bytes).ok_or(HistoryError::Malformed)?;
        if proofs.is_empty() {
            // No fault: it may have begun in the middle of the chain itself.
            self.metrics.history_empty.inc();
            return Ok(());
        }
        self.history.received = Some(Received {
            peer,
            proofs: proofs.into(),
        });
        Ok(())
    }

    /// Checks one of the hand-overs that wait, and stores it.
    pub(super) fn check_history(&mut self) -> Result<(), Error> {
        let Some(Received { peer, mut proofs }) = self.history.received.take() else {
            return Ok(());
        };
        if let Some(proof) = proofs.pop_front() {
            match self.take_handover(proof)? {
                Ok(()) if proofs.is_empty() => self.was_of_use(peer),
                Ok(()) => {
                    self.history.received = Some(Received { peer, proofs });
                    return Ok(());
                }
                Err(error) => self.refuse(peer, &error),
            }
        }
        self.follow_history()
    }

    fn take_handover(&mut self, proof: SetProof) -> Result<Result<(), HistoryError>, Error> {
        let set = self.history.next;
        if self.store.handover(set)?.is_some() {
            // From here on the node has its own; the answer went on.
            self.history.next = set.saturating_add(1);
            return Ok(Ok(()));
        }
        let trusted = match self.trusted_at(set)? {
            Ok(trusted) => trusted,
            Err(reason) => return Ok(Err(HistoryError::Stored { set, reason })),
        };
        let (trusted, justification) = match check(&trusted, set, proof.clone()) {
            Ok(checked) => checked,
            Err(error) => return Ok(Err(error)),
        };
        if self.contradicts(&justification)? {
            return Ok(Err(HistoryError::Contradiction(Box::new(justification))));
        }
        self.store.put_fetched(&proof)?;
        self.metrics.history_stored.inc();
        self.history.next = set.saturating_add(1);
        self.history.trusted = Some(trusted);
        Ok(Ok(()))
    }

    /// What the hand-overs below `set` lead to: kept from the last one, or made from what is stored.
    fn trusted_at(&mut self, set: SetId) -> Result<Result<Trusted, String>, StoreError> {
        let kept = self.history.trusted.take();
        if let Some(kept) = kept.filter(|kept| kept.latest_set().id == set || set == 0) {
            return Ok(Ok(kept));
        }
        let made = match set.checked_sub(1) {
            None => self.store.genesis_proof()?.map(|proof| {
                Trusted::from_genesis(self.genesis_hash, &proof, Mode::Full)
                    .map_err(|error| error.to_string())
            }),
            Some(before) => self
                .store
                .set_proof(before)?
                .map(|before| resume(self.genesis_hash, before)),
        };
        Ok(made.unwrap_or_else(|| Err("its keys are not there".to_owned())))
    }

    /// REQ-5: whether a proof that holds names another block or another set than GRANDPA finalized here.
    fn contradicts(&self, justification: &Justification) -> Result<bool, Error> {
        let commitment = justification.commitment();
        let known = self.store.set(commitment.next.id)?;
        if known.is_some_and(|known| known != commitment.next) {
            return Ok(true);
        }
        if commitment.block_number > self.chain.finalized().0 {
            return Ok(false);
        }
        match self.chain.hash(commitment.block_number) {
            Ok(hash) => Ok(hash != commitment.block_hash),
            Err(error) => {
                try_again("an old block is not here", &error);
                Ok(false)
            }
        }
    }

    fn was_of_use(&mut self, peer: PeerId) {
        self.metrics.history_good.inc();
        self.network
            .report_peer(peer, Conduct::GoodResponse.reputation());
        log::debug!(target: LOG_TARGET, "the past is known up to set {}", self.history.next);
    }

    /// Leaves a peer whose answer does not hold.
    fn refuse(&mut self, peer: PeerId, error: &HistoryError) {
        self.metrics.history_bad.inc();
        self.history.refused.insert(peer);
        log::debug!(target: LOG_TARGET, "{peer} sent a past that is refused: {error}");
        match error {
            HistoryError::Contradiction(justification) => self.diverged(justification),
            HistoryError::Stored { .. } => {
                log::error!(target: LOG_TARGET, "this node will not serve new light clients: {error}");
                self.history.genesis = Genesis::Unusable;
            }
            _ if error.blames_sender() => self
                .network
                .report_peer(peer, Conduct::BadResponse.reputation()),
            _ => {}
        }
    }
}

fn name(wanted: Past) -> String {
    match wanted {
        Past::Genesis => "the proof of the first set".to_owned(),
        Past::Handovers(set) => format!("the hand-over of set {set}"),
    }
}

#[cfg(test)]
#[path = "backfill_tests.rs"]
mod tests;
