//! What attackers know, what they did, and who they are.

use crate::{heard::Heard, round::LOOK_EVERY, validators::Validators};
use duet_local_network::Peer;
use duet_primitives::{Commitment, SignerIndex, H256};
use std::sync::{
    atomic::{AtomicU64, Ordering},
    Arc,
};
use tokio::{sync::watch, time::timeout};

/// How many attackers there are at a time.
pub(super) const AT_A_TIME: usize = 4;

/// What attackers did so far.
#[derive(Debug, Default)]
pub struct Tally {
    pub(super) identities: AtomicU64,
    pub(super) banned: AtomicU64,
    pub(super) messages: AtomicU64,
}

/// What attackers know.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) address: String,
    pub(super) genesis: H256,
    pub(super) heard: Heard,
    /// What the honest validators are about to vote for.
    pub(super) begun: watch::Receiver<Option<Commitment>>,
    pub(super) validators: Arc<Validators>,
    pub(super) tally: Arc<Tally>,
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
    pub(super) async fn next(
        &self,
        newest: &mut watch::Receiver<Option<Commitment>>,
        peer: &Peer,
    ) -> bool {
        loop {
            match timeout(LOOK_EVERY, newest.changed()).await {
                Ok(changed) => return changed.is_ok(),
                Err(_) if !peer.is_in() => return false,
                Err(_) => {}
            }
        }
    }

    /// Sends a message; whether the node still listens.
    pub(super) async fn deliver(&self, peer: &Peer, message: Vec<u8>) -> bool {
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
