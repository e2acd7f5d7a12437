//! The anchor: a small file that records how many entries the journal has. It is replaced atomically.
//!
//! `header || entries(8) || link(32) || SHA-256 of the preceding bytes`.

use crate::{
    disk,
    header::{Header, HeaderError},
    mark::{Mark, HASH_LEN},
};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};
use thiserror::Error;

const ENTRIES_LEN: usize = 8;

/// Why an anchor was rejected.
#[derive(Debug, Error)]
pub enum AnchorError {
    /// The length or the checksum is wrong.
    #[error("the anchor is damaged")]
    Damaged,
    /// The anchor is intact, but belongs to another owner.
    #[error("the anchor belongs to another owner")]
    OtherOwner,
    /// The file is missing or cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The anchor file: the journal's position on disk.
///
/// The anchor has no lock of its own. Hold the journal's lock while you move it.
#[derive(Debug)]
pub struct Anchor {
    path: PathBuf,
    header: Header,
    mark: Mark,
}

impl Anchor {
    /// Creates the anchor of a new journal. If writing fails, no file is left behind.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if a file of this name exists; otherwise any I/O error.
    pub fn create(path: &Path, header: Header, mark: Mark) -> io::Result<Self> {
        disk::write_new(path, &Self::encode(&header, mark))?;
        let path = path.to_owned();
        Ok(Self { path, header, mark })
    }

    /// Opens the anchor and checks that it begins with this header.
    ///
    /// # Errors
    /// See [`AnchorError`].
    pub fn open(path: &Path, header: Header) -> Result<Self, AnchorError> {
        let mut bytes = Vec::new();
        // One byte more than expected, to detect trailing bytes.
        let most = length(&header) as u64 + 1;
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        let mark = Self::decode(&bytes, &header)?;
        let path = path.to_owned();
        Ok(Self { path, header, mark })
    }

    /// Encodes an anchor.
    pub fn encode(header: &Header, mark: Mark) -> Vec<u8> {
        let mut bytes = header.to_bytes();
        bytes.extend(mark.entries.to_be_bytes());
        bytes.extend(mark.link);
        let checksum = Sha256::digest(&bytes);
        bytes.extend(checksum);
        bytes
    }

    /// Decodes an anchor that must begin with this header, and returns the journal's position.
    ///
    /// # Errors
    /// [`AnchorError::Damaged`] or [`AnchorError::OtherOwner`].
    pub fn decode(bytes: &[u8], header: &Header) -> Result<Mark, AnchorError> {
        let damaged = || AnchorError::Damaged;
        let (content, checksum) = bytes.split_last_chunk().ok_or_else(damaged)?;
        let is_whole = bytes.len() == length(header)
            && <[u8; HASH_LEN]>::from(Sha256::digest(content)) == *checksum;
        if !is_whole {
            return Err(AnchorError::Damaged);
        }
        let mark = header.strip(content).map_err(|error| match error {
            HeaderError::OtherFile => AnchorError::Damaged,
            HeaderError::OtherOwner => AnchorError::OtherOwner,
        })?;
        let (entries, link) = mark.split_first_chunk().ok_or_else(damaged)?;
        Ok(Mark {
            entries: u64::from_be_bytes(*entries),
            link: link.try_into().map_err(|_| AnchorError::Damaged)?,
        })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The journal's position.
    pub fn mark(&self) -> Mark {
        self.mark
    }

    /// Writes the journal's new position, and returns once it is on disk.
    ///
    /// # Errors
    /// Any I/O error. The position on disk is then unknown.
    pub fn move_to(&mut self, mark: Mark) -> io::Result<()> {
        if self.mark == mark {
            return Ok(());
        }
        self.mark = mark;
        disk::replace(&self.path, &Self::encode(&self.header, mark))
    }
}

/// The length of an anchor in bytes.
const fn length(header: &Header) -> usize {
    header.length() + ENTRIES_LEN + HASH_LEN + HASH_LEN
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header::new(b"TAG", [5; 32]);

    fn mark() -> Mark {
        Mark::start(&HEADER).after(b"entry")
    }

    #[test]
    fn an_anchor_with_any_bit_flipped_or_of_another_length_is_refused() {
        let bytes = Anchor::encode(&HEADER, mark());
        assert_eq!(bytes.len(), length(&HEADER));
        assert_eq!(Anchor::decode(&bytes, &HEADER).unwrap(), mark());
        let is_damaged =
            |bytes: &[u8]| matches!(Anchor::decode(bytes, &HEADER), Err(AnchorError::Damaged));
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(is_damaged(&flipped), "bit {bit}");
        }
        for cut in 0..bytes.len() {
            assert!(is_damaged(&bytes[..cut]), "{cut}");
        }
        assert!(is_damaged(&[&bytes[..], &[0]].concat()));
    }

    #[test]
    fn an_anchor_of_another_kind_or_owner_is_refused() {
        let bytes = Anchor::encode(&HEADER, mark());
        let of = |tag, owner| Anchor::decode(&bytes, &Header::new(tag, owner));
        assert!(matches!(of(b"TAG", [6; 32]), Err(AnchorError::OtherOwner)));
        assert!(matches!(of(b"GAT", [5; 32]), Err(AnchorError::Damaged)));
        // A correct checksum over content of the wrong length.
        let mut longer = [&HEADER.to_bytes()[..], &[0; 41]].concat();
        let checksum = Sha256::digest(&longer);
        longer.extend(checksum);
        let decoded = Anchor::decode(&longer, &HEADER);
        assert!(matches!(decoded, Err(AnchorError::Damaged)));
    }

    #[test]
    fn an_anchor_is_found_where_it_was_moved_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchor");
        let missing = Anchor::open(&path, HEADER);
        let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        assert!(matches!(missing, Err(AnchorError::Io(error)) if is_missing(&error)));
        let start = Mark::start(&HEADER);
        let mut anchor = Anchor::create(&path, HEADER, start).unwrap();
        assert_eq!(Anchor::open(&path, HEADER).unwrap().mark(), start);
        anchor.move_to(mark()).unwrap();
        assert_eq!(anchor.mark(), mark());
        assert_eq!(Anchor::open(&path, HEADER).unwrap().mark(), mark());
        let again = Anchor::create(&path, HEADER, start).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(Anchor::open(&path, HEADER).unwrap().mark(), mark());
    }
}
