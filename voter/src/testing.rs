//! Inputs for known-answer tests.

use crate::schedule;
use duet_primitives::{Commitment, SignerIndex};

/// The members of a set of `len` in the order in which they publish a proof of `commitment`. (ROUND-6)
///
/// Cost: the square of `len` hashes.
pub fn publishers(commitment: &Commitment, len: u32) -> Vec<SignerIndex> {
    let mut members: Vec<_> = (0..len).map(SignerIndex::new).collect();
    members.sort_by_cached_key(|member| schedule::rank(commitment, len, *member));
    members
}
