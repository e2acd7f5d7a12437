//! The workload of the thesis for `duet-polynomial`: one signer's data set, and functions of it. Beside it, the
//! algorithms that the thesis compares with its own.

pub mod exact;
pub mod resultant;

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

/// How often the thesis executes each function: at least 30 times. Key generation takes another seed each time.
pub const RUNS: u8 = 30;

/// The key of a seed, generated with `workers` threads.
pub fn key(n: usize, seed: u8, workers: NonZeroUsize) -> GeneratedKey {
    let limits = Limits::for_statistics(20).expect("positive limits");
    let generation = KeyGeneration {
        workers,
        tested: &|| (),
    };
    generation.run(&[seed; 32], Dimension::new(n).expect("a dimension"), limits)
}

/// The number of candidates of all keys that the benches generate.
pub fn candidates(n: usize) -> u64 {
    let candidates = (0..RUNS).map(|seed| key(n, seed, NonZeroUsize::MIN).candidates);
    candidates.sum()
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
