//! The checks of the fuzz target, on encodings with every bit flipped and of every length.

#[path = "support/decoders.rs"]
mod decoders;

use decoders::{decode, DECODERS};
use duet_journal::{Anchor, Header, Mark};

/// One valid encoding for each decoder, preceded by the byte that selects it.
fn valid() -> Vec<Vec<u8>> {
    let header = Header::new(b"TAG", [5; 32]);
    let anchor = Anchor::encode(&header, Mark::start(&header).after(b"entry"));
    let without_checksum = &anchor[..anchor.len() - 32];
    let encodings = [&header.to_bytes()[..], &anchor, without_checksum];
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
            // Without a checksum, any owner, count and link is valid.
            let is_checked = data[0] == 1;
            assert!(!(is_checked && decode(&flipped)), "bit {bit}");
        }
        for cut in 0..data.len() {
            assert!(!decode(&data[..cut]), "decoder {}, {cut} bytes", data[0]);
        }
        decode(&[&data[..], &[0]].concat());
    }
}
