//! What a node was sent and has not checked: bounded in all and by peer as in `gossip/src/pending`, and divided by the same code.
//! (GOSSIP-7)
//!
//! Peers are named by the edge on which they send. Votes are counted singly, also those that travel together.

use super::{event::Message, waiting::Waiting};
use duet_voter::checks::{Fair, Kind, Shares};
use std::collections::{BTreeMap, HashMap};

/// How many peers may each have a copy of the same vote waiting.
const COPIES: usize = 3;

/// How many votes may wait or be under check, and how many are checked together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Of all peers together.
    pub(super) total: u64,
    /// Of one peer.
    pub(super) of_peer: u64,
    /// In one batch.
    pub(super) batch: u64,
}

impl Limits {
    /// Those in a set of this size, with as many votes in a batch as the scheme gains from.
    pub(super) fn of_set(len: u64, batch: u64) -> Self {
        Self {
            batch,
            total: (4 * len).max(16_384),
            of_peer: (2 * len).max(1_024),
        }
    }
}

/// Why something may not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The same peer has a copy waiting, or enough others have.
    Repeated,
    /// There is no room for so many votes.
    NoRoom,
}

/// Something to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// Votes on the commitment that this node prepared.
    Batch(Vec<Waiting>),
    /// Votes that it did not prepare, each checked alone.
    Strange(Waiting),
    /// A proof.
    Proof(Waiting),
}

/// The copies of one message, of which the first is in a queue or under check.
#[derive(Debug)]
struct Copies {
    first: u32,
    spare: Vec<Waiting>,
}

/// What waits at one node.
#[derive(Debug)]
pub(super) struct Pending {
    limits: Limits,
    of_peer: BTreeMap<u32, u64>,
    total: u64,
    /// Of everything but garbage, of which no two messages say the same.
    copies: HashMap<Message, Copies>,
    is_prepared: bool,
    prepared: Fair<u32, Waiting>,
    strange: Fair<u32, Waiting>,
    proofs: Fair<u32, Waiting>,
    shares: Shares,
    /// Good votes that found no room, or had to make some.
    dropped: u64,
}

impl Pending {
    /// Nothing waits, and the node has not prepared its commitment.
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            of_peer: BTreeMap::new(),
            total: 0,
            copies: HashMap::new(),
            is_prepared: false,
            prepared: Fair::default(),
            strange: Fair::default(),
            proofs: Fair::default(),
            shares: Shares::default(),
            dropped: 0,
        }
    }

    /// How many good votes found no room, or had to make some.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Lets a message wait.
    ///
    /// # Errors
    /// [`Refused`]; the message is dropped.
    pub(super) fn offer(&mut self, item: Waiting) -> Result<(), Refused> {
        if let Some(Copies { first, spare }) = self.copies.get(&item.message) {
            let is_there = *first == item.edge || spare.iter().any(|it| it.edge == item.edge);
            if is_there || spare.len() + 1 >= COPIES {
                return Err(Refused::Repeated);
            }
        }
        let is_full = self.total >= self.limits.total;
        if self.waiting_of(item.edge) >= self.limits.of_peer
            || (is_full && !self.make_room(item.edge))
        {
            self.drops(item);
            return Err(Refused::NoRoom);
        }
        *self.of_peer.entry(item.edge).or_default() += item.votes;
        self.total += item.votes;
        if item.message == Message::Garbage {
            self.queue(item);
        } else if let Some(copies) = self.copies.get_mut(&item.message) {
            copies.spare.push(item);
        } else {
            let copies = Copies {
                first: item.edge,
                spare: Vec::new(),
            };
            self.copies.insert(item.message, copies);
            self.queue(item);
        }
        Ok(())
    }

    /// The node prepared its commitment: good votes that wait already are checked together from now on.
    pub(super) fn prepare(&mut self) {
        self.is_prepared = true;
        for (_, item) in self.strange.extract(|_| true) {
            self.queue(item);
        }
    }

    /// Takes what is to be checked next. It counts as waiting until [`Pending::holds`] or [`Pending::fails`].
    pub(super) fn take(&mut self) -> Option<Job> {
        let kind = self.shares.next(|kind| match kind {
            Kind::Prepared => !self.prepared.is_empty(),
            Kind::Strange => !self.strange.is_empty(),
            Kind::Proof => !self.proofs.is_empty(),
        })?;
        let (job, count) = match kind {
            Kind::Prepared => {
                let (batch, votes) = self.take_batch();
                (Job::Batch(batch), votes)
            }
            Kind::Strange => {
                let (_, item) = self.strange.pop()?;
                (Job::Strange(item), item.votes)
            }
            Kind::Proof => (Job::Proof(self.proofs.pop()?.1), 1),
        };
        self.shares.charge(kind, count);
        Some(job)
    }

    fn take_batch(&mut self) -> (Vec<Waiting>, u64) {
        let (mut batch, mut votes) = (Vec::new(), 0);
        while let Some(item) = self.prepared.peek() {
            if !batch.is_empty() && votes + item.votes > self.limits.batch {
                break;
            }
            votes += item.votes;
            batch.extend(self.prepared.pop().map(|(_, item)| item));
        }
        (batch, votes)
    }

    /// What was taken is valid: its copies are not needed. Returns who had sent it.
    pub(super) fn holds(&mut self, item: Waiting) -> Vec<u32> {
        self.release(item.edge, item.votes);
        let copies = self.copies.remove(&item.message);
        let spare = copies.map(|copies| copies.spare).unwrap_or_default();
        for copy in &spare {
            self.release(copy.edge, copy.votes);
        }
        let senders = [item].into_iter().chain(spare);
        senders.map(|it| it.edge).collect()
    }

    /// What was taken, or dropped from its queue, is not valid or not checked: its next copy is. Whether there is one.
    pub(super) fn fails(&mut self, item: Waiting) -> bool {
        self.release(item.edge, item.votes);
        let Some(copies) = self.copies.get_mut(&item.message) else {
            return false;
        };
        match copies.spare.pop() {
            Some(next) => {
                copies.first = next.edge;
                self.queue(next);
                true
            }
            None => {
                self.copies.remove(&item.message);
                false
            }
        }
    }

    /// Drops what waits of a peer that was banned.
    pub(super) fn purge(&mut self, edge: u32) {
        let mut dropped = 0;
        for copies in self.copies.values_mut() {
            copies.spare.retain(|copy| {
                let stays = copy.edge != edge;
                dropped += if stays { 0 } else { copy.votes };
                stays
            });
        }
        self.release(edge, dropped);
        for queue in
            [&mut self.prepared, &mut self.strange, &mut self.proofs].map(|it| it.remove(&edge))
        {
            for item in queue {
                self.fails(item);
            }
        }
    }

    fn queue(&mut self, item: Waiting) {
        match item.message {
            Message::Proof => self.proofs.push(item.edge, item),
            Message::VoteBatch(_) if self.is_prepared => self.prepared.push(item.edge, item),
            Message::VoteBatch(_) | Message::Garbage => self.strange.push(item.edge, item),
        }
    }

    /// Drops the newest of the peer that has most waiting, if that is more than `edge` has.
    fn make_room(&mut self, edge: u32) -> bool {
        let most = self.of_peer.iter().max_by_key(|(_, votes)| **votes);
        let Some((other, votes)) = most.map(|(other, votes)| (*other, *votes)) else {
            return false;
        };
        if votes <= self.waiting_of(edge) + 1 {
            return false;
        }
        let newest = self.strange.pop_newest_of(&other);
        let Some(item) = newest.or_else(|| self.prepared.pop_newest_of(&other)) else {
            return false;
        };
        if !self.fails(item) {
            self.drops(item);
        }
        true
    }

    fn drops(&mut self, item: Waiting) {
        if matches!(item.message, Message::VoteBatch(_)) {
            self.dropped += item.votes;
        }
    }

    fn waiting_of(&self, edge: u32) -> u64 {
        self.of_peer.get(&edge).copied().unwrap_or_default()
    }

    fn release(&mut self, edge: u32, votes: u64) {
        self.total -= votes;
        if let Some(of_peer) = self.of_peer.get_mut(&edge) {
            *of_peer -= votes;
            if *of_peer == 0 {
                self.of_peer.remove(&edge);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(edge: u32, batch: u32) -> Waiting {
        Waiting {
            edge,
            message: Message::VoteBatch(batch),
            votes: 1,
            since: 0,
        }
    }

    fn garbage(edge: u32) -> Waiting {
        Waiting {
            message: Message::Garbage,
            ..vote(edge, 0)
        }
    }

    fn pending(total: u64, of_peer: u64) -> Pending {
        Pending::new(Limits {
            total,
            of_peer,
            batch: 256,
        })
    }

    #[test]
    fn votes_wait_alone_until_the_node_prepares_and_are_checked_together_then() {
        let mut pending = pending(1_000, 1_000);
        for batch in 0..300 {
            assert_eq!(pending.offer(vote(batch % 3, batch)), Ok(()));
        }
        assert_eq!(pending.take(), Some(Job::Strange(vote(0, 0))));
        pending.prepare();
        let sizes: Vec<_> = std::iter::from_fn(|| pending.take())
            .map(|job| match job {
                Job::Batch(batch) => batch.len(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(sizes, [256, 43]);
    }

    #[test]
    fn three_peers_may_have_a_copy_waiting_and_all_of_them_are_named_when_it_holds() {
        let mut pending = pending(1_000, 1_000);
        assert_eq!(pending.offer(vote(1, 7)), Ok(()));
        assert_eq!(pending.offer(vote(1, 7)), Err(Refused::Repeated));
        assert_eq!(pending.offer(vote(2, 7)), Ok(()));
        assert_eq!(pending.offer(vote(3, 7)), Ok(()));
        assert_eq!(pending.offer(vote(4, 7)), Err(Refused::Repeated));
        assert_eq!(pending.take(), Some(Job::Strange(vote(1, 7))));
        assert_eq!(pending.take(), None);
        assert_eq!(pending.holds(vote(1, 7)), [1, 2, 3]);
        assert_eq!((pending.total, pending.of_peer.len()), (0, 0));
    }

    #[test]
    fn who_has_as_much_waiting_as_it_may_is_refused_and_who_has_most_gives_way() {
        let mut pending = pending(4, 3);
        for _ in 0..3 {
            assert_eq!(pending.offer(garbage(1)), Ok(()));
        }
        assert_eq!(pending.offer(garbage(1)), Err(Refused::NoRoom));
        assert_eq!(pending.offer(vote(2, 0)), Ok(()));
        assert_eq!(pending.offer(vote(2, 1)), Ok(()), "the first gives way");
        assert_eq!((pending.waiting_of(1), pending.waiting_of(2)), (2, 2));
        assert_eq!(pending.dropped(), 0, "but no good vote");
        assert_eq!(pending.offer(vote(2, 2)), Err(Refused::NoRoom));
        assert_eq!(pending.dropped(), 1);
    }

    #[test]
    fn a_ban_drops_what_its_peer_has_waiting_and_copies_of_others_take_its_place() {
        let mut pending = pending(1_000, 1_000);
        for item in [vote(1, 0), vote(2, 0), vote(2, 1), vote(1, 1), garbage(1)] {
            assert_eq!(pending.offer(item), Ok(()));
        }
        pending.purge(1);
        let left: Vec<_> = std::iter::from_fn(|| pending.take()).collect();
        assert_eq!(left, [vote(2, 1), vote(2, 0)].map(Job::Strange));
        assert_eq!(pending.waiting_of(1), 0);
        assert_eq!(pending.total, 2);
    }
}
