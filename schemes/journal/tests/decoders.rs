//! The checks of the fuzz target, on encodings with every bit flipped and of every length.

#[path = "support/decoders.rs"]
mod decoders;

use decoders::{decode, DECODERS};
use duet_journal::{Anchor, Header, Mark};
use sha2::{Digest, Sha256};

/// One valid encoding for each decoder, preceded by the byte that selects it.
fn valid() -> Vec<Vec<u8>> {
    let header = Header::new(b"TAG", [5; 32]);
    let anchor = Anchor::encode(&header, Mark::start(&header).after(b"entry"));
    let without_checksum = &anchor[..anchor.len() - 32];
    // Two entries with their links, and the same without.
    let (keys, value) = ([[1; 32], [2; 32]], [9; 3]);
    let (mut journal, mut mark) = (header.to_bytes(), Mark::start(&header));
    let mut without_links = vec![5; 32];
    for key in keys {
        let body = [&key[..], &value].concat();
        mark = mark.after(&body);
        journal.extend([&body[..], mark.link()].concat());
        without_links.extend(body);
    }
    let encodings = [
        &header.to_bytes()[..],
        &anchor,
        without_checksum,
        &journal,
        &without_links,
    ];
    (0..)
        .zip(encodings)
        .map(|(choice, bytes)| [&[choice], bytes].concat())
        .collect()
}

#[test]
fn what_is_valid_is_accepted() {
    assert_eq!(valid().len(), usize::from(DECODERS));
    for data in valid() {
        assert!(decode(&data), "decoder {}", data[0]);
    }
}

#[test]
fn altered_encodings_are_accepted_or_not_and_never_panic() {
    for data in valid() {
        for bit in 8..8 * data.len() {
            let mut flipped = data.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            // Without a checksum, any owner, count and link is valid; so is an entry without a link.
            let is_checked = [1, 3].contains(&data[0]);
            assert!(!(is_checked && decode(&flipped)), "{}, bit {bit}", data[0]);
        }
        for cut in 0..data.len() {
            // A journal may end anywhere after its header.
            let is_prefix = data[0] == 3 && cut >= 36 || data[0] == 4 && cut >= 33;
            assert_eq!(decode(&data[..cut]), is_prefix, "{}, {cut} bytes", data[0]);
        }
        decode(&[&data[..], &[0]].concat());
    }
}

#[test]
fn a_journal_that_has_a_key_twice_is_refused() {
    let same = [&[4][..], &[5; 32], &[1; 70]].concat();
    assert!(!decode(&same));
}

/// Seeded random bytes: hashes of a counter.
fn random(seed: usize, length: usize) -> Vec<u8> {
    let hash = |block: usize| Sha256::digest(format!("{seed}/{block}"));
    (0..length.div_ceil(32))
        .flat_map(hash)
        .take(length)
        .collect()
}

#[test]
fn random_and_mutated_encodings_are_accepted_or_not_and_never_panic() {
    let valid = valid();
    let mut accepted = [0; 2];
    for seed in 0..4000 {
        let rng = random(seed, 6);
        let mut data = valid[seed % valid.len()].clone();
        let at = 1 + usize::from(u16::from_be_bytes([rng[0], rng[1]])) % (data.len() - 1);
        match rng[2] % 6 {
            0 => data.truncate(at),
            1 => data.insert(at, rng[3]),
            2 => data[at..].fill(0),
            3 => data.extend_from_within(at..),
            4 => data[at] = rng[3],
            _ => data.splice(1.., random(seed, at)).for_each(drop),
        }
        accepted[usize::from(decode(&data))] += 1;
    }
    assert!(accepted.iter().all(|count| *count > 500), "{accepted:?}");
}
