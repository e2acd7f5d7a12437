//! `duet-polynomial` on the workload of the thesis: dimensions 4 to 128, data sets of 5, 10 and 20 values.
//!
//! As in the thesis, its four functions are executed at least 30 times, and each execution is a sample. Everything runs
//! on one thread, unless the name says otherwise.

use duet_polynomial::research::{forgery::Forger, parts, Polynomial};
use duet_scheme_benches::{
    harness::{checked, Harness},
    polynomial::{
        exact::{coset, generators, ExactBasis},
        key,
        resultant::{rational, Modular},
        DataSet, DATA_SETS, DIMENSIONS, FORGED, RUNS,
    },
};
use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::{
    cell::{LazyCell, RefCell},
    num::NonZeroUsize,
};

const ONE: NonZeroUsize = NonZeroUsize::MIN;

fn main() {
    let mut harness = Harness::brief();
    run(&mut harness);
    harness.finish();
}

/// All benches.
pub(crate) fn run(harness: &mut Harness) {
    key_generation(harness);
    for n in DIMENSIONS {
        for count in DATA_SETS {
            signing(harness, n, count);
            functions(harness, n, count);
        }
        parts_of_signing(harness, n);
        resultants(harness, n);
        exact_signing(harness, n);
    }
    forging(harness);
}

fn measure(harness: &mut Harness, operation: &str, keys: &str, work: impl FnMut() -> bool) {
    harness.bench(&format!("polynomial::{operation}/{keys}"), checked(work));
}

/// Each execution on its own.
fn measure_each(harness: &mut Harness, operation: &str, keys: &str, work: impl FnMut() -> bool) {
    let name = format!("polynomial::{operation}/{keys}");
    harness.bench_each(&name, RUNS, checked(work));
}

/// Different keys in turn, because the number of candidates per key varies widely.
fn key_generation(harness: &mut Harness) {
    let all = std::thread::available_parallelism().unwrap_or(ONE);
    for n in DIMENSIONS {
        for (threads, workers) in [("1", ONE), ("all", all)] {
            let mut seed = 0;
            let keys = format!("n={n},keys={RUNS},threads={threads}");
            measure_each(harness, "keygen", &keys, || {
                seed = (seed + 1) % RUNS;
                key(n, seed, workers).candidates > 0
            });
        }
    }
}

/// A data set at once.
fn signing(harness: &mut Harness, n: usize, count: u32) {
    let data = LazyCell::new(|| RefCell::new(DataSet::new(n, count)));
    let keys = format!("n={n},values={count}");
    measure_each(harness, "sign", &keys, || {
        let DataSet {
            signer,
            tag,
            values,
            signatures,
            ..
        } = &mut *data.borrow_mut();
        let again = signer.sign_data_set(tag, values, ONE);
        again.is_ok_and(|again| again == *signatures)
    });
}

fn functions(harness: &mut Harness, n: usize, count: u32) {
    let data = LazyCell::new(|| DataSet::new(n, count));
    let linear = Polynomial::sum(count).expect("values");
    let variance = Polynomial::variance(count).expect("two values");
    for (name, function) in [("linear", linear), ("variance", variance)] {
        // Some squares exceed the message space of the smallest dimension.
        if n == DIMENSIONS[0] && data.evaluate(&function).is_none() {
            continue;
        }
        let result = LazyCell::new(|| data.evaluate(&function).expect("a result that fits"));
        let keys = format!("n={n},values={count},function={name}");
        measure_each(harness, "evaluate", &keys, || {
            data.evaluate(&function)
                .is_some_and(|again| again.value == result.value)
        });
        measure_each(harness, "verify", &keys, || {
            data.key
                .verify(&data.tag, &function, &result.value, &result.signature)
                .is_ok()
        });
    }
}

/// The two steps for one value.
fn parts_of_signing(harness: &mut Harness, n: usize) {
    let data = LazyCell::new(|| DataSet::new(n, 1));
    let signing = LazyCell::new(|| key(n, 1, ONE).signing);
    measure(harness, "reduce", &format!("n={n}"), || {
        parts::reduce(&signing, &data.tag, 0, &data.values[0]);
        true
    });
    let mut nonce = 0;
    measure(harness, "sample", &format!("n={n}"), || {
        nonce += 1;
        parts::sample(&signing, nonce);
        true
    });
}

/// Figure 4.2: the norm of one candidate of key generation.
fn resultants(harness: &mut Harness, n: usize) {
    let generated = LazyCell::new(|| key(n, 1, ONE));
    let candidate = LazyCell::new(|| {
        let [candidate, _] = generators(&generated);
        candidate
    });
    let norm = LazyCell::new(|| {
        let norm = generated.signing.public().message_modulus();
        BigInt::from(norm.clone())
    });
    // Beyond, one takes minutes.
    if n <= 64 {
        measure(harness, "norm", &format!("n={n},by=rational"), || {
            rational(&candidate) == *norm
        });
    }
    let primes = LazyCell::new(|| Modular::new(u32::try_from(n).expect("at most 128")));
    measure(harness, "norm", &format!("n={n},by=modular"), || {
        primes.resultant(&candidate) == *norm
    });
}

/// Figures 4.3 and 4.4: one value, with the basis and from the basis on.
fn exact_signing(harness: &mut Harness, n: usize) {
    let generated = LazyCell::new(|| key(n, 1, ONE));
    let keys = |step| format!("n={n},step={step}");
    measure(harness, "exact", &keys("basis"), || {
        ExactBasis::new(&generated);
        true
    });
    let data = LazyCell::new(|| DataSet::new(n, 1));
    let basis = LazyCell::new(|| ExactBasis::new(&generated));
    let constant = LazyCell::new(|| coset(&data.key, &data.signatures[0], &data.values[0]));
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    measure(harness, "exact", &keys("sign"), || {
        basis.sample(&constant, &mut rng).len() == n
    });
}

/// Reducing the public lattice, and forging one signature.
fn forging(harness: &mut Harness) {
    for n in FORGED {
        let data = LazyCell::new(|| DataSet::new(n, 1));
        let function = Polynomial::sum(1).expect("one value");
        let value = BigInt::from(4711);
        measure(harness, "forge", &format!("n={n}"), || {
            let forger = Forger::new(&data.key, &|_| ());
            let forged = forger.forge(&data.tag, &function, &value);
            forged.is_ok_and(|forged| {
                data.key
                    .verify(&data.tag, &function, &value, &forged)
                    .is_ok()
            })
        });
    }
}
