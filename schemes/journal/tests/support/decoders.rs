//! The properties of every decoder, for arbitrary bytes: shared by the tests and the fuzz target.

use duet_journal::{Anchor, AnchorError, Header, HeaderError};
use sha2::{Digest, Sha256};

/// The number of decoders. The first byte of the input selects one.
pub(crate) const DECODERS: u8 = 3;

const TAG: &[u8] = b"TAG";

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
        _ => anchor(&[bytes, &Sha256::digest(bytes)].concat()),
    }
}

/// The header that these bytes may begin with: the owner is read from its place in the input.
fn expected(bytes: &[u8]) -> Header {
    let owner = bytes.get(TAG.len()..).and_then(|rest| rest.first_chunk());
    Header::new(TAG, owner.copied().unwrap_or_default())
}

fn header(bytes: &[u8]) -> bool {
    let header = expected(bytes);
    match header.strip(bytes) {
        Ok(rest) => assert_eq!([&header.to_bytes(), rest].concat(), bytes),
        // The owner is read from the input, so only the type can be wrong.
        Err(error) => assert_eq!(error, HeaderError::OtherFile),
    }
    header.strip(bytes).is_ok()
}

fn anchor(bytes: &[u8]) -> bool {
    let header = expected(bytes);
    let Ok(mark) = Anchor::decode(bytes, &header) else {
        return false;
    };
    assert_eq!(Anchor::encode(&header, mark), bytes);
    let other = Anchor::decode(bytes, &Header::new(TAG, [0xab; 32]));
    assert!(
        matches!(other, Err(AnchorError::OtherOwner)) || header == Header::new(TAG, [0xab; 32])
    );
    true
}
