//! Verification of independent records on several threads.

use crate::{
    directory::KeyDirectory,
    record::{CheckError, Record},
};
use std::{
    num::NonZeroUsize,
    sync::{
        atomic::{AtomicUsize, Ordering},
        Arc, Mutex, PoisonError,
    },
    thread,
};

/// Verifies records on `threads` threads, and returns the verdicts in the same order.
///
/// A single record is not parallelised, because each hop depends on the next one.
pub fn check_all(
    records: &[Arc<Record>],
    directory: &dyn KeyDirectory,
    threads: NonZeroUsize,
) -> Vec<Result<(), CheckError>> {
    let threads = threads.get().min(records.len());
    if threads <= 1 {
        return records
            .iter()
            .map(|record| record.verify(directory))
            .collect();
    }
    let next = AtomicUsize::new(0);
    let verdicts = Mutex::new(Vec::with_capacity(records.len()));
    let work = || {
        let mut own = Vec::new();
        // Each thread takes the next record when it is free, because chains have different lengths.
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(record) = records.get(index) else {
                break;
            };
            own.push((index, record.verify(directory)));
        }
        verdicts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .append(&mut own);
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut verdicts = verdicts
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    verdicts.sort_by_key(|(index, _)| *index);
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}
