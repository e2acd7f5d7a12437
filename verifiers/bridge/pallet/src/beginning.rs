//! The point from which the followed chain continues, set by root or the owner.

use crate::{
    chain::{BridgedHeader, FollowedChain, InitializationData, LOG_TARGET},
    headers,
    weights::WeightInfo,
    BestFinalized, Config, Contradicted, Error, Event, Followed, Pallet, PalletOperatingMode,
};
use bp_runtime::HeaderId;
use duet_light_client::{Mode, Trusted};
use duet_primitives::Keysets;
use frame_support::{
    dispatch::{DispatchResultWithPostInfo, PostDispatchInfo},
    ensure,
    traits::UnixTime,
    BoundedVec,
};
use sp_runtime::traits::{Header as _, Zero};

pub(crate) fn initialize<T: Config<I>, I: 'static>(
    data: InitializationData<BridgedHeader<T, I>>,
) -> Result<(), Error<T, I>> {
    ensure!(
        !BestFinalized::<T, I>::exists(),
        Error::<T, I>::AlreadyInitialized
    );
    ensure!(data.trusting_period > 0, Error::<T, I>::NoTrustingPeriod);
    let followed = FollowedChain {
        genesis_hash: data.genesis_hash,
        keysets: data.keysets,
        trusting_period: data.trusting_period,
        taken: None,
        replaced: BoundedVec::new(),
    };
    begin::<T, I>(followed, &data.header)?;
    PalletOperatingMode::<T, I>::put(data.operating_mode);
    Ok(())
}

pub(crate) fn force<T: Config<I>, I: 'static>(
    keysets: Keysets,
    best: &BridgedHeader<T, I>,
) -> DispatchResultWithPostInfo {
    let known = Followed::<T, I>::get().ok_or(Error::<T, I>::NotInitialized)?;
    let forgotten = if Contradicted::<T, I>::take().is_some() {
        headers::forget_all::<T, I>()
    } else {
        0
    };
    let event = Event::StateForced {
        number: *best.number(),
        hash: best.hash(),
        keysets: keysets.clone(),
    };
    let followed = FollowedChain {
        keysets,
        // Of a history that may not be the chain's.
        replaced: BoundedVec::new(),
        ..known
    };
    begin::<T, I>(followed, best)?;
    Pallet::<T, I>::deposit_event(event);
    Ok(PostDispatchInfo {
        actual_weight: Some(T::WeightInfo::force_set_pallet_state(forgotten)),
        ..PostDispatchInfo::default()
    })
}

/// SET-1, LIGHT-5: the sets are sets, and the second one follows the first.
fn begin<T: Config<I>, I: 'static>(
    followed: FollowedChain,
    best: &BridgedHeader<T, I>,
) -> Result<(), Error<T, I>> {
    let id = HeaderId(*best.number(), best.hash());
    let checkpoint = followed.clone().checkpoint_at(id);
    if let Err(error) = Trusted::from_checkpoint(checkpoint, Mode::Stateless) {
        log::warn!(target: LOG_TARGET, "cannot begin at this block: {error}");
        return Err(Error::InvalidKeysets);
    }
    // A genesis has no time.
    let taken = (!frame_system::Pallet::<T>::block_number().is_zero()).then(now::<T, I>);
    Followed::<T, I>::put(FollowedChain { taken, ..followed });
    headers::insert::<T, I>(best, id);
    Ok(())
}

/// The trusting period of a chain that is followed from the genesis on begins at the end of the first block. (LIGHT-9)
pub(crate) fn start_clock<T: Config<I>, I: 'static>() {
    Followed::<T, I>::mutate_extant(|followed| {
        followed.taken = followed.taken.or_else(|| Some(now::<T, I>()));
    });
}

/// This chain's time, in seconds.
pub(crate) fn now<T: Config<I>, I: 'static>() -> u64 {
    T::Time::now().as_secs()
}
