//! Decides the next delivery along a lane, from the state of both chains.

use codec::{Decode, DecodeAll, Encode};

/// The number of a message in a lane, from 1 on.
pub type Nonce = u64;

/// The most messages in one delivery.
pub const AT_ONCE: Nonce = 16;
/// Limits that chains with the messages pallet have in common: how many messages and how many relayers' deliveries may
/// wait at the receiving end for the sender's confirmation.
const MAX_UNCONFIRMED: Nonce = 128;
const MAX_RELAYERS: usize = 16;
/// With more unconfirmed messages than this, a header is relayed for them alone: with twice as many the lane is full.
const WORTH_A_HEADER: Nonce = MAX_UNCONFIRMED / 2;

/// The sending end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Decode)]
pub struct Outbound {
    /// The oldest message that is still stored.
    pub oldest: Nonce,
    /// The last message that it knows to be received.
    pub received: Nonce,
    /// The last message that was sent.
    pub sent: Nonce,
    /// Whether it takes messages to send.
    pub state: State,
}

/// Whether an end of a lane is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Decode)]
pub enum State {
    /// It takes messages.
    Open,
    /// It takes none.
    Closed,
}

/// The receiving end.
#[derive(Clone, Debug, PartialEq, Eq, Decode)]
pub struct Inbound {
    /// Deliveries that the sender has not confirmed, as far as this end knows.
    deliveries: Vec<Delivered>,
    /// The last message with the sender's confirmation, as far as this end knows.
    confirmed: Nonce,
    /// Whether it takes messages from the other chain.
    state: State,
}

/// Consecutive messages that one account delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Decode)]
struct Delivered {
    by: [u8; 32],
    first: Nonce,
    last: Nonce,
}

/// Both ends of a lane on one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The sending end.
    pub outbound: Outbound,
    /// The receiving end.
    pub inbound: Inbound,
}

impl Ends {
    /// Decodes the stored ends; `None` when there is no lane.
    pub(crate) fn decode(outbound: Option<&[u8]>, inbound: Option<&[u8]>) -> Option<Self> {
        Some(Self {
            outbound: Outbound::decode_all(&mut outbound?).ok()?,
            inbound: Inbound::decode_all(&mut inbound?).ok()?,
        })
    }
}

impl Inbound {
    /// The last message that it has received.
    pub fn delivered(&self) -> Nonce {
        let last = self.deliveries.last();
        last.map_or(self.confirmed, |delivered| delivered.last)
    }

    /// The last message that it could receive after hearing the sender's state.
    fn room(&self, sender: &Outbound) -> Nonce {
        let confirmed = self.confirmed.max(sender.received);
        let waiting = self.deliveries.iter();
        let waiting = waiting.filter(|delivered| delivered.last > confirmed);
        if waiting.count() < MAX_RELAYERS {
            confirmed.saturating_add(MAX_UNCONFIRMED)
        } else {
            self.delivered()
        }
    }

    /// The summary beside a confirmation's proof, which determines its weight: the number of deliveries, of messages in
    /// the oldest one, of all messages, and the last message.
    pub(crate) fn summary(&self) -> impl Encode {
        let count = |first: Nonce, last: Nonce| last.saturating_sub(first).saturating_add(1);
        let (first, last) = (self.deliveries.first(), self.deliveries.last());
        let oldest = first.map_or(0, |it| count(it.first, it.last));
        let all = first
            .zip(last)
            .map_or(0, |(first, last)| count(first.first, last.last));
        let deliveries = u64::try_from(self.deliveries.len()).unwrap_or(u64::MAX);
        (deliveries, oldest, all, self.delivered())
    }
}

/// A possible delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Messages from one to another.
    Messages {
        /// The first.
        first: Nonce,
        /// The last.
        last: Nonce,
    },
    /// The news that messages were received.
    Confirmation {
        /// The first message that it newly confirms.
        first: Nonce,
        /// The last.
        last: Nonce,
    },
}

impl Due {
    /// The same, with so many messages at most.
    pub(crate) fn at_most(self, count: Nonce) -> Self {
        match self {
            Self::Messages { first, last } => Self::Messages {
                first,
                last: last.min(first.saturating_add(count.saturating_sub(1))),
            },
            confirmation @ Self::Confirmation { .. } => confirmation,
        }
    }

    /// Whether it justifies a header for it alone.
    pub fn is_worth_a_header(&self) -> bool {
        match self {
            Self::Messages { .. } => true,
            Self::Confirmation { first, last } => last.saturating_sub(*first) >= WORTH_A_HEADER,
        }
    }
}

/// The data that `target` lacks and that a state of the other chain, `source`, proves.
pub fn due(source: &Ends, target: &Ends) -> Option<Due> {
    let delivered = target.inbound.delivered();
    let first = delivered.checked_add(1)?;
    let last = source
        .outbound
        .sent
        .min(delivered.saturating_add(AT_ONCE))
        .min(target.inbound.room(&source.outbound));
    let is_open = target.inbound.state == State::Open;
    if is_open && first <= last && first >= source.outbound.oldest {
        return Some(Due::Messages { first, last });
    }
    let last = source.inbound.delivered();
    let Outbound { received, sent, .. } = target.outbound;
    (last > received && last <= sent).then_some(Due::Confirmation {
        first: received.saturating_add(1),
        last,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbound(received: Nonce, sent: Nonce) -> Outbound {
        Outbound {
            oldest: received + 1,
            received,
            sent,
            state: State::Open,
        }
    }

    fn inbound(confirmed: Nonce, deliveries: &[(Nonce, Nonce)]) -> Inbound {
        let delivered = |&(first, last)| Delivered {
            by: [1; 32],
            first,
            last,
        };
        Inbound {
            deliveries: deliveries.iter().map(delivered).collect(),
            confirmed,
            state: State::Open,
        }
    }

    fn ends(outbound: Outbound, inbound: Inbound) -> Ends {
        Ends { outbound, inbound }
    }

    fn idle() -> Ends {
        ends(outbound(0, 0), inbound(0, &[]))
    }

    fn messages(first: Nonce, last: Nonce) -> Option<Due> {
        Some(Due::Messages { first, last })
    }

    #[test]
    fn what_was_sent_and_not_received_is_due() {
        let source = ends(outbound(0, 3), inbound(0, &[]));
        assert_eq!(due(&source, &idle()), messages(1, 3));
        let target = ends(outbound(0, 0), inbound(0, &[(1, 2)]));
        assert_eq!(due(&source, &target), messages(3, 3));
        let target = ends(outbound(0, 0), inbound(0, &[(1, 3)]));
        assert_eq!(due(&source, &target), None);
        assert_eq!(due(&idle(), &idle()), None);
    }

    #[test]
    fn only_some_are_brought_at_once() {
        let source = ends(outbound(0, 1000), inbound(0, &[]));
        assert_eq!(due(&source, &idle()), messages(1, AT_ONCE));
    }

    #[test]
    fn a_full_end_waits_for_what_the_sender_knows() {
        let full = inbound(0, &[(1, MAX_UNCONFIRMED)]);
        let target = ends(outbound(0, 0), full);
        let source = |received| ends(outbound(received, 500), inbound(0, &[]));
        assert_eq!(due(&source(0), &target), None);
        let next = MAX_UNCONFIRMED + 1;
        assert_eq!(due(&source(1), &target), messages(next, next));

        let entries: Vec<_> = (1..=16).map(|nonce| (nonce, nonce)).collect();
        let target = ends(outbound(0, 0), inbound(0, &entries));
        assert_eq!(due(&source(0), &target), None);
        assert_eq!(due(&source(1), &target), messages(17, 32));
    }

    #[test]
    fn what_the_sender_has_forgotten_is_not_due() {
        let source = ends(outbound(3, 5), inbound(0, &[]));
        assert_eq!(due(&source, &idle()), None);
    }

    #[test]
    fn a_closed_end_gets_nothing() {
        let source = ends(outbound(0, 3), inbound(0, &[]));
        let mut target = idle();
        target.inbound.state = State::Closed;
        assert_eq!(due(&source, &target), None);
    }

    #[test]
    fn what_was_received_is_confirmed() {
        let confirmation = |last| Some(Due::Confirmation { first: 1, last });
        let source = ends(outbound(0, 0), inbound(0, &[(1, 2)]));
        let target = |received| ends(outbound(received, 200), inbound(0, &[]));
        assert_eq!(due(&source, &target(0)), confirmation(2));
        assert_eq!(due(&source, &target(2)), None);
        // A message that was never sent: two chains that do not talk to each other.
        let source = ends(outbound(0, 0), inbound(0, &[(1, 201)]));
        assert_eq!(due(&source, &target(0)), None);
    }

    #[test]
    fn a_confirmation_is_worth_a_header_when_half_of_the_lane_waits_for_it() {
        let confirmation = |last| Due::Confirmation { first: 1, last };
        assert!(!confirmation(WORTH_A_HEADER).is_worth_a_header());
        assert!(confirmation(WORTH_A_HEADER + 1).is_worth_a_header());
        assert!(Due::Messages { first: 1, last: 1 }.is_worth_a_header());
    }

    #[test]
    fn messages_come_before_confirmations() {
        let source = ends(outbound(0, 1), inbound(0, &[(1, 1)]));
        let target = ends(outbound(0, 1), inbound(0, &[]));
        assert_eq!(due(&source, &target), messages(1, 1));
    }

    #[test]
    fn a_summary_counts_deliveries_and_messages() {
        let summary = |inbound: Inbound| inbound.summary().encode();
        assert_eq!(
            summary(inbound(4, &[(5, 6), (7, 9)])),
            (2_u64, 2_u64, 5_u64, 9_u64).encode()
        );
        assert_eq!(
            summary(inbound(4, &[])),
            (0_u64, 0_u64, 0_u64, 4_u64).encode()
        );
    }

    #[test]
    fn what_is_stored_is_read() {
        let open = 0_u8;
        let out = (3_u64, 2_u64, 7_u64, open).encode();
        let deliveries = vec![([1_u8; 32], 3_u64, 5_u64)];
        let inn = (deliveries, 2_u64, open).encode();
        let read = Ends::decode(Some(&out), Some(&inn)).expect("it is a lane");
        assert_eq!(read, ends(outbound(2, 7), inbound(2, &[(3, 5)])));
        assert_eq!(Ends::decode(None, Some(&inn)), None);
        assert_eq!(Ends::decode(Some(&out), None), None);
        assert_eq!(Ends::decode(Some(&out[..20]), Some(&inn)), None);
        assert_eq!(Ends::decode(Some(&out), Some(&[255; 9])), None);
        let longer = |end: &[u8]| [end, &[0]].concat();
        assert_eq!(Ends::decode(Some(&longer(&out)), Some(&inn)), None);
        assert_eq!(Ends::decode(Some(&out), Some(&longer(&inn))), None);
    }
}
