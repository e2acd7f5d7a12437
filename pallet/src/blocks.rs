//! The work of each block, whatever its content. (CHAIN-7, CHAIN-8, ACTIVE-2)

use crate::{
    activation,
    announcements::announce_payload,
    chores::{self, Done},
    draft::{self, Purpose, Step},
    recovery, rotation,
    weights::WeightInfo,
    Config,
};
use frame_support::{traits::Get, weights::Weight};

type Weights<T> = <T as Config>::WeightInfo;

/// Continues the set in the making and the chores left by the session's first block. Returns all of this block's work.
pub(crate) fn on_initialize<T: Config>() -> Weight {
    let step = match draft::step::<T>() {
        Step::Idle => T::DbWeight::get().reads(1),
        Step::Looked(validators) => Weights::<T>::draft_part(validators),
        Step::Finishes { validators, parts } => Weights::<T>::finish_draft(validators, parts),
    };
    let Done { settled, forgotten } = chores::go_on::<T>();
    let done = [
        Some(T::DbWeight::get().reads(1)),
        Some(activation::weight_of_block::<T>()),
        Some(step),
        settled.map(Weights::<T>::settle_members),
        forgotten.map(Weights::<T>::forget_keys),
    ];
    let add = |sum: Weight, one: Weight| sum.saturating_add(one);
    done.into_iter()
        .flatten()
        .fold(Weights::<T>::announce_payload(), add)
}

/// Plans a finished set, starts making sets if this is the activation block, and announces the block's payload.
pub(crate) fn on_finalize<T: Config>() {
    finish_draft::<T>();
    begin_if_due::<T>();
    announce_payload::<T>();
}

/// If this is the block that governance named, the chain begins as with a session that starts without a signing set.
///
/// At the end of the block, so that a session that starts with it has its validators.
fn begin_if_due<T: Config>() {
    if activation::is_due::<T>() {
        let active = pallet_session::Validators::<T>::get();
        let queued = pallet_session::QueuedKeys::<T>::get();
        let queued = queued.iter().map(|(validator, _)| validator);
        rotation::begin::<T>(active.iter(), queued);
    }
}

/// Cost: two hashes per validator, and one write of all keys, or two after a reset.
pub(crate) fn finish_draft<T: Config>() {
    if let Some((purpose, candidates)) = draft::take_finished::<T>() {
        match purpose {
            Purpose::First | Purpose::Successor => rotation::finish::<T>(&candidates),
            Purpose::Reset => recovery::finish::<T>(&candidates),
        }
    }
}
