//! The records of the signing set and of earlier sets. (EQV-6)

use crate::{
    candidates::NewMembers, registration, Config, CurrentKeys, ElectedFor, Error, Members,
    NextKeys, Sets, StakedFor,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_primitives::{KeysetCommitment, Keysets as KeysetPair, SetId};
use frame_support::ensure;
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
    note_staked::<T>(set.id, session);
    record::<T>(set.clone(), None);
}

/// All members of a set are validators of this session, so that it has stake of each of them. (EQV-6)
pub(crate) fn note_staked<T: Config>(id: SetId, session: SessionIndex) {
    StakedFor::<T>::mutate(id, |staked| {
        let (_, newest) = *staked.get_or_insert((session, session));
        if newest < session {
            *staked = Some((newest, session));
        }
    });
}

/// The signing set ends in this session, and the planned set never signs. Both stay punishable for their signatures as
/// if they had signed last now; the planned set's members have stake from the session on for which it was planned.
/// (RESET-3, ACTIVE-3)
pub(crate) fn end<T: Config>(KeysetPair { current, next }: KeysetPair) {
    let session = pallet_session::CurrentIndex::<T>::get();
    for old in [current, next] {
        record::<T>(old, Some(session));
    }
}

/// The session to which offences of a set are dated: the last one in which it signed or could have, and in which all of
/// its members had stake. A member that left before has no stake in the last one itself. (EQV-6)
///
/// # Errors
/// When the set can no longer be punished, or not yet: a planned set that was ended, before the session of its members.
pub(crate) fn session_of_offences<T: Config>(
    set: &SetRecord,
    now: SessionIndex,
) -> Result<SessionIndex, Error<T>> {
    let last = set.last_session.unwrap_or(now).min(now);
    let is_slashable = |session| registration::is_slashable::<T>(session, now);
    ensure!(is_slashable(last), Error::<T>::SetNotSlashable);
    let Some((before, newest)) = StakedFor::<T>::get(set.commitment.id) else {
        return Ok(last);
    };
    let staked = if newest <= last { newest } else { before };
    ensure!(
        staked <= now || set.last_session.is_none(),
        Error::<T>::SetNotActive
    );
    // Where that stake is free, some of the members may still have stake of later.
    Ok(if is_slashable(staked) {
        staked.min(now)
    } else {
        last
    })
}

/// Remembers a set, and the last session in which it signed; `None` while it signs. (EQV-6)
pub(crate) fn record<T: Config>(commitment: KeysetCommitment, last_session: Option<SessionIndex>) {
    let record = SetRecord {
        commitment,
        last_session,
    };
    Sets::<T>::insert(record.commitment.id, record);
}
