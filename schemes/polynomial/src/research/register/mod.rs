//! The label register: records which message was signed under each label, so that no label is used twice.
//!
//! The register on disk has two files. The **journal** has a record for each label, which is on disk before the
//! signature is computed. The **anchor** stores how many records the journal has; it is replaced after the journal is
//! on disk, and also before the signature is computed. If the journal is behind its anchor, it was restored from a copy
//! or truncated, and the register refuses to sign. An incomplete record is dropped only if it is beyond the anchor,
//! because then it was never signed. If there are two disks, keep the anchor beside the key.
//!
//! The register cannot detect that both files were restored to the same earlier state. So exclude the anchor from
//! backups of a key, and let a restored key sign only with the latest files.

mod error;
mod file;
mod journal;

pub use error::RegisterError;
pub use file::FileRegister;
pub use journal::labels_in;

use super::identifier::{Fingerprint, Tag};
use num_bigint::BigInt;
use sha2::{Digest, Sha256};
use std::{collections::HashMap, path::PathBuf};

/// The paths of the two files of a register.
#[derive(Clone, Debug)]
pub struct RegisterFiles {
    /// The journal: 40 bytes, plus 72 bytes for each label.
    pub journal: PathBuf,
    /// The anchor: 112 bytes.
    pub anchor: PathBuf,
}

/// The use of a label for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelUse {
    label: [u8; 32],
    message: [u8; 32],
}

impl LabelUse {
    /// The use of a label, which consists of a tag and an index, for a message.
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

/// A record of which message was signed under each label.
pub trait LabelRegister {
    /// The owner of the register.
    fn key(&self) -> Fingerprint;

    /// Records these uses, all or none. When it returns, the records survive a crash.
    ///
    /// A use that is recorded already is not an error.
    ///
    /// # Errors
    /// [`RegisterError::LabelAlreadyUsed`] if a label was used for another message, earlier or in this request; or an
    /// error if the uses could not be stored.
    fn record(&mut self, uses: &[LabelUse]) -> Result<(), RegisterError>;
}

/// The recorded uses, in memory.
#[derive(Debug, Default)]
struct Known(HashMap<[u8; 32], [u8; 32]>);

impl Known {
    /// The uses that are not recorded yet.
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

/// A register in memory, for keys that are not used beyond this process.
#[derive(Debug)]
pub struct MemoryRegister {
    key: Fingerprint,
    known: Known,
}

impl MemoryRegister {
    /// An empty register.
    ///
    /// # Security
    /// A key that is used longer than this register must never sign again under an earlier label.
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
