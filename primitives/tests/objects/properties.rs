//! Laws that hold for every set, every choice of signers and every change of a byte.

use codec::{Decode, DecodeAll, Encode};
use duet_primitives::{
    check_stateless,
    suite::MAX_VALIDATORS,
    testing::{secret, TestSet},
    *,
};
use proptest::{
    collection::btree_set,
    prelude::{any, prop_assert, prop_assert_eq, proptest, ProptestConfig},
};
use sha3::{Digest, Keccak256};
use std::collections::BTreeSet;

const GENESIS: H256 = H256::repeat_byte(0x6e);

/// A set of `n`, and a message about block `block`.
fn round(n: u32, block: u32) -> (TestSet, RoundMessage) {
    let set = TestSet::new(7, u64::from(block)..u64::from(block) + u64::from(n));
    let message = RoundMessage::new(GENESIS, set.commitment(block, &set.set));
    (set, message)
}

/// The signers of `n` members: all but those in `mask`, of which as many are absent as may be.
fn signers(n: u32, mask: u32) -> Vec<u32> {
    let may_be_away = n - threshold(n);
    let away: BTreeSet<_> = (0..n)
        .filter(|index| mask & (1 << index) != 0)
        .take(usize::try_from(may_be_away).expect("small"))
        .collect();
    (0..n).filter(|index| !away.contains(index)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whoever_is_enough_makes_a_proof_that_holds(n in 1_u32..=13, mask in any::<u32>(), block in 0_u32..1000) {
        let (set, message) = round(n, block);
        let signers = signers(n, mask);
        let justification = set.justify(&message, signers.iter().copied());
        let signed = justification.signers().signers(n).map(SignerIndex::get);
        prop_assert_eq!(signed.collect::<Vec<_>>(), signers);
        let checked = justification.clone().into_unchecked().check(set.set.keyset(), GENESIS);
        prop_assert_eq!(checked.as_ref(), Ok(&justification));

        let stateless = StatelessProof::new(&justification, set.set.keyset()).expect("of this set");
        let decoded = StatelessProof::decode_all(&mut &stateless.encode()[..]).expect("it reads back");
        prop_assert_eq!(&decoded, &stateless);
        prop_assert_eq!(check_stateless(decoded, set.set.commitment(), GENESIS), Ok(justification));
    }

    #[test]
    fn an_aggregate_does_not_depend_on_the_order_of_the_votes(n in 2_u32..=9, turn in 0_usize..9) {
        let (set, message) = round(n, 1);
        let mut votes: Vec<_> =
            (0..n).map(|signer| set.vote(signer, &message).expect("a member's vote holds")).collect();
        let straight = set.set.aggregate(&message, &votes).expect("all signed");
        let by = turn % votes.len();
        votes.rotate_left(by);
        votes.reverse();
        prop_assert_eq!(set.set.aggregate(&message, &votes).expect("all signed"), straight);
    }

    /// σ of the aggregate is one signature by the sum of the secrets, and `apk2` is the key of that sum.
    #[test]
    fn an_aggregate_is_the_signature_of_the_sum_of_the_secrets(n in 1_u32..=7, mask in any::<u32>()) {
        use ark_ff::{BigInteger, PrimeField};
        let (set, message) = round(n, 5);
        let signers = signers(n, mask);
        let sum: ark_bls12_381::Fr = signers
            .iter()
            .map(|signer| set.secrets[usize::try_from(*signer).expect("small")].expose())
            .map(|bytes| ark_bls12_381::Fr::from_le_bytes_mod_order(&*bytes))
            .sum();
        let bytes: [u8; 32] = sum.into_bigint().to_bytes_le().try_into().expect("32 bytes");
        let sum = SecretKey::from_bytes(&bytes).expect("reduced and not zero");
        let justification = set.justify(&message, signers).into_unchecked();
        let of_sum = UncheckedVote::sign(&sum, SignerIndex::new(0), &message);
        prop_assert_eq!(justification.signature, of_sum.signature.sigma());
        prop_assert_eq!(justification.apk2, sum.public().pk2());
    }

    /// Whatever is sent, a verifier with the keys and one without say the same of it.
    #[test]
    fn with_keys_or_without_the_verdict_is_the_same(
        n in 1_u32..=9,
        mask in any::<u32>(),
        bits in any::<u16>(),
        change in 0_u8..6,
    ) {
        let (set, message) = round(n, 3);
        let justification = set.justify(&message, signers(n, mask));
        let mut sent = justification.clone().into_unchecked();
        let mut genesis = GENESIS;
        match change {
            0 => {}
            1 => sent.signers = Bitfield::from_bytes(bits.to_le_bytes()[..sent.signers.as_bytes().len()].to_vec()),
            2 => sent.signers = Bitfield::from_bytes(bits.to_le_bytes().to_vec()),
            3 => sent.commitment.block_number = BlockNumber::new(2),
            4 => sent.commitment.validator_set_id = SetId::new(6),
            _ => genesis = H256::zero(),
        }
        let keys = set.set.keyset().key_bytes();
        let away: Vec<_> = sent.signers.non_signers(n).collect();
        let proof = StatelessProof {
            justification: sent.clone(),
            non_signers: away.iter().map(|index| keys[usize::try_from(index.get()).expect("small")]).collect(),
            proof: MerkleProof::prove(&keys, &away).expect("ascending and inside"),
        };
        let with = sent.check(set.set.keyset(), genesis);
        let without = check_stateless(proof, set.set.commitment(), genesis);
        prop_assert_eq!(without, with.map_err(StatelessError::Justification));
    }

    #[test]
    fn keys_that_are_added_up_in_parts_make_the_same_commitment(
        secrets in btree_set(0_u64..1_000, 1..9),
        order in 0_usize..9,
        part in 1_usize..9,
    ) {
        let mut keys: Vec<_> = secrets.into_iter().map(|number| secret(number).public().pk1()).collect();
        let len = keys.len();
        keys.rotate_left(order % len);
        let mut sum = PartialSum::default();
        for part in keys.chunks(part) {
            let stored = sum.add_stored_unchecked(part).expect("these are points").encode();
            sum = PartialSum::decode(&mut &stored[..]).expect("what a chain stores");
        }
        let id = SetId::new(7);
        let unordered = KeysetCommitment::of_summed_unchecked(id, &keys, &sum);
        let in_order = keys.is_sorted();
        let is_refused = matches!(unordered, Err(KeysetError::Order { .. }));
        prop_assert_eq!(is_refused, !in_order);
        keys.sort();
        let expected = KeysetCommitment::of_stored_unchecked(id, &keys);
        prop_assert!(expected.is_ok());
        prop_assert_eq!(KeysetCommitment::of_summed_unchecked(id, &keys, &sum), expected);
    }

    #[test]
    fn the_keys_of_a_set_are_read_back_only_whole_and_in_order(n in 2_u32..=8, at in 0_usize..8, with in 0_usize..8) {
        let (set, _) = round(n, 2);
        let keyset = set.set.keyset();
        let mut keys = keyset.key_bytes();
        prop_assert!(Keyset::check(keyset.commitment(), &keys).is_ok());
        let (at, with) = (at % keys.len(), with % keys.len());
        if at != with {
            keys.swap(at, with);
            let other_root = matches!(
                Keyset::check(keyset.commitment(), &keys),
                Err(KeysetError::Root { .. })
            );
            prop_assert!(other_root);
            let expected = KeysetError::Order { index: at.min(with) + 1 };
            prop_assert_eq!(KeysetCommitment::of_stored_unchecked(SetId::new(7), &keys), Err(expected));
            keys.swap(at, with);
        }
        keys.pop();
        let fewer = Keyset::check(keyset.commitment(), &keys).map(|_| ());
        let (expected, got) = (keys.len() + 1, keys.len());
        prop_assert_eq!(fewer, Err(KeysetError::Length { expected, got }));
    }

    #[test]
    fn a_bitfield_holds_who_was_put_in(n in 1_u32..200, picks in btree_set(0_u32..220, 0..60)) {
        let picks: BTreeSet<_> = picks.into_iter().map(SignerIndex::new).collect();
        let field = Bitfield::from_indices(n, picks.iter().copied());
        let inside: Vec<_> = picks.iter().copied().filter(|index| index.get() < n).collect();
        prop_assert_eq!(field.signers(n).collect::<Vec<_>>(), inside.clone());
        prop_assert_eq!(usize::try_from(field.count()).expect("small"), inside.len());
        let away: Vec<_> = (0..n).map(SignerIndex::new).filter(|index| !picks.contains(index)).collect();
        prop_assert_eq!(field.non_signers(n).collect::<Vec<_>>(), away);
        prop_assert_eq!(Bitfield::decode_all(&mut &field.encode()[..]).ok(), Some(field));
    }
}

/// SET-4.
#[test]
fn two_quorums_share_an_honest_member_and_the_honest_alone_reach_the_threshold_but_no_higher_one() {
    for n in 1..=2000_u32 {
        let threshold = threshold(n);
        // The most members that may be faulty: less than a third.
        let faulty = (0..n).rev().find(|faulty| 3 * faulty < n).expect("zero is");
        // Two quorums leave out n − threshold members each, and share the others.
        let shared = n - 2 * (n - threshold);
        assert!(shared > faulty, "{n}");
        let honest = n - faulty;
        assert!(honest >= threshold, "{n}");
        assert!(
            honest < threshold + 1,
            "{n}: a higher threshold would be out of reach"
        );
    }
    assert_eq!(
        [1, 2, 3, 4, 5, 7, 10, 100].map(threshold),
        [1, 2, 3, 3, 4, 5, 7, 67]
    );
    assert_eq!(threshold(MAX_VALIDATORS), 66_667);
    assert_eq!(threshold(0), 1, "an empty set never agrees");
}

/// Every change of one byte of `value` is refused: the bytes do not decode, or the check does not hold.
fn refused_with_any_byte_changed<T: Encode + Decode>(value: &T, accepts: impl Fn(T) -> bool) {
    let bytes = value.encode();
    let whole = T::decode_all(&mut &bytes[..]).expect("it reads back");
    assert!(accepts(whole), "the value as it is holds");
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            if let Ok(decoded) = T::decode_all(&mut &changed[..]) {
                assert!(
                    !accepts(decoded),
                    "byte {at} of {} changed by {change:#x} is accepted",
                    bytes.len()
                );
            }
        }
    }
}

#[test]
fn a_vote_with_any_byte_changed_is_refused() {
    let (set, message) = round(4, 9);
    let vote = set
        .vote(2, &message)
        .expect("a member's vote holds")
        .into_unchecked();
    refused_with_any_byte_changed(&vote, |vote| {
        let message = RoundMessage::new(GENESIS, vote.commitment.clone());
        vote.check(set.set.keyset(), &message).is_ok()
    });
}

#[test]
fn a_justification_with_any_byte_changed_is_refused() {
    let (set, message) = round(7, 9);
    let justification = set.justify(&message, [0, 1, 3, 4, 6]).into_unchecked();
    refused_with_any_byte_changed(&justification, |sent| {
        sent.check(set.set.keyset(), GENESIS).is_ok()
    });
}

#[test]
fn a_stateless_proof_with_any_byte_changed_is_refused() {
    let (set, message) = round(7, 9);
    let justification = set.justify(&message, [0, 1, 3, 4, 6]);
    let proof = StatelessProof::new(&justification, set.set.keyset()).expect("of this set");
    refused_with_any_byte_changed(&proof, |sent| {
        check_stateless(sent, set.set.commitment(), GENESIS).is_ok()
    });
}

#[test]
fn a_proof_of_possession_with_any_byte_changed_of_it_or_of_the_key_is_refused() {
    let secret = secret(1);
    let registration = (secret.public(), secret.prove_possession(b"owner"));
    refused_with_any_byte_changed(&registration, |(key, proof)| {
        key.check_possession(b"owner", &proof).is_ok()
    });
    let owner = *b"owner";
    refused_with_any_byte_changed(&owner, |owner| {
        registration
            .0
            .check_possession(&owner, &registration.1)
            .is_ok()
    });
}

#[test]
fn evidence_with_any_byte_changed_is_refused() {
    let (set, message) = round(7, 9);
    let other = TestSet::new(8, 50..53);
    let second = RoundMessage::new(GENESIS, set.commitment(9, &other.set));
    let [first, second] =
        [&message, &second].map(|message| set.vote(5, message).expect("a member's vote holds"));
    let evidence =
        EquivocationProof::new(set.set.keyset(), &first, &second).expect("a double vote");
    refused_with_any_byte_changed(&evidence, |sent| {
        sent.check(set.set.commitment(), GENESIS).is_ok()
    });
}

#[test]
fn a_trusted_commitment_with_any_byte_changed_accepts_no_keys_and_no_stateless_proof() {
    let (set, message) = round(7, 9);
    let justification = set.justify(&message, 0..5);
    let proof = StatelessProof::new(&justification, set.set.keyset()).expect("of this set");
    let keys = set.set.keyset().key_bytes();
    refused_with_any_byte_changed(set.set.commitment(), |trusted| {
        check_stateless(proof.clone(), &trusted, GENESIS).is_ok()
    });
    refused_with_any_byte_changed(set.set.commitment(), |trusted| {
        // Nothing but the commitment says the number of a set.
        Keyset::check(&trusted, &keys).is_ok_and(|keyset| keyset.id() == SetId::new(7))
    });
}

/// The judge of the Merkle code: the rule as written, level by level, sharing nothing with what it judges.
fn levels(keys: &[Pk1Bytes]) -> Vec<Vec<[u8; 32]>> {
    let hash = |parts: &[&[u8]]| -> [u8; 32] {
        parts
            .iter()
            .fold(Keccak256::new(), |hasher, part| hasher.chain_update(part))
            .finalize()
            .into()
    };
    let mut levels = vec![keys
        .iter()
        .map(|key| hash(&[&[0], &key.0]))
        .collect::<Vec<_>>()];
    while levels[levels.len() - 1].len() > 1 {
        let parents = levels[levels.len() - 1]
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => hash(&[&[1], left, right]),
                lonely => lonely[0],
            })
            .collect();
        levels.push(parents);
    }
    levels
}

/// The hashes that a multiproof must hold: of each level, from left to right, the siblings of known nodes that
/// are not known themselves.
fn expected_hashes(levels: &[Vec<[u8; 32]>], indices: &[usize]) -> Vec<[u8; 32]> {
    let mut known: BTreeSet<usize> = indices.iter().copied().collect();
    let mut hashes = Vec::new();
    for level in levels {
        hashes.extend(
            known
                .iter()
                .map(|at| at ^ 1)
                .filter(|at| !known.contains(at))
                .filter_map(|at| level.get(at)),
        );
        known = known.into_iter().map(|at| at / 2).collect();
    }
    hashes
}

#[test]
fn every_multiproof_of_every_small_set_is_what_the_rule_says_and_holds_for_nothing_else() {
    for n in 1_u8..=9 {
        let keys: Vec<_> = (0..n).map(|index| Pk1Bytes([index; 48])).collect();
        let levels = levels(&keys);
        let root = H256(levels[levels.len() - 1][0]);
        for subset in 0_u32..(1 << n) {
            let indices: Vec<_> = (0..u32::from(n))
                .filter(|index| subset & (1 << index) != 0)
                .map(SignerIndex::new)
                .collect();
            let places: Vec<usize> = indices
                .iter()
                .map(|index| usize::try_from(index.get()).expect("small"))
                .collect();
            let proof = MerkleProof::prove(&keys, &indices).expect("ascending and inside");
            let expected: Vec<H256> = expected_hashes(&levels, &places)
                .into_iter()
                .map(H256)
                .collect();
            let expected = if indices.is_empty() {
                Vec::new()
            } else {
                expected
            };
            assert_eq!(proof.encode(), expected.encode(), "{indices:?} of {n}");

            let mut placed: Vec<_> = indices
                .iter()
                .copied()
                .zip(places.iter().map(|at| keys[*at]))
                .collect();
            let check = |placed: &[_]| proof.check(root, u32::from(n), placed);
            assert_eq!(check(&placed), Ok(()), "{indices:?} of {n}");
            if let Some(last) = placed.last_mut() {
                last.1 .0[47] ^= 1;
                assert_eq!(check(&placed), Err(MerkleError::Root), "{indices:?} of {n}");
            }
        }
    }
}

#[test]
fn the_root_of_a_set_is_that_of_the_rule() {
    for n in [1_u64, 2, 3, 5, 8, 13] {
        let set = TestSet::new(0, 0..n);
        let levels = levels(&set.set.keyset().key_bytes());
        assert_eq!(
            set.set.commitment().root,
            H256(levels[levels.len() - 1][0]),
            "{n}"
        );
    }
}

#[test]
fn a_set_proves_its_keys_with_the_proofs_of_the_rule() {
    let set = TestSet::new(0, 0..13);
    let keyset = set.set.keyset();
    let keys = keyset.key_bytes();
    for picks in [&[][..], &[0], &[12], &[0, 1, 2], &[3, 7, 12]] {
        let picks: Vec<_> = picks.iter().copied().map(SignerIndex::new).collect();
        assert_eq!(keyset.prove(&picks), MerkleProof::prove(&keys, &picks));
        assert!(keyset.prove(&picks).is_ok());
    }
    let outside = [SignerIndex::new(13)];
    assert_eq!(keyset.prove(&outside), Err(MerkleError::Indices));
}

#[test]
fn a_multiproof_with_another_number_of_hashes_or_odd_positions_is_refused() {
    let keys: Vec<_> = (0..5).map(|index| Pk1Bytes([index; 48])).collect();
    let levels = levels(&keys);
    let root = H256(levels[levels.len() - 1][0]);
    let proof = MerkleProof::prove(&keys, &[SignerIndex::new(1), SignerIndex::new(3)])
        .expect("ascending and inside");
    let hashes = Vec::<H256>::decode(&mut &proof.encode()[..]).expect("a list of hashes");
    let with =
        |hashes: &[H256]| MerkleProof::decode(&mut &hashes.encode()[..]).expect("a list of hashes");
    let at = |index: u32, key: usize| (SignerIndex::new(index), keys[key]);
    let placed = [at(1, 1), at(3, 3)];
    assert_eq!(proof.check(root, 5, &placed), Ok(()));
    let (expected, fewer) = (hashes.len(), &hashes[1..]);
    let wrong = |got| Err(MerkleError::HashCount { expected, got });
    assert_eq!(with(fewer).check(root, 5, &placed), wrong(expected - 1));
    let more = [&hashes[..], &[H256::zero()]].concat();
    assert_eq!(with(&more).check(root, 5, &placed), wrong(expected + 1));
    assert_eq!(
        with(&[H256::zero()]).check(root, 5, &[]),
        Err(MerkleError::HashCount {
            expected: 0,
            got: 1
        })
    );

    for odd in [
        [at(3, 3), at(1, 1)],
        [at(1, 1), at(1, 1)],
        [at(1, 1), at(5, 3)],
    ] {
        assert_eq!(proof.check(root, 5, &odd), Err(MerkleError::Indices));
    }
    for odd in [&[3, 1][..], &[1, 1], &[5], &[u32::MAX]] {
        let odd: Vec<_> = odd.iter().copied().map(SignerIndex::new).collect();
        assert_eq!(MerkleProof::prove(&keys, &odd), Err(MerkleError::Indices));
    }
    assert_eq!(
        proof.check(root, MAX_VALIDATORS + 1, &placed),
        Err(MerkleError::Indices)
    );
}

/// An inner node is not a leaf: its hash does not pass for a key.
#[test]
fn a_node_of_the_tree_does_not_pass_for_a_leaf() {
    let keys: Vec<_> = (0..4).map(|index| Pk1Bytes([index; 48])).collect();
    let levels = levels(&keys);
    let root = H256(levels[levels.len() - 1][0]);
    // As if the set had two members, whose keys were the inner nodes.
    let mut node = [0; 48];
    node[..32].copy_from_slice(&levels[1][0]);
    let proof =
        MerkleProof::decode(&mut &vec![H256(levels[1][1])].encode()[..]).expect("a list of hashes");
    assert_eq!(
        proof.check(root, 2, &[(SignerIndex::new(0), Pk1Bytes(node))]),
        Err(MerkleError::Root)
    );
}
