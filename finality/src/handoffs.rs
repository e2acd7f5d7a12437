//! Handoff justifications that the voter misses: asks peers for them, and checks what they answer. (REQ-1, REQ-2)

use crate::{
    chain::{error::ChainError, error::CheckError, Chain},
    metrics::Metrics,
};
use duet_gossip::{
    network::Question,
    on_demand::{OnDemand, Outgoing, RequestId, Schedule, Step},
    reputation::PeerBehaviour,
    requests::{
        justifications::{decode_response, JustificationsRequest},
        response::ResponseError,
    },
    Network, LOG_TARGET, MAX_JUSTIFICATIONS,
};
use duet_primitives::{Justification, JustificationError, SetId, UncheckedJustification};
use duet_voter::{Event, Millis};
use futures::{
    future::BoxFuture,
    stream::{FuturesUnordered, SelectNextSome},
    FutureExt, StreamExt,
};
use sc_network::RequestFailure;
use sc_network_types::PeerId;
use std::{iter, sync::Arc};

/// A peer's answer, or why there is none.
pub(crate) struct HandoffAnswer {
    id: RequestId,
    peer: PeerId,
    first_set: SetId,
    result: Result<Vec<u8>, RequestFailure>,
}

type Answers = FuturesUnordered<BoxFuture<'static, HandoffAnswer>>;

/// The next answer; pending as long as there is none.
pub(crate) type NextAnswer<'a> = SelectNextSome<'a, Answers>;

/// Why an answer is not used, or not all of it.
#[derive(Debug, thiserror::Error)]
enum AnswerError {
    #[error(transparent)]
    Response(#[from] ResponseError),
    #[error(
        "REQ-1: the handoff of set {expected} was next, and a justification of set {got} came"
    )]
    WrongSet { expected: SetId, got: SetId },
    #[error("REQ-1: the justification of set {set} names no next set")]
    NoHandoff { set: SetId },
    #[error(transparent)]
    Broken(JustificationError),
    #[error(transparent)]
    NotChecked(ChainError),
}

impl AnswerError {
    /// What it says about the peer; `None` when somebody else is to blame.
    fn behaviour(&self) -> Option<PeerBehaviour> {
        match self {
            Self::Response(error) => Some(PeerBehaviour::of_response_error(error)),
            Self::WrongSet { .. } | Self::NoHandoff { .. } => Some(PeerBehaviour::BadResponse),
            Self::Broken(error) => PeerBehaviour::of_answered_justification(error),
            Self::NotChecked(_) => None,
        }
    }
}

impl From<CheckError> for AnswerError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Set(error) => Self::NotChecked(error),
            CheckError::Broken(error) => Self::Broken(error),
        }
    }
}

/// The search for the first handoff justification that the voter misses.
pub(crate) struct HandoffSearch {
    network: Arc<dyn Network>,
    chain: Arc<Chain>,
    metrics: Metrics,
    search: OnDemand<SetId>,
    answers: Answers,
}

impl HandoffSearch {
    /// Looks for nothing yet.
    pub(crate) fn new(network: Arc<dyn Network>, chain: Arc<Chain>, metrics: Metrics) -> Self {
        Self {
            network,
            chain,
            metrics,
            search: OnDemand::new(Schedule::URGENT),
            answers: FuturesUnordered::new(),
        }
    }

    /// Looks for the handoff of this set and of those after it.
    pub(crate) fn want(&mut self, first_set: SetId) {
        self.search.want(first_set);
    }

    /// The handoff of this set is here.
    pub(crate) fn found(&mut self, set: SetId) {
        self.search.found(set);
    }

    /// When [`HandoffSearch::send`] has something to do at the latest.
    pub(crate) fn wake_at(&self) -> Option<Millis> {
        self.search.wake_at()
    }

    /// The next answer of a peer.
    pub(crate) fn next_answer(&mut self) -> NextAnswer<'_> {
        self.answers.select_next_some()
    }

    /// Sends what is to be asked now, and reports peers that did not answer in time.
    pub(crate) fn send(&mut self, now: Millis) {
        let Some(first_set) = self.search.wanted() else {
            return;
        };
        let Step { outgoing, late } = self.search.next(now, &self.network.peers());
        for peer in late {
            self.metrics.on_demand_failed.inc();
            self.network.report(peer, PeerBehaviour::LateResponse);
        }
        for Outgoing { id, peer } in outgoing {
            self.metrics.on_demand_sent.inc();
            let request = JustificationsRequest {
                first_set,
                count: MAX_JUSTIFICATIONS,
            };
            let answer = self.network.ask(peer, Question::Justifications(request));
            let answer = answer.map(move |result| HandoffAnswer {
                id,
                peer,
                first_set,
                result,
            });
            self.answers.push(answer.boxed());
        }
    }

    /// Checks an answer; what the voter gets of it, if it is still of interest and has any entries.
    pub(crate) fn on_answer(&mut self, answer: HandoffAnswer) -> Option<Event> {
        let HandoffAnswer {
            id,
            peer,
            first_set,
            result,
        } = answer;
        if !self.search.answered(id) {
            return None;
        }
        let bytes = match result {
            Ok(bytes) => bytes,
            Err(failure) => {
                self.metrics.on_demand_failed.inc();
                if let Some(behaviour) = PeerBehaviour::of_request_failure(&failure) {
                    self.network.report(peer, behaviour);
                }
                return None;
            }
        };
        let list = match decode_response(&bytes, MAX_JUSTIFICATIONS) {
            Ok(list) => list,
            Err(error) => {
                self.refuse(peer, &error.into());
                return None;
            }
        };
        if list.is_empty() {
            // No fault: a peer that is not as far has nothing to send.
            self.metrics.on_demand_empty.inc();
            return None;
        }
        let (good, refused) = self.check(first_set, list);
        if let Some(error) = &refused {
            self.refuse(peer, error);
        }
        let is_blamed = refused.is_some_and(|error| error.behaviour().is_some());
        if !is_blamed && !good.is_empty() {
            self.metrics.on_demand_good.inc();
            self.network.report(peer, PeerBehaviour::GoodResponse);
        }
        Some(Event::Response(good))
    }

    /// REQ-2: the proofs that hold, in order of their sets, up to the first that does not; and why that one does not.
    fn check(
        &self,
        first_set: SetId,
        list: Vec<UncheckedJustification>,
    ) -> (Vec<Justification>, Option<AnswerError>) {
        let mut good = Vec::with_capacity(list.len());
        let sets = iter::successors(Some(first_set), |set| set.checked_next());
        for (set, justification) in sets.zip(list) {
            match self.check_one(set, justification) {
                Ok(justification) => good.push(justification),
                Err(error) => return (good, Some(error)),
            }
        }
        (good, None)
    }

    fn check_one(
        &self,
        expected: SetId,
        justification: UncheckedJustification,
    ) -> Result<Justification, AnswerError> {
        let commitment = &justification.commitment;
        let got = commitment.validator_set_id;
        if got != expected {
            return Err(AnswerError::WrongSet { expected, got });
        }
        if !commitment.is_handoff() {
            return Err(AnswerError::NoHandoff { set: got });
        }
        Ok(self.chain.check(justification)?)
    }

    fn refuse(&self, peer: PeerId, error: &AnswerError) {
        log::debug!(target: LOG_TARGET, "the answer of {peer} is not used, or not all of it: {error}");
        if let Some(behaviour) = error.behaviour() {
            self.metrics.on_demand_bad.inc();
            self.network.report(peer, behaviour);
        }
    }
}

#[cfg(test)]
#[path = "handoffs_tests.rs"]
mod tests;
