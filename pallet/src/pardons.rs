//! Statements about blocks that the chain lost are pardoned. (FALSE-4)

use crate::{
    announcements::announce, weights::WeightInfo, Config, Error, Event, OldestSet, Pallet, Pardons,
};
use duet_primitives::{BlockNumber, ConsensusLog, Pardon, SetId};
use frame_support::{ensure, traits::Get, weights::Weight};
use sp_runtime::SaturatedConversion;

/// The most pardons that the chain keeps.
pub const MAX_PARDONS: u32 = 8;
/// The most blocks in the range of a pardon, and the furthest that it ends ahead of the chain.
pub const MAX_PARDONED_BLOCKS: u32 = 65_536;
/// The most sets in the range of a pardon.
pub const MAX_PARDONED_SETS: u64 = 64;

/// The weight of the call: it reads and writes the list, reads the first remembered set, and writes into the header as
/// `activate` writes its entry.
pub(crate) fn weight<T: Config>() -> Weight {
    let list = T::DbWeight::get().reads_writes(2, 1);
    <T as Config>::WeightInfo::activate().saturating_add(list)
}

/// Body of the call `pardon`.
pub(crate) fn pardon<T: Config>(pardon: Pardon) -> Result<(), Error<T>> {
    let blocks = pardon
        .last_block
        .get()
        .checked_sub(pardon.first_block.get());
    let sets = pardon.last_set.get().checked_sub(pardon.first_set.get());
    let now: u32 = frame_system::Pallet::<T>::block_number().saturated_into();
    let is_bounded = blocks.is_some_and(|blocks| blocks < MAX_PARDONED_BLOCKS)
        && sets.is_some_and(|sets| sets < MAX_PARDONED_SETS)
        && pardon.last_block.get() <= now.saturating_add(MAX_PARDONED_BLOCKS);
    ensure!(is_bounded, Error::<T>::PardonOutOfBounds);
    let oldest = OldestSet::<T>::get();
    Pardons::<T>::try_mutate(|pardons| {
        // Sets that are forgotten need no pardon any more.
        pardons.retain(|pardon| pardon.last_set >= oldest);
        pardons.try_push(pardon)
    })
    .map_err(|_| Error::<T>::TooManyPardons)?;
    announce::<T>(&ConsensusLog::Pardoned(pardon));
    Pallet::<T>::deposit_event(Event::StatementsPardoned { pardon });
    Ok(())
}

/// Whether governance pardoned statements of this set about this block.
pub(crate) fn is_pardoned<T: Config>(block: BlockNumber, set: SetId) -> bool {
    let pardons = Pardons::<T>::get();
    pardons.iter().any(|pardon| pardon.covers(block, set))
}
