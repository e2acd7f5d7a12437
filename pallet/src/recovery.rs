//! A set that starts without a handoff, when none can come any more. (RESET-1 to RESET-3)

use crate::{
    activation,
    announcements::announce,
    candidates::{Candidates, KeptReason},
    draft::{self, Purpose},
    records::{install, record},
    rules,
    types::LOG_TARGET,
    Config, Ended, Error, Event, Keysets, Pallet,
};
use duet_primitives::{ConsensusLog, Keysets as KeysetPair};
use frame_support::ensure;

/// Body of the call `reset`; returns how many validators the new set has, or nothing when later blocks make it. (CHAIN-8)
pub(crate) fn reset<T: Config>() -> Result<Option<u32>, Error<T>> {
    let has_set = Keysets::<T>::exists() && activation::is_active::<T>();
    ensure!(has_set, Error::<T>::NoSetToReset);
    let session = pallet_session::CurrentIndex::<T>::get();
    let validators = pallet_session::Validators::<T>::get();
    let Some(candidates) = draft::begin::<T>(Purpose::Reset, session, validators.iter()) else {
        return Ok(None);
    };
    let len = replace::<T>(&candidates)?.ok_or(Error::<T>::NoSetToReset)?;
    // It was to take over from a set that is ended.
    draft::discard::<T>();
    Ok(Some(len))
}

/// The chain makes sets again, after its signing one was ended: as after a reset, of these validators. (ACTIVE-4)
pub(crate) fn begin_anew<'a, T: Config>(
    validators: impl Iterator<Item = &'a T::ValidatorId> + Clone,
) {
    let session = pallet_session::CurrentIndex::<T>::get();
    if let Some(candidates) = draft::begin::<T>(Purpose::Reset, session, validators) {
        finish::<T>(&candidates);
    }
}

/// All validators were looked at of whom a reset makes a set. (CHAIN-8)
///
/// Cost: two hashes per validator, and two writes of all keys.
pub(crate) fn finish<T: Config>(candidates: &Candidates<T>) {
    if let Err(reason) = replace::<T>(candidates) {
        let session = candidates.session;
        log::error!(target: LOG_TARGET, "RESET-1: the sets are not reset: {reason:?}");
        Pallet::<T>::deposit_event(Event::ResetRefused { session, reason });
    }
}

/// Ends the signing set. Returns how many validators the new one has; nothing when there is no set to end.
///
/// Its id is above that of every set that was planned, so that no two sets ever have one id: a light client may know a
/// planned set from a proof, and that set never signs.
fn replace<T: Config>(candidates: &Candidates<T>) -> Result<Option<u32>, KeptReason> {
    let Some(KeysetPair { current, next }) = Keysets::<T>::get() else {
        return Ok(None);
    };
    let members = candidates.members()?;
    let set = members.commit(next.id.saturating_next())?;

    // Both stay punishable for what they sign: the one that signed, and the one that was planned and never will.
    let ended = current.id;
    let session = pallet_session::CurrentIndex::<T>::get();
    for old in [current, next] {
        record::<T>(old, Some(session));
    }
    install::<T>(&set, &members, candidates.session);
    Ended::<T>::kill();
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
    Ok(Some(len))
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
