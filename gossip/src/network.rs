//! Sends to other nodes and queries them, behind a trait without generic parameters, with an implementation over the
//! gossip engine and the SDK's request-response protocols.

use crate::{
    clock::Clock,
    engine::{self, Engine},
    message::GossipMessage,
    metrics::Metrics,
    protocol::{HISTORY, JUSTIFICATIONS},
    reputation::PeerBehaviour,
    requests::{history::HistoryRequest, justifications::JustificationsRequest},
    validation::Checked,
    validator::{verify, GossipValidator, Queues, Settings},
    LOG_TARGET,
};
use codec::Encode;
use duet_primitives::{UncheckedJustification, Vote};
use duet_voter::Millis;
use futures::{
    channel::oneshot,
    future::{self, BoxFuture},
    stream::BoxStream,
    FutureExt, StreamExt,
};
use sc_network::{
    IfDisconnected, NetworkPeers, NetworkRequest, NotificationService, ProtocolName, RequestFailure,
};
use sc_network_sync::{SyncEvent, SyncEventStream};
use sc_network_types::{
    multiaddr::{Multiaddr, Protocol},
    PeerId,
};
use sp_consensus::SyncOracle;
use std::{num::NonZeroUsize, sync::Arc, thread};

/// A request to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Requests handoff justifications that this node misses. (REQ-1)
    Justifications(JustificationsRequest),
    /// Requests the history before this node began. (REQ-3)
    History(HistoryRequest),
}

/// The outcome of a request: the bytes of the response, or the reason for the failure.
pub type Answer = BoxFuture<'static, Result<Vec<u8>, RequestFailure>>;

/// Sends to other nodes and queries them.
pub trait Network: Send + Sync {
    /// Sends an own vote to all peers, and keeps it for peers that connect later.
    fn publish_vote(&self, vote: &Vote);

    /// Sends a proof to all peers, and keeps it for peers that connect later.
    fn publish_justification(&self, justification: UncheckedJustification);

    /// The peers that speak the gossip protocol, most advanced first.
    fn peers(&self) -> Vec<PeerId>;

    /// Sends a request to a connected peer.
    fn ask(&self, peer: PeerId, question: Question) -> Answer;

    /// Reports a peer's behaviour to the network.
    fn report(&self, peer: PeerId, behaviour: PeerBehaviour);

    /// Whether the network has closed, or is about to close, the connection because of the peer's behaviour.
    fn is_banned(&self, peer: &PeerId) -> bool;

    /// Whether this node is catching up with the chain.
    fn is_syncing(&self) -> bool;
}

/// The SDK's network services.
pub struct Endpoints<N, S> {
    /// The network.
    pub network: N,
    /// The syncing service.
    pub sync: S,
    /// From [`peers_set_config`](crate::peers_set_config).
    pub notification_service: Box<dyn NotificationService>,
    /// The chain specification's fork id, as in the protocol names.
    pub fork_id: Option<String>,
    /// The interval after which messages are sent to peers again. (GOSSIP-8)
    pub rebroadcast: Millis,
}

/// The parts of a node that joined the protocols.
pub struct Joined {
    /// Sends to other nodes and queries them.
    pub network: Arc<dyn Network>,
    /// Validates incoming messages; follows the voter.
    pub validator: Arc<GossipValidator>,
    /// Accepted messages from other nodes.
    pub checked: async_channel::Receiver<Checked>,
    /// The gossip engine, and the task that tells the network which peers to connect; ends when the network shuts
    /// down. It has much to do in small portions, so it runs in a task of its own.
    pub engine: BoxFuture<'static, ()>,
    /// Check incoming messages; end when the engine does. Each runs in a separate thread, because it computes.
    pub verifiers: Vec<BoxFuture<'static, ()>>,
}

/// How many threads check incoming messages: half of the machine's, but never more than a few, because the rest of
/// the node needs some too.
fn verifiers() -> usize {
    const MOST: usize = 4;
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    (threads / 2).clamp(1, MOST)
}

/// Joins the gossip protocol of the chain in `settings`.
pub fn join<N, S>(
    endpoints: Endpoints<N, S>,
    settings: Settings,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
) -> Joined
where
    N: NetworkPeers + NetworkRequest + Clone + Send + Sync + 'static,
    S: SyncEventStream + SyncOracle + Send + Sync + 'static,
{
    let Endpoints {
        network,
        sync,
        mut notification_service,
        fork_id,
        rebroadcast,
    } = endpoints;
    settings.interest.announce(&mut *notification_service);
    let (genesis_hash, fork_id) = (settings.genesis_hash, fork_id.as_deref());
    let (validator, queues) =
        GossipValidator::new(settings, Box::new(network.clone()), metrics.clone());
    let Queues { checked, orders } = queues;
    let validator = Arc::new(validator);
    let reserved = reserve(
        sync.event_stream("duet-gossip").boxed(),
        network.clone(),
        notification_service.protocol().clone(),
    );
    let engine = Engine::new(engine::Parts {
        events: engine::events(notification_service),
        validator: validator.clone(),
        orders,
        rebroadcast,
        clock,
        metrics,
    });
    let verify = |_| verify(validator.clone()).boxed();
    let verifiers = (0..verifiers()).map(verify).collect();
    Joined {
        network: Arc::new(SdkNetwork {
            network,
            sync,
            validator: validator.clone(),
            justifications: JUSTIFICATIONS.names(genesis_hash, fork_id).newest,
            history: HISTORY.names(genesis_hash, fork_id).newest,
        }),
        validator,
        checked,
        engine: future::select(engine, reserved.boxed()).map(drop).boxed(),
        verifiers,
    }
}

/// Makes the network connect the gossip protocol with the node's sync peers, and with no others. Ends when the
/// syncing service does.
async fn reserve<N: NetworkPeers>(
    mut events: BoxStream<'static, SyncEvent>,
    network: N,
    protocol: ProtocolName,
) {
    while let Some(event) = events.next().await {
        let done = match event {
            SyncEvent::PeerConnected { peer_id, .. } => {
                let address = Multiaddr::empty().with(Protocol::P2p(*peer_id.as_ref()));
                network.add_peers_to_reserved_set(protocol.clone(), [address].into())
            }
            SyncEvent::PeerDisconnected(peer) => {
                network.remove_peers_from_reserved_set(protocol.clone(), vec![peer])
            }
        };
        if let Err(error) = done {
            log::error!(target: LOG_TARGET, "cannot change the peers of {protocol}: {error}");
        }
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
        self.validator.report(&peer, behaviour);
    }

    fn is_banned(&self, peer: &PeerId) -> bool {
        self.validator.is_banned(peer)
    }

    fn is_syncing(&self) -> bool {
        self.sync.is_major_syncing()
    }
}
