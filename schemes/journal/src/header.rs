//! The header of a file: its type and its owner.

use thiserror::Error;

/// The type and the owner of a file: `tag || owner(32)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    tag: &'static [u8],
    owner: [u8; 32],
}

/// Why a header was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// The file is of another type.
    #[error("wrong file type")]
    OtherFile,
    /// The file is of the right type, but belongs to another owner.
    #[error("belongs to another owner")]
    OtherOwner,
}

impl Header {
    /// The header of files of the type `tag`. No tag may be a prefix of another tag.
    pub const fn new(tag: &'static [u8], owner: [u8; 32]) -> Self {
        Self { tag, owner }
    }

    /// The encoded header.
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.tag, &self.owner].concat()
    }

    /// The length in bytes.
    pub const fn length(&self) -> usize {
        self.tag.len() + self.owner.len()
    }

    /// Checks that `bytes` begin with this header, and returns the rest.
    ///
    /// # Errors
    /// See [`HeaderError`]. Too few bytes are also an error.
    pub fn strip<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], HeaderError> {
        let other_file = HeaderError::OtherFile;
        let owned = bytes.strip_prefix(self.tag).ok_or(other_file)?;
        let (owner, rest) = owned.split_first_chunk().ok_or(other_file)?;
        if *owner == self.owner {
            Ok(rest)
        } else {
            Err(HeaderError::OtherOwner)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_taken_off_where_it_is_whole_and_the_owners() {
        let header = Header::new(b"TAG", [1; 32]);
        let mut bytes = header.to_bytes();
        assert_eq!(bytes.len(), header.length());
        for cut in 0..bytes.len() {
            assert_eq!(header.strip(&bytes[..cut]), Err(HeaderError::OtherFile));
        }
        bytes.push(9);
        assert_eq!(header.strip(&bytes), Ok(&[9][..]));
        let other_file = Header::new(b"GAT", [1; 32]);
        assert_eq!(other_file.strip(&bytes), Err(HeaderError::OtherFile));
        let other_owner = Header::new(b"TAG", [2; 32]);
        assert_eq!(other_owner.strip(&bytes), Err(HeaderError::OtherOwner));
    }
}
