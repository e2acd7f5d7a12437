//! The workload of the searchable-encryption paper, its Tables 2 to 4 and its Figure 2, on BLS12-381.
//!
//! Benches with `threads=1` run in a pool of one thread, those with `threads=all` on all cores. The paper's sums of
//! more than 1 024 ciphertexts are omitted: [`marginal_cost`] gives the same information.

use criterion::{Bencher, Criterion};
use duet_scheme_benches::harness::{Effort, Harness};
use duet_searchable::{
    testing::Operations, Bound, Ciphertext, DiscreteLog, Encryptor, Factor, Form, HomomorphicKey,
    Keyword, MasterKey, Message, PublicKey, ReceivedCiphertext, Ring, Term, Tested,
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::{
    cell::LazyCell,
    hint::black_box,
    sync::LazyLock,
    time::{Duration, Instant},
};

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(4)
}

struct Setting {
    master: MasterKey,
    keyword: Keyword,
    encryptor: Encryptor,
    server: HomomorphicKey,
}

impl Setting {
    fn new() -> Self {
        let master = MasterKey::generate(&mut rng()).expect("a usable seed");
        let keyword = Keyword::telemetry("duet", "cpu", 1).expect("short");
        Self {
            encryptor: Encryptor::new(master.public_key(), &keyword)
                .expect("no collision with the secret"),
            server: master
                .homomorphic_key(&keyword)
                .expect("no collision with the secret"),
            master,
            keyword,
        }
    }

    fn ciphertexts(&self, count: usize) -> Vec<Ciphertext> {
        let mut rng = rng();
        (0..count)
            .map(|_| self.encryptor.encrypt(1, &mut rng))
            .collect()
    }

    fn tested(&self, ciphertexts: &[Ciphertext]) -> Vec<Tested> {
        let tested = self.server.test_all(ciphertexts, &());
        tested
            .into_iter()
            .map(|tested| tested.expect("its own"))
            .collect()
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads")
}

/// The thread pools, with their names in benches. Zero threads means one per core.
fn pools() -> [(&'static str, rayon::ThreadPool); 2] {
    [("1", pool(1)), ("all", pool(0))]
}

/// Measures inside a pool, so that single-threaded work is not passed between threads.
fn in_pool<'a, T>(
    pool: &'a rayon::ThreadPool,
    mut run: impl FnMut() -> T + Send + 'a,
) -> impl FnMut(&mut Bencher<'_>) + 'a {
    let mut is_ready = false;
    move |b| {
        // The first call prepares the inputs.
        if !is_ready {
            pool.install(|| {
                black_box(run());
            });
            is_ready = true;
        }
        b.iter_custom(|iterations| {
            pool.install(|| {
                let start = Instant::now();
                for _ in 0..iterations {
                    black_box(run());
                }
                start.elapsed()
            })
        });
    }
}

/// For slow benches.
const SLOW: Effort = Effort {
    warm_up: Duration::from_millis(200),
    measurement: Duration::from_secs(1),
};

/// Table 2, for each group.
fn operations(harness: &mut Harness) {
    let operations = LazyCell::new(|| Operations::new(&mut rng()));
    let mut bench = |name: &str, run: &dyn Fn(&Operations)| {
        harness.bench(&format!("searchable::{name}"), |b| {
            let operations = &*operations;
            b.iter(|| run(black_box(operations)));
        });
    };
    macro_rules! rows {
        ($($name:literal => $operation:ident),* $(,)?) => {
            $(bench($name, &|operations| {
                let _ = black_box(operations.$operation());
            });)*
        };
    }
    rows! {
        "mul_g1/point=unknown" => mul_g1,
        "mul_g1/point=unknown,time=constant" => mul_g1_secret,
        "mul_g1/point=fixed" => mul_g1_fixed,
        "mul_g2/point=unknown" => mul_g2,
        "mul_g2/point=unknown,time=constant" => mul_g2_secret,
        "mul_g2/point=fixed" => mul_g2_fixed,
        "pow_gt/element=unknown" => pow_gt,
        "pow_gt/element=unknown,by=arkworks" => pow_gt_arkworks,
        "pow_gt/element=unknown,time=constant" => pow_gt_secret,
        "pow_gt/element=fixed" => pow_gt_fixed,
        "pairing/by=arkworks" => pairing,
        "order_check/by=frobenius" => order_check,
        "order_check/by=power" => order_check_by_power,
        "decompress_gt/form=torus" => decompress,
    }
    // For comparison with the marginal cost of a sum.
    bench(
        "pairing_and_order_check/by=arkworks,check=frobenius",
        &|operations| {
            let _ = black_box((operations.pairing(), operations.order_check()));
        },
    );
}

/// Table 4.
fn algorithms(harness: &mut Harness) {
    let setting = LazyLock::new(Setting::new);
    let seed = LazyLock::new(|| setting.master.expose());
    let pk = LazyLock::new(|| setting.master.public_key().to_bytes());
    let hk = LazyLock::new(|| setting.server.expose());
    let delegated = LazyLock::new(|| {
        let key = setting.master.decryption_key(&setting.keyword);
        key.expect("no collision with the secret")
    });
    let inputs = LazyLock::new(|| setting.ciphertexts(2));
    let tested = LazyLock::new(|| setting.tested(&inputs));
    let plain = LazyLock::new(|| inputs[0].to_plain());
    let compressed = LazyLock::new(|| inputs[0].to_compressed());
    let mut rng = rng();
    let pool = pool(1);
    let mut bench = |name: &str, run: &mut (dyn FnMut() + Send)| {
        harness.bench(&format!("searchable::{name}"), in_pool(&pool, run));
    };
    bench("key_gen/keys=1", &mut || {
        black_box(MasterKey::from_seed(&seed).expect("usable"));
    });
    bench("hom_key_gen/keys=1", &mut || {
        let key = setting.master.homomorphic_key(&setting.keyword);
        black_box(key.expect("no collision with the secret"));
    });
    bench("enc/messages=1", &mut || {
        black_box(setting.encryptor.encrypt(42, &mut rng));
    });
    bench("dec/form=scalar", &mut || {
        let message = setting.master.decrypt(&setting.keyword, &inputs[0]);
        black_box(message.expect("its own"));
    });
    bench("dec/form=group", &mut || {
        black_box(delegated.decrypt(&inputs[0]).expect("its own"));
    });
    bench("test/ciphertexts=1", &mut || {
        black_box(setting.server.test(&inputs[0]).expect("its own"));
    });
    bench("eval/check=all", &mut || {
        let sum = setting.server.add(&inputs[0], &inputs[1], &mut rng);
        black_box(sum.expect("one keyword"));
    });
    bench("eval/check=none", &mut || {
        let terms = [&tested[0], &tested[1]].map(|tested| Term::tested(1, tested));
        let sum = setting.server.evaluate(&terms, 0, &mut rng);
        black_box(sum.expect("one keyword"));
    });
    bench("import/key=public", &mut || {
        black_box(PublicKey::from_bytes(&*pk).expect("a key"));
    });
    bench("import/key=homomorphic", &mut || {
        let (public, keyword) = (setting.master.public_key(), &setting.keyword);
        black_box(HomomorphicKey::from_bytes(public, keyword, &**hk).expect("a key"));
    });
    bench("decode/form=plain", &mut || {
        let received = ReceivedCiphertext::from_plain(&*plain).expect("1840 bytes");
        black_box(received.check().expect("a ciphertext"));
    });
    bench("decode/form=compressed", &mut || {
        let received = ReceivedCiphertext::from_compressed(&*compressed).expect("976 bytes");
        black_box(received.check().expect("a ciphertext"));
    });
}

type Terms<'a> = dyn Fn() -> &'a [Term<'a>] + Sync + 'a;

/// Figure 2.
fn sums(harness: &mut Harness) {
    const MOST: usize = 1024;
    let setting = LazyLock::new(Setting::new);
    let ciphertexts = LazyLock::new(|| setting.ciphertexts(MOST));
    let tested = LazyLock::new(|| setting.tested(&ciphertexts));
    let checked = LazyLock::new(|| {
        let terms = ciphertexts.iter().map(|input| Term::new(1, input));
        terms.collect::<Vec<_>>()
    });
    let unchecked = LazyLock::new(|| {
        let terms = tested.iter().map(|input| Term::tested(1, input));
        terms.collect::<Vec<_>>()
    });
    let weighted = LazyLock::new(|| {
        let terms = (0..).zip(&*tested);
        terms
            .map(|(index, input)| Term::tested(index * 37 % 65_536, input))
            .collect::<Vec<_>>()
    });
    let mut rng = rng();
    for (threads, pool) in pools() {
        let all: [(&str, &Terms<'_>); 3] = [
            ("all", &|| &checked),
            ("none", &|| &unchecked),
            ("none,weights=16", &|| &weighted),
        ];
        for (check, terms) in all {
            for log in 2..=MOST.ilog2() {
                let inputs = 1 << log;
                let name =
                    format!("searchable::meval/inputs={inputs},check={check},threads={threads}");
                let sum = in_pool(&pool, || {
                    setting.server.evaluate(&terms()[..inputs], 0, &mut rng)
                });
                harness.bench_slow(&name, SLOW, sum);
            }
        }
    }
}

/// The marginal cost of an input in a sum: 72 inputs minus 8, divided by 64. The difference is taken within each
/// sample. Measured for checked ciphertexts, and for received bytes.
fn marginal_cost(harness: &mut Harness) {
    let setting = LazyLock::new(Setting::new);
    let ciphertexts = LazyLock::new(|| setting.ciphertexts(72));
    let terms = LazyLock::new(|| {
        let terms = ciphertexts.iter().map(|input| Term::new(1, input));
        terms.collect::<Vec<_>>()
    });
    let mut rng = rng();
    let pool = pool(1);
    let mut bench = |name: &str, sum: &mut (dyn FnMut(usize) -> bool + Send)| {
        let mut timed = |inputs| {
            let start = Instant::now();
            assert!(sum(inputs));
            start.elapsed()
        };
        let mut is_ready = false;
        harness.bench(&format!("searchable::meval_marginal/{name}"), |b| {
            // The first call prepares the inputs.
            if !is_ready {
                pool.install(|| timed(8));
                is_ready = true;
            }
            b.iter_custom(|iterations| {
                pool.install(|| {
                    let mut total = Duration::ZERO;
                    for _ in 0..iterations {
                        let (short, long) = (timed(8), timed(72));
                        total += long.saturating_sub(short) / 64;
                    }
                    total
                })
            });
        });
    };
    bench("check=all,threads=1", &mut |inputs| {
        let sum = setting.server.evaluate(&terms[..inputs], 0, &mut rng);
        black_box(sum).is_ok()
    });
    let wires = LazyLock::new(|| {
        let wires = ciphertexts.iter();
        wires
            .map(|ciphertext| ciphertext.to_wire(Form::Plain))
            .collect::<Vec<_>>()
    });
    bench("check=all,from=bytes,threads=1", &mut |inputs| {
        let checked: Vec<_> = wires[..inputs]
            .iter()
            .map(|wire| ReceivedCiphertext::parse(wire).and_then(|received| received.check()))
            .collect::<Result<_, _>>()
            .expect("ciphertexts");
        let terms: Vec<_> = checked.iter().map(|input| Term::new(1, input)).collect();
        black_box(setting.server.evaluate(&terms, 0, &mut rng)).is_ok()
    });
}

/// Section 5.4 of the paper: one vector public, and both encrypted.
fn inner_products(harness: &mut Harness) {
    const LENGTHS: [usize; 2] = [10, 100];
    let ring = Ring::new(8).expect("eight bits");
    let setting = LazyLock::new(Setting::new);
    let factors = |first: u32| {
        let mut rng = rng();
        let factor = |number: u32| {
            Factor::encrypt(&setting.encryptor, ring, number % 256, &mut rng).expect("a byte")
        };
        (first..).map(factor).take(LENGTHS[1]).collect::<Vec<_>>()
    };
    let left = LazyLock::new(|| factors(0));
    let right = LazyLock::new(|| factors(7));
    let mut rng = rng();
    for (threads, pool) in pools() {
        for length in LENGTHS {
            let name = |vectors: &str| {
                let keys = format!("length={length},vectors={vectors},threads={threads}");
                format!("searchable::inner_product/{keys}")
            };
            let terms = LazyLock::new(|| {
                let terms = (1..).zip(&left[..length]);
                terms
                    .map(|(weight, factor)| Term::new(weight, factor.ciphertext()))
                    .collect::<Vec<_>>()
            });
            let plain = in_pool(&pool, || setting.server.evaluate(&terms, 0, &mut rng));
            harness.bench_slow(&name("plain_encrypted"), SLOW, plain);
            let encrypted = in_pool(&pool, || {
                let (left, right) = (&left[..length], &right[..length]);
                setting.server.inner_product(left, right, &mut rng, &())
            });
            harness.bench_slow(&name("encrypted_encrypted"), SLOW, encrypted);
            let product = LazyLock::new(|| {
                let (left, right) = (&left[..length], &right[..length]);
                let product = setting.server.inner_product(left, right, &mut rng, &());
                product.expect("one keyword")
            });
            let table = LazyLock::new(|| {
                let bound = product.bound().expect("short");
                DiscreteLog::new(bound, 1 << 24, &()).expect("small")
            });
            let decrypt = in_pool(&pool, || {
                let part = |part: &Ciphertext| setting.master.decrypt(&setting.keyword, part);
                product.decrypt(part, &table)
            });
            harness.bench_slow(&name("decrypt"), SLOW, decrypt);
        }
    }
}

/// Baby-step giant-step for 32-bit results.
fn logarithms(harness: &mut Harness) {
    for (threads, pool) in pools() {
        let name = |step| format!("searchable::discrete_log/bits=32,step={step},threads={threads}");
        let build = || DiscreteLog::new(Bound::new(1 << 31), 1 << 26, &()).expect("a table");
        harness.bench_slow(&name("table"), SLOW, in_pool(&pool, build));
        let table = LazyLock::new(build);
        // The end of the range, which is found last.
        let message = LazyLock::new(|| Message::number(1 << 31));
        let search = in_pool(&pool, || table.find(&message));
        harness.bench_slow(&name("search"), SLOW, search);
    }
}

fn main() {
    let criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut harness = Harness::measuring(criterion);
    run(&mut harness);
    harness.finish();
}

/// All benches.
pub(crate) fn run(harness: &mut Harness) {
    operations(harness);
    algorithms(harness);
    sums(harness);
    marginal_cost(harness);
    inner_products(harness);
    logarithms(harness);
}
