//! The endpoints behind the server: one connection to each, the followed endpoint first. A lying endpoint is dropped
//! for good and reported to the session.

use crate::{event::Event, link::Following, output::Output, serve::refusal::Refusal};
use duet_light_rpc::{Fault, Kind, Server};
use duet_primitives::H256;
use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

/// How long a failed endpoint ranks after the others.
const WAIT: Duration = Duration::from_secs(5);

/// All endpoints.
pub(crate) struct Upstream {
    genesis: H256,
    timeout: Duration,
    following: Following,
    output: Output,
    endpoints: Vec<Endpoint>,
}

struct Endpoint {
    url: String,
    /// The lock is held while it connects, so that all wait for the one connection.
    server: tokio::sync::Mutex<Option<Arc<Server>>>,
    failed: Mutex<Option<Instant>>,
    /// Why it is not asked again.
    dropped: OnceLock<Fault>,
}

impl Endpoint {
    fn failed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer, and the endpoint that gave it.
#[derive(Debug)]
pub(crate) struct Answer<T> {
    pub(crate) value: T,
    pub(crate) endpoint: usize,
}

impl Upstream {
    pub(crate) fn new(
        urls: &[String],
        genesis: H256,
        timeout: Duration,
        following: Following,
        output: Output,
    ) -> Self {
        let endpoint = |url: &String| Endpoint {
            url: url.clone(),
            server: tokio::sync::Mutex::new(None),
            failed: Mutex::new(None),
            dropped: OnceLock::new(),
        };
        Self {
            genesis,
            timeout,
            following,
            output,
            endpoints: urls.iter().map(endpoint).collect(),
        }
    }

    pub(crate) fn url(&self, index: usize) -> &str {
        self.endpoints
            .get(index)
            .map_or("", |endpoint| endpoint.url.as_str())
    }

    /// How many endpoints are not dropped.
    pub(crate) fn in_use(&self) -> u64 {
        let in_use = |endpoint: &&Endpoint| endpoint.dropped.get().is_none();
        let count = self.endpoints.iter().filter(in_use).count();
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// Asks one endpoint after the other until one gives an answer that `question` accepts.
    pub(crate) async fn ask<T, F, Answered>(&self, question: F) -> Result<Answer<T>, Refusal>
    where
        F: Fn(Arc<Server>) -> Answered + Send + Sync,
        Answered: Future<Output = Result<T, Fault>> + Send,
        T: Send,
    {
        let mut faults = Vec::new();
        for index in self.order() {
            let fault = match self.ask_one(index, &question).await {
                Ok(value) => {
                    return Ok(Answer {
                        value,
                        endpoint: index,
                    })
                }
                Err(fault) => fault,
            };
            self.report(index, &fault);
            match fault {
                Fault::Fatal(failure) if failure.kind != Kind::Misbehaviour => {
                    return Err(Refusal::Unreadable(failure.message));
                }
                fault => faults.push((self.url(index).to_owned(), fault)),
            }
        }
        for endpoint in &self.endpoints {
            let known = faults.iter().any(|(url, _)| *url == endpoint.url);
            let dropped = endpoint.dropped.get().filter(|_| !known);
            faults.extend(dropped.map(|fault| (endpoint.url.clone(), fault.clone())));
        }
        Err(Refusal::Unanswered(faults))
    }

    /// The usable endpoints: the followed one, the others, then recently failed ones.
    fn order(&self) -> Vec<usize> {
        let view = self.following.view.borrow().clone();
        let now = Instant::now();
        let usable = self
            .endpoints
            .iter()
            .enumerate()
            .filter(|(index, endpoint)| {
                endpoint.dropped.get().is_none() && !view.dropped.contains(index)
            });
        let mut order: Vec<_> = usable
            .map(|(index, endpoint)| {
                let failed = *endpoint.failed();
                let waits = failed.is_some_and(|at| now.saturating_duration_since(at) < WAIT);
                (waits, view.followed != Some(index), index)
            })
            .collect();
        order.sort_unstable();
        order.into_iter().map(|(_, _, index)| index).collect()
    }

    async fn ask_one<T, F, Answered>(&self, index: usize, question: &F) -> Result<T, Fault>
    where
        F: Fn(Arc<Server>) -> Answered,
        Answered: Future<Output = Result<T, Fault>>,
    {
        let server = self.connection(index).await?;
        let answer = question(server).await?;
        if let Some(endpoint) = self.endpoints.get(index) {
            *endpoint.failed() = None;
        }
        Ok(answer)
    }

    async fn connection(&self, index: usize) -> Result<Arc<Server>, Fault> {
        let Some(endpoint) = self.endpoints.get(index) else {
            return Err(Fault::Unreachable("no such endpoint".to_owned()));
        };
        let mut open = endpoint.server.lock().await;
        if let Some(server) = open.as_ref().filter(|server| server.is_connected()) {
            return Ok(Arc::clone(server));
        }
        let server = Arc::new(Server::connect(&endpoint.url, self.timeout).await?);
        server.check_chain(self.genesis).await?;
        *open = Some(Arc::clone(&server));
        Ok(server)
    }

    /// Records a fault. A lying endpoint is dropped at once, and reported to the session, which drops it too.
    pub(crate) fn report(&self, index: usize, fault: &Fault) {
        let Some(endpoint) = self.endpoints.get(index) else {
            return;
        };
        let ends_all = matches!(fault, Fault::Fatal(failure) if failure.kind == Kind::Misbehaviour);
        // Who lacks one method may be of use for the others.
        let is_wrong = matches!(fault, Fault::Lie(_) | Fault::OtherChain { .. });
        if is_wrong || ends_all {
            if endpoint.dropped.set(fault.clone()).is_ok() {
                self.output
                    .event(&Event::endpoint_failed(&endpoint.url, fault));
                // There is room for one report of each.
                let _ = self.following.reports.try_send((index, fault.clone()));
            }
        } else if matches!(fault, Fault::Unreachable(_)) {
            if endpoint.failed().replace(Instant::now()).is_none() {
                self.output
                    .event(&Event::endpoint_failed(&endpoint.url, fault));
            }
            // Whoever connects just now connects anew in any case.
            if let Ok(mut open) = endpoint.server.try_lock() {
                *open = None;
            }
        }
    }
}
