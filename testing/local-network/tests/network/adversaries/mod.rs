//! Peers that do what no honest node does. Nothing of them is in the nodes.

mod conspiracy;
mod equivocator;
mod forger;

pub(crate) use conspiracy::{false_proof, first_set, secret};
pub(crate) use equivocator::Equivocator;
pub(crate) use forger::Forger;

use codec::Encode;
use duet_primitives::UncheckedVote;

/// The first byte of a gossip message that holds a vote.
const VOTE: u8 = 0;

/// A vote as it is gossiped.
fn gossiped(vote: &UncheckedVote) -> Vec<u8> {
    (VOTE, vote).encode()
}
