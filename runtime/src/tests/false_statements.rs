//! What validators sign about a block that is not the chain's costs them their stake, and what they sign honestly
//! never does.

use super::chain::{self, all_logs, has_event, logs, secret, Chain, GENESIS_HASH, VALIDATORS};
use crate::{
    constants::SESSION_BLOCKS, AccountId, Duet, Header, Mmr, Runtime, RuntimeEvent, RuntimeOrigin,
    Session, Staking, UncheckedExtrinsic,
};
use duet_primitives::{
    Accusation, BlockNumber, Commitment, ConsensusLog, DualKeyset, EvidenceStatus, RoundMessage,
    Vote, H256,
};
use pallet_duet::{Error, Event, FalseStatement, Truth};
use sp_keyring::Sr25519Keyring::{Dave, Ferdie};
use sp_runtime::{
    traits::{Hash, Keccak256},
    transaction_validity::{InvalidTransaction, TransactionValidityError},
    DispatchError,
};
use sp_staking::StakingInterface;

/// The votes of these validators.
fn votes(set: &DualKeyset, said: &Commitment, validators: &[u8]) -> Vec<Vote> {
    let secrets: Vec<_> = validators.iter().copied().map(secret).collect();
    chain::votes(set, said, &secrets)
}

fn accuse(set: &DualKeyset, said: &Commitment, validator: u8) -> Accusation {
    let vote = votes(set, said, &[validator]).remove(0);
    Accusation::of_vote(&vote, set.keyset()).expect("a member")
}

/// What becomes of a report with this truth.
fn report(
    chain: &mut Chain,
    nonce: u32,
    accusation: Accusation,
    truth: Truth<Header>,
) -> Result<(), DispatchError> {
    make_room(chain);
    let evidence = Box::new(FalseStatement { accusation, truth });
    let call = pallet_duet::Call::<Runtime>::report_false_statement { evidence };
    let extrinsic = chain.sign(Ferdie, nonce, call);
    chain.try_block_of(vec![extrinsic]).1[0].expect("is applicable")
}

/// A block with which a session starts has no room for transactions.
fn make_room(chain: &mut Chain) {
    while (chain.number() + 1).is_multiple_of(SESSION_BLOCKS) {
        chain.block();
    }
}

fn refused(error: Error<Runtime>) -> Result<(), DispatchError> {
    Err(error.into())
}

/// The report that a node submits at the latest block.
fn submit(
    chain: &mut Chain,
    accusation: Accusation,
    header: Option<&Header>,
    latest: &Header,
) -> Option<UncheckedExtrinsic> {
    chain.submitted(|| {
        let prove = |block, at| Mmr::generate_proof(vec![block], Some(at)).ok();
        Duet::submit_accusation(accusation, header.cloned(), latest.clone(), prove)
    })
}

fn account(index: u8) -> AccountId {
    VALIDATORS[usize::from(index)].to_account_id()
}

fn stake(chain: &mut Chain, index: u8) -> u128 {
    chain.ask(|| Staking::active_stake(&account(index)).expect("is bonded"))
}

/// CHAIN-7.
#[test]
fn each_header_has_the_hash_of_what_is_signed_about_its_block() {
    let mut chain = Chain::of_four();
    for _ in 0..2 * SESSION_BLOCKS {
        let header = chain.block();
        let payload = chain.ask(|| Duet::commitment_payload().expect("has keys"));
        let last = all_logs(&header).pop();
        assert_eq!(last, Some(ConsensusLog::Payload(payload.hash())));
    }
}

/// FALSE-1.
#[test]
fn a_vote_for_another_block_root_or_set_is_punished_and_one_for_what_is_true_is_not() {
    let mut chain = Chain::of_four();
    chain.advance_to_session(2);
    let header = chain.block();
    let (set, said) = (chain.set(), chain.truth(&header));
    let recent = || Truth::Recent(Box::new(header.clone()));
    let mut nonce = 0..;
    let mut report_of = |chain: &mut Chain, said: &Commitment, validator| {
        let accusation = accuse(&set, said, validator);
        report(chain, nonce.next().unwrap(), accusation, recent())
    };
    assert_eq!(report_of(&mut chain, &said, 0), refused(Error::NotFalse));

    let mut lies = [said.clone(), said.clone(), said.clone()];
    lies[0].block_hash = H256::repeat_byte(1);
    lies[1].mmr_root = H256::repeat_byte(1);
    lies[2].next.root = H256::repeat_byte(1);
    for (validator, lie) in (0..).zip(&lies) {
        let before = stake(&mut chain, validator);
        assert_eq!(report_of(&mut chain, lie, validator), Ok(()));
        assert!(chain.ask(|| has_event(|event| matches!(
            event,
            RuntimeEvent::Duet(Event::FalseStatementReported { offenders, .. })
                if *offenders == [account(validator)]
        ))));
        assert!(stake(&mut chain, validator) < before);
        let again = report_of(&mut chain, lie, validator);
        assert_eq!(again, refused(Error::DuplicateOffenceReport));
    }
}

/// FALSE-1, FALSE-3: a node reports each, and the chain takes it without a signature.
#[test]
fn a_false_proof_costs_all_of_its_signers_their_stake() {
    let mut chain = Chain::of_four();
    let header = chain.block();
    let set = chain.set();
    let mut said = chain.truth(&header);
    said.block_hash = H256::repeat_byte(1);
    let message = RoundMessage::new(GENESIS_HASH, said.clone());
    let proof = set
        .aggregate(&message, &votes(&set, &said, &[0, 1, 3]))
        .expect("three of four");
    let accusation = Accusation::of_proof(&proof, set.keyset()).remove(0);
    let status = chain.ask(|| Duet::accusation_status(&accusation));
    assert_eq!(status, EvidenceStatus::New);

    let before: Vec<_> = (0..4).map(|index| stake(&mut chain, index)).collect();
    let latest = chain.block();
    let extrinsic = submit(&mut chain, accusation.clone(), Some(&header), &latest);
    chain.block_of(vec![extrinsic.expect("the pool takes it")]);
    for index in [0, 1, 3] {
        assert_eq!(stake(&mut chain, index), 0, "{index} loses everything");
    }
    assert_eq!(stake(&mut chain, 2), before[2], "who did not sign");
    let status = chain.ask(|| Duet::accusation_status(&accusation));
    assert_eq!(status, EvidenceStatus::Reported);
}

/// FALSE-1.
#[test]
fn a_vote_for_a_block_that_is_not_there_yet_is_punished() {
    let mut chain = Chain::of_four();
    let header = chain.block();
    let set = chain.set();
    let mut said = chain.truth(&header);
    let now = chain.number();
    said.block_number = BlockNumber::new(now + 1);
    // The report is in the block that it says not to be there.
    let in_time = report(&mut chain, 0, accuse(&set, &said, 1), Truth::Beyond);
    assert_eq!(in_time, refused(Error::NotFalse));
    said.block_number = BlockNumber::new(now + 3);
    assert_eq!(
        report(&mut chain, 1, accuse(&set, &said, 1), Truth::Beyond),
        Ok(())
    );
    let latest = chain.block();
    said.block_number = BlockNumber::new(u32::MAX);
    let extrinsic = submit(&mut chain, accuse(&set, &said, 2), None, &latest);
    let before = stake(&mut chain, 2);
    chain.block_of(vec![extrinsic.expect("the pool takes it")]);
    assert!(stake(&mut chain, 2) < before);
}

/// FALSE-1: nobody chooses what is true.
#[test]
fn a_header_convicts_only_if_it_is_the_chains_and_of_that_block() {
    let mut chain = Chain::of_four();
    let headers: Vec<_> = (0..4).map(|_| chain.block()).collect();
    let (set, said) = (chain.set(), chain.truth(&headers[3]));
    let mut forged = headers[3].clone();
    forged.state_root = H256::repeat_byte(1);
    let mut nonce = 0..;
    for header in [&forged, &headers[2]] {
        let truth = Truth::Recent(Box::new(header.clone()));
        let accusation = accuse(&set, &said, 0);
        let result = report(&mut chain, nonce.next().unwrap(), accusation, truth);
        assert_eq!(result, refused(Error::ForeignHeader));
    }
}

/// FALSE-1: the chain has long forgotten the hash of the block, and the range proves it.
#[test]
fn a_statement_about_an_old_block_is_judged_by_the_range() {
    let mut chain = Chain::of_four();
    let (set, mut old) = (chain.set(), None);
    let mut latest = chain.block();
    let mut said = chain.truth(&latest);
    for _ in 0..1_300 {
        latest = chain.block();
        if latest.number == 40 {
            said = chain.truth(&latest);
            old = Some(latest.clone());
        }
    }
    let old = old.expect("is older");
    let honest = submit(&mut chain, accuse(&set, &said, 0), Some(&old), &latest);
    let (_, results) = chain.try_block_of(vec![honest.expect("the pool is not asked")]);
    let refusal = TransactionValidityError::Invalid(InvalidTransaction::BadProof);
    assert_eq!(results[0], Err(refusal), "it is true");
    let latest = chain.block();
    let mut lie = said.clone();
    lie.mmr_root = H256::repeat_byte(1);
    let accusation = accuse(&set, &lie, 0);
    let extrinsic = submit(&mut chain, accusation.clone(), Some(&old), &latest);
    let extrinsic = extrinsic.expect("the pool takes it");
    let evidence = evidence_of(&extrinsic);
    let Truth::Older(older) = &evidence.truth else {
        panic!("the block is old");
    };
    // Each part is needed.
    let mut broken = vec![older.clone(); 10];
    broken[0].header.state_root = H256::zero();
    broken[1].leaf.parent_hash = H256::zero();
    broken[2].leaf_index += 1;
    broken[3].items[0] = H256::zero();
    broken[4].recent.state_root = H256::zero();
    broken[5].payload.mmr_root = H256::zero();
    // What would overflow, or leave the range.
    broken[6].leaf_index = u64::MAX;
    broken[7].leaf_index = older.leaf_count;
    broken[8].leaf_count = u64::MAX;
    (broken[9].leaf_index, broken[9].leaf_count) = (u64::MAX - 1, u64::MAX);
    for (nonce, one) in (0..).zip(broken) {
        let result = report(&mut chain, nonce, accusation.clone(), Truth::Older(one));
        assert_eq!(result, refused(Error::ForeignHeader), "part {nonce}");
    }
    // A range of two leaves, which names a header that says something else: the latest block does not know it.
    let mut invented = older.clone();
    invented.header.extrinsics_root = H256::repeat_byte(1);
    invented.leaf.parent_hash = invented.header.hash();
    (invented.leaf_index, invented.leaf_count) = (0, 2);
    let leaves = [Keccak256::hash_of(&invented.leaf), H256::repeat_byte(2)];
    invented.items = vec![leaves[1]].try_into().expect("one");
    invented.payload.mmr_root = Keccak256::hash_of(&leaves);
    let honest = accuse(&set, &said, 0);
    let result = report(&mut chain, 10, honest, Truth::Older(invented));
    assert_eq!(result, refused(Error::ForeignHeader));
    make_room(&mut chain);
    let before = stake(&mut chain, 0);
    chain.block_of(vec![extrinsic]);
    assert!(stake(&mut chain, 0) < before);
}

fn evidence_of(extrinsic: &UncheckedExtrinsic) -> FalseStatement<Header> {
    match &extrinsic.function {
        crate::RuntimeCall::Duet(pallet_duet::Call::report_false_statement { evidence }) => {
            (**evidence).clone()
        }
        _ => panic!("reports a false statement"),
    }
}

/// FALSE-1: through changes of the set, every vote that an honest validator makes.
#[test]
fn no_honest_vote_is_evidence() {
    let mut chain = Chain::of_four();
    let (mut changes, mut before) = (0, None);
    while chain.number() < 6 * SESSION_BLOCKS {
        let leaves = chain.number() == SESSION_BLOCKS + 4;
        // Dave's key leaves, so that another set is planned.
        let call = pallet_duet::Call::<Runtime>::deregister_keys {};
        let extrinsics = leaves.then(|| chain.sign(Dave, 0, call));
        let header = chain.block_of(extrinsics.into_iter().collect());
        changes += usize::from(!logs(&header).is_empty());
        // Only now the chain has the hash of the block before.
        if let Some(block) = before.take() {
            judge(&mut chain, block);
        }
        let signed = (chain.set(), chain.truth(&header));
        before = Some((header, signed));
    }
    assert!(changes >= 2, "a set was planned and took over");
    for index in 0..4 {
        assert!(chain.ask(|| Session::validators().contains(&account(index))));
    }
}

/// Votes on a block that are true of it are refused as evidence.
fn judge(chain: &mut Chain, (header, (set, said)): (Header, (DualKeyset, Commitment))) {
    for validator in [0, 1, 2] {
        let accusation = accuse(&set, &said, validator);
        let evidence = Box::new(FalseStatement {
            accusation,
            truth: Truth::Recent(Box::new(header.clone())),
        });
        let origin = RuntimeOrigin::signed(Ferdie.to_account_id());
        let result = chain.ask(|| Duet::report_false_statement(origin, evidence));
        let refusal = result.expect_err("it is true").error;
        assert_eq!(
            refusal,
            Error::<Runtime>::NotFalse.into(),
            "block {}",
            header.number
        );
    }
}
