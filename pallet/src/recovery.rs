//! A set that starts without a handoff, when no handoff can come any more. (RESET-1 to RESET-3)

use crate::{
    activation,
    announcements::announce,
    candidates::{Candidates, KeptReason},
    draft::{self, Purpose},
    records::{end, install},
    rules,
    types::LOG_TARGET,
    Config, Ended, Error, Event, Keysets, Pallet,
};
use duet_primitives::{ConsensusLog, Keysets as KeysetPair};
use frame_support::ensure;

/// Body of the call `reset`; returns the new set's number of validators; `None` if later blocks make it. (CHAIN-8)
pub(crate) fn reset<T: Config>() -> Result<Option<u32>, Error<T>> {
    let has_set = Keysets::<T>::exists() && activation::is_active::<T>();
    ensure!(has_set, Error::<T>::NoSetToReset);
    // Clients know only the last reset of a header, and the set that it ended. (RESET-2, RECOVER-7)
    let digest = frame_system::Pallet::<T>::digest();
    let items = digest.logs().iter().filter_map(|item| item.as_consensus());
    let is_reset = |log| matches!(log, ConsensusLog::Reset { .. });
    ensure!(
        !ConsensusLog::of_header(items).any(is_reset),
        Error::<T>::AlreadyReset
    );
    let session = pallet_session::CurrentIndex::<T>::get();
    let validators = pallet_session::Validators::<T>::get();
    let Some(candidates) = draft::begin::<T>(Purpose::Reset, session, validators.iter()) else {
        return Ok(None);
    };
    let len = replace::<T>(&candidates)?.ok_or(Error::<T>::NoSetToReset)?;
    // The set in the making was to replace the ended set.
    draft::discard::<T>();
    Ok(Some(len))
}

/// The chain makes sets again after its signing set was ended: as after a reset, of these validators. (ACTIVE-4)
pub(crate) fn begin_anew<'a, T: Config>(
    validators: impl Iterator<Item = &'a T::ValidatorId> + Clone,
) {
    let session = pallet_session::CurrentIndex::<T>::get();
    if let Some(candidates) = draft::begin::<T>(Purpose::Reset, session, validators) {
        finish::<T>(&candidates);
    }
}

/// All validators for a reset's set were looked at. (CHAIN-8)
///
/// Cost: two hashes per validator, and two writes of all keys.
pub(crate) fn finish<T: Config>(candidates: &Candidates<T>) {
    if let Err(reason) = replace::<T>(candidates) {
        let session = candidates.session;
        log::error!(target: LOG_TARGET, "RESET-1: the sets are not reset: {reason:?}");
        Pallet::<T>::deposit_event(Event::ResetRefused { session, reason });
    }
}

/// Ends the signing set. Returns the number of validators in the new set; `None` when there is no set to end.
///
/// Its id is above that of every planned set, so that no two sets ever share an id: a light client may know a planned
/// set from a proof, and that set never signs.
fn replace<T: Config>(candidates: &Candidates<T>) -> Result<Option<u32>, KeptReason> {
    let Some(old) = Keysets::<T>::get() else {
        return Ok(None);
    };
    let members = candidates.members()?;
    let set = members.commit(old.next.id.saturating_next())?;

    let ended = old.current.id;
    let session = pallet_session::CurrentIndex::<T>::get();
    // A deactivation has ended them before.
    if !Ended::<T>::get() {
        end::<T>(old);
    }
    install::<T>(&set, &members, candidates.session);
    Ended::<T>::kill();
    Keysets::<T>::put(KeysetPair::without_successor(set.clone()));

    let (id, len) = (set.id, set.len);
    announce::<T>(&ConsensusLog::Reset { ended, set });
    // Always: a voter without room for the earlier logs still takes a reset. (RESET-4)
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
