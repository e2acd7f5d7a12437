//! Benchmarks of the calls and of the work in each block. They run the code that the chain runs: in WASM, with the
//! `no_std` back end. They also run as tests, so that they keep working.
//!
//! The keys come from the keyring of `duet_primitives::testing`, whose secrets are public.

use crate::{
    keys::{self, hold},
    resets::{self, MAX_RESETS},
    sets::{self, SetRecord},
    BalanceOf, Call, Config, Deposit, JudgedFrom, KeyOwner, KeyOwners, KeyStatus, Keys, Members,
    NextId, OldestSet, Pallet, RecoveryOffence, RegisteredKey, Reset, Resets, Seen, Sets, Terms,
};
use alloc::{boxed::Box, vec::Vec};
use codec::Encode;
use duet_primitives::{
    recovery_ownership_statement,
    suite::ENGINE_ID,
    testing::{secret, TestSet},
    BlockNumber, ConsensusLog, Drill, KeysetCommitment, PossessionProof, Recovery,
    RecoveryAccusation, RecoveryMessage, RecoveryStatement, RecoveryVote, SetId, SignerIndex, H256,
};
use frame_benchmarking::v2::{account, benchmarks, BenchmarkError};
use frame_support::{traits::Get, WeakBoundedVec};
use frame_system::RawOrigin;
use pallet_duet::{BenchmarkHelper, EquivocationOffence, TimeSlot};
use pallet_session::{CurrentIndex, Validators};
use sp_runtime::{
    generic::DigestItem,
    traits::{Convert, Zero},
    SaturatedConversion,
};
use sp_staking::{offence::ReportOffence, SessionIndex};

/// Validators of the largest sessions that are measured.
const LARGE: u32 = 10_000;
/// The newest block of which the chain knows a reset.
const LAST_RESET: u32 = MAX_RESETS;

fn member<T: Config>(index: u32) -> T::AccountId {
    account("validator", index, 0)
}

/// An account that can pay the deposit and register a key.
fn bonded<T: Config>(index: u32) -> T::AccountId {
    let account = member::<T>(index);
    <T as Config>::BenchmarkHelper::make_validator(&account);
    account
}

fn validator<T: Config>(index: u32) -> Result<T::ValidatorId, BenchmarkError> {
    pallet_duet::Pallet::<T>::validator_of(&member::<T>(index))
        .ok_or(BenchmarkError::Stop("an account cannot be a validator id"))
}

fn genesis<T: Config>() -> H256 {
    pallet_duet::Pallet::<T>::genesis_hash()
}

fn proof<T: Config>(number: u64, account: &T::AccountId) -> PossessionProof {
    secret(number).prove_recovery_possession(&recovery_ownership_statement(genesis::<T>(), account))
}

/// A validator with a registered key.
fn registered<T: Config>() -> Result<T::AccountId, BenchmarkError> {
    let caller = bonded::<T>(0);
    let proof = proof::<T>(0, &caller);
    Pallet::<T>::register_key(
        RawOrigin::Signed(caller.clone()).into(),
        secret(0).public(),
        proof,
    )?;
    Ok(caller)
}

/// The validators of the session.
fn elect<T: Config>(n: u32) -> Result<(), BenchmarkError> {
    let validators = (0..n).map(validator::<T>);
    Validators::<T>::put(validators.collect::<Result<Vec<_>, _>>()?);
    Ok(())
}

/// Gives all validators of a session ready keys of a generation, without their proofs and for these deposits.
fn put_keys<T: Config>(
    n: u32,
    generation: u64,
    deposit: impl Fn(u32) -> Result<Deposit<T>, BenchmarkError>,
) -> Result<(), BenchmarkError> {
    for index in 0..n {
        let key = secret(generation * 1_000_000 + u64::from(index))
            .public()
            .pk1();
        let validator = validator::<T>(index)?;
        let registered = RegisteredKey {
            key,
            deposit: deposit(index)?,
            drilled: None,
            ready_until: SessionIndex::MAX,
        };
        Keys::<T>::insert(&validator, registered);
        let owner = KeyOwner {
            validator,
            sets: 0,
            status: KeyStatus::Registered,
        };
        KeyOwners::<T>::insert(key, owner);
    }
    elect::<T>(n)
}

/// No deposit was held.
fn free<T: Config>(index: u32) -> Result<Deposit<T>, BenchmarkError> {
    let amount = BalanceOf::<T>::zero();
    let account = member::<T>(index);
    Ok(Deposit { account, amount })
}

/// What the second block of a session does.
fn second_block<T: Config>() {
    note_session::<T>();
    sets::on_initialize::<T>();
}

/// What the first block of a session does.
fn note_session<T: Config>() {
    Seen::<T>::put((CurrentIndex::<T>::get(), false));
}

/// A reset in this block.
fn reset(number: u32, set: &KeysetCommitment) -> Reset {
    Reset {
        number: BlockNumber::new(number),
        ended: SetId::new(number.into()),
        set: set.clone(),
    }
}

/// The chain keeps as many resets as it can.
fn fill_resets<T: Config>(set: &KeysetCommitment) {
    JudgedFrom::<T>::put(BlockNumber::ZERO);
    (1..=LAST_RESET).for_each(|number| {
        let kept = Resets::<T>::try_mutate(|resets| resets.try_push(reset(number, set)));
        kept.expect("no more than it can keep");
    });
}

/// A recovery set of `n` is in force, and the chain has seen resets.
fn found<T: Config>(n: u32) -> Result<TestSet, BenchmarkError> {
    (0..n).for_each(|index| drop(bonded::<T>(index)));
    let set = TestSet::new(0, (0..n).map(u64::from));
    let keys = set.set.keyset().key_bytes().into_iter().zip(0..);
    let members = keys.map(|(key, index)| Ok((key, validator::<T>(index)?)));
    let members: Vec<_> = members.collect::<Result<_, BenchmarkError>>()?;
    let commitment = set.set.commitment().clone();
    fill_resets::<T>(&commitment);
    let record = SetRecord {
        commitment,
        members: WeakBoundedVec::force_from(members, None),
        last_session: None,
    };
    Sets::<T>::insert(SetId::FIRST, record);
    Ok(set)
}

/// Accuses `accused` of the signers of a statement about a reset that did not follow, which `absent` members did not
/// sign. All are apart from each other in the set, so that the proofs of their membership have many hashes.
fn accusation<T: Config>(
    set: &TestSet,
    accused: u32,
    absent: u32,
) -> Result<RecoveryAccusation, BenchmarkError> {
    let keyset = set.set.keyset();
    let mut members: Vec<_> = (0..keyset.len()).collect();
    members.sort_by_key(|index| (index % 3, *index));
    let mut signers = members.split_off(absent as usize);
    let statement = RecoveryStatement {
        recovery_set: keyset.id(),
        block_number: BlockNumber::new(LAST_RESET),
        block_hash: H256::repeat_byte(1),
        ended: SetId::new(LAST_RESET.into()),
        reset_number: BlockNumber::new(LAST_RESET + 1),
        reset_hash: H256::repeat_byte(2),
        set: TestSet::new(u64::from(LAST_RESET) + 1, 0..1)
            .set
            .commitment()
            .clone(),
    };
    let message = RecoveryMessage::new(genesis::<T>(), statement);
    let vote = |index: &u32| {
        let secret = set.secrets.get(*index as usize)?;
        Some(RecoveryVote::sign(
            secret,
            SignerIndex::new(*index),
            &message,
        ))
    };
    let votes: Vec<_> = signers.iter().filter_map(vote).collect();
    let proof = Recovery::combine(keyset, genesis::<T>(), &votes)
        .map_err(|_| BenchmarkError::Stop("too few signed"))?;
    signers.truncate(accused as usize);
    signers.sort_unstable();
    let signers: Vec<_> = signers.into_iter().map(SignerIndex::new).collect();
    let mut accusation = RecoveryAccusation::of_proof(&proof, keyset).swap_remove(0);
    accusation
        .accused
        .retain(|(signer, _)| signers.contains(signer));
    accusation.membership = keyset
        .prove(&signers)
        .map_err(|_| BenchmarkError::Stop("no members"))?;
    Ok(accusation)
}

/// Reports all members but the accused for the same statement, who are then punished again.
fn report_others<T: Config>(accusation: &RecoveryAccusation) -> Result<(), BenchmarkError> {
    let set = Sets::<T>::get(SetId::FIRST).ok_or(BenchmarkError::Stop("no set"))?;
    let is_other = |key| accusation.accused.iter().all(|(_, accused)| accused != key);
    let identify = |owner: &T::ValidatorId| {
        let identification = T::IdentificationOf::convert(owner.clone());
        identification.map(|identification| (owner.clone(), identification))
    };
    let others = set.members.iter().filter(|(key, _)| is_other(key));
    let offenders: Vec<_> = others.filter_map(|(_, owner)| identify(owner)).collect();
    if offenders.is_empty() {
        return Ok(());
    }
    let offence = RecoveryOffence(EquivocationOffence {
        time_slot: TimeSlot {
            set_id: SetId::FIRST,
            block_number: accusation.statement().block_number,
        },
        session_index: CurrentIndex::<T>::get(),
        validator_set_count: set.commitment.len,
        offenders,
    });
    <T as Config>::ReportOffence::report_offence(Vec::new(), offence)
        .map_err(|_| BenchmarkError::Stop("an offence was reported before"))
}

/// How many of a largest set need not sign.
fn most_absent<T: Config>() -> u32 {
    T::ValidatorsPerBlock::get().saturating_sub(1) / 3
}

#[benchmarks]
mod calls {
    use super::{
        accusation, bonded, elect, fill_resets, found, free, genesis, hold, keys, member,
        most_absent, note_session, proof, put_keys, registered, report_others, resets,
        second_block, secret, sets, validator, BenchmarkError, BlockNumber, Box, Call, Config,
        ConsensusLog, CurrentIndex, DigestItem, Drill, Encode, Get, JudgedFrom, KeyOwners, Keys,
        Members, NextId, OldestSet, Pallet, RawOrigin, Resets, SaturatedConversion, Seen,
        SessionIndex, SetId, Sets, Terms, TestSet, ENGINE_ID, H256, LARGE, LAST_RESET, MAX_RESETS,
    };
    use frame_benchmarking::impl_test_function;

    #[benchmark]
    fn register_key() -> Result<(), BenchmarkError> {
        let caller = bonded::<T>(0);
        let (key, proof) = (secret(0).public(), proof::<T>(0, &caller));

        #[extrinsic_call]
        _(RawOrigin::Signed(caller), key, proof);

        let registered = Keys::<T>::get(validator::<T>(0)?).map(|registered| registered.key);
        assert_eq!(registered, Some(key.pk1()));
        Ok(())
    }

    /// The most that it can do: the key was in no set, so that the deposit returns.
    #[benchmark]
    fn withdraw_key() -> Result<(), BenchmarkError> {
        let caller = registered::<T>()?;

        #[extrinsic_call]
        _(RawOrigin::Signed(caller));

        assert!(!KeyOwners::<T>::contains_key(secret(0).public().pk1()));
        Ok(())
    }

    #[benchmark]
    fn drill() -> Result<(), BenchmarkError> {
        let caller = registered::<T>()?;
        let number = frame_system::Pallet::<T>::block_number();
        let hash = H256::repeat_byte(1);
        frame_system::BlockHash::<T>::insert(number, hash);
        let number = BlockNumber::new(number.saturated_into());
        let signed = Drill::sign(&secret(0), genesis::<T>(), &caller, number, hash);

        #[extrinsic_call]
        _(RawOrigin::Signed(caller), signed);

        let registered = Keys::<T>::get(validator::<T>(0)?);
        assert_eq!(registered.and_then(|key| key.drilled), Some(number));
        Ok(())
    }

    /// Of a largest set, `s` did not sign, `a` are accused, and the others are known already and slashed again.
    #[benchmark]
    fn report(
        a: Linear<1, { T::ValidatorsPerBlock::get() - most_absent::<T>() }>,
        s: Linear<0, { most_absent::<T>() }>,
    ) -> Result<(), BenchmarkError> {
        let set = found::<T>(T::ValidatorsPerBlock::get())?;
        let accusation = accusation::<T>(&set, a, s)?;
        assert_eq!(accusation.sizes(), (a, s));
        report_others::<T>(&accusation)?;
        let (reporter, evidence) = (RawOrigin::Signed(member::<T>(LARGE)), Box::new(accusation));

        #[extrinsic_call]
        _(reporter.clone(), evidence.clone());

        let again = Pallet::<T>::report(reporter.into(), evidence);
        assert!(again.is_err(), "it is known now");
        Ok(())
    }

    /// All `n` members of a set signed. One is accused, and the others are known already and slashed again.
    #[benchmark]
    fn report_again(n: Linear<1, { T::ValidatorsPerBlock::get() }>) -> Result<(), BenchmarkError> {
        let set = found::<T>(n)?;
        let evidence = Box::new(accusation::<T>(&set, 1, 0)?);
        report_others::<T>(&evidence)?;
        let reporter = RawOrigin::Signed(member::<T>(LARGE));

        #[extrinsic_call]
        report(reporter.clone(), evidence.clone());

        let again = Pallet::<T>::report(reporter.into(), evidence);
        assert!(again.is_err(), "it is known now");
        Ok(())
    }

    /// Neither the first block of a session nor the second.
    #[benchmark]
    fn look() {
        Seen::<T>::put((CurrentIndex::<T>::get(), true));

        #[block]
        {
            sets::on_initialize::<T>();
        }

        assert!(!Terms::<T>::exists());
    }

    /// `n` validators with new keys make a set after that of their old keys. No set is forgotten.
    #[benchmark]
    fn make_set(n: Linear<1, { T::ValidatorsPerBlock::get() }>) -> Result<(), BenchmarkError> {
        put_keys::<T>(n, 1, free::<T>)?;
        second_block::<T>();
        put_keys::<T>(n, 2, free::<T>)?;
        note_session::<T>();

        #[block]
        {
            sets::on_initialize::<T>();
        }

        let terms = Terms::<T>::get().map(|terms| (terms.set.id, terms.set.len));
        assert_eq!(terms, Some((SetId::new(1), n)));
        Ok(())
    }

    /// A session has `n` validators, more than one block looks at: the set in force ends. No set is forgotten.
    #[benchmark]
    fn skip_set(
        n: Linear<{ T::ValidatorsPerBlock::get() + 1 }, LARGE>,
    ) -> Result<(), BenchmarkError> {
        put_keys::<T>(T::ValidatorsPerBlock::get(), 1, free::<T>)?;
        second_block::<T>();
        assert!(Terms::<T>::exists());
        elect::<T>(n)?;
        note_session::<T>();

        #[block]
        {
            sets::on_initialize::<T>();
        }

        assert!(!Terms::<T>::exists() && !Members::<T>::exists());
        Ok(())
    }

    /// A set is forgotten: `k` of its members have their keys, and `w` withdrew them and get their deposits back.
    #[benchmark]
    fn forget_set(
        k: Linear<0, { T::ValidatorsPerBlock::get() / 2 }>,
        w: Linear<1, { T::ValidatorsPerBlock::get() / 2 }>,
    ) -> Result<(), BenchmarkError> {
        let held = |index| Ok(hold::<T>(bonded::<T>(index))?);
        put_keys::<T>(k + w, 1, held)?;
        second_block::<T>();
        for index in 0..w {
            keys::withdraw::<T>(&member::<T>(index))?;
        }
        Sets::<T>::mutate(SetId::FIRST, |set| {
            if let Some(set) = set {
                set.last_session = Some(0);
            }
        });

        #[block]
        {
            sets::forget_oldest::<T>(SessionIndex::MAX);
        }

        assert_eq!(OldestSet::<T>::get(), NextId::<T>::get());
        assert_eq!(KeyOwners::<T>::iter_keys().count(), k as usize);
        Ok(())
    }

    /// The header has a reset, and the chain knows as many others as it keeps.
    #[benchmark]
    fn learn_reset() {
        let set = TestSet::new(0, 0..1).set.commitment().clone();
        fill_resets::<T>(&set);
        let ended = SetId::new(LAST_RESET.into());
        let log = ConsensusLog::Reset { ended, set };
        let item = DigestItem::Consensus(ENGINE_ID, log.encode());
        frame_system::Pallet::<T>::deposit_log(item);

        #[block]
        {
            resets::on_finalize::<T>();
        }

        assert_eq!(JudgedFrom::<T>::get(), Some(BlockNumber::new(1)));
        assert_eq!(Resets::<T>::get().len(), MAX_RESETS as usize);
    }

    impl_benchmark_test_suite!(Pallet, crate::mock::for_benchmarks(), crate::mock::Test);
}
