//! Lists from outside, bounded while they are read.

use serde::{
    de::{Error, SeqAccess, Visitor},
    Deserialize, Deserializer,
};
use std::{fmt, marker::PhantomData};

/// The most items. No honest answer has more: of the nodes of a proof of state, which have 8 MiB together (STATE-2), all
/// but one have 32 bytes or more; a block of 5 MiB, as most chains have, holds fewer signed transactions.
pub(crate) const MAX_ITEMS: usize = 1 << 18;

/// The texts of an answer.
pub(crate) type Texts = List<String, MAX_ITEMS>;

/// At most `MAX` items. Reading ends with an error at the first one above that.
#[derive(Debug)]
pub struct List<T, const MAX: usize>(pub Vec<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Reader(PhantomData))
    }
}

struct Reader<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Reader<T, MAX> {
    type Value = List<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            if list.len() >= MAX {
                return Err(A::Error::invalid_length(MAX.saturating_add(1), &self));
            }
            list.push(item);
        }
        Ok(List(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_up_to_the_limit_and_no_further() {
        let of = |count: usize| format!("[{}\"0x\"]", "\"0x\",".repeat(count - 1));
        let read: Texts = serde_json::from_str(&of(MAX_ITEMS)).unwrap();
        assert_eq!(read.0.len(), MAX_ITEMS);
        // What follows is not even read.
        let longer = of(MAX_ITEMS + 1).replace(']', ",nonsense");
        let error = serde_json::from_str::<Texts>(&longer).unwrap_err();
        let words = "invalid length 262145, expected a list of at most 262144";
        assert!(error.to_string().starts_with(words), "{error}");
    }
}
