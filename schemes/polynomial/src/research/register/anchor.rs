//! The anchor: how far the journal has come, in a small file that is replaced whole.
//!
//! `"BFANC" || 0 || 0 || 0x01 || fingerprint(32) || records(8) || link(32) || SHA-256 of all this`, 112 bytes.

use super::{
    file::{io_error, sync_folder_of},
    journal::Mark,
    RegisterError,
};
use crate::research::identifier::Fingerprint;
use sha2::{Digest, Sha256};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

const MAGIC: [u8; 8] = *b"BFANC\0\0\x01";
const LEN: usize = MAGIC.len() + 32 + 8 + 32 + 32;

#[derive(Debug)]
pub(super) struct Anchor {
    path: PathBuf,
    key: Fingerprint,
    mark: Mark,
}

impl Anchor {
    pub(super) fn create(path: &Path, key: Fingerprint) -> Result<Self, RegisterError> {
        let anchor = Self {
            path: path.to_owned(),
            key,
            mark: Mark::start(key),
        };
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        file.and_then(|file| write(file, &anchor.bytes()))
            .and_then(|()| sync_folder_of(path))
            .map_err(|error| io_error(path, error))?;
        Ok(anchor)
    }

    pub(super) fn open(path: &Path, key: Fingerprint) -> Result<Self, RegisterError> {
        let mut bytes = Vec::new();
        File::open(path)
            // One more than there should be, to see whether there is more.
            .and_then(|file| file.take(LEN as u64 + 1).read_to_end(&mut bytes))
            .map_err(|error| io_error(path, error))?;
        let (owner, mark) = decode(&bytes).ok_or(RegisterError::DamagedAnchor)?;
        if owner != key {
            return Err(RegisterError::OtherKey);
        }
        let path = path.to_owned();
        Ok(Self { path, key, mark })
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    /// Replaces the file, and comes back when it is on disk.
    pub(super) fn move_to(&mut self, mark: Mark) -> Result<(), RegisterError> {
        if self.mark == mark {
            return Ok(());
        }
        self.mark = mark;
        self.replace().map_err(|error| io_error(&self.path, error))
    }

    /// Writes a file beside it and gives that its name: after a crash it is the old one or the new one. The journal's
    /// lock keeps others from doing the same.
    fn replace(&self) -> io::Result<()> {
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        write(File::create(&beside)?, &self.bytes())?;
        fs::rename(&beside, &self.path)?;
        sync_folder_of(&self.path)
    }

    fn bytes(&self) -> Vec<u8> {
        encode(self.key, self.mark)
    }
}

fn write(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

fn encode(key: Fingerprint, mark: Mark) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LEN);
    bytes.extend(MAGIC);
    bytes.extend(key.0);
    bytes.extend(mark.records.to_be_bytes());
    bytes.extend(mark.link);
    let check = Sha256::digest(&bytes);
    bytes.extend(check);
    bytes
}

fn decode(bytes: &[u8]) -> Option<(Fingerprint, Mark)> {
    let (_, rest) = bytes.split_at_checked(MAGIC.len())?;
    let (key, rest) = rest.split_first_chunk()?;
    let (records, rest) = rest.split_first_chunk()?;
    let (link, _) = rest.split_first_chunk()?;
    let key = Fingerprint(*key);
    let mark = Mark {
        records: u64::from_be_bytes(*records),
        link: *link,
    };
    // Also says whether the start, the check and the length are right.
    (encode(key, mark) == bytes).then_some((key, mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_with_any_bit_flipped_or_of_another_length_is_refused() {
        let key = Fingerprint([5; 32]);
        let mark = Mark::start(key).after(&[7; 72]);
        let bytes = encode(key, mark);
        assert_eq!(bytes.len(), LEN);
        assert_eq!(decode(&bytes), Some((key, mark)));
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&flipped), None, "bit {bit}");
        }
        for cut in 0..bytes.len() {
            assert_eq!(decode(&bytes[..cut]), None);
        }
        assert_eq!(decode(&[&bytes[..], &[0]].concat()), None);
    }
}
