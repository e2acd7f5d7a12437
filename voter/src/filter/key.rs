//! The key of a round.

use duet_primitives::{BlockNumber, Commitment, SetId};

/// Set and block of a round.
pub(super) type Key = (SetId, BlockNumber);

/// The round that a commitment belongs to.
pub(super) fn key_of(commitment: &Commitment) -> Key {
    (commitment.validator_set_id, commitment.block_number)
}
