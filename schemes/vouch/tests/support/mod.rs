//! Three vouchers, what they vouch for, and a user who lists them.

// Each test program uses a part of this.
#![allow(dead_code)]

use duet_sequential::{testing::secret_key, Fingerprint, SecretKey, Suite, Time};
use duet_vouch::{GenesisHash, List, Subject, Terms, Vouched};

/// The time of the first statement; each later one is a minute after the one before.
pub(crate) const BEGIN: u64 = 1_700_000_000;
pub(crate) const NAMES: [&str; 3] = ["Alice", "Bob", "Charlie"];

pub(crate) fn key(index: usize) -> &'static SecretKey {
    secret_key(Suite::Rsa2048, index)
}

pub(crate) fn fingerprint(index: usize) -> Fingerprint {
    key(index).public().fingerprint()
}

pub(crate) fn subject() -> Subject {
    Subject::new(GenesisHash([7; 32]), b"a checkpoint")
}

pub(crate) fn list(text: &str) -> List {
    List::from_text(text).expect("a list")
}

/// The first three keys, by their names.
pub(crate) fn three() -> List {
    let lines = NAMES.iter().zip(0..);
    let lines = lines.map(|(name, index)| format!("{} {name}\n", fingerprint(index)));
    list(&lines.collect::<String>())
}

/// Everything counts that was signed in the hour before `now`.
pub(crate) fn terms(now: u64) -> Terms {
    Terms {
        now: Time(now),
        tolerance: 10,
        max_age: 3_600,
    }
}

/// Statements by these keys, a minute apart.
pub(crate) fn vouched(keys: &[usize]) -> Vouched {
    let (first, rest) = keys.split_first().expect("a key");
    let begun = Vouched::first(key(*first), subject(), Time(BEGIN)).expect("a statement");
    rest.iter().zip(1..).fold(begun, |record, (index, minute)| {
        let at = Time(BEGIN + 60 * minute);
        record
            .append(key(*index), subject(), at)
            .expect("another statement")
    })
}

pub(crate) fn names(verdict: &duet_vouch::Verdict) -> Vec<&str> {
    let by = verdict.by().iter();
    by.map(|voucher| voucher.name.as_str()).collect()
}
