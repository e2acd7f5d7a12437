//! The journal: a header that names the signer, and entries of 144 bytes: the hash of the label, the signature, and a
//! link that hashes both and all previous entries.

use super::{
    error::{io_error, open_error},
    RegisterError,
};
use crate::{
    identity::SignerId,
    suite::{ID_LEN, REGISTER_TAG, SIGNATURE_LEN},
};
use duet_journal::{Header, JournalFile, Mark, HASH_LEN};
use std::{
    io::{self, Read},
    path::Path,
};

const HEADER_LEN: usize = REGISTER_TAG.len() + ID_LEN;
const ENTRY_LEN: usize = HASH_LEN + SIGNATURE_LEN + HASH_LEN;

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) label_hash: [u8; HASH_LEN],
    pub(super) signature: [u8; SIGNATURE_LEN],
}

impl Entry {
    fn body(&self) -> [u8; HASH_LEN + SIGNATURE_LEN] {
        let mut bytes = [0; HASH_LEN + SIGNATURE_LEN];
        let (hash, signature) = bytes.split_at_mut(HASH_LEN);
        hash.copy_from_slice(&self.label_hash);
        signature.copy_from_slice(&self.signature);
        bytes
    }
}

fn header(signer: SignerId) -> Header {
    Header::new(REGISTER_TAG, *signer.as_bytes())
}

/// The file, open at its end and locked.
#[derive(Debug)]
pub(super) struct Journal {
    file: JournalFile,
    mark: Mark,
}

impl Journal {
    pub(super) fn create(path: &Path, signer: SignerId) -> Result<Self, RegisterError> {
        let header = header(signer);
        let file = JournalFile::create(path, &header).map_err(|error| open_error(path, error))?;
        let mark = Mark::start(&header);
        Ok(Self { file, mark })
    }

    /// Opens the journal and reads it up to its last complete entry. `anchored` is the minimum position.
    ///
    /// Incomplete bytes after that entry are truncated. They come from an interrupted call, which released no
    /// signature: otherwise the anchor would include the entry.
    pub(super) fn open(
        path: &Path,
        signer: SignerId,
        anchored: Mark,
    ) -> Result<(Self, Vec<Entry>), RegisterError> {
        let file = JournalFile::open(path).map_err(|error| open_error(path, error))?;
        let mark = Mark::start(&header(signer));
        let mut journal = Self { file, mark };
        let entries = journal.read(signer, anchored)?;
        let end = position(journal.mark.entries());
        let truncated = journal.file.truncate(end);
        truncated.map_err(|error| journal.io_error(error))?;
        Ok((journal, entries))
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    fn read(&mut self, signer: SignerId, anchored: Mark) -> Result<Vec<Entry>, RegisterError> {
        let read = self.file.reader();
        let read = read.and_then(|reader| decode(reader, signer, anchored));
        let read = read.map_err(|error| self.io_error(error))?;
        let Some(Decoded {
            entries,
            mark,
            has_anchored,
        }) = read
        else {
            return Err(self.corrupt_at(0));
        };
        self.check_tail(mark, anchored, has_anchored)?;
        self.mark = mark;
        Ok(entries)
    }

    /// Classifies what follows `mark`: the end, an incomplete entry, or corruption.
    fn check_tail(
        &self,
        mark: Mark,
        anchored: Mark,
        has_anchored: bool,
    ) -> Result<(), RegisterError> {
        let length = self.file.length().map_err(|error| self.io_error(error))?;
        let end = position(mark.entries());
        let is_damaged = length > end && mark.entries() < anchored.entries();
        if is_damaged {
            return Err(self.corrupt_at(end));
        }
        if has_anchored {
            return Ok(());
        }
        Err(RegisterError::RolledBack {
            path: self.file.path().to_owned(),
            entries: mark.entries(),
            expected: anchored.entries(),
        })
    }

    /// Appends entries, and returns once they are on disk.
    pub(super) fn append(&mut self, entries: &[Entry]) -> Result<(), RegisterError> {
        let mut mark = self.mark;
        let mut bytes = Vec::with_capacity(entries.len() * ENTRY_LEN);
        for entry in entries {
            let body = entry.body();
            mark = mark.after(&body);
            bytes.extend(body);
            bytes.extend(mark.link());
        }
        let appended = self.file.append(&bytes);
        appended.map_err(|error| self.io_error(error))?;
        self.mark = mark;
        Ok(())
    }

    /// The error for an entry with a correct link but an invalid signature.
    pub(super) fn corrupt(&self, index: u64) -> RegisterError {
        self.corrupt_at(position(index))
    }

    fn corrupt_at(&self, at: u64) -> RegisterError {
        RegisterError::Corrupt {
            path: self.file.path().to_owned(),
            at,
        }
    }

    fn io_error(&self, source: io::Error) -> RegisterError {
        io_error(self.file.path(), source)
    }
}

/// The offset of entry `index`.
fn position(index: u64) -> u64 {
    HEADER_LEN as u64 + index * ENTRY_LEN as u64
}

/// The complete entries at the start of a journal.
struct Decoded {
    entries: Vec<Entry>,
    mark: Mark,
    /// Whether the journal contains the mark of its anchor.
    has_anchored: bool,
}

/// The number of labels in a journal, up to its last complete entry; `None` if the header is not that of the signer.
///
/// For inspecting a copy. The signer has signed at least these labels; only the anchor shows whether the journal is
/// complete.
///
/// # Errors
/// The journal cannot be read.
pub fn labels_in_journal(journal: impl Read, signer: SignerId) -> io::Result<Option<u64>> {
    let start = Mark::start(&header(signer));
    let decoded = decode(journal, signer, start)?;
    Ok(decoded.map(|decoded| decoded.mark.entries()))
}

/// Reads a journal up to its last complete entry; `None` if the header is not that of the signer.
fn decode(mut reader: impl Read, signer: SignerId, anchored: Mark) -> io::Result<Option<Decoded>> {
    let header = header(signer);
    let mut found = [0; HEADER_LEN];
    let length = read_up_to(&mut reader, &mut found)?;
    if length < HEADER_LEN || header.strip(&found).is_err() {
        return Ok(None);
    }
    let mut entries = Vec::new();
    let mut mark = Mark::start(&header);
    let mut has_anchored = mark == anchored;
    let mut bytes = [0; ENTRY_LEN];
    while read_up_to(&mut reader, &mut bytes)? == ENTRY_LEN {
        let (body, link) = bytes.split_at(HASH_LEN + SIGNATURE_LEN);
        let next = mark.after(body);
        let Some(entry) = decode_entry(body).filter(|_| link == next.link()) else {
            break;
        };
        entries.push(entry);
        mark = next;
        has_anchored |= mark == anchored;
    }
    Ok(Some(Decoded {
        entries,
        mark,
        has_anchored,
    }))
}

fn decode_entry(body: &[u8]) -> Option<Entry> {
    let (label_hash, signature) = body.split_first_chunk()?;
    Some(Entry {
        label_hash: *label_hash,
        signature: signature.try_into().ok()?,
    })
}

/// Reads until `bytes` is full or the input ends. Returns the number of bytes read.
fn read_up_to(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest)? {
            0 => break,
            more => length += more,
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{RngCore, SeedableRng};

    const SIGNER: SignerId = SignerId::from_bytes([7; ID_LEN]);

    fn encode(entries: &[Entry]) -> Vec<u8> {
        let mut bytes = header(SIGNER).to_bytes();
        let mut mark = Mark::start(&header(SIGNER));
        for entry in entries {
            mark = mark.after(&entry.body());
            bytes.extend(entry.body());
            bytes.extend(mark.link());
        }
        bytes
    }

    /// Seeded mutations: bytes changed, removed or inserted.
    fn mutated(bytes: &[u8], count: usize) -> impl Iterator<Item = Vec<u8>> + '_ {
        let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(8);
        std::iter::repeat_with(move || {
            let mut bytes = bytes.to_vec();
            let mut below = |end: usize| usize::try_from(rng.next_u32()).unwrap_or(0) % end.max(1);
            for _ in 0..=below(2) {
                let at = below(bytes.len());
                match below(8) {
                    0 => bytes.truncate(at),
                    1 => bytes.insert(at, 0xff),
                    2 => bytes.push(0),
                    _ => {
                        let bit = 1 << below(8);
                        if let Some(byte) = bytes.get_mut(at) {
                            *byte ^= bit;
                        }
                    }
                }
            }
            bytes
        })
        .take(count)
    }

    #[test]
    fn whatever_the_bytes_are_entries_are_read_as_far_as_they_are_whole() {
        let entry = |at| Entry {
            label_hash: [at; HASH_LEN],
            signature: [at; SIGNATURE_LEN],
        };
        let whole = encode(&[1, 2, 3].map(entry));
        let mut counts = [0; 5];
        for bytes in mutated(&whole, 3000) {
            let decoded = decode(bytes.as_slice(), SIGNER, Mark::start(&header(SIGNER))).unwrap();
            let Some(decoded) = decoded else {
                assert!(!bytes.starts_with(&header(SIGNER).to_bytes()));
                counts[4] += 1;
                continue;
            };
            assert!(bytes.starts_with(&encode(&decoded.entries)));
            assert_eq!(decoded.mark.entries(), decoded.entries.len() as u64);
            assert!(decoded.has_anchored);
            counts[decoded.entries.len()] += 1;
        }
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    }
}
