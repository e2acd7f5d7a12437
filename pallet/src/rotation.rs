//! Rotation of the key sets at a session change, and what headers announce of sets and blocks. (CHAIN-2 to CHAIN-7)

use crate::{
    candidates::{commit, keys_for, KeptReason, SetKeys, SetMembers},
    handoffs, registration, rules,
    set::is_member,
    signing,
    types::LOG_TARGET,
    Config, CurrentKeys, ElectedFor, Event, Handoffs, Keysets, Members, NextKeys, OldestSet,
    Pallet, Sets,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use core::marker::PhantomData;
use duet_primitives::{
    suite, ConsensusLog, DualKeyBytes, KeysetCommitment, Keysets as KeysetPair, SetId,
};
use frame_support::traits::Get;
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

/// Both sets are those of the genesis session, which has the validators of the one after it, too.
fn start_at_genesis<'a, T: Config>(validators: impl Iterator<Item = &'a T::ValidatorId>) {
    match found_first_set::<T>(validators, 0) {
        Ok(first) => {
            rules::renew::<T>();
            Keysets::<T>::put(KeysetPair::without_successor(first));
        }
        Err(reason) => {
            log::warn!(target: LOG_TARGET, "the genesis validators make no Duet set: {reason:?}");
        }
    }
}

/// A session starts: the planned set takes over, and the one after it is fixed. (CHAIN-3)
///
/// Cost: one read and one question for stake per queued validator; if the keys differ from the signing set's, one decompression and
/// addition in G1 and two hashes per validator, and one write per newcomer; what [`OnHandoff`](crate::OnHandoff) does; and what is
/// forgotten.
pub(crate) fn rotate<'a, T: Config>(
    active: impl Iterator<Item = &'a T::ValidatorId>,
    queued: impl Iterator<Item = &'a T::ValidatorId> + Clone,
) {
    let session = pallet_session::CurrentIndex::<T>::get();
    let sets = match Keysets::<T>::get() {
        Some(sets) => advance::<T>(sets, queued, session),
        None => match found_first_set::<T>(active, session) {
            Ok(first) => {
                let current = announce_activation::<T>(first, session);
                with_successor::<T>(current, queued, session)
            }
            Err(reason) => {
                log::warn!(target: LOG_TARGET, "no Duet set signs in session {session}: {reason:?}");
                Pallet::<T>::deposit_event(Event::SetNotFounded { session, reason });
                return;
            }
        },
    };
    Keysets::<T>::put(&sets);
    handoffs::settle::<T>(sets.current.id, session);
    forget_sets::<T>(sets.current.id, session);
    registration::forget_retired::<T>();
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
    let next = plan::<T>(&current, queued, session.saturating_add(1));
    KeysetPair { current, next }
}

/// Creates set 0: at genesis or, on a chain that adopts Duet later, at the first session whose validators make a set.
fn found_first_set<'a, T: Config>(
    validators: impl Iterator<Item = &'a T::ValidatorId>,
    session: SessionIndex,
) -> Result<KeysetCommitment, KeptReason> {
    let (keys, members) = keys_for::<T>(session, validators)?;
    let first = commit(SetId::FIRST, &keys)?;
    OldestSet::<T>::put(first.id);
    install::<T>(&first, &keys, &members, session);
    Ok(first)
}

/// A set of validators of this session signs that has no successor yet.
pub(crate) fn install<T: Config>(
    set: &KeysetCommitment,
    keys: &SetKeys<T>,
    members: &SetMembers<T>,
    session: SessionIndex,
) {
    keys.iter()
        .for_each(|key| registration::enlist::<T>(&key.pk1()));
    CurrentKeys::<T>::put(keys);
    NextKeys::<T>::put(keys);
    Members::<T>::insert(set.id, members);
    ElectedFor::<T>::put((session, session));
    record::<T>(set.clone(), None);
}

/// Remembers a set, and the last session in which it signed; none while it signs. (EQV-6)
pub(crate) fn record<T: Config>(commitment: KeysetCommitment, last_session: Option<SessionIndex>) {
    let record = SetRecord {
        commitment,
        last_session,
    };
    Sets::<T>::insert(record.commitment.id, record);
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

/// The set for the session after this one: `current` again when the keys stay, or when no other set can be made.
/// (CHAIN-3, CHAIN-5, CHAIN-6)
fn plan<'a, T: Config>(
    current: &KeysetCommitment,
    queued: impl Iterator<Item = &'a T::ValidatorId> + Clone,
    session: SessionIndex,
) -> KeysetCommitment {
    replace::<T>(current, queued.clone(), session).unwrap_or_else(|reason| {
        log::warn!(
            target: LOG_TARGET,
            "Duet set {} stays for session {session}: {reason:?}",
            current.id,
        );
        Pallet::<T>::deposit_event(Event::SetKept {
            session,
            id: current.id,
            reason,
        });
        signing::renew::<T>(current, queued, session);
        current.clone()
    })
}

/// The set of the queued validators, announced if it differs from the signing one.
fn replace<'a, T: Config>(
    current: &KeysetCommitment,
    queued: impl Iterator<Item = &'a T::ValidatorId>,
    session: SessionIndex,
) -> Result<KeysetCommitment, KeptReason> {
    let (keys, members) = keys_for::<T>(session, queued)?;
    let signing = CurrentKeys::<T>::get();
    if keys == signing {
        ElectedFor::<T>::put((session, session));
        return Ok(current.clone());
    }
    let next = commit(current.id.saturating_next(), &keys)?;
    keys.iter()
        .map(DualKeyBytes::pk1)
        .filter(|key| !is_member(key, &signing))
        .for_each(|key| {
            registration::enlist::<T>(&key);
        });
    NextKeys::<T>::put(&keys);
    Members::<T>::insert(next.id, members);
    ElectedFor::<T>::mutate(|(_, elected_for)| *elected_for = session);
    announce::<T>(&ConsensusLog::Planned(next.clone()));
    Pallet::<T>::deposit_event(Event::SetPlanned {
        id: next.id,
        len: next.len,
        session,
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

/// CHAIN-2.
pub(crate) fn announce<T: Config>(log: &ConsensusLog) {
    let item = DigestItem::Consensus(suite::ENGINE_ID, log.encode());
    frame_system::Pallet::<T>::deposit_log(item);
}

/// CHAIN-7: the header has the hash of what is signed about its block, or would be. Nothing before the first set.
pub(crate) fn announce_payload<T: Config>() {
    if let Some(payload) = signing::payload::<T>() {
        announce::<T>(&ConsensusLog::Payload(payload.hash()));
    }
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
        Members::<T>::remove(id);
        Handoffs::<T>::remove(id);
        kept = id.saturating_next();
    }
    if kept != oldest {
        OldestSet::<T>::put(kept);
    }
}
