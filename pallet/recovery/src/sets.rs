//! The recovery set of each session, and the sets that can still be punished. (RECOVER-3, RECOVER-4, RECOVER-9)

use crate::{
    keys, types::LOG_TARGET, weights::WeightInfo, Config, Event, MadeFor, Members, NextId,
    OldestSet, Pallet, Seen, Sets, Terms,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_primitives::{KeysetCommitment, Pk1Bytes, RecoveryTerms};
use frame_support::{
    traits::Get, weights::Weight, CloneNoBound, DebugNoBound, EqNoBound, PartialEqNoBound,
    WeakBoundedVec,
};
use pallet_duet::{KeptReason, Tally};
use scale_info::TypeInfo;
use sp_staking::SessionIndex;

type Weights<T> = <T as Config>::WeightInfo;

/// A recovery set, for evidence against its members. (RECOVER-9)
#[derive(
    CloneNoBound,
    PartialEqNoBound,
    EqNoBound,
    DebugNoBound,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
#[scale_info(skip_type_params(T))]
pub struct SetRecord<T: Config> {
    /// The commitment for checking evidence.
    pub commitment: KeysetCommitment,
    /// The members' keys and their owners, in set order.
    pub members:
        WeakBoundedVec<(Pk1Bytes, T::ValidatorId), <T as pallet_duet::Config>::ValidatorsPerBlock>,
    /// The last session of whose validators the set was made or kept; `None` while it is in force. It stays in force in
    /// the first block of the session after it, in which members may have left.
    pub last_session: Option<SessionIndex>,
}

type Member<T> = (Pk1Bytes, <T as pallet_session::Config>::ValidatorId);

/// Makes the set in the second block of each session, and forgets at most one that can no longer be punished: no more
/// than one ends in a session. Returns all of this block's work.
pub(crate) fn on_initialize<T: Config>() -> Weight {
    let session = pallet_session::CurrentIndex::<T>::get();
    let (seen, is_made) = Seen::<T>::get();
    if seen == session && is_made {
        return Weights::<T>::look();
    }
    let is_second = seen == session;
    Seen::<T>::put((session, is_second));
    if !is_second {
        return Weights::<T>::look().saturating_add(T::DbWeight::get().writes(1));
    }
    make::<T>(session).saturating_add(forget_oldest::<T>(session))
}

/// RECOVER-3. Returns the weight of a block that does this and forgets no set.
fn make<T: Config>(session: SessionIndex) -> Weight {
    let validators = pallet_session::Validators::<T>::get();
    let count = u32::try_from(validators.len()).unwrap_or(u32::MAX);
    if count > T::ValidatorsPerBlock::get() {
        end::<T>(session);
        Pallet::<T>::deposit_event(Event::TooManyValidators {
            session,
            validators: count,
        });
        return Weights::<T>::skip_set(count);
    }
    let made = members::<T>(session, &validators).and_then(|members| renew::<T>(session, members));
    if let Err(reason) = made {
        end::<T>(session);
        Pallet::<T>::deposit_event(Event::SetNotMade { session, reason });
    }
    Weights::<T>::make_set(count)
}

/// The members in set order, if they reach the floor. (CHAIN-6)
fn members<T: Config>(
    session: SessionIndex,
    validators: &[T::ValidatorId],
) -> Result<Vec<Member<T>>, KeptReason> {
    let mut tally = Tally::default();
    let look = |validator: &T::ValidatorId| {
        let key = keys::ready::<T>(validator, session);
        tally.count::<T>(validator, key.is_some());
        key.map(|key| (key, validator.clone()))
    };
    let mut members: Vec<_> = validators.iter().filter_map(look).collect();
    if let Some(reason) = tally.refusal::<T>() {
        return Err(reason);
    }
    members.sort_by_key(|(key, _)| *key);
    // The session may list a validator twice.
    members.dedup_by_key(|(key, _)| *key);
    Ok(members)
}

/// Puts these members in force: in the set before if it has their keys, in a new one otherwise. (RECOVER-3, RECOVER-4)
fn renew<T: Config>(session: SessionIndex, members: Vec<Member<T>>) -> Result<(), KeptReason> {
    let keys: Vec<_> = members.iter().map(|(key, _)| *key).collect();
    let before = Terms::<T>::get().filter(|_| *Members::<T>::get() == keys);
    let set = match before {
        Some(terms) => terms.set,
        None => found::<T>(session, keys, members)?,
    };
    let delay = T::Delay::get().max(1);
    Terms::<T>::put(RecoveryTerms { set, delay });
    MadeFor::<T>::put(session);
    Ok(())
}

/// Ends the set before, and makes a new one.
fn found<T: Config>(
    session: SessionIndex,
    keys: Vec<Pk1Bytes>,
    members: Vec<Member<T>>,
) -> Result<KeysetCommitment, KeptReason> {
    let id = NextId::<T>::get();
    let commitment = KeysetCommitment::of_stored_unchecked(id, &keys).map_err(|error| {
        log::error!(target: LOG_TARGET, "RECOVER-3: the keys do not make a set: {error}");
        KeptReason::Refused
    })?;
    end::<T>(session);
    keys.iter().for_each(keys::enlist::<T>);
    NextId::<T>::put(id.saturating_next());
    Members::<T>::put(WeakBoundedVec::force_from(keys, None));
    let record = SetRecord {
        commitment: commitment.clone(),
        // No more than the validators that one block looks at.
        members: WeakBoundedVec::force_from(members, None),
        last_session: None,
    };
    Sets::<T>::insert(id, record);
    let len = commitment.len;
    Pallet::<T>::deposit_event(Event::SetMade { id, len, session });
    Ok(commitment)
}

/// The session whose stake is slashed for the offences of a set. (RECOVER-9)
pub(crate) fn session_of_offences<T: Config>(
    set: &SetRecord<T>,
    now: SessionIndex,
) -> SessionIndex {
    set.last_session.or_else(MadeFor::<T>::get).unwrap_or(now)
}

/// The set in force, if any, is so no more from this block on, the second one of this session.
fn end<T: Config>(session: SessionIndex) {
    let Some(terms) = Terms::<T>::take() else {
        return;
    };
    Members::<T>::kill();
    let made_for = MadeFor::<T>::take().unwrap_or(session.saturating_sub(1));
    Sets::<T>::mutate(terms.set.id, |set| {
        if let Some(set) = set {
            set.last_session = Some(made_for);
        }
    });
}

/// Forgets the oldest set if its members can no longer be punished. Returns the weight of that. (RECOVER-9)
pub(crate) fn forget_oldest<T: Config>(now: SessionIndex) -> Weight {
    let id = OldestSet::<T>::get();
    let is_over = |last: SessionIndex| !pallet_duet::Pallet::<T>::is_slashable(last, now);
    let expired = Sets::<T>::get(id).filter(|set| set.last_session.is_some_and(is_over));
    let Some(set) = expired else {
        return Weight::zero();
    };
    Sets::<T>::remove(id);
    OldestSet::<T>::put(id.saturating_next());
    let deposits: u32 = set
        .members
        .iter()
        .map(|(key, _)| u32::from(keys::delist::<T>(key)))
        .sum();
    let others = set.commitment.len.saturating_sub(deposits);
    Weights::<T>::forget_set(others, deposits)
}
