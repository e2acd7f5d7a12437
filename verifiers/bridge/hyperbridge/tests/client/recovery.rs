//! A reset of the followed chain is crossed by a recovery proof, after a wait. (RECOVER-7, RECOVER-8)

use crate::support::*;
use codec::{Decode, Encode};
use core::time::Duration;
use duet_ismp::{recovery_keys, Announcement, Clock, ConsensusProof, Error, Update};
use duet_light_client::{
    testing::{read_proof, trie},
    Checkpoint, RecoverError,
};
use duet_primitives::{
    testing::TestSet, BlockNumber, Keysets, Recovery, RecoveryMessage, RecoveryProof,
    RecoveryStatement, RecoveryTerms, RecoveryVote, SetId, SignerIndex, H256,
};
use sp_crypto_hashing::blake2_256;

const NEWEST: u32 = 11;
const RESET: u32 = 20;
const DELAY: u64 = 100;
const PERIOD: u64 = 1_000;
/// The time of the newest block, in seconds.
const TIME: u64 = 1_800_000_000;
/// When the recovery is announced.
const NOW: u64 = TIME + 50;

type Answer = Result<Vec<u8>, Error>;

/// The recovery set.
fn members() -> TestSet {
    TestSet::new(3, 20..27)
}

fn terms() -> Vec<u8> {
    let set = members().set.commitment().clone();
    RecoveryTerms { set, delay: DELAY }.encode()
}

/// The newest block's header, and the nodes that prove these values in its state.
fn block(values: [Option<Vec<u8>>; 3]) -> (Vec<u8>, Vec<Vec<u8>>) {
    block_of(NEWEST, values)
}

/// The same of the block with this number.
fn block_of(number: u32, values: [Option<Vec<u8>>; 3]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let keys = recovery_keys();
    let more = (b"more".to_vec(), vec![1_u8; 40]);
    let values = keys
        .into_iter()
        .zip(values)
        .filter_map(|(key, value)| Some((key.to_vec(), value?)));
    let (state, root) = trie(values.chain([more]));
    let header = header_of_state(number, root, &[slot(SLOT)]);
    (header, read_proof(&state, root, &keys))
}

fn values() -> [Option<Vec<u8>>; 3] {
    values_at(TIME)
}

/// With this time of the block, in seconds.
fn values_at(time: u64) -> [Option<Vec<u8>>; 3] {
    [
        Some(terms()),
        Some((time * 1000).encode()),
        Some(PERIOD.encode()),
    ]
}

/// The state of a client whose newest block has this header, and in which set 0 named set 1.
fn at(header: &[u8]) -> Vec<u8> {
    Checkpoint {
        genesis_hash: GENESIS,
        block_number: BlockNumber::new(NEWEST),
        block_hash: H256(blake2_256(header)),
        keysets: Keysets {
            current: set(0).set.commitment().clone(),
            next: set(1).set.commitment().clone(),
        },
    }
    .encode()
}

fn newest() -> Vec<u8> {
    at(&block(values()).0)
}

fn statement() -> RecoveryStatement {
    RecoveryStatement {
        recovery_set: SetId::new(3),
        block_number: BlockNumber::new(NEWEST),
        block_hash: H256(blake2_256(&block(values()).0)),
        ended: SetId::new(1),
        reset_number: BlockNumber::new(RESET),
        reset_hash: H256::repeat_byte(8),
        set: set(7).set.commitment().clone(),
    }
}

/// Five of the seven members sign it.
fn prove(statement: &RecoveryStatement) -> RecoveryProof {
    let members = members();
    let message = RecoveryMessage::new(GENESIS, statement.clone());
    let votes = [0, 2, 3, 4, 6].map(|signer| {
        let secret = &members.secrets[signer as usize];
        RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
    });
    let proof = Recovery::combine(members.set.keyset(), GENESIS, &votes);
    proof.expect("a well-formed statement").into_unchecked()
}

/// The announcement of the statement with a change.
fn other(change: impl FnOnce(&mut RecoveryStatement)) -> Announcement {
    let mut statement = statement();
    change(&mut statement);
    let (header, nodes) = block(values());
    let proof = prove(&statement);
    Announcement {
        proof,
        header,
        nodes,
    }
}

fn at_time(seconds: u64) -> Clock {
    Clock {
        now: Duration::from_secs(seconds),
        unbonding_period: None,
    }
}

fn announce(state: &[u8], announcement: Announcement, clock: Clock) -> Answer {
    let update = Update::Announce(announcement).encode();
    let (state, new) = client().verify(state, &update, clock)?;
    assert_eq!(new, None, "an announcement proves no block");
    Ok(state)
}

fn announced() -> Vec<u8> {
    announce(&newest(), other(|_| {}), at_time(NOW)).expect("a good one")
}

fn cross(state: &[u8], clock: Clock) -> Answer {
    let (state, new) = client().verify(state, &Update::Cross.encode(), clock)?;
    assert_eq!(new, None, "a crossing proves no block");
    Ok(state)
}

fn crossed() -> Vec<u8> {
    cross(&announced(), at_time(NOW + DELAY)).expect("the wait is over")
}

fn rule(answer: Answer) -> Option<&'static str> {
    answer.expect_err("refused").rule()
}

/// A block behind the newest one, proven by a set.
fn later(by: &TestSet, number: u32) -> Vec<u8> {
    let header = header(number, &[slot(SLOT + 9)]);
    ConsensusProof {
        handoffs: Vec::new(),
        head: prove_block(by, by, number, H256(blake2_256(&header))),
        header,
    }
    .encode()
}

/// Two blocks of one height, proven by a set.
fn fraud(state: &[u8], by: &TestSet) -> Result<(), Error> {
    let one = |salt| prove_block(by, by, 30, H256([salt; 32])).encode();
    client().verify_fraud(state, &one(1), &one(2), at_time(NOW).now)
}

#[test]
fn a_reset_is_crossed_after_the_wait_and_the_new_set_proves_blocks() {
    let waiting = announced();
    let left = |left| Err(Error::Recovery(RecoverError::Early { left }));
    assert_eq!(cross(&waiting, at_time(NOW)), left(DELAY));
    let almost = Clock {
        now: Duration::from_millis((NOW + DELAY) * 1000 - 1),
        unbonding_period: None,
    };
    assert_eq!(cross(&waiting, almost), left(1));
    let behind = crossed();
    let checkpoint = Checkpoint::decode(&mut &behind[..]).expect("a checkpoint");
    assert_eq!(checkpoint.block_number, BlockNumber::new(RESET));
    assert_eq!(checkpoint.block_hash, statement().reset_hash);
    let new = set(7);
    assert_eq!(
        checkpoint.keysets,
        Keysets::without_successor(new.set.commitment().clone())
    );
    let again = cross(&behind, at_time(NOW + DELAY));
    assert_eq!(again, Err(RecoverError::NothingAnnounced.into()));
    let proof = later(&new, RESET + 2);
    let (state, got) = client()
        .verify(&behind, &proof, at_time(NOW + DELAY))
        .expect("a proof of the new set");
    assert_eq!(got.expect("a block").height, u64::from(RESET) + 2);
    let again = cross(&state, at_time(NOW + DELAY));
    assert_eq!(again, Err(RecoverError::NothingAnnounced.into()));
    for ended in [set(0), set(1)] {
        assert_eq!(
            fraud(&state, &ended),
            Ok(()),
            "what the ended sets sign is still evidence"
        );
    }
}

/// The set that a reset ends is kept for evidence once, and with it the three before it.
#[test]
fn an_ended_set_without_a_successor_takes_one_place() {
    let (header, nodes) = block(values());
    let hash = H256(blake2_256(&header));
    let handoffs = (0..4).map(|id| {
        let number = 2 + u32::try_from(id).expect("small");
        prove_block(&set(id), &set(id + 1), number, H256([3; 32]))
    });
    let proof = ConsensusProof {
        handoffs: handoffs.collect(),
        head: prove_block(&set(4), &set(4), NEWEST, hash),
        header: header.clone(),
    };
    let proof = client().verify(&state(), &proof.encode(), at_time(NOW));
    let (state, _) = proof.expect("a good one");
    let announcement = Announcement {
        header,
        nodes,
        ..other(|said| said.ended = SetId::new(4))
    };
    let waiting = announce(&state, announcement, at_time(NOW)).expect("a good one");
    let behind = cross(&waiting, at_time(NOW + DELAY)).expect("the wait is over");
    for id in 1..=4 {
        assert_eq!(fraud(&behind, &set(id)), Ok(()), "set {id}");
    }
    assert_eq!(
        fraud(&behind, &set(0)).expect_err("gone").rule(),
        Some("LIGHT-5")
    );
}

/// RECOVER-8: a proof of a newer block shows that the signers lie.
#[test]
fn a_newer_block_ends_the_wait() {
    let proof = later(&set(1), NEWEST + 1);
    let (state, _) = client()
        .verify(&announced(), &proof, at_time(NOW))
        .expect("good");
    let crossed = cross(&state, at_time(NOW + DELAY));
    assert_eq!(crossed, Err(RecoverError::NothingAnnounced.into()));
    assert_eq!(
        rule(announce(&state, other(|_| {}), at_time(NOW))),
        Some("STATE-1")
    );
}

/// RECOVER-7, RECOVER-6, RECOVER-5.
#[test]
fn each_condition_of_an_announcement_is_checked() {
    let refused = |announcement| rule(announce(&newest(), announcement, at_time(NOW)));
    let cases: [(Announcement, &str); 8] = [
        (other(|said| said.block_hash = H256([9; 32])), "RECOVER-7"),
        (
            other(|said| said.block_number = BlockNumber::new(10)),
            "RECOVER-7",
        ),
        (other(|said| said.ended = SetId::new(2)), "RECOVER-7"),
        (
            other(|said| {
                said.ended = SetId::FIRST;
                said.set.id = SetId::new(1);
            }),
            "RECOVER-7",
        ),
        (
            Announcement {
                proof: RecoveryProof {
                    statement: RecoveryStatement {
                        reset_hash: H256([1; 32]),
                        ..statement()
                    },
                    ..prove(&statement())
                },
                ..other(|_| {})
            },
            "RECOVER-6",
        ),
        (
            Announcement {
                header: header_of_state(NEWEST, STATE_ROOT, &[slot(SLOT)]),
                ..other(|_| {})
            },
            "STATE-1",
        ),
        (
            Announcement {
                nodes: Vec::new(),
                ..other(|_| {})
            },
            "STATE-2",
        ),
        (
            Announcement {
                nodes: [other(|_| {}).nodes, vec![vec![1]]].concat(),
                ..other(|_| {})
            },
            "STATE-2",
        ),
    ];
    for (index, (announcement, expected)) in cases.into_iter().enumerate() {
        assert_eq!(refused(announcement), Some(expected), "case {index}");
    }
}

/// RECOVER-4, LIGHT-9.
#[test]
fn a_state_without_terms_or_time_leads_nowhere() {
    let refused = |change: fn(&mut [Option<Vec<u8>>; 3])| {
        let mut values = values();
        change(&mut values);
        let (header, nodes) = block(values);
        let announcement = Announcement {
            header: header.clone(),
            nodes,
            ..other(|said| said.block_hash = H256(blake2_256(&header)))
        };
        announce(&at(&header), announcement, at_time(NOW))
    };
    assert_eq!(refused(|values| values[0] = None), Err(Error::NoTerms));
    assert_eq!(
        refused(|values| values[0] = Some(vec![1])),
        Err(Error::NoTerms)
    );
    let unknown = Err(Error::Recovery(RecoverError::AgeUnknown));
    assert_eq!(refused(|values| values[1] = None), unknown);
    assert!(refused(|values| values[2] = None).is_ok());
}

/// RECOVER-8.
#[test]
fn two_statements_about_one_block_lead_nowhere() {
    let second = || other(|said| said.reset_hash = H256([9; 32]));
    let announced = announced();
    let again = announce(&announced, other(|_| {}), at_time(NOW));
    assert_eq!(again, Err(Error::Announced));
    // Another block is not that of a contradiction, either.
    let other_block = other(|said| said.block_hash = H256([9; 32]));
    let refused = announce(&announced, other_block, at_time(NOW));
    assert_eq!(rule(refused), Some("RECOVER-7"));
    let mut forged = second();
    forged.proof.statement.reset_hash = H256([10; 32]);
    assert_eq!(
        rule(announce(&announced, forged, at_time(NOW))),
        Some("RECOVER-6")
    );
    // About sets of which this client knows nothing.
    let unknown = other(|said| said.ended = SetId::new(5));
    for second in [second(), unknown] {
        let state = announce(&announced, second, at_time(NOW)).expect("a contradiction");
        let contradicted = Err(Error::Recovery(RecoverError::Contradicted {
            set: SetId::new(3),
            block: BlockNumber::new(NEWEST),
        }));
        assert_eq!(cross(&state, at_time(NOW + DELAY)), contradicted);
        let third = other(|said| said.reset_hash = H256([11; 32]));
        assert_eq!(announce(&state, third, at_time(NOW)), contradicted);
        let proof = later(&set(1), NEWEST + 1);
        assert!(client().verify(&state, &proof, at_time(NOW)).is_ok());
    }
}

/// LIGHT-9: no message of a recovery makes the newest proven block younger.
#[test]
fn a_client_that_recovers_has_the_age_of_its_last_proven_block() {
    let (last, late) = (at_time(TIME + PERIOD), at_time(TIME + PERIOD + 1));
    let newest = newest();
    assert!(announce(&newest, other(|_| {}), last).is_ok());
    assert_eq!(
        rule(announce(&newest, other(|_| {}), late)),
        Some("LIGHT-9")
    );
    assert!(cross(&announced(), last).is_ok());
    assert_eq!(rule(cross(&announced(), late)), Some("LIGHT-9"));
    for (state, by, number) in [
        (announced(), set(1), NEWEST + 1),
        (crossed(), set(7), RESET + 1),
    ] {
        let proof = later(&by, number);
        assert!(client().verify(&state, &proof, last).is_ok());
        let refused = client().verify(&state, &proof, late);
        assert_eq!(refused.expect_err("old").rule(), Some("LIGHT-9"));
    }
    // A second reset, announced under the block of the first.
    let (header, nodes) = block_of(RESET, values_at(TIME + 100));
    let first = other(|said| said.reset_hash = H256(blake2_256(&header)));
    let waiting = announce(&newest, first, at_time(NOW)).expect("a good one");
    let behind = cross(&waiting, at_time(NOW + DELAY)).expect("the wait is over");
    let second = || Announcement {
        header: header.clone(),
        nodes: nodes.clone(),
        ..other(|said| {
            said.block_number = BlockNumber::new(RESET);
            said.block_hash = H256(blake2_256(&header));
            said.reset_number = BlockNumber::new(RESET + 1);
            said.ended = SetId::new(7);
            said.set.id = SetId::new(8);
        })
    };
    assert!(announce(&behind, second(), last).is_ok());
    assert_eq!(rule(announce(&behind, second(), late)), Some("LIGHT-9"));
    let host = Clock {
        unbonding_period: Some(Duration::from_secs(49)),
        ..at_time(NOW)
    };
    assert_eq!(
        rule(announce(&newest, other(|_| {}), host)),
        Some("LIGHT-9")
    );
}

/// ENC-6.
#[test]
fn cut_bytes_and_bytes_left_over_are_refused() {
    let bytes = Update::Announce(other(|_| {})).encode();
    let refused = |bytes: &[u8]| {
        let answer = client().verify(&newest(), bytes, at_time(NOW));
        assert_eq!(answer.expect_err("malformed").rule(), Some("ENC-6"));
    };
    (1..bytes.len()).for_each(|len| refused(&bytes[..len]));
    refused(&[&bytes[..], &[0]].concat());
    refused(&[&Update::Cross.encode()[..], &[0]].concat());
    let state = announced();
    for len in (newest().len() + 1)..state.len() {
        let answer = cross(&state[..len], at_time(NOW + DELAY));
        assert_eq!(rule(answer), Some("ENC-6"), "{len}");
    }
    assert_eq!(
        rule(cross(&[&state[..], &[0]].concat(), at_time(NOW))),
        Some("ENC-6")
    );
}
