//! Votes to add up, and what came of it.
//!
//! It takes an addition in each group per vote and a hash per validator: too long, in a large set, for whoever runs the
//! voter. So the voter asks for it as for everything else that takes time, and goes on.

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

/// What votes are added up for.
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

    /// Adds up. Needs nothing but what it is made of, so it can run anywhere.
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

/// What came of an [`Aggregation`].
#[derive(Clone, Debug)]
pub struct Aggregated {
    pub(crate) message: RoundMessage,
    pub(crate) justification: Result<Justification, AggregateError>,
    pub(crate) origin: Origin,
    /// The block that GRANDPA finalized there on this node.
    pub(crate) finalized: Option<H256>,
}

/// What a justification was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Votes alone; and how many members publish before this node, if it publishes in turn. (ROUND-6)
    Votes { rank: Option<u32> },
    /// A proof and votes that it lacked.
    Growth,
}

impl Aggregated {
    /// The block whose votes were added up.
    pub fn block(&self) -> BlockNumber {
        self.message.commitment().block_number
    }

    /// Says which block of that number GRANDPA finalized on this node. Votes on another one prove what this node must
    /// not conclude. (ROUND-10)
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
