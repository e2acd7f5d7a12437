//! Migrations of the pallet's storage in runtime upgrades.

use crate::{ActiveFrom, Config, Pallet};
use core::marker::PhantomData;
use frame_support::{
    migrations::VersionedMigration, traits::UncheckedOnRuntimeUpgrade, weights::Weight,
};
use sp_runtime::traits::{Get, Zero};

/// From version 1 to 2: a chain that already has the pallet continues to make sets. (ACTIVE-1)
///
/// A chain that adds the pallet now needs no migration, and waits for [`activate`](Pallet::activate).
pub type V1ToV2<T> =
    VersionedMigration<1, 2, StaysActive<T>, Pallet<T>, <T as frame_system::Config>::DbWeight>;

/// The migration of [`V1ToV2`], run when the storage has version 1.
pub struct StaysActive<T>(PhantomData<T>);

impl<T: Config> UncheckedOnRuntimeUpgrade for StaysActive<T> {
    fn on_runtime_upgrade() -> Weight {
        ActiveFrom::<T>::put(frame_system::pallet_prelude::BlockNumberFor::<T>::zero());
        T::DbWeight::get().writes(1)
    }
}
