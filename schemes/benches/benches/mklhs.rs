//! `duet-mklhs` on the paper's workload and on a validator's, compared with plain calls of blst.
//!
//! Everything runs on one thread, unless the name says otherwise.

use duet_mklhs::{
    check_all, evaluate_unchecked, verify, BatchError, Bounds, Label, LabelRegister, Message,
    RegisterFiles, SigningKey,
};
use duet_polynomial::Stat;
use duet_scheme_benches::{
    cmlhs::{self, evaluate, SecretKey, Statement},
    harness::{checked, pool, Harness},
    metrics::Epoch,
    mklhs::{blst_keygen, PlainBlst, Workload},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPool;
use std::{cell::LazyCell, hint::black_box};

/// The paper's numbers of signers and labels.
const PAPER: (u32, u32) = (10, 16);
/// Numbers of labels for which the rivals are measured, too; the last two are ours.
const LABELS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Numbers of validators.
const VALIDATORS: [u32; 3] = [100, 300, 1000];

fn main() {
    pool(1).install(|| {
        let mut harness = Harness::brief();
        run(&mut harness);
        harness.finish();
    });
}

/// All benches, in the current thread pool.
pub(crate) fn run(harness: &mut Harness) {
    let all = pool(0);
    signing(harness);
    combining(harness);
    sweep(harness);
    rival_signing(harness);
    rival_combining(harness);
    batches(harness, &all);
    validators(harness, &all);
    metrics(harness);
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
    measure(harness, "offline", &format!("{shape},scheme=blst"), || {
        plain_blst.label_sums().count() == 10
    });
    let label_sums = LazyCell::new(|| plain_blst.label_sums().collect::<Vec<_>>());
    measure(harness, "online", &format!("{shape},scheme=blst"), || {
        plain_blst.verify_online(black_box(&label_sums))
    });
}

/// As in RELIC's bench: increasing numbers of signers and labels. In addition, more labels than the paper's.
fn sweep(harness: &mut Harness) {
    let more = LABELS.into_iter().filter(|labels| *labels > PAPER.1);
    let shapes = (1..=PAPER.0)
        .map(|signers| (signers, PAPER.1))
        .chain((1..PAPER.1).chain(more).map(|labels| (PAPER.0, labels)));
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

/// The rival of the paper: its keys have a secret for each label.
fn rival_signing(harness: &mut Harness) {
    let workload = LazyCell::new(|| cmlhs::Workload::new(&Workload::new(1, PAPER.1)));
    let labels = usize::try_from(PAPER.1).expect("few");
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let keys = format!("labels={labels},scheme=cmlhs");
    measure(harness, "keygen", &keys, || {
        let (_, public) = SecretKey::generate(&workload.parameters, labels, &mut rng);
        public.labels.len() == labels
    });
    measure(harness, "sign", "scheme=cmlhs", || {
        let signature = workload.sign(&mut rng);
        signature.shares_data_set(&workload.signatures[0][0])
    });
    let data_set = LazyCell::new(|| workload.open());
    measure(harness, "sign", "scheme=cmlhs,data_set=open", || {
        let numbered = (0, black_box(&workload.messages[0][0]));
        let secret = &workload.secrets[0];
        let signature = secret.sign_in(&workload.parameters, &data_set, numbered, &mut rng);
        signature.shares_data_set(&workload.signatures[0][0])
    });
}

/// Evaluation and verification by the rivals.
fn rival_combining(harness: &mut Harness) {
    for labels in LABELS {
        let shape = format!("signers={},labels={labels}", PAPER.0);
        let inputs = LazyCell::new(|| Workload::new(PAPER.0, labels));
        let plain_blst = LazyCell::new(|| PlainBlst::new(&inputs));
        measure(harness, "verify", &format!("{shape},scheme=blst"), || {
            plain_blst.verify()
        });
        let rival = LazyCell::new(|| cmlhs::Workload::new(&inputs));
        let keys = format!("{shape},scheme=cmlhs");
        measure(harness, "evaluate", &keys, || {
            let combined = evaluate(&rival.coefficients, black_box(&rival.signatures));
            combined.is_ok_and(|combined| combined == rival.combined)
        });
        measure(harness, "verify", &keys, || {
            let combined = black_box(&rival.combined);
            rival
                .statement()
                .verify(&rival.parameters, combined)
                .is_ok()
        });
        let keys = format!("{keys},equations=together");
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let mut together = |statement: &Statement<'_>| {
            let (parameters, combined) = (&rival.parameters, black_box(&rival.combined));
            let verified = statement.verify_together(parameters, combined, &mut rng);
            verified.is_ok()
        };
        measure(harness, "verify", &keys, || together(&rival.statement()));
        let kept = LazyCell::new(|| Statement {
            label_sum: Some(rival.statement().sum_of_labels()),
            ..rival.statement()
        });
        measure(harness, "online", &keys, || together(&kept));
    }
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
    for signers in VALIDATORS {
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

/// Attested network metrics: the statistics of an epoch, with stakes as weights.
fn metrics(harness: &mut Harness) {
    for validators in VALIDATORS {
        let epoch = LazyCell::new(|| Epoch::new(validators));
        for (name, stat) in [("mean", Stat::Mean), ("variance", Stat::Variance)] {
            let keys = |step| format!("validators={validators},stat={name},step={step}");
            let proven = LazyCell::new(|| epoch.prove(&stat));
            measure(harness, "metric", &keys("prove"), || {
                epoch.prove(black_box(&stat)) == *proven
            });
            measure(harness, "metric", &keys("verify"), || {
                epoch.is_proven(black_box(&stat), &proven)
            });
        }
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let keys = format!("validators={validators},step=reweigh");
        measure(harness, "metric", &keys, || {
            epoch.reweigh(&mut rng).partials().len() == usize::try_from(validators).expect("few")
        });
    }
    let epoch = LazyCell::new(|| Epoch::new(1));
    let evidence = LazyCell::new(|| epoch.equivocation());
    measure(harness, "equivocation", "step=check", || {
        epoch.convicts(black_box(&evidence))
    });
}
