//! A relayer's proof, and the trusted state, as bytes.

use crate::error::Error;
use alloc::vec::Vec;
use codec::{Compact, Decode, DecodeAll, Encode, Input};
use duet_light_client::{Checkpoint, Mode, Trusted, MAX_ANSWER_LEN};
use duet_primitives::StatelessProof;

/// The most handoffs in one proof. A chain that is further ahead is followed in several steps.
pub const MAX_HANDOFFS: u32 = 64;
/// The most bytes of a proof.
pub const MAX_PROOF_LEN: usize = MAX_ANSWER_LEN;
/// The most bytes of a trusted state, which has about 300.
pub const MAX_STATE_LEN: usize = 1024;

/// Proves a newer final block. Decoding refuses more than [`MAX_HANDOFFS`] before it reads the first.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct ConsensusProof {
    /// The proofs by which one set after another names its successor, the oldest first.
    pub handoffs: Vec<StatelessProof>,
    /// The proof of the newest block.
    pub head: StatelessProof,
    /// The header of that block, in SCALE.
    pub header: Vec<u8>,
}

impl Decode for ConsensusProof {
    fn decode<I: Input>(input: &mut I) -> Result<Self, codec::Error> {
        let Compact(count) = Compact::<u32>::decode(input)?;
        if count > MAX_HANDOFFS {
            return Err("more handoffs than a proof may have".into());
        }
        // Grows with what is read, not with what is claimed.
        let mut handoffs = Vec::new();
        for _ in 0..count {
            handoffs.push(StatelessProof::decode(input)?);
        }
        Ok(Self {
            handoffs,
            head: Decode::decode(input)?,
            header: Decode::decode(input)?,
        })
    }
}

/// Decodes all bytes, at most `limit`. (ENC-6)
pub(crate) fn decode_bounded<T: Decode>(
    bytes: &[u8],
    limit: usize,
    object: &'static str,
) -> Result<T, Error> {
    if bytes.len() > limit {
        return Err(Error::Malformed { object });
    }
    T::decode_all(&mut &*bytes).map_err(|_| Error::Malformed { object })
}

/// Reads the trusted state. Cost: two subgroup checks.
pub(crate) fn trusted(bytes: &[u8]) -> Result<Trusted, Error> {
    let checkpoint: Checkpoint = decode_bounded(bytes, MAX_STATE_LEN, "trusted state")?;
    Ok(Trusted::from_checkpoint(checkpoint, Mode::Stateless)?)
}
