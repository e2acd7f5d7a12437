//! One run: from the trusted state to the goal, with one endpoint after another.

use crate::{
    age::{age, Age, YOUNG},
    args::Run,
    begin::{begin, genesis_hash},
    calls::Calls,
    event::Event,
    goal::{Done, Goal, Step},
    heads::{Asking, Claim, Heads},
    link::{Link, Report},
    output::Output,
    recovery::wanted::Recovery,
    state_file::StateFile,
};
#[cfg(feature = "vouchers")]
use crate::{begin::is_begun_from, vouch};
use duet_light_client::{Checkpoint, Error, Mode, Outcome, Trusted, Update, Verified};
use duet_light_rpc::{checkpoint, CheckpointJson, Choice, Endpoints, Failure, Fault, Kind, Server};
use duet_primitives::H256;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::mpsc;

/// The shortest time between two writes of the state while proofs come fast.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);

/// How the work with an endpoint ended.
enum Ended {
    /// The goal is reached.
    Done,
    /// The endpoint failed.
    Failed(Fault),
    /// Another endpoint names newer blocks.
    Behind(Claim),
    /// An endpoint sent data that no honest endpoint sends to the server of this session.
    Reported(Report),
    /// It is time for the next step of a recovery.
    Waited,
}

pub(crate) struct Session {
    pub(crate) goal: Goal,
    pub(crate) output: Output,
    pub(crate) mode: Mode,
    pub(crate) stall_after: Duration,
    pub(crate) endpoints: Endpoints,
    /// Asked all along while the goal is to follow.
    pub(crate) heads: Option<Heads>,
    pub(crate) asking: Asking,
    /// Publishes the session's state to a server.
    link: Option<Link>,
    /// Faulty endpoints that the server found.
    reports: Option<mpsc::Receiver<Report>>,
    pub(crate) genesis: H256,
    /// The block that the user wants to begin at, until an endpoint has proven its sets or something newer is trusted.
    pub(crate) start: Option<H256>,
    pub(crate) request_timeout: Duration,
    pub(crate) age: Age,
    pub(crate) recovery: Recovery,
    pub(crate) calls: Arc<Calls>,
    file: Option<StateFile>,
    trusted: Option<Trusted>,
    pub(crate) proofs: u64,
    /// When the file was written, and whether the state is newer.
    saved: Option<Instant>,
    dirty: bool,
}

impl Session {
    /// Reads the state to start from.
    pub(crate) fn new(args: &Run, goal: Goal, output: Output) -> Result<Self, Failure> {
        let mode = if args.stateless {
            Mode::Stateless
        } else {
            Mode::Full
        };
        let checkpoint = args
            .checkpoint
            .as_deref()
            .map(checkpoint::read)
            .transpose()?;
        let dated = checkpoint.as_ref().and_then(CheckpointJson::dated);
        let checkpoint = checkpoint.map(Checkpoint::from);
        let (file, kept) = match &args.state {
            Some(path) => {
                let (file, kept) = StateFile::open(path)?;
                (Some(file), kept.map(|kept| kept.in_mode(mode)))
            }
            None => (None, None),
        };
        let genesis = genesis_hash(args.genesis, checkpoint.as_ref(), kept.as_ref())?;
        #[cfg(feature = "vouchers")]
        if let Some(checkpoint) = checkpoint.as_ref() {
            if is_begun_from(checkpoint, kept.as_ref()) {
                vouch::check(&args.vouching, checkpoint, &output)?;
            }
        }
        let trusted = begin(checkpoint, dated, kept, mode)?;
        output.event(&Event::start(genesis, mode, args.start, trusted.as_ref()));
        let now = Instant::now();
        Ok(Self {
            goal,
            output,
            mode,
            stall_after: args.stall_after,
            endpoints: Endpoints::new(&args.urls, args.give_up_after, now),
            heads: None,
            asking: Asking {
                urls: args.urls.clone(),
                genesis,
                request_timeout: args.request_timeout,
                lag_after: args.lag_after,
            },
            link: None,
            reports: None,
            genesis,
            start: args.start,
            request_timeout: args.request_timeout,
            age: Age::new(args),
            recovery: Recovery::default(),
            calls: Arc::new(Calls::new(args.state.as_deref())),
            file,
            trusted,
            proofs: 0,
            saved: None,
            dirty: true,
        })
    }

    /// Publishes the state to a server from now on, and receives its reports.
    pub(crate) fn attach(&mut self, link: Link, reports: mpsc::Receiver<Report>) {
        if let Some(trusted) = &self.trusted {
            link.set_trusted(trusted);
        }
        self.link = Some(link);
        self.reports = Some(reports);
    }

    /// Takes note that this endpoint is followed from now on.
    pub(crate) fn set_followed(&self, index: usize) {
        if let Some(heads) = &self.heads {
            heads.board().set_followed(Some(index));
        }
        if let Some(link) = &self.link {
            link.set_followed(index);
        }
    }

    /// Runs to the goal.
    pub(crate) async fn run(&mut self) -> Result<(), Failure> {
        if self.goal != Goal::Head {
            self.heads = Some(Heads::start(&self.asking));
        }
        loop {
            if self.must_recover() && self.recover().await? {
                return Ok(());
            }
            let now = Instant::now();
            if self.endpoints.is_over(now) {
                return Err(self.endpoints.verdict());
            }
            match self.endpoints.choose(now) {
                Choice::Nobody => return Err(self.endpoints.verdict()),
                Choice::Wait(until) => {
                    // What could not be done now is tried again with the next endpoint.
                    let crossing = self.recovers_at().filter(|_| !self.must_recover());
                    let ends = [self.endpoints.deadline(), crossing];
                    let until = ends.into_iter().flatten().fold(until, Instant::min);
                    tokio::time::sleep_until(until.into()).await;
                }
                Choice::Ask(index) => {
                    let before = self.proofs;
                    match self.work_unless_behind(index).await {
                        Ended::Done if self.goal == Goal::Head => {
                            return self.finish_sync(index).await
                        }
                        Ended::Done => return Ok(()),
                        Ended::Failed(fault @ Fault::Reset(_)) if self.is_waiting() => {
                            self.note_fault(index, fault, true)?;
                        }
                        Ended::Failed(fault) => {
                            self.endpoint_failed(index, fault, self.proofs > before)?;
                        }
                        Ended::Behind(claim) => self.compare(index, claim).await?,
                        Ended::Reported((index, fault)) => self.note_fault(index, fault, false)?,
                        Ended::Waited => {}
                    }
                    if self.is_done() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Asks the other endpoints once, so that no single one can keep this client behind by showing an old
    /// head.
    async fn finish_sync(&mut self, index: usize) -> Result<(), Failure> {
        let mut last = index;
        for other in self.endpoints.others(index) {
            let before = self.proofs;
            match self.work_with(other).await {
                Ok(Done) if self.proofs > before => last = other,
                Ok(Done) => {}
                Err(fault) => self.endpoint_failed(other, fault, self.proofs > before)?,
            }
        }
        let url = self.endpoints.url(last).unwrap_or_default();
        self.output.event(&Event::synced(self.trusted()?, url));
        Ok(())
    }

    /// Reports a fault, and decides whether the endpoint is asked again.
    pub(crate) fn endpoint_failed(
        &mut self,
        index: usize,
        fault: Fault,
        progress: bool,
    ) -> Result<(), Failure> {
        if let Fault::Fatal(failure) = fault {
            return Err(failure);
        }
        if let Some(url) = self.endpoints.url(index) {
            self.output.event(&Event::endpoint_failed(url, &fault));
        }
        self.note_fault(index, fault, progress)
    }

    /// The same for a fault that was reported already.
    fn note_fault(&mut self, index: usize, fault: Fault, progress: bool) -> Result<(), Failure> {
        if let Fault::Fatal(failure) = fault {
            return Err(failure);
        }
        if let Some(heads) = self.heads.as_ref().filter(|_| fault.is_final()) {
            heads.forget(index);
        }
        if let Some(link) = self.link.as_ref().filter(|_| fault.is_final()) {
            link.drop_endpoint(index);
        }
        let now = Instant::now();
        if progress {
            self.endpoints.made_progress(now);
        }
        self.endpoints.failed(index, fault, now);
        self.save()
    }

    /// Works with an endpoint, until it is known that another one names newer blocks for too long.
    async fn work_unless_behind(&mut self, index: usize) -> Ended {
        let rivals = self.endpoints.rivals(index);
        let board = self.heads.as_ref().map(|heads| heads.board().clone());
        let behind = async {
            match &board {
                Some(board) => board.ahead(&rivals).await,
                None => std::future::pending().await,
            }
        };
        let crossing = self.recovers_at();
        let waited = async {
            match crossing {
                Some(at) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        let mut reports = self.reports.take();
        let ended = tokio::select! {
            worked = self.work_with(index) => match worked {
                Ok(Done) => Ended::Done,
                Err(fault) => Ended::Failed(fault),
            },
            claim = behind => Ended::Behind(claim),
            report = next_report(&mut reports) => Ended::Reported(report),
            () = waited => Ended::Waited,
        };
        self.reports = reports;
        if let Some(board) = board {
            board.set_followed(None);
        }
        ended
    }

    pub(crate) async fn connect(
        &mut self,
        index: usize,
        timeout: Duration,
    ) -> Result<Server, Fault> {
        let url = self.endpoints.url(index).unwrap_or_default().to_owned();
        let server = Server::connect(&url, timeout).await?;
        server.check_chain(self.genesis).await?;
        self.output.event(&Event::Connected { url: &url });
        self.begin(&server).await?;
        Ok(server)
    }

    async fn work_with(&mut self, index: usize) -> Result<Done, Fault> {
        let server = self.connect(index, self.request_timeout).await?;
        if self.goal == Goal::Head {
            self.catch_up(&server).await?;
            self.date_head(&server).await?;
            if age(self.trusted()?).is_none_or(|age| age > YOUNG) {
                self.tell_of_silence(&server).await?;
            }
            self.endpoints.succeeded(index, Instant::now());
            return Ok(Done);
        }
        self.follow(&server, index).await
    }

    /// The trusted state. It exists as soon as an endpoint has proven the genesis or the start block.
    pub(crate) fn trusted(&self) -> Result<&Trusted, Failure> {
        self.trusted
            .as_ref()
            .ok_or_else(|| Failure::new(Kind::Local, "no block is trusted yet"))
    }

    /// Takes over keys that were checked.
    pub(crate) fn set_trusted(&mut self, trusted: Trusted) {
        if let Some(heads) = &self.heads {
            heads.board().set_best(trusted.best_number());
        }
        if let Some(link) = &self.link {
            link.set_trusted(&trusted);
        }
        self.trusted = Some(trusted);
        self.dirty = true;
    }

    /// Verifies one proof, shows it, and continues from it.
    pub(crate) fn verify(&mut self, update: Update, url: &str) -> Result<Step, Fault> {
        match self.try_verify(update, url)? {
            Ok(step) => Ok(step),
            Err(error) => Err(error.into()),
        }
    }

    /// The same, with the verifier's error for callers that handle it.
    pub(crate) fn try_verify(
        &mut self,
        update: Update,
        url: &str,
    ) -> Result<Result<Step, Error>, Failure> {
        self.check_age()?;
        let bytes = update.proof_len();
        let start = Instant::now();
        let outcome = self.trusted()?.verify(update);
        let took = start.elapsed();
        let verified = match outcome {
            Ok(Outcome::New(verified)) => verified,
            Ok(Outcome::Known) | Err(Error::OldBlock { .. }) => return Ok(Ok(Step::Old)),
            Err(error) => return Ok(Err(error)),
        };
        self.accept(*verified, bytes, took, url)?;
        Ok(Ok(Step::New))
    }

    /// Verifies proofs that follow each other, as far as they are new and hold, and shows them; how many there
    /// were. Stops at the goal.
    pub(crate) fn verify_prefix(&mut self, updates: &[Update], url: &str) -> Result<u32, Failure> {
        self.check_age()?;
        let start = Instant::now();
        let verified = self.trusted()?.verify_prefix(updates);
        let count = u32::try_from(verified.len()).unwrap_or(u32::MAX);
        // Their equations were checked as one: each has its share of the time.
        let took = start.elapsed().checked_div(count).unwrap_or_default();
        let mut accepted = 0_u32;
        for (verified, update) in verified.into_iter().zip(updates) {
            self.accept(verified, update.proof_len(), took, url)?;
            accepted = accepted.saturating_add(1);
            if self.is_done() {
                break;
            }
        }
        Ok(accepted)
    }

    /// Shows a proof that holds, and continues from it.
    fn accept(
        &mut self,
        verified: Verified,
        bytes: usize,
        took: Duration,
        url: &str,
    ) -> Result<(), Failure> {
        self.output
            .event(&Event::proof(&verified, bytes, took, url));
        self.show_cancelled(verified.trusted.best_number());
        self.set_trusted(verified.trusted);
        self.proofs = self.proofs.saturating_add(1);
        if self
            .saved
            .is_none_or(|saved| saved.elapsed() >= SAVE_INTERVAL)
        {
            self.save()?;
        }
        Ok(())
    }

    /// Whether the goal is reached, as far as it does not depend on an endpoint.
    pub(crate) fn is_done(&self) -> bool {
        match self.goal {
            Goal::Head | Goal::Never => false,
            Goal::Block(block) => self
                .trusted
                .as_ref()
                .is_some_and(|trusted| trusted.best_number() >= block),
            Goal::Proofs(count) => self.proofs >= count,
        }
    }

    /// Ends the run: saves the state, and the evidence of a contradiction, so that no later run goes on from there unnoticed.
    /// That of two recoveries is in the state, and a newer proof ends it. (RECOVER-8)
    pub(crate) fn end(&mut self, mut ended: Result<(), Failure>) -> Result<(), Failure> {
        let announced = self.trusted.as_ref().and_then(Trusted::announced);
        let is_in_state = announced.is_some_and(|announced| announced.contradicted().is_some());
        if let (Some(file), Err(failure), false) = (&self.file, &mut ended, is_in_state) {
            if failure.kind == Kind::Misbehaviour {
                if let Err(unkept) = file.keep_evidence(failure) {
                    failure.message = format!("{}; {unkept}", failure.message);
                }
            }
        }
        ended.and(self.save())
    }

    /// Writes the state file, if there is one and the state is newer.
    pub(crate) fn save(&mut self) -> Result<(), Failure> {
        let (Some(file), Some(trusted), true) = (&self.file, &self.trusted, self.dirty) else {
            return Ok(());
        };
        file.save(trusted)?;
        self.saved = Some(Instant::now());
        self.dirty = false;
        Ok(())
    }
}

/// The next report; never when nobody can send one.
async fn next_report(reports: &mut Option<mpsc::Receiver<Report>>) -> Report {
    if let Some(reports) = reports {
        if let Some(report) = reports.recv().await {
            return report;
        }
    }
    std::future::pending().await
}
