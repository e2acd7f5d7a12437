//! Benchmarks of the calls and of the start of a session. They run the code that the chain runs: in WASM, with
//! the `no_std` back end. They also run as tests, so that they keep working.
//!
//! The keys come from the keyring of `duet_primitives::testing`, whose secrets are public.

use crate::{
    announcements::announce_payload,
    blocks,
    candidates::Tally,
    chores::{self, OpenChores},
    draft::{self, Purpose, SetDraft},
    handoffs::Handoff,
    offences::{EquivocationOffence, TimeSlot},
    records::record,
    recovery,
    registration::{enlist, genesis_hash, insert, retire},
    rotation::{begin, rotate},
    truth::{FalseStatement, Truth},
    types::{BenchmarkHelper, HeaderOf},
    ActiveFrom, Call, Chores, Config, CurrentKeys, Draft, DraftParts, ElectedFor, Ended, Handoffs,
    KeyOwners, Keys, Keysets, Members, NextKeys, OldestSet, Pallet, RetiredRange, SettledMembers,
    Unsettled,
};
use alloc::{boxed::Box, vec, vec::Vec};
use duet_primitives::{
    ownership_statement, suite,
    testing::{secret, TestSet},
    Accusation, Bitfield, BlockNumber, DualKeyBytes, EquivocationProof, KeysetCommitment,
    Keysets as KeysetPair, PartialSum, PossessionProof, RoundMessage, SetId, SignerIndex,
    StatelessProof, H256,
};
use frame_benchmarking::v2::{account, benchmarks, BenchmarkError};
use frame_support::{traits::Get, WeakBoundedVec};
use frame_system::{pallet_prelude::BlockNumberFor, RawOrigin};
use pallet_session::CurrentIndex;
use sp_runtime::{
    traits::{BlakeTwo256, Convert, Hash, Header as _},
    SaturatedConversion,
};
use sp_staking::{offence::ReportOffence, SessionIndex};

/// Validators of the largest sets that are measured.
const LARGE: u32 = 10_000;

/// A validator that was looked at, and its key.
type Elected<Id> = (Id, Option<DualKeyBytes>);

const BLOCK: BlockNumber = BlockNumber::new(5);

fn member<T: Config>(index: u32) -> T::AccountId {
    account("validator", index, 0)
}

fn validator<T: Config>(index: u32) -> Result<T::ValidatorId, BenchmarkError> {
    T::ValidatorId::try_from(member::<T>(index))
        .map_err(|_| BenchmarkError::Stop("an account cannot be a validator id"))
}

fn validators<T: Config>(n: u32) -> Result<Vec<T::ValidatorId>, BenchmarkError> {
    (0..n).map(validator::<T>).collect()
}

/// Registers or replaces a key, without its proof.
fn put_key<T: Config>(index: u32, number: u64) -> Result<(), BenchmarkError> {
    let validator = validator::<T>(index)?;
    if let Some(old) = Keys::<T>::get(&validator) {
        retire::<T>(&old.pk1());
    }
    insert::<T>(&validator, member::<T>(index), secret(number).public());
    Ok(())
}

/// A chain whose first set has `n` members, with the keys that `number` gives them.
fn found<T: Config>(n: u32, number: impl Fn(u32) -> u64) -> Result<(), BenchmarkError> {
    Keysets::<T>::kill();
    for index in 0..n {
        put_key::<T>(index, number(index))?;
    }
    let validators = validators::<T>(n)?;
    begin::<T>(validators.iter(), validators.iter());
    make_draft::<T>();
    Ok(())
}

/// Makes what later blocks would: a set that is too large for one.
fn make_draft<T: Config>() {
    while draft::is_open::<T>() {
        draft::step::<T>();
        blocks::finish_draft::<T>();
    }
}

/// A set of `n` members signs, another one with new keys is planned, and all of them have newer keys by now.
fn change_planned<T: Config>(n: u32) -> Result<Vec<T::ValidatorId>, BenchmarkError> {
    found::<T>(n, u64::from)?;
    let validators = validators::<T>(n)?;
    put_keys::<T>(n, 1)?;
    rotate::<T>(validators.iter(), validators.iter());
    put_keys::<T>(n, 2)?;
    Ok(validators)
}

/// Gives all of `n` members new keys.
fn put_keys<T: Config>(n: u32, generation: u64) -> Result<(), BenchmarkError> {
    let number = |index: u32| generation.saturating_mul(1_000_000) + u64::from(index);
    (0..n).try_for_each(|index| put_key::<T>(index, number(index)))
}

/// All members of a set of `n`.
fn everybody(n: u32) -> Bitfield {
    Bitfield::from_indices(n, (0..n).map(SignerIndex::new))
}

/// How many of the largest set need not sign.
fn most_absent<T: Config>() -> u32 {
    T::MaxValidators::get().saturating_sub(1) / 3
}

/// The handoff of a set of `n`, by all but the first `absent` of them, in a block that the chain knows the hash of.
fn handoff<T: Config>(n: u32, absent: u32) -> Result<Handoff<HeaderOf<T>>, BenchmarkError> {
    found::<T>(n, u64::from)?;
    put_keys::<T>(n, 1)?;
    let validators = validators::<T>(n)?;
    rotate::<T>(validators.iter(), validators.iter());
    make_draft::<T>();
    announce_payload::<T>();
    let number = frame_system::Pallet::<T>::block_number();
    let (zero, digest) = (H256::zero(), frame_system::Pallet::<T>::digest());
    let header = HeaderOf::<T>::new(number, zero, zero, zero, digest);
    frame_system::BlockHash::<T>::insert(number, header.hash());

    let payload = Pallet::<T>::commitment_payload().ok_or(BenchmarkError::Stop("no set"))?;
    let said = payload.commit(BlockNumber::new(number.saturated_into()), header.hash());
    let message = RoundMessage::new(genesis_hash::<T>(), said);
    let set = TestSet::new(0, (0..n).map(u64::from));
    let proof = set.justify(&message, absent..n);
    let proof = StatelessProof::new(&proof, set.set.keyset())
        .map_err(|_| BenchmarkError::Stop("the proof is not of the set"))?;
    let truth = Truth::Recent(Box::new(header));
    Ok(Handoff { proof, truth })
}

/// The most validators of whom one block makes a set.
fn at_once<T: Config>() -> u32 {
    T::MaxValidators::get().min(T::ValidatorsPerBlock::get())
}

/// The fewest of whom it does not.
fn above<T: Config>() -> u32 {
    T::ValidatorsPerBlock::get().saturating_add(1)
}

/// These validators with keys of a generation. The keys are no points: where sets are this large, nobody looks.
fn with_keys<Id>(validators: Vec<Id>, generation: u8) -> impl Iterator<Item = Elected<Id>> {
    validators.into_iter().zip(0_u32..).map(move |(id, index)| {
        let seed = [&index.to_be_bytes()[..], &[generation]].concat();
        let hash = BlakeTwo256::hash(&seed);
        let mut bytes = [0_u8; suite::DUAL_KEY_LEN];
        bytes
            .iter_mut()
            .zip(hash.as_bytes().iter().cycle())
            .for_each(|(to, from)| *to = *from);
        (id, Some(DualKeyBytes(bytes)))
    })
}

/// A chain long after two sets of `n` members handed off, of which the first is settled. A third one signs, and has handed off to a
/// fourth. Nobody looks at the keys of these sets, and they are no points.
fn large_sets<T: Config>(n: u32) -> Result<Vec<T::ValidatorId>, BenchmarkError> {
    found::<T>(1, u64::from)?;
    let validators = validators::<T>(n)?;
    let first = Keysets::<T>::get()
        .ok_or(BenchmarkError::Stop("no set"))?
        .current;
    let set = |id| KeysetCommitment {
        id: SetId::new(id),
        len: n,
        ..first.clone()
    };
    let keys = |generation| {
        let keys = with_keys(validators.clone(), generation).filter_map(|(_, key)| key);
        WeakBoundedVec::force_from(keys.collect(), None)
    };
    CurrentKeys::<T>::put(keys(1));
    NextKeys::<T>::put(keys(2));
    Keysets::<T>::put(KeysetPair {
        current: set(2),
        next: set(3),
    });
    for id in 0..4 {
        let members = WeakBoundedVec::force_from(validators.clone(), None);
        Members::<T>::insert(SetId::new(id), members);
    }
    for id in 0..3 {
        Handoffs::<T>::insert(SetId::new(id), everybody(n));
    }
    record::<T>(set(0), Some(0));
    record::<T>(set(1), Some(0));
    record::<T>(set(2), None);
    Unsettled::<T>::put(SetId::new(1));
    let far = T::SlashableSessions::get().saturating_add(10);
    CurrentIndex::<T>::put(far);
    ElectedFor::<T>::put((far, far));
    Ok(validators)
}

/// The signing set has planned no other one.
fn without_planned<T: Config>() {
    Keysets::<T>::mutate(|sets| {
        if let Some(sets) = sets {
            sets.next = sets.current.clone();
        }
    });
}

/// These validators make a set, of whom `members` were looked at.
fn put_draft<T: Config>(
    purpose: Purpose,
    elected: impl Iterator<Item = Elected<T::ValidatorId>>,
    members: u32,
) {
    let elected: Vec<_> = elected.collect();
    let mut parts = 0_u32;
    for part in elected.chunks(T::ValidatorsPerBlock::get() as usize) {
        DraftParts::<T>::insert(parts, WeakBoundedVec::force_from(part.to_vec(), None));
        parts += 1;
    }
    let sum = PartialSum::default().add_stored_unchecked(&[secret(0).public().pk1()]);
    Draft::<T>::put(SetDraft {
        purpose,
        session: CurrentIndex::<T>::get(),
        parts,
        taken: if members == 0 { 0 } else { parts + 1 },
        tally: Tally {
            members,
            elected: members,
            ..Tally::default()
        },
        sum: sum.ok(),
    });
}

fn proof<T: Config>(number: u64, account: &T::AccountId) -> PossessionProof {
    secret(number).prove_possession(&ownership_statement(genesis_hash::<T>(), account))
}

/// Evidence about the member at `signer`.
fn evidence<T: Config>(set: &TestSet, signer: SignerIndex) -> EquivocationProof {
    let said = set.commitment(BLOCK.get(), &set.set);
    let mut other = said.clone();
    other.mmr_root = H256::repeat_byte(0xee);
    let vote = |commitment| {
        let message = RoundMessage::new(genesis_hash::<T>(), commitment);
        set.vote(signer.get(), &message)
            .expect("a member's vote holds")
    };
    EquivocationProof::new(set.set.keyset(), &vote(said), &vote(other)).expect("two commitments")
}

/// Accuses the first of all members, who signed that there is a block that is not there: as many as one report names.
fn accusation<T: Config>(set: &TestSet) -> Accusation {
    let said = set.commitment(u32::MAX, &set.set);
    let message = RoundMessage::new(genesis_hash::<T>(), said);
    let proof = set.justify(&message, 0..set.set.keyset().len());
    let mut all = Accusation::of_proof(&proof, set.set.keyset());
    all.swap_remove(0)
}

/// Reports offences of all members but the first at the same block, which are then punished again.
fn report_others<T: Config>(
    set: &TestSet,
    set_id: SetId,
    block_number: BlockNumber,
) -> Result<(), BenchmarkError> {
    let keys = set.set.keyset().key_bytes();
    for key in keys.iter().skip(1) {
        let owner = KeyOwners::<T>::get(key)
            .ok_or(BenchmarkError::Stop("no owner"))?
            .validator;
        let identification = T::IdentificationOf::convert(owner.clone())
            .ok_or(BenchmarkError::Stop("a validator cannot be identified"))?;
        let offence = EquivocationOffence {
            time_slot: TimeSlot {
                set_id,
                block_number,
            },
            session_index: CurrentIndex::<T>::get(),
            validator_set_count: set.set.keyset().len(),
            offenders: vec![(owner, identification)],
        };
        T::ReportOffence::report_offence(Vec::new(), offence)
            .map_err(|_| BenchmarkError::Stop("an offence was reported before"))?;
    }
    Ok(())
}

#[benchmarks]
mod calls {
    use super::{
        above, accusation, at_once, blocks, change_planned, chores, draft, enlist, everybody,
        evidence, found, handoff, large_sets, member, most_absent, proof, put_draft, put_key,
        put_keys, recovery, report_others, secret, validators, with_keys, without_planned,
        ActiveFrom, BenchmarkError, BenchmarkHelper, BlockNumberFor, Box, Call, Chores, Config,
        CurrentIndex, CurrentKeys, Draft, DraftParts, Ended, FalseStatement, Get, Handoffs,
        Keysets, NextKeys, OldestSet, OpenChores, Pallet, Purpose, RawOrigin, RetiredRange,
        SessionIndex, SetId, SettledMembers, SignerIndex, TestSet, Truth, Unsettled, BLOCK, LARGE,
    };
    use frame_benchmarking::impl_test_function;

    /// The most that it can do: a key that was in a set is replaced.
    #[benchmark]
    fn register_keys() -> Result<(), BenchmarkError> {
        let caller = member::<T>(0);
        T::BenchmarkHelper::make_validator(&caller);
        let old = secret(0).public();
        Pallet::<T>::register_keys(
            RawOrigin::Signed(caller.clone()).into(),
            old,
            proof::<T>(0, &caller),
        )?;
        enlist::<T>(&old.pk1());
        let (key, proof) = (secret(1).public(), proof::<T>(1, &caller));

        #[extrinsic_call]
        _(RawOrigin::Signed(caller.clone()), key, proof);

        assert_eq!(Pallet::<T>::registered_key(&caller), Some(key));
        Ok(())
    }

    /// The most that it can do: the key was in a set.
    #[benchmark]
    fn deregister_keys() -> Result<(), BenchmarkError> {
        let caller = member::<T>(0);
        T::BenchmarkHelper::make_validator(&caller);
        let key = secret(0).public();
        Pallet::<T>::register_keys(
            RawOrigin::Signed(caller.clone()).into(),
            key,
            proof::<T>(0, &caller),
        )?;
        enlist::<T>(&key.pk1());

        #[extrinsic_call]
        _(RawOrigin::Signed(caller.clone()));

        assert_eq!(Pallet::<T>::registered_key(&caller), None);
        Ok(())
    }

    /// The last of `n` members to equivocate on a block is reported; all are slashed again.
    #[benchmark]
    fn report_equivocation(
        n: Linear<1, { T::MaxValidators::get() }>,
    ) -> Result<(), BenchmarkError> {
        (0..n).for_each(|index| T::BenchmarkHelper::make_validator(&member::<T>(index)));
        found::<T>(n, u64::from)?;
        let set = TestSet::new(0, (0..n).map(u64::from));
        report_others::<T>(&set, SetId::new(0), BLOCK)?;
        let evidence = evidence::<T>(&set, SignerIndex::new(0));
        let reporter = member::<T>(n);

        #[extrinsic_call]
        _(RawOrigin::Signed(reporter), Box::new(evidence.clone()));

        let again = Pallet::<T>::report_equivocation(
            RawOrigin::Signed(member::<T>(n)).into(),
            Box::new(evidence),
        );
        assert!(again.is_err(), "it is known now");
        Ok(())
    }

    /// `n` members with other keys take over, all of them change their keys again, and a set that ended long ago is settled and
    /// forgotten with its keys.
    #[benchmark]
    fn rotate(n: Linear<1, { at_once::<T>() }>) -> Result<(), BenchmarkError> {
        let validators = change_planned::<T>(n)?;
        let hand_off = |id| Handoffs::<T>::insert(SetId::new(id), everybody(n));
        hand_off(0);
        super::rotate::<T>(validators.iter(), validators.iter());
        hand_off(1);
        put_keys::<T>(n, 3)?;
        let far = T::SlashableSessions::get().saturating_add(10);
        CurrentIndex::<T>::mutate(|session: &mut SessionIndex| {
            *session = session.saturating_add(far)
        });
        let (first, _) = RetiredRange::<T>::get();
        let planned = NextKeys::<T>::get();

        #[block]
        {
            super::rotate::<T>(validators.iter(), validators.iter());
        }

        assert_eq!(CurrentKeys::<T>::get(), planned);
        assert_ne!(NextKeys::<T>::get(), planned);
        assert_eq!(
            RetiredRange::<T>::get().0,
            first.saturating_add(u64::from(n))
        );
        assert_eq!(OldestSet::<T>::get(), SetId::new(1));
        assert_eq!(Unsettled::<T>::get(), SetId::new(1));
        Ok(())
    }

    /// `n` members with other keys take over, and as many validators as they are wait to be looked at. A set that ended long ago is
    /// settled and forgotten.
    #[benchmark]
    fn begin_draft(n: Linear<{ above::<T>() }, LARGE>) -> Result<(), BenchmarkError> {
        let validators = large_sets::<T>(n)?;

        #[block]
        {
            super::rotate::<T>(validators.iter(), validators.iter());
        }

        let parts = n.div_ceil(T::ValidatorsPerBlock::get());
        assert_eq!(Draft::<T>::get().map(|draft| draft.parts), Some(parts));
        assert_eq!(
            Keysets::<T>::get().map(|sets| sets.current.id),
            Some(SetId::new(3))
        );
        assert_eq!(OldestSet::<T>::get(), SetId::new(1));
        assert_eq!(SettledMembers::<T>::get(), T::ValidatorsPerBlock::get());
        Ok(())
    }

    /// `n` validators are looked at whose keys were in no set.
    #[benchmark]
    fn draft_part(n: Linear<1, { at_once::<T>() }>) -> Result<(), BenchmarkError> {
        found::<T>(1, u64::from)?;
        put_keys::<T>(n, 1)?;
        let validators = validators::<T>(n)?;
        put_draft::<T>(
            Purpose::Successor,
            validators.into_iter().map(|it| (it, None)),
            0,
        );

        #[block]
        {
            draft::step::<T>();
        }

        let members = Draft::<T>::get().map(|draft| draft.tally.members);
        assert_eq!(members, Some(n));
        Ok(())
    }

    /// `n` validators become the next set, and all keys differ from those of the signing one.
    #[benchmark]
    fn finish_draft(n: Linear<1, LARGE>) -> Result<(), BenchmarkError> {
        let validators = large_sets::<T>(n)?;
        put_draft::<T>(Purpose::Successor, with_keys(validators, 3), n);
        without_planned::<T>();

        #[block]
        {
            blocks::finish_draft::<T>();
        }

        let next = Keysets::<T>::get().map(|sets| (sets.next.id, sets.next.len));
        assert_eq!(next, Some((SetId::new(3), n)));
        Ok(())
    }

    /// `n` validators become the signing set after a reset.
    #[benchmark]
    fn finish_reset(n: Linear<1, LARGE>) -> Result<(), BenchmarkError> {
        let validators = large_sets::<T>(n)?;
        put_draft::<T>(Purpose::Reset, with_keys(validators, 3), n);

        #[block]
        {
            blocks::finish_draft::<T>();
        }

        let current = Keysets::<T>::get().map(|sets| (sets.current.id, sets.current.len));
        assert_eq!(current, Some((SetId::new(4), n)));
        Ok(())
    }

    /// `n` keys of sets that are forgotten.
    #[benchmark]
    fn forget_keys(n: Linear<1, { T::ValidatorsPerBlock::get() }>) -> Result<(), BenchmarkError> {
        found::<T>(1, u64::from)?;
        for index in 1..=n {
            let number = u64::from(index);
            put_key::<T>(index, number)?;
            enlist::<T>(&secret(number).public().pk1());
            put_key::<T>(index, number + 1_000_000)?;
        }
        OldestSet::<T>::put(SetId::new(1));
        Chores::<T>::put(OpenChores {
            forgets: true,
            settles: false,
        });
        let before = RetiredRange::<T>::get().0;

        #[block]
        {
            chores::go_on::<T>();
        }

        let forgotten = RetiredRange::<T>::get().0.saturating_sub(before);
        assert_eq!(forgotten, u64::from(n));
        Ok(())
    }

    /// `n` members of a large set that is over, all of whom signed.
    #[benchmark]
    fn settle_members(
        n: Linear<1, { T::ValidatorsPerBlock::get() }>,
    ) -> Result<(), BenchmarkError> {
        large_sets::<T>(LARGE)?;
        SettledMembers::<T>::put(LARGE.saturating_sub(n));
        Chores::<T>::put(OpenChores {
            forgets: false,
            settles: true,
        });

        #[block]
        {
            chores::go_on::<T>();
        }

        assert_eq!(Unsettled::<T>::get(), SetId::new(2));
        Ok(())
    }

    /// `n` of the members of the largest set did not sign its handoff, or as many as need not.
    #[benchmark]
    fn prove_handoff(n: Linear<0, { most_absent::<T>() }>) -> Result<(), BenchmarkError> {
        let handoff = handoff::<T>(T::MaxValidators::get(), n)?;

        #[extrinsic_call]
        _(RawOrigin::Signed(member::<T>(0)), Box::new(handoff));

        let signers = Pallet::<T>::handoff_signers(SetId::new(0)).map(|signers| signers.count());
        assert_eq!(signers, Some(T::MaxValidators::get().saturating_sub(n)));
        Ok(())
    }

    /// All `n` members of a set signed a proof of a block that is not there, and are reported for it: as many as one report names,
    /// of whom all but one are known already and slashed again.
    #[benchmark]
    fn report_false_statement(
        n: Linear<1, { T::MaxValidators::get() }>,
    ) -> Result<(), BenchmarkError> {
        (0..n).for_each(|index| T::BenchmarkHelper::make_validator(&member::<T>(index)));
        found::<T>(n, u64::from)?;
        let set = TestSet::new(0, (0..n).map(u64::from));
        let accusation = accusation::<T>(&set);
        report_others::<T>(&set, SetId::new(0), accusation.commitment().block_number)?;
        let evidence = Box::new(FalseStatement {
            accusation,
            truth: Truth::Beyond,
        });
        let reporter = member::<T>(n);

        #[extrinsic_call]
        _(RawOrigin::Signed(reporter), evidence.clone());

        let again =
            Pallet::<T>::report_false_statement(RawOrigin::Signed(member::<T>(n)).into(), evidence);
        assert!(again.is_err(), "it is known now");
        Ok(())
    }

    /// Another block was named before, which has not come.
    #[benchmark]
    fn activate() -> Result<(), BenchmarkError> {
        let [named, at] = [1, 2].map(|more| LARGE.saturating_add(more).into());
        ActiveFrom::<T>::put::<BlockNumberFor<T>>(named);

        #[extrinsic_call]
        _(RawOrigin::Root, at);

        assert_eq!(ActiveFrom::<T>::get(), Some(at));
        Ok(())
    }

    /// A large set signs, and another one is in the making, in `n` parts.
    #[benchmark]
    fn deactivate(
        n: Linear<1, { LARGE.div_ceil(T::ValidatorsPerBlock::get()) }>,
    ) -> Result<(), BenchmarkError> {
        let members = LARGE.min(n.saturating_mul(T::ValidatorsPerBlock::get()));
        let validators = large_sets::<T>(members)?;
        put_draft::<T>(Purpose::Successor, with_keys(validators, 3), members);
        ActiveFrom::<T>::put(frame_system::Pallet::<T>::block_number());

        #[extrinsic_call]
        _(RawOrigin::Root);

        assert!(Ended::<T>::get());
        assert_eq!(DraftParts::<T>::iter_keys().count(), 0);
        Ok(())
    }

    /// What is signed about a block with a set of any size.
    #[benchmark]
    fn announce_payload() -> Result<(), BenchmarkError> {
        found::<T>(1, u64::from)?;
        let before = frame_system::Pallet::<T>::digest().logs().len();

        #[block]
        {
            super::announce_payload::<T>();
        }

        assert_eq!(frame_system::Pallet::<T>::digest().logs().len(), before + 1);
        Ok(())
    }

    /// A set of `n` members is ended while another of as many is planned, and `n` new keys take their place.
    #[benchmark]
    fn reset(n: Linear<1, { at_once::<T>() }>) -> Result<(), BenchmarkError> {
        let validators = change_planned::<T>(n)?;
        pallet_session::Validators::<T>::put(&validators);
        let planned = NextKeys::<T>::get();

        #[block]
        {
            recovery::reset::<T>().map_err(|_| BenchmarkError::Stop("the keys make a set"))?;
        }

        assert_ne!(CurrentKeys::<T>::get(), planned);
        assert_eq!(CurrentKeys::<T>::get(), NextKeys::<T>::get());
        Ok(())
    }

    impl_benchmark_test_suite!(Pallet, crate::mock::for_benchmarks(), crate::mock::Test);
}
