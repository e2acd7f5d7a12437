//! The first frame in each direction, which shows that both sides speak the same protocol.

use codec::{Decode, DecodeAll, Encode};

/// The version of the protocol. If the versions differ, the connection ends.
pub const VERSION: u16 = 1;
/// The prefix of a hello, so that neither side takes another service for a peer.
pub const MAGIC: [u8; 8] = *b"duetsign";

/// The first frame in each direction: the client's, then the signer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Hello {
    magic: [u8; 8],
    version: u16,
}

/// Why the other side's hello was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HelloError {
    /// The other side is another service.
    #[error("the other side does not speak the Duet signer protocol")]
    OtherService,
    /// The other side has another version.
    #[error(
        "the other side speaks protocol version {got}, but this program speaks version {expected}"
    )]
    Version {
        /// The version of this program.
        expected: u16,
        /// The version of the other side.
        got: u16,
    },
}

impl Hello {
    /// Bytes of a hello.
    pub const LEN: u32 = 10;

    /// The hello of this program.
    pub const OURS: Self = Self::with_version(VERSION);

    /// The hello of a program with another version.
    pub const fn with_version(version: u16) -> Self {
        Self {
            magic: MAGIC,
            version,
        }
    }

    /// Checks the other side's hello.
    ///
    /// # Errors
    /// [`HelloError`] when it differs from this program's.
    pub fn check(bytes: &[u8]) -> Result<(), HelloError> {
        let hello = Self::decode_all(&mut &*bytes).map_err(|_| HelloError::OtherService)?;
        if hello.magic != MAGIC {
            return Err(HelloError::OtherService);
        }
        let (expected, got) = (VERSION, hello.version);
        if got != expected {
            return Err(HelloError::Version { expected, got });
        }
        Ok(())
    }
}
