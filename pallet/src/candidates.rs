//! The validators of a session: their keys, and whether these form a set. (SET-1, CHAIN-4 to CHAIN-6)

// The casts are in the code that `Encode` derives for enums.
#![allow(clippy::cast_possible_truncation)]

use crate::{types::LOG_TARGET, Config, Event, Keys, Pallet};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_primitives::{
    DualKeyBytes, KeysetCommitment, PartialSum, Participation, Pk1Bytes, SetId, Share,
};
use frame_support::{traits::Get, WeakBoundedVec};
use scale_info::TypeInfo;
use sp_runtime::{traits::Convert, Perbill};
use sp_staking::SessionIndex;

/// As many as the members of a set.
type Bounded<T, Item> = WeakBoundedVec<Item, <T as Config>::MaxValidators>;

/// Keys in set order.
pub(crate) type SetKeys<T> = Bounded<T, DualKeyBytes>;

/// The owners of these keys, in the same order.
pub(crate) type SetMembers<T> = Bounded<T, <T as pallet_session::Config>::ValidatorId>;

/// Why the validators of a session cannot form a set. (CHAIN-5, CHAIN-6)
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
    /// The keys do not commit: they add up to zero, so all of their holders collude.
    #[codec(index = 1)]
    Refused,
    /// Too few of the validators have keys.
    #[codec(index = 2)]
    TooFewValidators(Share),
    /// Enough of the validators have keys, but those hold too little of the stake.
    #[codec(index = 3)]
    TooLittleStake(Share),
}

/// The members' share of a session's validators and of their stake, as far as they were looked at. (CHAIN-6)
#[derive(
    Clone,
    Default,
    PartialEq,
    Eq,
    Debug,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub struct Tally {
    /// The number of members.
    pub members: u32,
    /// The number of validators.
    pub elected: u32,
    /// The stake of the members.
    pub member_stake: u128,
    /// The stake of all validators.
    pub elected_stake: u128,
}

/// A validator that was looked at.
enum Candidate {
    Member(DualKeyBytes),
    /// CHAIN-4.
    WithoutKey,
    /// The validator has a key, but the set is full. (SET-1)
    WithoutRoom,
}

impl Tally {
    /// Looks at the next validator. The session lists validators in the order of election, so the first ones get in.
    ///
    /// Cost: one read, and one question to [`Config::StakeOf`].
    fn take<T: Config>(&mut self, validator: &T::ValidatorId) -> Candidate {
        let has_room = self.members < <T as Config>::MaxValidators::get();
        let candidate = match Keys::<T>::get(validator) {
            None => Candidate::WithoutKey,
            Some(_) if !has_room => Candidate::WithoutRoom,
            Some(key) => Candidate::Member(key),
        };
        self.count::<T>(validator, matches!(candidate, Candidate::Member(_)));
        candidate
    }

    /// Counts a validator of the session.
    ///
    /// Cost: one question to [`Config::StakeOf`].
    pub fn count<T: Config>(&mut self, validator: &T::ValidatorId, is_member: bool) {
        let stake = T::StakeOf::convert(validator.clone());
        self.elected = self.elected.saturating_add(1);
        self.elected_stake = self.elected_stake.saturating_add(stake);
        if is_member {
            self.members = self.members.saturating_add(1);
            self.member_stake = self.member_stake.saturating_add(stake);
        }
    }

    fn validators<T: Config>(&self) -> Share {
        share::<T>(self.members.into(), self.elected.into())
    }

    fn stake<T: Config>(&self) -> Share {
        share::<T>(self.member_stake, self.elected_stake)
    }

    /// Why the members cannot form a set, if so. (CHAIN-5, CHAIN-6)
    pub fn refusal<T: Config>(&self) -> Option<KeptReason> {
        let (validators, stake) = (self.validators::<T>(), self.stake::<T>());
        if self.members == 0 {
            Some(KeptReason::NoKeys)
        } else if !validators.suffices() {
            Some(KeptReason::TooFewValidators(validators))
        } else if !stake.suffices() {
            Some(KeptReason::TooLittleStake(stake))
        } else {
            None
        }
    }
}

fn share<T: Config>(in_set: u128, elected: u128) -> Share {
    let floor: Perbill = T::MinParticipation::get();
    Share {
        in_set,
        elected,
        needed: floor.mul_ceil(elected),
    }
}

/// The share that a set would stand for if it were made now of the next session's validators.
pub(crate) fn participation<T: Config>() -> Participation<T::ValidatorId> {
    let mut tally = Tally::default();
    let queued = pallet_session::QueuedKeys::<T>::get().into_iter();
    let is_missing =
        |validator: &T::ValidatorId| !matches!(tally.take::<T>(validator), Candidate::Member(_));
    let missing = queued
        .map(|(validator, _)| validator)
        .filter(is_missing)
        .collect();
    Participation {
        validators: tally.validators::<T>(),
        stake: tally.stake::<T>(),
        missing,
    }
}

/// A validator, and its key if it becomes a member.
pub(crate) type Elected<T> = (
    <T as pallet_session::Config>::ValidatorId,
    Option<DualKeyBytes>,
);

/// The validators of a session after the look at them.
pub(crate) struct Candidates<T: Config> {
    /// The session.
    pub session: SessionIndex,
    /// All of them, in the order of their election.
    pub elected: Vec<Elected<T>>,
    /// The result.
    pub tally: Tally,
    /// The sum of the members' keys, if they are already marked as those of a set and added up. (CHAIN-8)
    pub enlisted: Option<PartialSum>,
}

impl<T: Config> Candidates<T> {
    /// All validators of a session at once.
    pub(crate) fn of<'a>(
        session: SessionIndex,
        validators: impl Iterator<Item = &'a T::ValidatorId>,
    ) -> Self
    where
        T::ValidatorId: 'a,
    {
        let mut tally = Tally::default();
        let mut elected = validators
            .map(|validator| (validator.clone(), None))
            .collect::<Vec<_>>();
        look_at::<T>(session, &mut elected, &mut tally);
        Self {
            session,
            elected,
            tally,
            enlisted: None,
        }
    }

    /// The members in set order, if they form a set.
    ///
    /// # Errors
    /// CHAIN-5, CHAIN-6: why they do not.
    pub(crate) fn members(&self) -> Result<NewMembers<T>, KeptReason> {
        if let Some(reason) = self.tally.refusal::<T>() {
            return Err(reason);
        }
        let with_key = |(validator, key): &Elected<T>| key.map(|key| (validator.clone(), key));
        let mut members: Vec<_> = self.elected.iter().filter_map(with_key).collect();
        members.sort_by_key(|(_, key)| key.pk1());
        let seen = members.len();
        members.dedup_by_key(|(_, key)| key.pk1());
        // A validator listed twice by the session was added twice.
        let enlisted = self.enlisted.clone().filter(|_| members.len() == seen);
        let (owners, keys) = members.into_iter().unzip();
        Ok(NewMembers {
            keys: bounded::<T, _>(keys),
            owners: bounded::<T, _>(owners),
            enlisted,
        })
    }
}

/// The keys of a new set, in set order, and their owners.
pub(crate) struct NewMembers<T: Config> {
    pub keys: SetKeys<T>,
    pub owners: SetMembers<T>,
    enlisted: Option<PartialSum>,
}

impl<T: Config> NewMembers<T> {
    /// The members whose keys have to be marked as those of a set.
    pub(crate) fn to_enlist(&self) -> impl Iterator<Item = Pk1Bytes> + '_ {
        let unmarked = self.enlisted.is_none().then_some(&self.keys);
        unmarked
            .into_iter()
            .flat_map(|keys| keys.iter().map(DualKeyBytes::pk1))
    }

    /// The commitment to these keys.
    ///
    /// Cost: two hashes per key, and a decompression and addition in G1 unless they are already added up.
    ///
    /// # Errors
    /// CHAIN-5: they add up to zero.
    pub(crate) fn commit(&self, id: SetId) -> Result<KeysetCommitment, KeptReason> {
        let keys: Vec<_> = self.keys.iter().map(DualKeyBytes::pk1).collect();
        let made = match &self.enlisted {
            Some(sum) => KeysetCommitment::of_summed_unchecked(id, &keys, sum),
            None => KeysetCommitment::of_stored_unchecked(id, &keys),
        };
        made.map_err(|error| {
            log::error!(target: LOG_TARGET, "CHAIN-5: the keys do not make a set: {error}");
            KeptReason::Refused
        })
    }
}

/// Looks at the next validators of a session: records the keys of the members, and reports who is left out. (CHAIN-4,
/// SET-1)
///
/// Cost: one read and one question for stake per validator.
pub(crate) fn look_at<T: Config>(
    session: SessionIndex,
    validators: &mut [Elected<T>],
    tally: &mut Tally,
) {
    let (mut without_keys, mut without_room) = (Vec::new(), 0_u32);
    for (validator, member) in validators {
        match tally.take::<T>(validator) {
            Candidate::Member(key) => *member = Some(key),
            Candidate::WithoutKey => without_keys.push(validator.clone()),
            Candidate::WithoutRoom => without_room = without_room.saturating_add(1),
        }
    }
    announce_left_out::<T>(session, without_keys, without_room);
}

fn announce_left_out<T: Config>(
    session: SessionIndex,
    without_keys: Vec<T::ValidatorId>,
    without_room: u32,
) {
    if !without_keys.is_empty() {
        log::warn!(
            target: LOG_TARGET,
            "CHAIN-4: validators without Duet keys do not sign in session {session}: {without_keys:?}"
        );
        Pallet::<T>::deposit_event(Event::ValidatorsLeftOut {
            session,
            validators: without_keys,
        });
    }
    if without_room > 0 {
        Pallet::<T>::deposit_event(Event::SetTruncated {
            session,
            limit: <T as Config>::MaxValidators::get(),
            left_out: without_room,
        });
    }
}

/// A set gets no more members than it has room for.
fn bounded<T: Config, Item>(members: Vec<Item>) -> Bounded<T, Item> {
    WeakBoundedVec::force_from(members, Some("the next Duet set"))
}
