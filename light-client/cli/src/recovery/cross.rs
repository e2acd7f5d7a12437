//! The announcement, the wait, and the crossing. (RECOVER-7, RECOVER-8)

use super::shown::Shown;
use crate::{age::now, event::Event, goal::Goal, parts, session::Session};
use codec::Encode;
use duet_light_client::{
    recovery_terms, Announced, Crossing, Culprit, Error, RecoverError, ResetClaim, Trusted,
};
use duet_light_rpc::{Failure, Fault, Kind, Server};
use duet_primitives::{suite::RECOVERY_TERMS_STORAGE_KEY, BlockNumber, RecoveryTerms};
use std::{
    mem,
    time::{Duration, Instant},
};

/// The pause before endpoints that did not answer are asked again. Each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

impl Session {
    /// The recovery that this session waits for.
    fn awaited(&self) -> Option<&Announced> {
        let trusted = self.trusted().ok().filter(|_| self.recovery.allowed)?;
        trusted.announced()
    }

    /// Whether this session waits to cross, so that a reset that an endpoint names is no news.
    pub(crate) fn is_waiting(&self) -> bool {
        self.awaited().is_some()
    }

    /// When the next step is due; `None` when there is none.
    pub(crate) fn recovers_at(&self) -> Option<Instant> {
        if self.must_recover() {
            return Some(Instant::now());
        }
        let left = Duration::from_secs(self.awaited()?.left(now()));
        Instant::now().checked_add(left)
    }

    /// Whether there is something to announce, to show or to cross.
    pub(crate) fn must_recover(&self) -> bool {
        let awaited = self.awaited();
        let is_due = awaited.is_some_and(|announced| announced.is_due(now()));
        self.recovery.given.is_some() || is_due || awaited.is_some() && !self.recovery.shown
    }

    /// What comes of the awaited recovery now; `None` when there is none.
    fn try_cross(&self) -> Option<Result<Crossing, RecoverError>> {
        let trusted = self.trusted().ok().filter(|_| self.is_waiting())?;
        Some(trusted.cross(now(), self.age.given()))
    }

    /// Asks every endpoint for a newer proof, announces the user's proof, and crosses when the wait is over. Whether the
    /// run ends with this: for `sync`, when there is only to wait.
    pub(crate) async fn recover(&mut self) -> Result<bool, Failure> {
        let Some(index) = self.ask_patiently().await? else {
            return Ok(false);
        };
        self.announce_given().await?;
        let Some(crossing) = self.try_cross() else {
            return Ok(false);
        };
        match crossing {
            Ok(Crossing::Crossed(behind)) => {
                let disputes = self.disputes();
                if !disputes.is_empty() {
                    return Err(self.disputed(&disputes));
                }
                let before = self.trusted()?.best_number();
                self.show(Shown::recovered(before, &behind));
                self.set_trusted(*behind);
                self.save()?;
                return Ok(false);
            }
            Ok(Crossing::Restarted(again)) => {
                self.set_trusted(*again);
                self.save()?;
                self.recovery.shown = false;
            }
            Err(RecoverError::Early { .. }) => {}
            Err(error) => return Err(self.refused(error)),
        }
        self.show_announced();
        if self.goal != Goal::Head {
            return Ok(false);
        }
        let url = self.endpoints.url(index).unwrap_or_default();
        self.output.event(&Event::synced(self.trusted()?, url));
        Ok(true)
    }

    fn show_announced(&mut self) {
        if self.recovery.shown {
            return;
        }
        if let Some(announced) = self.awaited() {
            self.show(Shown::announced(announced));
            self.recovery.shown = true;
        }
    }

    /// Asks every endpoint for newer proofs; one that answered. Before a crossing an endpoint that does not answer is asked
    /// again for as long as a request may take: it may be the only honest one, and away for a moment. That time begins
    /// when all were asked once, so that no slow endpoint uses it up.
    async fn ask_patiently(&mut self) -> Result<Option<usize>, Failure> {
        self.recovery.disputes.clear();
        let mut asked_all = None;
        let mut pause = FIRST_PAUSE;
        loop {
            let answered = self.ask_all().await?;
            let began = *asked_all.get_or_insert_with(Instant::now);
            let silent = answered.len() < self.endpoints.all().len();
            let crosses = matches!(self.try_cross(), Some(Ok(Crossing::Crossed(_))));
            let left = self.request_timeout.saturating_sub(began.elapsed());
            if answered.is_empty() || !silent || !crosses || left.is_zero() {
                return Ok(answered.first().map(|(index, _)| *index));
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = pause.saturating_mul(2);
        }
    }

    /// Asks every endpoint for newer proofs, whatever the goal; those that answered, still connected. An endpoint's word of
    /// a reset is an answer.
    pub(crate) async fn ask_all(&mut self) -> Result<Vec<(usize, Server)>, Failure> {
        // A goal that is reached would end the questions before the newest proof.
        let goal = mem::replace(&mut self.goal, Goal::Head);
        let answered = self.ask_each().await;
        self.goal = goal;
        answered
    }

    async fn ask_each(&mut self) -> Result<Vec<(usize, Server)>, Failure> {
        let mut answered = Vec::new();
        for index in self.endpoints.all() {
            let before = self.proofs;
            match self.ask_newest(index).await {
                Ok(server) => {
                    self.endpoints.succeeded(index, Instant::now());
                    answered.push((index, server));
                }
                Err(fault) => self.endpoint_failed(index, fault, self.proofs > before)?,
            }
        }
        Ok(answered)
    }

    async fn ask_newest(&mut self, index: usize) -> Result<Server, Fault> {
        let server = self.connect(index, self.request_timeout).await?;
        let reset = match self.catch_up(&server).await {
            Ok(()) => None,
            Err(fault @ Fault::Reset(_)) => Some(fault),
            Err(fault) => return Err(fault),
        };
        self.go_to_given(&server).await?;
        self.date_head(&server).await?;
        self.ask_of_reset(index, &server).await?;
        if let Some(fault) = reset {
            self.output
                .event(&Event::endpoint_failed(&server.url, &fault));
        }
        Ok(server)
    }

    /// Takes note of an endpoint that knows of no reset, or of another one than the statement names. (RECOVER-8)
    async fn ask_of_reset(&mut self, index: usize, server: &Server) -> Result<(), Fault> {
        let given = self.recovery.given.as_ref().map(|proof| &proof.statement);
        let awaited = self.awaited().map(Announced::statement);
        let Some(statement) = awaited.or(given).cloned() else {
            return Ok(());
        };
        let claim = self.reset_of(server).await?;
        let disputes = &mut self.recovery.disputes;
        match ResetClaim::dispute(claim.as_ref(), &statement) {
            Some(dispute) => disputes.insert(index, format!("{} {dispute}", server.url)),
            None => disputes.remove(&index),
        };
        Ok(())
    }

    /// What endpoints say against the statement. A liar's word does not count.
    fn disputes(&self) -> Vec<&str> {
        let all = self.endpoints.all().into_iter();
        let disputes = all.filter_map(|index| self.recovery.disputes.get(&index));
        disputes.map(String::as_str).collect()
    }

    /// The reset behind the trusted sets, as an endpoint says.
    pub(crate) async fn reset_of(&self, server: &Server) -> Result<Option<ResetClaim>, Fault> {
        let trusted = self.trusted()?;
        let header = server.reset(trusted.latest_set().id).await?;
        let claim = header.map(|header| trusted.reset_claim(&header));
        Ok(claim.transpose()?)
    }

    /// Why nothing is crossed although the wait is over: an endpoint disputes the statement, and it may be the honest one.
    fn disputed(&self, disputes: &[&str]) -> Failure {
        let disputes = disputes.join("; ");
        let block = self
            .awaited()
            .map(|awaited| awaited.statement().reset_number);
        let block = block.unwrap_or(BlockNumber::ZERO);
        let message = format!(
            "RECOVER-8: {disputes}, against the statement about the reset in block {block}: nothing is crossed while servers \
             dispute it; ask people you trust, and name only servers that say the truth"
        );
        Failure::new(Kind::NoWay, message)
    }

    /// Takes the proof of the block that the user's proof is about: behind the reset, an endpoint names later blocks only.
    async fn go_to_given(&mut self, server: &Server) -> Result<(), Fault> {
        let given = self.recovery.given.as_ref();
        let about = given.map(|proof| proof.statement.block_number);
        let best = self.trusted()?.best_number();
        let Some(about) = about.filter(|about| *about > best) else {
            return Ok(());
        };
        let Some(update) = self.fetch_proof(server, about).await? else {
            return Ok(());
        };
        match self.try_verify(update, &server.url)? {
            Ok(_) => self.fetch_keys(server).await,
            // It is of a block behind the reset.
            Err(Error::TooFarAhead { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Announces the user's proof under the terms that an endpoint proves. A proof about an older block is of no use any
    /// more, and is reported.
    async fn announce_given(&mut self) -> Result<(), Failure> {
        let Some(proof) = self.recovery.given.clone() else {
            return Ok(());
        };
        let (about, best) = (proof.statement.block_number, self.trusted()?.best_number());
        if about < best {
            self.show(Shown::Outdated { about, block: best });
        } else {
            let terms = self.fetch_terms().await?;
            let trusted = self.trusted()?;
            let announced = trusted.announce(&terms, proof, now(), self.age.given());
            let announced = announced.map_err(|error| self.refused(error))?;
            self.set_trusted(announced);
            self.save()?;
        }
        self.recovery.given = None;
        Ok(())
    }

    /// The terms in the state of the newest block, from the first endpoint that proves them.
    async fn fetch_terms(&mut self) -> Result<RecoveryTerms, Failure> {
        for index in self.endpoints.all() {
            match self.terms_of(index).await {
                Ok(terms) => return Ok(terms),
                Err(fault) => self.endpoint_failed(index, fault, false)?,
            }
        }
        Err(self.endpoints.verdict())
    }

    async fn terms_of(&self, index: usize) -> Result<RecoveryTerms, Fault> {
        let url = self.endpoints.url(index).unwrap_or_default();
        let server = Server::connect(url, self.request_timeout).await?;
        let trusted = self.trusted()?;
        let parts = parts::fetch(&server, trusted, None, &[&RECOVERY_TERMS_STORAGE_KEY]).await?;
        let value = parts.values.first().and_then(Option::as_deref);
        Ok(recovery_terms(value).ok_or_else(|| no_terms(trusted.best_number()))?)
    }

    /// The end by this error. A contradiction is shown with both proofs.
    fn refused(&self, error: RecoverError) -> Failure {
        let pair = self.awaited().and_then(both);
        match (error, pair) {
            (RecoverError::Contradicted { set, block }, Some(evidence)) => {
                let recovery_set = set;
                self.show(Shown::Contradicted {
                    block,
                    recovery_set,
                });
                failure_of(error).with_evidence(evidence)
            }
            _ => failure_of(error),
        }
    }

    /// Says that a newer block is proven, if that ends an announcement.
    pub(crate) fn show_cancelled(&self, block: BlockNumber) {
        if let Some(announced) = self.trusted().ok().and_then(Trusted::announced) {
            let about = announced.statement().block_number;
            self.show(Shown::Cancelled { about, block });
        }
    }

    fn show(&self, shown: Shown<'_>) {
        self.output.event(&Event::Recovery(shown));
    }
}

/// The two proofs that contradict each other.
fn both(announced: &Announced) -> Option<[Vec<u8>; 2]> {
    let second = announced.contradicted()?;
    Some([announced.proof().encode(), second.encode()])
}

/// The chain has no recovery.
pub(crate) fn no_terms(block: BlockNumber) -> Failure {
    let message = format!(
        "RECOVER-4: the state after block {block} proves that no recovery set was in force, so that no proof leads across a \
         reset after it"
    );
    Failure::new(Kind::NoWay, message)
}

/// The end by this error, with advice.
pub(crate) fn failure_of(error: RecoverError) -> Failure {
    let (kind, advice) = match error {
        RecoverError::OtherBlock { best, got, .. } if got > best => (
            Kind::NoWay,
            "no endpoint has a proof of that block: ask others",
        ),
        RecoverError::TooOld(_) | RecoverError::AgeUnknown => (
            Kind::TooOld,
            "a recovery starts from a block of known age within the trusting period: begin from a younger block with \
             --checkpoint or --start",
        ),
        RecoverError::ClockBehind { .. } => (Kind::Local, "set this machine's clock right"),
        RecoverError::Contradicted { .. } => (
            Kind::Misbehaviour,
            "keep both proofs as evidence, and ask people you trust which history counts",
        ),
        RecoverError::Proof(_) if error.culprit() != Culprit::Nobody => {
            (Kind::Unverified, "ask for the proof again")
        }
        _ => (Kind::Usage, "this recovery proof does not lead on from here"),
    };
    Failure::new(kind, format!("{error}; {advice}"))
}
