//! Verifies new proofs as they arrive, and notices when none arrive.

use crate::{
    event::Event,
    goal::{Done, Step},
    session::Session,
};
use duet_light_client::{Error, Mode, Update};
use duet_light_rpc::{decode_hex, shown, Failure, Fault, Lie, Server};
use duet_primitives::{BlockNumber, UncheckedJustification};
use jsonrpsee::core::client::Subscription;
use std::time::{Duration, Instant};

const LONGEST_LOOK: Duration = Duration::from_secs(6);
const SHORTEST_LOOK: Duration = Duration::from_millis(100);

/// A client without keys pays about a hundred bytes for each non-signer. Where a new proof lacks more than these, it asks
/// for the fuller one that late votes make of it, which is there after a second. (ROUND-9)
const FEW: u32 = 32;
const GROWS: Duration = Duration::from_millis(1_100);
/// As many proofs as may come in that time.
const MOST_SKIPPED: usize = 64;

/// Since when there was no new proof.
struct Watch {
    best: BlockNumber,
    since: Instant,
    reported: bool,
}

impl Watch {
    fn new(best: BlockNumber) -> Self {
        Self {
            best,
            since: Instant::now(),
            reported: false,
        }
    }
}

/// Whether this many are missing, or at most seven fewer: a bitfield fills whole bytes.
fn lacks_many(proof: &UncheckedJustification) -> bool {
    let bytes = proof.signers.as_bytes().iter();
    bytes.map(|byte| byte.count_zeros()).sum::<u32>() > FEW
}

/// Reads a pushed proof.
fn read(item: Result<String, serde_json::Error>) -> Result<UncheckedJustification, Fault> {
    let text = item.map_err(|error| Lie::OtherAnswer {
        asked: "justifications".to_owned(),
        got: shown(&format!("an unreadable message: {error}")),
    })?;
    decode_hex(&text)
}

/// The newest of the proofs that are there already, so that waiting never makes a client fall behind.
async fn newest(
    pushed: &mut Subscription<String>,
    mut proof: UncheckedJustification,
) -> Result<UncheckedJustification, Fault> {
    for _ in 0..MOST_SKIPPED {
        match tokio::time::timeout(Duration::ZERO, pushed.next()).await {
            Ok(Some(item)) => proof = read(item)?,
            Ok(None) | Err(_) => break,
        }
    }
    Ok(proof)
}

impl Session {
    /// Catches up, then verifies each new proof, until the goal is reached or the endpoint fails.
    pub(crate) async fn follow(&mut self, server: &Server, index: usize) -> Result<Done, Fault> {
        // Subscribed first, so that no proof is missed while we catch up.
        let mut pushed = server.subscribe().await?;
        self.catch_up(server).await?;
        self.endpoints.succeeded(index, Instant::now());
        if self.is_done() {
            return Ok(Done);
        }
        self.set_followed(index);
        self.date_head(server).await?;
        self.output
            .event(&Event::synced(self.trusted()?, &server.url));
        self.output.clear();

        let quarter = self.stall_after.checked_div(4).unwrap_or_default();
        let mut look = tokio::time::interval(quarter.clamp(SHORTEST_LOOK, LONGEST_LOOK));
        // The first look comes after a pause too.
        look.reset();
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut watch = Watch::new(self.trusted()?.best_number());
        loop {
            tokio::select! {
                item = pushed.next() => {
                    let Some(item) = item else {
                        return Err(server.disconnected().await);
                    };
                    let mut proof = read(item)?;
                    if self.mode == Mode::Stateless && lacks_many(&proof) {
                        proof = newest(&mut pushed, proof).await?;
                        tokio::time::sleep(GROWS).await;
                    }
                    self.take_pushed(server, proof).await?;
                }
                _ = look.tick() => self.look(server, index, &mut watch).await?,
            }
            self.endpoints.succeeded(index, Instant::now());
            if self.is_done() {
                return Ok(Done);
            }
        }
    }

    /// Verifies a proof that the endpoint pushed.
    async fn take_pushed(
        &mut self,
        server: &Server,
        pushed: UncheckedJustification,
    ) -> Result<(), Fault> {
        let number = pushed.commitment.block_number;
        if number < self.trusted()?.best_number() {
            return Ok(());
        }
        self.fetch_keys(server).await?;
        let update = match self.mode {
            Mode::Full => pushed.into(),
            Mode::Stateless => match self.stateless_of(server, pushed).await? {
                Some(update) => update,
                // It may come a moment later. If it does not, `look` finds that we are behind.
                None => return Ok(()),
            },
        };
        let step = match self.try_verify(update.clone(), &server.url)? {
            Ok(step) => step,
            // Not a trusted set's proof under another id, so that the endpoint may have the way there. (LIGHT-7)
            Err(error @ Error::TooFarAhead { .. }) => {
                if self.walk(server, number).await? == 0 {
                    return Err(self.no_way(server, error).await?);
                }
                if self.is_done() {
                    return Ok(());
                }
                self.fetch_keys(server).await?;
                self.verify(update, &server.url)?
            }
            Err(error) => return Err(error.into()),
        };
        if step == Step::New {
            self.fetch_keys(server).await?;
        }
        Ok(())
    }

    /// The stateless form of a proof that the endpoint pushed.
    async fn stateless_of(
        &self,
        server: &Server,
        pushed: UncheckedJustification,
    ) -> Result<Option<Update>, Fault> {
        let number = pushed.commitment.block_number;
        let Some(update) = self.fetch_proof(server, number).await? else {
            return Ok(None);
        };
        if *update.commitment() != pushed.commitment {
            let what =
                format!("the endpoint pushed one commitment for block {number} and serves another");
            return Err(Lie::Contradiction(what).into());
        }
        Ok(Some(update))
    }

    /// Checks whether this client is behind the endpoint, and warns when there is no new proof for too long.
    async fn look(
        &mut self,
        server: &Server,
        index: usize,
        watch: &mut Watch,
    ) -> Result<(), Fault> {
        self.save()?;
        self.report_others()?;
        let best = self.trusted()?.best_number();
        if best > watch.best {
            *watch = Watch::new(best);
            return self.keep_time(server).await;
        }
        if let Some((head, hash)) = server.head().await? {
            if head > best {
                self.report_behind(&server.url, head)?;
            }
            if self.is_news(head, hash)? {
                return self.catch_up(server).await;
            }
        }
        if watch.reported || watch.since.elapsed() < self.stall_after {
            return Ok(());
        }
        watch.reported = true;
        let chain = server.chain_head().await?;
        self.output.event(&Event::Stalled {
            url: &server.url,
            block: best,
            chain,
            seconds: watch.since.elapsed().as_secs(),
            alone: self.endpoints.others(index).is_empty(),
        });
        self.tell_of_silence(server).await
    }

    /// Reports the faults found in the other endpoints.
    fn report_others(&mut self) -> Result<(), Failure> {
        let Some(heads) = &self.heads else {
            return Ok(());
        };
        for (index, fault) in heads.board().take_faults() {
            self.endpoint_failed(index, fault, false)?;
        }
        Ok(())
    }
}
