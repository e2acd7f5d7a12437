//! Aura: validators author in turn, and sessions have a fixed number of blocks.

use crate::{
    constants::{MAX_VALIDATORS, SESSION_BLOCKS, SLOT_MILLIS},
    Runtime, Session,
};
use frame_support::traits::{ConstBool, ConstU32, ConstU64};
use pallet_session::PeriodicSessions;
use sp_consensus_aura::sr25519::AuthorityId as AuraId;

/// The pallet that knows the author.
pub use crate::Aura as Author;

/// Sessions of a fixed number of blocks, the first one starting with the chain.
pub type Sessions = PeriodicSessions<ConstU32<SESSION_BLOCKS>, ConstU32<0>>;

impl pallet_aura::Config for Runtime {
    type AuthorityId = AuraId;
    type MaxAuthorities = ConstU32<MAX_VALIDATORS>;
    type DisabledValidators = Session;
    type AllowMultipleBlocksPerSlot = ConstBool<false>;
    type SlotDuration = ConstU64<SLOT_MILLIS>;
}
