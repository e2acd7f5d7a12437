//! Defaults of [`Config`], for `#[derive_impl]`.
//!
//! ```ignore
//! #[derive_impl(pallet_duet::config_preludes::SolochainDefaultConfig<Runtime>)]
//! impl pallet_duet::Config for Runtime {}
//! ```
//!
//! Unlike those of the SDK's pallets, the presets take the runtime as a parameter: deposit, currency and the most
//! validators are those that it has already.
//!
//! Two more are for the pallets that Duet needs, and that have no presets of their own: [`MmrDefaultConfig`], and
//! [`SessionDefaultConfig`] for a chain that had fixed lists of authorities.

use crate::{
    Config, DefaultConfig, MmrDefaults, MmrRootOf, Pallet, SessionDefaults, SessionHandler,
    SubstrateWeight, UnitIdentification,
};
use core::marker::PhantomData;
use duet_primitives::H256;
use frame_support::{
    derive_impl,
    pallet_prelude::inject_runtime_type,
    register_default_impl,
    traits::{ConstBool, ConstU32, ConstU64, Get},
};
use frame_system::EnsureRoot;
use pallet_session::PeriodicSessions;
use sp_runtime::{
    traits::{ConvertInto, Hash, Keccak256, OpaqueKeys},
    Perbill,
};

/// Two thirds, the floor for sets.
///
/// With two thirds of the validators in a set, and two thirds of the set behind a proof, each proof stands for at least
/// four ninths of all validators: more than the third that GRANDPA assumes to be faulty.
pub struct TwoThirds;

impl Get<Perbill> for TwoThirds {
    fn get() -> Perbill {
        Perbill::from_rational(2u32, 3)
    }
}

/// For a chain with GRANDPA, sessions and `pallet-mmr`.
///
/// - Currency and deposit are those of session keys; a set has at most as many validators as GRANDPA.
/// - A set stands for two thirds of the validators, and waits for the proof of the handoff to it.
/// - Every block may be proven, root resets sets, and leaves of the range have no extra data.
///
/// It assumes neither stake nor offences. A chain that has them sets `StakeOf`, `ReportOffence`, `FindAuthor`,
/// `SlashableSessions` and `TrustingPeriod`; otherwise nobody loses anything for two contradicting votes. Nor does it
/// know of messages to other chains (`LeafExtra`) or of rewards for signers (`OnHandoff`).
pub struct SolochainDefaultConfig<T>(PhantomData<T>);

#[derive_impl(
    frame_system::config_preludes::SolochainDefaultConfig,
    no_aggregated_types
)]
impl<T> frame_system::DefaultConfig for SolochainDefaultConfig<T> {}

#[register_default_impl(SolochainDefaultConfig)]
impl<T> DefaultConfig for SolochainDefaultConfig<T>
where
    T: pallet_session::Config
        + pallet_grandpa::Config
        + pallet_mmr::Config<Hashing: Hash<Output = H256>>,
{
    type Currency = <T as pallet_session::Config>::Currency;
    type KeyDeposit = <T as pallet_session::Config>::KeyDeposit;
    type MaxValidators = <T as pallet_grandpa::Config>::MaxAuthorities;
    type ValidatorsPerBlock = ConstU32<64>;
    type MinParticipation = TwoThirds;
    type StakeOf = ();
    type ResetOrigin = EnsureRoot<T::AccountId>;
    type AwaitHandoff = ConstBool<true>;
    type MinDelta = ConstU32<1>;
    type OnHandoff = ();
    /// Nothing is punished, but a set that hands off to nobody for so long expires. (HANDOFF-5)
    type SlashableSessions = ConstU32<168>;
    /// None is stated.
    type TrustingPeriod = ConstU64<0>;
    type MmrRoot = MmrRootOf<T>;
    type LeafExtra = ();
    type FullIdentification = ();
    type IdentificationOf = UnitIdentification;
    type ReportOffence = ();
    type FindAuthor = ();
    type WeightInfo = SubstrateWeight<T>;
}

/// For tests of pallets: no deposit, no floor, sets that wait for nothing, and a root of zeros.
pub struct TestDefaultConfig<T>(PhantomData<T>);

#[derive_impl(frame_system::config_preludes::TestDefaultConfig, no_aggregated_types)]
impl<T> frame_system::DefaultConfig for TestDefaultConfig<T> {}

#[register_default_impl(TestDefaultConfig)]
impl<T: pallet_session::Config> DefaultConfig for TestDefaultConfig<T> {
    type Currency = <T as pallet_session::Config>::Currency;
    type KeyDeposit = ();
    type MaxValidators = ConstU32<20>;
    type ValidatorsPerBlock = ConstU32<20>;
    type MinParticipation = ();
    type StakeOf = ();
    type ResetOrigin = EnsureRoot<T::AccountId>;
    type AwaitHandoff = ConstBool<false>;
    type MinDelta = ConstU32<1>;
    type OnHandoff = ();
    type SlashableSessions = ConstU32<3>;
    type TrustingPeriod = ConstU64<0>;
    type MmrRoot = ();
    type LeafExtra = ();
    type FullIdentification = ();
    type IdentificationOf = UnitIdentification;
    type ReportOffence = ();
    type FindAuthor = ();
    type WeightInfo = SubstrateWeight<T>;
}

/// For `pallet-mmr` with Duet's leaves, under the name that `mmr-gadget` expects.
pub struct MmrDefaultConfig<T>(PhantomData<T>);

#[register_default_impl(MmrDefaultConfig)]
impl<T: Config + pallet_mmr::Config> MmrDefaults for MmrDefaultConfig<T> {
    const INDEXING_PREFIX: &'static [u8] = b"mmr";
    type Hashing = Keccak256;
    type LeafData = Pallet<T>;
    type OnNewRoot = ();
    type BlockHashProvider = pallet_mmr::DefaultBlockHashProvider<T>;
    /// The pallet's measured weights; it exports no others.
    type WeightInfo = ();
}

/// For `pallet-session` of a chain on which nobody is elected: the validators of the genesis stay, and may change their
/// keys. Sessions have 600 blocks, and Duet's handler is in place.
///
/// The runtime sets `Keys`, `Currency` and `KeyDeposit`.
pub struct SessionDefaultConfig<T>(PhantomData<T>);

#[register_default_impl(SessionDefaultConfig)]
impl<T: Config> SessionDefaults for SessionDefaultConfig<T> {
    #[inject_runtime_type]
    type RuntimeEvent = ();
    type ValidatorId = T::AccountId;
    type ValidatorIdOf = ConvertInto;
    type ShouldEndSession = PeriodicSessions<ConstU32<600>, ConstU32<0>>;
    type NextSessionRotation = PeriodicSessions<ConstU32<600>, ConstU32<0>>;
    type SessionManager = ();
    type SessionHandler = SessionHandler<T, <T::Keys as OpaqueKeys>::KeyTypeIdProviders>;
    type DisablingStrategy = ();
    type WeightInfo = ();
}
