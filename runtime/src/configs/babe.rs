//! BABE: validators win slots by lot, several or none the same one, and sessions are epochs: a fixed number of slots.
//!
//! A session thus has at most [`SESSION_BLOCKS`] blocks. While nobody authors, epochs pass, and the next block begins
//! one new session only.

use crate::{
    configs::staking::{PunishableOffences, REPORTABLE_BLOCKS},
    constants::{MAX_BACKERS, MAX_VALIDATORS, SESSION_BLOCKS, SLOT_MILLIS},
    Historical, Runtime, Session,
};
use frame_support::traits::{ConstU32, ConstU64};
use pallet_babe::{EquivocationReportSystem, ExternalTrigger};

/// The pallet that knows the author.
pub use crate::Babe as Author;

/// Sessions are BABE's epochs.
pub use crate::Babe as Sessions;

impl pallet_babe::Config for Runtime {
    type EpochDuration = ConstU64<{ SESSION_BLOCKS as u64 }>;
    type ExpectedBlockTime = ConstU64<SLOT_MILLIS>;
    type EpochChangeTrigger = ExternalTrigger;
    type DisabledValidators = Session;
    // The pallet's `()` are its measured weights; it exports no others.
    type WeightInfo = ();
    type MaxAuthorities = ConstU32<MAX_VALIDATORS>;
    type MaxNominators = ConstU32<MAX_BACKERS>;
    type KeyOwnerProof = sp_session::MembershipProof;
    type EquivocationReportSystem = EquivocationReportSystem<
        Runtime,
        PunishableOffences,
        Historical,
        ConstU64<REPORTABLE_BLOCKS>,
    >;
}
