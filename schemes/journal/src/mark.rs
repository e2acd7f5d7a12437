//! How far a journal has come.

use crate::header::Header;
use sha2::{Digest, Sha256};

/// Bytes of a link of the chain: those of SHA-256.
pub const HASH_LEN: usize = 32;

/// How many entries a journal has, and the end of the chain of their hashes.
///
/// The chain starts with the hash of the header; each link is the hash of the one before it and of an entry. All entries
/// of one journal have one length, or say theirs: nothing here separates one from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub(crate) entries: u64,
    pub(crate) link: [u8; HASH_LEN],
}

impl Mark {
    /// That of a journal without entries.
    pub fn start(header: &Header) -> Self {
        Self {
            entries: 0,
            link: Sha256::digest(header.to_bytes()).into(),
        }
    }

    /// That of the journal with one more entry.
    #[must_use]
    pub fn after(self, entry: &[u8]) -> Self {
        let link = Sha256::new().chain_update(self.link).chain_update(entry);
        Self {
            // An anchor may say any number; a journal never gets there.
            entries: self.entries.saturating_add(1),
            link: link.finalize().into(),
        }
    }

    /// How many entries there are.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The end of the chain.
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
        }
        assert_eq!(start.after(b"a").after(b"b").entries(), 2);
    }
}
