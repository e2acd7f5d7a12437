//! Polls all endpoints for their proven heads, to notice when the followed endpoint lags.
//!
//! Claims are not trusted. A newer head from another endpoint is a reason to request its proof. Only a proof is a
//! reason to leave the followed endpoint.

use duet_light_rpc::{Fault, Server};
use duet_primitives::{BlockNumber, H256};
use std::{
    collections::VecDeque,
    convert::Infallible,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::task::JoinHandle;

/// The longest interval between two requests for a head, and before the answers are compared.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const COMPARE: Duration = Duration::from_millis(100);
/// The longest pause before an unreachable endpoint is retried.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How many heads of an endpoint are kept with the moment at which it named them first.
const KEPT: usize = 64;

/// The endpoints, and how to ask them.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    pub(crate) urls: Vec<String>,
    pub(crate) genesis: H256,
    pub(crate) request_timeout: Duration,
    /// How long an endpoint may be behind another one.
    pub(crate) lag_after: Duration,
}

/// The heads of all endpoints. The questions end when this is dropped.
#[derive(Debug)]
pub(crate) struct Heads {
    board: Board,
    tasks: Vec<JoinHandle<()>>,
}

/// The results so far. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    lag_after: Duration,
    state: Arc<Mutex<State>>,
}

/// An endpoint claims a newer block than the followed endpoint has proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// The endpoint.
    pub(crate) rival: usize,
    /// The oldest such block that it named, for longer than the followed endpoint may lag.
    pub(crate) head: BlockNumber,
}

#[derive(Debug)]
struct State {
    /// The newest block that this client has verified.
    best: BlockNumber,
    /// The endpoint that is followed; `None` while it still catches up.
    followed: Option<usize>,
    endpoints: Vec<Endpoint>,
    faults: Vec<(usize, Fault)>,
}

#[derive(Debug, Default)]
struct Endpoint {
    /// The heads after the best block, each when it was named first.
    named: VecDeque<(BlockNumber, Instant)>,
}

impl Drop for Heads {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Heads {
    /// Starts polling. With fewer than two endpoints there is nothing to compare.
    pub(crate) fn start(asking: &Asking) -> Self {
        let count = asking.urls.len();
        let board = Board::new(count, asking.lag_after);
        let mut tasks = Vec::new();
        if count > 1 {
            for index in 0..count {
                tasks.push(tokio::spawn(watch(asking.clone(), index, board.clone())));
            }
        }
        Self { board, tasks }
    }

    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// Asks this endpoint no more.
    pub(crate) fn forget(&self, index: usize) {
        if let Some(task) = self.tasks.get(index) {
            task.abort();
        }
        self.board.clear(index);
    }
}

impl Board {
    fn new(count: usize, lag_after: Duration) -> Self {
        let endpoints = (0..count).map(|_| Endpoint::default()).collect();
        let state = State {
            best: BlockNumber::ZERO,
            followed: None,
            endpoints,
            faults: Vec::new(),
        };
        Self {
            lag_after,
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// A panic elsewhere leaves nothing half written here.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells which block was verified last.
    pub(crate) fn set_best(&self, best: BlockNumber) {
        let mut state = self.state();
        state.best = best;
        for endpoint in &mut state.endpoints {
            endpoint.named.retain(|(head, _)| *head > best);
        }
    }

    /// Tells which endpoint is followed, from the moment at which this client has caught up with it.
    pub(crate) fn set_followed(&self, followed: Option<usize>) {
        self.state().followed = followed;
    }

    /// The faults found since the last call.
    pub(crate) fn take_faults(&self) -> Vec<(usize, Fault)> {
        mem::take(&mut self.state().faults)
    }

    /// Waits until one of the `rivals` has claimed a newer block for longer than the followed endpoint may lag. Each
    /// rival's time starts at its own moment.
    pub(crate) async fn ahead(&self, rivals: &[(usize, Instant)]) -> Claim {
        loop {
            tokio::time::sleep(COMPARE).await;
            if let Some(claim) = self.find_ahead(rivals, Instant::now()) {
                return claim;
            }
        }
    }

    /// Forgets an endpoint's claim.
    pub(crate) fn clear(&self, index: usize) {
        if let Some(endpoint) = self.state().endpoints.get_mut(index) {
            endpoint.named.clear();
        }
    }

    fn find_ahead(&self, rivals: &[(usize, Instant)], now: Instant) -> Option<Claim> {
        let state = self.state();
        state.followed?;
        let ahead = rivals.iter().filter_map(|(index, from)| {
            let named = &state.endpoints.get(*index)?.named;
            let (oldest, first) = named.front()?;
            let lags = now.saturating_duration_since(*first) >= self.lag_after;
            let newest = named.back()?.0;
            (lags && *from <= now).then_some((newest, *index, *oldest))
        });
        ahead.max().map(|(_, rival, head)| Claim { rival, head })
    }

    fn name(&self, index: usize, head: BlockNumber, now: Instant) {
        let mut state = self.state();
        let best = state.best;
        let Some(endpoint) = state.endpoints.get_mut(index) else {
            return;
        };
        let known = endpoint.named.back().is_some_and(|(last, _)| *last >= head);
        if head > best && !known && endpoint.named.len() < KEPT {
            endpoint.named.push_back((head, now));
        }
    }

    fn is_followed(&self, index: usize) -> bool {
        self.state().followed == Some(index)
    }

    fn add_fault(&self, index: usize, fault: Fault) {
        self.state().faults.push((index, fault));
    }
}

/// Asks one endpoint for its head until it is known not to serve this chain.
async fn watch(asking: Asking, index: usize, board: Board) {
    let pause = asking.lag_after.checked_div(2).unwrap_or_default();
    let pause = pause.clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
    let mut wait = pause;
    let mut reported = false;
    loop {
        let (named, fault) = ask(&asking, index, &board, pause).await;
        board.clear(index);
        if fault.is_final() {
            board.add_fault(index, fault);
            return;
        }
        if named {
            (wait, reported) = (pause, false);
        }
        // Once, and not each time that it is tried again.
        if !reported {
            reported = true;
            board.add_fault(index, fault);
        }
        tokio::time::sleep(wait).await;
        wait = wait.saturating_mul(2).min(LONGEST_WAIT);
    }
}

/// The same over one connection; whether it ever answered, and what ended it.
async fn ask(asking: &Asking, index: usize, board: &Board, pause: Duration) -> (bool, Fault) {
    let mut named = false;
    let asked = async {
        let url = asking.urls.get(index).map_or("", String::as_str);
        // Whoever is followed is asked over a connection of its own.
        while board.is_followed(index) {
            tokio::time::sleep(pause).await;
        }
        let server = Server::connect(url, asking.request_timeout).await?;
        server.check_chain(asking.genesis).await?;
        loop {
            if !board.is_followed(index) {
                if let Some((head, _)) = server.head().await? {
                    board.name(index, head, Instant::now());
                }
                named = true;
            }
            tokio::time::sleep(pause).await;
        }
    };
    let ended: Result<Infallible, Fault> = asked.await;
    match ended {
        Ok(never) => match never {},
        Err(fault) => (named, fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAG: Duration = Duration::from_secs(4);

    fn block(number: u32) -> BlockNumber {
        BlockNumber::new(number)
    }

    fn board(best: u32) -> Board {
        let board = Board::new(3, LAG);
        board.set_best(block(best));
        board.set_followed(Some(0));
        board
    }

    #[test]
    fn an_endpoint_lags_when_another_has_named_a_newer_block_for_long_enough() {
        let (board, now) = (board(5), Instant::now());
        let rivals = [(1, now), (2, now)];
        board.name(1, block(5), now);
        assert_eq!(board.find_ahead(&rivals, now + LAG), None, "none is newer");
        board.name(1, block(6), now);
        board.name(2, block(7), now + LAG);
        let early = now + LAG - Duration::from_millis(1);
        assert_eq!(board.find_ahead(&rivals, early), None);
        let claim = |rival, head| {
            let head = block(head);
            Some(Claim { rival, head })
        };
        assert_eq!(board.find_ahead(&rivals, now + LAG), claim(1, 6));
        assert_eq!(board.find_ahead(&rivals, now + LAG + LAG), claim(2, 7));
        board.name(2, block(9), now + LAG);
        assert_eq!(board.find_ahead(&rivals, now + LAG + LAG), claim(2, 7));
        assert_eq!(board.find_ahead(&[(1, now + LAG + LAG)], now + LAG), None);
    }

    #[test]
    fn an_endpoint_that_keeps_up_does_not_lag_although_another_is_always_a_little_ahead() {
        let (board, start) = (board(5), Instant::now());
        let rivals = [(1, start)];
        for number in 6..200 {
            let now = start + Duration::from_secs(1) * number;
            board.name(1, block(number), now);
            board.set_best(block(number - 1));
            assert_eq!(board.find_ahead(&rivals, now), None);
        }
    }

    #[test]
    fn nobody_lags_while_this_client_catches_up() {
        let (board, now) = (board(5), Instant::now());
        board.name(1, block(9), now);
        board.set_followed(None);
        assert_eq!(board.find_ahead(&[(1, now)], now + LAG), None);
    }

    #[test]
    fn an_endpoint_that_names_ever_newer_blocks_fills_no_memory() {
        let (board, now) = (board(5), Instant::now());
        for number in 6..10_000 {
            board.name(1, block(number), now);
        }
        assert_eq!(board.state().endpoints[1].named.len(), KEPT);
    }
}
