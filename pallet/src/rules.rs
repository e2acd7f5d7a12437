//! Rules that the runtime states in its state: how the signing set votes (ROUND-11), and for how long light clients
//! trust it (LIGHT-9).

use crate::{Config, Rules, TrustingPeriod};
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

/// States the trusting period, where it is not stated yet. (LIGHT-9)
pub(crate) fn state_trusting_period<T: Config>() {
    let period = T::TrustingPeriod::get();
    if TrustingPeriod::<T>::get() != period {
        TrustingPeriod::<T>::put(period);
    }
}
