//! Measures on this machine, with the code that nodes run.

use super::{CostTable, Costs, SchemeCosts, BATCHES};
use codec::Encode;
use duet_benches::{
    fixtures::{decode_justification, decode_vote, share, spread, Round, GENESIS},
    rivals::{BlstMinSig, BlstMinSigAggregate, BlstSignatures, Ecdsa},
};
use duet_curve::Arithmetic;
use duet_primitives::{Commitment, RoundMessage, SignerIndex, UncheckedVote, H256};
use rustix::time::{clock_gettime, ClockId};
use sp_core::{Blake2Hasher, Hasher};
use std::{collections::HashSet, hint::black_box, num::NonZeroUsize, time::Duration};

/// How long one figure is measured for, and how many samples it takes at least.
const PATIENCE: Duration = Duration::from_millis(400);
const SAMPLES: usize = 3;

/// How long one sample takes at least. Where the kernel counts a thread's time in ticks, the longest are of 10 ms: within one
/// tick, the clock may not move at all.
const SAMPLE: Duration = Duration::from_millis(20);

/// The share of a set that signs the finality proofs.
const SIGNED: u32 = 67;

/// Measures everything that rounds of these sizes need, on one core.
///
/// Each figure is processor time, the least of several samples: what the work takes when nothing else runs. Takes a few seconds
/// for small sets, and about two minutes for 10 000 validators.
///
/// # Panics
/// When a good vote or proof does not hold or a bad one does: the figures would be of something else.
pub fn measure(sizes: &[u32]) -> CostTable {
    CostTable {
        machine: format!("{}, {}", processor(), Arithmetic::current()),
        sets: sizes.iter().map(|validators| of_set(*validators)).collect(),
    }
}

fn of_set(validators: u32) -> Costs {
    let round = Round::of(validators);
    let signers = spread(validators, share(validators, SIGNED));
    Costs {
        validators,
        message: message(round),
        dleq: dleq(round, &signers),
        dleq_portable: portable(|| dleq(round, &signers)),
        pairings: pairings(round, &signers),
        ecdsa: ecdsa(round, &signers),
    }
}

/// Measures without vectors of 512 bits.
fn portable<T>(measure: impl FnOnce() -> T) -> T {
    let fastest = Arithmetic::current();
    Arithmetic::Portable
        .choose()
        .expect("every processor can; qed");
    let measured = measure();
    fastest.choose().expect("it was in use; qed");
    measured
}

/// What a node does with every message: it decodes and hashes the bytes, and looks the hash up.
fn message(round: &Round) -> u64 {
    let known: HashSet<_> = round
        .votes()
        .iter()
        .map(|vote| Blake2Hasher::hash(vote))
        .collect();
    fastest(round.votes().len(), || {
        let mut votes = round.votes().iter();
        votes.all(|vote| {
            black_box(decode_vote(black_box(vote)));
            known.contains(&Blake2Hasher::hash(vote))
        })
    })
}

/// With the tables of the session's keys at hand, as all but the first votes of a session have them.
fn dleq(round: &Round, signers: &[SignerIndex]) -> SchemeCosts {
    let one_by_one = |message: &RoundMessage| {
        round.votes().iter().all(|vote| {
            let vote = decode_vote(black_box(vote));
            vote.check(round.keyset(), message).is_ok()
        })
    };
    let message = round.message();
    // The first two votes of a key and of a message make its tables.
    assert!(
        one_by_one(&message) && one_by_one(&message),
        "good votes hold"
    );
    let checked = round.checked_votes(signers);
    let proofs: Vec<_> = round
        .history(4, SIGNED)
        .iter()
        .map(Encode::encode)
        .collect();
    let bad = bad_votes(round);
    let strange = RoundMessage::new(GENESIS, round.commitment.clone());
    let vote = fastest(round.votes().len(), || one_by_one(&message));
    SchemeCosts {
        vote,
        in_batch: BATCHES.map(|size| together(round, &message, size)),
        strange_vote: fastest(round.votes().len(), || one_by_one(&strange)),
        bad_vote: fastest(bad.len(), || {
            bad.iter().all(|vote| {
                let vote = decode_vote(black_box(vote));
                let message = RoundMessage::new(GENESIS, vote.commitment.clone());
                vote.check(round.keyset(), &message).is_err()
            })
        }),
        prepare: prepare(round).saturating_sub(2 * vote),
        aggregation: fastest(1, || {
            let set = &round.set.set;
            set.aggregate(&message, black_box(&checked)).is_ok()
        }),
        proof: fastest(proofs.len(), || {
            proofs.iter().all(|proof| {
                let proof = decode_justification(black_box(proof));
                proof.check(round.keyset(), GENESIS).is_ok()
            })
        }),
    }
}

/// One vote of a round's that are checked so many at a time; of a small set, votes stand in a batch more than once.
fn together(round: &Round, message: &RoundMessage, size: u32) -> u64 {
    let size = usize::try_from(size).expect("small; qed");
    let votes: Vec<_> = round.votes().iter().cycle().take(size).collect();
    let more = round.votes().chunks_exact(size).skip(1);
    let batches: Vec<Vec<_>> = [votes]
        .into_iter()
        .chain(more.map(|chunk| chunk.iter().collect()))
        .collect();
    fastest(batches.len() * size, || {
        batches.iter().all(|batch| {
            let votes = batch
                .iter()
                .map(|vote| decode_vote(black_box(vote)))
                .collect();
            let verdicts =
                UncheckedVote::check_all(votes, round.keyset(), message, NonZeroUsize::MIN);
            verdicts.iter().all(Result::is_ok)
        })
    })
}

/// Hashing the own message and the first two votes on it, of which the second makes the tables.
fn prepare(round: &Round) -> u64 {
    let votes: Vec<_> = round.votes().iter().take(2).collect();
    fastest(1, || {
        let message = round.message();
        votes.iter().all(|vote| {
            let vote = decode_vote(black_box(vote));
            vote.check(round.keyset(), &message).is_ok()
        })
    })
}

/// Each on a commitment of its own, and signed by another key than it says, so that nothing shows before the last
/// step of the check.
fn bad_votes(round: &Round) -> Vec<Vec<u8>> {
    const COUNT: u8 = 16;
    let secrets = &round.set.secrets;
    (0..COUNT)
        .zip(secrets)
        .map(|(at, secret)| {
            let commitment = Commitment {
                block_hash: H256::repeat_byte(at),
                ..round.commitment.clone()
            };
            let message = RoundMessage::new(GENESIS, commitment);
            UncheckedVote::sign(
                secret,
                SignerIndex::new(u32::from(at).saturating_add(1)),
                &message,
            )
            .encode()
        })
        .take(secrets.len().saturating_sub(1))
        .collect()
}

/// blst, with the message of good votes hashed in advance, which its own interface does not offer, and without
/// any other overhead.
fn pairings(round: &Round, signers: &[SignerIndex]) -> SchemeCosts {
    let signed = round.signed_bytes();
    let other = [signed.as_slice(), b"something else"].concat();
    let sigma = decode_vote(&round.votes()[0]).signature.sigma().0;
    let key = round.set.secrets[0].public();
    let blst = BlstMinSig::new(&key, &signed);
    let signatures = BlstSignatures::new(round, signers);
    let aggregate = BlstMinSigAggregate::new(round, signers);
    let vote = fastest(1, || blst.check_hashed(black_box(&sigma)));
    let bad_vote = fastest(1, || !blst.check(black_box(&other), &sigma));
    SchemeCosts {
        vote,
        in_batch: [vote; BATCHES.len()],
        strange_vote: vote,
        bad_vote,
        prepare: bad_vote.saturating_sub(vote),
        aggregation: fastest(1, || black_box(&signatures).aggregate()),
        proof: fastest(1, || aggregate.check(black_box(&signed))),
    }
}

/// As BEEFY does it; a proof is the votes themselves, put together.
fn ecdsa(round: &Round, signers: &[SignerIndex]) -> SchemeCosts {
    let message = round.message_bytes();
    let other = [message.as_slice(), b"something else"].concat();
    let one = Ecdsa::new(1, &message);
    let count = u32::try_from(signers.len()).expect("at most the set; qed");
    let proof = Ecdsa::new(count, &message);
    let vote = fastest(1, || one.check(black_box(&message)));
    SchemeCosts {
        vote,
        in_batch: [vote; BATCHES.len()],
        strange_vote: vote,
        prepare: 0,
        bad_vote: fastest(1, || !one.check(black_box(&other))),
        aggregation: 0,
        proof: fastest(1, || proof.check(black_box(&message))),
    }
}

/// Nanoseconds of one of the `operations` that `work` does, rounded up: the fastest of several samples.
fn fastest(operations: usize, mut work: impl FnMut() -> bool) -> u64 {
    let begin = processor_time();
    let mut repetitions = 1_u32;
    while sample(repetitions, &mut work) < SAMPLE {
        repetitions = repetitions.saturating_mul(2);
    }
    let mut fastest = Duration::MAX;
    let mut samples = 0;
    while samples < SAMPLES || processor_time() - begin < PATIENCE {
        fastest = fastest.min(sample(repetitions, &mut work));
        samples += 1;
    }
    let operations = u128::try_from(operations.max(1)).expect("a count in memory; qed");
    let operations = operations * u128::from(repetitions);
    u64::try_from(fastest.as_nanos().div_ceil(operations)).unwrap_or(u64::MAX)
}

/// How long it takes to do the work so many times.
fn sample(repetitions: u32, work: &mut impl FnMut() -> bool) -> Duration {
    let start = processor_time();
    for _ in 0..repetitions {
        assert!(black_box(work()), "what is measured answers as it should");
    }
    processor_time() - start
}

/// What this thread has had of a processor up to now: other programs on the machine do not count, nor does the
/// time until it has its turn.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanoseconds)
}

/// The processor's name, as the kernel has it.
fn processor() -> String {
    let described = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = described
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map(|(_, name)| name.trim().to_owned());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scheme;

    #[test]
    fn every_figure_of_a_small_set_is_measured_and_pairings_take_longest() {
        let table = measure(&[4]);
        let costs = table.of(4).expect("measured");
        assert!(table.of(5).is_none());
        assert!(costs.message > 0);
        for scheme in Scheme::ALL {
            let scheme = costs.of(scheme);
            assert!(scheme.vote > costs.message && scheme.bad_vote > 0 && scheme.proof > 0);
            assert!(scheme.in_batch.iter().all(|vote| *vote > costs.message));
        }
        assert!(costs.pairings.vote > costs.dleq.vote);
        assert!(costs.pairings.vote > costs.dleq_portable.vote);
    }
}
