//! Duet on chain: the registry of dual-group keys, the sets of keys that sign together, and reports of validators
//! that equivocate.
//!
//! - **Registry** ([`register_keys`](Pallet::register_keys)): a key enters only with a proof that its two halves share
//!   one secret and that its holder names the account (POP-1 to POP-3). No key is ever used twice (CHAIN-1): a key
//!   that was in a set stays remembered, with its owner, for as long as that owner can be slashed for its signatures.
//! - **Sets** ([`SessionHandler`]): wraps the runtime's session handlers, builds the next set from the queued
//!   validators, in ascending order of keys (SET-1), and announces changes in the header under the engine id `DUET`
//!   (CHAIN-2, CHAIN-3).
//! - **Activation** ([`activate`](Pallet::activate), [`deactivate`](Pallet::deactivate)): a chain that adds the pallet
//!   later makes sets from the block that governance names, until governance ends them. (ACTIVE-1 to ACTIVE-4)
//! - **Handoffs** ([`prove_handoff`](Pallet::prove_handoff)): the proof by which a set hands off is submitted on
//!   chain. It names the set's signers, and a planned set waits for it (HANDOFF-1 to HANDOFF-5).
//! - **Offences** ([`EquivocationOffence`]): two contradicting votes, or a vote or finality proof that contradicts the
//!   chain's blocks. Evidence about the signing set, and about earlier sets while they are slashable, is reported to
//!   `ReportOffence`. Votes are checked with hashes and Chaum-Pedersen proofs alone.
//! - **Headers**: each has the hash of the signed payload of its block (CHAIN-7).
//!
//! # What it does not do
//! The keys are not session keys of `pallet-session`: those are opaque bytes without a proof of possession, and a set
//! here must contain checked keys only. So a validator registers twice. A validator that has session keys alone
//! validates without taking part in Duet (CHAIN-4), and an event says so.
//!
//! # In a runtime
//! In `construct_runtime!` the pallet comes before `Session`, and after `Balances`, so that genesis accounts
//! exist. Its name must be `Duet`: light clients prove storage under that name. `pallet_session`'s handler is
//! `pallet_duet::SessionHandler<Runtime, <SessionKeys as OpaqueKeys>::KeyTypeIdProviders>`.
//!
//! - [`config_preludes`] has defaults for `#[derive_impl]`.
//! - [`impl_runtime_apis!`] writes `DuetApi`, and `MmrApi` if asked, into the runtime's APIs.
//! - [`MmrRootOf`] and [`BondedSessions`] read what other pallets know.
//!
//! # Host functions
//! With the feature `host-functions` the runtime computes products of pairings by the SDK's host functions for
//! BLS12-381 (`sp-crypto-ec-utils`), and the rest of a proof of possession itself. Verdicts are the same. A node
//! without `sp_crypto_ec_utils::bls12_381::host_calls::HostFunctions` cannot run such a runtime, so upgrade every
//! node before the runtime. [`SubstrateWeight`] was measured without this feature.

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

mod activation;
mod announcements;
#[cfg(any(feature = "runtime-benchmarks", test))]
#[allow(
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    reason = "measures, and runs on no chain: a panic is a failed measurement"
)]
mod benchmarking;
mod blocks;
mod candidates;
mod chores;
pub mod config_preludes;
mod draft;
mod handoffs;
#[cfg(any(test, feature = "try-runtime"))]
mod invariants;
mod leaf;
mod limits;
pub mod migrations;
pub mod mmr;
#[cfg(test)]
mod mock;
mod offences;
mod pardons;
mod records;
mod recovery;
mod registration;
mod rotation;
mod rules;
mod runtime_api;
mod set;
mod signing;
#[cfg(test)]
mod tests;
mod truth;
mod types;
mod unsigned;
mod weights;

pub use candidates::{KeptReason, Tally};
pub use chores::OpenChores;
pub use draft::{Purpose, SetDraft};
pub use handoffs::{Handoff, OnHandoff};
pub use mmr::MmrRootOf;
pub use offences::{EquivocationOffence, TimeSlot, UnitIdentification};
pub use pallet::*;
pub use pardons::{MAX_PARDONED_BLOCKS, MAX_PARDONED_SETS, MAX_PARDONS};
pub use records::SetRecord;
pub use registration::{KeyOwner, KeyStatus};
pub use rotation::SessionHandler;
#[doc(hidden)]
pub use runtime_api::__private;
pub use truth::{FalseStatement, Older, Truth};
pub use types::{BalanceOf, BenchmarkHelper, BondedSessions, HeaderOf, IdentificationTuple};
#[doc(hidden)]
pub use types::{MmrDefaults, SessionDefaults};
pub use weights::{SubstrateWeight, WeightInfo};
/// The SDK's pallets that a runtime needs beside this one, in the versions that fit.
pub use {pallet_mmr, pallet_session};

use alloc::{boxed::Box, vec::Vec};
use duet_primitives::{
    Accusation, Bitfield, BlockNumber, CommitmentPayload, DualKeyBytes, EquivocationProof,
    EvidenceStatus, Keysets as KeysetPair, MmrLeaf, Participation, SetId, SigningRecord,
    StatelessProof, VotingRules, H256,
};
use frame_support::traits::InherentBuilder;
use frame_system::pallet_prelude::BlockNumberFor;
use sp_mmr_primitives::LeafProof;
use sp_staking::SessionIndex;
use types::ExtrinsicOf;

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
        activation, blocks, handoffs, limits, offences, pardons, recovery, registration, BalanceOf,
        EquivocationOffence, FalseStatement, Handoff, HeaderOf, IdentificationTuple, KeptReason,
        KeyOwner, OnHandoff, OpenChores, Purpose, SetDraft, SetRecord, WeightInfo,
    };
    use alloc::{boxed::Box, vec::Vec};
    use duet_primitives::{
        Bitfield, BlockNumber, DualKeyBytes, EquivocationProof, Keysets as KeysetPair, Pardon,
        Pk1Bytes, PossessionProof, SetId, VotingRules, H256,
    };
    #[allow(deprecated)] // Until the SDK's own reports of equivocations leave it, too.
    use frame_support::pallet_prelude::ValidateUnsigned;
    use frame_support::{
        dispatch::{DispatchClass, DispatchResultWithPostInfo},
        pallet_prelude::{
            BuildGenesisConfig, DispatchResult, Get, Hooks, OptionQuery, Parameter, StorageMap,
            StorageValue, StorageVersion, TransactionSource, TransactionValidity,
            TransactionValidityError, Twox64Concat, ValueQuery,
        },
        traits::{fungible::MutateHold, ConstU32, EnsureOrigin, FindAuthor},
        weights::Weight,
        Blake2_128Concat, BoundedVec, WeakBoundedVec,
    };
    use frame_system::{
        ensure_signed,
        pallet_prelude::{BlockNumberFor, OriginFor},
    };
    use sp_runtime::{traits::Convert, Perbill};
    use sp_staking::{offence::ReportOffence, SessionIndex};

    const STORAGE_VERSION: StorageVersion = StorageVersion::new(2);

    /// The pallet.
    #[pallet::pallet]
    #[pallet::storage_version(STORAGE_VERSION)]
    pub struct Pallet<T>(_);

    /// Configuration by the runtime. [`config_preludes`](crate::config_preludes) has defaults.
    #[pallet::config(with_default)]
    pub trait Config:
        frame_system::Config<Hash = H256, RuntimeEvent: From<Event<Self>>> + pallet_session::Config
    {
        /// The currency for key deposits.
        #[pallet::no_default_bounds]
        type Currency: MutateHold<Self::AccountId, Reason: From<HoldReason>>;

        /// The deposit while an account has a key; zero for none.
        #[pallet::no_default_bounds]
        #[pallet::constant]
        type KeyDeposit: Get<BalanceOf<Self>>;

        /// The most validators of a set; further ones are left out with an event.
        #[pallet::no_default_bounds]
        #[pallet::constant]
        type MaxValidators: Get<u32>;

        /// The most validators that one block looks at when it makes a set: a set of more takes several blocks. It is
        /// also the most keys that one block forgets. (CHAIN-8)
        ///
        /// A set of this size should take less than a tenth of a block, which a test of the runtime checks.
        #[pallet::constant]
        type ValidatorsPerBlock: Get<u32>;

        /// The floor: the share of a session's validators, and of their stake, that a set must stand for to take
        /// over. (CHAIN-6)
        ///
        /// Two thirds is the usual choice. With half or less, less than a third of the validators could make a proof
        /// on their own.
        #[pallet::constant]
        type MinParticipation: Get<Perbill>;

        /// The stake behind an elected validator, in any unit; read when its session is planned or starts. `()` where
        /// the runtime knows no stake: then only validators are counted.
        #[pallet::no_default_bounds]
        type StakeOf: Convert<Self::ValidatorId, u128>;

        /// The origin that starts and ends the making of sets, and resets them when no proof can come any more;
        /// usually root. (ACTIVE-1, ACTIVE-3, RESET-1)
        #[pallet::no_default_bounds]
        type ResetOrigin: EnsureOrigin<Self::RuntimeOrigin>;

        /// Whether a planned set takes over only after the proof of the handoff to it is on chain. (HANDOFF-4)
        ///
        /// With `true`, a stall of GRANDPA or of the votes leaves one handoff open, not one per session, so that the
        /// chain can be proven again after the stall. Nodes submit the proofs, so upgrade them before the runtime.
        #[pallet::constant]
        type AwaitHandoff: Get<bool>;

        /// The least distance between two proven blocks, in blocks, mandatory ones aside; 1 proves as many as
        /// possible. A change counts from the next set on. (ROUND-3, ROUND-11)
        #[pallet::constant]
        type MinDelta: Get<u32>;

        /// Receives the signers of each handoff; `()` for nobody. (HANDOFF-3)
        #[pallet::no_default_bounds]
        type OnHandoff: OnHandoff<Self::ValidatorId>;

        /// For how many sessions after its last one a set and its key owners are remembered, so that equivocations in
        /// it can be punished: the bonding duration, in sessions. [`BondedSessions`](crate::BondedSessions) computes it
        /// from that duration in eras. (EQV-6)
        #[pallet::constant]
        type SlashableSessions: Get<SessionIndex>;

        /// For how many seconds after the time of a block light clients take proofs by its sets; 0 where the runtime
        /// states none. (LIGHT-9)
        ///
        /// Less than the bonding duration, two thirds of it for example. A change is stated from the next session on.
        #[pallet::constant]
        type TrustingPeriod: Get<u64>;

        /// The source of the root that commitments contain: [`MmrRootOf`](crate::MmrRootOf), which reads `pallet-mmr`.
        #[pallet::no_default_bounds]
        type MmrRoot: Get<H256>;

        /// The extra data in leaves of the Merkle mountain range besides a block's number and hash: a Keccak root of
        /// the messages that the parent block sent to other chains, or `()` for zeros. (MMR-1)
        ///
        /// It is read during block initialisation, when `pallet-mmr` does. A pallet that clears its messages at that
        /// time must come after `pallet-mmr` in `construct_runtime!`.
        type LeafExtra: Get<H256>;

        /// An offender's identification besides its validator id.
        type FullIdentification: Parameter;

        /// Provides that identification, also for former validators: a key's owner was a validator when its set was
        /// planned. [`UnitIdentification`](crate::UnitIdentification) where it is `()`.
        #[pallet::no_default_bounds]
        type IdentificationOf: Convert<Self::ValidatorId, Option<Self::FullIdentification>>;

        /// Takes offences: `pallet-offences`, which passes them to staking.
        #[pallet::no_default_bounds]
        type ReportOffence: ReportOffence<
            Self::AccountId,
            IdentificationTuple<Self>,
            EquivocationOffence<IdentificationTuple<Self>>,
        >;

        /// Finds the author of a block, who is the reporter of an unsigned report.
        #[pallet::no_default_bounds]
        type FindAuthor: FindAuthor<Self::AccountId>;

        /// Weights of the calls.
        #[pallet::no_default_bounds]
        type WeightInfo: WeightInfo;

        /// Prepares benchmarks.
        #[pallet::no_default]
        #[cfg(any(feature = "runtime-benchmarks", test))]
        type BenchmarkHelper: crate::BenchmarkHelper<Self::AccountId>;
    }

    /// Why funds are held.
    #[pallet::composite_enum]
    pub enum HoldReason {
        /// The account has a key in the registry.
        #[codec(index = 0)]
        Keys,
    }

    /// The registry: each validator's key, checked. (CHAIN-1)
    #[pallet::storage]
    pub type Keys<T: Config> =
        StorageMap<_, Blake2_128Concat, T::ValidatorId, DualKeyBytes, OptionQuery>;

    /// The current or remembered owner of a key. (CHAIN-1, EQV-6)
    #[pallet::storage]
    pub type KeyOwners<T: Config> =
        StorageMap<_, Blake2_128Concat, Pk1Bytes, KeyOwner<T>, OptionQuery>;

    /// Keys that left the registry and are still remembered, in the order in which they may be forgotten.
    #[pallet::storage]
    pub type Retired<T: Config> = StorageMap<_, Twox64Concat, u64, Pk1Bytes, OptionQuery>;

    /// First entry of [`Retired`], and the one after its last.
    #[pallet::storage]
    pub type RetiredRange<T: Config> = StorageValue<_, (u64, u64), ValueQuery>;

    /// The signing set and the next one; light clients prove this value. (LIGHT-2)
    #[pallet::storage]
    pub type Keysets<T: Config> = StorageValue<_, KeysetPair, OptionQuery>;

    /// Keys of the signing set, in set order. (SET-1)
    ///
    /// Weakly bounded, like the next set's: a set outlives a runtime upgrade that lowers the limit.
    #[pallet::storage]
    pub type CurrentKeys<T: Config> =
        StorageValue<_, WeakBoundedVec<DualKeyBytes, <T as Config>::MaxValidators>, ValueQuery>;

    /// Keys of the next set, in set order. (SET-1)
    #[pallet::storage]
    pub type NextKeys<T: Config> =
        StorageValue<_, WeakBoundedVec<DualKeyBytes, <T as Config>::MaxValidators>, ValueQuery>;

    /// The sets that signed, while equivocations in them can be punished. (EQV-6)
    #[pallet::storage]
    pub type Sets<T: Config> = StorageMap<_, Twox64Concat, SetId, SetRecord, OptionQuery>;

    /// Of each set in [`Sets`] and of the next one, the last two sessions of whose validators all members were: in
    /// these all of them had stake. `None` for sets of before this item. (EQV-6)
    #[pallet::storage]
    pub type StakedFor<T: Config> =
        StorageMap<_, Twox64Concat, SetId, (SessionIndex, SessionIndex), OptionQuery>;

    /// The default of [`OldestSet`].
    #[pallet::type_value]
    pub fn FirstSet() -> SetId {
        SetId::FIRST
    }

    /// The first set in [`Sets`].
    #[pallet::storage]
    pub type OldestSet<T: Config> = StorageValue<_, SetId, ValueQuery, FirstSet>;

    /// The key owners of a set, in set order: for the sets in [`Sets`], and for the next one. (HANDOFF-2)
    #[pallet::storage]
    pub type Members<T: Config> = StorageMap<
        _,
        Twox64Concat,
        SetId,
        WeakBoundedVec<T::ValidatorId, <T as Config>::MaxValidators>,
        ValueQuery,
    >;

    /// The signers of the handoffs of the sets in [`Sets`], as far as proofs on chain show them. (HANDOFF-2)
    #[pallet::storage]
    pub type Handoffs<T: Config> = StorageMap<_, Twox64Concat, SetId, Bitfield, OptionQuery>;

    /// The first set not yet fully reported to [`Config::OnHandoff`]. (HANDOFF-3)
    #[pallet::storage]
    pub type Unsettled<T: Config> = StorageValue<_, SetId, ValueQuery, FirstSet>;

    /// How many of that set's members were reported. (CHAIN-8)
    #[pallet::storage]
    pub type SettledMembers<T: Config> = StorageValue<_, u32, ValueQuery>;

    /// The newest sessions whose validators make up two thirds of the signing set and of the next one. (HANDOFF-5)
    #[pallet::storage]
    pub type ElectedFor<T: Config> = StorageValue<_, (SessionIndex, SessionIndex), ValueQuery>;

    /// The voting rules of the signing set. (ROUND-11)
    #[pallet::storage]
    pub type Rules<T: Config> = StorageValue<_, VotingRules, ValueQuery>;

    /// The statements that governance pardoned. (FALSE-4)
    #[pallet::storage]
    pub type Pardons<T: Config> =
        StorageValue<_, BoundedVec<Pardon, ConstU32<{ pardons::MAX_PARDONS }>>, ValueQuery>;

    /// For how many seconds light clients may trust a block's sets; 0 for no statement. Light clients prove this value.
    /// (LIGHT-9)
    #[pallet::storage]
    pub type TrustingPeriod<T: Config> = StorageValue<_, u64, ValueQuery>;

    /// The set in the making over several blocks. (CHAIN-8)
    #[pallet::storage]
    pub type Draft<T: Config> = StorageValue<_, SetDraft, OptionQuery>;

    /// The validators of the set in the making, in the order of their election, and the keys of the future members
    /// found so far.
    #[pallet::storage]
    pub type DraftParts<T: Config> = StorageMap<
        _,
        Twox64Concat,
        u32,
        WeakBoundedVec<(T::ValidatorId, Option<DualKeyBytes>), <T as Config>::ValidatorsPerBlock>,
        ValueQuery,
    >;

    /// The chores that the next block continues. (CHAIN-8)
    #[pallet::storage]
    pub type Chores<T: Config> = StorageValue<_, OpenChores, OptionQuery>;

    /// The block at whose end the chain starts to make sets; `None` while no block is named. (ACTIVE-1)
    #[pallet::storage]
    pub type ActiveFrom<T: Config> = StorageValue<_, BlockNumberFor<T>, OptionQuery>;

    /// Whether the signing set no longer signs because governance ended it. (ACTIVE-3)
    #[pallet::storage]
    pub type Ended<T: Config> = StorageValue<_, bool, ValueQuery>;

    /// What happened.
    #[pallet::event]
    #[pallet::generate_deposit(pub(crate) fn deposit_event)]
    pub enum Event<T: Config> {
        /// A key entered the registry; it signs from the set that is planned after the next session starts.
        #[codec(index = 0)]
        KeysRegistered {
            /// The key's owner.
            validator: T::ValidatorId,
            /// The key.
            key: DualKeyBytes,
            /// The replaced key.
            replaced: Option<DualKeyBytes>,
        },
        /// A key left the registry; sets that contain it keep it until they are replaced.
        #[codec(index = 1)]
        KeysDeregistered {
            /// The key's former owner.
            validator: T::ValidatorId,
            /// The key.
            key: DualKeyBytes,
        },
        /// A set with other keys than the signing set's was planned; this block is mandatory. (ROUND-2)
        #[codec(index = 2)]
        SetPlanned {
            /// Number of the set.
            id: SetId,
            /// Number of validators in the set.
            len: u32,
            /// The session in which it takes over.
            session: SessionIndex,
        },
        /// The planned set took over.
        #[codec(index = 3)]
        SetActivated {
            /// Number of the set.
            id: SetId,
            /// Number of validators in the set.
            len: u32,
            /// The session that starts.
            session: SessionIndex,
        },
        /// Validators without keys do not sign in the planned session. (CHAIN-4)
        #[codec(index = 4)]
        ValidatorsLeftOut {
            /// The planned session.
            session: SessionIndex,
            /// The validators.
            validators: Vec<T::ValidatorId>,
        },
        /// There are more validators than a set may have: those that the session lists last do not sign. (SET-1)
        #[codec(index = 5)]
        SetTruncated {
            /// The planned session.
            session: SessionIndex,
            /// The limit.
            limit: u32,
            /// The number of validators with keys that were left out.
            left_out: u32,
        },
        /// No set could be planned, so the signing set continues. (CHAIN-5, CHAIN-6)
        #[codec(index = 6)]
        SetKept {
            /// The planned session.
            session: SessionIndex,
            /// The set that continues.
            id: SetId,
            /// The reason.
            reason: KeptReason,
        },
        /// An equivocation was proven and reported for punishment.
        #[codec(index = 7)]
        EquivocationReported {
            /// The equivocator.
            offender: T::ValidatorId,
            /// The set of the equivocation.
            set_id: SetId,
            /// The block of the two statements.
            block_number: BlockNumber,
            /// The session whose stake is slashed for it.
            session: SessionIndex,
        },
        /// No set signs yet, and this session's validators cannot form the first one. (CHAIN-6)
        #[codec(index = 8)]
        SetNotFounded {
            /// The session that starts.
            session: SessionIndex,
            /// The reason.
            reason: KeptReason,
        },
        /// Governance ended the signing set, which has not handed off to its successor. (RESET-1)
        #[codec(index = 9)]
        SetsReset {
            /// The set that signed before.
            ended: SetId,
            /// The set that signs from this block on.
            id: SetId,
            /// Number of validators in the set.
            len: u32,
            /// This session.
            session: SessionIndex,
        },
        /// Members of a set signed a statement that contradicts the chain's blocks, and were reported for punishment.
        #[codec(index = 10)]
        FalseStatementReported {
            /// The signers.
            offenders: Vec<T::ValidatorId>,
            /// The set of the signers.
            set_id: SetId,
            /// The block of the statement.
            block_number: BlockNumber,
            /// The session whose stake is slashed for it.
            session: SessionIndex,
        },
        /// A proof of a set's handoff, or a fuller one, is on chain. (HANDOFF-1, HANDOFF-2)
        #[codec(index = 11)]
        HandoffProven {
            /// The set.
            id: SetId,
            /// How many of its members are known signers.
            signed: u32,
            /// How many members it has.
            len: u32,
        },
        /// The chain accepts no further proof of a set's handoff. If it has more members than one block looks at,
        /// several events list them. (HANDOFF-3, CHAIN-8)
        #[codec(index = 12)]
        HandoffSettled {
            /// The set.
            id: SetId,
            /// The members who signed none of the proofs.
            missed: Vec<T::ValidatorId>,
        },
        /// A set ended without an on-chain proof of its handoff: after a reset, or if none is awaited. (HANDOFF-3)
        #[codec(index = 13)]
        HandoffMissed {
            /// The set.
            id: SetId,
        },
        /// The planned set does not take over yet, because the handoff to it is not on chain. (HANDOFF-4)
        #[codec(index = 14)]
        SetWaits {
            /// The session that starts.
            session: SessionIndex,
            /// The set that continues.
            id: SetId,
            /// The set that waits.
            next: SetId,
        },
        /// The signing set no longer signs, because too many of its members can no longer be slashed: only a reset
        /// helps. (HANDOFF-5)
        #[codec(index = 15)]
        SetExpired {
            /// The session that starts.
            session: SessionIndex,
            /// The set.
            id: SetId,
        },
        /// A set of more validators than one block looks at is in the making. (CHAIN-8)
        #[codec(index = 16)]
        SetDrafted {
            /// Its purpose.
            purpose: Purpose,
            /// The session of its validators.
            session: SessionIndex,
            /// Number of its validators.
            validators: u32,
            /// Number of blocks that it takes, from the next one on.
            blocks: u32,
        },
        /// The validators cannot form the set for a reset, so the signing set continues. (RESET-1, CHAIN-8)
        #[codec(index = 17)]
        ResetRefused {
            /// The session of the validators.
            session: SessionIndex,
            /// The reason.
            reason: KeptReason,
        },
        /// Governance pardoned statements about blocks that the chain lost. (FALSE-4)
        #[codec(index = 20)]
        StatementsPardoned {
            /// Which.
            pardon: Pardon,
        },
        /// Governance named the block at whose end the chain starts to make sets. (ACTIVE-1)
        #[codec(index = 18)]
        ActivationScheduled {
            /// The block.
            at: BlockNumberFor<T>,
        },
        /// The chain no longer makes sets, and nothing is signed. (ACTIVE-3)
        #[codec(index = 19)]
        Deactivated {
            /// The set that signed; `None` if none did, as before the first set.
            ended: Option<SetId>,
        },
    }

    /// Why a call was refused; one error per rule.
    #[pallet::error]
    pub enum Error<T> {
        /// The account is not bonded as a validator, so it cannot have a key.
        NotAValidator,
        /// The account is not alive or has too many references to take another.
        NoAccount,
        /// CHAIN-1: the account already has this key.
        KeyUnchanged,
        /// CHAIN-1: another account has a key with this half in G1.
        KeyTaken,
        /// CHAIN-1: the key was in a set and is remembered while offences with it can be punished.
        KeyRetired,
        /// KEY-1: the half in G1 is not a valid key.
        InvalidPk1,
        /// KEY-1: the half in G2 is not a valid key.
        InvalidPk2,
        /// POP-1: the proof does not name this account on this chain.
        InvalidOwnership,
        /// POP-2: the possession part of the proof does not hold.
        InvalidPossession,
        /// POP-3: the two halves of the key have different secrets.
        HalvesDiffer,
        /// The account has no key in the registry.
        NoKeys,
        /// EQV-6: the evidence concerns a set that does not sign yet.
        SetNotActive,
        /// EQV-6: the evidence concerns a set whose offences can no longer be punished.
        SetNotSlashable,
        /// EQV-1: the two votes name different sets.
        DifferentSets,
        /// EQV-1: the two votes have different signers.
        DifferentSigners,
        /// EQV-2: the two votes are on different block numbers.
        DifferentBlocks,
        /// EQV-3: the two votes make the same statement.
        SameCommitment,
        /// EQV-4: the key is not proven to be a member of the set.
        InvalidMembership,
        /// EQV-4: the key is not a valid point.
        InvalidOffenderKey,
        /// EQV-5: a signature does not hold.
        InvalidVoteSignature,
        /// The key's owner is unknown, or the runtime cannot identify it for punishment.
        UnknownOffender,
        /// EQV-7: all of the accused were already reported for this block.
        DuplicateOffenceReport,
        /// RESET-1: there is no signing set to reset.
        NoSetToReset,
        /// RESET-1, CHAIN-5: none of this session's validators has a key, or their keys add up to zero.
        ResetWithoutKeys,
        /// RESET-1, CHAIN-6: too few of this session's validators have keys, or those hold too little of the stake.
        ResetBelowFloor,
        /// FALSE-1: the chain agrees with the statement, or has a block of a number that allegedly has none.
        NotFalse,
        /// FALSE-1: the header is not proven to be that of the chain's block of that number.
        ForeignHeader,
        /// FALSE-3: nobody is accused, or an accused is not among the signers of the proof.
        NobodyAccused,
        /// FALSE-3: the finality proof does not hold.
        InvalidFinalityProof,
        /// HANDOFF-1: the chain accepts no proof of this set, not yet or no longer.
        HandoffNotExpected,
        /// HANDOFF-1: the proven statement is not the chain's about the block that plans the set's successor.
        NotAHandoff,
        /// HANDOFF-1: the finality proof does not hold.
        InvalidHandoffProof,
        /// HANDOFF-2: all of its signers are already known.
        NoNewSigner,
        /// ACTIVE-1: the chain already makes sets.
        AlreadyActive,
        /// ACTIVE-1: the block is not after this one.
        ActivationInThePast,
        /// ACTIVE-3: the chain makes no sets, and no activation block is named.
        NotActive,
        /// EQV-6: the runtime did not record the report: the offence is older than it punishes.
        ReportDropped,
        /// FALSE-4: governance pardoned statements about this block by this set.
        Pardoned,
        /// FALSE-4: the range of blocks or of sets is empty or too long, or ends too far ahead.
        PardonOutOfBounds,
        /// FALSE-4: there are as many pardons as the chain keeps.
        TooManyPardons,
        /// RESET-1: this block has a reset already.
        AlreadyReset,
    }

    /// The registry at genesis.
    #[pallet::genesis_config]
    #[derive(frame_support::DefaultNoBound)]
    pub struct GenesisConfig<T: Config> {
        /// Validators, their keys, and proofs that name them with 32 zero bytes for the genesis hash. (POP-1)
        pub keys: Vec<(T::AccountId, DualKeyBytes, PossessionProof)>,
        /// Whether the chain begins without sets, and makes none until governance activates it. (ACTIVE-1)
        pub inactive: bool,
    }

    #[pallet::genesis_build]
    impl<T: Config> BuildGenesisConfig for GenesisConfig<T> {
        fn build(&self) {
            registration::build_genesis::<T>(&self.keys);
            activation::build_genesis::<T>(self.inactive);
        }
    }

    #[pallet::hooks]
    impl<T: Config> Hooks<BlockNumberFor<T>> for Pallet<T> {
        fn on_initialize(_: BlockNumberFor<T>) -> Weight {
            blocks::on_initialize::<T>()
        }

        fn on_finalize(_: BlockNumberFor<T>) {
            blocks::on_finalize::<T>();
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
        /// Registers the caller's key, or replaces it.
        ///
        /// `proof` shows that both halves share one secret, and names the caller on this chain (POP-1 to POP-3). The
        /// key signs from the set that is planned when the next session starts.
        #[pallet::call_index(0)]
        #[pallet::weight(<T as Config>::WeightInfo::register_keys())]
        pub fn register_keys(
            origin: OriginFor<T>,
            key: DualKeyBytes,
            proof: PossessionProof,
        ) -> DispatchResult {
            registration::register::<T>(&ensure_signed(origin)?, key, &proof)
        }

        /// Removes the caller's key from the registry and releases its deposit.
        ///
        /// Sets that are already planned keep it.
        #[pallet::call_index(1)]
        #[pallet::weight(<T as Config>::WeightInfo::deregister_keys())]
        pub fn deregister_keys(origin: OriginFor<T>) -> DispatchResult {
            registration::deregister::<T>(&ensure_signed(origin)?)
        }

        /// Reports that a validator signed two contradicting statements about one block, in the signing set or in an
        /// earlier one that is still slashable. (EQV-1 to EQV-7)
        ///
        /// Free when the evidence holds and is new. An unsigned report is accepted from the node itself and in
        /// blocks, and the author of the block is the reporter.
        #[pallet::call_index(2)]
        #[pallet::weight(<T as Config>::WeightInfo::report_equivocation(
            <T as Config>::MaxValidators::get()
        ))]
        pub fn report_equivocation(
            origin: OriginFor<T>,
            evidence: Box<EquivocationProof>,
        ) -> DispatchResultWithPostInfo {
            let reporter = offences::reporter::<T>(origin)?;
            offences::report_equivocation::<T>(reporter, &evidence)
        }

        /// Ends the signing set without a handoff, and starts a set of the registered keys of this session's
        /// validators. (RESET-1 to RESET-3)
        ///
        /// For a chain that can no longer be proven, because a third of a set's keys or more are lost. No light client
        /// crosses a reset by itself: its user must provide a checkpoint from after this block. So a reset is refused
        /// where these keys cannot form a set, and remains the last resort. With more validators than one block looks
        /// at, the block that looks at the last of them ends the set, and an event says so if it cannot. (CHAIN-8)
        #[pallet::call_index(3)]
        #[pallet::weight((limits::most_of_reset::<T>(), DispatchClass::Operational))]
        pub fn reset(origin: OriginFor<T>) -> DispatchResultWithPostInfo {
            T::ResetOrigin::ensure_origin(origin)?;
            let members = recovery::reset::<T>()?;
            // The cost of starting a large set is not refunded.
            Ok(members.map(<T as Config>::WeightInfo::reset).into())
        }

        /// Reports that members of a set, the signing one or an earlier slashable one, signed a statement about a
        /// block that contradicts the chain: another hash, another root, other sets, or a number without a block yet.
        /// A vote convicts its signer, a finality proof every signer in its bitfield. (FALSE-1 to FALSE-3)
        ///
        /// Free when the evidence holds and at least one of the accused is new. An unsigned report is accepted as for
        /// [`report_equivocation`](Pallet::report_equivocation).
        #[pallet::call_index(4)]
        #[pallet::weight({
            let (accused, non_signers) = evidence.accusation.sizes();
            <T as Config>::WeightInfo::report_false_statement(
                accused,
                non_signers,
                <T as Config>::MaxValidators::get(),
            )
        })]
        pub fn report_false_statement(
            origin: OriginFor<T>,
            evidence: Box<FalseStatement<HeaderOf<T>>>,
        ) -> DispatchResultWithPostInfo {
            let reporter = offences::reporter::<T>(origin)?;
            offences::report_false_statement::<T>(reporter, &evidence)
        }

        /// Submits a set's handoff proof: it names the signers, and lets the next set start. (HANDOFF-1 to HANDOFF-4)
        ///
        /// `handoff` proves the block that planned the successor of the signing set, or of a set that ended in the
        /// last session. It must hold and have a signer that no earlier proof had. Free when it is the first proof of
        /// that handoff, or unsigned: an unsigned proof is accepted from the node itself and in blocks.
        #[pallet::call_index(5)]
        #[pallet::weight(<T as Config>::WeightInfo::prove_handoff(handoff.non_signers()))]
        pub fn prove_handoff(
            origin: OriginFor<T>,
            handoff: Box<Handoff<HeaderOf<T>>>,
        ) -> DispatchResultWithPostInfo {
            handoffs::prove::<T>(origin, *handoff)
        }

        /// Names the block at whose end the chain starts to make sets: for a chain that added the pallet by a runtime
        /// upgrade, and after [`deactivate`](Pallet::deactivate). Until that block, a later call replaces it.
        /// (ACTIVE-1, ACTIVE-2, ACTIVE-4)
        ///
        /// The first set consists of the validators of that block's session, if those with keys reach the floor
        /// (CHAIN-6); otherwise each new session tries again, and an event gives the reason. Register keys before.
        #[pallet::call_index(6)]
        #[pallet::weight((<T as Config>::WeightInfo::activate(), DispatchClass::Operational))]
        pub fn activate(origin: OriginFor<T>, at: BlockNumberFor<T>) -> DispatchResult {
            T::ResetOrigin::ensure_origin(origin)?;
            Ok(activation::activate::<T>(at)?)
        }

        /// Ends the signing set without a successor: from this block on nothing is signed, until the chain is
        /// activated again. Keys stay registered, and offences of earlier blocks are punished as before. (ACTIVE-3)
        ///
        /// Running light clients only see that proofs stop; a client that starts at a later block finds it in that
        /// block's state. As after a [`reset`](Pallet::reset), no client follows a new activation by itself.
        #[pallet::call_index(7)]
        #[pallet::weight((limits::most_of_deactivate::<T>(), DispatchClass::Operational))]
        pub fn deactivate(origin: OriginFor<T>) -> DispatchResult {
            T::ResetOrigin::ensure_origin(origin)?;
            Ok(activation::deactivate::<T>()?)
        }

        /// Pardons statements about blocks that the chain lost, when its people restored all nodes to before a final block:
        /// they are not punished as false. (FALSE-4)
        ///
        /// Equivocations stay punishable, and nothing else becomes so. The range is at most
        /// [`MAX_PARDONED_BLOCKS`](crate::MAX_PARDONED_BLOCKS) blocks and [`MAX_PARDONED_SETS`](crate::MAX_PARDONED_SETS)
        /// sets. `docs/operators/rescue.md` says when to call it.
        #[pallet::call_index(8)]
        #[pallet::weight((pardons::weight::<T>(), DispatchClass::Operational))]
        pub fn pardon(origin: OriginFor<T>, pardon: Pardon) -> DispatchResult {
            T::ResetOrigin::ensure_origin(origin)?;
            Ok(pardons::pardon::<T>(pardon)?)
        }
    }

    #[allow(deprecated)]
    #[pallet::validate_unsigned]
    impl<T: Config> ValidateUnsigned for Pallet<T> {
        type Call = Call<T>;

        fn validate_unsigned(source: TransactionSource, call: &Self::Call) -> TransactionValidity {
            match call {
                Call::prove_handoff { handoff } => {
                    handoffs::validate_unsigned::<T>(source, handoff)
                }
                _ => offences::validate_unsigned::<T>(source, call),
            }
        }

        fn pre_dispatch(call: &Self::Call) -> Result<(), TransactionValidityError> {
            match call {
                Call::prove_handoff { handoff } => handoffs::pre_dispatch::<T>(handoff),
                _ => offences::pre_dispatch::<T>(call),
            }
        }
    }
}

impl<T: Config> Pallet<T> {
    /// The signing set and the next one; `None` before the first set.
    pub fn keysets() -> Option<KeysetPair> {
        Keysets::<T>::get()
    }

    /// The signing set's keys in set order.
    pub fn current_keys() -> Vec<DualKeyBytes> {
        CurrentKeys::<T>::get().into_inner()
    }

    /// The next set's keys in set order.
    pub fn next_keys() -> Vec<DualKeyBytes> {
        NextKeys::<T>::get().into_inner()
    }

    /// The payload that validators sign about the block of this state; `None` before the first set, and when the
    /// signing set has expired or was ended. (HANDOFF-5, ACTIVE-3)
    pub fn commitment_payload() -> Option<CommitmentPayload> {
        let is_over = signing::is_expired::<T>() || Ended::<T>::get();
        signing::payload::<T>().filter(|_| !is_over)
    }

    /// The registered key of an account.
    pub fn registered_key(account: &T::AccountId) -> Option<DualKeyBytes> {
        registration::validator_of::<T>(account).and_then(Keys::<T>::get)
    }

    /// The validator whose controller or stash is this account; the account itself when it is not bonded.
    pub fn validator_of(account: &T::AccountId) -> Option<T::ValidatorId> {
        registration::validator_of::<T>(account)
    }

    /// The genesis hash, which is in everything that validators sign. (POP-1, MSG-2)
    pub fn genesis_hash() -> H256 {
        registration::genesis_hash::<T>()
    }

    /// Whether signatures from a session can still be punished. (EQV-6)
    pub fn is_slashable(last_session: SessionIndex, now: SessionIndex) -> bool {
        registration::is_slashable::<T>(last_session, now)
    }

    /// Whether governance pardoned statements of this set about this block. (FALSE-4)
    pub fn is_pardoned(block: BlockNumber, set: SetId) -> bool {
        pardons::is_pardoned::<T>(block, set)
    }

    /// The share that a set would stand for if it were made now of the next session's validators. (CHAIN-6)
    ///
    /// Cost: one read and one question to [`Config::StakeOf`] per validator.
    pub fn participation() -> Participation<T::ValidatorId> {
        candidates::participation::<T>()
    }

    /// Whether evidence can still be punished. (EQV-6, EQV-7)
    pub fn evidence_status(evidence: &EquivocationProof) -> EvidenceStatus {
        offences::status::<T>(evidence)
    }

    /// Whether members of a set can still be punished for a false statement. Does not check that it is false. (EQV-6,
    /// EQV-7)
    pub fn accusation_status(accusation: &Accusation) -> EvidenceStatus {
        offences::status::<T>(accusation)
    }

    /// Submits a report of an equivocation to the node's transaction pool, unsigned and free.
    ///
    /// `None` when the pool refuses it or is not reachable. For runtime APIs that clients call off chain.
    pub fn submit_equivocation_report(evidence: EquivocationProof) -> Option<()>
    where
        ExtrinsicOf<T>: InherentBuilder<Call: From<Call<T>>>,
    {
        let evidence = Box::new(evidence);
        offences::submit::<T>(Call::report_equivocation { evidence })
    }

    /// The same for a false statement. `header` is that of the chain's block of this number, if there is one, and
    /// `latest` that of the block of this state. `prove` returns the leaf of a block and its proof in the range that
    /// ends with another block, as `pallet_mmr` does; it is called for old blocks.
    pub fn submit_accusation(
        accusation: Accusation,
        header: Option<HeaderOf<T>>,
        latest: HeaderOf<T>,
        prove: impl FnOnce(
            BlockNumberFor<T>,
            BlockNumberFor<T>,
        ) -> Option<(Vec<MmrLeaf>, LeafProof<H256>)>,
    ) -> Option<()>
    where
        ExtrinsicOf<T>: InherentBuilder<Call: From<Call<T>>>,
    {
        let number = accusation.commitment().block_number;
        let truth = truth::find::<T>(number, header, latest, prove)?;
        let evidence = Box::new(FalseStatement { accusation, truth });
        offences::submit::<T>(Call::report_false_statement { evidence })
    }

    /// The known signers of a set's handoff; `None` when the chain accepts no proof of it. (HANDOFF-2)
    pub fn handoff_signers(set: SetId) -> Option<Bitfield> {
        handoffs::signers::<T>(set)
    }

    /// How many handoffs of the remembered sets each validator signed. (HANDOFF-2)
    ///
    /// Cost: two reads per remembered set, one of them of 32 bytes per member.
    pub fn signing_records() -> Vec<(T::ValidatorId, SigningRecord)> {
        handoffs::records::<T>()
    }

    /// The voting rules of the signing set. (ROUND-11)
    pub fn voting_rules() -> VotingRules {
        Rules::<T>::get()
    }

    /// Submits the proof of a set's handoff to the node's transaction pool, unsigned and free. The other arguments
    /// are as for [`submit_accusation`](Pallet::submit_accusation).
    pub fn submit_handoff(
        proof: StatelessProof,
        header: HeaderOf<T>,
        latest: HeaderOf<T>,
        prove: impl FnOnce(
            BlockNumberFor<T>,
            BlockNumberFor<T>,
        ) -> Option<(Vec<MmrLeaf>, LeafProof<H256>)>,
    ) -> Option<()>
    where
        ExtrinsicOf<T>: InherentBuilder<Call: From<Call<T>>>,
    {
        handoffs::submit::<T>(proof, header, latest, prove)
    }
}
