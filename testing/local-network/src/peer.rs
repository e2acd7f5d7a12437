//! A peer that is not a node: it speaks the nodes' wire protocols as they are specified, and the test decides what it
//! sends.
//!
//! The peer announces itself as a full node with the genesis block only, so that the node counts it among its peers,
//! and then joins Duet's gossip. The order matters: a node gossips with its sync peers, and opens the stream to them
//! itself. So this side must accept a stream, not open one.

use crate::{wait, Error, Result};
use codec::Encode;
use duet_primitives::H256;
use futures::StreamExt;
use litep2p::{
    config::ConfigBuilder,
    protocol::notification::{
        Config as NotificationConfig, ConfigBuilder as NotificationConfigBuilder,
        NotificationEvent, NotificationHandle, NotificationSink, ValidationResult,
    },
    transport::tcp::config::Config as TcpConfig,
    types::{multiaddr::Multiaddr, protocol::ProtocolName},
    Litep2p, Litep2pEvent, PeerId,
};
use std::{fmt, time::Duration};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};

/// The time limit for a node to accept a peer.
const JOIN_LIMIT: Duration = Duration::from_secs(60);
/// The suffix of the name of Duet's gossip protocol.
const GOSSIP: &str = "duet/2";
/// The role in handshakes: a full node.
const FULL_NODE: u8 = 1;
/// The longest accepted notification.
const MAX_SIZE: usize = 1024 * 1024;
/// How many messages may wait to be written before [`Peer::deliver`] blocks.
const WRITTEN_LATER: usize = 64;

/// A peer of one node. Dropping it ends the connection.
pub struct Peer {
    incoming: mpsc::UnboundedReceiver<Vec<u8>>,
    sink: watch::Receiver<Option<NotificationSink>>,
    connection: JoinHandle<()>,
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Peer")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

impl Peer {
    /// Becomes a peer of the node at this address, and returns once both gossip. The node's gossip is kept for
    /// [`Peer::received`].
    ///
    /// # Errors
    /// [`Error::TimedOut`] or [`Error::NotLetIn`] when the node does not accept the peer, [`Error::Address`].
    pub async fn join(address: &str, genesis: H256) -> Result<Self> {
        let (received, incoming) = mpsc::unbounded_channel();
        let hear = move |message: &[u8]| {
            // The receiver is gone when the peer is being dropped.
            let _ = received.send(message.to_vec());
        };
        let mut peer = Self::join_hearing(address, genesis, hear).await?;
        peer.incoming = incoming;
        Ok(peer)
    }

    /// The same, and passes all of the node's gossip to `hear`.
    ///
    /// # Errors
    /// As for [`Peer::join`].
    pub async fn join_hearing(
        address: &str,
        genesis: H256,
        hear: impl FnMut(&[u8]) + Send + 'static,
    ) -> Result<Self> {
        Self::join_protocol(address, genesis, GOSSIP, hear).await
    }

    /// The same with another gossip protocol of the node, whose name ends with `protocol`.
    ///
    /// # Errors
    /// As for [`Peer::join`].
    pub async fn join_protocol(
        address: &str,
        genesis: H256,
        protocol: &str,
        hear: impl FnMut(&[u8]) + Send + 'static,
    ) -> Result<Self> {
        let (state, sink) = watch::channel(None);
        let connection = Connection::new(address, genesis, protocol, Box::new(hear), state)?;
        let mut peer = Self {
            incoming: mpsc::unbounded_channel().1,
            sink,
            connection: tokio::spawn(connection.run()),
        };
        let let_in = peer.let_in();
        wait::at_most("the node to let a peer in", JOIN_LIMIT, let_in).await?;
        Ok(peer)
    }

    async fn let_in(&mut self) -> Result<()> {
        let let_in = self.sink.wait_for(Option::is_some).await;
        let_in.map(|_| ()).map_err(|_| Error::NotLetIn)
    }

    /// Gossips; has no effect when the node no longer listens, or reads more slowly than this peer sends.
    pub fn send(&self, message: Vec<u8>) {
        if let Some(sink) = &*self.sink.borrow() {
            // The connection has ended or is full: the message is dropped.
            let _ = sink.send_sync_notification(message);
        }
    }

    /// Gossips as fast as the node reads: returns when the message is among the last few unwritten ones.
    ///
    /// # Errors
    /// [`Error::NotLetIn`] when the node no longer listens.
    pub async fn deliver(&self, message: Vec<u8>) -> Result<()> {
        let sink = self.sink.borrow().clone().ok_or(Error::NotLetIn)?;
        let sent = sink.send_async_notification(message).await;
        sent.map_err(|_| Error::NotLetIn)
    }

    /// The node's gossip since the last call, unless `hear` received it.
    pub fn received(&mut self) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| self.incoming.try_recv().ok()).collect()
    }

    /// Whether the node gossips with this peer.
    pub fn is_in(&self) -> bool {
        !self.connection.is_finished() && self.sink.borrow().is_some()
    }
}

/// Handles the node's gossip.
type Hear = Box<dyn FnMut(&[u8]) + Send>;

/// The network side.
struct Connection {
    litep2p: Litep2p,
    announcements: NotificationHandle,
    gossip: NotificationHandle,
    node: PeerId,
    hear: Hear,
    sink: watch::Sender<Option<NotificationSink>>,
}

impl Connection {
    fn new(
        address: &str,
        genesis: H256,
        gossip: &str,
        hear: Hear,
        sink: watch::Sender<Option<NotificationSink>>,
    ) -> Result<Self> {
        let chain = format!("{genesis:?}").trim_start_matches("0x").to_owned();
        let best = (0u32, genesis);
        let introduction = (FULL_NODE, best, genesis).encode();
        let (announcing, announcements) =
            protocol(format!("/{chain}/block-announces/1"), introduction);
        let (gossiping, gossip) = protocol(format!("/{chain}/{gossip}"), vec![FULL_NODE]);
        let unusable = || Error::Address(address.to_owned());
        let address: Multiaddr = address.parse().map_err(|_| unusable())?;
        let node = PeerId::try_from_multiaddr(&address).ok_or_else(unusable)?;
        let config = ConfigBuilder::new()
            .with_tcp(TcpConfig {
                listen_addresses: Vec::new(),
                // Like nodes do: send a vote at once.
                nodelay: true,
                ..Default::default()
            })
            .with_known_addresses([(node, vec![address])].into_iter())
            .with_notification_protocol(announcing)
            .with_notification_protocol(gossiping)
            .build();
        Ok(Self {
            litep2p: Litep2p::new(config).map_err(|_| unusable())?,
            announcements,
            gossip,
            node,
            hear,
            sink,
        })
    }

    /// Connects, then carries gossip both ways until it is dropped or the node is unreachable.
    async fn run(mut self) {
        if self.litep2p.dial(&self.node).await.is_err() {
            return;
        }
        loop {
            tokio::select! {
                event = self.litep2p.next_event() => match event {
                    Some(Litep2pEvent::ConnectionEstablished { .. }) => {
                        self.introduce_itself().await;
                    }
                    Some(Litep2pEvent::DialFailure { .. } | Litep2pEvent::ListDialFailures { .. })
                    | None => return,
                    Some(_) => {}
                },
                event = self.announcements.next() => match event {
                    Some(event) => self.on_announcement(event).await,
                    None => return,
                },
                event = self.gossip.next() => match event {
                    Some(event) => self.on_gossip(event),
                    None => return,
                },
            }
        }
    }

    /// Asks to be counted among the node's peers.
    async fn introduce_itself(&mut self) {
        // Fails when the peer is already introduced, which is fine.
        let _ = self.announcements.open_substream(self.node).await;
    }

    /// Blocks are announced to every peer; this peer ignores them.
    async fn on_announcement(&mut self, event: NotificationEvent) {
        accept(&mut self.announcements, &event);
        // The node removed the peer: ask once more, to see whether that is final.
        if let NotificationEvent::NotificationStreamClosed { .. } = event {
            self.introduce_itself().await;
        }
    }

    fn on_gossip(&mut self, event: NotificationEvent) {
        accept(&mut self.gossip, &event);
        match event {
            NotificationEvent::NotificationStreamOpened { peer, .. } => {
                self.sink.send_replace(self.gossip.notification_sink(peer));
            }
            NotificationEvent::NotificationStreamClosed { .. } => {
                self.sink.send_replace(None);
            }
            NotificationEvent::NotificationReceived { notification, .. } => {
                (self.hear)(&notification);
            }
            NotificationEvent::ValidateSubstream { .. }
            | NotificationEvent::NotificationStreamOpenFailure { .. } => {}
        }
    }
}

/// Accepts a stream that the node opens.
fn accept(protocol: &mut NotificationHandle, event: &NotificationEvent) {
    if let NotificationEvent::ValidateSubstream { peer, .. } = event {
        protocol.send_validation_result(*peer, ValidationResult::Accept);
    }
}

fn protocol(name: String, handshake: Vec<u8>) -> (NotificationConfig, NotificationHandle) {
    NotificationConfigBuilder::new(ProtocolName::from(name))
        .with_max_size(MAX_SIZE)
        .with_handshake(handshake)
        .with_auto_accept_inbound(true)
        .with_async_channel_size(WRITTEN_LATER)
        .build()
}
