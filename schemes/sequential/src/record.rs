//! Records: a chain's signature, with the fingerprint and the message of each signer.
//!
//! ```text
//! record  0x01 | epoch (8) | envelope | for each hop: fingerprint (32) | length (4) | message
//! ```
//!
//! Numbers are big-endian. Every record has a unique encoding, because its signature has.

use crate::{
    chain::{ChainSignature, SignError, Statement, VerifyError},
    directory::{Epoch, KeyDirectory, KeyError},
    encoding::{read_head, ENVELOPE_HEAD},
    hash,
    keys::{Fingerprint, PublicKey},
    malformed::MalformedAggregate,
    raw::RawPrivate,
    reader::Reader,
    secret::SecretKey,
    suite::{tag, HopNumber, HASH_LEN},
};
use std::fmt;
use thiserror::Error;

const VERSION: u8 = 1;
/// The length of the header before the envelope.
const HEAD: usize = 9;

/// A claim that a signer signed a message. It has not been verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The fingerprint of the signer's key.
    pub fingerprint: Fingerprint,
    /// The message.
    pub message: Vec<u8>,
}

/// A chain of messages in transit. Well-formed, but not verified.
///
/// A record may be stored, forwarded and appended to. Do not act upon it or pay for it: that requires a
/// [`VerifiedRecord`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    epoch: Epoch,
    claims: Vec<Claim>,
    signature: ChainSignature,
}

/// The identifier of a record: the hash of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub [u8; HASH_LEN]);

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordId({self})")
    }
}

/// Why a record could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedRecord {
    /// Unknown version.
    #[error("unknown version {got}")]
    Version {
        /// The version.
        got: u8,
    },
    /// The bytes end too early.
    #[error("truncated")]
    CutOff,
    /// Bytes follow the record.
    #[error("{got} trailing bytes")]
    Trailing {
        /// The number of bytes that follow.
        got: usize,
    },
    /// The signature is malformed.
    #[error("malformed signature: {0}")]
    Aggregate(#[from] MalformedAggregate),
}

/// Why a message was not added to a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The length of the message does not fit four bytes.
    #[error("the message has {got} bytes, which is too long")]
    MessageTooLong {
        /// The length of the message.
        got: usize,
    },
    /// Signing failed.
    #[error(transparent)]
    Sign(#[from] SignError),
}

/// Why a record was not verified.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A key is not known. The record may be verified later.
    #[error("hop {hop}: unknown key {fingerprint}")]
    KeyUnavailable {
        /// The first hop with such a key.
        hop: HopNumber,
        /// The fingerprint of the key.
        fingerprint: Fingerprint,
    },
    /// A key was revoked before the record was begun.
    #[error("hop {hop}: key {fingerprint} is revoked")]
    KeyRevoked {
        /// The first hop with such a key.
        hop: HopNumber,
        /// The fingerprint of the key.
        fingerprint: Fingerprint,
    },
    /// The directory returned another key than the requested one. The directory is faulty; this says nothing about the
    /// record.
    #[error("hop {hop}: the directory returned key {got} for {expected}")]
    WrongKey {
        /// The first hop with such a key.
        hop: HopNumber,
        /// The requested fingerprint.
        expected: Fingerprint,
        /// The fingerprint of the returned key.
        got: Fingerprint,
    },
    /// The signature does not verify.
    #[error(transparent)]
    Signature(#[from] VerifyError),
}

/// Why the last hop could not be removed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PeelError {
    /// The key is not that of the last hop.
    #[error("the last hop's key is {expected}, not {got}")]
    WrongKey {
        /// The fingerprint of the last hop's key.
        expected: Fingerprint,
        /// The fingerprint of the given key.
        got: Fingerprint,
    },
    /// The last hop's number is not a possible output of the key's owner.
    #[error(transparent)]
    Signature(#[from] VerifyError),
}

/// A record with verified signatures, by keys that were valid in its epoch.
///
/// This does not relate the messages to each other; see [`VerifiedRecord::path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedRecord(Record);

fn claim(key: &PublicKey, message: &[u8]) -> Result<Claim, RecordError> {
    if u32::try_from(message.len()).is_err() {
        let got = message.len();
        return Err(RecordError::MessageTooLong { got });
    }
    Ok(Claim {
        fingerprint: key.fingerprint(),
        message: message.to_vec(),
    })
}

impl Record {
    /// Begins a record with the first hop's message and signature.
    ///
    /// # Errors
    /// The message is longer than 4 GiB, or signing failed.
    pub fn first<R: RawPrivate>(
        key: &SecretKey<R>,
        message: &[u8],
        epoch: Epoch,
    ) -> Result<Self, RecordError> {
        Ok(Self {
            epoch,
            claims: vec![claim(key.public(), message)?],
            signature: ChainSignature::first(key, message)?,
        })
    }

    /// Appends a hop to this record. It verifies nothing and needs no other key.
    ///
    /// # Errors
    /// The message is longer than 4 GiB, or signing failed.
    pub fn append<R: RawPrivate>(
        &self,
        key: &SecretKey<R>,
        message: &[u8],
    ) -> Result<Self, RecordError> {
        let claim = claim(key.public(), message)?;
        Ok(Self {
            epoch: self.epoch,
            signature: self.signature.append(key, message)?,
            claims: self.claims.iter().cloned().chain([claim]).collect(),
        })
    }

    /// Removes the last hop, whose key is `last`; `None` if there was only one hop. Anyone can do this: see
    /// [`ChainSignature::peel`].
    ///
    /// # Errors
    /// The key is not that of the last hop, or the last hop's number is not a possible output of its owner.
    pub fn peel(&self, last: &PublicKey) -> Result<Option<Self>, PeelError> {
        let Some((claim, rest)) = self.claims.split_last() else {
            return Ok(None);
        };
        let (expected, got) = (claim.fingerprint, last.fingerprint());
        if expected != got {
            return Err(PeelError::WrongKey { expected, got });
        }
        let statement = Statement {
            key: last,
            message: &claim.message,
        };
        let signature = self.signature.peel(&statement)?;
        Ok(signature.map(|signature| Self {
            epoch: self.epoch,
            claims: rest.to_vec(),
            signature,
        }))
    }

    /// The epoch that the record claims. It is signed only as part of an [`Attestation`](crate::Attestation).
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The claims, in the order of signing.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The signature, unverified.
    pub fn signature(&self) -> &ChainSignature {
        &self.signature
    }

    /// The identifier of the record.
    pub fn id(&self) -> RecordId {
        RecordId(hash::tagged(tag::RECORD, &[&self.to_bytes()]))
    }

    /// The encoding.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&self.epoch.0.to_be_bytes());
        bytes.extend_from_slice(&self.signature.to_bytes());
        for claim in &self.claims {
            // Records with longer messages cannot be constructed.
            let length = u32::try_from(claim.message.len()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&claim.fingerprint.0);
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(&claim.message);
        }
        bytes
    }

    /// Decodes what [`Record::to_bytes`] returns. Allocates no more memory than the input has.
    ///
    /// # Errors
    /// The first error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MalformedRecord> {
        let mut reader = Reader::new(bytes);
        match reader.u8() {
            Some(VERSION) => {}
            Some(got) => return Err(MalformedRecord::Version { got }),
            None => return Err(MalformedRecord::CutOff),
        }
        let epoch = Epoch(reader.u64().ok_or(MalformedRecord::CutOff)?);
        let (suite, hops) = read_head(bytes.get(HEAD..).unwrap_or_default())?;
        let envelope = reader
            .take(ENVELOPE_HEAD + suite.core_len(hops))
            .ok_or(MalformedRecord::CutOff)?;
        let signature = ChainSignature::from_bytes(envelope)?;
        let claims = (0..hops)
            .map(|_| read_claim(&mut reader).ok_or(MalformedRecord::CutOff))
            .collect::<Result<_, _>>()?;
        if !reader.rest().is_empty() {
            let got = reader.rest().len();
            return Err(MalformedRecord::Trailing { got });
        }
        Ok(Self {
            epoch,
            claims,
            signature,
        })
    }

    /// Looks up the keys as of the record's epoch, and verifies the signature.
    ///
    /// Cost: one public operation per hop.
    ///
    /// # Errors
    /// The first hop whose key is missing, revoked or not the requested one, or the reason why the signature is
    /// invalid.
    pub fn verify(&self, directory: &dyn KeyDirectory) -> Result<(), CheckError> {
        let mut keys = Vec::with_capacity(self.claims.len());
        for (index, Claim { fingerprint, .. }) in self.claims.iter().enumerate() {
            let (hop, fingerprint) = (HopNumber::at(index), *fingerprint);
            let key = directory.key(&fingerprint, self.epoch);
            let key = key.map_err(|error| match error {
                KeyError::KeyUnavailable => CheckError::KeyUnavailable { hop, fingerprint },
                KeyError::KeyRevoked => CheckError::KeyRevoked { hop, fingerprint },
            })?;
            let got = key.fingerprint();
            if got != fingerprint {
                let expected = fingerprint;
                return Err(CheckError::WrongKey { hop, expected, got });
            }
            keys.push(key);
        }
        let statements: Vec<_> = keys
            .iter()
            .zip(&self.claims)
            .map(|(key, Claim { message, .. })| Statement { key, message })
            .collect();
        Ok(self.signature.verify(&statements)?)
    }

    /// As [`Record::verify`], and converts the record into a verified one.
    ///
    /// # Errors
    /// As [`Record::verify`].
    pub fn check(self, directory: &dyn KeyDirectory) -> Result<VerifiedRecord, CheckError> {
        self.verify(directory)?;
        Ok(VerifiedRecord(self))
    }
}

fn read_claim(reader: &mut Reader<'_>) -> Option<Claim> {
    let fingerprint = Fingerprint(reader.array()?);
    let length = usize::try_from(reader.u32()?).ok()?;
    let message = reader.take(length)?.to_vec();
    Some(Claim {
        fingerprint,
        message,
    })
}

impl VerifiedRecord {
    /// A record whose stored verdict is trusted. The caller is responsible for the verdict.
    pub(crate) fn verified_before_unchecked(record: Record) -> Self {
        Self(record)
    }

    /// The record.
    pub fn record(&self) -> &Record {
        &self.0
    }
}
