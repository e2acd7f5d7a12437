//! The searchable encryption's paper, its Tables 2 to 4 and its Figure 2, on BLS12-381.
//!
//! Everything with `threads=1` runs in a pool of one thread; `threads=all` on all cores. The paper's sums of more than
//! 1 024 ciphertexts are left out: [`marginal_cost`] is what they would show.

#![allow(missing_docs)]

use criterion::{criterion_group, criterion_main, Bencher, Criterion, SamplingMode};
use duet_searchable::{
    testing::Operations, Bound, Ciphertext, DiscreteLog, Encryptor, Factor, Form, HomomorphicKey,
    Keyword, MasterKey, Message, PublicKey, ReceivedCiphertext, Ring, Term, Tested,
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::{
    hint::black_box,
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
    rng: ChaCha20Rng,
}

impl Setting {
    fn new() -> Self {
        let mut rng = rng();
        let master = MasterKey::generate(&mut rng).expect("a usable seed");
        let keyword = Keyword::telemetry("duet", "cpu", 1).expect("short");
        Self {
            encryptor: Encryptor::new(master.public_key(), &keyword).expect("no hit"),
            server: master.homomorphic_key(&keyword).expect("no hit"),
            master,
            keyword,
            rng,
        }
    }

    fn ciphertexts(&mut self, count: usize) -> Vec<Ciphertext> {
        (0..count)
            .map(|_| self.encryptor.encrypt(1, &mut self.rng))
            .collect()
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads")
}

/// Pools by the name that a bench gives them. Zero threads are as many as there are cores.
fn pools() -> [(&'static str, rayon::ThreadPool); 2] {
    [("1", pool(1)), ("all", pool(0))]
}

/// Measures in a pool, from inside it: work that one thread does is not handed over and back.
fn iterate<T>(b: &mut Bencher<'_>, pool: &rayon::ThreadPool, mut run: impl FnMut() -> T + Send) {
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

/// Table 2, for each group.
fn operations(c: &mut Criterion) {
    let operations = Operations::new(&mut rng());
    let mut bench = |name: &str, run: &dyn Fn(&Operations)| {
        c.bench_function(&format!("searchable::{name}"), |b| {
            b.iter(|| run(black_box(&operations)));
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
    // What a sum of one input more is set beside.
    bench(
        "pairing_and_order_check/by=arkworks,check=frobenius",
        &|operations| {
            let _ = black_box((operations.pairing(), operations.order_check()));
        },
    );
}

/// Table 4.
fn algorithms(c: &mut Criterion) {
    let mut setting = Setting::new();
    let seed = setting.master.expose();
    let pk = setting.master.public_key().to_bytes();
    let hk = setting.server.expose();
    let delegated = setting
        .master
        .decryption_key(&setting.keyword)
        .expect("no hit");
    let inputs = setting.ciphertexts(2);
    let (plain, compressed) = (inputs[0].to_plain(), inputs[0].to_compressed());
    let tested = inputs.each_tested(&setting.server);
    let Setting {
        master,
        keyword,
        encryptor,
        server,
        mut rng,
    } = setting;
    let pool = pool(1);
    let mut bench = |name: &str, run: &mut (dyn FnMut() + Send)| {
        c.bench_function(&format!("searchable::{name}"), |b| {
            iterate(b, &pool, &mut *run)
        });
    };
    bench("key_gen/keys=1", &mut || {
        black_box(MasterKey::from_seed(&seed).expect("usable"));
    });
    bench("hom_key_gen/keys=1", &mut || {
        black_box(master.homomorphic_key(&keyword).expect("no hit"));
    });
    bench("enc/messages=1", &mut || {
        black_box(encryptor.encrypt(42, &mut rng));
    });
    bench("dec/form=scalar", &mut || {
        black_box(master.decrypt(&keyword, &inputs[0]).expect("its own"));
    });
    bench("dec/form=group", &mut || {
        black_box(delegated.decrypt(&inputs[0]).expect("its own"));
    });
    bench("test/ciphertexts=1", &mut || {
        black_box(server.test(&inputs[0]).expect("its own"));
    });
    bench("eval/check=all", &mut || {
        black_box(
            server
                .add(&inputs[0], &inputs[1], &mut rng)
                .expect("one keyword"),
        );
    });
    let terms = tested.each_ref().map(|tested| Term::tested(1, tested));
    bench("eval/check=none", &mut || {
        black_box(server.evaluate(&terms, 0, &mut rng).expect("one keyword"));
    });
    bench("import/key=public", &mut || {
        black_box(PublicKey::from_bytes(&pk).expect("a key"));
    });
    bench("import/key=homomorphic", &mut || {
        black_box(HomomorphicKey::from_bytes(master.public_key(), &keyword, &*hk).expect("a key"));
    });
    bench("decode/form=plain", &mut || {
        let received = ReceivedCiphertext::from_plain(&plain).expect("1840 bytes");
        black_box(received.check().expect("a ciphertext"));
    });
    bench("decode/form=compressed", &mut || {
        let received = ReceivedCiphertext::from_compressed(&compressed).expect("976 bytes");
        black_box(received.check().expect("a ciphertext"));
    });
}

trait EachTested {
    fn each_tested(&self, server: &HomomorphicKey) -> [Tested; 2];
}

impl EachTested for Vec<Ciphertext> {
    fn each_tested(&self, server: &HomomorphicKey) -> [Tested; 2] {
        [&self[0], &self[1]].map(|ciphertext| server.test(ciphertext).expect("its own"))
    }
}

/// Figure 2.
fn sums(c: &mut Criterion) {
    let mut setting = Setting::new();
    let ciphertexts = setting.ciphertexts(1024);
    let tested: Vec<_> = setting
        .server
        .test_all(&ciphertexts, &())
        .into_iter()
        .map(|tested| tested.expect("its own"))
        .collect();
    let checked: Vec<_> = ciphertexts
        .iter()
        .map(|input| Term::new(1, input))
        .collect();
    let unchecked: Vec<_> = tested.iter().map(|input| Term::tested(1, input)).collect();
    let weighted: Vec<_> = (0..)
        .zip(&tested)
        .map(|(index, input)| Term::tested(index * 37 % 65_536, input))
        .collect();
    let Setting {
        server, mut rng, ..
    } = setting;
    for (threads, pool) in pools() {
        for (check, terms) in [
            ("all", &checked),
            ("none", &unchecked),
            ("none,weights=16", &weighted),
        ] {
            let mut group = c.benchmark_group("searchable::meval");
            group
                .sampling_mode(SamplingMode::Flat)
                .sample_size(10)
                .warm_up_time(Duration::from_millis(200))
                .measurement_time(Duration::from_secs(1));
            for log in 2..=10 {
                let Some(terms) = terms.get(..1 << log) else {
                    break;
                };
                let name = format!("inputs={},check={check},threads={threads}", terms.len());
                group.bench_function(name, |b| {
                    iterate(b, &pool, || server.evaluate(terms, 0, &mut rng));
                });
            }
        }
    }
}

/// What one input more costs in a sum: 72 inputs less 8, by 64. The difference is taken within each sample. From
/// ciphertexts that were checked, and from bytes as they are received.
fn marginal_cost(c: &mut Criterion) {
    let mut setting = Setting::new();
    let ciphertexts = setting.ciphertexts(72);
    let terms: Vec<_> = ciphertexts
        .iter()
        .map(|input| Term::new(1, input))
        .collect();
    let Setting {
        server, mut rng, ..
    } = setting;
    let pool = pool(1);
    let mut bench = |name: &str, sum: &mut (dyn FnMut(usize) -> bool + Send)| {
        let mut timed = |inputs| {
            let start = Instant::now();
            assert!(sum(inputs));
            start.elapsed()
        };
        c.bench_function(&format!("searchable::meval_marginal/{name}"), |b| {
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
        black_box(server.evaluate(&terms[..inputs], 0, &mut rng)).is_ok()
    });
    let wires: Vec<_> = ciphertexts
        .iter()
        .map(|ciphertext| ciphertext.to_wire(Form::Plain))
        .collect();
    bench("check=all,from=bytes,threads=1", &mut |inputs| {
        let checked: Vec<_> = wires[..inputs]
            .iter()
            .map(|wire| ReceivedCiphertext::parse(wire).and_then(|received| received.check()))
            .collect::<Result<_, _>>()
            .expect("ciphertexts");
        let terms: Vec<_> = checked.iter().map(|input| Term::new(1, input)).collect();
        black_box(server.evaluate(&terms, 0, &mut rng)).is_ok()
    });
}

/// Section 5.4 of the paper: one vector public, and both encrypted.
fn inner_products(c: &mut Criterion) {
    let mut setting = Setting::new();
    let ring = Ring::new(8).expect("eight bits");
    let lengths = [10, 100];
    let longest = 100;
    let mut factor = |number: u32| {
        Factor::encrypt(&setting.encryptor, ring, number % 256, &mut setting.rng).expect("a byte")
    };
    let left: Vec<_> = (0..).map(&mut factor).take(longest).collect();
    let right: Vec<_> = (7..).map(&mut factor).take(longest).collect();
    let Setting {
        master,
        keyword,
        server,
        mut rng,
        ..
    } = setting;
    let mut group = c.benchmark_group("searchable::inner_product");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    for (threads, pool) in pools() {
        for length in lengths {
            let (left, right) = (&left[..length], &right[..length]);
            let terms: Vec<_> = (1..)
                .zip(left)
                .map(|(weight, factor)| Term::new(weight, factor.ciphertext()))
                .collect();
            group.bench_function(
                format!("length={length},vectors=plain_encrypted,threads={threads}"),
                |b| iterate(b, &pool, || server.evaluate(&terms, 0, &mut rng)),
            );
            group.bench_function(
                format!("length={length},vectors=encrypted_encrypted,threads={threads}"),
                |b| {
                    iterate(b, &pool, || {
                        server.inner_product(left, right, &mut rng, &())
                    })
                },
            );
            let product = server
                .inner_product(left, right, &mut rng, &())
                .expect("one keyword");
            let bound = product.bound().expect("short");
            let table = DiscreteLog::new(bound, 1 << 24, &()).expect("small");
            group.bench_function(
                format!("length={length},vectors=decrypt,threads={threads}"),
                |b| {
                    let decrypt = |ciphertext: &Ciphertext| master.decrypt(&keyword, ciphertext);
                    iterate(b, &pool, || product.decrypt(decrypt, &table));
                },
            );
        }
    }
}

/// Baby steps and giant steps for results of 32 bits.
fn logarithms(c: &mut Criterion) {
    let mut group = c.benchmark_group("searchable::discrete_log");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    for (threads, pool) in pools() {
        let bound = Bound::new(1 << 31);
        let build = || DiscreteLog::new(bound, 1 << 26, &()).expect("a table");
        group.bench_function(format!("bits=32,step=table,threads={threads}"), |b| {
            iterate(b, &pool, build);
        });
        let table = pool.install(build);
        // The end of the range, which is found last.
        let message = Message::number(1 << 31);
        group.bench_function(format!("bits=32,step=search,threads={threads}"), |b| {
            iterate(b, &pool, || table.find(&message));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = operations, algorithms, sums, marginal_cost, inner_products, logarithms
}
criterion_main!(benches);
