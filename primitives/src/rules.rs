//! The voting rules on which all voters must agree, from the chain. (ROUND-11)

use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;

/// How a set votes. It is fixed at the block from which on the set signs, so that a runtime upgrade changes nothing for a set that
/// votes already. (ROUND-11)
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub struct VotingRules {
    /// The version of the rules that select the voted blocks. A validator that knows only lower versions does not vote.
    pub version: u16,
    /// The least distance of the next voted block from the last proven one, in blocks. (ROUND-3)
    pub min_delta: u32,
}

impl VotingRules {
    /// The newest version of the rules that this code follows.
    pub const VERSION: u16 = 1;

    /// The rules of this version, with this least distance.
    pub const fn with_min_delta(min_delta: u32) -> Self {
        Self {
            version: Self::VERSION,
            min_delta,
        }
    }

    /// Whether this code can follow them.
    pub const fn are_known(&self) -> bool {
        self.version <= Self::VERSION
    }
}

/// Those of chains that say nothing of rules.
impl Default for VotingRules {
    fn default() -> Self {
        Self::with_min_delta(1)
    }
}
