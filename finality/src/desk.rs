//! Work that may take longer than the worker may pause: each kind runs in a separate task with its own thread.
//!
//! Jobs wait in a bounded queue. A job that finds no room is returned: the voter asks for it again, or the caller
//! keeps it. Answers reach the worker like events.

use async_channel::{Receiver, Sender};
use futures::{future::BoxFuture, FutureExt};

/// Does one kind of work until the worker is gone. It computes or reads the database, so it gets a separate thread.
pub(crate) type Clerk = BoxFuture<'static, ()>;

/// The entrance for one kind of work.
pub(crate) struct Desk<Job> {
    jobs: Sender<Job>,
}

impl<Job: Send + 'static> Desk<Job> {
    /// A desk with room for `places` waiting jobs, and the task that does them with `work`, in order. The results of
    /// `work` go to `answers`, and wait while the worker is behind.
    pub(crate) fn open<Answer: Send + 'static>(
        places: usize,
        answers: Sender<Answer>,
        work: impl FnMut(Job) -> Option<Answer> + Send + 'static,
    ) -> (Self, Clerk) {
        let (jobs, waiting) = async_channel::bounded(places);
        (Self { jobs }, serve(waiting, answers, work).boxed())
    }

    /// Submits a job.
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
    mut work: impl FnMut(Job) -> Option<Answer>,
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
