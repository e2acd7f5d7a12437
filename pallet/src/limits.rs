//! Limits that a runtime must keep, checked when it is built. (SET-1)

use crate::{Config, WeightInfo};
use duet_primitives::suite;
use frame_support::{dispatch::DispatchClass, traits::Get, weights::Weight};

/// # Panics
/// With the limit that is broken, and by how much.
pub(crate) fn integrity_test<T: Config>() {
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
        "ROUND-3: MinDelta is zero, but the next block that is proven is at least one above the last"
    );
    for (call, class, weight) in heaviest::<T>(limit) {
        let limits = T::BlockWeights::get();
        let most = limits.get(class).max_extrinsic.unwrap_or(limits.max_block);
        assert!(
            weight.all_lte(most),
            "MaxValidators is {limit}, and {call} of a set of that size takes {weight}, but no extrinsic may take more than {most}",
        );
    }
}

/// The most that each call takes whose weight grows with the set.
fn heaviest<T: Config>(n: u32) -> [(&'static str, DispatchClass, Weight); 4] {
    type Weights<T> = <T as Config>::WeightInfo;
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
        ("reset", DispatchClass::Operational, Weights::<T>::reset(n)),
    ]
}
