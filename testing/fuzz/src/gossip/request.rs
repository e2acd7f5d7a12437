//! What peers ask, and what they are answered.

use super::{
    definition::{MOST_HANDOFFS, QUOTA},
    peer::{StoppedClock, PEERS},
};
use crate::{
    light::CHAIN,
    target::{seed, Input, Seed, Target},
};
use async_channel::Sender;
use duet_gossip::{
    metrics::Metrics,
    reputation::PeerBehaviour,
    requests::{
        history::{decode_first_set, decode_handoffs},
        justifications::decode_response,
        Server,
    },
    source::{HandoffProof, ProofSource, StartProof},
};
use duet_primitives::{SetId, UncheckedJustification};
use futures::{channel::oneshot, future::BoxFuture, FutureExt};
use sc_network::request_responses::{IncomingRequest, OutgoingResponse};
use std::{convert::Infallible, sync::Arc};

pub(super) const REQUEST: Target = Target {
    // REQ-2, REQ-3.
    name: "gossip_request",
    run: requests,
    seeds: request_seeds,
};

/// Serves the proofs of the sample chain.
struct Source;

fn handoffs(first_set: SetId, count: u32) -> Vec<HandoffProof> {
    let count = usize::try_from(count).expect("a small number");
    let last = u64::try_from(CHAIN.sets.len()).expect("few sets") - 1;
    if first_set.get() >= last {
        return Vec::new();
    }
    CHAIN.handoff_proofs(first_set.get(), count)
}

fn justifications(first_set: SetId, count: u32) -> Vec<UncheckedJustification> {
    let proofs = handoffs(first_set, count).into_iter();
    proofs.map(|proof| proof.justification).collect()
}

impl ProofSource for Source {
    type Error = Infallible;

    fn handoff_justifications(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<UncheckedJustification>, Infallible> {
        Ok(justifications(first_set, count))
    }

    fn handoff_proofs(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<HandoffProof>, Infallible> {
        Ok(handoffs(first_set, count))
    }

    fn first_set_proof(&self) -> Result<Option<StartProof>, Infallible> {
        Ok(Some(CHAIN.genesis_proof()))
    }
}

/// A server, and the queues of its two protocols.
struct Running {
    server: BoxFuture<'static, ()>,
    queues: [Sender<IncomingRequest>; 2],
}

impl Running {
    fn new() -> Self {
        let (to_justifications, justifications) = async_channel::bounded(1);
        let (to_history, history) = async_channel::bounded(1);
        let server = Server::new(justifications, history);
        Self {
            server: server
                .run(Source, Arc::new(StoppedClock), Metrics::new(None))
                .boxed(),
            queues: [to_justifications, to_history],
        }
    }

    fn answer(&mut self, protocol: usize, peer: usize, payload: &[u8]) -> OutgoingResponse {
        let (pending_response, mut response) = oneshot::channel();
        let request = IncomingRequest {
            peer: PEERS[peer],
            payload: payload.to_vec(),
            pending_response,
        };
        self.queues[protocol]
            .try_send(request)
            .expect("an empty queue");
        let ended = self.server.as_mut().now_or_never();
        assert!(ended.is_none(), "the server waits for the next request");
        response
            .try_recv()
            .expect("the server does not drop a request")
            .expect("the server does not wait")
    }
}

/// What a payload asks for, by `docs/spec/formats.md`.
enum Asked {
    Justifications(SetId, u8),
    Genesis,
    Handoffs(SetId, u8),
}

fn asked(protocol: usize, payload: &[u8]) -> Option<Asked> {
    let range = |bytes: &[u8]| {
        let (first, count) = bytes.split_first_chunk::<8>()?;
        let [count] = count else { return None };
        let allowed = (1..=MOST_HANDOFFS).contains(count);
        allowed.then_some((SetId::new(u64::from_le_bytes(*first)), *count))
    };
    match (protocol, payload) {
        (0, range_of) => range(range_of).map(|(first, count)| Asked::Justifications(first, count)),
        (_, [0]) => Some(Asked::Genesis),
        (_, [1, range_of @ ..]) => {
            range(range_of).map(|(first, count)| Asked::Handoffs(first, count))
        }
        _ => None,
    }
}

/// Requests one after the other: protocol and peer, a length, the payload. (REQ-2, REQ-3)
fn requests(data: &[u8]) {
    let mut input = Input(data);
    let mut running = Running::new();
    let mut asked_by = [0_u32; 3];
    for _ in 0..64 {
        if input.is_empty() {
            break;
        }
        let (protocol, peer) = (input.place(2), input.place(PEERS.len()));
        let len = input.place(48);
        let payload = input.take(len);
        let response = running.answer(protocol, peer, payload);
        asked_by[peer] += 1;
        if asked_by[peer] > QUOTA {
            refused(&response, PeerBehaviour::TooManyRequests);
            continue;
        }
        match asked(protocol, payload) {
            None => refused(&response, PeerBehaviour::BadRequest),
            Some(asked) => served(&response, &asked),
        }
    }
}

fn refused(response: &OutgoingResponse, behaviour: PeerBehaviour) {
    assert_eq!(response.result, Err(()));
    assert_eq!(response.reputation_changes, [behaviour.reputation()]);
}

/// The answer holds what the store has of what was asked for, nobody is blamed, and who asked can read it.
fn served(response: &OutgoingResponse, asked: &Asked) {
    assert_eq!(response.reputation_changes, []);
    let bytes = response.result.as_ref().expect("a good request is served");
    match *asked {
        Asked::Justifications(first, count) => {
            let expected = justifications(first, count.into());
            assert_eq!(decode_response(bytes, count), Ok(expected));
        }
        Asked::Genesis => assert_eq!(decode_first_set(bytes), Ok(Some(CHAIN.genesis_proof()))),
        Asked::Handoffs(first, count) => {
            assert_eq!(decode_handoffs(bytes), Ok(handoffs(first, count.into())));
        }
    }
}

fn request_seeds() -> Vec<Seed> {
    let request = |protocol: u8, peer: u8, payload: &[u8]| {
        let len = u8::try_from(payload.len()).expect("a short request");
        [&[protocol, peer, len][..], payload].concat()
    };
    let range = |first: u64, count: u8| [&first.to_le_bytes()[..], &[count]].concat();
    let of_history = |first: u64, count: u8| [&[1][..], &range(first, count)].concat();
    let mut seeds = vec![
        seed("genesis", request(1, 0, &[0])),
        seed("genesis and a byte more", request(1, 0, &[0, 0])),
        seed("an unknown question", request(1, 0, &[2])),
        seed("nothing of justifications", request(0, 0, &[])),
        seed("nothing of history", request(1, 0, &[])),
        seed("longer than a request", request(0, 0, &[1; 40])),
        seed("justifications cut", request(0, 0, &range(1, 1)[..8])),
        seed("handoffs cut", request(1, 0, &of_history(1, 1)[..9])),
    ];
    for (first, count) in [
        (0, 1),
        (1, 64),
        (2, 2),
        (3, 1),
        (u64::MAX, 64),
        (0, 0),
        (0, 65),
        (0, 255),
    ] {
        seeds.push(seed(
            format!("{count} justifications from {first}"),
            request(0, 1, &range(first, count)),
        ));
        seeds.push(seed(
            format!("{count} handoffs from {first}"),
            request(1, 2, &of_history(first, count)),
        ));
    }
    let too_often = [request(1, 0, &[0]), request(0, 1, &range(0, 1))].concat();
    seeds.push(seed("too often", too_often.repeat(22)));
    seeds
}
