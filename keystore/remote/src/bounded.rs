//! Bounded lists and texts; the bound is checked before any allocation.

use codec::{Decode, Encode, Error, Input};
use duet_primitives::{decode_list, DualKeyBytes};
use std::fmt;

/// The most keys that a signer may list.
pub const MAX_KEYS: u32 = 256;
/// The most bytes of the owner in a proof of possession.
pub const MAX_OWNER_LEN: u32 = 1024;
/// The most bytes of text in a refusal. The rest is cut off.
pub const MAX_TEXT_LEN: u32 = 512;

/// Keys of a signer: at most [`MAX_KEYS`], in strictly ascending order.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct KeyList(Vec<DualKeyBytes>);

impl KeyList {
    /// A list.
    ///
    /// # Errors
    /// `None` when there are too many keys, or they are not in strictly ascending order.
    pub fn new(keys: Vec<DualKeyBytes>) -> Option<Self> {
        let few = u32::try_from(keys.len()).is_ok_and(|len| len <= MAX_KEYS);
        let ascending = keys.iter().zip(keys.iter().skip(1)).all(|(a, b)| a < b);
        (few && ascending).then_some(Self(keys))
    }

    /// The keys.
    pub fn into_keys(self) -> Vec<DualKeyBytes> {
        self.0
    }
}

impl Decode for KeyList {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        let keys = decode_list(input, MAX_KEYS, "more keys than a signer may list")?;
        Self::new(keys).ok_or_else(|| "the keys are not in ascending order".into())
    }
}

/// The owner in a proof of possession: at most [`MAX_OWNER_LEN`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct Owner(Vec<u8>);

impl Owner {
    /// An owner; `None` when it is too long.
    pub fn new(owner: &[u8]) -> Option<Self> {
        let short = u32::try_from(owner.len()).is_ok_and(|len| len <= MAX_OWNER_LEN);
        short.then(|| Self(owner.to_vec()))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Decode for Owner {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        decode_list(input, MAX_OWNER_LEN, "the owner is too long").map(Self)
    }
}

/// An error text for logs: at most [`MAX_TEXT_LEN`] bytes, without control characters.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct Text(String);

impl Text {
    /// A text. Excess length is cut off, and control characters become spaces.
    pub fn new(text: &str) -> Self {
        let mut kept = String::new();
        for c in text.chars() {
            let c = if c.is_control() { ' ' } else { c };
            let len = kept.len().saturating_add(c.len_utf8());
            if u32::try_from(len).map_or(true, |len| len > MAX_TEXT_LEN) {
                break;
            }
            kept.push(c);
        }
        Self(kept)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Decode for Text {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        let bytes = decode_list(input, MAX_TEXT_LEN, "the text is too long")?;
        let text = String::from_utf8(bytes).map_err(|_| Error::from("the text is not UTF-8"))?;
        Ok(Self::new(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codec::{Compact, DecodeAll};

    fn key(byte: u8) -> DualKeyBytes {
        DualKeyBytes([byte; 144])
    }

    #[test]
    fn keys_are_ascending_and_not_too_many() {
        let keys = vec![key(1), key(2)];
        let list = KeyList::new(keys.clone()).unwrap();
        assert_eq!(KeyList::decode_all(&mut &*list.encode()), Ok(list.clone()));
        assert_eq!(list.into_keys(), keys);
        for unordered in [vec![key(2), key(1)], vec![key(1), key(1)]] {
            assert_eq!(KeyList::new(unordered.clone()), None);
            let error = KeyList::decode_all(&mut &*unordered.encode()).unwrap_err();
            assert!(error.to_string().contains("ascending"), "{error}");
        }
        let most = |n: u32| {
            (0..n).map(|i| DualKeyBytes(std::array::from_fn(|at| i.to_be_bytes()[at % 4])))
        };
        assert!(KeyList::new(most(MAX_KEYS).collect()).is_some());
        assert!(KeyList::new(most(MAX_KEYS + 1).collect()).is_none());
    }

    #[test]
    fn a_list_that_claims_to_be_longer_is_refused_before_its_items_are_read() {
        for claimed in [MAX_OWNER_LEN + 1, u32::MAX] {
            let error = Owner::decode_all(&mut &*Compact(claimed).encode()).unwrap_err();
            assert!(
                error.to_string().contains("the owner is too long"),
                "{error}"
            );
            let error = KeyList::decode_all(&mut &*Compact(claimed).encode()).unwrap_err();
            assert!(error.to_string().contains("more keys"), "{error}");
        }
        assert!(Owner::new(&[0; MAX_OWNER_LEN as usize]).is_some());
        assert!(Owner::new(&[0; MAX_OWNER_LEN as usize + 1]).is_none());
    }

    #[test]
    fn a_text_is_cut_and_has_no_control_characters() {
        assert_eq!(Text::new("a\nb\u{1b}[31m").to_string(), "a b [31m");
        // A character is kept whole or dropped.
        let long = "é".repeat(300);
        assert_eq!(Text::new(&long).to_string(), "é".repeat(256));
        // The other side cannot send them either.
        let bytes = "one\ntwo".as_bytes().to_vec().encode();
        assert_eq!(
            Text::decode_all(&mut &*bytes).unwrap().to_string(),
            "one two"
        );
        let bytes = vec![0xff_u8].encode();
        assert!(Text::decode_all(&mut &*bytes).is_err());
    }
}
