//! The kept messages: each is stored once for all of its recipients.

use super::fanout::Fanout;
use crate::{message::GossipMessage, topic::Topic};
use duet_primitives::{BlockNumber, SetId, SignerIndex, H256};
use duet_voter::Millis;
use std::{
    cmp::Reverse,
    collections::{btree_map, hash_map::Entry, BTreeMap, HashMap},
    sync::Arc,
};

/// The most kept votes of one signer that peers sent. An honest signer has no more open ones: it signs nothing below
/// its last 64 (ROUND-4).
const OF_SIGNER: usize = 64;

/// Names a group of messages: the proofs of a block, or the votes on it. Ordered as peers get them: proofs first,
/// because they replace votes; then the newest blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct GroupKey {
    is_vote: bool,
    number: Reverse<BlockNumber>,
    set_id: Reverse<SetId>,
}

impl GroupKey {
    /// The group of a message.
    pub(super) fn of(topic: &Topic) -> Self {
        Self {
            is_vote: topic.signer.is_some(),
            number: Reverse(topic.number),
            set_id: Reverse(topic.set_id),
        }
    }

    /// Whether these are votes.
    pub(super) fn is_vote(&self) -> bool {
        self.is_vote
    }

    /// The block.
    pub(super) fn number(&self) -> BlockNumber {
        self.number.0
    }
}

/// The place of a kept message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) group: GroupKey,
    /// In order of arrival.
    pub(super) at: usize,
}

#[derive(Debug, Default)]
struct Group {
    messages: Vec<Arc<GossipMessage>>,
    fanout: Fanout,
    places: HashMap<(Option<SignerIndex>, H256), usize>,
}

/// The kept messages. While no proof comes, there are useful votes on any number of blocks: so those of a signer are
/// bounded.
#[derive(Debug, Default)]
pub(super) struct Kept {
    groups: BTreeMap<GroupKey, Group>,
    /// The number of each signer's votes.
    of_signer: HashMap<(SetId, SignerIndex), usize>,
}

impl Kept {
    /// Keeps a message; returns its place unless an equivalent one is kept already, or the signer of a `relayed` vote
    /// has enough of them. A message that is not `relayed` goes to all peers at once, and so does a proof.
    pub(super) fn insert(
        &mut self,
        topic: &Topic,
        message: GossipMessage,
        relayed: Option<Millis>,
    ) -> Option<Place> {
        let key = GroupKey::of(topic);
        let signer = topic.signer.map(|signer| (topic.set_id, signer));
        let votes = signer.and_then(|signer| self.of_signer.get(&signer));
        if relayed.is_some() && votes.is_some_and(|votes| *votes >= OF_SIGNER) {
            return None;
        }
        let group = match self.groups.entry(key) {
            btree_map::Entry::Occupied(group) => group.into_mut(),
            btree_map::Entry::Vacant(place) => place.insert(Group::default()),
        };
        let at = group.messages.len();
        let place = group.places.entry((topic.signer, topic.commitment));
        let Entry::Vacant(place) = place else {
            return None;
        };
        place.insert(at);
        if let Some(signer) = signer {
            let votes = self.of_signer.entry(signer).or_default();
            *votes = votes.saturating_add(1);
        }
        group.messages.push(Arc::new(message));
        match relayed.filter(|_| key.is_vote) {
            Some(now) => group.fanout.add(at, now),
            None => group.fanout.add_urgent(at),
        }
        Some(Place { group: key, at })
    }

    /// The place of the kept message with this topic.
    pub(super) fn find(&self, topic: &Topic) -> Option<Place> {
        let key = GroupKey::of(topic);
        let group = self.groups.get(&key)?;
        let at = *group.places.get(&(topic.signer, topic.commitment))?;
        Some(Place { group: key, at })
    }

    pub(super) fn get(&self, place: &Place) -> Option<Arc<GossipMessage>> {
        let group = self.groups.get(&place.group)?;
        group.messages.get(place.at).cloned()
    }

    /// The number of messages in a group, and who gets them now.
    pub(super) fn group(&self, group: &GroupKey) -> Option<(usize, &Fanout)> {
        let group = self.groups.get(group)?;
        Some((group.messages.len(), &group.fanout))
    }

    /// Lets messages that have waited long enough go to all peers. Returns the groups, each with the word of the first.
    pub(super) fn release(&mut self, now: Millis) -> Vec<(GroupKey, usize)> {
        let groups = self.groups.iter_mut();
        let release =
            |(key, group): (&GroupKey, &mut Group)| Some((*key, group.fanout.release(now)?));
        groups.filter_map(release).collect()
    }

    /// When [`Kept::release`] has something to do.
    pub(super) fn releases_at(&self) -> Option<Millis> {
        let groups = self.groups.values();
        groups.filter_map(|group| group.fanout.releases_at()).min()
    }

    /// The number of messages.
    pub(super) fn len(&self) -> usize {
        self.groups.values().map(|group| group.messages.len()).sum()
    }

    /// Whether no message is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The groups, in the order in which peers get them.
    pub(super) fn groups(&self) -> impl Iterator<Item = GroupKey> + '_ {
        self.groups.keys().copied()
    }

    /// Drops the groups that are no longer useful.
    pub(super) fn retain(&mut self, is_useful: impl Fn(&GroupKey) -> bool) {
        let Self { groups, of_signer } = self;
        groups.retain(|key, group| {
            if is_useful(key) {
                return true;
            }
            for signer in group.places.keys().filter_map(|place| place.0) {
                if let Entry::Occupied(mut votes) = of_signer.entry((key.set_id.0, signer)) {
                    *votes.get_mut() = votes.get().saturating_sub(1);
                    if *votes.get() == 0 {
                        votes.remove();
                    }
                }
            }
            false
        });
    }
}
