//! Journals that survive a power cut and cannot be rolled back unnoticed.
//!
//! Some keys give themselves away when they sign twice under one label, so what they have signed is written down before
//! a signature leaves. Two files hold such a record:
//!
//! - the **journal** ([`JournalFile`]) only grows. It begins with a [`Header`] that says what it is and whose, and the
//!   hashes of its entries form a chain, of which a [`Mark`] is one link;
//! - the **anchor** ([`Anchor`]) is small, is replaced whole, and holds the mark that the journal has come by.
//!
//! A journal that does not come by the mark of its anchor was lost, cut short or restored from a copy. What an entry is,
//! and what follows when the two do not agree, is for the crate that keeps the journal to say: nothing here decides it.
//!
//! Below both, [`disk`] has what makes a write last.
//!
//! ```
//! use duet_journal::{Anchor, Header, JournalFile, Mark};
//! use std::io::Read;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (journal_path, anchor_path) = (folder.path().join("journal"), folder.path().join("anchor"));
//! const ENTRY_LEN: usize = 4;
//! let owner = [7; 32];
//! let (header, anchor_header) = (Header::new(b"MY-JOURNAL", owner), Header::new(b"MY-ANCHOR", owner));
//!
//! // A new journal, and one entry: into the journal first, and then the anchor follows.
//! let mut journal = JournalFile::create(&journal_path, &header)?;
//! let mut anchor = Anchor::create(&anchor_path, anchor_header, Mark::start(&header))?;
//! journal.append(b"paid")?;
//! anchor.move_to(anchor.mark().after(b"paid"))?;
//! drop(journal);
//!
//! // Later: the journal has to come by where the anchor is.
//! let mut journal = JournalFile::open(&journal_path)?;
//! let anchor = Anchor::open(&anchor_path, anchor_header)?;
//! let mut bytes = Vec::new();
//! journal.reader()?.read_to_end(&mut bytes)?;
//! let (entries, _unfinished) = header.strip(&bytes)?.as_chunks::<ENTRY_LEN>();
//! let end = entries.iter().fold(Mark::start(&header), |mark, entry| mark.after(entry));
//! assert_eq!(end, anchor.mark());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod anchor;
pub mod disk;
mod file;
mod header;
mod mark;

pub use anchor::{Anchor, AnchorError};
pub use file::{JournalFile, OpenError};
pub use header::{Header, HeaderError};
pub use mark::{Mark, HASH_LEN};
