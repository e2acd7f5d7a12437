//! A network of voters in virtual time. Everything that happens follows from the seed; a failure
//! names it.
//!
//! Each node has a chain that GRANDPA finalizes, a disk that survives crashes, a filter and a
//! voter. The host in `host` carries out effects one by one, so that it can lose power between any
//! two of them.

pub(crate) mod adversaries;
pub(crate) mod campaign;
pub(crate) mod chain;
pub(crate) mod crypto;
mod gossip;
mod host;
pub(crate) mod judge;
pub(crate) mod network;
pub(crate) mod node;
pub(crate) mod scenario;
mod watch;
pub(crate) mod world;

use duet_primitives::{BlockNumber, UncheckedJustification, UncheckedVote};
use duet_voter::{Event, Millis};
use rand_chacha::ChaCha8Rng;
use rand_core::RngCore;
use std::{ops::Range, sync::Arc};

/// Position of a node; also the number of its key in the test keyring.
pub(crate) type NodeId = usize;

/// Time between two blocks.
pub(crate) const BLOCK_TIME: Millis = 1_000;

/// What nodes send each other.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    Vote(UncheckedVote),
    Proof(UncheckedJustification),
    Request { first_set: u64 },
    Response(Vec<UncheckedJustification>),
}

/// Something that is going to happen.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Deliver {
        from: NodeId,
        to: NodeId,
        message: Arc<Message>,
    },
    /// An answer of a node's own host; lost when the node crashes in between.
    Answer {
        to: NodeId,
        epoch: u64,
        event: Box<Event>,
    },
    Wake {
        to: NodeId,
        epoch: u64,
        at: Millis,
    },
    Grandpa {
        to: NodeId,
        number: BlockNumber,
    },
    Crash {
        node: NodeId,
    },
    Restart {
        node: NodeId,
    },
    Act {
        node: NodeId,
    },
    /// A node compares the votes that it holds with its chain.
    Watch {
        node: NodeId,
    },
}

/// The seeds to play: those given, or the one in `DUET_SIM_SEED`.
pub(crate) fn seeds(range: Range<u64>) -> Vec<u64> {
    match std::env::var("DUET_SIM_SEED") {
        Ok(seed) => vec![seed.parse().expect("DUET_SIM_SEED is a number")],
        Err(_) => range.collect(),
    }
}

/// A number below `bound`; zero when there is none.
pub(crate) fn below(rng: &mut ChaCha8Rng, bound: u64) -> u64 {
    rng.next_u64() % bound.max(1)
}

/// A position below `len`; zero when there is none.
pub(crate) fn pick(rng: &mut ChaCha8Rng, len: usize) -> usize {
    usize::try_from(below(rng, len as u64)).unwrap_or_default()
}
