//! The workload of the thesis for `duet-polynomial`: one signer's data set, and functions of it.

use duet_polynomial::research::{
    register::MemoryRegister, Dimension, Evaluated, GeneratedKey, KeyGeneration, Limits,
    Polynomial, PublicKey, Signature, Signer, Tag,
};
use num_bigint::BigInt;
use std::num::NonZeroUsize;

/// The dimensions of the thesis.
pub const DIMENSIONS: [usize; 6] = [4, 8, 16, 32, 64, 128];

/// The dimensions for which a forgery is measured.
pub const FORGED: [usize; 3] = [16, 32, 64];

/// The sizes of data sets in the thesis.
pub const DATA_SETS: [u32; 3] = [5, 10, 20];

/// The number of keys per dimension for measuring key generation: the seeds from 0 on.
pub const KEYS: u8 = 16;

/// The key of a seed, generated with `workers` threads.
pub fn key(n: usize, seed: u8, workers: NonZeroUsize) -> GeneratedKey {
    let limits = Limits::for_statistics(20).expect("positive limits");
    let generation = KeyGeneration {
        workers,
        tested: &|| (),
    };
    generation.run(&[seed; 32], Dimension::new(n).expect("a dimension"), limits)
}

/// The average number of candidates of the sixteen keys that the benches generate in turn.
pub fn candidates_per_key(n: usize) -> f64 {
    let candidates = (0..KEYS).map(|seed| key(n, seed, NonZeroUsize::MIN).candidates);
    // Each is in the hundreds.
    f64::from(u32::try_from(candidates.sum::<u64>()).unwrap_or(u32::MAX)) / f64::from(KEYS)
}

/// A signer with a signed data set.
pub struct DataSet {
    /// The signer.
    pub signer: Signer<MemoryRegister>,
    /// Its public key.
    pub key: PublicKey,
    /// The data set's name.
    pub tag: Tag,
    /// The largest magnitude of a value.
    pub range: u64,
    /// The values.
    pub values: Vec<BigInt>,
    /// Their signatures.
    pub signatures: Vec<Signature>,
}

impl DataSet {
    /// `count` values, as large as the message space of small dimensions permits.
    pub fn new(n: usize, count: u32) -> Self {
        let range = match n {
            4 => 1,
            8 => 31,
            _ => 1000,
        };
        let generated = key(n, 1, NonZeroUsize::MIN);
        let key = generated.signing.public().clone();
        let register = MemoryRegister::new(key.fingerprint());
        let mut signer = Signer::new(generated.signing, register).expect("its own register");
        let tag = Tag::new("data").expect("a short tag");
        // Spread by a multiplier that is coprime to every range.
        let values: Vec<BigInt> = (0..u64::from(count))
            .map(|i| ((i * 7919 + 13) % (range + 1)).into())
            .collect();
        let signatures = signer
            .sign_data_set(&tag, &values, NonZeroUsize::MIN)
            .expect("values of the message space");
        Self {
            signer,
            key,
            tag,
            range,
            values,
            signatures,
        }
    }

    /// Evaluates the function; `None` if its results may exceed the message space, as for squares at n = 4.
    pub fn evaluate(&self, function: &Polynomial) -> Option<Evaluated> {
        self.key
            .evaluate(function, &self.signatures, self.range)
            .ok()
    }
}
