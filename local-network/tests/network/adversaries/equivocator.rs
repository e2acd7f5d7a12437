//! A stranger with a validator's secret: a peer that joins the network like any other and gossips votes that
//! contradict those of the validator's own node.
//!
//! It speaks the nodes' own wire protocols and nothing of it is in the nodes: it announces itself as a node
//! that has the genesis block only, so that it counts as a peer, and then takes part in Duet's gossip.

use codec::Encode;
use duet_primitives::{Commitment, RoundMessage, SecretKey, SignerIndex, UncheckedVote, H256};
use futures::StreamExt;
use litep2p::{
    config::ConfigBuilder,
    protocol::notification::{
        Config as NotificationConfig, ConfigBuilder as NotificationConfigBuilder,
        NotificationEvent, NotificationHandle,
    },
    transport::tcp::config::Config as TcpConfig,
    types::protocol::ProtocolName,
    Litep2p, Litep2pEvent, PeerId,
};
use std::time::Duration;
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{error::Elapsed, timeout},
};

/// How long joining the network may take.
const JOIN_LIMIT: Duration = Duration::from_secs(60);
/// In handshakes: a full node.
const FULL_NODE: u8 = 1;
/// Longest notification that it reads.
const MAX_SIZE: usize = 1024 * 1024;
/// The first byte of a gossip message that holds a vote.
const VOTE: u8 = 0;

/// A peer that votes with somebody else's secret.
pub(crate) struct Equivocator {
    secret: SecretKey,
    signer: SignerIndex,
    genesis: H256,
    messages: mpsc::UnboundedSender<Vec<u8>>,
    connection: JoinHandle<()>,
}

impl Drop for Equivocator {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

impl Equivocator {
    /// Becomes a peer of the node at this address, and returns when the two gossip.
    pub(crate) async fn join(
        address: &str,
        genesis: H256,
        secret: SecretKey,
        signer: SignerIndex,
    ) -> Result<Self, Elapsed> {
        let (messages, queue) = mpsc::unbounded_channel();
        let (ready, mut is_ready) = mpsc::unbounded_channel();
        let connection = Connection::new(address, genesis);
        let connection = tokio::spawn(connection.run(queue, ready));
        timeout(JOIN_LIMIT, is_ready.recv()).await?;
        Ok(Self {
            secret,
            signer,
            genesis,
            messages,
            connection,
        })
    }

    /// Votes for another block in place of the one that `honest` names.
    pub(crate) fn contradict(&self, honest: Commitment) {
        let lie = Commitment {
            block_hash: H256::repeat_byte(0xee),
            ..honest
        };
        let message = RoundMessage::new(self.genesis, lie);
        let vote = UncheckedVote::sign(&self.secret, self.signer, &message);
        let bytes = [vec![VOTE], vote.encode()].concat();
        self.messages.send(bytes).expect("the connection is there");
    }
}

/// The network side.
struct Connection {
    litep2p: Litep2p,
    announcements: NotificationHandle,
    gossip: NotificationHandle,
    node: PeerId,
    address: litep2p::types::multiaddr::Multiaddr,
}

impl Connection {
    fn new(address: &str, genesis: H256) -> Self {
        let chain = format!("{genesis:?}").trim_start_matches("0x").to_owned();
        let best = (0u32, genesis);
        let introduction = (FULL_NODE, best, genesis).encode();
        let (announcing, announcements) =
            protocol(format!("/{chain}/block-announces/1"), introduction);
        let (gossiping, gossip) = protocol(format!("/{chain}/duet/1"), vec![FULL_NODE]);
        let config = ConfigBuilder::new()
            .with_tcp(TcpConfig {
                listen_addresses: vec!["/ip4/127.0.0.1/tcp/0".parse().expect("an address")],
                ..Default::default()
            })
            .with_notification_protocol(announcing)
            .with_notification_protocol(gossiping)
            .build();
        let address: litep2p::types::multiaddr::Multiaddr = address.parse().expect("an address");
        Self {
            litep2p: Litep2p::new(config).expect("a transport is configured"),
            announcements,
            gossip,
            node: PeerId::try_from_multiaddr(&address).expect("the address names the peer"),
            address,
        }
    }

    /// Connects, then sends what is queued until it is dropped.
    async fn run(
        mut self,
        mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
        ready: mpsc::UnboundedSender<()>,
    ) {
        self.litep2p
            .dial_address(self.address.clone())
            .await
            .expect("the address can be dialled");
        let mut is_open = false;
        loop {
            tokio::select! {
                event = self.litep2p.next_event() => {
                    if let Some(Litep2pEvent::ConnectionEstablished { .. }) = event {
                        self.announcements.open_substream(self.node).await.expect("connected");
                    }
                }
                // Blocks are announced to every peer; this one has no use for them.
                _ = self.announcements.next() => {}
                event = self.gossip.next() => {
                    if let Some(NotificationEvent::NotificationStreamOpened { .. }) = event {
                        is_open = true;
                        let _ = ready.send(());
                    }
                }
                message = queue.recv(), if is_open => match message {
                    Some(message) => {
                        // A node that has banned this peer takes nothing more: that is its right.
                        let _ = self.gossip.send_sync_notification(self.node, message);
                    }
                    None => return,
                },
            }
        }
    }
}

fn protocol(name: String, handshake: Vec<u8>) -> (NotificationConfig, NotificationHandle) {
    NotificationConfigBuilder::new(ProtocolName::from(name))
        .with_max_size(MAX_SIZE)
        .with_handshake(handshake)
        .with_auto_accept_inbound(true)
        .build()
}
