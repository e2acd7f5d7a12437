//! One text format for everything that the companion schemes write: keys, signatures, records, ciphertexts.
//!
//! ```text
//! -----BEGIN DUET SEQUENTIAL PUBLIC KEY-----
//! base64, 64 characters in a line
//! -----END DUET SEQUENTIAL PUBLIC KEY-----
//! ```
//!
//! This is PEM in the strict grammar of RFC 7468, which the crate `pem-rfc7468` reads and writes: no headers, and each object has one
//! text, apart from the ends of its lines and an empty line before its last one. Its bytes:
//!
//! | Field | Bytes | |
//! | --- | --- | --- |
//! | version | 2 | that of the content's encoding, big-endian |
//! | fingerprint | 32 | the key's own fingerprint for keys, [`Kind::digest`] of the content for everything else |
//! | content | all others | |
//!
//! - The label names the type of the object ([`kinds`]).
//! - Readers compute the fingerprint again, so a damaged object is noticed before it is used. It is not a signature: an
//!   attacker who changes the content can change it, too.
//! - A file may contain several objects, so files can be joined with `cat`. Between them there are only empty lines and lines
//!   that begin with `#`.
//!
//! ```
//! use duet_armour::{encode, kinds::SEQUENTIAL_RECORD, read_one};
//!
//! let record = b"the bytes of a record";
//! let text = encode(&SEQUENTIAL_RECORD, &SEQUENTIAL_RECORD.digest(record), record);
//! let object = read_one(&SEQUENTIAL_RECORD, text.as_bytes())?;
//! assert_eq!(**object.content()?, record[..]);
//! # Ok::<(), duet_armour::ArmourError>(())
//! ```
//!
//! # Secrets
//!
//! Texts and contents are wiped on drop and never reallocated, and base64 is encoded and decoded in constant time. Reading
//! an object takes at most twice the memory of its text; callers bound the text.
#![forbid(unsafe_code)]

mod error;
mod kind;
pub mod kinds;
mod object;
mod read;
mod write;

pub use error::{ArmourError, Problem};
pub use kind::{Fingerprint, Kind, FINGERPRINT_LEN};
pub use object::Object;
pub use read::{read_all, read_one, Reader};
pub use write::{armoured_len, encode};
