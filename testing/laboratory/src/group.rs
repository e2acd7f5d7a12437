//! Which nodes a step is about, whatever their number.

use std::fmt;

/// Some of the nodes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// All.
    All,
    /// The one with this number, counted from the end: the last one is 0.
    Last(u16),
    /// So many of them, from the first one on.
    First(u16),
    /// Half of them, the later ones; of an odd number the smaller half.
    Half,
    /// As many as may be missing: the others still finalize and prove. The last ones.
    Spare,
    /// One more than may be missing: the others finalize and prove nothing. The last ones.
    TooMany,
    /// Just enough to finalize and prove without the others. The first ones.
    Enough,
}

/// How many of so many validators may be missing: a third, rounded down after one is taken away.
pub fn spare(nodes: u16) -> u16 {
    nodes.saturating_sub(1) / 3
}

impl Group {
    /// The numbers of its nodes.
    pub fn of(self, nodes: u16) -> Vec<u16> {
        let last = |count: u16| (nodes.saturating_sub(count)..nodes).collect();
        match self {
            Self::All => last(nodes),
            Self::First(count) => (0..count.min(nodes)).collect(),
            Self::Last(place) => nodes.checked_sub(place + 1).into_iter().collect(),
            Self::Half => last(nodes / 2),
            Self::Spare => last(spare(nodes)),
            Self::TooMany => last(spare(nodes) + 1),
            Self::Enough => Self::Spare.others(nodes),
        }
    }

    /// The numbers of the other nodes.
    pub fn others(self, nodes: u16) -> Vec<u16> {
        let of = self.of(nodes);
        (0..nodes).filter(|node| !of.contains(node)).collect()
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all nodes"),
            Self::Last(0) => f.write_str("the last node"),
            Self::Last(place) => write!(f, "node {} from the end", place + 1),
            Self::First(count) => write!(f, "the first {count} nodes"),
            Self::Half => f.write_str("half of the nodes"),
            Self::Spare => f.write_str("as many nodes as may be missing"),
            Self::TooMany => f.write_str("one node more than may be missing"),
            Self::Enough => f.write_str("just enough nodes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quorum_is_left_without_the_spare_ones_and_none_without_one_more() {
        // A set of n needs n − ⌊(n−1)/3⌋ signers.
        for nodes in 4..=100 {
            let needed = usize::from(nodes - (nodes - 1) / 3);
            assert!(Group::Spare.others(nodes).len() >= needed, "{nodes}");
            assert!(Group::TooMany.others(nodes).len() < needed, "{nodes}");
            assert_eq!(Group::Enough.of(nodes), Group::Spare.others(nodes));
        }
    }

    #[test]
    fn a_half_and_the_others_are_all_and_neither_is_a_quorum() {
        let (half, others) = (Group::Half.of(7), Group::Half.others(7));
        assert_eq!(
            (half.as_slice(), others.as_slice()),
            (&[4, 5, 6][..], &[0, 1, 2, 3][..])
        );
        assert!(others.len() < 5);
    }

    #[test]
    fn nodes_are_counted_from_the_end() {
        assert_eq!(Group::Last(0).of(7), [6]);
        assert_eq!(Group::Last(7).of(7), [0; 0]);
    }
}
