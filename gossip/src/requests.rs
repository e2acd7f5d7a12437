//! Two request-response protocols: missing handoff justifications, and the history before a node began.
//!
//! [`handler`] registers both with a network back end; the [`Server`] that it returns answers requests from a
//! [`ProofSource`]. Each peer has a quota, every answer is bounded, and a request that breaks a rule is refused and
//! blamed on its sender (REQ-2).

use crate::{
    clock::Clock,
    logging::LOG_TARGET,
    metrics::Metrics,
    protocol::{
        HISTORY, HISTORY_TIMEOUT, INBOUND_REQUESTS, JUSTIFICATIONS, MAX_HISTORY_RESPONSE_SIZE,
        MAX_REQUEST_SIZE, MAX_RESPONSE_SIZE, REQUEST_TIMEOUT,
    },
    reputation::PeerBehaviour,
    source::ProofSource,
};
use duet_primitives::H256;
use futures::{stream, StreamExt};
use quota::{Quota, UsedUp};
use refusal::Refusal;
use sc_network::{
    request_responses::{IncomingRequest, OutgoingResponse},
    NetworkBackend,
};
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

pub mod history;
pub mod justifications;
mod quota;
mod refusal;
pub mod response;
#[cfg(test)]
pub(crate) mod testing;

/// Answers requests, once [`Server::run`] drives it.
pub struct Server {
    justifications: async_channel::Receiver<IncomingRequest>,
    history: async_channel::Receiver<IncomingRequest>,
}

/// Registers the two protocols with a network back end.
///
/// The server goes to the owner of the proofs, both configurations to the network.
pub fn handler<B: BlockT, N: NetworkBackend<B, B::Hash>>(
    genesis_hash: H256,
    fork_id: Option<&str>,
) -> (Server, [N::RequestResponseProtocolConfig; 2]) {
    let (to_justifications, justifications) = async_channel::bounded(INBOUND_REQUESTS);
    let (to_history, history) = async_channel::bounded(INBOUND_REQUESTS);
    let names = JUSTIFICATIONS.names(genesis_hash, fork_id);
    let history_names = HISTORY.names(genesis_hash, fork_id);
    let configs = [
        N::request_response_config(
            names.newest,
            names.older,
            MAX_REQUEST_SIZE,
            MAX_RESPONSE_SIZE,
            REQUEST_TIMEOUT,
            Some(to_justifications),
        ),
        N::request_response_config(
            history_names.newest,
            history_names.older,
            MAX_REQUEST_SIZE,
            MAX_HISTORY_RESPONSE_SIZE,
            HISTORY_TIMEOUT,
            Some(to_history),
        ),
    ];
    (Server::new(justifications, history), configs)
}

/// Makes the answer to a request of one of the protocols.
type Answer<S> = fn(&S, &[u8]) -> Result<Vec<u8>, Refusal<<S as ProofSource>::Error>>;

impl Server {
    /// A server over the queues of the two protocols; [`handler`] makes them.
    pub fn new(
        justifications: async_channel::Receiver<IncomingRequest>,
        history: async_channel::Receiver<IncomingRequest>,
    ) -> Self {
        Self {
            justifications,
            history,
        }
    }

    /// Answers requests until the network shuts down.
    pub async fn run<S: ProofSource>(self, source: S, clock: Arc<dyn Clock>, metrics: Metrics) {
        let justifications = self
            .justifications
            .map(|request| (request, justifications::answer as Answer<S>));
        let history = self
            .history
            .map(|request| (request, history::answer as Answer<S>));
        let mut incoming = stream::select(justifications, history);
        let mut quota = Quota::default();
        while let Some((request, answer)) = incoming.next().await {
            let IncomingRequest {
                peer,
                payload,
                pending_response,
            } = request;
            let answer = quota
                .take(peer, clock.now())
                .map_err(|UsedUp| Refusal::TooOften)
                .and_then(|()| answer(&source, &payload));
            match &answer {
                Ok(_) => metrics.requests_served.inc(),
                Err(refusal) => {
                    metrics.requests_refused.inc();
                    log::debug!(target: LOG_TARGET, "request of {peer} refused: {refusal}");
                }
            }
            if pending_response.send(response_to(answer)).is_err() {
                // The peer may have left; then the answer is lost without harm.
                log::debug!(target: LOG_TARGET, "{peer} left before its request was answered");
            }
        }
    }
}

/// The network's response, with the blame in case of a refusal.
fn response_to<E>(answer: Result<Vec<u8>, Refusal<E>>) -> OutgoingResponse {
    let (result, behaviour) = match answer {
        Ok(bytes) => (Ok(bytes), None),
        Err(refusal) => (Err(()), refusal.behaviour()),
    };
    OutgoingResponse {
        result,
        reputation_changes: behaviour
            .map(PeerBehaviour::reputation)
            .into_iter()
            .collect(),
        sent_feedback: None,
    }
}
