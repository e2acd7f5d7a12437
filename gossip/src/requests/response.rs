//! Responses: how they are decoded within bounds, and why one is not accepted.

use codec::DecodeAll;

/// Why the bytes that a peer answered with are not a response. The peer is to blame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// Longer than any response.
    #[error("the response has {got} bytes, {limit} at most")]
    TooLong {
        /// The most bytes that are allowed.
        limit: u64,
        /// How many there are.
        got: u64,
    },
    /// More entries than were asked for.
    #[error("the response has {got} entries, {limit} at most")]
    TooMany {
        /// The most entries that are allowed.
        limit: u32,
        /// How many there are.
        got: u32,
    },
    /// Not the encoding of a response, or something follows it.
    #[error("the response does not decode: {0}")]
    Malformed(#[from] codec::Error),
}

/// Refuses more bytes than `limit`.
pub(super) fn bounded(bytes: &[u8], limit: u64) -> Result<&[u8], ResponseError> {
    let got = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if got > limit {
        return Err(ResponseError::TooLong { limit, got });
    }
    Ok(bytes)
}

/// Decodes a list of at most `limit` entries that fills `bytes`.
pub(super) fn decode_list<T: codec::Decode>(
    bytes: &[u8],
    limit: u8,
) -> Result<Vec<T>, ResponseError> {
    let list = Vec::<T>::decode_all(&mut &*bytes)?;
    let limit = u32::from(limit);
    let got = u32::try_from(list.len()).unwrap_or(u32::MAX);
    if got > limit {
        return Err(ResponseError::TooMany { limit, got });
    }
    Ok(list)
}
