//! Responses: their bounded decoding, and why one is rejected.

use codec::DecodeAll;

/// Why a peer's bytes are not a response. The peer is to blame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// Longer than any response.
    #[error("the response has {got} bytes, above the limit of {limit}")]
    TooLong {
        /// The limit in bytes.
        limit: u64,
        /// The length.
        got: u64,
    },
    /// More entries than requested.
    #[error("the response has {got} entries, above the limit of {limit}")]
    TooMany {
        /// The limit.
        limit: u32,
        /// The number of entries.
        got: u32,
    },
    /// Not the encoding of a response, or with trailing bytes.
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

/// Decodes a list of at most `limit` entries without trailing bytes.
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
