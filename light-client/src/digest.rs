//! The digest of a header: the block's messages to readers of headers.

use crate::{error::Error, header::HeaderParts};
use alloc::{format, string::ToString, vec::Vec};
use codec::{Compact, Decode};

/// The most bytes of a header whose digest is read: a header is a few roots, and short messages.
pub const MAX_HEADER_LEN: usize = 64 * 1024;

/// An item of a digest, as Substrate encodes it. Most are of an engine, by its four bytes.
#[derive(Clone, Debug, PartialEq, Eq, Decode)]
pub enum DigestItem {
    /// Chosen by the block's author.
    #[codec(index = 0)]
    Other(Vec<u8>),
    /// From the runtime to a consensus engine.
    #[codec(index = 4)]
    Consensus([u8; 4], Vec<u8>),
    /// By the block's author, made last.
    #[codec(index = 5)]
    Seal([u8; 4], Vec<u8>),
    /// Data from before the block's execution, such as its slot.
    #[codec(index = 6)]
    PreRuntime([u8; 4], Vec<u8>),
    /// The runtime's code or its heap changed.
    #[codec(index = 8)]
    RuntimeEnvironmentUpdated,
}

/// The items in the digest of a header with this encoding, in their order. Nothing is verified: the header's hash has to be known
/// by other means ([`FinalBlock::header`](crate::FinalBlock::header)).
///
/// Rules: ENC-6. Allocates at most 32 bytes for each byte of the header, of which there are at most [`MAX_HEADER_LEN`].
///
/// # Errors
/// [`Error::Malformed`] when the bytes are more, are not a header, or bytes follow it.
pub fn digest_items(header: &[u8]) -> Result<Vec<DigestItem>, Error> {
    let malformed = |error: codec::Error| Error::Malformed {
        object: "header",
        reason: error.to_string(),
    };
    let got = header.len();
    if got > MAX_HEADER_LEN {
        let reason = format!("{got} bytes, above the limit of {MAX_HEADER_LEN}");
        let object = "header";
        return Err(Error::Malformed { object, reason });
    }
    let (_, mut digest) = HeaderParts::split(header).map_err(malformed)?;
    let input = &mut digest;
    let Compact(count) = Compact::<u32>::decode(input).map_err(malformed)?;
    // Each item takes a byte at least, so the header's length bounds this, and nothing is allocated by the count.
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(DigestItem::decode(input).map_err(malformed)?);
    }
    match input.is_empty() {
        true => Ok(items),
        false => Err(malformed("trailing bytes after the header".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use codec::Encode;
    use duet_primitives::H256;

    fn header(count: u32, items: &[u8]) -> Vec<u8> {
        let root = H256::repeat_byte(3);
        let start = (root, Compact(7_u32), root, root, Compact(count)).encode();
        [&start, items].concat()
    }

    #[test]
    fn items_of_every_kind_are_read_in_their_order() {
        let engine = *b"duet";
        let encoded = [
            (6_u8, engine, vec![1_u8]).encode(),
            (4_u8, engine, vec![2_u8, 3]).encode(),
            (0_u8, vec![4_u8]).encode(),
            vec![8],
            (5_u8, engine, vec![5_u8; 64]).encode(),
        ];
        let items = digest_items(&header(5, &encoded.concat())).unwrap();
        let expected = [
            DigestItem::PreRuntime(engine, vec![1]),
            DigestItem::Consensus(engine, vec![2, 3]),
            DigestItem::Other(vec![4]),
            DigestItem::RuntimeEnvironmentUpdated,
            DigestItem::Seal(engine, vec![5; 64]),
        ];
        assert_eq!(items, expected);
    }

    /// ENC-6
    #[test]
    fn what_is_cut_unknown_or_longer_is_refused() {
        let item = (6_u8, *b"aura", vec![1_u8]).encode();
        let too_few = header(2, &item);
        let too_many = header(0, &item);
        let unknown = header(1, &[7]);
        let cut = header(1, &item[..item.len() - 1]);
        let countless = header(u32::MAX, &item);
        for bytes in [too_few, too_many, unknown, cut, countless, Vec::new()] {
            let error = digest_items(&bytes).unwrap_err();
            assert_eq!(error.rule(), "ENC-6", "{error}");
        }
    }

    /// ENC-6
    #[test]
    fn a_header_of_64_kib_is_read_and_none_with_a_byte_more() {
        let of = |items: u32| header(items, &vec![8; usize::try_from(items).unwrap()]);
        let most = 65_536 - u32::try_from(of(1 << 15).len() - (1 << 15)).unwrap();
        assert_eq!(of(most).len(), MAX_HEADER_LEN);
        let count = usize::try_from(most).unwrap();
        assert_eq!(digest_items(&of(most)).unwrap().len(), count);
        let error = digest_items(&of(most + 1)).unwrap_err();
        let words = "65537 bytes, above the limit of 65536";
        assert!(error.to_string().ends_with(words), "{error}");
    }
}
