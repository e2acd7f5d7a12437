//! Votes to add up, and the result.
//!
//! It takes an addition in each group per vote and a hash per validator: too long, in a large set, for the voter's
//! thread. So the voter requests it from the host, as all slow work, and goes on.

use crate::schedule::rank;
use duet_primitives::{
    AggregateError, BlockNumber, DualKeyset, Justification, RoundMessage, SetId, SignerIndex, Vote,
    H256,
};
use std::sync::Arc;

/// Votes of one round to add up, all on the same commitment. The answer to [`Effect::Aggregate`](crate::Effect::Aggregate)
/// is what [`Aggregation::run`] gives.
#[derive(Clone, Debug)]
pub struct Aggregation {
    set: Arc<DualKeyset>,
    message: RoundMessage,
    votes: Vec<Arc<Vote>>,
    purpose: Purpose,
}

/// The purpose of an aggregation.
#[derive(Clone, Debug)]
enum Purpose {
    /// The proof of a block. The own position in the order of publishers is worked out for this member.
    Proof { publisher: Option<SignerIndex> },
    /// To be added to this proof of the block. (ROUND-9)
    Growth { proof: Box<Justification> },
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
            purpose: Purpose::Proof { publisher },
        }
    }

    pub(crate) fn extending(
        set: Arc<DualKeyset>,
        proof: Justification,
        message: RoundMessage,
        votes: Vec<Arc<Vote>>,
    ) -> Self {
        Self {
            set,
            message,
            votes,
            purpose: Purpose::Growth {
                proof: Box::new(proof),
            },
        }
    }

    /// Adds up. Needs no other state, so it can run anywhere.
    ///
    /// Cost: one addition in each group per vote; one hash per validator for a node that publishes in turn.
    pub fn run(self) -> Aggregated {
        let Self {
            set,
            message,
            votes,
            purpose,
        } = self;
        let (justification, origin) = match purpose {
            Purpose::Proof { publisher } => {
                let (commitment, len) = (message.commitment(), set.keyset().len());
                let rank = publisher.map(|signer| rank(commitment, len, signer));
                (set.aggregate(&message, &votes), Origin::Votes { rank })
            }
            Purpose::Growth { proof } => (set.extend(&proof, &message, &votes), Origin::Growth),
        };
        Aggregated {
            message,
            justification,
            origin,
            finalized: None,
        }
    }
}

/// The result of an [`Aggregation`].
#[derive(Clone, Debug)]
pub struct Aggregated {
    pub(crate) message: RoundMessage,
    pub(crate) justification: Result<Justification, AggregateError>,
    pub(crate) origin: Origin,
    /// The block that GRANDPA finalized there on this node.
    pub(crate) finalized: Option<H256>,
}

/// The origin of a justification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Votes alone; and how many members publish before this node, if it publishes in turn. (ROUND-6)
    Votes { rank: Option<u32> },
    /// A proof and votes that it lacked.
    Growth,
}

impl Aggregated {
    /// The block of the added votes.
    pub fn block(&self) -> BlockNumber {
        self.message.commitment().block_number
    }

    /// Sets the block that GRANDPA finalized at this height on this node. This node must not conclude another block.
    /// (ROUND-10)
    pub fn with_finalized(self, hash: H256) -> Self {
        Self {
            finalized: Some(hash),
            ..self
        }
    }

    pub(crate) fn place(&self) -> (SetId, BlockNumber) {
        let commitment = self.message.commitment();
        (commitment.validator_set_id, commitment.block_number)
    }
}
