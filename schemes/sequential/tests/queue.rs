//! The queue: its limits, its verdicts, and recovery after a crash.

mod common;

use common::public;
use duet_sequential::{
    queue::{
        check_all, decode_log, AddError, Change, Limits, LogError, Order, Queue, QueueStore,
        Reason, State, StoreError, Terms, Work,
    },
    testing::{secret_key, KEYS},
    CheckError, Epoch, HopNumber, Keyring, Party, Record, RecordId, Suite, Time,
};
use std::{
    fs,
    io::{BufRead, BufReader},
    num::NonZeroUsize,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

const SUITE: Suite = Suite::Rsa2048;
const NOW: Time = Time(10);
const ROOMY: Limits = Limits {
    records: 1000,
    bytes: 1 << 20,
};

fn me() -> Party {
    Party::named("me")
}

fn terms(deadline: u64, value: u64) -> Terms {
    Terms {
        verifier: me(),
        deadline: Time(deadline),
        value,
    }
}

/// A valid record of one hop.
fn good(message: &[u8]) -> Record {
    Record::first(secret_key(SUITE, 0), message, Epoch(1)).expect("a record")
}

/// A record whose message was changed after signing.
fn bad(message: &[u8]) -> Record {
    let mut bytes = good(message).to_bytes();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    Record::from_bytes(&bytes).expect("well formed")
}

fn directory() -> Keyring {
    let mut keys = Keyring::default();
    for index in 0..KEYS {
        keys.insert(public(SUITE, index).clone(), Epoch(0));
    }
    keys
}

fn all() -> Work {
    Work::all(me(), Order::NewestFirst)
}

fn add(queue: &mut Queue, record: &Record, terms: Terms) -> Result<RecordId, AddError> {
    for change in queue.add(Arc::new(record.clone()), terms, NOW)? {
        queue.apply(change).expect("it follows");
    }
    Ok(record.id())
}

fn decide(queue: &mut Queue, id: &RecordId) {
    let verdict = queue
        .get(id)
        .expect("it is there")
        .record()
        .verify(&directory());
    let change = queue.decide(id, &verdict).expect("it is decided");
    queue.apply(change).expect("it follows");
}

fn states(store: &QueueStore) -> Vec<(RecordId, State)> {
    let entries = store.queue().iter();
    entries.map(|(id, entry)| (*id, entry.state())).collect()
}

// Rules.

#[test]
fn a_queue_holds_no_more_records_than_it_may() {
    let mut queue = Queue::new(Limits {
        records: 2,
        bytes: 1 << 20,
    });
    for message in [b"a", b"b"] {
        add(&mut queue, &good(message), terms(20, 0)).expect("room");
    }
    assert_eq!(
        add(&mut queue, &good(b"c"), terms(20, 0)),
        Err(AddError::TooManyRecords { limit: 2 })
    );
    assert_eq!(queue.len(), 2);
}

#[test]
fn a_queue_holds_no_more_bytes_than_it_may() {
    let size = good(b"a").to_bytes().len();
    let limit = 2 * size + 10;
    let mut queue = Queue::new(Limits {
        records: 100,
        bytes: limit,
    });
    add(&mut queue, &good(b"a"), terms(20, 0)).expect("room");
    assert_eq!(queue.bytes(), size);
    let wide = good(&[7; 12]);
    let full = Err(AddError::TooManyBytes { limit });
    assert_eq!(add(&mut queue, &wide, terms(20, 0)), full);
    add(&mut queue, &good(&[7; 11]), terms(20, 0)).expect("exactly enough room");
    assert_eq!(queue.bytes(), limit);
    assert_eq!(add(&mut queue, &good(b"b"), terms(20, 0)), full);
}

#[test]
fn invalid_records_make_room_the_oldest_first_and_others_do_not() {
    let mut queue = Queue::new(Limits {
        records: 3,
        bytes: 1 << 20,
    });
    let ids: Vec<_> = [bad(b"a"), bad(b"b"), good(b"c")]
        .iter()
        .map(|record| add(&mut queue, record, terms(20, 0)).expect("room"))
        .collect();
    for id in ids.iter().rev() {
        decide(&mut queue, id);
    }
    add(&mut queue, &good(b"d"), terms(20, 0)).expect("the oldest invalid one is evicted");
    assert!(queue.get(&ids[0]).is_none());
    assert_eq!(
        queue.get(&ids[1]).map(|entry| entry.state()),
        Some(State::Invalid(Reason::BadSignature))
    );
    add(&mut queue, &good(b"e"), terms(20, 0)).expect("the other one is evicted");
    assert_eq!(
        add(&mut queue, &good(b"f"), terms(20, 0)),
        Err(AddError::TooManyRecords { limit: 3 })
    );
    assert_eq!(
        queue.get(&ids[2]).map(|entry| entry.state()),
        Some(State::Verified)
    );
}

#[test]
fn a_record_comes_in_once_and_in_time() {
    let mut queue = Queue::new(ROOMY);
    add(&mut queue, &good(b"a"), terms(10, 0)).expect("just in time");
    assert_eq!(
        add(&mut queue, &good(b"a"), terms(30, 5)),
        Err(AddError::Duplicate)
    );
    assert_eq!(
        add(&mut queue, &good(b"b"), terms(9, 0)),
        Err(AddError::Expired {
            deadline: Time(9),
            now: NOW
        })
    );
}

#[test]
fn what_waits_is_ordered_by_age_or_by_value_and_belongs_to_its_verifier() {
    let mut queue = Queue::new(ROOMY);
    let mut ids = Vec::new();
    for (message, value) in [(b"a", 5), (b"b", 9), (b"c", 5), (b"d", 1)] {
        ids.push(add(&mut queue, &good(message), terms(20, value)).expect("room"));
    }
    let others = Terms {
        verifier: Party::named("somebody else"),
        ..terms(20, 100)
    };
    add(&mut queue, &good(b"e"), others).expect("room");
    let expected = |indices: [usize; 4]| indices.map(|index| ids[index]).to_vec();
    assert_eq!(
        queue.pending(me(), Order::NewestFirst),
        expected([3, 2, 1, 0])
    );
    assert_eq!(queue.pending(me(), Order::ByValue), expected([1, 2, 0, 3]));
    assert_eq!(queue.pending(Party::named("nobody"), Order::ByValue), []);
}

#[test]
fn everything_expires_but_what_was_verified() {
    let mut queue = Queue::new(ROOMY);
    let late = add(&mut queue, &good(b"a"), terms(14, 0)).expect("room");
    let verified = add(&mut queue, &good(b"b"), terms(14, 0)).expect("room");
    let invalid = add(&mut queue, &bad(b"c"), terms(15, 0)).expect("room");
    decide(&mut queue, &verified);
    decide(&mut queue, &invalid);
    assert_eq!(queue.expire(Time(14)), []);
    assert_eq!(queue.expire(Time(15)), [Change::Removed { id: late }]);
    let removed = [late, invalid].map(|id| Change::Removed { id });
    assert_eq!(queue.expire(Time(16)), removed);
    for change in removed {
        queue.apply(change).expect("it follows");
    }
    assert_eq!(queue.expire(Time(u64::MAX)), []);
    assert_eq!(queue.len(), 1);
}

#[test]
fn what_is_too_late_makes_room_before_what_is_invalid() {
    let mut queue = Queue::new(Limits {
        records: 3,
        bytes: 1 << 20,
    });
    let invalid = add(&mut queue, &bad(b"a"), terms(30, 0)).expect("room");
    let waits = add(&mut queue, &good(b"b"), terms(30, 0)).expect("room");
    let late = add(&mut queue, &good(b"c"), terms(20, 9)).expect("room");
    decide(&mut queue, &invalid);
    let mut add_later = |message: &[u8]| {
        let changes = queue.add(Arc::new(good(message)), terms(40, 0), Time(21));
        let removed = changes.map(|changes| changes[0].clone());
        if let Ok(removed) = &removed {
            queue.apply(removed.clone()).expect("it follows");
            let record = Arc::new(good(message));
            let terms = terms(40, 0);
            let added = queue.apply(Change::Added { record, terms });
            added.expect("it follows");
        }
        removed
    };
    assert_eq!(add_later(b"d"), Ok(Change::Removed { id: late }));
    assert_eq!(add_later(b"e"), Ok(Change::Removed { id: invalid }));
    let full = Err(AddError::TooManyRecords { limit: 3 });
    assert_eq!(add_later(b"f"), full);
    assert!(queue.get(&waits).is_some());
}

#[test]
fn a_newcomer_pushes_out_what_is_together_worth_less_and_never_what_was_verified() {
    let size = good(b"a").to_bytes().len();
    let limits = Limits {
        records: 4,
        bytes: 4 * size,
    };
    let mut queue = Queue::new(limits);
    let verified = add(&mut queue, &good(b"v"), terms(20, 0)).expect("room");
    decide(&mut queue, &verified);
    let ids = [(b"a", 5), (b"b", 3), (b"c", 3)]
        .map(|(message, value)| add(&mut queue, &good(message), terms(20, value)).expect("room"));
    let gone = |queue: &Queue, record: Record, value: u64| {
        let changes = queue.add(Arc::new(record), terms(20, value), NOW)?;
        let removed = changes.iter().filter_map(|change| match change {
            Change::Removed { id } => Some(*id),
            Change::Added { .. } | Change::Decided { .. } => None,
        });
        Ok(removed.collect::<Vec<_>>())
    };
    let full = Err(AddError::TooManyRecords { limit: 4 });
    assert_eq!(gone(&queue, good(b"d"), 3), full);
    assert_eq!(gone(&queue, good(b"d"), 4), Ok(vec![ids[1]]));
    // A record that needs the room of two must be worth more than both.
    let wide = good(&[7; 2]);
    let crowded = Err(AddError::TooManyBytes { limit: 4 * size });
    assert_eq!(gone(&queue, wide.clone(), 6), crowded);
    assert_eq!(gone(&queue, wide, 7), Ok(vec![ids[1], ids[2]]));
    // A record that would not fit an empty queue evicts nothing.
    let huge = good(&vec![7; 4 * size]);
    assert_eq!(gone(&queue, huge, u64::MAX), crowded);
    for (id, message) in ids.iter().zip([b"x", b"y", b"z"]) {
        let removed = queue.apply(Change::Removed { id: *id });
        removed.expect("it follows");
        let id = add(&mut queue, &good(message), terms(20, 0)).expect("room");
        decide(&mut queue, &id);
    }
    assert_eq!(gone(&queue, good(b"d"), u64::MAX), full);
}

#[test]
fn a_verdict_is_given_once_and_missing_keys_are_none() {
    let mut queue = Queue::new(ROOMY);
    let id = add(&mut queue, &good(b"a"), terms(15, 0)).expect("room");
    let unavailable = good(b"a").verify(&Keyring::default());
    assert!(matches!(
        unavailable,
        Err(CheckError::KeyUnavailable { .. })
    ));
    assert_eq!(queue.decide(&id, &unavailable), None);
    decide(&mut queue, &id);
    assert_eq!(queue.decide(&id, &unavailable), None);
    assert_eq!(queue.decide(&id, &Ok(())), None);
    assert_eq!(queue.decide(&RecordId([0; 32]), &Ok(())), None);
}

#[test]
fn a_change_that_cannot_follow_is_refused() {
    let mut queue = Queue::new(ROOMY);
    let record = Arc::new(good(b"a"));
    let id = record.id();
    let decided = Change::Decided { id, invalid: None };
    let added = Change::Added {
        record,
        terms: terms(20, 0),
    };
    assert!(queue.apply(decided.clone()).is_err());
    assert!(queue.apply(Change::Removed { id }).is_err());
    assert!(queue.apply(added.clone()).is_ok());
    assert!(queue.apply(added).is_err());
    assert!(queue.apply(decided.clone()).is_ok());
    assert!(queue.apply(decided).is_err());
    assert!(queue.apply(Change::Removed { id }).is_ok());
    assert!(queue.is_empty());
    assert_eq!(queue.bytes(), 0);
}

// Verification.

#[test]
fn all_threads_together_say_what_one_says_alone() {
    let mut records = Vec::new();
    for index in 0..20_u8 {
        let record = if index % 3 == 0 {
            bad(&[index])
        } else {
            good(&[index])
        };
        records.push(Arc::new(record));
    }
    let keys = directory();
    let alone: Vec<_> = records.iter().map(|record| record.verify(&keys)).collect();
    for threads in [1, 2, 3, 64] {
        let threads = NonZeroUsize::new(threads).expect("a thread");
        assert_eq!(check_all(&records, &keys, threads), alone);
    }
    assert_eq!(check_all(&[], &keys, NonZeroUsize::MIN), []);
}

#[test]
fn records_end_as_what_they_are_and_only_verified_ones_are_handed_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    let good_id = store.add(good(b"a"), terms(20, 0), NOW).expect("room");
    let bad_id = store.add(bad(b"b"), terms(20, 0), NOW).expect("room");
    let stranger = Record::first(secret_key(SUITE, 7), b"c", Epoch(1)).expect("a record");
    let unknown_id = store.add(stranger, terms(20, 0), NOW).expect("room");
    let revoked = Record::first(secret_key(SUITE, 6), b"d", Epoch(1)).expect("a record");
    let revoked_id = store.add(revoked, terms(20, 0), NOW).expect("room");
    let late_id = store.add(good(b"e"), terms(11, 0), NOW).expect("room");
    assert_eq!(store.verified(&good_id), None);
    assert_eq!(store.take(&good_id).expect("a queue"), None);

    let mut keys = Keyring::default();
    keys.insert(public(SUITE, 0).clone(), Epoch(0));
    keys.insert(public(SUITE, 6).clone(), Epoch(0));
    keys.revoke(public(SUITE, 6).fingerprint(), Epoch(1))
        .expect("a known key");
    let mut done = 0;
    let report = store
        .verify(&keys, Time(12), &all(), |records| done += records)
        .expect("a queue");
    assert_eq!(done, 4);
    assert_eq!(report.expired, [late_id]);
    assert_eq!(report.verified, [good_id]);
    assert_eq!(
        report.invalid,
        [
            (revoked_id, Reason::KeyRevoked(HopNumber::FIRST)),
            (bad_id, Reason::BadSignature)
        ]
    );
    assert_eq!(report.undecided, [unknown_id]);
    for id in [bad_id, unknown_id, revoked_id, late_id] {
        assert_eq!(store.take(&id).expect("a queue"), None);
    }
    let seen = store.verified(&good_id).expect("verified");
    assert_eq!(seen.record(), &good(b"a"));
    let taken = store.take(&good_id).expect("a queue").expect("verified");
    assert_eq!(taken.record(), &good(b"a"));
    assert_eq!(store.take(&good_id).expect("a queue"), None);

    // The key becomes known before the deadline.
    let report = store
        .verify(&directory(), Time(20), &all(), |_| {})
        .expect("a queue");
    assert_eq!(report.verified, [unknown_id]);
}

#[test]
fn a_round_does_no_more_than_it_is_asked_and_begins_with_the_best() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    let cheap = store.add(good(b"a"), terms(20, 1), NOW).expect("room");
    let dear = store.add(good(b"b"), terms(20, 2), NOW).expect("room");
    let one = Work {
        order: Order::ByValue,
        most: 1,
        ..all()
    };
    let report = store
        .verify(&directory(), NOW, &one, |_| {})
        .expect("a queue");
    assert_eq!(report.verified, [dear]);
    let report = store
        .verify(&directory(), NOW, &one, |_| {})
        .expect("a queue");
    assert_eq!(report.verified, [cheap]);
}

#[test]
fn what_cannot_be_decided_does_not_hold_up_what_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    let good_id = store.add(good(b"a"), terms(20, 0), NOW).expect("room");
    let bad_id = store.add(bad(b"b"), terms(20, 0), NOW).expect("room");
    let stranger = Record::first(secret_key(SUITE, 7), b"c", Epoch(1)).expect("a record");
    let unknown_id = store.add(stranger, terms(20, 0), NOW).expect("room");
    let mut keys = Keyring::default();
    keys.insert(public(SUITE, 0).clone(), Epoch(0));
    let one = Work { most: 1, ..all() };
    let report = store.verify(&keys, NOW, &one, |_| {}).expect("a queue");
    assert_eq!(report.undecided, [unknown_id]);
    assert_eq!(report.invalid, [(bad_id, Reason::BadSignature)]);
    assert!(report.verified.is_empty());
    let report = store.verify(&keys, NOW, &one, |_| {}).expect("a queue");
    assert_eq!(report.verified, [good_id]);
    let none = Work { most: 0, ..all() };
    let report = store.verify(&keys, NOW, &none, |_| {}).expect("a queue");
    assert!(report.undecided.is_empty());
}

// On disk.

fn log(folder: &Path) -> std::path::PathBuf {
    folder.join("queue.log")
}

#[test]
fn a_queue_that_is_opened_again_is_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    let kept = store.add(good(b"a"), terms(20, 7), NOW).expect("room");
    store.add(bad(b"b"), terms(20, 0), NOW).expect("room");
    let taken = store.add(good(b"c"), terms(20, 0), NOW).expect("room");
    store
        .verify(&directory(), NOW, &all(), |_| {})
        .expect("a queue");
    store.take(&taken).expect("a queue").expect("verified");
    store.add(good(b"d"), terms(20, 0), NOW).expect("room");
    let before = states(&store);
    drop(store);

    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), before);
    let entry = store.queue().get(&kept).expect("it is there");
    assert_eq!(entry.terms(), &terms(20, 7));
    assert_eq!(**entry.record(), good(b"a"));
    assert!(store.take(&kept).expect("a queue").is_some());
    // What is written after opening is read, too.
    drop(store);
    let store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(store.queue().get(&kept), None);
}

#[test]
fn two_processes_do_not_share_a_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    let _store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    assert!(matches!(
        QueueStore::open(folder.path(), ROOMY),
        Err(StoreError::InUse(_))
    ));
}

#[test]
fn a_frame_that_was_cut_off_anywhere_is_forgotten_and_nothing_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    let first = store.add(good(b"a"), terms(20, 0), NOW).expect("room");
    let whole = fs::read(log(folder.path())).expect("a log").len();
    let second = store.add(good(b"b"), terms(20, 0), NOW).expect("room");
    drop(store);
    let bytes = fs::read(log(folder.path())).expect("a log");
    for len in whole..bytes.len() {
        fs::write(log(folder.path()), &bytes[..len]).expect("a file");
        let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
        assert_eq!(states(&store), [(first, State::Unverified)]);
        // Writing continues where the complete part ended.
        if len % 50 == 0 {
            assert_eq!(store.add(good(b"b"), terms(20, 0), NOW).ok(), Some(second));
            drop(store);
            assert_eq!(fs::read(log(folder.path())).expect("a log"), bytes);
        }
    }
    // A file that was extended before its bytes were written.
    let grown = [&bytes[..whole], &[0; 100]].concat();
    fs::write(log(folder.path()), grown).expect("a file");
    let store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), [(first, State::Unverified)]);
    // A truncated header.
    drop(store);
    for len in 0..12 {
        fs::write(log(folder.path()), &bytes[..len]).expect("a file");
        let store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
        assert!(store.queue().is_empty());
    }
}

#[test]
fn damage_before_the_last_frame_is_an_error_and_never_a_shorter_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    store.add(good(b"a"), terms(20, 0), NOW).expect("room");
    let first = fs::read(log(folder.path())).expect("a log").len();
    store.add(good(b"b"), terms(20, 0), NOW).expect("room");
    drop(store);
    let bytes = fs::read(log(folder.path())).expect("a log");
    for bit in 0..8 * first {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(decode_log(&damaged).is_err(), "bit {bit}");
    }
    let mut damaged = bytes.clone();
    damaged[100] ^= 1;
    assert_eq!(decode_log(&damaged), Err(LogError::Damaged { offset: 12 }));
    // Frames in another order, and a frame twice.
    let swapped = [&bytes[..12], &bytes[first..], &bytes[12..first]].concat();
    assert_eq!(decode_log(&swapped), Err(LogError::Damaged { offset: 12 }));
    let twice = [&bytes[..], &bytes[first..]].concat();
    let offset = bytes.len();
    assert_eq!(decode_log(&twice), Err(LogError::Damaged { offset }));
    let mut newer = bytes.clone();
    newer[11] = 9;
    assert_eq!(decode_log(&newer), Err(LogError::Version { got: 9 }));
    assert_eq!(decode_log(b"something else"), Err(LogError::NotALog));
    fs::write(log(folder.path()), damaged).expect("a file");
    assert!(matches!(
        QueueStore::open(folder.path(), ROOMY),
        Err(StoreError::Log { .. })
    ));
}

#[test]
fn a_log_that_grows_long_is_written_anew_and_says_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits {
        records: 100,
        bytes: 4 << 20,
    };
    let mut store = QueueStore::open(folder.path(), limits).expect("a queue");
    let kept = store.add(good(b"kept"), terms(20, 3), NOW).expect("room");
    store.add(bad(b"invalid"), terms(20, 3), NOW).expect("room");
    store
        .verify(&directory(), NOW, &all(), |_| {})
        .expect("a queue");
    let large = vec![7; 600_000];
    let mut longest = 0;
    for index in 0_u8..6 {
        let record = good(&[large.as_slice(), &[index]].concat());
        let id = store.add(record, terms(20, 0), NOW).expect("room");
        assert!(store.remove(&id).expect("a queue"));
        assert!(!store.remove(&id).expect("a queue"));
        longest = longest.max(fs::metadata(log(folder.path())).expect("a log").len());
    }
    assert!(longest < 3 << 20, "{longest} bytes");
    let before = states(&store);
    assert_eq!(before.len(), 2);
    drop(store);
    let store = QueueStore::open(folder.path(), limits).expect("a queue");
    assert_eq!(states(&store), before);
    assert_eq!(
        store.queue().get(&kept).map(|entry| entry.state()),
        Some(State::Verified)
    );
}

/// Adds and removes records until the log must have been compacted at least once, if compaction is possible.
fn churn(store: &mut QueueStore) {
    let large = vec![7; 600_000];
    for index in 0_u8..4 {
        let record = good(&[large.as_slice(), &[index]].concat());
        let id = store.add(record, terms(20, 0), NOW).expect("room");
        assert!(store.remove(&id).expect("a queue"));
    }
}

#[test]
fn a_log_that_cannot_be_written_anew_goes_on_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let obstacle = folder.path().join("queue.log.next");
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    let kept = store.add(good(b"kept"), terms(20, 3), NOW).expect("room");
    fs::create_dir(&obstacle).expect("a folder");
    let len = || fs::metadata(log(folder.path())).expect("a log").len();
    churn(&mut store);
    assert!(len() > 2 << 20, "{} bytes", len());
    assert_eq!(states(&store), [(kept, State::Unverified)]);
    drop(store);
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), [(kept, State::Unverified)]);
    // Compaction is attempted again.
    fs::remove_dir(&obstacle).expect("a folder");
    churn(&mut store);
    assert!(len() < 2 << 20, "{} bytes", len());
    drop(store);
    let store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), [(kept, State::Unverified)]);
}

#[test]
fn a_next_log_that_was_left_over_means_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    let kept = store.add(good(b"kept"), terms(20, 3), NOW).expect("room");
    drop(store);
    let left_over = folder.path().join("queue.log.next");
    fs::write(&left_over, vec![0xaa; 3 << 20]).expect("a file");
    let mut store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    churn(&mut store);
    assert!(!left_over.exists());
    drop(store);
    let store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), [(kept, State::Unverified)]);
}

/// The folder in which the child process below works.
const CHILD: &str = "DUET_QUEUE_TEST_FOLDER";

/// In the child process: adds records until it is killed, and prints each one that was added.
#[test]
#[ignore = "the child process of the test below"]
fn child_process_of_the_crash_test() {
    let folder = std::env::var_os(CHILD).expect("set by the test below");
    let mut store = QueueStore::open(Path::new(&folder), ROOMY).expect("a queue");
    for index in 0_u32.. {
        let record = good(&index.to_be_bytes());
        let Ok(id) = store.add(record, terms(20, 0), NOW) else {
            break;
        };
        println!("added {id}");
    }
}

#[test]
fn what_was_reported_as_added_is_there_after_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "child_process_of_the_crash_test",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .env(CHILD, folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let output = BufReader::new(child.stdout.take().expect("its output"));
    let mut reported = Vec::new();
    for line in output.lines() {
        let line = line.expect("a line");
        let Some((_, id)) = line.split_once("added ") else {
            continue;
        };
        reported.push(id.to_owned());
        if reported.len() == 20 {
            // SIGKILL: nothing is flushed, closed or cleaned up.
            child.kill().expect("it runs");
        }
    }
    child.wait().expect("it ended");
    assert!(reported.len() >= 20);
    let store = QueueStore::open(folder.path(), ROOMY).expect("a queue");
    let there: Vec<_> = store.queue().iter().map(|(id, _)| id.to_string()).collect();
    for id in &reported {
        assert!(there.contains(id), "{id} is lost");
    }
    // At most one more record, which was being added.
    assert!(there.len() <= reported.len() + 1);
}
