//! Sending to other nodes and asking them, behind a trait without generic parameters, with an implementation over the
//! SDK's gossip engine and request-response protocols.

use crate::{
    clock::Clock,
    message::GossipMessage,
    metrics::Metrics,
    protocol::{gossip_protocol_name, history_protocol_name, justifications_protocol_name},
    reputation::PeerBehaviour,
    requests::{history::HistoryRequest, justifications::JustificationsRequest},
    topic::{Kind, Topic},
    validation::Checked,
    validator::{GossipValidator, Settings},
};
use codec::Encode;
use duet_primitives::{Commitment, UncheckedJustification, Vote, H256};
use futures::{
    channel::oneshot,
    future::{self, BoxFuture},
    FutureExt,
};
use parking_lot::Mutex;
use sc_network::{
    IfDisconnected, NetworkRequest, NotificationService, ProtocolName, RequestFailure,
};
use sc_network_gossip::{GossipEngine, Network as GossipNetwork, Syncing as GossipSyncing};
use sc_network_types::PeerId;
use sp_consensus::SyncOracle;
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

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
    /// Drives the gossip engine; ends when the network shuts down.
    pub engine: BoxFuture<'static, ()>,
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
    let (validator, checked) =
        GossipValidator::new(settings, Box::new(network.clone()), clock, metrics);
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
    let engine = Arc::new(Mutex::new(engine));
    let network = SdkNetwork {
        engine: engine.clone(),
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
        engine: future::poll_fn(move |context| engine.lock().poll_unpin(context)).boxed(),
    }
}

/// The network of the SDK.
struct SdkNetwork<B: BlockT, N, S> {
    /// Shared with the future that drives it, in the same task: nobody waits for the lock.
    engine: Arc<Mutex<GossipEngine<B>>>,
    network: N,
    sync: S,
    validator: Arc<GossipValidator>,
    justifications: ProtocolName,
    history: ProtocolName,
}

impl<B: BlockT<Hash = H256>, N, S> SdkNetwork<B, N, S> {
    fn publish(&self, kind: Kind, commitment: &Commitment, message: &GossipMessage) {
        let topic = Topic::own(kind, commitment).to_hash();
        self.engine
            .lock()
            .gossip_message(topic, message.encode(), false);
    }
}

impl<B, N, S> Network for SdkNetwork<B, N, S>
where
    B: BlockT<Hash = H256>,
    N: GossipNetwork<B> + NetworkRequest + Send + Sync + 'static,
    S: SyncOracle + Send + Sync,
{
    fn publish_vote(&self, vote: &Vote) {
        let message = GossipMessage::Vote(vote.to_unchecked());
        self.publish(Kind::Vote, vote.commitment(), &message);
    }

    fn publish_justification(&self, justification: UncheckedJustification) {
        let commitment = justification.commitment.clone();
        let message = GossipMessage::Justification(justification);
        self.publish(Kind::Justification, &commitment, &message);
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
