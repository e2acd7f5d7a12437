//! Proofs of handoffs on chain: they name the signers, and let the next set take over. (HANDOFF-1 to HANDOFF-4)
//!
//! Each set hands off once, in the block that plans its successor, so one proof per set shows who takes part. Any
//! account may submit the proof, and later a fuller one, as long as it names a new signer: so a block author can
//! leave a signer out only until the next author, and nobody can add a signer.

use crate::{
    registration::genesis_hash,
    signing::is_expired,
    truth::{self, logs, Truth},
    types::{ExtrinsicOf, HeaderOf, LOG_TARGET},
    unsigned, Call, Config, Error, Event, Handoffs, Keysets, Members, OldestSet, Pallet, Sets,
    SettledMembers, Unsettled,
};
use alloc::{boxed::Box, collections::BTreeMap, vec::Vec};
use codec::{Decode, DecodeWithMemTracking, Encode};
use duet_primitives::{
    check_stateless, Bitfield, Commitment, ConsensusLog, KeysetCommitment, MmrLeaf, SetId,
    SignerIndex, SigningRecord, StatelessProof, H256,
};
use frame_support::{
    dispatch::{DispatchResultWithPostInfo, Pays},
    ensure,
    pallet_prelude::{
        Get, InvalidTransaction, TransactionSource, TransactionValidity, TransactionValidityError,
        ValidTransaction,
    },
    traits::InherentBuilder,
};
use frame_system::{ensure_none, ensure_signed, pallet_prelude::BlockNumberFor};
use scale_info::TypeInfo;
use sp_mmr_primitives::LeafProof;
use sp_runtime::{traits::BadOrigin, transaction_validity::TransactionPriority};
use sp_staking::SessionIndex;

/// The most sets settled in one block; in the long run one ends per session.
const SETTLED_AT_ONCE: usize = 4;

/// The proof of a set's handoff.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
pub struct Handoff<Header> {
    /// The proof.
    pub proof: StatelessProof,
    /// The proof that the statement matches the chain.
    pub truth: Truth<Header>,
}

impl<Header> Handoff<Header> {
    fn statement(&self) -> &Commitment {
        &self.proof.justification.commitment
    }

    fn signers(&self) -> &Bitfield {
        &self.proof.justification.signers
    }

    /// The number of keys for its check, which is the cost of the check.
    pub(crate) fn non_signers(&self) -> u32 {
        u32::try_from(self.proof.non_signers.len()).unwrap_or(u32::MAX)
    }
}

/// Receives the signers of a set's handoff, once, after the last proof of it: a chain may reward or chill them.
pub trait OnHandoff<ValidatorId> {
    /// The members of the set, divided into signers and non-signers. Not called for a set without a proof: then the
    /// two cannot be distinguished.
    ///
    /// It runs in the first block of a session, with no more than `ValidatorsPerBlock` members. For a larger set, the
    /// next blocks report the rest, each member once. (CHAIN-8)
    fn on_handoff(set: SetId, signed: &[ValidatorId], missed: &[ValidatorId]);
}

impl<ValidatorId> OnHandoff<ValidatorId> for () {
    fn on_handoff(_: SetId, _: &[ValidatorId], _: &[ValidatorId]) {}
}

/// Body of the call `prove_handoff`.
pub(crate) fn prove<T: Config>(
    origin: T::RuntimeOrigin,
    handoff: Handoff<HeaderOf<T>>,
) -> DispatchResultWithPostInfo {
    let is_signed = ensure_signed(origin.clone()).is_ok();
    ensure_anybody::<T>(origin)?;
    let Expected { set, signers } = expect::<T>(&handoff)?;
    check::<T>(handoff.proof, &set)?;
    let KeysetCommitment { id, len, .. } = set;
    // Anybody can make a proof for each further signer, and nobody should fill blocks with them for free.
    let is_paid = is_signed && is_proven::<T>(id);
    let signed = signers.count();
    Handoffs::<T>::insert(id, signers);
    Pallet::<T>::deposit_event(Event::HandoffProven { id, signed, len });
    let pays = if is_paid { Pays::Yes } else { Pays::No };
    Ok(pays.into())
}

fn ensure_anybody<T: Config>(origin: T::RuntimeOrigin) -> Result<(), BadOrigin> {
    ensure_none(origin.clone()).or_else(|_| ensure_signed(origin).map(drop))
}

/// The set that hands off, and its known signers.
struct Expected {
    set: KeysetCommitment,
    signers: Bitfield,
}

/// All checks without curve arithmetic. Returns the known signers after this proof. (HANDOFF-1, HANDOFF-2)
fn expect<T: Config>(handoff: &Handoff<HeaderOf<T>>) -> Result<Expected, Error<T>> {
    let statement = handoff.statement();
    let expected = expected::<T>(statement.validator_set_id);
    let Expected {
        set,
        signers: known,
    } = expected.ok_or(Error::<T>::HandoffNotExpected)?;
    let header = handoff.truth.confirms::<T>(statement)?;
    let plans_next = |log| matches!(log, ConsensusLog::Planned(next) if next == statement.next);
    ensure!(logs(header).any(plans_next), Error::<T>::NotAHandoff);
    ensure!(
        handoff.signers().as_bytes().len() == known.as_bytes().len(),
        Error::<T>::InvalidHandoffProof
    );
    let signers = known.union(handoff.signers());
    ensure!(signers != known, Error::<T>::NoNewSigner);
    Ok(Expected { set, signers })
}

/// STATELESS-1, STATELESS-2, JUST-1 to JUST-5.
fn check<T: Config>(proof: StatelessProof, set: &KeysetCommitment) -> Result<(), Error<T>> {
    check_stateless(proof, set, genesis_hash::<T>())
        .map(drop)
        .map_err(|error| {
            log::debug!(target: LOG_TARGET, "the handoff of set {} is not proven: {error}", set.id);
            Error::<T>::InvalidHandoffProof
        })
}

/// The known signers of a set's handoff; `None` when the chain accepts no proof of it.
pub(crate) fn signers<T: Config>(id: SetId) -> Option<Bitfield> {
    expected::<T>(id).map(|expected| expected.signers)
}

fn expected<T: Config>(id: SetId) -> Option<Expected> {
    let current = Keysets::<T>::get()?.current.id;
    // The next set has signed nothing yet.
    let record = Sets::<T>::get(id).filter(|_| id <= current)?;
    let now = pallet_session::CurrentIndex::<T>::get();
    let is_open = match record.last_session {
        Some(last) => is_open(last, now),
        None => !is_expired::<T>(),
    };
    let set = record.commitment;
    is_open.then(|| Expected {
        signers: Handoffs::<T>::get(id).unwrap_or_else(|| Bitfield::empty(set.len)),
        set,
    })
}

/// Whether the chain still accepts proofs of a set that signed last in a session.
fn is_open(last_session: SessionIndex, now: SessionIndex) -> bool {
    now <= last_session.saturating_add(1)
}

/// Whether a set's handoff is proven on chain.
pub(crate) fn is_proven<T: Config>(id: SetId) -> bool {
    Handoffs::<T>::contains_key(id)
}

/// Reports the signers of handoffs whose proofs are no longer accepted, up to the member limit of a block. Returns
/// the number of reported members. (HANDOFF-3, CHAIN-8)
///
/// Cost: a read of 32 bytes per member of the set; and the work of [`OnHandoff`] for the reported members.
pub(crate) fn settle<T: Config>(current: SetId, now: SessionIndex) -> u32 {
    let limit = T::ValidatorsPerBlock::get();
    let mut room = limit;
    let first = Unsettled::<T>::get().max(OldestSet::<T>::get());
    let told_before = SettledMembers::<T>::get();
    let (mut unsettled, mut told) = (first, told_before);
    for id in first.until(current).take(SETTLED_AT_ONCE) {
        // Proofs that were never needed are not settled.
        if let Some(set) = Sets::<T>::get(id) {
            if set.last_session.is_none_or(|last| is_open(last, now)) {
                break;
            }
            let part = settle_part::<T>(id, told, room);
            room = room.saturating_sub(part.told);
            told = told.saturating_add(part.told);
            if !part.is_last {
                break;
            }
        }
        (unsettled, told) = (id.saturating_next(), 0);
    }
    if (unsettled, told) != (first, told_before) {
        Unsettled::<T>::put(unsettled);
        SettledMembers::<T>::put(told);
    }
    limit.saturating_sub(room)
}

/// One block's reports about a set.
struct SettledPart {
    told: u32,
    is_last: bool,
}

/// Reports at most `limit` members, from position `from` on.
fn settle_part<T: Config>(id: SetId, from: u32, limit: u32) -> SettledPart {
    let Some(signers) = Handoffs::<T>::get(id) else {
        Pallet::<T>::deposit_event(Event::HandoffMissed { id });
        return SettledPart {
            told: 0,
            is_last: true,
        };
    };
    let skipped = usize::try_from(from).unwrap_or(usize::MAX);
    let mut rest = members::<T>(id, &signers).skip(skipped);
    let (mut signed, mut missed, mut told) = (Vec::new(), Vec::new(), 0_u32);
    while told < limit {
        let Some((validator, has_signed)) = rest.next() else {
            break;
        };
        if has_signed {
            signed.push(validator);
        } else {
            missed.push(validator);
        }
        told = told.saturating_add(1);
    }
    let is_last = rest.next().is_none();
    if told > 0 {
        T::OnHandoff::on_handoff(id, &signed, &missed);
        Pallet::<T>::deposit_event(Event::HandoffSettled { id, missed });
    }
    SettledPart { told, is_last }
}

/// The members of a set, and whether they are among the signers.
fn members<T: Config>(
    id: SetId,
    signers: &Bitfield,
) -> impl Iterator<Item = (T::ValidatorId, bool)> + '_ {
    let members = Members::<T>::get(id).into_iter();
    let positions = (0u32..).map(SignerIndex::new);
    members
        .zip(positions)
        .map(|(validator, position)| (validator, signers.contains(position)))
}

/// How many handoffs of the remembered sets each validator signed.
pub(crate) fn records<T: Config>() -> Vec<(T::ValidatorId, SigningRecord)> {
    let Some(sets) = Keysets::<T>::get() else {
        return Vec::new();
    };
    let mut records = BTreeMap::new();
    for id in OldestSet::<T>::get().until(sets.current.id.saturating_next()) {
        let Some(signers) = Handoffs::<T>::get(id) else {
            continue;
        };
        for (validator, has_signed) in members::<T>(id, &signers) {
            // Some chains' validator ids have no order; their encodings always do.
            let entry = records.entry(validator.encode());
            let (_, record) = entry.or_insert_with(|| (validator, SigningRecord::default()));
            record.handoffs = record.handoffs.saturating_add(1);
            record.signed = record.signed.saturating_add(u32::from(has_signed));
        }
    }
    records.into_values().collect()
}

/// Decides whether the pool accepts an unsigned proof: only from this node or from a block, because nobody pays for
/// the check. Of two proofs of one handoff it keeps the one with fewer missing signers.
pub(crate) fn validate_unsigned<T: Config>(
    source: TransactionSource,
    handoff: &Handoff<HeaderOf<T>>,
) -> TransactionValidity {
    unsigned::ensure_own(source)?;
    let Expected { set, signers } = expect::<T>(handoff).map_err(refusal)?;
    check::<T>(handoff.proof.clone(), &set).map_err(refusal)?;
    let missing = set.len.saturating_sub(signers.count());
    ValidTransaction::with_tag_prefix("DuetHandoff")
        .priority(TransactionPriority::MAX.saturating_sub(missing.into()))
        .and_provides(set.id)
        // Other nodes accept the proof only from themselves or from a block.
        .propagate(false)
        .build()
}

/// Checks an unsigned proof before dispatch in a block, without curve arithmetic: dispatch checks the rest.
pub(crate) fn pre_dispatch<T: Config>(
    handoff: &Handoff<HeaderOf<T>>,
) -> Result<(), TransactionValidityError> {
    expect::<T>(handoff).map(drop).map_err(refusal)
}

/// Maps a refusal to the answer for the transaction pool.
fn refusal<T>(error: Error<T>) -> TransactionValidityError {
    let refusal = match error {
        Error::HandoffNotExpected | Error::NoNewSigner => InvalidTransaction::Stale,
        _ => InvalidTransaction::BadProof,
    };
    refusal.into()
}

/// Submits a proof to the node's own pool; `None` when the pool refuses it.
pub(crate) fn submit<T: Config>(
    proof: StatelessProof,
    header: HeaderOf<T>,
    latest: HeaderOf<T>,
    prove: impl FnOnce(BlockNumberFor<T>, BlockNumberFor<T>) -> Option<(Vec<MmrLeaf>, LeafProof<H256>)>,
) -> Option<()>
where
    ExtrinsicOf<T>: InherentBuilder<Call: From<Call<T>>>,
{
    let number = proof.justification.commitment.block_number;
    let truth = truth::find::<T>(number, Some(header), latest, prove)?;
    let handoff = Box::new(Handoff { proof, truth });
    unsigned::submit::<T>(Call::prove_handoff { handoff }).ok()
}
