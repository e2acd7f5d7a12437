//! The changes that a call makes to its copy of the state, in nested transactions.

use alloc::{collections::BTreeMap, vec, vec::Vec};
use core::ops::Bound;

/// A changed entry; none when it was removed.
type Changed = Option<Vec<u8>>;

/// The changes.
#[derive(Debug)]
pub(crate) struct Overlay {
    /// The changes of each open transaction, the innermost last. The first is outside all of them.
    layers: Vec<BTreeMap<Vec<u8>, Changed>>,
    written: usize,
}

impl Overlay {
    pub(crate) fn new() -> Self {
        Self {
            layers: vec![BTreeMap::new()],
            written: 0,
        }
    }

    /// What the call made of an entry; none where it left it.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        let mut layers = self.layers.iter().rev();
        let changed = layers.find_map(|layer| layer.get(key))?;
        Some(changed.as_deref())
    }

    pub(crate) fn set(&mut self, key: Vec<u8>, value: Changed) {
        let len = key.len().saturating_add(value.as_ref().map_or(0, Vec::len));
        self.written = self.written.saturating_add(len);
        if let Some(layer) = self.layers.last_mut() {
            layer.insert(key, value);
        }
    }

    /// How many bytes were written, also where they were replaced.
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    /// The changed keys with this prefix.
    pub(crate) fn keys(&self, prefix: &[u8]) -> Vec<Vec<u8>> {
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let mut keys: Vec<_> = self
            .layers
            .iter()
            .flat_map(|layer| layer.range::<[u8], _>(from))
            .map(|(key, _)| key)
            .filter(|key| key.starts_with(prefix))
            .cloned()
            .collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The first changed key after this one, removed or not.
    pub(crate) fn next(&self, after: &[u8]) -> Option<&[u8]> {
        let from = (Bound::Excluded(after), Bound::Unbounded);
        let firsts = self.layers.iter().filter_map(|layer| {
            let (key, _) = layer.range::<[u8], _>(from).next()?;
            Some(key.as_slice())
        });
        firsts.min()
    }

    pub(crate) fn begin(&mut self) {
        self.layers.push(BTreeMap::new());
    }

    /// Ends the innermost transaction.
    pub(crate) fn end(&mut self, rollback: bool) {
        if self.layers.len() < 2 {
            return;
        }
        let top = self.layers.pop();
        if let (Some(below), Some(top), false) = (self.layers.last_mut(), top, rollback) {
            below.extend(top);
        }
    }
}

/// A value with one more item, as the SDK's `append` makes it: a SCALE list whose items are not looked at. A value
/// that begins with no length, or with one in more bytes than it takes, becomes a list of one.
pub(crate) fn append(value: &[u8], item: &[u8]) -> Vec<u8> {
    let is_shortest =
        |(len, rest): &(u32, &[u8])| compact(*len).len().saturating_add(rest.len()) == value.len();
    let list = read_compact(value).filter(is_shortest);
    let longer = list.and_then(|(len, rest)| Some((len.checked_add(1)?, rest)));
    let (len, rest) = longer.unwrap_or((1, &[]));
    let mut bytes = compact(len);
    bytes.extend_from_slice(rest);
    bytes.extend_from_slice(item);
    bytes
}

/// A compact number of SCALE up to 2^32 - 1, and the bytes after it.
fn read_compact(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let first = *bytes.first()?;
    let number = |len: usize| {
        let (number, rest) = bytes.split_at_checked(len)?;
        let mut whole = [0; 4];
        whole.get_mut(..len)?.copy_from_slice(number);
        Some((u32::from_le_bytes(whole) >> 2, rest))
    };
    match first & 0b11 {
        0 => number(1),
        1 => number(2),
        2 => number(4),
        _ if first == 0b11 => {
            let (number, rest) = bytes.get(1..)?.split_first_chunk()?;
            Some((u32::from_le_bytes(*number), rest))
        }
        _ => None,
    }
}

fn compact(number: u32) -> Vec<u8> {
    let wide = u64::from(number) << 2;
    let bytes = wide.to_le_bytes();
    let [a, b, c, d, ..] = bytes;
    match number {
        0..=0x3f => vec![a],
        0x40..=0x3fff => vec![a | 1, b],
        0x4000..=0x3fff_ffff => vec![a | 2, b, c, d],
        _ => {
            let [a, b, c, d] = number.to_le_bytes();
            vec![0b11, a, b, c, d]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlay() -> Overlay {
        let mut overlay = Overlay::new();
        overlay.set(b"a".to_vec(), Some(b"1".to_vec()));
        overlay.begin();
        overlay.set(b"a".to_vec(), None);
        overlay.set(b"ab".to_vec(), Some(b"2".to_vec()));
        overlay
    }

    #[test]
    fn a_transaction_that_is_rolled_back_leaves_what_was_before() {
        let mut overlay = overlay();
        assert_eq!(overlay.get(b"a"), Some(None));
        overlay.end(true);
        assert_eq!(overlay.get(b"a"), Some(Some(&b"1"[..])));
        assert_eq!(overlay.get(b"ab"), None);
    }

    #[test]
    fn a_transaction_that_is_committed_replaces_what_was_before() {
        let mut overlay = overlay();
        overlay.end(false);
        assert_eq!(overlay.get(b"a"), Some(None));
        assert_eq!(overlay.get(b"ab"), Some(Some(&b"2"[..])));
        assert_eq!(overlay.keys(b"a"), [b"a".to_vec(), b"ab".to_vec()]);
        assert_eq!(overlay.next(b"a"), Some(&b"ab"[..]));
        assert_eq!(overlay.next(b"ab"), None);
    }

    #[test]
    fn an_item_is_appended_to_lists_of_any_length() {
        use codec::Encode;
        for len in [0_usize, 1, 0x3e, 0x3f, 0x40, 0x3fff, 0x4000] {
            let list = vec![7_u8; len];
            let mut longer = list.clone();
            longer.push(9);
            assert_eq!(append(&list.encode(), &[9]), longer.encode(), "{len}");
        }
        for number in [0x3fff_ffff, 0x4000_0000, u32::MAX - 1] {
            let appended = append(&codec::Compact(number).encode(), &[]);
            assert_eq!(appended, codec::Compact(number + 1).encode());
        }
    }

    #[test]
    fn what_is_no_list_becomes_a_list_of_one() {
        let full = codec::Encode::encode(&codec::Compact(u32::MAX));
        for value in [
            &[][..],
            &[1],
            &[0b111],
            &[1, 0],
            &[2, 0, 0, 0, 7],
            &[3, 0, 0, 0, 1],
            &full,
        ] {
            assert_eq!(append(value, &[9]), [4, 9], "{value:?}");
        }
    }
}
