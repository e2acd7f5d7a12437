//! The worker's loop. Whatever happens becomes an event for the voter, and the effects with which the voter answers
//! are carried out in order.

use crate::{
    backfill::Backfill,
    catch_up::{Follower, Progress},
    error::Error,
    handoffs::check::Checked as CheckedAnswer,
    import::Imported,
    imported::ImportedJustifications,
    voting::Voting,
};
use duet_gossip::{clock::Clock, Checked, Network};
use duet_primitives::Vote;
use duet_voter::{Event, Millis};
use futures::{future::BoxFuture, stream::BoxStream, FutureExt, StreamExt};
use std::{convert::Infallible, sync::Arc};

/// How often the worker checks what no notification reports: keys added to the key file, the end of a major
/// sync, blocks that were finalized without a notification.
const HOUSEKEEPING: Millis = 1_000;

/// What the worker listens to.
pub(crate) struct Sources {
    /// Blocks that became final.
    pub(crate) finality: BoxStream<'static, ()>,
    /// Accepted messages from peers.
    pub(crate) checked: async_channel::Receiver<Checked>,
    /// Justifications that came with blocks.
    pub(crate) imported: async_channel::Receiver<Imported>,
    /// Own votes that were signed.
    pub(crate) signed: async_channel::Receiver<Vote>,
    /// Answers of peers that were checked.
    pub(crate) answers: async_channel::Receiver<CheckedAnswer>,
    /// Completes when the network shuts down.
    pub(crate) network_gone: BoxFuture<'static, ()>,
}

/// The parts of the worker, each with one purpose.
pub(crate) struct Worker {
    /// Tells the time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Tells whether the node is catching up.
    pub(crate) network: Arc<dyn Network>,
    /// The voter and its effects.
    pub(crate) voting: Voting,
    /// Follows the finalized chain.
    pub(crate) follower: Follower,
    /// Justifications that came with blocks.
    pub(crate) imported: ImportedJustifications,
    /// Fetches the history before this node began.
    pub(crate) backfill: Backfill,
}

impl Worker {
    /// Runs until the network shuts down or what must survive cannot be written.
    pub(crate) async fn run(mut self, sources: Sources) -> Result<Infallible, Error> {
        let Sources {
            finality,
            mut checked,
            mut imported,
            mut signed,
            mut answers,
            network_gone,
        } = sources;
        let (mut network_gone, mut finality) = (network_gone.fuse(), finality.fuse());
        self.backfill.prove_genesis()?;
        self.housekeeping()?;
        let mut housekeeping_at = self.clock.now().saturating_add(HOUSEKEEPING);
        let mut wake_at = self.wake_at().min(housekeeping_at);
        let mut timer = self.clock.sleep_until(wake_at).fuse();
        loop {
            let mut unchecked_history = self.backfill.has_work();
            // Finality first: it is cheap and moves the window. Then what peers can send in any amount. The history
            // comes last, when nothing else waits.
            futures::select_biased! {
                () = timer => {
                    housekeeping_at = self.on_timer(housekeeping_at)?;
                    wake_at = Millis::MAX;
                },
                notification = finality.next() => {
                    notification.ok_or(Error::ClientGone)?;
                    // One pass covers all queued notifications and releases their blocks.
                    while let Some(Some(())) = finality.next().now_or_never() {}
                    self.follow_finality()?;
                },
                () = network_gone => return Err(Error::NetworkGone),
                vote = signed.next() => {
                    self.voting.handle(Event::Signed(vote.ok_or(Error::SignerGone)?))?;
                },
                answer = self.voting.next_answer() => self.voting.on_answer(answer),
                answer = answers.next() => {
                    self.voting.on_checked_answer(answer.ok_or(Error::CheckerGone)?)?;
                },
                answer = self.backfill.next_answer() => {
                    self.backfill.on_answer(answer)?;
                    self.follow_history()?;
                },
                block = imported.next() => {
                    self.imported.add(block.ok_or(Error::ClientGone)?);
                    self.deliver_imported()?;
                },
                message = checked.next() => self.on_checked(message.ok_or(Error::NetworkGone)?)?,
                () = unchecked_history => {
                    self.backfill.check_next()?;
                    self.follow_history()?;
                },
            }
            let next = self.wake_at().min(housekeeping_at);
            if next != wake_at {
                wake_at = next;
                timer = self.clock.sleep_until(wake_at).fuse();
            }
        }
    }

    /// Does what is due now; when housekeeping is due again.
    fn on_timer(&mut self, housekeeping_at: Millis) -> Result<Millis, Error> {
        self.voting.on_timer()?;
        let now = self.clock.now();
        if now < housekeeping_at {
            return Ok(housekeeping_at);
        }
        self.housekeeping()?;
        Ok(now.saturating_add(HOUSEKEEPING))
    }

    fn wake_at(&self) -> Millis {
        self.voting.wake_at().unwrap_or(Millis::MAX)
    }

    fn on_checked(&mut self, message: Checked) -> Result<(), Error> {
        self.voting.handle(match message {
            Checked::Votes(votes) => Event::Votes(votes),
            Checked::Equivocation(proof) => Event::Equivocation(proof),
            Checked::Justification(justification) => Event::Justification(justification),
        })
    }

    /// Checks what no notification reports. Cheap when nothing has changed.
    fn housekeeping(&mut self) -> Result<(), Error> {
        self.voting.set_syncing(self.network.is_syncing())?;
        self.voting.refresh_keys()?;
        self.follow_finality()?;
        self.follow_history()
    }

    fn follow_finality(&mut self) -> Result<(), Error> {
        let Progress { started, scanned } = self.follower.follow(&mut self.voting)?;
        if started {
            self.backfill.voter_started();
        }
        if scanned {
            self.deliver_imported()?;
        }
        Ok(())
    }

    /// Delivers justifications whose blocks the voter has scanned.
    fn deliver_imported(&mut self) -> Result<(), Error> {
        let Some(state) = self.voting.state() else {
            return Ok(());
        };
        for justification in self.imported.take_due(state) {
            self.voting.handle(Event::Justification(justification))?;
        }
        Ok(())
    }

    /// Finds out which part of the history is missing, and asks for it if it is time.
    fn follow_history(&mut self) -> Result<(), Error> {
        let Some(state) = self.voting.state() else {
            return Ok(());
        };
        self.backfill.follow(state)?;
        if !self.voting.is_syncing() {
            self.backfill.ask(self.clock.now());
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
