//! Attestations: messages that state their place in a path, so that a chain cannot be shortened, extended or
//! rearranged.
//!
//! The signature alone proves that some key holders each signed some message. A relay therefore signs an
//! [`Attestation`] instead of a bare message, and the receiver requires the whole [`Path`].

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

/// A point in time, in the unit of the application, for example seconds or blocks. Always passed in by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A sender, relay, receiver or verifier: a signer by its fingerprint, any other party by the hash of its name.
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

/// The message that one hop of a path signs.
///
/// ```text
/// "BGR-V01-ATTEST" | payload (32) | hop (1) | from (32) | own (32) | to (32) | epoch (8) | expires (8) | fee (8)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// The hash of the payload; the same for every hop.
    pub payload: [u8; HASH_LEN],
    /// The position of this hop.
    pub hop: HopNumber,
    /// The predecessor.
    pub from: Party,
    /// The signer.
    pub own: Fingerprint,
    /// The successor.
    pub to: Party,
    /// The epoch of the record. It is signed as part of the message.
    pub epoch: Epoch,
    /// The path is invalid after this time.
    pub expires: Time,
    /// The fee that the hop asks for.
    pub fee: u64,
}

/// A message is not an attestation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not an attestation")]
pub struct NotAnAttestation;

/// Why a verified record is not a path to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PathError {
    /// A message is not an attestation.
    #[error("hop {hop}: the message is not an attestation")]
    NotAnAttestation {
        /// The hop.
        hop: HopNumber,
    },
    /// A hop signed another position.
    #[error("hop {hop}: signed at position {got}")]
    Place {
        /// The hop.
        hop: HopNumber,
        /// The signed position.
        got: HopNumber,
    },
    /// A hop signed under a name that is not its key's.
    #[error("hop {hop}: the signed name does not match the key")]
    Own {
        /// The hop.
        hop: HopNumber,
    },
    /// A hop names another predecessor than the actual one.
    #[error("hop {hop}: names another predecessor")]
    From {
        /// The hop.
        hop: HopNumber,
    },
    /// A hop names another successor than the actual one; for the last hop, another receiver.
    #[error("hop {hop}: names another successor")]
    To {
        /// The hop.
        hop: HopNumber,
    },
    /// A hop signed another payload than the first hop.
    #[error("hop {hop}: signed another payload")]
    Payload {
        /// The hop.
        hop: HopNumber,
    },
    /// A hop signed another epoch than that of the record.
    #[error("hop {hop}: signed another epoch")]
    Epoch {
        /// The hop.
        hop: HopNumber,
    },
    /// The path has expired.
    #[error("hop {hop}: expired")]
    Expired {
        /// The first expired hop.
        hop: HopNumber,
    },
    /// A signer appears twice in the path.
    #[error("hop {hop}: the signer is also hop {first}")]
    RepeatedHop {
        /// The later hop.
        hop: HopNumber,
        /// The earlier hop.
        first: HopNumber,
    },
}

/// A complete path: every hop names the next one, from the sender to the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    hops: Vec<Attestation>,
}

impl Path {
    /// The attestations in order; never empty.
    pub fn hops(&self) -> &[Attestation] {
        &self.hops
    }

    /// The sum of the fees; `None` if it overflows.
    pub fn fee(&self) -> Option<u64> {
        self.hops
            .iter()
            .try_fold(0_u64, |sum, hop| sum.checked_add(hop.fee))
    }
}

impl Attestation {
    /// The hash of a payload: `SHA-256("BGR-V01-PAYLOAD" || bytes)`.
    pub fn payload_hash(bytes: &[u8]) -> [u8; HASH_LEN] {
        hash::tagged(tag::PAYLOAD, &[bytes])
    }

    /// The encoding, which is signed.
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

    /// Decodes an attestation.
    ///
    /// # Errors
    /// The bytes are not the encoding of an attestation.
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
    /// Checks that the messages form a path that ends at `receiver` and has not expired at `now`.
    ///
    /// This fails for a record that was shortened, rearranged or extended by a stranger.
    ///
    /// # Security
    /// Every hop signs the epoch, so an honest hop's attestation cannot be moved to another epoch. The holder of a
    /// revoked key can still begin a record that claims an earlier epoch: the receiver must limit the age of epochs.
    ///
    /// # Errors
    /// The first hop that breaks a rule, and the rule.
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
