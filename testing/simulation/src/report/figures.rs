//! The figures of the rounds of a matrix, as one file.

use crate::{
    case::Case,
    costs::CostTable,
    model::Model,
    round::{NodeReport, Outcome},
    stats::median,
    Scheme,
};
use serde::{Deserialize, Serialize};

/// Everything that went in and came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The assumptions.
    pub model: Model,
    /// One network for each.
    pub seeds: Vec<u64>,
    /// What work takes.
    pub costs: CostTable,
    /// One per scheme, size and share.
    pub rows: Vec<Row>,
}

/// A figure over several networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// The network in the middle.
    pub median: u64,
    /// The network with the least.
    pub least: u64,
    /// The network with the most.
    pub most: u64,
}

/// A figure of each honest node, over several networks: of each network the median node and the one with the
/// most, and of those the median.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerNode {
    /// Of the median node.
    pub median: u64,
    /// Of the node with the most.
    pub most: u64,
}

/// One scheme in a set of one size, with one share of garbage senders. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// How votes are signed.
    pub scheme: Scheme,
    /// Size of the set.
    pub validators: u32,
    /// Share of it that sends garbage, in percent.
    pub garbage: u32,
    /// Votes that travel and are checked together; 1 is exact.
    pub votes_per_batch: u32,
    /// Processor time.
    pub cpu: PerNode,
    /// Bytes sent.
    pub sent: PerNode,
    /// Bytes received.
    pub received: PerNode,
    /// When the first honest node had added up a proof; `None` when that did not happen on every network.
    pub first_proof: Option<Spread>,
    /// When the last honest node had a proof; `None` when one had none.
    pub last_proof: Option<Spread>,
    /// Bad votes checked.
    pub bad_votes: PerNode,
    /// Messages that a node had already when they came.
    pub duplicates: PerNode,
    /// What duplicates took of the median node's processor time, in millionths.
    pub duplicates_share: u64,
    /// Good votes checked in batches.
    pub batched_votes: PerNode,
    /// Those batches.
    pub batches: PerNode,
    /// Good votes checked alone, before their commitment was prepared.
    pub strange_votes: PerNode,
    /// Good votes dropped for lack of room, at all nodes of all networks.
    pub dropped_votes: u64,
    /// The longest that a message waited for the engine or for its check.
    pub longest_wait: PerNode,
    /// Links from garbage senders to honest nodes, on all networks.
    pub garbage_links: u64,
    /// Those of them that were closed.
    pub closed_links: u64,
    /// Events simulated, on all networks.
    pub events: u64,
}

impl Spread {
    /// Of figures that are all there.
    fn of(values: impl Iterator<Item = Option<u64>>) -> Option<Self> {
        let values: Option<Vec<_>> = values.collect();
        let values = values?;
        Some(Self {
            median: median(values.iter().copied())?,
            least: values.iter().copied().min()?,
            most: values.iter().copied().max()?,
        })
    }
}

impl PerNode {
    fn of(outcomes: &[&Outcome], figure: impl Fn(&NodeReport) -> u64) -> Option<Self> {
        let nodes = |outcome: &Outcome| outcome.nodes.iter().map(&figure).collect::<Vec<_>>();
        let medians = outcomes.iter().filter_map(|outcome| median(nodes(outcome)));
        let most = outcomes
            .iter()
            .filter_map(|outcome| nodes(outcome).into_iter().max());
        Some(Self {
            median: median(medians)?,
            most: median(most)?,
        })
    }
}

impl Row {
    /// Of the outcomes of one case's networks; `None` when there are none with an honest node.
    pub(crate) fn new(
        scheme: Scheme,
        case: Case,
        votes_per_batch: u32,
        message: u64,
        outcomes: &[&Outcome],
    ) -> Option<Self> {
        let per_node = |figure: fn(&NodeReport) -> u64| PerNode::of(outcomes, figure);
        let cpu = per_node(|node| node.cpu)?;
        let duplicates = per_node(|node| node.duplicates)?;
        let sum =
            |figure: fn(&Outcome) -> u64| outcomes.iter().map(|outcome| figure(outcome)).sum();
        Some(Self {
            scheme,
            validators: case.validators,
            garbage: case.garbage,
            votes_per_batch,
            duplicates_share: (duplicates.median * message * 1_000_000)
                .checked_div(cpu.median)
                .unwrap_or_default(),
            cpu,
            duplicates,
            sent: per_node(|node| node.sent)?,
            received: per_node(|node| node.received)?,
            first_proof: Spread::of(outcomes.iter().map(|outcome| outcome.first_proof)),
            last_proof: Spread::of(outcomes.iter().map(|outcome| outcome.last_proof)),
            bad_votes: per_node(|node| node.bad_votes)?,
            batched_votes: per_node(|node| node.batched_votes)?,
            batches: per_node(|node| node.batches)?,
            strange_votes: per_node(|node| node.strange_votes)?,
            dropped_votes: sum(|outcome| outcome.nodes.iter().map(|it| it.dropped_votes).sum()),
            longest_wait: per_node(|node| node.longest_wait)?,
            garbage_links: sum(|outcome| u64::from(outcome.garbage_links)),
            closed_links: sum(|outcome| u64::from(outcome.closed_links)),
            events: sum(|outcome| outcome.events),
        })
    }
}

impl Report {
    /// The file that everything else is made from.
    ///
    /// # Errors
    /// When a figure is no number, which the model's check rules out.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}
