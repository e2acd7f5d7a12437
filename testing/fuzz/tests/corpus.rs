//! The kept corpus finds nothing, and holds what the definition of the curves and formats says that it holds.

use duet_fuzz::{
    corpus::{self, FOUND},
    targets, Target,
};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    panic::{catch_unwind, UnwindSafe},
};

/// One test for each target, so that they run side by side and each is named.
macro_rules! replay {
    ($($target:ident)*) => {
        const REPLAYED: &[&str] = &[$(stringify!($target)),*];

        mod every_kept_input_finds_nothing_in {
            $(#[test]
            fn $target() {
                super::replay(stringify!($target));
            })*
        }
    };
}

replay! {
    g1 g2 scalar hash_to_g1 arithmetic pairing dleq
    key secret possession
    vote equivocation
    justification justifications stateless
    merkle keyset bitfield scale
    light_decode light_genesis light_update light_state light_reset light_warp light_age light_recovery
    gossip_message gossip_response gossip_request gossip_validation
    key_file vote_record vote_export
}

fn target(name: &str) -> Target {
    let target = targets().into_iter().find(|target| target.name == name);
    target.expect("a target")
}

fn finds_something(run: impl FnOnce() + UnwindSafe) -> bool {
    catch_unwind(run).is_err()
}

fn replay(name: &str) {
    let run = target(name).run;
    let inputs = corpus::kept(name).expect("a folder that can be read");
    assert!(!inputs.is_empty());
    let findings: Vec<_> = inputs
        .iter()
        .filter(|(_, bytes)| finds_something(|| run(bytes)))
        .map(|(name, _)| name)
        .collect();
    assert!(findings.is_empty(), "{name} finds something: {findings:?}");
}

#[test]
fn every_target_is_replayed() {
    let names: Vec<_> = targets().iter().map(|target| target.name).collect();
    assert_eq!(REPLAYED, names);
}

#[test]
fn the_corpus_has_a_folder_for_each_target_and_no_other() {
    let folders: BTreeSet<_> = fs::read_dir(corpus::folder())
        .expect("the corpus")
        .map(|entry| entry.expect("a folder").file_name())
        .collect();
    let targets = targets();
    let names: BTreeSet<OsString> = targets.iter().map(|it| it.name.into()).collect();
    assert_eq!(folders, names);
}

/// After a change of the seeds: `cargo xtask fuzz --seeds`.
#[test]
fn the_corpus_holds_the_seeds_and_else_only_what_found_something() {
    let mut differences = Vec::new();
    for target in targets() {
        let kept = corpus::kept(target.name).expect("a folder that can be read");
        let seeds = corpus::seeds(&target);
        let stale = kept
            .keys()
            .filter(|name| !name.starts_with(FOUND) && !seeds.contains_key(*name))
            .map(|name| format!("{}/{name} is no seed", target.name));
        let missing = seeds
            .iter()
            .filter(|(name, bytes)| kept.get(*name) != Some(bytes))
            .map(|(name, _)| format!("{}/{name} is not what the seed is", target.name));
        differences.extend(stale.chain(missing));
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn the_dictionary_holds_the_points_and_scalars_of_interest() {
    let path = corpus::folder().with_file_name("dictionary");
    let kept = fs::read_to_string(path).expect("the dictionary");
    assert_eq!(kept, corpus::dictionary());
}
