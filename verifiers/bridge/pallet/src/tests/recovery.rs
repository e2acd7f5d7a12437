//! A reset of the followed chain is crossed by a recovery proof, after a wait.

use crate::{
    mock::*, recovery::is_within_bounds, Announced, AnnouncedRecovery, Error, Event, Followed, Rule,
};
use bp_header_chain::HeaderChain;
use bp_runtime::{BasicOperatingMode, OwnedBridgeModuleError, RawStorageProof};
use codec::Encode;
use duet_light_client::Conflict;
use duet_primitives::{
    suite::RECOVERY_TERMS_STORAGE_KEY, testing::TestSet, BlockNumber, Recovery, RecoveryMessage,
    RecoveryProof, RecoveryStatement, RecoveryTerms, RecoveryVote, SetId, SignerIndex, H256,
};
use frame_support::{assert_noop, assert_ok, dispatch::DispatchResult};
use sp_io::TestExternalities;
use sp_runtime::traits::BadOrigin;

type Refusal = Error<Test>;
type Change = fn(&mut RecoveryStatement);

const NEWEST: u32 = 11;
const RESET: u32 = 20;
const DELAY: u64 = 100;

/// The recovery set.
pub(super) fn members() -> TestSet {
    TestSet::new(3, 20..27)
}

fn terms() -> RecoveryTerms {
    RecoveryTerms {
        set: members().set.commitment().clone(),
        delay: DELAY,
    }
}

/// A state with this value in the place of the terms, and for each nibble of their key so many other keys that part
/// from it there: its root, and the trie nodes that prove the value.
fn state(value: Option<&[u8]>, others: u8) -> (H256, RawStorageProof) {
    let mut state = TestExternalities::default();
    let key = RECOVERY_TERMS_STORAGE_KEY;
    for place in 0..key.len() {
        for step in 1..=others {
            for shift in [0, 4] {
                let mut other = key.to_vec();
                other[place] ^= step << shift;
                state.insert(other, vec![1; 40]);
            }
        }
    }
    if let Some(value) = value {
        state.insert(key.to_vec(), value.to_vec());
    }
    state.commit_all().unwrap();
    let root = *state.as_backend().root();
    let proof = sp_state_machine::prove_read(state.as_backend(), [key]).unwrap();
    (root, proof.into_iter_nodes().collect())
}

fn standard() -> (H256, RawStorageProof) {
    state(Some(&terms().encode()), 1)
}

fn newest() -> Header {
    header_of(NEWEST, standard().0)
}

/// A chain that follows the other one up to a block with this state, in which set 0 named set 1.
fn up_to_state(root: H256) -> TestExternalities {
    let mut ext = following();
    ext.execute_with(|| submit(&set(0), &header_of(NEWEST, root), &set(1)));
    ext
}

fn up_to_newest() -> TestExternalities {
    up_to_state(standard().0)
}

fn submit(by: &TestSet, header: &Header, next: &TestSet) {
    assert_ok!(BridgeDuet::submit_finality_proof(
        RuntimeOrigin::signed(RELAYER),
        Box::new(header.clone()),
        Box::new(proof(by, header, next)),
    ));
}

fn statement() -> RecoveryStatement {
    RecoveryStatement {
        recovery_set: SetId::new(3),
        block_number: BlockNumber::new(NEWEST),
        block_hash: newest().hash(),
        ended: SetId::new(1),
        reset_number: BlockNumber::new(RESET),
        reset_hash: header(RESET, 9).hash(),
        set: set(7).set.commitment().clone(),
    }
}

/// Five of the seven members sign it.
pub(super) fn prove(statement: &RecoveryStatement) -> RecoveryProof {
    let members = members();
    let message = RecoveryMessage::new(GENESIS, statement.clone());
    let votes = [0, 2, 3, 4, 6].map(|signer| {
        let secret = &members.secrets[signer as usize];
        RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
    });
    let proof = Recovery::combine(members.set.keyset(), GENESIS, &votes);
    proof.unwrap().into_unchecked()
}

/// The statement with a change, proven.
fn other(change: impl FnOnce(&mut RecoveryStatement)) -> RecoveryProof {
    let mut statement = statement();
    change(&mut statement);
    prove(&statement)
}

/// A proof whose signature is for another statement.
fn invalid(mut proof: RecoveryProof) -> RecoveryProof {
    let other = other(|statement| statement.reset_hash = H256::repeat_byte(0xee));
    proof.signature = other.signature;
    proof
}

fn announce_with(proof: RecoveryProof, nodes: RawStorageProof) -> DispatchResult {
    BridgeDuet::announce_recovery(RuntimeOrigin::signed(RELAYER), Box::new(proof), nodes)
}

fn announce(proof: RecoveryProof) -> DispatchResult {
    announce_with(proof, standard().1)
}

fn cross() -> DispatchResult {
    BridgeDuet::cross_recovery(RuntimeOrigin::signed(RELAYER))
}

fn wait(seconds: u64) {
    Now::mutate(|now| *now += seconds);
}

fn sets() -> (u64, u64) {
    let keysets = Followed::<Test>::get().unwrap().keysets;
    (keysets.current.id.get(), keysets.next.id.get())
}

/// RECOVER-7, RECOVER-8.
#[test]
fn after_the_wait_the_set_signs_that_the_recovery_set_named() {
    check(up_to_newest(), || {
        let taken = || Followed::<Test>::get().unwrap().taken;
        let (before, since) = (taken(), Now::get() + 5);
        wait(5);
        let proof = prove(&statement());
        assert_ok!(announce(proof.clone()));
        let announced = Announced {
            statement: statement(),
            since,
            delay: DELAY,
            contradicted: false,
        };
        assert_eq!(AnnouncedRecovery::<Test>::get(), Some(announced));
        let (proof, delay) = (Box::new(proof), DELAY);
        System::assert_last_event(Event::RecoveryAnnounced { proof, delay }.into());
        assert_eq!(sets(), (0, 1));

        wait(DELAY);
        assert_ok!(cross());
        let (hash, behind) = (header(RESET, 9).hash(), set(7));
        System::assert_last_event(
            Event::RecoveryCrossed {
                number: RESET,
                hash,
                set: behind.set.commitment().clone(),
            }
            .into(),
        );
        let best = BridgeDuet::best_finalized().unwrap();
        assert_eq!((best.number(), best.hash()), (RESET, hash));
        assert_eq!(sets(), (7, 7));
        assert_eq!(taken(), before, "the reset's block has no age of its own");
        let root = BridgeDuet::finalized_header_state_root;
        assert_eq!(root(hash), None, "nothing proves the state there");
        assert_eq!(root(newest().hash()), Some(standard().0));
        crate::invariants::check::<Test, ()>().unwrap();
        assert_noop!(cross(), Refusal::NoRecovery);

        let next = header(RESET + 1, 4);
        submit(&behind, &next, &behind);
        assert_eq!(root(next.hash()), Some(H256::repeat_byte(4)));
        assert_eq!(AnnouncedRecovery::<Test>::get(), None);
        let late = header(RESET + 2, 0);
        let by_ended = BridgeDuet::submit_finality_proof(
            RuntimeOrigin::signed(RELAYER),
            Box::new(late.clone()),
            Box::new(crate::mock::proof(&set(1), &late, &set(1))),
        );
        assert_eq!(by_ended.unwrap_err().error, Refusal::OldSet.into());
    });
}

/// RECOVER-7: items 2 to 4, in order.
#[test]
fn each_condition_on_a_statement_is_checked_in_order() {
    let refused = |proof: RecoveryProof, nodes: RawStorageProof, why: Refusal| {
        check(up_to_newest(), || {
            assert_noop!(announce_with(proof, nodes), why);
        });
    };
    // Each is wrong in all that is checked after it.
    let changes: [(Change, Refusal); 4] = [
        (
            |statement| {
                statement.block_hash = H256::zero();
                statement.ended = SetId::new(2);
            },
            Refusal::RecoveryOfOtherBlock,
        ),
        (
            |statement| statement.block_number = BlockNumber::new(NEWEST - 1),
            Refusal::RecoveryOfOtherBlock,
        ),
        (
            |statement| statement.ended = SetId::new(2),
            Refusal::RecoveryOfOtherSet,
        ),
        (
            |statement| {
                statement.ended = SetId::new(0);
                statement.set.id = SetId::new(1);
            },
            Refusal::RecoveryToOldSet,
        ),
    ];
    for (change, why) in changes {
        refused(invalid(other(change)), Vec::new(), why);
    }
    let invalid = invalid(prove(&statement()));
    refused(invalid.clone(), Vec::new(), Refusal::InvalidTermsProof);
    let proof = |change: fn(&mut RecoveryProof)| {
        let mut proof = prove(&statement());
        change(&mut proof);
        proof
    };
    let of_rules = [
        (invalid, Rule::Just5),
        (
            proof(|proof| proof.statement.recovery_set = SetId::new(4)),
            Rule::Recover6,
        ),
        (
            proof(|proof| proof.statement.reset_number = BlockNumber::new(NEWEST)),
            Rule::Recover5,
        ),
        (proof(|proof| proof.non_signers.clear()), Rule::Stateless1),
        (
            proof(|proof| {
                let signers = [0, 2, 3, 4].map(SignerIndex::new);
                proof.signers = duet_primitives::Bitfield::from_indices(7, signers);
            }),
            Rule::Just4,
        ),
    ];
    for (proof, rule) in of_rules {
        refused(proof, standard().1, Refusal::InvalidProof(rule));
    }
}

/// RECOVER-7: either known set may have been ended, and the sets before the reset remain evidence. (FALSE-1)
#[test]
fn the_signing_set_or_its_successor_was_ended_and_both_are_remembered() {
    for (ended, remembered) in [(0, vec![0]), (1, vec![0, 1])] {
        check(up_to_newest(), || {
            let proof = other(|statement| statement.ended = SetId::new(ended));
            assert_ok!(announce(proof));
            wait(DELAY);
            assert_ok!(cross());
            let replaced = Followed::<Test>::get().unwrap().replaced.into_iter();
            let replaced: Vec<_> = replaced.map(|set| set.keyset.id.get()).collect();
            assert_eq!(replaced, remembered);
            let set = set(ended);
            let [first, second] = [1, 2].map(|salt| {
                let header = header(NEWEST, salt);
                Box::new(crate::mock::proof(&set, &header, &set))
            });
            let reporter = RuntimeOrigin::signed(RELAYER);
            assert_ok!(BridgeDuet::report_misbehaviour(reporter, first, second));
            assert_eq!(
                crate::Contradicted::<Test>::get(),
                Some(Conflict::SameBlock)
            );
        });
    }
    // A chain whose signing set has no successor.
    let mut ext = following();
    ext.execute_with(|| submit(&set(0), &newest(), &set(0)));
    check(ext, || {
        assert_noop!(announce(prove(&statement())), Refusal::RecoveryOfOtherSet);
        assert_ok!(announce(other(|statement| statement.ended = SetId::new(0))));
        wait(DELAY);
        assert_ok!(cross());
        assert_eq!(Followed::<Test>::get().unwrap().replaced.len(), 1);
    });
}

/// RECOVER-7: item 1. RECOVER-4.
#[test]
fn the_terms_are_those_in_the_state_of_the_best_block() {
    let attempt = |value: Option<&[u8]>, why: Refusal| {
        let (root, nodes) = state(value, 1);
        check(up_to_state(root), || {
            let block_hash = header_of(NEWEST, root).hash();
            let proof = other(|statement| statement.block_hash = block_hash);
            assert_noop!(announce_with(proof, nodes), why);
        });
    };
    let with = |change: fn(&mut RecoveryTerms)| {
        let mut terms = terms();
        change(&mut terms);
        terms.encode()
    };
    attempt(None, Refusal::NoRecoveryTerms);
    attempt(
        Some(&with(|terms| terms.delay = 0)),
        Refusal::NoRecoveryTerms,
    );
    attempt(Some(&[1; 99]), Refusal::NoRecoveryTerms);
    let others = with(|terms| terms.set = TestSet::new(3, 21..28).set.commitment().clone());
    attempt(Some(&others), Refusal::InvalidProof(Rule::Stateless2));
    let (root, nodes) = state(Some(&terms().encode()), 0);
    check(up_to_state(root), || {
        let block_hash = header_of(NEWEST, root).hash();
        let proof = other(|statement| statement.block_hash = block_hash);
        let refused = |nodes| {
            let refused = announce_with(proof.clone(), nodes);
            assert_noop!(refused, Refusal::InvalidTermsProof);
        };
        // One is missing, one is not needed, one is there twice, or they are those of another state.
        refused(nodes[1..].to_vec());
        refused(nodes[..nodes.len() - 1].to_vec());
        refused([&nodes[..], &[vec![1]]].concat());
        refused([&nodes[..], &nodes[..1]].concat());
        refused(state(Some(&with(|terms| terms.delay = 1)), 0).1);
        assert_ok!(announce_with(proof, nodes));
    });
}

/// RECOVER-7: STATE-2.
#[test]
fn the_longest_path_to_the_terms_is_read_and_a_larger_proof_is_not() {
    let announce = |others| {
        let (root, nodes) = state(Some(&terms().encode()), others);
        let sizes = (nodes.len(), nodes.iter().map(Vec::len).sum::<usize>());
        let mut ext = up_to_state(root);
        let block_hash = header_of(NEWEST, root).hash();
        let proof = other(|statement| statement.block_hash = block_hash);
        (sizes, ext.execute_with(|| announce_with(proof, nodes)))
    };
    let ((nodes, bytes), done) = announce(1);
    assert_eq!(nodes, 66);
    assert!(bytes < 16 * 1024, "{bytes}");
    assert_ok!(done);
    let ((nodes, bytes), done) = announce(15);
    assert_eq!(nodes, 66);
    assert!(bytes > 16 * 1024, "{bytes}");
    assert_eq!(done, Err(Refusal::InvalidTermsProof.into()));
    // Such proofs would be refused later as well, at more cost.
    assert!(is_within_bounds(&vec![vec![]; 66]));
    assert!(!is_within_bounds(&vec![vec![]; 67]));
    assert!(is_within_bounds(&vec![vec![0; 8 * 1024]; 2]));
    assert!(!is_within_bounds(&vec![
        vec![0; 8 * 1024],
        vec![0; 8 * 1024 + 1]
    ]));
}

/// RECOVER-8: of the reset's block no state is known, so nothing is announced there before the next proof.
#[test]
fn no_recovery_leads_on_from_a_block_to_which_one_led() {
    check(up_to_newest(), || {
        assert_ok!(announce(prove(&statement())));
        wait(DELAY);
        assert_ok!(cross());
        let further = other(|statement| {
            statement.block_number = statement.reset_number;
            statement.block_hash = statement.reset_hash;
            statement.reset_number = BlockNumber::new(RESET + 10);
            statement.ended = SetId::new(7);
            statement.set = set(9).set.commitment().clone();
        });
        assert_noop!(announce(further), Refusal::RecoveryStateUnknown);
    });
}

/// RECOVER-7.
#[test]
fn the_same_statement_again_is_no_new_wait() {
    check(up_to_newest(), || {
        assert_ok!(announce(prove(&statement())));
        wait(DELAY - 1);
        assert_noop!(announce(prove(&statement())), Refusal::RecoveryKnown);
        wait(1);
        assert_ok!(cross());
    });
}

/// RECOVER-8.
#[test]
fn two_statements_about_one_block_contradict_each_other_and_neither_is_crossed() {
    let changes: [Change; 3] = [
        |statement| statement.reset_hash = H256::zero(),
        |statement| statement.ended = SetId::new(0),
        // Nobody could announce it, and all the same its signers said both.
        |statement| statement.ended = SetId::new(5),
    ];
    for change in changes {
        check(up_to_newest(), || {
            let first = prove(&statement());
            assert_ok!(announce(first.clone()));
            let second = other(change);
            assert_noop!(
                announce(invalid(second.clone())),
                Refusal::InvalidProof(Rule::Just5)
            );
            wait(1);
            assert_ok!(announce(second.clone()));
            let proof = Box::new(second);
            System::assert_last_event(Event::RecoveryContradicted { proof }.into());
            let kept = AnnouncedRecovery::<Test>::get().unwrap();
            assert_eq!((kept.statement, kept.contradicted), (statement(), true));
            let third = other(|statement| statement.reset_number = BlockNumber::new(RESET + 1));
            assert_noop!(announce(third), Refusal::RecoveryContradicted);
            assert_noop!(announce(first), Refusal::RecoveryKnown);
            wait(DELAY);
            assert_noop!(cross(), Refusal::RecoveryContradicted);
        });
    }
}

/// RECOVER-8.
#[test]
fn nobody_crosses_before_the_wait_is_over() {
    check(up_to_newest(), || {
        assert_noop!(cross(), Refusal::NoRecovery);
        assert_ok!(announce(prove(&statement())));
        assert_noop!(cross(), Refusal::RecoveryEarly);
        wait(DELAY - 1);
        assert_noop!(cross(), Refusal::RecoveryEarly);
        let since = AnnouncedRecovery::<Test>::get().unwrap().since;
        Now::set(since - 2 * DELAY);
        assert_noop!(cross(), Refusal::RecoveryEarly);
        Now::set(since + DELAY);
        assert_ok!(cross());
    });
}

/// RECOVER-8.
#[test]
fn a_newer_proof_of_either_set_ends_the_announcement() {
    for by in [0, 1] {
        check(up_to_newest(), || {
            assert_ok!(announce(prove(&statement())));
            wait(DELAY);
            submit(&set(by), &header(NEWEST + 1, 0), &set(1));
            assert_eq!(AnnouncedRecovery::<Test>::get(), None);
            assert_noop!(cross(), Refusal::NoRecovery);
            assert_noop!(announce(prove(&statement())), Refusal::RecoveryOfOtherBlock);
        });
    }
}

/// RECOVER-8: what the owner sets ends an announcement too, also when it is the same block.
#[test]
fn the_owner_ends_an_announcement_and_a_new_one_waits_anew() {
    check(up_to_newest(), || {
        assert_ok!(announce(prove(&statement())));
        wait(DELAY);
        let keysets = Followed::<Test>::get().unwrap().keysets;
        assert_ok!(BridgeDuet::force_set_pallet_state(
            RuntimeOrigin::root(),
            keysets,
            Box::new(newest()),
        ));
        assert_noop!(cross(), Refusal::NoRecovery);
        assert_ok!(announce(prove(&statement())));
        assert_noop!(cross(), Refusal::RecoveryEarly);
    });
}

/// RECOVER-7, RECOVER-8.
#[test]
fn a_pallet_that_stands_still_announces_and_crosses_nothing() {
    check(up_to_newest(), || {
        let mode = |mode| {
            assert_ok!(BridgeDuet::set_operating_mode(RuntimeOrigin::root(), mode));
        };
        let halted = || Refusal::BridgeModule(OwnedBridgeModuleError::Halted);
        mode(BasicOperatingMode::Halted);
        assert_noop!(announce(prove(&statement())), halted());
        mode(BasicOperatingMode::Normal);
        assert_ok!(announce(prove(&statement())));
        wait(DELAY);
        mode(BasicOperatingMode::Halted);
        assert_noop!(cross(), halted());
        mode(BasicOperatingMode::Normal);
        crate::Contradicted::<Test>::put(Conflict::SameBlock);
        assert_noop!(cross(), Refusal::Contradicted);
        let second = other(|statement| statement.reset_hash = H256::zero());
        assert_noop!(announce(second), Refusal::Contradicted);
        crate::Contradicted::<Test>::kill();
        assert_noop!(
            BridgeDuet::announce_recovery(
                RuntimeOrigin::none(),
                Box::new(prove(&statement())),
                standard().1
            ),
            BadOrigin
        );
        assert_noop!(BridgeDuet::cross_recovery(RuntimeOrigin::none()), BadOrigin);
        assert_ok!(cross());
    });
    check(empty(), || {
        assert_noop!(announce(prove(&statement())), Refusal::NotInitialized);
        assert_noop!(cross(), Refusal::NotInitialized);
    });
}

/// RECOVER-7, RECOVER-8: LIGHT-9.
#[test]
fn nobody_announces_or_crosses_from_a_header_that_came_too_long_ago() {
    check(up_to_newest(), || {
        wait(TRUSTING_PERIOD + 1);
        assert_noop!(announce(prove(&statement())), Refusal::Expired);
    });
    check(up_to_newest(), || {
        wait(TRUSTING_PERIOD - DELAY);
        assert_ok!(announce(prove(&statement())));
        wait(DELAY + 1);
        assert_noop!(cross(), Refusal::Expired);
    });
    check(up_to_newest(), || {
        wait(TRUSTING_PERIOD - DELAY);
        assert_ok!(announce(prove(&statement())));
        wait(DELAY);
        assert_ok!(cross());
        // The next proof has to come within what is left.
        wait(1);
        let next = header(RESET + 1, 0);
        let late = BridgeDuet::submit_finality_proof(
            RuntimeOrigin::signed(RELAYER),
            Box::new(next.clone()),
            Box::new(proof(&set(7), &next, &set(7))),
        );
        assert_eq!(late.unwrap_err().error, Refusal::Expired.into());
    });
}

/// RECOVER-8: states that do not hold together.
#[test]
fn an_announcement_of_another_block_is_no_state() {
    let announced = |change: fn(&mut Announced)| {
        let mut announced = Announced {
            statement: statement(),
            since: 0,
            delay: DELAY,
            contradicted: false,
        };
        change(&mut announced);
        AnnouncedRecovery::<Test>::put(announced);
        crate::invariants::check::<Test, ()>()
    };
    let refused = |ext: &mut TestExternalities, change: fn(&mut Announced), part: &str| {
        let error = ext.execute_with(|| announced(change)).unwrap_err();
        let why: &str = error.into();
        assert!(why.contains(part), "{why}");
    };
    let other_block = "not about the best block";
    refused(&mut empty(), |_| (), other_block);
    let mut ext = up_to_newest();
    assert_ok!(ext.execute_with(|| announced(|_| ())));
    let elsewhere = |announced: &mut Announced| announced.statement.block_hash = H256::zero();
    refused(&mut ext, elsewhere, other_block);
    ext.execute_with(|| {
        assert_ok!(announced(|_| ()));
        wait(DELAY);
        assert_ok!(cross());
        assert_ok!(crate::invariants::check::<Test, ()>());
    });
    let reset = |announced: &mut Announced| announced.statement.reset_hash = H256::zero();
    refused(&mut ext, reset, other_block);
    let contradicted = |announced: &mut Announced| announced.contradicted = true;
    refused(&mut ext, contradicted, "behind a recovery");
    let set = |announced: &mut Announced| announced.statement.set.len = 1;
    refused(&mut ext, set, "behind a recovery");
    ext.execute_with(AnnouncedRecovery::<Test>::kill);
    let error = ext.execute_with(crate::invariants::check::<Test, ()>);
    let why: &str = error.unwrap_err().into();
    assert!(why.contains("the best header is not kept"), "{why}");
}
