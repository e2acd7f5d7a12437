//! Does the time of work on a secret depend on the secret? Measured as dudect does (Reparaz, Balasch, Verbauwhede, 2017).
//!
//! Two classes of secrets are timed in random order: short ones, below 2³², whose leading zeros cost variable-time code the
//! least, and random ones. The public keys of both look alike, so that work on those does not tell the classes apart.
//! Welch's t-test decides whether the two means differ: |t| above 4.5 is a leak, below it none was found with that many
//! samples. Slow outliers are noise of the machine, so the test is repeated on the fastest shares of all samples, and the
//! largest |t| counts.
//!
//! The last line measures a multiplication for public scalars, whose time does depend on them: it shows that the
//! measurement finds a leak.
//!
//! `cargo run -p duet-keystore --example constant_time -- 20000`; results: docs/constant-time.md.

use duet_curve::{Base, Groups, Multiplications, Native, Purpose, Scalars};
use duet_keystore::{KeyStore, Signer};
use duet_primitives::{
    BlockNumber, Commitment, KeysetCommitment, Pk1Bytes, RoundMessage, SecretKey, SetId,
    SignerIndex, H256,
};
use rand::{rngs::OsRng, seq::SliceRandom, RngCore};
use std::{cell::Cell, env, hint::black_box, process::ExitCode, time::Instant};

/// |t| above which two classes differ, as in dudect.
const THRESHOLD: f64 = 4.5;
/// Shares of the samples for the test, in percent of the fastest ones.
const SHARES: [usize; 6] = [25, 50, 75, 90, 99, 100];
/// Secrets of each class.
const SECRETS: usize = 256;
/// The default number of samples.
const SAMPLES: usize = 20_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Short,
    Random,
}

/// One time in nanoseconds.
struct Sample {
    class: Class,
    nanos: f64,
}

fn main() -> ExitCode {
    let samples = match env::args().nth(1).map(|count| count.parse()) {
        None => SAMPLES,
        Some(Ok(count)) => count,
        Some(Err(error)) => {
            eprintln!("invalid number of samples: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!("{samples} samples each; a leak is |t| > {THRESHOLD}");
    let bytes = inputs(Some);
    let keys = inputs(key);
    let scalars = inputs(|bytes| Native::scalar_from_bytes(&bytes));
    let generator = Native::g1_generator();
    let base: Base<Native> = Base::new(generator, Purpose::Once);
    let store = KeyStore::in_memory();
    let stored = inputs(|bytes| Some(add(&store, key(bytes)?)));
    let height = Cell::new(0);
    let constant = [
        (
            "SecretKey::from_bytes",
            worst_t(&measure(samples, &bytes, SecretKey::from_bytes)),
        ),
        (
            "SecretKey::from_seed",
            worst_t(&measure(samples, &bytes, SecretKey::from_seed)),
        ),
        (
            "SecretKey::sign",
            worst_t(&measure(samples, &keys, |key| key.sign(b"message"))),
        ),
        (
            "SecretKey::prove_possession",
            worst_t(&measure(samples, &keys, |key| {
                key.prove_possession(b"owner")
            })),
        ),
        (
            "KeyStore::sign_vote",
            worst_t(&measure(samples, &stored, |key| {
                height.set(height.get() + 1);
                let message = message(height.get());
                store.sign_vote(key, SignerIndex::new(0), &message)
            })),
        ),
        (
            "g1_mul_secret",
            worst_t(&measure(samples, &scalars, |scalar| {
                Native::g1_mul_secret(&generator, scalar)
            })),
        ),
    ];
    for (name, t) in constant {
        report(name, t);
    }
    let public = worst_t(&measure(samples, &scalars, |scalar| {
        Native::g1_mul_public(scalar, &base)
    }));
    report("g1_mul_public, which leaks", public);

    let passed = constant.iter().all(|(_, t)| *t < THRESHOLD) && public > THRESHOLD;
    ExitCode::from(u8::from(!passed))
}

fn report(name: &str, t: f64) {
    println!("{name:30} |t| = {t:.2}");
}

fn key(bytes: [u8; 32]) -> Option<SecretKey> {
    SecretKey::from_bytes(&bytes).ok()
}

/// Gives a key to the store, as the remote signer has its own.
fn add(store: &KeyStore, secret: SecretKey) -> Pk1Bytes {
    let public = secret.public().pk1();
    store.insert_ephemeral(secret);
    public
}

/// A round of its own for each vote, because a key signs one commitment for a block.
fn message(block: u32) -> RoundMessage {
    let next = KeysetCommitment {
        id: SetId::new(0),
        len: 1,
        root: H256::zero(),
        apk1: Pk1Bytes([0; 48]),
    };
    let commitment = Commitment {
        block_number: BlockNumber::new(block),
        block_hash: H256::zero(),
        mmr_root: H256::zero(),
        validator_set_id: SetId::new(0),
        next,
    };
    RoundMessage::new(H256::zero(), commitment)
}

/// The inputs of both classes, in random order, each a value of its own.
fn inputs<T>(make: impl Fn([u8; 32]) -> Option<T>) -> Vec<(Class, T)> {
    let random = || {
        let mut bytes = [0; 32];
        OsRng.fill_bytes(&mut bytes);
        bytes[31] &= 0x3f; // Below the order of the groups.
        bytes
    };
    let few_bytes = || {
        let mut bytes = random();
        bytes[4..].fill(0);
        bytes
    };
    let short = (0..SECRETS).filter_map(|_| Some((Class::Short, make(few_bytes())?)));
    let random = (0..SECRETS).filter_map(|_| Some((Class::Random, make(random())?)));
    let mut inputs: Vec<_> = short.chain(random).collect();
    inputs.shuffle(&mut OsRng);
    inputs
}

/// Times `work` on inputs drawn at random.
fn measure<T, R>(samples: usize, inputs: &[(Class, T)], work: impl Fn(&T) -> R) -> Vec<Sample> {
    let time = |(class, input): &(Class, T)| {
        let start = Instant::now();
        black_box(work(black_box(input)));
        Sample {
            class: *class,
            nanos: start.elapsed().as_nanos() as f64,
        }
    };
    let draw = || inputs.choose(&mut OsRng).expect("there are inputs");
    for _ in 0..samples / 20 {
        time(draw()); // Warms caches and the processor's clock.
    }
    (0..samples).map(|_| time(draw())).collect()
}

/// The largest |t| of all shares.
fn worst_t(samples: &[Sample]) -> f64 {
    let mut times: Vec<_> = samples.iter().map(|sample| sample.nanos).collect();
    times.sort_by(f64::total_cmp);
    SHARES
        .iter()
        .filter_map(|share| {
            let last = times.len() * share / 100;
            let limit = *times.get(last.saturating_sub(1))?;
            let of = |class| {
                let kept = samples
                    .iter()
                    .filter(move |sample| sample.class == class && sample.nanos <= limit);
                Moments::of(kept.map(|sample| sample.nanos))
            };
            Some(of(Class::Short).welch(&of(Class::Random)).abs())
        })
        .fold(0.0, f64::max)
}

/// Count, mean and variance.
struct Moments {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Moments {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<_> = values.collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            count,
            mean,
            variance: squares / (count - 1.0),
        }
    }

    /// Welch's t.
    fn welch(&self, other: &Self) -> f64 {
        let error = self.variance / self.count + other.variance / other.count;
        (self.mean - other.mean) / error.sqrt()
    }
}
