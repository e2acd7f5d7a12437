//! Measures on this machine, with the code that nodes run.

use super::{CostTable, Costs, SchemeCosts};
use codec::Encode;
use duet_benches::{
    fixtures::{decode_justification, decode_vote, share, spread, Round, GENESIS},
    rivals::{BlstMinSig, BlstMinSigAggregate, BlstSignatures, Ecdsa},
};
use duet_primitives::{Commitment, RoundMessage, SignerIndex, UncheckedVote, H256};
use rustix::time::{clock_gettime, ClockId};
use sp_core::{Blake2Hasher, Hasher};
use std::{collections::HashSet, hint::black_box, num::NonZeroUsize, time::Duration};

/// How long one figure is measured for, and how many samples it takes at least.
const PATIENCE: Duration = Duration::from_millis(400);
const SAMPLES: usize = 3;

/// The share of a set that signs the finality proofs.
const SIGNED: u32 = 67;

/// Measures everything that rounds of these sizes need, on one core.
///
/// Each figure is processor time, the least of several samples: what the work takes when nothing else runs. Takes a few seconds
/// for small sets, and about a minute for 10 000 validators.
///
/// # Panics
/// When a good vote or proof does not hold or a bad one does: the figures would be of something else.
pub fn measure(sizes: &[u32]) -> CostTable {
    CostTable {
        machine: processor(),
        sets: sizes.iter().map(|validators| of_set(*validators)).collect(),
    }
}

fn of_set(validators: u32) -> Costs {
    let round = Round::of(validators);
    let signers = spread(validators, share(validators, SIGNED));
    Costs {
        validators,
        message: message(round),
        dleq_together: together(round),
        dleq: dleq(round, &signers),
        pairings: pairings(round, &signers),
        ecdsa: ecdsa(round, &signers),
    }
}

/// What the gossip engine does with every message: it hashes the bytes and looks the hash up.
fn message(round: &Round) -> u64 {
    let known: HashSet<_> = round
        .votes()
        .iter()
        .map(|vote| Blake2Hasher::hash(vote))
        .collect();
    fastest(round.votes().len(), || {
        let mut votes = round.votes().iter();
        votes.all(|vote| known.contains(&Blake2Hasher::hash(black_box(vote))))
    })
}

/// Nodes check votes one by one as they come, with the tables of the session's keys at hand and those of the
/// round's message made on the way.
fn dleq(round: &Round, signers: &[SignerIndex]) -> SchemeCosts {
    let one_by_one = || {
        let message = round.message();
        round.votes().iter().all(|vote| {
            let vote = decode_vote(black_box(vote));
            vote.check(round.keyset(), &message).is_ok()
        })
    };
    // The first two votes of a key make its tables.
    assert!(one_by_one() && one_by_one(), "good votes hold");
    let checked = round.checked_votes(signers);
    let message = round.message();
    let proofs: Vec<_> = round
        .history(4, SIGNED)
        .iter()
        .map(Encode::encode)
        .collect();
    let bad = bad_votes(round);
    SchemeCosts {
        vote: fastest(round.votes().len(), one_by_one),
        bad_vote: fastest(bad.len(), || {
            bad.iter().all(|vote| {
                let vote = decode_vote(black_box(vote));
                let message = RoundMessage::new(GENESIS, vote.commitment.clone());
                vote.check(round.keyset(), &message).is_err()
            })
        }),
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

fn together(round: &Round) -> u64 {
    fastest(round.votes().len(), || {
        let votes = round.votes().iter().map(|vote| decode_vote(vote)).collect();
        let (keyset, message) = (round.keyset(), round.message());
        let verdicts = UncheckedVote::check_all(votes, keyset, &message, NonZeroUsize::MIN);
        verdicts.iter().all(Result::is_ok)
    })
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
    SchemeCosts {
        vote: fastest(1, || blst.check_hashed(black_box(&sigma))),
        bad_vote: fastest(1, || !blst.check(black_box(&other), &sigma)),
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
    SchemeCosts {
        vote: fastest(1, || one.check(black_box(&message))),
        bad_vote: fastest(1, || !one.check(black_box(&other))),
        aggregation: 0,
        proof: fastest(1, || proof.check(black_box(&message))),
    }
}

/// Nanoseconds of one of the `operations` that `work` does, rounded up: the fastest of several samples.
fn fastest(operations: usize, mut work: impl FnMut() -> bool) -> u64 {
    let begin = processor_time();
    let mut fastest = Duration::MAX;
    let mut samples = 0;
    while samples < SAMPLES || processor_time() - begin < PATIENCE {
        let start = processor_time();
        let answer = black_box(work());
        fastest = fastest.min(processor_time() - start);
        assert!(answer, "what is measured answers as it should");
        samples += 1;
    }
    let operations = u128::try_from(operations.max(1)).expect("a count in memory; qed");
    u64::try_from(fastest.as_nanos().div_ceil(operations)).unwrap_or(u64::MAX)
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

    #[test]
    fn every_figure_of_a_small_set_is_measured_and_pairings_take_longest() {
        let table = measure(&[4]);
        let costs = table.of(4).expect("measured");
        assert!(table.of(5).is_none());
        assert!(costs.message > 0 && costs.dleq_together > 0);
        for scheme in [&costs.dleq, &costs.pairings, &costs.ecdsa] {
            assert!(scheme.vote > costs.message && scheme.bad_vote > 0 && scheme.proof > 0);
        }
        assert!(costs.pairings.vote > costs.dleq.vote);
    }
}
