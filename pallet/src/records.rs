//! The records of the signing set and of earlier sets. (EQV-6)

use crate::{
    candidates::NewMembers, registration, Config, CurrentKeys, ElectedFor, Members, NextKeys, Sets,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_primitives::{KeysetCommitment, Keysets as KeysetPair};
use scale_info::TypeInfo;
use sp_staking::SessionIndex;

/// A set that signed.
#[derive(
    Clone, PartialEq, Eq, Debug, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct SetRecord {
    /// The commitment for checking evidence. (EQV-4)
    pub commitment: KeysetCommitment,
    /// The last session in which the set signed, or could have; `None` while it signs.
    pub last_session: Option<SessionIndex>,
}

/// A set of validators of this session starts to sign, and has no successor yet.
pub(crate) fn install<T: Config>(
    set: &KeysetCommitment,
    members: &NewMembers<T>,
    session: SessionIndex,
) {
    members
        .to_enlist()
        .for_each(|key| registration::enlist::<T>(&key));
    let NewMembers { keys, owners, .. } = members;
    CurrentKeys::<T>::put(keys);
    NextKeys::<T>::put(keys);
    Members::<T>::insert(set.id, owners);
    ElectedFor::<T>::put((session, session));
    record::<T>(set.clone(), None);
}

/// The signing set ends in this session, and the planned set never signs. Both stay punishable for their signatures as if
/// they had signed last now. (RESET-3, ACTIVE-3)
pub(crate) fn end<T: Config>(KeysetPair { current, next }: KeysetPair) {
    let session = pallet_session::CurrentIndex::<T>::get();
    for old in [current, next] {
        record::<T>(old, Some(session));
    }
}

/// Remembers a set, and the last session in which it signed; `None` while it signs. (EQV-6)
pub(crate) fn record<T: Config>(commitment: KeysetCommitment, last_session: Option<SessionIndex>) {
    let record = SetRecord {
        commitment,
        last_session,
    };
    Sets::<T>::insert(record.commitment.id, record);
}
