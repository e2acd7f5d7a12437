//! A node's verdict on a submitted finality proof.

use serde::{Deserialize, Serialize};

/// A node's verdict on a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Verdict {
    /// The proof agrees with the node's chain.
    True,
    /// It is not, and the node reports the signers.
    False,
    /// Its chain has not come that far.
    Undecided,
}

impl Verdict {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::True => "agrees with this node's chain",
            Self::False => "is false: this node reports its signers to the chain",
            Self::Undecided => "is about a block that this node has not finalized: ask again later",
        }
    }
}
