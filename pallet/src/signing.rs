//! What the signing set signs about a block, and for how long. (MSG-2, HANDOFF-5)

use crate::{registration, Config, ElectedFor, Keysets, Members};
use alloc::collections::BTreeSet;
use codec::Encode;
use duet_primitives::{CommitmentPayload, KeysetCommitment, Keysets as KeysetPair};
use frame_support::traits::Get;
use sp_staking::SessionIndex;

/// What a statement about the block says whose state this is; nothing before the first set.
pub(crate) fn payload<T: Config>() -> Option<CommitmentPayload> {
    let KeysetPair { current, next } = Keysets::<T>::get()?;
    Some(CommitmentPayload {
        mmr_root: T::MmrRoot::get(),
        validator_set_id: current.id,
        next,
    })
}

/// Whether more than a third of the signing set's members have not been validators for so long that they can no longer be
/// slashed for what they sign. (HANDOFF-5)
pub(crate) fn is_expired<T: Config>() -> bool {
    let (elected_for, _) = ElectedFor::<T>::get();
    let session = pallet_session::CurrentIndex::<T>::get();
    !registration::is_slashable::<T>(elected_for, session)
}

/// A set goes on whose keys are not those of the session's validators: as long as at most a third of its members are no
/// validators, more than a third of the set answer with their stake for each proof. (HANDOFF-5)
///
/// Cost: one read of 32 bytes per member.
pub(crate) fn renew<'a, T: Config>(
    set: &KeysetCommitment,
    validators: impl Iterator<Item = &'a T::ValidatorId>,
    session: SessionIndex,
) {
    // Not every chain's validator ids have an order; their encodings do.
    let elected: BTreeSet<_> = validators.map(Encode::encode).collect();
    let members = Members::<T>::get(set.id).into_iter();
    let still = members.filter(|member| elected.contains(&member.encode()));
    if u32::try_from(still.count()).is_ok_and(|still| still >= set.threshold()) {
        ElectedFor::<T>::mutate(|(current, _)| *current = session);
    }
}
