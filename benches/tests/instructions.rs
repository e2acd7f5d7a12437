//! The instructions and field multiplications of the hot operations, against those that the repository keeps.
//!
//! Times on a busy machine say little; these counts are the same in each run. When a change is meant to alter
//! them: `DUET_BENCH_KEEP=1 cargo test -p duet-benches --test instructions`, and the change shows in the diff.

use duet_benches::callgrind::{count, BackEnd, Count, Counts, Error};
use std::{collections::BTreeMap, fs, path::Path};

/// Set to keep what is counted instead of comparing it.
const KEEP: &str = "DUET_BENCH_KEEP";

/// In percent. The compiler's version and the C compiler's move instructions by less.
const INSTRUCTIONS_TOLERANCE: u64 = 5;
/// In percent. What is multiplied depends on our code alone, but for the digits of hashes.
const MULTIPLICATIONS_TOLERANCE: u64 = 1;

const OPERATIONS: [&str; 13] = [
    "vote::check",
    "vote::check_all/n=64",
    "justification::check/n=64,signed=100%",
    "justification::check/n=64,signed=67%",
    "stateless::check/n=64,signed=67%",
    "possession::check",
    "vote::sign",
    "curve::decompress_g1",
    "curve::decompress_g2",
    "curve::decode_g1",
    "curve::hash_to_g1",
    "justification::sync/sessions=16,n=64,signed=67%",
    "curve::two_pairings",
];

fn differs(kept: u64, found: u64, tolerance: u64) -> bool {
    kept.abs_diff(found) * 100 > kept * tolerance
}

fn finding(name: &str, kept: Option<&Count>, found: &Count) -> Option<String> {
    let Some(kept) = kept else {
        return Some(format!("{name} is not kept yet: {found:?}"));
    };
    let instructions = differs(
        kept.instructions,
        found.instructions,
        INSTRUCTIONS_TOLERANCE,
    );
    let multiplications = differs(
        kept.multiplications,
        found.multiplications,
        MULTIPLICATIONS_TOLERANCE,
    );
    (instructions || multiplications).then(|| format!("{name}: kept {kept:?}, found {found:?}"))
}

fn count_all(folder: &Path) -> Result<(Counts, BackEnd), Error> {
    let program = Path::new(env!("CARGO_BIN_EXE_hot"));
    let mut counts = BTreeMap::new();
    let mut back_end = BackEnd::Portable;
    for name in OPERATIONS {
        let (found, of) = count(program, name, folder)?;
        counts.insert(name.to_owned(), found);
        back_end = of;
    }
    Ok((counts, back_end))
}

#[test]
fn hot_operations_take_as_many_instructions_as_are_kept() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (found, back_end) = count_all(folder).unwrap_or_else(|error| panic!("{error}"));
    let file = back_end.file();
    if std::env::var_os(KEEP).is_some() {
        let text = serde_json::to_string_pretty(&found).expect("names and numbers; qed");
        fs::write(&file, text + "\n").expect("the folder of counts is writable");
        return;
    }
    let kept = fs::read_to_string(&file).expect("the counts of this back end are kept");
    let kept: Counts = serde_json::from_str(&kept).expect("names and numbers");
    let findings: Vec<_> = found
        .iter()
        .filter_map(|(name, found)| finding(name, kept.get(name), found))
        .collect();
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

#[test]
fn a_count_that_is_off_by_more_than_the_tolerance_is_a_finding() {
    let count = |instructions, multiplications| Count {
        instructions,
        multiplications,
    };
    let kept = count(1000, 1000);
    assert_eq!(finding("x", Some(&kept), &count(1050, 1010)), None);
    assert!(finding("x", Some(&kept), &count(1051, 1000)).is_some());
    assert!(finding("x", Some(&kept), &count(949, 1000)).is_some());
    assert!(finding("x", Some(&kept), &count(1000, 1011)).is_some());
    assert!(finding("x", None, &kept).is_some());
}
