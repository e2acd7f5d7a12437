//! Every decoder of `duet-journal`.

use crate::encoding::numbered;
use duet_journal::{
    register::{entries_in, Tags},
    Anchor, FileFault, Header, HeaderError, Mark, HASH_LEN,
};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// The number of decoders. The first byte of the input selects one.
pub const DECODERS: u8 = 5;

const TAG: &[u8] = b"TAG";
const TAGS: Tags = Tags {
    journal: TAG,
    anchor: b"ANCHOR",
};
/// Bytes of a value, of an entry without its link, and of an entry.
const VALUE: usize = 3;
const BODY: usize = HASH_LEN + VALUE;
const ENTRY: usize = BODY + HASH_LEN;

/// Decodes `data` without panicking, and returns whether it was accepted. Accepted bytes must be the only encoding of
/// their value.
pub(crate) fn decode(data: &[u8]) -> bool {
    let Some((choice, bytes)) = data.split_first() else {
        return false;
    };
    match choice % DECODERS {
        0 => header(bytes),
        1 => anchor(bytes),
        // Random bytes rarely have a valid checksum, so the checksum is corrected.
        2 => anchor(&[bytes, &Sha256::digest(bytes)].concat()),
        3 => journal(bytes),
        _ => linked_journal(bytes),
    }
}

/// The owner that these bytes name after their tag.
fn owner(bytes: &[u8]) -> [u8; 32] {
    let owner = bytes.get(TAG.len()..).and_then(|rest| rest.first_chunk());
    owner.copied().unwrap_or_default()
}

fn header(bytes: &[u8]) -> bool {
    let header = Header::new(TAG, owner(bytes));
    match header.strip(bytes) {
        Ok(rest) => assert_eq!([&header.to_bytes(), rest].concat(), bytes),
        // The owner is read from the input, so only the type can be wrong.
        Err(error) => assert_eq!(error, HeaderError::OtherFile),
    }
    header.strip(bytes).is_ok()
}

fn anchor(bytes: &[u8]) -> bool {
    let header = Header::new(TAG, owner(bytes));
    let Ok(mark) = Anchor::decode(bytes, &header) else {
        return false;
    };
    assert_eq!(Anchor::encode(&header, mark), bytes);
    let other = Anchor::decode(bytes, &Header::new(TAG, [0xab; 32]));
    assert!(matches!(other, Err(FileFault::OtherOwner)) || header == Header::new(TAG, [0xab; 32]));
    true
}

fn entries(journal: &[u8]) -> Option<usize> {
    let entries = entries_in::<VALUE>(journal, TAGS, owner(journal)).ok()?;
    Some(usize::try_from(entries).expect("fewer than the bytes"))
}

/// The whole entries at the beginning of a journal are read without the rest, too.
fn journal(bytes: &[u8]) -> bool {
    let Some(count) = entries(bytes) else {
        return false;
    };
    let whole = bytes.get(..TAG.len() + 32 + count * ENTRY);
    assert_eq!(entries(whole.expect("so much was read")), Some(count));
    true
}

/// Random bytes rarely have valid links, so the links are computed: the input is an owner, and then entries without
/// links. What is left is the beginning of an entry. A journal is refused only for a key that it has twice.
fn linked_journal(bytes: &[u8]) -> bool {
    let Some((owner, bytes)) = bytes.split_first_chunk() else {
        return false;
    };
    let header = Header::new(TAG, *owner);
    let (bodies, rest) = bytes.as_chunks::<BODY>();
    let (mut journal, mut mark) = (header.to_bytes(), Mark::start(&header));
    for body in bodies {
        mark = mark.after(body);
        journal.extend(body);
        journal.extend(mark.link());
    }
    journal.extend(rest);
    let keys: HashSet<_> = bodies.iter().map(|body| &body[..HASH_LEN]).collect();
    let is_valid = keys.len() == bodies.len();
    assert_eq!(entries(&journal), is_valid.then_some(bodies.len()));
    is_valid
}

pub(crate) fn valid() -> Vec<Vec<u8>> {
    let header = Header::new(TAG, [5; 32]);
    let anchor = Anchor::encode(&header, Mark::start(&header).after(b"entry"));
    let without_checksum = anchor[..anchor.len() - 32].to_vec();
    // Two entries with their links, and the same without.
    let (mut journal, mut mark) = (header.to_bytes(), Mark::start(&header));
    let mut without_links = vec![5; 32];
    for key in [[1; 32], [2; 32]] {
        let body = [&key[..], &[9; VALUE]].concat();
        mark = mark.after(&body);
        journal.extend([&body[..], mark.link()].concat());
        without_links.extend(body);
    }
    let header = header.to_bytes();
    numbered([
        header,
        anchor.to_vec(),
        without_checksum,
        journal,
        without_links,
    ])
}
