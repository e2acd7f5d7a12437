//! The votes of a round checked together: the verdicts are those of checking each alone, on every mix of honest,
//! wrong, malformed and hostile votes, with and without tables, on one thread and on several, in every arithmetic.

use duet_curve::{Arithmetic, Blst, Encodings, Scalars, Sums};
use duet_primitives::{
    suite::{G1_LEN, SCALAR_LEN},
    testing::{secret, TestSet},
    BlockNumber, Keyset, RoundMessage, SecretKey, SetId, SignerIndex, UncheckedVote, Vote,
    VoteError, VoteSignature, H256,
};
use proptest::prelude::*;
use std::{
    num::NonZeroUsize,
    sync::{Mutex, PoisonError},
};

/// Above the number from which on votes are batched, and not a multiple of a batch.
const MEMBERS: u64 = 37;
const GENESIS: H256 = H256::repeat_byte(7);

/// Held by who chooses the arithmetic of the process.
static ARITHMETIC: Mutex<()> = Mutex::new(());

struct Round {
    set: TestSet,
    message: RoundMessage,
    other: RoundMessage,
}

impl Round {
    fn new() -> Self {
        let (set, next) = (TestSet::new(3, 0..MEMBERS), TestSet::new(4, 1..=MEMBERS));
        let [message, other] =
            [10, 11].map(|block| RoundMessage::new(GENESIS, set.commitment(block, &next.set)));
        Self {
            set,
            message,
            other,
        }
    }

    fn keyset(&self) -> &Keyset {
        self.set.set.keyset()
    }

    fn honest(&self, signer: usize) -> UncheckedVote {
        let index = u32::try_from(signer).unwrap();
        UncheckedVote::sign(
            &self.set.secrets[signer],
            SignerIndex::new(index),
            &self.message,
        )
    }

    /// What a vote says once it is checked: everything that an aggregate takes from it.
    fn verdicts(results: Vec<Result<Vote, VoteError>>) -> Vec<Result<UncheckedVote, VoteError>> {
        results
            .into_iter()
            .map(|result| result.map(Vote::into_unchecked))
            .collect()
    }

    /// Asserts that votes are judged alike in every way there is, and returns how.
    fn judge(&self, votes: &[UncheckedVote]) -> Vec<Result<UncheckedVote, VoteError>> {
        // A set and a message of their own have no tables yet, so that the first pass goes without.
        let fresh = Self::new();
        let alone = |round: &Self| {
            let check = |vote: &UncheckedVote| vote.clone().check(round.keyset(), &round.message);
            Self::verdicts(votes.iter().map(check).collect())
        };
        let expected = alone(&fresh);
        assert_eq!(alone(self), expected);
        assert_eq!(alone(self), expected);
        let _alone = ARITHMETIC.lock().unwrap_or_else(PoisonError::into_inner);
        for arithmetic in Arithmetic::supported() {
            arithmetic.choose().unwrap();
            for threads in [1, 2, 5] {
                let threads = NonZeroUsize::new(threads).unwrap();
                let check = |round: &Self| {
                    UncheckedVote::check_all(
                        votes.to_vec(),
                        round.keyset(),
                        &round.message,
                        threads,
                    )
                };
                assert_eq!(Self::verdicts(check(self)), expected, "{arithmetic}");
                assert_eq!(
                    Self::verdicts(check(&Self::new())),
                    expected,
                    "{arithmetic}"
                );
            }
        }
        expected
    }
}

/// σ, `c` and `s` of a signature.
fn parts(signature: &VoteSignature) -> ([u8; G1_LEN], [u8; SCALAR_LEN], [u8; SCALAR_LEN]) {
    let (sigma, scalars) = signature.0.split_at(G1_LEN);
    let (c, s) = scalars.split_at(SCALAR_LEN);
    let [sigma, c, s] = [sigma, c, s].map(<[u8]>::to_vec);
    (
        sigma.try_into().unwrap(),
        c.try_into().unwrap(),
        s.try_into().unwrap(),
    )
}

fn joined(sigma: [u8; G1_LEN], c: [u8; SCALAR_LEN], s: [u8; SCALAR_LEN]) -> VoteSignature {
    VoteSignature([&sigma[..], &c, &s].concat().try_into().unwrap())
}

/// The encoding of a point of order three, which is on the curve and outside of the subgroup.
fn order_three() -> [u8; G1_LEN] {
    let mut bytes = [0; G1_LEN];
    bytes[0] = 0x80;
    bytes
}

/// σ with the point of order three added to it.
fn shifted(signature: &VoteSignature) -> VoteSignature {
    let sigma = Blst::g1_from_bytes(&parts(signature).0).unwrap();
    let small = Blst::g1_from_stored_unchecked(&order_three()).unwrap();
    let sum = Blst::g1_to_bytes(&Blst::g1_sum(&[&sigma, &small]));
    joined(sum, parts(signature).1, parts(signature).2)
}

/// Ways in which a vote goes wrong, or is made to hurt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    Sigma,
    Challenge,
    Response,
    ZeroChallenge,
    ZeroResponse,
    UnreducedChallenge,
    Infinity,
    NoPoint,
    SmallOrder,
    SigmaPlusSmallOrder,
    SomebodyElses,
    Stranger,
    OtherSet,
    OtherBlock,
    AnotherRoundsSignature,
}

const ALL: [Wrong; 16] = [
    Wrong::Nothing,
    Wrong::Sigma,
    Wrong::Challenge,
    Wrong::Response,
    Wrong::ZeroChallenge,
    Wrong::ZeroResponse,
    Wrong::UnreducedChallenge,
    Wrong::Infinity,
    Wrong::NoPoint,
    Wrong::SmallOrder,
    Wrong::SigmaPlusSmallOrder,
    Wrong::SomebodyElses,
    Wrong::Stranger,
    Wrong::OtherSet,
    Wrong::OtherBlock,
    Wrong::AnotherRoundsSignature,
];

fn vote(round: &Round, signer: usize, wrong: Wrong) -> UncheckedVote {
    let mut vote = round.honest(signer);
    let neighbour = (signer + 1) % round.set.secrets.len();
    let (sigma, c, s) = parts(&vote.signature);
    let zero = [0; SCALAR_LEN];
    let infinity = || {
        let mut bytes = [0; G1_LEN];
        bytes[0] = 0xc0;
        bytes
    };
    let of_neighbour = round.honest(neighbour).signature;
    vote.signature = match wrong {
        Wrong::Sigma => joined(parts(&of_neighbour).0, c, s),
        Wrong::Challenge => joined(sigma, parts(&of_neighbour).1, s),
        Wrong::Response => joined(sigma, c, parts(&of_neighbour).2),
        Wrong::ZeroChallenge => joined(sigma, zero, s),
        Wrong::ZeroResponse => joined(sigma, c, zero),
        Wrong::UnreducedChallenge => joined(sigma, [0xff; SCALAR_LEN], s),
        Wrong::Infinity => joined(infinity(), c, s),
        Wrong::NoPoint => joined([0xff; G1_LEN], c, s),
        Wrong::SmallOrder => joined(order_three(), c, s),
        Wrong::SigmaPlusSmallOrder => shifted(&vote.signature),
        Wrong::SomebodyElses => of_neighbour,
        Wrong::AnotherRoundsSignature => {
            let index = vote.signer;
            UncheckedVote::sign(&round.set.secrets[signer], index, &round.other).signature
        }
        _ => vote.signature,
    };
    match wrong {
        Wrong::Stranger => vote.signer = SignerIndex::new(u32::try_from(MEMBERS).unwrap() + 5),
        Wrong::OtherSet => vote.commitment.validator_set_id = SetId::new(4),
        Wrong::OtherBlock => vote.commitment.block_number = BlockNumber::new(11),
        _ => {}
    }
    vote
}

#[test]
fn honest_votes_hold_together_and_alone() {
    let round = Round::new();
    let votes: Vec<_> = (0..round.set.secrets.len())
        .map(|at| round.honest(at))
        .collect();
    let verdicts = round.judge(&votes);
    assert!(verdicts.into_iter().eq(votes.into_iter().map(Ok)));
}

#[test]
fn one_bad_vote_among_many_is_the_one_that_is_refused() {
    let round = Round::new();
    for (at, wrong) in ALL.into_iter().enumerate().skip(1) {
        let votes: Vec<_> = (0..round.set.secrets.len())
            .map(|signer| {
                vote(
                    &round,
                    signer,
                    if signer == 2 * at {
                        wrong
                    } else {
                        Wrong::Nothing
                    },
                )
            })
            .collect();
        for (signer, verdict) in round.judge(&votes).iter().enumerate() {
            assert_eq!(verdict.is_err(), signer == 2 * at, "{wrong:?}");
        }
    }
}

#[test]
fn one_bad_vote_in_a_thousand_is_the_one_that_is_refused() {
    let round = Round::new();
    let honest: Vec<_> = (0..round.set.secrets.len())
        .map(|at| round.honest(at))
        .collect();
    let votes: Vec<_> = honest.iter().cycle().take(1000).cloned().collect();
    // On both sides of the sizes at which the next batches begin.
    for at in [0, 255, 256, 999] {
        let mut votes = votes.clone();
        votes[at] = vote(&round, at % honest.len(), Wrong::SigmaPlusSmallOrder);
        let alone = votes[at].clone().check(round.keyset(), &round.message);
        for threads in [1, 2] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let verdicts =
                UncheckedVote::check_all(votes.clone(), round.keyset(), &round.message, threads);
            let refused: Vec<_> = verdicts
                .into_iter()
                .enumerate()
                .filter_map(|(at, verdict)| verdict.err().map(|error| (at, error)))
                .collect();
            assert_eq!(refused, [(at, alone.clone().expect_err("it is bad"))]);
        }
    }
}

#[test]
fn when_all_are_bad_all_are_refused() {
    let round = Round::new();
    for wrong in ALL.into_iter().skip(1) {
        let votes: Vec<_> = (0..20).map(|signer| vote(&round, signer, wrong)).collect();
        assert!(round.judge(&votes).iter().all(Result::is_err), "{wrong:?}");
    }
}

#[test]
fn a_pair_of_bad_signatures_that_cancel_is_refused_twice() {
    let round = Round::new();
    let mut votes: Vec<_> = (0..20).map(|signer| round.honest(signer)).collect();
    // The sum of all signatures stays the same: two of them are exchanged.
    let [first, second] = [3, 9].map(|at: usize| votes[at].signature);
    votes[3].signature = joined(parts(&second).0, parts(&first).1, parts(&first).2);
    votes[9].signature = joined(parts(&first).0, parts(&second).1, parts(&second).2);
    for (signer, verdict) in round.judge(&votes).iter().enumerate() {
        assert_eq!(verdict.is_err(), [3, 9].contains(&signer));
    }
}

#[test]
fn a_signer_that_repeats_itself_is_judged_each_time() {
    let round = Round::new();
    let votes: Vec<_> = (0..40)
        .map(|at| {
            vote(
                &round,
                5,
                if at % 3 == 1 {
                    Wrong::Response
                } else {
                    Wrong::Nothing
                },
            )
        })
        .collect();
    for (at, verdict) in round.judge(&votes).iter().enumerate() {
        assert_eq!(verdict.is_err(), at % 3 == 1);
    }
}

#[test]
fn keys_that_are_multiples_of_the_generator_meet_no_exception() {
    // `pk1 = g1`, `pk1 = −g1` and `pk1 = 2·g1`: sums of multiples of both meet, cancel and double.
    let one = |last: u8| {
        let mut bytes = [0; SCALAR_LEN];
        bytes[0] = last;
        bytes
    };
    let minus_one = {
        let (zero, one) = (
            Blst::scalar_from_bytes(&one(0)),
            Blst::scalar_from_bytes(&one(1)),
        );
        let (zero, one) = (zero.unwrap(), one.unwrap());
        Blst::scalar_to_bytes(&Blst::scalar_sub_mul(&zero, &one, &one))
    };
    let secrets = [one(1), one(2), minus_one].map(|bytes| SecretKey::from_bytes(&bytes).unwrap());
    let all = secrets.into_iter().chain((0..20).map(secret));
    let (keys, mut secrets): (Vec<_>, Vec<_>) = all
        .map(|secret| {
            let proof = secret.prove_possession(b"owner");
            let key = secret.public().check_possession(b"owner", &proof);
            (key.expect("an honest proof"), secret)
        })
        .unzip();
    secrets.sort_by_key(|secret| secret.public().pk1());
    let set = TestSet {
        set: duet_primitives::DualKeyset::new(SetId::new(3), keys).unwrap(),
        secrets,
    };
    let message = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
    let votes: Vec<_> = (0..)
        .zip(&set.secrets)
        .map(|(index, secret)| UncheckedVote::sign(secret, SignerIndex::new(index), &message))
        .collect();
    for _ in 0..3 {
        let keyset = set.set.keyset();
        let verdicts = UncheckedVote::check_all(votes.clone(), keyset, &message, NonZeroUsize::MIN);
        assert!(verdicts.iter().all(Result::is_ok));
        assert!(votes
            .iter()
            .all(|vote| vote.clone().check(keyset, &message).is_ok()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_mix_is_judged_alike(
        mix in proptest::collection::vec((0..37_usize, 0..32_usize), 0..60),
    ) {
        let round = Round::new();
        let kinds: Vec<_> = mix
            .iter()
            // Half of them honest.
            .map(|(signer, kind)| (*signer, ALL.get(*kind).copied().unwrap_or(Wrong::Nothing)))
            .collect();
        let votes: Vec<_> = kinds.iter().map(|(signer, wrong)| vote(&round, *signer, *wrong)).collect();
        for (verdict, (_, wrong)) in round.judge(&votes).iter().zip(&kinds) {
            prop_assert_eq!(verdict.is_ok(), *wrong == Wrong::Nothing);
        }
    }
}
