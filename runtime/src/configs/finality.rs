//! What Duet signs: the range over earlier blocks, and the sets of keys; and the keys for its recovery.

use crate::{
    configs::staking::{ExposedStake, HandoffPoints, PunishableOffences},
    constants::{BONDING_SESSIONS, KEY_DEPOSIT, TRUSTING_PERIOD},
    AccountId, Authorship, Balances, Runtime,
};
use frame_support::{
    derive_impl, parameter_types,
    traits::{ConstU128, ConstU32, ConstU64, FindAuthor},
};
use pallet_duet::BondedSessions;
use sp_runtime::{traits::Keccak256, ConsensusEngineId};

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

/// The next version keeps the root elsewhere, as the next version of any chain may. In the block of the upgrade nothing is
/// there yet.
#[cfg(feature = "next-version")]
mod moved_root {
    use frame_support::{storage::unhashed, traits::Get};
    use sp_core::H256;

    const KEY: &[u8] = b"moved_mmr_root";

    /// Reads it.
    pub struct Root;

    impl Get<H256> for Root {
        fn get() -> H256 {
            unhashed::get_or_default(KEY)
        }
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

#[derive_impl(pallet_duet::config_preludes::SolochainDefaultConfig<Runtime>)]
impl pallet_duet::Config for Runtime {
    type SlashableSessions = BondedSessions<
        <Self as pallet_staking::Config>::BondingDuration,
        <Self as pallet_staking::Config>::SessionsPerEra,
    >;
    type TrustingPeriod = ConstU64<TRUSTING_PERIOD>;
    type StakeOf = ExposedStake;
    type OnHandoff = HandoffPoints;
    #[cfg(not(feature = "next-version"))]
    type MmrRoot = pallet_duet::MmrRootOf<Self>;
    #[cfg(feature = "next-version")]
    type MmrRoot = moved_root::Root;
    type ReportOffence = PunishableOffences;
    type FindAuthor = NotedAuthor;
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
