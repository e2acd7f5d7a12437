//! Two real nodes, and the players, which are their peers.

use crate::{cores::Cores, heard::Heard, reading::Gauge, validators::Validators, Error, Result};
use duet_local_network::{wait, Network, Peer, Proofs, Rpc};
use duet_primitives::{BlockNumber, Commitment, UncheckedJustification, H256};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    sync::{
        mpsc::{unbounded_channel, UnboundedReceiver},
        watch,
    },
    task::JoinHandle,
};

/// How long the second node may take to follow the first.
const FOLLOW_LIMIT: Duration = Duration::from_secs(60);

/// What a node wants to hear of Duet's gossip (GOSSIP-9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Hears {
    /// Everything.
    Votes,
    /// Proofs only.
    Proofs,
}

impl Hears {
    /// As the node's flag has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Votes => "votes",
            Self::Proofs => "proofs",
        }
    }
}

/// How large a stage is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Validators of the set, the node's one included.
    pub validators: u32,
    /// Peers over which they send.
    pub players: usize,
    /// The most votes in a notification of a player.
    pub bundled: usize,
    /// What the second node wants to hear.
    pub second_hears: Hears,
    /// The cores of the first node and of everything else, if they are kept apart.
    pub cores: Option<Cores>,
    /// Whether the nodes' directories stay.
    pub keep: bool,
}

/// The nodes, the players, and what they hear.
#[derive(Debug)]
pub struct Stage {
    /// All validators.
    pub validators: Arc<Validators>,
    /// The peers over which they vote.
    pub players: Vec<Arc<Peer>>,
    /// The most votes in a notification of theirs.
    pub bundled: usize,
    /// What the players hear.
    pub heard: Heard,
    /// What the players are about to vote for.
    pub begun: watch::Sender<Option<Commitment>>,
    /// Where the first node is reached.
    pub address: String,
    /// Hash of the first block.
    pub genesis: H256,
    /// Readings of the first node.
    pub gauge: Gauge,
    /// Readings of the second node.
    pub second_gauge: Gauge,
    /// What the second node wants to hear.
    pub second_hears: Hears,
    /// The proofs that each node has, as they come.
    pub proofs: [Arrivals; 2],
    /// The highest block that the players voted on.
    pub played: BlockNumber,
    /// The executable of the nodes, by its own words.
    pub version: String,
    /// The nodes; last, so that the players leave first.
    pub network: Network,
}

/// The proofs of one node, with the time of their arrival.
#[derive(Debug)]
pub struct Arrivals {
    arrivals: UnboundedReceiver<(Instant, UncheckedJustification)>,
    reader: JoinHandle<()>,
}

impl Drop for Arrivals {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Stage {
    /// Starts the nodes, which know nothing of players, and lets the players join the first one.
    ///
    /// # Errors
    /// [`Error`] with what does not start.
    pub async fn start(size: Size) -> Result<Self> {
        let count = size.validators;
        let made = tokio::task::spawn_blocking(move || Validators::new(count));
        let validators = Arc::new(made.await??);
        let network = start_nodes(&validators, size).await?;
        let [first, second] = [network.node(0).rpc().await?, network.node(1).rpc().await?];
        let genesis = first.genesis_hash().await?;
        follows(&second).await?;
        let address = first.peer_address().await?;
        let heard = Heard::new(validators.node());
        let mut players = Vec::new();
        for _ in 0..size.players {
            let hears = heard.clone();
            let hear = move |message: &[u8]| hears.hear(message);
            let player = Peer::join_hearing(&address, genesis, hear).await?;
            players.push(Arc::new(player));
        }
        Ok(Self {
            gauge: Gauge::of(network.node(0))?,
            second_gauge: Gauge::of(network.node(1))?,
            second_hears: size.second_hears,
            begun: watch::channel(None).0,
            played: BlockNumber::new(0),
            version: first.version().await?,
            proofs: [Arrivals::of(first).await?, Arrivals::of(second).await?],
            validators,
            players,
            bundled: size.bundled,
            heard,
            address,
            genesis,
            network,
        })
    }
}

/// The first node authors and finalizes; the second one follows, and knows the first one only.
async fn start_nodes(validators: &Arc<Validators>, size: Size) -> Result<Network> {
    let found = validators.clone();
    let network = Network::builder()
        .validators(1)
        .genesis(Box::new(move |state| found.found(state)))
        .flags(&["--in-peers", "256", "--log", "duet=info"])
        .metrics(true)
        .keep(size.keep);
    let mut network = network.start().await?;
    if let (Some(cores), Some(process)) = (size.cores, network.node(0).process_id()) {
        cores.pin_node(process)?;
    }
    let flags = ["--duet-gossip", size.second_hears.name()];
    network.follow("follower", &flags).await?;
    Ok(network)
}

async fn follows(node: &Rpc) -> Result<()> {
    let best = wait::until(
        "the second node to follow the first",
        FOLLOW_LIMIT,
        || node.best(),
        |best| best.get() > 0,
    );
    Ok(best.await.map(|_| ())?)
}

impl Arrivals {
    async fn of(node: Rpc) -> Result<Self> {
        let mut proofs: Proofs = node.justifications().await?;
        let (arrived, arrivals) = unbounded_channel();
        let read = async move {
            // The subscription ends with the connection.
            let _connection = node;
            while let Ok(proof) = proofs.next().await {
                if arrived.send((Instant::now(), proof)).is_err() {
                    return;
                }
            }
        };
        Ok(Self {
            arrivals,
            reader: tokio::spawn(read),
        })
    }

    /// The next proof.
    ///
    /// # Errors
    /// [`Error::Gone`] when the node has ended.
    pub async fn next(&mut self) -> Result<(Instant, UncheckedJustification)> {
        self.arrivals.recv().await.ok_or(Error::Gone)
    }
}
