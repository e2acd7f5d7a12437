//! What each pallet is told.

use crate::{
    apis::VERSION, sessions::AddSessions, AccountId, Aura, Balance, Balances, Block, Hash, Nonce,
    PalletInfo, Runtime, RuntimeCall, RuntimeEvent, RuntimeFreezeReason, RuntimeHoldReason,
    RuntimeOrigin, RuntimeTask, SessionKeys, System, EXISTENTIAL_DEPOSIT, SESSION_BLOCKS,
    SLOT_MILLIS, UNIT,
};
use frame_support::{
    derive_impl, parameter_types,
    traits::{ConstBool, ConstU128, ConstU32, ConstU64, ConstU8, VariantCountOf},
    weights::IdentityFee,
};
use pallet_session::{disabling::UpToLimitDisablingStrategy, PeriodicSessions};
use pallet_transaction_payment::{ConstFeeMultiplier, FungibleAdapter, Multiplier};
use sp_consensus_aura::sr25519::AuthorityId as AuraId;
use sp_runtime::traits::{ConvertInto, One, OpaqueKeys};
use sp_version::RuntimeVersion;

/// The most validators.
const MAX_VALIDATORS: u32 = 32;

parameter_types! {
    pub const Version: RuntimeVersion = VERSION;
    pub FeeMultiplier: Multiplier = Multiplier::one();
}

#[derive_impl(frame_system::config_preludes::SolochainDefaultConfig)]
impl frame_system::Config for Runtime {
    type Block = Block;
    type AccountId = AccountId;
    type Nonce = Nonce;
    type Hash = Hash;
    type Version = Version;
    type AccountData = pallet_balances::AccountData<Balance>;
    type SingleBlockMigrations = AddSessions;
}

impl pallet_timestamp::Config for Runtime {
    type Moment = u64;
    type OnTimestampSet = Aura;
    type MinimumPeriod = ConstU64<{ SLOT_MILLIS / 2 }>;
    type WeightInfo = ();
}

impl pallet_aura::Config for Runtime {
    type AuthorityId = AuraId;
    type MaxAuthorities = ConstU32<MAX_VALIDATORS>;
    type DisabledValidators = ();
    type AllowMultipleBlocksPerSlot = ConstBool<false>;
    type SlotDuration = ConstU64<SLOT_MILLIS>;
}

impl pallet_grandpa::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type WeightInfo = ();
    type MaxAuthorities = ConstU32<MAX_VALIDATORS>;
    type MaxNominators = ConstU32<0>;
    type MaxSetIdSessionEntries = ConstU64<0>;
    type KeyOwnerProof = sp_core::Void;
    type EquivocationReportSystem = ();
}

impl pallet_balances::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type RuntimeHoldReason = RuntimeHoldReason;
    type RuntimeFreezeReason = RuntimeFreezeReason;
    type WeightInfo = ();
    type Balance = Balance;
    type DustRemoval = ();
    type ExistentialDeposit = ConstU128<EXISTENTIAL_DEPOSIT>;
    type AccountStore = System;
    type ReserveIdentifier = [u8; 8];
    type FreezeIdentifier = RuntimeFreezeReason;
    type MaxLocks = ConstU32<50>;
    type MaxReserves = ConstU32<50>;
    type MaxFreezes = VariantCountOf<RuntimeFreezeReason>;
    type DoneSlashHandler = ();
}

/// Sessions of a fixed number of blocks.
type Sessions = PeriodicSessions<ConstU32<SESSION_BLOCKS>, ConstU32<0>>;

impl pallet_session::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type ValidatorId = AccountId;
    type ValidatorIdOf = ConvertInto;
    type ShouldEndSession = Sessions;
    type NextSessionRotation = Sessions;
    // Nobody is elected: the validators of the genesis stay, and may change their keys.
    type SessionManager = ();
    #[cfg(not(feature = "duet"))]
    type SessionHandler = <SessionKeys as OpaqueKeys>::KeyTypeIdProviders;
    #[cfg(feature = "duet")]
    type SessionHandler =
        pallet_duet::SessionHandler<Runtime, <SessionKeys as OpaqueKeys>::KeyTypeIdProviders>;
    type Keys = SessionKeys;
    type DisablingStrategy = UpToLimitDisablingStrategy;
    type WeightInfo = ();
    type Currency = Balances;
    type KeyDeposit = ConstU128<UNIT>;
}

impl pallet_transaction_payment::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type OnChargeTransaction = FungibleAdapter<Balances, ()>;
    type WeightToFee = IdentityFee<Balance>;
    type LengthToFee = IdentityFee<Balance>;
    type FeeMultiplierUpdate = ConstFeeMultiplier<FeeMultiplier>;
    type OperationalFeeMultiplier = ConstU8<5>;
    type WeightInfo = ();
}

impl pallet_sudo::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type RuntimeCall = RuntimeCall;
    type WeightInfo = ();
}

#[cfg(feature = "duet")]
#[derive_impl(pallet_duet::config_preludes::MmrDefaultConfig<Runtime>)]
impl pallet_duet::pallet_mmr::Config for Runtime {}

#[cfg(feature = "duet")]
#[derive_impl(pallet_duet::config_preludes::SolochainDefaultConfig<Runtime>)]
impl pallet_duet::Config for Runtime {}
