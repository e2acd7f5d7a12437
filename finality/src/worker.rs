//! The worker's loop. Every input becomes an event for the voter, and the voter's effects become orders, which are
//! carried out one after the other.
//!
//! The loop only decides and passes on. Longer work, including disk writes, runs in separate tasks, whose answers
//! come back as inputs.

use crate::{
    backfill::{Backfill, HistoryAnswer, HistoryChecked, Unstored},
    catch_up::{Follower, Progress},
    desk::Desk,
    error::Error,
    evidence::Divergence,
    handoffs::{check::Checked as CheckedAnswer, HandoffAnswer},
    import::Imported,
    imported::ImportedJustifications,
    pauses::{Begun, Pauses},
    questions::Question,
    review,
    store::StoreError,
    voting::Voting,
};
use async_channel::Receiver;
use duet_gossip::{clock::Clock, Checked, Network, LOG_TARGET};
use duet_primitives::{BlockNumber, Justification, Pk1Bytes, SetId, Vote};
use duet_voter::{Event, Millis};
use futures::{
    future::{self, BoxFuture, Either},
    stream::{self, BoxStream},
    FutureExt, StreamExt,
};
use std::{convert::Infallible, sync::Arc};

/// How often the worker checks for changes without a notification: keys added to the key file, the end of a major
/// sync, blocks finalized without a notification.
const HOUSEKEEPING: Millis = 1_000;

/// The interval of the operator's reminder that the worker stands still.
const REMINDER: Millis = 600_000;

/// The worker's inputs.
pub(crate) struct Sources {
    /// Blocks that became final.
    pub(crate) finality: BoxStream<'static, ()>,
    /// Accepted messages from peers.
    pub(crate) checked: Receiver<Checked>,
    /// Justifications imported with blocks.
    pub(crate) imported: Receiver<Imported>,
    /// Signed own votes.
    pub(crate) signed: Receiver<Vote>,
    /// Checked answers of peers.
    pub(crate) answers: Receiver<CheckedAnswer>,
    /// The results of the worker's tasks.
    pub(crate) done: Done,
    /// The RPC's questions.
    pub(crate) questions: Receiver<Question>,
    /// Why an order of the voter failed.
    pub(crate) failed: Receiver<Error>,
    /// The stored contradictions, and the blocks at which the operator acknowledges them. (ROUND-10)
    pub(crate) recalled: (Result<Vec<Divergence>, StoreError>, Vec<BlockNumber>),
    /// Completes when the network shuts down.
    pub(crate) network_gone: BoxFuture<'static, ()>,
}

/// The results of the worker's tasks.
pub(crate) struct Done {
    /// The results for the voter.
    pub(crate) events: Receiver<Event>,
    /// The keys of the signer, unless it failed to list them.
    pub(crate) keys: Receiver<Option<Vec<Pk1Bytes>>>,
    /// Valid justifications imported with blocks.
    pub(crate) imports: Receiver<Vec<Justification>>,
    /// Checked responses about the history.
    pub(crate) history: Receiver<HistoryChecked>,
}

/// One input of the loop.
// Only one lives at a time, for a moment.
#[allow(clippy::large_enum_variant)]
enum Input {
    Timer,
    Finality,
    Signed(Vote),
    Asked(Event),
    Answer(HandoffAnswer),
    CheckedAnswer(CheckedAnswer),
    Keys(Option<Vec<Pk1Bytes>>),
    HistoryAnswer(HistoryAnswer),
    CheckedHistory(HistoryChecked),
    Imported(Imported),
    CheckedImports(Vec<Justification>),
    Message(Checked),
    Question(Question),
    /// The voter has not been informed of all final blocks.
    Behind,
}

impl Input {
    fn name(&self) -> &'static str {
        match self {
            Self::Timer => "the timer",
            Self::Finality => "finality",
            Self::Signed(_) => "an own vote",
            Self::Asked(_) => "an answer to the voter",
            Self::Answer(_) => "a peer's answer",
            Self::CheckedAnswer(_) => "a checked answer",
            Self::Keys(_) => "the list of keys",
            Self::HistoryAnswer(_) => "a history response",
            Self::CheckedHistory(_) => "a checked history response",
            Self::Imported(_) => "an imported justification",
            Self::CheckedImports(_) => "checked imported justifications",
            Self::Message(_) => "a message",
            Self::Question(_) => "a question",
            Self::Behind => "catching up",
        }
    }
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
    /// Justifications imported with blocks.
    pub(crate) imported: ImportedJustifications,
    /// Fetches the history before this node began.
    pub(crate) backfill: Backfill,
    /// Compares the stored proofs with the finalized chain.
    pub(crate) reviews: Desk<SetId>,
    /// The time of the next comparison.
    pub(crate) review_at: Millis,
    /// Measures how long the loop is busy.
    pub(crate) pauses: Pauses,
    /// The time of the next housekeeping.
    pub(crate) housekeeping_at: Millis,
    /// Whether the voter has not been informed of all final blocks.
    pub(crate) behind: bool,
}

impl Worker {
    /// Runs until the network shuts down or durable data cannot be written. Stands still when it cannot be read.
    pub(crate) async fn run(mut self, mut sources: Sources) -> Result<Infallible, Error> {
        let Err(error) = self.work(&mut sources).await;
        if !error.is_unreadable() {
            return Err(error);
        }
        // They are no longer used, and each would pin a block.
        sources.finality = stream::pending().boxed();
        // Callers learn at once that there will be no answer.
        sources.questions = async_channel::bounded(1).1;
        self.voting.stop(&error);
        loop {
            log::error!(
                target: LOG_TARGET,
                "this node does not take part in Duet: {error}; `duet-state show` gives details, and \
                 `duet-state repair` repairs the entry while the node is stopped"
            );
            let again = self.clock.now().saturating_add(REMINDER);
            futures::select! {
                () = self.clock.sleep_until(again).fuse() => {}
                () = (&mut sources.network_gone).fuse() => return Err(Error::NetworkGone),
            }
        }
    }

    async fn work(&mut self, sources: &mut Sources) -> Result<Infallible, Error> {
        let Sources {
            finality,
            checked,
            imported,
            signed,
            answers,
            done,
            questions,
            failed,
            recalled: (stored, acknowledged),
            network_gone,
        } = sources;
        let (mut network_gone, mut finality) = (network_gone.fuse(), finality.fuse());
        self.backfill.prove_genesis()?;
        let stored = std::mem::replace(stored, Ok(Vec::new()))?;
        self.voting.recall(stored, acknowledged);
        self.housekeeping()?;
        self.housekeeping_at = self.clock.now().saturating_add(HOUSEKEEPING);
        let mut wake_at = self.wake_at();
        let mut timer = self.clock.sleep_until(wake_at).fuse();
        let mut has_answered = false;
        loop {
            self.voting.leave_orders().await;
            let mut behind = if self.behind {
                Either::Left(future::ready(()))
            } else {
                Either::Right(future::pending())
            };
            // Strangers ask as often as they like, so all else comes first, and catching up after each answer.
            let mut question = if self.behind && has_answered {
                Either::Left(future::pending())
            } else {
                Either::Right(questions.next())
            };
            // Finality first: it is cheap and moves the window. Then the inputs that peers can send in any amount.
            let input = futures::select_biased! {
                () = timer => Input::Timer,
                notification = finality.next() => {
                    notification.ok_or(Error::ClientGone)?;
                    // One pass covers all queued notifications and releases their blocks.
                    while let Some(Some(())) = finality.next().now_or_never() {}
                    Input::Finality
                },
                () = network_gone => return Err(Error::NetworkGone),
                error = failed.next() => return Err(error.unwrap_or(Error::ClerkGone)),
                vote = signed.next() => Input::Signed(vote.ok_or(Error::SignerGone)?),
                event = done.events.next() => Input::Asked(event.ok_or(Error::ClerkGone)?),
                answer = self.voting.next_answer() => Input::Answer(answer),
                answer = answers.next() => Input::CheckedAnswer(answer.ok_or(Error::CheckerGone)?),
                keys = done.keys.next() => Input::Keys(keys.ok_or(Error::ClerkGone)?),
                answer = self.backfill.next_answer() => Input::HistoryAnswer(answer),
                checked = done.history.next() => Input::CheckedHistory(checked.ok_or(Error::ClerkGone)?),
                good = done.imports.next() => Input::CheckedImports(good.ok_or(Error::ClerkGone)?),
                block = imported.next() => Input::Imported(block.ok_or(Error::ClientGone)?),
                message = checked.next() => Input::Message(message.ok_or(Error::NetworkGone)?),
                question = question => Input::Question(question.ok_or(Error::ClientGone)?),
                () = behind => Input::Behind,
            };
            let (name, begun) = (input.name(), Begun::now());
            let is_timer = matches!(input, Input::Timer);
            has_answered = matches!(input, Input::Question(_));
            self.take(input)?;
            let next = self.wake_at();
            if is_timer || next != wake_at {
                wake_at = next;
                timer = self.clock.sleep_until(wake_at).fuse();
            }
            self.pauses.over(name, &begun);
        }
    }

    fn take(&mut self, input: Input) -> Result<(), Error> {
        match input {
            Input::Timer => self.on_timer()?,
            Input::Finality | Input::Behind => self.follow_finality()?,
            Input::Signed(vote) => self.voting.handle(Event::Signed(vote))?,
            Input::Asked(event) => self.voting.handle(event)?,
            Input::Answer(answer) => self.voting.on_answer(answer),
            Input::CheckedAnswer(answer) => self.voting.on_checked_answer(answer)?,
            Input::Keys(keys) => self.voting.on_keys(keys)?,
            Input::HistoryAnswer(answer) => self.backfill.on_answer(answer),
            Input::CheckedHistory(checked) => {
                match self.backfill.on_checked(checked)? {
                    Some(Unstored::Contradicts(proof)) => self.voting.diverged(&proof)?,
                    Some(Unstored::Early(proof)) => {
                        self.voting.handle(Event::Justification(*proof))?;
                    }
                    None => {}
                }
                self.follow_history()?;
            }
            Input::Imported(block) => {
                self.imported.add(block);
                self.check_imported();
            }
            Input::CheckedImports(good) => {
                self.imported.checked();
                for justification in good {
                    self.voting.handle(Event::Justification(justification))?;
                }
                self.check_imported();
            }
            Input::Message(message) => self.on_message(message)?,
            // The caller may be gone.
            Input::Question(question) => drop(question.try_send(self.voting.votes())),
        }
        Ok(())
    }

    /// Does the due work.
    fn on_timer(&mut self) -> Result<(), Error> {
        self.voting.on_timer()?;
        let now = self.clock.now();
        if now >= self.housekeeping_at {
            self.housekeeping()?;
            self.housekeeping_at = now.saturating_add(HOUSEKEEPING);
        }
        Ok(())
    }

    fn wake_at(&self) -> Millis {
        let voter = self.voting.wake_at().unwrap_or(Millis::MAX);
        voter.min(self.housekeeping_at)
    }

    fn on_message(&mut self, message: Checked) -> Result<(), Error> {
        self.voting.handle(match message {
            Checked::Votes(votes) => Event::Votes(votes),
            Checked::Equivocation(proof) => Event::Equivocation(proof),
            Checked::Justification(justification) => Event::Justification(justification),
        })
    }

    /// Checks for changes without a notification. Cheap when nothing has changed.
    fn housekeeping(&mut self) -> Result<(), Error> {
        self.voting.set_syncing(self.network.is_syncing())?;
        self.voting.refresh_keys();
        self.follow_finality()?;
        self.review();
        self.follow_history()
    }

    /// Compares the stored proofs with the finalized chain, if it is time. (ROUND-10)
    fn review(&mut self) {
        let now = self.clock.now();
        if let Some(state) = self.voting.state().filter(|_| now >= self.review_at) {
            if self.reviews.hand_in(state.signing().set.id).is_ok() {
                self.review_at = now.saturating_add(review::INTERVAL);
            }
        }
    }

    fn follow_finality(&mut self) -> Result<(), Error> {
        let Progress {
            started,
            scanned,
            behind,
        } = self.follower.follow(&mut self.voting)?;
        self.behind = behind;
        if started {
            self.backfill.voter_started();
        }
        self.voting.compare_due()?;
        if scanned {
            self.check_imported();
        }
        Ok(())
    }

    /// Checks the justifications whose blocks the voter has scanned.
    fn check_imported(&mut self) {
        if let Some(state) = self.voting.state() {
            self.imported.check_due(state);
        }
    }

    /// Determines the missing part of the history, and requests it if it is time.
    fn follow_history(&mut self) -> Result<(), Error> {
        // Data about to be stored is not missing.
        let is_stored = self.voting.is_stored();
        let Some(state) = self.voting.state().filter(|_| is_stored) else {
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
