//! The encoding of signatures.
//!
//! ```text
//! core      x (K/8) | h (32) | r of each hop (16) | overflow bits (⌈n/8⌉, that of the first hop in the lowest bit)
//! envelope  0x01 | suite (1 = RSA-2048, 2 = RSA-3072) | n (2, big-endian) | core
//! ```
//!
//! Every signature has a unique encoding: lengths are exact, and the highest bit of `x` and the unused bits at the end
//! are zero.

use crate::{
    chain::{ChainSignature, Hop, Link},
    malformed::MalformedAggregate,
    suite::{HopNumber, Suite, HASH_LEN, RANDOMNESS_LEN},
};

const VERSION: u8 = 1;
/// The length of the envelope's header.
pub(crate) const ENVELOPE_HEAD: usize = 4;

impl ChainSignature {
    /// Encodes the signature without suite and number of hops: `K/8 + 32 + 16n + ⌈n/8⌉` bytes.
    pub fn to_core(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.suite().core_len(self.hops().len()));
        self.push_core(&mut bytes);
        bytes
    }

    /// Encodes the signature with its suite and number of hops.
    pub fn to_bytes(&self) -> Vec<u8> {
        let n = self.hops().len();
        let mut bytes = Vec::with_capacity(ENVELOPE_HEAD + self.suite().core_len(n));
        bytes.extend_from_slice(&[VERSION, self.suite().id()]);
        // There are from 1 to 255 hops, so the first byte is zero.
        bytes.extend_from_slice(&[0, HopNumber::at(n.saturating_sub(1)).get()]);
        self.push_core(&mut bytes);
        bytes
    }

    fn push_core(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.link().x());
        bytes.extend_from_slice(self.link().h());
        for hop in self.hops() {
            bytes.extend_from_slice(&hop.randomness);
        }
        bytes.extend(self.hops().chunks(8).map(|hops| {
            let bits = hops.iter().enumerate();
            bits.fold(0, |byte, (bit, hop)| byte | u8::from(hop.overflow) << bit)
        }));
    }

    /// Decodes what [`ChainSignature::to_bytes`] returns.
    ///
    /// # Errors
    /// The first error, in the order of [`MalformedAggregate`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MalformedAggregate> {
        let (suite, hops) = read_head(bytes)?;
        let core = bytes.get(ENVELOPE_HEAD..).unwrap_or_default();
        Self::from_core(suite, hops, core)
    }

    /// Decodes what [`ChainSignature::to_core`] returns, for a known suite and number of hops.
    ///
    /// # Errors
    /// The number of hops, the length, the highest bit of `x`, or the padding bits.
    pub fn from_core(suite: Suite, hops: usize, core: &[u8]) -> Result<Self, MalformedAggregate> {
        HopNumber::new(hops)?;
        let wrong_length = MalformedAggregate::Length {
            expected: suite.core_len(hops),
            got: core.len(),
        };
        if core.len() != suite.core_len(hops) {
            return Err(wrong_length);
        }
        let (x, rest) = core
            .split_at_checked(suite.modulus_len())
            .ok_or(wrong_length)?;
        let (h, rest) = rest.split_first_chunk::<HASH_LEN>().ok_or(wrong_length)?;
        let (randomness, bits) = rest
            .split_at_checked(RANDOMNESS_LEN * hops)
            .ok_or(wrong_length)?;
        let link = Link::new(suite, x, *h)?;
        let unused = hops.next_multiple_of(8) - hops;
        if unused != 0 && bits.last().is_some_and(|last| last >> (8 - unused) != 0) {
            return Err(MalformedAggregate::Padding);
        }
        let bits = bits
            .iter()
            .flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        let hops = randomness
            .as_chunks::<RANDOMNESS_LEN>()
            .0
            .iter()
            .zip(bits)
            .map(|(randomness, overflow)| Hop {
                randomness: *randomness,
                overflow,
            })
            .collect();
        Ok(Self::from_parts(link, hops)?)
    }
}

/// The suite and the number of hops in the header of an envelope.
pub(crate) fn read_head(bytes: &[u8]) -> Result<(Suite, usize), MalformedAggregate> {
    let Some([version, suite, high, low]) = bytes.first_chunk::<ENVELOPE_HEAD>() else {
        return Err(MalformedAggregate::CutOff { got: bytes.len() });
    };
    if *version != VERSION {
        return Err(MalformedAggregate::Version { got: *version });
    }
    let suite = Suite::from_id(*suite).ok_or(MalformedAggregate::Suite { got: *suite })?;
    let hops = usize::from(u16::from_be_bytes([*high, *low]));
    HopNumber::new(hops)?;
    Ok((suite, hops))
}
