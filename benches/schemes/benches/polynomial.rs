//! `duet-polynomial` on the thesis' workload: dimensions 4 to 128, data sets of 5, 10 and 20 values.
//!
//! Everything runs on one thread, unless its name says otherwise. Without `DUET_BENCH_SCALE=large`, only n = 64 has all
//! sizes of data sets.

use criterion::{BenchmarkId, Criterion};
use duet_polynomial::research::{forgery::Forger, parts, Polynomial};
use duet_scheme_benches::polynomial::{key, DataSet, DATA_SETS, DIMENSIONS, FORGED};
use num_bigint::BigInt;
use std::{hint::black_box, num::NonZeroUsize, time::Duration};

const ONE: NonZeroUsize = NonZeroUsize::MIN;

fn main() {
    let large = std::env::var("DUET_BENCH_SCALE").is_ok_and(|scale| scale == "large");
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .configure_from_args()
        .without_plots();
    key_generation(&mut criterion);
    signing(&mut criterion);
    for n in DIMENSIONS {
        let sizes = if large || n == 64 {
            &DATA_SETS[..]
        } else {
            &DATA_SETS[2..]
        };
        for count in sizes {
            functions(&mut criterion, n, *count);
        }
    }
    forging(&mut criterion);
    criterion.final_summary();
}

/// Measures `work` after seeing that it answers yes.
fn measure(criterion: &mut Criterion, operation: &str, keys: &str, mut work: impl FnMut() -> bool) {
    assert!(work(), "{operation}/{keys} answers no");
    let mut group = criterion.benchmark_group(format!("polynomial::{operation}"));
    group.bench_function(BenchmarkId::from_parameter(keys), |bencher| {
        bencher.iter(|| black_box(work()));
    });
    group.finish();
}

/// One key after another: how many candidates a key takes differs by tens.
fn key_generation(criterion: &mut Criterion) {
    let all = std::thread::available_parallelism().unwrap_or(ONE);
    for n in DIMENSIONS {
        for (threads, workers) in [("1", ONE), ("all", all)] {
            let mut seed = 0u8;
            measure(
                criterion,
                "keygen",
                &format!("n={n},threads={threads}"),
                || {
                    seed = seed.wrapping_add(1) % 16;
                    key(n, seed, workers).candidates > 0
                },
            );
        }
    }
}

fn signing(criterion: &mut Criterion) {
    for n in DIMENSIONS {
        let mut data = DataSet::new(n, 1);
        let (tag, value) = (data.tag.clone(), data.values[0].clone());
        let signature = data.signatures[0].clone();
        measure(criterion, "sign", &format!("n={n}"), || {
            data.signer
                .sign(&tag, 0, &value)
                .is_ok_and(|again| again == signature)
        });
        let signing = key(n, 1, ONE).signing;
        measure(criterion, "reduce", &format!("n={n}"), || {
            parts::reduce(&signing, &tag, 0, &value);
            true
        });
        let mut nonce = 0;
        measure(criterion, "sample", &format!("n={n}"), || {
            nonce += 1;
            parts::sample(&signing, nonce);
            true
        });
    }
}

fn functions(criterion: &mut Criterion, n: usize, count: u32) {
    let data = DataSet::new(n, count);
    let linear = Polynomial::sum(count).expect("values");
    let variance = Polynomial::variance(count).expect("two values");
    for (name, function) in [("linear", linear), ("variance", variance)] {
        let Some(result) = data.evaluate(&function) else {
            continue;
        };
        let keys = format!("n={n},values={count},function={name}");
        measure(criterion, "evaluate", &keys, || {
            data.evaluate(&function)
                .is_some_and(|again| again.value == result.value)
        });
        measure(criterion, "verify", &keys, || {
            data.key
                .verify(&data.tag, &function, &result.value, &result.signature)
                .is_ok()
        });
    }
}

/// Reducing the public lattice, and one signature of a value that nobody signed.
fn forging(criterion: &mut Criterion) {
    for n in FORGED {
        let public = key(n, 1, ONE).signing.public().clone();
        let data = DataSet::new(n, 1);
        let function = Polynomial::sum(1).expect("one value");
        let value = BigInt::from(4711);
        measure(criterion, "forge", &format!("n={n}"), || {
            let forger = Forger::new(&public, &|_| ());
            let forged = forger.forge(&data.tag, &function, &value);
            forged.is_ok_and(|forged| public.verify(&data.tag, &function, &value, &forged).is_ok())
        });
    }
}
