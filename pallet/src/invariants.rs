//! Invariants of the storage. `try_state` checks them on real chains, and every test ends with this check.

use crate::{
    registration::KeyStatus, set::is_member, ActiveFrom, Config, CurrentKeys, Draft, DraftParts,
    Ended, Handoffs, KeyOwners, Keys, Keysets, Members, NextKeys, OldestSet, Retired, RetiredRange,
    Sets, SettledMembers, StakedFor, Unsettled,
};
use alloc::vec::Vec;
use duet_primitives::{DualKeyBytes, KeysetCommitment, Keysets as KeysetPair, SetId};
use frame_support::ensure;
use sp_runtime::TryRuntimeError;

/// Checks every invariant.
///
/// # Errors
/// The first invariant that does not hold.
pub(crate) fn check<T: Config>() -> Result<(), TryRuntimeError> {
    registry::<T>()?;
    retirements::<T>()?;
    draft::<T>()?;
    activation::<T>()?;
    match Keysets::<T>::get() {
        Some(sets) => {
            current_and_next::<T>(&sets)?;
            history::<T>(&sets)?;
            handoffs::<T>(&sets)
        }
        None => {
            ensure!(
                CurrentKeys::<T>::get().is_empty(),
                "there are current keys without a set"
            );
            ensure!(
                NextKeys::<T>::get().is_empty(),
                "there are next keys without a set"
            );
            ensure!(
                Sets::<T>::iter_keys().next().is_none(),
                "there are earlier sets but no current one"
            );
            Ok(())
        }
    }
}

/// ACTIVE-1, ACTIVE-3: no set signs on a chain that makes no sets.
fn activation<T: Config>() -> Result<(), TryRuntimeError> {
    let (has_set, ended) = (Keysets::<T>::exists(), Ended::<T>::get());
    ensure!(has_set || !ended, "no set exists, but one has ended");
    ensure!(
        !has_set || ended || ActiveFrom::<T>::exists(),
        "a set signs, but Duet is not activated"
    );
    ensure!(
        Draft::<T>::get().is_none() || ActiveFrom::<T>::exists(),
        "a set is in the making, but Duet is not activated"
    );
    Ok(())
}

/// CHAIN-1: registered keys and their owners are the two sides of one relation.
fn registry<T: Config>() -> Result<(), TryRuntimeError> {
    for (validator, key) in Keys::<T>::iter() {
        let owner = KeyOwners::<T>::get(key.pk1()).ok_or("a registered key has no owner")?;
        ensure!(
            owner.validator == validator,
            "a registered key has another owner"
        );
        let retired = matches!(owner.status, KeyStatus::Retired { .. });
        ensure!(!retired, "a registered key is retired");
    }
    for (key, owner) in KeyOwners::<T>::iter() {
        if !matches!(owner.status, KeyStatus::Retired { .. }) {
            let registered = Keys::<T>::get(&owner.validator).map(|key| key.pk1());
            ensure!(
                registered == Some(key),
                "a key that is not retired is not registered"
            );
        }
    }
    Ok(())
}

/// Each retired key is queued once, in the order in which keys are forgotten.
fn retirements<T: Config>() -> Result<(), TryRuntimeError> {
    let (first, end) = RetiredRange::<T>::get();
    ensure!(
        first <= end,
        "the queue of retired keys ends before it starts"
    );
    let (mut queued, mut latest) = (Vec::new(), SetId::FIRST);
    for entry in first..end {
        let key = Retired::<T>::get(entry).ok_or("the queue of retired keys has a hole")?;
        match KeyOwners::<T>::get(key).map(|owner| owner.status) {
            Some(KeyStatus::Retired { last_set }) => {
                // A set in the making that was given up may leave keys behind that were its members.
                ensure!(
                    last_set.saturating_next() >= latest,
                    "the queue of retired keys is out of order"
                );
                latest = latest.max(last_set);
            }
            _ => return Err("a key in the queue of retired keys is not retired".into()),
        }
        queued.push(key);
    }
    ensure!(
        Retired::<T>::iter_keys().count() == queued.len(),
        "a retired key is outside the queue"
    );
    queued.sort();
    queued.dedup();
    let remembered = KeyOwners::<T>::iter_values()
        .filter(|owner| matches!(owner.status, KeyStatus::Retired { .. }))
        .count();
    ensure!(
        remembered == queued.len(),
        "a retired key is not queued exactly once"
    );
    Ok(())
}

/// SET-1, SET-3, CHAIN-3.
fn current_and_next<T: Config>(sets: &KeysetPair) -> Result<(), TryRuntimeError> {
    let (current, next) = (CurrentKeys::<T>::get(), NextKeys::<T>::get());
    commits(&sets.current, &current)?;
    commits(&sets.next, &next)?;
    let is_same = sets.next.id == sets.current.id;
    ensure!(
        is_same || Some(sets.next.id) == sets.current.id.checked_next(),
        "the next set is neither the current one nor its successor"
    );
    ensure!(
        is_same == (current == next),
        "the set id changes if and only if keys do"
    );
    for key in current.iter().chain(next.iter()) {
        let owner = KeyOwners::<T>::get(key.pk1()).ok_or("a member of a set has no owner")?;
        ensure!(
            owner.status != KeyStatus::Fresh,
            "a member of a set is not enlisted"
        );
    }
    Ok(())
}

/// CHAIN-8: the parts of a set in the making are stored, with the results so far.
fn draft<T: Config>() -> Result<(), TryRuntimeError> {
    let draft = Draft::<T>::get();
    let parts = draft.as_ref().map_or(0, |draft| draft.parts);
    ensure!(
        DraftParts::<T>::iter_keys().count() == usize::try_from(parts).unwrap_or(usize::MAX)
            && (0..parts).all(DraftParts::<T>::contains_key),
        "the parts of the set in the making are not those of its draft"
    );
    let Some(draft) = draft else { return Ok(()) };
    let looked_at = (0..draft.taken.min(parts)).flat_map(DraftParts::<T>::get);
    let (mut members, mut elected) = (0_u32, 0_u32);
    for (_, key) in looked_at {
        elected = elected.saturating_add(1);
        let Some(key) = key else { continue };
        members = members.saturating_add(1);
        let owner = KeyOwners::<T>::get(key.pk1()).ok_or("a drafted key has no owner")?;
        ensure!(
            owner.status != KeyStatus::Fresh,
            "a drafted key is not enlisted"
        );
    }
    ensure!(
        (members, elected) == (draft.tally.members, draft.tally.elected),
        "the tally of the set in the making is not that of its parts"
    );
    Ok(())
}

fn commits(set: &KeysetCommitment, keys: &[DualKeyBytes]) -> Result<(), TryRuntimeError> {
    let pk1s: Vec<_> = keys.iter().map(DualKeyBytes::pk1).collect();
    let found = KeysetCommitment::of_stored_unchecked(set.id, &pk1s)
        .map_err(|_| "SET-1: stored keys do not make a set")?;
    ensure!(found == *set, "SET-3: a commitment does not match its keys");
    ensure!(
        pk1s.iter().all(|key| is_member(key, keys)),
        "SET-1: keys are not in set order"
    );
    Ok(())
}

/// EQV-6: the remembered sets are without a gap, end with the signing one, or with the planned one when both were ended
/// (ACTIVE-3), and retired one after the other.
fn history<T: Config>(KeysetPair { current, next }: &KeysetPair) -> Result<(), TryRuntimeError> {
    let ended = Ended::<T>::get();
    let last = if ended { next } else { current };
    let oldest = OldestSet::<T>::get();
    ensure!(
        oldest <= current.id,
        "the oldest remembered set is in the future"
    );
    let mut latest = None;
    let retired = if ended {
        last.id.saturating_next()
    } else {
        last.id
    };
    for id in oldest.until(retired) {
        let set = Sets::<T>::get(id).ok_or("a remembered set is missing")?;
        ensure!(
            set.commitment.id == id,
            "a remembered set is stored under another id"
        );
        ensure!(
            set.last_session.is_some(),
            "an earlier set has no last session"
        );
        // A reset ends two sets in one session, and may come in the session in which the previous set was replaced.
        ensure!(
            set.last_session >= latest,
            "sets did not retire one after the other"
        );
        ensure!(
            set.last_session <= Some(pallet_session::CurrentIndex::<T>::get()),
            "an earlier set retires in the future"
        );
        latest = set.last_session;
    }
    let signing = Sets::<T>::get(current.id).ok_or("the signing set is not remembered")?;
    ensure!(
        signing.commitment == *current,
        "the signing set is remembered wrongly"
    );
    ensure!(
        ended || signing.last_session.is_none(),
        "the signing set is remembered as an earlier one"
    );
    let remembered = u64::try_from(Sets::<T>::iter_keys().count()).unwrap_or(u64::MAX);
    let expected = last.id.saturating_sub(oldest).saturating_add(1);
    ensure!(
        remembered == expected,
        "sets are remembered outside of the range"
    );
    Ok(())
}

fn members_of_unsettled<T: Config>() -> usize {
    Members::<T>::get(Unsettled::<T>::get()).len()
}

/// HANDOFF-2: the key owners of each remembered set and the next one are known, and the remembered sets' signers.
fn handoffs<T: Config>(sets: &KeysetPair) -> Result<(), TryRuntimeError> {
    let KeysetPair { current, next } = sets;
    let signing = (current, CurrentKeys::<T>::get());
    for (set, keys) in [signing, (next, NextKeys::<T>::get())] {
        let owner =
            |key: &DualKeyBytes| KeyOwners::<T>::get(key.pk1()).map(|owner| owner.validator);
        let owners: Option<Vec<_>> = keys.iter().map(owner).collect();
        ensure!(
            owners == Some(Members::<T>::get(set.id).into_inner()),
            "the members of a set are not the owners of its keys"
        );
    }
    let is_known = |id: SetId| id == next.id || Sets::<T>::contains_key(id);
    ensure!(
        Members::<T>::iter_keys().all(is_known),
        "members of an unknown set are stored"
    );
    let planned = pallet_session::CurrentIndex::<T>::get().saturating_add(1);
    ensure!(
        StakedFor::<T>::iter().all(|(id, (before, newest))| {
            is_known(id) && before <= newest && newest <= planned
        }),
        "members of an unknown set, or in no session, have stake"
    );
    for (id, signers) in Handoffs::<T>::iter() {
        let set = Sets::<T>::get(id).ok_or("signers of an unknown set are stored")?;
        let len = set.commitment.len;
        ensure!(
            signers.as_bytes().len() == usize::try_from(len.div_ceil(8)).unwrap_or(usize::MAX),
            "the length of a handoff's bitfield does not match its set"
        );
        ensure!(
            signers.count() >= set.commitment.threshold(),
            "a handoff has too few signers"
        );
    }
    ensure!(
        Unsettled::<T>::get() <= current.id,
        "handoffs of sets that did not sign are settled"
    );
    let told = SettledMembers::<T>::get();
    ensure!(
        told == 0 || usize::try_from(told).is_ok_and(|told| told < members_of_unsettled::<T>()),
        "more members of a set are settled than it has"
    );
    Ok(())
}
