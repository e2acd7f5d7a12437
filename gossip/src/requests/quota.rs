//! The quota of requests per peer. (REQ-2)

use duet_voter::Millis;
use sc_network_types::PeerId;
use schnellru::{ByLength, LruMap};

/// The most served requests of one peer in each [`PERIOD`].
const QUOTA: u32 = 20;
/// See [`QUOTA`].
const PERIOD: Millis = 10_000;
/// The number of peers with counted requests; the peer with the oldest request is dropped first.
const PEERS: u32 = 512;

/// A peer that has used up its quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UsedUp;

/// One peer's requests in its period.
#[derive(Clone, Copy)]
struct Period {
    begin: Millis,
    requests: u32,
}

/// Each peer's remaining requests in its period.
pub(super) struct Quota {
    peers: LruMap<PeerId, Period, ByLength>,
}

impl Default for Quota {
    fn default() -> Self {
        Self {
            peers: LruMap::new(ByLength::new(PEERS)),
        }
    }
}

impl Quota {
    /// Counts a request of `peer`.
    ///
    /// # Errors
    /// When the peer has used up its quota.
    pub(super) fn take(&mut self, peer: PeerId, now: Millis) -> Result<(), UsedUp> {
        let fresh = Period {
            begin: now,
            requests: 0,
        };
        let Some(period) = self.peers.get_or_insert(peer, || fresh) else {
            return Ok(());
        };
        if now.saturating_sub(period.begin) >= PERIOD {
            *period = fresh;
        }
        if period.requests >= QUOTA {
            return Err(UsedUp);
        }
        period.requests = period.requests.saturating_add(1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_asks_too_often_is_refused_until_its_period_ends() {
        let (mut quota, peer, start) = (Quota::default(), PeerId::random(), 7);
        for _ in 0..QUOTA {
            assert_eq!(quota.take(peer, start), Ok(()));
        }
        assert_eq!(quota.take(peer, start + PERIOD - 1), Err(UsedUp));
        assert_eq!(quota.take(PeerId::random(), start), Ok(()));
        assert_eq!(quota.take(peer, start + PERIOD), Ok(()));
    }
}
