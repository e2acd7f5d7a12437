//! Votes to add up, and what came of it.
//!
//! It takes an addition in each group per vote and a hash per validator: too long, in a large set, for whoever runs the
//! voter. So the voter asks for it as for everything else that takes time, and goes on.

use crate::schedule::rank;
use duet_primitives::{
    AggregateError, BlockNumber, Commitment, DualKeyset, Justification, RoundMessage, SetId,
    SignerIndex, Vote,
};
use std::sync::Arc;

/// Votes of one round to add up, all on the same commitment. The answer to [`Effect::Aggregate`](crate::Effect::Aggregate)
/// is what [`Aggregation::run`] gives.
#[derive(Clone, Debug)]
pub struct Aggregation {
    set: Arc<DualKeyset>,
    message: RoundMessage,
    votes: Vec<Arc<Vote>>,
    /// The own position in the order of publishers is worked out for this member.
    publisher: Option<SignerIndex>,
}

impl Aggregation {
    pub(crate) fn new(
        set: Arc<DualKeyset>,
        message: RoundMessage,
        votes: Vec<Arc<Vote>>,
        publisher: Option<SignerIndex>,
    ) -> Self {
        Self {
            set,
            message,
            votes,
            publisher,
        }
    }

    /// Adds up. Needs nothing but what it is made of, so it can run anywhere.
    ///
    /// Cost: one addition in each group per vote; one hash per validator for a node that publishes in turn.
    pub fn run(self) -> Aggregated {
        let commitment = self.message.commitment();
        let justification = self.set.aggregate(&self.message, &self.votes);
        let len = self.set.keyset().len();
        let rank = self.publisher.map(|signer| rank(commitment, len, signer));
        Aggregated {
            message: self.message,
            justification,
            rank,
        }
    }
}

/// What came of an [`Aggregation`].
#[derive(Clone, Debug)]
pub struct Aggregated {
    pub(crate) message: RoundMessage,
    pub(crate) justification: Result<Justification, AggregateError>,
    /// How many members publish before this node. (ROUND-6)
    pub(crate) rank: Option<u32>,
}

impl Aggregated {
    pub(crate) fn place(&self) -> (SetId, BlockNumber) {
        let Commitment {
            validator_set_id,
            block_number,
            ..
        } = self.message.commitment();
        (*validator_set_id, *block_number)
    }
}
