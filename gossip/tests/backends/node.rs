//! A node that consists of a network back end and the gossip of this crate.

use crate::{
    tap::{Tap, PATIENCE},
    votes::{Votes, FIRST, GENESIS},
};
use duet_gossip::{
    clock::SystemClock, join, metrics::Metrics, peers_set_config, Checked, Endpoints,
    GossipValidator, Interest, Joined, Network, Protocol, Settings, GOSSIP,
};
use duet_primitives::{BlockNumber, H256};
use duet_voter::Millis;
use futures::{
    channel::mpsc::{unbounded, UnboundedSender},
    executor::block_on,
    Stream, StreamExt,
};
use parking_lot::Mutex;
use sc_network::{
    config::{
        FullNetworkConfiguration, NetworkConfiguration, NonReservedPeerMode, NotificationHandshake,
        Params, ProtocolId, Role, SetConfig,
    },
    service::traits::{NetworkService, PeerStore},
    NetworkBackend, NotificationMetrics, NotificationService, Roles,
};
use sc_network_sync::{SyncEvent, SyncEventStream};
use sc_network_types::{multiaddr::Multiaddr, PeerId};
use sp_consensus::SyncOracle;
use sp_runtime::{
    generic::{Block as GenericBlock, Header},
    traits::BlakeTwo256,
    OpaqueExtrinsic,
};
use std::{
    pin::Pin,
    sync::{
        mpsc::{self, RecvTimeoutError},
        Arc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tokio::runtime::{Builder, Runtime};

pub(crate) type Block = GenericBlock<Header<u32, BlakeTwo256>, OpaqueExtrinsic>;

/// Longest block announcement; none is sent.
const MAX_ANNOUNCEMENT: u64 = 1024;

/// A node on loopback.
pub(crate) struct Node {
    /// Its identity.
    pub(crate) id: PeerId,
    /// What the node calls to send.
    pub(crate) network: Arc<dyn Network>,
    /// Follows the voter, which is the test.
    pub(crate) validator: Arc<GossipValidator>,
    /// What its gossip sent and received.
    pub(crate) tap: Tap,
    service: Arc<dyn NetworkService>,
    sync: Arc<Sync>,
    /// Nothing is announced, but the protocol ends with its service.
    _announcements: Box<dyn NotificationService>,
    runtime: Option<Runtime>,
    verifiers: Vec<JoinHandle<()>>,
}

impl Node {
    /// A node with this back end that sends again what its peers have after `rebroadcast`, and accepts these votes.
    pub(crate) fn start<N: NetworkBackend<Block, H256>>(
        rebroadcast: Duration,
        votes: &Votes,
    ) -> Self {
        Self::start_as::<N>(Interest::Votes, GOSSIP, rebroadcast, votes)
    }

    /// As [`Node::start`], of a node that wants to hear this, and speaks these versions of the protocol.
    pub(crate) fn start_as<N: NetworkBackend<Block, H256>>(
        interest: Interest,
        protocol: Protocol,
        rebroadcast: Duration,
        votes: &Votes,
    ) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("threads to run on");
        let entered = runtime.enter();
        let tap = Tap::default();
        let Backend {
            service,
            gossip,
            announcements,
        } = Backend::start::<N>(interest, protocol, &runtime);
        let sync = Arc::new(Sync::default());
        let Joined {
            network,
            validator,
            checked,
            engine,
            verifiers,
        } = join(
            Endpoints {
                network: service.clone(),
                sync: sync.clone(),
                notification_service: tap.on(gossip),
                fork_id: None,
                rebroadcast: Millis::try_from(rebroadcast.as_millis()).expect("seconds"),
            },
            Settings {
                genesis_hash: GENESIS,
                rounds_per_signer: 32,
                interest,
            },
            Arc::new(SystemClock::start()),
            Metrics::new(None),
        );
        runtime.spawn(engine);
        runtime.spawn(work(checked));
        let verifiers = verifiers
            .into_iter()
            .map(|verifier| thread::spawn(|| block_on(verifier)))
            .collect();
        validator.update(votes.window(), BlockNumber::new(FIRST - 1));
        for round in &votes.rounds {
            validator.prepare(round);
        }
        drop(entered);
        Self {
            id: service.local_peer_id(),
            network,
            validator,
            tap,
            service,
            sync,
            _announcements: announcements,
            runtime: Some(runtime),
            verifiers,
        }
    }

    /// Connects with another node, and waits until both can send.
    pub(crate) fn connect(&self, other: &Self) {
        self.service.add_known_address(other.id, other.address());
        let before = [self, other].map(|node| node.tap.log().opened);
        for (node, peer) in [(other, self), (self, other)] {
            node.sync.tell(|| SyncEvent::PeerConnected {
                peer_id: peer.id,
                roles: Roles::FULL,
            });
        }
        for (node, before) in [self, other].into_iter().zip(before) {
            node.tap
                .wait_until("a connection", |log| log.opened > before);
        }
    }

    /// Ends the connection with another node.
    pub(crate) fn disconnect(&self, other: &Self) {
        self.sync.tell(|| SyncEvent::PeerDisconnected(other.id));
    }

    /// Stops the whole node, until what this returns is dropped. It reads nothing meanwhile.
    pub(crate) fn pause(&self) -> mpsc::Sender<()> {
        let (resume, paused) = mpsc::channel::<()>();
        let (stops, stopped) = mpsc::channel();
        let runtime = self.runtime.as_ref().expect("the node runs");
        runtime.spawn(async move {
            // The only thread of the node waits here.
            let told = stops.send(());
            let resumed = paused.recv_timeout(PATIENCE);
            assert_eq!(
                (told, resumed),
                (Ok(()), Err(RecvTimeoutError::Disconnected))
            );
        });
        stopped.recv_timeout(PATIENCE).expect("the node stops");
        resume
    }

    /// Where it listens.
    fn address(&self) -> Multiaddr {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(address) = self.service.listen_addresses().into_iter().next() {
                return address;
            }
            assert!(Instant::now() < deadline, "the node does not listen");
            thread::yield_now();
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(10));
        }
        for verifier in self.verifiers.drain(..) {
            // A panic of it was printed, and a test may be failing already.
            if verifier.join().is_err() && !thread::panicking() {
                panic!("a verifier failed");
            }
        }
    }
}

/// The worker of a node, which does nothing with what it gets.
async fn work(mut checked: impl Stream<Item = Checked> + Unpin) {
    while checked.next().await.is_some() {}
}

/// A network that runs.
struct Backend {
    service: Arc<dyn NetworkService>,
    gossip: Box<dyn NotificationService>,
    announcements: Box<dyn NotificationService>,
}

impl Backend {
    fn start<N: NetworkBackend<Block, H256>>(
        interest: Interest,
        protocol: Protocol,
        runtime: &Runtime,
    ) -> Self {
        let mut network = NetworkConfiguration::new_local();
        network.enable_dht_random_walk = false;
        let mut config = FullNetworkConfiguration::<Block, H256, N>::new(&network, None);
        let peer_store = config.peer_store_handle();
        let metrics = NotificationMetrics::new(None);
        let (gossip_config, gossip) = peers_set_config::<Block, N>(
            protocol.names(GENESIS, None),
            interest,
            metrics.clone(),
            peer_store.clone(),
        );
        config.add_notification_protocol(gossip_config);
        let (block_announce_config, announcements) = N::notification_config(
            "/announcements/1".into(),
            Vec::new(),
            MAX_ANNOUNCEMENT,
            Some(NotificationHandshake::from_bytes(Vec::new())),
            SetConfig {
                in_peers: 0,
                out_peers: 0,
                reserved_nodes: Vec::new(),
                non_reserved_mode: NonReservedPeerMode::Deny,
            },
            metrics.clone(),
            peer_store.clone(),
        );
        runtime.spawn(config.take_peer_store().run());
        let handle = runtime.handle().clone();
        let backend = N::new(Params {
            role: Role::Full,
            executor: Box::new(move |task| {
                handle.spawn(task);
            }),
            network_config: config,
            protocol_id: ProtocolId::from("test"),
            genesis_hash: GENESIS,
            fork_id: None,
            metrics_registry: None,
            block_announce_config,
            ipfs_config: None,
            notification_metrics: metrics,
        })
        .expect("a network on loopback");
        let service = backend.network_service();
        runtime.spawn(backend.run());
        Self {
            service,
            gossip,
            announcements,
        }
    }
}

/// The syncing service, which tells the gossip protocol who is connected. It syncs nothing.
#[derive(Default)]
struct Sync {
    listeners: Mutex<Vec<UnboundedSender<SyncEvent>>>,
}

impl Sync {
    fn tell(&self, event: impl Fn() -> SyncEvent) {
        for listener in &*self.listeners.lock() {
            listener.unbounded_send(event()).expect("the node listens");
        }
    }
}

impl SyncEventStream for Sync {
    fn event_stream(&self, _: &'static str) -> Pin<Box<dyn Stream<Item = SyncEvent> + Send>> {
        let (sender, receiver) = unbounded();
        self.listeners.lock().push(sender);
        receiver.boxed()
    }
}

impl SyncOracle for Sync {
    fn is_major_syncing(&self) -> bool {
        false
    }

    fn is_offline(&self) -> bool {
        false
    }
}
