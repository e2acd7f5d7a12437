//! Messages of nodes, decoded within bounds. (ENC-6)

use crate::{header::Header, justification::Justification};
use codec::{Compact, Decode, Encode, Error, Input};
use duet_light_client::{Received, MAX_ANSWER_LEN};

/// The most trie nodes that prove one key of 32 bytes: one for each nibble, a leaf, and the value as a node of its own. (STATE-2)
const MAX_NODES: u32 = 66;

/// The voters of the genesis, proven in its state.
///
/// Decoding refuses more nodes than a path has before it allocates them.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct GenesisProof {
    /// The SCALE encoding of the genesis header.
    pub header: Vec<u8>,
    /// The trie nodes that prove the value under [`voters_key`](crate::voters_key).
    pub nodes: Vec<Vec<u8>>,
}

impl Decode for GenesisProof {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        let header = Vec::decode(input)?;
        let Compact(count) = <Compact<u32>>::decode(input)?;
        if count > MAX_NODES {
            return Err("more trie nodes than any path has".into());
        }
        let nodes = (0..count).map(|_| Vec::decode(input));
        Ok(Self {
            header,
            nodes: nodes.collect::<Result<_, _>>()?,
        })
    }
}

impl Received for GenesisProof {
    const NAME: &'static str = "proof of GRANDPA's voters";
    const MAX_LEN: usize = MAX_ANSWER_LEN;
}

/// The last blocks of sets of voters, each with the justification by its set, and the newest justified block: the
/// SDK's `WarpSyncProof`. It is unverified, and unneeded parts are not kept.
#[derive(Clone, Debug, Decode)]
pub struct WarpProof {
    pub(crate) fragments: Vec<Fragment>,
    /// Whether it leads to the newest block that the sender knows a justification of.
    pub(crate) is_finished: bool,
}

/// A block and the justification beside it.
#[derive(Clone, Debug, Decode)]
pub(crate) struct Fragment {
    pub(crate) header: Header,
    pub(crate) justification: Justification,
}

impl Received for WarpProof {
    const NAME: &'static str = "warp sync proof";
    const MAX_LEN: usize = MAX_ANSWER_LEN;
}

impl WarpProof {
    /// Whether its sender has nothing after it.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }
}
