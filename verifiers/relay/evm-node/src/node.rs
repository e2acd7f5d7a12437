//! A chain that several threads use, and what makes its blocks.

use crate::{chain::Chain, config::Mining, refusal::Refusal};
use alloy_primitives::B256;
use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc, Mutex, MutexGuard, PoisonError,
};
use tokio::{sync::watch, time::sleep};

/// What the server and the owner of a node share.
#[derive(Debug)]
pub(crate) struct Node {
    chain: Mutex<Chain>,
    is_refusing: AtomicBool,
    mining: watch::Sender<Mining>,
}

impl Node {
    pub(crate) fn new(chain: Chain, mining: Mining) -> Self {
        Self {
            chain: Mutex::new(chain),
            is_refusing: AtomicBool::new(false),
            mining: watch::Sender::new(mining),
        }
    }

    /// The chain, for as long as the guard lives.
    pub(crate) fn chain(&self) -> MutexGuard<'_, Chain> {
        // A panic of one request must not end the node for all others.
        self.chain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the chain, and mines at once what that made ready, where transactions are mined so.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Chain) -> T) -> T {
        let mut chain = self.chain();
        let result = change(&mut chain);
        if *self.mining.borrow() == Mining::OnEachTransaction {
            chain.mine_ready();
        }
        result
    }

    /// Takes a signed transaction.
    pub(crate) fn submit(&self, raw: &[u8]) -> Result<B256, Refusal> {
        self.change(|chain| chain.submit(raw))
    }

    pub(crate) fn set_mining(&self, mining: Mining) {
        self.mining.send_replace(mining);
        self.change(|_| ());
    }

    pub(crate) fn is_refusing(&self) -> bool {
        self.is_refusing.load(Ordering::Relaxed)
    }

    pub(crate) fn set_refusing(&self, is_refusing: bool) {
        self.is_refusing.store(is_refusing, Ordering::Relaxed);
    }

    /// Makes a block whenever it is time, while blocks are made in intervals. Never ends.
    pub(crate) async fn mine_in_intervals(self: Arc<Self>) {
        let mut mining = self.mining.subscribe();
        loop {
            let interval = match *mining.borrow_and_update() {
                Mining::Every(interval) => Some(interval),
                Mining::OnEachTransaction | Mining::ByHand => None,
            };
            let time_for_a_block = async {
                match interval {
                    Some(interval) => sleep(interval).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = time_for_a_block => self.chain().mine(),
                // The sender is in `self`, so this is no error.
                _ = mining.changed() => {}
            }
        }
    }
}
