//! The journal: a header with the signer, and 144 bytes for each entry: the label's hash, the signature, and a hash of
//! both and of what came before.

use super::{io_error, open_error, sync_folder_of, Mark, RegisterError};
use crate::{
    keys::SignerId,
    suite::{ID_LEN, REGISTER_TAG, SIGNATURE_LEN},
};
use sha2::{Digest, Sha256};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

const HASH_LEN: usize = 32;
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

fn next_link(link: &[u8; HASH_LEN], body: &[u8]) -> [u8; HASH_LEN] {
    let hash = Sha256::new().chain_update(link).chain_update(body);
    hash.finalize().into()
}

fn header(signer: SignerId) -> [u8; HEADER_LEN] {
    let mut bytes = [0; HEADER_LEN];
    let (tag, id) = bytes.split_at_mut(REGISTER_TAG.len());
    tag.copy_from_slice(REGISTER_TAG);
    id.copy_from_slice(signer.as_bytes());
    bytes
}

fn start(signer: SignerId) -> Mark {
    Mark {
        entries: 0,
        link: Sha256::digest(header(signer)).into(),
    }
}

/// The file, open at its end and locked.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    mark: Mark,
}

impl Journal {
    pub(super) fn create(path: &Path, signer: SignerId) -> Result<Self, RegisterError> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(path);
        let file = file.map_err(|error| open_error(path, error))?;
        let mut journal = Self {
            path: path.to_owned(),
            file,
            mark: start(signer),
        };
        journal.lock()?;
        journal.write(&header(signer))?;
        sync_folder_of(path).map_err(|error| io_error(path, error))?;
        Ok(journal)
    }

    /// Opens the journal and reads it up to its last whole entry. `anchored` is how far it came at least.
    pub(super) fn open(
        path: &Path,
        signer: SignerId,
        anchored: Mark,
    ) -> Result<(Self, Vec<Entry>), RegisterError> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.map_err(|error| open_error(path, error))?;
        let mut journal = Self {
            path: path.to_owned(),
            file,
            mark: start(signer),
        };
        journal.lock()?;
        let entries = journal.read(signer, anchored)?;
        journal.drop_tail()?;
        Ok((journal, entries))
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    fn lock(&self) -> Result<(), RegisterError> {
        self.file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => RegisterError::InUse {
                path: self.path.clone(),
            },
            TryLockError::Error(source) => io_error(&self.path, source),
        })
    }

    fn read(&mut self, signer: SignerId, anchored: Mark) -> Result<Vec<Entry>, RegisterError> {
        let read = decode(BufReader::new(&self.file), signer, anchored);
        let read = read.map_err(|error| io_error(&self.path, error))?;
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

    /// Says what stopped the reading after `mark`: the end, an entry that was never written whole, or damage.
    fn check_tail(
        &self,
        mark: Mark,
        anchored: Mark,
        has_anchored: bool,
    ) -> Result<(), RegisterError> {
        let metadata = self.file.metadata();
        let length = metadata.map_err(|error| io_error(&self.path, error))?.len();
        let end = position(mark.entries);
        let is_damaged = length > end && mark.entries < anchored.entries;
        if is_damaged {
            return Err(self.corrupt_at(end));
        }
        if has_anchored {
            return Ok(());
        }
        Err(RegisterError::RolledBack {
            path: self.path.clone(),
            entries: mark.entries,
            expected: anchored.entries,
        })
    }

    /// Cuts off what follows the last whole entry. It was written by a call that did not come back: nothing of it was
    /// released, or the anchor would know.
    fn drop_tail(&mut self) -> Result<(), RegisterError> {
        let end = position(self.mark.entries);
        self.file
            .set_len(end)
            .and_then(|()| self.file.seek(SeekFrom::Start(end)))
            .and_then(|_| self.file.sync_all())
            .map_err(|error| io_error(&self.path, error))
    }

    /// Appends entries and comes back when they are on disk.
    pub(super) fn append(&mut self, entries: &[Entry]) -> Result<(), RegisterError> {
        let mut mark = self.mark;
        let mut bytes = Vec::with_capacity(entries.len() * ENTRY_LEN);
        for entry in entries {
            let body = entry.body();
            mark = Mark {
                entries: mark.entries + 1,
                link: next_link(&mark.link, &body),
            };
            bytes.extend(body);
            bytes.extend(mark.link);
        }
        self.write(&bytes)?;
        self.mark = mark;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RegisterError> {
        self.file
            .write_all(bytes)
            .and_then(|()| self.file.sync_all())
            .map_err(|error| io_error(&self.path, error))
    }

    /// An entry whose hash is right and whose signature is none.
    pub(super) fn corrupt(&self, index: u64) -> RegisterError {
        self.corrupt_at(position(index))
    }

    fn corrupt_at(&self, at: u64) -> RegisterError {
        RegisterError::Corrupt {
            path: self.path.clone(),
            at,
        }
    }
}

/// Where entry `index` starts.
fn position(index: u64) -> u64 {
    HEADER_LEN as u64 + index * ENTRY_LEN as u64
}

/// What the whole entries at the start of a journal say.
struct Decoded {
    entries: Vec<Entry>,
    mark: Mark,
    /// Whether the journal came by the mark of its anchor.
    has_anchored: bool,
}

/// Reads a journal up to its last whole entry; `None` when it does not start as one of the signer's does.
fn decode(
    mut reader: impl Read,
    signer: SignerId,
    anchored: Mark,
) -> std::io::Result<Option<Decoded>> {
    let mut found = [0; HEADER_LEN];
    let length = read_up_to(&mut reader, &mut found)?;
    if length < HEADER_LEN || found != header(signer) {
        return Ok(None);
    }
    let mut entries = Vec::new();
    let mut mark = start(signer);
    let mut has_anchored = mark == anchored;
    let mut bytes = [0; ENTRY_LEN];
    while read_up_to(&mut reader, &mut bytes)? == ENTRY_LEN {
        let (body, link) = bytes.split_at(HASH_LEN + SIGNATURE_LEN);
        let expected = next_link(&mark.link, body);
        let Some(entry) = decode_entry(body).filter(|_| link == expected) else {
            break;
        };
        entries.push(entry);
        mark = Mark {
            entries: mark.entries + 1,
            link: expected,
        };
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

/// Fills `bytes`, or as much of it as there is.
fn read_up_to(reader: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
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
    use crate::register::mutated;

    const SIGNER: SignerId = SignerId::from_bytes([7; ID_LEN]);

    fn encode(entries: &[Entry]) -> Vec<u8> {
        let mut bytes = header(SIGNER).to_vec();
        let mut link = start(SIGNER).link;
        for entry in entries {
            link = next_link(&link, &entry.body());
            bytes.extend(entry.body());
            bytes.extend(link);
        }
        bytes
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
            let decoded = decode(bytes.as_slice(), SIGNER, start(SIGNER)).unwrap();
            let Some(decoded) = decoded else {
                assert!(!bytes.starts_with(&header(SIGNER)));
                counts[4] += 1;
                continue;
            };
            assert!(bytes.starts_with(&encode(&decoded.entries)));
            assert_eq!(decoded.mark.entries, decoded.entries.len() as u64);
            assert!(decoded.has_anchored);
            counts[decoded.entries.len()] += 1;
        }
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    }
}
