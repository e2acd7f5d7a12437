//! The validators of a session: the keys that they bring, and whether these make a set. (SET-1, CHAIN-4 to CHAIN-6)

// The casts are in the code that `Encode` derives for enums.
#![allow(clippy::cast_possible_truncation)]

use crate::{types::LOG_TARGET, Config, Event, Keys, Pallet};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_primitives::{DualKeyBytes, KeysetCommitment, Participation, SetId, Share};
use frame_support::{traits::Get, WeakBoundedVec};
use scale_info::TypeInfo;
use sp_runtime::{traits::Convert, Perbill};
use sp_staking::SessionIndex;

/// As many as a set may have members.
type Bounded<T, Item> = WeakBoundedVec<Item, <T as Config>::MaxValidators>;

/// Keys in set order.
pub(crate) type SetKeys<T> = Bounded<T, DualKeyBytes>;

/// The owners of these keys, in the same order.
pub(crate) type SetMembers<T> = Bounded<T, <T as pallet_session::Config>::ValidatorId>;

/// Why the validators of a session do not make a set. (CHAIN-5, CHAIN-6)
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
    /// None of the validators has a key.
    #[codec(index = 0)]
    NoKeys,
    /// The keys do not commit: they add up to zero, so all of their holders act together.
    #[codec(index = 1)]
    Refused,
    /// Too few of the validators have keys.
    #[codec(index = 2)]
    TooFewValidators(Share),
    /// Enough of the validators have keys, but these hold too little of the stake.
    #[codec(index = 3)]
    TooLittleStake(Share),
}

/// The validators of one session.
struct Candidates<'a, T: Config> {
    /// Those that a set would have, with their keys.
    members: Vec<(&'a T::ValidatorId, DualKeyBytes)>,
    /// Those without a key. (CHAIN-4)
    without_keys: Vec<&'a T::ValidatorId>,
    /// Those with a key for whom a set has no room. (SET-1)
    without_room: Vec<&'a T::ValidatorId>,
}

impl<'a, T: Config> Candidates<'a, T> {
    /// The session lists validators in the order of their election, so room is given to the first ones.
    ///
    /// Cost: one read per validator.
    fn of(validators: impl Iterator<Item = &'a T::ValidatorId>) -> Self {
        let (mut members, mut without_keys) = (Vec::new(), Vec::new());
        for validator in validators {
            match Keys::<T>::get(validator) {
                Some(key) => members.push((validator, key)),
                None => without_keys.push(validator),
            }
        }
        let room = usize::try_from(<T as Config>::MaxValidators::get()).unwrap_or(usize::MAX);
        let beyond = members.split_off(room.min(members.len()));
        Self {
            members,
            without_keys,
            without_room: beyond.into_iter().map(|(validator, _)| validator).collect(),
        }
    }

    fn missing(&self) -> impl Iterator<Item = &'a T::ValidatorId> + '_ {
        self.without_keys.iter().chain(&self.without_room).copied()
    }

    /// What part of the validators the members are, by a weight of each.
    fn share(&self, weight: impl Fn(&T::ValidatorId) -> u128) -> Share {
        let add = |sum: u128, validator| sum.saturating_add(weight(validator));
        let in_set = self
            .members
            .iter()
            .map(|(validator, _)| *validator)
            .fold(0, add);
        let elected = self.missing().fold(in_set, add);
        let floor: Perbill = T::MinParticipation::get();
        Share {
            in_set,
            elected,
            needed: floor.mul_ceil(elected),
        }
    }

    fn validators(&self) -> Share {
        self.share(|_| 1)
    }

    /// Cost: one question to [`Config::StakeOf`] per validator.
    fn stake(&self) -> Share {
        self.share(|validator| T::StakeOf::convert(validator.clone()))
    }

    /// Why the members do not make a set, if so. (CHAIN-5, CHAIN-6)
    fn refusal(&self) -> Option<KeptReason> {
        let (validators, stake) = (self.validators(), self.stake());
        if self.members.is_empty() {
            Some(KeptReason::NoKeys)
        } else if !validators.suffices() {
            Some(KeptReason::TooFewValidators(validators))
        } else if !stake.suffices() {
            Some(KeptReason::TooLittleStake(stake))
        } else {
            None
        }
    }

    /// Says who is left out of the set for `session`.
    fn announce_missing(&self, session: SessionIndex) {
        if !self.without_keys.is_empty() {
            let validators = &self.without_keys;
            log::warn!(
                target: LOG_TARGET,
                "CHAIN-4: validators without Duet keys do not sign in session {session}: {validators:?}"
            );
            Pallet::<T>::deposit_event(Event::ValidatorsLeftOut {
                session,
                validators: validators.iter().copied().cloned().collect(),
            });
        }
        if !self.without_room.is_empty() {
            Pallet::<T>::deposit_event(Event::SetTruncated {
                session,
                limit: <T as Config>::MaxValidators::get(),
                left_out: u32::try_from(self.without_room.len()).unwrap_or(u32::MAX),
            });
        }
    }
}

/// What a set would stand for if it were made now of the validators of the next session.
pub(crate) fn participation<T: Config>() -> Participation<T::ValidatorId> {
    let queued = pallet_session::QueuedKeys::<T>::get();
    let candidates = Candidates::<T>::of(queued.iter().map(|(validator, _)| validator));
    Participation {
        validators: candidates.validators(),
        stake: candidates.stake(),
        missing: candidates.missing().cloned().collect(),
    }
}

/// The keys of these validators in set order and who owns them, if they make a set for `session`. Says who is left out.
///
/// # Errors
/// CHAIN-5, CHAIN-6: why they do not.
pub(crate) fn keys_for<'a, T: Config>(
    session: SessionIndex,
    validators: impl Iterator<Item = &'a T::ValidatorId>,
) -> Result<(SetKeys<T>, SetMembers<T>), KeptReason> {
    let candidates = Candidates::<T>::of(validators);
    candidates.announce_missing(session);
    if let Some(reason) = candidates.refusal() {
        return Err(reason);
    }
    let mut members = candidates.members;
    members.sort_by_key(|(_, key)| key.pk1());
    members.dedup_by_key(|(_, key)| key.pk1());
    let keys = members.iter().map(|(_, key)| *key).collect();
    let owners = members.iter().map(|(owner, _)| (*owner).clone()).collect();
    Ok((bounded::<T, _>(keys), bounded::<T, _>(owners)))
}

/// [`Candidates`] has left out for whom there is no room.
fn bounded<T: Config, Item>(members: Vec<Item>) -> Bounded<T, Item> {
    WeakBoundedVec::force_from(members, Some("the next Duet set"))
}

/// The commitment to keys that are in set order.
///
/// # Errors
/// CHAIN-5: they add up to zero.
pub(crate) fn commit(id: SetId, keys: &[DualKeyBytes]) -> Result<KeysetCommitment, KeptReason> {
    let keys: Vec<_> = keys.iter().map(DualKeyBytes::pk1).collect();
    KeysetCommitment::of_stored_unchecked(id, &keys).map_err(|error| {
        log::error!(target: LOG_TARGET, "CHAIN-5: the keys do not make a set: {error}");
        KeptReason::Refused
    })
}
