//! The label register: records which message was signed under each label, so that no label is used twice.
//!
//! The use of a label is in the register on disk ([`duet_journal::register`]) before the signature is computed. That
//! module describes the two files of a register, where to keep them, and the limits of detection. The value of an entry
//! is the hash of the message.

pub use super::error::RegisterError;
pub use duet_journal::{register::RegisterFiles, FileError, FileFault};

use super::identifier::{Fingerprint, Tag};
use duet_journal::register::{unrecorded, Key, Register, Request, Tags};
use num_bigint::BigInt;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Version 2: entries are linked, and have no checks of their own any more.
const TAGS: Tags = Tags {
    journal: b"BFREG\0\0\x02",
    anchor: b"BFANC\0\0\x02",
};

/// Bytes of the hash of a message.
const MESSAGE: usize = 32;

/// The use of a label for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelUse {
    label: Key,
    message: [u8; MESSAGE],
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

impl Request<MESSAGE> for LabelUse {
    type Message = [u8; MESSAGE];

    fn key(&self) -> Key {
        self.label
    }

    fn message(&self) -> [u8; MESSAGE] {
        self.message
    }

    fn stored(value: &[u8; MESSAGE]) -> Option<[u8; MESSAGE]> {
        Some(*value)
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

/// A register in two files, locked while it is open.
#[derive(Debug)]
pub struct FileRegister {
    key: Fingerprint,
    register: Register<MESSAGE>,
}

impl FileRegister {
    /// Creates the register of a key that has never signed. If that fails, no file is left behind.
    ///
    /// # Errors
    /// [`RegisterError::File`], as [`Register::create`].
    pub fn create(files: &RegisterFiles, key: Fingerprint) -> Result<Self, RegisterError> {
        let register = Register::create(files, TAGS, key.0)?;
        Ok(Self { key, register })
    }

    /// Opens the register of a key. A key whose register is lost must not sign again.
    ///
    /// Cost: a hash for each label that was ever signed.
    ///
    /// # Errors
    /// [`RegisterError::File`], as [`Register::open`].
    pub fn open(files: &RegisterFiles, key: Fingerprint) -> Result<Self, RegisterError> {
        let register = Register::open(files, TAGS, key.0)?;
        Ok(Self { key, register })
    }
}

impl LabelRegister for FileRegister {
    fn key(&self) -> Fingerprint {
        self.key
    }

    fn record(&mut self, uses: &[LabelUse]) -> Result<(), RegisterError> {
        let uses: Vec<_> = uses.iter().map(|used| (*used, used.message)).collect();
        Ok(self.register.record(&uses)?)
    }
}

/// A register in memory, for keys that are not used beyond this process.
#[derive(Debug)]
pub struct MemoryRegister {
    key: Fingerprint,
    known: HashMap<Key, [u8; MESSAGE]>,
}

impl MemoryRegister {
    /// An empty register.
    ///
    /// # Security
    /// A key that is used longer than this register must never sign again under an earlier label.
    pub fn new(key: Fingerprint) -> Self {
        Self {
            key,
            known: HashMap::new(),
        }
    }
}

impl LabelRegister for MemoryRegister {
    fn key(&self) -> Fingerprint {
        self.key
    }

    fn record(&mut self, uses: &[LabelUse]) -> Result<(), RegisterError> {
        let new = unrecorded(uses, |key| Ok(self.known.get(key).copied()))?;
        let new: Vec<_> = new
            .iter()
            .map(|(_, new)| (new.label, new.message))
            .collect();
        self.known.extend(new);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const KEY: Fingerprint = Fingerprint([5; 32]);

    fn label_use(index: u32, message: i32) -> LabelUse {
        LabelUse::new(&Tag::new("t").unwrap(), index, &BigInt::from(message))
    }

    fn files() -> (tempfile::TempDir, RegisterFiles) {
        let folder = tempfile::tempdir().unwrap();
        let files = RegisterFiles {
            journal: folder.path().join("journal"),
            anchor: folder.path().join("anchor"),
        };
        (folder, files)
    }

    /// The behaviour of every register.
    fn check_uses(register: &mut impl LabelRegister) {
        assert_eq!(register.key(), KEY);
        let is_used = |result: Result<(), RegisterError>, at: usize| matches!(result, Err(RegisterError::LabelAlreadyUsed { position }) if position == at);
        // A label twice in one request.
        assert!(is_used(
            register.record(&[label_use(0, 1), label_use(0, 2)]),
            1
        ));
        register
            .record(&[label_use(0, 2), label_use(1, 2)])
            .unwrap();
        register.record(&[label_use(0, 2)]).unwrap();
        // All or none: the other label of a refused request is free.
        assert!(is_used(
            register.record(&[label_use(7, 1), label_use(1, 3)]),
            1
        ));
        register.record(&[label_use(7, 9)]).unwrap();
    }

    #[test]
    fn a_label_has_one_message_in_memory_and_on_disk_and_after_opening_anew() {
        check_uses(&mut MemoryRegister::new(KEY));
        let (_folder, files) = files();
        let mut register = FileRegister::create(&files, KEY).unwrap();
        check_uses(&mut register);
        drop(register);
        let mut register = FileRegister::open(&files, KEY).unwrap();
        register.record(&[label_use(1, 2)]).unwrap();
        assert!(register.record(&[label_use(1, 3)]).is_err());
    }

    #[test]
    fn a_journal_of_another_key_or_of_version_one_or_an_earlier_one_is_refused() {
        let (_folder, files) = files();
        let mut register = FileRegister::create(&files, KEY).unwrap();
        let earlier = fs::read(&files.journal).unwrap();
        register.record(&[label_use(0, 1)]).unwrap();
        drop(register);
        let latest = fs::read(&files.journal).unwrap();
        let other = Fingerprint([6; 32]);
        let fault = |key| match FileRegister::open(&files, key) {
            Err(RegisterError::File(FileError { fault, .. })) => fault,
            other => panic!("{other:?}"),
        };
        assert!(matches!(fault(other), FileFault::OtherOwner));
        fs::write(&files.journal, earlier).unwrap();
        assert!(matches!(fault(KEY), FileFault::RolledBack { .. }));
        let mut version_1 = latest;
        version_1[7] = 1;
        fs::write(&files.journal, version_1).unwrap();
        assert!(matches!(fault(KEY), FileFault::OtherFile));
    }
}
