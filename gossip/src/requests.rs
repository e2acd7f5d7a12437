//! Serves missing mandatory justifications to nodes that ask, and what came before they began.
//!
//! A request is the SCALE of the first set and how many sets are wanted; the response is the SCALE of a list of
//! the mandatory justifications of these sets, in order, as far as this node has them (REQ-1). A response never
//! exceeds a fixed number of justifications nor 1 MiB (REQ-2).

use super::{
    history,
    message::decode_exactly,
    protocol::{
        history_protocol_name, justifications_protocol_name, HISTORY_TIMEOUT, INBOUND_REQUESTS,
        MAX_HISTORY_RESPONSE_SIZE, MAX_JUSTIFICATIONS, MAX_REQUEST_SIZE, MAX_RESPONSE_SIZE,
        REQUEST_TIMEOUT,
    },
    reputation::Conduct,
};
use crate::{
    client::{Metrics, Store, StoreError},
    LOG_TARGET,
};
use codec::{Compact, Decode, Encode};
use duet_primitives::{SetId, UncheckedJustification, H256};
use futures::{channel::oneshot, stream, FutureExt, StreamExt};
use sc_network::{
    request_responses::{IncomingRequest, OutgoingResponse},
    IfDisconnected, NetworkBackend, NetworkRequest, ProtocolName, RequestFailure,
};
use sc_network_types::PeerId;
use schnellru::{ByLength, LruMap};
use sp_runtime::traits::Block as BlockT;
use std::{
    future::Future,
    time::{Duration, Instant},
};

/// How many requests of one peer are served in each [`QUOTA_PERIOD`].
const QUOTA: u32 = 20;
/// See [`QUOTA`].
const QUOTA_PERIOD: Duration = Duration::from_secs(10);
/// Peers whose requests are counted.
const QUOTA_PEERS: u32 = 512;

/// Asks for mandatory justifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) struct JustificationsRequest {
    /// The first set whose mandatory justification is wanted.
    pub(crate) first_set: SetId,
    /// Of how many sets in order, that one included.
    pub(crate) count: u8,
}

/// Why a request is not served.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// Its bytes are no request.
    #[error("REQ-2: the request does not decode")]
    Malformed,
    /// It asks for none, or for too many.
    #[error("REQ-2: {got} justifications were asked for, 1 to {limit} are allowed")]
    Count {
        /// The most that is allowed.
        limit: u8,
        /// What was asked for.
        got: u8,
    },
    /// Its sender has used up its share.
    #[error("REQ-2: the peer asks too often")]
    TooOften,
    /// The fault is ours.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Refusal {
    pub(super) fn conduct(&self) -> Option<Conduct> {
        match self {
            Self::Malformed | Self::Count { .. } => Some(Conduct::BadRequest),
            Self::TooOften => Some(Conduct::TooManyRequests),
            Self::Store(_) => None,
        }
    }
}

/// Serves requests, once [`run`](crate::run) drives it.
pub struct Server {
    justifications: async_channel::Receiver<IncomingRequest>,
    history: async_channel::Receiver<IncomingRequest>,
}

/// Registers the two request-response protocols with a network back end: that for missing justifications, and
/// that for the past.
///
/// The server goes into [`Params`](crate::Params), both configurations to the network.
pub fn handler<B: BlockT, N: NetworkBackend<B, B::Hash>>(
    genesis_hash: H256,
    fork_id: Option<&str>,
) -> (Server, [N::RequestResponseProtocolConfig; 2]) {
    let (to_justifications, justifications) = async_channel::bounded(INBOUND_REQUESTS);
    let (to_history, history) = async_channel::bounded(INBOUND_REQUESTS);
    let configs = [
        N::request_response_config(
            justifications_protocol_name(genesis_hash, fork_id),
            Vec::new(),
            MAX_REQUEST_SIZE,
            MAX_RESPONSE_SIZE,
            REQUEST_TIMEOUT,
            Some(to_justifications),
        ),
        N::request_response_config(
            history_protocol_name(genesis_hash, fork_id),
            Vec::new(),
            MAX_REQUEST_SIZE,
            MAX_HISTORY_RESPONSE_SIZE,
            HISTORY_TIMEOUT,
            Some(to_history),
        ),
    ];
    let server = Server {
        justifications,
        history,
    };
    (server, configs)
}

/// Asks a peer that is connected. What comes is the bytes of its answer, or why there are none.
pub(crate) fn ask<N: NetworkRequest + 'static>(
    network: &N,
    peer: PeerId,
    protocol: ProtocolName,
    request: Vec<u8>,
) -> impl Future<Output = Result<Vec<u8>, RequestFailure>> + Send + 'static {
    let (sender, receiver) = oneshot::channel();
    network.start_request(
        peer,
        protocol,
        request,
        None,
        sender,
        IfDisconnected::ImmediateError,
    );
    receiver.map(|answer| match answer {
        Ok(answer) => answer.map(|(bytes, _)| bytes),
        Err(oneshot::Canceled) => Err(RequestFailure::NotConnected),
    })
}

/// Makes the answer to a request of one of the protocols.
type Answer = fn(&Store, &[u8]) -> Result<Vec<u8>, Refusal>;

impl Server {
    /// A server over queues of requests: for justifications, and for the past.
    #[cfg(test)]
    pub(crate) fn over(
        justifications: async_channel::Receiver<IncomingRequest>,
        history: async_channel::Receiver<IncomingRequest>,
    ) -> Self {
        Self {
            justifications,
            history,
        }
    }

    /// Serves until the network shuts down.
    pub(crate) async fn run(self, store: Store, metrics: Metrics) {
        let justifications = self
            .justifications
            .map(|request| (request, answer as Answer));
        let history = self
            .history
            .map(|request| (request, history::answer as Answer));
        let mut incoming = stream::select(justifications, history);
        let mut quota = Quota::default();
        while let Some((request, answer)) = incoming.next().await {
            let IncomingRequest {
                peer,
                payload,
                pending_response,
            } = request;
            let answer = quota
                .take(peer, Instant::now())
                .and_then(|()| answer(&store, &payload));
            let response = match answer {
                Ok(bytes) => {
                    metrics.requests_served.inc();
                    OutgoingResponse {
                        result: Ok(bytes),
                        reputation_changes: Vec::new(),
                        sent_feedback: None,
                    }
                }
                Err(refusal) => {
                    metrics.requests_refused.inc();
                    log::debug!(target: LOG_TARGET, "request of {peer} refused: {refusal}");
                    let conduct = refusal.conduct();
                    OutgoingResponse {
                        result: Err(()),
                        reputation_changes: conduct.map(Conduct::reputation).into_iter().collect(),
                        sent_feedback: None,
                    }
                }
            };
            // The peer may have left; then nobody misses the answer.
            if pending_response.send(response).is_err() {
                log::debug!(target: LOG_TARGET, "{peer} left before its request was answered");
            }
        }
    }
}

/// REQ-1, REQ-2: decodes a request and collects the response.
fn answer(store: &Store, payload: &[u8]) -> Result<Vec<u8>, Refusal> {
    let JustificationsRequest { first_set, count } =
        decode_exactly(payload).ok_or(Refusal::Malformed)?;
    if !(1..=MAX_JUSTIFICATIONS).contains(&count) {
        return Err(Refusal::Count {
            limit: MAX_JUSTIFICATIONS,
            got: count,
        });
    }
    let found = store.mandatory_justifications(first_set, count.into())?;
    Ok(fitting(found).encode())
}

/// As many of `found` as one response may hold.
fn fitting(mut found: Vec<UncheckedJustification>) -> Vec<UncheckedJustification> {
    let limit = usize::try_from(MAX_RESPONSE_SIZE).unwrap_or(usize::MAX);
    let mut size = Compact(u32::MAX).encoded_size();
    let fits = found
        .iter()
        .take_while(|justification| {
            size += justification.encoded_size();
            size <= limit
        })
        .count();
    found.truncate(fits);
    found
}

/// Decodes what an asked peer answered; at most `count` justifications. (REQ-2)
pub(crate) fn decode_response(bytes: &[u8], count: u8) -> Option<Vec<UncheckedJustification>> {
    let found: Vec<UncheckedJustification> = decode_exactly(bytes)?;
    (found.len() <= usize::from(count)).then_some(found)
}

/// REQ-2: how many requests each peer has left in its period.
struct Quota {
    peers: LruMap<PeerId, (Instant, u32), ByLength>,
}

impl Default for Quota {
    fn default() -> Self {
        Self {
            peers: LruMap::new(ByLength::new(QUOTA_PEERS)),
        }
    }
}

impl Quota {
    fn take(&mut self, peer: PeerId, now: Instant) -> Result<(), Refusal> {
        let fresh = (now, 0);
        let Some(entry) = self.peers.get_or_insert(peer, || fresh) else {
            return Ok(());
        };
        if now.duration_since(entry.0) >= QUOTA_PERIOD {
            *entry = fresh;
        }
        if entry.1 >= QUOTA {
            return Err(Refusal::TooOften);
        }
        entry.1 += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::testing::MemoryAux;
    use duet_primitives::{testing::TestSet, RoundMessage};
    use std::sync::Arc;

    /// A store in which the sets `0..sets` have handed over.
    fn store(sets: u64) -> Store {
        let store = Store::new(Arc::new(MemoryAux::default()));
        for id in 0..sets {
            let (set, next) = (TestSet::new(id, 0..4), TestSet::new(id + 1, 0..4));
            let number = u32::try_from(id + 1).unwrap() * 10;
            let message = RoundMessage::new(H256::zero(), set.commitment(number, &next.set));
            let justification = set.justify(&message, 0..3).into_unchecked();
            store.put_best(&justification, true).unwrap();
        }
        store
    }

    fn ask(store: &Store, first_set: SetId, count: u8) -> Result<Vec<u8>, Refusal> {
        answer(store, &JustificationsRequest { first_set, count }.encode())
    }

    #[test]
    fn the_sets_asked_for_are_served_in_order_as_far_as_known() {
        let store = store(5);
        let found = decode_response(&ask(&store, 1, 3).unwrap(), 3).unwrap();
        let ids: Vec<_> = found
            .iter()
            .map(|one| one.commitment.validator_set_id)
            .collect();
        assert_eq!(ids, [1, 2, 3]);
        let found = decode_response(&ask(&store, 3, 64).unwrap(), 64).unwrap();
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn who_has_nothing_of_what_is_asked_says_so() {
        for (first_set, count) in [(2, 1), (u64::MAX, 2)] {
            let answer = ask(&store(2), first_set, count).unwrap();
            assert!(decode_response(&answer, count).unwrap().is_empty());
        }
    }

    #[test]
    fn a_request_that_does_not_decode_or_asks_for_too_much_is_blamed() {
        let store = store(1);
        let mut long = JustificationsRequest {
            first_set: 0,
            count: 1,
        }
        .encode();
        long.push(0);
        for payload in [&long[..], &long[..3], &[]] {
            let refusal = answer(&store, payload).unwrap_err();
            assert_eq!(refusal.conduct(), Some(Conduct::BadRequest));
        }
        for count in [0, MAX_JUSTIFICATIONS + 1, u8::MAX] {
            assert_eq!(
                ask(&store, 0, count).unwrap_err().conduct(),
                Some(Conduct::BadRequest)
            );
        }
    }

    #[test]
    fn the_request_is_nine_bytes_and_fits_its_limit() {
        let request = JustificationsRequest {
            first_set: 0x0102,
            count: 3,
        };
        assert_eq!(request.encode(), [2, 1, 0, 0, 0, 0, 0, 0, 3]);
        assert!(u64::try_from(request.encoded_size()).unwrap() <= MAX_REQUEST_SIZE);
    }

    #[test]
    fn a_response_never_exceeds_its_limit() {
        let mut one = store(1).handover(0).unwrap().unwrap();
        one.signers = duet_primitives::Bitfield::empty(duet_primitives::suite::MAX_VALIDATORS);
        let limit = usize::try_from(MAX_RESPONSE_SIZE).unwrap();
        let fitting = fitting(vec![one; 200]);
        assert!(fitting.encoded_size() <= limit);
        assert!(fitting.len() < 200 && !fitting.is_empty());
    }

    #[test]
    fn a_response_with_more_than_was_asked_for_is_refused() {
        let bytes = ask(&store(4), 0, 4).unwrap();
        assert!(decode_response(&bytes, 3).is_none());
        assert!(decode_response(&bytes, 4).is_some());
        assert!(decode_response(&bytes[..bytes.len() - 1], 4).is_none());
        let none = Vec::<UncheckedJustification>::new().encode();
        assert_eq!(decode_response(&none, 4).map(|list| list.len()), Some(0));
    }

    #[test]
    fn a_peer_that_asks_too_often_is_refused_until_its_period_ends() {
        let (mut quota, peer, start) = (Quota::default(), PeerId::random(), Instant::now());
        for _ in 0..QUOTA {
            assert!(quota.take(peer, start).is_ok());
        }
        let refusal = quota.take(peer, start).unwrap_err();
        assert_eq!(refusal.conduct(), Some(Conduct::TooManyRequests));
        assert!(quota.take(PeerId::random(), start).is_ok());
        assert!(quota.take(peer, start + QUOTA_PERIOD).is_ok());
    }
}
