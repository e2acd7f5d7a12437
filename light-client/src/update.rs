//! The objects that untrusted servers send. Decoding is bounded, takes all of the bytes, and checks nothing else.

use crate::{
    error::Error,
    start::{decode_keys, StartProof},
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use codec::{Decode, DecodeAll, Encode, Input};
use duet_primitives::{
    suite::MAX_VALIDATORS, Commitment, Pk1Bytes, SetId, StatelessProof, UncheckedJustification,
};

/// The most bytes that any answer may have: three times the keys of the largest set.
pub const MAX_ANSWER_LEN: usize = 3 * KEYS_LEN;

const KEYS_LEN: usize = MAX_VALIDATORS as usize * Pk1Bytes::LEN;
/// A commitment, a bitfield of the largest set and two points take less.
const JUSTIFICATION_LEN: usize = MAX_VALIDATORS as usize / 8 + 1024;
/// Below the keys of the largest set: at most a third may be non-signers, and each costs few hashes.
const STATELESS_LEN: usize = 2 * KEYS_LEN;

/// An authority-set handoff proof: the justification by which a set names its successor, and the keys of that one.
/// Decoding refuses more keys than any set has, before it allocates. (ENC-6)
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct HandoffProof {
    /// The signing set's proof for its mandatory block.
    pub justification: UncheckedJustification,
    /// The keys of the set that it names as the next one, in set order.
    pub next_keys: Vec<Pk1Bytes>,
}

impl Decode for HandoffProof {
    fn decode<I: Input>(input: &mut I) -> Result<Self, codec::Error> {
        Ok(Self {
            justification: Decode::decode(input)?,
            next_keys: decode_keys(input)?,
        })
    }
}

/// One proof, in one of the forms in which servers send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// A proof for clients with the set's keys.
    Justification(UncheckedJustification),
    /// A handoff proof with the keys of the next set.
    Handoff(HandoffProof),
    /// A proof for clients with only a commitment.
    Stateless(StatelessProof),
}

impl Update {
    /// The commitment that the validators signed, as the sender claims.
    pub fn commitment(&self) -> &Commitment {
        &self.justification().commitment
    }

    /// The justification in it.
    pub fn justification(&self) -> &UncheckedJustification {
        match self {
            Self::Justification(justification) => justification,
            Self::Handoff(proof) => &proof.justification,
            Self::Stateless(proof) => &proof.justification,
        }
    }

    /// The same proof under the id of another set, without the keys of a next set.
    pub(crate) fn with_set_id(&self, set: SetId) -> Self {
        let mut justification = self.justification().clone();
        justification.commitment.validator_set_id = set;
        match self {
            Self::Stateless(proof) => Self::Stateless(StatelessProof {
                justification,
                ..proof.clone()
            }),
            Self::Justification(_) | Self::Handoff(_) => Self::Justification(justification),
        }
    }

    /// The keys of the next set, where they are sent along.
    pub(crate) fn next_keys(&self) -> Option<&[Pk1Bytes]> {
        match self {
            Self::Handoff(proof) => Some(&proof.next_keys),
            Self::Justification(_) | Self::Stateless(_) => None,
        }
    }

    /// How many bytes the proof takes, without the keys of a next set.
    pub fn proof_len(&self) -> usize {
        match self {
            Self::Stateless(proof) => proof.encoded_size(),
            Self::Justification(_) | Self::Handoff(_) => self.justification().encoded_size(),
        }
    }
}

impl From<UncheckedJustification> for Update {
    fn from(justification: UncheckedJustification) -> Self {
        Self::Justification(justification)
    }
}

impl From<HandoffProof> for Update {
    fn from(proof: HandoffProof) -> Self {
        Self::Handoff(proof)
    }
}

impl From<StatelessProof> for Update {
    fn from(proof: StatelessProof) -> Self {
        Self::Stateless(proof)
    }
}

/// A type that [`decode`] reads: its name for errors, and its largest size.
pub trait Received: Decode {
    /// The name of the type.
    const NAME: &'static str;
    /// The most bytes that are decoded.
    const MAX_LEN: usize;
}

impl Received for UncheckedJustification {
    const NAME: &'static str = "justification";
    const MAX_LEN: usize = JUSTIFICATION_LEN;
}

impl Received for StatelessProof {
    const NAME: &'static str = "stateless proof";
    const MAX_LEN: usize = STATELESS_LEN;
}

impl Received for HandoffProof {
    const NAME: &'static str = "handoff proof";
    const MAX_LEN: usize = JUSTIFICATION_LEN + KEYS_LEN + 4;
}

impl Received for Vec<HandoffProof> {
    const NAME: &'static str = "list of handoff proofs";
    const MAX_LEN: usize = MAX_ANSWER_LEN;
}

impl Received for Vec<StatelessProof> {
    const NAME: &'static str = "list of stateless proofs";
    const MAX_LEN: usize = MAX_ANSWER_LEN;
}

impl Received for StartProof {
    const NAME: &'static str = "start proof";
    const MAX_LEN: usize = MAX_ANSWER_LEN;
}

impl Received for Vec<Pk1Bytes> {
    const NAME: &'static str = "list of keys";
    const MAX_LEN: usize = KEYS_LEN + 4;
}

/// Decodes an object from an untrusted sender. (ENC-6)
///
/// # Errors
/// [`Error::Malformed`] when there are too many bytes, when they do not decode, or when some are left over.
pub fn decode<T: Received>(bytes: &[u8]) -> Result<T, Error> {
    let malformed = |reason| Error::Malformed {
        object: T::NAME,
        reason,
    };
    if bytes.len() > T::MAX_LEN {
        return Err(malformed(alloc::format!(
            "{} bytes, above the limit of {}",
            bytes.len(),
            T::MAX_LEN
        )));
    }
    T::decode_all(&mut &*bytes).map_err(|error| malformed(on_one_line(&error.to_string())))
}

/// The codec reports each field on the way to the error on a line of its own.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
