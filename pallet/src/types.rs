//! Configuration types that several modules name.

use crate::Config;
use core::marker::PhantomData;
use frame_support::traits::{fungible::Inspect, Get};
use sp_runtime::traits::{Block as BlockT, HeaderProvider};
use sp_staking::{EraIndex, SessionIndex};

/// Log target of everything in this pallet.
pub(crate) const LOG_TARGET: &str = "runtime::duet";

/// The offender's identification for `ReportOffence`.
pub type IdentificationTuple<T> = (
    <T as pallet_session::Config>::ValidatorId,
    <T as Config>::FullIdentification,
);

/// The balance of deposits for keys.
pub type BalanceOf<T> =
    <<T as Config>::Currency as Inspect<<T as frame_system::Config>::AccountId>>::Balance;

/// Setup that a runtime does before the calls of this pallet and of `pallet-duet-recovery` can be measured.
pub trait BenchmarkHelper<AccountId> {
    /// Makes an account one that may register keys, and that can pay the deposits.
    fn make_validator(account: &AccountId);
}

/// The chain's headers.
pub type HeaderOf<T> = <<T as frame_system::Config>::Block as HeaderProvider>::HeaderT;

/// The items of `pallet_mmr::Config`, for [`MmrDefaultConfig`](crate::config_preludes::MmrDefaultConfig).
#[allow(missing_docs, reason = "`pallet-mmr` documents them")]
pub trait MmrDefaults {
    const INDEXING_PREFIX: &'static [u8];
    type Hashing;
    type LeafData;
    type OnNewRoot;
    type BlockHashProvider;
    type WeightInfo;
}

/// Items of `pallet_session::Config`, for [`SessionDefaultConfig`](crate::config_preludes::SessionDefaultConfig).
#[allow(missing_docs, reason = "`pallet-session` documents them")]
pub trait SessionDefaults {
    type RuntimeEvent;
    type ValidatorId;
    type ValidatorIdOf;
    type ShouldEndSession;
    type NextSessionRotation;
    type SessionManager;
    type SessionHandler;
    type DisablingStrategy;
    type WeightInfo;
}

/// The chain's extrinsics.
pub(crate) type ExtrinsicOf<T> = <<T as frame_system::Config>::Block as BlockT>::Extrinsic;

/// The sessions for which stake stays bonded: a duration in eras, times the sessions of an era.
///
/// For [`Config::SlashableSessions`] of a chain with `pallet-staking`: its `BondingDuration` and `SessionsPerEra`.
pub struct BondedSessions<Eras, PerEra>(PhantomData<(Eras, PerEra)>);

impl<Eras: Get<EraIndex>, PerEra: Get<SessionIndex>> Get<SessionIndex>
    for BondedSessions<Eras, PerEra>
{
    fn get() -> SessionIndex {
        Eras::get().saturating_mul(PerEra::get())
    }
}

#[cfg(test)]
mod tests {
    use super::BondedSessions;
    use frame_support::traits::{ConstU32, Get};

    #[test]
    fn bonded_sessions_are_those_of_all_eras_and_do_not_overflow() {
        assert_eq!(BondedSessions::<ConstU32<28>, ConstU32<6>>::get(), 168);
        let most = BondedSessions::<ConstU32<{ u32::MAX }>, ConstU32<2>>::get();
        assert_eq!(most, u32::MAX);
    }
}
