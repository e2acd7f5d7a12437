//! A header in the form in which nodes show it, from the bytes that hash to the block's hash.

use codec::{Compact, Decode, Input};
use duet_light_rpc::hex;
use duet_primitives::H256;
use serde_json::{json, Value};

/// More items than any header has. The JSON of an item is longer than its bytes by a constant.
const MAX_ITEMS: u32 = 1_024;

/// The kinds of items of a digest, by their number in SCALE.
const OTHER: u8 = 0;
const CONSENSUS: u8 = 4;
const SEAL: u8 = 5;
const PRE_RUNTIME: u8 = 6;
const RUNTIME_ENVIRONMENT_UPDATED: u8 = 8;

/// The header as `chain_getHeader` gives it.
///
/// # Errors
/// When the digest has an item of a kind that this version does not know, or bytes are left.
pub(crate) fn header_json(bytes: &[u8]) -> Result<Value, codec::Error> {
    let mut input = bytes;
    let (parent_hash, Compact(number)) = <(H256, Compact<u32>)>::decode(&mut input)?;
    let (state_root, extrinsics_root) = <(H256, H256)>::decode(&mut input)?;
    let Compact(items) = Compact::<u32>::decode(&mut input)?;
    if items > MAX_ITEMS {
        return Err("a digest of more items than any has".into());
    }
    let mut logs = Vec::new();
    for _ in 0..items {
        let before = input;
        skip_item(&mut input)?;
        let len = before.len().saturating_sub(input.len());
        logs.push(hex(before.get(..len).unwrap_or_default()));
    }
    if !input.is_empty() {
        return Err("bytes behind the digest".into());
    }
    Ok(json!({
        "parentHash": parent_hash,
        "number": format!("{number:#x}"),
        "stateRoot": state_root,
        "extrinsicsRoot": extrinsics_root,
        "digest": { "logs": logs },
    }))
}

/// Reads over one item of a digest.
fn skip_item(input: &mut &[u8]) -> Result<(), codec::Error> {
    match input.read_byte()? {
        RUNTIME_ENVIRONMENT_UPDATED => Ok(()),
        OTHER => Vec::<u8>::decode(input).map(drop),
        CONSENSUS | SEAL | PRE_RUNTIME => <([u8; 4], Vec<u8>)>::decode(input).map(drop),
        _ => Err("an item of a digest of an unknown kind".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codec::Encode;

    fn header(digest: &[u8]) -> Vec<u8> {
        let roots = [2, 3].map(H256::repeat_byte);
        let mut bytes = (H256::repeat_byte(1), Compact(300_u32), roots[0], roots[1]).encode();
        bytes.extend(digest);
        bytes
    }

    #[test]
    fn a_header_is_shown_with_each_item_of_its_digest_apart() {
        let seal = (SEAL, *b"aura", vec![7_u8; 64]).encode();
        let items = [
            (OTHER, vec![1_u8]).encode(),
            vec![RUNTIME_ENVIRONMENT_UPDATED],
            seal,
        ];
        let digest = [&[12][..], &items.concat()].concat();
        let json = header_json(&header(&digest)).expect("a header");
        assert_eq!(json["number"], "0x12c");
        assert_eq!(json["parentHash"], json!(H256::repeat_byte(1)));
        assert_eq!(json["extrinsicsRoot"], json!(H256::repeat_byte(3)));
        let expected: Vec<_> = items.iter().map(|item| hex(item)).collect();
        assert_eq!(json["digest"]["logs"], json!(expected));
    }

    #[test]
    fn a_digest_that_is_cut_longer_or_of_an_unknown_kind_is_refused() {
        let item = (OTHER, vec![1_u8, 2]).encode();
        let honest = [&[4][..], &item].concat();
        assert!(header_json(&header(&honest)).is_ok());
        let longer = [&honest[..], &[0]].concat();
        for digest in [&honest[..3], &longer, &[4, 9, 0], &[]] {
            assert!(header_json(&header(digest)).is_err(), "{digest:?}");
        }
    }
}
