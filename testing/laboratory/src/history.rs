//! What was seen from outside, in the order in which it was seen.

use crate::gauges::Gauges;
use duet_primitives::H256;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A proof that a light client has verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The node that it came from.
    pub node: u16,
    /// When, since the beginning.
    pub at: Duration,
    /// The number of the block.
    pub height: u32,
    /// The hash of the block.
    pub hash: H256,
    /// The set that signed.
    pub set: u64,
    /// The set that it hands off to, if it does.
    pub hands_off_to: Option<u64>,
}

/// What a node shows of itself at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Which node.
    pub node: u16,
    /// When, since the beginning.
    pub at: Duration,
    /// Its resident memory in bytes.
    pub memory: u64,
    /// Its metrics.
    pub gauges: Gauges,
}

/// The heads that a node names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heads {
    /// The best block.
    pub best: u32,
    /// What GRANDPA finalized.
    pub finalized: u32,
}

/// All that was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Proofs.
    pub proofs: Vec<Proof>,
    /// Samples.
    pub samples: Vec<Sample>,
    /// What a light client refused, in words: no honest node sends it.
    pub refusals: Vec<String>,
    /// The latest heads of each node.
    pub heads: BTreeMap<u16, Heads>,
    /// The sets that began by a reset, without a handoff.
    pub resets: BTreeSet<u64>,
    /// Nodes that had the keys of one validator at the same time: each may have seen votes of its keys that it did not make.
    pub twins: BTreeSet<u16>,
}

impl History {
    /// The highest proven block, of one node or of all.
    pub fn proven(&self, node: Option<u16>) -> u32 {
        let of_node = |proof: &&Proof| node.is_none_or(|node| proof.node == node);
        let heights = self.proofs.iter().filter(of_node);
        heights.map(|proof| proof.height).max().unwrap_or(0)
    }

    /// The last set that signed a proof of one node, or of any.
    pub fn set(&self, node: Option<u16>) -> u64 {
        let of_node = |proof: &&Proof| node.is_none_or(|node| proof.node == node);
        let sets = self.proofs.iter().filter(of_node).map(|proof| proof.set);
        sets.max().unwrap_or(0)
    }

    /// When each of these nodes had shown a proof of this height or a higher one, of those that came after `since`; `None` when one has
    /// not yet.
    pub fn all_proven(&self, nodes: &[u16], height: u32, since: Duration) -> Option<Duration> {
        let first = |node: &u16| {
            let mut of_node = self.proofs.iter().filter(|proof| proof.node == *node);
            let proof = of_node.find(|proof| proof.at >= since && proof.height >= height);
            proof.map(|proof| proof.at)
        };
        let times: Option<Vec<_>> = nodes.iter().map(first).collect();
        times?.into_iter().max()
    }

    /// The highest block that every node has named as final.
    pub fn finalized(&self) -> u32 {
        let finalized = self.heads.values().map(|heads| heads.finalized);
        finalized.min().unwrap_or(0)
    }

    /// The highest best block that a node has named.
    pub fn best(&self) -> u32 {
        self.heads
            .values()
            .map(|heads| heads.best)
            .max()
            .unwrap_or(0)
    }
}

/// A history that is being written.
#[derive(Clone, Debug)]
pub struct Recorder {
    began: Instant,
    history: Arc<Mutex<History>>,
}

impl Recorder {
    /// Begins.
    pub fn begin() -> Self {
        Self {
            began: Instant::now(),
            history: Arc::default(),
        }
    }

    /// How long ago it began.
    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// What there is by now. Each entry is written by one statement, so that a panic leaves none half written.
    pub fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(node: u16, seconds: u64, height: u32) -> Proof {
        Proof {
            node,
            at: Duration::from_secs(seconds),
            height,
            hash: H256::repeat_byte(1),
            set: 0,
            hands_off_to: None,
        }
    }

    #[test]
    fn all_have_proven_when_the_last_one_has() {
        let history = History {
            proofs: vec![
                proof(0, 1, 5),
                proof(1, 2, 5),
                proof(0, 3, 9),
                proof(1, 6, 8),
            ],
            ..History::default()
        };
        let second = Duration::from_secs(1);
        assert_eq!(history.all_proven(&[0, 1], 8, second), Some(6 * second));
        assert_eq!(history.all_proven(&[0, 1], 9, second), None);
        assert_eq!(history.all_proven(&[0, 1], 5, 4 * second), None);
        assert_eq!((history.proven(None), history.proven(Some(1))), (9, 8));
    }

    #[test]
    fn what_all_have_finalized_is_what_the_last_one_has() {
        let heads = [(9, 7), (8, 5)].map(|(best, finalized)| Heads { best, finalized });
        let history = History {
            heads: (0..).zip(heads).collect(),
            ..History::default()
        };
        assert_eq!((history.best(), history.finalized()), (9, 5));
        assert_eq!(History::default().finalized(), 0);
    }
}
