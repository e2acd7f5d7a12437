//! Both sides of each boundary, and what no other test reads. Mutation testing found these places open
//! (docs/mutation.md).

use codec::{Compact, Decode, Encode, Error, MaxEncodedLen};
use duet_curve::{Blst, Encodings, Hashing};
use duet_primitives::{
    suite::{ENGINE_ID, HASH_TO_CURVE_DST, MAX_ACCUSED, MAX_VALIDATORS, SIGNATURE_SUITE},
    testing::TestSet,
    threshold, Accusation, Bitfield, BlockNumber, ConsensusLog, DualKeyBytes, KeysetCommitment,
    KeysetError, MerkleError, MerkleProof, Participation, Pk1Bytes, Pk2Bytes, PossessionProof,
    RoundMessage, SetId, Share, SignatureBytes, SignerIndex, StatelessProof, VoteSignature,
    VotingRules, H256,
};

const GENESIS: H256 = H256::repeat_byte(7);

fn indices<const N: usize>(numbers: [u32; N]) -> [SignerIndex; N] {
    numbers.map(SignerIndex::new)
}

/// JUST-3: a bit beyond the set would be padding.
#[test]
fn the_position_after_the_last_one_sets_no_bit() {
    for len in [5, 8] {
        assert_eq!(
            Bitfield::from_indices(len, indices([len])),
            Bitfield::empty(len)
        );
    }
}

#[test]
fn signers_and_non_signers_share_the_set_between_them() {
    let field = Bitfield::from_indices(10, indices([0, 3, 9]));
    assert_eq!(
        field.signers(10).collect::<Vec<_>>(),
        indices([0, 3, 9]),
        "signers"
    );
    assert_eq!(
        field.non_signers(10).collect::<Vec<_>>(),
        indices([1, 2, 4, 5, 6, 7, 8]),
        "non-signers"
    );
}

/// JUST-2.
#[test]
fn a_bitfield_of_the_largest_set_decodes_and_one_with_a_byte_more_is_refused() {
    let largest = MAX_VALIDATORS.div_ceil(8) as usize;
    let decode = |len: usize| Bitfield::decode(&mut &vec![0; len].encode()[..]);
    assert_eq!(
        decode(largest),
        Ok(Bitfield::from_bytes(vec![0; largest])),
        "as long as the largest set needs"
    );
    let refused = Err(Error::from("JUST-2: the bitfield is longer than any set"));
    assert_eq!(decode(largest + 1), refused);
    assert_eq!(decode(largest + 2), refused);
}

/// SET-2.
#[test]
fn a_multiproof_of_the_largest_set_decodes_and_one_with_a_hash_more_is_refused() {
    let largest = MAX_VALIDATORS.div_ceil(2);
    let decode = |len: u32| {
        let hashes = vec![0; 32 * len as usize];
        MerkleProof::decode(&mut &[Compact(len).encode(), hashes].concat()[..])
    };
    assert_eq!(decode(largest).map(|proof| proof.encode().len()), {
        Ok(Compact(largest).encode().len() + 32 * largest as usize)
    });
    let refused = Err(Error::from(
        "SET-2: the multiproof is longer than any set's",
    ));
    assert_eq!(decode(largest + 1), refused);
}

/// STATELESS-1.
#[test]
fn as_many_non_signers_as_the_largest_set_may_have_decode_and_one_more_is_refused() {
    let set = TestSet::new(0, 0..4);
    let message = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
    let justification = set.justify(&message, 0..4).into_unchecked().encode();
    let largest = MAX_VALIDATORS - threshold(MAX_VALIDATORS);
    let decode = |len: u32| {
        let keys = vec![0; Pk1Bytes::LEN * len as usize];
        let proof = MerkleProof::default().encode();
        let bytes = [&justification[..], &Compact(len).encode(), &keys, &proof].concat();
        StatelessProof::decode(&mut &bytes[..]).map(|proof| proof.non_signers.len())
    };
    assert_eq!(decode(largest), Ok(largest as usize));
    let refused = "STATELESS-1: more non-signers than any set may have";
    assert_eq!(decode(largest + 1), Err(Error::from(refused)));
}

/// SET-1. The size is checked before the order.
#[test]
fn a_set_is_too_large_from_one_key_more_than_the_largest_on() {
    let read = |len: usize| {
        KeysetCommitment::of_stored_unchecked(SetId::FIRST, &vec![Pk1Bytes([0; 48]); len])
    };
    let largest = MAX_VALIDATORS as usize;
    assert_eq!(read(largest), Err(KeysetError::Order { index: 1 }));
    let too_large = KeysetError::TooLarge {
        limit: MAX_VALIDATORS,
        got: MAX_VALIDATORS + 1,
    };
    assert_eq!(read(largest + 1), Err(too_large));
}

/// SET-1.
#[test]
fn the_first_key_that_is_not_above_the_one_before_it_is_named() {
    let set = TestSet::new(0, 0..4).set;
    let keys = set.keyset().key_bytes();
    let read = |order: [usize; 4]| {
        let keys = order.map(|at| keys[at]);
        KeysetCommitment::of_stored_unchecked(SetId::FIRST, &keys)
    };
    assert_eq!(read([0, 1, 2, 3]).as_ref(), Ok(set.commitment()));
    assert_eq!(read([1, 0, 2, 3]), Err(KeysetError::Order { index: 1 }));
    assert_eq!(read([0, 1, 3, 2]), Err(KeysetError::Order { index: 3 }));
    assert_eq!(read([0, 1, 1, 3]), Err(KeysetError::Order { index: 2 }));
}

/// SET-2. The positions are checked before the number of hashes.
#[test]
fn a_multiproof_is_of_no_set_larger_than_the_largest() {
    let key = [(SignerIndex::new(0), Pk1Bytes([1; 48]))];
    let check = |len: u32| MerkleProof::default().check(H256::zero(), len, &key);
    assert_eq!(check(1), Err(MerkleError::Root));
    for len in [MAX_VALIDATORS - 1, MAX_VALIDATORS] {
        // The path of one leaf: 2^16 < len < 2^17.
        let (expected, got) = (17, 0);
        assert_eq!(check(len), Err(MerkleError::HashCount { expected, got }));
    }
    assert_eq!(check(MAX_VALIDATORS + 1), Err(MerkleError::Indices));
    assert_eq!(check(MAX_VALIDATORS + 2), Err(MerkleError::Indices));
}

#[test]
fn a_proof_made_of_a_list_of_keys_is_the_one_that_their_set_makes() {
    let set = TestSet::new(0, 0..7).set;
    let keys = set.keyset().key_bytes();
    for wanted in [&indices([0])[..], &indices([2, 3, 6])] {
        let proof = MerkleProof::prove(&keys, wanted).expect("members");
        assert_eq!(Ok(&proof), set.keyset().prove(wanted).as_ref());
        let placed: Vec<_> = wanted
            .iter()
            .zip(wanted.iter().map(|index| keys[index.get() as usize]))
            .map(|(index, key)| (*index, key))
            .collect();
        assert_eq!(proof.check(set.commitment().root, 7, &placed), Ok(()));
    }
    assert_eq!(
        MerkleProof::prove(&keys, &indices([7])),
        Err(MerkleError::Indices)
    );
}

#[test]
fn each_member_is_found_at_its_position_and_a_stranger_nowhere() {
    let keyset = TestSet::new(0, 0..5).set.keyset().clone();
    for (at, key) in (0..).zip(keyset.key_bytes()) {
        assert_eq!(keyset.position(&key), Some(SignerIndex::new(at)));
    }
    let strangers = TestSet::new(0, 5..8).set.keyset().key_bytes();
    for stranger in strangers {
        assert_eq!(keyset.position(&stranger), None);
    }
}

#[test]
fn sets_and_blocks_are_counted_from_the_earlier_to_the_later() {
    let [two, five] = [2, 5].map(SetId::new);
    let between: Vec<_> = two.until(five).map(SetId::get).collect();
    assert_eq!(between, [2, 3, 4]);
    assert_eq!(five.until(two).count(), 0);
    assert_eq!((five.saturating_sub(two), two.saturating_sub(five)), (3, 0));
    let [two, five] = [2, 5].map(BlockNumber::new);
    assert_eq!((five.saturating_sub(two), two.saturating_sub(five)), (3, 0));
}

/// ROUND-2.
#[test]
fn a_commitment_hands_off_exactly_when_the_next_set_has_another_id() {
    let (set, next) = (TestSet::new(3, 0..4), TestSet::new(4, 0..4));
    assert!(!set.commitment(10, &set.set).is_handoff());
    assert!(set.commitment(10, &next.set).is_handoff());
}

/// MSG-2.
#[test]
fn messages_are_equal_when_they_say_the_same_on_the_same_chain() {
    let set = TestSet::new(3, 0..4);
    let say = |genesis, block| RoundMessage::new(genesis, set.commitment(block, &set.set));
    let message = say(GENESIS, 10);
    assert_eq!(message, message.clone());
    assert_eq!(message, say(GENESIS, 10));
    assert_ne!(message, say(GENESIS, 11));
    assert_ne!(message, say(H256::zero(), 10));
    assert_ne!(message, say(H256::zero(), 11));
}

/// MSG-1.
#[test]
fn the_hash_of_a_message_is_that_of_the_suite_and_the_signed_bytes() {
    let set = TestSet::new(3, 0..4);
    let message = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
    let signed = message.commitment().signed_bytes(GENESIS);
    let point = Blst::hash_to_g1(HASH_TO_CURVE_DST, &[SIGNATURE_SUITE, &signed].concat());
    assert_eq!(message.hash(), Blst::g1_to_bytes(&point));
}

/// CHAIN-6: each share has to reach the floor, and there has to be a validator.
#[test]
fn a_set_suffices_from_the_floor_on_in_validators_and_in_stake() {
    let share = |in_set, needed| Share {
        in_set,
        elected: 9,
        needed,
    };
    assert_eq!(share(5, 6).to_string(), "5 of 9 (6 needed)");
    for (validators, stake, expected) in [
        (share(6, 6), share(7, 7), true),
        (share(5, 6), share(7, 7), false),
        (share(6, 6), share(6, 7), false),
        (share(1, 0), share(0, 0), true),
        (share(0, 0), share(0, 0), false),
    ] {
        let participation = Participation::<u64> {
            validators,
            stake,
            missing: vec![],
        };
        assert_eq!(participation.suffices(), expected, "{participation:?}");
    }
}

/// CHAIN-7: of the items of other engines none counts, and of several payloads the last one.
#[test]
fn the_payload_in_a_header_is_the_last_one_of_our_engine() {
    let payload = |byte| ConsensusLog::Payload(H256::repeat_byte(byte)).encode();
    let (first, last, rules) = (
        payload(1),
        payload(2),
        ConsensusLog::Activated(SetId::new(4)).encode(),
    );
    let items = [
        (ENGINE_ID, first.as_slice()),
        (ENGINE_ID, last.as_slice()),
        (ENGINE_ID, rules.as_slice()),
        (*b"FRNK", first.as_slice()),
    ];
    let logs = || ConsensusLog::of_header(items.into_iter());
    assert_eq!(logs().count(), 3);
    let expected = Some(H256::repeat_byte(2));
    assert_eq!(ConsensusLog::payload_hash(logs()), expected);
    assert_eq!(ConsensusLog::payload_hash(logs().skip(2)), None);
}

#[test]
fn sizes_of_evidence_and_fields_are_those_of_their_bytes() {
    let [one, other] = [[0, 1, 8], [1, 2, 9]].map(|some| Bitfield::from_indices(10, indices(some)));
    let both = Bitfield::from_indices(10, indices([0, 1, 2, 8, 9]));
    assert_eq!(one.union(&other), both);
    let longest = Bitfield::empty(MAX_VALIDATORS);
    assert_eq!(Bitfield::max_encoded_len(), longest.encoded_size());

    let set = TestSet::new(0, 0..7);
    let message = RoundMessage::new(GENESIS, set.commitment(9, &set.set));
    let keyset = set.set.keyset();
    let vote = set.vote(3, &message).expect("holds");
    let accusation = Accusation::of_vote(&vote, keyset).expect("of this set");
    assert_eq!(accusation.sizes(), (1, 0));
    let proof = set.justify(&message, [0, 1, 2, 4, 5]);
    assert_eq!(Accusation::of_proof(&proof, keyset)[0].sizes(), (5, 2));
    let keys = keyset.key_bytes();
    let membership = MerkleProof::prove(&keys, &indices([3])).expect("a member");
    assert_eq!(
        membership.hashes().len(),
        3,
        "one for each layer of 7 leaves"
    );
}

#[test]
fn sizes_are_those_of_the_specification() {
    let lengths = [
        Pk1Bytes::LEN,
        Pk2Bytes::LEN,
        DualKeyBytes::LEN,
        SignatureBytes::LEN,
        VoteSignature::LEN,
        PossessionProof::LEN,
    ];
    assert_eq!(lengths, [48, 96, 144, 48, 112, 224]);
    assert_eq!((MAX_VALIDATORS, MAX_ACCUSED), (100_000, 256));
}

#[test]
fn a_position_beyond_sixteen_bits_is_its_own() {
    let field = Bitfield::from_indices(MAX_VALIDATORS, indices([70_000]));
    assert!(field.contains(SignerIndex::new(70_000)));
    assert!(!field.contains(SignerIndex::new(70_000 - 65_536)));
}

/// ROUND-11.
#[test]
fn rules_are_known_up_to_the_version_of_the_code() {
    let of = |version| VotingRules {
        version,
        min_delta: 3,
    };
    let newest = VotingRules::VERSION;
    assert_eq!(VotingRules::with_min_delta(3), of(newest));
    assert!(of(0).are_known());
    assert!(of(newest).are_known());
    assert!(!of(newest + 1).are_known());
}
