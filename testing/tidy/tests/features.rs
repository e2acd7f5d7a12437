//! What is off by default is not built by default.

mod support;

use std::{collections::BTreeSet, env, process::Command};

/// What the light client's feature `vouchers` brings, and nothing else of the workspace uses.
const OF_VOUCHERS: [&str; 4] = [
    "duet-armour",
    "duet-vouch",
    "duet-sequential",
    "duet-journal",
];

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

#[test]
fn vouchers_are_built_into_the_light_client_with_their_feature_and_into_nothing_else() {
    let by_default = built(&["--workspace"]);
    for package in ["duet-node", "duet-runtime", "duet-light", "duet-primitives"] {
        assert!(by_default.contains(package), "{package} is ours");
    }
    for package in OF_VOUCHERS {
        assert!(
            !by_default.contains(package),
            "{package} is built by default"
        );
    }
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
    let expected = ["duet-light", "duet-vouch"].map(str::to_owned);
    assert_eq!(all, expected.into(), "who uses the vouchers");
}
