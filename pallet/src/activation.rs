//! Activation: from which block on the chain makes sets, and until when. (ACTIVE-1 to ACTIVE-4)

use crate::{
    draft, limits, records::end, ActiveFrom, Config, Ended, Error, Event, Keysets, Pallet,
};
use frame_support::{ensure, traits::Get, weights::Weight};
use frame_system::pallet_prelude::BlockNumberFor;
use sp_runtime::traits::Zero;

/// A chain that has the pallet from its genesis on makes its first set there, unless its genesis says otherwise.
pub(crate) fn build_genesis<T: Config>(inactive: bool) {
    ActiveFrom::<T>::set((!inactive).then(Zero::zero));
}

/// Whether the chain already made sets, or tried to, before this block.
pub(crate) fn is_active<T: Config>() -> bool {
    ActiveFrom::<T>::get().is_some_and(|from| from < now::<T>())
}

/// Whether the chain begins at the end of this block.
pub(crate) fn is_due<T: Config>() -> bool {
    ActiveFrom::<T>::get() == Some(now::<T>())
}

fn now<T: Config>() -> BlockNumberFor<T> {
    frame_system::Pallet::<T>::block_number()
}

/// Body of the call `activate`.
pub(crate) fn activate<T: Config>(at: BlockNumberFor<T>) -> Result<(), Error<T>> {
    let (named, now) = (ActiveFrom::<T>::get(), now::<T>());
    ensure!(
        named.is_none_or(|named| named > now),
        Error::<T>::AlreadyActive
    );
    ensure!(at > now, Error::<T>::ActivationInThePast);
    ActiveFrom::<T>::put(at);
    Pallet::<T>::deposit_event(Event::ActivationScheduled { at });
    Ok(())
}

/// Body of the call `deactivate`.
pub(crate) fn deactivate<T: Config>() -> Result<(), Error<T>> {
    ensure!(ActiveFrom::<T>::exists(), Error::<T>::NotActive);
    ActiveFrom::<T>::kill();
    // Otherwise a set in the making would be finished in one of the next blocks.
    draft::discard::<T>();
    // Sets that were ended before are punishable as of then, also where a second activation is called off.
    let sets = Keysets::<T>::get().filter(|_| !Ended::<T>::get());
    let ended = sets.as_ref().map(|sets| sets.current.id);
    if let Some(sets) = sets {
        end::<T>(sets);
        Ended::<T>::put(true);
    }
    Pallet::<T>::deposit_event(Event::Deactivated { ended });
    Ok(())
}

/// Reads the activation block and, in that block, makes a set.
pub(crate) fn weight_of_block<T: Config>() -> Weight {
    let looked_up = T::DbWeight::get().reads(1);
    if is_due::<T>() {
        looked_up.saturating_add(limits::most_of_beginning::<T>())
    } else {
        looked_up
    }
}
