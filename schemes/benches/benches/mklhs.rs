//! `duet-mklhs` on the paper's workload and on a validator's, compared with plain calls of blst.
//!
//! Everything runs on one thread, unless the name says otherwise.

use criterion::Criterion;
use duet_mklhs::{
    check_all, evaluate_unchecked, verify, BatchError, Bounds, Label, LabelRegister, Message,
    RegisterFiles, SigningKey,
};
use duet_scheme_benches::{
    harness::{checked, Harness},
    mklhs::{blst_keygen, PlainBlst, Workload},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{cell::LazyCell, hint::black_box, time::Duration};

/// The paper's numbers of signers and labels.
const PAPER: (u32, u32) = (10, 16);

fn main() {
    pool(1).install(|| {
        let criterion = Criterion::default()
            .sample_size(10)
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_millis(500))
            .configure_from_args()
            .without_plots();
        let mut harness = Harness::measuring(criterion);
        run(&mut harness);
        harness.finish();
    });
}

fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().expect("threads can be started")
}

/// All benches, in the current thread pool.
pub(crate) fn run(harness: &mut Harness) {
    let all = pool(0);
    signing(harness);
    combining(harness);
    sweep(harness);
    batches(harness, &all);
    validators(harness, &all);
}

fn measure(harness: &mut Harness, operation: &str, keys: &str, work: impl FnMut() -> bool) {
    harness.bench(&format!("mklhs::{operation}/{keys}"), checked(work));
}

fn signing(harness: &mut Harness) {
    let workload = LazyCell::new(|| Workload::new(PAPER.0, PAPER.1));
    let plain_blst = LazyCell::new(|| PlainBlst::new(&workload));
    let material = [7; 32];
    let expected = LazyCell::new(|| blst_keygen(&material));
    measure(harness, "keygen", "scheme=duet", || {
        let key = SigningKey::generate(black_box(&material)).expect("enough material");
        key.public().to_bytes() == *expected
    });
    measure(harness, "keygen", "scheme=blst", || {
        blst_keygen(black_box(&material)) == *expected
    });
    measure(harness, "sign", "scheme=duet", || {
        let (key, label) = (&workload.keys[0], &workload.program.labels()[0]);
        let signature = key.sign_unregistered(black_box(label), black_box(workload.messages[0]));
        signature.is_ok_and(|signature| signature == workload.signatures[0])
    });
    measure(harness, "sign", "scheme=blst", || {
        plain_blst.sign()[..] == workload.signatures[0].to_bytes()[..48]
    });
    registered(harness);
}

/// Signing with the register, on the disk with temporary files: 64 numbers with one flush.
fn registered(harness: &mut Harness) {
    let folder = std::env::temp_dir().join(format!("duet-mklhs-bench-{}", std::process::id()));
    let signer = LazyCell::new(|| {
        std::fs::create_dir_all(&folder).expect("temporary files can be made");
        let files = RegisterFiles {
            journal: folder.join("journal"),
            anchor: folder.join("anchor"),
        };
        let key = SigningKey::generate(&[7; 32]).expect("enough material");
        let register = LabelRegister::create(&files, key.id()).expect("a new register");
        (key, register)
    });
    let mut epoch = 0_u64;
    measure(harness, "sign_registered", "numbers=64", || {
        let (key, register) = &*signer;
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
    drop(signer);
    // If this fails, the remaining files are small.
    let _ = std::fs::remove_dir_all(&folder);
}

fn combining(harness: &mut Harness) {
    let workload = LazyCell::new(|| Workload::new(PAPER.0, PAPER.1));
    let plain_blst = LazyCell::new(|| PlainBlst::new(&workload));
    let shape = "signers=10,labels=16";
    let expected = LazyCell::new(|| workload.combined.to_bytes());
    measure(harness, "evaluate", &format!("{shape},scheme=duet"), || {
        let combined = evaluate_unchecked(&workload.program, black_box(&workload.signatures));
        combined.is_ok_and(|combined| combined.to_bytes() == *expected)
    });
    measure(harness, "evaluate", &format!("{shape},scheme=blst"), || {
        let (gamma, partials) = plain_blst.evaluate();
        [&gamma[..], partials.concat().as_slice()].concat() == *expected
    });
    measure(harness, "verify", &format!("{shape},scheme=blst"), || {
        plain_blst.verify()
    });
    measure(harness, "offline", &format!("{shape},scheme=blst"), || {
        plain_blst.label_sums().count() == 10
    });
    let label_sums = LazyCell::new(|| plain_blst.label_sums().collect::<Vec<_>>());
    measure(harness, "online", &format!("{shape},scheme=blst"), || {
        plain_blst.verify_online(black_box(&label_sums))
    });
}

/// As in RELIC's bench: increasing numbers of signers and labels.
fn sweep(harness: &mut Harness) {
    let shapes = (1..=PAPER.0)
        .map(|signers| (signers, PAPER.1))
        .chain((1..PAPER.1).map(|labels| (PAPER.0, labels)));
    for (signers, labels) in shapes {
        let workload = LazyCell::new(|| Workload::new(signers, labels));
        let keys = format!("signers={signers},labels={labels},scheme=duet");
        verifying(harness, &keys, &workload);
    }
}

fn verifying(
    harness: &mut Harness,
    keys: &str,
    workload: &LazyCell<Workload, impl FnOnce() -> Workload>,
) {
    measure(harness, "verify", keys, || {
        let combined = &workload.combined;
        let program = black_box(&workload.program);
        verify(program, &workload.signers, combined.total(), combined).is_ok()
    });
    measure(harness, "offline", keys, || {
        let program = black_box(&workload.program);
        program.prepare().signers().len() == program.signers().len()
    });
    let prepared = LazyCell::new(|| workload.program.prepare());
    measure(harness, "online", keys, || {
        let combined = black_box(&workload.combined);
        prepared
            .verify(&workload.signers, combined.total(), combined)
            .is_ok()
    });
}

/// The inputs of an aggregator, as a batch and one by one.
fn batches(harness: &mut Harness, all: &ThreadPool) {
    let workload = LazyCell::new(|| Workload::new(PAPER.0, PAPER.1));
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let mut together = |signatures| {
        let (signers, labels) = (&workload.signers, workload.program.labels());
        check_all(signers, Bounds::Residues, labels, signatures, &mut rng)
    };
    measure(harness, "check_all", "signatures=160", || {
        together(&workload.signatures).is_ok()
    });
    let one_bad = LazyCell::new(|| {
        let mut signatures = workload.signatures.clone();
        signatures.swap(40, 41);
        signatures
    });
    measure(harness, "check_all", "signatures=160,bad=2", || {
        let bad = together(&one_bad);
        matches!(bad, Err(BatchError::BadInputs(bad)) if bad.0.len() == 2)
    });
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    measure(harness, "check_all", "signatures=160,threads=all", || {
        let (signers, labels) = (&workload.signers, workload.program.labels());
        let signatures = &workload.signatures;
        all.install(|| check_all(signers, Bounds::Residues, labels, signatures, &mut rng).is_ok())
    });
    measure(harness, "check", "signatures=1", || {
        let (label, signature) = (&workload.program.labels()[0], &workload.signatures[0]);
        signature
            .check(&workload.signers, label, Bounds::Residues)
            .is_ok()
    });
}

/// Validators with one number each.
fn validators(harness: &mut Harness, all: &ThreadPool) {
    for signers in [100, 300, 1000] {
        let workload = LazyCell::new(|| Workload::new(signers, 1));
        let keys = format!("signers={signers},labels=1,scheme=duet");
        verifying(harness, &keys, &workload);
        let plain_blst = LazyCell::new(|| PlainBlst::new(&workload));
        let keys = format!("signers={signers},labels=1,scheme=blst");
        measure(harness, "verify", &keys, || plain_blst.verify());
        let keys = format!("signers={signers},labels=1,threads=all");
        measure(harness, "verify", &keys, || {
            let Workload {
                program,
                signers,
                combined,
                ..
            } = &*workload;
            all.install(|| verify(program, signers, combined.total(), combined).is_ok())
        });
    }
}
