//! Questions about the votes: the RPC asks, and the worker's loop answers between two inputs.

use async_channel::{Receiver, Sender};
use duet_voter::VotesView;
use std::{
    sync::mpsc::{self, SyncSender},
    time::Duration,
};

/// The most waiting questions.
const QUEUE: usize = 16;
/// The time limit for an answer. The loop is never busy for a hundredth of that.
const PATIENCE: Duration = Duration::from_secs(2);

/// Takes the answer: `None` while the voter has no set.
pub(crate) type Question = SyncSender<Option<VotesView>>;

/// Asks the worker. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Questions(Sender<Question>);

/// The worker does not answer: it stands still, or is far too busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unanswered;

/// The asking end, and the questions that wait for the worker.
pub(crate) fn questions() -> (Questions, Receiver<Question>) {
    let (to_worker, waiting) = async_channel::bounded(QUEUE);
    (Questions(to_worker), waiting)
}

impl Questions {
    /// The voter's view of the votes. Blocks until the worker answers, two seconds at most.
    ///
    /// # Errors
    /// [`Unanswered`].
    pub(crate) fn votes(&self) -> Result<Option<VotesView>, Unanswered> {
        let answer = self.ask()?;
        answer.recv_timeout(PATIENCE).map_err(|_| Unanswered)
    }

    /// Asks, without waiting for the answer.
    pub(crate) fn ask(&self) -> Result<mpsc::Receiver<Option<VotesView>>, Unanswered> {
        let (question, answer) = mpsc::sync_channel(1);
        self.0.try_send(question).map_err(|_| Unanswered)?;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_worker_does_not_take_is_refused_at_once() {
        let (asker, waiting) = questions();
        let asked: Vec<_> = (0..QUEUE).map(|_| asker.ask()).collect();
        assert!(asked.iter().all(Result::is_ok));
        assert_eq!(asker.votes(), Err(Unanswered), "there is no room");
        while waiting.try_recv().is_ok() {}
        assert!(asker.ask().is_ok());
        drop(waiting);
        assert_eq!(asker.votes(), Err(Unanswered), "nobody is there");
    }
}
