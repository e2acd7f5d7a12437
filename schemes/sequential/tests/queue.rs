//! The queue: its limits, its verdicts, and recovery after a crash.

mod common;

use common::public;
use duet_journal::{FileError, FileFault};
use duet_sequential::{
    queue::{
        check_all, decode_log, AddError, Change, Limits, LogError, Order, Queue, QueueFiles,
        QueueStore, Reason, Report, State, StoreError, Terms, Work,
    },
    testing::{secret_key, KEYS},
    CheckError, Epoch, HopNumber, Keyring, Party, Record, RecordId, Suite, Time,
};
use std::{fs, num::NonZeroUsize, path::Path, sync::Arc};

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

/// Verifies with all keys that are known.
fn verify(store: &mut QueueStore, now: Time, work: &Work) -> Report {
    let report = store.verify(&directory(), now, work, |_| {});
    report.expect("a queue")
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

/// The queue in a folder, with its anchor there.
fn open(folder: &Path, limits: Limits) -> Result<QueueStore, StoreError> {
    QueueStore::open(&QueueFiles::in_folder(folder), limits)
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
    let mut store = open(folder.path(), ROOMY).expect("a queue");
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
    let report = verify(&mut store, Time(20), &all());
    assert_eq!(report.verified, [unknown_id]);
}

#[test]
fn a_round_does_no_more_than_it_is_asked_and_begins_with_the_best() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    let cheap = store.add(good(b"a"), terms(20, 1), NOW).expect("room");
    let dear = store.add(good(b"b"), terms(20, 2), NOW).expect("room");
    let one = Work {
        order: Order::ByValue,
        most: 1,
        ..all()
    };
    let report = verify(&mut store, NOW, &one);
    assert_eq!(report.verified, [dear]);
    let report = verify(&mut store, NOW, &one);
    assert_eq!(report.verified, [cheap]);
}

#[test]
fn what_cannot_be_decided_does_not_hold_up_what_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path(), ROOMY).expect("a queue");
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
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    let kept = store.add(good(b"a"), terms(20, 7), NOW).expect("room");
    store.add(bad(b"b"), terms(20, 0), NOW).expect("room");
    let taken = store.add(good(b"c"), terms(20, 0), NOW).expect("room");
    verify(&mut store, NOW, &all());
    store.take(&taken).expect("a queue").expect("verified");
    store.add(good(b"d"), terms(20, 0), NOW).expect("room");
    let before = states(&store);
    drop(store);

    let mut store = open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), before);
    let entry = store.queue().get(&kept).expect("it is there");
    assert_eq!(entry.terms(), &terms(20, 7));
    assert_eq!(**entry.record(), good(b"a"));
    assert!(store.take(&kept).expect("a queue").is_some());
    // What is written after opening is read, too.
    drop(store);
    let store = open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(store.queue().get(&kept), None);
}

#[test]
fn two_processes_do_not_share_a_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    let _store = open(folder.path(), ROOMY).expect("a queue");
    assert!(matches!(
        open(folder.path(), ROOMY),
        Err(StoreError::InUse(_))
    ));
}

#[test]
fn a_frame_that_was_cut_off_anywhere_is_forgotten_and_nothing_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    let first = store.add(good(b"a"), terms(20, 0), NOW).expect("room");
    let before = Files::read(folder.path());
    let whole = before.log.len();
    let second = store.add(good(b"b"), terms(20, 0), NOW).expect("room");
    drop(store);
    let bytes = fs::read(log(folder.path())).expect("a log");
    let put = |log: &[u8]| {
        Files {
            log: log.to_vec(),
            ..before.clone()
        }
        .write(folder.path());
    };
    for len in whole..bytes.len() {
        put(&bytes[..len]);
        let mut store = open(folder.path(), ROOMY).expect("a queue");
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
    put(&grown);
    let store = open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), [(first, State::Unverified)]);
    drop(store);
    // A header that is not whole is only that of a new queue.
    let new = tempfile::tempdir().expect("a folder");
    drop(open(new.path(), ROOMY).expect("a queue"));
    for len in 0..12 {
        put(&bytes[..len]);
        let refused = open(folder.path(), ROOMY);
        let is_rolled_back = matches!(
            refused,
            Err(StoreError::RolledBack {
                frames: 0,
                expected: 1,
                ..
            })
        );
        assert!(is_rolled_back, "{refused:?}");
        fs::write(log(new.path()), &bytes[..len]).expect("a file");
        let store = open(new.path(), ROOMY).expect("a queue");
        assert!(store.queue().is_empty());
    }
}

#[test]
fn damage_before_the_last_frame_is_an_error_and_never_a_shorter_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path(), ROOMY).expect("a queue");
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
        open(folder.path(), ROOMY),
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
    let mut store = open(folder.path(), limits).expect("a queue");
    let kept = store.add(good(b"kept"), terms(20, 3), NOW).expect("room");
    store.add(bad(b"invalid"), terms(20, 3), NOW).expect("room");
    verify(&mut store, NOW, &all());
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
    let store = open(folder.path(), limits).expect("a queue");
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
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    let kept = store.add(good(b"kept"), terms(20, 3), NOW).expect("room");
    fs::create_dir(&obstacle).expect("a folder");
    let len = || fs::metadata(log(folder.path())).expect("a log").len();
    churn(&mut store);
    assert!(len() > 2 << 20, "{} bytes", len());
    assert_eq!(states(&store), [(kept, State::Unverified)]);
    drop(store);
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), [(kept, State::Unverified)]);
    // Compaction is attempted again.
    fs::remove_dir(&obstacle).expect("a folder");
    churn(&mut store);
    assert!(len() < 2 << 20, "{} bytes", len());
    drop(store);
    let store = open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), [(kept, State::Unverified)]);
}

#[test]
fn a_next_log_that_was_left_over_means_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    let kept = store.add(good(b"kept"), terms(20, 3), NOW).expect("room");
    drop(store);
    let left_over = folder.path().join("queue.log.next");
    fs::write(&left_over, vec![0xaa; 3 << 20]).expect("a file");
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    churn(&mut store);
    assert!(!left_over.exists());
    drop(store);
    let store = open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), [(kept, State::Unverified)]);
}

// The anchor.

/// What is in a queue's folder.
#[derive(Clone, PartialEq, Eq)]
struct Files {
    log: Vec<u8>,
    anchor: Vec<u8>,
}

impl Files {
    fn read(folder: &Path) -> Self {
        let read = |name: &str| fs::read(folder.join(name)).expect("a file");
        Self {
            log: read("queue.log"),
            anchor: read("queue.anchor"),
        }
    }

    fn write(&self, folder: &Path) {
        fs::write(log(folder), &self.log).expect("a file");
        fs::write(folder.join("queue.anchor"), &self.anchor).expect("a file");
    }
}

/// Expects that the log is refused because it was rolled back, and returns how many frames it has and how many it
/// should have. Nothing in the folder changes.
fn rolled_back(files: &QueueFiles) -> (u64, u64) {
    let read = || fs::read(log(&files.folder)).ok();
    let before = (read().unwrap_or_default(), fs::read(&files.anchor).ok());
    let refused = QueueStore::open(files, ROOMY);
    let Err(StoreError::RolledBack {
        path,
        frames,
        expected,
    }) = refused
    else {
        panic!("{refused:?}");
    };
    assert_eq!(path, log(&files.folder));
    let after = (read().unwrap_or_default(), fs::read(&files.anchor).ok());
    assert!(before == after);
    (frames, expected)
}

#[test]
fn a_log_that_was_restored_from_a_copy_is_refused_and_hands_nothing_out_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = QueueFiles::in_folder(folder.path());
    let mut store = QueueStore::open(&files, ROOMY).expect("a queue");
    let mut copies = vec![Files::read(folder.path())];
    let id = store.add(good(b"a"), terms(20, 0), NOW).expect("room");
    copies.push(Files::read(folder.path()));
    verify(&mut store, NOW, &all());
    copies.push(Files::read(folder.path()));
    assert!(store.take(&id).expect("a queue").is_some());
    drop(store);
    let latest = Files::read(folder.path());
    for (frames, copy) in (0..).zip(&copies) {
        fs::write(log(folder.path()), &copy.log).expect("a file");
        assert_eq!(rolled_back(&files), (frames, 3));
    }
    // A log that is lost, and one of another queue.
    fs::remove_file(log(folder.path())).expect("a log");
    assert_eq!(rolled_back(&files), (0, 3));
    let other = tempfile::tempdir().expect("a folder");
    let mut store = open(other.path(), ROOMY).expect("a queue");
    for message in [b"b", b"c", b"d", b"e"] {
        store.add(good(message), terms(20, 0), NOW).expect("room");
    }
    fs::copy(log(other.path()), log(folder.path())).expect("a file");
    assert_eq!(rolled_back(&files), (4, 3));
    latest.write(folder.path());
    let mut store = QueueStore::open(&files, ROOMY).expect("a queue");
    assert!(store.take(&id).expect("a queue").is_none());
    drop(store);
    // Not detected, and documented: both files are those of the same earlier moment.
    copies[2].write(folder.path());
    let mut store = QueueStore::open(&files, ROOMY).expect("a queue");
    assert!(store.take(&id).expect("a queue").is_some());
}

#[test]
fn an_anchor_that_is_kept_elsewhere_notices_that_the_folder_was_restored_or_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = QueueFiles {
        folder: folder.path().join("queue"),
        anchor: folder.path().join("elsewhere"),
    };
    let mut store = QueueStore::open(&files, ROOMY).expect("a queue");
    let id = store.add(good(b"a"), terms(20, 0), NOW).expect("room");
    assert!(!files.folder.join("queue.anchor").exists());
    let copy = fs::read(log(&files.folder)).expect("a log");
    assert!(store.remove(&id).expect("a queue"));
    drop(store);
    fs::write(log(&files.folder), copy).expect("a file");
    assert_eq!(rolled_back(&files), (1, 2));
    fs::remove_dir_all(&files.folder).expect("a folder");
    assert_eq!(rolled_back(&files), (0, 2));
    let mut damaged = fs::read(&files.anchor).expect("an anchor");
    damaged[20] ^= 1;
    fs::write(&files.anchor, damaged).expect("a file");
    let refused = QueueStore::open(&files, ROOMY);
    assert!(
        matches!(
            &refused,
            Err(StoreError::Anchor(FileError { path, fault: FileFault::Corrupt { .. } }))
                if *path == files.anchor
        ),
        "{refused:?}"
    );
}

/// Checks every state in which a crash during one change may leave the files, and every one in which it cannot.
fn check_crashes(folder: &Path, change: impl FnOnce(&mut QueueStore)) {
    let files = QueueFiles::in_folder(folder);
    let mut store = QueueStore::open(&files, ROOMY).expect("a queue");
    let (before, earlier) = (Files::read(folder), states(&store));
    change(&mut store);
    // What a process leaves that is killed now: nothing is closed or cleaned up.
    let (after, later) = (Files::read(folder), states(&store));
    drop(store);
    assert!(earlier != later && after.log.starts_with(&before.log));
    let whole = after.log.len();
    for len in before.log.len()..=whole {
        let log = after.log[..len].to_vec();
        // The log is written first. The new anchor has another name until it is whole.
        let anchor = before.anchor.clone();
        Files { log, anchor }.write(folder);
        let beside = folder.join("queue.anchor.new");
        fs::write(beside, &after.anchor[..len % after.anchor.len()]).expect("a file");
        let store = QueueStore::open(&files, ROOMY).expect("a queue");
        let expected = if len < whole { &earlier } else { &later };
        assert_eq!(&states(&store), expected, "{len}");
        drop(store);
        // What was found is anchored from now on.
        let found = if len < whole { &before } else { &after };
        assert!(Files::read(folder) == *found, "{len}");
        // When the anchor is on disk, so is the frame: a log without it was restored or truncated.
        if len < whole {
            let log = after.log[..len].to_vec();
            let anchor = after.anchor.clone();
            Files { log, anchor }.write(folder);
            rolled_back(&files);
        }
    }
    after.write(folder);
    let store = QueueStore::open(&files, ROOMY).expect("a queue");
    assert_eq!(states(&store), later);
}

#[test]
fn a_crash_anywhere_loses_nothing_that_was_reported_and_hands_nothing_out_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut id = None;
    check_crashes(folder.path(), |store| {
        id = store.add(good(b"a"), terms(20, 0), NOW).ok();
    });
    let id = id.expect("room");
    check_crashes(folder.path(), |store| {
        assert_eq!(verify(store, NOW, &all()).verified, [id]);
    });
    check_crashes(folder.path(), |store| {
        assert!(store.take(&id).expect("a queue").is_some());
    });
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    assert!(store.take(&id).expect("a queue").is_none());
}

#[test]
fn a_record_is_not_handed_out_when_the_anchor_cannot_be_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    let ids = [b"a", b"b"].map(|message| store.add(good(message), terms(20, 0), NOW));
    let ids = ids.map(|id| id.expect("room"));
    verify(&mut store, NOW, &all());
    // A directory that blocks the path of the anchor's temporary file.
    let obstacle = folder.path().join("queue.anchor.new");
    fs::create_dir(&obstacle).expect("a folder");
    let refused = store.take(&ids[0]);
    assert!(
        matches!(
            &refused,
            Err(StoreError::Anchor(FileError { path, fault: FileFault::Io(_) }))
                if *path == folder.path().join("queue.anchor")
        ),
        "{refused:?}"
    );
    fs::remove_dir(&obstacle).expect("a folder");
    assert!(matches!(store.take(&ids[1]), Err(StoreError::Poisoned)));
    drop(store);
    // Its removal is in the log.
    let mut store = open(folder.path(), ROOMY).expect("a queue");
    assert_eq!(states(&store), [(ids[1], State::Verified)]);
    assert!(store.take(&ids[1]).expect("a queue").is_some());
}

#[test]
fn a_crash_while_the_log_is_written_anew_leaves_one_of_two_logs_with_the_same_anchor() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = QueueFiles::in_folder(folder.path());
    let mut store = QueueStore::open(&files, ROOMY).expect("a queue");
    let id = store.add(good(b"kept"), terms(20, 3), NOW).expect("room");
    verify(&mut store, NOW, &all());
    let earlier = Files::read(folder.path());
    let next = folder.path().join("queue.log.next");
    fs::create_dir(&next).expect("a folder");
    churn(&mut store);
    drop(store);
    fs::remove_dir(&next).expect("a folder");
    let old = Files::read(folder.path());
    drop(QueueStore::open(&files, ROOMY).expect("a queue"));
    let new = Files::read(folder.path());
    assert!(old.anchor == new.anchor && new.log.len() < old.log.len() / 100);
    let is_whole = || {
        let store = QueueStore::open(&files, ROOMY).expect("a queue");
        assert_eq!(states(&store), [(id, State::Verified)]);
    };
    // Before the rename: the new log is not complete, or complete under its temporary name.
    for len in [0, 12, 100, new.log.len()] {
        old.write(folder.path());
        fs::write(&next, &new.log[..len]).expect("a file");
        is_whole();
        assert!(Files::read(folder.path()) == new);
    }
    // After it.
    new.write(folder.path());
    is_whole();
    // A new log that is cut off anywhere does not have the anchor.
    for len in 0..new.log.len() {
        fs::write(log(folder.path()), &new.log[..len]).expect("a file");
        rolled_back(&files);
    }
    // Neither does any log from before the last change, whether it was written anew or not.
    new.write(folder.path());
    let mut store = QueueStore::open(&files, ROOMY).expect("a queue");
    assert!(store.take(&id).expect("a queue").is_some());
    drop(store);
    for copy in [&earlier, &old, &new] {
        fs::write(log(folder.path()), &copy.log).expect("a file");
        let (frames, expected) = rolled_back(&files);
        assert!(frames < expected);
    }
}

/// A queue as version 1 wrote it: no anchor, and another version in the header.
fn version_1(files: &QueueFiles) -> (RecordId, Vec<u8>) {
    let mut store = QueueStore::open(files, ROOMY).expect("a queue");
    let id = store.add(good(b"a"), terms(20, 0), NOW).expect("room");
    verify(&mut store, NOW, &all());
    drop(store);
    fs::remove_file(&files.anchor).expect("an anchor");
    let mut bytes = fs::read(log(&files.folder)).expect("a log");
    bytes[11] = 1;
    fs::write(log(&files.folder), &bytes).expect("a file");
    (id, bytes)
}

#[test]
fn a_queue_without_an_anchor_is_taken_over_only_when_told_to_and_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = QueueFiles::in_folder(folder.path());
    let (id, version_1) = version_1(&files);
    let is_unanchored = || {
        let refused = QueueStore::open(&files, ROOMY);
        let named = (log(folder.path()), files.anchor.clone());
        assert!(
            matches!(&refused, Err(StoreError::Unanchored { log, anchor }) if (log, anchor) == (&named.0, &named.1)),
            "{refused:?}"
        );
        assert!(!files.anchor.exists());
    };
    is_unanchored();
    assert!(fs::read(log(folder.path())).expect("a log") == version_1);
    assert!(decode_log(&version_1).is_ok());
    // The machine stops at the end of a change, after the log was written anew, and nowhere.
    let torn = [&version_1[..], &[0, 0, 0, 35]].concat();
    fs::write(log(folder.path()), torn).expect("a file");
    QueueStore::adopt(&files).expect("a queue");
    let adopted = Files::read(folder.path());
    fs::remove_file(&files.anchor).expect("an anchor");
    is_unanchored();
    QueueStore::adopt(&files).expect("a queue");
    assert!(Files::read(folder.path()) == adopted);
    // The old log is refused even though it says the same.
    fs::write(log(folder.path()), &version_1).expect("a file");
    let refused = QueueStore::open(&files, ROOMY);
    let source = LogError::Version { got: 1 };
    assert!(matches!(refused, Err(StoreError::Log { source: got, .. }) if got == source));
    // It is not taken over again, either, and nothing changes.
    let again = QueueStore::adopt(&files);
    assert!(
        matches!(
            &again,
            Err(StoreError::Anchor(FileError { path, fault: FileFault::Exists })) if *path == files.anchor
        ),
        "{again:?}"
    );
    assert!(fs::read(log(folder.path())).expect("a log") == version_1);
    assert!(fs::read(&files.anchor).expect("an anchor") == adopted.anchor);
    adopted.write(folder.path());
    let mut store = QueueStore::open(&files, ROOMY).expect("a queue");
    assert_eq!(states(&store), [(id, State::Verified)]);
    assert!(store.take(&id).expect("a queue").is_some());
    let in_use = QueueStore::adopt(&files);
    assert!(matches!(in_use, Err(StoreError::InUse(_))), "{in_use:?}");
    drop(store);
    fs::write(log(folder.path()), &adopted.log).expect("a file");
    assert_eq!(rolled_back(&files), (2, 3));
}

#[test]
fn there_is_nothing_to_take_over_where_no_queue_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = QueueFiles::in_folder(folder.path());
    let refused = QueueStore::adopt(&files);
    assert!(matches!(&refused, Err(StoreError::Io { path, .. }) if *path == log(folder.path())));
    assert!(!files.anchor.exists());
}
