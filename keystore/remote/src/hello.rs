//! The first frame in each direction, by which both sides know that they speak the same protocol.

use codec::{Decode, DecodeAll, Encode};

/// The version of the protocol. Both sides have the same one, or they part.
pub const VERSION: u16 = 1;
/// What a hello begins with, so that neither side takes another service for a peer.
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
    /// It is another service.
    #[error("the other side does not speak the protocol of Duet's signers")]
    OtherService,
    /// It has another version.
    #[error(
        "the other side speaks version {got} of the protocol, and this program version {expected}"
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

    /// What this program says.
    pub const OURS: Self = Self::with_version(VERSION);

    /// What a program of another version would say.
    pub const fn with_version(version: u16) -> Self {
        Self {
            magic: MAGIC,
            version,
        }
    }

    /// Checks what the other side said.
    ///
    /// # Errors
    /// [`HelloError`] when it is not what this program says.
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
