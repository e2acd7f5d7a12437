//! Three thousand networks, each drawn from its seed and judged. More of them, or one again:
//!
//! `DUET_SEEDS=0..1000000 cargo test --release -p duet-voter --test networks campaign -- --nocapture`

use crate::simulation::{adversaries::Kind, campaign};
use std::ops::Range;

/// Those that are played on every change.
const SEEDS: Range<u64> = 0..3_000;

/// The seeds in `DUET_SEEDS`, such as `7..8`: the last one is not played.
fn seeds() -> Range<u64> {
    let Ok(seeds) = std::env::var("DUET_SEEDS") else {
        return SEEDS;
    };
    let (first, end) = seeds.split_once("..").expect("DUET_SEEDS is first..end");
    let number = |text: &str| text.parse().expect("DUET_SEEDS is first..end");
    number(first)..number(end)
}

#[test]
fn networks_drawn_from_their_seeds_break_no_rule() {
    let seeds = seeds();
    let tally = campaign::play(seeds.clone());
    println!("{tally}");
    if seeds != SEEDS {
        return;
    }
    // None of what is drawn is there in name only.
    for kind in Kind::ALL.into_iter().chain([Kind::Colluder]) {
        assert!(
            tally.of(&format!("adversaries: {kind:?}")) > 150,
            "{kind:?}"
        );
    }
    for what in [
        "with set changes",
        "with crashes",
        "with a reset",
        "with a kept set",
        "with a stall of GRANDPA",
        "with a late node",
        "with a reorging node",
        "false votes accused",
        "equivocations reported",
        "contradictions seen by nodes",
    ] {
        assert!(tally.of(what) > 150, "{what}");
    }
}
