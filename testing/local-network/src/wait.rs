//! Waits with a time limit.

use crate::{Error, Result};
use std::{fmt::Debug, future::Future, time::Duration};
use tokio::time::{interval, timeout, MissedTickBehavior};

/// The polling interval.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Polls a value until `holds` accepts it, and returns it.
///
/// A failed poll counts as not accepted: starting nodes do not answer yet.
///
/// # Errors
/// [`Error::TimedOut`] after `limit`, with the result of the last poll.
pub async fn until<T: Debug, F: Future<Output = Result<T>>>(
    what: &str,
    limit: Duration,
    mut look: impl FnMut() -> F,
    holds: impl Fn(&T) -> bool,
) -> Result<T> {
    let mut seen = String::from("nothing");
    let watch = async {
        let mut ticks = interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match look().await {
                Ok(value) if holds(&value) => return value,
                Ok(value) => seen = format!("{value:?}"),
                Err(error) => seen = error.to_string(),
            }
        }
    };
    match timeout(limit, watch).await {
        Ok(value) => Ok(value),
        Err(_) => Err(Error::TimedOut {
            what: what.to_owned(),
            limit,
            seen,
        }),
    }
}

/// Waits for one answer, at most `limit`.
///
/// # Errors
/// The errors of `answer`, and [`Error::TimedOut`].
pub async fn at_most<T>(
    what: &str,
    limit: Duration,
    answer: impl Future<Output = Result<T>>,
) -> Result<T> {
    let late = |_| Error::TimedOut {
        what: what.to_owned(),
        limit,
        seen: "no answer".to_owned(),
    };
    timeout(limit, answer).await.map_err(late)?
}
