//! What a seed decides about a round before it begins. Nothing of it depends on the scheme, and the share of
//! garbage senders changes only who they are: what is compared runs on the same network.

use crate::{
    mesh::Mesh,
    model::{Model, ModelError},
    random::{Purpose, Random},
};

/// Votes that travel together: one vote, unless the model says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoteBatch {
    /// The node that sends it first.
    pub voter: u32,
    /// How many votes it represents.
    pub votes: u32,
    /// When it is cast.
    pub at: u64,
}

/// The network and its validators, one per node.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who is connected with whom.
    pub mesh: Mesh,
    /// Which nodes send garbage; they neither vote nor forward.
    pub garbage: Vec<bool>,
    /// When each node finalizes the block and prepares what it says about it.
    pub starts: Vec<u64>,
    /// The votes of the honest.
    pub batches: Vec<VoteBatch>,
    /// Each node's place in the schedule of who publishes a proof.
    pub ranks: Vec<u32>,
    /// When the first bad vote leaves on each edge, in shares of the time between two, `2^-32` each.
    pub phases: Vec<u32>,
}

impl Plan {
    /// Draws a plan.
    ///
    /// # Errors
    /// [`ModelError`] when the model cannot be simulated, or not with so many validators or garbage senders.
    pub fn new(
        model: &Model,
        validators: u32,
        garbage_percent: u32,
        seed: u64,
    ) -> Result<Self, ModelError> {
        model.check_case(validators, garbage_percent)?;
        let mesh = Mesh::random(model, validators, seed);
        let mut phases = Random::new(seed, Purpose::Phases);
        let phases = mesh
            .edges()
            .iter()
            .map(|_| phases.index(u32::MAX))
            .collect();
        let garbage = garbage_senders(validators, garbage_percent, seed);
        let starts = starts(model, validators, seed);
        Ok(Self {
            batches: batches(model, &garbage, &starts),
            starts,
            ranks: ranks(validators, seed),
            garbage,
            mesh,
            phases,
        })
    }
}

/// The first of a random order of all: a larger share has those of a smaller one and more.
fn garbage_senders(validators: u32, percent: u32, seed: u64) -> Vec<bool> {
    let order = Random::new(seed, Purpose::Garbage).permutation(validators);
    let senders = u64::from(validators) * u64::from(percent) / 100;
    order
        .into_iter()
        .map(|place| u64::from(place) < senders)
        .collect()
}

fn starts(model: &Model, validators: u32, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed, Purpose::Starts);
    let starts = (0..validators).map(|_| random.below(model.start_spread));
    starts.collect()
}

/// Each honest validator's vote, and then as many together as the model says, cast by the first of them.
fn batches(model: &Model, garbage: &[bool], starts: &[u64]) -> Vec<VoteBatch> {
    let cast: Vec<_> = (0..)
        .zip(garbage.iter().zip(starts))
        .filter_map(|(voter, (garbage, at))| (!*garbage).then_some((voter, *at)))
        .collect();
    let together = usize::try_from(model.votes_per_batch).unwrap_or(usize::MAX);
    cast.chunks(together)
        .filter_map(|votes| {
            let (voter, at) = *votes.first()?;
            let votes = u32::try_from(votes.len()).ok()?;
            Some(VoteBatch { voter, votes, at })
        })
        .collect()
}

fn ranks(validators: u32, seed: u64) -> Vec<u32> {
    Random::new(seed, Purpose::Ranks).permutation(validators)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(validators: u32, percent: u32, together: u32) -> Plan {
        let model = Model {
            votes_per_batch: together,
            ..Model::default()
        };
        Plan::new(&model, validators, percent, 5).expect("a plan")
    }

    #[test]
    fn every_honest_validator_votes_once_however_votes_are_put_together() {
        for (percent, honest) in [(0, 1000), (1, 990), (10, 900), (33, 670)] {
            for together in [1, 7, 10] {
                let plan = plan(1000, percent, together);
                let votes: u32 = plan.batches.iter().map(|batch| batch.votes).sum();
                assert_eq!(votes, honest);
                for batch in &plan.batches {
                    let voter = usize::try_from(batch.voter).expect("an index");
                    assert!(!plan.garbage[voter]);
                }
            }
        }
    }

    #[test]
    fn a_larger_share_of_garbage_senders_holds_a_smaller_one_and_the_network_stays() {
        let (few, many) = (plan(200, 10, 1), plan(200, 33, 1));
        assert!(few
            .garbage
            .iter()
            .zip(&many.garbage)
            .all(|(few, many)| *many || !few));
        assert_eq!(few.mesh.edges(), many.mesh.edges());
        let start = |plan: &Plan, voter| {
            let batch = plan.batches.iter().find(|batch| batch.voter == voter);
            batch.map(|batch| batch.at)
        };
        let voter = many.batches[0].voter;
        assert_eq!(start(&few, voter), start(&many, voter));
    }

    #[test]
    fn what_cannot_be_drawn_is_an_error() {
        let model = Model::default();
        assert!(matches!(
            Plan::new(&model, 1, 0, 0),
            Err(ModelError::Validators { got: 1, .. })
        ));
        assert!(matches!(
            Plan::new(&model, 10, 101, 0),
            Err(ModelError::Garbage { got: 101 })
        ));
    }
}
