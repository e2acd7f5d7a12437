//! Discrete logarithms: range and memory.

mod common;

use duet_searchable::*;
use std::sync::atomic::{AtomicU64, Ordering};

fn table(bound: u64, memory: usize) -> DiscreteLog {
    DiscreteLog::new(Bound::new(bound), memory, &()).expect("a table")
}

#[test]
fn every_number_of_a_range_is_found_and_none_beyond() {
    for bound in [0, 1, 2, 16, 17, 33, 34, 300] {
        let table = table(bound, 1 << 12);
        let end = i64::try_from(bound).expect("small");
        for number in -end..=end {
            assert_eq!(table.find(&Message::number(number)), Ok(number), "{bound}");
        }
        for number in [end + 1, -end - 1, 10 * end + 100, i64::MAX, i64::MIN] {
            let refused = table.find(&Message::number(number));
            assert_eq!(
                refused,
                Err(PlaintextOutOfRange { bound }),
                "{number} of {bound}"
            );
        }
    }
}

#[test]
fn a_smaller_table_finds_the_same_in_more_steps() {
    let bound = 1 << 24;
    let (small, large) = (table(bound, 2048), table(bound, 1 << 20));
    assert!(small.giant_steps() > 10 * large.giant_steps());
    for number in [0, 1, -1, 12_345_678, -12_345_678, 1 << 24, -(1 << 24)] {
        for table in [&small, &large] {
            assert_eq!(table.find(&Message::number(number)), Ok(number));
        }
    }
}

#[test]
fn a_table_stays_within_the_memory_that_it_is_given() {
    for bound in [1 << 8, 1 << 20, 1 << 28] {
        for memory in [896, 1000, 1 << 12, 100_000, 1 << 20] {
            let table = table(bound, memory);
            assert!(table.memory() <= memory, "{} of {memory}", table.memory());
        }
    }
    // It uses at least a quarter of the memory if more would help.
    assert!(table(1 << 40, 1 << 16).memory() > 1 << 14);
}

#[test]
fn too_little_memory_and_too_large_a_range_are_refused() {
    let least = match DiscreteLog::new(Bound::new(1), 0, &()) {
        Err(TableError::TooLittleMemory { allowed: 0, least }) => least,
        other => panic!("{other:?}"),
    };
    assert!(DiscreteLog::new(Bound::new(1), least, &()).is_ok());
    let refused = DiscreteLog::new(Bound::new(1), least - 1, &());
    let allowed = least - 1;
    assert_eq!(
        refused.err(),
        Some(TableError::TooLittleMemory { allowed, least })
    );
    for bound in [u64::MAX, 1 << 63, 1 << 62] {
        let refused = DiscreteLog::new(Bound::new(bound), 1 << 20, &());
        assert_eq!(refused.err(), Some(TableError::RangeTooLarge { bound }));
    }
}

#[test]
fn small_numbers_are_found_at_once_in_the_largest_range() {
    let table = table(i64::MAX as u64 / 2, 1 << 16);
    assert!(table.giant_steps() > 1 << 40);
    for number in [0, 1, -1, 100_000, -100_000] {
        assert_eq!(table.find(&Message::number(number)), Ok(number));
    }
}

#[test]
fn numbers_of_32_bits_are_found_in_a_megabyte() {
    let table = table(1 << 31, 1 << 20);
    for number in [i64::from(i32::MAX), i64::from(i32::MIN), 1_000_000_007, -5] {
        assert_eq!(table.find(&Message::number(number)), Ok(number));
    }
}

#[test]
fn progress_counts_the_entries_and_the_strides() {
    let told = AtomicU64::new(0);
    let progress = |steps: u64| {
        told.fetch_add(steps, Ordering::Relaxed);
    };
    let bound = Bound::new(1 << 22);
    let table = DiscreteLog::new(bound, 1 << 14, &progress).expect("a table");
    let entries = DiscreteLog::baby_steps(bound, 1 << 14).expect("a table") + 1;
    assert_eq!(told.swap(0, Ordering::Relaxed), entries);
    let refused = table.find_with_progress(&Message::number(1 << 23), &progress);
    assert!(refused.is_err());
    assert_eq!(told.load(Ordering::Relaxed), table.giant_steps() + 1);
}

#[test]
fn several_cores_together_search_little_more_than_one_alone() {
    let told = AtomicU64::new(0);
    let progress = |steps: u64| {
        told.fetch_add(steps, Ordering::Relaxed);
    };
    let table = DiscreteLog::new(Bound::new(1 << 32), 1 << 12, &()).expect("a table");
    let cores = 4;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build();
    let found = pool.expect("a pool").install(|| {
        let small = Message::number(1 << 20);
        table.find_with_progress(&small, &progress)
    });
    assert_eq!(found, Ok(1 << 20));
    // The unit of work that has it, those before it, and one that each other core has begun.
    let stride = table.bound().get() / table.giant_steps();
    let units = (1 << 20) / stride / 1024 + 1;
    let at_most = (units + cores as u64) * 1024;
    assert!(at_most < table.giant_steps() / 4, "the test says something");
    assert!(told.load(Ordering::Relaxed) <= at_most, "{told:?}");
}

#[test]
fn the_bound_of_a_sum_is_worked_out_or_refused() {
    let bound = |terms: &[(i64, u64)], constant| {
        let terms = terms
            .iter()
            .map(|(weight, bound)| (*weight, Bound::new(*bound)));
        Bound::of_sum(terms, constant).map(Bound::get)
    };
    assert_eq!(bound(&[(3, 10), (-4, 5), (0, 1000)], -7), Ok(57));
    assert_eq!(bound(&[], 0), Ok(0));
    assert_eq!(
        bound(&[(1, 1 << 62), (1, (1 << 62) - 1)], 0),
        Ok(i64::MAX as u64)
    );
    assert_eq!(bound(&[(1, 1 << 62), (1, 1 << 62)], 0), Err(BoundTooLarge));
    assert_eq!(bound(&[(i64::MIN, 2)], 0), Err(BoundTooLarge));
    assert_eq!(bound(&[(2, u64::MAX)], 0), Err(BoundTooLarge));
}
