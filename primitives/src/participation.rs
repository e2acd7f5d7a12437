//! The share of a session's validators in a set (CHAIN-6), and of a set's members in its handoffs (HANDOFF-2).

use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use core::fmt;
use scale_info::TypeInfo;

/// The share of a whole in a set, counted in validators or in the chain's smallest unit of stake.
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
pub struct Share {
    /// The part in the set.
    pub in_set: u128,
    /// The elected whole of the session.
    pub elected: u128,
    /// The least that has to be in the set: the floor's share of `elected`, rounded up.
    pub needed: u128,
}

impl Share {
    /// Whether the floor is reached. Of nothing, nothing is needed.
    pub fn suffices(&self) -> bool {
        self.in_set >= self.needed
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} ({} needed)",
            self.in_set, self.elected, self.needed
        )
    }
}

/// The participation in a set, and the missing validators.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo)]
pub struct Participation<AccountId> {
    /// How many of the elected validators are in the set.
    pub validators: Share,
    /// How much of their stake is; all zero where the runtime knows no stake.
    pub stake: Share,
    /// The elected validators that are not in it, because they have no key or because a set has no room for them.
    pub missing: Vec<AccountId>,
}

impl<AccountId> Participation<AccountId> {
    /// Whether such a set may take over. One without keys may not, whatever the floor.
    pub fn suffices(&self) -> bool {
        self.validators.in_set > 0 && self.validators.suffices() && self.stake.suffices()
    }
}

/// How often a validator signed the handoffs of sets that it was a member of. (HANDOFF-2)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, TypeInfo)]
pub struct SigningRecord {
    /// Handoffs that it signed.
    pub signed: u32,
    /// Handoffs of its sets that the chain has a proof of.
    pub handoffs: u32,
}
