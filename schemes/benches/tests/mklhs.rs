//! Sizes are the paper's, the blst baseline agrees with the library, and the epoch's statistics are proven.

use duet_polynomial::Stat;
use duet_scheme_benches::{
    counted::linear,
    metrics::Epoch,
    mklhs::{PlainBlst, Workload},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::Value;

#[test]
fn signatures_have_the_lengths_of_the_paper() {
    let paper: Value = serde_json::from_str(include_str!("../papers/mklhs.json")).unwrap();
    let counted = linear();
    let rows = paper["rows"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["unit"] == "bytes" && row["paper"].is_number());
    let mut seen = 0;
    for row in rows.filter(|row| row["bench"].is_string()) {
        let ours = counted
            .iter()
            .find(|ours| row["bench"] == ours.name.as_str());
        assert_eq!(row["paper"], ours.unwrap().count, "{row}");
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
fn the_table_has_every_shape_of_the_sweep_once() {
    let paper: Value = serde_json::from_str(include_str!("../papers/mklhs.json")).unwrap();
    let rows = paper["rows"].as_array().unwrap();
    let shapes = (1..=10)
        .map(|signers| (signers, 16))
        .chain((1..16).map(|labels| (10, labels)));
    for (signers, labels) in shapes {
        for operation in ["verify", "offline", "online"] {
            let bench = format!("mklhs::{operation}/signers={signers},labels={labels},scheme=duet");
            let whole = |row: &&Value| row["bench"] == bench.as_str() && row["divide"].is_null();
            assert_eq!(rows.iter().filter(whole).count(), 1, "{bench}");
        }
    }
}

#[test]
fn the_rival_agrees_with_the_library() {
    let workload = Workload::new(3, 4);
    let plain_blst = PlainBlst::new(&workload);
    assert_eq!(
        plain_blst.sign()[..],
        workload.signatures[0].to_bytes()[..48]
    );
    let (gamma, partials) = plain_blst.evaluate();
    let combined = [&gamma[..], &partials.concat()].concat();
    assert_eq!(combined, workload.combined.to_bytes());
    assert!(plain_blst.verify());
    let mut other = plain_blst.label_sums().collect::<Vec<_>>();
    other.swap(0, 1);
    assert!(!plain_blst.verify_online(&other));
}

#[test]
fn an_epochs_statistics_are_proven_and_no_others() {
    let epoch = Epoch::new(3);
    let (mean, variance) = (epoch.prove(&Stat::Mean), epoch.prove(&Stat::Variance));
    assert!(epoch.is_proven(&Stat::Mean, &mean));
    assert!(epoch.is_proven(&Stat::Variance, &variance));
    assert!(!epoch.is_proven(&Stat::Variance, &(mean.0, variance.1)));
    assert!(!Epoch::new(4).is_proven(&Stat::Mean, &epoch.prove(&Stat::Mean)));
}

#[test]
fn other_weights_give_another_signature_and_two_numbers_convict() {
    let epoch = Epoch::new(3);
    let combined = epoch.reweigh(&mut ChaCha20Rng::seed_from_u64(1));
    assert_eq!(combined.partials().len(), 3);
    assert_ne!(combined, epoch.prove(&Stat::Mean).1.sum);
    assert!(epoch.convicts(&epoch.equivocation()));
    assert!(!Epoch::new(4).convicts(&epoch.equivocation()));
}
