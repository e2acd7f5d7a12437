//! A register on disk.

use super::{
    journal::{header, parse, RECORD},
    Known, LabelRegister, LabelUse, RegisterError, RegisterFiles,
};
use crate::research::identifier::Fingerprint;
use duet_journal::{Anchor, AnchorError, Header, JournalFile, Mark, OpenError};
use std::{
    fs,
    io::{self, Read},
    path::Path,
};

/// The anchor: `"BFANC" || 0 || 0 || 0x01 || fingerprint(32) || records(8) || link(32) || SHA-256 of the preceding
/// bytes`, 112 bytes.
fn anchor_header(key: Fingerprint) -> Header {
    Header::new(b"BFANC\0\0\x01", key.0)
}

/// A register in two files, locked while it is open.
#[derive(Debug)]
pub struct FileRegister {
    key: Fingerprint,
    known: Known,
    journal: JournalFile,
    mark: Mark,
    anchor: Anchor,
    is_poisoned: bool,
}

impl FileRegister {
    /// Creates the register of a key that has never signed.
    ///
    /// # Errors
    /// [`RegisterError::Io`] if a file exists already or cannot be written. No file is left behind.
    pub fn create(files: &RegisterFiles, key: Fingerprint) -> Result<Self, RegisterError> {
        let path = &files.journal;
        let header = header(key);
        let journal = JournalFile::create(path, &header);
        let journal = journal.map_err(|error| open_error(path, error))?;
        let mark = Mark::start(&header);
        let anchor = Anchor::create(&files.anchor, anchor_header(key), mark).map_err(|error| {
            // The first error is reported, not one from the clean-up.
            let _ = fs::remove_file(path);
            io_error(&files.anchor, error)
        })?;
        Ok(Self {
            key,
            known: Known::default(),
            journal,
            mark,
            anchor,
            is_poisoned: false,
        })
    }

    /// Opens the register of a key. A key whose register is lost must not sign again.
    ///
    /// Cost: two hashes for each label that was ever signed.
    ///
    /// # Errors
    /// [`RegisterError::Io`] if a file is missing or cannot be read, [`InUse`](RegisterError::InUse),
    /// [`OtherKey`](RegisterError::OtherKey), [`RolledBack`](RegisterError::RolledBack),
    /// [`Damaged`](RegisterError::Damaged) or [`DamagedAnchor`](RegisterError::DamagedAnchor).
    pub fn open(files: &RegisterFiles, key: Fingerprint) -> Result<Self, RegisterError> {
        let path = &files.journal;
        let in_journal = |error| io_error(path, error);
        // The anchor only moves while the journal is locked.
        let mut journal = JournalFile::open(path).map_err(|error| open_error(path, error))?;
        let anchor = Anchor::open(&files.anchor, anchor_header(key));
        let mut anchor = anchor.map_err(|error| anchor_error(&files.anchor, error))?;
        let mut bytes = Vec::new();
        journal
            .reader()
            .and_then(|mut reader| reader.read_to_end(&mut bytes))
            .map_err(in_journal)?;
        let parsed = parse(&bytes, key, anchor.mark())?;
        journal.truncate(parsed.length as u64).map_err(in_journal)?;
        follow(&mut anchor, parsed.mark)?;
        Ok(Self {
            key,
            known: parsed.known,
            journal,
            mark: parsed.mark,
            anchor,
            is_poisoned: false,
        })
    }

    /// Appends records, then moves the anchor to the end of the journal.
    fn append(&mut self, records: &[[u8; RECORD]]) -> Result<(), RegisterError> {
        let written = self.journal.append(records.as_flattened());
        written.map_err(|error| io_error(self.journal.path(), error))?;
        let after = |mark: Mark, record: &[u8; RECORD]| mark.after(record);
        self.mark = records.iter().fold(self.mark, after);
        follow(&mut self.anchor, self.mark)
    }
}

impl LabelRegister for FileRegister {
    fn key(&self) -> Fingerprint {
        self.key
    }

    fn record(&mut self, uses: &[LabelUse]) -> Result<(), RegisterError> {
        if self.is_poisoned {
            return Err(RegisterError::Poisoned);
        }
        let fresh = self.known.admit(uses)?;
        if fresh.is_empty() {
            return Ok(());
        }
        let records: Vec<_> = fresh.iter().map(|fresh| fresh.to_record()).collect();
        let appended = self.append(&records);
        // After a failed sync the content on disk is unknown, and a retry cannot clarify it.
        self.is_poisoned = appended.is_err();
        appended?;
        self.known.add(&fresh);
        Ok(())
    }
}

/// Moves the anchor to the end of the journal, and returns once it is on disk.
fn follow(anchor: &mut Anchor, mark: Mark) -> Result<(), RegisterError> {
    let moved = anchor.move_to(mark);
    moved.map_err(|error| io_error(anchor.path(), error))
}

fn io_error(path: &Path, source: io::Error) -> RegisterError {
    RegisterError::Io {
        path: path.to_owned(),
        source,
    }
}

fn open_error(path: &Path, error: OpenError) -> RegisterError {
    match error {
        OpenError::InUse => RegisterError::InUse,
        OpenError::Io(source) => io_error(path, source),
    }
}

fn anchor_error(path: &Path, error: AnchorError) -> RegisterError {
    match error {
        AnchorError::Damaged => RegisterError::DamagedAnchor,
        AnchorError::OtherOwner => RegisterError::OtherKey,
        AnchorError::Io(source) => io_error(path, source),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::journal::HEADER, *};
    use crate::research::identifier::Tag;
    use num_bigint::BigInt;

    const KEY: Fingerprint = Fingerprint([5; 32]);

    fn label_use(index: u32, message: i32) -> LabelUse {
        LabelUse::new(&Tag::new("t").unwrap(), index, &BigInt::from(message))
    }

    /// A folder with a register.
    struct TestRegister {
        _folder: tempfile::TempDir,
        files: RegisterFiles,
    }

    impl TestRegister {
        fn empty() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let files = RegisterFiles {
                journal: folder.path().join("journal"),
                anchor: folder.path().join("anchor"),
            };
            Self {
                _folder: folder,
                files,
            }
        }

        /// A register with the labels from 0 to `signed` - 1. The last `beyond` of them reached the journal before a
        /// crash kept the anchor from being moved.
        fn crashed(signed: u32, beyond: u32) -> Self {
            let register_files = Self::empty();
            let mut register = FileRegister::create(&register_files.files, KEY).unwrap();
            let mut anchor = fs::read(&register_files.files.anchor).unwrap();
            for index in 0..signed {
                register.record(&[label_use(index, 1)]).unwrap();
                if index + beyond < signed {
                    anchor = fs::read(&register_files.files.anchor).unwrap();
                }
            }
            fs::write(&register_files.files.anchor, anchor).unwrap();
            register_files
        }

        fn signed(signed: u32) -> Self {
            Self::crashed(signed, 0)
        }

        fn open(&self) -> Result<FileRegister, RegisterError> {
            FileRegister::open(&self.files, KEY)
        }

        fn journal(&self) -> Vec<u8> {
            fs::read(&self.files.journal).unwrap()
        }
    }

    #[test]
    fn a_second_message_is_refused_also_after_opening_anew() {
        let register_files = TestRegister::empty();
        let mut register = FileRegister::create(&register_files.files, KEY).unwrap();
        let uses = [label_use(0, 1), label_use(1, 2)];
        register.record(&uses).unwrap();
        drop(register);
        let mut register = register_files.open().unwrap();
        register.record(&[label_use(0, 1)]).unwrap();
        let refused = register.record(&[label_use(7, 1), label_use(1, 3)]);
        assert!(matches!(
            refused,
            Err(RegisterError::LabelAlreadyUsed { position: 1 })
        ));
        // All or none: the other label of the refused request was not recorded.
        register.record(&[label_use(7, 9)]).unwrap();
    }

    #[test]
    fn a_register_is_not_created_over_another_nor_opened_where_none_is() {
        let register_files = TestRegister::empty();
        assert!(matches!(
            register_files.open(),
            Err(RegisterError::Io { .. })
        ));
        drop(FileRegister::create(&register_files.files, KEY).unwrap());
        let again = FileRegister::create(&register_files.files, KEY);
        assert!(matches!(again, Err(RegisterError::Io { .. })));
        let other = FileRegister::open(&register_files.files, Fingerprint([6; 32]));
        assert!(matches!(other, Err(RegisterError::OtherKey)));
        assert!(register_files.open().is_ok());
    }

    #[test]
    fn a_register_that_cannot_be_created_leaves_no_journal_behind() {
        let register_files = TestRegister::empty();
        fs::write(&register_files.files.anchor, b"of another key").unwrap();
        let refused = FileRegister::create(&register_files.files, KEY).unwrap_err();
        assert!(
            matches!(&refused, RegisterError::Io { path, .. } if path == &register_files.files.anchor),
            "{refused}"
        );
        assert!(!register_files.files.journal.exists());
        assert_eq!(
            fs::read(&register_files.files.anchor).unwrap(),
            b"of another key"
        );
    }

    #[test]
    fn a_register_is_open_once() {
        let register_files = TestRegister::empty();
        let _open = FileRegister::create(&register_files.files, KEY).unwrap();
        assert!(matches!(register_files.open(), Err(RegisterError::InUse)));
    }

    #[test]
    fn a_journal_restored_from_a_copy_is_refused() {
        let register_files = TestRegister::signed(2);
        let copy = register_files.journal();
        let mut register = register_files.open().unwrap();
        register.record(&[label_use(2, 1)]).unwrap();
        drop(register);
        fs::write(&register_files.files.journal, copy).unwrap();
        let refused = register_files.open().unwrap_err();
        assert!(
            matches!(
                refused,
                RegisterError::RolledBack {
                    records: 2,
                    expected: 3
                }
            ),
            "{refused}"
        );
    }

    #[test]
    fn a_journal_cut_short_at_any_byte_is_refused() {
        let register_files = TestRegister::signed(3);
        let bytes = register_files.journal();
        for cut in 0..bytes.len() {
            fs::write(&register_files.files.journal, &bytes[..cut]).unwrap();
            let refused = register_files.open().unwrap_err();
            let rolled_back = matches!(refused, RegisterError::RolledBack { expected: 3, .. });
            assert_eq!(rolled_back, cut >= HEADER, "{cut}: {refused}");
        }
    }

    #[test]
    fn a_journal_of_as_many_other_labels_is_refused() {
        let register_files = TestRegister::signed(1);
        let other = TestRegister::empty();
        let mut register = FileRegister::create(&other.files, KEY).unwrap();
        register.record(&[label_use(0, 2)]).unwrap();
        fs::write(&register_files.files.journal, other.journal()).unwrap();
        assert!(matches!(
            register_files.open(),
            Err(RegisterError::RolledBack { .. })
        ));
    }

    #[test]
    fn a_key_does_not_sign_without_its_anchor() {
        let register_files = TestRegister::signed(1);
        fs::remove_file(&register_files.files.anchor).unwrap();
        let refused = register_files.open().unwrap_err();
        assert!(
            matches!(refused, RegisterError::Io { path, .. } if path == register_files.files.anchor)
        );
    }

    #[test]
    fn zeros_in_place_of_what_the_anchor_knows_of_are_refused() {
        let register_files = TestRegister::signed(2);
        let mut bytes = register_files.journal();
        bytes[HEADER + RECORD..].fill(0);
        fs::write(&register_files.files.journal, bytes).unwrap();
        assert!(matches!(
            register_files.open(),
            Err(RegisterError::Damaged { .. })
        ));
    }

    #[test]
    fn what_a_crash_left_whole_beyond_the_anchor_counts_and_the_anchor_follows() {
        let register_files = TestRegister::crashed(3, 2);
        let mut register = register_files.open().unwrap();
        assert!(register.record(&[label_use(2, 2)]).is_err());
        drop(register);
        let bytes = register_files.journal();
        fs::write(
            &register_files.files.journal,
            &bytes[..bytes.len() - RECORD],
        )
        .unwrap();
        assert!(matches!(
            register_files.open(),
            Err(RegisterError::RolledBack { .. })
        ));
    }

    #[test]
    fn an_append_cut_short_at_any_byte_loses_only_itself() {
        let register_files = TestRegister::crashed(3, 1);
        let (bytes, anchor) = (
            register_files.journal(),
            fs::read(&register_files.files.anchor).unwrap(),
        );
        for cut in bytes.len() - RECORD..bytes.len() {
            fs::write(&register_files.files.journal, &bytes[..cut]).unwrap();
            fs::write(&register_files.files.anchor, &anchor).unwrap();
            let mut register = register_files.open().unwrap();
            assert!(register.record(&[label_use(1, 2)]).is_err());
            register.record(&[label_use(2, 2)]).unwrap();
            assert_eq!(register_files.journal().len(), bytes.len());
        }
    }

    #[test]
    fn an_append_of_which_only_a_part_reached_the_disk_loses_only_itself() {
        for reached in [0, 10, 64] {
            let register_files = TestRegister::crashed(4, 2);
            let mut torn = register_files.journal();
            torn[HEADER + 2 * RECORD + reached..].fill(0);
            fs::write(&register_files.files.journal, &torn).unwrap();
            let mut register = register_files.open().unwrap();
            assert!(register.record(&[label_use(1, 2)]).is_err());
            register.record(&[label_use(2, 2)]).unwrap();
        }
    }

    #[test]
    fn after_a_failed_write_nothing_is_recorded_until_the_register_is_opened_anew() {
        let register_files = TestRegister::empty();
        let mut register = FileRegister::create(&register_files.files, KEY).unwrap();
        // A directory that blocks the path of the anchor's temporary file.
        let beside = register_files.files.anchor.with_extension("new");
        fs::create_dir(&beside).unwrap();
        let failed = register.record(&[label_use(0, 1)]);
        assert!(matches!(failed, Err(RegisterError::Io { .. })));
        fs::remove_dir(&beside).unwrap();
        let refused = register.record(&[label_use(1, 1)]);
        assert!(matches!(refused, Err(RegisterError::Poisoned)));
        drop(register);
        let mut register = register_files.open().unwrap();
        // The label reached the journal, so it counts as used.
        assert!(register.record(&[label_use(0, 2)]).is_err());
        register.record(&[label_use(1, 1)]).unwrap();
    }
}
