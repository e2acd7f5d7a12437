//! Source and target, compared again and again.

use crate::{
    event::{is_loss, Event},
    metrics::Metrics,
    plan::{wanted, Policy, Waiting, Wanted},
    source::Source,
    target::{Delivery, Estimate, Receipt, Status, Target, TargetError},
};
use duet_light_client::Trusted;
use duet_light_rpc::{Failure, Kind};
use duet_primitives::{BlockNumber, StatelessProof};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// After a loss, or when the target is in trouble, each look comes later than the one before, up to these.
const LONGEST_AFTER_LOSS: Duration = Duration::from_secs(600);
const LONGEST_IN_TROUBLE: Duration = Duration::from_secs(60);

/// Brings what a target lacks.
///
/// It keeps nothing that it cannot learn anew: killed at any moment, another one goes on where it was.
#[derive(Debug)]
pub struct Relayer<T> {
    source: Source,
    target: T,
    policy: Policy,
    /// Nothing is sent.
    is_dry_run: bool,
    waiting: Option<Waiting>,
    demanded: watch::Receiver<Option<BlockNumber>>,
    metrics: Option<Metrics>,
    /// What the target was told to be at last.
    told: Option<Status>,
}

/// Says which blocks are wanted beside the handoffs. Any number of these may be in use.
#[derive(Clone, Debug)]
pub struct Demands(watch::Sender<Option<BlockNumber>>);

impl Demands {
    /// Wants a proof of this block or of a newer one, under which messages up to this block can be proven.
    pub fn want(&self, block: BlockNumber) {
        self.0.send_if_modified(|wanted| {
            let is_newer = wanted.is_none_or(|wanted| wanted < block);
            if is_newer {
                *wanted = Some(block);
            }
            is_newer
        });
    }
}

/// What one look has come to.
#[derive(Clone, Debug)]
pub enum Look {
    /// The target has everything that was wanted.
    Nothing(Status),
    /// Something is wanted, but not before then.
    Later(Instant),
    /// This is what it would cost; nothing was sent, because it is a dry run.
    Estimated(Delivery, Estimate),
    /// A submission ended.
    Submitted(Delivery, Receipt),
    /// The target cannot be used now.
    Trouble(TargetError),
}

impl<T: Target> Relayer<T> {
    /// A relayer, and by what it is told which blocks are wanted.
    pub fn new(source: Source, target: T, policy: Policy) -> (Self, Demands) {
        let (demands, demanded) = watch::channel(None);
        let relayer = Self {
            source,
            target,
            policy,
            is_dry_run: false,
            waiting: None,
            demanded,
            metrics: None,
            told: None,
        };
        (relayer, Demands(demands))
    }

    /// Only says what it would do.
    pub fn dry_run(mut self) -> Self {
        self.is_dry_run = true;
        self
    }

    /// Counts.
    pub fn with_metrics(mut self, metrics: Metrics) -> Self {
        self.metrics = Some(metrics);
        self
    }

    /// Where it brings proofs.
    pub fn target(&self) -> &T {
        &self.target
    }

    /// Looks, brings, and looks again, every `pause` and whenever something new is wanted. It ends with the future, or when neither
    /// source nor target can be used.
    ///
    /// # Errors
    /// As [`Relayer::look`].
    pub async fn run(
        &mut self,
        pause: Duration,
        mut tell: impl FnMut(Event),
    ) -> Result<(), Failure> {
        let mut in_vain = 0_u32;
        loop {
            let look = self.tell_of_look(&mut tell).await?;
            let longest = match look {
                Look::Submitted(_, receipt) if is_loss(receipt.result) => Some(LONGEST_AFTER_LOSS),
                Look::Trouble(_) => Some(LONGEST_IN_TROUBLE),
                _ => None,
            };
            in_vain = longest.map_or(0, |_| in_vain.saturating_add(1));
            let next = match (look, longest) {
                (_, Some(longest)) => {
                    let longer = pause.saturating_mul(2_u32.saturating_pow(in_vain));
                    longer.min(longest.max(pause))
                }
                (Look::Submitted(..), None) => continue,
                (Look::Later(until), None) => {
                    pause.min(until.saturating_duration_since(Instant::now()))
                }
                (_, None) => pause,
            };
            let _ = tokio::time::timeout(next, self.demanded_anew()).await;
        }
    }

    /// Brings everything that is wanted now, and ends. A dry run ends with the first estimate.
    ///
    /// # Errors
    /// As [`Relayer::look`]; and when the target cannot be used.
    pub async fn run_once(&mut self, mut tell: impl FnMut(Event)) -> Result<Status, Failure> {
        loop {
            match self.tell_of_look(&mut tell).await? {
                Look::Nothing(status) => {
                    let block = status.best;
                    tell(Event::Done { block });
                    return Ok(status);
                }
                Look::Later(until) => tokio::time::sleep_until(until.into()).await,
                Look::Submitted(_, receipt) if !is_loss(receipt.result) => {}
                Look::Submitted(_, receipt) => {
                    let transaction = receipt.transaction;
                    let message = format!("the target refused transaction {transaction:?}");
                    return Err(Failure::new(Kind::Unverified, message));
                }
                Look::Estimated(..) => return Ok(self.target.status().await?),
                Look::Trouble(TargetError::Overtaken(_)) => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
                Look::Trouble(error) => return Err(error.into()),
            }
        }
    }

    /// Until something newer is wanted; for ever, when nobody can want anything any more.
    async fn demanded_anew(&mut self) {
        if self.demanded.changed().await.is_err() {
            std::future::pending().await
        }
    }

    async fn tell_of_look(&mut self, tell: &mut impl FnMut(Event)) -> Result<Look, Failure> {
        let look = self.look().await;
        for fault in self.source.take_faults() {
            if let Some(metrics) = &self.metrics {
                metrics.source_failed();
            }
            tell(fault);
        }
        match look.as_ref() {
            Ok(Look::Nothing(status)) if self.told != Some(*status) => {
                self.told = Some(*status);
                tell(Event::Target {
                    block: status.best,
                    set: status.signing.id,
                    knows_next: status.next.is_some(),
                });
            }
            Ok(Look::Estimated(delivery, estimate)) => tell(Event::estimated(delivery, estimate)),
            Ok(Look::Submitted(delivery, receipt)) => {
                if let Some(metrics) = &self.metrics {
                    metrics.submitted(receipt);
                }
                tell(Event::submitted(delivery, receipt));
            }
            Ok(Look::Trouble(error)) => {
                if let Some(metrics) = &self.metrics {
                    metrics.target_troubled();
                }
                let reason = error.to_string();
                tell(Event::Trouble { reason });
            }
            Ok(Look::Nothing(_) | Look::Later(_)) | Err(_) => {}
        }
        look
    }

    /// Compares source and target once, and brings one proof if it is wanted and due.
    ///
    /// # Errors
    /// [`Kind::Misbehaviour`] when the target takes no proof any more or the source's validators contradict themselves;
    /// [`Kind::Usage`] when there is no verifier or it follows another chain; as [`Source::trusted`] when no endpoint is of use.
    pub async fn look(&mut self) -> Result<Look, Failure> {
        match self.try_look().await {
            Ok(look) => Ok(look),
            Err(Ended::Source(failure)) => Err(failure),
            Err(Ended::Target(error @ TargetError::Misconfigured(_))) => Err(error.into()),
            Err(Ended::Target(error)) => Ok(Look::Trouble(error)),
        }
    }

    async fn try_look(&mut self) -> Result<Look, Ended> {
        let status = self.target.status().await?;
        if let Some(metrics) = &self.metrics {
            metrics.target_is(&status);
        }
        if status.is_stopped {
            let message = "the target takes no proof any more: it was halted, or it has seen two proofs that cannot both be true";
            return Err(Failure::new(Kind::Misbehaviour, message).into());
        }
        let target = &self.target;
        let trusted = self
            .source
            .trusted(&status, |set| target.fingerprint(set))
            .await?;
        let (offer, handoff) = self.source.offer(&trusted).await?;
        if let Some(metrics) = &self.metrics {
            metrics.looked(&status, offer.head);
            if let Ok(Some(balance)) = self.target.balance().await {
                metrics.balance_is(balance);
            }
        }
        let demanded = *self.demanded.borrow_and_update();
        let Some(wanted) = wanted(&status, &offer, demanded, self.policy.every) else {
            self.waiting = None;
            return Ok(Look::Nothing(status));
        };
        let now = Instant::now();
        let waiting = Waiting::on(self.waiting, wanted, &status, now);
        self.waiting = Some(waiting);
        let proof = match (waiting.wanted, handoff) {
            (Wanted::Handoff(_), Some(proof)) => proof,
            (Wanted::Handoff(_), None) => return Ok(Look::Nothing(status)),
            (Wanted::Block(block), _) => self.source.proof(&trusted, block).await?,
        };
        let due = waiting.due(proof.non_signers.len(), &self.policy);
        if due > now && !self.is_dry_run {
            return Ok(Look::Later(due));
        }
        let delivery = self.delivery(&trusted, proof).await?;
        let estimate = self.target.estimate(&delivery).await?;
        if self.is_dry_run {
            return Ok(Look::Estimated(delivery, estimate));
        }
        let receipt = self.target.submit(&delivery).await?;
        self.waiting = None;
        Ok(Look::Submitted(delivery, receipt))
    }

    async fn delivery(
        &mut self,
        trusted: &Trusted,
        proof: StatelessProof,
    ) -> Result<Delivery, Failure> {
        let commitment = &proof.justification.commitment;
        let set = trusted.signer(commitment.validator_set_id);
        let set = set.map_err(|error| Failure::new(Kind::Unverified, error.to_string()))?;
        let header = if T::WITH_HEADER {
            Some(self.source.header(commitment.block_hash).await?)
        } else {
            None
        };
        Ok(Delivery {
            set: set.clone(),
            proof,
            header,
        })
    }
}

/// Why a look came to nothing.
enum Ended {
    Source(Failure),
    Target(TargetError),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Source(failure)
    }
}

impl From<TargetError> for Ended {
    fn from(error: TargetError) -> Self {
        Self::Target(error)
    }
}
