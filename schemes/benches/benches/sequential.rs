//! A path of n hops with plain RSA, sequential aggregation, ECDSA and aggregate BLS, as in the paper's comparison. In
//! addition: larger moduli, longer paths, and the queue.
//!
//! With `DUET_BENCH_SCALE=full`, the queue has ten thousand records instead of one thousand.

use blst::{
    blst_p1_affine, blst_p2_affine,
    min_sig::{
        AggregateSignature, PublicKey as BlsKey, SecretKey as BlsSecret, Signature as BlsSignature,
    },
    Pairing, BLST_ERROR,
};
use criterion::Criterion;
use duet_scheme_benches::harness::{checked, Effort, Harness};
use duet_sequential::{
    queue::check_all, testing, ChainSignature, Epoch, Keyring, Record, Statement, Suite,
};
use openssl::{
    bn::BigNum,
    hash::MessageDigest,
    pkey::{PKey, Private, Public},
    rsa::{Padding, Rsa},
    sign::{Signer, Verifier},
};
use p256::ecdsa::{
    signature::{Signer as _, Verifier as _},
    Signature as EcdsaSignature, SigningKey, VerifyingKey,
};
use std::{
    cell::LazyCell,
    hint::black_box,
    num::NonZeroUsize,
    sync::Arc,
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// Numbers of hops. The paper's are 4.5 and 7.
const HOPS: [usize; 6] = [1, 4, 5, 7, 10, 32];
const BLS_SUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

/// A different hash for each hop. All schemes sign messages of this length.
fn message(hop: usize) -> Vec<u8> {
    openssl::sha::sha256(&hop.to_be_bytes()).to_vec()
}

/// Measures `work` under the name `operation/keys`.
fn measure(harness: &mut Harness, operation: &str, keys: &str, work: impl FnMut() -> bool) {
    let effort = Effort {
        warm_up: Duration::from_millis(100),
        measurement: Duration::from_millis(500),
    };
    let name = format!("sequential::{operation}/{keys}");
    harness.bench_slow(&name, effort, checked(work));
}

/// Verification for every number of hops, and of two paths with four and five hops together.
fn verify<W: FnMut() -> bool>(
    harness: &mut Harness,
    scheme: &str,
    bits: u32,
    prepare: impl Fn(usize) -> W,
) {
    for n in HOPS {
        let keys = format!("bits={bits},n={n},scheme={scheme}");
        let mut work = Lazy::new(|| prepare(n));
        measure(harness, "verify", &keys, || work.get()());
    }
    let keys = format!("bits={bits},n=4+5,scheme={scheme}");
    let mut works = Lazy::new(|| (prepare(4), prepare(5)));
    measure(harness, "verify", &keys, || {
        let (four, five) = works.get();
        four() && five()
    });
}

/// A value that is created on first use.
struct Lazy<T, F>(Option<T>, F);

impl<T, F: Fn() -> T> Lazy<T, F> {
    fn new(make: F) -> Self {
        Self(None, make)
    }

    fn get(&mut self) -> &mut T {
        self.0.get_or_insert_with(&self.1)
    }
}

// Sequential aggregation.

fn chain(suite: Suite, n: usize) -> (ChainSignature, Vec<Vec<u8>>) {
    let messages: Vec<_> = (0..n).map(message).collect();
    let borrowed: Vec<_> = messages.iter().map(Vec::as_slice).collect();
    let (signature, _) = testing::chain(suite, &borrowed);
    (signature, messages)
}

fn statements(suite: Suite, messages: &[Vec<u8>]) -> Vec<Statement<'_>> {
    let statement = |(hop, message)| Statement {
        key: testing::secret_key(suite, hop).public(),
        message,
    };
    let messages = messages.iter().map(Vec::as_slice);
    messages.enumerate().map(statement).collect()
}

fn sequential(harness: &mut Harness) {
    for suite in Suite::ALL {
        let bits = suite.bits();
        verify(harness, "duet", bits, |n| {
            let (signature, messages) = chain(suite, n);
            move || {
                signature
                    .verify(&statements(suite, black_box(&messages)))
                    .is_ok()
            }
        });
        for n in [7, 10] {
            let path = LazyCell::new(|| chain(suite, n).0);
            let message = message(n);
            let name = format!("bits={bits},n={n},scheme=duet");
            measure(harness, "append", &name, || {
                let key = testing::secret_key(suite, n);
                path.append(key, black_box(&message)).is_ok()
            });
        }
    }
}

/// Waiting records of seven hops, on all cores. A few distinct ones are repeated.
fn queue(harness: &mut Harness, is_full: bool) {
    let sizes: &[usize] = if is_full { &[1000, 10_000] } else { &[1000] };
    let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    for suite in Suite::ALL {
        let key = |index| testing::secret_key(suite, index);
        let keys = LazyCell::new(|| {
            let mut keys = Keyring::default();
            for index in 0..testing::KEYS {
                keys.insert(key(index).public().clone(), Epoch(0));
            }
            keys
        });
        let record = |number: usize| {
            let begun = Record::first(key(number), &message(number), Epoch(1)).expect("a record");
            let longer = (1..7).fold(begun, |record, hop| {
                record
                    .append(key(number + hop), &message(number + hop))
                    .expect("a longer record")
            });
            Arc::new(longer)
        };
        let different = LazyCell::new(|| (0..8).map(record).collect::<Vec<_>>());
        for records in sizes {
            let waiting = LazyCell::new(|| {
                let waiting = different.iter().cycle().take(*records);
                waiting.cloned().collect::<Vec<_>>()
            });
            let bits = suite.bits();
            let name = format!("bits={bits},n=7,records={records},threads=all");
            measure(harness, "queue", &name, || {
                let verdicts = check_all(black_box(&waiting), &*keys, cores);
                verdicts.iter().all(Result::is_ok)
            });
        }
    }
}

// OpenSSL: the raw operation, and plain signatures.

fn bare(suite: Suite) -> Rsa<Public> {
    let modulus = testing::secret_key(suite, 0).public().as_bytes();
    let modulus = BigNum::from_slice(modulus).expect("a number");
    let exponent = BigNum::from_u32(65537).expect("a number");
    Rsa::from_public_components(modulus, exponent).expect("a key")
}

fn public(harness: &mut Harness) {
    for suite in Suite::ALL {
        let (key, input) = (bare(suite), vec![0x41; suite.modulus_len()]);
        let mut output = input.clone();
        let mut operation = || {
            key.public_encrypt(black_box(&input), &mut output, Padding::NONE)
                .is_ok()
        };
        let bits = suite.bits();
        measure(
            harness,
            "public",
            &format!("bits={bits},scheme=openssl"),
            &mut operation,
        );
        // As many operations as verifying a path of seven hops, for comparison.
        measure(harness, "public", &format!("bits={bits},n=7"), || {
            (0..7).all(|_| operation())
        });
    }
}

fn rsa_sign(key: &PKey<Private>, message: &[u8]) -> Vec<u8> {
    let mut signer = Signer::new(MessageDigest::sha256(), key).expect("a signer");
    signer.sign_oneshot_to_vec(message).expect("a signature")
}

fn rsa_verify(key: &PKey<Public>, message: &[u8], signature: &[u8]) -> bool {
    let mut verifier = Verifier::new(MessageDigest::sha256(), key).expect("a verifier");
    verifier.verify_oneshot(signature, message).unwrap_or(false)
}

fn plain_rsa(harness: &mut Harness) {
    for suite in Suite::ALL {
        let bits = suite.bits();
        let secret = |index| {
            let bytes = testing::secret_key(suite, index).to_bytes().expect("bytes");
            // Skips version, suite and seed.
            PKey::private_key_from_pkcs8(&bytes[34..]).expect("a key")
        };
        let (key, own) = (secret(0), message(0));
        measure(harness, "sign", &format!("bits={bits},scheme=rsa"), || {
            !rsa_sign(&key, black_box(&own)).is_empty()
        });
        verify(harness, "rsa", bits, |n| {
            let signed: Vec<_> = (0..n)
                .map(|hop| {
                    let (key, message) = (secret(hop), message(hop));
                    let signature = rsa_sign(&key, &message);
                    let der = key.public_key_to_der().expect("DER");
                    (
                        PKey::public_key_from_der(&der).expect("a key"),
                        message,
                        signature,
                    )
                })
                .collect();
            move || {
                let mut all = black_box(&signed).iter();
                all.all(|(key, message, signature)| rsa_verify(key, message, signature))
            }
        });
    }
}

// ECDSA.

fn ecdsa(harness: &mut Harness) {
    let secret = |index: u8| SigningKey::from_slice(&[index + 1; 32]).expect("a key");
    let (key, own) = (secret(0), message(0));
    measure(harness, "sign", "bits=256,scheme=ecdsa", || {
        let signature: EcdsaSignature = key.sign(black_box(&own));
        signature.to_bytes().len() == 64
    });
    verify(harness, "ecdsa", 256, |n| {
        let signed: Vec<_> = (0_u8..)
            .take(n)
            .map(|hop| {
                let (key, message) = (secret(hop), message(usize::from(hop)));
                let signature: EcdsaSignature = key.sign(&message);
                (VerifyingKey::from(&key), message, signature)
            })
            .collect();
        move || {
            let mut all = black_box(&signed).iter();
            all.all(|(key, message, signature)| key.verify(message, signature).is_ok())
        }
    });
}

// Aggregate BLS over different messages, on one thread: n + 1 pairings.

struct Bgls {
    keys: Vec<BlsKey>,
    messages: Vec<Vec<u8>>,
    signature: BlsSignature,
}

impl Bgls {
    fn secret(hop: usize) -> BlsSecret {
        let mut seed = [7; 32];
        seed[..8].copy_from_slice(&hop.to_be_bytes());
        BlsSecret::key_gen(&seed, &[]).expect("a key")
    }

    fn new(n: usize) -> Self {
        let messages: Vec<_> = (0..n).map(message).collect();
        let signed = (0..n).zip(&messages);
        let signatures: Vec<_> = signed
            .map(|(hop, message)| Self::secret(hop).sign(message, BLS_SUITE, &[]))
            .collect();
        let borrowed: Vec<_> = signatures.iter().collect();
        let aggregate = AggregateSignature::aggregate(&borrowed, false).expect("signatures");
        Self {
            keys: (0..n).map(|hop| Self::secret(hop).sk_to_pk()).collect(),
            messages,
            signature: aggregate.to_signature(),
        }
    }

    fn append(&self, key: &BlsSecret, message: &[u8]) -> BlsSignature {
        let own = key.sign(message, BLS_SUITE, &[]);
        let mut aggregate = AggregateSignature::from_signature(&self.signature);
        aggregate.add_signature(&own, false).expect("a signature");
        aggregate.to_signature()
    }

    fn verify(&self) -> bool {
        let mut pairing = Pairing::new(true, BLS_SUITE);
        let mut signature = Some(<&blst_p1_affine>::from(&self.signature));
        let all_added = self.keys.iter().zip(&self.messages).all(|(key, message)| {
            let key = <&blst_p2_affine>::from(key);
            let none = None::<&'static blst_p1_affine>;
            let added = match signature.take() {
                Some(signature) => pairing.aggregate(key, false, signature, true, message, &[]),
                None => pairing.aggregate(key, false, &none, false, message, &[]),
            };
            added == BLST_ERROR::BLST_SUCCESS
        });
        pairing.commit();
        all_added && pairing.finalverify(None)
    }
}

fn bgls(harness: &mut Harness) {
    let (path, key, own) = (LazyCell::new(|| Bgls::new(7)), Bgls::secret(7), message(7));
    measure(harness, "append", "bits=381,n=7,scheme=bgls", || {
        path.append(&key, black_box(&own)).to_bytes().len() == 48
    });
    verify(harness, "bgls", 381, |n| {
        let path = Bgls::new(n);
        move || black_box(&path).verify()
    });
}

/// The cost of a hop relative to one public operation of OpenSSL: alternating samples of both, and the minimum of each,
/// which is least disturbed by other load.
fn ratio(suite: Suite) {
    const HOPS: u32 = 7;
    let (signature, messages) = chain(suite, 7);
    let statements = statements(suite, &messages);
    let (key, input) = (bare(suite), vec![0x41; suite.modulus_len()]);
    let mut output = input.clone();
    let (mut hop, mut operation) = (Duration::MAX, Duration::MAX);
    for _ in 0..2000 {
        let begun = Instant::now();
        assert!(black_box(&signature).verify(&statements).is_ok());
        hop = hop.min(begun.elapsed());
        let begun = Instant::now();
        for _ in 0..HOPS {
            let done = key.public_encrypt(black_box(&input), &mut output, Padding::NONE);
            assert!(done.is_ok());
        }
        operation = operation.min(begun.elapsed());
    }
    println!(
        "{suite}: verification takes {:.3} of OpenSSL's public operation per hop ({:?} against {:?}, n = {HOPS})",
        hop.as_secs_f64() / operation.as_secs_f64(),
        hop / HOPS,
        operation / HOPS,
    );
}

fn main() {
    let is_full = std::env::var("DUET_BENCH_SCALE").as_deref() == Ok("full");
    let criterion = Criterion::default()
        .configure_from_args()
        .without_plots()
        .nresamples(2000);
    run(&mut Harness::measuring(criterion), is_full);
    for suite in Suite::ALL {
        ratio(suite);
    }
}

/// All benches.
pub(crate) fn run(harness: &mut Harness, is_full: bool) {
    public(harness);
    sequential(harness);
    queue(harness, is_full);
    plain_rsa(harness);
    ecdsa(harness);
    bgls(harness);
}
