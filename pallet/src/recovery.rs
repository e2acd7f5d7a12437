//! A set that starts without a handoff, when none can come any more. (RESET-1 to RESET-3)

use crate::{
    candidates::{commit, keys_for, KeptReason},
    rotation::{announce, install, record},
    rules, Config, Error, Event, Keysets, Pallet,
};
use duet_primitives::{ConsensusLog, Keysets as KeysetPair};

/// Body of the call `reset`; returns how many validators the new set has.
///
/// Its id is above that of every set that was planned, so that no two sets ever have one id: a light client may know a
/// planned set from a proof, and that set never signs.
pub(crate) fn reset<T: Config>() -> Result<u32, Error<T>> {
    let KeysetPair { current, next } = Keysets::<T>::get().ok_or(Error::<T>::NoSetToReset)?;
    let session = pallet_session::CurrentIndex::<T>::get();
    let validators = pallet_session::Validators::<T>::get();
    let (keys, members) = keys_for::<T>(session, validators.iter())?;
    let set = commit(next.id.saturating_next(), &keys)?;

    // Both stay punishable for what they sign: the one that signed, and the one that was planned and never will.
    let ended = current.id;
    for old in [current, next] {
        record::<T>(old, Some(session));
    }
    install::<T>(&set, &keys, &members, session);
    Keysets::<T>::put(KeysetPair::without_successor(set.clone()));

    let (id, len) = (set.id, set.len);
    announce::<T>(&ConsensusLog::Reset { ended, set });
    // Always: a voter that has no room for the logs before it takes a reset all the same. (RESET-4)
    rules::renew::<T>();
    announce::<T>(&rules::log::<T>());
    Pallet::<T>::deposit_event(Event::SetsReset {
        ended,
        id,
        len,
        session,
    });
    Ok(len)
}

impl<T> From<KeptReason> for Error<T> {
    fn from(reason: KeptReason) -> Self {
        match reason {
            KeptReason::NoKeys | KeptReason::Refused => Self::ResetWithoutKeys,
            KeptReason::TooFewValidators(_) | KeptReason::TooLittleStake(_) => {
                Self::ResetBelowFloor
            }
        }
    }
}
