//! Fuzz targets for every decoder and verdict of consensus.
//!
//! A target is a plain function of bytes that panics when it finds something, so that three programs can run it:
//! `replay` the kept corpus, `mutate` it with random changes on any compiler (both in `main.rs`), and `guided` by coverage
//! with libFuzzer (`bin/guided.rs`). `cargo xtask fuzz` starts them; `docs/fuzzing.md` lists the targets and what each
//! asserts.
//!
//! What is asserted comes from [`judge`], which follows the specification with arkworks' arithmetic and shares no code with
//! what it judges, and from laws: the same verdict by every back end, alone and among many, and one encoding per value.

pub mod allocation;
pub mod mutate;
pub mod odd;

mod curve;
mod files;
mod judge;
mod keys;
mod light;
mod proofs;
mod sample;
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
    targets.extend(light::TARGETS);
    targets.extend(files::TARGETS);
    targets
}
