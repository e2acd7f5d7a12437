//! What a relayer brings, as bytes.

use crate::error::Error;
use alloc::vec::Vec;
use codec::{Compact, Decode, DecodeAll, Encode, Input};
use duet_light_client::MAX_ANSWER_LEN;
use duet_primitives::{RecoveryProof, StatelessProof};

/// The most handoffs in one proof. A chain that is further ahead is followed in several steps.
pub const MAX_HANDOFFS: u32 = 64;
/// The most bytes of a proof.
pub const MAX_PROOF_LEN: usize = MAX_ANSWER_LEN;

/// The first byte of [`Update::Announce`] and [`Update::Cross`] in SCALE. No [`ConsensusProof`] begins with one of them,
/// because its number of handoffs is at most [`MAX_HANDOFFS`].
const ANNOUNCE: u8 = 0x02;
const CROSS: u8 = 0x06;

/// What a relayer brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// A newer block. Its bytes are those of the [`ConsensusProof`] alone.
    Blocks(ConsensusProof),
    /// A recovery, for which the client waits from then on. (RECOVER-7)
    Announce(Announcement),
    /// The wait for the announced recovery is over. (RECOVER-8)
    Cross,
}

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

/// Shows which set signs behind a reset.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Announcement {
    /// What the recovery set says.
    pub proof: RecoveryProof,
    /// The header of the newest block that the client trusts, in SCALE.
    pub header: Vec<u8>,
    /// The trie nodes that prove the terms of recovery, the time and the trusting period in the state after that block:
    /// what `state_getReadProof` answers for [`recovery_keys`](crate::recovery_keys).
    pub nodes: Vec<Vec<u8>>,
}

impl Encode for Update {
    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Blocks(proof) => proof.encode(),
            Self::Announce(announcement) => (ANNOUNCE, announcement).encode(),
            Self::Cross => [CROSS].to_vec(),
        }
    }
}

impl Update {
    /// Decodes all bytes, at most [`MAX_PROOF_LEN`]. (ENC-6)
    ///
    /// # Errors
    /// [`Error::Malformed`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        match bytes.split_first() {
            Some((&ANNOUNCE, rest)) => {
                decode_bounded(rest, MAX_PROOF_LEN, "announcement").map(Self::Announce)
            }
            Some((&CROSS, [])) => Ok(Self::Cross),
            _ => decode_bounded(bytes, MAX_PROOF_LEN, "consensus proof").map(Self::Blocks),
        }
    }
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
