//! The content of `pallet-mmr`'s leaves on a chain with Duet. (MMR-1)

use crate::{Config, Pallet};
use duet_primitives::{BlockNumber, LeafVersion, MmrLeaf};
use frame_support::traits::Get;
use sp_mmr_primitives::LeafDataProvider;
use sp_runtime::{traits::One, SaturatedConversion, Saturating};

impl<T: Config> LeafDataProvider for Pallet<T> {
    type LeafData = MmrLeaf;

    fn leaf_data() -> MmrLeaf {
        let parent = frame_system::Pallet::<T>::block_number().saturating_sub(One::one());
        MmrLeaf {
            version: LeafVersion::V0,
            // Duet's blocks have numbers of 32 bits.
            parent_number: BlockNumber::new(parent.saturated_into()),
            parent_hash: frame_system::Pallet::<T>::parent_hash(),
            extra: T::LeafExtra::get(),
        }
    }
}
