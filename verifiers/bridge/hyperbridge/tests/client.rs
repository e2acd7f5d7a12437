//! Proofs as a relayer brings them, each negative one a good one with one change.

use codec::{Compact, Decode, Encode};
use duet_ismp::{ConsensusProof, DuetConsensusClient, Error, CONSENSUS_CLIENT_ID, MAX_HANDOFFS};
use duet_light_client::Checkpoint;
use duet_primitives::{testing::TestSet, BlockNumber, Keysets, RoundMessage, StatelessProof, H256};
use ismp::host::StateMachine;
use sp_crypto_hashing::blake2_256;

const GENESIS: H256 = H256([7; 32]);
const STATE_ROOT: H256 = H256([2; 32]);
const CHILD_TRIE: H256 = H256([5; 32]);
const SLOT: u64 = 300_000_000;

fn client() -> DuetConsensusClient<()> {
    DuetConsensusClient::new(StateMachine::Substrate(*b"duet"), 6000)
}

fn set(id: u64) -> TestSet {
    TestSet::new(id, id..id + 4)
}

fn state() -> Vec<u8> {
    Checkpoint {
        genesis_hash: GENESIS,
        block_number: BlockNumber::new(1),
        block_hash: GENESIS,
        keysets: Keysets::without_successor(set(0).set.commitment().clone()),
    }
    .encode()
}

fn slot(slot: u64) -> Vec<u8> {
    (6_u8, *b"aura", slot.encode()).encode()
}

fn roots() -> Vec<u8> {
    (4_u8, *b"ISMP", (H256([4; 32]), CHILD_TRIE).encode()).encode()
}

/// A header with these items in its digest.
fn header(number: u32, items: &[Vec<u8>]) -> Vec<u8> {
    let mut header = (H256([1; 32]), Compact(number), STATE_ROOT, H256([3; 32])).encode();
    header.extend(Compact(u32::try_from(items.len()).expect("few")).encode());
    header.extend(items.concat());
    header
}

/// What this set says of a block, by three of its four members.
fn prove(signing: &TestSet, next: &TestSet, number: u32, hash: H256) -> StatelessProof {
    let mut commitment = signing.commitment(number, &next.set);
    commitment.block_hash = hash;
    let justification = signing.justify(&RoundMessage::new(GENESIS, commitment), [0, 1, 3]);
    StatelessProof::new(&justification, signing.set.keyset()).expect("members")
}

fn with_header(header: Vec<u8>) -> ConsensusProof {
    ConsensusProof {
        handoffs: Vec::new(),
        head: prove(&set(0), &set(0), 5, H256(blake2_256(&header))),
        header,
    }
}

fn good() -> ConsensusProof {
    with_header(header(5, &[slot(SLOT), roots()]))
}

fn refusal(proof: &ConsensusProof) -> Error {
    client()
        .verify(&state(), &proof.encode())
        .expect_err("refused")
}

#[test]
fn a_proof_gives_root_and_time_of_its_block() {
    let (next, got) = client().verify(&state(), &good().encode()).expect("good");
    assert_eq!(got.height, 5);
    assert_eq!(got.commitment.state_root, STATE_ROOT);
    assert_eq!(got.commitment.overlay_root, Some(CHILD_TRIE));
    assert_eq!(got.commitment.timestamp, SLOT * 6);
    let next = Checkpoint::decode(&mut &next[..]).expect("a checkpoint");
    assert_eq!(next.block_number, BlockNumber::new(5));
    assert_eq!(next.block_hash, H256(blake2_256(&good().header)));
}

#[test]
fn handoffs_lead_to_the_set_that_signed_the_head() {
    let (zero, one, two) = (set(0), set(1), set(2));
    let header = header(9, &[slot(SLOT)]);
    let proof = ConsensusProof {
        handoffs: vec![
            prove(&zero, &one, 3, H256([3; 32])),
            prove(&one, &two, 6, H256([6; 32])),
        ],
        head: prove(&two, &two, 9, H256(blake2_256(&header))),
        header,
    };
    let (next, got) = client().verify(&state(), &proof.encode()).expect("good");
    assert_eq!((got.height, got.commitment.overlay_root), (9, None));
    let next = Checkpoint::decode(&mut &next[..]).expect("a checkpoint");
    assert_eq!(next.keysets.current, *two.set.commitment());
    let mut without = proof;
    without.handoffs.remove(1);
    assert_eq!(refusal(&without).rule(), Some("LIGHT-6"));
}

/// LIGHT-4.
#[test]
fn a_block_that_is_trusted_already_or_passed_is_refused() {
    let (next, _) = client().verify(&state(), &good().encode()).expect("good");
    assert_eq!(client().verify(&next, &good().encode()), Err(Error::Known));
    let mut old = good();
    old.head = prove(&set(0), &set(0), 4, H256([4; 32]));
    let refused = client().verify(&next, &old.encode()).expect_err("old");
    assert_eq!(refused.rule(), Some("LIGHT-4"));
}

/// JUST-5.
#[test]
fn another_block_hash_under_the_same_signature_is_refused() {
    let mut proof = good();
    proof.head.justification.commitment.block_hash = H256([9; 32]);
    assert_eq!(refusal(&proof).rule(), Some("JUST-5"));
}

/// STATE-1.
#[test]
fn the_header_of_another_block_is_refused() {
    let mut proof = good();
    proof.header = header(5, &[slot(SLOT + 1), roots()]);
    assert_eq!(refusal(&proof).rule(), Some("STATE-1"));
}

#[test]
fn a_header_without_a_slot_or_with_one_that_no_clock_shows_is_refused() {
    assert_eq!(refusal(&with_header(header(5, &[roots()]))), Error::NoSlot);
    let far = with_header(header(5, &[slot(u64::MAX)]));
    assert_eq!(refusal(&far), Error::SlotOutOfRange { slot: u64::MAX });
}

#[test]
fn a_digest_that_cannot_be_read_is_refused() {
    let short = (6_u8, *b"aura", vec![1_u8; 7]).encode();
    assert_eq!(refusal(&with_header(header(5, &[short]))), Error::Digest);
}

/// ENC-6.
#[test]
fn cut_bytes_bytes_left_over_and_too_many_handoffs_are_refused() {
    let malformed = Err(Error::Malformed {
        object: "consensus proof",
    });
    let bytes = good().encode();
    for len in 0..bytes.len() {
        assert_eq!(client().verify(&state(), &bytes[..len]), malformed, "{len}");
    }
    assert_eq!(
        client().verify(&state(), &[&bytes[..], &[0]].concat()),
        malformed
    );
    let mut many = good();
    many.handoffs = vec![many.head.clone(); 1 + MAX_HANDOFFS as usize];
    assert_eq!(client().verify(&state(), &many.encode()), malformed);
    let state = [&state()[..], &[0]].concat();
    let malformed = Err(Error::Malformed {
        object: "trusted state",
    });
    assert_eq!(client().verify(&state, &bytes), malformed);
}

#[test]
fn two_proofs_of_one_height_are_fraud_and_two_of_two_heights_are_not() {
    let one = |number, salt| prove(&set(0), &set(0), number, H256([salt; 32])).encode();
    let fraud = |first: &[u8], second: &[u8]| client().verify_fraud(&state(), first, second);
    assert_eq!(fraud(&one(5, 1), &one(5, 2)), Ok(()));
    assert_eq!(fraud(&one(5, 1), &one(6, 2)), Err(Error::NoContradiction));
    assert_eq!(fraud(&one(5, 1), &one(5, 1)), Err(Error::NoContradiction));
    let mut forged = prove(&set(0), &set(0), 5, H256([2; 32]));
    forged.justification.commitment.block_hash = H256([3; 32]);
    let refused = fraud(&one(5, 1), &forged.encode()).expect_err("forged");
    assert_eq!(refused.rule(), Some("JUST-5"));
}

#[test]
fn the_id_is_four_bytes_that_say_duet() {
    assert_eq!(&CONSENSUS_CLIENT_ID, b"DUET");
}
