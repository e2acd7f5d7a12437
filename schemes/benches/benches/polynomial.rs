//! `duet-polynomial` on the workload of the thesis: dimensions 4 to 128, data sets of 5, 10 and 20 values.
//!
//! Everything runs on one thread, unless the name says otherwise. Without `DUET_BENCH_SCALE=large`, only n = 64 runs
//! with all sizes of data sets.

use criterion::Criterion;
use duet_polynomial::research::{forgery::Forger, parts, Polynomial};
use duet_scheme_benches::{
    harness::{checked, Harness},
    polynomial::{key, DataSet, DATA_SETS, DIMENSIONS, FORGED, KEYS},
};
use num_bigint::BigInt;
use std::{
    cell::{LazyCell, RefCell},
    num::NonZeroUsize,
    time::Duration,
};

const ONE: NonZeroUsize = NonZeroUsize::MIN;

fn main() {
    let large = std::env::var("DUET_BENCH_SCALE").is_ok_and(|scale| scale == "large");
    let criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .configure_from_args()
        .without_plots();
    let mut harness = Harness::measuring(criterion);
    run(&mut harness, large);
    harness.finish();
}

/// All benches.
pub(crate) fn run(harness: &mut Harness, large: bool) {
    key_generation(harness);
    signing(harness);
    for n in DIMENSIONS {
        let sizes = if large || n == 64 {
            &DATA_SETS[..]
        } else {
            &DATA_SETS[2..]
        };
        for count in sizes {
            functions(harness, n, *count);
        }
    }
    forging(harness);
}

fn measure(harness: &mut Harness, operation: &str, keys: &str, work: impl FnMut() -> bool) {
    harness.bench(&format!("polynomial::{operation}/{keys}"), checked(work));
}

/// Different keys in turn, because the number of candidates per key varies widely.
fn key_generation(harness: &mut Harness) {
    let all = std::thread::available_parallelism().unwrap_or(ONE);
    for n in DIMENSIONS {
        for (threads, workers) in [("1", ONE), ("all", all)] {
            let mut seed = 0u8;
            measure(
                harness,
                "keygen",
                &format!("n={n},threads={threads}"),
                || {
                    seed = seed.wrapping_add(1) % KEYS;
                    key(n, seed, workers).candidates > 0
                },
            );
        }
    }
}

fn signing(harness: &mut Harness) {
    for n in DIMENSIONS {
        let data = LazyCell::new(|| RefCell::new(DataSet::new(n, 1)));
        measure(harness, "sign", &format!("n={n}"), || {
            let DataSet {
                signer,
                tag,
                values,
                signatures,
                ..
            } = &mut *data.borrow_mut();
            signer
                .sign(tag, 0, &values[0])
                .is_ok_and(|again| again == signatures[0])
        });
        let signing = LazyCell::new(|| key(n, 1, ONE).signing);
        measure(harness, "reduce", &format!("n={n}"), || {
            let data = data.borrow();
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
        measure(harness, "evaluate", &keys, || {
            data.evaluate(&function)
                .is_some_and(|again| again.value == result.value)
        });
        measure(harness, "verify", &keys, || {
            data.key
                .verify(&data.tag, &function, &result.value, &result.signature)
                .is_ok()
        });
    }
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
