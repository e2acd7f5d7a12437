//! Fetches from peers the history before this node began: the proof of the first set, and the handoffs up to the set
//! it began with. (REQ-3 to REQ-6)
//!
//! A node that starts by warp sync has neither the old states nor the keys in them, and needs neither to vote. Its
//! light clients do need them, from the first set on. So each handoff is fetched with the keys of the next set, and
//! checked as a light client checks it, one after the other from the genesis, or from the block of this node's own
//! chain that adopted Duet: no peer is trusted. Checked proofs are stored at once. After a restart the backfill
//! continues behind the last stored handoff.
//!
//! There is at most one request at a time and one per second. A response is checked at a desk: the keys of a large
//! set take long to read.

use crate::{
    chain::Chain,
    desk::Desk,
    error::Error,
    metrics::Metrics,
    missing::{Missing, SharedMissing},
    store::Store,
};
use duet_gossip::{
    network::Question,
    on_demand::{OnDemand, Outgoing, RequestId, Schedule, Step},
    reputation::PeerBehaviour,
    requests::history::{decode_first_set, decode_handoffs, HistoryPart},
    Network, LOG_TARGET,
};
use duet_primitives::{BlockNumber, Justification, SetId};
use duet_voter::{Millis, State};
use futures::{
    future::BoxFuture,
    stream::{FuturesUnordered, SelectNextSome},
    FutureExt, StreamExt,
};
use progress::{Outlook, Progress, Taken};
use sc_network::RequestFailure;
use sc_network_types::PeerId;
use std::{collections::HashSet, sync::Arc};
use verify::BackfillError;

mod progress;
mod verify;

/// The shortest time between two requests.
const PACE: Millis = 1_000;

/// A peer's answer, or the reason for its absence.
pub(crate) struct HistoryAnswer {
    id: RequestId,
    peer: PeerId,
    wanted: HistoryPart,
    result: Result<Vec<u8>, RequestFailure>,
}

type Answers = FuturesUnordered<BoxFuture<'static, HistoryAnswer>>;

/// The next answer; pending while there is none.
pub(crate) type NextAnswer<'a> = SelectNextSome<'a, Answers>;

/// A peer's answer, with the inputs of its check.
pub(crate) struct ToCheck {
    peer: PeerId,
    wanted: HistoryPart,
    bytes: Vec<u8>,
    progress: Progress,
}

/// The result of the check.
pub(crate) struct HistoryChecked {
    peer: PeerId,
    progress: Progress,
    /// Whether the answer was useful.
    result: Result<Brought, BackfillError>,
}

/// A valid proof that was not stored.
pub(crate) enum Unstored {
    /// It contradicts a final block of this node. (REQ-5)
    Contradicts(Box<Justification>),
    /// Its block is not final here yet.
    Early(Box<Justification>),
}

/// The content of a valid response.
enum Brought {
    /// Proofs, which are stored.
    Proofs,
    /// Proofs, which are stored, followed by a valid one whose block is not final here yet.
    Early(Box<Justification>),
    /// Nothing of the requested data. No fault: the peer may itself have begun in the middle of the chain.
    Nothing,
}

impl ToCheck {
    /// Checks a response, and stores its valid part.
    pub(crate) fn check(self) -> HistoryChecked {
        let Self {
            peer,
            wanted,
            bytes,
            mut progress,
        } = self;
        let result = match wanted {
            HistoryPart::Genesis => take_first_set(&mut progress, &bytes),
            HistoryPart::Handoffs(_) => take_handoffs(&mut progress, &bytes),
        };
        HistoryChecked {
            peer,
            progress,
            result,
        }
    }
}

fn take_first_set(progress: &mut Progress, bytes: &[u8]) -> Result<Brought, BackfillError> {
    match decode_first_set(bytes)? {
        Some(proof) if progress.take_first_set(&proof)? => Ok(Brought::Proofs),
        _ => Ok(Brought::Nothing),
    }
}

fn take_handoffs(progress: &mut Progress, bytes: &[u8]) -> Result<Brought, BackfillError> {
    let proofs = decode_handoffs(bytes)?;
    if proofs.is_empty() {
        return Ok(Brought::Nothing);
    }
    for proof in proofs {
        if let Taken::NotFinal(early) = progress.take_handoff(proof)? {
            return Ok(Brought::Early(early));
        }
    }
    Ok(Brought::Proofs)
}

/// The parts of the backfill.
pub(crate) struct Parts {
    pub(crate) chain: Arc<Chain>,
    pub(crate) store: Store,
    pub(crate) network: Arc<dyn Network>,
    /// Informs the RPC about missing parts.
    pub(crate) missing: SharedMissing,
    /// The desk that checks responses.
    pub(crate) checks: Desk<Box<ToCheck>>,
    pub(crate) metrics: Metrics,
}

/// Fetches the history before this node began.
pub(crate) struct Backfill {
    network: Arc<dyn Network>,
    missing: SharedMissing,
    metrics: Metrics,
    checks: Desk<Box<ToCheck>>,
    /// `None` while a response is being checked.
    progress: Option<Progress>,
    search: OnDemand<HistoryPart>,
    answers: Answers,
    /// Peers with invalid answers: not asked again while they are connected.
    refused: HashSet<PeerId>,
    /// The earliest time of the next request.
    ask_at: Millis,
    /// This node's first block, once the operator was told that history below it is missing.
    announced: Option<Missing>,
}

impl Backfill {
    /// Fetches nothing before [`Backfill::follow`].
    pub(crate) fn new(parts: Parts) -> Self {
        let metrics = parts.metrics;
        Self {
            network: parts.network,
            missing: parts.missing,
            progress: Some(Progress::new(parts.chain, parts.store, metrics.clone())),
            metrics,
            checks: parts.checks,
            search: OnDemand::new(Schedule::BACKGROUND),
            answers: FuturesUnordered::new(),
            refused: HashSet::new(),
            ask_at: 0,
            announced: None,
        }
    }

    /// Stores the starting proof for light clients, if the chain started with Duet and the genesis state is
    /// available: at the first start.
    pub(crate) fn prove_genesis(&mut self) -> Result<(), Error> {
        if let Some(progress) = &mut self.progress {
            if progress.prove_genesis()? {
                self.missing.set(Some(Missing::EVERYTHING));
            }
        }
        Ok(())
    }

    /// The voter starts, or starts again at a later block.
    pub(crate) fn voter_started(&mut self) {
        self.announced = None;
    }

    /// The next answer of a peer.
    pub(crate) fn next_answer(&mut self) -> NextAnswer<'_> {
        self.answers.select_next_some()
    }

    /// Determines what is missing below the voter. Cheap when nothing is missing.
    pub(crate) fn follow(&mut self, voter: &State) -> Result<(), Error> {
        let Some(progress) = &mut self.progress else {
            return Ok(());
        };
        let signing = voter.signing();
        let outlook = progress.outlook(signing)?;
        let next = progress.next();
        match outlook {
            Outlook::Missing(part) => {
                let missing = Missing {
                    below_set: signing.set.id,
                    below_block: signing.start.unwrap_or(BlockNumber::ZERO),
                };
                self.announce(missing, next);
                let sets = signing.set.id.saturating_sub(next);
                self.metrics.history_missing.set(sets);
                self.search.want(part);
            }
            Outlook::BeforeReset { set, behind } => {
                let part = HistoryPart::Handoffs(set);
                let sets = behind.saturating_sub(set);
                self.metrics.history_missing.set(sets);
                // Light clients need not wait for handoffs that may never have existed: they learn of the reset.
                self.missing.set(None);
                if self.search.wanted() == Some(part) && self.search.failed_rounds() > 0 {
                    log::info!(
                        target: LOG_TARGET,
                        "RESET-5: no peer has the handoff proof of set {set}; the history goes on with set {behind}",
                    );
                    progress.skip_to(behind);
                    self.search.found(part);
                } else {
                    self.search.want(part);
                }
            }
            Outlook::Unclear => {}
            Outlook::Impossible => self.nothing_to_fetch(),
            Outlook::Complete => {
                if self.announced.is_some() {
                    log::info!(
                        target: LOG_TARGET,
                        "this node has all proofs from the first set to set {}, and serves light clients",
                        signing.set.id,
                    );
                }
                self.nothing_to_fetch();
            }
        }
        Ok(())
    }

    fn announce(&mut self, missing: Missing, next: SetId) {
        if self.announced.is_some() {
            return;
        }
        log::info!(
            target: LOG_TARGET,
            "this node began with set {}: asking peers for the proofs that lead there from the first set, so that it can \
             serve light clients (the handoff proof of set {next} is next)",
            missing.below_set,
        );
        self.announced = Some(missing);
        self.missing.set(Some(missing));
    }

    fn nothing_to_fetch(&mut self) {
        self.announced = None;
        self.missing.set(None);
        self.metrics.history_missing.set(0);
        self.search
            .found(HistoryPart::Handoffs(SetId::new(u64::MAX)));
    }

    /// Sends a request if it is time for one, and reports peers that did not answer in time.
    pub(crate) fn ask(&mut self, now: Millis) {
        let Some(wanted) = self.search.wanted() else {
            return;
        };
        if now < self.ask_at || self.progress.is_none() {
            return;
        }
        let mut peers = self.network.peers();
        self.refused.retain(|peer| peers.contains(peer));
        peers.retain(|peer| !self.refused.contains(peer));
        if peers.is_empty() {
            return;
        }
        let rounds = self.search.failed_rounds();
        let Step { outgoing, late } = self.search.next(now, &peers);
        if rounds == 0 && self.search.failed_rounds() > 0 {
            log::info!(target: LOG_TARGET, "no peer has {wanted}; asking again from time to time");
        }
        for peer in late {
            self.metrics.history_failed.inc();
            self.network.report(peer, PeerBehaviour::LateResponse);
        }
        for Outgoing { id, peer } in outgoing {
            self.ask_at = now.saturating_add(PACE);
            self.metrics.history_sent.inc();
            let question = Question::History(wanted.request());
            let answer = self.network.ask(peer, question);
            let answer = answer.map(move |result| HistoryAnswer {
                id,
                peer,
                wanted,
                result,
            });
            self.answers.push(answer.boxed());
        }
    }

    /// Checks a peer's answer; [`Backfill::on_checked`] follows.
    pub(crate) fn on_answer(&mut self, answer: HistoryAnswer) {
        let HistoryAnswer {
            id,
            peer,
            wanted,
            result,
        } = answer;
        if !self.search.answered(id) {
            return;
        }
        let bytes = match result {
            Ok(bytes) => bytes,
            Err(failure) => {
                self.metrics.history_failed.inc();
                if let Some(behaviour) = PeerBehaviour::of_request_failure(&failure) {
                    self.network.report(peer, behaviour);
                }
                return;
            }
        };
        // No request is sent while a response is being checked, so there is one at a time.
        let Some(progress) = self.progress.take() else {
            return;
        };
        let to_check = ToCheck {
            peer,
            wanted,
            bytes,
            progress,
        };
        if let Err(refused) = self.checks.hand_in(Box::new(to_check)) {
            self.progress = Some(refused.progress);
        }
    }

    /// Handles the result of a check. Valid proofs that were not stored go to the voter, or are evidence.
    pub(crate) fn on_checked(
        &mut self,
        checked: HistoryChecked,
    ) -> Result<Option<Unstored>, Error> {
        let HistoryChecked {
            peer,
            progress,
            result,
        } = checked;
        let next = progress.next();
        self.progress = Some(progress);
        match result {
            Ok(Brought::Proofs) => self.was_useful(peer, next),
            Ok(Brought::Early(proof)) => {
                self.was_useful(peer, next);
                return Ok(Some(Unstored::Early(proof)));
            }
            Ok(Brought::Nothing) => self.metrics.history_empty.inc(),
            Err(error) => return self.refuse(peer, error),
        }
        Ok(None)
    }

    fn was_useful(&mut self, peer: PeerId, next: SetId) {
        self.metrics.history_good.inc();
        self.network.report(peer, PeerBehaviour::GoodResponse);
        log::debug!(target: LOG_TARGET, "the history is known up to set {next}");
    }

    /// Drops a peer whose answer is invalid, or contradicts the chain. A store failure stops the node instead.
    fn refuse(&mut self, peer: PeerId, error: BackfillError) -> Result<Option<Unstored>, Error> {
        if let BackfillError::Store(error) = error {
            return Err(error.into());
        }
        self.metrics.history_bad.inc();
        self.refused.insert(peer);
        log::debug!(target: LOG_TARGET, "the history from {peer} is refused: {error}");
        if let BackfillError::Unusable { .. } = &error {
            log::error!(target: LOG_TARGET, "this node will not serve new light clients: {error}");
        }
        if let Some(behaviour) = error.behaviour() {
            self.network.report(peer, behaviour);
        }
        Ok(match error {
            BackfillError::Contradiction(proof) => Some(Unstored::Contradicts(proof)),
            _ => None,
        })
    }
}

#[cfg(test)]
#[path = "backfill_tests.rs"]
mod tests;
