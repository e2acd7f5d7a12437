//! A path of n hops with sequential aggregation, plain RSA, ECDSA and aggregate BLS, as in the paper's comparison. In
//! addition: larger moduli, longer paths, and the queue.
//!
//! With `DUET_BENCH_SCALE=full`, the queue has ten thousand records as well as one thousand.

use criterion::Criterion;
use duet_scheme_benches::{
    harness::{checked, Effort, Harness},
    sequential::{message, Path, Scheme, LONGEST, SCHEMES},
};
use duet_sequential::{queue::check_all, testing, Epoch, Keyring, Record, Suite};
use openssl::{
    bn::BigNum,
    pkey::Public,
    rsa::{Padding, Rsa},
};
use std::{
    cell::LazyCell,
    hint::black_box,
    num::NonZeroUsize,
    sync::Arc,
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// Numbers of hops. The paper's are 4.5 and 7; the others are where schemes may break even.
const HOPS: [usize; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 16, LONGEST];

/// Measures `work` under the name `operation/keys`.
fn measure(harness: &mut Harness, operation: &str, keys: &str, work: impl FnMut() -> bool) {
    let effort = Effort {
        warm_up: Duration::from_millis(100),
        measurement: Duration::from_millis(500),
    };
    let name = format!("sequential::{operation}/{keys}");
    harness.bench_slow(&name, effort, checked(work));
}

/// Verification for every number of hops, and of two paths with four and five hops together; and the next hop's
/// signing.
fn paths(harness: &mut Harness, scheme: &Scheme) {
    let Scheme { name, bits, path } = scheme;
    for n in HOPS {
        let keys = format!("bits={bits},n={n},scheme={name}");
        let path = LazyCell::new(|| path(n));
        measure(harness, "verify", &keys, || black_box(&path).is_valid());
        measure(harness, "append", &keys, || black_box(&path).sign_next());
    }
    let keys = format!("bits={bits},n=4+5,scheme={name}");
    let both = LazyCell::new(|| (path(4), path(5)));
    measure(harness, "verify", &keys, || {
        let (four, five) = black_box(&*both);
        four.is_valid() && five.is_valid()
    });
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

// OpenSSL: the raw operation.

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
        let keys = format!("bits={bits},scheme=openssl");
        measure(harness, "public", &keys, &mut operation);
        // As many operations as verifying a path of seven hops, for comparison.
        measure(harness, "public", &format!("bits={bits},n=7"), || {
            (0..7).all(|_| operation())
        });
    }
}

/// The cost of a hop relative to one public operation of OpenSSL: alternating samples of both, and the minimum of each,
/// which is least disturbed by other load.
fn ratio(suite: Suite, path: &dyn Path) {
    const HOPS: u32 = 7;
    let (key, input) = (bare(suite), vec![0x41; suite.modulus_len()]);
    let mut output = input.clone();
    let (mut hop, mut operation) = (Duration::MAX, Duration::MAX);
    for _ in 0..2000 {
        let begun = Instant::now();
        assert!(black_box(path).is_valid());
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
        let aggregate = |scheme: &&Scheme| scheme.name == "duet" && scheme.bits == suite.bits();
        let scheme = SCHEMES.iter().find(aggregate).expect("both suites");
        ratio(suite, &*(scheme.path)(7));
    }
}

/// All benches.
pub(crate) fn run(harness: &mut Harness, is_full: bool) {
    public(harness);
    queue(harness, is_full);
    for scheme in &SCHEMES {
        paths(harness, scheme);
    }
}
