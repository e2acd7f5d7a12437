//! A set in the making: a block looks at [`Config::ValidatorsPerBlock`] validators, the next ones continue. (CHAIN-8)
//!
//! Other modules decide what happens once all validators were looked at.

// The casts are in the code that `Encode` derives for enums.
#![allow(clippy::cast_possible_truncation)]

use crate::{
    candidates::{look_at, Candidates, Elected, Tally},
    registration, Config, Draft, DraftParts, Event, Pallet,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_primitives::{DualKeyBytes, PartialSum};
use frame_support::{traits::Get, WeakBoundedVec};
use scale_info::TypeInfo;
use sp_runtime::DigestItem;
use sp_staking::SessionIndex;

/// The purpose of a set.
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
pub enum Purpose {
    /// The chain's first set.
    #[codec(index = 0)]
    First,
    /// The successor of the signing set.
    #[codec(index = 1)]
    Successor,
    /// The set after a reset. (RESET-1)
    #[codec(index = 2)]
    Reset,
}

/// A set in the making, and its progress. (CHAIN-8)
#[derive(
    Clone, PartialEq, Eq, Debug, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct SetDraft {
    /// Its purpose.
    pub purpose: Purpose,
    /// The session of its validators.
    pub session: SessionIndex,
    /// The number of parts of these validators.
    pub parts: u32,
    /// The number of completed steps: one per part, and a last one that merges them.
    pub taken: u32,
    /// The result so far.
    pub tally: Tally,
    /// The sum of the keys so far; `None` when a key is not a point, which the registry does not allow.
    pub sum: Option<PartialSum>,
}

/// Whether a set is in the making.
pub(crate) fn is_open<T: Config>() -> bool {
    Draft::<T>::exists()
}

/// Looks at a session's validators to make a set of them. `None` when they are too many for one block, or when this block
/// must not plan the set: then the next blocks continue, and an earlier set in the making is dropped.
pub(crate) fn begin<'a, T: Config>(
    purpose: Purpose,
    session: SessionIndex,
    validators: impl Iterator<Item = &'a T::ValidatorId> + Clone,
) -> Option<Candidates<T>> {
    let per_block = usize::try_from(T::ValidatorsPerBlock::get()).unwrap_or(usize::MAX);
    if validators.clone().nth(per_block).is_none() && may_plan::<T>(purpose) {
        return Some(Candidates::of(session, validators));
    }
    discard::<T>();
    let elected: Vec<Elected<T>> = validators.map(|it| (it.clone(), None)).collect();
    let mut parts = 0_u32;
    for part in elected.chunks(per_block.max(1)) {
        put_part::<T>(parts, part.to_vec());
        parts = parts.saturating_add(1);
    }
    Draft::<T>::put(SetDraft {
        purpose,
        session,
        parts,
        taken: 0,
        tally: Tally::default(),
        sum: Some(PartialSum::default()),
    });
    Pallet::<T>::deposit_event(Event::SetDrafted {
        purpose,
        session,
        validators: u32::try_from(elected.len()).unwrap_or(u32::MAX),
        // One more step merges the parts.
        blocks: parts.saturating_add(1),
    });
    None
}

/// A block's work on the set in the making.
pub(crate) enum Step {
    /// No set is in the making.
    Idle,
    /// Looked at this many validators.
    Looked(u32),
    /// Merged this many validators in the last step.
    Finishes { validators: u32, parts: u32 },
}

/// Does the next step at the start of a block, if a set is in the making.
///
/// Cost: that of [`look_at`] for one part; for each member a decompression and addition in G1, a read, and at most a write.
pub(crate) fn step<T: Config>() -> Step {
    let Some(mut draft) = Draft::<T>::get() else {
        return Step::Idle;
    };
    let step = if draft.taken < draft.parts {
        Step::Looked(look_at_part::<T>(&mut draft))
    } else {
        Step::Finishes {
            validators: draft.tally.elected,
            parts: draft.parts,
        }
    };
    draft.taken = draft.taken.saturating_add(1);
    Draft::<T>::put(draft);
    step
}

fn look_at_part<T: Config>(draft: &mut SetDraft) -> u32 {
    let mut part = DraftParts::<T>::get(draft.taken).into_inner();
    look_at::<T>(draft.session, &mut part, &mut draft.tally);
    // Now, because at the planning it would be too much for one block: until then a key may leave the registry.
    let members = part.iter().filter_map(|(_, key)| key.as_ref());
    let keys: Vec<_> = members.map(DualKeyBytes::pk1).collect();
    keys.iter().for_each(registration::enlist::<T>);
    draft.sum = draft
        .sum
        .take()
        .and_then(|sum| sum.add_stored_unchecked(&keys).ok());
    let looked = u32::try_from(part.len()).unwrap_or(u32::MAX);
    put_part::<T>(draft.taken, part);
    looked
}

/// At the end of a block: the candidates of a set whose last step is in this block.
///
/// At the end, so that a session that starts with this block has planned its sets, as when a call resets them.
///
/// Cost: one read and one write per part.
pub(crate) fn take_finished<T: Config>() -> Option<(Purpose, Candidates<T>)> {
    let is_ready = |draft: &SetDraft| draft.taken > draft.parts && may_plan::<T>(draft.purpose);
    let draft = Draft::<T>::get().filter(is_ready)?;
    Draft::<T>::kill();
    let candidates = Candidates {
        session: draft.session,
        elected: take_parts::<T>(draft.parts),
        tally: draft.tally,
        enlisted: draft.sum,
    };
    Some((draft.purpose, candidates))
}

/// Whether this block may plan such a set. The block of an upgrade plans no successor: if the new code reads the payload
/// from another place, nobody can sign the block (ROUND-1), and the handoff could never be proven.
fn may_plan<T: Config>(purpose: Purpose) -> bool {
    let has_new_code = || {
        let digest = frame_system::Pallet::<T>::digest();
        digest
            .logs()
            .contains(&DigestItem::RuntimeEnvironmentUpdated)
    };
    purpose != Purpose::Successor || !has_new_code()
}

/// Drops the set in the making.
pub(crate) fn discard<T: Config>() {
    if let Some(draft) = Draft::<T>::take() {
        take_parts::<T>(draft.parts);
    }
}

fn put_part<T: Config>(index: u32, part: Vec<Elected<T>>) {
    let part = WeakBoundedVec::force_from(part, Some("a part of a Duet set in the making"));
    DraftParts::<T>::insert(index, part);
}

fn take_parts<T: Config>(parts: u32) -> Vec<Elected<T>> {
    (0..parts).flat_map(DraftParts::<T>::take).collect()
}
