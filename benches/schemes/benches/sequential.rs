//! A path of n hops: plain RSA, the sequential aggregate, ECDSA and aggregate BLS, as in the paper's comparison, and
//! what the paper does not have: larger moduli, longer paths, and the queue.
//!
//! `DUET_BENCH_SCALE=full` verifies a queue of ten thousand records instead of one thousand.

use blst::{
    blst_p1_affine, blst_p2_affine,
    min_sig::{
        AggregateSignature, PublicKey as BlsKey, SecretKey as BlsSecret, Signature as BlsSignature,
    },
    Pairing, BLST_ERROR,
};
use criterion::{Criterion, SamplingMode};
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
    hint::black_box,
    num::NonZeroUsize,
    sync::Arc,
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// Numbers of hops: the paper's are 4.5 and 7.
const HOPS: [usize; 6] = [1, 4, 5, 7, 10, 32];
const BLS_SUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

/// The hash of what a hop says, another one for each hop: so long that no scheme's cost is in the message.
fn message(hop: usize) -> Vec<u8> {
    openssl::sha::sha256(&hop.to_be_bytes()).to_vec()
}

struct Harness(Criterion);

impl Harness {
    /// Measures `work` under `group/name`, after it answered `true` once.
    fn measure(&mut self, group: &str, name: &str, mut work: impl FnMut() -> bool) {
        let mut group = self.0.benchmark_group(format!("sequential::{group}"));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_millis(500))
            .sampling_mode(SamplingMode::Flat)
            .bench_function(name, |bencher| {
                assert!(work(), "{name} answers no");
                bencher.iter(|| black_box(work()));
            });
        group.finish();
    }

    /// Verification at every number of hops, and of one path of four and one of five together.
    fn verify<W: FnMut() -> bool>(
        &mut self,
        scheme: &str,
        bits: u32,
        prepare: impl Fn(usize) -> W,
    ) {
        for n in HOPS {
            self.measure(
                "verify",
                &format!("bits={bits},n={n},scheme={scheme}"),
                prepare(n),
            );
        }
        let (mut four, mut five) = (prepare(4), prepare(5));
        let both = move || four() && five();
        self.measure(
            "verify",
            &format!("bits={bits},n=4+5,scheme={scheme}"),
            both,
        );
    }
}

// The sequential aggregate.

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
        harness.verify("duet", bits, |n| {
            let (signature, messages) = chain(suite, n);
            move || {
                signature
                    .verify(&statements(suite, black_box(&messages)))
                    .is_ok()
            }
        });
        for n in [7, 10] {
            let (signature, _) = chain(suite, n);
            let (key, message) = (testing::secret_key(suite, n), message(n));
            let name = format!("bits={bits},n={n},scheme=duet");
            harness.measure("append", &name, || {
                signature.append(key, black_box(&message)).is_ok()
            });
        }
    }
}

/// Records of seven hops that wait, on all cores; a few different ones stand for all.
fn queue(harness: &mut Harness) {
    let is_full = std::env::var("DUET_BENCH_SCALE").as_deref() == Ok("full");
    let sizes: &[usize] = if is_full { &[1000, 10_000] } else { &[1000] };
    let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    for suite in Suite::ALL {
        let mut keys = Keyring::default();
        for index in 0..testing::KEYS {
            keys.insert(testing::secret_key(suite, index).public().clone(), Epoch(0));
        }
        let record = |number: usize| {
            let key = |hop| testing::secret_key(suite, number + hop);
            let begun = Record::first(key(0), &message(number), Epoch(1)).expect("a record");
            (1..7).fold(begun, |record, hop| {
                record
                    .append(key(hop), &message(number + hop))
                    .expect("a longer record")
            })
        };
        let different: Vec<_> = (0..8).map(record).map(Arc::new).collect();
        for records in sizes {
            let waiting: Vec<_> = different.iter().cycle().take(*records).cloned().collect();
            let bits = suite.bits();
            let name = format!("bits={bits},n=7,records={records},threads=all");
            harness.measure("queue", &name, || {
                let verdicts = check_all(black_box(&waiting), &keys, cores);
                verdicts.iter().all(Result::is_ok)
            });
        }
    }
}

// OpenSSL: the bare operation, and plain signatures.

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
        harness.measure(
            "public",
            &format!("bits={bits},scheme=openssl"),
            &mut operation,
        );
        // As many as a path of seven hops takes: what its verification is measured against.
        harness.measure("public", &format!("bits={bits},n=7"), || {
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
            // After version, suite and seed.
            PKey::private_key_from_pkcs8(&bytes[34..]).expect("a key")
        };
        let (key, own) = (secret(0), message(0));
        harness.measure("sign", &format!("bits={bits},scheme=rsa"), || {
            !rsa_sign(&key, black_box(&own)).is_empty()
        });
        harness.verify("rsa", bits, |n| {
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
    harness.measure("sign", "bits=256,scheme=ecdsa", || {
        let signature: EcdsaSignature = key.sign(black_box(&own));
        signature.to_bytes().len() == 64
    });
    harness.verify("ecdsa", 256, |n| {
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
    let (path, key, own) = (Bgls::new(7), Bgls::secret(7), message(7));
    harness.measure("append", "bits=381,n=7,scheme=bgls", || {
        path.append(&key, black_box(&own)).to_bytes().len() == 48
    });
    harness.verify("bgls", 381, |n| {
        let path = Bgls::new(n);
        move || black_box(&path).verify()
    });
}

/// What a hop costs beside one public operation of OpenSSL: samples of both in turn, and the fastest of each, which a
/// busy machine disturbs least.
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
    let criterion = Criterion::default()
        .configure_from_args()
        .without_plots()
        .nresamples(2000);
    let mut harness = Harness(criterion);
    public(&mut harness);
    sequential(&mut harness);
    queue(&mut harness);
    plain_rsa(&mut harness);
    ecdsa(&mut harness);
    bgls(&mut harness);
    for suite in Suite::ALL {
        ratio(suite);
    }
}
