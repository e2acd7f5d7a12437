//! Follows the headers of another chain that Duet finalizes, by finality proofs that anybody may submit.
//!
//! A pallet for messages from that chain reads the state root of a block from this pallet, through
//! [`bp_header_chain::HeaderChain`], as from the SDK's GRANDPA bridge pallet. Names, order of calls and storage of both
//! pallets are the same where they mean the same, so that `pallet-bridge-messages` works on top of it unchanged.
//!
//! - **Proofs** are stateless: they contain the keys of the non-signers, and this chain keeps 92 bytes of a set,
//!   however large it is. [`duet_light_client`] verifies them by rules LIGHT-4 to LIGHT-6, STATELESS-1, STATELESS-2 and
//!   JUST-1 to JUST-5.
//! - **Witnesses** ([`submit_finality_proof_by_witness`](Pallet::submit_finality_proof_by_witness)) spare this chain the
//!   final exponentiation of a proof's pairings. (JUST-11)
//! - **Mandatory headers** name a set that this pallet does not know yet. The pallet needs each of them to continue, so
//!   they are free ([`Config::MaxFreeHeadersPerBlock`]).
//! - **Contradictions**: two valid proofs that contradict each other stop the pallet, whoever submits them. It gives no
//!   state root until the owner or root has decided which chain counts, by
//!   [`force_set_pallet_state`](Pallet::force_set_pallet_state), which forgets all earlier headers.
//! - **Resets** of the other chain are crossed by the same call, and by no finality proof (LIGHT-8). Where that chain has
//!   recovery keys, anybody crosses by [`announce_recovery`](Pallet::announce_recovery) and, after a wait in which no
//!   newer proof came, [`cross_recovery`](Pallet::cross_recovery) (RECOVER-7, RECOVER-8).
//! - **Sleep**: a set that can no longer be slashed could sign a false history. So a pallet whose newest header came longer
//!   ago than the trusting period takes no proof (LIGHT-9), until the owner or root sets it anew from a block that they
//!   trust.
//!
//! # What it does not do
//! It does not know the age of a proof, only when the proof came. It does not punish validators of the other chain: the
//! proofs in its events are evidence for that chain.
//!
//! # In a runtime
//! [`RejectObsoleteHeaders`] is a transaction extension that refuses hopeless submissions before any fee is paid, by
//! [`CallSubType`]. With the feature `relayers`, the pallet and `CheckAndBoostBridgeDuetTransactions` are filters for
//! `bridge_runtime_common::generate_bridge_reject_obsolete_headers_and_messages!`, which does the same.

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

mod beginning;
#[cfg(any(feature = "runtime-benchmarks", test))]
#[allow(
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    reason = "measures, and runs on no chain: a panic is a failed measurement"
)]
mod benchmarking;
mod chain;
mod extension;
#[cfg(feature = "relayers")]
mod filter;
mod headers;
#[cfg(any(test, feature = "try-runtime"))]
mod invariants;
#[cfg(test)]
mod mock;
mod obsolete;
mod recovery;
mod rule;
mod submission;
#[cfg(test)]
mod tests;
mod weights;

pub use chain::{
    BridgedHeader, ChainWithDuet, FollowedChain, InitializationData, ReplacedSet, SETS_TO_KEEP,
};
pub use extension::RejectObsoleteHeaders;
#[cfg(feature = "relayers")]
pub use filter::CheckAndBoostBridgeDuetTransactions;
pub use obsolete::{CallSubType, VerifiedSubmitFinalityProofInfo};
pub use pallet::*;
pub use recovery::Announced;
pub use rule::Rule;
pub use weights::{SubstrateWeight, WeightInfo};

use bp_header_chain::HeaderChain;
use bp_runtime::{BasicOperatingMode, HashOf, OwnedBridgeModule};

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
        beginning,
        chain::{BridgedHeader, ChainWithDuet, FollowedChain, InitializationData},
        headers, recovery,
        rule::Rule,
        submission, weights, Announced, WeightInfo,
    };
    use alloc::boxed::Box;
    use bp_header_chain::StoredHeaderData;
    use bp_runtime::{
        BasicOperatingMode, HeaderId, OwnedBridgeModule as _, OwnedBridgeModuleError,
        RawStorageProof,
    };
    use duet_light_client::Conflict;
    use duet_primitives::{
        KeysetCommitment, Keysets, RecoveryProof, SetId, StatelessProof, Witness, H256,
    };
    use frame_support::{
        dispatch::{DispatchClass, DispatchResultWithPostInfo},
        pallet_prelude::{
            BuildGenesisConfig, DispatchResult, Get, Hooks, Identity, OptionQuery, StorageMap,
            StorageValue, StorageVersion, ValueQuery,
        },
        traits::{GetDefault, UnixTime},
        weights::Weight,
        DefaultNoBound,
    };
    use frame_system::pallet_prelude::{BlockNumberFor, OriginFor};
    use sp_runtime::traits::One;

    const STORAGE_VERSION: StorageVersion = StorageVersion::new(1);

    /// The pallet.
    #[pallet::pallet]
    #[pallet::storage_version(STORAGE_VERSION)]
    pub struct Pallet<T, I = ()>(_);

    /// Configuration by the runtime.
    #[pallet::config]
    pub trait Config<I: 'static = ()>:
        frame_system::Config<RuntimeEvent: From<Event<Self, I>>>
    {
        /// The chain that is followed.
        type BridgedChain: ChainWithDuet;

        /// Submissions per block that cost no fee: mandatory headers, and those that [`Self::FreeHeadersInterval`]
        /// allows. More are accepted and pay. It bounds the block space that validators of a compromised chain can
        /// fill.
        #[pallet::constant]
        type MaxFreeHeadersPerBlock: Get<u32>;

        /// Headers that are at least this many blocks above the best one are free, too; `None` for mandatory ones only.
        #[pallet::constant]
        type FreeHeadersInterval: Get<Option<u32>>;

        /// The number of headers that are kept. It counts submissions, and not blocks of the other chain: relayers of
        /// messages have time for as many submissions.
        ///
        /// If it is reduced, headers beyond it stay in storage for ever.
        #[pallet::constant]
        type HeadersToKeep: Get<u32>;

        /// This chain's time, by which the trusting period is measured: the Timestamp pallet. (LIGHT-9)
        type Time: UnixTime;

        /// The weights of calls.
        type WeightInfo: WeightInfo;
    }

    /// Free submissions that are left in this block. Never in the state of a block.
    #[pallet::storage]
    #[pallet::whitelist_storage]
    pub type FreeHeadersRemaining<T: Config<I>, I: 'static = ()> =
        StorageValue<_, u32, OptionQuery>;

    /// The highest submitted header, or the block of a reset that was crossed by a recovery. Of that one no state root
    /// is known.
    #[pallet::storage]
    pub type BestFinalized<T: Config<I>, I: 'static = ()> =
        StorageValue<_, HeaderId<H256, u32>, OptionQuery>;

    /// Which chain is followed, and the sets that sign there.
    #[pallet::storage]
    pub type Followed<T: Config<I>, I: 'static = ()> = StorageValue<_, FollowedChain, OptionQuery>;

    /// Hashes of the headers that are kept: a ring.
    #[pallet::storage]
    pub type ImportedHashes<T: Config<I>, I: 'static = ()> =
        StorageMap<_, Identity, u32, H256, OptionQuery, GetDefault, headers::ToKeep<T, I>>;

    /// Where in the ring the next hash goes.
    #[pallet::storage]
    pub type ImportedHashesPointer<T: Config<I>, I: 'static = ()> =
        StorageValue<_, u32, ValueQuery>;

    /// Number and state root of the headers that are kept.
    #[pallet::storage]
    pub type ImportedHeaders<T: Config<I>, I: 'static = ()> = StorageMap<
        _,
        Identity,
        H256,
        StoredHeaderData<u32, H256>,
        OptionQuery,
        GetDefault,
        headers::ToKeep<T, I>,
    >;

    /// Valid proofs contradict each other: no header is vouched for any more.
    #[pallet::storage]
    pub type Contradicted<T: Config<I>, I: 'static = ()> = StorageValue<_, Conflict, OptionQuery>;

    /// The recovery that is waited for, or by which the best block was reached. The next header removes it.
    #[pallet::storage]
    pub type AnnouncedRecovery<T: Config<I>, I: 'static = ()> =
        StorageValue<_, Announced, OptionQuery>;

    /// Who may initialize, halt and set the pallet beside root.
    #[pallet::storage]
    pub type PalletOwner<T: Config<I>, I: 'static = ()> =
        StorageValue<_, T::AccountId, OptionQuery>;

    /// Whether submissions are taken.
    #[pallet::storage]
    pub type PalletOperatingMode<T: Config<I>, I: 'static = ()> =
        StorageValue<_, BasicOperatingMode, ValueQuery>;

    /// Initial state of the pallet.
    #[pallet::genesis_config]
    #[derive(DefaultNoBound)]
    pub struct GenesisConfig<T: Config<I>, I: 'static = ()> {
        /// The owner.
        pub owner: Option<T::AccountId>,
        /// From where the other chain is followed. Without it the pallet is halted until `initialize` is called.
        pub init_data: Option<InitializationData<BridgedHeader<T, I>>>,
    }

    #[pallet::genesis_build]
    impl<T: Config<I>, I: 'static> BuildGenesisConfig for GenesisConfig<T, I> {
        fn build(&self) {
            if let Some(owner) = &self.owner {
                PalletOwner::<T, I>::put(owner);
            }
            match self.init_data.clone() {
                Some(data) => beginning::initialize::<T, I>(data)
                    .expect("the genesis configuration has a block and sets that belong together"),
                None => PalletOperatingMode::<T, I>::put(BasicOperatingMode::Halted),
            }
        }
    }

    /// The events of the pallet.
    #[pallet::event]
    #[pallet::generate_deposit(pub(crate) fn deposit_event)]
    pub enum Event<T: Config<I>, I: 'static = ()> {
        /// A higher header is known to be final.
        UpdatedBestFinalizedHeader {
            /// Its number.
            number: u32,
            /// Its hash.
            hash: H256,
            /// The proof, for observers that look for contradictions.
            proof: Box<StatelessProof>,
            /// Whether it named a set that was not known before.
            is_mandatory: bool,
        },
        /// Two valid proofs cannot both be true. Nothing is taken and no state root is given any more.
        ContradictionProven {
            /// The contradiction.
            conflict: Conflict,
            /// A proof that contradicts the known state, or two that contradict each other.
            proofs: alloc::vec::Vec<StatelessProof>,
        },
        /// Owner or root set block and sets. After a contradiction, all headers of before were forgotten.
        StateForced {
            /// Number of the block.
            number: u32,
            /// Its hash.
            hash: H256,
            /// The sets from there on.
            keysets: Keysets,
        },
        /// The recovery set says which set signs behind a reset. It is crossed after the delay, unless a newer header
        /// is submitted.
        RecoveryAnnounced {
            /// The proof, for observers who know whether it is true: evidence if not. (RECOVER-9)
            proof: Box<RecoveryProof>,
            /// How many seconds the wait takes.
            delay: u64,
        },
        /// The recovery set says two things about one block. Nobody crosses from there by a recovery.
        RecoveryContradicted {
            /// The second proof. The first one was announced.
            proof: Box<RecoveryProof>,
        },
        /// A reset was crossed by a recovery.
        RecoveryCrossed {
            /// Number of the block of the reset.
            number: u32,
            /// Its hash.
            hash: H256,
            /// The set from there on.
            set: KeysetCommitment,
        },
    }

    /// Why a call was refused.
    #[pallet::error]
    pub enum Error<T, I = ()> {
        /// A rule of the finality proof is broken.
        InvalidProof(Rule),
        /// The proof is of another header than the submitted one.
        HeaderMismatch,
        /// LIGHT-4: the header is not above the best one.
        OldHeader,
        /// LIGHT-5: the set that signed was replaced.
        OldSet,
        /// LIGHT-6: handoffs are missing before this proof.
        HandoffsMissing,
        /// The signing set is another one than the caller expected.
        InvalidAuthoritySetId,
        /// SET-1, LIGHT-5: these cannot be a set and its successor.
        InvalidKeysets,
        /// The pallet follows no chain yet.
        NotInitialized,
        /// The pallet follows a chain already.
        AlreadyInitialized,
        /// Valid proofs contradict each other, and the owner has not decided yet which chain counts.
        Contradicted,
        /// The two proofs do not contradict each other.
        NoContradiction,
        /// The pallet is halted.
        BridgeModule(OwnedBridgeModuleError),
        /// It should have been free, and the block has no more free submissions.
        FreeHeadersLimitExceded,
        /// It should have been free, and is too close to the best header.
        BelowFreeHeaderInterval,
        /// It should have been free, and the header is too large.
        HeaderOverflowLimits,
        /// LIGHT-9: the newest header came longer ago than the trusting period. The owner or root has to set a younger block,
        /// by `force_set_pallet_state`.
        Expired,
        /// LIGHT-9: a trusting period of zero trusts nothing.
        NoTrustingPeriod,
        /// RECOVER-7: the recovery statement is about another block than the best one.
        RecoveryOfOtherBlock,
        /// RECOVER-7: the ended set is neither the signing one nor its known successor.
        RecoveryOfOtherSet,
        /// RECOVER-7: the new set is not above the signing one and its known successor.
        RecoveryToOldSet,
        /// RECOVER-7: a recovery led to the best block, so that its state root is not known until the next proof.
        RecoveryStateUnknown,
        /// RECOVER-7, STATE-2: the trie nodes do not prove the terms under the best block, or are too many, or not all
        /// needed.
        InvalidTermsProof,
        /// RECOVER-4: the state of the best block names no terms, or terms that no recovery can follow.
        NoRecoveryTerms,
        /// RECOVER-7: this statement is announced already.
        RecoveryKnown,
        /// RECOVER-8: no recovery from the best block is announced.
        NoRecovery,
        /// RECOVER-8: the recovery set signed two statements about the best block.
        RecoveryContradicted,
        /// RECOVER-8: the wait is not over.
        RecoveryEarly,
    }

    #[pallet::hooks]
    impl<T: Config<I>, I: 'static> Hooks<BlockNumberFor<T>> for Pallet<T, I> {
        fn on_initialize(_: BlockNumberFor<T>) -> Weight {
            FreeHeadersRemaining::<T, I>::put(T::MaxFreeHeadersPerBlock::get());
            Weight::zero()
        }

        fn on_finalize(number: BlockNumberFor<T>) {
            FreeHeadersRemaining::<T, I>::kill();
            if number.is_one() {
                beginning::start_clock::<T, I>();
            }
        }

        fn integrity_test() {
            assert!(
                T::HeadersToKeep::get() > 0,
                "bridge-duet: HeadersToKeep is zero, so no header would be kept"
            );
            let force = T::WeightInfo::force_set_pallet_state(T::HeadersToKeep::get());
            let block = <T as frame_system::Config>::BlockWeights::get().max_block;
            assert!(
                force.all_lte(block.div(2)),
                "bridge-duet: removing HeadersToKeep headers takes more than half a block"
            );
        }

        #[cfg(feature = "try-runtime")]
        fn try_state(_: BlockNumberFor<T>) -> Result<(), sp_runtime::TryRuntimeError> {
            crate::invariants::check::<T, I>()
        }
    }

    #[pallet::call]
    impl<T: Config<I>, I: 'static> Pallet<T, I> {
        /// Submits a header with its finality proof: [`submit_finality_proof_ex`](Self::submit_finality_proof_ex)
        /// without the caller's expectations.
        #[pallet::call_index(0)]
        #[pallet::weight(weights::submission::<T::WeightInfo>(proof))]
        pub fn submit_finality_proof(
            origin: OriginFor<T>,
            finality_target: Box<BridgedHeader<T, I>>,
            proof: Box<StatelessProof>,
        ) -> DispatchResultWithPostInfo {
            submission::submit::<T, I>(origin, &finality_target, *proof, None, None)
        }

        /// Begins to follow the other chain, from a block that the caller trusts.
        ///
        /// By the owner or root, once. Errors: `AlreadyInitialized`, `InvalidKeysets`, `NoTrustingPeriod`.
        #[pallet::call_index(1)]
        #[pallet::weight((T::WeightInfo::initialize(), DispatchClass::Operational))]
        pub fn initialize(
            origin: OriginFor<T>,
            init_data: InitializationData<BridgedHeader<T, I>>,
        ) -> DispatchResult {
            Self::ensure_owner_or_root(origin)?;
            Ok(beginning::initialize::<T, I>(init_data)?)
        }

        /// Changes the owner, or removes it. By the owner or root.
        #[pallet::call_index(2)]
        #[pallet::weight((T::DbWeight::get().reads_writes(1, 1), DispatchClass::Operational))]
        pub fn set_owner(origin: OriginFor<T>, new_owner: Option<T::AccountId>) -> DispatchResult {
            <Self as bp_runtime::OwnedBridgeModule<_>>::set_owner(origin, new_owner)
        }

        /// Halts submissions, or resumes them. By the owner or root.
        ///
        /// State roots of known headers are given in both modes. A contradiction is not ended by it.
        #[pallet::call_index(3)]
        #[pallet::weight((T::DbWeight::get().reads_writes(1, 1), DispatchClass::Operational))]
        pub fn set_operating_mode(
            origin: OriginFor<T>,
            operating_mode: BasicOperatingMode,
        ) -> DispatchResult {
            <Self as bp_runtime::OwnedBridgeModule<_>>::set_operating_mode(origin, operating_mode)
        }

        /// Submits a header with its finality proof. By anybody with an account.
        ///
        /// `current_set_id` is this pallet's signing set: the call fails when that has changed in the meantime.
        /// `is_free_execution_expected` is for the transaction extension, which refuses the call when it would cost a
        /// fee.
        ///
        /// A valid proof that contradicts its set's earlier successor stops the pallet, and is free.
        ///
        /// Errors: `BridgeModule`, `Contradicted`, `NotInitialized`, `Expired`, `OldHeader`, `InvalidAuthoritySetId`, `HeaderMismatch`,
        /// `OldSet`, `HandoffsMissing`, `InvalidProof`.
        #[pallet::call_index(4)]
        #[pallet::weight(weights::submission::<T::WeightInfo>(proof))]
        pub fn submit_finality_proof_ex(
            origin: OriginFor<T>,
            finality_target: Box<BridgedHeader<T, I>>,
            proof: Box<StatelessProof>,
            current_set_id: SetId,
            _is_free_execution_expected: bool,
        ) -> DispatchResultWithPostInfo {
            submission::submit::<T, I>(origin, &finality_target, *proof, Some(current_set_id), None)
        }

        /// Sets block and sets of the followed chain, without a proof: after a reset of that chain (LIGHT-8), after a
        /// contradiction, or after the trusting period without proofs (LIGHT-9). By the owner or root.
        ///
        /// Known headers are kept; after a contradiction all are dropped, because nothing tells which are on the
        /// lasting chain. Errors: `NotInitialized`, `InvalidKeysets`.
        #[pallet::call_index(5)]
        #[pallet::weight((
            T::WeightInfo::force_set_pallet_state(T::HeadersToKeep::get()),
            DispatchClass::Operational,
        ))]
        pub fn force_set_pallet_state(
            origin: OriginFor<T>,
            new_keysets: Keysets,
            new_best_header: Box<BridgedHeader<T, I>>,
        ) -> DispatchResultWithPostInfo {
            Self::ensure_owner_or_root(origin)?;
            beginning::force::<T, I>(new_keysets, &new_best_header)
        }

        /// Brings two valid proofs, by sets that are known, that cannot both be true. They stop the pallet. The last sets before
        /// the signing one are known too, for as long as the trusting period. By anybody with an account, and free when it
        /// is true.
        ///
        /// Errors: `BridgeModule`, `Contradicted`, `NotInitialized`, `Expired`, `OldSet`, `HandoffsMissing`, `InvalidProof`,
        /// `NoContradiction`.
        #[pallet::call_index(6)]
        #[pallet::weight(
            weights::submission::<T::WeightInfo>(first)
                .saturating_add(weights::submission::<T::WeightInfo>(second))
        )]
        pub fn report_misbehaviour(
            origin: OriginFor<T>,
            first: Box<StatelessProof>,
            second: Box<StatelessProof>,
        ) -> DispatchResultWithPostInfo {
            submission::report::<T, I>(origin, *first, *second)
        }

        /// Announces that a recovery set has named the set behind a reset, and begins the wait. (RECOVER-7) By anybody
        /// with an account.
        ///
        /// `terms_proof` has the trie nodes that prove the terms under the best block, as `state_getReadProof` gives
        /// them for [`RECOVERY_TERMS_STORAGE_KEY`](duet_primitives::suite::RECOVERY_TERMS_STORAGE_KEY): at most 66,
        /// with 16 KiB in all. Another valid statement about the same block contradicts the first, and nobody crosses
        /// either (RECOVER-8).
        ///
        /// The weight is that of a submission with as many non-signers, of the check of two sets, and of the largest
        /// proof of the terms.
        ///
        /// Errors: `BridgeModule`, `Contradicted`, `NotInitialized`, `Expired`, `RecoveryOfOtherBlock`,
        /// `RecoveryKnown`, `RecoveryContradicted`, `RecoveryOfOtherSet`, `RecoveryToOldSet`, `RecoveryStateUnknown`,
        /// `InvalidTermsProof`, `NoRecoveryTerms`, `InvalidProof`.
        ///
        /// # Security
        /// The proof does not show that the statement is true. Only somebody who submits a newer header within the
        /// delay shows that it is false. The wait goes on while the pallet is halted, when nobody can.
        #[pallet::call_index(7)]
        #[pallet::weight(weights::announcement::<T::WeightInfo>(proof))]
        pub fn announce_recovery(
            origin: OriginFor<T>,
            proof: Box<RecoveryProof>,
            terms_proof: RawStorageProof,
        ) -> DispatchResult {
            recovery::announce::<T, I>(origin, *proof, terms_proof)
        }

        /// Crosses the reset of the announced recovery when the wait is over. (RECOVER-8) By anybody with an account.
        ///
        /// Behind it the block of the reset is the best one, without a state root, and its set signs. Until the next
        /// proof, the trusting period counts from the header before (LIGHT-9).
        ///
        /// Errors: `BridgeModule`, `Contradicted`, `NotInitialized`, `Expired`, `NoRecovery`, `RecoveryContradicted`,
        /// `RecoveryEarly`.
        #[pallet::call_index(8)]
        #[pallet::weight(weights::crossing::<T, T::WeightInfo>())]
        pub fn cross_recovery(origin: OriginFor<T>) -> DispatchResult {
            recovery::cross::<T, I>(origin)
        }

        /// [`submit_finality_proof_ex`](Self::submit_finality_proof_ex) with a witness of the proof's equation, which spares
        /// this chain the final exponentiation. (JUST-11) A wrong witness is refused as a proof that breaks JUST-5; nothing
        /// is kept, so that the same proof may come again.
        ///
        /// The weight is that of the call without a witness.
        #[pallet::call_index(9)]
        #[pallet::weight(weights::submission::<T::WeightInfo>(proof))]
        pub fn submit_finality_proof_by_witness(
            origin: OriginFor<T>,
            finality_target: Box<BridgedHeader<T, I>>,
            proof: Box<StatelessProof>,
            current_set_id: SetId,
            _is_free_execution_expected: bool,
            witness: Box<Witness>,
        ) -> DispatchResultWithPostInfo {
            submission::submit::<T, I>(
                origin,
                &finality_target,
                *proof,
                Some(current_set_id),
                Some(&witness),
            )
        }
    }

    impl<T: Config<I>, I: 'static> Pallet<T, I> {
        /// Number and hash of the highest submitted header, or of the block of the reset that was crossed by a
        /// recovery.
        pub fn best_finalized() -> Option<HeaderId<H256, u32>> {
            BestFinalized::<T, I>::get()
        }

        /// The pallet takes submissions.
        pub(crate) fn ensure_active() -> Result<(), Error<T, I>> {
            Self::ensure_not_halted().map_err(Error::BridgeModule)?;
            frame_support::ensure!(!Contradicted::<T, I>::exists(), Error::Contradicted);
            Ok(())
        }
    }
}

impl<T: Config<I>, I: 'static> OwnedBridgeModule<T> for Pallet<T, I> {
    const LOG_TARGET: &'static str = chain::LOG_TARGET;
    type OwnerStorage = PalletOwner<T, I>;
    type OperatingMode = BasicOperatingMode;
    type OperatingModeStorage = PalletOperatingMode<T, I>;
}

impl<T: Config<I>, I: 'static> HeaderChain<T::BridgedChain> for Pallet<T, I> {
    fn finalized_header_state_root(
        header_hash: HashOf<T::BridgedChain>,
    ) -> Option<HashOf<T::BridgedChain>> {
        if Contradicted::<T, I>::exists() {
            return None;
        }
        ImportedHeaders::<T, I>::get(header_hash).map(|header| header.state_root)
    }
}
