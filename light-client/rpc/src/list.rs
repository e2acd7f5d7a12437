//! Lists of texts in answers, bounded while they are read.

use serde::{
    de::{Error, SeqAccess, Visitor},
    Deserialize, Deserializer,
};
use std::fmt;

/// The most items. No honest answer has more: of the nodes of a proof of state, which have 8 MiB together (STATE-2), all
/// but one have 32 bytes or more; a block of 5 MiB, as most chains have, holds fewer signed transactions.
pub(crate) const MAX_ITEMS: usize = 1 << 18;

/// At most [`MAX_ITEMS`] texts. Reading ends with an error at the first one above that.
#[derive(Debug)]
pub(crate) struct Texts(Vec<String>);

impl Texts {
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &String> {
        self.0.iter()
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Texts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {MAX_ITEMS} texts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Texts, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = items.next_element()? {
            if texts.len() >= MAX_ITEMS {
                return Err(A::Error::invalid_length(MAX_ITEMS.saturating_add(1), &self));
            }
            texts.push(text);
        }
        Ok(Texts(texts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_up_to_the_limit_and_no_further() {
        let of = |count: usize| format!("[{}\"0x\"]", "\"0x\",".repeat(count - 1));
        let read: Texts = serde_json::from_str(&of(MAX_ITEMS)).unwrap();
        assert_eq!(read.iter().len(), MAX_ITEMS);
        // What follows is not even read.
        let longer = of(MAX_ITEMS + 1).replace(']', ",nonsense");
        let error = serde_json::from_str::<Texts>(&longer).unwrap_err();
        let words = "invalid length 262145, expected at most 262144 texts";
        assert!(error.to_string().starts_with(words), "{error}");
    }
}
