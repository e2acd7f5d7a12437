//! The statement that a voucher signs.
//!
//! ```text
//! statement  "DUET-VOUCH-V1" | genesis (32) | SHA-256 of the checkpoint (32) | time (8, big-endian) | modulus (256 or 384)
//! ```
//!
//! A statement carries its signer's whole key and not only the key's fingerprint. A chain of sequential signatures can
//! be verified only with all keys.

use duet_sequential::{BadPublicKey, PublicKey, Suite, Time};
use openssl::sha::sha256;
use std::fmt;
use thiserror::Error;

/// The prefix of every statement, so that its signature is valid for nothing else.
const TAG: &[u8; 13] = b"DUET-VOUCH-V1";
/// Bytes before the modulus.
const HEAD: usize = TAG.len() + 32 + 32 + 8;

/// SHA-256 of a checkpoint's canonical bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CheckpointHash(pub [u8; 32]);

/// The hash of a chain's genesis block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GenesisHash(pub [u8; 32]);

/// The subject of a statement: a checkpoint of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The chain. The checkpoint names it, too; here it identifies the record's chain without the checkpoint.
    pub genesis: GenesisHash,
    /// The checkpoint.
    pub checkpoint: CheckpointHash,
}

/// A voucher's statement: it trusted this checkpoint at that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The subject.
    pub subject: Subject,
    /// When it was signed, by the signer's clock.
    pub signed_at: Time,
    /// The signer's key.
    pub key: PublicKey,
}

/// Why bytes are not a statement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotAStatement {
    /// It is no statement of this version.
    #[error("not a voucher's statement: wrong prefix")]
    Tag,
    /// Too few or too many bytes for either size of key.
    #[error("invalid length of a voucher's statement: {got} bytes")]
    Length {
        /// The length.
        got: usize,
    },
    /// The key in it is refused.
    #[error("the statement's key is refused: {0}")]
    Key(#[from] BadPublicKey),
}

impl Subject {
    /// A checkpoint of a chain, by the checkpoint's canonical bytes.
    pub fn new(genesis: GenesisHash, checkpoint: &[u8]) -> Self {
        Self {
            genesis,
            checkpoint: CheckpointHash(sha256(checkpoint)),
        }
    }
}

impl Statement {
    /// The encoding, which is signed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Subject {
            genesis,
            checkpoint,
        } = &self.subject;
        [
            TAG.as_slice(),
            &genesis.0,
            &checkpoint.0,
            &self.signed_at.0.to_be_bytes(),
            self.key.as_bytes(),
        ]
        .concat()
    }

    /// Decodes what [`Statement::to_bytes`] returns.
    ///
    /// Cost: about a millisecond, for the checks of the key.
    ///
    /// # Errors
    /// The first check that fails, in the order of [`NotAStatement`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAStatement> {
        let wrong_length = NotAStatement::Length { got: bytes.len() };
        let Some(rest) = bytes.strip_prefix(TAG) else {
            return Err(NotAStatement::Tag);
        };
        let modulus = bytes.len().checked_sub(HEAD);
        if modulus.and_then(Suite::from_modulus_len).is_none() {
            return Err(wrong_length);
        }
        let parts = || {
            let (genesis, rest) = rest.split_first_chunk()?;
            let (checkpoint, rest) = rest.split_first_chunk()?;
            let (time, modulus) = rest.split_first_chunk()?;
            let subject = Subject {
                genesis: GenesisHash(*genesis),
                checkpoint: CheckpointHash(*checkpoint),
            };
            Some((subject, Time(u64::from_be_bytes(*time)), modulus))
        };
        let (subject, signed_at, modulus) = parts().ok_or(wrong_length)?;
        Ok(Self {
            subject,
            signed_at,
            key: PublicKey::from_bytes(modulus)?,
        })
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

impl fmt::Display for CheckpointHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Debug for CheckpointHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CheckpointHash({self})")
    }
}

impl fmt::Display for GenesisHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        hex(&self.0, f)
    }
}

impl fmt::Debug for GenesisHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GenesisHash({self})")
    }
}
