//! Rotation of the key sets at a session change, and the digest that announces it. (CHAIN-2 to CHAIN-5)

use crate::{
    registration, set::is_member, types::LOG_TARGET, Config, CurrentKeys, Event, Keys, Keysets,
    NextKeys, OldestSet, Pallet, Sets,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use core::marker::PhantomData;
use duet_primitives::{
    suite, ConsensusLog, DualKeyBytes, KeysetCommitment, KeysetError, Keysets as KeysetPair, SetId,
};
use frame_support::{traits::Get, WeakBoundedVec};
use scale_info::TypeInfo;
use sp_runtime::{generic::DigestItem, traits::OpaqueKeys, KeyTypeId};
use sp_staking::SessionIndex;

/// How many sets are forgotten in one session at most; in the long run one retires per session.
const SETS_FORGOTTEN_AT_ONCE: usize = 4;

/// A set that signed.
#[derive(
    Clone, PartialEq, Eq, Debug, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct SetRecord {
    /// What evidence is checked against. (EQV-4)
    pub commitment: KeysetCommitment,
    /// The last session in which it signed; `None` while it signs.
    pub last_session: Option<SessionIndex>,
}

/// Why no new set could be planned.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub enum KeptReason {
    /// None of the queued validators has a key.
    #[codec(index = 0)]
    NoKeys,
    /// The keys do not commit: they add up to zero, so all of their holders act together.
    #[codec(index = 1)]
    Refused,
}

/// Handles sessions for Duet and passes everything on to the runtime's other handlers.
///
/// It sees the validators as the session pallet filtered them, so that no list is kept twice.
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

/// Limits that hold for every chain.
pub(crate) fn integrity_test<T: Config>() {
    let limit = <T as Config>::MaxValidators::get();
    assert!(
        limit > 0,
        "SET-1: MaxValidators is zero, but a set has at least one key"
    );
    assert!(
        limit <= suite::MAX_VALIDATORS,
        "SET-1: MaxValidators is {limit}, but decoders refuse more than {}",
        suite::MAX_VALIDATORS,
    );
}

/// Both sets are those of the genesis session, which has the validators of the one after it, too.
fn start_at_genesis<'a, T: Config>(validators: impl Iterator<Item = &'a T::ValidatorId>) {
    match found_first_set::<T>(validators, 0) {
        Some(first) => Keysets::<T>::put(KeysetPair {
            current: first.clone(),
            next: first,
        }),
        None => log::warn!(target: LOG_TARGET, "no genesis validator has a Duet key"),
    }
}

/// A session starts: the planned set takes over, and the one after it is fixed. (CHAIN-3)
///
/// Cost: one read per queued validator; if the keys differ from the signing set's, one decompression and
/// addition in G1 and two hashes per validator, and one write per newcomer; and what is forgotten.
pub(crate) fn rotate<'a, T: Config>(
    active: impl Iterator<Item = &'a T::ValidatorId>,
    queued: impl Iterator<Item = &'a T::ValidatorId>,
) {
    let session = pallet_session::CurrentIndex::<T>::get();
    let current = match Keysets::<T>::get() {
        Some(KeysetPair { current, next }) => activate::<T>(current, next, session),
        None => match found_first_set::<T>(active, session) {
            Some(first) => announce_activation::<T>(first, session),
            None => return,
        },
    };
    let next = plan::<T>(&current, queued, session.saturating_add(1));
    Keysets::<T>::put(KeysetPair {
        current: current.clone(),
        next,
    });
    registration::forget_retired::<T>(session);
    forget_sets::<T>(current.id, session);
}

/// Creates set 0: at genesis or, on a chain that adopts Duet later, at the first session whose validators have keys.
fn found_first_set<'a, T: Config>(
    validators: impl Iterator<Item = &'a T::ValidatorId>,
    session: SessionIndex,
) -> Option<KeysetCommitment> {
    let keys = members::<T>(validators, session);
    if keys.is_empty() {
        return None;
    }
    let first = commit(SetId::FIRST, &keys).inspect_err(refuse).ok()?;
    keys.iter()
        .for_each(|key| registration::enlist::<T>(&key.pk1()));
    CurrentKeys::<T>::put(&keys);
    NextKeys::<T>::put(&keys);
    OldestSet::<T>::put(first.id);
    Sets::<T>::insert(
        first.id,
        SetRecord {
            commitment: first.clone(),
            last_session: None,
        },
    );
    Some(first)
}

/// The planned set takes over, if its keys differ.
fn activate<T: Config>(
    current: KeysetCommitment,
    next: KeysetCommitment,
    session: SessionIndex,
) -> KeysetCommitment {
    if next.id == current.id {
        return current;
    }
    let last_session = Some(session.saturating_sub(1));
    Sets::<T>::insert(
        current.id,
        SetRecord {
            commitment: current,
            last_session,
        },
    );
    Sets::<T>::insert(
        next.id,
        SetRecord {
            commitment: next.clone(),
            last_session: None,
        },
    );
    CurrentKeys::<T>::put(NextKeys::<T>::get());
    announce_activation::<T>(next, session)
}

/// The set for the session after this one: `current` again when the keys stay. (CHAIN-3, CHAIN-5)
fn plan<'a, T: Config>(
    current: &KeysetCommitment,
    queued: impl Iterator<Item = &'a T::ValidatorId>,
    session: SessionIndex,
) -> KeysetCommitment {
    let keys = members::<T>(queued, session);
    let signing = CurrentKeys::<T>::get();
    if keys == signing {
        return current.clone();
    }
    let keep = |reason| {
        Pallet::<T>::deposit_event(Event::SetKept {
            session,
            id: current.id,
            reason,
        });
        current.clone()
    };
    if keys.is_empty() {
        return keep(KeptReason::NoKeys);
    }
    let next = match commit(current.id.saturating_next(), &keys) {
        Ok(next) => next,
        Err(error) => {
            refuse(&error);
            return keep(KeptReason::Refused);
        }
    };
    keys.iter()
        .map(DualKeyBytes::pk1)
        .filter(|key| !is_member(key, &signing))
        .for_each(|key| {
            registration::enlist::<T>(&key);
        });
    NextKeys::<T>::put(&keys);
    announce::<T>(&ConsensusLog::Planned(next.clone()));
    Pallet::<T>::deposit_event(Event::SetPlanned {
        id: next.id,
        len: next.len,
        session,
    });
    next
}

/// The validators' keys in set order (SET-1). Deposits events for validators that are left out. (CHAIN-4)
fn members<'a, T: Config>(
    validators: impl Iterator<Item = &'a T::ValidatorId>,
    session: SessionIndex,
) -> WeakBoundedVec<DualKeyBytes, <T as Config>::MaxValidators> {
    let limit = <T as Config>::MaxValidators::get();
    let (mut keys, mut without) = (Vec::new(), Vec::new());
    for validator in validators {
        match Keys::<T>::get(validator) {
            Some(key) => keys.push(key),
            None => without.push(validator.clone()),
        }
    }
    if !without.is_empty() {
        log::warn!(
            target: LOG_TARGET,
            "validators without Duet keys do not sign in session {session}: {without:?}"
        );
        Pallet::<T>::deposit_event(Event::ValidatorsLeftOut {
            session,
            validators: without,
        });
    }
    let found = keys.len();
    // The session lists validators in the order of their election, so the last ones are dropped.
    keys.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let left_out = u32::try_from(found.saturating_sub(keys.len())).unwrap_or(u32::MAX);
    if left_out > 0 {
        Pallet::<T>::deposit_event(Event::SetTruncated {
            session,
            limit,
            left_out,
        });
    }
    keys.sort_by_key(DualKeyBytes::pk1);
    keys.dedup();
    WeakBoundedVec::force_from(keys, Some("the next Duet set"))
}

fn commit(id: SetId, keys: &[DualKeyBytes]) -> Result<KeysetCommitment, KeysetError> {
    let keys: Vec<_> = keys.iter().map(DualKeyBytes::pk1).collect();
    KeysetCommitment::of_stored_unchecked(id, &keys)
}

fn refuse(error: &KeysetError) {
    log::error!(target: LOG_TARGET, "the planned keys do not make a set: {error}");
}

fn announce_activation<T: Config>(
    set: KeysetCommitment,
    session: SessionIndex,
) -> KeysetCommitment {
    announce::<T>(&ConsensusLog::Activated(set.id));
    Pallet::<T>::deposit_event(Event::SetActivated {
        id: set.id,
        len: set.len,
        session,
    });
    set
}

/// CHAIN-2.
fn announce<T: Config>(log: &ConsensusLog) {
    let item = DigestItem::Consensus(suite::ENGINE_ID, log.encode());
    frame_system::Pallet::<T>::deposit_log(item);
}

/// Forgets the sets whose equivocations can no longer be punished. (EQV-6)
fn forget_sets<T: Config>(current: SetId, session: SessionIndex) {
    let oldest = OldestSet::<T>::get();
    let expired = |id: &SetId| {
        Sets::<T>::get(id)
            .and_then(|set| set.last_session)
            .is_some_and(|last| !registration::is_slashable::<T>(last, session))
    };
    let mut kept = oldest;
    for id in oldest
        .until(current)
        .take(SETS_FORGOTTEN_AT_ONCE)
        .take_while(expired)
    {
        Sets::<T>::remove(id);
        kept = id.saturating_next();
    }
    if kept != oldest {
        OldestSet::<T>::put(kept);
    }
}
