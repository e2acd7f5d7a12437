//! Why a key file was refused. Each error names the file, and the remedy.

use duet_primitives::{Pk1Bytes, SecretKeyError};
use std::{io, path::PathBuf};

/// Why keys could not be read or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyStoreError {
    /// The file system failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The file system's error.
        source: io::Error,
    },
    /// Another process signs with the keys of this directory, or changes its records of votes. Two processes that
    /// sign with one key make evidence against the validator.
    #[error(
        "{}: {} uses these keys: stop it first",
        directory.display(),
        holder.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"))
    )]
    InUse {
        /// The directory.
        directory: PathBuf,
        /// The process, if its lock file names it.
        holder: Option<u32>,
    },
    /// The key has no file to remove.
    #[error("there is no file for the key {0}")]
    NoFile(Pk1Bytes),
    /// The given password is empty.
    #[error(
        "the keystore password is empty: give a password, or omit it to keep keys unencrypted"
    )]
    EmptyPassword,
    /// The file is encrypted.
    #[error("{}: this key file is encrypted, and no password was given", path.display())]
    PasswordNeeded {
        /// The file.
        path: PathBuf,
    },
    /// The file is intact, but the password does not decrypt it.
    #[error("{}: wrong password for this key file", path.display())]
    WrongPassword {
        /// The file.
        path: PathBuf,
    },
    /// A password was given, but the file is not encrypted.
    #[error(
        "{}: this key file is not encrypted, but a keystore password was given: start without \
         a password, or move the file away and insert the key again with the password",
        path.display()
    )]
    NotEncrypted {
        /// The file.
        path: PathBuf,
    },
    /// The file was damaged or changed after it was written.
    #[error("{}: this key file is corrupt: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: Box<Corruption>,
    },
    /// The record of a key's votes was damaged or changed. The key signs nothing, because it may have voted.
    #[error(
        "{}: this record of a key's votes is corrupt, so nothing is signed with the key: {reason}",
        path.display()
    )]
    CorruptVotes {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: Box<Corruption>,
    },
    /// Other users may read the secret.
    #[error(
        "{}: this key file is not encrypted, and other users may read it (mode {mode:04o}): chmod 600 it",
        path.display()
    )]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Other users may change the record of a key's votes. The key signs nothing, because it may have voted.
    #[error(
        "{}: other users may write this record of a key's votes (mode {mode:04o}), so nothing is signed with the key: \
         chmod 600 it, if nobody changed it",
        path.display()
    )]
    WritableVotes {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file of a key holds another key; it was left alone.
    #[error("{}: this file holds the key {found} and is not overwritten", path.display())]
    Occupied {
        /// The file.
        path: PathBuf,
        /// The key in the file.
        found: Pk1Bytes,
    },
    /// The system's random number generator failed.
    #[error("the system's random number generator failed: {0}")]
    Randomness(rand::Error),
    /// The random seed yields no secret key: about one in 2^255 does.
    #[error("the random seed gives no key: {0}")]
    Seed(SecretKeyError),
    /// The key derivation failed: out of memory.
    #[error("no key could be derived from the password: {0}")]
    Stretch(argon2::Error),
}

/// The fault in a key file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Corruption {
    /// Longer than any key file.
    #[error("it is longer than the limit of {limit} bytes")]
    TooLong {
        /// The most bytes.
        limit: usize,
    },
    /// Not the expected JSON. The parser's own words may repeat a secret, so only the place is kept.
    #[error("it is not the expected JSON: line {line}, column {column}")]
    Json {
        /// The line, from one.
        line: usize,
        /// The column.
        column: usize,
    },
    /// Written by a later version.
    #[error("it has version {got}, but this program reads version {expected}")]
    Version {
        /// The newest version that this program reads.
        expected: u32,
        /// The version in the file.
        got: u32,
    },
    /// A field is not `0x`-hex of the right length.
    #[error("its field {field} is not 0x-hex of {expected} bytes")]
    Hex {
        /// The field.
        field: &'static str,
        /// Its length in bytes.
        expected: usize,
    },
    /// Decrypting it would take more memory or passes than this program allows.
    #[error(
        "opening it would take {memory_kib} KiB and {passes} passes, which is above the limits"
    )]
    Cost {
        /// KiB of memory.
        memory_kib: u32,
        /// Passes over it.
        passes: u32,
    },
    /// A record of votes that belongs to another key or another chain.
    #[error("it is the record of another key or of another chain")]
    OtherRecord,
    /// The contents do not match the checksum.
    #[error("its checksum does not match its contents")]
    Checksum,
    /// The contents are valid, but not formatted as this program writes them.
    #[error("it is not formatted as this program writes it: it was edited")]
    NotCanonical,
    /// The secret is not a valid secret key.
    #[error("its secret is not a secret key: {0}")]
    Secret(#[from] SecretKeyError),
    /// The secret belongs to another key.
    #[error("its secret belongs to the key {secret}, not to the key {public} that it names")]
    OtherSecret {
        /// The key in the file.
        public: Pk1Bytes,
        /// The key of the file's secret.
        secret: Pk1Bytes,
    },
    /// The first half of the public key belongs to the secret, the second does not.
    #[error("the second half of its public key does not belong to its secret")]
    OtherSecondHalf,
    /// The file's name is not that of its key.
    #[error("the key in it belongs in a file named {expected}")]
    Name {
        /// The name of the key's file.
        expected: String,
    },
}

impl From<serde_json::Error> for Corruption {
    fn from(error: serde_json::Error) -> Self {
        Self::Json {
            line: error.line(),
            column: error.column(),
        }
    }
}
