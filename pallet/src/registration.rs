//! A key enters only with its proof of possession, and is never used twice. (CHAIN-1, POP-1 to POP-3)
//!
//! A key that was never in a set is forgotten with its registration: it signed nothing. A key that was in a set is
//! remembered with its owner until its last set can no longer be punished. A key that a set in the making has looked at is
//! remembered in the same way, even if that set is given up. So the number of remembered keys is bounded by the members of
//! those sets, and by one set in the making for each session, and each session looks at a bounded number of them.

// The casts are in the code that `Encode` derives for enums.
#![allow(clippy::cast_possible_truncation)]

use crate::{
    types::BalanceOf, Config, Draft, Error, Event, HoldReason, KeyOwners, Keys, Keysets, OldestSet,
    Pallet, Retired, RetiredRange,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use core::fmt::Display;
use duet_primitives::{
    ownership_statement, DualKeyBytes, KeyError, Pk1Bytes, PossessionError, PossessionProof, SetId,
    H256,
};
use frame_support::{
    pallet_prelude::DispatchResult,
    traits::{fungible::MutateHold, tokens::Precision, Get},
    CloneNoBound, DebugNoBound, EqNoBound, PartialEqNoBound,
};
use frame_system::pallet_prelude::BlockNumberFor;
use scale_info::TypeInfo;
use sp_runtime::traits::{Convert, Zero};
use sp_staking::SessionIndex;

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
    /// The account that registered it: its deposit is held, and a reference keeps it alive.
    pub account: T::AccountId,
    /// The key's status.
    pub status: KeyStatus,
}

/// The status of a key.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub enum KeyStatus {
    /// Registered, and never in a set.
    #[codec(index = 0)]
    Fresh,
    /// Registered, and in a current or earlier set.
    #[codec(index = 1)]
    Enlisted,
    /// No longer registered.
    #[codec(index = 2)]
    Retired {
        /// The last set that may contain the key, which is forgotten with that set.
        last_set: SetId,
    },
}

impl<T> From<PossessionError> for Error<T> {
    fn from(error: PossessionError) -> Self {
        match error {
            PossessionError::Key(KeyError::Pk1(_)) => Self::InvalidPk1,
            PossessionError::Key(KeyError::Pk2(_)) => Self::InvalidPk2,
            PossessionError::Ownership(_) => Self::InvalidOwnership,
            PossessionError::Possession(_) => Self::InvalidPossession,
            PossessionError::HalvesDiffer => Self::HalvesDiffer,
        }
    }
}

/// Body of the call `register_keys`.
pub(crate) fn register<T: Config>(
    account: &T::AccountId,
    key: DualKeyBytes,
    proof: &PossessionProof,
) -> DispatchResult {
    let validator = T::ValidatorIdOf::convert(account.clone()).ok_or(Error::<T>::NotAValidator)?;
    ensure_unused::<T>(&validator, &key.pk1())?;
    let owner = ownership_statement(genesis_hash::<T>(), account);
    key.check_possession(&owner, proof)
        .map_err(Error::<T>::from)?;

    let replaced = Keys::<T>::get(&validator);
    let account = match replaced.as_ref().and_then(|old| retire::<T>(&old.pk1())) {
        Some(previous) => previous.account,
        None => {
            hold::<T>(account)?;
            account.clone()
        }
    };
    insert::<T>(&validator, account, key);
    Pallet::<T>::deposit_event(Event::KeysRegistered {
        validator,
        key,
        replaced,
    });
    Ok(())
}

/// Body of the call `deregister_keys`. Also works for stashes that are no longer bonded.
pub(crate) fn deregister<T: Config>(account: &T::AccountId) -> DispatchResult {
    let validator = validator_of::<T>(account).ok_or(Error::<T>::NoKeys)?;
    let key = Keys::<T>::take(&validator).ok_or(Error::<T>::NoKeys)?;
    if let Some(owner) = retire::<T>(&key.pk1()) {
        release::<T>(&owner.account)?;
    }
    Pallet::<T>::deposit_event(Event::KeysDeregistered { validator, key });
    Ok(())
}

/// The validator whose controller or stash is this account; the account itself when it is not bonded.
pub(crate) fn validator_of<T: Config>(account: &T::AccountId) -> Option<T::ValidatorId> {
    T::ValidatorIdOf::convert(account.clone())
        .or_else(|| T::ValidatorId::try_from(account.clone()).ok())
}

/// Fills the registry at genesis. Bonding is not required: staking may be built later.
///
/// # Panics
/// On the first entry that breaks a rule, with the account and the rule.
pub(crate) fn build_genesis<T: Config>(keys: &[(T::AccountId, DualKeyBytes, PossessionProof)]) {
    let statements: Vec<_> = keys
        .iter()
        .map(|(account, ..)| ownership_statement(H256::zero(), account))
        .collect();
    let registrations: Vec<_> = keys
        .iter()
        .zip(&statements)
        .map(|((_, key, proof), statement)| (*key, statement.as_slice(), *proof))
        .collect();
    let verdicts = DualKeyBytes::check_possession_all(&registrations);
    for (index, ((account, key, _), verdict)) in keys.iter().zip(verdicts).enumerate() {
        let refuse = |rule: &dyn Display| -> ! {
            panic!("duet genesis: keys[{index}] of account {account:?} refused: {rule}")
        };
        let Ok(validator) = T::ValidatorId::try_from(account.clone()) else {
            refuse(&"the account cannot be converted to a validator id")
        };
        if Keys::<T>::contains_key(&validator) {
            refuse(&"CHAIN-1: the account has a key already")
        }
        if KeyOwners::<T>::contains_key(key.pk1()) {
            refuse(&"CHAIN-1: another account has this key")
        }
        if let Err(error) = verdict {
            refuse(&error)
        }
        refer_at_genesis::<T>(account);
        insert::<T>(&validator, account.clone(), *key);
    }
}

/// The genesis hash, which the system keeps forever. (POP-1, MSG-2)
pub(crate) fn genesis_hash<T: Config>() -> H256 {
    frame_system::Pallet::<T>::block_hash(BlockNumberFor::<T>::zero())
}

/// Records that a key is a member of a set from now on.
pub(crate) fn enlist<T: Config>(key: &Pk1Bytes) {
    if let Some(owner) = KeyOwners::<T>::get(key) {
        if owner.status == KeyStatus::Fresh {
            KeyOwners::<T>::insert(
                key,
                KeyOwner {
                    status: KeyStatus::Enlisted,
                    ..owner
                },
            );
        }
    }
}

/// Whether signatures from a session can still be punished. (EQV-6)
pub(crate) fn is_slashable<T: Config>(last_session: SessionIndex, now: SessionIndex) -> bool {
    now <= last_session.saturating_add(T::SlashableSessions::get())
}

/// Forgets retired keys whose last set is forgotten: as many as a block looks at when it makes a set. The next blocks
/// continue, so that keys are forgotten as fast as they can enter sets, and the queue stays bounded. Returns the
/// number of forgotten keys. (EQV-6, CHAIN-8)
pub(crate) fn forget_retired<T: Config>() -> u32 {
    let oldest = OldestSet::<T>::get();
    let (first, end) = RetiredRange::<T>::get();
    let limit = T::ValidatorsPerBlock::get();
    let (mut entry, mut forgotten) = (first, 0_u32);
    while forgotten < limit {
        let Some(key) = Retired::<T>::get(entry) else {
            break;
        };
        if let Some(KeyStatus::Retired { last_set }) = status::<T>(&key) {
            if last_set >= oldest {
                break;
            }
            KeyOwners::<T>::remove(key);
        }
        Retired::<T>::remove(entry);
        entry = entry.saturating_add(1);
        forgotten = forgotten.saturating_add(1);
    }
    if entry != first {
        RetiredRange::<T>::put((entry, end));
    }
    forgotten
}

fn status<T: Config>(key: &Pk1Bytes) -> Option<KeyStatus> {
    KeyOwners::<T>::get(key).map(|owner| owner.status)
}

/// CHAIN-1.
fn ensure_unused<T: Config>(validator: &T::ValidatorId, key: &Pk1Bytes) -> Result<(), Error<T>> {
    match KeyOwners::<T>::get(key) {
        None => Ok(()),
        Some(KeyOwner {
            status: KeyStatus::Retired { .. },
            ..
        }) => Err(Error::<T>::KeyRetired),
        Some(owner) if owner.validator == *validator => Err(Error::<T>::KeyUnchanged),
        Some(_) => Err(Error::<T>::KeyTaken),
    }
}

/// Puts a checked key into the registry.
pub(crate) fn insert<T: Config>(
    validator: &T::ValidatorId,
    account: T::AccountId,
    key: DualKeyBytes,
) {
    let status = KeyStatus::Fresh;
    KeyOwners::<T>::insert(
        key.pk1(),
        KeyOwner {
            validator: validator.clone(),
            account,
            status,
        },
    );
    Keys::<T>::insert(validator, key);
}

/// Removes a key from the registry: forgets it, or remembers it for as long as its owner can be slashed.
pub(crate) fn retire<T: Config>(key: &Pk1Bytes) -> Option<KeyOwner<T>> {
    let owner = KeyOwners::<T>::get(key)?;
    match owner.status {
        KeyStatus::Fresh => KeyOwners::<T>::remove(key),
        // The key may be in the newest set, which is fixed, but in none after it.
        KeyStatus::Enlisted => {
            remember::<T>(key, newest_set::<T>());
        }
        KeyStatus::Retired { .. } => {}
    }
    Some(owner)
}

/// The newest set that may contain a key that leaves the registry now: the next one, or one in the making.
fn newest_set<T: Config>() -> SetId {
    match Keysets::<T>::get() {
        Some(sets) if Draft::<T>::exists() => sets.next.id.saturating_next(),
        Some(sets) => sets.next.id,
        None => SetId::FIRST,
    }
}

fn remember<T: Config>(key: &Pk1Bytes, last_set: SetId) {
    KeyOwners::<T>::mutate(key, |owner| {
        if let Some(owner) = owner {
            owner.status = KeyStatus::Retired { last_set };
        }
    });
    RetiredRange::<T>::mutate(|(_, end)| {
        Retired::<T>::insert(*end, key);
        *end = end.saturating_add(1);
    });
}

/// Holds the deposit and keeps the account alive while it owns a key.
fn hold<T: Config>(account: &T::AccountId) -> DispatchResult {
    frame_system::Pallet::<T>::inc_consumers(account).map_err(|_| Error::<T>::NoAccount)?;
    let deposit: BalanceOf<T> = <T as Config>::KeyDeposit::get();
    if deposit.is_zero() {
        return Ok(());
    }
    <T as Config>::Currency::hold(&HoldReason::Keys.into(), account, deposit)
}

/// Undoes [`hold`]; a part slashed from the deposit meanwhile is lost.
fn release<T: Config>(account: &T::AccountId) -> DispatchResult {
    let reason = HoldReason::Keys.into();
    <T as Config>::Currency::release_all(&reason, account, Precision::BestEffort)?;
    frame_system::Pallet::<T>::dec_consumers(account);
    Ok(())
}

/// Genesis keys hold no deposit, but keep their account alive; an account without funds is created.
fn refer_at_genesis<T: Config>(account: &T::AccountId) {
    if frame_system::Pallet::<T>::inc_consumers_without_limit(account).is_ok() {
        return;
    }
    frame_system::Pallet::<T>::inc_providers(account);
    let referred = frame_system::Pallet::<T>::inc_consumers_without_limit(account);
    debug_assert!(
        referred.is_ok(),
        "an account with a provider can be referred to"
    );
}
