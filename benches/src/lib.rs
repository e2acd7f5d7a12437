//! Shared inputs of the benches, and the rivals that stand beside Duet in them. How to run and to read them is in
//! the README.

pub mod fixtures;
pub mod rivals;
