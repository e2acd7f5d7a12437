//! The chain that servers prove, and what a client of it begins with.

use duet_light_client::{testing::TestChain, Mode, Trusted};
use duet_primitives::SetId;
use std::sync::LazyLock;

const SETS: u64 = 3;

/// The chain: of three sets, of which each has handed off.
pub(crate) static CHAIN: LazyLock<TestChain> = LazyLock::new(|| TestChain::new(SETS, 4, 1));

/// What the client begins with: the checkpoint of set 0, with its keys where it keeps them.
pub(super) static BEGINNINGS: LazyLock<[Trusted; 2]> = LazyLock::new(|| {
    let full = Trusted::from_checkpoint(CHAIN.checkpoint(0), Mode::Full).expect("a checkpoint");
    let full = full
        .with_keys(SetId::new(0), &CHAIN.keys(0).expect("keys"))
        .expect("its keys");
    let stateless = Trusted::from_checkpoint(CHAIN.checkpoint(0), Mode::Stateless);
    [full, stateless.expect("a checkpoint")]
});
