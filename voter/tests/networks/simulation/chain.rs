//! The chain that GRANDPA finalizes: the truth that nodes learn late and the judge compares with.

use super::crypto;
use duet_primitives::{testing::TestSet, BlockNumber, Commitment, SetId, VotingRules};
use std::sync::Arc;

/// One set's time on the chain.
pub(crate) struct Era {
    pub(crate) set: Arc<TestSet>,
    pub(crate) start: BlockNumber,
    /// The block that plans the next set; `None` for the last set, and for one that a reset ends.
    pub(crate) mandatory: Option<BlockNumber>,
    /// Whether a reset starts the set, and no handoff.
    pub(crate) is_reset: bool,
    pub(crate) rules: VotingRules,
}

pub(crate) struct Chain {
    pub(crate) eras: Vec<Era>,
    pub(crate) height: BlockNumber,
}

/// What a header says.
pub(crate) enum Log {
    Activated(SetId),
    Planned(SetId),
    Reset(SetId),
    Rules(VotingRules),
}

impl Chain {
    /// Sets with these members; `gaps` are the blocks from each set's start to its mandatory block,
    /// and a session later the next one starts. Those in `resets` start by a reset, without a mandatory block before.
    pub(crate) fn new(
        members: &[Vec<u64>],
        gaps: &[u32],
        (session, tail): (u32, u32),
        resets: &[usize],
    ) -> Self {
        let mut start = 1;
        let mut eras = Vec::new();
        for (id, members) in (0..).zip(members) {
            let gap = gaps.get(eras.len() % gaps.len()).expect("there are gaps");
            let mandatory = Some(start + gap);
            eras.push(Era {
                set: crypto::set(SetId::new(id), members),
                start: BlockNumber::new(start),
                mandatory: mandatory.map(BlockNumber::new),
                is_reset: resets.contains(&eras.len()),
                rules: VotingRules::default(),
            });
            start = mandatory.map_or(start, |mandatory| mandatory + session);
        }
        if let Some(last) = eras.last_mut() {
            last.mandatory = None;
        }
        for reset in resets {
            if let Some(before) = reset.checked_sub(1).and_then(|at| eras.get_mut(at)) {
                before.mandatory = None;
            }
        }
        let height = eras.last().map_or(0, |last: &Era| last.start.get()) + tail;
        let height = BlockNumber::new(height);
        Self { eras, height }
    }

    /// The same with sets that vote by these rules. (ROUND-11)
    pub(crate) fn voting_by(mut self, rules: impl Iterator<Item = VotingRules>) -> Self {
        for (era, rules) in self.eras.iter_mut().zip(rules) {
            era.rules = rules;
        }
        self
    }

    pub(crate) fn era(&self, id: SetId) -> Option<&Era> {
        self.eras.get(usize::try_from(id.get()).ok()?)
    }

    /// The set that signs at a block.
    pub(crate) fn era_at(&self, block: BlockNumber) -> &Era {
        self.eras
            .iter()
            .rev()
            .find(|era| era.start <= block)
            .expect("blocks start at one")
    }

    /// The only commitment to a block that is true.
    pub(crate) fn commitment(&self, block: BlockNumber) -> Commitment {
        let era = self.era_at(block);
        let id = era.set.set.commitment().id;
        let handed_off = era.mandatory.is_some_and(|mandatory| block >= mandatory);
        let next = if handed_off {
            let next = id.checked_next().expect("few sets");
            self.era(next).expect("planned")
        } else {
            era
        };
        era.set.commitment(block.get(), &next.set.set)
    }

    pub(crate) fn logs(&self, block: BlockNumber) -> Vec<Log> {
        let mut logs = Vec::new();
        let mut before = None;
        for (id, era) in (0..).zip(&self.eras) {
            if era.start == block && id > 0 {
                let id = SetId::new(id);
                logs.push(if era.is_reset {
                    Log::Reset(id)
                } else {
                    Log::Activated(id)
                });
                if era.is_reset || before != Some(era.rules) {
                    logs.push(Log::Rules(era.rules));
                }
            }
            before = Some(era.rules);
            if era.mandatory == Some(block) {
                logs.push(Log::Planned(SetId::new(id + 1)));
            }
        }
        logs
    }
}
