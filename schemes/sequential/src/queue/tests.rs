//! Logs with valid checks and invalid content, and logs after a power failure.

use super::{
    log::{self, Chain, Contents, LogError},
    Limits, QueueFiles, QueueStore, StoreError,
};
use crate::record::{MalformedRecord, RecordId};
use std::fs;

const LIMITS: Limits = Limits {
    records: 10,
    bytes: 10_000,
};

/// A log of frames with these bodies.
fn log_of(bodies: &[&[u8]]) -> Vec<u8> {
    let mut bytes = log::header().to_vec();
    let mut chain = Chain::start();
    for body in bodies {
        let (frame, next) = log::framed(chain, body).expect("short");
        bytes.extend_from_slice(&frame);
        chain = next;
    }
    bytes
}

fn read(bytes: &[u8]) -> Result<Contents, LogError> {
    log::read(bytes, Chain::start().mark())
}

/// The change that removes a record.
fn removed(id: u8) -> Vec<u8> {
    [&[3], [id; 32].as_slice()].concat()
}

/// The change that sets the verdict of a record.
fn decided(verdict: u8, hop: u8) -> Vec<u8> {
    [&[2], [7; 32].as_slice(), &[verdict, hop]].concat()
}

#[test]
fn an_intact_frame_with_invalid_content_is_reported() {
    let good = removed(1);
    let offset = log_of(&[&good]).len();
    let added = |record: &[u8]| {
        let length = u32::try_from(record.len()).expect("short").to_be_bytes();
        [&[1], [0; 48].as_slice(), &length, record].concat()
    };
    let bodies = [
        vec![0],
        vec![4],
        vec![3],
        decided(0, 1),
        decided(1, 0),
        decided(2, 0),
        decided(3, 0),
        decided(4, 0),
        decided(5, 1),
        decided(6, 0),
        good[..32].to_vec(),
        decided(0, 0)[..34].to_vec(),
        added(&[])[..50].to_vec(),
        added(&[1, 2, 3])[..55].to_vec(),
    ];
    for body in &bodies {
        let refused = log::decode_log(&log_of(&[&good, body]));
        assert_eq!(refused, Err(LogError::Change { offset }), "{body:?}");
    }
    let error = MalformedRecord::Version { got: 9 };
    let refused = log::decode_log(&log_of(&[&good, &added(&[9])]));
    assert_eq!(refused, Err(LogError::Record { offset, error }));
    for (verdict, hop) in [(0, 0), (1, 1), (2, 255), (3, 2), (4, 3), (5, 0)] {
        let body = decided(verdict, hop);
        let changes = log::decode_changes(&body, 0).expect("a change");
        assert_eq!(log::encode_changes(&changes), body);
    }
}

#[cfg(target_pointer_width = "64")]
#[test]
fn a_frame_of_more_than_four_bytes_can_count_is_refused() {
    let most = 0xffff_ffff;
    assert_eq!(log::body_length(most), Ok([0xff; 4]));
    let got = most + 1;
    assert_eq!(log::body_length(got), Err(LogError::TooLong { got }));
}

#[test]
fn changes_that_do_not_follow_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = QueueFiles::in_folder(folder.path());
    drop(QueueStore::open(&files, LIMITS).expect("a new queue"));
    let path = folder.path().join("queue.log");
    fs::write(path, log_of(&[&removed(5)])).expect("a file");
    let refused = QueueStore::open(&files, LIMITS).map(drop);
    fs::remove_file(&files.anchor).expect("an anchor");
    for refused in [refused, QueueStore::adopt(&files)] {
        let Err(StoreError::Inconsistent { source, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(source.id, RecordId([5; 32]));
    }
}

#[test]
fn zeros_where_the_last_frame_began_are_a_frame_that_was_being_written() {
    let bodies = [removed(1), removed(2), removed(3)];
    let [one, two, three] = &bodies;
    let whole = log_of(&[one]);
    let with_zeros = |mut bytes: Vec<u8>| {
        bytes[whole.len()..whole.len() + 12].fill(0);
        bytes
    };
    let torn = with_zeros(log_of(&[one, two]));
    let contents = read(&torn).expect("a log");
    assert_eq!(contents, read(&whole).expect("a log"));
    assert_eq!(contents.whole, whole.len());
    // If a frame follows it, the frame had been written completely.
    let damaged = with_zeros(log_of(&[one, two, three]));
    let offset = whole.len();
    let refused = Err(LogError::Damaged { offset });
    assert_eq!(read(&damaged), refused);
    assert_eq!(read(&damaged[..damaged.len() - 1]), refused);
}

#[test]
fn a_header_that_was_never_written_is_a_new_log_and_zeros_behind_it_are_none() {
    for len in 0..=12 {
        let contents = read(&vec![0; len]).expect("a new log");
        assert_eq!((contents.whole, contents.changes.len()), (0, 0));
    }
    assert_eq!(read(&[0; 13]), Err(LogError::NotALog));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("queue.log");
    fs::write(&path, [0; 12]).expect("a file");
    let files = QueueFiles::in_folder(folder.path());
    assert!(QueueStore::open(&files, LIMITS).is_ok());
    assert_eq!(fs::read(&path).expect("a log"), log_of(&[]));
}

#[test]
fn the_folders_above_a_queue_are_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep = QueueFiles::in_folder(&folder.path().join("a/b/c"));
    assert!(QueueStore::open(&deep, LIMITS).is_ok());
    assert!(QueueStore::open(&deep, LIMITS).is_ok());
}

#[test]
fn before_the_anchor_nothing_is_taken_for_a_write_that_was_interrupted() {
    let bodies = [removed(1), removed(2)];
    let [one, two] = &bodies;
    let (whole, first) = (log_of(&[one, two]), log_of(&[one]).len());
    let mark = read(&whole).expect("a log").mark();
    assert_eq!(mark.entries(), 2);
    // Zeros at the beginning of a frame, or at its end, and a wrong check.
    let (mut head, mut end, mut check) = (whole.clone(), whole.clone(), whole.clone());
    head[first..first + 12].fill(0);
    end[whole.len() - 9..].fill(0);
    check[whole.len() - 1] ^= 1;
    for bytes in [head, end, check] {
        let offset = first;
        let refused = log::read(&bytes, mark);
        assert_eq!(refused, Err(LogError::Damaged { offset }));
        assert_eq!(read(&bytes).expect("beyond the anchor").whole, first);
    }
    for cut in 12..whole.len() {
        let contents = log::read(&whole[..cut], mark).expect("it is shorter");
        assert!(!contents.has_anchored, "{cut}");
    }
    assert!(log::read(&whole, mark).expect("a log").has_anchored);
}

#[test]
fn a_log_that_is_written_anew_has_the_mark_that_it_replaces_and_goes_on_from_it() {
    let bodies = [removed(1), removed(2), removed(3)];
    let [one, two, three] = &bodies;
    let mark = read(&log_of(&[one, two])).expect("a log").mark();
    let (anew, chain) = log::written_anew(Vec::new(), mark).expect("short");
    let contents = read(&anew).expect("a log");
    assert_eq!((contents.mark(), chain), (mark, contents.chain));
    // Cut off anywhere, it does not have the mark.
    for cut in 0..anew.len() {
        let contents = log::read(&anew[..cut], mark).expect("it is shorter");
        assert!(!contents.has_anchored, "{cut}");
    }
    // The next change has its own mark in each of the two logs, one that counts three.
    let (frame, after) = log::framed(chain, three).expect("short");
    let longer = read(&[anew.as_slice(), &frame].concat()).expect("a log");
    assert_eq!((longer.mark(), longer.mark().entries()), (after.mark(), 3));
    // A log says only once what it replaces.
    let again = [&[4], mark.to_bytes().as_slice()].concat();
    let twice = log_of(&[&again, &again]);
    let offset = anew.len();
    assert_eq!(read(&twice), Err(LogError::Change { offset }));
    for length in [0, 39, 41] {
        let bad = [&[4], vec![0; length].as_slice()].concat();
        let refused = read(&log_of(&[&bad]));
        assert_eq!(refused, Err(LogError::Change { offset: 12 }));
    }
}
