//! Recovery keys on chain: a second key of each validator, kept offline, and the set that these keys form. More than
//! two thirds of it may say which set follows a reset, so that light clients cross it by proof. (RECOVER-1 to
//! RECOVER-9)
//!
//! - **Keys** ([`register_key`](Pallet::register_key), [`withdraw_key`](Pallet::withdraw_key)): with a deposit and a
//!   proof of possession. (RECOVER-1)
//! - **Drills** ([`drill`](Pallet::drill)): a signature over a recent block shows that a key is not lost. (RECOVER-2)
//! - **Set** ([`Terms`], [`Members`]): made in the second block of each session of the ready keys of its validators.
//!   Light clients prove [`Terms`]. (RECOVER-3, RECOVER-4)
//! - **Reports** ([`report`](Pallet::report)): the signers of a false statement are punished. (RECOVER-9)
//!
//! # What it does not do
//! - It makes no set of more validators than [`ValidatorsPerBlock`](pallet_duet::Config::ValidatorsPerBlock) of Duet:
//!   on such a chain no recovery set is ever in force.
//! - It does not judge the block hashes in a statement: the chain does not keep those of old blocks. A statement is
//!   false by the reset that it names.
//!
//! # In a runtime
//! In `construct_runtime!` the pallet comes after `Duet` and `Session`: it reads the resets that Duet wrote into the
//! header when it finalizes the block. Its name must be `DuetRecovery`: light clients prove storage under that name.
//! Resets from before the pallet was added are not judged.

#![cfg_attr(not(feature = "std"), no_std)]
// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

extern crate alloc;

#[cfg(any(feature = "runtime-benchmarks", test))]
#[allow(
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    reason = "measures, and runs on no chain: a panic is a failed measurement"
)]
mod benchmarking;
#[cfg(any(test, feature = "try-runtime"))]
mod invariants;
mod keys;
mod limits;
#[cfg(test)]
mod mock;
mod offences;
mod resets;
mod sets;
#[cfg(test)]
mod tests;
mod types;
mod weights;

pub use keys::{Deposit, KeyOwner, KeyStatus, RegisteredKey};
pub use offences::RecoveryOffence;
pub use pallet::*;
pub use resets::{Reset, MAX_RESETS};
pub use sets::SetRecord;
pub use types::BalanceOf;
pub use weights::{SubstrateWeight, WeightInfo};

#[frame_support::pallet]
// In what the macros generate.
#[allow(
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::large_enum_variant,
    unused_qualifications
)]
pub mod pallet {
    use crate::{
        keys, limits, offences, resets, sets, BalanceOf, KeyOwner, RecoveryOffence, RegisteredKey,
        Reset, SetRecord, WeightInfo,
    };
    use alloc::{boxed::Box, vec::Vec};
    use duet_primitives::{
        BlockNumber, Drill, DualKeyBytes, Pk1Bytes, PossessionProof, RecoveryAccusation,
        RecoveryTerms, SetId,
    };
    use frame_support::{
        dispatch::DispatchResultWithPostInfo,
        pallet_prelude::{
            DispatchResult, Get, Hooks, OptionQuery, StorageMap, StorageValue, StorageVersion,
            Twox64Concat, ValueQuery,
        },
        traits::{fungible::MutateHold, ConstU32},
        weights::Weight,
        Blake2_128Concat, BoundedVec, WeakBoundedVec,
    };
    use frame_system::{
        ensure_signed,
        pallet_prelude::{BlockNumberFor, OriginFor},
    };
    use pallet_duet::{IdentificationTuple, KeptReason};
    use sp_staking::{offence::ReportOffence, SessionIndex};

    const STORAGE_VERSION: StorageVersion = StorageVersion::new(1);

    /// The pallet.
    #[pallet::pallet]
    #[pallet::storage_version(STORAGE_VERSION)]
    pub struct Pallet<T>(_);

    /// Configuration by the runtime.
    #[pallet::config]
    pub trait Config:
        frame_system::Config<RuntimeEvent: From<Event<Self>>> + pallet_duet::Config
    {
        /// The currency for key deposits.
        type Currency: MutateHold<Self::AccountId, Reason: From<HoldReason>>;

        /// The deposit while an account has a recovery key, and until its last set has expired; zero for none.
        #[pallet::constant]
        type KeyDeposit: Get<BalanceOf<Self>>;

        /// For how many seconds a verifier waits for a newer proof before it crosses a reset; 0 counts as 1. A change
        /// counts from the next session on. (RECOVER-4, RECOVER-7)
        ///
        /// Not a constant of the metadata, so that a runtime may keep it in its storage.
        type Delay: Get<u64>;

        /// For how many sessions a drill shows that a key is not lost. (RECOVER-2)
        ///
        /// The bonding duration in sessions is a good choice.
        #[pallet::constant]
        type DrillPeriod: Get<SessionIndex>;

        /// Takes offences: `pallet-offences`, which passes them to staking. (RECOVER-9)
        type ReportOffence: ReportOffence<
            Self::AccountId,
            IdentificationTuple<Self>,
            RecoveryOffence<IdentificationTuple<Self>>,
        >;

        /// Weights of the calls, and of the work in each block.
        type WeightInfo: WeightInfo;

        /// Setup for benchmarks.
        #[cfg(any(feature = "runtime-benchmarks", test))]
        type BenchmarkHelper: pallet_duet::BenchmarkHelper<Self::AccountId>;
    }

    /// Why funds are held.
    #[pallet::composite_enum]
    pub enum HoldReason {
        /// The account has a recovery key, or had one that can still be punished.
        #[codec(index = 0)]
        RecoveryKey,
    }

    /// Each validator's recovery key, checked. (RECOVER-1)
    #[pallet::storage]
    pub type Keys<T: Config> =
        StorageMap<_, Blake2_128Concat, T::ValidatorId, RegisteredKey<T>, OptionQuery>;

    /// The current or remembered owner of a recovery key. (RECOVER-1, RECOVER-9)
    #[pallet::storage]
    pub type KeyOwners<T: Config> =
        StorageMap<_, Blake2_128Concat, Pk1Bytes, KeyOwner<T>, OptionQuery>;

    /// The recovery set in force, and the wait; light clients prove this value. `None` while no set is in force.
    /// (RECOVER-4)
    #[pallet::storage]
    pub type Terms<T: Config> = StorageValue<_, RecoveryTerms, OptionQuery>;

    /// The keys of the set in force, in set order. (RECOVER-3)
    ///
    /// Weakly bounded: a set outlives a runtime upgrade that lowers the limit.
    #[pallet::storage]
    pub type Members<T: Config> = StorageValue<
        _,
        WeakBoundedVec<Pk1Bytes, <T as pallet_duet::Config>::ValidatorsPerBlock>,
        ValueQuery,
    >;

    /// The set in force, and earlier ones while they can be punished. (RECOVER-9)
    #[pallet::storage]
    pub type Sets<T: Config> = StorageMap<_, Twox64Concat, SetId, SetRecord<T>, OptionQuery>;

    /// The default of [`OldestSet`] and of [`NextId`].
    #[pallet::type_value]
    pub fn FirstSet() -> SetId {
        SetId::FIRST
    }

    /// The first set in [`Sets`]; the next id while there is none.
    #[pallet::storage]
    pub type OldestSet<T: Config> = StorageValue<_, SetId, ValueQuery, FirstSet>;

    /// The id of the next recovery set. (RECOVER-3)
    #[pallet::storage]
    pub type NextId<T: Config> = StorageValue<_, SetId, ValueQuery, FirstSet>;

    /// The session that the pallet saw last, and whether it already looked at its validators.
    #[pallet::storage]
    pub type Seen<T: Config> = StorageValue<_, (SessionIndex, bool), ValueQuery>;

    /// The last session of whose validators the set in force was made or kept: in it all members had stake. `None` while
    /// no set is in force, and for one of before this item. (RECOVER-9)
    #[pallet::storage]
    pub type MadeFor<T: Config> = StorageValue<_, SessionIndex, OptionQuery>;

    /// The chain's last resets, the oldest first. (RECOVER-9)
    #[pallet::storage]
    pub type Resets<T: Config> =
        StorageValue<_, BoundedVec<Reset, ConstU32<{ resets::MAX_RESETS }>>, ValueQuery>;

    /// From which block on [`Resets`] has each reset after it: that of the newest forgotten reset, or the one before
    /// the pallet's first block. `None` before that block.
    #[pallet::storage]
    pub type JudgedFrom<T: Config> = StorageValue<_, BlockNumber, OptionQuery>;

    /// What happened.
    #[pallet::event]
    #[pallet::generate_deposit(pub(crate) fn deposit_event)]
    pub enum Event<T: Config> {
        /// A validator registered a recovery key; it is ready after its first drill. (RECOVER-1)
        #[codec(index = 0)]
        KeyRegistered {
            /// The key's owner.
            validator: T::ValidatorId,
            /// The key's half in G1.
            key: Pk1Bytes,
            /// That of the replaced key.
            replaced: Option<Pk1Bytes>,
        },
        /// A validator withdrew its recovery key. The deposit returns when its last set has expired. (RECOVER-1)
        #[codec(index = 1)]
        KeyWithdrawn {
            /// The key's former owner.
            validator: T::ValidatorId,
            /// The key's half in G1.
            key: Pk1Bytes,
        },
        /// A validator showed that its recovery key is not lost. (RECOVER-2)
        #[codec(index = 2)]
        Drilled {
            /// The key's owner.
            validator: T::ValidatorId,
            /// The signed block.
            block_number: BlockNumber,
            /// The first session for which the key is no longer ready.
            ready_until: SessionIndex,
        },
        /// A recovery set with other keys is in force. (RECOVER-3)
        #[codec(index = 3)]
        SetMade {
            /// Number of the set.
            id: SetId,
            /// Number of its members.
            len: u32,
            /// The session of its validators.
            session: SessionIndex,
        },
        /// No recovery set is in force: the ready keys of this session's validators do not make one. (RECOVER-3)
        #[codec(index = 4)]
        SetNotMade {
            /// The session.
            session: SessionIndex,
            /// The reason, with the share that is too small.
            reason: KeptReason,
        },
        /// No recovery set is in force: there are more validators than one block looks at. (RECOVER-3)
        #[codec(index = 5)]
        TooManyValidators {
            /// The session.
            session: SessionIndex,
            /// Number of its validators.
            validators: u32,
        },
        /// Members of a recovery set signed a false statement, and were reported for punishment. (RECOVER-9)
        #[codec(index = 6)]
        FalseStatementReported {
            /// The signers.
            offenders: Vec<T::ValidatorId>,
            /// The recovery set of the signers.
            recovery_set: SetId,
            /// The block that the statement is about.
            block_number: BlockNumber,
            /// The session whose stake is slashed for it.
            session: SessionIndex,
        },
    }

    /// Why a call was refused; one error per rule.
    #[pallet::error]
    pub enum Error<T> {
        /// RECOVER-1: the account is not bonded as a validator, so it cannot have a recovery key.
        NotAValidator,
        /// RECOVER-1: this is the account's recovery key already.
        KeyUnchanged,
        /// RECOVER-1: the key is a key in use, or was one that can still be punished.
        KeyInUse,
        /// RECOVER-1: the key is the recovery key of somebody else.
        KeyTaken,
        /// RECOVER-1: the key was a recovery key that can still be punished.
        KeyRetired,
        /// KEY-1: a half of the key is not valid.
        InvalidKey,
        /// POP-1: the proof does not name this account on this chain, or is not that of a recovery key.
        InvalidOwnership,
        /// POP-2: the possession part of the proof does not hold.
        InvalidPossession,
        /// POP-3: the two halves of the key have different secrets.
        HalvesDiffer,
        /// RECOVER-1: the account has no recovery key.
        NoKey,
        /// RECOVER-2: the block is not one of the last whose hashes the chain keeps.
        UnknownBlock,
        /// RECOVER-2: the block is not newer than that of the last drill.
        OldDrill,
        /// RECOVER-2: the signature is not one of this account's recovery key over this block.
        InvalidDrill,
        /// RECOVER-9: there is no such recovery set, or its members can no longer be punished.
        SetNotSlashable,
        /// RECOVER-9, FALSE-4: governance pardoned statements about this block and this set.
        Pardoned,
        /// RECOVER-9: the statement is about a block after which the chain does not know each reset.
        NotJudged,
        /// RECOVER-9: the chain's first reset after the block is the one that the statement names.
        NotFalse,
        /// RECOVER-5: the statement is not well-formed, so that it is in no valid proof.
        MalformedStatement,
        /// RECOVER-9: nobody is accused, or an accused is not among the signers.
        NobodyAccused,
        /// RECOVER-9: the keys of the accused are not proven to be members of the set.
        InvalidMembership,
        /// RECOVER-6: the signature or the recovery proof does not hold.
        InvalidSignature,
        /// RECOVER-9: the runtime cannot identify an accused for punishment.
        UnknownOffender,
        /// RECOVER-9, EQV-7: all of the accused were already reported for this block.
        DuplicateReport,
        /// RECOVER-9, EQV-6: the runtime did not record the report: the offence is older than it punishes.
        ReportDropped,
    }

    #[pallet::hooks]
    impl<T: Config> Hooks<BlockNumberFor<T>> for Pallet<T> {
        fn on_initialize(_: BlockNumberFor<T>) -> Weight {
            let in_finalize = <T as Config>::WeightInfo::learn_reset();
            sets::on_initialize::<T>().saturating_add(in_finalize)
        }

        fn on_finalize(_: BlockNumberFor<T>) {
            resets::on_finalize::<T>();
        }

        fn integrity_test() {
            limits::integrity_test::<T>();
        }

        #[cfg(feature = "try-runtime")]
        fn try_state(_: BlockNumberFor<T>) -> Result<(), sp_runtime::TryRuntimeError> {
            crate::invariants::check::<T>()
        }
    }

    #[pallet::call]
    impl<T: Config> Pallet<T> {
        /// Registers the caller's recovery key, or replaces it, with a deposit. (RECOVER-1)
        ///
        /// `proof` shows that both halves share one secret, and names the caller on this chain. The key is ready after
        /// its first drill.
        #[pallet::call_index(0)]
        #[pallet::weight(<T as Config>::WeightInfo::register_key())]
        pub fn register_key(
            origin: OriginFor<T>,
            key: DualKeyBytes,
            proof: PossessionProof,
        ) -> DispatchResult {
            keys::register::<T>(ensure_signed(origin)?, &key, &proof)
        }

        /// Withdraws the caller's recovery key: it is in no later set. (RECOVER-1)
        ///
        /// The deposit returns at once if the key was in no set that can still be punished, and otherwise when the last
        /// of these expires.
        #[pallet::call_index(1)]
        #[pallet::weight(<T as Config>::WeightInfo::withdraw_key())]
        pub fn withdraw_key(origin: OriginFor<T>) -> DispatchResult {
            keys::withdraw::<T>(&ensure_signed(origin)?)
        }

        /// Shows that the caller's recovery key is not lost, by its signature over a recent block. (RECOVER-2)
        #[pallet::call_index(2)]
        #[pallet::weight(<T as Config>::WeightInfo::drill())]
        pub fn drill(origin: OriginFor<T>, drill: Drill) -> DispatchResult {
            keys::drill::<T>(&ensure_signed(origin)?, &drill)
        }

        /// Reports that members of a recovery set signed a false statement: the chain's first reset after its block is
        /// not the one that it names, or there is none. (RECOVER-9)
        ///
        /// Free when the evidence holds and at least one of the accused is new. The block hashes in the statement are
        /// not judged.
        #[pallet::call_index(3)]
        #[pallet::weight(limits::report::<T>(accusation.sizes(), T::ValidatorsPerBlock::get()))]
        pub fn report(
            origin: OriginFor<T>,
            accusation: Box<RecoveryAccusation>,
        ) -> DispatchResultWithPostInfo {
            offences::report::<T>(ensure_signed(origin)?, &accusation)
        }
    }
}
