//! A client that begins at a block whose hash its user trusts. (LIGHT-1 to LIGHT-3)

use super::{
    builder::{scale, Builder},
    world::{chain, handoff, proof, scenario, step, MODES},
};
use crate::format::{hexed, File};
use codec::Encode;
use duet_light_client::{
    testing::{self, StartState, TestChain},
    StartProof,
};
use duet_primitives::{Keysets, H256};
use serde_json::{json, Value};

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "starts",
        "A light client begins at a block whose hash its user trusts, and follows the chain from there.",
    );
    let chain = chain();
    builder.share("start", chain.start_proof(1).encode());
    let mut starts = Starts { builder, chain };
    starts.honest();
    starts.successor();
    starts.other_headers();
    starts.other_states();
    starts.put_down();
    starts.other_keys();
    starts.contradictions();
    starts.builder.file()
}

struct Starts {
    builder: Builder,
    chain: TestChain,
}

/// A start at the block with this number, in a state that has this value.
fn with_value(value: Option<&[u8]>, number: u32, keys: u64) -> StartProof {
    let state = StartState {
        keysets: value,
        ..StartState::default()
    };
    with_state(&state, number, keys)
}

fn with_state(state: &StartState<'_>, number: u32, keys: u64) -> StartProof {
    let keys = chain().keys(keys).expect("a set");
    state.start_proof(H256::zero(), number, keys)
}

impl Starts {
    /// The user trusts this hash, and this is sent.
    fn at(&self, hash: H256, proof: &StartProof) -> Value {
        json!({
            "genesis_hash": hexed(self.chain.genesis_hash),
            "start_hash": hexed(hash),
            "start_proof": scale(proof),
        })
    }

    /// The user trusts the block that is sent.
    fn at_its_own(&self, proof: &StartProof) -> Value {
        self.at(proof.block_hash(), proof)
    }

    fn holds(&mut self, id: &str, start: &Value, mode: &str, steps: Vec<Value>) {
        let input = scenario(start, mode, steps);
        self.builder
            .holds(&format!("{id}, {mode}"), "follow", input);
    }

    fn breaks(&mut self, rule: &str, id: &str, start: &Value) {
        for mode in MODES {
            let input = scenario(start, mode, vec![]);
            self.builder
                .breaks(rule, &format!("{id}, {mode}"), "follow", input);
        }
    }

    /// The first block of set 1 is trusted, and what is sent for it has one change.
    fn changed(&mut self, rule: &str, id: &str, change: impl FnOnce(&mut StartProof)) {
        let mut bad = self.chain.start_proof(1);
        let hash = bad.block_hash();
        change(&mut bad);
        let start = self.at(hash, &bad);
        self.breaks(rule, id, &start);
    }

    fn honest(&mut self) {
        let chain = self.chain.clone();
        for mode in MODES {
            let start = self.at_its_own(&chain.start_proof(1));
            let steps = vec![
                proof(&chain, mode, 12),
                handoff(&chain, mode, 1),
                handoff(&chain, mode, 2),
                proof(&chain, mode, 28),
            ];
            self.holds("from the first block of a set", &start, mode, steps);
            let start = self.at_its_own(&chain.genesis_proof());
            let steps = vec![handoff(&chain, mode, 0), proof(&chain, mode, 12)];
            self.holds("from the genesis as the start", &start, mode, steps);
            // Most chains do not begin with an activation at a round number.
            let keysets = Keysets::without_successor(chain.sets[2].set.commitment().clone());
            let start = self.at_its_own(&with_value(Some(&keysets.encode()), 23, 2));
            let steps = vec![handoff(&chain, mode, 2)];
            self.holds("from block 23, in set 2", &start, mode, steps);
        }
    }

    fn successor(&mut self) {
        let chain = self.chain.clone();
        let keysets = Keysets {
            current: chain.sets[1].set.commitment().clone(),
            next: chain.sets[2].set.commitment().clone(),
        };
        let start = self.at_its_own(&with_value(Some(&keysets.encode()), 16, 1));
        for mode in MODES {
            let steps = vec![proof(&chain, mode, 18)];
            self.holds("a start whose state names a successor", &start, mode, steps);
        }
        let steps = vec![proof(&chain, "stateless", 22)];
        self.holds(
            "a proof by the successor that the start names",
            &start,
            "stateless",
            steps,
        );
    }

    fn other_headers(&mut self) {
        let other_block = self.chain.start_proof(2);
        self.changed("LIGHT-1", "the header of another block", |bad| {
            *bad = other_block;
        });
        let other = TestChain::new(1, 5, 2).genesis_proof();
        let start = self.at_its_own(&other);
        self.breaks(
            "LIGHT-1",
            "the genesis of another chain as the start",
            &start,
        );
        let mut without_state = other;
        without_state.nodes.clear();
        let start = self.at_its_own(&without_state);
        let id = "the genesis of another chain, and its state is not proven";
        self.breaks("LIGHT-1", id, &start);
        let mut short = self.chain.start_proof(1);
        short.header.truncate(80);
        let start = self.at_its_own(&short);
        self.breaks(
            "LIGHT-1",
            "the hash of something else than a header",
            &start,
        );

        let later = self.chain.start_proof(1);
        let start = json!({
            "genesis_hash": hexed(later.block_hash()),
            "start_hash": hexed(later.block_hash()),
            "start_proof": scale(&later),
        });
        self.breaks(
            "LIGHT-1",
            "a later block as the genesis and the start",
            &start,
        );
        let bytes = later.encode();
        let mut start = self.at_its_own(&later);
        start["start_proof"] = json!(hexed(&bytes[..bytes.len() - 1]));
        self.breaks("ENC-6", "a start proof without its last byte", &start);
    }

    fn other_states(&mut self) {
        let honest = self.chain.start_proof(1);
        for missing in 0..honest.nodes.len() {
            let id = format!("a start without trie node {missing}");
            self.changed("LIGHT-2", &id, |bad| drop(bad.nodes.remove(missing)));
        }
        self.changed("LIGHT-2", "a start without trie nodes", |bad| {
            bad.nodes.clear();
        });
        self.changed("LIGHT-2", "a start with a trie node twice", |bad| {
            bad.nodes.push(bad.nodes[0].clone());
        });
        self.changed("LIGHT-2", "a start with a node of no trie", |bad| {
            bad.nodes.push(b"not of this trie".to_vec());
        });
        let others = self.chain.start_proof(2).nodes;
        self.changed(
            "LIGHT-2",
            "a start with the state of another block",
            |bad| {
                bad.nodes = others;
            },
        );
        let skips = Keysets {
            current: self.chain.sets[1].set.commitment().clone(),
            next: self.chain.sets[3].set.commitment().clone(),
        };
        let of_one = self.chain.sets[1].set.commitment().encode();
        for (id, value) in [
            ("a block without keysets", None),
            ("a block with half of the keysets", Some(of_one)),
            ("a block whose successor skips an id", Some(skips.encode())),
        ] {
            let start = self.at_its_own(&with_value(value.as_deref(), 7, 1));
            self.breaks("LIGHT-2", id, &start);
        }
    }

    /// LIGHT-2: what the state says about whether Duet is put down.
    fn put_down(&mut self) {
        let chain = self.chain.clone();
        let keysets = Keysets::without_successor(chain.sets[2].set.commitment().clone());
        let keysets = keysets.encode();
        let state = |ended| StartState {
            keysets: Some(&keysets),
            ended: Some(ended),
            salt: 0,
        };
        let start = |ended| with_state(&state(ended), 23, 2);
        let active = start(&[0]);
        for mode in MODES {
            let steps = vec![handoff(&chain, mode, 2)];
            let id = "from a block whose state says that Duet is not put down";
            self.holds(id, &self.at_its_own(&active), mode, steps);
        }
        // At the genesis the sets alone are proven.
        let kept_back = |ended| {
            let (_, nodes) = state(ended).prove(0);
            StartProof {
                nodes,
                ..start(ended)
            }
        };
        for (id, proof) in [
            ("a block at which Duet is put down", start(&[1])),
            ("a mark of an ended set that is no boolean", start(&[2])),
            ("a mark of an ended set that is two bytes", start(&[0, 0])),
            ("a mark of an ended set that is empty", start(&[])),
            (
                "a start that does not prove that Duet is not put down",
                kept_back(&[0]),
            ),
            ("a start that hides that Duet is put down", kept_back(&[1])),
        ] {
            self.breaks("LIGHT-2", id, &self.at_its_own(&proof));
        }
    }

    fn other_keys(&mut self) {
        let chain = self.chain.clone();
        let others = chain.keys(2).expect("a set");
        self.changed("LIGHT-3", "a start with the keys of another set", |bad| {
            bad.keys = others;
        });
        self.changed("LIGHT-3", "a start with the keys in another order", |bad| {
            bad.keys.reverse();
        });
        self.changed("LIGHT-3", "a start without a key", |bad| {
            bad.keys.pop();
        });
    }

    /// What holds by itself, and not after this start.
    fn contradictions(&mut self) {
        let chain = self.chain.clone();
        let start = self.at_its_own(&chain.start_proof(1));
        let mut same_block = chain.sets[1].commitment(testing::SPAN, &chain.sets[1].set);
        same_block.block_hash = H256::repeat_byte(9);
        let same_block = step("justification", &chain.sign(1, same_block, 0..5));
        for (rule, id, last) in [
            ("LIGHT-4", "another block where the start is", same_block),
            (
                "LIGHT-4",
                "a block before the start",
                proof(&chain, "full", 8),
            ),
            (
                "LIGHT-6",
                "a proof by the set after the next",
                proof(&chain, "full", 22),
            ),
        ] {
            let input = scenario(&start, "full", vec![last]);
            self.builder.breaks(rule, id, "follow", input);
        }
    }
}
