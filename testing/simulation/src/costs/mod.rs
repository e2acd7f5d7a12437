//! What work takes, measured or read from a file.

mod measure;

pub use measure::measure;

use crate::Scheme;
use serde::{Deserialize, Serialize};

/// What one scheme's work takes in a set of one size, in nanoseconds of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemeCosts {
    /// A good vote, from its bytes to a verdict; the round's message is hashed once for all of them.
    pub vote: u64,
    /// A bad vote on something that nobody else votes on, so that its message is hashed for it alone.
    pub bad_vote: u64,
    /// A threshold of checked votes becomes a finality proof.
    pub aggregation: u64,
    /// A finality proof by as many as one takes, from its bytes to a verdict.
    pub proof: u64,
}

/// What work takes in a set of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// Members of the set.
    pub validators: u32,
    /// What every message of a vote's length takes whatever it is: hashing it and looking it up. All that a
    /// duplicate takes.
    pub message: u64,
    /// One vote of Duet when a whole round's are checked together. For information: nodes check votes as they
    /// come, and so do simulated ones.
    pub dleq_together: u64,
    /// With Chaum-Pedersen proofs.
    pub dleq: SchemeCosts,
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
            Scheme::Pairings => &self.pairings,
            Scheme::Ecdsa => &self.ecdsa,
        }
    }
}

/// Costs for sets of several sizes, and where they come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostTable {
    /// The processor that they were measured on.
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
