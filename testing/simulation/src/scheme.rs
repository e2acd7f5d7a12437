//! How votes are signed and checked: ours, and what it replaces.

use serde::{Deserialize, Serialize};

/// A way to sign votes. Everything else in a simulated round is the same for all of them.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// Duet: a BLS signature with its Chaum-Pedersen proof; no pairing per vote.
    Dleq,
    /// The same, on processors without vectors of 512 bits.
    DleqPortable,
    /// A BLS signature in G1 alone, checked with two pairings by blst.
    Pairings,
    /// ECDSA signatures that do not aggregate, as BEEFY has them.
    Ecdsa,
}

impl Scheme {
    /// All of them, ours first.
    pub const ALL: [Self; 4] = [Self::Dleq, Self::DleqPortable, Self::Pairings, Self::Ecdsa];

    /// As tables call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Dleq => "DLEQ (Duet)",
            Self::DleqPortable => "DLEQ, portable",
            Self::Pairings => "pairings (blst)",
            Self::Ecdsa => "ECDSA (BEEFY)",
        }
    }
}
