//! Work that may take longer than the worker may pause: each kind is done in a task of its own, which gets a thread.
//!
//! What is handed in waits in a bounded queue. What finds no room is given back: the voter asks for it again, or the
//! caller keeps it. Answers come to the worker as events do.

use async_channel::{Receiver, Sender};
use futures::{future::BoxFuture, FutureExt};

/// Does one kind of work until the worker is gone. It computes or reads the database, so it gets a thread of its own.
pub(crate) type Clerk = BoxFuture<'static, ()>;

/// Where one kind of work is handed in.
pub(crate) struct Desk<Job> {
    jobs: Sender<Job>,
}

impl<Job: Send + 'static> Desk<Job> {
    /// A desk where `places` jobs wait at most, and who does them with `work`, in order. What `work` returns goes to
    /// `answers`, and waits while the worker is behind.
    pub(crate) fn open<Answer: Send + 'static>(
        places: usize,
        answers: Sender<Answer>,
        work: impl Fn(Job) -> Option<Answer> + Send + 'static,
    ) -> (Self, Clerk) {
        let (jobs, waiting) = async_channel::bounded(places);
        (Self { jobs }, serve(waiting, answers, work).boxed())
    }

    /// Hands in a job.
    ///
    /// # Errors
    /// The job, when there is no room for it.
    pub(crate) fn hand_in(&self, job: Job) -> Result<(), Job> {
        self.jobs.try_send(job).map_err(|full| full.into_inner())
    }
}

async fn serve<Job, Answer>(
    waiting: Receiver<Job>,
    answers: Sender<Answer>,
    work: impl Fn(Job) -> Option<Answer>,
) {
    while let Ok(job) = waiting.recv().await {
        if let Some(answer) = work(job) {
            if answers.send(answer).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_in_is_done_in_order_and_what_finds_no_room_comes_back() {
        let (answers, done) = async_channel::bounded(1);
        let (desk, clerk) = Desk::open(2, answers, |job: u32| (job != 3).then_some(job + 10));
        assert_eq!(
            [1, 2, 3].map(|job| desk.hand_in(job)),
            [Ok(()), Ok(()), Err(3)]
        );
        let mut clerk = clerk;
        assert!((&mut clerk).now_or_never().is_none());
        assert_eq!(
            done.try_recv(),
            Ok(11),
            "the second waits: the worker is behind"
        );
        assert!((&mut clerk).now_or_never().is_none());
        assert_eq!(done.try_recv(), Ok(12));
        assert_eq!(desk.hand_in(3), Ok(()));
        assert!((&mut clerk).now_or_never().is_none());
        assert!(done.try_recv().is_err(), "not every job has an answer");
        drop(desk);
        assert!(clerk.now_or_never().is_some(), "it ends with the worker");
    }
}
