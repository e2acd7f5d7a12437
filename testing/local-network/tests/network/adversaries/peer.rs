//! A peer of a node that is no node: it speaks the nodes' wire protocols as they are specified, and whoever
//! holds it decides what it says.
//!
//! It announces itself as a full node that has the genesis block only, so that the node counts it among its
//! peers, and then takes part in Duet's gossip. In that order: a node gossips with those that it syncs with,
//! and opens the stream to them itself. So this side has to accept a stream, not to open one.

use codec::Encode;
use duet_local_network::{wait, Result};
use duet_primitives::H256;
use futures::StreamExt;
use litep2p::{
    config::ConfigBuilder,
    protocol::notification::{
        Config as NotificationConfig, ConfigBuilder as NotificationConfigBuilder,
        NotificationEvent, NotificationHandle, ValidationResult,
    },
    transport::tcp::config::Config as TcpConfig,
    types::{multiaddr::Multiaddr, protocol::ProtocolName},
    Litep2p, Litep2pEvent, PeerId,
};
use std::time::Duration;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};

/// How long a node may take to let a peer in.
const JOIN_LIMIT: Duration = Duration::from_secs(60);
/// In handshakes: a full node.
const FULL_NODE: u8 = 1;
/// Longest notification that it reads.
const MAX_SIZE: usize = 1024 * 1024;

/// A peer of one node. Dropping it ends the connection.
pub(crate) struct Peer {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    incoming: mpsc::UnboundedReceiver<Vec<u8>>,
    is_in: watch::Receiver<bool>,
    connection: JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

impl Peer {
    /// Becomes a peer of the node at this address, and returns when the two gossip.
    ///
    /// # Errors
    /// `TimedOut` when the node does not let it in.
    ///
    /// # Panics
    /// When `address` is none or does not name the node.
    pub(crate) async fn join(address: &str, genesis: H256) -> Result<Self> {
        let (outgoing, to_send) = mpsc::unbounded_channel();
        let (received, incoming) = mpsc::unbounded_channel();
        let (state, is_in) = watch::channel(false);
        let connection = Connection::new(address, genesis, received, state);
        let mut peer = Self {
            outgoing,
            incoming,
            is_in,
            connection: tokio::spawn(connection.run(to_send)),
        };
        let let_in = peer.let_in();
        wait::at_most("the node to let a peer in", JOIN_LIMIT, let_in).await?;
        Ok(peer)
    }

    async fn let_in(&mut self) -> Result<()> {
        let is_in = self.is_in.wait_for(|is_in| *is_in).await;
        is_in.expect("the connection is not given up before this");
        Ok(())
    }

    /// Gossips; nothing comes of it when the node does not listen any more.
    pub(crate) fn send(&self, message: Vec<u8>) {
        // The connection has ended: as good as not being listened to.
        let _ = self.outgoing.send(message);
    }

    /// What the node has gossiped since the last call.
    pub(crate) fn received(&mut self) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| self.incoming.try_recv().ok()).collect()
    }

    /// Whether the node gossips with it.
    pub(crate) fn is_in(&self) -> bool {
        !self.connection.is_finished() && *self.is_in.borrow()
    }
}

/// The network side.
struct Connection {
    litep2p: Litep2p,
    announcements: NotificationHandle,
    gossip: NotificationHandle,
    node: PeerId,
    received: mpsc::UnboundedSender<Vec<u8>>,
    is_in: watch::Sender<bool>,
}

impl Connection {
    fn new(
        address: &str,
        genesis: H256,
        received: mpsc::UnboundedSender<Vec<u8>>,
        is_in: watch::Sender<bool>,
    ) -> Self {
        let chain = format!("{genesis:?}").trim_start_matches("0x").to_owned();
        let best = (0u32, genesis);
        let introduction = (FULL_NODE, best, genesis).encode();
        let (announcing, announcements) =
            protocol(format!("/{chain}/block-announces/1"), introduction);
        let (gossiping, gossip) = protocol(format!("/{chain}/duet/1"), vec![FULL_NODE]);
        let address: Multiaddr = address.parse().expect("an address");
        let node = PeerId::try_from_multiaddr(&address).expect("the address names the node");
        let config = ConfigBuilder::new()
            .with_tcp(TcpConfig {
                listen_addresses: Vec::new(),
                ..Default::default()
            })
            .with_known_addresses([(node, vec![address])].into_iter())
            .with_notification_protocol(announcing)
            .with_notification_protocol(gossiping)
            .build();
        Self {
            litep2p: Litep2p::new(config).expect("a transport is configured"),
            announcements,
            gossip,
            node,
            received,
            is_in,
        }
    }

    /// Connects, then carries gossip both ways until it is dropped.
    async fn run(mut self, mut to_send: mpsc::UnboundedReceiver<Vec<u8>>) {
        let dialled = self.litep2p.dial(&self.node).await;
        dialled.expect("the node's address is known");
        loop {
            tokio::select! {
                event = self.litep2p.next_event() => match event {
                    Some(Litep2pEvent::ConnectionEstablished { .. }) => {
                        self.introduce_itself().await;
                    }
                    Some(_) => {}
                    None => return,
                },
                event = self.announcements.next() => match event {
                    Some(event) => self.on_announcement(event).await,
                    None => return,
                },
                event = self.gossip.next() => match event {
                    Some(event) => self.on_gossip(event),
                    None => return,
                },
                message = to_send.recv() => match message {
                    // A message is lost when this peer is not accepted or sends more than the node reads.
                    Some(message) => {
                        let _ = self.gossip.send_sync_notification(self.node, message);
                    }
                    None => return,
                },
            }
        }
    }

    /// Asks to be counted among the node's peers.
    async fn introduce_itself(&mut self) {
        // Fails when it is introduced already: all the better.
        let _ = self.announcements.open_substream(self.node).await;
    }

    /// Blocks are announced to every peer; this one has no use for them.
    async fn on_announcement(&mut self, event: NotificationEvent) {
        accept(&mut self.announcements, &event);
        // Thrown out: asks once more, so that it is seen whether the node means it.
        if let NotificationEvent::NotificationStreamClosed { .. } = event {
            self.introduce_itself().await;
        }
    }

    fn on_gossip(&mut self, event: NotificationEvent) {
        accept(&mut self.gossip, &event);
        match event {
            NotificationEvent::NotificationStreamOpened { .. } => {
                self.is_in.send_replace(true);
            }
            NotificationEvent::NotificationStreamClosed { .. } => {
                self.is_in.send_replace(false);
            }
            NotificationEvent::NotificationReceived { notification, .. } => {
                let _ = self.received.send(notification.to_vec());
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
        .build()
}
