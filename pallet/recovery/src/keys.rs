//! A recovery key enters with a deposit and its proof of possession, and is ready after a drill. (RECOVER-1, RECOVER-2)
//!
//! A key that was in a set is remembered with its owner until its last set can no longer be punished. So the members of
//! those sets bound the number of remembered keys, whatever accounts do.

// The casts are in the code that `Encode` derives for enums.
#![allow(clippy::cast_possible_truncation)]

use crate::{
    types::{BalanceOf, LOG_TARGET},
    Config, Error, Event, HoldReason, KeyOwners, Keys, Pallet,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_primitives::{
    recovery_ownership_statement, BlockNumber, Drill, DualKeyBytes, Pk1, Pk1Bytes, PossessionError,
    PossessionProof,
};
use frame_support::{
    ensure,
    pallet_prelude::DispatchResult,
    traits::{fungible::MutateHold, tokens::Precision, Get},
    CloneNoBound, DebugNoBound, EqNoBound, PartialEqNoBound,
};
use frame_system::pallet_prelude::BlockNumberFor;
use scale_info::TypeInfo;
use sp_runtime::{
    traits::{Convert, Zero},
    Saturating,
};
use sp_staking::SessionIndex;

/// The deposit for a key.
#[derive(
    CloneNoBound,
    PartialEqNoBound,
    EqNoBound,
    DebugNoBound,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
#[scale_info(skip_type_params(T))]
pub struct Deposit<T: Config> {
    /// Who pays it.
    pub account: T::AccountId,
    /// How much it was.
    pub amount: BalanceOf<T>,
}

/// A validator's recovery key.
#[derive(
    CloneNoBound,
    PartialEqNoBound,
    EqNoBound,
    DebugNoBound,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
#[scale_info(skip_type_params(T))]
pub struct RegisteredKey<T: Config> {
    /// The half in G1.
    pub key: Pk1Bytes,
    /// The deposit.
    pub deposit: Deposit<T>,
    /// The block of the owner's last drill, with this key or an earlier one.
    pub drilled: Option<BlockNumber>,
    /// The first session for which the key is not ready; 0 before its first drill. (RECOVER-2)
    pub ready_until: SessionIndex,
}

/// The owner responsible for a key's signatures.
#[derive(
    CloneNoBound,
    PartialEqNoBound,
    EqNoBound,
    DebugNoBound,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
#[scale_info(skip_type_params(T))]
pub struct KeyOwner<T: Config> {
    /// The validator.
    pub validator: T::ValidatorId,
    /// How many of the remembered sets contain the key.
    pub sets: u32,
    /// The key's status.
    pub status: KeyStatus<T>,
}

/// The status of a key.
#[derive(
    CloneNoBound,
    PartialEqNoBound,
    EqNoBound,
    DebugNoBound,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
#[scale_info(skip_type_params(T))]
pub enum KeyStatus<T: Config> {
    /// It is its owner's recovery key.
    #[codec(index = 0)]
    Registered,
    /// Its owner has another one, and the deposit is for that one.
    #[codec(index = 1)]
    Replaced,
    /// Its owner withdrew it. The deposit returns when the key is forgotten.
    #[codec(index = 2)]
    Withdrawn(Deposit<T>),
}

impl<T> From<PossessionError> for Error<T> {
    fn from(error: PossessionError) -> Self {
        match error {
            PossessionError::Key(_) => Self::InvalidKey,
            PossessionError::Ownership(_) => Self::InvalidOwnership,
            PossessionError::Possession(_) => Self::InvalidPossession,
            PossessionError::HalvesDiffer => Self::HalvesDiffer,
        }
    }
}

/// Body of the call `register_key`.
pub(crate) fn register<T: Config>(
    account: T::AccountId,
    key: &DualKeyBytes,
    proof: &PossessionProof,
) -> DispatchResult {
    let validator = T::ValidatorIdOf::convert(account.clone()).ok_or(Error::<T>::NotAValidator)?;
    let pk1 = key.pk1();
    ensure_unused::<T>(&validator, &pk1)?;
    let owner = recovery_ownership_statement(pallet_duet::Pallet::<T>::genesis_hash(), &account);
    key.check_recovery_possession(&owner, proof)
        .map_err(Error::<T>::from)?;

    let old = Keys::<T>::get(&validator);
    let replaced = old.as_ref().map(|old| old.key);
    let (deposit, drilled) = match old {
        Some(old) => {
            leave::<T>(&old.key, KeyStatus::Replaced);
            (old.deposit, old.drilled)
        }
        None => (hold::<T>(account)?, None),
    };
    let registered = RegisteredKey {
        key: pk1,
        deposit,
        drilled,
        ready_until: 0,
    };
    let owner = KeyOwner {
        validator: validator.clone(),
        sets: 0,
        status: KeyStatus::Registered,
    };
    KeyOwners::<T>::insert(pk1, owner);
    Keys::<T>::insert(&validator, registered);
    Pallet::<T>::deposit_event(Event::KeyRegistered {
        validator,
        key: pk1,
        replaced,
    });
    Ok(())
}

/// Body of the call `withdraw_key`. Also works for stashes that are no longer bonded.
pub(crate) fn withdraw<T: Config>(account: &T::AccountId) -> DispatchResult {
    let validator = validator_of::<T>(account)?;
    let RegisteredKey { key, deposit, .. } =
        Keys::<T>::take(&validator).ok_or(Error::<T>::NoKey)?;
    leave::<T>(&key, KeyStatus::Withdrawn(deposit));
    Pallet::<T>::deposit_event(Event::KeyWithdrawn { validator, key });
    Ok(())
}

/// Body of the call `drill`.
///
/// Cost: one hash to the curve and one Chaum-Pedersen proof.
pub(crate) fn drill<T: Config>(account: &T::AccountId, drill: &Drill) -> DispatchResult {
    let validator = validator_of::<T>(account)?;
    let mut registered = Keys::<T>::get(&validator).ok_or(Error::<T>::NoKey)?;
    let block_number = drill.block_number;
    ensure!(is_recent::<T>(drill), Error::<T>::UnknownBlock);
    let is_newer = registered.drilled.is_none_or(|last| block_number > last);
    ensure!(is_newer, Error::<T>::OldDrill);
    let key = Pk1::from_chain_state_unchecked(&registered.key);
    let key = key.map_err(|_| Error::<T>::InvalidKey)?;
    let genesis = pallet_duet::Pallet::<T>::genesis_hash();
    let checked = drill.check(&key, genesis, account);
    checked.map_err(|_| Error::<T>::InvalidDrill)?;

    let now = pallet_session::CurrentIndex::<T>::get();
    let ready_until = now.saturating_add(T::DrillPeriod::get());
    registered.drilled = Some(block_number);
    registered.ready_until = ready_until;
    Keys::<T>::insert(&validator, registered);
    Pallet::<T>::deposit_event(Event::Drilled {
        validator,
        block_number,
        ready_until,
    });
    Ok(())
}

/// A validator's key, if it is ready in this session. (RECOVER-2)
pub(crate) fn ready<T: Config>(
    validator: &T::ValidatorId,
    session: SessionIndex,
) -> Option<Pk1Bytes> {
    let is_ready = |registered: &RegisteredKey<T>| session < registered.ready_until;
    let registered = Keys::<T>::get(validator).filter(is_ready)?;
    Some(registered.key)
}

/// Records that a key is a member of one more set.
pub(crate) fn enlist<T: Config>(key: &Pk1Bytes) {
    KeyOwners::<T>::mutate(key, |owner| {
        if let Some(owner) = owner {
            owner.sets = owner.sets.saturating_add(1);
        }
    });
}

/// Records that a set with this key has expired. Returns whether a deposit was due.
pub(crate) fn delist<T: Config>(key: &Pk1Bytes) -> bool {
    let Some(mut owner) = KeyOwners::<T>::get(key) else {
        return false;
    };
    owner.sets = owner.sets.saturating_sub(1);
    keep_or_forget::<T>(key, owner)
}

/// A key is no longer its owner's recovery key.
fn leave<T: Config>(key: &Pk1Bytes, status: KeyStatus<T>) {
    if let Some(owner) = KeyOwners::<T>::get(key) {
        keep_or_forget::<T>(key, KeyOwner { status, ..owner });
    }
}

/// Forgets a key that is neither registered nor in a remembered set, and returns the deposit of its withdrawal. Returns
/// whether there was one.
fn keep_or_forget<T: Config>(key: &Pk1Bytes, owner: KeyOwner<T>) -> bool {
    if owner.sets > 0 || owner.status == KeyStatus::Registered {
        KeyOwners::<T>::insert(key, owner);
        return false;
    }
    KeyOwners::<T>::remove(key);
    let KeyStatus::Withdrawn(deposit) = owner.status else {
        return false;
    };
    release::<T>(&deposit);
    true
}

/// RECOVER-1.
fn ensure_unused<T: Config>(validator: &T::ValidatorId, key: &Pk1Bytes) -> Result<(), Error<T>> {
    let in_use = pallet_duet::KeyOwners::<T>::contains_key(key);
    ensure!(!in_use, Error::<T>::KeyInUse);
    match KeyOwners::<T>::get(key) {
        None => Ok(()),
        Some(owner) if owner.validator != *validator => Err(Error::<T>::KeyTaken),
        Some(owner) if owner.status == KeyStatus::Registered => Err(Error::<T>::KeyUnchanged),
        Some(_) => Err(Error::<T>::KeyRetired),
    }
}

/// RECOVER-2. The hash of the first block is kept for ever, but is recent for as long as others only.
fn is_recent<T: Config>(drill: &Drill) -> bool {
    let number = BlockNumberFor::<T>::from(drill.block_number.get());
    let kept = frame_system::Pallet::<T>::block_hash(number);
    let last = number.saturating_add(T::BlockHashCount::get());
    // Zero stands for a hash that is not kept.
    !kept.is_zero() && kept == drill.block_hash && last >= frame_system::Pallet::<T>::block_number()
}

fn validator_of<T: Config>(account: &T::AccountId) -> Result<T::ValidatorId, Error<T>> {
    pallet_duet::Pallet::<T>::validator_of(account).ok_or(Error::<T>::NoKey)
}

pub(crate) fn hold<T: Config>(
    account: T::AccountId,
) -> Result<Deposit<T>, sp_runtime::DispatchError> {
    let amount = <T as Config>::KeyDeposit::get();
    if !amount.is_zero() {
        <T as Config>::Currency::hold(&HoldReason::RecoveryKey.into(), &account, amount)?;
    }
    Ok(Deposit { account, amount })
}

/// Undoes [`hold`]; a part slashed from the deposit meanwhile is lost.
fn release<T: Config>(Deposit { account, amount }: &Deposit<T>) {
    let reason = HoldReason::RecoveryKey.into();
    let released =
        <T as Config>::Currency::release(&reason, account, *amount, Precision::BestEffort);
    if let Err(error) = released {
        log::error!(target: LOG_TARGET, "RECOVER-1: the deposit of {account:?} stays held: {error:?}");
    }
}
