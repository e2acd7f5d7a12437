//! Signs votes in a task of its own: a signer flushes its record to disk, and may be far away.

use async_channel::{Receiver, Sender};
use duet_gossip::LOG_TARGET;
use duet_keystore::Signer;
use duet_primitives::{DualKeyset, Pk1Bytes, RoundMessage, SignerIndex, Vote};
use std::sync::Arc;

/// The most votes that wait to be signed. The voter asks again for votes that found no room.
const QUEUE: usize = 4;

/// A vote to sign.
pub(crate) struct SignRequest {
    /// The set that signs.
    pub(crate) set: Arc<DualKeyset>,
    /// The payload to sign.
    pub(crate) message: RoundMessage,
    /// Position of the key in the set.
    pub(crate) signer: SignerIndex,
    /// The key.
    pub(crate) key: Pk1Bytes,
}

/// The worker's ends of the queues to and from the task that signs.
pub(crate) struct SigningLinks {
    pub(crate) requests: Sender<SignRequest>,
    pub(crate) signed: Receiver<Vote>,
}

/// The task that signs.
pub(crate) struct Signing {
    signer: Arc<dyn Signer>,
    requests: Receiver<SignRequest>,
    signed: Sender<Vote>,
}

impl Signing {
    /// The task, and how it is reached.
    pub(crate) fn new(signer: Arc<dyn Signer>) -> (Self, SigningLinks) {
        let (to_task, requests) = async_channel::bounded(QUEUE);
        let (to_worker, signed) = async_channel::bounded(QUEUE);
        let task = Self {
            signer,
            requests,
            signed: to_worker,
        };
        let links = SigningLinks {
            requests: to_task,
            signed,
        };
        (task, links)
    }

    /// Signs until the worker is gone. It blocks while the signer does, so it gets a thread of its own.
    pub(crate) async fn run(self) {
        while let Ok(request) = self.requests.recv().await {
            if let Some(vote) = self.sign(request) {
                if self.signed.send(vote).await.is_err() {
                    return;
                }
            }
        }
    }

    /// Signs, and checks the signature before it is used: a signer may be remote or broken.
    fn sign(&self, request: SignRequest) -> Option<Vote> {
        let SignRequest {
            set,
            message,
            signer,
            key,
        } = request;
        let vote = match self.signer.sign_vote(&key, signer, &message) {
            Ok(vote) => vote,
            Err(error) => {
                log::error!(target: LOG_TARGET, "no vote of key {key}: {error}");
                return None;
            }
        };
        match vote.check(set.keyset(), &message) {
            Ok(vote) => Some(vote),
            Err(error) => {
                log::error!(target: LOG_TARGET, "the signer returned a bad vote of key {key}: {error}");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::nodes::OneKey;
    use duet_primitives::{testing::TestSet, H256};
    use futures::FutureExt;

    fn request(set: &TestSet, signer: u32) -> SignRequest {
        let key = set.set.keyset().key_bytes()[usize::try_from(signer).unwrap()];
        SignRequest {
            set: Arc::new(set.set.clone()),
            message: RoundMessage::new(H256::zero(), set.commitment(7, &set.set)),
            signer: SignerIndex::new(signer),
            key,
        }
    }

    #[test]
    fn what_the_signer_returns_reaches_the_worker_if_it_is_a_vote_of_the_key() {
        let set = TestSet::new(0, 0..4);
        let (signing, links) = Signing::new(Arc::new(OneKey::new(set.secrets[2].clone())));
        let mut task = signing.run().boxed();
        // The signer has the secret of another member, so the first vote does not hold.
        for signer in [1, 2] {
            links.requests.try_send(request(&set, signer)).ok().unwrap();
        }
        assert!((&mut task).now_or_never().is_none());
        let vote = links.signed.try_recv().expect("the second vote holds");
        assert_eq!(vote.signer(), SignerIndex::new(2));
        assert!(links.signed.try_recv().is_err());
        drop(links);
        assert!(task.now_or_never().is_some(), "it ends with the worker");
    }
}
