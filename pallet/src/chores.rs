//! The chores after a session start: reporting who signed past sets' handoffs, and forgetting sets and keys. The first
//! block does as much as one block may, and the next blocks continue. (HANDOFF-3, EQV-6, CHAIN-8)

use crate::{
    handoffs, registration, Chores, Config, Handoffs, Keysets, Members, OldestSet, Sets, StakedFor,
    Unsettled,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_primitives::SetId;
use frame_support::traits::Get;
use scale_info::TypeInfo;
use sp_staking::SessionIndex;

/// The most sets forgotten in one session; in the long run one retires per session.
const SETS_FORGOTTEN_AT_ONCE: usize = 4;

/// The chores that the next block continues.
#[derive(
    Clone,
    Copy,
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
pub struct OpenChores {
    /// Report the signers.
    pub settles: bool,
    /// Forget keys.
    pub forgets: bool,
}

/// A block's work; `None` where nothing was left to do.
#[derive(Default)]
pub(crate) struct Done {
    /// The number of reported members.
    pub(crate) settled: Option<u32>,
    /// The number of forgotten keys.
    pub(crate) forgotten: Option<u32>,
}

/// A session starts: begins all chores.
pub(crate) fn begin<T: Config>(current: SetId, session: SessionIndex) {
    let settled = Some(handoffs::settle::<T>(current, session));
    forget_sets::<T>(current, session);
    let forgotten = Some(registration::forget_retired::<T>());
    note_left::<T>(&Done { settled, forgotten });
}

/// Continues the chores left by earlier blocks.
pub(crate) fn go_on<T: Config>() -> Done {
    let (Some(open), Some(sets)) = (Chores::<T>::get(), Keysets::<T>::get()) else {
        return Done::default();
    };
    let settle =
        || handoffs::settle::<T>(sets.current.id, pallet_session::CurrentIndex::<T>::get());
    let done = Done {
        settled: open.settles.then(settle),
        forgotten: open.forgets.then(registration::forget_retired::<T>),
    };
    note_left::<T>(&done);
    done
}

/// A block that used its whole limit probably has more to do.
fn note_left<T: Config>(done: &Done) {
    let limit = T::ValidatorsPerBlock::get();
    let left = OpenChores {
        settles: done.settled >= Some(limit),
        forgets: done.forgotten >= Some(limit),
    };
    Chores::<T>::set((left != OpenChores::default()).then_some(left));
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
    // The chain receives the signers before the set is forgotten.
    for id in oldest
        .until(current.min(Unsettled::<T>::get()))
        .take(SETS_FORGOTTEN_AT_ONCE)
        .take_while(expired)
    {
        Sets::<T>::remove(id);
        Members::<T>::remove(id);
        Handoffs::<T>::remove(id);
        StakedFor::<T>::remove(id);
        kept = id.saturating_next();
    }
    if kept != oldest {
        OldestSet::<T>::put(kept);
    }
}
