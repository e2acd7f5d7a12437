//! A validator that equivocates is slashed, and the chain continues without it.

use super::{
    chain::{has_event, Chain, GENESIS_HASH},
    elections::{join, secret, BOND},
};
use crate::{
    constants::SESSIONS_PER_ERA, Duet, Executive, Runtime, RuntimeEvent, Session, Staking, System,
    UncheckedExtrinsic,
};
use duet_primitives::{
    BlockNumber, EquivocationProof, EvidenceStatus, RoundMessage, SecretKey, UncheckedVote, H256,
};
use frame_support::{dispatch::Pays, traits::DisabledValidators};
use sp_keyring::Sr25519Keyring::{Eve, Ferdie};
use sp_runtime::{
    transaction_validity::{InvalidTransaction, TransactionSource, TransactionValidityError},
    Perbill,
};
use sp_staking::StakingInterface;

/// Four validators and Eve, who signs.
fn five() -> Chain {
    let mut chain = Chain::of_four();
    let transactions = join(&mut chain);
    chain.block_of(transactions);
    chain.advance_to_session(6);
    chain
}

/// Eve's two votes on the latest block.
fn evidence(chain: &mut Chain, secret: &SecretKey) -> EquivocationProof {
    let (number, set) = (chain.number(), chain.set());
    let signer = set.keyset().position(&secret.public().pk1());
    let signer = signer.expect("is a member");
    chain.ask(|| {
        let payload = Duet::commitment_payload().expect("has keys");
        let vote = |hash| {
            let commitment = payload
                .clone()
                .commit(BlockNumber::new(number), H256::repeat_byte(hash));
            let message = RoundMessage::new(GENESIS_HASH, commitment);
            UncheckedVote::sign(secret, signer, &message)
                .check(set.keyset(), &message)
                .unwrap()
        };
        EquivocationProof::new(set.keyset(), &vote(1), &vote(2)).unwrap()
    })
}

fn report(evidence: EquivocationProof) -> pallet_duet::Call<Runtime> {
    pallet_duet::Call::report_equivocation {
        evidence: Box::new(evidence),
    }
}

fn eve() -> crate::AccountId {
    Eve.to_account_id()
}

#[test]
fn an_equivocation_reported_by_a_node_slashes_at_once_and_the_chain_goes_on() {
    let mut chain = five();
    let evidence = evidence(&mut chain, &secret());
    let report = UncheckedExtrinsic::new_bare(report(evidence).into());
    chain.block_of(vec![report]);

    // One of five: (3 / 5)² of its stake.
    let kept = BOND - Perbill::from_percent(36) * BOND;
    chain.ask(|| {
        assert_eq!(Staking::active_stake(&eve()), Ok(kept));
        assert!(has_event(|event| matches!(
            event,
            RuntimeEvent::Duet(pallet_duet::Event::EquivocationReported { offender, .. })
                if *offender == eve()
        )));
        let index = Session::validators()
            .iter()
            .position(|it| *it == eve())
            .unwrap();
        assert!(Session::is_disabled(index.try_into().unwrap()));
        assert_eq!(Session::disabled_validators().len(), 1);
    });

    // It neither stops the chain nor the rotation, nor is it forgotten.
    let session = chain.session();
    chain.advance_to_session(session + 5);
    chain.ask(|| assert_eq!(Staking::active_stake(&eve()), Ok(kept)));
}

/// EQV-6: staking finds its stake in the last era in which it was a validator.
#[test]
fn a_member_that_leaves_while_its_set_waits_for_the_handoff_is_slashed() {
    let mut chain = five();
    chain.signers_are([]);
    let chill = chain.sign(Eve, 4, pallet_staking::Call::chill {});
    chain.block_of(vec![chill]);
    let limit = chain.session() + 4 * SESSIONS_PER_ERA;
    while chain.ask(|| Session::validators().contains(&eve())) {
        assert!(chain.session() < limit, "it stays a validator");
        chain.block();
    }
    // One more era begins without it.
    let session = chain.session();
    chain.advance_to_session(session + SESSIONS_PER_ERA);
    assert_eq!(chain.set().keyset().len(), 5, "its set still signs");

    let evidence = evidence(&mut chain, &secret());
    let report = UncheckedExtrinsic::new_bare(report(evidence).into());
    chain.block_of(vec![report]);
    let kept = BOND - Perbill::from_percent(36) * BOND;
    chain.ask(|| assert_eq!(Staking::active_stake(&eve()), Ok(kept)));
}

#[test]
fn a_signed_report_is_free_and_a_second_one_is_refused() {
    let mut chain = five();
    let evidence = evidence(&mut chain, &secret());
    let balance =
        |chain: &mut Chain| chain.ask(|| crate::Balances::free_balance(Ferdie.to_account_id()));
    let before = balance(&mut chain);
    let first = chain.sign(Ferdie, 0, report(evidence.clone()));
    chain.block_of(vec![first]);
    assert!(
        balance(&mut chain) >= before,
        "a valid report costs nothing and may be rewarded"
    );

    let second = chain.sign(Ferdie, 1, report(evidence.clone()));
    let (_, results) = chain.try_block_of(vec![second]);
    assert_eq!(
        results[0].expect("is applicable").unwrap_err(),
        pallet_duet::Error::<Runtime>::DuplicateOffenceReport.into()
    );
    let bare = UncheckedExtrinsic::new_bare(report(evidence).into());
    let (_, results) = chain.try_block_of(vec![bare]);
    assert_eq!(
        results[0],
        Err(TransactionValidityError::Invalid(InvalidTransaction::Stale))
    );
}

/// EQV-6: staking's filter says that it took the report, and drops it.
#[test]
fn a_report_of_what_staking_no_longer_punishes_is_refused_and_paid_for() {
    let mut chain = five();
    let evidence = evidence(&mut chain, &secret());
    let session = chain.session();
    chain.ask(|| {
        let status = || Duet::evidence_status(&evidence);
        assert_eq!(status(), EvidenceStatus::New);
        let kept = pallet_staking::BondedEras::<Runtime>::get();
        pallet_staking::BondedEras::<Runtime>::mutate(|eras| {
            eras.iter_mut().for_each(|(_, start)| *start = session + 1);
        });
        assert_eq!(status(), EvidenceStatus::NotSlashable);
        let transaction = UncheckedExtrinsic::new_bare(report(evidence.clone()).into());
        let parent = System::parent_hash();
        assert_eq!(
            Executive::validate_transaction(TransactionSource::Local, transaction, parent),
            Err(TransactionValidityError::Invalid(InvalidTransaction::Stale))
        );
        let reporter = crate::RuntimeOrigin::signed(Ferdie.to_account_id());
        let refused = Duet::report_equivocation(reporter, Box::new(evidence.clone()));
        let refused = refused.expect_err("nothing is recorded");
        let dropped = pallet_duet::Error::<Runtime>::ReportDropped;
        assert_eq!(refused.error, dropped.into());
        assert_eq!(refused.post_info.pays_fee, Pays::Yes);
        pallet_staking::BondedEras::<Runtime>::put(kept);
        assert_eq!(
            status(),
            EvidenceStatus::New,
            "no trial leaves anything behind"
        );
    });
}

#[test]
fn the_pool_takes_unsigned_reports_from_its_own_node_only() {
    let mut chain = five();
    let evidence = evidence(&mut chain, &secret());
    let transaction = UncheckedExtrinsic::new_bare(report(evidence).into());
    chain.ask(|| {
        let validate = |source| {
            Executive::validate_transaction(source, transaction.clone(), System::parent_hash())
        };
        assert!(validate(TransactionSource::Local).is_ok());
        assert_eq!(
            validate(TransactionSource::External),
            Err(TransactionValidityError::Invalid(InvalidTransaction::Call))
        );
    });
}

#[test]
fn grandpa_can_prove_who_held_a_key_to_report_its_equivocations() {
    use frame_support::traits::KeyOwnerProofSystem;
    use sp_consensus_grandpa::KEY_TYPE;

    let mut chain = five();
    chain.ask(|| {
        let authorities = crate::Grandpa::grandpa_authorities();
        assert_eq!(authorities.len(), 5);
        for (authority, _) in authorities {
            let proof = crate::Historical::prove((KEY_TYPE, authority.clone())).expect("is known");
            let (owner, ()) =
                crate::Historical::check_proof((KEY_TYPE, authority), proof).expect("holds");
            assert!(Session::validators().contains(&owner));
        }
    });
}

#[test]
fn the_author_of_a_sessions_first_block_is_one_of_the_validators_before_it() {
    let joined = || {
        let mut chain = Chain::of_four();
        let transactions = join(&mut chain);
        chain.block_of(transactions);
        chain
    };
    let changed_at = {
        let mut chain = joined();
        while chain.ask(Session::validators).len() == 4 {
            chain.block();
        }
        chain.number()
    };
    for number in [changed_at - 1, changed_at, changed_at + 1] {
        let mut chain = joined();
        while chain.number() + 1 < number {
            chain.block();
        }
        let [found, expected] = chain.author_of_next_block();
        assert!(expected.is_some());
        assert_eq!(found, expected, "block {number}");
    }
}
