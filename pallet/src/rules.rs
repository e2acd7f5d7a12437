//! The voting rules of the signing set. (ROUND-11)

use crate::{Config, Rules};
use duet_primitives::{ConsensusLog, VotingRules};
use frame_support::traits::Get;

/// The new signing set votes by the runtime's present rules. Returns whether the previous set voted by others.
pub(crate) fn renew<T: Config>() -> bool {
    let rules = VotingRules::with_min_delta(T::MinDelta::get());
    let differ = Rules::<T>::get() != rules;
    if differ {
        Rules::<T>::put(rules);
    }
    differ
}

/// The entry about the rules in the header of the signing set's first block.
pub(crate) fn log<T: Config>() -> ConsensusLog {
    ConsensusLog::Rules(Rules::<T>::get())
}
