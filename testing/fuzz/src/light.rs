//! Targets of the light client.

use crate::target::Target;

mod age;
mod chain;
mod decode;
mod genesis;
mod received;
mod recovery;
mod reset;
mod state;
mod update;
mod warp;

pub(crate) use chain::CHAIN;

/// The targets of the light client.
pub(crate) const TARGETS: [Target; 8] = [
    decode::DECODE,
    genesis::GENESIS,
    update::UPDATE,
    state::STATE,
    reset::RESET,
    warp::WARP,
    age::AGE,
    recovery::RECOVERY,
];
