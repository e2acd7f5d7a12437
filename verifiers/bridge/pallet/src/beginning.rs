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
};
use sp_runtime::traits::Header as _;

pub(crate) fn initialize<T: Config<I>, I: 'static>(
    data: InitializationData<BridgedHeader<T, I>>,
) -> Result<(), Error<T, I>> {
    ensure!(
        !BestFinalized::<T, I>::exists(),
        Error::<T, I>::AlreadyInitialized
    );
    let followed = FollowedChain {
        genesis_hash: data.genesis_hash,
        keysets: data.keysets,
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
    begin::<T, I>(FollowedChain { keysets, ..known }, best)?;
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
    Followed::<T, I>::put(followed);
    headers::insert::<T, I>(best, id);
    Ok(())
}
