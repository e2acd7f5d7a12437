//! Who authors, who finalizes, and in which session.

use crate::{
    configs::staking::BondedStash,
    constants::{
        BONDING_SESSIONS, KEY_DEPOSIT, MAX_BACKERS, MAX_VALIDATORS, SESSION_BLOCKS, SLOT_MILLIS,
    },
    extrinsic::UncheckedExtrinsic,
    AccountId, Aura, Balances, Historical, Offences, Runtime, RuntimeCall, RuntimeEvent, Session,
    SessionKeys, Staking,
};
use frame_support::traits::{ConstBool, ConstU128, ConstU32, ConstU64};
use pallet_grandpa::EquivocationReportSystem;
use pallet_session::{
    disabling::UpToLimitWithReEnablingDisablingStrategy, historical, FindAccountFromAuthorIndex,
    PeriodicSessions,
};
use pallet_staking::{FilterHistoricalOffences, UnitIdentificationOf};
use sp_consensus_aura::sr25519::AuthorityId as AuraId;
use sp_runtime::traits::OpaqueKeys;

/// Sessions of a fixed number of blocks, the first one starting with the chain.
pub type FixedSessions = PeriodicSessions<ConstU32<SESSION_BLOCKS>, ConstU32<0>>;

/// Offences that can still be punished; older ones are dropped with an event.
pub type PunishableOffences = FilterHistoricalOffences<Staking, Offences>;

impl pallet_aura::Config for Runtime {
    type AuthorityId = AuraId;
    type MaxAuthorities = ConstU32<MAX_VALIDATORS>;
    type DisabledValidators = Session;
    type AllowMultipleBlocksPerSlot = ConstBool<false>;
    type SlotDuration = ConstU64<SLOT_MILLIS>;
}

impl pallet_authority_discovery::Config for Runtime {
    type MaxAuthorities = ConstU32<MAX_VALIDATORS>;
}

impl pallet_authorship::Config for Runtime {
    type FindAuthor = FindAccountFromAuthorIndex<Runtime, Aura>;
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
        ConstU64<{ (BONDING_SESSIONS * SESSION_BLOCKS) as u64 }>,
    >;
}

impl pallet_session::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type ValidatorId = AccountId;
    type ValidatorIdOf = BondedStash;
    type ShouldEndSession = FixedSessions;
    type NextSessionRotation = FixedSessions;
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
