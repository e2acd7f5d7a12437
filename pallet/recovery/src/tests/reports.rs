//! Which statements are false, and who is punished for them.

use super::{recovery_set, voting_set};
use crate::{
    mock::{
        announce_reset, events, make_ready, next_block, next_set, pk1, with, DropsReports, Duet,
        DuetRecovery, Punished, RuntimeOrigin, Session, SlashableSessions, System, Test, GENESIS,
    },
    Error, Event, JudgedFrom, Sets,
};
use duet_primitives::{
    testing::TestSet, BlockNumber, KeysetCommitment, Pardon, Recovery, RecoveryAccusation,
    RecoveryMessage, RecoveryStatement, RecoveryVote, SetId, Signed, SignerIndex, H256,
};
use frame_support::{
    assert_noop, assert_ok,
    dispatch::{DispatchResultWithPostInfo, Pays},
};
use sp_runtime::{traits::BadOrigin, DispatchError, Perbill};

const REPORTER: u64 = 30;
/// The block of the one reset.
const RESET: u32 = 6;
const MEMBERS: [u64; 4] = [1, 2, 3, 4];

fn set() -> TestSet {
    recovery_set(0, &MEMBERS)
}

/// The position of an account's recovery key.
fn position(account: u64) -> SignerIndex {
    set().set.keyset().position(&pk1(account)).unwrap()
}

/// A true statement, once the chain has its reset.
fn truth() -> RecoveryStatement {
    RecoveryStatement {
        recovery_set: SetId::FIRST,
        block_number: BlockNumber::new(5),
        block_hash: H256::repeat_byte(1),
        ended: SetId::new(3),
        reset_number: BlockNumber::new(RESET),
        reset_hash: H256::repeat_byte(2),
        set: voting_set(7),
    }
}

/// The same about the block of the reset: there is none after it.
fn no_reset_follows() -> RecoveryStatement {
    changed(|said| {
        said.block_number = BlockNumber::new(RESET);
        said.reset_number = BlockNumber::new(RESET + 1);
    })
}

fn changed(change: impl FnOnce(&mut RecoveryStatement)) -> RecoveryStatement {
    let mut said = truth();
    change(&mut said);
    said
}

fn signed(account: u64, said: &RecoveryStatement) -> RecoveryVote {
    let (signer, set) = (position(account), set());
    let message = RecoveryMessage::new(GENESIS, said.clone());
    RecoveryVote::sign(&set.secrets[signer.get() as usize], signer, &message)
}

/// Accuses one member by its signature.
fn vote(account: u64, said: &RecoveryStatement) -> RecoveryAccusation {
    let vote = signed(account, said);
    RecoveryAccusation {
        accused: vec![(vote.signer, pk1(account))],
        membership: set().set.keyset().prove(&[vote.signer]).unwrap(),
        signed: Signed::Vote(vote),
    }
}

/// Accuses members by a proof.
fn proof(accounts: &[u64], said: &RecoveryStatement) -> RecoveryAccusation {
    let votes: Vec<_> = accounts.iter().map(|n| signed(*n, said)).collect();
    let set = set();
    let proof = Recovery::combine(set.set.keyset(), GENESIS, &votes).unwrap();
    RecoveryAccusation::of_proof(&proof, set.set.keyset()).remove(0)
}

fn report(accusation: RecoveryAccusation) -> DispatchResultWithPostInfo {
    DuetRecovery::report(RuntimeOrigin::signed(REPORTER), Box::new(accusation))
}

fn refused(accusation: RecoveryAccusation, error: Error<Test>) {
    assert_noop!(
        report(accusation).map_err(|err| err.error),
        DispatchError::from(error)
    );
    assert_eq!(Punished::take(), []);
}

fn fraction(offenders: u32) -> Perbill {
    Perbill::from_rational(3 * offenders, 4).square()
}

fn punished() -> Vec<(u64, Perbill)> {
    let all = Punished::take().into_iter();
    let mut all: Vec<_> = all.map(|(who, _, fraction, _)| (who, fraction)).collect();
    all.sort();
    all
}

/// Runs a test after the reset of a chain with recovery set 0, which is in force.
fn after_reset(test: impl FnOnce()) {
    with(&MEMBERS, || {
        make_ready(&MEMBERS);
        next_set();
        while System::block_number() < u64::from(RESET) {
            next_block();
        }
        announce_reset(3, voting_set(7));
        next_block();
        test();
    });
}

/// RECOVER-9.
#[test]
fn the_signer_of_a_false_statement_is_punished_and_the_report_is_free() {
    after_reset(|| {
        let accusation = vote(2, &no_reset_follows());
        let post = report(accusation.clone()).unwrap();
        assert_eq!(post.pays_fee, Pays::No);
        let session = Session::current_index();
        assert_eq!(
            Punished::take(),
            [(2, vec![REPORTER], fraction(1), session)]
        );
        let reported = Event::FalseStatementReported {
            offenders: vec![2],
            recovery_set: SetId::FIRST,
            block_number: BlockNumber::new(RESET),
            session,
        };
        assert_eq!(events().last(), Some(&reported));
        let accusation = Box::new(accusation);
        let unsigned = DuetRecovery::report(RuntimeOrigin::none(), accusation);
        assert_noop!(unsigned.map_err(|err| err.error), BadOrigin);
    });
}

/// RECOVER-9.
#[test]
fn a_statement_is_true_for_the_first_reset_after_its_block_alone() {
    let other = || TestSet::new(7, 2..5).set.commitment().clone();
    type Change = fn(&mut RecoveryStatement, KeysetCommitment);
    let table: [(Change, bool); 11] = [
        (|_, _| (), true),
        (|said, _| said.block_number = BlockNumber::new(0), true),
        (|said, _| said.block_hash = H256::zero(), true),
        (|said, _| said.reset_hash = H256::zero(), true),
        (|said, _| said.block_number = BlockNumber::new(4), true),
        (
            |said, _| said.reset_number = BlockNumber::new(RESET + 1),
            false,
        ),
        (|said, _| said.ended = SetId::new(2), false),
        (|said, _| said.set.id = SetId::new(8), false),
        (|said, other| said.set = other, false),
        (|said, _| *said = no_reset_follows(), false),
        // A block that the chain does not have yet.
        (|said, _| said.reset_number = BlockNumber::new(1_000), false),
    ];
    for (at, (change, is_true)) in table.into_iter().enumerate() {
        after_reset(|| {
            let said = changed(|said| change(said, other()));
            if is_true {
                return refused(vote(2, &said), Error::NotFalse);
            }
            assert!(report(vote(2, &said)).is_ok(), "statement {at}");
            assert_eq!(punished(), [(2, fraction(1))], "statement {at}");
        });
    }
}

/// RECOVER-9.
#[test]
fn without_a_reset_each_statement_is_false() {
    with(&MEMBERS, || {
        make_ready(&MEMBERS);
        next_set();
        assert_ok!(report(vote(2, &truth())));
        assert_eq!(punished(), [(2, fraction(1))]);
    });
}

/// RECOVER-9: the first one, whatever follows.
#[test]
fn a_later_reset_is_not_the_first_one() {
    after_reset(|| {
        announce_reset(7, voting_set(9));
        next_block();
        refused(vote(2, &truth()), Error::NotFalse);
        let second = |block: u32| {
            changed(|said| {
                said.block_number = BlockNumber::new(block);
                said.ended = SetId::new(7);
                said.reset_number = BlockNumber::new(RESET + 1);
                said.set = voting_set(9);
            })
        };
        refused(vote(2, &second(RESET)), Error::NotFalse);
        assert_ok!(report(vote(2, &second(RESET - 1))));
    });
}

/// RECOVER-9, FALSE-4: by block and ended set.
#[test]
fn pardoned_statements_are_not_punished() {
    after_reset(|| {
        let said = changed(|said| {
            said.block_number = BlockNumber::new(RESET);
            said.reset_number = BlockNumber::new(RESET + 1);
            said.ended = SetId::new(4);
        });
        let pardon = |block: u32, set: u64| {
            let (block, set) = (BlockNumber::new(block), SetId::new(set));
            let pardon = Pardon {
                first_block: block,
                last_block: block,
                first_set: set,
                last_set: set,
            };
            assert_ok!(Duet::pardon(RuntimeOrigin::root(), pardon));
        };
        pardon(RESET + 1, 4);
        pardon(RESET, 0);
        pardon(RESET, 7);
        assert_ok!(report(vote(1, &said)));
        assert_eq!(punished(), [(1, fraction(1))]);
        pardon(RESET, 4);
        refused(vote(2, &said), Error::Pardoned);
    });
}

/// RECOVER-9.
#[test]
fn statements_about_blocks_before_the_known_resets_are_not_judged() {
    after_reset(|| {
        JudgedFrom::<Test>::put(BlockNumber::new(RESET + 1));
        refused(vote(2, &no_reset_follows()), Error::NotJudged);
        JudgedFrom::<Test>::put(BlockNumber::new(RESET));
        assert_ok!(report(vote(2, &no_reset_follows())));
        assert_eq!(punished(), [(2, fraction(1))]);
        JudgedFrom::<Test>::kill();
        refused(vote(3, &no_reset_follows()), Error::NotJudged);
    });
}

/// RECOVER-9, EQV-7.
#[test]
fn a_proof_convicts_each_of_its_signers_once() {
    after_reset(|| {
        let said = no_reset_follows();
        assert_ok!(report(proof(&[1, 3, 4], &said)));
        let all = fraction(3);
        assert_eq!(punished(), [(1, all), (3, all), (4, all)]);
        refused(vote(3, &said), Error::DuplicateReport);
        // Another false statement about the same block.
        let other = changed(|said| {
            said.block_number = BlockNumber::new(RESET);
            said.reset_number = BlockNumber::new(RESET + 2);
        });
        refused(vote(3, &other), Error::DuplicateReport);
        assert_ok!(report(vote(2, &other)));
    });
}

/// RECOVER-9: who signed, and no other member.
#[test]
fn an_accusation_has_to_hold() {
    after_reset(|| {
        let good = || vote(2, &no_reset_follows());
        let spoiled = |spoil: fn(&mut RecoveryAccusation), error| {
            let mut accusation = good();
            spoil(&mut accusation);
            refused(accusation, error);
        };
        spoiled(|it| it.accused.clear(), Error::NobodyAccused);
        spoiled(
            |it| it.accused = vec![(position(3), pk1(3))],
            Error::NobodyAccused,
        );
        spoiled(|it| it.accused[0].1 = pk1(3), Error::InvalidMembership);
        spoiled(
            |it| {
                let other = signed(3, &no_reset_follows()).signature;
                if let Signed::Vote(vote) = &mut it.signed {
                    vote.signature = other;
                }
            },
            Error::InvalidSignature,
        );
        let mut others = proof(&[1, 2, 3], &no_reset_follows());
        let keyset = set();
        others.accused = vec![(position(4), pk1(4))];
        others.membership = keyset.set.keyset().prove(&[position(4)]).unwrap();
        refused(others, Error::NobodyAccused);
        assert_ok!(report(good()));
    });
}

/// RECOVER-5: such a statement is in no valid proof.
#[test]
fn a_statement_that_is_not_well_formed_is_not_punished() {
    after_reset(|| {
        let changes: [fn(&mut RecoveryStatement); 3] = [
            |said| said.block_number = BlockNumber::new(RESET),
            |said| said.ended = SetId::new(7),
            |said| said.set.len = 0,
        ];
        for change in changes {
            refused(vote(2, &changed(change)), Error::MalformedStatement);
        }
    });
}

/// RECOVER-9.
#[test]
fn a_set_is_punishable_until_it_has_expired() {
    after_reset(|| {
        let said = no_reset_follows();
        let unknown = changed(|said| said.recovery_set = SetId::new(1));
        refused(vote(1, &unknown), Error::SetNotSlashable);
        assert_ok!(DuetRecovery::withdraw_key(RuntimeOrigin::signed(2)));
        next_set();
        let last = Session::current_index() - 1;
        assert_eq!(
            Sets::<Test>::get(SetId::FIRST).unwrap().last_session,
            Some(last)
        );
        while Session::current_index() < last + SlashableSessions::get() {
            next_block();
        }
        // The owner of the key at that time, for the last session of the set.
        assert_ok!(report(vote(2, &said)));
        assert_eq!(Punished::take(), [(2, vec![REPORTER], fraction(1), last)]);
        while Session::current_index() == last + SlashableSessions::get() {
            next_block();
        }
        assert!(Sets::<Test>::contains_key(SetId::FIRST));
        refused(vote(1, &said), Error::SetNotSlashable);
        next_block();
        refused(vote(1, &said), Error::SetNotSlashable);
    });
}

/// RECOVER-9: in the first block of a session the set is that of the session before, whose validators may have left.
#[test]
fn a_report_in_a_sessions_first_block_is_dated_to_the_session_before() {
    after_reset(|| {
        let last = Session::current_index();
        while Session::current_index() == last {
            next_block();
        }
        let session_of = |account| {
            assert_ok!(report(vote(account, &no_reset_follows())));
            Punished::take().pop().map(|(_, _, _, session)| session)
        };
        assert_eq!(session_of(1), Some(last));
        next_block();
        assert_eq!(session_of(2), Some(last + 1));
    });
}

/// RECOVER-9, EQV-6.
#[test]
fn a_report_that_the_runtime_drops_is_not_free() {
    after_reset(|| {
        DropsReports::set(true);
        refused(vote(2, &no_reset_follows()), Error::ReportDropped);
    });
}

/// RECOVER-9: a vote and a statement about blocks of the same number, by sets of the same number.
#[test]
fn an_offence_of_a_recovery_key_is_another_than_that_of_a_key_in_use() {
    use pallet_duet::EquivocationOffence;
    use sp_staking::offence::Offence;
    let kinds = [
        <EquivocationOffence<u64> as Offence<u64>>::ID,
        <crate::RecoveryOffence<u64> as Offence<u64>>::ID,
    ];
    assert_ne!(kinds[0], kinds[1]);
}
