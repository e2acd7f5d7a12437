//! Fuzz targets for every decoder and verdict of consensus.
//!
//! A target is a plain function of bytes that panics when it finds something. Three programs run it: the test of this crate
//! replays the kept corpus, `duet-fuzz` makes random changes of it, and the example `guided` lets libFuzzer change it by
//! coverage. `cargo xtask fuzz` starts the last two; `docs/fuzzing.md` lists the targets and what each asserts.
//!
//! What is asserted comes from `judge`, which follows the specification with arkworks' arithmetic and shares no code with
//! what it judges, and from laws: the same verdict by every back end, alone and among many, and one encoding per value.

mod allocation;
pub mod corpus;
pub mod mutate;
pub mod odd;

mod curve;
mod files;
mod gossip;
mod judge;
mod keys;
mod light;
mod proofs;
mod related;
mod sample;
mod scale;
mod sets;
mod target;
mod votes;
mod wire;

pub use target::{Seed, Target};

/// Every target.
pub fn targets() -> Vec<Target> {
    let mut targets = Vec::new();
    targets.extend(curve::TARGETS);
    targets.extend(keys::TARGETS);
    targets.extend(votes::TARGETS);
    targets.extend(proofs::TARGETS);
    targets.extend(sets::TARGETS);
    targets.extend(scale::TARGETS);
    targets.extend(light::TARGETS);
    targets.extend(gossip::TARGETS);
    targets.extend(files::TARGETS);
    targets
}
