//! What the call refuses, and who is punished. That headers of real chains convict is tested with the runtime.

use crate::{
    mock::{
        events, evidence, key, logs, next_block, register_key_of, sessions, with, Duet, Punished,
        RuntimeCall, RuntimeOrigin, System, Test, AUTHOR, GENESIS,
    },
    truth::find,
    Call, Config, Error, Event, FalseStatement, HeaderOf, KeyOwners, OldestSet, Pardons, Truth,
    WeightInfo, MAX_PARDONED_BLOCKS, MAX_PARDONED_SETS, MAX_PARDONS,
};
use duet_primitives::{
    testing::TestSet, Accusation, BlockNumber, ConsensusLog, EvidenceStatus, Justification, Pardon,
    RoundMessage, SetId, SignerIndex, H256,
};
#[allow(deprecated)]
use frame_support::pallet_prelude::ValidateUnsigned;
use frame_support::{
    assert_noop, assert_ok,
    dispatch::{DispatchResultWithPostInfo, GetDispatchInfo, Pays},
    pallet_prelude::{InvalidTransaction, TransactionSource},
    traits::Get,
};
use sp_runtime::{
    traits::{BadOrigin, Header as _},
    Perbill,
};

const REPORTER: u64 = 50;
/// No block has this number.
const FAR: u32 = 1_000;

type Evidence = FalseStatement<HeaderOf<Test>>;

fn four() -> TestSet {
    TestSet::new(0, [1, 2, 3, 4])
}

fn with_four(test: impl FnOnce()) {
    with(&[1, 2, 3, 4], test);
}

fn message(set: &TestSet, block: u32) -> RoundMessage {
    RoundMessage::new(GENESIS, set.commitment(block, &set.set))
}

/// The position of an account's key.
fn position(set: &TestSet, account: u64) -> u32 {
    let position = set.set.keyset().position(&key(account).pk1());
    position.expect("a member").get()
}

fn vote(account: u64) -> Evidence {
    let set = four();
    let vote = set.vote(position(&set, account), &message(&set, FAR));
    let accusation = Accusation::of_vote(&vote.expect("holds"), set.set.keyset());
    Evidence {
        accusation: accusation.expect("of this set"),
        truth: Truth::Beyond,
    }
}

fn justified(accounts: &[u64]) -> Justification {
    let set = four();
    let signers = accounts.iter().map(|account| position(&set, *account));
    set.justify(&message(&set, FAR), signers)
}

fn proof(accounts: &[u64]) -> Evidence {
    let accusation = Accusation::of_proof(&justified(accounts), four().set.keyset()).remove(0);
    Evidence {
        accusation,
        truth: Truth::Beyond,
    }
}

fn report(evidence: Evidence) -> DispatchResultWithPostInfo {
    Duet::report_false_statement(RuntimeOrigin::signed(REPORTER), Box::new(evidence))
}

fn punished() -> Vec<(u64, Perbill)> {
    let mut all: Vec<_> = Punished::take()
        .into_iter()
        .map(|(who, _, fraction, _)| (who, fraction))
        .collect();
    all.sort();
    all
}

fn fraction(offenders: u32) -> Perbill {
    Perbill::from_rational(3 * offenders, 4).square()
}

#[test]
fn one_false_vote_is_punished_as_one_equivocation_is() {
    with_four(|| {
        let post = report(vote(2)).expect("it is accepted");
        assert_eq!(post.pays_fee, Pays::No);
        assert_eq!(Punished::take(), [(2, vec![REPORTER], fraction(1), 0)]);
        let reported = Event::FalseStatementReported {
            offenders: vec![2],
            set_id: SetId::new(0),
            block_number: BlockNumber::new(FAR),
            session: 0,
        };
        assert_eq!(events(), [reported]);
    });
}

#[test]
fn without_a_signature_the_author_is_the_reporter() {
    with_four(|| {
        let evidence = Box::new(vote(2));
        Duet::report_false_statement(RuntimeOrigin::none(), evidence).expect("it is accepted");
        assert_eq!(Punished::take(), [(2, vec![AUTHOR], fraction(1), 0)]);
        assert_noop!(
            Duet::report_false_statement(RuntimeOrigin::root(), Box::new(vote(3))),
            sp_runtime::DispatchError::BadOrigin
        );
    });
}

#[test]
fn all_signers_of_a_false_proof_are_punished_together_and_nobody_else() {
    with_four(|| {
        report(proof(&[1, 2, 4])).expect("it is accepted");
        let all = [1, 2, 4].map(|account| (account, Perbill::one()));
        assert_eq!(fraction(3), Perbill::one());
        assert_eq!(punished(), all);
    });
}

/// EQV-7: an equivocation on the block, a false vote and a false proof of it are one offence of whoever made them.
#[test]
fn who_was_reported_for_the_block_is_not_punished_again_and_those_who_were_not_are() {
    with_four(|| {
        let double = evidence(&four(), 1, BlockNumber::new(FAR));
        let origin = RuntimeOrigin::signed(REPORTER);
        Duet::report_equivocation(origin, Box::new(double)).expect("it is accepted");
        assert_noop!(report(vote(1)), Error::<Test>::DuplicateOffenceReport);
        let [first, second] = [vec![1, 2, 3], vec![1, 3, 2]].map(|accounts| proof(&accounts));
        let known = |evidence: &Evidence| Duet::accusation_status(&evidence.accusation);
        assert_eq!(known(&first), EvidenceStatus::New);
        punished();
        report(first).expect("two of them are new");
        assert_eq!(known(&second), EvidenceStatus::Reported);
        assert_noop!(report(second), Error::<Test>::DuplicateOffenceReport);
        report(proof(&[2, 3, 4])).expect("one of them is new");
    });
}

/// The registry may have forgotten one of many.
#[test]
fn an_owner_that_is_not_known_spares_only_itself() {
    with_four(|| {
        let owner = KeyOwners::<Test>::take(key(2).pk1()).expect("it is known");
        report(proof(&[1, 2, 4])).expect("it is accepted");
        let who: Vec<_> = punished().into_iter().map(|(who, _)| who).collect();
        assert_eq!(who, [1, 4]);
        assert_noop!(report(vote(2)), Error::<Test>::UnknownOffender);
        KeyOwners::<Test>::insert(key(2).pk1(), owner);
    });
}

/// FALSE-1.
#[test]
fn a_block_that_is_there_is_not_beyond_the_chain() {
    with_four(|| {
        System::set_block_number(FAR.into());
        assert_noop!(report(vote(2)), Error::<Test>::NotFalse);
        System::set_block_number(u64::from(FAR) - 1);
        report(vote(2)).expect("the next block is not there yet");
    });
}

/// FALSE-2, FALSE-3: one error per rule.
#[test]
fn accusations_that_do_not_hold_name_the_rule() {
    let in_vote = |change: &dyn Fn(&mut duet_primitives::VoteAccusation)| {
        let mut evidence = vote(2);
        let Accusation::Vote(vote) = &mut evidence.accusation else {
            panic!("of a vote");
        };
        change(vote);
        evidence
    };
    let in_proof = |change: &dyn Fn(&mut duet_primitives::ProofAccusation)| {
        let mut evidence = proof(&[1, 2, 4]);
        let Accusation::Proof(proof) = &mut evidence.accusation else {
            panic!("of a proof");
        };
        change(proof);
        evidence
    };
    let bystander = (SignerIndex::new(position(&four(), 3)), key(3).pk1());
    with_four(|| {
        for (evidence, error) in [
            (
                in_vote(&|vote| vote.key = key(3).pk1()),
                Error::<Test>::InvalidMembership,
            ),
            (
                in_vote(&|vote| vote.commitment.mmr_root = H256::zero()),
                Error::InvalidVoteSignature,
            ),
            (
                in_proof(&|proof| proof.accused.clear()),
                Error::NobodyAccused,
            ),
            (
                in_proof(&|proof| proof.accused[0] = bystander),
                Error::NobodyAccused,
            ),
            (
                in_proof(&|proof| proof.accused[0].1 = bystander.1),
                Error::InvalidMembership,
            ),
            (
                in_proof(&|proof| {
                    proof.proof.justification.commitment.mmr_root = H256::zero();
                }),
                Error::InvalidFinalityProof,
            ),
            (
                in_vote(&|vote| vote.commitment.validator_set_id = SetId::new(1)),
                Error::SetNotActive,
            ),
        ] {
            assert_noop!(report(evidence), error);
        }
        assert_eq!(Punished::take(), []);
    });
}

/// EQV-6.
#[test]
fn a_false_statement_of_a_set_of_long_ago_is_not_punished() {
    with(&[1, 2, 3, 4], || {
        register_key_of(10, 1);
        sessions(3 + 3);
        assert_noop!(report(vote(2)), Error::<Test>::SetNotSlashable);
        let status = Duet::accusation_status(&vote(2).accusation);
        assert_eq!(status, EvidenceStatus::NotSlashable);
    });
}

#[test]
#[allow(deprecated)]
fn the_pool_takes_a_report_of_the_node_itself_once_and_only_if_it_holds() {
    with_four(|| {
        let validate = |source, evidence: Evidence| {
            let evidence = Box::new(evidence);
            Duet::validate_unsigned(source, &Call::report_false_statement { evidence })
        };
        let valid = validate(TransactionSource::Local, proof(&[1, 2, 4])).expect("it holds");
        assert!(!valid.propagate);
        assert_eq!(valid.provides.len(), 1);
        System::set_block_number(FAR.into());
        let not_false = validate(TransactionSource::Local, vote(2));
        assert_eq!(not_false, Err(InvalidTransaction::BadProof.into()));
        System::set_block_number(1);
        let external = validate(TransactionSource::External, vote(2));
        assert_eq!(external, Err(InvalidTransaction::Call.into()));
        let mut forged = vote(2);
        if let Accusation::Vote(vote) = &mut forged.accusation {
            vote.commitment.mmr_root = H256::zero();
        }
        let forged = validate(TransactionSource::InBlock, forged);
        assert_eq!(forged, Err(InvalidTransaction::BadProof.into()));
        let ahead = TestSet::new(1, [1, 2, 3, 4]);
        let early = ahead.vote(0, &message(&ahead, FAR)).expect("holds");
        let early = Evidence {
            accusation: Accusation::of_vote(&early, ahead.set.keyset()).expect("of this set"),
            truth: Truth::Beyond,
        };
        let early = validate(TransactionSource::Local, early);
        assert_eq!(early, Err(InvalidTransaction::Future.into()));

        report(proof(&[1, 2, 4])).expect("it is accepted");
        next_block();
        let known = validate(TransactionSource::Local, vote(2));
        assert_eq!(known, Err(InvalidTransaction::Stale.into()));
        let evidence = Box::new(vote(2));
        let in_block = Duet::pre_dispatch(&Call::report_false_statement { evidence });
        assert_eq!(in_block, Err(InvalidTransaction::Stale.into()));
    });
}

/// The weight grows with what the report brings.
#[test]
fn a_larger_accusation_weighs_more() {
    use frame_support::dispatch::GetDispatchInfo;
    let weigh = |evidence: Evidence| {
        let evidence = Box::new(evidence);
        let call = RuntimeCall::from(Call::<Test>::report_false_statement { evidence });
        call.get_dispatch_info().call_weight
    };
    with_four(|| {
        let (one, three, four) = (
            weigh(vote(2)),
            weigh(proof(&[1, 2, 4])),
            weigh(proof(&[1, 2, 3, 4])),
        );
        assert!(three.all_gt(one));
        // One more is accused, and one fewer did not sign.
        assert!(four.all_gte(three));
    });
}

fn pardon(blocks: (u32, u32), sets: (u64, u64)) -> Pardon {
    Pardon {
        first_block: BlockNumber::new(blocks.0),
        last_block: BlockNumber::new(blocks.1),
        first_set: SetId::new(sets.0),
        last_set: SetId::new(sets.1),
    }
}

/// FALSE-4.
#[test]
fn a_pardoned_statement_is_not_punished_and_an_equivocation_about_the_block_still_is() {
    with_four(|| {
        for beside in [
            pardon((FAR + 1, FAR + 9), (0, 9)),
            pardon((1, FAR - 1), (0, 9)),
            pardon((FAR, FAR), (1, 9)),
        ] {
            assert_ok!(Duet::pardon(RuntimeOrigin::root(), beside));
        }
        assert_eq!(
            Duet::accusation_status(&vote(1).accusation),
            EvidenceStatus::New
        );
        let exact = pardon((FAR, FAR), (0, 0));
        assert_ok!(Duet::pardon(RuntimeOrigin::root(), exact));
        assert_eq!(logs().last(), Some(&ConsensusLog::Pardoned(exact)));
        let told = events().pop();
        assert_eq!(told, Some(Event::StatementsPardoned { pardon: exact }));
        for evidence in [vote(1), proof(&[1, 2, 3])] {
            let status = Duet::accusation_status(&evidence.accusation);
            assert_eq!(status, EvidenceStatus::NotSlashable);
            assert_noop!(report(evidence), Error::<Test>::Pardoned);
        }
        let set = four();
        let other = evidence(&set, 1, BlockNumber::new(FAR));
        assert_ok!(Duet::report_equivocation(
            RuntimeOrigin::signed(REPORTER),
            Box::new(other)
        ));
        let told = events().pop();
        assert!(matches!(told, Some(Event::EquivocationReported { .. })));
    });
}

/// FALSE-4.
#[test]
fn a_pardon_out_of_bounds_one_too_many_and_one_by_a_stranger_are_refused() {
    with_four(|| {
        let ahead = 2 * MAX_PARDONED_BLOCKS;
        for wrong in [
            pardon((2, 1), (0, 0)),
            pardon((1, 1), (1, 0)),
            pardon((1, MAX_PARDONED_BLOCKS + 1), (0, 0)),
            pardon((1, 1), (0, MAX_PARDONED_SETS)),
            pardon((ahead, ahead), (0, 0)),
        ] {
            let refused = Duet::pardon(RuntimeOrigin::root(), wrong);
            assert_noop!(refused, Error::<Test>::PardonOutOfBounds);
        }
        let largest = pardon((1, MAX_PARDONED_BLOCKS), (0, MAX_PARDONED_SETS - 1));
        let stranger = Duet::pardon(RuntimeOrigin::signed(1), largest);
        assert_noop!(stranger, BadOrigin);
        for _ in 0..MAX_PARDONS {
            assert_ok!(Duet::pardon(RuntimeOrigin::root(), largest));
        }
        let refused = Duet::pardon(RuntimeOrigin::root(), largest);
        assert_noop!(refused, Error::<Test>::TooManyPardons);
        // One whose sets are forgotten makes room.
        OldestSet::<Test>::put(SetId::new(MAX_PARDONED_SETS));
        assert_ok!(Duet::pardon(RuntimeOrigin::root(), largest));
        assert_eq!(Pardons::<Test>::get().into_inner(), [largest]);
        let info = RuntimeCall::Duet(Call::pardon { pardon: largest }).get_dispatch_info();
        let activate = <Test as Config>::WeightInfo::activate();
        assert!(info.call_weight.all_gte(activate));
        OldestSet::<Test>::put(SetId::FIRST);
    });
}

/// A report of a young block waits in a pool for as long as the block's hash is kept, and is then still good.
#[test]
fn the_truth_about_a_block_is_its_header_while_it_is_young() {
    with_four(|| {
        let zero = H256::zero();
        let header = |number| HeaderOf::<Test>::new(number, zero, zero, zero, System::digest());
        let find = |number: u32, now| {
            let mut is_proven = false;
            let prove = |_, _| {
                is_proven = true;
                None
            };
            let own = Some(header(number.into()));
            let found = find::<Test>(BlockNumber::new(number), own, header(now), prove);
            (found, is_proven)
        };
        let recent = |number| (Some(Truth::Recent(Box::new(header(number)))), false);
        let kept: u64 = <Test as frame_system::Config>::BlockHashCount::get();
        let half = kept / 2;
        assert_eq!(find(9, 8), (Some(Truth::Beyond), false));
        assert_eq!(find(8, 8), recent(8));
        assert_eq!(find(8, 8 + half - 1), recent(8));
        assert_eq!(find(8, 8 + half), (None, true));
    });
}
