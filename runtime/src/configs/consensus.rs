//! The author, GRANDPA, sessions and offences.

use crate::{
    configs::{
        authoring::{Author, Sessions},
        staking::{BondedStash, PunishableOffences, REPORTABLE_BLOCKS},
    },
    constants::{BONDING_SESSIONS, KEY_DEPOSIT, MAX_BACKERS, MAX_VALIDATORS},
    extrinsic::UncheckedExtrinsic,
    AccountId, Balances, Historical, Runtime, RuntimeCall, RuntimeEvent, SessionKeys, Staking,
};
use frame_support::traits::{ConstU128, ConstU32, ConstU64};
use pallet_grandpa::EquivocationReportSystem;
use pallet_session::{
    disabling::UpToLimitWithReEnablingDisablingStrategy, historical, FindAccountFromAuthorIndex,
};
use pallet_staking::UnitIdentificationOf;
use sp_runtime::traits::OpaqueKeys;

impl pallet_authority_discovery::Config for Runtime {
    type MaxAuthorities = ConstU32<MAX_VALIDATORS>;
}

impl pallet_authorship::Config for Runtime {
    type FindAuthor = FindAccountFromAuthorIndex<Runtime, Author>;
    type EventHandler = Staking;
}

impl pallet_grandpa::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    // The pallet's `()` are its measured weights; it exports no others.
    type WeightInfo = ();
    type MaxAuthorities = ConstU32<MAX_VALIDATORS>;
    type MaxNominators = ConstU32<MAX_BACKERS>;
    type MaxSetIdSessionEntries = ConstU64<{ BONDING_SESSIONS as u64 }>;
    type KeyOwnerProof = sp_session::MembershipProof;
    type EquivocationReportSystem = EquivocationReportSystem<
        Runtime,
        PunishableOffences,
        Historical,
        ConstU64<REPORTABLE_BLOCKS>,
    >;
}

impl pallet_session::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type ValidatorId = AccountId;
    type ValidatorIdOf = BondedStash;
    type ShouldEndSession = Sessions;
    type NextSessionRotation = Sessions;
    type SessionManager = historical::NoteHistoricalRoot<Runtime, Staking>;
    type SessionHandler =
        pallet_duet::SessionHandler<Runtime, <SessionKeys as OpaqueKeys>::KeyTypeIdProviders>;
    type Keys = SessionKeys;
    // At most a third is ever disabled, so those that remain can author and finalize.
    type DisablingStrategy = UpToLimitWithReEnablingDisablingStrategy;
    type WeightInfo = pallet_session::weights::SubstrateWeight<Runtime>;
    type Currency = Balances;
    type KeyDeposit = ConstU128<KEY_DEPOSIT>;
}

impl historical::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type FullIdentification = ();
    type FullIdentificationOf = UnitIdentificationOf<Runtime>;
}

impl pallet_offences::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type IdentificationTuple = historical::IdentificationTuple<Runtime>;
    type OnOffenceHandler = Staking;
}

impl<C> frame_system::offchain::CreateTransactionBase<C> for Runtime
where
    RuntimeCall: From<C>,
{
    type Extrinsic = UncheckedExtrinsic;
    type RuntimeCall = RuntimeCall;
}

/// Reports of equivocations need no signer: what they carry proves itself.
impl<C> frame_system::offchain::CreateBare<C> for Runtime
where
    RuntimeCall: From<C>,
{
    fn create_bare(call: RuntimeCall) -> UncheckedExtrinsic {
        UncheckedExtrinsic::new_bare(call)
    }
}
