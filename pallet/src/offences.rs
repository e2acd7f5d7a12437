//! Checks evidence of equivocations and reports offences. (EQV-1 to EQV-7)

use crate::{
    registration::{genesis_hash, is_slashable},
    rotation::SetRecord,
    types::{IdentificationTuple, LOG_TARGET},
    Call, Config, Error, Event, KeyOwners, Keysets, Pallet, Sets,
};
use alloc::{boxed::Box, vec, vec::Vec};
use codec::{Decode, Encode};
use duet_primitives::{BlockNumber, EquivocationError, EquivocationProof, EvidenceStatus, SetId};
use frame_support::{
    dispatch::{DispatchResultWithPostInfo, Pays},
    ensure,
    pallet_prelude::{
        InvalidTransaction, TransactionSource, TransactionValidity, TransactionValidityError,
        ValidTransaction,
    },
    traits::{EstimateNextSessionRotation, FindAuthor, Get},
};
use frame_system::offchain::{CreateBare, SubmitTransaction};
use sp_runtime::{
    traits::{Convert, SaturatedConversion},
    transaction_validity::TransactionPriority,
    Perbill,
};
use sp_staking::{
    offence::{Kind, Offence, ReportOffence},
    SessionIndex,
};

/// When an equivocation happened. Members of one set that equivocate on one block share a time slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
pub struct TimeSlot {
    /// The set.
    pub set_id: SetId,
    /// The block.
    pub block_number: BlockNumber,
}

/// A proven equivocation, in the form that `pallet-offences` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquivocationOffence<Offender> {
    /// When it happened.
    pub time_slot: TimeSlot,
    /// The session whose stake is slashed for it: the last one in which the set signed.
    pub session_index: SessionIndex,
    /// How many validators the set has.
    pub validator_set_count: u32,
    /// Who did it.
    pub offender: Offender,
}

impl<Offender: Clone> Offence<Offender> for EquivocationOffence<Offender> {
    const ID: Kind = *b"duet:equivocatio";
    type Slot = TimeSlot;

    fn offenders(&self) -> Vec<Offender> {
        vec![self.offender.clone()]
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

    /// `min(1, (3k / n)²)` for `k` offenders of `n`: little for one, all for a third, as GRANDPA has it.
    fn slash_fraction(&self, offenders_count: u32) -> Perbill {
        Perbill::from_rational(offenders_count.saturating_mul(3), self.validator_set_count).square()
    }
}

/// Identifies every validator by `()`: the registry remembers who owned a key, so that nothing has to be looked up.
///
/// For chains whose staking keeps what was at stake itself. The SDK's own converters know today's validators
/// only, and would not identify those who equivocated and then left.
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
            // Only whoever makes evidence meets it: evidence that is sent names no chain, and its signatures fail.
            EquivocationError::DifferentChains => Self::InvalidVoteSignature,
            EquivocationError::SameCommitment => Self::SameCommitment,
            EquivocationError::Membership(_) => Self::InvalidMembership,
            EquivocationError::Key(_) => Self::InvalidOffenderKey,
            EquivocationError::Signature { .. } => Self::InvalidVoteSignature,
        }
    }
}

/// Body of the call `report_equivocation`.
pub(crate) fn report<T: Config>(
    reporter: Option<T::AccountId>,
    evidence: &EquivocationProof,
) -> DispatchResultWithPostInfo {
    let Case { set, session } = find_case::<T>(evidence)?;
    evidence
        .check(&set.commitment, genesis_hash::<T>())
        .map_err(Error::<T>::from)?;
    let offence = accuse::<T>(evidence, set.commitment.len, session)?;

    let TimeSlot {
        set_id,
        block_number,
    } = offence.time_slot;
    let offender = offence.offender.0.clone();
    T::ReportOffence::report_offence(reporter.into_iter().collect(), offence)
        .map_err(|_| Error::<T>::DuplicateOffenceReport)?;
    Pallet::<T>::deposit_event(Event::EquivocationReported {
        offender,
        set_id,
        block_number,
        session,
    });
    Ok(Pays::No.into())
}

/// The author of this block.
pub(crate) fn author<T: Config>() -> Option<T::AccountId> {
    let digest = frame_system::Pallet::<T>::digest();
    T::FindAuthor::find_author(
        digest
            .logs()
            .iter()
            .filter_map(|item| item.as_pre_runtime()),
    )
}

/// Builds the unsigned extrinsic and submits it to the node's own pool.
pub(crate) fn submit<T: Config + CreateBare<Call<T>>>(evidence: EquivocationProof) -> Option<()> {
    let call = Call::report_equivocation {
        evidence: Box::new(evidence),
    };
    let extrinsic = T::create_bare(call.into());
    SubmitTransaction::<T, Call<T>>::submit_transaction(extrinsic)
        .inspect(|()| log::info!(target: LOG_TARGET, "submitted a report of an equivocation"))
        .inspect_err(|()| {
            log::error!(target: LOG_TARGET, "the pool refused a report of an equivocation");
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
    ensure!(
        matches!(
            source,
            TransactionSource::Local | TransactionSource::InBlock
        ),
        InvalidTransaction::Call
    );
    let Case { set, session } = find_case::<T>(evidence).map_err(refusal)?;
    evidence
        .check(&set.commitment, genesis_hash::<T>())
        .map_err(|error| refusal(Error::<T>::from(error)))?;
    ensure_new::<T>(evidence, set.commitment.len, session)?;

    let TimeSlot {
        set_id,
        block_number,
    } = time_slot(evidence);
    ValidTransaction::with_tag_prefix("DuetEquivocation")
        .priority(TransactionPriority::MAX)
        .and_provides((set_id, block_number, evidence.key))
        .longevity(longevity::<T>())
        // Other nodes accept it from themselves or from a block only.
        .propagate(false)
        .build()
}

/// Checks an unsigned report before it is dispatched in a block. A few reads and no curve arithmetic: dispatch checks the rest.
pub(crate) fn pre_dispatch<T: Config>(call: &Call<T>) -> Result<(), TransactionValidityError> {
    let evidence = evidence_in(call)?;
    let Case { set, session } = find_case::<T>(evidence).map_err(refusal)?;
    ensure_new::<T>(evidence, set.commitment.len, session)
}

/// What can still be done about evidence.
pub(crate) fn status<T: Config>(evidence: &EquivocationProof) -> EvidenceStatus {
    let judged = || {
        let Case { set, session } = find_case::<T>(evidence)?;
        evidence.check(&set.commitment, genesis_hash::<T>())?;
        accuse::<T>(evidence, set.commitment.len, session)
    };
    match judged() {
        Ok(offence) if is_known::<T>(&offence) => EvidenceStatus::Reported,
        Ok(_) => EvidenceStatus::New,
        Err(Error::SetNotActive) => EvidenceStatus::NotActive,
        Err(Error::SetNotSlashable) => EvidenceStatus::NotSlashable,
        Err(_) => EvidenceStatus::Invalid,
    }
}

fn is_known<T: Config>(offence: &EquivocationOffence<IdentificationTuple<T>>) -> bool {
    T::ReportOffence::is_known_offence(&offence.offenders(), &offence.time_slot)
}

/// The set that evidence is about, and the session whose stake is slashed for it.
struct Case {
    set: SetRecord,
    session: SessionIndex,
}

/// EQV-6. The next set is refused until it signs: its members need not be at stake before.
fn find_case<T: Config>(evidence: &EquivocationProof) -> Result<Case, Error<T>> {
    let now = pallet_session::CurrentIndex::<T>::get();
    let id = time_slot(evidence).set_id;
    let current = Keysets::<T>::get()
        .ok_or(Error::<T>::SetNotActive)?
        .current
        .id;
    ensure!(id <= current, Error::<T>::SetNotActive);
    let set = Sets::<T>::get(id).ok_or(Error::<T>::SetNotSlashable)?;
    let session = set.last_session.unwrap_or(now).min(now);
    ensure!(is_slashable::<T>(session, now), Error::<T>::SetNotSlashable);
    Ok(Case { set, session })
}

/// Names the offender.
fn accuse<T: Config>(
    evidence: &EquivocationProof,
    validator_set_count: u32,
    session_index: SessionIndex,
) -> Result<EquivocationOffence<IdentificationTuple<T>>, Error<T>> {
    let owner = KeyOwners::<T>::get(evidence.key).ok_or(Error::<T>::UnknownOffender)?;
    let identification =
        T::IdentificationOf::convert(owner.validator.clone()).ok_or(Error::<T>::UnknownOffender)?;
    let offender = (owner.validator, identification);
    let time_slot = time_slot(evidence);
    Ok(EquivocationOffence {
        time_slot,
        session_index,
        validator_set_count,
        offender,
    })
}

/// EQV-7.
fn ensure_new<T: Config>(
    evidence: &EquivocationProof,
    validator_set_count: u32,
    session: SessionIndex,
) -> Result<(), TransactionValidityError> {
    let offence = accuse::<T>(evidence, validator_set_count, session).map_err(refusal)?;
    if is_known::<T>(&offence) {
        return Err(InvalidTransaction::Stale.into());
    }
    Ok(())
}

fn time_slot(evidence: &EquivocationProof) -> TimeSlot {
    let commitment = &evidence.first.0;
    TimeSlot {
        set_id: commitment.validator_set_id,
        block_number: commitment.block_number,
    }
}

fn evidence_in<T: Config>(call: &Call<T>) -> Result<&EquivocationProof, InvalidTransaction> {
    match call {
        Call::report_equivocation { evidence } => Ok(evidence),
        _ => Err(InvalidTransaction::Call),
    }
}

/// Maps a refusal to the answer for the transaction pool.
fn refusal<T>(error: Error<T>) -> TransactionValidityError {
    let refusal = match error {
        Error::SetNotActive => InvalidTransaction::Future,
        Error::SetNotSlashable | Error::DuplicateOffenceReport => InvalidTransaction::Stale,
        _ => InvalidTransaction::BadProof,
    };
    refusal.into()
}

/// In blocks: for as long as the offence is slashable.
fn longevity<T: Config>() -> u64 {
    let session = T::NextSessionRotation::average_session_length();
    let session: u64 = session.saturated_into();
    session
        .max(1)
        .saturating_mul(u64::from(T::SlashableSessions::get()))
}
