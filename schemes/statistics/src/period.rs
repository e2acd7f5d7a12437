//! When figures were taken.

use codec::{Decode, DecodeWithMemTracking, Encode};
use duet_primitives::{BlockNumber, SetId};

/// The session before one that has begun.
///
/// The figures are about the session that ended when this one began, and the set that signs at its first block signs
/// them: a light client that follows the chain knows that set now. All nodes agree on the block, because it is final.
///
/// Encoding: SCALE, 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode, DecodeWithMemTracking)]
pub struct Period {
    /// The set that signs at that block.
    pub set: SetId,
    /// The session that has begun.
    pub session: u32,
    /// Its first block.
    pub block: BlockNumber,
}
