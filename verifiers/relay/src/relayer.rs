//! Source and target, compared again and again.

use crate::{
    event::Event,
    look::{Look, Pace},
    messages::{due, Contents, Due, Ends, Lane, Parcel},
    metrics::{unix_time, Metrics},
    plan::{wanted, Offer, Policy, Waiting, Wanted},
    source::{trusted_block, Source},
    target::{Cargo, Delivered, Delivery, Status, Target, TargetError, Trust},
};
use duet_light_client::{FinalBlock, Trusted};
use duet_light_rpc::{Failure, Kind};
use duet_primitives::{BlockNumber, StatelessProof};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Relays the proofs that a target lacks.
///
/// It can rebuild its state: if it is killed at any moment, another relayer continues.
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
    lane: Option<Lane>,
    /// The last reported status of the target.
    told: Option<Status>,
    /// The target's time, while more than half of it is over.
    running_out: Option<Trust>,
    /// As it was reported.
    told_of: Option<Trust>,
}

/// Demands blocks beside the handoffs. Any number of handles may be in use.
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

impl<T: Target> Relayer<T> {
    /// A relayer, and the handle to demand blocks.
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
            lane: None,
            told: None,
            running_out: None,
            told_of: None,
        };
        (relayer, Demands(demands))
    }

    /// Only reports the next submission.
    pub fn dry_run(mut self) -> Self {
        self.is_dry_run = true;
        self
    }

    /// Relays a lane too: messages from the source's chain, and its confirmations of the target's messages.
    pub fn with_lane(mut self, lane: Lane) -> Self {
        self.lane = Some(lane);
        self
    }

    /// Counts.
    pub fn with_metrics(mut self, metrics: Metrics) -> Self {
        self.metrics = Some(metrics);
        self
    }

    /// The target of the proofs.
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
        let mut pace = Pace::new(pause);
        loop {
            let look = self.tell_of_look(&mut tell).await?;
            let next = pace.wait_after(&look, Instant::now());
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
                Look::Submitted(_, receipt) if receipt.result != Delivered::Reverted => {}
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
        if self.told_of != self.running_out {
            self.told_of = self.running_out;
            if let Some(trust) = self.running_out {
                tell(Event::RunningOut {
                    trusted_until: trust.until,
                    trusting_period: trust.period,
                });
            }
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
            Ok(Look::Estimated(cargo, estimate)) => tell(Event::estimated(cargo, estimate)),
            Ok(Look::Submitted(cargo, receipt)) => {
                if let Some(metrics) = &self.metrics {
                    metrics.submitted(cargo, receipt);
                }
                tell(Event::submitted(cargo, receipt));
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

    /// Compares source and target once, and relays one proof if it is wanted and due.
    ///
    /// # Errors
    /// [`Kind::Misbehaviour`] when the target accepts no more proofs or the source's validators contradict themselves;
    /// [`Kind::Usage`] when there is no verifier or it follows another chain; as [`Source::trusted`] when no endpoint
    /// is useful.
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
        let is_running_out = |trust: &Trust| trust.is_running_out(unix_time());
        self.running_out = status.trust.filter(is_running_out);
        if status.is_stopped {
            let message = "the target no longer accepts proofs: it was halted, or it has seen two proofs that cannot both be true";
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
        let mut wanted = wanted(&status, &offer, demanded, self.policy.every);
        let mut found = None;
        if !matches!(wanted, Some(Wanted::Handoff(_))) {
            match self.mail(&trusted, &offer).await? {
                Some(Mail::Here(parcel, due)) => {
                    wanted = Some(due);
                    found = Some(parcel);
                }
                Some(Mail::Under(head)) => wanted = wanted.or(Some(Wanted::Block(head))),
                None => {}
            }
        }
        let Some(wanted) = wanted else {
            self.waiting = None;
            return Ok(Look::Nothing(status));
        };
        let now = Instant::now();
        let waiting = Waiting::on(self.waiting, wanted, &status, now);
        self.waiting = Some(waiting);
        let proof = match (waiting.wanted, handoff) {
            (Wanted::Handoff(_), Some(proof)) => Some(proof),
            (Wanted::Handoff(_), None) => return Ok(Look::Nothing(status)),
            (Wanted::Block(block), _) => Some(self.source.proof(&trusted, block).await?),
            (Wanted::Messages(_) | Wanted::Confirmation(_), _) => None,
        };
        let absent = proof.as_ref().map_or(0, |proof| proof.non_signers.len());
        let due = waiting.due(absent, &self.policy);
        if due > now && !self.is_dry_run {
            return Ok(Look::Later(due));
        }
        let cargo = match (proof, found) {
            (Some(proof), _) => Cargo::Proof(Box::new(self.delivery(&trusted, proof).await?)),
            (None, Some(parcel)) => Cargo::Parcel(parcel),
            (None, None) => return Ok(Look::Nothing(status)),
        };
        let estimate = self.target.estimate(&cargo).await?;
        if self.is_dry_run {
            return Ok(Look::Estimated(cargo, estimate));
        }
        let receipt = self.target.submit(&cargo).await?;
        self.waiting = None;
        Ok(Look::Submitted(cargo, receipt))
    }

    /// The missing data of the lane, with its proof under the target's header; or the newer block that could prove it,
    /// if that is worth a header.
    async fn mail(&mut self, trusted: &Trusted, offer: &Offer) -> Result<Option<Mail>, Ended> {
        let Some(lane) = self.lane.clone() else {
            return Ok(None);
        };
        let there = self.target.lane(&lane).await?;
        let block = trusted_block(trusted, there.best, there.hash);
        if let Some((due, ends)) = self.due(&lane, block, &there.ends).await? {
            let parcel = self.parcel(lane, block, due, ends).await?;
            return Ok(parcel.map(|parcel| Mail::Here(parcel, due.into())));
        }
        let Some(head) = offer.head.filter(|head| *head > there.best) else {
            return Ok(None);
        };
        let proof = self.source.proof(trusted, head).await?;
        let block = trusted_block(trusted, head, proof.justification.commitment.block_hash);
        let due = self.due(&lane, block, &there.ends).await?;
        let is_worth_it = due.is_some_and(|(due, _)| due.is_worth_a_header());
        Ok(is_worth_it.then_some(Mail::Under(head)))
    }

    /// The missing data that the state after a block proves, and the lane's ends in that state.
    async fn due(
        &mut self,
        lane: &Lane,
        block: FinalBlock,
        there: &Ends,
    ) -> Result<Option<(Due, Ends)>, Failure> {
        let ends = self.source.ends(lane, block).await?;
        Ok(ends.and_then(|ends| Some((due(&ends, there)?, ends))))
    }

    /// The due delivery, with its proof; `None` when the source no longer keeps that state.
    async fn parcel(
        &mut self,
        lane: Lane,
        block: FinalBlock,
        due: Due,
        ends: Ends,
    ) -> Result<Option<Parcel>, Failure> {
        let keys = match due {
            Due::Messages { first, last } => {
                let messages = (first..=last).map(|nonce| lane.message_key(nonce));
                // Of the lane's end the target hears what the sender knows.
                messages.chain([lane.outbound_key()]).collect()
            }
            Due::Confirmation { .. } => vec![lane.inbound_key()],
        };
        let Some((values, nodes)) = self.source.state(block, &keys).await? else {
            return Ok(None);
        };
        let contents = match due {
            Due::Messages { first, .. } => {
                let of_messages = values.len().saturating_sub(1);
                let messages = values.into_iter().take(of_messages).collect();
                let Some(messages) = messages else {
                    return Ok(None);
                };
                Contents::Messages { first, messages }
            }
            Due::Confirmation { .. } => Contents::Confirmation(ends.inbound),
        };
        Ok(Some(Parcel {
            lane,
            under: block.number(),
            hash: block.hash(),
            nodes,
            contents,
        }))
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

/// The pending delivery of a lane for the target.
enum Mail {
    /// This, and what to call it while it waits.
    Here(Parcel, Wanted),
    /// Something that this block proves.
    Under(BlockNumber),
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

#[cfg(test)]
mod tests;
