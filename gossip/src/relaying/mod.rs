//! The recipients of messages, and the order of sending. (GOSSIP-5, GOSSIP-8, GOSSIP-9)
//!
//! Plain state: no network, no lock, no clock. A message is kept once, as long as it is useful. For each peer there
//! are three bits per message, and the groups of messages of which it may lack some. So a peer that reads slowly, or
//! never, costs little, and does not affect other peers.
//!
//! A message handed over to a connection counts as sent. It goes again after a while, because it may be lost in ways
//! that its sender does not see: the peer had no room for it, or was too far behind to use it, or its connection was
//! replaced by another one meanwhile.

mod fanout;
mod horizon;
mod kept;
mod marks;
mod pace;
mod recipient;

pub(crate) use horizon::Horizon;

use crate::{
    interest::Interest,
    message::GossipMessage,
    topic::{Topic, Topics},
};
use duet_voter::Millis;
use fanout::Share;
use kept::{GroupKey, Kept, Place};
use pace::{Pace, Repetitions};
use recipient::Recipient;
use sc_network_types::PeerId;
use std::{borrow::Borrow, collections::HashMap, sync::Arc};

/// The pause of a peer that has used up its allowance.
const REFILL: Millis = 20;

/// A message taken for a peer.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    place: Place,
    message: Arc<GossipMessage>,
}

impl Borrow<GossipMessage> for Taken {
    fn borrow(&self) -> &GossipMessage {
        &self.message
    }
}

/// The next messages of a peer.
#[derive(Debug)]
pub(crate) enum Next {
    /// These messages.
    Messages(Vec<Taken>),
    /// The peer lacks messages, but may have no more before this time.
    NotBefore(Millis),
    /// The peer lacks nothing.
    Nothing,
}

/// The state that decides about sending.
#[derive(Debug)]
pub(crate) struct Relaying {
    topics: Topics,
    kept: Kept,
    recipients: HashMap<PeerId, Recipient>,
    horizon: Horizon,
    pace: Pace,
    repetitions: Repetitions,
}

impl Relaying {
    /// No peers and no messages. Messages are sent to peers again after `interval`.
    pub(crate) fn new(interval: Millis, now: Millis) -> Self {
        Self {
            topics: Topics::default(),
            kept: Kept::default(),
            recipients: HashMap::new(),
            horizon: Horizon::ALL,
            pace: Pace::of_set(0),
            repetitions: Repetitions::new(interval, now),
        }
    }

    /// A peer connected; it lacks all kept messages that interest it.
    pub(crate) fn connected(&mut self, peer: PeerId, interest: Interest, now: Millis) {
        let recipient = Recipient::new(interest, &self.kept, &self.pace, now);
        self.recipients.insert(peer, recipient);
        self.share_out();
    }

    /// A peer is gone, and its state is dropped.
    pub(crate) fn disconnected(&mut self, peer: &PeerId) {
        if self.recipients.remove(peer).is_some() {
            self.share_out();
        }
    }

    /// Gives each peer its share of the votes. The map's order is random, so peers cannot choose their shares.
    fn share_out(&mut self) {
        let recipients = self.recipients.values_mut();
        let mut recipients: Vec<_> = recipients.filter(|it| it.wants_votes()).collect();
        let peers = recipients.len();
        for (slot, recipient) in recipients.iter_mut().enumerate() {
            recipient.set_share(Share::of(slot, peers));
        }
    }

    /// Follows the voter: the useful messages from now on, and the size of the signing set. Drops the rest.
    pub(crate) fn follow(&mut self, horizon: Horizon, set_len: u32) {
        self.horizon = horizon;
        self.pace = Pace::of_set(set_len);
        let is_useful = |key: &GroupKey| horizon.includes(key.number(), key.is_vote());
        self.kept.retain(is_useful);
        for recipient in self.recipients.values_mut() {
            recipient.retain(is_useful);
        }
    }

    /// Keeps a useful message for all peers except its senders. Equivalent messages are kept only once. A message without
    /// sender is this node's own, and goes to all peers at once.
    pub(crate) fn keep(&mut self, message: GossipMessage, holders: &[PeerId], now: Millis) {
        let topic = self.topics.of(&message);
        if !self.horizon.includes(topic.number, topic.signer.is_some()) {
            return;
        }
        let relayed = (!holders.is_empty()).then_some(now);
        if let Some(place) = self.kept.insert(&topic, message, relayed) {
            let is_urgent = relayed.is_none() || !place.group.is_vote();
            for recipient in self.recipients.values_mut() {
                recipient.offer_new(&place, is_urgent);
            }
        }
        for peer in holders {
            self.has(peer, &topic);
        }
    }

    /// Drops all kept messages of the same kind about the same block and set, whatever their content.
    pub(crate) fn forget(&mut self, topic: &Topic) {
        let forgotten = GroupKey::of(topic);
        let is_useful = |key: &GroupKey| *key != forgotten;
        self.kept.retain(is_useful);
        for recipient in self.recipients.values_mut() {
            recipient.retain(is_useful);
        }
    }

    /// A peer sent a message with this topic. Messages that are not kept leave no trace, so a peer's inventions cost
    /// nothing.
    pub(crate) fn has(&mut self, peer: &PeerId, topic: &Topic) {
        let (place, recipient) = (self.kept.find(topic), self.recipients.get_mut(peer));
        if let (Some(place), Some(recipient)) = (place, recipient) {
            recipient.brought(&place);
        }
    }

    /// Takes the next messages for a peer, at most this many.
    pub(crate) fn take(&mut self, peer: &PeerId, most: usize, now: Millis) -> Next {
        let Self {
            kept,
            recipients,
            pace,
            ..
        } = self;
        let Some(recipient) = recipients.get_mut(peer) else {
            return Next::Nothing;
        };
        let mut places = Vec::new();
        let lacks_more = recipient.take(&mut places, most, kept, (pace, now));
        let take = |place| {
            let message = kept.get(&place)?;
            Some(Taken { place, message })
        };
        let taken: Vec<_> = places.into_iter().filter_map(take).collect();
        match (taken.is_empty(), lacks_more) {
            (false, _) => Next::Messages(taken),
            (true, true) => Next::NotBefore(now.saturating_add(REFILL)),
            (true, false) => Next::Nothing,
        }
    }

    /// Messages taken for a peer that were not handed over.
    pub(crate) fn give_back(&mut self, peer: &PeerId, messages: Vec<Taken>) {
        let Some(recipient) = self.recipients.get_mut(peer) else {
            return;
        };
        for message in messages {
            // The message may have been dropped meanwhile.
            if self.kept.get(&message.place).is_some() {
                recipient.give_back(&message.place);
            }
        }
    }

    /// Messages handed over long ago count as lacking again.
    pub(crate) fn repeat(&mut self, now: Millis) {
        if let Some(turn) = self.repetitions.take_turn(now) {
            for recipient in self.recipients.values_mut() {
                recipient.repeat(|group, word| turn.includes(group, word));
            }
        }
    }

    /// Votes that went to few peers go to the others, too, if their time has come.
    pub(crate) fn release(&mut self, now: Millis) {
        for (group, word) in self.kept.release(now) {
            for recipient in self.recipients.values_mut() {
                recipient.reopen(group, word);
            }
        }
    }

    /// When [`Relaying::release`] may have something to do.
    pub(crate) fn releases_at(&self) -> Option<Millis> {
        self.kept.releases_at()
    }

    /// When [`Relaying::repeat`] may have something to do.
    pub(crate) fn repeats_at(&self) -> Option<Millis> {
        let is_idle = self.recipients.is_empty() || self.kept.is_empty();
        (!is_idle).then(|| self.repetitions.next_at())
    }

    /// The number of owners of a kept message: the store, and batches on their way.
    #[cfg(test)]
    pub(crate) fn owners(&self, topic: &Topic) -> Option<usize> {
        let message = self.kept.get(&self.kept.find(topic)?)?;
        Arc::strong_count(&message).checked_sub(1)
    }

    /// The number of kept messages.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
