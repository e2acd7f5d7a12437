//! Blocks, accounts, money and fees.

use crate::{
    apis::VERSION,
    configs::authoring::Author,
    constants::{EXISTENTIAL_DEPOSIT, MICRO, SLOT_MILLIS, SS58_PREFIX},
    AccountId, Authorship, Balance, Balances, Block, Hash, Nonce, OriginCaller, PalletInfo,
    Runtime, RuntimeCall, RuntimeEvent, RuntimeFreezeReason, RuntimeHoldReason, RuntimeOrigin,
    RuntimeTask, System,
};
use frame_support::{
    derive_impl,
    dispatch::DispatchClass,
    parameter_types,
    traits::{
        fungible::{Balanced, Credit},
        ConstU32, ConstU64, ConstU8, OnUnbalanced, VariantCountOf,
    },
    weights::{
        constants::{ParityDbWeight, WEIGHT_REF_TIME_PER_SECOND},
        ConstantMultiplier, IdentityFee, Weight,
    },
};
use frame_system::limits;
use pallet_transaction_payment::{FungibleAdapter, Multiplier, TargetedFeeAdjustment};
use sp_runtime::{traits::Bounded, FixedPointNumber, Perbill, Perquintill};
use sp_version::RuntimeVersion;

/// The part of a block that ordinary transactions may fill; the rest is for inherents and operations.
const NORMAL_RATIO: Perbill = Perbill::from_percent(75);
/// Half of a slot: the other half is for carrying the block to the next author.
const MAX_BLOCK_WEIGHT: Weight = Weight::from_parts(WEIGHT_REF_TIME_PER_SECOND, u64::MAX);
const MAX_BLOCK_BYTES: u32 = 5 * 1024 * 1024;

parameter_types! {
    /// How much time a block may take to run.
    pub BlockWeights: limits::BlockWeights =
        limits::BlockWeights::with_sensible_defaults(MAX_BLOCK_WEIGHT, NORMAL_RATIO);
    /// How many bytes a block may have.
    pub BlockLength: limits::BlockLength = limits::BlockLength::builder()
        .max_length(MAX_BLOCK_BYTES)
        .modify_max_length_for_class(DispatchClass::Normal, |max| *max = NORMAL_RATIO * *max)
        .build();
    /// Which runtime this is.
    pub const Version: RuntimeVersion = VERSION;
}

#[derive_impl(frame_system::config_preludes::SolochainDefaultConfig)]
impl frame_system::Config for Runtime {
    type Block = Block;
    type BlockWeights = BlockWeights;
    type BlockLength = BlockLength;
    type AccountId = AccountId;
    type Nonce = Nonce;
    type Hash = Hash;
    type BlockHashCount = ConstU32<2400>;
    type DbWeight = ParityDbWeight;
    type Version = Version;
    type AccountData = pallet_balances::AccountData<Balance>;
    type SS58Prefix = frame_support::traits::ConstU16<SS58_PREFIX>;
    type MaxConsumers = ConstU32<16>;
    type SystemWeightInfo = frame_system::weights::SubstrateWeight<Runtime>;
    type ExtensionsWeightInfo = frame_system::SubstrateExtensionsWeight<Runtime>;
    type SingleBlockMigrations = pallet_duet::migrations::V1ToV2<Runtime>;
}

impl pallet_timestamp::Config for Runtime {
    type Moment = u64;
    type OnTimestampSet = Author;
    type MinimumPeriod = ConstU64<{ SLOT_MILLIS / 2 }>;
    type WeightInfo = pallet_timestamp::weights::SubstrateWeight<Runtime>;
}

impl pallet_balances::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type RuntimeHoldReason = RuntimeHoldReason;
    type RuntimeFreezeReason = RuntimeFreezeReason;
    type WeightInfo = pallet_balances::weights::SubstrateWeight<Runtime>;
    type Balance = Balance;
    type DustRemoval = FeesToAuthor;
    type ExistentialDeposit = frame_support::traits::ConstU128<EXISTENTIAL_DEPOSIT>;
    type AccountStore = System;
    type ReserveIdentifier = [u8; 8];
    type FreezeIdentifier = RuntimeFreezeReason;
    type MaxLocks = ConstU32<50>;
    type MaxReserves = ConstU32<50>;
    type MaxFreezes = VariantCountOf<RuntimeFreezeReason>;
    type DoneSlashHandler = ();
}

/// Gives fees, tips and dust to the block's author; burns them where there is none.
pub struct FeesToAuthor;

impl OnUnbalanced<Credit<AccountId, Balances>> for FeesToAuthor {
    fn on_nonzero_unbalanced(credit: Credit<AccountId, Balances>) {
        if let Some(author) = Authorship::author() {
            // An account that cannot take it leaves the credit to be dropped, which burns it.
            drop(Balances::resolve(&author, credit));
        }
    }
}

parameter_types! {
    /// The fullness of blocks at which fees stay as they are.
    pub const TargetFullness: Perquintill = Perquintill::from_percent(25);
    /// How fast fees follow demand: about 30 % an hour at most, with a block every two seconds.
    pub AdjustmentSpeed: Multiplier = Multiplier::saturating_from_rational(2, 100_000);
    /// Fees never fall below a tenth, so that they can grow again.
    pub MinimumMultiplier: Multiplier = Multiplier::saturating_from_rational(1, 10);
    /// Fees follow demand without a limit.
    pub MaximumMultiplier: Multiplier = Bounded::max_value();
}

impl pallet_transaction_payment::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type OnChargeTransaction = FungibleAdapter<Balances, FeesToAuthor>;
    type WeightToFee = IdentityFee<Balance>;
    type LengthToFee = ConstantMultiplier<Balance, frame_support::traits::ConstU128<MICRO>>;
    type FeeMultiplierUpdate = TargetedFeeAdjustment<
        Runtime,
        TargetFullness,
        AdjustmentSpeed,
        MinimumMultiplier,
        MaximumMultiplier,
    >;
    type OperationalFeeMultiplier = ConstU8<5>;
    type WeightInfo = pallet_transaction_payment::weights::SubstrateWeight<Runtime>;
}

impl pallet_utility::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type RuntimeCall = RuntimeCall;
    type PalletsOrigin = OriginCaller;
    type WeightInfo = pallet_utility::weights::SubstrateWeight<Runtime>;
}

impl pallet_sudo::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type RuntimeCall = RuntimeCall;
    type WeightInfo = pallet_sudo::weights::SubstrateWeight<Runtime>;
}
