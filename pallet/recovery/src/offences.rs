//! Reports of the signers of false statements. (RECOVER-9)

use crate::{
    limits, resets,
    sets::{session_of_offences, SetRecord},
    Config, Error, Event, Pallet, Sets,
};
use alloc::vec::Vec;
use duet_primitives::{Pk1Bytes, RecoveryAccusation, RecoveryError};
use frame_support::{
    dispatch::{DispatchResultWithPostInfo, Pays},
    ensure,
};
use pallet_duet::{EquivocationOffence, IdentificationTuple, TimeSlot};
use sp_runtime::{traits::Convert, Perbill};
use sp_staking::{
    offence::{Kind, Offence, ReportOffence},
    SessionIndex,
};

/// A proven false statement, in the form that `pallet-offences` takes. It is punished like an equivocation, but is of a
/// kind of its own: recovery sets are counted apart from those that sign votes, so that their time slots differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryOffence<Offender>(pub EquivocationOffence<Offender>);

impl<Offender: Clone> Offence<Offender> for RecoveryOffence<Offender> {
    const ID: Kind = *b"duet:recoverysig";
    type Slot = TimeSlot;

    fn offenders(&self) -> Vec<Offender> {
        self.0.offenders()
    }

    fn session_index(&self) -> SessionIndex {
        self.0.session_index()
    }

    fn validator_set_count(&self) -> u32 {
        self.0.validator_set_count()
    }

    fn slot(&self) -> TimeSlot {
        self.0.slot()
    }

    fn slash_fraction(&self, offenders_count: u32) -> Perbill {
        self.0.slash_fraction(offenders_count)
    }
}

impl<T> From<RecoveryError> for Error<T> {
    fn from(error: RecoveryError) -> Self {
        match error {
            // The set was found by the id in the statement.
            RecoveryError::WrongSet { .. } => Self::SetNotSlashable,
            RecoveryError::ResetOrder { .. }
            | RecoveryError::SetOrder { .. }
            | RecoveryError::SetLength { .. }
            | RecoveryError::SetTotal(_) => Self::MalformedStatement,
            RecoveryError::Nobody | RecoveryError::NotASigner { .. } => Self::NobodyAccused,
            RecoveryError::Membership(_) => Self::InvalidMembership,
            RecoveryError::Proof(_) | RecoveryError::UnknownSigner { .. } => Self::InvalidSignature,
        }
    }
}

/// Body of the call `report`. What the chain knows is checked before what takes curve arithmetic.
pub(crate) fn report<T: Config>(
    reporter: T::AccountId,
    accusation: &RecoveryAccusation,
) -> DispatchResultWithPostInfo {
    let statement = accusation.statement();
    let (recovery_set, block_number) = (statement.recovery_set, statement.block_number);
    let now = pallet_session::CurrentIndex::<T>::get();
    let set = Sets::<T>::get(recovery_set).ok_or(Error::<T>::SetNotSlashable)?;
    let session = session_of_offences(&set, now);
    let is_slashable = pallet_duet::Pallet::<T>::is_slashable(session, now);
    ensure!(is_slashable, Error::<T>::SetNotSlashable);
    let is_pardoned = pallet_duet::Pallet::<T>::is_pardoned(block_number, statement.ended);
    ensure!(!is_pardoned, Error::<T>::Pardoned);
    resets::refute::<T>(statement)?;
    let genesis = pallet_duet::Pallet::<T>::genesis_hash();
    let checked = accusation.check(&set.commitment, genesis);
    checked.map_err(Error::<T>::from)?;

    let offence = RecoveryOffence(EquivocationOffence {
        time_slot: TimeSlot {
            set_id: recovery_set,
            block_number,
        },
        session_index: session,
        validator_set_count: set.commitment.len,
        offenders: offenders::<T>(accusation, &set)?,
    });
    hand_in::<T>(reporter, &offence)?;
    let offenders = offence.0.offenders.into_iter();
    Pallet::<T>::deposit_event(Event::FalseStatementReported {
        offenders: offenders.map(|(offender, _)| offender).collect(),
        recovery_set,
        block_number,
        session,
    });
    let weight = limits::report::<T>(accusation.sizes(), set.commitment.len);
    Ok((Some(weight), Pays::No).into())
}

/// The owners of the accused keys in the set.
fn offenders<T: Config>(
    accusation: &RecoveryAccusation,
    set: &SetRecord<T>,
) -> Result<Vec<IdentificationTuple<T>>, Error<T>> {
    let identify = |(_, key): &(_, Pk1Bytes)| {
        let (_, owner) = set.members.iter().find(|(member, _)| member == key)?;
        let identification = T::IdentificationOf::convert(owner.clone())?;
        Some((owner.clone(), identification))
    };
    let offenders: Vec<_> = accusation.accused.iter().filter_map(identify).collect();
    ensure!(!offenders.is_empty(), Error::<T>::UnknownOffender);
    Ok(offenders)
}

/// Reports an offence to the runtime. Staking's filter drops reports of offences before its first bonded era, and still
/// says that it took them.
fn hand_in<T: Config>(
    reporter: T::AccountId,
    offence: &RecoveryOffence<IdentificationTuple<T>>,
) -> Result<(), Error<T>> {
    <T as Config>::ReportOffence::report_offence(alloc::vec![reporter], offence.clone())
        .map_err(|_| Error::<T>::DuplicateReport)?;
    let offenders = &offence.0.offenders;
    let is_known = <T as Config>::ReportOffence::is_known_offence(offenders, &offence.0.time_slot);
    ensure!(is_known, Error::<T>::ReportDropped);
    Ok(())
}
