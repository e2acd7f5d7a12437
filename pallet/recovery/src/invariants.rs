//! Invariants of the storage. `try_state` checks them on real chains, and every test ends with this check.

use crate::{
    keys::KeyStatus, Config, KeyOwners, Keys, MadeFor, Members, NextId, OldestSet, Sets, Terms,
};
use alloc::vec::Vec;
use frame_support::ensure;
use sp_runtime::TryRuntimeError;

/// Checks every invariant.
///
/// # Errors
/// The first invariant that does not hold.
pub(crate) fn check<T: Config>() -> Result<(), TryRuntimeError> {
    in_force::<T>()?;
    remembered::<T>()?;
    owners::<T>()
}

/// RECOVER-4: the terms name the one set that has not ended.
fn in_force<T: Config>() -> Result<(), TryRuntimeError> {
    let open: Vec<_> = Sets::<T>::iter_values()
        .filter(|set| set.last_session.is_none())
        .collect();
    let keys = Members::<T>::get();
    let Some(terms) = Terms::<T>::get() else {
        ensure!(open.is_empty(), "a set has not ended, but none is in force");
        ensure!(keys.is_empty(), "there are members of no set");
        ensure!(!MadeFor::<T>::exists(), "there is a session of no set");
        return Ok(());
    };
    let [set] = &open[..] else {
        return Err("not just one set has not ended".into());
    };
    ensure!(
        set.commitment == terms.set,
        "the set in force is not recorded"
    );
    let of_record = set.members.iter().map(|(key, _)| key);
    ensure!(of_record.eq(keys.iter()), "the set in force has other keys");
    ensure!(terms.delay > 0, "nobody waits before a crossing");
    Ok(())
}

/// RECOVER-9: sets are remembered without a gap.
fn remembered<T: Config>() -> Result<(), TryRuntimeError> {
    let (oldest, next) = (OldestSet::<T>::get().get(), NextId::<T>::get().get());
    let count = Sets::<T>::iter_keys().count();
    ensure!(
        next.checked_sub(oldest) == u64::try_from(count).ok(),
        "the remembered sets are not those from the oldest to the newest"
    );
    for (id, set) in Sets::<T>::iter() {
        ensure!(
            id == set.commitment.id && (oldest..next).contains(&id.get()),
            "a set is remembered under another number"
        );
    }
    Ok(())
}

/// RECOVER-1: each key has one owner, and is remembered for as long as it is registered or in a remembered set.
fn owners<T: Config>() -> Result<(), TryRuntimeError> {
    for (key, owner) in KeyOwners::<T>::iter() {
        let member = (key, owner.validator.clone());
        let sets = Sets::<T>::iter_values().filter(|set| set.members.contains(&member));
        ensure!(
            u32::try_from(sets.count()) == Ok(owner.sets),
            "a key is in another number of sets"
        );
        let registered = Keys::<T>::get(&owner.validator).map(|registered| registered.key);
        let is_registered = owner.status == KeyStatus::Registered;
        ensure!(
            is_registered == (registered == Some(key)),
            "a key has another status than its owner's registration says"
        );
        ensure!(
            is_registered || owner.sets > 0,
            "a key is remembered without a reason"
        );
    }
    for registered in Keys::<T>::iter_values() {
        ensure!(
            KeyOwners::<T>::contains_key(registered.key),
            "a registered key has no owner"
        );
    }
    for set in Sets::<T>::iter_values() {
        let is_known = |(key, _): &(_, _)| KeyOwners::<T>::contains_key(key);
        ensure!(
            set.members.iter().all(is_known),
            "a member of a remembered set has no owner"
        );
    }
    Ok(())
}
