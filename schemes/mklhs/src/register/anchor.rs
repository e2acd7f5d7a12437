//! The anchor: how far the journal has come, in a small file that is replaced whole.

use super::{io_error, open_error, sync_folder_of, Mark, RegisterError};
use crate::{
    keys::SignerId,
    suite::{ANCHOR_TAG, ID_LEN},
};
use sha2::{Digest, Sha256};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

const HASH_LEN: usize = 32;
/// Tag, signer, count, link, and a checksum of all these.
const LEN: usize = ANCHOR_TAG.len() + ID_LEN + 8 + HASH_LEN + HASH_LEN;

#[derive(Debug)]
pub(super) struct Anchor {
    path: PathBuf,
    signer: SignerId,
    mark: Mark,
}

impl Anchor {
    pub(super) fn create(path: &Path, signer: SignerId, mark: Mark) -> Result<Self, RegisterError> {
        let anchor = Self {
            path: path.to_owned(),
            signer,
            mark,
        };
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let file = file.map_err(|error| open_error(path, error))?;
        write(file, &encode(signer, mark))
            .and_then(|()| sync_folder_of(path))
            .map_err(|error| io_error(path, error))?;
        Ok(anchor)
    }

    pub(super) fn open(path: &Path, signer: SignerId) -> Result<Self, RegisterError> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| open_error(path, error))?;
        // One more than there should be, to see whether there is more.
        let length = file.take(LEN as u64 + 1).read_to_end(&mut bytes);
        length.map_err(|error| io_error(path, error))?;
        let corrupt = RegisterError::Corrupt {
            path: path.to_owned(),
            at: 0,
        };
        Ok(Self {
            path: path.to_owned(),
            signer,
            mark: decode(&bytes, signer).ok_or(corrupt)?,
        })
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    /// Replaces the file and comes back when it is on disk.
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
        write(File::create(&beside)?, &encode(self.signer, self.mark))?;
        fs::rename(&beside, &self.path)?;
        sync_folder_of(&self.path)
    }
}

fn encode(signer: SignerId, mark: Mark) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LEN);
    bytes.extend(ANCHOR_TAG);
    bytes.extend(signer.as_bytes());
    bytes.extend(mark.entries.to_be_bytes());
    bytes.extend(mark.link);
    let checksum = Sha256::digest(&bytes);
    bytes.extend(checksum);
    bytes
}

fn write(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// How far the signer's journal has come; `None` when the bytes are anything but such an anchor.
fn decode(bytes: &[u8], signer: SignerId) -> Option<Mark> {
    let (_, rest) = bytes.split_at_checked(ANCHOR_TAG.len() + ID_LEN)?;
    let (entries, rest) = rest.split_first_chunk()?;
    let (link, _) = rest.split_first_chunk()?;
    let mark = Mark {
        entries: u64::from_be_bytes(*entries),
        link: *link,
    };
    // Also says whether tag, signer and checksum are right.
    (encode(signer, mark) == bytes).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::mutated;

    #[test]
    fn whatever_the_bytes_are_only_what_was_written_is_an_anchor() {
        let signer = SignerId::from_bytes([7; ID_LEN]);
        let mark = Mark {
            entries: 0x0102_0304,
            link: [9; HASH_LEN],
        };
        let whole = encode(signer, mark);
        assert_eq!(decode(&whole, signer), Some(mark));
        assert_eq!(decode(&whole, SignerId::from_bytes([8; ID_LEN])), None);
        for bytes in mutated(&whole, 3000) {
            let is_whole = bytes == whole;
            assert_eq!(decode(&bytes, signer), is_whole.then_some(mark));
        }
    }
}
