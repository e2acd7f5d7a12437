//! Recovery: a reset of the followed chain is crossed by a proof of its recovery set, after a wait. (RECOVER-7,
//! RECOVER-8)
//!
//! The wait is the time in which anybody can submit a newer proof, which shows that the signers lie and ends the
//! announcement. So this pallet asks nobody for one: it protects itself as long as one honest relayer watches it.

use crate::{
    beginning::now,
    chain::{FollowedChain, LOG_TARGET},
    obsolete::Known,
    rule::Rule,
    AnnouncedRecovery, BestFinalized, Config, Error, Event, Followed, Pallet,
};
use alloc::boxed::Box;
use bp_header_chain::{HeaderChain, HeaderChainError};
use bp_runtime::{raw_storage_proof_size, HeaderId, RawStorageProof};
use codec::{Decode, Encode, MaxEncodedLen};
use duet_light_client::recovery_terms;
use duet_primitives::{
    suite::RECOVERY_TERMS_STORAGE_KEY, BlockNumber, RecoveryProof, RecoveryStatement,
    RecoveryTerms, H256,
};
use frame_support::{dispatch::DispatchResult, ensure};
use frame_system::ensure_signed;
use scale_info::TypeInfo;

/// The most trie nodes that prove the terms: one for each nibble of their key, a leaf, and the value as a node of its
/// own.
const MAX_TERMS_NODES: usize = 2 * RECOVERY_TERMS_STORAGE_KEY.len() + 2;
/// The most bytes of these nodes. A branch has below 600, and the names of pallets and items part after a few of them.
const MAX_TERMS_BYTES: usize = 16 * 1024;

/// A recovery that was proven, and the wait for it. (RECOVER-7)
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Announced {
    /// What the recovery set says.
    pub statement: RecoveryStatement,
    /// When it was announced, in seconds of this chain's time.
    pub since: u64,
    /// How many seconds the wait takes.
    pub delay: u64,
    /// The set has signed another statement about the same block. With two, nobody crosses.
    pub contradicted: bool,
}

impl Announced {
    /// Whether the statement is about this block, so that the wait for it goes on.
    pub(crate) fn is_about(&self, block: HeaderId<H256, u32>) -> bool {
        is_about(&self.statement, block)
    }

    /// The block of the reset.
    pub(crate) fn reset(&self) -> HeaderId<H256, u32> {
        HeaderId(self.statement.reset_number.get(), self.statement.reset_hash)
    }
}

/// Body of `announce_recovery`.
pub(crate) fn announce<T: Config<I>, I: 'static>(
    origin: T::RuntimeOrigin,
    proof: RecoveryProof,
    terms_proof: RawStorageProof,
) -> DispatchResult {
    ensure_signed(origin)?;
    Pallet::<T, I>::ensure_active()?;
    let Known { best, followed } = Known::get::<T, I>()?;
    ensure!(
        is_about(&proof.statement, best),
        Error::<T, I>::RecoveryOfOtherBlock
    );
    let known = announced_at::<T, I>(best);
    match &known {
        Some(known) if known.statement == proof.statement => {
            return Err(Error::<T, I>::RecoveryKnown.into());
        }
        Some(known) => ensure!(!known.contradicted, Error::<T, I>::RecoveryContradicted),
        None => is_of_known_sets::<T, I>(&proof.statement, &followed)?,
    }
    let terms = terms_at::<T, I>(best.hash(), terms_proof)?;
    let checked = proof.check(&terms.set, followed.genesis_hash);
    let proof = checked.map_err(|error| {
        log::debug!(target: LOG_TARGET, "a recovery proof is refused: {error}");
        Error::<T, I>::InvalidProof(Rule::from(error))
    })?;
    let proof = Box::new(proof.into_unchecked());
    match known {
        Some(known) => {
            log::error!(target: LOG_TARGET, "recovery set {} contradicts itself", terms.set.id);
            AnnouncedRecovery::<T, I>::put(Announced {
                contradicted: true,
                ..known
            });
            Pallet::<T, I>::deposit_event(Event::RecoveryContradicted { proof });
        }
        None => {
            AnnouncedRecovery::<T, I>::put(Announced {
                statement: proof.statement.clone(),
                since: now::<T, I>(),
                delay: terms.delay,
                contradicted: false,
            });
            let delay = terms.delay;
            Pallet::<T, I>::deposit_event(Event::RecoveryAnnounced { proof, delay });
        }
    }
    Ok(())
}

/// Body of `cross_recovery`.
pub(crate) fn cross<T: Config<I>, I: 'static>(origin: T::RuntimeOrigin) -> DispatchResult {
    ensure_signed(origin)?;
    Pallet::<T, I>::ensure_active()?;
    let Known { best, followed } = Known::get::<T, I>()?;
    let announced = announced_at::<T, I>(best).ok_or(Error::<T, I>::NoRecovery)?;
    ensure!(!announced.contradicted, Error::<T, I>::RecoveryContradicted);
    let now = now::<T, I>();
    // A block's time is not before that of the block before it, so the wait need not begin anew.
    let waited = now.saturating_sub(announced.since);
    ensure!(waited >= announced.delay, Error::<T, I>::RecoveryEarly);

    let reset = announced.reset();
    let RecoveryStatement { ended, set, .. } = announced.statement;
    Followed::<T, I>::put(followed.behind_reset(ended, set.clone(), now));
    BestFinalized::<T, I>::put(reset);
    Pallet::<T, I>::deposit_event(Event::RecoveryCrossed {
        number: reset.number(),
        hash: reset.hash(),
        set,
    });
    Ok(())
}

/// The recovery that is waited for at this best block. The one that led to it stays in storage until the next proof.
fn announced_at<T: Config<I>, I: 'static>(best: HeaderId<H256, u32>) -> Option<Announced> {
    AnnouncedRecovery::<T, I>::get().filter(|announced| announced.is_about(best))
}

/// RECOVER-7: the statement's block.
fn is_about(statement: &RecoveryStatement, block: HeaderId<H256, u32>) -> bool {
    statement.is_about(BlockNumber::new(block.number()), block.hash())
}

/// RECOVER-7: the ended set is the signing one or its known successor, and the new one is above both.
fn is_of_known_sets<T: Config<I>, I: 'static>(
    statement: &RecoveryStatement,
    followed: &FollowedChain,
) -> Result<(), Error<T, I>> {
    let [signing, latest] = [&followed.keysets.current, &followed.keysets.next].map(|set| set.id);
    ensure!(
        [signing, latest].contains(&statement.ended),
        Error::RecoveryOfOtherSet
    );
    ensure!(statement.set.id > latest, Error::RecoveryToOldSet);
    Ok(())
}

/// Whether these nodes are not more than any honest proof of the terms has.
pub(crate) fn is_within_bounds(nodes: &RawStorageProof) -> bool {
    nodes.len() <= MAX_TERMS_NODES && raw_storage_proof_size(nodes) <= MAX_TERMS_BYTES
}

/// RECOVER-4, STATE-2: the terms in the state after this block. The nodes are counted before any of them is hashed.
fn terms_at<T: Config<I>, I: 'static>(
    block: H256,
    nodes: RawStorageProof,
) -> Result<RecoveryTerms, Error<T, I>> {
    ensure!(is_within_bounds(&nodes), Error::InvalidTermsProof);
    let checker = Pallet::<T, I>::verify_storage_proof(block, nodes);
    let mut checker = checker.map_err(|error| match error {
        HeaderChainError::UnknownHeader => Error::RecoveryStateUnknown,
        HeaderChainError::StorageProof(_) => Error::InvalidTermsProof,
    })?;
    let value = checker.read_value(&RECOVERY_TERMS_STORAGE_KEY);
    let value = value.map_err(|_| Error::InvalidTermsProof)?;
    let surplus = checker.ensure_no_unused_nodes();
    surplus.map_err(|_| Error::InvalidTermsProof)?;
    recovery_terms(value.as_deref()).ok_or(Error::NoRecoveryTerms)
}
