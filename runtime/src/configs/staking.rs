//! Who is elected, what validators earn, and what they lose.

use crate::{
    constants::{
        BONDING_ERAS, BONDING_SESSIONS, EXPOSURE_PAGE, HISTORY_ERAS, MAX_BACKERS, MAX_VALIDATORS,
        SESSIONS_PER_ERA, SESSION_BLOCKS,
    },
    AccountId, Balance, Balances, Offences, Runtime, RuntimeEvent, RuntimeHoldReason, Session,
    Staking, Timestamp,
};
use duet_primitives::SetId;
use frame_election_provider_support::{
    bounds::{ElectionBounds, ElectionBoundsBuilder},
    onchain, SequentialPhragmen,
};
use frame_support::{
    parameter_types,
    traits::{ConstBool, ConstU32, Nothing, RewardsReporter},
};
use frame_system::EnsureRoot;
use pallet_duet::OnHandoff;
use pallet_staking::{
    FilterHistoricalOffences, FixedNominationsQuota, UseNominatorsAndValidatorsMap,
    UseValidatorsMap,
};
use sp_runtime::{traits::Convert, Perbill, Perquintill};
use sp_staking::{currency_to_vote::U128CurrencyToVote, EraPayout};

/// Nominations that one nominator may make.
const MAX_NOMINATIONS: u32 = 16;
/// What a year of staking adds to the issuance.
const INFLATION: Perbill = Perbill::from_percent(5);
const MILLIS_PER_YEAR: u64 = 365 * 24 * 60 * 60 * 1_000;

/// Points of staking for a signed handoff.
const POINTS: u32 = 20;

parameter_types! {
    /// Elections run inside a block, so the voters and targets that they look at are bounded.
    pub ElectionLimits: ElectionBounds =
        ElectionBoundsBuilder::default().voters_count(5_000.into()).targets_count(1_000.into()).build();
}

/// Sequential Phragmén, run on chain at each election.
pub struct Elections;

impl onchain::Config for Elections {
    type Sort = ConstBool<true>;
    type System = Runtime;
    type Solver = SequentialPhragmen<AccountId, Perbill>;
    type MaxBackersPerWinner = ConstU32<MAX_BACKERS>;
    type MaxWinnersPerPage = ConstU32<MAX_VALIDATORS>;
    type DataProvider = Staking;
    type WeightInfo = frame_election_provider_support::weights::SubstrateWeight<Runtime>;
    type Bounds = ElectionLimits;
}

/// Pays validators a fixed share of the issuance a year, in proportion to the length of the era.
pub struct YearlyInflation;

impl EraPayout<Balance> for YearlyInflation {
    fn era_payout(_staked: Balance, issuance: Balance, era_millis: u64) -> (Balance, Balance) {
        let part_of_year = Perquintill::from_rational(era_millis, MILLIS_PER_YEAR);
        (part_of_year * (INFLATION * issuance), 0)
    }
}

/// An account is a validator's once it has bonded stake; only then may it register keys.
pub struct BondedStash;

impl Convert<AccountId, Option<AccountId>> for BondedStash {
    fn convert(account: AccountId) -> Option<AccountId> {
        Staking::bonded(&account).map(|_| account)
    }
}

/// The stake, its own and its nominators', that backs a validator in the newest era that elected it.
///
/// A session is planned after its era, so validators of the next session are found in the newest era; those of the
/// running session may have been elected in the era before it only.
pub struct ExposedStake;

impl Convert<AccountId, Balance> for ExposedStake {
    fn convert(validator: AccountId) -> Balance {
        let planned = pallet_staking::CurrentEra::<Runtime>::get();
        let active = pallet_staking::ActiveEra::<Runtime>::get().map(|era| era.index);
        let eras = [planned, active].into_iter().flatten();
        eras.filter_map(|era| pallet_staking::ErasStakersOverview::<Runtime>::get(era, &validator))
            .map(|exposure| exposure.total)
            .next()
            .unwrap_or(0)
    }
}

/// Points for who signed a set's handoff: as many as the author of a block gets, so that who never signs earns less.
pub struct HandoffPoints;

impl OnHandoff<AccountId> for HandoffPoints {
    fn on_handoff(_: SetId, signed: &[AccountId], _: &[AccountId]) {
        let Some(era) = pallet_staking::ActiveEra::<Runtime>::get() else {
            return;
        };
        // Points of who is not elected any more would only make those of the others worth less.
        let is_elected = |validator: &&AccountId| {
            pallet_staking::ErasStakersOverview::<Runtime>::contains_key(era.index, validator)
        };
        let points = signed.iter().filter(is_elected).cloned();
        <Staking as RewardsReporter<AccountId>>::reward_by_ids(
            points.map(|validator| (validator, POINTS)),
        );
    }
}

/// Offences that can still be punished; older ones are dropped with an event.
pub type PunishableOffences = FilterHistoricalOffences<Staking, Offences>;

/// Blocks for which a double vote or a double block can be reported.
pub const REPORTABLE_BLOCKS: u64 = (BONDING_SESSIONS * SESSION_BLOCKS) as u64;

/// Sizes for the benchmarks.
pub struct BenchmarkSizes;

impl pallet_staking::BenchmarkingConfig for BenchmarkSizes {
    type MaxValidators = ConstU32<MAX_VALIDATORS>;
    type MaxNominators = ConstU32<MAX_BACKERS>;
}

impl pallet_staking::Config for Runtime {
    type OldCurrency = Balances;
    type Currency = Balances;
    type RuntimeHoldReason = RuntimeHoldReason;
    type CurrencyBalance = Balance;
    type UnixTime = Timestamp;
    type CurrencyToVote = U128CurrencyToVote;
    type ElectionProvider = onchain::OnChainExecution<Elections>;
    type GenesisElectionProvider = onchain::OnChainExecution<Elections>;
    type NominationsQuota = FixedNominationsQuota<MAX_NOMINATIONS>;
    type HistoryDepth = ConstU32<HISTORY_ERAS>;
    // What is slashed or not paid is burnt.
    type RewardRemainder = ();
    type RuntimeEvent = RuntimeEvent;
    type Slash = ();
    type Reward = ();
    type SessionsPerEra = ConstU32<SESSIONS_PER_ERA>;
    type BondingDuration = ConstU32<BONDING_ERAS>;
    // A proof of equivocation leaves nothing to argue about, so a slash is applied with its report.
    type SlashDeferDuration = ConstU32<0>;
    type AdminOrigin = EnsureRoot<AccountId>;
    type SessionInterface = Runtime;
    type EraPayout = YearlyInflation;
    type NextNewSession = Session;
    type MaxExposurePageSize = ConstU32<EXPOSURE_PAGE>;
    type MaxValidatorSet = ConstU32<MAX_VALIDATORS>;
    type VoterList = UseNominatorsAndValidatorsMap<Runtime>;
    type TargetList = UseValidatorsMap<Runtime>;
    type MaxUnlockingChunks = ConstU32<32>;
    type MaxControllersInDeprecationBatch = ConstU32<1_000>;
    type EventListeners = ();
    type Filter = Nothing;
    type BenchmarkingConfig = BenchmarkSizes;
    type WeightInfo = pallet_staking::weights::SubstrateWeight<Runtime>;
}
