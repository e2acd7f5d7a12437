//! Checks evidence and reports offences: of equivocations (EQV-1 to EQV-7) and of false statements (FALSE-1 to FALSE-3).

use crate::{
    pardons,
    records::{session_of_offences, SetRecord},
    registration::genesis_hash,
    truth::FalseStatement,
    types::{ExtrinsicOf, HeaderOf, IdentificationTuple, LOG_TARGET},
    unsigned,
    weights::WeightInfo,
    Call, Config, Error, Event, KeyOwners, Keysets, Pallet, Sets,
};
use alloc::{vec, vec::Vec};
use codec::{Decode, Encode};
use duet_primitives::{
    Accusation, AccusationError, BlockNumber, Commitment, EquivocationError, EquivocationProof,
    EvidenceStatus, KeysetCommitment, Pk1Bytes, SetId,
};
use frame_support::{
    dispatch::{DispatchResult, DispatchResultWithPostInfo, Pays},
    ensure,
    pallet_prelude::{
        InvalidTransaction, TransactionSource, TransactionValidity, TransactionValidityError,
        ValidTransaction,
    },
    storage::{with_transaction, TransactionOutcome},
    traits::{EstimateNextSessionRotation, FindAuthor, Get, InherentBuilder},
};
use frame_system::{ensure_none, ensure_signed};
use sp_runtime::{
    traits::{BadOrigin, Convert, SaturatedConversion},
    transaction_validity::TransactionPriority,
    Perbill,
};
use sp_staking::{
    offence::{Kind, Offence, ReportOffence},
    SessionIndex,
};

/// When an offence happened. Members of one set that equivocate or sign a false statement about one block share a
/// time slot, and each is punished once for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
pub struct TimeSlot {
    /// The set.
    pub set_id: SetId,
    /// The block.
    pub block_number: BlockNumber,
}

/// A proven equivocation or false statement, in the form that `pallet-offences` takes. Both are of one kind, as for
/// BEEFY: an offender who commits both about one block is punished once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquivocationOffence<Offender> {
    /// The time slot.
    pub time_slot: TimeSlot,
    /// The session whose stake is slashed: the last one in which the set signed and all of its members had stake.
    pub session_index: SessionIndex,
    /// The number of validators in the set.
    pub validator_set_count: u32,
    /// The offenders.
    pub offenders: Vec<Offender>,
}

impl<Offender: Clone> Offence<Offender> for EquivocationOffence<Offender> {
    const ID: Kind = *b"duet:equivocatio";
    type Slot = TimeSlot;

    fn offenders(&self) -> Vec<Offender> {
        self.offenders.clone()
    }

    fn session_index(&self) -> SessionIndex {
        self.session_index
    }

    fn validator_set_count(&self) -> u32 {
        self.validator_set_count
    }

    fn slot(&self) -> TimeSlot {
        self.time_slot
    }

    /// `min(1, (3k / n)²)` for `k` offenders of `n`: little for one, all for a third, like GRANDPA.
    fn slash_fraction(&self, offenders_count: u32) -> Perbill {
        Perbill::from_rational(offenders_count.saturating_mul(3), self.validator_set_count).square()
    }
}

/// Identifies every validator by `()`: the registry remembers the owners of keys, so that no lookup is needed.
///
/// For chains whose staking records the stake itself. The SDK's own converters know today's validators only, and
/// would not identify offenders who have left.
pub struct UnitIdentification;

impl<ValidatorId> Convert<ValidatorId, Option<()>> for UnitIdentification {
    fn convert(_: ValidatorId) -> Option<()> {
        Some(())
    }
}

impl<T> From<EquivocationError> for Error<T> {
    fn from(error: EquivocationError) -> Self {
        match error {
            EquivocationError::WrongSet { .. } => Self::DifferentSets,
            EquivocationError::DifferentSigners => Self::DifferentSigners,
            EquivocationError::DifferentBlocks => Self::DifferentBlocks,
            // Only the maker of evidence meets this: submitted evidence names no chain, and its signatures fail.
            EquivocationError::DifferentChains => Self::InvalidVoteSignature,
            EquivocationError::SameCommitment => Self::SameCommitment,
            EquivocationError::Membership(_) => Self::InvalidMembership,
            EquivocationError::Key(_) => Self::InvalidOffenderKey,
            EquivocationError::Signature { .. } => Self::InvalidVoteSignature,
        }
    }
}

impl<T> From<AccusationError> for Error<T> {
    fn from(error: AccusationError) -> Self {
        match error {
            AccusationError::WrongSet { .. } | AccusationError::Signature(_) => {
                Self::InvalidVoteSignature
            }
            AccusationError::Membership(_) => Self::InvalidMembership,
            AccusationError::Key(_) => Self::InvalidOffenderKey,
            AccusationError::Nobody | AccusationError::NotASigner { .. } => Self::NobodyAccused,
            AccusationError::Proof(_) => Self::InvalidFinalityProof,
        }
    }
}

/// The evidence that convicts members of one set of one offence.
pub(crate) trait Evidence<T: Config> {
    /// A statement that they signed, which names the set and the block.
    fn statement(&self) -> &Commitment;

    /// The keys of the accused.
    fn accused(&self) -> Vec<Pk1Bytes>;

    /// Checks without curve arithmetic: whether the chain shows that it is an offence.
    fn check_against_chain(&self) -> Result<(), Error<T>>;

    /// All other checks: whether all of the accused committed it.
    fn check_accused(&self, set: &KeysetCommitment) -> Result<(), Error<T>>;
}

impl<T: Config> Evidence<T> for EquivocationProof {
    fn statement(&self) -> &Commitment {
        &self.first.0
    }

    fn accused(&self) -> Vec<Pk1Bytes> {
        vec![self.key]
    }

    /// Two contradicting statements are an offence, whatever the chain says.
    fn check_against_chain(&self) -> Result<(), Error<T>> {
        Ok(())
    }

    fn check_accused(&self, set: &KeysetCommitment) -> Result<(), Error<T>> {
        self.check(set, genesis_hash::<T>())?;
        Ok(())
    }
}

impl<T: Config> Evidence<T> for Accusation {
    fn statement(&self) -> &Commitment {
        self.commitment()
    }

    fn accused(&self) -> Vec<Pk1Bytes> {
        Accusation::accused(self).copied().collect()
    }

    /// An accusation alone does not show the chain's block.
    fn check_against_chain(&self) -> Result<(), Error<T>> {
        let said = self.commitment();
        let is_pardoned = pardons::is_pardoned::<T>(said.block_number, said.validator_set_id);
        ensure!(!is_pardoned, Error::<T>::Pardoned);
        Ok(())
    }

    fn check_accused(&self, set: &KeysetCommitment) -> Result<(), Error<T>> {
        self.check(set, genesis_hash::<T>())?;
        Ok(())
    }
}

impl<T: Config> Evidence<T> for FalseStatement<HeaderOf<T>> {
    fn statement(&self) -> &Commitment {
        self.accusation.commitment()
    }

    fn accused(&self) -> Vec<Pk1Bytes> {
        Evidence::<T>::accused(&self.accusation)
    }

    fn check_against_chain(&self) -> Result<(), Error<T>> {
        Evidence::<T>::check_against_chain(&self.accusation)?;
        self.truth.refutes::<T>(self.accusation.commitment())
    }

    fn check_accused(&self, set: &KeysetCommitment) -> Result<(), Error<T>> {
        Evidence::<T>::check_accused(&self.accusation, set)
    }
}

/// Body of the call `report_equivocation`.
pub(crate) fn report_equivocation<T: Config>(
    reporter: Option<T::AccountId>,
    evidence: &EquivocationProof,
) -> DispatchResultWithPostInfo {
    let offence = report::<T>(reporter, evidence)?;
    let weight = <T as Config>::WeightInfo::report_equivocation(offence.validator_set_count);
    for (offender, _) in offence.offenders {
        Pallet::<T>::deposit_event(Event::EquivocationReported {
            offender,
            set_id: offence.time_slot.set_id,
            block_number: offence.time_slot.block_number,
            session: offence.session_index,
        });
    }
    Ok((Some(weight), Pays::No).into())
}

/// Body of the call `report_false_statement`.
pub(crate) fn report_false_statement<T: Config>(
    reporter: Option<T::AccountId>,
    evidence: &FalseStatement<HeaderOf<T>>,
) -> DispatchResultWithPostInfo {
    let offence = report::<T>(reporter, evidence)?;
    let (accused, non_signers) = evidence.accusation.sizes();
    let weight = <T as Config>::WeightInfo::report_false_statement(
        accused,
        non_signers,
        offence.validator_set_count,
    );
    let offenders = offence.offenders.into_iter();
    Pallet::<T>::deposit_event(Event::FalseStatementReported {
        offenders: offenders.map(|(offender, _)| offender).collect(),
        set_id: offence.time_slot.set_id,
        block_number: offence.time_slot.block_number,
        session: offence.session_index,
    });
    Ok((Some(weight), Pays::No).into())
}

type OffenceOf<T> = EquivocationOffence<IdentificationTuple<T>>;

fn report<T: Config>(
    reporter: Option<T::AccountId>,
    evidence: &dyn Evidence<T>,
) -> Result<OffenceOf<T>, Error<T>> {
    let case = find_case::<T>(evidence)?;
    evidence.check_against_chain()?;
    evidence.check_accused(&case.set.commitment)?;
    let offence = accuse::<T>(evidence, &case)?;
    hand_in::<T>(reporter, &offence)?;
    Ok(offence)
}

/// Reports an offence to the runtime. Staking's filter drops reports of offences before its first bonded era, and still
/// says that it took them.
fn hand_in<T: Config>(
    reporter: Option<T::AccountId>,
    offence: &OffenceOf<T>,
) -> Result<(), Error<T>> {
    T::ReportOffence::report_offence(reporter.into_iter().collect(), offence.clone())
        .map_err(|_| Error::<T>::DuplicateOffenceReport)?;
    ensure!(is_known::<T>(offence), Error::<T>::ReportDropped);
    Ok(())
}

/// Whether a report of the offence would be taken, by trying it and undoing it.
fn try_to_hand_in<T: Config>(offence: &OffenceOf<T>) -> Result<(), Error<T>> {
    let mut result = Ok(());
    let undone = with_transaction(|| {
        result = hand_in::<T>(None, offence);
        TransactionOutcome::Rollback(DispatchResult::Ok(()))
    });
    undone.map_err(|_| Error::<T>::ReportDropped)?;
    result
}

/// The reporter: the caller, or the author of the block.
pub(crate) fn reporter<T: Config>(
    origin: T::RuntimeOrigin,
) -> Result<Option<T::AccountId>, BadOrigin> {
    match ensure_none(origin.clone()) {
        Ok(()) => Ok(author::<T>()),
        Err(_) => ensure_signed(origin).map(Some),
    }
}

/// The author of this block.
fn author<T: Config>() -> Option<T::AccountId> {
    let digest = frame_system::Pallet::<T>::digest();
    T::FindAuthor::find_author(
        digest
            .logs()
            .iter()
            .filter_map(|item| item.as_pre_runtime()),
    )
}

/// Submits an unsigned extrinsic to the node's own pool.
pub(crate) fn submit<T: Config>(call: Call<T>) -> Option<()>
where
    ExtrinsicOf<T>: InherentBuilder<Call: From<Call<T>>>,
{
    unsigned::submit::<T>(call)
        .inspect(|()| log::info!(target: LOG_TARGET, "submitted a report of an offence"))
        .inspect_err(|()| {
            log::error!(target: LOG_TARGET, "the pool refused a report of an offence");
        })
        .ok()
}

/// Decides whether the pool accepts an unsigned report: only from this node or from a block, because nobody
/// pays for the check; only with valid evidence; once per offence.
pub(crate) fn validate_unsigned<T: Config>(
    source: TransactionSource,
    call: &Call<T>,
) -> TransactionValidity {
    let evidence = evidence_in(call)?;
    unsigned::ensure_own(source)?;
    let case = find_case::<T>(evidence).map_err(refusal)?;
    evidence.check_against_chain().map_err(refusal)?;
    evidence
        .check_accused(&case.set.commitment)
        .map_err(refusal)?;
    let offence = ensure_new::<T>(evidence, &case)?;
    try_to_hand_in::<T>(&offence).map_err(refusal)?;

    let TimeSlot {
        set_id,
        block_number,
    } = time_slot(evidence.statement());
    // If several are accused, there are several reports with all of them, each starting at another one.
    let first = evidence.accused().into_iter().next();
    let first = first.ok_or(InvalidTransaction::BadProof)?;
    ValidTransaction::with_tag_prefix("DuetEquivocation")
        .priority(TransactionPriority::MAX)
        .and_provides((set_id, block_number, first))
        .longevity(longevity::<T>())
        // Other nodes accept the report only from themselves or from a block.
        .propagate(false)
        .build()
}

/// Checks an unsigned report before dispatch in a block. A few reads and no curve arithmetic: dispatch checks the rest.
pub(crate) fn pre_dispatch<T: Config>(call: &Call<T>) -> Result<(), TransactionValidityError> {
    let evidence = evidence_in(call)?;
    let case = find_case::<T>(evidence).map_err(refusal)?;
    evidence.check_against_chain().map_err(refusal)?;
    ensure_new::<T>(evidence, &case).map(drop)
}

/// Whether evidence can still be punished.
pub(crate) fn status<T: Config>(evidence: &dyn Evidence<T>) -> EvidenceStatus {
    let judged = || {
        let case = find_case::<T>(evidence)?;
        evidence.check_against_chain()?;
        evidence.check_accused(&case.set.commitment)?;
        let offence = accuse::<T>(evidence, &case)?;
        if is_known::<T>(&offence) {
            return Ok(EvidenceStatus::Reported);
        }
        try_to_hand_in::<T>(&offence).map(|()| EvidenceStatus::New)
    };
    match judged() {
        Ok(status) => status,
        Err(Error::SetNotActive) => EvidenceStatus::NotActive,
        Err(Error::SetNotSlashable | Error::ReportDropped | Error::Pardoned) => {
            EvidenceStatus::NotSlashable
        }
        Err(_) => EvidenceStatus::Invalid,
    }
}

fn is_known<T: Config>(offence: &OffenceOf<T>) -> bool {
    T::ReportOffence::is_known_offence(&offence.offenders, &offence.time_slot)
}

/// The set of the evidence, and the session whose stake is slashed for it.
struct Case {
    set: SetRecord,
    session: SessionIndex,
}

/// EQV-6. The next set is refused until it signs: its members may not have stake before. A planned set that was ended is
/// remembered like the earlier ones, and refused until the session of its members. (RESET-3, ACTIVE-3)
fn find_case<T: Config>(evidence: &dyn Evidence<T>) -> Result<Case, Error<T>> {
    let now = pallet_session::CurrentIndex::<T>::get();
    let id = evidence.statement().validator_set_id;
    let current = Keysets::<T>::get()
        .ok_or(Error::<T>::SetNotActive)?
        .current
        .id;
    let unknown = if id > current {
        Error::<T>::SetNotActive
    } else {
        Error::<T>::SetNotSlashable
    };
    let set = Sets::<T>::get(id).ok_or(unknown)?;
    let session = session_of_offences::<T>(&set, now)?;
    Ok(Case { set, session })
}

/// Names the offenders: the accused with a known owner.
fn accuse<T: Config>(evidence: &dyn Evidence<T>, case: &Case) -> Result<OffenceOf<T>, Error<T>> {
    let identify = |key: Pk1Bytes| {
        let owner = KeyOwners::<T>::get(key)?;
        let identification = T::IdentificationOf::convert(owner.validator.clone())?;
        Some((owner.validator, identification))
    };
    let offenders: Vec<_> = evidence
        .accused()
        .into_iter()
        .filter_map(identify)
        .collect();
    ensure!(!offenders.is_empty(), Error::<T>::UnknownOffender);
    Ok(EquivocationOffence {
        time_slot: time_slot(evidence.statement()),
        session_index: case.session,
        validator_set_count: case.set.commitment.len,
        offenders,
    })
}

/// EQV-7.
fn ensure_new<T: Config>(
    evidence: &dyn Evidence<T>,
    case: &Case,
) -> Result<OffenceOf<T>, TransactionValidityError> {
    let offence = accuse::<T>(evidence, case).map_err(refusal)?;
    if is_known::<T>(&offence) {
        return Err(InvalidTransaction::Stale.into());
    }
    Ok(offence)
}

fn time_slot(statement: &Commitment) -> TimeSlot {
    TimeSlot {
        set_id: statement.validator_set_id,
        block_number: statement.block_number,
    }
}

fn evidence_in<T: Config>(call: &Call<T>) -> Result<&dyn Evidence<T>, InvalidTransaction> {
    match call {
        Call::report_equivocation { evidence } => Ok(&**evidence),
        Call::report_false_statement { evidence } => Ok(&**evidence),
        _ => Err(InvalidTransaction::Call),
    }
}

/// Maps a refusal to the answer for the transaction pool.
fn refusal<T>(error: Error<T>) -> TransactionValidityError {
    let refusal = match error {
        Error::SetNotActive => InvalidTransaction::Future,
        Error::SetNotSlashable
        | Error::DuplicateOffenceReport
        | Error::ReportDropped
        | Error::Pardoned => InvalidTransaction::Stale,
        _ => InvalidTransaction::BadProof,
    };
    refusal.into()
}

/// In blocks: for as long as the offence can be punished.
fn longevity<T: Config>() -> u64 {
    let session = T::NextSessionRotation::average_session_length();
    let session: u64 = session.saturated_into();
    session
        .max(1)
        .saturating_mul(u64::from(T::SlashableSessions::get()))
}
