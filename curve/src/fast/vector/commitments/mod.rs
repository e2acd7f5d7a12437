//! The products and sums of many votes, eight votes in a vector from the first step to the last.
//!
//! Computes the same as `variable::mul_checked_all` and `comb::sums`, with the same additions. The steps of both go
//! together, so that they share their inversions. A vote with which an addition has no slope is left out, and its
//! caller computes it alone.

mod batch;
mod found;
mod products;
mod schedule;

pub(crate) use found::{Found, Work};

use super::{kernel::Lockstep, lockstep::Steps};
use alloc::vec::Vec;
use batch::Batch;
use schedule::Schedule;

/// Votes that are computed in one batch: enough to make an inversion cheap, few enough to stay in the second cache.
pub(crate) const BATCH: usize = 512;

/// The results of each vote that is not left out.
pub(crate) fn compute(_: Lockstep, work: &Work<'_>) -> Vec<Option<Found>> {
    // SAFETY: there is such a value only where the processor has AVX-512 IFMA (and F and DQ).
    unsafe { compute_with_ifma(work) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn compute_with_ifma(work: &Work<'_>) -> Vec<Option<Found>> {
    let count = work.sigma.len();
    let chains: Vec<_> = [&work.sigma, &work.key]
        .into_iter()
        .filter(|list| !list.is_empty())
        .collect();
    let mut batch = Batch::new(count, &chains);
    let tables = work.tables.each_ref();
    let mut schedules = tables.map(|lists| Schedule::new(lists));
    let mut steps = Steps::default();
    for run in 0..2 {
        batch.run(run, &chains, &mut steps, &mut schedules);
    }
    let are_in_subgroup = batch.are_in_subgroup(&work.sigma);
    while batch.add_tables(&mut steps, &mut schedules) {
        steps.run(&mut batch.space);
    }
    batch.add_products(&mut steps);
    batch.found(count, &are_in_subgroup)
}
