//! What the players hear of the node's gossip.

use duet_gossip::{message::GossipMessage, notification::messages_of};
use duet_primitives::{BlockNumber, Commitment, SignerIndex, UncheckedVote};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;

/// For how many blocks is kept who voted on them.
const BLOCKS: usize = 16;

/// What was heard. Clones hear together.
#[derive(Clone, Debug)]
pub struct Heard {
    node: SignerIndex,
    newest: Arc<watch::Sender<Option<Commitment>>>,
    voters: Arc<Mutex<BTreeMap<BlockNumber, BTreeSet<SignerIndex>>>>,
}

impl Heard {
    /// Nothing yet of the node whose validator has this position.
    pub fn new(node: SignerIndex) -> Self {
        Self {
            node,
            newest: Arc::new(watch::channel(None).0),
            voters: Arc::default(),
        }
    }

    /// Takes note of a notification of the node.
    pub fn hear(&self, notification: &[u8]) {
        for message in messages_of(notification).unwrap_or_default() {
            if let GossipMessage::Vote(vote) = message {
                self.note(vote);
            }
        }
    }

    fn note(&self, vote: UncheckedVote) {
        let block = vote.commitment.block_number;
        if vote.signer == self.node {
            self.newest.send_if_modified(|newest| {
                let is_newer = newest
                    .as_ref()
                    .is_none_or(|newest| newest.block_number < block);
                if is_newer {
                    *newest = Some(vote.commitment);
                }
                is_newer
            });
        }
        let mut voters = self.voters();
        voters.entry(block).or_default().insert(vote.signer);
        if voters.len() > BLOCKS {
            voters.pop_first();
        }
    }

    /// What the node votes for last, and each of its later votes.
    pub fn newest(&self) -> watch::Receiver<Option<Commitment>> {
        self.newest.subscribe()
    }

    /// Which of these voters on a block the node has not sent on.
    pub fn unheard(&self, block: BlockNumber, voters: &[SignerIndex]) -> Vec<SignerIndex> {
        let all = self.voters();
        let heard = all.get(&block);
        let unheard = voters.iter().copied();
        unheard
            .filter(|voter| heard.is_none_or(|heard| !heard.contains(voter)))
            .collect()
    }

    fn voters(&self) -> MutexGuard<'_, BTreeMap<BlockNumber, BTreeSet<SignerIndex>>> {
        self.voters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codec::Encode;
    use duet_primitives::{testing::TestSet, RoundMessage, H256};

    /// The vote of a member on a block, as it is gossiped.
    fn vote(signer: u32, block: u32) -> Vec<u8> {
        let set = TestSet::new(0, 0..4);
        let message = RoundMessage::new(H256::zero(), set.commitment(block, &set.set));
        let vote = set.vote(signer, &message).expect("a vote of this set");
        GossipMessage::Vote(vote.into_unchecked()).encode()
    }

    #[test]
    fn the_newest_vote_of_the_node_is_known_and_no_older_one_replaces_it() {
        let heard = Heard::new(SignerIndex::new(2));
        let newest = heard.newest();
        let block = || newest.borrow().as_ref().map(|it| it.block_number.get());
        heard.hear(&vote(1, 9));
        assert_eq!(block(), None);
        heard.hear(&vote(2, 7));
        heard.hear(&vote(2, 6));
        heard.hear(b"garbage");
        assert_eq!(block(), Some(7));
    }

    #[test]
    fn who_was_not_heard_on_a_block_is_named() {
        let heard = Heard::new(SignerIndex::new(0));
        heard.hear(&vote(1, 7));
        heard.hear(&vote(2, 8));
        let voters = [1, 2].map(SignerIndex::new);
        let unheard = heard.unheard(BlockNumber::new(7), &voters);
        assert_eq!(unheard, [SignerIndex::new(2)]);
    }
}
