//! Counts checked votes, and says on which commitment a threshold agrees.

use crate::{attendance::Attendance, quota::Quota, view::RoundView, Millis};
use duet_primitives::{suite::G1_LEN, BlockNumber, Justification, RoundMessage, SignerIndex, Vote};
use std::{collections::BTreeMap, ops::RangeInclusive, sync::Arc};

/// Tells messages apart: no two have the same hash.
type MessageHash = [u8; G1_LEN];

/// The open rounds of one set, by block. (ROUND-7 prunes them.)
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    rounds: BTreeMap<BlockNumber, Round>,
    /// In which rounds each signer has a vote.
    signers: BTreeMap<SignerIndex, Quota>,
    /// How many votes `rounds` holds.
    votes: usize,
    attendance: Attendance,
}

/// The result of entering a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// It counts.
    Counted,
    /// It counts, and the signer's vote in its lowest round was displaced. (GOSSIP-7)
    CountedForLowest,
    /// The signer has a vote on this block already; the first one counts.
    Repeated,
}

#[derive(Clone, Debug)]
struct Round {
    opened: Millis,
    own: Option<RoundMessage>,
    votes: BTreeMap<SignerIndex, Arc<Vote>>,
    /// By commitment. At worst one for each signer.
    tallies: BTreeMap<MessageHash, Tally>,
    /// The tally with the most votes that was not spent; the first of several.
    leading: Option<MessageHash>,
}

#[derive(Clone, Debug)]
struct Tally {
    message: RoundMessage,
    count: u32,
    /// The sum of its votes is unusable.
    spent: bool,
}

impl Rounds {
    /// Counts a vote; of each signer at most one per block and `limit` in all.
    pub(crate) fn enter(&mut self, vote: Vote, limit: usize, now: Millis) -> Entered {
        let (block, signer) = (vote.commitment().block_number, vote.signer());
        let quota = self.signers.entry(signer).or_default();
        if quota.holds(block) {
            return Entered::Repeated;
        }
        let lowest = quota.charge(block, limit);
        self.open(block, now).enter(vote);
        self.votes = self.votes.saturating_add(1);
        let Some(lowest) = lowest else {
            return Entered::Counted;
        };
        if let Some(round) = self.rounds.get_mut(&lowest) {
            if round.remove(signer) {
                self.votes = self.votes.saturating_sub(1);
            }
            if round.is_empty() {
                self.rounds.remove(&lowest);
            }
        }
        Entered::CountedForLowest
    }

    /// Sets this node's own message about a block.
    pub(crate) fn prepare(&mut self, message: RoundMessage, now: Millis) {
        let block = message.commitment().block_number;
        self.open(block, now).own = Some(message);
    }

    fn open(&mut self, block: BlockNumber, now: Millis) -> &mut Round {
        let round = self.rounds.entry(block);
        round.or_insert_with(|| Round::opened(now))
    }

    /// A vote came, whether or not it still counts.
    pub(crate) fn hear(&mut self, vote: &Vote, now: Millis) {
        let block = vote.commitment().block_number;
        self.attendance.hear(vote.signer(), block, now);
    }

    /// Records the signers of a proof.
    pub(crate) fn hear_signers(&mut self, proof: &Justification, members: u32, now: Millis) {
        let block = proof.commitment().block_number;
        for signer in proof.signers().signers(members) {
            self.attendance.hear(signer, block, now);
        }
    }

    /// When each member was heard last.
    pub(crate) fn attendance(&self) -> &Attendance {
        &self.attendance
    }

    /// The view of each open round for operators, ascending by block.
    pub(crate) fn views(
        &self,
        own: Option<SignerIndex>,
        now: Millis,
    ) -> impl Iterator<Item = RoundView> + '_ {
        let rounds = self.rounds.iter();
        rounds.map(move |(block, round)| round.view(*block, own, now))
    }

    /// This node's own message about a block, if it was prepared.
    pub(crate) fn prepared(&self, block: BlockNumber) -> Option<&RoundMessage> {
        self.rounds.get(&block)?.own.as_ref()
    }

    /// The vote of a signer on a block.
    pub(crate) fn vote(&self, block: BlockNumber, signer: SignerIndex) -> Option<&Vote> {
        let vote = self.rounds.get(&block)?.votes.get(&signer)?;
        Some(vote)
    }

    /// The highest block of a range on which a threshold of the set agrees, unless it is spent.
    pub(crate) fn ready(
        &self,
        range: RangeInclusive<BlockNumber>,
        threshold: u32,
    ) -> Option<BlockNumber> {
        if range.is_empty() {
            return None;
        }
        self.rounds
            .range(range)
            .rev()
            .find(|(_, round)| round.ready(threshold).is_some())
            .map(|(block, _)| *block)
    }

    /// How many votes a justification of this block would have now; `None` when it is not ready.
    pub(crate) fn signers(&self, block: BlockNumber, threshold: u32) -> Option<u32> {
        Some(self.rounds.get(&block)?.ready(threshold)?.count)
    }

    /// The commitment on which a threshold agrees, and the votes on it.
    pub(crate) fn agreed(
        &self,
        block: BlockNumber,
        threshold: u32,
    ) -> Option<(RoundMessage, Vec<Arc<Vote>>)> {
        let round = self.rounds.get(&block)?;
        let message = round.ready(threshold)?.message.clone();
        let votes = round.votes_on(&message).cloned().collect();
        Some((message, votes))
    }

    /// Marks the votes on this message as unusable: they are not added up again.
    pub(crate) fn spend(&mut self, message: &RoundMessage) {
        let block = message.commitment().block_number;
        let Some(round) = self.rounds.get_mut(&block) else {
            return;
        };
        if let Some(tally) = round.tallies.get_mut(&message.hash()) {
            tally.spent = true;
        }
        round.find_leading();
    }

    /// The votes on a block, whatever they say.
    pub(crate) fn votes_on(&self, block: BlockNumber) -> impl Iterator<Item = &Arc<Vote>> {
        let round = self.rounds.get(&block);
        round.into_iter().flat_map(|round| round.votes.values())
    }

    /// ROUND-7: drops the rounds up to a block.
    pub(crate) fn prune(&mut self, up_to: BlockNumber) {
        self.rounds = self.rounds.split_off(&up_to.saturating_next());
        self.votes = self.rounds.values().map(|round| round.votes.len()).sum();
        for quota in self.signers.values_mut() {
            quota.release_up_to(up_to);
        }
    }

    /// How many rounds are open.
    pub(crate) fn len(&self) -> usize {
        self.rounds.len()
    }

    /// How many votes they hold.
    pub(crate) fn votes(&self) -> usize {
        self.votes
    }
}

impl Round {
    fn opened(now: Millis) -> Self {
        Self {
            opened: now,
            own: None,
            votes: BTreeMap::new(),
            tallies: BTreeMap::new(),
            leading: None,
        }
    }

    fn view(&self, block: BlockNumber, own: Option<SignerIndex>, now: Millis) -> RoundView {
        let most = self.tallies.values().map(|tally| tally.count).max();
        RoundView {
            block,
            votes: u32::try_from(self.votes.len()).unwrap_or(u32::MAX),
            agreeing: most.unwrap_or(0),
            own_vote: own.is_some_and(|own| self.votes.contains_key(&own)),
            open_for: now.saturating_sub(self.opened),
        }
    }

    fn enter(&mut self, vote: Vote) {
        let hash = vote.message().hash();
        let tally = self.tallies.entry(hash).or_insert_with(|| Tally {
            message: vote.message().clone(),
            count: 0,
            spent: false,
        });
        tally.count = tally.count.saturating_add(1);
        let (count, spent) = (tally.count, tally.spent);
        let leads = self
            .leading
            .and_then(|leading| self.tallies.get(&leading))
            .is_none_or(|leading| leading.count < count);
        if leads && !spent {
            self.leading = Some(hash);
        }
        self.votes.insert(vote.signer(), Arc::new(vote));
    }

    /// The votes on a message.
    fn votes_on<'a>(&'a self, message: &'a RoundMessage) -> impl Iterator<Item = &'a Arc<Vote>> {
        self.votes
            .values()
            .filter(move |vote| vote.message() == message)
    }

    /// The tally that has a threshold, unless it is spent.
    fn ready(&self, threshold: u32) -> Option<&Tally> {
        let leading = self.tallies.get(&self.leading?)?;
        (leading.count >= threshold).then_some(leading)
    }

    /// Whether there was a vote to remove.
    fn remove(&mut self, signer: SignerIndex) -> bool {
        let Some(vote) = self.votes.remove(&signer) else {
            return false;
        };
        let hash = vote.message().hash();
        if let Some(tally) = self.tallies.get_mut(&hash) {
            tally.count = tally.count.saturating_sub(1);
            if tally.count == 0 {
                self.tallies.remove(&hash);
            }
        }
        if self.leading == Some(hash) {
            self.find_leading();
        }
        true
    }

    fn find_leading(&mut self) {
        let open = self.tallies.iter().filter(|(_, tally)| !tally.spent);
        let leading = open.rev().max_by_key(|(_, tally)| tally.count);
        self.leading = leading.map(|(hash, _)| *hash);
    }

    fn is_empty(&self) -> bool {
        self.own.is_none() && self.votes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{testing::TestSet, H256};

    fn message(set: &TestSet, block: u32) -> RoundMessage {
        RoundMessage::new(H256::zero(), set.commitment(block, &set.set))
    }

    fn blocks(range: RangeInclusive<u32>) -> RangeInclusive<BlockNumber> {
        BlockNumber::new(*range.start())..=BlockNumber::new(*range.end())
    }

    fn enter(rounds: &mut Rounds, set: &TestSet, signer: u32, block: u32) -> Entered {
        let message = message(set, block);
        rounds.enter(set.vote(signer, &message).expect("a member"), 2, 0)
    }

    #[test]
    fn a_threshold_agrees_until_its_votes_are_spent() {
        let set = TestSet::new(0, 0..4);
        let mut rounds = Rounds::default();
        let threshold = set.set.keyset().threshold();
        for signer in 0..2 {
            assert_eq!(enter(&mut rounds, &set, signer, 8), Entered::Counted);
        }
        assert_eq!(enter(&mut rounds, &set, 1, 8), Entered::Repeated);
        assert_eq!(rounds.ready(blocks(1..=9), threshold), None);
        enter(&mut rounds, &set, 3, 8);
        assert_eq!(rounds.ready(blocks(1..=7), threshold), None);
        let block = BlockNumber::new(8);
        assert_eq!(rounds.ready(blocks(1..=9), threshold), Some(block));
        let (agreed, votes) = rounds.agreed(block, threshold).expect("a threshold");
        let proof = set.set.aggregate(&agreed, &votes).expect("good votes");
        assert!(proof
            .into_unchecked()
            .check(set.set.keyset(), H256::zero())
            .is_ok());
        rounds.spend(&agreed);
        assert_eq!(rounds.ready(blocks(1..=9), threshold), None);
        assert!(rounds.agreed(block, threshold).is_none());
    }

    #[test]
    fn votes_on_different_commitments_do_not_add_up() {
        let set = TestSet::new(0, 0..4);
        let mut rounds = Rounds::default();
        let mut other = set.commitment(8, &set.set);
        other.mmr_root = H256::zero();
        let other = RoundMessage::new(H256::zero(), other);
        for signer in 0..4 {
            let message = if signer < 2 {
                message(&set, 8)
            } else {
                other.clone()
            };
            rounds.enter(set.vote(signer, &message).expect("a member"), 2, 0);
        }
        assert_eq!(
            rounds.ready(blocks(1..=9), set.set.keyset().threshold()),
            None
        );
    }

    #[test]
    fn a_signers_lowest_vote_is_displaced_and_no_longer_counts() {
        let set = TestSet::new(0, 0..4);
        let mut rounds = Rounds::default();
        for block in [3, 5] {
            assert_eq!(enter(&mut rounds, &set, 0, block), Entered::Counted);
        }
        assert_eq!(enter(&mut rounds, &set, 0, 7), Entered::CountedForLowest);
        assert_eq!((rounds.len(), rounds.votes()), (2, 2));
        assert_eq!(rounds.ready(blocks(3..=3), 1), None);
        rounds.prune(BlockNumber::new(5));
        assert_eq!((rounds.len(), rounds.votes()), (1, 1));
        assert_eq!(enter(&mut rounds, &set, 0, 7), Entered::Repeated);
        assert_eq!(enter(&mut rounds, &set, 0, 9), Entered::Counted);
    }

    #[test]
    fn others_votes_count_on_when_a_signers_vote_on_the_block_is_displaced() {
        let set = TestSet::new(0, 0..4);
        let mut rounds = Rounds::default();
        let block = BlockNumber::new(3);
        for signer in [0, 1, 3] {
            enter(&mut rounds, &set, signer, 3);
        }
        let mut other = set.commitment(3, &set.set);
        other.mmr_root = H256::zero();
        let other = RoundMessage::new(H256::zero(), other);
        rounds.enter(set.vote(2, &other).expect("a member"), 2, 0);
        let said = |rounds: &Rounds| rounds.agreed(block, 1).map(|(said, _)| said);
        for (signers, most) in [(&[0][..], message(&set, 3)), (&[1, 3], other)] {
            for signer in signers {
                let entered = [5, 7].map(|block| enter(&mut rounds, &set, *signer, block));
                assert_eq!(entered, [Entered::Counted, Entered::CountedForLowest]);
            }
            assert_eq!(said(&rounds), Some(most));
        }
    }
}
