//! Sending to other nodes and asking them, behind a trait without generic parameters, with an implementation over the
//! SDK's gossip engine and request-response protocols.

use crate::{
    clock::Clock,
    message::GossipMessage,
    metrics::Metrics,
    protocol::{gossip_protocol_name, history_protocol_name, justifications_protocol_name},
    reputation::PeerBehaviour,
    requests::{history::HistoryRequest, justifications::JustificationsRequest},
    validation::Checked,
    validator::{verify, GossipValidator, Queues, Settings},
};
use codec::Encode;
use duet_primitives::{UncheckedJustification, Vote, H256};
use futures::{channel::oneshot, future::BoxFuture, stream::Fuse, FutureExt, Stream, StreamExt};
use sc_network::{
    IfDisconnected, NetworkPeers, NetworkRequest, NotificationService, ProtocolName, RequestFailure,
};
use sc_network_gossip::{GossipEngine, Network as GossipNetwork, Syncing as GossipSyncing};
use sc_network_types::PeerId;
use sp_consensus::SyncOracle;
use sp_runtime::traits::Block as BlockT;
use std::{
    future::Future,
    num::NonZeroUsize,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread,
};

/// A question to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// For handoff justifications that this node misses. (REQ-1)
    Justifications(JustificationsRequest),
    /// For the history before this node began. (REQ-3)
    History(HistoryRequest),
}

/// The outcome of a question: the bytes of the response, or why there are none.
pub type Answer = BoxFuture<'static, Result<Vec<u8>, RequestFailure>>;

/// Sends to other nodes and asks them.
pub trait Network: Send + Sync {
    /// Sends an own vote to all peers, and keeps it for those that connect later.
    fn publish_vote(&self, vote: &Vote);

    /// Sends a proof to all peers, and keeps it for those that connect later.
    fn publish_justification(&self, justification: UncheckedJustification);

    /// The peers that speak the gossip protocol, those that are furthest first.
    fn peers(&self) -> Vec<PeerId>;

    /// Asks a peer that is connected.
    fn ask(&self, peer: PeerId, question: Question) -> Answer;

    /// Reports to the network what a peer did.
    fn report(&self, peer: PeerId, behaviour: PeerBehaviour);

    /// Whether this node is catching up with the chain.
    fn is_syncing(&self) -> bool;
}

/// What the SDK provides of the network.
pub struct Endpoints<N, S> {
    /// The network.
    pub network: N,
    /// The syncing service.
    pub sync: S,
    /// From [`peers_set_config`](crate::peers_set_config).
    pub notification_service: Box<dyn NotificationService>,
    /// The fork id of the chain specification, as it was given to the protocol names.
    pub fork_id: Option<String>,
}

/// The parts of a node that joined the protocols.
pub struct Joined {
    /// Sends to other nodes and asks them.
    pub network: Arc<dyn Network>,
    /// Validates what they send; follows the voter.
    pub validator: Arc<GossipValidator>,
    /// Accepted messages from other nodes.
    pub checked: async_channel::Receiver<Checked>,
    /// Drives the gossip engine; ends when the network shuts down. It goes over all messages and peers from time to time,
    /// so it runs in a task of its own.
    pub engine: BoxFuture<'static, ()>,
    /// Check what peers send; end when the engine does. Each runs in a thread of its own, because it computes.
    pub verifiers: Vec<BoxFuture<'static, ()>>,
}

/// How many threads check what peers send: half of those that the machine has, and never more than a few, because the
/// rest of the node needs some too.
fn verifiers() -> usize {
    const MOST: usize = 4;
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    (threads / 2).clamp(1, MOST)
}

/// Joins the gossip protocol of the chain in `settings`.
pub fn join<B, N, S>(
    endpoints: Endpoints<N, S>,
    settings: Settings,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
) -> Joined
where
    B: BlockT<Hash = H256>,
    N: GossipNetwork<B> + NetworkRequest + Clone + Send + Sync + 'static,
    S: GossipSyncing<B> + SyncOracle + Clone + Send + Sync + 'static,
{
    let Endpoints {
        network,
        sync,
        notification_service,
        fork_id,
    } = endpoints;
    let (genesis_hash, fork_id) = (settings.genesis_hash, fork_id.as_deref());
    let (validator, queues) =
        GossipValidator::new(settings, Box::new(network.clone()), clock, metrics);
    let Queues { checked, outgoing } = queues;
    let validator = Arc::new(validator);
    let engine = GossipEngine::<B>::new(
        network.clone(),
        sync.clone(),
        notification_service,
        gossip_protocol_name(genesis_hash, fork_id),
        validator.clone(),
        // The engine's metrics have no label for the protocol, and GRANDPA's engine has registered them.
        None,
    );
    let engine = Engine {
        engine,
        outgoing: outgoing.fuse(),
        validator: validator.clone(),
    };
    let verifiers = (0..verifiers())
        .map(|_| verify(validator.clone()).boxed())
        .collect();
    let network = SdkNetwork {
        network,
        sync,
        validator: validator.clone(),
        justifications: justifications_protocol_name(genesis_hash, fork_id),
        history: history_protocol_name(genesis_hash, fork_id),
    };
    Joined {
        network: Arc::new(network),
        validator,
        checked,
        engine: engine.boxed(),
        verifiers,
    }
}

/// How many messages are given to the engine before it may do something else.
const OUTGOING_AT_ONCE: usize = 64;

/// The gossip engine of the SDK, and what it is to send.
struct Engine<B: BlockT> {
    engine: GossipEngine<B>,
    outgoing: Fuse<async_channel::Receiver<GossipMessage>>,
    validator: Arc<GossipValidator>,
}

impl<B: BlockT<Hash = H256>> Engine<B> {
    /// Gives the engine a message to keep and to send. One that it keeps goes to the peers that do not have it yet: if it
    /// were given again, it would be kept and sent twice.
    fn send(&mut self, message: &GossipMessage) {
        let (topic, bytes) = (message.topic_hash(), message.encode());
        if self.validator.keep(&bytes) {
            self.engine.gossip_message(topic, bytes, false);
        } else {
            self.engine.broadcast_topic(topic, false);
        }
    }
}

impl<B: BlockT<Hash = H256>> Future for Engine<B> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        for sent in 0..=OUTGOING_AT_ONCE {
            if sent == OUTGOING_AT_ONCE {
                context.waker().wake_by_ref();
                break;
            }
            match Pin::new(&mut self.outgoing).poll_next(context) {
                Poll::Ready(Some(message)) => self.send(&message),
                Poll::Ready(None) | Poll::Pending => break,
            }
        }
        self.engine.poll_unpin(context)
    }
}

impl<B: BlockT> Drop for Engine<B> {
    fn drop(&mut self) {
        self.validator.close();
    }
}

/// The network of the SDK.
struct SdkNetwork<N, S> {
    network: N,
    sync: S,
    validator: Arc<GossipValidator>,
    justifications: ProtocolName,
    history: ProtocolName,
}

impl<N, S> Network for SdkNetwork<N, S>
where
    N: NetworkPeers + NetworkRequest + Send + Sync + 'static,
    S: SyncOracle + Send + Sync,
{
    fn publish_vote(&self, vote: &Vote) {
        self.validator
            .send(GossipMessage::Vote(vote.to_unchecked()));
    }

    fn publish_justification(&self, justification: UncheckedJustification) {
        self.validator
            .send(GossipMessage::Justification(justification));
    }

    fn peers(&self) -> Vec<PeerId> {
        self.validator.peers()
    }

    fn ask(&self, peer: PeerId, question: Question) -> Answer {
        let (protocol, request) = match question {
            Question::Justifications(request) => (&self.justifications, request.encode()),
            Question::History(request) => (&self.history, request.encode()),
        };
        let (sender, receiver) = oneshot::channel();
        self.network.start_request(
            peer,
            protocol.clone(),
            request,
            None,
            sender,
            IfDisconnected::ImmediateError,
        );
        let answer = receiver.map(|answer| match answer {
            Ok(answer) => answer.map(|(bytes, _)| bytes),
            Err(oneshot::Canceled) => Err(RequestFailure::NotConnected),
        });
        answer.boxed()
    }

    fn report(&self, peer: PeerId, behaviour: PeerBehaviour) {
        self.network.report_peer(peer, behaviour.reputation());
    }

    fn is_syncing(&self) -> bool {
        self.sync.is_major_syncing()
    }
}
