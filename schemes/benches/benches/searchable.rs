//! The workload of the searchable-encryption paper, its Tables 2 to 4 and its Figure 2, on BLS12-381.
//!
//! Benches with `threads=1` run in a pool of one thread, those with `threads=all` on all cores. The paper measures sums
//! on one thread; the longest ones are not measured on all cores. With `DUET_BENCH_SCALE=quick`, the longest sums and
//! vectors are left out.

use criterion::Criterion;
use duet_scheme_benches::{
    harness::{in_pool, pool, pools, Effort, Harness},
    searchable::{factors, rng, Setting, INPUTS, LENGTHS},
};
use duet_searchable::{
    testing::Operations, Bound, Ciphertext, DiscreteLog, Form, HomomorphicKey, MasterKey, Message,
    PublicKey, ReceivedCiphertext, Term,
};
use rayon::ThreadPool;
use std::{
    cell::LazyCell,
    hint::black_box,
    sync::LazyLock,
    time::{Duration, Instant},
};

/// The longest sums that are measured on all cores.
const MOST_ON_ALL_CORES: usize = 1024;
/// The longest sums and vectors at the scale `quick`.
const MOST_WHERE_QUICK: usize = 256;
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

/// Measures on one thread.
fn on_one_thread(harness: &mut Harness, name: &str, run: impl FnMut() + Send) {
    let pool = pool(1);
    harness.bench(&format!("searchable::{name}"), in_pool(&pool, run));
}

/// Table 4: what receivers and data holders do.
fn receiving(harness: &mut Harness) {
    let setting = LazyLock::new(Setting::new);
    let seed = LazyLock::new(|| setting.master.expose());
    let input = LazyLock::new(|| setting.encryptor.encrypt(1 << 16, &mut rng()));
    on_one_thread(harness, "key_gen/keys=1", || {
        black_box(MasterKey::from_seed(&seed).expect("usable"));
    });
    on_one_thread(harness, "hom_key_gen/keys=1", || {
        let key = setting.master.homomorphic_key(&setting.keyword);
        black_box(key.expect("no collision with the secret"));
    });
    let mut rng = rng();
    on_one_thread(harness, "enc/messages=1", || {
        black_box(setting.encryptor.encrypt(42, &mut rng));
    });
    let decrypt = || {
        let message = setting.master.decrypt(&setting.keyword, &input);
        message.expect("its own")
    };
    on_one_thread(harness, "dec/form=scalar", || {
        black_box(decrypt());
    });
    let numbers = LazyLock::new(|| {
        let bound = Bound::new(1 << 16);
        DiscreteLog::new(bound, 1 << 20, &()).expect("a table")
    });
    on_one_thread(harness, "dec/form=scalar,message=lifted,bits=16", || {
        assert_eq!(black_box(numbers.find(&decrypt())), Ok(1 << 16));
    });
    let delegated = LazyLock::new(|| {
        let key = setting.master.decryption_key(&setting.keyword);
        key.expect("no collision with the secret")
    });
    on_one_thread(harness, "dec/form=group", || {
        black_box(delegated.decrypt(&input).expect("its own"));
    });
}

/// Table 4: what servers do.
fn serving(harness: &mut Harness) {
    let setting = LazyLock::new(Setting::new);
    let inputs = LazyLock::new(|| setting.ciphertexts(2));
    let tested = LazyLock::new(|| setting.tested(&inputs));
    on_one_thread(harness, "test/ciphertexts=1", || {
        black_box(setting.server.test(&inputs[0]).expect("its own"));
    });
    let mut rng = rng();
    on_one_thread(harness, "eval/check=all", || {
        let sum = setting.server.add(&inputs[0], &inputs[1], &mut rng);
        black_box(sum.expect("one keyword"));
    });
    on_one_thread(harness, "eval/check=none", || {
        let terms = [&tested[0], &tested[1]].map(|tested| Term::tested(1, tested));
        let sum = setting.server.evaluate(&terms, 0, &mut rng);
        black_box(sum.expect("one keyword"));
    });
}

/// Reading keys and ciphertexts from bytes.
fn importing(harness: &mut Harness) {
    let setting = LazyLock::new(Setting::new);
    let pk = LazyLock::new(|| setting.master.public_key().to_bytes());
    on_one_thread(harness, "import/key=public", || {
        black_box(PublicKey::from_bytes(&*pk).expect("a key"));
    });
    let hk = LazyLock::new(|| setting.server.expose());
    on_one_thread(harness, "import/key=homomorphic", || {
        let (public, keyword) = (setting.master.public_key(), &setting.keyword);
        black_box(HomomorphicKey::from_bytes(public, keyword, &**hk).expect("a key"));
    });
    let inputs = LazyLock::new(|| setting.ciphertexts(1));
    let plain = LazyLock::new(|| inputs[0].to_plain());
    on_one_thread(harness, "decode/form=plain", || {
        let received = ReceivedCiphertext::from_plain(&*plain).expect("1840 bytes");
        black_box(received.check().expect("a ciphertext"));
    });
    let compressed = LazyLock::new(|| inputs[0].to_compressed());
    on_one_thread(harness, "decode/form=compressed", || {
        let received = ReceivedCiphertext::from_compressed(&*compressed).expect("976 bytes");
        black_box(received.check().expect("a ciphertext"));
    });
}

type Terms<'a> = dyn Fn() -> &'a [Term<'a>] + Sync + 'a;

/// Figure 2.
fn sums(harness: &mut Harness, most: usize) {
    let setting = LazyLock::new(Setting::new);
    let shown = || INPUTS.into_iter().filter(|inputs| *inputs <= most);
    let ciphertexts = LazyLock::new(|| setting.ciphertexts(shown().max().unwrap_or(0)));
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
            for inputs in shown() {
                if threads != "1" && inputs > MOST_ON_ALL_CORES {
                    continue;
                }
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
        difference(harness, name, &pool, sum);
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

fn difference(
    harness: &mut Harness,
    name: &str,
    pool: &ThreadPool,
    sum: &mut (dyn FnMut(usize) -> bool + Send),
) {
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
}

/// Section 5.4 of the paper: one vector public, and both encrypted.
fn inner_products(harness: &mut Harness, most: usize) {
    let setting = LazyLock::new(Setting::new);
    let shown = || LENGTHS.into_iter().filter(|length| *length <= most);
    let longest = shown().max().unwrap_or(0);
    let left = LazyLock::new(|| factors(&setting, 0, longest));
    let right = LazyLock::new(|| factors(&setting, 7, longest));
    let mut rng = rng();
    for (threads, pool) in pools() {
        for length in shown() {
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

/// Baby-step giant-step for results of 32 and 40 bits.
fn logarithms(harness: &mut Harness) {
    for (threads, pool) in pools() {
        for bits in [32, 40] {
            let keys = |step| format!("bits={bits},step={step},threads={threads}");
            let name = |step| format!("searchable::discrete_log/{}", keys(step));
            // With the sign, a result has one bit more than its magnitude.
            let end = 1_i64 << (bits - 1);
            let bound = Bound::new(end.unsigned_abs());
            let build = move || DiscreteLog::new(bound, 1 << 26, &()).expect("a table");
            harness.bench_slow(&name("table"), SLOW, in_pool(&pool, build));
            let table = LazyLock::new(build);
            // The end of the range, which is found last.
            let message = LazyLock::new(|| Message::number(end));
            let search = in_pool(&pool, || {
                assert_eq!(table.find(&message), Ok(end));
            });
            harness.bench_slow(&name("search"), SLOW, search);
        }
    }
}

fn main() {
    let criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut harness = Harness::measuring(criterion);
    let is_quick = std::env::var("DUET_BENCH_SCALE").as_deref() == Ok("quick");
    run(&mut harness, !is_quick);
    harness.finish();
}

/// All benches.
pub(crate) fn run(harness: &mut Harness, is_full: bool) {
    let most = if is_full {
        usize::MAX
    } else {
        MOST_WHERE_QUICK
    };
    operations(harness);
    receiving(harness);
    serving(harness);
    importing(harness);
    sums(harness, most);
    marginal_cost(harness);
    inner_products(harness, most);
    logarithms(harness);
}
