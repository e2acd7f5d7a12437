//! Rotation of the key sets at a session change. (CHAIN-2 to CHAIN-6, ACTIVE-2)

use crate::{
    activation,
    announcements::announce,
    candidates::{Candidates, KeptReason, NewMembers},
    chores,
    draft::{self, Purpose},
    handoffs,
    records::{install, note_staked, record},
    recovery, registration, rules,
    set::is_member,
    signing,
    types::LOG_TARGET,
    ActiveFrom, Config, CurrentKeys, ElectedFor, Ended, Event, Keysets, Members, NextKeys,
    OldestSet, Pallet,
};
use core::marker::PhantomData;
use duet_primitives::{ConsensusLog, KeysetCommitment, Keysets as KeysetPair, SetId};
use frame_support::traits::Get;
use sp_runtime::{traits::OpaqueKeys, KeyTypeId};
use sp_staking::SessionIndex;

/// Handles sessions for Duet and passes everything on to the runtime's other handlers.
///
/// It sees the validators as filtered by the session pallet, so that no list is kept twice.
pub struct SessionHandler<T, Inner>(PhantomData<(T, Inner)>);

impl<T: Config, Inner: pallet_session::SessionHandler<T::ValidatorId>>
    pallet_session::SessionHandler<T::ValidatorId> for SessionHandler<T, Inner>
{
    const KEY_TYPE_IDS: &'static [KeyTypeId] = Inner::KEY_TYPE_IDS;

    fn on_genesis_session<Ks: OpaqueKeys>(validators: &[(T::ValidatorId, Ks)]) {
        Inner::on_genesis_session(validators);
        start_at_genesis::<T>(validators.iter().map(|(validator, _)| validator));
    }

    fn on_new_session<Ks: OpaqueKeys>(
        changed: bool,
        validators: &[(T::ValidatorId, Ks)],
        queued_validators: &[(T::ValidatorId, Ks)],
    ) {
        Inner::on_new_session(changed, validators, queued_validators);
        rotate::<T>(
            validators.iter().map(|(validator, _)| validator),
            queued_validators.iter().map(|(validator, _)| validator),
        );
    }

    fn on_before_session_ending() {
        Inner::on_before_session_ending();
    }

    fn on_disabled(validator_index: u32) {
        Inner::on_disabled(validator_index);
    }
}

/// Both sets are those of the genesis session, which also has the validators of the next one.
fn start_at_genesis<'a, T: Config>(validators: impl Iterator<Item = &'a T::ValidatorId>) {
    rules::state_trusting_period::<T>();
    if !ActiveFrom::<T>::exists() {
        return;
    }
    // A genesis is no block: its time is not limited.
    match found_first_set::<T>(&Candidates::of(0, validators)) {
        Ok(first) => {
            rules::renew::<T>();
            Keysets::<T>::put(KeysetPair::without_successor(first));
        }
        Err(reason) => {
            log::warn!(
                target: LOG_TARGET,
                "the genesis validators cannot form a Duet set: {reason:?}"
            );
        }
    }
}

/// A session starts: the planned set takes over, and the next one is fixed, or begun if it is large. (CHAIN-3, CHAIN-8)
///
/// Cost: one copy of the keys of a set that takes over; one read and one question for stake per queued validator; if
/// the keys differ from the signing set's, one decompression and addition in G1 and two hashes per validator, and one
/// write per newcomer; the work of [`OnHandoff`](crate::OnHandoff); and the forgetting. With more validators than one
/// block looks at: one write per part of them.
pub(crate) fn rotate<'a, T: Config>(
    active: impl Iterator<Item = &'a T::ValidatorId> + Clone,
    queued: impl Iterator<Item = &'a T::ValidatorId> + Clone,
) {
    rules::state_trusting_period::<T>();
    let session = pallet_session::CurrentIndex::<T>::get();
    match Keysets::<T>::get().filter(|_| !Ended::<T>::get()) {
        Some(sets) => Keysets::<T>::put(advance::<T>(sets, queued, session)),
        None if activation::is_active::<T>() => begin::<T>(active, queued),
        None => {}
    }
    // Earlier sets are settled and forgotten even while no set signs.
    if let Some(sets) = Keysets::<T>::get() {
        chores::begin::<T>(sets.current.id, session);
    }
}

/// No set signs, but one should: the first one, or the first after a deactivation. (ACTIVE-2, ACTIVE-4)
pub(crate) fn begin<'a, T: Config>(
    active: impl Iterator<Item = &'a T::ValidatorId> + Clone,
    queued: impl Iterator<Item = &'a T::ValidatorId> + Clone,
) {
    if draft::is_open::<T>() {
        return;
    }
    if Ended::<T>::get() {
        recovery::begin_anew::<T>(active);
    } else if let Some(sets) = found::<T>(active, queued) {
        Keysets::<T>::put(sets);
    }
}

/// All validators for the first set, or for the next one, were looked at. (CHAIN-8)
///
/// Cost: two hashes per validator, and one write of all keys.
pub(crate) fn finish<T: Config>(candidates: &Candidates<T>) {
    let sets = match Keysets::<T>::get() {
        Some(KeysetPair { current, .. }) => KeysetPair {
            next: plan::<T>(&current, candidates),
            current,
        },
        None => {
            let session = pallet_session::CurrentIndex::<T>::get();
            let Some(first) = first_set::<T>(candidates, session) else {
                return;
            };
            KeysetPair::without_successor(first)
        }
    };
    Keysets::<T>::put(sets);
}

/// The first set, and the one after it; `None` when there are still none.
fn found<'a, T: Config>(
    active: impl Iterator<Item = &'a T::ValidatorId> + Clone,
    queued: impl Iterator<Item = &'a T::ValidatorId> + Clone,
) -> Option<KeysetPair> {
    let session = pallet_session::CurrentIndex::<T>::get();
    let candidates = draft::begin::<T>(Purpose::First, session, active)?;
    let first = first_set::<T>(&candidates, session)?;
    Some(with_successor::<T>(first, queued, session))
}

/// The first set signs from this block on; `None`, with an event, when the validators cannot form one.
fn first_set<T: Config>(
    candidates: &Candidates<T>,
    session: SessionIndex,
) -> Option<KeysetCommitment> {
    match found_first_set::<T>(candidates) {
        Ok(first) => Some(announce_activation::<T>(first, session)),
        Err(reason) => {
            log::warn!(target: LOG_TARGET, "no Duet set signs in session {session}: {reason:?}");
            Pallet::<T>::deposit_event(Event::SetNotFounded { session, reason });
            None
        }
    }
}

/// The sets of the session that starts.
fn advance<'a, T: Config>(
    sets: KeysetPair,
    queued: impl Iterator<Item = &'a T::ValidatorId> + Clone,
    session: SessionIndex,
) -> KeysetPair {
    let KeysetPair { current, next } = &sets;
    let id = current.id;
    let has_successor = next.id != id;
    if has_successor && (!T::AwaitHandoff::get() || handoffs::is_proven::<T>(id)) {
        let KeysetPair { current, next } = sets;
        let current = activate::<T>(current, next, session);
        return with_successor::<T>(current, queued, session);
    }
    if signing::is_expired::<T>() {
        log::error!(
            target: LOG_TARGET,
            "HANDOFF-5: Duet set {id} signs nothing any more: too many of its members can no longer be slashed"
        );
        Pallet::<T>::deposit_event(Event::SetExpired { session, id });
        return sets;
    }
    if has_successor {
        let next = next.id;
        log::warn!(
            target: LOG_TARGET,
            "HANDOFF-4: Duet set {next} waits in session {session} for the proof of set {id}'s handoff"
        );
        Pallet::<T>::deposit_event(Event::SetWaits { session, id, next });
        signing::renew::<T>(current, queued, session.saturating_add(1));
        return sets;
    }
    with_successor::<T>(sets.current, queued, session)
}

fn with_successor<'a, T: Config>(
    current: KeysetCommitment,
    queued: impl Iterator<Item = &'a T::ValidatorId> + Clone,
    session: SessionIndex,
) -> KeysetPair {
    let planned_for = session.saturating_add(1);
    // Always: a set that waited takes over with a date of long ago. (HANDOFF-5)
    signing::renew::<T>(&current, queued.clone(), planned_for);
    // Restarting in each session would never end where sessions are short.
    let is_open = draft::is_open::<T>();
    let begin = || draft::begin::<T>(Purpose::Successor, planned_for, queued.clone());
    if let Some(candidates) = (!is_open).then(begin).flatten() {
        return KeysetPair {
            next: plan::<T>(&current, &candidates),
            current,
        };
    }
    KeysetPair::without_successor(current)
}

/// Creates set 0: at genesis or, on a chain that adopts Duet later, at the first session whose validators make a set.
fn found_first_set<T: Config>(candidates: &Candidates<T>) -> Result<KeysetCommitment, KeptReason> {
    let members = candidates.members()?;
    let first = members.commit(SetId::FIRST)?;
    OldestSet::<T>::put(first.id);
    install::<T>(&first, &members, candidates.session);
    Ok(first)
}

/// The planned set takes over.
fn activate<T: Config>(
    current: KeysetCommitment,
    next: KeysetCommitment,
    session: SessionIndex,
) -> KeysetCommitment {
    record::<T>(current, Some(session.saturating_sub(1)));
    record::<T>(next.clone(), None);
    CurrentKeys::<T>::put(NextKeys::<T>::get());
    ElectedFor::<T>::mutate(|(current, next)| *current = *next);
    announce_activation::<T>(next, session)
}

/// The next set: `current` if the keys stay the same or no other set can be made. (CHAIN-3, CHAIN-5, CHAIN-6)
fn plan<T: Config>(current: &KeysetCommitment, candidates: &Candidates<T>) -> KeysetCommitment {
    replace::<T>(current, candidates).unwrap_or_else(|reason| {
        let session = candidates.session;
        log::warn!(
            target: LOG_TARGET,
            "Duet set {} is kept for session {session}: {reason:?}",
            current.id,
        );
        Pallet::<T>::deposit_event(Event::SetKept {
            session,
            id: current.id,
            reason,
        });
        current.clone()
    })
}

/// The set of the candidates, announced if it differs from the signing one.
fn replace<T: Config>(
    current: &KeysetCommitment,
    candidates: &Candidates<T>,
) -> Result<KeysetCommitment, KeptReason> {
    let elected_for = candidates.session;
    let members = candidates.members()?;
    let signing = CurrentKeys::<T>::get();
    if members.keys == signing {
        ElectedFor::<T>::mutate(|(current, next)| {
            *current = elected_for.max(*current);
            *next = *current;
        });
        return Ok(current.clone());
    }
    let next = members.commit(current.id.saturating_next())?;
    members
        .to_enlist()
        .filter(|key| !is_member(key, &signing))
        .for_each(|key| registration::enlist::<T>(&key));
    let NewMembers { keys, owners, .. } = members;
    NextKeys::<T>::put(&keys);
    Members::<T>::insert(next.id, owners);
    ElectedFor::<T>::mutate(|(_, next)| *next = elected_for);
    note_staked::<T>(next.id, elected_for);
    announce::<T>(&ConsensusLog::Planned(next.clone()));
    // A set that took many blocks may be late.
    let soonest = pallet_session::CurrentIndex::<T>::get().saturating_add(1);
    Pallet::<T>::deposit_event(Event::SetPlanned {
        id: next.id,
        len: next.len,
        session: elected_for.max(soonest),
    });
    Ok(next)
}

fn announce_activation<T: Config>(
    set: KeysetCommitment,
    session: SessionIndex,
) -> KeysetCommitment {
    announce::<T>(&ConsensusLog::Activated(set.id));
    if rules::renew::<T>() {
        announce::<T>(&rules::log::<T>());
    }
    Pallet::<T>::deposit_event(Event::SetActivated {
        id: set.id,
        len: set.len,
        session,
    });
    set
}
