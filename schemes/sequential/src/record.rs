//! What travels: a chain's signature together with who signed what, by fingerprint.
//!
//! ```text
//! record  0x01 | epoch (8) | envelope | for each hop: fingerprint (32) | length (4) | message
//! ```
//!
//! Numbers are big-endian. A record has one spelling, as its signature has.

use crate::{
    chain::{ChainSignature, SignError, Statement, VerifyError},
    directory::{Epoch, KeyDirectory, KeyError},
    encoding::{read_head, MalformedAggregate, ENVELOPE_HEAD},
    hash,
    keys::{Fingerprint, PublicKey},
    raw::RawPrivate,
    reader::Reader,
    secret::SecretKey,
    suite::{tag, HopNumber, HASH_LEN},
};
use std::fmt;
use thiserror::Error;

const VERSION: u8 = 1;
/// Bytes before the envelope.
const HEAD: usize = 9;

/// Who signed what; nothing is known about whether it is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The signer's key.
    pub fingerprint: Fingerprint,
    /// What it signed.
    pub message: Vec<u8>,
}

/// A chain of attestations on its way. Well formed, and not verified.
///
/// It may be stored, forwarded and appended to as it is. It must not be acted upon or paid for: that takes a
/// [`VerifiedRecord`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    epoch: Epoch,
    claims: Vec<Claim>,
    signature: ChainSignature,
}

/// The hash of a record's bytes: the same for the same record, and another for every other.
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

/// Why bytes are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedRecord {
    /// The version is unknown.
    #[error("version {got} is unknown")]
    Version {
        /// The version that was announced.
        got: u8,
    },
    /// The bytes end too early.
    #[error("cut off")]
    CutOff,
    /// Something follows.
    #[error("{got} bytes too many")]
    Trailing {
        /// The bytes that follow.
        got: usize,
    },
    /// The signature is malformed.
    #[error("malformed signature: {0}")]
    Aggregate(#[from] MalformedAggregate),
}

/// Why a message is not added to a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// The message has more bytes than four of them can count.
    #[error("a message of {got} bytes")]
    MessageTooLong {
        /// The bytes of the message.
        got: usize,
    },
    /// Nothing was signed.
    #[error(transparent)]
    Sign(#[from] SignError),
}

/// Why a record is not verified.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckError {
    /// A key is not known; the record may be verified later.
    #[error("hop {hop}: key {fingerprint} is not known")]
    KeyUnavailable {
        /// The first hop with such a key.
        hop: HopNumber,
        /// What the key is called by.
        fingerprint: Fingerprint,
    },
    /// A key was revoked when the record was begun.
    #[error("hop {hop}: key {fingerprint} is revoked")]
    KeyRevoked {
        /// The first hop with such a key.
        hop: HopNumber,
        /// What the key is called by.
        fingerprint: Fingerprint,
    },
    /// The directory answered with another key than it was asked for: it is broken, and nothing is known about the record.
    #[error("hop {hop}: the directory has key {got} under {expected}")]
    WrongKey {
        /// The first hop with such a key.
        hop: HopNumber,
        /// What the key is called by.
        expected: Fingerprint,
        /// What the key that came is called by.
        got: Fingerprint,
    },
    /// The signature does not verify.
    #[error(transparent)]
    Signature(#[from] VerifyError),
}

/// Why the last hop is not taken off a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PeelError {
    /// The key is not the last hop's.
    #[error("key {got} is not the last hop's, {expected}")]
    WrongKey {
        /// What the last hop's key is called by.
        expected: Fingerprint,
        /// What the key that was given is called by.
        got: Fingerprint,
    },
    /// The last hop's number is not one that the key's owner can have made.
    #[error(transparent)]
    Signature(#[from] VerifyError),
}

/// A record whose signatures hold, by keys that were good in its epoch.
///
/// Whether the messages belong together is for the application to say: see [`VerifiedRecord::path`].
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
    /// Begins a record: the first hop's message and signature.
    ///
    /// # Errors
    /// The message is longer than 4 GiB, or nothing was signed.
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

    /// This record with one more hop. Nothing is verified, and no other key is needed.
    ///
    /// # Errors
    /// The message is longer than 4 GiB, or nothing was signed.
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

    /// The record as it was before its last hop, whose key this is; `None` when there was nothing before. Anybody can
    /// do this: see [`ChainSignature::peel`].
    ///
    /// # Errors
    /// The key is another one, or the last hop's number is not one that its owner can have made.
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

    /// When the record was begun, as its bytes say. No signature covers it by itself: an
    /// [`Attestation`](crate::Attestation) does.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Who is said to have signed what, the first signer first.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The signature, unverified.
    pub fn signature(&self) -> &ChainSignature {
        &self.signature
    }

    /// The hash of the record's bytes.
    pub fn id(&self) -> RecordId {
        RecordId(hash::tagged(tag::RECORD, &[&self.to_bytes()]))
    }

    /// The encoding.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&self.epoch.0.to_be_bytes());
        bytes.extend_from_slice(&self.signature.to_bytes());
        for claim in &self.claims {
            // Messages that four bytes cannot count are turned away when they come in.
            let length = u32::try_from(claim.message.len()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&claim.fingerprint.0);
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(&claim.message);
        }
        bytes
    }

    /// Reads what [`Record::to_bytes`] wrote, all of it. Takes no more memory than the bytes have.
    ///
    /// # Errors
    /// The first thing that is wrong.
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

    /// Looks the keys up as of the record's epoch and verifies the signature.
    ///
    /// Cost: one public operation per hop.
    ///
    /// # Errors
    /// The first hop whose key is missing, revoked or not the one that was asked for, or why the signature does not verify.
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

    /// As [`Record::verify`]; what was received becomes what may be acted upon.
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
    /// A record that was verified before, and whose verdict was kept since by whoever may be trusted with it.
    pub(crate) fn verified_before_unchecked(record: Record) -> Self {
        Self(record)
    }

    /// The record.
    pub fn record(&self) -> &Record {
        &self.0
    }
}
