//! What an attacker would try, and the rule that stops it.

use ark_bls12_381::{Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::PrimeField;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use duet_curve::{Ark, Hashing, Pairings};
use duet_primitives::{
    check_stateless,
    testing::{secret, TestSet},
    *,
};
use std::panic::catch_unwind;
use w3f_bls::{NuggetBLS, SerializableToBytes, TinyBLS381};

const GENESIS: H256 = H256::repeat_byte(0x6e);

fn g1(bytes: &[u8]) -> G1Affine {
    G1Affine::deserialize_compressed(bytes).expect("a point of G1")
}

fn g2(bytes: &[u8]) -> G2Affine {
    G2Affine::deserialize_compressed(bytes).expect("a point of G2")
}

fn bytes<const N: usize>(point: impl CanonicalSerialize) -> [u8; N] {
    let mut bytes = [0; N];
    point
        .serialize_compressed(&mut bytes[..])
        .expect("N is the size of the point");
    bytes
}

/// `H(m)` of a commitment: what σ is a multiple of.
fn message_point(commitment: &Commitment) -> G1Affine {
    let signed = [suite::SIGNATURE_SUITE, &commitment.signed_bytes(GENESIS)].concat();
    Ark::hash_to_g1(suite::HASH_TO_CURVE_DST, &signed)
}

fn round(n: u64) -> (TestSet, RoundMessage) {
    let set = TestSet::new(7, 0..n);
    let message = RoundMessage::new(GENESIS, set.commitment(9, &set.set));
    (set, message)
}

fn possession(
    key: DualKeyBytes,
    owner: &[u8],
    proof: &PossessionProof,
) -> Result<(), PossessionError> {
    key.check_possession(owner, proof).map(|_| ())
}

/// The key `a·g − victim` in both groups: its secret is unknown, and with the victim's it adds up to `a·g`.
fn rogue(victim: &DualKeyBytes, a: Fr) -> DualKeyBytes {
    let pk1 = G1Affine::generator() * a - g1(victim.pk1().as_ref());
    let pk2 = G2Affine::generator() * a - g2(victim.pk2().as_ref());
    DualKeyBytes::new(
        Pk1Bytes(bytes(pk1.into_affine())),
        Pk2Bytes(bytes(pk2.into_affine())),
    )
}

/// The attack that proofs of possession are for: were the rogue key in the set, its maker alone would sign for
/// both. Nothing else in the protocol would notice.
#[test]
fn a_rogue_key_would_sign_for_its_victim_and_has_no_proof_of_possession() {
    let (victim, attacker) = (secret(0), secret(1));
    let a = Fr::from_le_bytes_mod_order(&*attacker.expose());
    let rogue = rogue(&victim.public(), a);
    assert!(rogue.check().is_ok(), "as a key it is flawless");

    let owner = ownership_statement(GENESIS, &[1_u8; 32]);
    let forged = [
        attacker.prove_possession(&owner),
        victim.prove_possession(&owner),
        PossessionProof::new(
            attacker.sign(&[b"POP_", &owner[..]].concat()),
            attacker.sign(rogue.pk2().as_ref()),
        ),
    ];
    for proof in forged {
        let refused = PossessionError::Ownership(SignatureError::ProofFails);
        assert_eq!(possession(rogue, &owner, &proof), Err(refused));
    }

    // Past the check, by the back door that only chain state may use:
    let keys = [victim.public(), rogue]
        .map(|key| PossessedKey::from_chain_state_unchecked(&key).expect("a key"));
    let set = DualKeyset::new(SetId::new(0), keys.to_vec()).expect("two keys");
    let commitment = Commitment {
        block_number: BlockNumber::new(1),
        block_hash: H256::zero(),
        mmr_root: H256::zero(),
        validator_set_id: SetId::new(0),
        next: set.commitment().clone(),
    };
    let alone = UncheckedJustification {
        signature: SignatureBytes(bytes((message_point(&commitment) * a).into_affine())),
        signers: Bitfield::from_indices(2, (0..2).map(SignerIndex::new)),
        apk2: Pk2Bytes(bytes((G2Affine::generator() * a).into_affine())),
        commitment,
    };
    assert!(
        alone.check(set.keyset(), GENESIS).is_ok(),
        "the attack is real"
    );
}

#[test]
fn one_persons_half_with_anothers_half_is_refused_by_the_pairing_or_before() {
    let (alice, bob) = (secret(0), secret(1));
    let owner = b"owner";
    let mixed = DualKeyBytes::new(alice.public().pk1(), bob.public().pk2());
    assert!(mixed.check().is_ok(), "as a key it is flawless");
    let ownership = alice.prove_possession(owner).ownership();

    // Alice's own proof speaks of her own second half.
    let refused = possession(mixed, owner, &alice.prove_possession(owner));
    assert_eq!(
        refused,
        Err(PossessionError::Possession(SignatureError::ProofFails))
    );
    // Bob's is not under Alice's first half.
    let of_bob = PossessionProof::new(ownership, bob.prove_possession(owner).possession());
    let refused = possession(mixed, owner, &of_bob);
    assert_eq!(
        refused,
        Err(PossessionError::Possession(SignatureError::ProofFails))
    );
}

/// Alice signs Bob's second half under the possession suite: both DLEQ proofs hold, only POP-3 is left to see that
/// the halves do not share a secret.
#[test]
fn a_first_half_that_vouches_for_a_foreign_second_half_fails_the_pairing() {
    let (alice, bob) = (secret(0), secret(1));
    let owner = b"owner";
    let mixed = DualKeyBytes::new(alice.public().pk1(), bob.public().pk2());

    let mut pair =
        w3f_bls::SecretKeyVT::<TinyBLS381>(Fr::from_le_bytes_mod_order(&*alice.expose()));
    let message = w3f_bls::Message::new_pop_message(b"", bob.public().pk2().as_ref());
    type G1 = <TinyBLS381 as w3f_bls::EngineBLS>::SignatureGroup;
    let vouches = NuggetBLS::<TinyBLS381, G1>::sign(&mut pair, &message).to_bytes();
    let vouches = VoteSignature::try_from(&vouches[..]).expect("112 bytes");

    let proof = PossessionProof::new(alice.prove_possession(owner).ownership(), vouches);
    assert_eq!(
        possession(mixed, owner, &proof),
        Err(PossessionError::HalvesDiffer)
    );
}

#[test]
fn a_proof_of_possession_serves_one_account_on_one_chain() {
    let secret = secret(0);
    let (account, thief) = ([1_u8; 32], [2_u8; 32]);
    let proof = secret.prove_possession(&ownership_statement(GENESIS, &account));
    let check = |genesis, account: &[u8; 32]| {
        possession(
            secret.public(),
            &ownership_statement(genesis, account),
            &proof,
        )
    };
    let refused = Err(PossessionError::Ownership(SignatureError::ProofFails));
    assert_eq!(check(GENESIS, &account), Ok(()));
    assert_eq!(check(GENESIS, &thief), refused, "another account");
    assert_eq!(
        check(H256::repeat_byte(1), &account),
        refused,
        "another chain"
    );
    assert_eq!(check(H256::zero(), &account), refused, "a genesis");
    // Nor is a proof that names no Duet owner at all one for Duet.
    let bare = secret.prove_possession(&account);
    let statement = ownership_statement(GENESIS, &account);
    assert_eq!(possession(secret.public(), &statement, &bare), refused);
}

#[test]
fn the_parts_of_a_proof_of_possession_do_not_stand_for_each_other() {
    let secret = secret(0);
    let proof = secret.prove_possession(b"owner");
    let swapped = PossessionProof::new(proof.possession(), proof.ownership());
    let refused = possession(secret.public(), b"owner", &swapped);
    assert_eq!(
        refused,
        Err(PossessionError::Ownership(SignatureError::ProofFails))
    );
    let twice = PossessionProof::new(proof.ownership(), proof.ownership());
    let refused = possession(secret.public(), b"owner", &twice);
    assert_eq!(
        refused,
        Err(PossessionError::Possession(SignatureError::ProofFails))
    );
}

#[test]
fn a_wrong_apk2_is_refused_even_when_the_signature_was_made_to_fit() {
    let (set, message) = round(7);
    let good = set.justify(&message, 0..5).into_unchecked();
    let check = |sent: UncheckedJustification| sent.check(set.set.keyset(), GENESIS).map(|_| ());
    let refused = Err(JustificationError::EquationFails);
    assert_eq!(check(good.clone()), Ok(()));

    let others = set.justify(&message, 2..7).into_unchecked();
    assert_eq!(
        check(UncheckedJustification {
            apk2: others.apk2,
            ..good.clone()
        }),
        refused
    );
    assert_eq!(
        check(UncheckedJustification {
            signature: others.signature,
            ..good.clone()
        }),
        refused
    );
    let both = UncheckedJustification {
        apk2: others.apk2,
        signature: others.signature,
        ..good.clone()
    };
    assert_eq!(check(both), refused, "others' signatures under these bits");

    // With apk2 + δ·g2 and σ + δ·H(m) the bare BLS equation still holds; t·apk1 does not move along.
    let delta = Fr::from(5_u64);
    let apk2 = G2Affine::generator() * delta + g2(good.apk2.as_ref());
    let sigma = message_point(&good.commitment) * delta + g1(good.signature.as_ref());
    let shifted = UncheckedJustification {
        apk2: Pk2Bytes(bytes(apk2.into_affine())),
        signature: SignatureBytes(bytes(sigma.into_affine())),
        ..good.clone()
    };
    let moved = (message_point(&good.commitment), g2(shifted.apk2.as_ref()));
    assert!(
        Ark::equation_holds(&g1(shifted.signature.as_ref()), &[(&moved.0, &moved.1)]),
        "to BLS alone it is a signature"
    );
    assert_eq!(check(shifted), refused);

    // Both negated: −σ under −apk2 is a signature to BLS too.
    let negated = UncheckedJustification {
        apk2: Pk2Bytes(bytes(-g2(good.apk2.as_ref()))),
        signature: SignatureBytes(bytes(-g1(good.signature.as_ref()))),
        ..good
    };
    assert_eq!(check(negated), refused);
}

#[test]
fn a_bitfield_is_as_long_as_the_set_needs_without_padding_and_not_below_the_threshold() {
    let (set, message) = round(7);
    let good = set.justify(&message, 0..5).into_unchecked();
    let check = |bits: &[u8]| {
        let signers = Bitfield::from_bytes(bits.to_vec());
        UncheckedJustification {
            signers,
            ..good.clone()
        }
        .check(set.set.keyset(), GENESIS)
        .map(|_| ())
    };
    assert_eq!(check(&[0b0001_1111]), Ok(()));
    assert_eq!(
        check(&[]),
        Err(JustificationError::BitfieldLength {
            expected: 1,
            got: 0
        })
    );
    assert_eq!(
        check(&[0b0001_1111, 0]),
        Err(JustificationError::BitfieldLength {
            expected: 1,
            got: 2
        })
    );
    assert_eq!(check(&[0b1001_1111]), Err(JustificationError::PaddingBits));
    // A padding bit does not help a proof over the threshold either.
    assert_eq!(check(&[0b1000_1111]), Err(JustificationError::PaddingBits));
    assert_eq!(
        check(&[0b0000_1111]),
        Err(JustificationError::BelowThreshold {
            threshold: 5,
            got: 4
        })
    );
    assert_eq!(
        check(&[0]),
        Err(JustificationError::BelowThreshold {
            threshold: 5,
            got: 0
        })
    );
    // More bits than signatures, or others' bits.
    assert_eq!(
        check(&[0b0011_1111]),
        Err(JustificationError::EquationFails)
    );
    assert_eq!(
        check(&[0b0010_1111]),
        Err(JustificationError::EquationFails)
    );
    assert_eq!(
        check(&[0b0111_1111]),
        Err(JustificationError::EquationFails)
    );
}

#[test]
fn a_proof_of_another_chain_fails_and_one_of_another_set_is_told_apart() {
    let (set, message) = round(4);
    let good = set.justify(&message, 0..3).into_unchecked();
    let on_another_chain = good
        .clone()
        .check(set.set.keyset(), H256::zero())
        .map(|_| ());
    assert_eq!(on_another_chain, Err(JustificationError::EquationFails));

    let other = TestSet::new(8, 10..14);
    let of_another_set = good.clone().check(other.set.keyset(), GENESIS).map(|_| ());
    let wrong_set = JustificationError::WrongSet {
        expected: SetId::new(8),
        got: SetId::new(7),
    };
    assert_eq!(of_another_set, Err(wrong_set));
    assert_eq!(
        wrong_set.culprit(),
        Culprit::Nobody,
        "it may be good, and we may be behind"
    );

    // With the number written over it, it is a forgery.
    let renamed = UncheckedJustification {
        commitment: Commitment {
            validator_set_id: SetId::new(8),
            ..good.commitment.clone()
        },
        ..good
    };
    let refused = renamed.check(other.set.keyset(), GENESIS).map(|_| ());
    assert_eq!(refused, Err(JustificationError::EquationFails));
    assert_eq!(JustificationError::EquationFails.culprit(), Culprit::Sender);
}

/// VOTE-1 the set, VOTE-2 the signer's position, VOTE-3 the signature under the key at that position.
#[test]
fn a_vote_of_another_chain_set_signer_or_commitment_is_refused_by_its_own_rule() {
    let (set, message) = round(4);
    let vote = set
        .vote(2, &message)
        .expect("a member's vote holds")
        .into_unchecked();
    let keyset = set.set.keyset();
    let check =
        |vote: UncheckedVote, message: &RoundMessage| vote.check(keyset, message).map(|_| ());
    assert_eq!(check(vote.clone(), &message), Ok(()));

    let elsewhere = RoundMessage::new(H256::zero(), message.commitment().clone());
    let forged = VoteError::Signature {
        signer: SignerIndex::new(2),
        error: SignatureError::ProofFails,
    };
    assert_eq!(check(vote.clone(), &elsewhere), Err(forged));
    assert_eq!(forged.culprit(), Culprit::Sender);

    let named = UncheckedVote {
        signer: SignerIndex::new(1),
        ..vote.clone()
    };
    let forged = VoteError::Signature {
        signer: SignerIndex::new(1),
        error: SignatureError::ProofFails,
    };
    assert_eq!(check(named, &message), Err(forged));
    let unknown = UncheckedVote {
        signer: SignerIndex::new(4),
        ..vote.clone()
    };
    assert_eq!(
        check(unknown, &message),
        Err(VoteError::UnknownSigner {
            signer: SignerIndex::new(4),
            len: 4
        })
    );

    let other = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
    assert_eq!(check(vote.clone(), &other), Err(VoteError::OtherMessage));
    assert_eq!(VoteError::OtherMessage.culprit(), Culprit::Caller);

    let other_set = TestSet::new(8, 0..4);
    let refused = vote.check(other_set.set.keyset(), &message).map(|_| ());
    assert_eq!(
        refused,
        Err(VoteError::WrongSet {
            expected: SetId::new(8),
            got: SetId::new(7)
        })
    );
}

/// The proof of a vote has a witness that its signer may choose again: other bytes, the same σ, as valid. So a
/// vote is known by its signer and commitment, never by its bytes. (GOSSIP-3)
#[test]
fn a_vote_whose_proof_was_made_anew_is_as_valid_and_adds_up_the_same() {
    let (set, message) = round(4);
    let vote = set.vote(2, &message).expect("a member's vote holds");
    let scalar = Fr::from_le_bytes_mod_order(&*set.secrets[2].expose());
    let mut pair = w3f_bls::SecretKeyVT::<TinyBLS381>(scalar);
    let signed = message.commitment().signed_bytes(GENESIS);
    type G1 = <TinyBLS381 as w3f_bls::EngineBLS>::SignatureGroup;
    // This maker draws its witness from more than ours does.
    let anew = NuggetBLS::<TinyBLS381, G1>::sign(&mut pair, &w3f_bls::Message::new(b"", &signed))
        .to_bytes();
    let anew = VoteSignature::try_from(&anew[..]).expect("112 bytes");
    let again = UncheckedVote {
        signature: anew,
        ..vote.to_unchecked()
    };
    assert_ne!(again, vote.to_unchecked());
    assert_eq!(
        again.signature.sigma(),
        vote.to_unchecked().signature.sigma()
    );
    let again = again
        .check(set.set.keyset(), &message)
        .expect("as valid as the first");

    let others = [0, 1].map(|signer| set.vote(signer, &message).expect("a member's vote holds"));
    let sum = |vote: &Vote| {
        let votes = [&others[..], core::slice::from_ref(vote)].concat();
        set.set.aggregate(&message, &votes).expect("three of four")
    };
    assert_eq!(sum(&again), sum(&vote));
    // Nor are two proofs of one commitment an equivocation.
    let evidence = EquivocationProof::new(set.set.keyset(), &vote, &again);
    assert_eq!(evidence, Err(EquivocationError::SameCommitment));
}

/// Two σ shifted against each other add up to a good sum; each vote's own proof still tells.
#[test]
fn votes_that_are_wrong_only_apart_are_each_refused() {
    let (set, message) = round(4);
    let shift = G1Affine::generator() * Fr::from(7_u64);
    for (signer, by) in [(0, shift), (1, -shift)] {
        let mut vote = set
            .vote(signer, &message)
            .expect("a member's vote holds")
            .into_unchecked();
        let sigma = by + g1(vote.signature.sigma().as_ref());
        vote.signature.0[..48].copy_from_slice(&bytes::<48>(sigma.into_affine()));
        let refused = vote.check(set.set.keyset(), &message).map(|_| ());
        let expected = VoteError::Signature {
            signer: SignerIndex::new(signer),
            error: SignatureError::ProofFails,
        };
        assert_eq!(refused, Err(expected));
    }
}

#[test]
fn nobody_is_counted_twice_and_no_foreign_vote_enters() {
    let (set, message) = round(4);
    let vote = |signer| set.vote(signer, &message).expect("a member's vote holds");
    let add = |votes: &[Vote]| set.set.aggregate(&message, votes).map(|_| ());
    assert_eq!(add(&[vote(0), vote(1), vote(2)]), Ok(()));
    assert_eq!(
        add(&[vote(0), vote(1), vote(1)]),
        Err(AggregateError::RepeatedSigner {
            signer: SignerIndex::new(1)
        })
    );
    let too_few = AggregateError::BelowThreshold {
        threshold: 3,
        got: 2,
    };
    assert_eq!(add(&[vote(0), vote(1)]), Err(too_few));
    assert_eq!(
        add(&[]),
        Err(AggregateError::BelowThreshold {
            threshold: 3,
            got: 0
        })
    );

    let other = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
    let about_other = set.vote(2, &other).expect("a member's vote holds");
    let refused = add(&[vote(0), vote(1), about_other]);
    assert_eq!(
        refused,
        Err(AggregateError::OtherMessage {
            signer: SignerIndex::new(2)
        })
    );

    // Checked against a set of the same number with other keys.
    let foreign = TestSet::new(7, 20..24)
        .vote(2, &message)
        .expect("valid where it comes from");
    let refused = add(&[vote(0), vote(1), foreign]);
    assert_eq!(
        refused,
        Err(AggregateError::ForeignKey {
            signer: SignerIndex::new(2)
        })
    );

    let elsewhere = TestSet::new(8, 0..4)
        .set
        .aggregate(&message, &[vote(0), vote(1), vote(2)]);
    assert_eq!(
        elsewhere,
        Err(AggregateError::WrongSet {
            expected: SetId::new(8),
            got: SetId::new(7)
        })
    );
}

#[test]
fn a_stateless_proof_with_other_non_signers_is_refused_by_its_own_rule() {
    let (set, message) = round(7);
    let justification = set.justify(&message, [0, 1, 3, 4, 6]);
    let good = StatelessProof::new(&justification, set.set.keyset()).expect("of this set");
    let check =
        |sent: StatelessProof| check_stateless(sent, set.set.commitment(), GENESIS).map(|_| ());
    let keys = set.set.keyset().key_bytes();
    assert_eq!(check(good.clone()), Ok(()));

    let fewer = StatelessProof {
        non_signers: vec![keys[2]],
        ..good.clone()
    };
    assert_eq!(
        check(fewer),
        Err(StatelessError::NonSignerCount {
            expected: 2,
            got: 1
        })
    );
    let more = StatelessProof {
        non_signers: vec![keys[2], keys[5], keys[6]],
        ..good.clone()
    };
    assert_eq!(
        check(more),
        Err(StatelessError::NonSignerCount {
            expected: 2,
            got: 3
        })
    );
    let swapped = StatelessProof {
        non_signers: vec![keys[5], keys[2]],
        ..good.clone()
    };
    assert_eq!(
        check(swapped),
        Err(StatelessError::Merkle(MerkleError::Root))
    );

    // The attack that the multiproof is for: a made-up non-signer that turns the total into a key of one's own.
    let own = secret(99);
    let total = g1(set.set.commitment().apk1.as_ref());
    let apk1 = g1(own.public().pk1().as_ref());
    let made_up = (total - apk1 - g1(keys[5].as_ref())).into_affine();
    let forged = StatelessProof {
        non_signers: vec![Pk1Bytes(bytes(made_up)), keys[5]],
        justification: UncheckedJustification {
            signature: UncheckedVote::sign(&own, SignerIndex::new(0), &message)
                .signature
                .sigma(),
            apk2: own.public().pk2(),
            ..good.justification.clone()
        },
        ..good.clone()
    };
    assert_eq!(
        check(forged.clone()),
        Err(StatelessError::Merkle(MerkleError::Root))
    );
    let no_hashes = StatelessProof {
        proof: MerkleProof::default(),
        ..forged
    };
    let expected = good.proof.encoded_hashes();
    assert_eq!(
        check(no_hashes),
        Err(StatelessError::Merkle(MerkleError::HashCount {
            expected,
            got: 0
        }))
    );
}

/// How many hashes a multiproof has, read off its encoding.
trait EncodedHashes {
    fn encoded_hashes(&self) -> usize;
}

impl EncodedHashes for MerkleProof {
    fn encoded_hashes(&self) -> usize {
        codec::Encode::encode(self).len() / 32
    }
}

/// EQV-1 to EQV-5.
#[test]
fn evidence_needs_one_signer_one_block_two_commitments_a_member_and_two_signatures() {
    let (set, message) = round(7);
    let keyset = set.set.keyset();
    let elsewhere = TestSet::new(8, 30..33);
    let conflicting = RoundMessage::new(GENESIS, set.commitment(9, &elsewhere.set));
    let later = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
    let vote = |signer, message| set.vote(signer, message).expect("a member's vote holds");
    let (first, second) = (vote(5, &message), vote(5, &conflicting));
    let make = |first: &Vote, second: &Vote| EquivocationProof::new(keyset, first, second);
    assert_eq!(make(&first, &first), Err(EquivocationError::SameCommitment));
    assert_eq!(
        make(&first, &vote(4, &conflicting)),
        Err(EquivocationError::DifferentSigners)
    );
    assert_eq!(
        make(&first, &vote(5, &later)),
        Err(EquivocationError::DifferentBlocks)
    );
    let other_chain = RoundMessage::new(H256::zero(), conflicting.commitment().clone());
    assert_eq!(
        make(&first, &vote(5, &other_chain)),
        Err(EquivocationError::DifferentChains)
    );

    let evidence = make(&first, &second).expect("a double vote");
    let check = |sent: &EquivocationProof| sent.check(set.set.commitment(), GENESIS);
    let key = keyset
        .key(SignerIndex::new(5))
        .expect("a member")
        .to_bytes();
    let expected = Equivocation {
        set_id: SetId::new(7),
        signer: SignerIndex::new(5),
        key,
        block_number: BlockNumber::new(9),
    };
    assert_eq!(check(&evidence), Ok(expected));

    let other_key = keyset
        .key(SignerIndex::new(4))
        .expect("a member")
        .to_bytes();
    let blamed = EquivocationProof {
        key: other_key,
        ..evidence.clone()
    };
    assert_eq!(
        check(&blamed),
        Err(EquivocationError::Membership(MerkleError::Root))
    );
    let moved = EquivocationProof {
        signer: SignerIndex::new(4),
        ..evidence.clone()
    };
    assert!(matches!(
        check(&moved),
        Err(EquivocationError::Membership(_))
    ));
    let outside = EquivocationProof {
        signer: SignerIndex::new(7),
        ..evidence.clone()
    };
    assert_eq!(
        check(&outside),
        Err(EquivocationError::Membership(MerkleError::Indices))
    );

    let signed_by_another = vote(4, &conflicting).into_unchecked().signature;
    let framed = EquivocationProof {
        second: (evidence.second.0.clone(), signed_by_another),
        ..evidence.clone()
    };
    let error = SignatureError::ProofFails;
    assert_eq!(
        check(&framed),
        Err(EquivocationError::Signature { which: 1, error })
    );
    let framed = EquivocationProof {
        first: (evidence.first.0.clone(), signed_by_another),
        ..evidence.clone()
    };
    assert_eq!(
        check(&framed),
        Err(EquivocationError::Signature { which: 0, error })
    );

    let same = EquivocationProof {
        second: evidence.first.clone(),
        ..evidence.clone()
    };
    assert_eq!(check(&same), Err(EquivocationError::SameCommitment));
    let of_other_set = evidence.check(elsewhere.set.commitment(), GENESIS);
    assert_eq!(
        of_other_set,
        Err(EquivocationError::WrongSet {
            expected: SetId::new(8),
            got: SetId::new(7)
        })
    );
    let on_other_chain = evidence.check(set.set.commitment(), H256::zero());
    assert_eq!(
        on_other_chain,
        Err(EquivocationError::Signature { which: 0, error })
    );
}

#[test]
fn a_set_with_a_repeated_key_no_key_or_too_many_is_refused() {
    let key = |index| {
        PossessedKey::from_chain_state_unchecked(&secret(index).public())
            .expect("a secret's key is a key")
    };
    assert_eq!(
        DualKeyset::new(SetId::new(0), Vec::new()).map(|_| ()),
        Err(KeysetError::Empty)
    );
    let twice = DualKeyset::new(SetId::new(0), vec![key(0), key(1), key(0)]).map(|_| ());
    assert!(matches!(twice, Err(KeysetError::Order { .. })), "{twice:?}");
    let many = vec![secret(0).public().pk1(); 100_001];
    let refused = KeysetCommitment::of_stored_unchecked(SetId::new(0), &many).map(|_| ());
    assert_eq!(
        refused,
        Err(KeysetError::TooLarge {
            limit: suite::MAX_VALIDATORS,
            got: 100_001
        })
    );

    // A key and its negative are in order and add up to zero.
    let one = secret(0).public().pk1();
    let mut keys = vec![one, Pk1Bytes(bytes(-g1(one.as_ref())))];
    keys.sort();
    let refused = KeysetCommitment::of_stored_unchecked(SetId::new(0), &keys);
    assert_eq!(refused, Err(KeysetError::ZeroTotal));

    // (0, 2) is a point of order 3, so that the sum is outside the subgroup.
    let mut outside = Pk1Bytes([0; 48]);
    outside.0[0] = 0x80;
    let keys = [outside, one];
    let set = KeysetCommitment::of_stored_unchecked(SetId::new(0), &keys).unwrap();
    assert!(matches!(
        Keyset::check(&set, &keys),
        Err(KeysetError::InvalidTotal(_))
    ));
}

#[test]
fn sums_in_parts_may_be_zero_on_the_way_and_refuse_what_is_no_point() {
    let [one, two] = [0, 1].map(|index| secret(index).public().pk1());
    let minus = Pk1Bytes(bytes(-g1(one.as_ref())));
    let id = SetId::new(0);
    let start = PartialSum::default();
    let zero = start
        .add_stored_unchecked(&[one, minus])
        .expect("these are points");
    assert_eq!(zero, start);
    let refused = KeysetCommitment::of_summed_unchecked(id, &[one], &zero);
    assert_eq!(refused, Err(KeysetError::ZeroTotal));
    let further = zero.add_stored_unchecked(&[two]).expect("it is a point");
    let set = KeysetCommitment::of_summed_unchecked(id, &[two], &further);
    assert_eq!(set.map(|set| set.apk1), Ok(two));
    assert_eq!(further.add_stored_unchecked(&[]), Ok(further.clone()));

    let refused = further.add_stored_unchecked(&[one, Pk1Bytes([0xff; 48])]);
    assert!(
        matches!(refused, Err(KeysetError::Key { index: 1, .. })),
        "{refused:?}"
    );
    for (keys, error) in [
        (vec![], KeysetError::Empty),
        (vec![one, one], KeysetError::Order { index: 1 }),
    ] {
        let refused = KeysetCommitment::of_summed_unchecked(id, &keys, &further);
        assert_eq!(refused, Err(error));
    }
}

#[test]
fn a_secret_is_not_printed() {
    let secret = secret(0);
    let printed = format!("{secret:?}");
    let key = secret.public().pk1();
    assert_eq!(printed, format!("SecretKey(redacted, of {key})"));
}

/// No bytes from an untrusted sender make a decoder or a check panic.
#[test]
fn arbitrary_bytes_are_refused_without_a_panic() {
    use codec::Decode;
    let (set, _) = round(4);
    let commitment = set.set.commitment().clone();
    let (mut proofs_checked, mut evidence_checked) = (0, 0);
    for fill in [0_u8, 1, 4, 0x40, 0x7f, 0x80, 0xc0, 0xff] {
        for length in [0, 1, 48, 112, 144, 168, 284, 315, 500, 2000] {
            let sent = vec![fill; length];
            let outcome = catch_unwind(|| {
                let proof = StatelessProof::decode(&mut &sent[..]);
                let proof = proof
                    .ok()
                    .map(|proof| check_stateless(proof, &commitment, GENESIS).is_ok());
                let evidence = EquivocationProof::decode(&mut &sent[..]);
                let evidence = evidence
                    .ok()
                    .map(|sent| sent.check(&commitment, GENESIS).is_ok());
                (proof, evidence)
            });
            let (proof, evidence) = outcome.expect("no panic");
            assert_ne!(proof, Some(true), "{length} bytes of {fill}");
            assert_ne!(evidence, Some(true), "{length} bytes of {fill}");
            proofs_checked += u32::from(proof.is_some());
            evidence_checked += u32::from(evidence.is_some());
        }
    }
    // Some of the bytes decode, so that the checks themselves see them.
    assert!(proofs_checked > 0 && evidence_checked > 0);
}

/// JUST-8: the sums of a justification and of the votes that it lacks are those of all the votes.
#[test]
fn a_justification_grows_by_votes_that_it_lacks_and_by_no_others() {
    let (set, message) = round(4);
    let vote = |signer| set.vote(signer, &message).expect("a member's vote holds");
    let three = set.justify(&message, [0, 1, 3]);
    let extend = |votes: &[Vote]| set.set.extend(&three, &message, votes);
    assert_eq!(
        extend(&[vote(2)]),
        Ok(set.justify(&message, 0..4)),
        "the same bytes as if all were added up at once"
    );
    assert_eq!(extend(&[vote(0), vote(2)]), Ok(set.justify(&message, 0..4)));
    assert_eq!(extend(&[vote(0)]), Ok(three.clone()), "nothing is new");
    let repeated = AggregateError::RepeatedSigner {
        signer: SignerIndex::new(2),
    };
    assert_eq!(extend(&[vote(2), vote(2)]), Err(repeated));

    let other = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
    let about_other = set.vote(2, &other).expect("a member's vote holds");
    let refused = AggregateError::OtherMessage {
        signer: SignerIndex::new(2),
    };
    assert_eq!(extend(std::slice::from_ref(&about_other)), Err(refused));
    assert_eq!(
        set.set.extend(&three, &other, &[about_other]),
        Err(AggregateError::OtherJustification)
    );
    let larger = TestSet::new(7, 0..9);
    assert_eq!(
        larger.set.extend(&three, &message, &[] as &[Vote]),
        Err(AggregateError::OtherJustification)
    );
}
