//! Positions in a journal.

use crate::header::Header;
use sha2::{Digest, Sha256};

/// Bytes of a link of the hash chain: one SHA-256 hash.
pub const HASH_LEN: usize = 32;

/// Bytes of an encoded mark.
pub const MARK_LEN: usize = 8 + HASH_LEN;

/// A position in a journal: the number of entries, and the head of the chain of their hashes.
///
/// The chain starts with the hash of the header. Each link is the hash of the previous link and an entry. The entries
/// of one journal must have a fixed length or be self-delimiting, because the chain does not separate them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    entries: u64,
    link: [u8; HASH_LEN],
}

impl Mark {
    /// The mark of a journal without entries.
    pub fn start(header: &Header) -> Self {
        Self {
            entries: 0,
            link: Sha256::digest(header.to_bytes()).into(),
        }
    }

    /// The mark after one more entry.
    #[must_use]
    pub fn after(self, entry: &[u8]) -> Self {
        let link = Sha256::new().chain_update(self.link).chain_update(entry);
        Self {
            // An anchor can contain any number; a journal never reaches this limit.
            entries: self.entries.saturating_add(1),
            link: link.finalize().into(),
        }
    }

    /// The encoding: `entries(8) || link(32)`.
    pub fn to_bytes(&self) -> [u8; MARK_LEN] {
        let mut bytes = [0; MARK_LEN];
        let (entries, link) = bytes.split_at_mut(8);
        entries.copy_from_slice(&self.entries.to_be_bytes());
        link.copy_from_slice(&self.link);
        bytes
    }

    /// Decodes a mark. Any bytes are one.
    pub fn from_bytes(bytes: &[u8; MARK_LEN]) -> Self {
        let [a, b, c, d, e, f, g, h, link @ ..] = bytes;
        Self {
            entries: u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
            link: *link,
        }
    }

    /// The number of entries.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The head of the chain.
    pub fn link(&self) -> &[u8; HASH_LEN] {
        &self.link
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_owners_entries_and_their_order_apart() {
        let start = Mark::start(&Header::new(b"TAG", [1; 32]));
        let others = [
            Mark::start(&Header::new(b"TAG", [2; 32])),
            Mark::start(&Header::new(b"GAT", [1; 32])),
            start,
            start.after(b"a"),
            start.after(b"b"),
            start.after(b"a").after(b"b"),
            start.after(b"b").after(b"a"),
        ];
        for (index, mark) in others.iter().enumerate() {
            assert!(!others[..index].contains(mark), "{index}");
            assert_eq!(Mark::from_bytes(&mark.to_bytes()), *mark);
        }
        assert_eq!(start.after(b"a").after(b"b").entries(), 2);
    }
}
