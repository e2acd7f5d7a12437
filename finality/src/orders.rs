//! The voter's orders on their way to the task that carries them out, so that no disk write blocks the loop.
//!
//! Orders are carried out one after the other, in a separate thread: durable data is written before its consequences.
//! After the first failed order no further one is carried out, and the worker receives the error.

use crate::{error::Error, order::Order};
use async_channel::{Receiver, Sender};
use futures::{channel::mpsc, future::poll_fn, StreamExt};
use std::{
    collections::VecDeque,
    sync::{
        atomic::{AtomicUsize, Ordering},
        Arc,
    },
};

/// The most orders on their way. At this limit the loop takes no input until the disk has caught up.
const ON_THE_WAY: usize = 256;

/// The loop's end for orders.
pub(crate) struct Orders {
    /// The orders without room so far: of one input at most, because the loop waits for them to leave.
    waiting: VecDeque<Order>,
    on_the_way: mpsc::Sender<Order>,
    /// The number of orders given but not carried out.
    open: Arc<AtomicUsize>,
}

/// The end that carries them out.
pub(crate) struct Carrier {
    orders: mpsc::Receiver<Order>,
    open: Arc<AtomicUsize>,
    failed: Sender<Error>,
}

/// The orders, the task that carries them out, and the error that ends it.
pub(crate) fn orders() -> (Orders, Carrier, Receiver<Error>) {
    let (on_the_way, orders) = mpsc::channel(ON_THE_WAY);
    let (failed, error) = async_channel::bounded(1);
    let open = Arc::new(AtomicUsize::new(0));
    let given = Orders {
        waiting: VecDeque::new(),
        on_the_way,
        open: open.clone(),
    };
    let carrier = Carrier {
        orders,
        open,
        failed,
    };
    (given, carrier, error)
}

impl Orders {
    /// Gives an order. It is carried out after all earlier ones.
    pub(crate) fn give(&mut self, order: Order) {
        self.open.fetch_add(1, Ordering::SeqCst);
        self.waiting.push_back(order);
        self.hand_over();
    }

    /// Waits until all given orders are on their way.
    pub(crate) async fn leave(&mut self) {
        while !self.waiting.is_empty() {
            let room = poll_fn(|context| self.on_the_way.poll_ready(context)).await;
            if room.is_err() {
                // Orders are no longer carried out: the worker ends with the error that caused it.
                return;
            }
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        while let Some(order) = self.waiting.pop_front() {
            if let Err(refused) = self.on_the_way.try_send(order) {
                self.waiting.push_front(refused.into_inner());
                return;
            }
        }
    }

    /// Whether all given orders are carried out, so that the store is up to date with the voter.
    pub(crate) fn are_done(&self) -> bool {
        self.open.load(Ordering::SeqCst) == 0
    }
}

impl Carrier {
    /// Carries out orders until one fails, and waits until the worker is gone.
    pub(crate) async fn run(mut self, mut carry_out: impl FnMut(Order) -> Result<(), Error>) {
        while let Some(order) = self.orders.next().await {
            if let Err(error) = carry_out(order) {
                // The worker may be gone.
                let _ = self.failed.send(error).await;
                while self.orders.next().await.is_some() {}
                return;
            }
            self.open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn persist(state: usize) -> Order {
        Order::Persist(state.to_le_bytes().to_vec())
    }

    #[test]
    fn orders_that_find_no_room_wait_and_leave_in_their_order() {
        let (mut given, mut carrier, _) = orders();
        // The channel has room for one more.
        let count = ON_THE_WAY + 3;
        for state in 0..count {
            given.give(persist(state));
        }
        assert!(given.leave().now_or_never().is_none(), "there is no room");
        let mut taken = 0_usize;
        while let Some(Some(order)) = carrier.orders.next().now_or_never() {
            assert!(
                matches!(order, Order::Persist(bytes) if bytes == taken.to_le_bytes()),
                "order {taken}"
            );
            taken += 1;
            let _ = given.leave().now_or_never();
        }
        assert_eq!(taken, count);
    }

    #[test]
    fn after_what_fails_nothing_is_carried_out_and_the_worker_hears_why() {
        let (mut given, carrier, failed) = orders();
        (0..4).for_each(|state| given.give(persist(state)));
        let mut carried_out = 0;
        let mut carrier = Box::pin(carrier.run(|_| {
            carried_out += 1;
            match carried_out {
                3 => Err(Error::SignerGone),
                _ => Ok(()),
            }
        }));
        let mut carry = || (&mut carrier).now_or_never().is_some();
        assert!(!carry(), "the worker is there");
        assert!(matches!(failed.try_recv(), Ok(Error::SignerGone)));
        assert!(
            !given.are_done(),
            "the store does not say what the voter knows"
        );
        given.give(persist(4));
        assert!(
            given.leave().now_or_never().is_some(),
            "nobody waits for it"
        );
        assert!(!carry());
        drop(given);
        assert!(carry(), "it ends with the worker");
        drop(carrier);
        assert_eq!(carried_out, 3);
    }

    #[test]
    fn orders_are_done_when_the_last_is_carried_out() {
        let (mut given, carrier, _failed) = orders();
        assert!(given.are_done());
        given.give(persist(0));
        assert!(!given.are_done());
        let mut carrier = Box::pin(carrier.run(|_| Ok(())));
        assert!((&mut carrier).now_or_never().is_none());
        assert!(given.are_done());
        drop(given);
        assert!(carrier.now_or_never().is_some(), "it ends with the worker");
    }
}
