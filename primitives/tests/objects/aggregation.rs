//! Votes that are added up before they are checked: the proof holds whenever enough of them are valid, the invalid
//! ones that spoil a sum are found, and the verdict on these is that of checking each alone.

use ark_bls12_381::Fr;
use ark_ff::{BigInteger, PrimeField};
use duet_curve::{Blst, Encodings, Groups, Multiplications, Scalars, Sums};
use duet_primitives::{
    testing::{secret, TestSet},
    AggregateError, Aggregation, Bitfield, BlockNumber, Commitment, DualKeyset, JustificationError,
    Pk2Bytes, PointError, RoundMessage, SecretKey, SetId, SignatureBytes, SignatureError,
    SignerIndex, UncheckedJustification, UncheckedVote, Vote, VoteError, VoteSignature, H256,
};
use proptest::prelude::*;
use std::num::NonZeroUsize;

const GENESIS: H256 = H256::repeat_byte(7);
const MEMBERS: u32 = 10;
const THRESHOLD: u32 = 7;

struct Round {
    set: TestSet,
    message: RoundMessage,
}

impl Round {
    fn new() -> Self {
        let set = TestSet::new(3, 0..u64::from(MEMBERS));
        let message = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
        Self { set, message }
    }

    fn vote(&self, signer: u32) -> UncheckedVote {
        let secret = &self.set.secrets[signer as usize];
        UncheckedVote::sign(secret, SignerIndex::new(signer), &self.message)
    }

    fn votes(&self, count: u32) -> Vec<UncheckedVote> {
        (0..count).map(|signer| self.vote(signer)).collect()
    }

    fn aggregate(&self, votes: &[UncheckedVote]) -> Aggregation {
        let aggregation =
            self.set
                .set
                .aggregate_unchecked(&self.message, votes.to_vec(), NonZeroUsize::MIN);
        if let Ok(justification) = &aggregation.justification {
            let checked = justification
                .as_unchecked()
                .clone()
                .check(self.set.set.keyset(), GENESIS);
            assert_eq!(checked.as_ref(), Ok(justification), "it holds for anybody");
        }
        // A refused vote is one that a check alone refuses, for the same reason.
        for (at, error) in &aggregation.refused {
            let alone = votes[*at]
                .clone()
                .check(self.set.set.keyset(), &self.message);
            let alone = alone.map(|_| ()).unwrap_err();
            let on_the_curve_first = matches!(
                (&alone, error),
                (
                    VoteError::Signature { signer: a, .. },
                    VoteError::Signature {
                        signer: b,
                        error: SignatureError::Sigma(_)
                    }
                ) if a == b
            );
            assert!(alone == *error || on_the_curve_first, "{alone} and {error}");
        }
        aggregation
    }

    fn signers(&self, votes: &[UncheckedVote]) -> Vec<u32> {
        let justification = self.aggregate(votes).justification.unwrap();
        let signers = justification.signers().signers(MEMBERS);
        signers.map(SignerIndex::get).collect()
    }
}

fn with_sigma(vote: &UncheckedVote, sigma: SignatureBytes) -> UncheckedVote {
    let mut bytes = vote.signature.0;
    bytes[..48].copy_from_slice(&sigma.0);
    UncheckedVote {
        signature: VoteSignature(bytes),
        ..vote.clone()
    }
}

/// σ moved by a multiple of the generator.
fn moved(vote: &UncheckedVote, by: u64, forth: bool) -> UncheckedVote {
    let sigma = Blst::g1_from_bytes(&vote.signature.sigma().0).unwrap();
    let step = Blst::g1_mul_secret(&Blst::g1_generator(), &Blst::scalar_from_u128(by.into()));
    let step = if forth { step } else { Blst::g1_neg(&step) };
    let sum = Blst::g1_to_bytes(&Blst::g1_sum(&[&sigma, &step]));
    with_sigma(vote, SignatureBytes(sum))
}

/// JUST-7.
#[test]
fn unchecked_votes_add_up_to_what_checked_votes_add_up_to() {
    let round = Round::new();
    for count in 7..=MEMBERS {
        let found = round.aggregate(&round.votes(count));
        let expected = round.set.justify(&round.message, 0..count);
        assert_eq!(found.justification.unwrap(), expected);
        assert!(found.refused.is_empty());
    }
}

/// JUST-7.
#[test]
fn one_bad_vote_is_found_and_the_others_are_added_up() {
    let round = Round::new();
    for bad in [0, 4, 9] {
        let mut votes = round.votes(MEMBERS);
        votes[bad] = moved(&votes[bad], 5, true);
        let found = round.aggregate(&votes);
        assert_eq!(found.refused.len(), 1);
        assert_eq!(found.refused[0].0, bad);
        let expected = (0..MEMBERS).filter(|signer| *signer as usize != bad);
        assert_eq!(
            found.justification.unwrap(),
            round.set.justify(&round.message, expected)
        );
    }
}

#[test]
fn when_all_are_bad_all_are_found() {
    let round = Round::new();
    let votes: Vec<_> = round.votes(MEMBERS);
    let votes: Vec<_> = votes.iter().map(|vote| moved(vote, 3, true)).collect();
    let found = round.aggregate(&votes);
    let found_at: Vec<_> = found.refused.iter().map(|(at, _)| *at).collect();
    assert_eq!(found_at, (0..MEMBERS as usize).collect::<Vec<_>>());
    let (threshold, got) = (THRESHOLD, 0);
    assert_eq!(
        found.justification,
        Err(AggregateError::BelowThreshold { threshold, got })
    );
}

#[test]
fn errors_that_cancel_leave_a_sum_that_holds() {
    let round = Round::new();
    let mut votes = round.votes(MEMBERS);
    votes[2] = moved(&votes[2], 9, true);
    votes[7] = moved(&votes[7], 9, false);
    let found = round.aggregate(&votes);
    assert!(found.refused.is_empty());
    // The proof is the one that their honest votes would have made.
    let expected = round.set.justify(&round.message, 0..MEMBERS);
    assert_eq!(found.justification.unwrap(), expected);
}

#[test]
fn a_component_of_small_order_is_found_though_no_vote_is_checked_for_it() {
    let round = Round::new();
    let mut votes = round.votes(MEMBERS);
    // (0, 2) has order three.
    let mut small = [0; 48];
    small[0] = 0x80;
    let small = Blst::g1_from_stored_unchecked(&small).unwrap();
    let sigma = Blst::g1_from_bytes(&votes[1].signature.sigma().0).unwrap();
    let sum = SignatureBytes(Blst::g1_to_bytes(&Blst::g1_sum(&[&sigma, &small])));
    votes[1] = with_sigma(&votes[1], sum);
    let found = round.aggregate(&votes);
    assert_eq!(found.refused.len(), 1);
    assert_eq!(found.refused[0].0, 1);
    assert_eq!(found.justification.unwrap().signers().count(), MEMBERS - 1);
}

#[test]
fn a_signer_counts_once_and_its_first_useful_vote_counts() {
    let round = Round::new();
    let honest = round.votes(7);
    let twice: Vec<_> = honest.iter().chain(&honest).cloned().collect();
    assert_eq!(round.signers(&twice), (0..7).collect::<Vec<_>>());
    // Six signers are too few, however often they vote.
    let six: Vec<_> = honest[..6].iter().cycle().take(30).cloned().collect();
    let (threshold, got) = (7, 6);
    assert_eq!(
        round.aggregate(&six).justification,
        Err(AggregateError::BelowThreshold { threshold, got })
    );
    // A forged vote in front of the true one does not take its place.
    for forged in [
        moved(&honest[3], 2, true),
        with_sigma(&honest[3], SignatureBytes([0xff; 48])),
    ] {
        let votes: Vec<_> = [forged].iter().chain(&honest).cloned().collect();
        let found = round.aggregate(&votes);
        assert_eq!(found.refused.len(), 1);
        assert_eq!(found.refused[0].0, 0);
        assert_eq!(found.justification.unwrap().signers().count(), 7);
    }
}

#[test]
fn votes_of_strangers_and_on_other_things_are_found() {
    let round = Round::new();
    let mut votes = round.votes(MEMBERS);
    votes[0].signer = SignerIndex::new(MEMBERS);
    votes[5].commitment.block_number = BlockNumber::new(11);
    votes[8].commitment.validator_set_id = SetId::new(4);
    let found = round.aggregate(&votes);
    let found_at: Vec<_> = found.refused.iter().map(|(at, _)| *at).collect();
    assert_eq!(found_at, [0, 5, 8]);
    assert_eq!(found.justification.unwrap().signers().count(), 7);
    let other = TestSet::new(4, 0..u64::from(MEMBERS));
    let (expected, got) = (4, 3);
    let found =
        other
            .set
            .aggregate_unchecked(&round.message, round.votes(MEMBERS), NonZeroUsize::MIN);
    assert_eq!(
        found.justification,
        Err(AggregateError::WrongSet {
            expected: SetId::new(expected),
            got: SetId::new(got)
        })
    );
}

#[test]
fn one_vote_that_makes_the_unchecked_sum_infinite_does_not_hide_the_others() {
    let round = Round::new();
    let mut votes = round.votes(MEMBERS);
    let sigma = |vote: &UncheckedVote| Blst::g1_from_bytes(&vote.signature.sigma().0).unwrap();
    let others: Vec<_> = votes[1..].iter().map(sigma).collect();
    let sum = Blst::g1_sum(&others.iter().collect::<Vec<_>>());
    votes[0] = with_sigma(
        &votes[0],
        SignatureBytes(Blst::g1_to_bytes(&Blst::g1_neg(&sum))),
    );
    let found = round.aggregate(&votes);
    assert_eq!(found.refused.len(), 1);
    assert_eq!(found.refused[0].0, 0);
    let expected = round.set.justify(&round.message, 1..MEMBERS);
    assert_eq!(found.justification.unwrap(), expected);
}

/// The secret with the opposite sign, whose key is the opposite point in both groups.
fn opposite(secret: &SecretKey) -> SecretKey {
    let scalar = Fr::from_le_bytes_mod_order(&*secret.expose());
    let bytes = (-scalar).into_bigint().to_bytes_le();
    SecretKey::from_bytes(&bytes.try_into().unwrap()).unwrap()
}

/// Five members, each with a proof of possession, of which the first four add up to zero.
fn set_with_opposite_keys() -> (DualKeyset, Vec<SecretKey>) {
    let [first, second, third] = [1, 2, 3].map(secret);
    let secrets = vec![opposite(&first), first, opposite(&second), second, third];
    let possessed = |secret: &SecretKey| {
        let proof = secret.prove_possession(b"owner");
        secret.public().check_possession(b"owner", &proof).unwrap()
    };
    let keys = secrets.iter().map(possessed).collect();
    (DualKeyset::new(SetId::new(3), keys).unwrap(), secrets)
}

#[test]
fn checked_votes_that_add_up_to_infinity_are_refused_as_a_verifier_would() {
    let (set, secrets) = set_with_opposite_keys();
    let commitment = Commitment {
        block_number: BlockNumber::new(10),
        block_hash: H256::zero(),
        mmr_root: H256::zero(),
        validator_set_id: set.commitment().id,
        next: set.commitment().clone(),
    };
    let message = RoundMessage::new(GENESIS, commitment);
    let unchecked: Vec<_> = secrets
        .iter()
        .map(|secret| {
            let signer = set.keyset().position(&secret.public().pk1()).unwrap();
            UncheckedVote::sign(secret, signer, &message)
        })
        .collect();
    let check = |vote: &UncheckedVote| vote.clone().check(set.keyset(), &message).unwrap();
    let votes: Vec<_> = unchecked.iter().map(check).collect();

    let all = set.aggregate(&message, &votes).unwrap();
    assert!(all.into_unchecked().check(set.keyset(), GENESIS).is_ok());
    let opposite = set.aggregate(&message, &votes[..4]);
    assert_eq!(opposite, Err(AggregateError::ZeroSum));
    let found = set.aggregate_unchecked(&message, unchecked[..4].to_vec(), NonZeroUsize::MIN);
    assert_eq!(found.justification, Err(AggregateError::ZeroSum));
    assert!(found.refused.is_empty());
    // What `aggregate` would have to return: the same signers with both sums at infinity.
    let infinity = |len: usize| [vec![0xc0], vec![0; len - 1]].concat();
    let proof = UncheckedJustification {
        commitment: message.commitment().clone(),
        signers: Bitfield::from_indices(5, votes[..4].iter().map(Vote::signer)),
        signature: SignatureBytes(infinity(48).try_into().unwrap()),
        apk2: Pk2Bytes(infinity(96).try_into().unwrap()),
    };
    let refused = JustificationError::Signature(PointError::Infinity);
    assert_eq!(proof.check(set.keyset(), GENESIS), Err(refused));
}

#[test]
fn a_vote_of_another_chain_is_not_added_up() {
    let round = Round::new();
    let elsewhere = H256::repeat_byte(8);
    let same_words = RoundMessage::new(elsewhere, round.message.commitment().clone());
    let vote = |signer, message| round.set.vote(signer, message).unwrap();
    let mut votes: Vec<_> = (0..MEMBERS)
        .map(|signer| vote(signer, &round.message))
        .collect();
    votes[6] = vote(6, &same_words);
    let signer = SignerIndex::new(6);
    assert_eq!(
        round.set.set.aggregate(&round.message, &votes),
        Err(AggregateError::OtherMessage { signer })
    );
    // Left out, the others are enough.
    votes.remove(6);
    assert!(round.set.set.aggregate(&round.message, &votes).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The good votes are enough or not, and nothing that the bad ones do changes that.
    #[test]
    fn there_is_a_proof_whenever_enough_votes_are_good(kinds in prop::collection::vec(0_u8..5, 10)) {
        let round = Round::new();
        let votes: Vec<_> = round
            .votes(MEMBERS)
            .into_iter()
            .zip(&kinds)
            .map(|(vote, kind)| match kind {
                0 | 1 => vote,
                2 => moved(&vote, 11, true),
                3 => with_sigma(&vote, SignatureBytes([0; 48])),
                _ => with_sigma(&vote, round.vote((vote.signer.get() + 1) % MEMBERS).signature.sigma()),
            })
            .collect();
        let good: u32 = kinds.iter().map(|kind| u32::from(*kind < 2)).sum();
        let found = round.aggregate(&votes);
        prop_assert_eq!(found.justification.is_ok(), good >= THRESHOLD);
        if let Ok(justification) = found.justification {
            let signers = justification.signers().signers(MEMBERS);
            let signers: Vec<_> = signers.map(SignerIndex::get).collect();
            let expected: Vec<_> = (0..MEMBERS).filter(|at| kinds[*at as usize] < 2).collect();
            prop_assert_eq!(signers, expected);
        }
    }
}
