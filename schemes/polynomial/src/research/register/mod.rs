//! What was signed under which label, so that no label ever gets a second message.
//!
//! On disk it is two files. The **journal** has a record for every label, appended and on disk before a signature is
//! computed. The **anchor** says how far the journal has come; it is replaced after the journal is on disk, and also
//! before a signature is computed. A journal that is behind its anchor was restored from a copy or cut short, and then
//! nothing is signed; and only what lies beyond the anchor is dropped when it is found unfinished, as it was never
//! signed. Where there are two disks, the anchor belongs beside the key.
//!
//! What this cannot see: both files restored to the same earlier moment. So a backup of a key leaves the anchor
//! out, and a key that was restored signs again only with the files that it last wrote.

mod file;
mod journal;

pub use file::FileRegister;
pub use journal::labels_in;

use super::identifier::{Fingerprint, Tag};
use num_bigint::BigInt;
use sha2::{Digest, Sha256};
use std::{collections::HashMap, io, path::PathBuf};
use thiserror::Error;

/// Why a register refused, or cannot be used.
#[derive(Debug, Error)]
pub enum RegisterError {
    /// The label was signed with another message.
    #[error("label {position} of the request was used for another message")]
    LabelAlreadyUsed {
        /// Which label of the request.
        position: usize,
    },
    /// The register is of another key.
    #[error("the register is of another key")]
    OtherKey,
    /// Another signer has the register open.
    #[error("another signer has the register open")]
    InUse,
    /// The journal is older than its anchor, or another one: it was restored from a copy, or cut short.
    #[error(
        "the journal has {records} records of the {expected} that were signed: it is an earlier or another one"
    )]
    RolledBack {
        /// Whole records that it has.
        records: u64,
        /// Records that the anchor knows of.
        expected: u64,
    },
    /// A record was altered, or the file is no journal. Nothing may be signed until its owner knows why.
    #[error("the journal is damaged at byte {offset}")]
    Damaged {
        /// Where.
        offset: u64,
    },
    /// The anchor is not as it was written.
    #[error("the anchor is damaged")]
    DamagedAnchor,
    /// A write failed earlier, so what is on disk is not known. Open the register anew.
    #[error("an earlier write to the register failed")]
    Poisoned,
    /// A file is missing, is there already, or cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
}

/// Where the two files of a register are.
#[derive(Clone, Debug)]
pub struct RegisterFiles {
    /// The journal: 40 bytes, and 72 for each label that is signed.
    pub journal: PathBuf,
    /// The anchor: 112 bytes.
    pub anchor: PathBuf,
}

/// That a message is signed under a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelUse {
    label: [u8; 32],
    message: [u8; 32],
}

impl LabelUse {
    /// Of a label, which is a tag and an index, and a message.
    pub fn new(tag: &Tag, index: u32, message: &BigInt) -> Self {
        let label = Sha256::new_with_prefix(b"BF-V01-LABEL")
            .chain_update(tag.length())
            .chain_update(tag.as_bytes())
            .chain_update(index.to_be_bytes());
        let message =
            Sha256::new_with_prefix(b"BF-V01-MESSAGE").chain_update(message.to_signed_bytes_be());
        Self {
            label: label.finalize().into(),
            message: message.finalize().into(),
        }
    }
}

/// Remembers which label was used for which message.
pub trait LabelRegister {
    /// Whose register it is.
    fn key(&self) -> Fingerprint;

    /// Records these uses, all or none; when it returns, they survive whatever happens to the process.
    ///
    /// A use that is there already is no error.
    ///
    /// # Errors
    /// [`RegisterError::LabelAlreadyUsed`]: a label was used for another message, earlier or in this request. Or
    /// the uses could not be stored.
    fn record(&mut self, uses: &[LabelUse]) -> Result<(), RegisterError>;
}

/// What is known of labels in memory.
#[derive(Debug, Default)]
struct Known(HashMap<[u8; 32], [u8; 32]>);

impl Known {
    /// Those of `uses` that are new.
    fn admit(&self, uses: &[LabelUse]) -> Result<Vec<LabelUse>, RegisterError> {
        let mut new: HashMap<[u8; 32], [u8; 32]> = HashMap::new();
        let mut fresh = Vec::new();
        for (position, label_use) in uses.iter().enumerate() {
            let LabelUse { label, message } = label_use;
            match self.0.get(label).or_else(|| new.get(label)) {
                Some(earlier) if earlier == message => {}
                Some(_) => return Err(RegisterError::LabelAlreadyUsed { position }),
                None => {
                    new.insert(*label, *message);
                    fresh.push(*label_use);
                }
            }
        }
        Ok(fresh)
    }

    fn add(&mut self, uses: &[LabelUse]) {
        self.0.extend(uses.iter().map(|u| (u.label, u.message)));
    }
}

/// A register that ends with the process: for keys that do too.
#[derive(Debug)]
pub struct MemoryRegister {
    key: Fingerprint,
    known: Known,
}

impl MemoryRegister {
    /// An empty register.
    ///
    /// # Security
    /// A key that lives longer than this must never sign again under a label of its past.
    pub fn new(key: Fingerprint) -> Self {
        Self {
            key,
            known: Known::default(),
        }
    }
}

impl LabelRegister for MemoryRegister {
    fn key(&self) -> Fingerprint {
        self.key
    }

    fn record(&mut self, uses: &[LabelUse]) -> Result<(), RegisterError> {
        let fresh = self.known.admit(uses)?;
        self.known.add(&fresh);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_cannot_use_a_label_twice() {
        let tag = Tag::new("t").unwrap();
        let uses = [1, 2].map(|message| LabelUse::new(&tag, 0, &BigInt::from(message)));
        let refused = MemoryRegister::new(Fingerprint([5; 32])).record(&uses);
        assert!(matches!(
            refused,
            Err(RegisterError::LabelAlreadyUsed { position: 1 })
        ));
    }
}
