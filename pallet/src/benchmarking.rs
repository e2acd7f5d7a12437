//! Benchmarks of the calls and of the start of a session. They run the code that the chain runs: in WASM, with
//! the `no_std` back end. They also run as tests, so that they keep working.
//!
//! The keys come from the keyring of `duet_primitives::testing`, whose secrets are public.

use crate::{
    recovery,
    registration::{enlist, genesis_hash, insert, retire},
    rotation::{announce_payload, rotate},
    Call, Config, CurrentKeys, EquivocationOffence, FalseStatement, Handoff, Handoffs, HeaderOf,
    KeyOwners, Keys, Keysets, NextKeys, OldestSet, Pallet, RetiredRange, TimeSlot, Truth,
    Unsettled,
};
use alloc::{boxed::Box, vec, vec::Vec};
use duet_primitives::{
    ownership_statement,
    testing::{secret, TestSet},
    Accusation, Bitfield, BlockNumber, EquivocationProof, PossessionProof, RoundMessage, SetId,
    SignerIndex, StatelessProof, H256,
};
use frame_benchmarking::v2::{account, benchmarks, BenchmarkError};
use frame_support::traits::Get;
use frame_system::RawOrigin;
use pallet_session::CurrentIndex;
use sp_runtime::{
    traits::{Convert, Header as _},
    SaturatedConversion,
};
use sp_staking::{offence::ReportOffence, SessionIndex};

/// Setup that a runtime does before its calls can be measured.
pub trait BenchmarkHelper<AccountId> {
    /// Makes an account one that may register keys, and that can pay the deposit.
    fn make_validator(account: &AccountId);
}

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
    rotate::<T>(validators.iter(), validators.iter());
    Ok(())
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
        accusation, change_planned, enlist, everybody, evidence, found, handoff, member,
        most_absent, proof, put_keys, recovery, report_others, secret, BenchmarkError,
        BenchmarkHelper, Box, Call, Config, CurrentIndex, CurrentKeys, FalseStatement, Get,
        Handoffs, NextKeys, OldestSet, Pallet, RawOrigin, RetiredRange, SessionIndex, SetId,
        SignerIndex, TestSet, Truth, Unsettled, BLOCK,
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
    fn rotate(n: Linear<1, { T::MaxValidators::get() }>) -> Result<(), BenchmarkError> {
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
    fn reset(n: Linear<1, { T::MaxValidators::get() }>) -> Result<(), BenchmarkError> {
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
