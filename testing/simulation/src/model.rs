//! What is assumed of the network and of those who misbehave in it.

use serde::{Deserialize, Serialize};

/// One millisecond, in the unit of all times here.
pub const MILLISECOND: u64 = 1_000_000;
/// One second, in the unit of all times here.
pub const SECOND: u64 = 1_000 * MILLISECOND;

/// The assumptions. Times are in nanoseconds of virtual time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Peers that each node dials, at random. The SDK's `--out-peers`.
    pub out_peers: u32,
    /// Peers that each node lets dial it, at most. The SDK's `--in-peers`.
    pub in_peers: u32,
    /// Median of a link's latency, one way. Latencies are log-normal, and each link keeps its own.
    pub latency_median: u64,
    /// Standard deviation of the logarithm of a link's latency.
    pub latency_sigma: f64,
    /// The least and the most that a latency may be.
    pub latency_range: (u64, u64),
    /// Bits per second that a node sends at most, and that it receives at most.
    pub bandwidth: u64,
    /// Bytes that may be on their way on one link, or at the receiver and not looked at yet: the window that the SDK's
    /// multiplexer begins with.
    pub window: u64,
    /// Peers to which a node relays a vote at once (GOSSIP-12).
    pub eager_peers: u32,
    /// After this time it relays the vote to the other peers as well.
    pub relay_delay: u64,
    /// Threads of a node that check what peers send: half of those of its machine, four at most.
    pub threads: u32,
    /// Honest validators vote at times that are uniform between zero and this: GRANDPA does not finalize a block
    /// everywhere at once.
    pub start_spread: u64,
    /// One step of the schedule of who publishes a proof.
    pub publish_step: u64,
    /// Bad votes per second that a garbage sender sends to each of its peers.
    pub garbage_rate: u32,
    /// Votes that travel and are checked together, so that large sets fit into memory: 1 is exact.
    pub votes_per_batch: u32,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            out_peers: 8,
            in_peers: 32,
            latency_median: 50 * MILLISECOND,
            latency_sigma: 0.5,
            latency_range: (MILLISECOND, 400 * MILLISECOND),
            bandwidth: 500_000_000,
            window: 256 * 1024,
            eager_peers: 4,
            relay_delay: 250 * MILLISECOND,
            threads: 4,
            start_spread: 200 * MILLISECOND,
            publish_step: 500 * MILLISECOND,
            garbage_rate: 1_000,
            votes_per_batch: 1,
        }
    }
}

/// Why something cannot be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A set has too few or too many validators.
    #[error("a set of {got} validators; between 2 and {most} can be simulated")]
    Validators {
        /// How many it has.
        got: u32,
        /// How many it may have.
        most: u32,
    },
    /// More garbage senders than validators.
    #[error("{got} % of the validators cannot send garbage: at most 100 %")]
    Garbage {
        /// The share, in percent.
        got: u32,
    },
    /// A figure that must be above zero is zero, or a range is empty.
    #[error("{what} is zero or out of range")]
    Parameter {
        /// Which one.
        what: &'static str,
    },
}

/// The largest set: as many validators as the protocol allows would take days.
pub const MAX_VALIDATORS: u32 = 100_000;

impl Model {
    /// Whether these assumptions can be simulated at all.
    ///
    /// # Errors
    /// The first parameter that cannot.
    pub fn check(&self) -> Result<(), ModelError> {
        let (least, most) = self.latency_range;
        let wrong = [
            ("out_peers", self.out_peers == 0),
            ("bandwidth", self.bandwidth == 0),
            ("threads", self.threads == 0),
            ("garbage_rate", self.garbage_rate == 0),
            ("votes_per_batch", self.votes_per_batch == 0),
            ("latency_range", least == 0 || least > most),
            ("latency_median", self.latency_median == 0),
            (
                "latency_sigma",
                !self.latency_sigma.is_finite() || self.latency_sigma < 0.0,
            ),
        ];
        match wrong.iter().find(|(_, wrong)| *wrong) {
            Some((what, _)) => Err(ModelError::Parameter { what }),
            None => Ok(()),
        }
    }

    /// Whether a set of this size with this share of garbage senders can be simulated.
    ///
    /// # Errors
    /// [`ModelError`] of the model, the size or the share, in that order.
    pub fn check_case(&self, validators: u32, garbage_percent: u32) -> Result<(), ModelError> {
        self.check()?;
        if !(2..=MAX_VALIDATORS).contains(&validators) {
            return Err(ModelError::Validators {
                got: validators,
                most: MAX_VALIDATORS,
            });
        }
        if garbage_percent > 100 {
            return Err(ModelError::Garbage {
                got: garbage_percent,
            });
        }
        Ok(())
    }

    /// How long so many bytes take through a node's connection.
    pub(crate) fn transmission(&self, bytes: u64) -> u64 {
        const BITS: u128 = 8;
        let nanos = u128::from(bytes) * BITS * u128::from(SECOND) / u128::from(self.bandwidth);
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }

    /// Between two bad votes on one link.
    pub(crate) fn garbage_interval(&self) -> u64 {
        (SECOND / u64::from(self.garbage_rate)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_their_time() {
        let model = Model::default();
        assert_eq!(model.transmission(1), 16);
        assert_eq!(model.transmission(62_500_000), SECOND);
        assert_eq!(model.garbage_interval(), MILLISECOND);
    }

    #[test]
    fn what_cannot_be_simulated_is_named() {
        let mut model = Model::default();
        assert_eq!(model.check(), Ok(()));
        model.latency_range = (5, 4);
        let what = "latency_range";
        assert_eq!(model.check(), Err(ModelError::Parameter { what }));
        model.bandwidth = 0;
        let what = "bandwidth";
        assert_eq!(model.check(), Err(ModelError::Parameter { what }));
    }
}
