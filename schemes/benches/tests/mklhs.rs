//! The sizes in the paper's table match the encodings, and the blst baseline agrees with the library.

use duet_scheme_benches::mklhs::{PlainBlst, Workload};
use serde_json::Value;

#[test]
fn the_sizes_in_the_table_are_those_of_the_encodings() {
    let paper: Value = serde_json::from_str(include_str!("../papers/mklhs.json")).unwrap();
    let rows = paper["rows"].as_array().unwrap();
    let mut seen = 0;
    for row in rows.iter().filter(|row| row["bytes"].is_number()) {
        let name = row["row"].as_str().unwrap();
        let encoded = match name.strip_prefix("combined signature of ") {
            Some(rest) => {
                let signers = rest.split(' ').next().unwrap().parse().unwrap();
                Workload::new(signers, 1).combined.to_bytes().len()
            }
            None => Workload::new(1, 1).signatures[0].to_bytes().len(),
        };
        assert_eq!(row["bytes"], encoded, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 5);
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
            let whole = |row: &&Value| row["bench"] == bench.as_str() && row["divide"] == 1;
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
