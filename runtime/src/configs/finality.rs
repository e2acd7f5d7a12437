//! What Duet signs: the range over earlier blocks, and the sets of keys; and the keys for its recovery.

use crate::{
    configs::{
        consensus::PunishableOffences,
        staking::{ExposedStake, HandoffPoints},
    },
    constants::{
        BONDING_SESSIONS, KEY_DEPOSIT, MAX_VALIDATORS, TRUSTING_PERIOD, VALIDATORS_PER_BLOCK,
    },
    AccountId, Authorship, Balances, Runtime,
};
use frame_support::{
    parameter_types,
    traits::{ConstBool, ConstU128, ConstU32, ConstU64, FindAuthor, Get},
};
use frame_system::EnsureRoot;
use sp_core::H256;
use sp_runtime::{traits::Keccak256, ConsensusEngineId, Perbill};

impl pallet_mmr::Config for Runtime {
    const INDEXING_PREFIX: &'static [u8] = sp_mmr_primitives::INDEXING_PREFIX;
    type Hashing = Keccak256;
    type LeafData = pallet_duet::Pallet<Runtime>;
    #[cfg(not(feature = "next-version"))]
    type OnNewRoot = ();
    #[cfg(feature = "next-version")]
    type OnNewRoot = moved_root::Keep;
    type BlockHashProvider = pallet_mmr::DefaultBlockHashProvider<Runtime>;
    // The pallet's `()` are its measured weights; it exports no others.
    type WeightInfo = ();
    #[cfg(feature = "runtime-benchmarks")]
    type BenchmarkHelper = ();
}

/// The root of the range that ends at the parent of the block whose state this is.
///
/// The range is extended while the block is initialised, before any extrinsic runs.
pub struct MmrRoot;

impl Get<H256> for MmrRoot {
    fn get() -> H256 {
        #[cfg(not(feature = "next-version"))]
        return pallet_mmr::RootHash::<Runtime>::get();
        #[cfg(feature = "next-version")]
        return moved_root::get();
    }
}

/// The next version keeps the root elsewhere, as the next version of any chain may. In the block of the upgrade nothing is
/// there yet.
#[cfg(feature = "next-version")]
mod moved_root {
    use super::H256;
    use frame_support::storage::unhashed;

    const KEY: &[u8] = b"moved_mmr_root";

    pub(super) fn get() -> H256 {
        unhashed::get_or_default(KEY)
    }

    /// Keeps each new root.
    pub struct Keep;

    impl sp_mmr_primitives::OnNewRoot<H256> for Keep {
        fn on_new_root(root: &H256) {
            unhashed::put(KEY, root);
        }
    }
}

/// The author whom Authorship noted before Session could change the validators.
///
/// Asked anew in the first block of a session, the digest's index would be looked up among the new validators,
/// of whom none wrote this block.
pub struct NotedAuthor;

impl FindAuthor<AccountId> for NotedAuthor {
    fn find_author<'a, I>(_digests: I) -> Option<AccountId>
    where
        I: 'a + IntoIterator<Item = (ConsensusEngineId, &'a [u8])>,
    {
        Authorship::author()
    }
}

parameter_types! {
    /// With two thirds of the validators in a set, and two thirds of the set behind a proof, each proof stands for at
    /// least four ninths of all validators: more than the third that GRANDPA assumes to be faulty.
    pub MinParticipation: Perbill = Perbill::from_rational(2u32, 3);
}

impl pallet_duet::Config for Runtime {
    type Currency = Balances;
    type KeyDeposit = ConstU128<KEY_DEPOSIT>;
    type MaxValidators = ConstU32<MAX_VALIDATORS>;
    type ValidatorsPerBlock = ConstU32<VALIDATORS_PER_BLOCK>;
    type SlashableSessions = ConstU32<BONDING_SESSIONS>;
    type TrustingPeriod = ConstU64<TRUSTING_PERIOD>;
    type MinParticipation = MinParticipation;
    type StakeOf = ExposedStake;
    type ResetOrigin = EnsureRoot<AccountId>;
    type AwaitHandoff = ConstBool<true>;
    type MinDelta = ConstU32<1>;
    type OnHandoff = HandoffPoints;
    type MmrRoot = MmrRoot;
    // This chain sends no messages.
    type LeafExtra = ();
    type FullIdentification = ();
    type IdentificationOf = pallet_duet::UnitIdentification;
    type ReportOffence = PunishableOffences;
    type FindAuthor = NotedAuthor;
    type WeightInfo = pallet_duet::SubstrateWeight<Runtime>;
    #[cfg(feature = "runtime-benchmarks")]
    type BenchmarkHelper = crate::benchmarking::Bond;
}

parameter_types! {
    /// For how many seconds light clients wait for a newer proof before they cross a reset. In storage, so that the
    /// genesis of a network or governance may set another.
    pub storage RecoveryDelay: u64 = 120;
}

impl pallet_duet_recovery::Config for Runtime {
    type Currency = Balances;
    type KeyDeposit = ConstU128<KEY_DEPOSIT>;
    type Delay = RecoveryDelay;
    type DrillPeriod = ConstU32<BONDING_SESSIONS>;
    type ReportOffence = PunishableOffences;
    type WeightInfo = pallet_duet_recovery::SubstrateWeight<Runtime>;
    #[cfg(feature = "runtime-benchmarks")]
    type BenchmarkHelper = crate::benchmarking::Bond;
}
