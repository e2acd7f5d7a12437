//! A network in memory, for tests: peers are tasks, connections are queues.

use super::Block;
use duet_gossip::GOSSIP;
use duet_primitives::H256;
use futures::{
    channel::{mpsc, oneshot},
    future::BoxFuture,
    stream, FutureExt, Stream, StreamExt,
};
use parking_lot::Mutex;
use sc_network::{
    config::MultiaddrWithPeerId,
    error,
    request_responses::{IncomingRequest, OutgoingResponse},
    service::traits::{Direction, NotificationEvent},
    IfDisconnected, MessageSink, Multiaddr, NetworkPeers, NetworkRequest, NotificationService,
    ObservedRole, ProtocolName, ReputationChange, RequestFailure,
};
use sc_network_types::PeerId;
use sp_consensus::SyncOracle;
use std::{
    collections::{HashMap, HashSet},
    pin::Pin,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        Arc,
    },
};

/// How others reach a peer.
struct Port {
    notifications: mpsc::UnboundedSender<NotificationEvent>,
    requests: async_channel::Sender<IncomingRequest>,
    history: async_channel::Sender<IncomingRequest>,
}

/// Answers on their way back.
type Deliveries = mpsc::UnboundedSender<BoxFuture<'static, ()>>;

/// What joins the peers, and what they said of each other.
#[derive(Clone)]
pub(crate) struct Hub {
    ports: Arc<Mutex<HashMap<PeerId, Port>>>,
    /// Costs that peers were charged.
    costs: Arc<Mutex<Vec<(PeerId, i32)>>>,
    deliveries: Deliveries,
    /// How many notifications were delivered.
    delivered: Arc<AtomicU64>,
}

/// One peer's way into the network.
pub(crate) struct Joined {
    pub(crate) network: TestNetwork,
    pub(crate) notifications: TestNotifications,
    pub(crate) requests: async_channel::Receiver<IncomingRequest>,
    pub(crate) history: async_channel::Receiver<IncomingRequest>,
}

fn opened(peer: PeerId) -> NotificationEvent {
    NotificationEvent::NotificationStreamOpened {
        peer,
        direction: Direction::Inbound,
        handshake: Vec::new(),
        negotiated_fallback: None,
    }
}

impl Hub {
    /// A network without peers, and the task that delivers its answers.
    pub(crate) fn new() -> (Self, BoxFuture<'static, ()>) {
        let (deliveries, pending) = mpsc::unbounded();
        let hub = Self {
            ports: Arc::default(),
            costs: Arc::default(),
            deliveries,
            delivered: Arc::default(),
        };
        (
            hub,
            pending.for_each_concurrent(None, |answer| answer).boxed(),
        )
    }

    /// Connects a peer with all others.
    pub(crate) fn join(&self, me: PeerId) -> Joined {
        let (notifications, events) = mpsc::unbounded();
        let (to_server, requests) = async_channel::bounded(16);
        let (to_history, history) = async_channel::bounded(16);
        let mut ports = self.ports.lock();
        for (peer, port) in ports.iter() {
            notifications.unbounded_send(opened(*peer)).unwrap();
            port.notifications.unbounded_send(opened(me)).unwrap();
        }
        ports.insert(
            me,
            Port {
                notifications,
                requests: to_server,
                history: to_history,
            },
        );
        let (hub, protocol) = (self.clone(), GOSSIP.names(H256::zero(), None).newest);
        Joined {
            network: TestNetwork {
                hub: hub.clone(),
                me,
            },
            notifications: TestNotifications {
                hub,
                me,
                events,
                protocol,
            },
            requests,
            history,
        }
    }

    /// Cuts a peer off; its event streams end.
    pub(crate) fn leave(&self, me: &PeerId) {
        let mut ports = self.ports.lock();
        ports.remove(me);
        for port in ports.values() {
            let event = NotificationEvent::NotificationStreamClosed { peer: *me };
            port.notifications.unbounded_send(event).unwrap();
        }
    }

    /// Sends bytes to everybody, as an adversary does.
    pub(crate) fn flood(&self, from: PeerId, notification: &[u8]) {
        for (peer, port) in self.ports.lock().iter() {
            if *peer != from {
                let notification = notification.to_vec();
                let event = NotificationEvent::NotificationReceived {
                    peer: from,
                    notification,
                };
                port.notifications.unbounded_send(event).unwrap();
            }
        }
    }

    /// Delivers a notification, unless its receiver is gone.
    fn deliver(&self, from: PeerId, to: &PeerId, notification: Vec<u8>) {
        if let Some(port) = self.ports.lock().get(to) {
            self.delivered.fetch_add(1, Ordering::Relaxed);
            let event = NotificationEvent::NotificationReceived {
                peer: from,
                notification,
            };
            port.notifications.unbounded_send(event).unwrap();
        }
    }

    /// How many notifications peers have sent each other.
    pub(crate) fn delivered(&self) -> u64 {
        self.delivered.load(Ordering::Relaxed)
    }

    /// What a peer was charged in all.
    pub(crate) fn cost_of(&self, peer: &PeerId) -> i32 {
        let costs = self.costs.lock();
        costs
            .iter()
            .filter(|(who, cost)| who == peer && *cost < 0)
            .map(|(_, cost)| cost)
            .sum()
    }
}

/// A peer's end of the gossip protocol.
pub(crate) struct TestNotifications {
    hub: Hub,
    me: PeerId,
    events: mpsc::UnboundedReceiver<NotificationEvent>,
    protocol: ProtocolName,
}

impl std::fmt::Debug for TestNotifications {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "notifications of {}", self.me)
    }
}

#[async_trait::async_trait]
impl NotificationService for TestNotifications {
    async fn open_substream(&mut self, _: PeerId) -> Result<(), ()> {
        Ok(())
    }

    async fn close_substream(&mut self, _: PeerId) -> Result<(), ()> {
        Ok(())
    }

    fn send_sync_notification(&mut self, peer: &PeerId, notification: Vec<u8>) {
        self.hub.deliver(self.me, peer, notification);
    }

    async fn send_async_notification(
        &mut self,
        peer: &PeerId,
        notification: Vec<u8>,
    ) -> Result<(), error::Error> {
        self.send_sync_notification(peer, notification);
        Ok(())
    }

    async fn set_handshake(&mut self, _: Vec<u8>) -> Result<(), ()> {
        Ok(())
    }

    fn try_set_handshake(&mut self, _: Vec<u8>) -> Result<(), ()> {
        Ok(())
    }

    async fn next_event(&mut self) -> Option<NotificationEvent> {
        self.events.next().await
    }

    fn clone(&mut self) -> Result<Box<dyn NotificationService>, ()> {
        Err(())
    }

    fn protocol(&self) -> &ProtocolName {
        &self.protocol
    }

    fn message_sink(&self, peer: &PeerId) -> Option<Box<dyn MessageSink>> {
        Some(Box::new(TestSink {
            hub: self.hub.clone(),
            from: self.me,
            to: *peer,
        }))
    }
}

/// Takes notifications from a peer to another. There is always room.
struct TestSink {
    hub: Hub,
    from: PeerId,
    to: PeerId,
}

#[async_trait::async_trait]
impl MessageSink for TestSink {
    fn send_sync_notification(&self, notification: Vec<u8>) {
        self.hub.deliver(self.from, &self.to, notification);
    }

    async fn send_async_notification(&self, notification: Vec<u8>) -> Result<(), error::Error> {
        self.send_sync_notification(notification);
        Ok(())
    }
}

/// A peer's handle to the network.
#[derive(Clone)]
pub(crate) struct TestNetwork {
    hub: Hub,
    me: PeerId,
}

impl TestNetwork {
    /// The peer whose handle this is.
    pub(crate) fn peer(&self) -> PeerId {
        self.me
    }
}

#[async_trait::async_trait]
impl NetworkPeers for TestNetwork {
    fn set_authorized_peers(&self, _: HashSet<PeerId>) {}
    fn set_authorized_only(&self, _: bool) {}
    fn add_known_address(&self, _: PeerId, _: Multiaddr) {}

    fn report_peer(&self, peer: PeerId, change: ReputationChange) {
        self.hub.costs.lock().push((peer, change.value));
    }

    fn peer_reputation(&self, peer: &PeerId) -> i32 {
        let costs = self.hub.costs.lock();
        let of_peer = costs.iter().filter(|(who, _)| who == peer);
        of_peer.fold(0, |sum, (_, value)| sum.saturating_add(*value))
    }

    fn disconnect_peer(&self, _: PeerId, _: ProtocolName) {}
    fn accept_unreserved_peers(&self) {}
    fn deny_unreserved_peers(&self) {}

    fn add_reserved_peer(&self, _: MultiaddrWithPeerId) -> Result<(), String> {
        Ok(())
    }

    fn remove_reserved_peer(&self, _: PeerId) {}

    fn set_reserved_peers(&self, _: ProtocolName, _: HashSet<Multiaddr>) -> Result<(), String> {
        Ok(())
    }

    fn add_peers_to_reserved_set(
        &self,
        _: ProtocolName,
        _: HashSet<Multiaddr>,
    ) -> Result<(), String> {
        Ok(())
    }

    fn remove_peers_from_reserved_set(
        &self,
        _: ProtocolName,
        _: Vec<PeerId>,
    ) -> Result<(), String> {
        Ok(())
    }

    fn sync_num_connected(&self) -> usize {
        self.hub.ports.lock().len()
    }

    fn peer_role(&self, _: PeerId, _: Vec<u8>) -> Option<ObservedRole> {
        Some(ObservedRole::Authority)
    }

    async fn reserved_peers(&self) -> Result<Vec<PeerId>, ()> {
        Ok(Vec::new())
    }
}

type Response = Result<(Vec<u8>, ProtocolName), RequestFailure>;

#[async_trait::async_trait]
impl NetworkRequest for TestNetwork {
    async fn request(
        &self,
        target: PeerId,
        protocol: ProtocolName,
        request: Vec<u8>,
        fallback: Option<(Vec<u8>, ProtocolName)>,
        connect: IfDisconnected,
    ) -> Response {
        let (sender, receiver) = oneshot::channel();
        self.start_request(target, protocol, request, fallback, sender, connect);
        receiver.await.unwrap_or(Err(RequestFailure::NotConnected))
    }

    fn start_request(
        &self,
        target: PeerId,
        protocol: ProtocolName,
        payload: Vec<u8>,
        _: Option<(Vec<u8>, ProtocolName)>,
        answer: oneshot::Sender<Response>,
        _: IfDisconnected,
    ) {
        let (pending_response, response) = oneshot::channel::<OutgoingResponse>();
        let request = IncomingRequest {
            peer: self.me,
            payload,
            pending_response,
        };
        let sent = match self.hub.ports.lock().get(&target) {
            Some(port) if protocol.ends_with("/duet/history/1") => {
                port.history.try_send(request).is_ok()
            }
            Some(port) => port.requests.try_send(request).is_ok(),
            None => false,
        };
        let delivery = response.map(move |response| {
            let result = match response {
                Ok(OutgoingResponse {
                    result: Ok(bytes), ..
                }) if sent => Ok((bytes, protocol)),
                _ => Err(RequestFailure::Refused),
            };
            // The peer that asked may have left.
            let _ = answer.send(result);
        });
        // When the network is gone, so is the peer that asked.
        let _ = self.hub.deliveries.unbounded_send(delivery.boxed());
    }
}

/// Whether the nodes are catching up: not, unless a test says so.
#[derive(Clone, Default)]
pub(crate) struct Syncing(Arc<AtomicBool>);

impl Syncing {
    pub(crate) fn set(&self, syncing: bool) {
        self.0.store(syncing, Ordering::Relaxed);
    }
}

impl sc_network_sync::SyncEventStream for Syncing {
    fn event_stream(
        &self,
        _: &'static str,
    ) -> Pin<Box<dyn Stream<Item = sc_network_sync::SyncEvent> + Send>> {
        stream::pending().boxed()
    }
}

impl SyncOracle for Syncing {
    fn is_major_syncing(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn is_offline(&self) -> bool {
        false
    }
}

/// The hash type of the test chain is the one that is signed.
const _: fn(<Block as sp_runtime::traits::Block>::Hash) -> H256 = |hash| hash;
