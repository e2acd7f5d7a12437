//! What work takes, measured or read from a file.

mod measure;

pub use measure::measure;

use crate::Scheme;
use serde::{Deserialize, Serialize};

/// How many votes are checked together where a cost is known; between them, and below, costs are interpolated.
pub const BATCHES: [u32; 4] = [4, 16, 64, 256];

/// What one scheme's work takes in a set of one size, in nanoseconds of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemeCosts {
    /// A good vote alone, from its bytes to a verdict, on the message that the node prepared.
    pub vote: u64,
    /// One of so many good votes that are checked together as [`BATCHES`] says.
    pub in_batch: [u64; BATCHES.len()],
    /// A good vote alone, on a message that the node did not prepare and that was hashed before.
    pub strange_vote: u64,
    /// A bad vote on something that nobody else votes on, so that its message is hashed for it alone.
    pub bad_vote: u64,
    /// A node prepares its own message: hashes it, and makes what it keeps for the votes on it.
    pub prepare: u64,
    /// A threshold of checked votes becomes a finality proof.
    pub aggregation: u64,
    /// A finality proof by as many as one takes, from its bytes to a verdict.
    pub proof: u64,
}

impl SchemeCosts {
    /// The most votes that a node checks together: one where it gains nothing by more.
    pub fn batch_limit(&self) -> u64 {
        let ([.., most], [.., each]) = (BATCHES, self.in_batch);
        if each < self.vote {
            u64::from(most)
        } else {
            1
        }
    }

    /// What so many good votes take that are checked together.
    pub fn batch(&self, votes: u64) -> u64 {
        let (mut below, mut cost_below) = (1, self.vote);
        if votes <= below {
            return votes * self.vote;
        }
        for (size, each) in BATCHES.into_iter().zip(self.in_batch) {
            let size = u64::from(size);
            let cost = size * each;
            if votes <= size {
                // A larger batch may be measured to take less, by chance.
                let more = cost.saturating_sub(cost_below);
                return cost_below + more * (votes - below) / (size - below);
            }
            (below, cost_below) = (size, cost);
        }
        votes * cost_below / below
    }
}

/// What work takes in a set of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// Members of the set.
    pub validators: u32,
    /// What every message of a vote's length takes whatever it is: decoding it, hashing it and looking it up. All that
    /// a duplicate takes.
    pub message: u64,
    /// With Chaum-Pedersen proofs, as fast as the processor can.
    pub dleq: SchemeCosts,
    /// With Chaum-Pedersen proofs, without vectors of 512 bits.
    pub dleq_portable: SchemeCosts,
    /// With pairings.
    pub pairings: SchemeCosts,
    /// With ECDSA.
    pub ecdsa: SchemeCosts,
}

impl Costs {
    /// Those of one scheme.
    pub fn of(&self, scheme: Scheme) -> &SchemeCosts {
        match scheme {
            Scheme::Dleq => &self.dleq,
            Scheme::DleqPortable => &self.dleq_portable,
            Scheme::Pairings => &self.pairings,
            Scheme::Ecdsa => &self.ecdsa,
        }
    }
}

/// Costs for sets of several sizes, and where they come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostTable {
    /// The processor that they were measured on, and the arithmetic that is the fastest there.
    pub machine: String,
    /// One entry per size.
    pub sets: Vec<Costs>,
}

impl CostTable {
    /// The costs in a set of this size.
    pub fn of(&self, validators: u32) -> Option<&Costs> {
        self.sets
            .iter()
            .find(|costs| costs.validators == validators)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_batch_lies_between_those_that_were_measured() {
        let costs = SchemeCosts {
            vote: 100,
            in_batch: [70, 40, 30, 25],
            strange_vote: 0,
            bad_vote: 0,
            prepare: 0,
            aggregation: 0,
            proof: 0,
        };
        let batches = [0, 1, 4, 10, 16, 256, 512].map(|votes| costs.batch(votes));
        assert_eq!(batches, [0, 100, 280, 460, 640, 6_400, 12_800]);
    }
}
