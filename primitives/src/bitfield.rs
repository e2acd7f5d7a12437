//! Who signed: one bit per validator, lowest bit of the first byte first.

use crate::{
    bytes::decode_list, error::JustificationError, numbers::SignerIndex, suite::MAX_VALIDATORS,
};
use alloc::{vec, vec::Vec};
use codec::{
    Compact, CompactLen, Decode, DecodeWithMemTracking, Encode, Error, Input, MaxEncodedLen,
};
use duet_curve::is_set;
use scale_info::TypeInfo;

/// Who signed. Encoded as SCALE bytes; decoding refuses more than [`MAX_VALIDATORS`] bits before it allocates.
#[derive(Clone, Debug, PartialEq, Eq, Encode, DecodeWithMemTracking, TypeInfo)]
pub struct Bitfield(Vec<u8>);

const BITS: u32 = 8;

impl Decode for Bitfield {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        let limit = MAX_VALIDATORS.div_ceil(BITS);
        decode_list(input, limit, "JUST-2: the bitfield is longer than any set").map(Self)
    }
}

impl MaxEncodedLen for Bitfield {
    fn max_encoded_len() -> usize {
        let bytes = MAX_VALIDATORS.div_ceil(BITS);
        Compact::<u32>::compact_len(&bytes).saturating_add(bytes as usize)
    }
}

/// The padding bits of the last byte: those beyond `len` validators.
fn padding(len: u32) -> u8 {
    match len % BITS {
        0 => 0,
        used => u8::MAX << used,
    }
}

/// All positions of a set of `len`, ascending.
fn members(len: u32) -> impl Iterator<Item = SignerIndex> {
    (0..len).map(SignerIndex::new)
}

impl Bitfield {
    /// No signer of `len` validators.
    pub fn empty(len: u32) -> Self {
        Self(vec![0; len.div_ceil(BITS) as usize])
    }

    /// The given signers of `len` validators; positions outside the set are left out.
    pub fn from_indices(len: u32, indices: impl IntoIterator<Item = SignerIndex>) -> Self {
        let mut field = Self::empty(len);
        for index in indices
            .into_iter()
            .map(SignerIndex::get)
            .filter(|index| *index < len)
        {
            if let Some(byte) = field.0.get_mut((index / BITS) as usize) {
                *byte |= 1 << (index % BITS);
            }
        }
        field
    }

    /// The bytes as received, of any length and with any padding.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the bit of `index` is set.
    pub fn contains(&self, index: SignerIndex) -> bool {
        is_set(&self.0, index.to_usize())
    }

    /// How many bits are set.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|byte| byte.count_ones()).sum()
    }

    /// The signers of `len` validators, ascending.
    pub fn signers(&self, len: u32) -> impl Iterator<Item = SignerIndex> + '_ {
        members(len).filter(|index| self.contains(*index))
    }

    /// Who signed one of two things, in a set for which both have the right length.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let both = self.0.iter().zip(&other.0);
        Self(both.map(|(one, other)| one | other).collect())
    }

    /// The bitfield of the non-signers.
    pub(crate) fn complement(&self, len: u32) -> Self {
        let mut rest = Self(self.0.iter().map(|byte| !byte).collect());
        rest.0.resize(len.div_ceil(BITS) as usize, u8::MAX);
        if let Some(last) = rest.0.last_mut() {
            *last &= !padding(len);
        }
        rest
    }

    /// The non-signers of `len` validators, ascending.
    pub fn non_signers(&self, len: u32) -> impl Iterator<Item = SignerIndex> + '_ {
        members(len).filter(|index| !self.contains(*index))
    }

    /// JUST-2 and JUST-3: exactly as long as a set of `len` needs, and no padding bit is set.
    pub(crate) fn check(&self, len: u32) -> Result<(), JustificationError> {
        let expected = len.div_ceil(BITS) as usize;
        if self.0.len() != expected {
            return Err(JustificationError::BitfieldLength {
                expected,
                got: self.0.len(),
            });
        }
        match self.0.last() {
            Some(last) if last & padding(len) != 0 => Err(JustificationError::PaddingBits),
            _ => Ok(()),
        }
    }
}
