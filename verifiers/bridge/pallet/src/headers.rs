//! The stored headers: a ring with [`Config::HeadersToKeep`] entries.

use crate::{
    chain::BridgedHeader, AnnouncedRecovery, BestFinalized, Config, ImportedHashes,
    ImportedHashesPointer, ImportedHeaders,
};
use bp_header_chain::StoredHeaderData;
use bp_runtime::HeaderId;
use core::marker::PhantomData;
use duet_primitives::H256;
use frame_support::pallet_prelude::Get;
use sp_runtime::traits::Header as _;

/// [`Config::HeadersToKeep`] as the most entries of a map.
pub struct ToKeep<T, I>(PhantomData<(T, I)>);

impl<T: Config<I>, I: 'static> Get<Option<u32>> for ToKeep<T, I> {
    fn get() -> Option<u32> {
        Some(T::HeadersToKeep::get())
    }
}

/// Stores a header as the best one, and drops the oldest when there are too many. An announced recovery ends: it is
/// about another block. (RECOVER-8)
pub(crate) fn insert<T: Config<I>, I: 'static>(
    header: &BridgedHeader<T, I>,
    id: HeaderId<H256, u32>,
) {
    let HeaderId(number, hash) = id;
    BestFinalized::<T, I>::put(id);
    AnnouncedRecovery::<T, I>::kill();
    let data = StoredHeaderData {
        number,
        state_root: *header.state_root(),
    };
    // A block that root sets again has its place in the ring already.
    if ImportedHeaders::<T, I>::contains_key(hash) {
        return;
    }
    let place = ImportedHashesPointer::<T, I>::get();
    if let Some(oldest) = ImportedHashes::<T, I>::get(place) {
        ImportedHeaders::<T, I>::remove(oldest);
    }
    ImportedHashes::<T, I>::insert(place, hash);
    ImportedHeaders::<T, I>::insert(hash, data);
    let next = place.saturating_add(1);
    let next = if next < T::HeadersToKeep::get() {
        next
    } else {
        0
    };
    ImportedHashesPointer::<T, I>::put(next);
}

/// Forgets all headers, also those of a ring that was larger, and says how many there were.
pub(crate) fn forget_all<T: Config<I>, I: 'static>() -> u32 {
    let mut forgotten = 0_u32;
    for place in 0..=u32::MAX {
        // The ring is filled from the front, and nothing else takes entries out of it.
        let Some(hash) = ImportedHashes::<T, I>::take(place) else {
            break;
        };
        ImportedHeaders::<T, I>::remove(hash);
        forgotten = forgotten.saturating_add(1);
    }
    ImportedHashesPointer::<T, I>::kill();
    forgotten
}
