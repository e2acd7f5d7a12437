//! Peers that do what no honest node does, while rounds are played. Each kind is a file.

mod forgeries;
mod garbage;
mod scene;
mod silent;
mod strange;

pub use scene::{colluders, needed, Tally};

use crate::{stage::Stage, Result};
use duet_local_network::Peer;
use scene::{Scene, AT_A_TIME};
use std::{
    future::Future,
    sync::{atomic::Ordering, Arc},
};
use tokio::task::JoinSet;

/// What is done to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Attack {
    /// Fresh identities send bytes that are no messages, until they are banned.
    Garbage,
    /// Fresh identities send votes that do not hold in the name of all validators, until they are banned.
    Forgeries,
    /// Every vote comes over three peers.
    Duplicates,
    /// A third of the validators votes for blocks that nobody else has named.
    Strange,
    /// Peers are connected and read nothing.
    Silent,
    /// Too few validators vote for some blocks, and then the others, too.
    Stall,
}

/// An attack that goes on until this is dropped.
#[derive(Debug)]
pub struct Running {
    tally: Arc<Tally>,
    tasks: JoinSet<()>,
    silent: Vec<silent::Silent>,
}

impl Attack {
    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Garbage => "garbage",
            Self::Forgeries => "forged votes",
            Self::Duplicates => "duplicates",
            Self::Strange => "strange commitments",
            Self::Silent => "silent peers",
            Self::Stall => "stall",
        }
    }

    /// Over how many players each vote goes.
    pub fn copies(self) -> usize {
        match self {
            Self::Duplicates => 3,
            _ => 1,
        }
    }

    /// Starts it against the first node.
    ///
    /// # Errors
    /// [`Error`](crate::Error) when peers that must be let in are not.
    pub async fn start(self, stage: &Stage) -> Result<Running> {
        let scene = Scene {
            address: stage.address.clone(),
            genesis: stage.genesis,
            heard: stage.heard.clone(),
            begun: stage.begun.subscribe(),
            validators: stage.validators.clone(),
            tally: Arc::default(),
        };
        let mut running = Running {
            tally: scene.tally.clone(),
            tasks: JoinSet::new(),
            silent: Vec::new(),
        };
        match self {
            Self::Garbage => running.repeat(&scene, garbage::send),
            Self::Forgeries => running.repeat(&scene, forgeries::send),
            Self::Strange => running.repeat(&scene, strange::vote),
            Self::Silent => running.silent = silent::join(&scene).await?,
            // It is in how votes are sent, and who sends them.
            Self::Duplicates | Self::Stall => {}
        }
        Ok(running)
    }
}

impl Running {
    /// Has some attackers at work, each with one fresh identity after the other.
    fn repeat<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        scene: &Scene,
        attack: fn(Scene, Peer) -> F,
    ) {
        for _ in 0..AT_A_TIME {
            let scene = scene.clone();
            self.tasks.spawn(async move {
                loop {
                    // One that is not let in tries again as somebody else.
                    if let Ok(peer) =
                        Peer::join_hearing(&scene.address, scene.genesis, |_| ()).await
                    {
                        scene.tally.identities.fetch_add(1, Ordering::Relaxed);
                        attack(scene.clone(), peer).await;
                        scene.tally.banned.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    }

    /// What the attackers did so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}
