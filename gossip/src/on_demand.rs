//! Decides which peers to ask for missing data, and when.
//!
//! The [`Schedule`] sets how many peers are asked at once; each peer is asked once per round (REQ-1). A peer that
//! does not answer in time is replaced by the next, and asked after the others from then on; the first useful answer
//! ends the search. There is no I/O here: time and peers are arguments, the requests to send are results.

use crate::{
    clock::millis,
    protocol::{HISTORY_TIMEOUT, PARALLEL_HISTORY_REQUESTS, PARALLEL_REQUESTS, REQUEST_TIMEOUT},
};
use duet_voter::Millis;
use sc_network_types::PeerId;
use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

/// The pause before the peers are asked again, if none of them had the data.
const RETRY: Millis = 6_000;
/// The longest pause between requests for the history, which perhaps no peer has.
const HISTORY_RETRY: Millis = 600_000;

/// How many peers are asked, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// The number of peers at once.
    parallel: usize,
    /// The time limit for each peer.
    timeout: Duration,
    /// The longest pause after a round without success. The first is [`RETRY`], each further one twice as long.
    longest_pause: Millis,
}

impl Schedule {
    /// For proofs that the voter waits for.
    pub const URGENT: Self = Self {
        parallel: PARALLEL_REQUESTS,
        timeout: REQUEST_TIMEOUT,
        longest_pause: RETRY,
    };
    /// For proofs that only light clients need.
    pub const BACKGROUND: Self = Self {
        parallel: PARALLEL_HISTORY_REQUESTS,
        timeout: HISTORY_TIMEOUT,
        longest_pause: HISTORY_RETRY,
    };

    fn pause(&self, pauses: u32) -> Millis {
        let doubled = 1u64.checked_shl(pauses).unwrap_or(Millis::MAX);
        RETRY.saturating_mul(doubled).min(self.longest_pause)
    }
}

/// The id of a pending request. Answers carry it, so that late ones are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(u64);

/// A request to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Passed to [`OnDemand::answered`] with the answer.
    pub id: RequestId,
    /// The peer to ask.
    pub peer: PeerId,
}

/// The decision of [`OnDemand::next`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The requests to send.
    pub outgoing: Vec<Outgoing>,
    /// The peers that did not answer in time.
    pub late: Vec<PeerId>,
}

/// The current search.
struct Search<T> {
    wanted: T,
    /// The peers asked since the last pause.
    asked: HashSet<PeerId>,
    /// When the next round may begin, once all peers were asked.
    pause_until: Option<Millis>,
    /// The number of pauses.
    pauses: u32,
}

/// A search for the first of several consecutive items, and its pending requests.
pub struct OnDemand<T> {
    schedule: Schedule,
    search: Option<Search<T>>,
    pending: HashMap<RequestId, (PeerId, Millis)>,
    /// The connected peers that were late, and have not answered since.
    late: HashSet<PeerId>,
    next_id: u64,
}

impl<T: Copy + Ord> OnDemand<T> {
    /// No search.
    pub fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            search: None,
            pending: HashMap::new(),
            late: HashSet::new(),
            next_id: 0,
        }
    }

    /// Searches for `wanted` and the items after it; gives up any other search.
    pub fn want(&mut self, wanted: T) {
        if self.wanted() == Some(wanted) {
            return;
        }
        self.pending.clear();
        self.search = Some(Search {
            wanted,
            asked: HashSet::new(),
            pause_until: None,
            pauses: 0,
        });
    }

    /// All items up to and including `last` are here: gives up a search for them.
    pub fn found(&mut self, last: T) {
        if self.wanted().is_some_and(|wanted| wanted <= last) {
            self.search = None;
            self.pending.clear();
        }
    }

    /// The wanted item.
    pub fn wanted(&self) -> Option<T> {
        self.search.as_ref().map(|search| search.wanted)
    }

    /// How often all peers have been asked for it without success.
    pub fn failed_rounds(&self) -> u32 {
        self.search.as_ref().map_or(0, |search| search.pauses)
    }

    /// Whether the answer to a request is still of interest.
    pub fn is_pending(&self, id: RequestId) -> bool {
        self.pending.contains_key(&id)
    }

    /// An answer or failure arrived: returns whether its request is still of interest.
    pub fn answered(&mut self, id: RequestId) -> bool {
        let answered = self.pending.remove(&id);
        answered.is_some_and(|(peer, _)| {
            self.late.remove(&peer);
            true
        })
    }

    /// The requests to send now, to peers in the given order, but last to those that were late. Overdue requests are
    /// given up.
    pub fn next(&mut self, now: Millis, peers: &[PeerId]) -> Step {
        let mut late = Vec::new();
        self.pending.retain(|_, (peer, deadline)| {
            let waits = now < *deadline;
            if !waits {
                late.push(*peer);
            }
            waits
        });
        self.late.extend(&late);
        self.late.retain(|peer| peers.contains(peer));
        Step {
            outgoing: self.send(now, peers),
            late,
        }
    }

    fn send(&mut self, now: Millis, peers: &[PeerId]) -> Vec<Outgoing> {
        let Some(search) = &mut self.search else {
            return Vec::new();
        };
        // During a pause, only peers that have connected since are asked.
        if search.pause_until.is_some_and(|until| until <= now) {
            search.asked.clear();
            search.pause_until = None;
        }
        let free = self.schedule.parallel.saturating_sub(self.pending.len());
        let deadline = now.saturating_add(millis(self.schedule.timeout));
        let mut sent = Vec::new();
        let (late, prompt): (Vec<&PeerId>, Vec<_>) = peers
            .iter()
            .filter(|peer| !search.asked.contains(peer))
            .partition(|peer| self.late.contains(peer));
        for peer in prompt.into_iter().chain(late).take(free) {
            let id = RequestId(self.next_id);
            self.next_id = self.next_id.wrapping_add(1);
            sent.push(Outgoing { id, peer: *peer });
        }
        for Outgoing { id, peer } in &sent {
            search.asked.insert(*peer);
            self.pending.insert(*id, (*peer, deadline));
        }
        if self.pending.is_empty() && search.pause_until.is_none() {
            search.pause_until = Some(now.saturating_add(self.schedule.pause(search.pauses)));
            search.pauses = search.pauses.saturating_add(1);
        }
        sent
    }

    /// The latest time of the next action of [`OnDemand::next`].
    pub fn wake_at(&self) -> Option<Millis> {
        let search = self.search.as_ref()?;
        let overdue = self.pending.values().map(|(_, deadline)| *deadline).min();
        overdue.into_iter().chain(search.pause_until).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers(count: usize) -> Vec<PeerId> {
        (0..count).map(|_| PeerId::random()).collect()
    }

    fn urgent() -> OnDemand<u64> {
        OnDemand::new(Schedule::URGENT)
    }

    /// The requests to send, without late peers.
    fn send<T: Copy + Ord>(
        on_demand: &mut OnDemand<T>,
        now: Millis,
        peers: &[PeerId],
    ) -> Vec<Outgoing> {
        on_demand.next(now, peers).outgoing
    }

    fn asked(outgoing: &[Outgoing]) -> Vec<PeerId> {
        outgoing.iter().map(|one| one.peer).collect()
    }

    /// REQ-1.
    #[test]
    fn several_peers_are_asked_at_once_and_no_more_than_allowed() {
        let (mut on_demand, peers) = (urgent(), peers(5));
        assert!(send(&mut on_demand, 0, &peers).is_empty());
        on_demand.want(7);
        let Step {
            outgoing: sent,
            late,
        } = on_demand.next(0, &peers);
        assert_eq!(asked(&sent), peers[..PARALLEL_REQUESTS]);
        assert_eq!(on_demand.wanted(), Some(7));
        assert!(late.is_empty());
        assert!(send(&mut on_demand, 0, &peers).is_empty());
    }

    #[test]
    fn a_peer_that_answers_without_success_is_replaced_by_the_next() {
        let (mut on_demand, peers) = (urgent(), peers(5));
        on_demand.want(7);
        let sent = send(&mut on_demand, 0, &peers);
        assert!(on_demand.answered(sent[1].id));
        assert!(!on_demand.answered(sent[1].id), "an answer counts once");
        assert_eq!(asked(&send(&mut on_demand, 1, &peers)), peers[3..4]);
    }

    #[test]
    fn a_late_peer_is_returned_and_replaced_and_its_answer_is_ignored() {
        let (mut on_demand, peers) = (urgent(), peers(4));
        on_demand.want(7);
        let first = send(&mut on_demand, 0, &peers);
        let deadline = on_demand.wake_at().unwrap();
        assert_eq!(deadline, millis(REQUEST_TIMEOUT));
        let Step {
            outgoing: sent,
            mut late,
        } = on_demand.next(deadline, &peers);
        late.sort();
        let mut expected = peers[..3].to_vec();
        expected.sort();
        assert_eq!(late, expected);
        assert_eq!(asked(&sent), peers[3..]);
        assert!(!on_demand.answered(first[0].id));
    }

    #[test]
    fn when_no_peer_had_it_the_search_pauses_and_starts_over() {
        let (mut on_demand, peers) = (urgent(), peers(2));
        on_demand.want(7);
        for one in send(&mut on_demand, 0, &peers) {
            on_demand.answered(one.id);
        }
        assert!(send(&mut on_demand, 10, &peers).is_empty());
        assert_eq!(on_demand.wake_at(), Some(10 + RETRY));
        assert!(send(&mut on_demand, 9 + RETRY, &peers).is_empty());
        assert_eq!(asked(&send(&mut on_demand, 10 + RETRY, &peers)), peers);
    }

    #[test]
    fn a_peer_that_connects_during_a_pause_is_asked_at_once_and_the_pause_stays() {
        let (mut on_demand, peers) = (urgent(), peers(2));
        on_demand.want(7);
        let sent = send(&mut on_demand, 0, &peers[..1]);
        on_demand.answered(sent[0].id);
        assert!(send(&mut on_demand, 10, &peers[..1]).is_empty());
        let sent = send(&mut on_demand, 20, &peers);
        assert_eq!(asked(&sent), peers[1..]);
        on_demand.answered(sent[0].id);
        assert!(send(&mut on_demand, 30, &peers).is_empty());
        assert_eq!(on_demand.wake_at(), Some(10 + RETRY));
    }

    #[test]
    fn without_peers_it_waits() {
        let mut on_demand = urgent();
        on_demand.want(7);
        assert!(send(&mut on_demand, 0, &[]).is_empty());
        assert_eq!(on_demand.wake_at(), Some(RETRY));
    }

    #[test]
    fn a_search_is_given_up_when_it_is_superseded_or_over() {
        let (mut on_demand, peers) = (urgent(), peers(3));
        on_demand.want(7);
        let sent = send(&mut on_demand, 0, &peers);
        on_demand.want(7);
        assert!(on_demand.answered(sent[0].id), "the same search goes on");
        on_demand.want(8);
        assert!(!on_demand.answered(sent[1].id));
        let sent = send(&mut on_demand, 1, &peers);
        assert_eq!(sent.len(), 3);
        on_demand.found(7);
        assert_eq!(on_demand.wanted(), Some(8));
        on_demand.found(8);
        assert_eq!(on_demand.wanted(), None);
        assert!(!on_demand.answered(sent[0].id));
        assert_eq!(on_demand.wake_at(), None);
    }

    #[test]
    fn what_nobody_has_is_asked_for_less_and_less_often_up_to_a_bound() {
        let (mut on_demand, peers) = (OnDemand::new(Schedule::BACKGROUND), peers(1));
        on_demand.want(7);
        let (mut now, mut pauses) = (0, Vec::new());
        for _ in 0..70 {
            let sent = send(&mut on_demand, now, &peers);
            assert_eq!(sent.len(), 1);
            on_demand.answered(sent[0].id);
            assert!(send(&mut on_demand, now, &peers).is_empty());
            let wake = on_demand.wake_at().unwrap();
            pauses.push(wake - now);
            now = wake;
        }
        assert_eq!(pauses[..3], [RETRY, 2 * RETRY, 4 * RETRY]);
        assert!(pauses[7..].iter().all(|pause| *pause == HISTORY_RETRY));
        assert_eq!(on_demand.failed_rounds(), 70);
        on_demand.want(8);
        assert_eq!(on_demand.failed_rounds(), 0, "another search begins anew");
    }

    /// So that slow peers do not delay each part of the history.
    #[test]
    fn a_peer_that_was_late_is_asked_last_until_it_answers() {
        let (mut on_demand, peers) = (OnDemand::new(Schedule::BACKGROUND), peers(3));
        let timeout = millis(HISTORY_TIMEOUT);
        on_demand.want(7);
        send(&mut on_demand, 0, &peers);
        let second = send(&mut on_demand, timeout, &peers);
        assert_eq!(asked(&second), peers[1..2]);
        assert!(on_demand.answered(second[0].id));
        let mut next = |part, peers: &[PeerId]| {
            on_demand.want(part);
            let mut order = Vec::new();
            for _ in peers {
                let sent = send(&mut on_demand, timeout, peers);
                order.extend(asked(&sent));
                assert!(on_demand.answered(sent[0].id));
            }
            order
        };
        assert_eq!(next(8, &peers), [peers[1], peers[2], peers[0]]);
        assert_eq!(next(9, &peers), peers, "it has answered");
    }

    #[test]
    fn the_history_is_asked_of_one_peer_at_a_time() {
        let (mut on_demand, peers) = (OnDemand::new(Schedule::BACKGROUND), peers(3));
        on_demand.want(7);
        assert_eq!(asked(&send(&mut on_demand, 0, &peers)), peers[..1]);
        assert!(send(&mut on_demand, 1, &peers).is_empty());
    }
}
