//! What is off by default is not built by default.

mod support;

use std::{collections::BTreeSet, env, process::Command};

/// What users build: nothing of the companion schemes is in it by default.
const PROGRAMS: [&str; 4] = ["--package", "duet-node", "--package", "duet-light"];
/// What the light client's feature `vouchers` brings.
const OF_VOUCHERS: [&str; 4] = [
    "duet-armour",
    "duet-vouch",
    "duet-sequential",
    "duet-journal",
];
/// What the feature `statistics` brings to the light client, and to the node.
const OF_STATISTICS: [&str; 3] = ["duet-statistics", "duet-mklhs", "duet-journal"];
/// What the node's feature `encrypted-telemetry` brings.
const OF_TELEMETRY: [&str; 5] = [
    "duet-telemetry-node",
    "duet-telemetry",
    "duet-searchable",
    "duet-meter",
    "duet-armour",
];
const OF_STATISTICS_IN_THE_NODE: [&str; 3] = ["duet-statistics-node", "duet-meter", "duet-armour"];

/// The names of all packages that a build on this machine compiles, tests left out.
fn built(arguments: &[&str]) -> BTreeSet<String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--locked", "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}"])
        .args(arguments)
        .current_dir(support::repository())
        .output()
        .expect("cargo is there");
    let said = String::from_utf8_lossy(&tree.stderr);
    assert!(tree.status.success(), "{said}");
    let lines = String::from_utf8(tree.stdout).expect("text");
    let names = lines.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

fn is_off_by_default(packages: &[&str]) {
    let by_default = built(&PROGRAMS);
    for package in ["duet-node", "duet-runtime", "duet-light", "duet-primitives"] {
        assert!(by_default.contains(package), "{package} is ours");
    }
    for package in packages {
        assert!(
            !by_default.contains(*package),
            "{package} is built by default"
        );
    }
}

#[test]
fn vouchers_are_built_into_the_light_client_with_their_feature_and_into_nothing_else() {
    is_off_by_default(&OF_VOUCHERS);
    let with_feature = built(&["--package", "duet-light", "--features", "vouchers"]);
    for package in OF_VOUCHERS {
        assert!(with_feature.contains(package), "{package} is not built");
    }
    let all = built(&[
        "--workspace",
        "--features",
        "duet-light/vouchers",
        "--invert",
        "duet-vouch",
    ]);
    let expected = [
        "duet-light",
        "duet-scheme-fuzz",
        "duet-schemes",
        "duet-vouch",
    ]
    .map(str::to_owned);
    assert_eq!(all, expected.into(), "who uses the vouchers");
}

#[test]
fn statistics_are_built_into_node_and_light_client_with_their_feature_alone() {
    let of_node = [OF_STATISTICS.as_slice(), &OF_STATISTICS_IN_THE_NODE].concat();
    is_off_by_default(&of_node);
    let light = built(&["--package", "duet-light", "--features", "statistics"]);
    for package in OF_STATISTICS {
        assert!(light.contains(package), "{package} is not built");
    }
    let node = built(&["--package", "duet-node", "--features", "statistics"]);
    for package in of_node {
        assert!(node.contains(package), "{package} is not built");
    }
    let all = built(&[
        "--workspace",
        "--features",
        "duet-light/statistics,duet-node/statistics",
        "--invert",
        "duet-statistics",
    ]);
    let expected = [
        "duet-light",
        "duet-meter",
        "duet-node",
        "duet-statistics",
        "duet-statistics-node",
        // Through the meter.
        "duet-telemetry-node",
    ];
    assert_eq!(
        all,
        expected.map(str::to_owned).into(),
        "who uses statistics"
    );
}

#[test]
fn encrypted_telemetry_is_built_into_the_node_with_its_feature_alone() {
    is_off_by_default(&OF_TELEMETRY);
    let node = built(&[
        "--package",
        "duet-node",
        "--features",
        "encrypted-telemetry",
    ]);
    for package in OF_TELEMETRY {
        assert!(node.contains(package), "{package} is not built");
    }
    let collector = built(&["--package", "duet-collector"]);
    assert!(collector.contains("duet-searchable"));
    let of_sdk = collector.iter().find(|package| package.starts_with("sc-"));
    assert_eq!(of_sdk, None, "the collector links no part of the SDK");
}
