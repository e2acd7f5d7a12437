//! Metrics for Prometheus. Names begin with `duet_relay_`.

use crate::{
    messages::Contents,
    recovery::Announced,
    target::{Cargo, Delivered, Receipt, Status},
};
use duet_primitives::BlockNumber;
use prometheus_endpoint::{
    register, Counter, CounterVec, Gauge, GaugeVec, Opts, PrometheusError, Registry, F64, U64,
};

/// The relayer's metrics.
#[derive(Clone, Debug)]
pub struct Metrics {
    target_block: Gauge<U64>,
    target_set: Gauge<U64>,
    target_stopped: Gauge<U64>,
    trusted_until: Gauge<U64>,
    trusting_period: Gauge<U64>,
    recovery_announced: Gauge<U64>,
    recovery_left: Gauge<U64>,
    recoveries_unfounded: Counter<U64>,
    source_block: Gauge<U64>,
    submissions: CounterVec<U64>,
    messages: Counter<U64>,
    work: Counter<F64>,
    paid: Counter<F64>,
    balance: Gauge<F64>,
    source_faults: Counter<U64>,
    silent_since: GaugeVec<U64>,
    last_news: GaugeVec<U64>,
    target_troubles: Counter<U64>,
    stuck: Counter<U64>,
    went_back: Counter<U64>,
    last_look: Gauge<U64>,
}

impl Metrics {
    /// Registers them.
    ///
    /// # Errors
    /// When they were registered before.
    pub fn register(registry: &Registry) -> Result<Self, PrometheusError> {
        let number = |name: &str, help: &str| -> Result<_, PrometheusError> {
            register(
                Gauge::<U64>::new(format!("duet_relay_{name}"), help)?,
                registry,
            )
        };
        let counter = |name: &str, help: &str| -> Result<_, PrometheusError> {
            register(
                Counter::<U64>::new(format!("duet_relay_{name}"), help)?,
                registry,
            )
        };
        let amount = |name: &str, help: &str| -> Result<_, PrometheusError> {
            register(
                Counter::<F64>::new(format!("duet_relay_{name}"), help)?,
                registry,
            )
        };
        let of_sources = |name: &str, help: &str| -> Result<_, PrometheusError> {
            let options = Opts::new(format!("duet_relay_source_{name}"), help);
            register(GaugeVec::new(options, &["number", "source"])?, registry)
        };
        let submissions = CounterVec::new(
            Opts::new(
                "duet_relay_submissions_total",
                "Transactions in a block, by result: taken, reverted, known, withdrawn",
            ),
            &["result"],
        )?;
        for result in Delivered::ALL {
            submissions.with_label_values(&[result.name()]);
        }
        Ok(Self {
            target_block: number("target_block", "Newest block that the target considers final")?,
            target_set: number("target_set", "Newest set that the target knows")?,
            target_stopped: number("target_stopped", "1 when the target no longer accepts proofs")?,
            trusted_until: number(
                "target_trusted_until_timestamp_seconds",
                "Until when the target takes proofs if no newer block comes, as Unix time",
            )?,
            trusting_period: number(
                "target_trusting_period_seconds",
                "The target's trusting period, which begins anew with each newer block",
            )?,
            recovery_announced: number(
                "recovery_announced",
                "1 while the target has a recovery from its newest block announced, by anybody",
            )?,
            recovery_left: number(
                "recovery_seconds_left",
                "How much of the wait for the announced recovery is left; 0 without one",
            )?,
            recoveries_unfounded: counter(
                "recoveries_unfounded_total",
                "Announced recoveries that the source does not bear out",
            )?,
            source_block: number("source_block", "Newest block that the source has a proof of")?,
            submissions: register(submissions, registry)?,
            messages: counter("messages_total", "Messages of a lane that the target accepted")?,
            work: amount("work_total", "Gas, or picoseconds of weight, of all submissions")?,
            paid: amount(
                "paid_total",
                "Fees of all submissions, in the smallest unit of the target's currency",
            )?,
            balance: register(
                Gauge::<F64>::new(
                    "duet_relay_balance",
                    "Balance of the paying account, in the smallest unit of the target's currency",
                )?,
                registry,
            )?,
            source_faults: counter("source_faults_total", "Failures of endpoints of the source")?,
            silent_since: of_sources(
                "silent_since_timestamp_seconds",
                "Since when a source gives no usable answer, as Unix time; 0 while it does",
            )?,
            last_news: of_sources(
                "last_news_timestamp_seconds",
                "When a source last had a newer proven block, as Unix time",
            )?,
            target_troubles: counter(
                "target_troubles_total",
                "How often the target could not be used: no answer, too expensive, refused, no funds",
            )?,
            stuck: counter(
                "stuck_transactions_total",
                "How often a transaction of the account was in the way of the next one",
            )?,
            went_back: counter(
                "target_went_back_total",
                "How often the target had lost blocks that it had before",
            )?,
            last_look: number(
                "last_look_timestamp_seconds",
                "When source and target were last compared, as Unix time",
            )?,
        })
    }

    pub(crate) fn looked(&self, status: &Status, head: Option<BlockNumber>) {
        self.target_is(status);
        if let Some(head) = head {
            self.source_block.set(head.get().into());
        }
        self.last_look.set(unix_time());
    }

    pub(crate) fn target_is(&self, status: &Status) {
        self.target_block.set(status.best.get().into());
        self.target_set.set(status.latest().get());
        self.target_stopped.set(status.is_stopped.into());
        if let Some(trust) = status.trust {
            self.trusted_until.set(trust.until);
            self.trusting_period.set(trust.period);
        }
    }

    pub(crate) fn recovery_is(&self, announced: Option<&Announced>) {
        self.recovery_announced.set(announced.is_some().into());
        self.recovery_left
            .set(announced.map_or(0, |announced| announced.left));
    }

    pub(crate) fn recovery_unfounded(&self) {
        self.recoveries_unfounded.inc();
    }

    pub(crate) fn submitted(&self, cargo: &Cargo, receipt: &Receipt) {
        if let (Cargo::Parcel(parcel), Delivered::Taken) = (cargo, receipt.result) {
            if let Contents::Messages { messages, .. } = &parcel.contents {
                self.messages
                    .inc_by(u64::try_from(messages.len()).unwrap_or(u64::MAX));
            }
        }
        self.submissions
            .with_label_values(&[receipt.result.name()])
            .inc();
        self.work.inc_by(about(receipt.work.into()));
        self.paid.inc_by(about(receipt.paid));
    }

    pub(crate) fn balance_is(&self, balance: u128) {
        self.balance.set(about(balance));
    }

    /// A source, by its position from 0 on, before it was asked.
    pub(crate) fn source_is(&self, index: usize, url: &str) {
        self.source_answered(index, url);
        self.source_has_news(index, url);
    }

    pub(crate) fn source_answered(&self, index: usize, url: &str) {
        of_source(&self.silent_since, index, url).set(0);
    }

    pub(crate) fn source_has_news(&self, index: usize, url: &str) {
        of_source(&self.last_news, index, url).set(unix_time());
    }

    pub(crate) fn source_failed(&self, index: usize, url: &str) {
        self.source_faults.inc();
        let since = of_source(&self.silent_since, index, url);
        if since.get() == 0 {
            since.set(unix_time());
        }
    }

    pub(crate) fn target_troubled(&self) {
        self.target_troubles.inc();
    }

    pub(crate) fn stuck(&self) {
        self.stuck.inc();
    }

    pub(crate) fn went_back(&self) {
        self.went_back.inc();
    }
}

/// Of one source: its number from 1 on, and its URL without what may be secret.
fn of_source(gauges: &GaugeVec<U64>, index: usize, url: &str) -> Gauge<U64> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let number = index.saturating_add(1).to_string();
    gauges.with_label_values(&[&number, &format!("{scheme}://{host}")])
}

/// Prometheus counts in floating point.
#[allow(clippy::cast_precision_loss)]
fn about(amount: u128) -> f64 {
    amount as f64
}

/// Seconds since 1970.
pub(crate) fn unix_time() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}
