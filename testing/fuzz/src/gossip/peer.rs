//! Who sends: peers, and a clock that stands still.

use duet_gossip::clock::Clock;
use futures::{
    future::{self, BoxFuture},
    FutureExt,
};
use sc_network_types::PeerId;
use std::sync::LazyLock;

/// A few peers. Nothing depends on which.
pub(super) static PEERS: LazyLock<[PeerId; 3]> =
    LazyLock::new(|| [(); 3].map(|()| PeerId::random()));

/// A clock that always shows zero.
pub(super) struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> u64 {
        0
    }

    fn sleep_until(&self, _: u64) -> BoxFuture<'static, ()> {
        future::pending().boxed()
    }
}
