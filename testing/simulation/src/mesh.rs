//! Who is connected with whom, and how far away.

use crate::{
    model::Model,
    random::{Purpose, Random},
};
use std::ops::Range;

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node that sends.
    pub from: u32,
    /// The node that receives.
    pub to: u32,
    /// The other direction of the same link.
    pub back: u32,
    /// One way, in nanoseconds.
    pub latency: u64,
}

/// The links of a network.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Ordered by sender.
    edges: Vec<Edge>,
    /// Where the edges of each node begin, and the end.
    starts: Vec<u32>,
}

/// A link and its latency, which is the same both ways.
pub type Link = (u32, u32, u64);

impl Mesh {
    /// The network of `nodes` nodes with these links, none of which may stand twice or lead to its own start.
    /// Links of nodes that there are not are left out.
    pub fn new(nodes: u32, links: &[Link]) -> Self {
        let mut edges: Vec<_> = links
            .iter()
            .filter(|(a, b, _)| *a < nodes && *b < nodes)
            .flat_map(|(a, b, latency)| [(*a, *b, *latency), (*b, *a, *latency)])
            .collect();
        edges.sort_unstable();
        let before = |from| count(edges.partition_point(|edge| edge.0 < from));
        let starts = (0..=nodes).map(before).collect();
        let back = |(from, to, latency): &Link| {
            count(edges.partition_point(|edge| *edge < (*to, *from, *latency)))
        };
        let edges = edges
            .iter()
            .map(|edge| Edge {
                from: edge.0,
                to: edge.1,
                back: back(edge),
                latency: edge.2,
            })
            .collect();
        Self { edges, starts }
    }

    /// A random network: each node dials `out_peers` others that let it, as a node of the SDK does.
    pub fn random(model: &Model, nodes: u32, seed: u64) -> Self {
        let mut latencies = Random::new(seed, Purpose::Latencies);
        let links: Vec<_> = dial(model, nodes, seed)
            .into_iter()
            .map(|(a, b)| (a, b, latency(model, &mut latencies)))
            .collect();
        Self::new(nodes, &links)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        count(self.starts.len().saturating_sub(1))
    }

    /// Both directions of every link.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges on which a node sends, as indices.
    pub(crate) fn edges_of(&self, node: u32) -> Range<u32> {
        let start = |at: u32| {
            let at = usize::try_from(at).expect("u32 fits; qed");
            self.starts[at]
        };
        start(node)..start(node + 1)
    }

    /// An edge by its index.
    pub(crate) fn edge(&self, index: u32) -> &Edge {
        &self.edges[usize::try_from(index).expect("u32 fits; qed")]
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).expect("fewer edges than 2^32; qed")
}

/// How often a node looks for one more peer before it stays with fewer.
const TRIES: u32 = 64;

/// Who dials whom. The nodes take turns, one peer each, so that none finds all places taken.
fn dial(model: &Model, nodes: u32, seed: u64) -> Vec<(u32, u32)> {
    let mut random = Random::new(seed, Purpose::Links);
    let in_memory = |at: u32| usize::try_from(at).expect("u32 fits; qed");
    let mut peers: Vec<Vec<u32>> = vec![Vec::new(); in_memory(nodes)];
    let mut inbound = vec![0; in_memory(nodes)];
    let mut links = Vec::new();
    for _ in 0..model.out_peers {
        for node in 0..nodes {
            let found = (0..TRIES).map(|_| random.index(nodes)).find(|other| {
                *other != node
                    && inbound[in_memory(*other)] < model.in_peers
                    && !peers[in_memory(node)].contains(other)
            });
            let Some(other) = found else { continue };
            peers[in_memory(node)].push(other);
            peers[in_memory(other)].push(node);
            inbound[in_memory(other)] += 1;
            links.push((node, other));
        }
    }
    links
}

fn latency(model: &Model, random: &mut Random) -> u64 {
    let factor = libm::exp(model.latency_sigma * random.normal());
    let (least, most) = model.latency_range;
    rounded(model.latency_median as f64 * factor).clamp(least, most)
}

/// The nearest whole number; what is not above zero is zero.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturating is what is meant.
fn rounded(value: f64) -> u64 {
    libm::round(value) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MILLISECOND;
    use std::collections::BTreeSet;

    #[test]
    fn every_edge_has_its_way_back() {
        let mesh = Mesh::random(&Model::default(), 300, 1);
        let mut pairs = BTreeSet::new();
        for (index, edge) in (0..).zip(mesh.edges()) {
            let back = mesh.edge(edge.back);
            assert_eq!((back.from, back.to, back.back), (edge.to, edge.from, index));
            assert_eq!(back.latency, edge.latency);
            assert_ne!(edge.from, edge.to);
            assert!(pairs.insert((edge.from, edge.to)));
            assert!(mesh.edges_of(edge.from).contains(&index));
        }
    }

    #[test]
    fn nodes_have_the_peers_that_the_model_says_and_reach_each_other() {
        let model = Model::default();
        let mesh = Mesh::random(&model, 1000, 7);
        assert_eq!(mesh.edges().len(), 2 * 8 * 1000);
        for node in 0..1000 {
            assert!((8..=40).contains(&mesh.edges_of(node).len()));
        }
        let (mut reached, mut next) = (BTreeSet::from([0]), vec![0]);
        while let Some(node) = next.pop() {
            let peers = mesh.edges_of(node).map(|edge| mesh.edge(edge).to);
            next.extend(peers.filter(|peer| reached.insert(*peer)));
        }
        assert_eq!(reached.len(), 1000);
    }

    #[test]
    fn half_of_the_latencies_are_below_the_median_and_all_within_bounds() {
        let model = Model::default();
        let mesh = Mesh::random(&model, 1000, 7);
        let below = mesh
            .edges()
            .iter()
            .filter(|edge| edge.latency < 50 * MILLISECOND);
        let share = below.count() as f64 / mesh.edges().len() as f64;
        assert!((0.47..0.53).contains(&share), "{share}");
        let (least, most) = model.latency_range;
        assert!(mesh
            .edges()
            .iter()
            .all(|edge| (least..=most).contains(&edge.latency)));
    }
}
