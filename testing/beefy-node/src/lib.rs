//! What the node and whoever plays its validators have in common: their keys, and the bytes of their votes.

pub mod voters;
pub mod votes;
