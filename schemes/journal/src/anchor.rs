//! The anchor: a small file that records how many entries the journal has. It is replaced atomically.
//!
//! `header || entries(8) || link(32) || SHA-256 of the preceding bytes`.

use crate::{
    disk,
    error::{FileError, FileFault},
    header::Header,
    mark::{Mark, HASH_LEN, MARK_LEN},
};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

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
    /// [`FileFault::Exists`] if a file of this name exists, or [`FileFault::Io`].
    pub fn create(path: &Path, header: Header, mark: Mark) -> Result<Self, FileError> {
        disk::write_new(path, &Self::encode(&header, mark))
            .map_err(|error| FileFault::creating(error).of(path))?;
        let path = path.to_owned();
        Ok(Self { path, header, mark })
    }

    /// Opens the anchor and checks that it begins with this header.
    ///
    /// # Errors
    /// [`FileFault::Missing`], [`Io`](FileFault::Io), or as [`Anchor::decode`].
    pub fn open(path: &Path, header: Header) -> Result<Self, FileError> {
        let mark = Self::read(path, &header).map_err(|fault| fault.of(path))?;
        let path = path.to_owned();
        Ok(Self { path, header, mark })
    }

    fn read(path: &Path, header: &Header) -> Result<Mark, FileFault> {
        let mut bytes = Vec::new();
        // One byte more than expected, to detect trailing bytes.
        let most = length(header) as u64 + 1;
        let file = File::open(path).map_err(FileFault::opening)?;
        file.take(most).read_to_end(&mut bytes)?;
        Self::decode(&bytes, header)
    }

    /// Encodes an anchor.
    pub fn encode(header: &Header, mark: Mark) -> Vec<u8> {
        let mut bytes = header.to_bytes();
        bytes.extend(mark.to_bytes());
        let checksum = Sha256::digest(&bytes);
        bytes.extend(checksum);
        bytes
    }

    /// Decodes an anchor that must begin with this header, and returns the journal's position.
    ///
    /// # Errors
    /// [`FileFault::Corrupt`] if the length or the checksum is wrong, [`OtherFile`](FileFault::OtherFile) or
    /// [`OtherOwner`](FileFault::OtherOwner).
    pub fn decode(bytes: &[u8], header: &Header) -> Result<Mark, FileFault> {
        let corrupt = || FileFault::Corrupt { at: 0 };
        let (content, checksum) = bytes.split_last_chunk().ok_or_else(corrupt)?;
        let is_whole = bytes.len() == length(header)
            && <[u8; HASH_LEN]>::from(Sha256::digest(content)) == *checksum;
        if !is_whole {
            return Err(corrupt());
        }
        let mark = header.strip(content)?;
        let mark = mark.try_into().map_err(|_| corrupt())?;
        Ok(Mark::from_bytes(mark))
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
    /// [`FileFault::Io`]. The position on disk is then unknown.
    pub fn move_to(&mut self, mark: Mark) -> Result<(), FileError> {
        if self.mark == mark {
            return Ok(());
        }
        self.mark = mark;
        disk::replace(&self.path, &Self::encode(&self.header, mark))
            .map_err(|error| FileFault::Io(error).of(&self.path))
    }
}

/// The length of an anchor in bytes.
const fn length(header: &Header) -> usize {
    header.length() + MARK_LEN + HASH_LEN
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
        let is_damaged = |bytes: &[u8]| {
            matches!(
                Anchor::decode(bytes, &HEADER),
                Err(FileFault::Corrupt { at: 0 })
            )
        };
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
        assert!(matches!(of(b"TAG", [6; 32]), Err(FileFault::OtherOwner)));
        assert!(matches!(of(b"GAT", [5; 32]), Err(FileFault::OtherFile)));
        // A correct checksum over content of the wrong length.
        let mut longer = [&HEADER.to_bytes()[..], &[0; 41]].concat();
        let checksum = Sha256::digest(&longer);
        longer.extend(checksum);
        let decoded = Anchor::decode(&longer, &HEADER);
        assert!(matches!(decoded, Err(FileFault::Corrupt { at: 0 })));
    }

    #[test]
    fn an_anchor_is_found_where_it_was_moved_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchor");
        let missing = Anchor::open(&path, HEADER).unwrap_err();
        assert!(matches!(missing.fault, FileFault::Missing), "{missing}");
        assert_eq!(missing.path, path);
        let start = Mark::start(&HEADER);
        let mut anchor = Anchor::create(&path, HEADER, start).unwrap();
        assert_eq!(Anchor::open(&path, HEADER).unwrap().mark(), start);
        anchor.move_to(mark()).unwrap();
        assert_eq!(anchor.mark(), mark());
        assert_eq!(Anchor::open(&path, HEADER).unwrap().mark(), mark());
        let again = Anchor::create(&path, HEADER, start).unwrap_err();
        assert!(matches!(again.fault, FileFault::Exists), "{again}");
        assert_eq!(Anchor::open(&path, HEADER).unwrap().mark(), mark());
    }
}
