//! What must hold of every history, whatever was done to the network. Nothing here is shared with the nodes.

use crate::history::{History, Proof};
use duet_primitives::H256;
use std::{collections::BTreeMap, fmt, time::Duration};

/// More memory than a node of a network of this size has any use for: a node of the profile `dev` takes about a quarter of it.
pub const MEMORY: u64 = 1 << 30;
/// Gauges, and what they never exceed. Those with zero count what no honest validator does.
pub const CEILINGS: [(&str, f64); 8] = [
    // What the node's voter lets wait (docs/operators/metrics.md).
    ("buffered_justifications", 256.0),
    ("rounds", 64.0),
    ("checks_waiting", 4_096.0),
    ("equivocations_total", 0.0),
    ("diverged", 0.0),
    (OF_TWINS, 0.0),
    ("stopped", 0.0),
    ("inconsistent_events_total", 0.0),
];
/// What a node may count whose keys another one has, too.
const OF_TWINS: &str = "own_key_elsewhere_total";
/// Of each validator, how many votes and how many messages a node may keep.
pub const OF_EACH_VALIDATOR: [(&str, f64); 2] = [("votes_held", 64.0), ("messages_kept", 64.0)];

/// Something that must not be.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// Two proofs of one height name two blocks.
    TwoProofs {
        /// The height.
        height: u32,
        /// A node, and the block that it proved.
        one: (u16, H256),
        /// The other one.
        other: (u16, H256),
    },
    /// A node proved a block by a set to which it had shown no handoff.
    SetWithoutHandoff {
        /// The node.
        node: u16,
        /// The set before.
        from: u64,
        /// The set that signed next.
        to: u64,
    },
    /// A light client refused what a node sent.
    Refused(String),
    /// A node took too much memory.
    Memory {
        /// The node.
        node: u16,
        /// How much it took.
        bytes: u64,
    },
    /// A gauge of a node exceeded its ceiling.
    Gauge {
        /// The node.
        node: u16,
        /// The gauge.
        name: &'static str,
        /// What it showed.
        value: f64,
        /// What it may show.
        ceiling: f64,
    },
    /// Nodes did not prove new blocks in time.
    Late {
        /// The bound.
        bound: Duration,
        /// The nodes that had not.
        nodes: Vec<u16>,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TwoProofs { height, one, other } => write!(
                f,
                "two proofs of height {height}: node {} proved {:?}, node {} proved {:?}",
                one.0, one.1, other.0, other.1
            ),
            Self::SetWithoutHandoff { node, from, to } => write!(
                f,
                "node {node} went from set {from} to set {to} without a proof of the handoff"
            ),
            Self::Refused(what) => write!(f, "a light client refused {what}"),
            Self::Memory { node, bytes } => {
                write!(f, "node {node} took {} MiB of memory", bytes >> 20)
            }
            Self::Gauge {
                node,
                name,
                value,
                ceiling,
            } => write!(f, "node {node}: {name} was {value}, above {ceiling}"),
            Self::Late { bound, nodes } => write!(
                f,
                "{} s after the faults were mended, nodes {nodes:?} had proven no block that was made since",
                bound.as_secs()
            ),
        }
    }
}

/// Everything that is wrong with a history of a network of so many validators.
pub fn violations(history: &History, validators: u16) -> Vec<Violation> {
    let mut found = two_proofs(&history.proofs);
    found.extend(sets_without_handoff(history));
    found.extend(history.refusals.iter().cloned().map(Violation::Refused));
    found.extend(too_much(history, validators));
    found
}

/// Heights of which two different blocks are proven, wherever.
fn two_proofs(proofs: &[Proof]) -> Vec<Violation> {
    let mut first: BTreeMap<u32, &Proof> = BTreeMap::new();
    let mut found = Vec::new();
    for proof in proofs {
        let one = first.entry(proof.height).or_insert(proof);
        if one.hash != proof.hash {
            found.push(Violation::TwoProofs {
                height: proof.height,
                one: (one.node, one.hash),
                other: (proof.node, proof.hash),
            });
        }
    }
    found
}

/// Steps from one set to another that neither a handoff nor a reset explains, node by node. The first set is that of the genesis.
fn sets_without_handoff(history: &History) -> Vec<Violation> {
    let mut reached: BTreeMap<u16, u64> = BTreeMap::new();
    let mut found = Vec::new();
    for proof in &history.proofs {
        let set = reached.entry(proof.node).or_default();
        if proof.set > *set && history.resets.contains(&proof.set) {
            *set = proof.set;
        }
        if proof.set > *set {
            found.push(Violation::SetWithoutHandoff {
                node: proof.node,
                from: *set,
                to: proof.set,
            });
            *set = proof.set;
        }
        if proof.hands_off_to == set.checked_add(1) {
            *set += 1;
        }
    }
    found
}

/// Memory and gauges above their ceilings: the highest of each node.
fn too_much(history: &History, validators: u16) -> Vec<Violation> {
    let of_each = OF_EACH_VALIDATOR.map(|(name, each)| (name, each * f64::from(validators)));
    let ceilings = CEILINGS.into_iter().chain(of_each);
    let ceilings: Vec<_> = ceilings.collect();
    let mut memory: BTreeMap<u16, u64> = BTreeMap::new();
    let mut gauges: BTreeMap<(u16, &'static str), (f64, f64)> = BTreeMap::new();
    for sample in &history.samples {
        if sample.memory > MEMORY {
            let most = memory.entry(sample.node).or_default();
            *most = sample.memory.max(*most);
        }
        for (name, ceiling) in &ceilings {
            let value = sample.gauges.get(*name).copied().unwrap_or(0.0);
            let is_twin = *name == OF_TWINS && history.twins.contains(&sample.node);
            if value > *ceiling && !is_twin {
                let most = gauges
                    .entry((sample.node, name))
                    .or_insert((value, *ceiling));
                most.0 = most.0.max(value);
            }
        }
    }
    let memory = memory.into_iter();
    let memory = memory.map(|(node, bytes)| Violation::Memory { node, bytes });
    let gauges = gauges.into_iter();
    let gauges = gauges.map(|((node, name), (value, ceiling))| Violation::Gauge {
        node,
        name,
        value,
        ceiling,
    });
    memory.chain(gauges).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Sample;

    fn proof(node: u16, height: u32, set: u64) -> Proof {
        Proof {
            node,
            at: Duration::ZERO,
            height,
            hash: H256::from_low_u64_be(height.into()),
            set,
            hands_off_to: None,
        }
    }

    fn handoff(node: u16, height: u32, set: u64) -> Proof {
        Proof {
            hands_off_to: Some(set + 1),
            ..proof(node, height, set)
        }
    }

    fn sample(memory: u64, gauges: &[(&str, f64)]) -> Sample {
        let gauges = gauges
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value));
        Sample {
            node: 2,
            at: Duration::ZERO,
            memory,
            gauges: gauges.collect(),
        }
    }

    fn history(proofs: Vec<Proof>) -> History {
        History {
            proofs,
            ..History::default()
        }
    }

    #[test]
    fn nothing_is_wrong_with_a_history_in_which_all_nodes_prove_the_same() {
        let mut history = history(vec![
            proof(0, 1, 0),
            proof(1, 1, 0),
            handoff(0, 5, 0),
            handoff(1, 5, 0),
            proof(0, 6, 1),
            proof(1, 7, 1),
        ]);
        let gauges = [("rounds", 2.0), ("messages_kept", 120.0)];
        history.samples.push(sample(300 << 20, &gauges));
        assert_eq!(violations(&history, 4), []);
    }

    #[test]
    fn two_blocks_of_one_height_are_found_with_their_nodes() {
        let mut forked = proof(1, 3, 0);
        forked.hash = H256::repeat_byte(9);
        let (hash, other) = (proof(0, 3, 0).hash, forked.hash);
        let history = history(vec![proof(0, 3, 0), forked]);
        let expected = Violation::TwoProofs {
            height: 3,
            one: (0, hash),
            other: (1, other),
        };
        assert_eq!(violations(&history, 4), [expected]);
    }

    #[test]
    fn a_set_that_signs_before_its_handoff_is_found() {
        let (node, from, to) = (1, 0, 1);
        let expected = Violation::SetWithoutHandoff { node, from, to };
        // Node 0 has shown the handoff; node 1 has not.
        let early = history(vec![handoff(0, 5, 0), proof(0, 6, 1), proof(1, 6, 1)]);
        assert_eq!(violations(&early, 4), [expected]);
    }

    #[test]
    fn a_set_that_is_left_out_is_found() {
        let gap = history(vec![handoff(0, 5, 0), handoff(0, 9, 2), proof(0, 10, 3)]);
        let (node, from, to) = (0, 1, 2);
        let expected = Violation::SetWithoutHandoff { node, from, to };
        assert_eq!(violations(&gap, 4), [expected]);
    }

    #[test]
    fn a_refusal_is_a_violation() {
        let history = History {
            refusals: vec!["block 7 of node 1: JUST-5".to_owned()],
            ..History::default()
        };
        let [found] = &violations(&history, 4)[..] else {
            panic!("one is expected")
        };
        assert!(found.to_string().contains("JUST-5"), "{found}");
    }

    #[test]
    fn memory_above_its_ceiling_is_found_once_with_the_most() {
        let samples = [MEMORY, MEMORY + 1, MEMORY + 5, MEMORY + 2];
        let history = History {
            samples: samples.map(|memory| sample(memory, &[])).into(),
            ..History::default()
        };
        let (node, bytes) = (2, MEMORY + 5);
        assert_eq!(violations(&history, 4), [Violation::Memory { node, bytes }]);
    }

    #[test]
    fn a_reset_explains_its_own_set_and_no_other() {
        let mut history = history(vec![proof(0, 4, 0), proof(0, 9, 2)]);
        history.resets.insert(3);
        let missing = [Violation::SetWithoutHandoff {
            node: 0,
            from: 0,
            to: 2,
        }];
        assert_eq!(violations(&history, 4), missing);
        history.resets.insert(2);
        assert_eq!(violations(&history, 4), []);
        history.proofs.push(proof(0, 12, 3));
        history.resets.remove(&3);
        assert_eq!(violations(&history, 4).len(), 1, "set 3 had no handoff");
    }

    #[test]
    fn only_nodes_with_keys_of_one_validator_may_see_votes_that_they_did_not_make() {
        let gauges = [(OF_TWINS, 3.0), ("equivocations_total", 1.0)];
        let mut history = History {
            samples: vec![sample(0, &gauges)],
            ..History::default()
        };
        history.twins.insert(1);
        assert_eq!(violations(&history, 4).len(), 2);
        history.twins.insert(2);
        let [Violation::Gauge { name, .. }] = &violations(&history, 4)[..] else {
            panic!("one is expected")
        };
        assert_eq!(*name, "equivocations_total");
    }

    #[test]
    fn a_gauge_above_its_ceiling_is_found_and_the_ceiling_of_votes_grows_with_the_set() {
        let gauges = [("equivocations_total", 1.0), ("votes_held", 300.0)];
        let history = History {
            samples: vec![sample(0, &gauges)],
            ..History::default()
        };
        let names = |validators| -> Vec<_> {
            let gauges = violations(&history, validators).into_iter();
            let names = gauges.map(|violation| match violation {
                Violation::Gauge { name, .. } => name,
                other => panic!("{other}"),
            });
            names.collect()
        };
        assert_eq!(names(4), ["equivocations_total", "votes_held"]);
        assert_eq!(names(5), ["equivocations_total"]);
    }
}
