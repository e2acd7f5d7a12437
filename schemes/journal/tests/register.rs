//! The register: what it refuses, and how it recovers.

use duet_journal::{
    register::{entries_in, Key, Refusal, Register, RegisterFiles, Request, Tags},
    FileError, FileFault, Header, Mark,
};
use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    path::PathBuf,
};

const TAGS: Tags = Tags {
    journal: b"JOURNAL",
    anchor: b"ANCHOR",
};
const OWNER: [u8; 32] = [5; 32];
const HEADER: usize = 7 + 32;
const ENTRY: usize = 32 + 3 + 32;

/// A message. The register stores the byte that marks a value, and then the message.
type Message = [u8; 2];
const VALUE: u8 = 0xaa;

/// A label and a message.
struct Asked(u8, Message);

/// A request with its value.
fn asked(label: u8, message: u8) -> (Asked, [u8; 3]) {
    (Asked(label, [message; 2]), [VALUE, message, message])
}

impl Request<3> for Asked {
    type Message = Message;

    fn key(&self) -> Key {
        label(self.0)
    }

    fn message(&self) -> Message {
        self.1
    }

    fn stored(value: &[u8; 3]) -> Option<Message> {
        let [mark, first, second] = *value;
        (mark == VALUE).then_some([first, second])
    }
}

fn label(at: u8) -> Key {
    [at; 32]
}

/// Signs one label for a message.
fn sign(register: &mut Register<3>, at: u8, message: u8) -> Result<(), Refusal<Message>> {
    register.record(&[asked(at, message)])
}

/// A folder for the files of a register.
struct Folder {
    _folder: tempfile::TempDir,
    files: RegisterFiles,
}

impl Folder {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = RegisterFiles {
            journal: folder.path().join("journal"),
            anchor: folder.path().join("anchor"),
        };
        let _folder = folder;
        Self { _folder, files }
    }

    /// A register with the labels from 0 to `signed` - 1, each for its own number.
    fn signed(signed: u8) -> Self {
        let folder = Self::empty();
        let mut register = folder.create().unwrap();
        for at in 0..signed {
            sign(&mut register, at, at).unwrap();
        }
        folder
    }

    /// The same, where the last `beyond` entries reached the journal, and the machine stopped before the anchor moved.
    fn crashed(signed: u8, beyond: u8) -> Self {
        let folder = Self::signed(signed - beyond);
        let anchor = folder.anchor();
        let mut register = folder.open().unwrap();
        let requests: Vec<_> = (signed - beyond..signed).map(|at| asked(at, at)).collect();
        register.record(&requests).unwrap();
        fs::write(&folder.files.anchor, anchor).unwrap();
        folder
    }

    fn create(&self) -> Result<Register<3>, FileError> {
        Register::create(&self.files, TAGS, OWNER)
    }

    fn open(&self) -> Result<Register<3>, FileError> {
        Register::open(&self.files, TAGS, OWNER)
    }

    fn journal(&self) -> Vec<u8> {
        fs::read(&self.files.journal).unwrap()
    }

    fn anchor(&self) -> Vec<u8> {
        fs::read(&self.files.anchor).unwrap()
    }

    /// The register with this journal and this anchor.
    fn open_with(&self, journal: &[u8], anchor: &[u8]) -> Result<Register<3>, FileError> {
        fs::write(&self.files.journal, journal).unwrap();
        fs::write(&self.files.anchor, anchor).unwrap();
        self.open()
    }

    fn fault(&self) -> (PathBuf, FileFault) {
        let FileError { path, fault } = self.open().unwrap_err();
        (path, fault)
    }
}

#[test]
fn a_label_has_one_message_also_after_opening_anew() {
    let folder = Folder::signed(3);
    let mut register = folder.open().unwrap();
    assert_eq!(register.len().unwrap(), 3);
    sign(&mut register, 1, 1).unwrap();
    assert_eq!(folder.journal().len(), HEADER + 3 * ENTRY);
    // All or none: the first label of a refused call is not recorded.
    let refused = register.record(&[asked(7, 7), asked(1, 9)]);
    assert!(
        matches!(
            refused,
            Err(Refusal::LabelUsed {
                index: 1,
                used: [1, 1],
                asked: [9, 9]
            })
        ),
        "{refused:?}"
    );
    assert_eq!(register.get(&label(7), Asked::stored).unwrap(), None);
    let found = register.get(&label(1), Asked::stored).unwrap();
    assert_eq!(found, Some([1; 2]));
    drop(register);
    sign(&mut folder.open().unwrap(), 7, 8).unwrap();
}

#[test]
fn one_call_writes_a_label_once_and_not_for_two_messages() {
    let folder = Folder::signed(0);
    let mut register = folder.open().unwrap();
    assert!(register.is_empty().unwrap());
    register.record(&[asked(0, 1), asked(0, 1)]).unwrap();
    assert_eq!(register.len().unwrap(), 1);
    let refused = register.record(&[asked(1, 1), asked(2, 1), asked(1, 2)]);
    assert!(
        matches!(refused, Err(Refusal::LabelUsed { index: 2, .. })),
        "{refused:?}"
    );
    register.record::<Asked>(&[]).unwrap();
    assert_eq!(register.len().unwrap(), 1);
    assert_eq!(folder.journal().len(), HEADER + ENTRY);
}

#[test]
fn the_files_of_a_register_have_the_documented_layout() {
    let folder = Folder::signed(2);
    let header = Header::new(TAGS.journal, OWNER);
    let (mut expected, mut mark) = (header.to_bytes(), Mark::start(&header));
    for at in [0, 1] {
        let body = [&label(at)[..], &[VALUE, at, at]].concat();
        mark = mark.after(&body);
        expected.extend([&body[..], mark.link()].concat());
    }
    assert_eq!(folder.journal(), expected);
    let anchor = duet_journal::Anchor::encode(&Header::new(TAGS.anchor, OWNER), mark);
    assert_eq!(folder.anchor(), anchor);
}

#[test]
fn a_register_is_not_created_over_a_file_and_leaves_none_behind() {
    let folder = Folder::signed(1);
    let (journal, anchor) = (folder.journal(), folder.anchor());
    for (missing, kept) in [
        (&folder.files.journal, &folder.files.anchor),
        (&folder.files.anchor, &folder.files.journal),
    ] {
        fs::remove_file(missing).unwrap();
        let refused = folder.create().unwrap_err();
        assert!(matches!(refused.fault, FileFault::Exists), "{refused}");
        assert_eq!(&refused.path, kept);
        assert!(!missing.exists());
        fs::write(&folder.files.journal, &journal).unwrap();
        fs::write(&folder.files.anchor, &anchor).unwrap();
    }
    assert!(folder.open().is_ok());
}

#[test]
fn a_key_does_not_sign_without_its_journal_or_its_anchor() {
    let folder = Folder::signed(1);
    for path in [&folder.files.journal, &folder.files.anchor] {
        let bytes = fs::read(path).unwrap();
        fs::remove_file(path).unwrap();
        let (named, fault) = folder.fault();
        assert!(matches!(fault, FileFault::Missing) && named == *path);
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn files_of_another_owner_or_type_are_named() {
    let folder = Folder::signed(1);
    let other = Folder::empty();
    drop(Register::<3>::create(&other.files, TAGS, [6; 32]).unwrap());
    let newer = Tags {
        journal: b"JOURNA2",
        anchor: b"ANCHO2",
    };
    let later = Folder::empty();
    drop(Register::<3>::create(&later.files, newer, OWNER).unwrap());
    let (journal, anchor) = (folder.journal(), folder.anchor());
    let refusal = |journal: &[u8], anchor: &[u8]| folder.open_with(journal, anchor).unwrap_err();
    let of_journal = [&other, &later].map(|of| refusal(&of.journal(), &anchor));
    let of_anchor = [&other, &later].map(|of| refusal(&journal, &of.anchor()));
    for (path, refused) in [
        (&folder.files.journal, of_journal),
        (&folder.files.anchor, of_anchor),
    ] {
        assert!(refused.iter().all(|refused| refused.path == *path));
        let [other, later] = refused.map(|refused| refused.fault);
        assert!(matches!(other, FileFault::OtherOwner), "{other}");
        assert!(matches!(later, FileFault::OtherFile), "{later}");
    }
    assert!(folder.open_with(&journal, &anchor).is_ok());
}

#[test]
fn a_register_is_open_once_and_its_anchor_is_read_under_the_lock() {
    let folder = Folder::signed(1);
    let open = folder.open().unwrap();
    let is_in_use =
        || matches!(folder.fault(), (path, FileFault::InUse) if path == folder.files.journal);
    assert!(is_in_use());
    fs::remove_file(&folder.files.anchor).unwrap();
    assert!(is_in_use());
    drop(open);
    assert!(!is_in_use());
}

#[test]
fn a_journal_restored_from_a_copy_is_refused() {
    let folder = Folder::signed(2);
    let copy = folder.journal();
    sign(&mut folder.open().unwrap(), 2, 2).unwrap();
    let latest = folder.journal();
    fs::write(&folder.files.journal, copy).unwrap();
    let (path, fault) = folder.fault();
    assert!(
        matches!(
            fault,
            FileFault::RolledBack {
                entries: 2,
                expected: 3
            }
        ),
        "{fault}"
    );
    assert_eq!(path, folder.files.journal);
    // So are journals that diverged, of the same length and longer.
    for more in [3, 4] {
        let fork = Folder::signed(2);
        let mut register = fork.open().unwrap();
        for at in 2..more {
            sign(&mut register, at, 9).unwrap();
        }
        drop(register);
        fs::write(&folder.files.journal, fork.journal()).unwrap();
        let (_, fault) = folder.fault();
        assert!(matches!(fault, FileFault::RolledBack { .. }), "{fault}");
    }
    fs::write(&folder.files.journal, latest).unwrap();
    assert!(folder.open().is_ok());
}

#[test]
fn a_journal_cut_short_at_any_byte_is_refused() {
    let folder = Folder::signed(3);
    let bytes = folder.journal();
    for cut in 0..bytes.len() {
        fs::write(&folder.files.journal, &bytes[..cut]).unwrap();
        let (_, fault) = folder.fault();
        let is_rolled_back = matches!(fault, FileFault::RolledBack { expected: 3, .. });
        let is_expected = is_rolled_back || cut < HEADER && matches!(fault, FileFault::OtherFile);
        assert!(is_expected, "{cut}: {fault}");
    }
}

#[test]
fn zeros_in_place_of_what_the_anchor_knows_of_are_refused() {
    let folder = Folder::signed(2);
    let anchor = folder.anchor();
    for from in HEADER + ENTRY..HEADER + 2 * ENTRY - 1 {
        let mut bytes = folder.journal();
        bytes[from..].fill(0);
        let refused = Folder::empty().open_with(&bytes, &anchor).unwrap_err();
        let at = (HEADER + ENTRY) as u64;
        assert!(
            matches!(refused.fault, FileFault::Corrupt { at: found } if found == at),
            "{refused}"
        );
    }
}

#[test]
fn a_flipped_bit_in_either_file_is_refused() {
    let folder = Folder::signed(2);
    for path in [&folder.files.journal, &folder.files.anchor] {
        let whole = fs::read(path).unwrap();
        // In place: replacing the file would wait for the disk each time.
        let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
        let mut put = |at: usize, byte: u8| {
            file.seek(SeekFrom::Start(at as u64)).unwrap();
            file.write_all(&[byte]).unwrap();
        };
        let tag = TAGS.journal.len();
        for bit in 0..whole.len() * 8 {
            let (at, mask) = (bit / 8, 1 << (bit % 8));
            put(at, whole[at] ^ mask);
            let (named, fault) = folder.fault();
            let is_expected = match fault {
                FileFault::OtherFile => at < tag,
                FileFault::OtherOwner => (tag..HEADER).contains(&at),
                FileFault::Corrupt { .. } => at >= HEADER || path == &folder.files.anchor,
                _ => false,
            };
            assert!(is_expected && named == *path, "bit {bit}: {fault}");
            put(at, whole[at]);
        }
    }
    let (journal, anchor) = (folder.journal(), folder.anchor());
    assert!(folder.open_with(&journal, &anchor).is_ok());
    for bad in [&anchor[1..], &[&anchor[..], b"x"].concat()] {
        let refused = folder.open_with(&journal, bad).unwrap_err();
        assert!(matches!(refused.fault, FileFault::Corrupt { at: 0 }));
    }
}

#[test]
fn what_a_crash_left_whole_beyond_the_anchor_counts_and_the_anchor_follows() {
    let folder = Folder::crashed(3, 2);
    let mut register = folder.open().unwrap();
    assert_eq!(register.len().unwrap(), 3);
    assert!(sign(&mut register, 2, 9).is_err());
    drop(register);
    let bytes = folder.journal();
    fs::write(&folder.files.journal, &bytes[..bytes.len() - ENTRY]).unwrap();
    let (_, fault) = folder.fault();
    assert!(matches!(fault, FileFault::RolledBack { .. }), "{fault}");
}

#[test]
fn an_append_cut_short_at_any_byte_loses_only_itself() {
    let folder = Folder::crashed(3, 2);
    let (bytes, anchor) = (folder.journal(), folder.anchor());
    for cut in HEADER + ENTRY..bytes.len() {
        let whole = (cut - HEADER) / ENTRY;
        // The file ends there, or it was extended before its bytes were written.
        let zeros = vec![0; bytes.len() - cut];
        for tail in [&[][..], &zeros, &[&zeros[..], &[0; 5000]].concat()] {
            let left = [&bytes[..cut], tail].concat();
            let mut register = folder.open_with(&left, &anchor).unwrap();
            assert_eq!(register.len().unwrap(), whole, "{cut}");
            assert_eq!(folder.journal(), bytes[..HEADER + whole * ENTRY]);
            assert!(sign(&mut register, 0, 9).is_err());
            // Its label is free, and what is written next is found again.
            if cut % 13 == 0 {
                sign(&mut register, 2, 9).unwrap();
                drop(register);
                assert_eq!(folder.open().unwrap().len().unwrap(), whole + 1);
            }
        }
    }
}

#[test]
fn what_no_interrupted_write_leaves_is_refused_beyond_the_anchor_too() {
    let folder = Folder::crashed(3, 2);
    let (bytes, anchor) = (folder.journal(), folder.anchor());
    for bit in 8 * (HEADER + ENTRY)..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let refused = folder.open_with(&flipped, &anchor).unwrap_err();
        assert!(
            matches!(refused.fault, FileFault::Corrupt { .. }),
            "bit {bit}: {refused}"
        );
    }
    let (first, second) = (HEADER + ENTRY, HEADER + 2 * ENTRY);
    // An entry of zeros, and something after it.
    let mut hole = bytes.clone();
    hole[first..second].fill(0);
    // The end of a link without its beginning.
    let mut link = bytes[..second].to_vec();
    link[second - 32..second - 5].fill(0);
    // A part of a wrong link.
    let mut part = bytes[..second - 10].to_vec();
    part[second - 20] ^= 1;
    // Zeros, and something far behind them.
    let far = [&bytes[..first], &[0; 10_000], &[1]].concat();
    for bad in [hole, link, part, far] {
        let refused = folder.open_with(&bad, &anchor).unwrap_err();
        let at = first as u64;
        assert!(
            matches!(refused.fault, FileFault::Corrupt { at: found } if found == at),
            "{refused}"
        );
        // Nothing was cut off.
        assert_eq!(folder.journal(), bad);
    }
}

#[test]
fn a_journal_that_has_a_label_twice_is_refused() {
    let folder = Folder::signed(1);
    let anchor = folder.anchor();
    let header = Header::new(TAGS.journal, OWNER);
    let start = Mark::start(&header);
    // For two messages, and for one.
    for second in [[VALUE, 0, 0], [VALUE, 9, 9]] {
        let mut bytes = folder.journal();
        let first = start.after(&[&label(0)[..], &[VALUE, 0, 0]].concat());
        let body = [&label(0)[..], &second].concat();
        bytes.extend([&body[..], first.after(&body).link()].concat());
        let copy = Folder::empty();
        let refused = copy.open_with(&bytes, &anchor).unwrap_err();
        let at = (HEADER + ENTRY) as u64;
        assert!(
            matches!(refused.fault, FileFault::Corrupt { at: found } if found == at),
            "{refused}"
        );
    }
}

#[test]
fn a_value_that_names_no_message_is_reported_with_its_place_and_the_others_are_used() {
    let folder = Folder::empty();
    let mut register = folder.create().unwrap();
    let (invalid, _) = asked(1, 1);
    let requests = [asked(0, 0), (invalid, [0xbb, 1, 1])];
    register.record(&requests).unwrap();
    sign(&mut register, 0, 0).unwrap();
    let refused = sign(&mut register, 1, 1);
    let at = (HEADER + ENTRY) as u64;
    assert!(
        matches!(
            &refused,
            Err(Refusal::File(FileError { path, fault: FileFault::Corrupt { at: found } }))
                if *found == at && *path == folder.files.journal
        ),
        "{refused:?}"
    );
    sign(&mut register, 2, 2).unwrap();
}

#[test]
fn after_a_failed_write_nothing_is_said_or_recorded_until_the_register_is_opened_anew() {
    let folder = Folder::signed(1);
    let mut register = folder.open().unwrap();
    // A directory that blocks the path of the anchor's temporary file.
    let beside = folder.files.anchor.with_extension("new");
    fs::create_dir(&beside).unwrap();
    let failed = sign(&mut register, 1, 1);
    assert!(
        matches!(
            &failed,
            Err(Refusal::File(FileError { path, fault: FileFault::Io(_) }))
                if *path == folder.files.anchor
        ),
        "{failed:?}"
    );
    fs::remove_dir(&beside).unwrap();
    let is_poisoned = |error: &FileError| matches!(error.fault, FileFault::Poisoned);
    for at in [0, 2] {
        let refused = sign(&mut register, at, at);
        assert!(matches!(&refused, Err(Refusal::File(error)) if is_poisoned(error)));
    }
    assert!(register.len().is_err_and(|error| is_poisoned(&error)));
    assert!(register
        .get(&label(0), Asked::stored)
        .is_err_and(|error| is_poisoned(&error)));
    drop(register);
    let mut register = folder.open().unwrap();
    // The label reached the journal, so it is used.
    assert!(sign(&mut register, 1, 9).is_err());
    sign(&mut register, 2, 2).unwrap();
}

#[test]
fn a_copy_of_a_journal_says_how_many_labels_it_has_and_whose() {
    let folder = Folder::signed(3);
    let mut copy = folder.journal();
    let entries = |copy: &[u8], owner| entries_in::<3>(copy, TAGS, owner);
    assert_eq!(entries(&copy, OWNER).unwrap(), 3);
    let other = entries(&copy, [6; 32]);
    assert!(matches!(other, Err(FileFault::OtherOwner)));
    copy.pop();
    assert_eq!(entries(&copy, OWNER).unwrap(), 2);
    copy[HEADER] ^= 1;
    let corrupt = entries(&copy, OWNER);
    assert!(matches!(corrupt, Err(FileFault::Corrupt { .. })));
}
