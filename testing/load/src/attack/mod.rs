//! Peers that do what no honest node does, while rounds are played. Each kind is a file.

mod forgeries;
mod garbage;
mod silent;
mod strange;

use crate::{heard::Heard, round::LOOK_EVERY, stage::Stage, validators::Validators, Result};
use duet_local_network::Peer;
use duet_primitives::{Commitment, SignerIndex, H256};
use std::{
    future::Future,
    sync::{
        atomic::{AtomicU64, Ordering},
        Arc,
    },
};
use tokio::{sync::watch, task::JoinSet, time::timeout};

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

/// What attackers did so far.
#[derive(Debug, Default)]
pub struct Tally {
    identities: AtomicU64,
    banned: AtomicU64,
    messages: AtomicU64,
}

/// An attack that goes on until this is dropped.
#[derive(Debug)]
pub struct Running {
    tally: Arc<Tally>,
    tasks: JoinSet<()>,
    silent: Vec<silent::Silent>,
}

/// What attackers know.
#[derive(Clone, Debug)]
struct Scene {
    address: String,
    genesis: H256,
    heard: Heard,
    /// What the honest validators are about to vote for.
    begun: watch::Receiver<Option<Commitment>>,
    validators: Arc<Validators>,
    tally: Arc<Tally>,
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

/// How many attackers there are at a time.
const AT_A_TIME: usize = 4;

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

impl Tally {
    /// How many identities were let in.
    pub fn identities(&self) -> u64 {
        self.identities.load(Ordering::Relaxed)
    }

    /// How many of them the node has thrown out.
    pub fn banned(&self) -> u64 {
        self.banned.load(Ordering::Relaxed)
    }

    /// How many messages they sent.
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }
}

impl Scene {
    /// Waits for the next commitment; whether the node listens until then.
    async fn next(&self, newest: &mut watch::Receiver<Option<Commitment>>, peer: &Peer) -> bool {
        loop {
            match timeout(LOOK_EVERY, newest.changed()).await {
                Ok(changed) => return changed.is_ok(),
                Err(_) if !peer.is_in() => return false,
                Err(_) => {}
            }
        }
    }

    /// Sends a message; whether the node still listens.
    async fn deliver(&self, peer: &Peer, message: Vec<u8>) -> bool {
        let is_in = peer.deliver(message).await.is_ok();
        self.tally
            .messages
            .fetch_add(u64::from(is_in), Ordering::Relaxed);
        is_in
    }
}

/// The validators without whom there is still a proof: the last ones of the set.
pub fn colluders(validators: &Validators) -> Vec<SignerIndex> {
    let honest = validators.threshold().saturating_sub(1);
    let honest = usize::try_from(honest).unwrap_or(usize::MAX);
    validators.played().skip(honest).collect()
}

/// Those who are needed for a proof, without the node's validator.
pub fn needed(validators: &Validators) -> Vec<SignerIndex> {
    let honest = validators.threshold().saturating_sub(1);
    let honest = usize::try_from(honest).unwrap_or(usize::MAX);
    validators.played().take(honest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honest_validators_and_the_node_are_just_enough_and_the_rest_colludes() {
        let validators = Validators::new(10).expect("ten make a set");
        let (honest, others) = (needed(&validators), colluders(&validators));
        assert_eq!(honest.len() + 1, 7);
        assert_eq!(others.len(), 3);
        assert!(!others.iter().any(|other| honest.contains(other)));
    }
}
