//! Parsers of arguments.

use duet_sequential::{Party, HASH_LEN};

/// Parses 64 hex digits as 32 bytes, and anything else as a name.
pub(super) fn party(text: &str) -> Result<Party, String> {
    match hash(text) {
        Ok(hash) => Ok(Party(hash)),
        Err(_) if text.is_empty() => Err("empty".to_owned()),
        Err(_) => Ok(Party::named(text)),
    }
}

/// Parses 64 hex digits.
pub(super) fn hash(text: &str) -> Result<[u8; HASH_LEN], String> {
    let mut hash = [0; HASH_LEN];
    hex::decode_to_slice(text, &mut hash).map_err(|error| error.to_string())?;
    Ok(hash)
}
