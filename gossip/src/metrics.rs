//! Metrics for operators, under the prefix `substrate_duet_`.

use crate::reputation::PeerBehaviour;
use prometheus_endpoint::{
    CounterVec, Histogram, HistogramOpts, Opts, PrometheusError, Registry, U64,
};

#[doc(hidden)]
pub use prometheus_endpoint as prometheus;

/// A value that goes up and down.
pub type Gauge = prometheus::Gauge<U64>;
/// A value that only grows.
pub type Counter = prometheus::Counter<U64>;
/// Durations.
pub type Seconds = Histogram;

/// Peers' behaviour, with a separate counter for each kind: label `behaviour`.
#[derive(Clone, Debug)]
pub struct Behaviours(CounterVec<U64>);

impl Behaviours {
    /// Counts a peer's behaviour.
    pub(crate) fn count(&self, behaviour: PeerBehaviour) {
        self.0.with_label_values(&[behaviour.name()]).inc();
    }

    /// The count of a kind of behaviour.
    #[cfg(test)]
    pub(crate) fn counted(&self, behaviour: PeerBehaviour) -> u64 {
        self.0.with_label_values(&[behaviour.name()]).get()
    }
}

/// A kind of metric: its creation from name and help, and its registration.
#[doc(hidden)]
pub trait Kind: Sized {
    /// Makes it.
    fn make(name: &str, help: &str) -> Result<Self, PrometheusError>;
    /// Registers it.
    fn register(&self, registry: &Registry) -> Result<(), PrometheusError>;
}

impl Kind for Gauge {
    fn make(name: &str, help: &str) -> Result<Self, PrometheusError> {
        Self::new(name, help)
    }

    fn register(&self, registry: &Registry) -> Result<(), PrometheusError> {
        prometheus::register(self.clone(), registry).map(drop)
    }
}

impl Kind for Counter {
    fn make(name: &str, help: &str) -> Result<Self, PrometheusError> {
        Self::new(name, help)
    }

    fn register(&self, registry: &Registry) -> Result<(), PrometheusError> {
        prometheus::register(self.clone(), registry).map(drop)
    }
}

/// Upper bounds of the buckets of [`Seconds`].
const BUCKETS: [f64; 11] = [
    0.000_1, 0.000_3, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0,
];

impl Kind for Seconds {
    fn make(name: &str, help: &str) -> Result<Self, PrometheusError> {
        Self::with_opts(HistogramOpts::new(name, help).buckets(BUCKETS.to_vec()))
    }

    fn register(&self, registry: &Registry) -> Result<(), PrometheusError> {
        prometheus::register(self.clone(), registry).map(drop)
    }
}

impl Kind for Behaviours {
    fn make(name: &str, help: &str) -> Result<Self, PrometheusError> {
        let counters = CounterVec::new(Opts::new(name, help), &["behaviour"])?;
        // From the start on, so that each first event shows as an increase.
        for behaviour in PeerBehaviour::NAMES {
            counters.with_label_values(&[behaviour]);
        }
        Ok(Self(counters))
    }

    fn register(&self, registry: &Registry) -> Result<(), PrometheusError> {
        prometheus::register(self.0.clone(), registry).map(drop)
    }
}

/// Declares metrics once: field, kind, name and help. Each exists whether or not it is registered, so that counting
/// code needs no case distinction.
#[doc(hidden)]
#[macro_export]
macro_rules! metrics {
    ($(#[$doc:meta])* $vis:vis struct $of:ident { $($field:ident: $kind:ident = $name:literal, $help:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        $vis struct $of {
            $(#[doc = $help] pub(crate) $field: $crate::metrics::$kind,)*
        }

        impl $of {
            /// The names for registration.
            $vis const NAMES: &'static [&'static str] = &[$(concat!("substrate_duet_", $name)),*];

            /// The metrics, registered if there is a registry.
            ///
            /// A node without registered metrics is better than no node: a failure is only logged.
            #[allow(clippy::expect_used, reason = "names and helps are constants that a test covers")]
            $vis fn new(registry: Option<&$crate::metrics::prometheus::Registry>) -> Self {
                let metrics = Self::unregistered().expect("the names and helps are valid; qed");
                if let Some(Err(error)) = registry.map(|registry| metrics.register_all(registry)) {
                    log::error!(target: $crate::LOG_TARGET, "metrics cannot be registered: {error}");
                }
                metrics
            }

            fn unregistered() -> Result<Self, $crate::metrics::prometheus::PrometheusError> {
                Ok(Self { $($field: $crate::metrics::Kind::make(concat!("substrate_duet_", $name), $help)?,)* })
            }

            fn register_all(
                &self,
                registry: &$crate::metrics::prometheus::Registry,
            ) -> Result<(), $crate::metrics::prometheus::PrometheusError> {
                $($crate::metrics::Kind::register(&self.$field, registry)?;)*
                Ok(())
            }
        }
    };
}

metrics! {
    /// The counters of validation and the request server. Cheap to clone; clones count together.
    pub struct Metrics {
        live_peers: Gauge = "live_peers", "Peers that speak the gossip protocol now";
        messages_kept: Gauge = "messages_kept", "Votes and justifications that are kept to be sent to peers";
        messages_sent: Counter = "messages_sent_total", "Votes and justifications that were sent to peers, counted for each peer";

        votes_good: Counter = "votes_good_total", "Votes of others that were new and valid";
        votes_bad: Counter = "votes_bad_total", "Votes of others that were invalid";
        votes_known: Counter = "votes_known_total", "Votes dropped before any arithmetic because a valid one of the signer is known";
        votes_ignored: Counter = "votes_ignored_total", "Votes dropped because they are too early or too late";
        dleq_checks: Counter = "dleq_checks_total", "Votes whose proof was checked";
        check_seconds: Seconds = "check_seconds", "How long each check of a proof, or of a batch of votes on one block, took";
        checks_waiting: Gauge = "checks_waiting", "Votes and justifications of peers that wait to be checked, copies not counted";
        behaviours: Behaviours = "peer_behaviour_total", "What peers did that earned or cost them reputation, by behaviour";
        equivocations: Counter = "equivocations_total", "Equivocations found";
        undecodable: Counter = "undecodable_messages_total", "Gossip messages that did not decode";
        banned_drops: Counter = "banned_drops_total", "Gossip messages dropped unread or unchecked because their sender is banned";
        queue_drops: Counter = "queue_drops_total", "Gossip messages dropped unchecked because too many wait";

        justifications_good: Counter = "justifications_good_total", "Justifications from gossip that were new and valid";
        justifications_bad: Counter = "justifications_bad_total", "Justifications from gossip that were invalid";
        justifications_known: Counter = "justifications_known_total", "Justifications dropped because they bring nothing new";
        justifications_ignored: Counter = "justifications_ignored_total", "Justifications dropped because they are too early or too late";

        requests_served: Counter = "requests_served_total", "Requests for justifications that were answered";
        requests_refused: Counter = "requests_refused_total", "Requests for justifications that were refused";
    }
}

/// A length as a metric's value.
pub(crate) fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_registered_under_a_name_of_its_own() {
        let registry = Registry::new();
        Metrics::unregistered()
            .unwrap()
            .register_all(&registry)
            .unwrap();
        let mut registered: Vec<_> = registry
            .gather()
            .iter()
            .map(|family| family.get_name().to_owned())
            .collect();
        let mut expected = Metrics::NAMES.to_vec();
        registered.sort_unstable();
        expected.sort_unstable();
        assert_eq!(registered, expected);
    }

    #[test]
    fn each_behaviour_has_a_counter_from_the_start() {
        let registry = Registry::new();
        let behaviours = Behaviours::make("of_test", "Help").unwrap();
        behaviours.register(&registry).unwrap();
        behaviours.count(PeerBehaviour::Undecodable { bytes: 7 });
        let family = registry.gather().remove(0);
        let counted: Vec<_> = family
            .get_metric()
            .iter()
            .map(|metric| {
                let label = metric.get_label()[0].get_value();
                (label.to_owned(), metric.get_counter().get_value())
            })
            .collect();
        assert_eq!(counted.len(), PeerBehaviour::NAMES.len());
        for (name, count) in counted {
            let expected = if name == "undecodable" { 1.0 } else { 0.0 };
            assert_eq!(count, expected, "{name}");
        }
    }
}
