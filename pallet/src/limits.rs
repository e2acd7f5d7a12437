//! Limits that a runtime must keep, checked by its tests. (SET-1, CHAIN-8, LIGHT-2)

use crate::{weights::WeightInfo, Config, Pallet};
use core::any::type_name;
use duet_primitives::{suite, H256};
use frame_support::{
    dispatch::DispatchClass,
    traits::{Get, PalletInfoAccess},
    weights::Weight,
};

type Weights<T> = <T as Config>::WeightInfo;

/// # Panics
/// With the broken limit, and the excess.
pub(crate) fn integrity_test<T: Config>() {
    assert_name(Pallet::<T>::name());
    assert_handler(type_name::<<T as pallet_session::Config>::SessionHandler>());
    assert_root::<T::MmrRoot>();
    let limit = <T as Config>::MaxValidators::get();
    assert!(
        limit > 0,
        "SET-1: MaxValidators is zero, but a set has at least one key"
    );
    assert!(
        limit <= suite::MAX_VALIDATORS,
        "SET-1: MaxValidators is {limit}, but decoders refuse more than {}",
        suite::MAX_VALIDATORS,
    );
    assert!(
        <T as Config>::MinDelta::get() > 0,
        "ROUND-3: MinDelta is zero, but each proven block must be above the last one"
    );
    assert!(
        T::ValidatorsPerBlock::get() > 0,
        "CHAIN-8: ValidatorsPerBlock is zero, so no set would ever be made"
    );
    let tenth = T::BlockWeights::get().max_block.saturating_div(10);
    for (what, weight) in in_each_block::<T>() {
        assert!(
            weight.all_lte(tenth),
            "CHAIN-8: {what} takes {weight}, but a block has only {tenth} for sets; lower ValidatorsPerBlock or MaxValidators",
        );
    }
    for (call, class, weight) in heaviest::<T>(limit) {
        let limits = T::BlockWeights::get();
        let most = limits.get(class).max_extrinsic.unwrap_or(limits.max_block);
        assert!(
            weight.all_lte(most),
            "MaxValidators is {limit}, and {call} of a set of that size takes {weight}, but no extrinsic may take more than {most}",
        );
    }
}

/// Light clients prove storage under this name.
pub(crate) fn assert_name(name: &str) {
    let expected = suite::PALLET_NAME;
    assert!(
        name == expected,
        "LIGHT-2: the pallet is called {name}, but light clients read storage under {expected}"
    );
}

/// The runtime's session handler is, or contains, the one that rotates sets.
pub(crate) fn assert_handler(handler: &str) {
    let ours = concat!(env!("CARGO_CRATE_NAME"), "::rotation::SessionHandler<");
    assert!(
        handler.contains(ours),
        "CHAIN-3: the session handler is {handler}, so no set would ever change; wrap it in pallet_duet::SessionHandler"
    );
}

/// The root can be read: no pallet that it needs is missing.
pub(crate) fn assert_root<Root: Get<H256>>() {
    #[cfg(feature = "std")]
    sp_io::TestExternalities::new_empty().execute_with(Root::get);
}

/// The most weight of `reset`: it makes a set of as many validators as one block looks at, and begins a larger one.
pub(crate) fn most_of_reset<T: Config>() -> Weight {
    let Sizes { n, part, parts } = sizes::<T>();
    Weights::<T>::reset(part).max(Weights::<T>::begin_draft(n, parts))
}

/// The most weight of the first block that makes sets: that of a session which also plans the next one, or that of a
/// reset. (ACTIVE-2, ACTIVE-4)
pub(crate) fn most_of_beginning<T: Config>() -> Weight {
    Weights::<T>::rotate(sizes::<T>().part).max(most_of_reset::<T>())
}

/// The most weight of `deactivate`: while the largest set is in the making. (ACTIVE-3, CHAIN-8)
pub(crate) fn most_of_deactivate<T: Config>() -> Weight {
    Weights::<T>::deactivate(sizes::<T>().parts)
}

/// The largest set, its parts, and how large they are.
struct Sizes {
    n: u32,
    part: u32,
    parts: u32,
}

fn sizes<T: Config>() -> Sizes {
    let n = <T as Config>::MaxValidators::get();
    let part = T::ValidatorsPerBlock::get().max(1);
    Sizes {
        n,
        part: part.min(n),
        parts: n.div_ceil(part),
    }
}

/// The most weight of one block's work on sets. (CHAIN-8)
fn in_each_block<T: Config>() -> [(&'static str, Weight); 3] {
    let Sizes { n, part, parts } = sizes::<T>();
    let per_block = T::ValidatorsPerBlock::get();
    let chores = Weights::<T>::settle_members(per_block)
        .saturating_add(Weights::<T>::forget_keys(per_block));
    let begin = Weights::<T>::begin_draft(n, parts);
    // A session may start in any of these blocks.
    let most = |step: Weight| chores.saturating_add(step);
    [
        ("the start of a session", most(Weights::<T>::rotate(part))),
        (
            "a part of the largest set",
            most(Weights::<T>::draft_part(part).saturating_add(begin)),
        ),
        (
            "the completion of the largest set",
            most(Weights::<T>::finish_draft(n, parts).saturating_add(begin)),
        ),
    ]
}

/// The most weight of each call whose weight grows with the set.
fn heaviest<T: Config>(n: u32) -> [(&'static str, DispatchClass, Weight); 5] {
    let non_signers = n.saturating_sub(1).checked_div(3).unwrap_or(0);
    let accused = suite::MAX_ACCUSED.min(n);
    [
        (
            "report_equivocation",
            DispatchClass::Normal,
            Weights::<T>::report_equivocation(n),
        ),
        (
            "report_false_statement",
            DispatchClass::Normal,
            Weights::<T>::report_false_statement(accused, non_signers, n),
        ),
        (
            "prove_handoff",
            DispatchClass::Normal,
            Weights::<T>::prove_handoff(non_signers),
        ),
        ("reset", DispatchClass::Operational, most_of_reset::<T>()),
        (
            "deactivate",
            DispatchClass::Operational,
            most_of_deactivate::<T>(),
        ),
    ]
}
