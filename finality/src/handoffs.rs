//! Handoff justifications that the voter misses: requests them from peers, and checks the answers. (REQ-1, REQ-2)

pub(crate) mod check;

use crate::metrics::Metrics;
use check::{AnswerError, Checked, Received};
use duet_gossip::{
    network::Question,
    on_demand::{OnDemand, Outgoing, RequestId, Schedule, Step},
    reputation::PeerBehaviour,
    requests::justifications::JustificationsRequest,
    Network, LOG_TARGET, MAX_JUSTIFICATIONS,
};
use duet_primitives::SetId;
use duet_voter::{Event, Millis};
use futures::{
    future::BoxFuture,
    stream::{FuturesUnordered, SelectNextSome},
    FutureExt, StreamExt,
};
use sc_network::RequestFailure;
use sc_network_types::PeerId;
use std::sync::Arc;

/// A peer's answer, or the reason for its absence.
pub(crate) struct HandoffAnswer {
    id: RequestId,
    peer: PeerId,
    first_set: SetId,
    result: Result<Vec<u8>, RequestFailure>,
}

type Answers = FuturesUnordered<BoxFuture<'static, HandoffAnswer>>;

/// The next answer; pending while there is none.
pub(crate) type NextAnswer<'a> = SelectNextSome<'a, Answers>;

/// The search for the first handoff justification that the voter misses.
pub(crate) struct HandoffSearch {
    network: Arc<dyn Network>,
    /// To the task that checks answers.
    received: async_channel::Sender<Received>,
    metrics: Metrics,
    search: OnDemand<SetId>,
    answers: Answers,
}

impl HandoffSearch {
    /// No search yet.
    pub(crate) fn new(
        network: Arc<dyn Network>,
        received: async_channel::Sender<Received>,
        metrics: Metrics,
    ) -> Self {
        Self {
            network,
            received,
            metrics,
            search: OnDemand::new(Schedule::URGENT),
            answers: FuturesUnordered::new(),
        }
    }

    /// Searches for the handoffs of this set and of those after it.
    pub(crate) fn want(&mut self, first_set: SetId) {
        self.search.want(first_set);
    }

    /// The handoff of this set has arrived.
    pub(crate) fn found(&mut self, set: SetId) {
        self.search.found(set);
    }

    /// The latest time of the next action of [`HandoffSearch::send`].
    pub(crate) fn wake_at(&self) -> Option<Millis> {
        self.search.wake_at()
    }

    /// The next answer of a peer.
    pub(crate) fn next_answer(&mut self) -> NextAnswer<'_> {
        self.answers.select_next_some()
    }

    /// Sends due requests, and reports peers that did not answer in time.
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

    /// Has an answer checked, if it is still of interest; [`HandoffSearch::on_checked`] follows.
    pub(crate) fn on_answer(&mut self, answer: HandoffAnswer) {
        let HandoffAnswer {
            id,
            peer,
            first_set,
            result,
        } = answer;
        if !self.search.is_pending(id) {
            return;
        }
        let bytes = match result {
            Ok(bytes) => bytes,
            Err(failure) => {
                self.search.answered(id);
                self.metrics.on_demand_failed.inc();
                if let Some(behaviour) = PeerBehaviour::of_request_failure(&failure) {
                    self.network.report(peer, behaviour);
                }
                return;
            }
        };
        let received = Received {
            id,
            peer,
            first_set,
            bytes,
        };
        if self.received.try_send(received).is_err() {
            // Earlier answers are still being checked: this one is requested again if they do not help.
            self.search.answered(id);
        }
    }

    /// The voter's share of a checked answer, if it is still of interest and has any entries.
    pub(crate) fn on_checked(&mut self, checked: Checked) -> Option<Event> {
        let Checked {
            id,
            peer,
            good,
            refused,
        } = checked;
        if !self.search.answered(id) {
            // Too late to help, but a valid proof may be a contradiction. (ROUND-10)
            return good.filter(|good| !good.is_empty()).map(Event::Response);
        }
        if let Some(error) = &refused {
            self.refuse(peer, error);
        }
        let good = good?;
        if good.is_empty() && refused.is_none() {
            // No fault: a less advanced peer has nothing to send.
            self.metrics.on_demand_empty.inc();
            return None;
        }
        let is_blamed = refused.is_some_and(|error| error.behaviour().is_some());
        if !is_blamed && !good.is_empty() {
            self.metrics.on_demand_good.inc();
            self.network.report(peer, PeerBehaviour::GoodResponse);
        }
        Some(Event::Response(good))
    }

    fn refuse(&self, peer: PeerId, error: &AnswerError) {
        log::debug!(target: LOG_TARGET, "the answer of {peer} is not used, or only in part: {error}");
        if let Some(behaviour) = error.behaviour() {
            self.metrics.on_demand_bad.inc();
            self.network.report(peer, behaviour);
        }
    }
}

#[cfg(test)]
#[path = "handoffs_tests.rs"]
mod tests;
