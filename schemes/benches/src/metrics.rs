//! Attested network metrics: what `duet-mklhs` is for. Every validator signs a number for the epoch; anyone combines
//! them with the stakes as weights; a light client checks mean and variance.

use duet_mklhs::{
    evaluate_unchecked, Bounds, Combined, EquivocationProof, Label, Program, Signature, Signers,
    SigningKey,
};
use duet_polynomial::{
    standard::{Entry, Metric, Proof, Record, StandardStats, View},
    Stat, Statistic, VerifiableStats,
};
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};

/// The epoch.
const EPOCH: &[u8] = b"epoch-7";

/// Validators that signed one number each, and its square.
pub struct Epoch {
    view: View,
    records: Vec<Record>,
    first: SigningKey,
}

impl Epoch {
    /// The validators, from a fixed seed. Stakes have 32 bits, numbers 16.
    ///
    /// # Panics
    /// If a label or a key is refused, which it is not.
    pub fn new(validators: u32) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(validators.into());
        let metric = Metric {
            context: b"bench".to_vec(),
            name: b"load".to_vec(),
        };
        let (mut signers, mut keys) = (Signers::new(), Vec::new());
        let (mut records, mut entries) = (Vec::new(), Vec::new());
        for _ in 0..validators {
            let key = SigningKey::random(&mut rng).expect("this generator does not fail");
            signers
                .register(key.public().clone(), &key.prove_possession())
                .expect("a key's own proof");
            let value = rng.next_u64() >> 48;
            records.push(Record {
                value: sign(&key, "load/1/0", value),
                square: sign(&key, "load/2/0", value * value),
            });
            entries.push(Entry {
                source: key.id(),
                index: 0,
                weight: u64::from(rng.next_u32() | 1),
            });
            keys.push(key);
        }
        Self {
            view: View {
                signers,
                metric,
                data_set: EPOCH.to_vec(),
                entries,
            },
            records,
            first: keys.swap_remove(0),
        }
    }

    /// Computes a statistic and its proof from the signatures, which are checked first.
    ///
    /// # Panics
    /// If a signature is not valid, which it is.
    pub fn prove(&self, stat: &Stat) -> (Statistic, Proof) {
        StandardStats::prove(&self.view, stat, &self.records).expect("valid signatures")
    }

    /// Whether the proof holds in this view.
    pub fn is_proven(&self, stat: &Stat, (claim, proof): &(Statistic, Proof)) -> bool {
        StandardStats::verify(&self.view, stat, claim, proof).is_ok()
    }

    /// Combines the same signatures with other weights; no validator signs again. Like an aggregator that has checked
    /// the signatures before.
    ///
    /// # Panics
    /// If there are two labels of one validator, which there are not.
    pub fn reweigh(&self, rng: &mut ChaCha20Rng) -> Combined {
        let label = |entry: &Entry| Label::new(b"bench", entry.source, EPOCH, b"load/1/0");
        let labels: Result<Vec<_>, _> = self.view.entries.iter().map(label).collect();
        let weights = self
            .view
            .entries
            .iter()
            .map(|_| (rng.next_u32() | 1).into());
        let program = Program::new(Bounds::Integers, weights.collect(), labels.expect("short"));
        let signatures: Vec<_> = self.records.iter().map(|record| record.value).collect();
        evaluate_unchecked(&program.expect("distinct labels"), &signatures).expect("as many")
    }

    /// Evidence that the first validator signed two numbers under one label.
    pub fn equivocation(&self) -> EquivocationProof {
        let signed = |value| sign(&self.first, "load/1/1", value);
        let label = Label::new(b"bench", self.first.id(), EPOCH, b"load/1/1");
        EquivocationProof::new(label.expect("short"), signed(1), signed(2))
    }

    /// Whether the evidence convicts the first validator.
    pub fn convicts(&self, evidence: &EquivocationProof) -> bool {
        evidence.check(self.first.public()).is_ok()
    }
}

fn sign(key: &SigningKey, tag: &str, value: u64) -> Signature {
    let label = Label::new(b"bench", key.id(), EPOCH, tag.as_bytes()).expect("short fields");
    let signature = key.sign_unregistered(&label, value.into());
    signature.expect("its own label")
}
