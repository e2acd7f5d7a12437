//! What a node says about a finality proof that it is given.

use serde::{Deserialize, Serialize};

/// What a node says about a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Verdict {
    /// It is what its chain says.
    True,
    /// It is not, and the node reports the signers.
    False,
    /// Its chain has not come that far.
    Undecided,
}

impl Verdict {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::True => "is what this node's chain says",
            Self::False => "is false: this node reports its signers to the chain",
            Self::Undecided => "is about a block that this node has not finalized: ask again later",
        }
    }
}
