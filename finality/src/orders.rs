//! What the voter asks for, on its way to the task that carries it out, so that no write to the disk holds up the loop.
//!
//! Orders are carried out one after the other, in a thread of their own: what must be durable is written before what
//! follows from it. After the first one that fails none is carried out any more, and the worker is told why.

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

/// Orders on their way. When there are as many, the loop hears nothing new until the disk has caught up.
const ON_THE_WAY: usize = 256;

/// Where the loop gives its orders.
pub(crate) struct Orders {
    /// Those that have found no room yet: of one input at most, because the loop waits for them to leave.
    waiting: VecDeque<Order>,
    on_the_way: mpsc::Sender<Order>,
    /// How many are given and not carried out.
    open: Arc<AtomicUsize>,
}

/// Where they are carried out.
pub(crate) struct Carrier {
    orders: mpsc::Receiver<Order>,
    open: Arc<AtomicUsize>,
    failed: Sender<Error>,
}

/// The orders, who carries them out, and the error that ends that.
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
    /// Gives an order. It is carried out after all that were given before.
    pub(crate) fn give(&mut self, order: Order) {
        self.open.fetch_add(1, Ordering::SeqCst);
        self.waiting.push_back(order);
        self.hand_over();
    }

    /// Waits until all that were given are on their way.
    pub(crate) async fn leave(&mut self) {
        while !self.waiting.is_empty() {
            let room = poll_fn(|context| self.on_the_way.poll_ready(context)).await;
            if room.is_err() {
                // Nobody carries out orders any more: the worker ends by the error that ended that.
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

    /// Whether all that were given are carried out, so that the store says what the voter knows.
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
