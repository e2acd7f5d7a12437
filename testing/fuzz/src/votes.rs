//! Targets of votes and of evidence against who signed two.

use crate::{
    judge, odd, related,
    sample::{GENESIS, SAMPLE},
    target::{seed, Seed, Target},
    wire::decoded,
};
use codec::Encode;
use duet_curve::Arithmetic;
use duet_primitives::{
    BlockNumber, Commitment, EquivocationError, EquivocationProof, Pk1Bytes, SetId, SignatureError,
    SignerIndex, UncheckedVote, VoteError, VoteSignature,
};
use std::{num::NonZeroUsize, sync::LazyLock};

/// The targets of votes.
pub(crate) const TARGETS: [Target; 2] = [
    Target {
        // VOTE-1 to VOTE-3, DLEQ-2, JUST-7.
        name: "vote",
        run: votes,
        seeds: vote_seeds,
    },
    Target {
        // EQV-1 to EQV-5.
        name: "equivocation",
        run: equivocation,
        seeds: equivocation_seeds,
    },
];

/// A commitment of fixed size, a position and a signature.
const VOTE_LEN: usize = 168 + 4 + 112;
/// Enough that the batch is checked with wide instructions where the processor has them.
const BATCH: usize = 17;

/// What the signature of a vote is to the judge.
fn judged(vote: &UncheckedVote) -> Result<(), VoteError> {
    let set = SAMPLE.set.set.keyset();
    let (expected, got) = (set.id(), vote.commitment.validator_set_id);
    if got != expected {
        return Err(VoteError::WrongSet { expected, got });
    }
    let signer = vote.signer;
    let keys = set.key_bytes();
    let key = usize::try_from(signer.get())
        .ok()
        .and_then(|place| keys.get(place))
        .ok_or(VoteError::UnknownSigner { signer, len: 7 })?;
    if &vote.commitment != SAMPLE.message.commitment() {
        return Err(VoteError::OtherMessage);
    }
    judge_signature(key, &vote.commitment, &vote.signature)
        .map_err(|error| VoteError::Signature { signer, error })
}

fn judge_signature(
    key: &Pk1Bytes,
    commitment: &Commitment,
    signature: &VoteSignature,
) -> Result<(), SignatureError> {
    judge::signature(key, &commitment.signed_bytes(GENESIS), signature)
}

/// The good vote of every member.
static MEMBERS: LazyLock<Vec<UncheckedVote>> = LazyLock::new(|| {
    let sign =
        |(signer, secret)| UncheckedVote::sign(secret, SignerIndex::new(signer), &SAMPLE.message);
    (0..).zip(&SAMPLE.set.secrets).map(sign).collect()
});

fn votes(data: &[u8]) {
    let set = SAMPLE.set.set.keyset();
    let mut votes: Vec<UncheckedVote> = data.chunks(VOTE_LEN).take(3).filter_map(decoded).collect();
    let expected: Vec<_> = votes.iter().map(judged).collect();
    for (vote, expected) in votes.iter().zip(&expected) {
        let alone = vote.clone().check(set, &SAMPLE.message).map(|_| ());
        assert_eq!(alone, *expected);
    }
    let given = votes.len();
    votes.resize(given.max(BATCH), MEMBERS[0].clone());
    let (one, two) = (NonZeroUsize::MIN, NonZeroUsize::MIN.saturating_add(1));
    for arithmetic in Arithmetic::supported() {
        arithmetic.choose().expect("the processor can do it");
        let checked = UncheckedVote::check_all(votes.clone(), set, &SAMPLE.message, one);
        assert_eq!(checked.len(), votes.len());
        let mut verdicts = checked.into_iter().map(|vote| vote.map(|_| ()));
        for expected in &expected {
            assert_eq!(verdicts.next().as_ref(), Some(expected), "{arithmetic}");
        }
        assert!(verdicts.all(|verdict| verdict == Ok(())));
    }
    aggregate(&votes[..given], &expected, two);
}

/// Adding up without checking refuses no good vote, and what it makes is a proof or nothing.
fn aggregate(given: &[UncheckedVote], expected: &[Result<(), VoteError>], threads: NonZeroUsize) {
    let all: Vec<_> = given.iter().chain(&*MEMBERS).cloned().collect();
    let found = SAMPLE
        .set
        .set
        .aggregate_unchecked(&SAMPLE.message, all, threads);
    let proof = found
        .justification
        .expect("all members signed")
        .into_unchecked();
    let set = judge::Set {
        id: SetId::new(3),
        keys: &SAMPLE.set.set.keyset().key_bytes(),
        genesis: GENESIS,
    };
    assert_eq!(judge::justification(&proof, &set), Ok(()));
    for (place, error) in found.refused {
        let Some(Err(first)) = expected.get(place) else {
            panic!("vote {place} is good, and refused for {error}");
        };
        assert!(
            error == *first || Some(error) == of_sigma(&given[place]),
            "vote {place} is refused for {error}, and not for {first}"
        );
    }
}

/// What is wrong with σ, which adding up looks at before the scalars.
fn of_sigma(vote: &UncheckedVote) -> Option<VoteError> {
    let error = judge::g1(&vote.signature.sigma().0).err()?;
    Some(VoteError::Signature {
        signer: vote.signer,
        error: SignatureError::Sigma(error),
    })
}

fn vote_seeds() -> Vec<Seed> {
    let good = SAMPLE
        .set
        .vote(2, &SAMPLE.message)
        .expect("a member's vote")
        .into_unchecked();
    let of_other = SAMPLE
        .set
        .vote(2, &SAMPLE.other)
        .expect("a member's vote")
        .into_unchecked();
    let mut seeds = vec![
        seed("good", good.encode()),
        seed(
            "two of one signer",
            [good.encode(), of_other.encode()].concat(),
        ),
        seed(
            "the signature of another message",
            UncheckedVote {
                signature: of_other.signature,
                ..good.clone()
            }
            .encode(),
        ),
    ];
    for signer in [0, 1, 6, 7, u32::MAX].map(SignerIndex::new) {
        seeds.push(seed(
            format!("signer {signer}"),
            UncheckedVote {
                signer,
                ..good.clone()
            }
            .encode(),
        ));
    }
    let mut with = |name: String, at: usize, bytes: &[u8]| {
        let mut changed = good.clone();
        changed.signature.0[at..at + bytes.len()].copy_from_slice(bytes);
        seeds.push(seed(name, [changed.encode(), good.encode()].concat()));
    };
    for (name, bytes) in odd::G1.iter() {
        with(format!("sigma {name}"), 0, bytes);
    }
    // σ plus a point of small order: the proof over σ no longer holds, and the subgroup check has to say so first.
    for (place, order) in odd::G1_ORDERS.iter().enumerate() {
        with(
            format!("sigma plus of order {order}"),
            0,
            &related::plus_small(&good.signature.sigma().0, place),
        );
    }
    for (name, bytes) in odd::SCALARS.iter() {
        with(format!("c {name}"), 48, bytes);
        with(format!("s {name}"), 80, bytes);
    }
    let mut wrong_set = good.clone();
    wrong_set.commitment.validator_set_id = SetId::new(4);
    seeds.push(seed("wrong set", wrong_set.encode()));
    seeds
}

fn equivocation(data: &[u8]) {
    let Some(proof) = decoded::<EquivocationProof>(data) else {
        return;
    };
    let set = SAMPLE.set.set.keyset();
    let verdict = proof.check(set.commitment(), GENESIS);
    let (first, second) = (&proof.first, &proof.second);
    for (which, (commitment, signature)) in [first, second].into_iter().enumerate() {
        let held = set.key(proof.signer).is_some_and(|key| {
            key.to_bytes() == proof.key
                && judge_signature(&proof.key, commitment, signature).is_ok()
        });
        match &verdict {
            Ok(found) => {
                assert!(held, "evidence that holds has two good signatures");
                assert_eq!((found.signer, found.key), (proof.signer, proof.key));
                assert_eq!(found.block_number, commitment.block_number);
                assert_eq!(found.set_id, commitment.validator_set_id);
                assert_ne!(first.0, second.0);
            }
            Err(EquivocationError::Signature { which: bad, error }) if *bad == which => {
                let judged = judge_signature(&proof.key, commitment, signature);
                assert_eq!(judged, Err(*error));
            }
            Err(_) => {}
        }
    }
}

fn equivocation_seeds() -> Vec<Seed> {
    let sample = &*SAMPLE;
    let vote = |signer, message| sample.set.vote(signer, message).expect("a member's vote");
    let keyset = sample.set.set.keyset();
    let good = EquivocationProof::new(keyset, &vote(2, &sample.message), &vote(2, &sample.other))
        .expect("a double vote");
    let mut seeds = vec![seed("good", good.encode())];
    let mut with = |name: String, change: &dyn Fn(&mut EquivocationProof)| {
        let mut changed = good.clone();
        change(&mut changed);
        seeds.push(seed(name, changed.encode()));
    };
    with("the same twice".into(), &|proof| {
        proof.second = proof.first.clone()
    });
    with("another block".into(), &|proof| {
        proof.second.0.block_number = BlockNumber::new(10)
    });
    with("another set".into(), &|proof| {
        proof.second.0.validator_set_id = SetId::new(4)
    });
    with("another signer".into(), &|proof| {
        proof.signer = SignerIndex::new(3)
    });
    with("signer outside".into(), &|proof| {
        proof.signer = SignerIndex::new(7)
    });
    with("the vote of another".into(), &|proof| {
        proof.second.1 = vote(3, &sample.other).to_unchecked().signature
    });
    for (name, bytes) in odd::G1.iter() {
        with(format!("key {name}"), &|proof| proof.key = Pk1Bytes(*bytes));
        with(format!("sigma {name}"), &|proof| {
            proof.first.1 .0[..48].copy_from_slice(bytes)
        });
    }
    seeds
}
