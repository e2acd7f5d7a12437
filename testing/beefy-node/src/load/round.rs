//! One round of votes, played and measured.

use crate::{node::RunningNode, result::Result};
use codec::Encode;
use duet_beefy_node::{voters, votes};
use duet_local_network::Peer;
use sp_consensus_beefy::{Commitment, VersionedFinalityProof};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{sleep, timeout},
};

/// How long the node may take to vote, or to prove.
const LIMIT: Duration = Duration::from_secs(60);
/// How often the node's processor time is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The node is done with what it was sent when it spends less than this between two looks.
const QUIET: Duration = Duration::from_millis(5);

/// How the votes of a round are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// All at once.
    AtOnce,
    /// The last needed one when the node is done with the others.
    LastApart,
}

/// What came of a round.
pub(crate) struct Played {
    /// How the votes were sent.
    pub(crate) order: Order,
    /// How many.
    pub(crate) votes: u32,
    /// From the first vote to the proof.
    pub(crate) round: Duration,
    /// From the last vote to the proof.
    pub(crate) proof: Duration,
    /// Processor time of the node.
    pub(crate) spent: Duration,
    /// In how long it was spent.
    pub(crate) wall: Duration,
}

/// What the players hear of the node.
#[derive(Clone, Default)]
struct Heard {
    /// What the node votes for last.
    vote: Option<Commitment<u32>>,
    /// The highest block with a proof, and when it came.
    proof: Option<(u32, Instant)>,
}

/// The node and the peers over which the validators vote.
pub(crate) struct Stage {
    pub(crate) node: RunningNode,
    /// How many votes a proof needs, without the node's own.
    pub(crate) needed: u32,
    players: Vec<Arc<Peer>>,
    heard: watch::Receiver<Heard>,
    played: u32,
}

impl Stage {
    /// Lets players join the node.
    pub(crate) async fn join(node: RunningNode, count: u32, players: usize) -> Result<Self> {
        let address = node.rpc.peer_address().await?;
        let genesis = node.rpc.genesis_hash().await?;
        let (hears, heard) = watch::channel(Heard::default());
        let hears = Arc::new(hears);
        let mut joined = Vec::new();
        for _ in 0..players {
            let hears = hears.clone();
            let hear = move |message: &[u8]| hear(&hears, message);
            let peer = Peer::join_protocol(&address, genesis, "beefy/2", hear).await?;
            joined.push(Arc::new(peer));
        }
        // As the gadget counts: all but a third, rounded down.
        let needed = count - (count - 1) / 3 - 1;
        Ok(Self {
            node,
            needed,
            players: joined,
            heard,
            played: 0,
        })
    }

    /// Plays a round on what the node votes for last.
    pub(crate) async fn play(&mut self, order: Order) -> Result<Played> {
        let commitment = self.newest_vote().await?;
        let block = commitment.block_number;
        self.played = block;
        let needed = self.needed;
        let signed = tokio::task::spawn_blocking(move || {
            let voters = 1..=needed;
            let signed = voters.map(|voter| {
                votes::Message::Vote(votes::vote(&voters::pair(voter), &commitment)).encode()
            });
            signed.collect::<Vec<_>>()
        });
        let signed = signed.await?;
        let before = self.quiet().await?;
        let first = Instant::now();
        let last = match order {
            Order::AtOnce => self.send(&signed).await?,
            Order::LastApart => {
                let (last, others) = signed.split_last().ok_or("a proof needs votes")?;
                self.send(others).await?;
                self.quiet().await?;
                self.send(std::slice::from_ref(last)).await?
            }
        };
        let proven = self.proof_of(block).await?;
        let after = self.quiet().await?;
        Ok(Played {
            order,
            votes: needed,
            round: proven.saturating_duration_since(first),
            proof: proven.saturating_duration_since(last),
            spent: after.saturating_sub(before),
            wall: first.elapsed(),
        })
    }

    async fn newest_vote(&mut self) -> Result<Commitment<u32>> {
        let played = self.played;
        let is_new = |heard: &Heard| {
            let vote = heard.vote.as_ref();
            vote.is_some_and(|vote| vote.block_number > played)
        };
        let heard = timeout(LIMIT, self.heard.wait_for(is_new)).await??;
        let vote = heard.vote.clone();
        vote.ok_or_else(|| "no vote was heard".into())
    }

    async fn proof_of(&mut self, block: u32) -> Result<Instant> {
        let is_there = |heard: &Heard| heard.proof.is_some_and(|(proven, _)| proven >= block);
        let heard = timeout(LIMIT, self.heard.wait_for(is_there)).await??;
        let proof = heard.proof;
        let (_, at) = proof.ok_or("no proof was heard")?;
        Ok(at)
    }

    /// Divides messages among the players, and returns when the last one was given to the network.
    async fn send(&self, messages: &[Vec<u8>]) -> Result<Instant> {
        let mut tasks = JoinSet::new();
        let players = self.players.len();
        for (place, player) in self.players.iter().enumerate() {
            let mine: Vec<_> = messages
                .iter()
                .skip(place)
                .step_by(players)
                .cloned()
                .collect();
            let player = player.clone();
            tasks.spawn(async move {
                for message in mine {
                    player.deliver(message).await?;
                }
                Ok::<_, duet_local_network::Error>(())
            });
        }
        while let Some(sent) = tasks.join_next().await {
            sent??;
        }
        Ok(Instant::now())
    }

    /// The node's processor time, when it has nothing to do any more.
    async fn quiet(&self) -> Result<Duration> {
        let deadline = Instant::now() + LIMIT;
        let (mut last, mut quiet) = (self.node.time()?, 0);
        while quiet < 2 && Instant::now() < deadline {
            sleep(LOOK_EVERY).await;
            let now = self.node.time()?;
            quiet = if now.saturating_sub(last) < QUIET {
                quiet + 1
            } else {
                0
            };
            last = now;
        }
        Ok(last)
    }
}

/// Takes in what the node gossips. What others vote for comes along, and is for the same blocks.
fn hear(heard: &watch::Sender<Heard>, message: &[u8]) {
    match votes::Message::from_bytes(message) {
        Ok(votes::Message::Vote(vote)) if vote.id == sp_core::Pair::public(&voters::pair(0)) => {
            heard.send_modify(|heard| {
                let newest = heard.vote.as_ref().map(|vote| vote.block_number);
                if newest < Some(vote.commitment.block_number) {
                    heard.vote = Some(vote.commitment);
                }
            });
        }
        Ok(votes::Message::Proof(VersionedFinalityProof::V1(proof))) => {
            let (block, now) = (proof.commitment.block_number, Instant::now());
            heard.send_modify(|heard| {
                if heard.proof.is_none_or(|(proven, _)| proven < block) {
                    heard.proof = Some((block, now));
                }
            });
        }
        Ok(votes::Message::Vote(_)) | Err(_) => {}
    }
}
