//! Invariants of the state of every block.

use crate::{
    AnnouncedRecovery, BestFinalized, Config, Contradicted, Followed, FreeHeadersRemaining,
    ImportedHashes, ImportedHashesPointer, ImportedHeaders,
};
use duet_primitives::Keysets;
use frame_support::{ensure, pallet_prelude::Get};
use sp_runtime::TryRuntimeError;

/// Checks all invariants.
pub(crate) fn check<T: Config<I>, I: 'static>() -> Result<(), TryRuntimeError> {
    let best = BestFinalized::<T, I>::get();
    ensure!(
        best.is_some() == Followed::<T, I>::exists(),
        "bridge-duet: a best header without sets, or sets without a best header"
    );
    ensure!(
        best.is_some() || !Contradicted::<T, I>::exists(),
        "bridge-duet: a contradiction, but no best header"
    );
    let announced = AnnouncedRecovery::<T, I>::get();
    let mut was_crossed = false;
    if let Some(announced) =
        announced.filter(|announced| best.is_none_or(|best| !announced.is_about(best)))
    {
        ensure!(
            best == Some(announced.reset()),
            "bridge-duet: a recovery that is not about the best block, and did not lead to it"
        );
        let keysets = Keysets::without_successor(announced.statement.set);
        ensure!(
            !announced.contradicted
                && Followed::<T, I>::get().is_some_and(|followed| followed.keysets == keysets),
            "bridge-duet: behind a recovery that was contradicted, or with other sets than it named"
        );
        was_crossed = true;
    }
    if let Some(best) = best.filter(|_| !was_crossed) {
        let header = ImportedHeaders::<T, I>::get(best.hash());
        ensure!(
            header.is_some_and(|header| header.number == best.number()),
            "bridge-duet: the best header is not kept, or has another number"
        );
    }
    if let Some(followed) = Followed::<T, I>::get() {
        let mut after = followed.keysets.current.id;
        for set in followed.replaced.iter().rev() {
            ensure!(
                set.keyset.id < after,
                "bridge-duet: the replaced sets are not in the order in which they signed"
            );
            after = set.keyset.id;
        }
    }
    let keep = T::HeadersToKeep::get();
    ensure!(
        ImportedHashesPointer::<T, I>::get() < keep,
        "bridge-duet: the place of the next header is outside the ring"
    );
    let mut hashes = 0_u32;
    for (place, hash) in ImportedHashes::<T, I>::iter() {
        ensure!(
            place < keep,
            "bridge-duet: a header outside the ring: HeadersToKeep got smaller"
        );
        ensure!(
            ImportedHeaders::<T, I>::contains_key(hash),
            "bridge-duet: the ring has a header that is not kept"
        );
        hashes = hashes.saturating_add(1);
    }
    ensure!(
        ImportedHeaders::<T, I>::iter().count() == hashes as usize,
        "bridge-duet: a header that is not in the ring"
    );
    ensure!(
        FreeHeadersRemaining::<T, I>::get()
            .is_none_or(|left| left <= T::MaxFreeHeadersPerBlock::get()),
        "bridge-duet: more free submissions left than a block has"
    );
    Ok(())
}
