//! Journals that survive a power cut and detect rollback.
//!
//! Some keys are compromised if they sign twice under one label. A signer therefore records what it signs before it
//! releases a signature. The record consists of two files:
//!
//! - the **journal** ([`JournalFile`]) is append-only. It begins with a [`Header`] that names its type and its owner.
//!   The hashes of its entries form a chain, and a [`Mark`] is a position in that chain;
//! - the **anchor** ([`Anchor`]) is small, is replaced atomically, and stores the mark that the journal has reached.
//!
//! If a journal does not contain the mark of its anchor, it was lost, truncated or restored from a copy. The crate that
//! uses the journal defines what an entry is, and how it reacts when journal and anchor disagree.
//!
//! The module [`disk`] has the durable writes that both use.
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
//! // Create a journal and add one entry: first to the journal, then update the anchor.
//! let mut journal = JournalFile::create(&journal_path, &header)?;
//! let mut anchor = Anchor::create(&anchor_path, anchor_header, Mark::start(&header))?;
//! journal.append(b"paid")?;
//! anchor.move_to(anchor.mark().after(b"paid"))?;
//! drop(journal);
//!
//! // Later: the journal must contain the mark of the anchor.
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
