//! Files that survive a power cut and detect rollback.
//!
//! Some keys are compromised if they sign twice under one label, and a queue must not hand out a record twice. So both
//! record what they do before it takes effect, in two files:
//!
//! - the **journal** is append-only. It begins with a [`Header`] that names its type and its owner. The hashes of its
//!   entries form a chain, and a [`Mark`] is a position in that chain;
//! - the **anchor** ([`Anchor`]) is small, is replaced atomically, and stores the mark that the journal has reached.
//!
//! If a journal does not contain the mark of its anchor, it was lost, truncated or restored from a copy. If both were
//! restored to the same earlier state, nobody can tell: keep the anchor where no backup includes it.
//!
//! The module [`register`] has the label registers of the schemes. The module [`disk`] has the durable writes.
//!
//! ```
//! use duet_journal::register::{Key, Refusal, Register, RegisterFiles, Request, Tags};
//!
//! const TAGS: Tags = Tags { journal: b"MY-JOURNAL", anchor: b"MY-ANCHOR" };
//!
//! /// The hash of a label, and a message of four bytes.
//! struct Signing(Key, [u8; 4]);
//!
//! impl Request<4> for Signing {
//!     type Message = [u8; 4];
//!
//!     fn key(&self) -> Key {
//!         self.0
//!     }
//!
//!     fn message(&self) -> [u8; 4] {
//!         self.1
//!     }
//!
//!     fn stored(value: &[u8; 4]) -> Option<[u8; 4]> {
//!         Some(*value)
//!     }
//! }
//!
//! # fn main() -> Result<(), Refusal<[u8; 4]>> {
//! # let folder = tempfile::tempdir().unwrap();
//! let owner = [7; 32];
//! let files = RegisterFiles {
//!     journal: folder.path().join("journal"),
//!     anchor: folder.path().join("anchor"),
//! };
//! let mut register = Register::create(&files, TAGS, owner)?;
//! let label = [1; 32];
//! register.record(&[(Signing(label, *b"paid"), *b"paid")])?;
//! // It may be signed again, but nothing else under this label, after a restart neither.
//! drop(register);
//! let mut register = Register::open(&files, TAGS, owner)?;
//! register.record(&[(Signing(label, *b"paid"), *b"paid")])?;
//! let refused = register.record(&[(Signing(label, *b"owed"), *b"owed")]);
//! assert!(matches!(refused, Err(Refusal::LabelUsed { index: 0, .. })));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod anchor;
pub mod disk;
mod error;
mod file;
mod header;
mod mark;
pub mod register;

pub use anchor::Anchor;
pub use error::{FileError, FileFault};
pub use header::{Header, HeaderError};
pub use mark::{Mark, HASH_LEN, MARK_LEN};
