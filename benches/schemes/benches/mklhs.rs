//! `duet-mklhs` on the paper's workload and on a validator's, beside a straight use of blst.
//!
//! Everything runs on one thread, unless its name says otherwise.

use criterion::Criterion;
use duet_mklhs::{
    check_all, evaluate_unchecked, verify, BatchError, Bounds, Label, LabelRegister, Message,
    RegisterFiles, SigningKey,
};
use duet_scheme_benches::mklhs::{blst_keygen, Straight, Workload};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{hint::black_box, time::Duration};

/// Signers and labels of the paper.
const PAPER: (u32, u32) = (10, 16);

fn main() {
    let pool = |threads| {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        builder.build().expect("threads can be started")
    };
    let all = pool(0);
    pool(1).install(|| {
        let mut criterion = Criterion::default()
            .sample_size(10)
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_millis(500))
            .configure_from_args()
            .without_plots();
        signing(&mut criterion);
        combining(&mut criterion);
        sweep(&mut criterion);
        batches(&mut criterion, &all);
        validators(&mut criterion, &all);
        criterion.final_summary();
    });
}

/// Measures `work` after seeing that it answers yes.
fn measure(criterion: &mut Criterion, operation: &str, keys: &str, mut work: impl FnMut() -> bool) {
    assert!(work(), "{operation}/{keys} answers no");
    let mut group = criterion.benchmark_group(format!("mklhs::{operation}"));
    group.bench_function(keys, |bencher| bencher.iter(|| black_box(work())));
    group.finish();
}

fn signing(criterion: &mut Criterion) {
    let workload = Workload::new(PAPER.0, PAPER.1);
    let straight = Straight::new(&workload);
    let material = [7; 32];
    let expected = blst_keygen(&material);
    measure(criterion, "keygen", "scheme=duet", || {
        let key = SigningKey::generate(black_box(&material)).expect("enough material");
        key.public().to_bytes() == expected
    });
    measure(criterion, "keygen", "scheme=blst", || {
        blst_keygen(black_box(&material)) == expected
    });
    let (key, label) = (&workload.keys[0], &workload.program.labels()[0]);
    let message = workload.messages[0];
    let expected = workload.signatures[0].to_bytes();
    measure(criterion, "sign", "scheme=duet", || {
        let signature = key.sign_unregistered(black_box(label), black_box(message));
        signature.is_ok_and(|signature| signature.to_bytes() == expected)
    });
    measure(criterion, "sign", "scheme=blst", || {
        straight.sign()[..] == expected[..48]
    });
    registered(criterion, key);
}

/// Signing with the register, on the disk that holds temporary files: 64 numbers with one flush.
fn registered(criterion: &mut Criterion, key: &SigningKey) {
    let folder = std::env::temp_dir().join(format!("duet-mklhs-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary files can be made");
    let files = RegisterFiles {
        journal: folder.join("journal"),
        anchor: folder.join("anchor"),
    };
    let register = LabelRegister::create(&files, key.id()).expect("a new register");
    let mut epoch = 0_u64;
    measure(criterion, "sign_registered", "numbers=64", || {
        epoch += 1;
        let label = |tag: u64| {
            let label = Label::new(b"bench", key.id(), &epoch.to_be_bytes(), &tag.to_be_bytes());
            label.expect("short fields")
        };
        let labels: Vec<_> = (0..64).map(label).collect();
        let messages: Vec<_> = labels
            .iter()
            .map(|label| (label, Message::from(epoch)))
            .collect();
        register
            .sign_all(key, &messages)
            .is_ok_and(|all| all.len() == 64)
    });
    drop(register);
    // What stays behind is small, and the system clears it.
    let _ = std::fs::remove_dir_all(&folder);
}

fn combining(criterion: &mut Criterion) {
    let workload = Workload::new(PAPER.0, PAPER.1);
    let straight = Straight::new(&workload);
    let shape = "signers=10,labels=16";
    let expected = workload.combined.to_bytes();
    measure(
        criterion,
        "evaluate",
        &format!("{shape},scheme=duet"),
        || {
            let combined = evaluate_unchecked(&workload.program, black_box(&workload.signatures));
            combined.is_ok_and(|combined| combined.to_bytes() == expected)
        },
    );
    measure(
        criterion,
        "evaluate",
        &format!("{shape},scheme=blst"),
        || {
            let (gamma, partials) = straight.evaluate();
            [&gamma[..], partials.concat().as_slice()].concat() == expected
        },
    );
    measure(criterion, "verify", &format!("{shape},scheme=blst"), || {
        straight.verify()
    });
    measure(
        criterion,
        "offline",
        &format!("{shape},scheme=blst"),
        || straight.label_sums().count() == 10,
    );
    let label_sums: Vec<_> = straight.label_sums().collect();
    measure(criterion, "online", &format!("{shape},scheme=blst"), || {
        straight.verify_online(black_box(&label_sums))
    });
}

/// As RELIC's bench has it: one signer more at a time, and one label more.
fn sweep(criterion: &mut Criterion) {
    let shapes = (1..=PAPER.0)
        .map(|signers| (signers, PAPER.1))
        .chain((1..PAPER.1).map(|labels| (PAPER.0, labels)));
    for (signers, labels) in shapes {
        let workload = Workload::new(signers, labels);
        verifying(
            criterion,
            &format!("signers={signers},labels={labels},scheme=duet"),
            &workload,
        );
    }
}

fn verifying(criterion: &mut Criterion, keys: &str, workload: &Workload) {
    let Workload {
        program,
        signers,
        combined,
        ..
    } = workload;
    let total = combined.total();
    measure(criterion, "verify", keys, || {
        verify(black_box(program), signers, total, combined).is_ok()
    });
    measure(criterion, "offline", keys, || {
        black_box(program).prepare().signers().len() == program.signers().len()
    });
    let prepared = program.prepare();
    measure(criterion, "online", keys, || {
        prepared.verify(signers, total, black_box(combined)).is_ok()
    });
}

/// An aggregator's inputs, together and one by one.
fn batches(criterion: &mut Criterion, all: &ThreadPool) {
    let workload = Workload::new(PAPER.0, PAPER.1);
    let labels = workload.program.labels();
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let mut together = |signatures| {
        let bounds = Bounds::Residues;
        check_all(&workload.signers, bounds, labels, signatures, &mut rng)
    };
    measure(criterion, "check_all", "signatures=160", || {
        together(&workload.signatures).is_ok()
    });
    let mut one_bad = workload.signatures.clone();
    one_bad.swap(40, 41);
    measure(criterion, "check_all", "signatures=160,bad=2", || {
        let bad = together(&one_bad);
        matches!(bad, Err(BatchError::BadInputs(bad)) if bad.0.len() == 2)
    });
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    measure(criterion, "check_all", "signatures=160,threads=all", || {
        let (labels, signatures) = (labels, &workload.signatures);
        all.install(|| {
            let bounds = Bounds::Residues;
            check_all(&workload.signers, bounds, labels, signatures, &mut rng).is_ok()
        })
    });
    measure(criterion, "check", "signatures=1", || {
        let (label, signature) = (&labels[0], &workload.signatures[0]);
        signature
            .check(&workload.signers, label, Bounds::Residues)
            .is_ok()
    });
}

/// Validators with one number each.
fn validators(criterion: &mut Criterion, all: &ThreadPool) {
    for signers in [100, 300, 1000] {
        let workload = Workload::new(signers, 1);
        let keys = format!("signers={signers},labels=1,scheme=duet");
        verifying(criterion, &keys, &workload);
        let straight = Straight::new(&workload);
        let keys = format!("signers={signers},labels=1,scheme=blst");
        measure(criterion, "verify", &keys, || straight.verify());
        let Workload {
            program,
            signers: known,
            combined,
            ..
        } = &workload;
        let keys = format!("signers={signers},labels=1,threads=all");
        measure(criterion, "verify", &keys, || {
            all.install(|| verify(program, known, combined.total(), combined).is_ok())
        });
    }
}
