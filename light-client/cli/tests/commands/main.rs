//! The real program against servers that are honest, lie, or lag.

mod age;
mod calls;
mod follow;
mod gate;
mod honest_server;
mod lagging;
mod lying_server;
mod proofs;
mod recovery;
mod serve;
mod slow;
mod start;
#[path = "../support/mod.rs"]
mod support;
mod transaction;
mod warp;
mod wire;
