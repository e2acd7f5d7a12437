//! A node's RPC answers about the statistics of validators.
//!
//! | code | meaning |
//! | --- | --- |
//! | 9002 | there is no such metric, or the weights do not fit the set |
//! | 9011 | too many requests wait: ask again, or ask another node |

use crate::collected::Collected;
use codec::Encode;
use duet_primitives::SetId;
use duet_statistics::{Metric, Weights};
use jsonrpsee::{
    core::RpcResult,
    proc_macros::rpc,
    types::{ErrorObject, ErrorObjectOwned},
};
use parking_lot::{Mutex, MutexGuard};
use sp_core::Bytes;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A limit or an argument that is out of range, as in Duet's other methods.
const BAD_ARGUMENT: i32 = 9002;
/// As many questions wait as may.
const BUSY: i32 = 9011;
/// Questions that are answered or wait. Each takes a thread.
const MOST_QUESTIONS: usize = 16;

/// The methods.
#[rpc(server)]
pub trait StatisticsApi {
    /// The statistic of a set's members about their nodes: SCALE of an `Answer`, of the newest period in which most
    /// reported this metric. Nothing when no member did, or the set does not sign now.
    ///
    /// With `weights`, one for each member in the order of the set, their weighted sum.
    ///
    /// Cost: one multi-scalar multiplication; one question is answered at a time.
    #[method(name = "duet_getStatistic", blocking)]
    fn statistic(
        &self,
        set: SetId,
        metric: String,
        weights: Option<Vec<u64>>,
    ) -> RpcResult<Option<Bytes>>;

    /// Evidence against members of a set that said two different things about one of the last periods: SCALE of `Evidence`
    /// each.
    #[method(name = "duet_getStatisticEvidence", blocking)]
    fn evidence(&self, set: SetId) -> RpcResult<Vec<Bytes>>;
}

/// Answers from the collected reports.
pub struct Statistics {
    collected: Collected,
    turns: Turns,
}

/// One question is answered at a time, and few wait.
#[derive(Default)]
struct Turns {
    questions: AtomicUsize,
    answering: Mutex<()>,
}

/// A question's turn, until it is dropped.
struct Turn<'a> {
    questions: &'a AtomicUsize,
    _answering: MutexGuard<'a, ()>,
}

impl Turns {
    /// Waits for a turn; `None` when too many wait.
    fn wait(&self) -> Option<Turn<'_>> {
        let questions = &self.questions;
        if questions.fetch_add(1, Ordering::AcqRel) >= MOST_QUESTIONS {
            questions.fetch_sub(1, Ordering::AcqRel);
            return None;
        }
        Some(Turn {
            questions,
            _answering: self.answering.lock(),
        })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.questions.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Statistics {
    /// Answers from this.
    pub fn new(collected: Collected) -> Self {
        Self {
            collected,
            turns: Turns::default(),
        }
    }
}

impl StatisticsApiServer for Statistics {
    fn statistic(
        &self,
        set: SetId,
        metric: String,
        weights: Option<Vec<u64>>,
    ) -> RpcResult<Option<Bytes>> {
        let metric: Metric = metric.parse().map_err(refuse)?;
        let weights = weights.map_or(Weights::Equal, Weights::Each);
        let _turn = self.turns.wait().ok_or_else(busy)?;
        let answer = self.collected.answer(set, metric, &weights);
        let answer = answer.map_err(refuse)?;
        Ok(answer.map(|answer| Bytes(answer.encode())))
    }

    fn evidence(&self, set: SetId) -> RpcResult<Vec<Bytes>> {
        let evidence = self.collected.evidence(set).into_iter();
        Ok(evidence.map(Bytes).collect())
    }
}

fn busy() -> ErrorObjectOwned {
    let message =
        "too many statistics requests are waiting on this node; retry later, or use another node";
    ErrorObject::owned(BUSY, message, None::<()>)
}

fn refuse(error: impl std::fmt::Display) -> ErrorObjectOwned {
    ErrorObject::owned(BAD_ARGUMENT, error.to_string(), None::<()>)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collected::tests::{keyset, period, report, test_set, GENESIS};
    use codec::DecodeAll;
    use duet_statistics::Answer;

    fn server() -> Statistics {
        let (test, collected) = (test_set(), Collected::new(GENESIS));
        collected.begin(period(1), keyset(&test));
        for member in 0..2 {
            collected.take(None, &report(&test, period(1), member, 5));
        }
        Statistics::new(collected)
    }

    #[test]
    fn an_answer_is_verified_with_the_weights_that_were_asked_for() {
        let (server, test) = (server(), test_set());
        for weights in [None, Some(vec![1, 3, 2])] {
            let answer = server.statistic(SetId::new(1), "peers".into(), weights.clone());
            let answer = answer.unwrap().expect("two reported");
            let answer = Answer::decode_all(&mut &answer.0[..]).unwrap();
            let context = answer.context(GENESIS, test.set.keyset()).unwrap();
            let (sum, weights) = match weights {
                None => (10, Weights::Equal),
                Some(weights) => (20, Weights::Each(weights)),
            };
            let statistic = answer.verify(&context, Metric::Peers, &weights).unwrap();
            assert_eq!(statistic.total(), sum);
        }
    }

    #[test]
    fn few_questions_wait_and_the_next_one_is_refused() {
        let server = server();
        let ask = || server.statistic(SetId::new(1), "peers".into(), None);
        std::thread::scope(|scope| {
            let answering = server.turns.answering.lock();
            let waiting: Vec<_> = (0..MOST_QUESTIONS).map(|_| scope.spawn(ask)).collect();
            while server.turns.questions.load(Ordering::Acquire) < MOST_QUESTIONS {
                std::thread::yield_now();
            }
            assert_eq!(ask().unwrap_err().code(), BUSY);
            drop(answering);
            for answer in waiting {
                assert!(answer.join().unwrap().unwrap().is_some());
            }
        });
        assert_eq!(server.turns.questions.load(Ordering::Acquire), 0);
        assert!(ask().unwrap().is_some());
    }

    #[test]
    fn what_nobody_reported_is_nothing_and_what_does_not_fit_is_refused() {
        let server = server();
        let ask =
            |set, metric: &str, weights| server.statistic(SetId::new(set), metric.into(), weights);
        assert_eq!(ask(1, "memory", None).unwrap(), None);
        assert_eq!(ask(2, "peers", None).unwrap(), None);
        assert_eq!(ask(1, "peers", Some(vec![0, 0, 1])).unwrap(), None);
        for (metric, weights) in [
            ("tea", None),
            ("peers", Some(vec![1])),
            ("peers", Some(vec![0; 3])),
        ] {
            let error = ask(1, metric, weights).unwrap_err();
            assert_eq!(error.code(), BAD_ARGUMENT, "{error}");
        }
        assert_eq!(server.evidence(SetId::new(1)).unwrap(), []);
    }
}
