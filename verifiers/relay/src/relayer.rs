//! Source and target, compared again and again.

mod mail;
mod recovering;
mod recovery;

use self::recovering::Recovering;
use crate::{
    event::Event,
    look::{Look, Pace},
    messages::{Lane, Nonce, AT_ONCE},
    metrics::{unix_time, Metrics},
    news::News,
    plan::{wanted, Mail, Policy, Waiting, Wanted},
    source::Source,
    target::{Cargo, Delivered, Delivery, Status, Target, TargetError, Trust},
};
use duet_light_client::Trusted;
use duet_light_rpc::{Failure, Kind};
use duet_primitives::{BlockNumber, RecoveryProof, StatelessProof};
use std::{
    pin::pin,
    time::{Duration, Instant},
};
use tokio::sync::{mpsc, watch};

/// When to look again for a proof that no source shows any more.
const SOON: Duration = Duration::from_secs(1);

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
    /// Another relayer was faster the last time: it goes first, and this one tries a turn later.
    is_second: bool,
    demanded: watch::Receiver<Option<BlockNumber>>,
    metrics: Option<Metrics>,
    lane: Option<Lane>,
    recovering: Recovering,
    news: News<Event>,
    /// The target's newest block, as the last look has seen or made it.
    best: Option<BlockNumber>,
    /// The target has refused several handoffs in one transaction: they were too many, or the verifier is older than
    /// that call.
    is_one_by_one: bool,
    /// The most messages in the next delivery.
    at_once: Nonce,
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
            is_second: false,
            demanded,
            metrics: None,
            lane: None,
            recovering: Recovering::default(),
            news: News::default(),
            best: None,
            is_one_by_one: false,
            at_once: AT_ONCE,
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

    /// Announces this recovery proof and crosses by it when it is time. (RECOVER-7, RECOVER-8)
    pub fn with_recovery_proof(mut self, proof: RecoveryProof) -> Self {
        self.recovering.given = Some(proof);
        self
    }

    /// Counts.
    pub fn with_metrics(mut self, metrics: Metrics) -> Self {
        self.source.count_in(metrics.clone());
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
        let look = self.look_and_tell(tell).await;
        for news in self.recovering.take_news() {
            if let (Some(metrics), Event::RecoveryUnfounded { .. } | Event::RecoveryHidden { .. }) =
                (&self.metrics, &news)
            {
                metrics.recovery_unfounded();
            }
            tell(news);
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

    /// A look, which may take long: what happens meanwhile is told at once.
    async fn look_and_tell(&mut self, tell: &mut impl FnMut(Event)) -> Result<Look, Failure> {
        let (listener, mut heard) = mpsc::unbounded_channel();
        self.news = News(Some(listener));
        self.source.tell_to(self.news.clone());
        let (listener, mut stuck) = mpsc::unbounded_channel();
        self.target.tell_to(News(Some(listener)));
        let metrics = self.metrics.clone();
        let mut told = |event| {
            match (&metrics, &event) {
                (Some(metrics), Event::Stuck(_)) => metrics.stuck(),
                (Some(metrics), Event::WentBack { .. }) => metrics.went_back(),
                _ => {}
            }
            tell(event);
        };
        let mut looking = pin!(self.look());
        let look = loop {
            tokio::select! {
                look = &mut looking => break look,
                Some(event) = heard.recv() => told(event),
                Some(stuck) = stuck.recv() => told(Event::Stuck(stuck)),
            }
        };
        while let Ok(event) = heard.try_recv() {
            told(event);
        }
        while let Ok(stuck) = stuck.try_recv() {
            told(Event::Stuck(stuck));
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
        if let Some(from) = self
            .best
            .replace(status.best)
            .filter(|it| *it > status.best)
        {
            let to = status.best;
            self.news.tell(Event::WentBack { from, to });
        }
        let is_running_out = |trust: &Trust| trust.is_running_out(unix_time());
        self.running_out = status.trust.filter(is_running_out);
        if status.is_stopped {
            let message = "the target no longer accepts proofs: it was halted, or it has seen two proofs that cannot both be true";
            return Err(Failure::new(Kind::Misbehaviour, message).into());
        }
        let recovery = self.recovery().await?;
        let target = &self.target;
        let trusted = self
            .source
            .trusted(&status, |set| target.fingerprint(set))
            .await?;
        // Once: a block beyond the handoffs is wanted only if the endpoints had to prove it.
        let demanded = *self.demanded.borrow_and_update();
        let matters = demanded.is_some() || self.policy.every.is_some() || self.lane.is_some();
        let (offer, handoff, proven) = self.source.offer(&trusted, matters).await?;
        if let Some(metrics) = &self.metrics {
            metrics.looked(&status, proven);
            if let Ok(Some(balance)) = self.target.balance().await {
                metrics.balance_is(balance);
            }
        }
        if let Some(recovery) = recovery {
            if let Some(look) = self.recover(&status, &trusted, &recovery).await? {
                return Ok(look);
            }
        }
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
            (Wanted::Block(block), _) => match self.source.proof(&trusted, block).await? {
                Some(proof) => Some(proof),
                // Nobody has it any more, and it may never come back. Another block will do.
                None => {
                    self.waiting = None;
                    return Ok(Look::Later(now.checked_add(SOON).unwrap_or(now)));
                }
            },
            (
                Wanted::Messages(_)
                | Wanted::Confirmation(_)
                | Wanted::Announcement(_)
                | Wanted::Crossing(_),
                _,
            ) => None,
        };
        let absent = proof.as_ref().map_or(0, |proof| proof.non_signers.len());
        let due = self.in_order(&waiting, absent);
        if due > now && !self.is_dry_run {
            return Ok(Look::Later(due));
        }
        let cargo = match (proof, found) {
            (Some(proof), _) => {
                let mut delivery = self.delivery(&trusted, proof).await?;
                if matches!(waiting.wanted, Wanted::Handoff(_)) {
                    self.add_handoffs(&trusted, &mut delivery).await?;
                }
                Cargo::Proof(Box::new(delivery))
            }
            (None, Some(parcel)) => Cargo::Parcel(parcel),
            (None, None) => return Ok(Look::Nothing(status)),
        };
        self.bring(cargo).await
    }

    /// Submits it, or reports its cost in a dry run.
    async fn bring(&mut self, mut cargo: Cargo) -> Result<Look, Ended> {
        let mut estimated = self.target.estimate(&cargo).await;
        // Nodes refuse too much gas in many ways.
        if let (Err(TargetError::Refused(_) | TargetError::Unreachable(_)), Some(first)) =
            (&estimated, cargo.first_handoff())
        {
            let alone = self.target.estimate(&first).await;
            if alone.is_ok() {
                self.is_one_by_one = true;
                (cargo, estimated) = (first, alone);
            }
        }
        if self.is_dry_run {
            return Ok(Look::Estimated(cargo, estimated?));
        }
        let submitted = match estimated {
            Ok(_) => self.target.submit(&cargo).await,
            Err(error) => Err(error),
        };
        match &submitted {
            Ok(receipt) => match receipt.result {
                Delivered::Taken => self.is_second = false,
                Delivered::Known | Delivered::Withdrawn => self.is_second = true,
                Delivered::Reverted => {}
            },
            Err(TargetError::Overtaken(_)) => self.is_second = true,
            // The node may say so of a transaction that is too long, or does too much.
            Err(TargetError::Refused(_)) if cargo.first_handoff().is_some() => {
                self.is_one_by_one = true;
            }
            Err(TargetError::Refused(_) | TargetError::Unreachable(_)) => {
                if matches!(cargo, Cargo::Parcel(_)) {
                    self.bring_fewer();
                }
            }
            Err(_) => {}
        }
        let receipt = submitted?;
        self.waiting = None;
        match (&cargo, receipt.result) {
            (Cargo::Proof(delivery), Delivered::Taken) => {
                self.best = self.best.max(Some(delivery.block()));
            }
            (Cargo::Parcel(_), Delivered::Taken) => {
                self.at_once = self.at_once.saturating_mul(2).min(AT_ONCE);
            }
            _ => {}
        }
        Ok(Look::Submitted(cargo, receipt))
    }

    /// When to relay something, with regard to a relayer that was faster.
    fn in_order(&self, waiting: &Waiting, absent: usize) -> Instant {
        let due = waiting.due(absent, &self.policy);
        if !self.is_second {
            return due;
        }
        let later = due.checked_add(self.policy.turns.length());
        later.unwrap_or(due)
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
            before: Vec::new(),
            set: set.clone(),
            proof,
            header,
        })
    }

    /// Adds the handoffs that follow, as many as the target takes in one transaction.
    async fn add_handoffs(
        &mut self,
        trusted: &Trusted,
        delivery: &mut Delivery,
    ) -> Result<(), Failure> {
        let more = T::MOST_HANDOFFS.saturating_sub(1);
        if more == 0 || self.is_one_by_one {
            return Ok(());
        }
        let further = self.source.further_handoffs(trusted, &delivery.proof, more);
        for (proof, set) in further.await? {
            let proof = std::mem::replace(&mut delivery.proof, proof);
            let set = std::mem::replace(&mut delivery.set, set);
            delivery.before.push((proof, set));
        }
        Ok(())
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

#[cfg(test)]
mod tests;
