//! What Duet signs: the range over earlier blocks, and the sets of keys.

use crate::{
    configs::consensus::PunishableOffences,
    constants::{BONDING_SESSIONS, KEY_DEPOSIT, MAX_VALIDATORS},
    Aura, Balances, Runtime,
};
use frame_support::traits::{ConstU128, ConstU32, Get};
use pallet_session::FindAccountFromAuthorIndex;
use sp_core::H256;
use sp_runtime::traits::Keccak256;

impl pallet_mmr::Config for Runtime {
    const INDEXING_PREFIX: &'static [u8] = sp_mmr_primitives::INDEXING_PREFIX;
    type Hashing = Keccak256;
    type LeafData = pallet_mmr::ParentNumberAndHash<Runtime>;
    type OnNewRoot = ();
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
        pallet_mmr::RootHash::<Runtime>::get()
    }
}

impl pallet_duet::Config for Runtime {
    type Currency = Balances;
    type KeyDeposit = ConstU128<KEY_DEPOSIT>;
    type MaxValidators = ConstU32<MAX_VALIDATORS>;
    type SlashableSessions = ConstU32<BONDING_SESSIONS>;
    type MmrRoot = MmrRoot;
    type FullIdentification = ();
    type IdentificationOf = pallet_duet::UnitIdentification;
    type ReportOffence = PunishableOffences;
    type FindAuthor = FindAccountFromAuthorIndex<Runtime, Aura>;
    type WeightInfo = pallet_duet::SubstrateWeight<Runtime>;
    #[cfg(feature = "runtime-benchmarks")]
    type BenchmarkHelper = crate::benchmarking::Bond;
}
