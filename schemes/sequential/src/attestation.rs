//! Messages that say where in a path they belong, so that a chain cannot be shortened, extended or rearranged.
//!
//! The signature alone says that some owners of keys each signed some message. Whoever relays something signs an
//! [`Attestation`] instead of bare bytes, and the receiver asks for the whole [`Path`].

use crate::{
    directory::Epoch,
    hash,
    keys::Fingerprint,
    reader::Reader,
    record::VerifiedRecord,
    suite::{tag, HopNumber, HASH_LEN},
};
use std::fmt;
use thiserror::Error;

/// A point in time, in whatever unit an application counts in: seconds, blocks. It is always passed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Whoever sends, relays, receives or verifies: a signer by its fingerprint, others by a name that is hashed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Party(pub [u8; HASH_LEN]);

impl Party {
    /// The party with this name.
    pub fn named(name: &str) -> Self {
        Self(hash::tagged(tag::PARTY, &[name.as_bytes()]))
    }
}

impl From<Fingerprint> for Party {
    fn from(fingerprint: Fingerprint) -> Self {
        Self(fingerprint.0)
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Party({self})")
    }
}

/// What one hop of a path says, and signs as its message.
///
/// ```text
/// "BGR-V01-ATTEST" | payload (32) | hop (1) | from (32) | own (32) | to (32) | epoch (8) | expires (8) | fee (8)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// The hash of what is relayed; the same at every hop.
    pub payload: [u8; HASH_LEN],
    /// The place of this hop.
    pub hop: HopNumber,
    /// From whom it came.
    pub from: Party,
    /// The signer itself.
    pub own: Fingerprint,
    /// To whom it goes.
    pub to: Party,
    /// The record's epoch, which thereby is signed.
    pub epoch: Epoch,
    /// After this time the path is worth nothing.
    pub expires: Time,
    /// What the hop asks for its work.
    pub fee: u64,
}

/// A message that is no attestation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not an attestation")]
pub struct NotAnAttestation;

/// Why a verified record is no path to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// A message says nothing about a path.
    #[error("hop {hop}: the message is not an attestation")]
    NotAnAttestation {
        /// Whose message it is.
        hop: HopNumber,
    },
    /// A hop signed for another place.
    #[error("hop {hop}: signed as hop {got}")]
    Place {
        /// The place in the chain.
        hop: HopNumber,
        /// The place that was signed.
        got: HopNumber,
    },
    /// A hop signed under another name than its key's.
    #[error("hop {hop}: signed in another's name")]
    Own {
        /// The place in the chain.
        hop: HopNumber,
    },
    /// A hop names another predecessor than the one it has.
    #[error("hop {hop}: names another predecessor")]
    From {
        /// The place in the chain.
        hop: HopNumber,
    },
    /// A hop names another successor than the one it has; at the last hop, another receiver.
    #[error("hop {hop}: names another successor")]
    To {
        /// The place in the chain.
        hop: HopNumber,
    },
    /// A hop relayed something else than the first one.
    #[error("hop {hop}: relayed something else")]
    Payload {
        /// The place in the chain.
        hop: HopNumber,
    },
    /// A hop signed for another epoch than the record's.
    #[error("hop {hop}: signed for another epoch")]
    Epoch {
        /// The place in the chain.
        hop: HopNumber,
    },
    /// The path came too late.
    #[error("hop {hop}: expired")]
    Expired {
        /// The first hop whose time is over.
        hop: HopNumber,
    },
    /// A signer is in the path twice.
    #[error("hop {hop}: the signer was there before, as hop {first}")]
    RepeatedHop {
        /// The later place.
        hop: HopNumber,
        /// The earlier place.
        first: HopNumber,
    },
}

/// A whole path: every hop names the next one, from the sender to the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    hops: Vec<Attestation>,
}

impl Path {
    /// What each hop said, the first one first; never empty.
    pub fn hops(&self) -> &[Attestation] {
        &self.hops
    }

    /// What the hops ask for together; `None` when it does not fit.
    pub fn fee(&self) -> Option<u64> {
        self.hops
            .iter()
            .try_fold(0_u64, |sum, hop| sum.checked_add(hop.fee))
    }
}

impl Attestation {
    /// The hash that stands for what is relayed: `SHA-256("BGR-V01-PAYLOAD" || bytes)`.
    pub fn payload_hash(bytes: &[u8]) -> [u8; HASH_LEN] {
        hash::tagged(tag::PAYLOAD, &[bytes])
    }

    /// The bytes that are signed.
    pub fn to_bytes(&self) -> Vec<u8> {
        [
            tag::ATTESTATION,
            &self.payload,
            &[self.hop.get()],
            &self.from.0,
            &self.own.0,
            &self.to.0,
            &self.epoch.0.to_be_bytes(),
            &self.expires.0.to_be_bytes(),
            &self.fee.to_be_bytes(),
        ]
        .concat()
    }

    /// Reads what [`Attestation::to_bytes`] wrote, all of it.
    ///
    /// # Errors
    /// The bytes are anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAnAttestation> {
        Self::read(bytes).ok_or(NotAnAttestation)
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        if reader.take(tag::ATTESTATION.len())? != tag::ATTESTATION {
            return None;
        }
        let attestation = Self {
            payload: reader.array()?,
            hop: HopNumber::new(reader.u8()?.into()).ok()?,
            from: Party(reader.array()?),
            own: Fingerprint(reader.array()?),
            to: Party(reader.array()?),
            epoch: Epoch(reader.u64()?),
            expires: Time(reader.u64()?),
            fee: reader.u64()?,
        };
        reader.rest().is_empty().then_some(attestation)
    }
}

impl VerifiedRecord {
    /// The path that the messages describe, if they describe one that ends at `receiver` and is not over at `now`.
    ///
    /// A record that was shortened, rearranged or extended by a stranger is none.
    ///
    /// # Security
    /// Every hop signs the epoch, so nobody moves an honest hop's statement to another one. Whoever holds a revoked key
    /// can still begin a record that claims an epoch of before: how old an epoch may be is for the receiver to say.
    ///
    /// # Errors
    /// The first hop that does not fit, and how.
    pub fn path(&self, receiver: Party, now: Time) -> Result<Path, PathError> {
        let claims = self.record().claims();
        let mut hops: Vec<Attestation> = Vec::with_capacity(claims.len());
        for (index, claim) in claims.iter().enumerate() {
            let hop = HopNumber::at(index);
            let said = Attestation::from_bytes(&claim.message)
                .map_err(|NotAnAttestation| PathError::NotAnAttestation { hop })?;
            let next = claims.get(index + 1);
            let to = next.map_or(receiver, |next| next.fingerprint.into());
            let previous = hops.last();
            if said.hop != hop {
                return Err(PathError::Place { hop, got: said.hop });
            }
            if said.own != claim.fingerprint {
                return Err(PathError::Own { hop });
            }
            if previous.is_some_and(|previous| said.from != previous.own.into()) {
                return Err(PathError::From { hop });
            }
            if said.to != to {
                return Err(PathError::To { hop });
            }
            if previous.is_some_and(|previous| said.payload != previous.payload) {
                return Err(PathError::Payload { hop });
            }
            if said.epoch != self.record().epoch() {
                return Err(PathError::Epoch { hop });
            }
            if said.expires < now {
                return Err(PathError::Expired { hop });
            }
            if let Some(first) = hops.iter().find(|earlier| earlier.own == said.own) {
                let first = first.hop;
                return Err(PathError::RepeatedHop { hop, first });
            }
            hops.push(said);
        }
        Ok(Path { hops })
    }
}
