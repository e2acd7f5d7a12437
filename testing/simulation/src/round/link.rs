//! One direction of a link: a bounded queue with back-pressure.
//!
//! So many bytes may be on their way, or at the receiver and not handled yet, as the receiver's window allows. What
//! else is to be sent waits at the sender until the receiver says that it has handled some.

use super::event::Message;
use std::collections::VecDeque;

/// What is on its way, and what waits.
#[derive(Clone, Debug, Default)]
pub(super) struct Link {
    /// Bytes that were sent and that the sender does not know to be handled.
    in_flight: u64,
    /// When it will know so of how many, in that order.
    credits: VecDeque<(u64, u64)>,
    waiting: VecDeque<Message>,
    /// The sender will be woken for the next of them.
    is_scheduled: bool,
}

impl Link {
    /// Whether so many bytes may be sent. One message may always be, however long.
    pub(super) fn has_room(&mut self, at: u64, bytes: u64, window: u64) -> bool {
        while let Some((then, handled)) = self.credits.front().copied() {
            if then > at {
                break;
            }
            self.in_flight -= handled;
            self.credits.pop_front();
        }
        self.in_flight == 0 || self.in_flight + bytes <= window
    }

    /// Counts a message that is sent.
    pub(super) fn send(&mut self, bytes: u64) {
        self.in_flight += bytes;
    }

    /// The receiver has handled so many bytes, as the sender will know at this time.
    pub(super) fn credit(&mut self, at: u64, bytes: u64) {
        self.credits.push_back((at, bytes));
    }

    /// When the sender is to be woken because there may be room for what waits; `None` if nothing waits, the time is
    /// not known yet, or it was told already.
    pub(super) fn schedule(&mut self) -> Option<u64> {
        if self.is_scheduled || self.waiting.is_empty() {
            return None;
        }
        let (at, _) = *self.credits.front()?;
        self.is_scheduled = true;
        Some(at)
    }

    /// The sender was woken.
    pub(super) fn wake(&mut self) {
        self.is_scheduled = false;
    }

    /// Lets a message wait; a proof before all votes, which it replaces.
    pub(super) fn wait(&mut self, message: Message) {
        match message {
            Message::Proof => self.waiting.push_front(message),
            Message::VoteBatch(_) | Message::Garbage => self.waiting.push_back(message),
        }
    }

    /// What is sent next.
    pub(super) fn first(&self) -> Option<Message> {
        self.waiting.front().copied()
    }

    /// Removes what is sent next.
    pub(super) fn drop_first(&mut self) {
        self.waiting.pop_front();
    }

    /// Whether nothing waits.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_on_its_way_than_the_window_and_what_is_handled_makes_room() {
        let mut link = Link::default();
        assert!(link.has_room(0, 500, 100), "one message in any case");
        link.send(60);
        assert!(link.has_room(0, 40, 100));
        assert!(!link.has_room(0, 41, 100));
        link.credit(7, 60);
        assert!(!link.has_room(6, 41, 100));
        assert!(link.has_room(7, 41, 100));
    }

    #[test]
    fn who_waits_is_woken_once_for_each_time_that_there_may_be_room() {
        let mut link = Link::default();
        link.send(60);
        link.send(40);
        assert_eq!(link.schedule(), None, "nothing waits");
        link.wait(Message::VoteBatch(1));
        assert_eq!(link.schedule(), None, "nothing was handled");
        link.credit(7, 60);
        link.credit(9, 40);
        assert_eq!((link.schedule(), link.schedule()), (Some(7), None));
        link.wake();
        assert!(!link.has_room(7, 100, 100));
        assert_eq!(link.schedule(), Some(9));
    }

    #[test]
    fn a_proof_waits_before_all_votes() {
        let mut link = Link::default();
        link.send(60);
        link.wait(Message::VoteBatch(1));
        link.wait(Message::Proof);
        assert_eq!(link.first(), Some(Message::Proof));
        link.drop_first();
        assert_eq!(link.first(), Some(Message::VoteBatch(1)));
        link.drop_first();
        assert!(link.is_idle());
    }
}
