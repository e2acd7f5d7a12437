//! How the set that signs votes. (ROUND-11)

use crate::{Config, Rules};
use duet_primitives::{ConsensusLog, VotingRules};
use frame_support::traits::Get;

/// The set that begins to sign votes as the runtime says now. Returns whether the one before voted otherwise.
pub(crate) fn renew<T: Config>() -> bool {
    let rules = VotingRules::with_min_delta(T::MinDelta::get());
    let differ = Rules::<T>::get() != rules;
    if differ {
        Rules::<T>::put(rules);
    }
    differ
}

/// What the header of the signing set's first block says of it.
pub(crate) fn log<T: Config>() -> ConsensusLog {
    ConsensusLog::Rules(Rules::<T>::get())
}
