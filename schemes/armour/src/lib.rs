//! One text format for everything that the companion schemes write: keys, signatures, records, ciphertexts.
//!
//! ```text
//! -----BEGIN DUET SEQUENTIAL PUBLIC KEY-----
//! Version: 1
//! Fingerprint: 0f3a…, 64 hexadecimal digits
//!
//! base64, 64 characters in a line
//! -----END DUET SEQUENTIAL PUBLIC KEY-----
//! ```
//!
//! - The first line names the type of the object ([`kinds`]). `Version` is that of the content's encoding.
//! - `Fingerprint` is the key's own fingerprint for keys, and [`Kind::digest`] of the content for everything else. Readers compute it
//!   again, so a damaged object is noticed before it is used. It is not a signature: whoever changes the content can change
//!   it, too.
//! - Objects that nobody should rely on have a third header, `Warning`.
//! - A file may contain several objects, so files can be joined with `cat`. Between them there are only empty lines and lines
//!   that begin with `#`.
//!
//! The format is strict: each object has exactly one text, apart from the ends of its lines, which may be those of Windows.
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
//! Texts and contents are wiped on drop and never reallocated, and base64 is encoded and decoded in constant time.
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
