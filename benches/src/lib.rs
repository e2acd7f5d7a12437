//! Shared inputs of the benches, the rivals that stand beside Duet in them, and how they are run and counted. How
//! to run and to read them is in the README.

pub mod callgrind;
pub mod fixtures;
pub mod harness;
pub mod rivals;
pub mod sizes;
pub mod wasm;
