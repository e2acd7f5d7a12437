//! Proofs, handoffs, successors and contradictions. (LIGHT-3 to LIGHT-7, JUST-1 to JUST-5, STATELESS-1, STATELESS-2)

use super::collected::Attacks;
use crate::cases::world::{
    from_checkpoint, handoff, justification, keys_step, proof, scenario, stateless, step,
};
use duet_light_client::{testing::TestChain, HandoffProof};
use duet_primitives::{
    suite::MAX_VALIDATORS, Bitfield, BlockNumber, Commitment, SetId, SignerIndex, StatelessProof,
    UncheckedJustification, H256,
};
use serde_json::Value;

/// Adds them all.
pub(super) fn add(attacks: &mut Attacks) {
    attacks.changed_proofs();
    attacks.other_chains_and_sets();
    attacks.handoffs();
    attacks.successors();
    attacks.changed_ids();
    attacks.contradictions();
    attacks.checkpoints();
    attacks.keys();
}

/// What is done to something good.
type Change<T> = fn(&mut T);

impl Attacks {
    fn changed_proofs(&mut self) {
        let other = justification(&self.chain, 5);
        self.changed("JUST-5", "another apk2", |bad| bad.apk2 = other.apk2);
        self.changed("JUST-5", "another signature", |bad| {
            bad.signature = other.signature
        });
        self.changed("JUST-5", "another block number", |bad| {
            bad.commitment.block_number = BlockNumber::new(3)
        });
        self.changed("JUST-5", "another MMR root", |bad| {
            bad.commitment.mmr_root = H256::zero()
        });
        let bits = |signers: std::ops::Range<u32>| {
            Bitfield::from_indices(5, signers.map(SignerIndex::new))
        };
        self.changed("JUST-4", "three signers of five", |bad| {
            bad.signers = bits(0..3)
        });
        self.changed("JUST-3", "a padding bit", |bad| {
            bad.signers = Bitfield::from_bytes(vec![0x3b])
        });
        self.changed("JUST-2", "a bitfield of another length", |bad| {
            bad.signers = Bitfield::empty(9)
        });
        self.changed("ENC-1", "a signature of zeros", |bad| {
            bad.signature.0 = [0; 48]
        });
        self.changed("ENC-1", "an apk2 of ones", |bad| bad.apk2.0 = [0xff; 96]);
        let mut named = justification(&self.chain, 2);
        named.signers = bits(1..5);
        self.refused(
            "JUST-5",
            "a bitfield that names others",
            "full",
            vec![step("justification", &named)],
        );
    }

    fn other_chains_and_sets(&mut self) {
        let other = TestChain::new(3, 5, 2);
        for mode in ["full", "stateless"] {
            self.refused(
                "JUST-5",
                "a proof of another chain",
                mode,
                vec![proof(&other, mode, 2)],
            );
            for (id, number) in [("the next set", 12), ("a later set", 22)] {
                let early = proof(&self.chain, mode, number);
                self.refused(
                    "LIGHT-6",
                    &format!("a proof of {id}, too early"),
                    mode,
                    vec![early],
                );
            }
            let known = [5, 12].map(|number| proof(&self.chain, mode, number));
            let old = proof(&self.chain, mode, 8);
            let steps = known.iter().cloned();
            // With keys, those of set 1 come with the handoff proof.
            let mut steps: Vec<_> = steps.collect();
            steps[0] = handoff(&self.chain, mode, 0);
            self.refused(
                "LIGHT-4",
                "a block that is old",
                mode,
                [steps, vec![old]].concat(),
            );
        }
        let mut relabelled = justification(&self.chain, 12);
        relabelled.commitment.validator_set_id = SetId::new(0);
        self.refused(
            "JUST-5",
            "a proof of another set under this set's id",
            "full",
            vec![step("justification", &relabelled)],
        );
        let mut commitment = justification(&self.chain, 8).commitment;
        commitment.block_number = BlockNumber::new(30);
        let stale = self.chain.sign(0, commitment, 0..5);
        let steps = vec![
            handoff(&self.chain, "full", 0),
            proof(&self.chain, "full", 12),
            step("justification", &stale),
        ];
        self.refused("LIGHT-5", "a new block by a former set", "full", steps);
        let steps = vec![
            proof(&self.chain, "full", 5),
            proof(&self.chain, "full", 12),
        ];
        self.refused(
            "LIGHT-3",
            "a proof of a set whose keys were not asked for",
            "full",
            steps,
        );
    }

    fn handoffs(&mut self) {
        let honest = self.chain.handoff_proofs(0, 1).remove(0);
        let keys = |set| self.chain.keys(set).expect("a set of the chain");
        let with = |next_keys| HandoffProof {
            next_keys,
            ..honest.clone()
        };
        let fewer = honest.next_keys[1..].to_vec();
        let mut swapped = honest.next_keys.clone();
        swapped.swap(0, 1);
        let bad = [
            (
                "LIGHT-3",
                "the keys of another set in a handoff proof",
                with(keys(2)),
            ),
            ("LIGHT-3", "a handoff proof without one key", with(fewer)),
            (
                "LIGHT-3",
                "a handoff proof with keys in another order",
                with(swapped),
            ),
            ("LIGHT-3", "a handoff proof without keys", with(vec![])),
        ];
        for (rule, id, bad) in bad {
            self.refused(rule, id, "full", vec![step("handoff", &bad)]);
        }
        let nobody = HandoffProof {
            justification: justification(&self.chain, 2),
            ..honest
        };
        self.refused(
            "LIGHT-5",
            "a handoff proof that names no successor",
            "full",
            vec![step("handoff", &nobody)],
        );
    }

    /// What validators sign and may not: nobody but them is to blame.
    fn successors(&mut self) {
        let changes: [(&str, Change<Commitment>); 6] = [
            ("that skips an id", |it| it.next.id = SetId::new(2)),
            ("with the same id and other keys", |it| {
                it.next.id = SetId::new(0)
            }),
            ("without keys", |it| it.next.len = 0),
            ("with too many keys", |it| it.next.len = MAX_VALIDATORS + 1),
            ("with the largest id", |it| {
                it.next.id = SetId::new(u64::MAX)
            }),
            ("that skips an id and has no keys", |it| {
                (it.next.id, it.next.len) = (SetId::new(2), 0)
            }),
        ];
        for (id, change) in changes {
            let mut commitment = justification(&self.chain, 5).commitment;
            change(&mut commitment);
            let signed = self.chain.sign(0, commitment, 0..5);
            let id = format!("a successor {id}");
            self.refused("LIGHT-5", &id, "full", vec![step("justification", &signed)]);
        }
    }

    /// LIGHT-7: the id of a set that is not trusted is a claim.
    fn changed_ids(&mut self) {
        let changed = SetId::new(99);
        let mut bad = self.chain.handoff_proofs(0, 1).remove(0);
        bad.justification.commitment.validator_set_id = changed;
        self.refused(
            "LIGHT-7",
            "a handoff proof with another set id",
            "full",
            vec![step("handoff", &bad)],
        );
        for (number, before) in [(2, vec![]), (12, vec![0])] {
            let id = format!("a proof of block {number} with another set id");
            let steps = |mode: &str, chain: &TestChain| -> Vec<Value> {
                before
                    .iter()
                    .map(|set| handoff(chain, mode, *set))
                    .collect()
            };
            let mut bad = justification(&self.chain, number);
            bad.commitment.validator_set_id = changed;
            let full = [
                steps("full", &self.chain),
                vec![step("justification", &bad)],
            ]
            .concat();
            self.refused("LIGHT-7", &id, "full", full);
            let bad = StatelessProof {
                justification: bad,
                ..stateless(&self.chain, number)
            };
            let without_keys = [
                steps("stateless", &self.chain),
                vec![step("stateless", &bad)],
            ]
            .concat();
            self.refused("LIGHT-7", &id, "stateless", without_keys);
        }
    }

    fn contradictions(&mut self) {
        let mut commitment = justification(&self.chain, 2).commitment;
        commitment.block_hash = H256::repeat_byte(9);
        let second = self.chain.sign(0, commitment, [0, 1, 2, 4]);
        let steps = |second: &UncheckedJustification| {
            vec![proof(&self.chain, "full", 2), step("justification", second)]
        };
        let mut forged = second.clone();
        forged.commitment.mmr_root = H256::repeat_byte(3);
        let (holds, forged) = (steps(&second), steps(&forged));
        self.refused("LIGHT-4", "two commitments for one block", "full", holds);
        self.refused("JUST-5", "a forged contradiction", "full", forged);

        let late = justification(&self.chain, 8).commitment;
        let mut other = late.clone();
        other.next.root = H256::repeat_byte(7);
        let mut back = late;
        back.next = self.chain.sets[0].set.commitment().clone();
        for (id, commitment) in [
            ("two successors of one set", other),
            ("a successor that is taken back", back),
        ] {
            let steps = vec![
                handoff(&self.chain, "full", 0),
                step("justification", &self.chain.sign(0, commitment, 0..5)),
            ];
            self.refused("LIGHT-5", id, "full", steps);
        }
        // Set 1 signs block 7 first, and set 0 block 7 again: one number, two commitments, two sets.
        let mut early = justification(&self.chain, 12).commitment;
        early.block_number = BlockNumber::new(7);
        let early = self.chain.sign(1, early, 0..5);
        let mut behind = justification(&self.chain, 8).commitment;
        behind.block_number = BlockNumber::new(7);
        let steps = vec![
            handoff(&self.chain, "full", 0),
            step("justification", &early),
            step("justification", &self.chain.sign(0, behind, 0..5)),
        ];
        self.refused(
            "LIGHT-5",
            "a block of the next set again by the former one",
            "full",
            steps,
        );
    }

    fn checkpoints(&mut self) {
        let mut other_hash = self.chain.checkpoint(0);
        other_hash.block_number = BlockNumber::new(2);
        other_hash.block_hash = H256::repeat_byte(5);
        let mut planned = self.chain.checkpoint(0);
        planned.keysets.next = self.chain.sets[1].set.commitment().clone();
        let mut other_successor = planned.clone();
        other_successor.keysets.next.root = H256::repeat_byte(5);
        for (rule, id, checkpoint, number) in [
            (
                "LIGHT-4",
                "a checkpoint with another hash for the block",
                other_hash,
                2,
            ),
            (
                "LIGHT-5",
                "a checkpoint whose successor is taken back",
                planned,
                2,
            ),
            (
                "LIGHT-5",
                "a checkpoint with another successor",
                other_successor,
                5,
            ),
        ] {
            let steps = vec![proof(&self.chain, "stateless", number)];
            let input = scenario(&from_checkpoint(&checkpoint), "stateless", steps);
            self.builder.breaks(rule, id, "follow", input);
        }
    }

    fn keys(&mut self) {
        let keys = |set| self.chain.keys(set).expect("a set of the chain");
        let (own, other) = (keys(0), keys(1));
        let start = from_checkpoint(&self.chain.checkpoint(0));
        for (rule, id, mode, set, keys) in [
            (
                "LIGHT-3",
                "the keys of another set for this one",
                "full",
                0,
                other.clone(),
            ),
            (
                "LIGHT-3",
                "keys of a set that is not trusted",
                "full",
                1,
                other,
            ),
            (
                "LIGHT-3",
                "keys for a client that keeps none",
                "stateless",
                0,
                own,
            ),
        ] {
            let input = scenario(&start, mode, vec![keys_step(set, &keys)]);
            self.builder.breaks(rule, id, "follow", input);
        }
        let steps = vec![proof(&self.chain, "full", 2)];
        self.builder.breaks(
            "LIGHT-3",
            "a proof for a client that still lacks the keys",
            "follow",
            scenario(&start, "full", steps),
        );
    }
}
