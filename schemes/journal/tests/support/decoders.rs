//! What every decoder promises, for any bytes: shared by the tests and the fuzz target.

use duet_journal::{Anchor, AnchorError, Header, HeaderError};
use sha2::{Digest, Sha256};

/// How many decoders there are; the first byte of the input chooses one.
pub(crate) const DECODERS: u8 = 3;

const TAG: &[u8] = b"TAG";

/// Decodes `data`, which must not panic, and says whether it was accepted. What is accepted is spelled in one way.
pub(crate) fn decode(data: &[u8]) -> bool {
    let Some((choice, bytes)) = data.split_first() else {
        return false;
    };
    match choice % DECODERS {
        0 => header(bytes),
        1 => anchor(bytes),
        // A checksum lets hardly any bytes through, so it is put right.
        _ => anchor(&[bytes, &Sha256::digest(bytes)].concat()),
    }
}

/// The header that these bytes may begin with: the owner stands where an owner would.
fn expected(bytes: &[u8]) -> Header {
    let owner = bytes.get(TAG.len()..).and_then(|rest| rest.first_chunk());
    Header::new(TAG, owner.copied().unwrap_or_default())
}

fn header(bytes: &[u8]) -> bool {
    let header = expected(bytes);
    match header.strip(bytes) {
        Ok(rest) => assert_eq!([&header.to_bytes(), rest].concat(), bytes),
        // Its owner is the one that stands there, unless none does.
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
