//! What nodes send, decoded within bounds. (ENC-6)

use crate::{error::WarpError, header::Header, justification::Justification};
use codec::{Compact, Decode, DecodeAll, Encode, Error, Input};
use duet_light_client::MAX_ANSWER_LEN;

/// The most trie nodes that prove one key of 32 bytes: one for each nibble, a leaf, and the value as a node of its own. (STATE-2)
const MAX_NODES: u32 = 66;

/// The voters of the genesis, proven in its state.
///
/// Decoding refuses more nodes than a path has before it allocates them.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct GenesisProof {
    /// The SCALE encoding of the genesis header.
    pub header: Vec<u8>,
    /// The trie nodes that prove what is stored under [`voters_key`](crate::voters_key).
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

impl GenesisProof {
    /// Decodes what a node sent.
    ///
    /// # Errors
    /// [`WarpError::Malformed`]
    pub fn read(bytes: &[u8]) -> Result<Self, WarpError> {
        let object = "proof of GRANDPA's voters";
        fits(object, bytes)?;
        Self::decode_all(&mut &*bytes).map_err(|error| malformed(object, &error))
    }
}

/// The last blocks of sets of voters, each with the justification by its set, and the newest justified block: the SDK's
/// `WarpSyncProof`. Nothing is known about it.
#[derive(Clone, Debug)]
pub struct WarpProof {
    pub(crate) fragments: Vec<Fragment>,
    /// Whether it leads to the newest block that the sender knows a justification of.
    pub(crate) is_finished: bool,
}

/// A block and the justification beside it.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub(crate) header: Header,
    pub(crate) justification: Justification,
}

impl WarpProof {
    /// Decodes what a node sent. What is not needed of it is not kept.
    ///
    /// # Errors
    /// [`WarpError::Malformed`]
    pub fn read(bytes: &[u8]) -> Result<Self, WarpError> {
        let object = "warp sync proof";
        fits(object, bytes)?;
        let mut rest = bytes;
        let proof = Self::decode(&mut rest).map_err(|error| malformed(object, &error))?;
        match rest.is_empty() {
            true => Ok(proof),
            false => Err(malformed(object, &"more bytes than it has".into())),
        }
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, Error> {
        let Compact(count) = <Compact<u32>>::decode(bytes)?;
        let mut fragments = Vec::new();
        // A header takes many bytes, so that what was sent bounds this.
        for _ in 0..count {
            fragments.push(Fragment {
                header: Header::read(bytes)?,
                justification: Justification::read(bytes)?,
            });
        }
        Ok(Self {
            fragments,
            is_finished: bool::decode(bytes)?,
        })
    }

    /// Whether its sender has nothing after it.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }
}

fn fits(object: &'static str, bytes: &[u8]) -> Result<(), WarpError> {
    if bytes.len() <= MAX_ANSWER_LEN {
        return Ok(());
    }
    let reason = format!("{} bytes are more than {MAX_ANSWER_LEN}", bytes.len());
    Err(WarpError::Malformed { object, reason })
}

/// The codec says each field on the way to what is wrong on a line of its own.
fn malformed(object: &'static str, error: &Error) -> WarpError {
    let text = error.to_string();
    let words: Vec<_> = text.split_whitespace().collect();
    let reason = words.join(" ");
    WarpError::Malformed { object, reason }
}
