//! The payload that the signing set signs about a block, and for how long it signs. (MSG-2, HANDOFF-5)

use crate::{records::note_staked, registration, Config, ElectedFor, Keysets, Members};
use alloc::vec::Vec;
use codec::{Encode, MaxEncodedLen};
use duet_primitives::{CommitmentPayload, KeysetCommitment, Keysets as KeysetPair};
use frame_support::traits::Get;
use sp_staking::SessionIndex;

/// The signed statement about the block of this state; `None` before the first set.
pub(crate) fn payload<T: Config>() -> Option<CommitmentPayload> {
    let KeysetPair { current, next } = Keysets::<T>::get()?;
    Some(CommitmentPayload {
        mmr_root: T::MmrRoot::get(),
        validator_set_id: current.id,
        next,
    })
}

/// Whether more than a third of the signing set's members left the validators so long ago that they can no longer be
/// slashed for their signatures. (HANDOFF-5)
pub(crate) fn is_expired<T: Config>() -> bool {
    let (elected_for, _) = ElectedFor::<T>::get();
    let session = pallet_session::CurrentIndex::<T>::get();
    !registration::is_slashable::<T>(elected_for, session)
}

/// A session is planned while a set signs. As long as at most a third of its members are no longer validators, more than a
/// third of the set back each proof with their stake. (HANDOFF-5) While all are, all can be punished by it. (EQV-6)
///
/// Cost: one read of 32 bytes per member, and a sort.
pub(crate) fn renew<'a, T: Config>(
    set: &KeysetCommitment,
    validators: impl Iterator<Item = &'a T::ValidatorId>,
    session: SessionIndex,
) {
    // Some chains' validator ids have no order; their encodings always do. All are in one buffer, because an
    // allocation for each would take longer than the rest.
    let len = T::ValidatorId::max_encoded_len().max(1);
    let mut buffer = Vec::new();
    validators.for_each(|validator| append(validator, len, &mut buffer));
    let mut elected: Vec<_> = buffer.chunks(len).collect();
    elected.sort_unstable();
    let mut one = Vec::with_capacity(len);
    let is_elected = |member: &T::ValidatorId| {
        one.clear();
        append(member, len, &mut one);
        elected.binary_search(&one.as_slice()).is_ok()
    };
    let still = Members::<T>::get(set.id).into_iter().filter(is_elected);
    let still = u32::try_from(still.count()).unwrap_or(u32::MAX);
    if still >= set.threshold() {
        ElectedFor::<T>::mutate(|(current, _)| *current = session.max(*current));
    }
    if still >= set.len {
        note_staked::<T>(set.id, session);
    }
}

/// Appends the encoding, and zeros up to `len` bytes. No encoding is a prefix of another, so they stay different.
fn append(id: &impl Encode, len: usize, to: &mut Vec<u8>) {
    let end = to.len().saturating_add(len);
    id.encode_to(to);
    to.resize(end, 0);
}
