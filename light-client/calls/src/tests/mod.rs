//! Calls of a small runtime over a trie of the SDK, whose proofs are made as a node makes them.

mod calls;
mod world;
