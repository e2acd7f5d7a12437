//! What an honest server sends: chains of all sizes from genesis and from checkpoints. (LIGHT-1 to LIGHT-6, JUST-6)

use super::{
    builder::Builder,
    world::{
        chain, from_checkpoint, from_genesis, handoff, justification, keys_step, proof, scenario,
        stateless, step, MODES,
    },
};
use crate::format::File;
use codec::Encode;
use duet_light_client::testing::TestChain;
use duet_primitives::SetId;
use serde_json::{json, Value};

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "follow",
        "A light client follows honest chains of sets of 1 to 1000, with and without keys.",
    );
    for (size, sets) in [(1, 3), (4, 3), (5, 3), (7, 3), (100, 2), (1000, 1)] {
        let chain = TestChain::new(sets, size, 1);
        builder.share(
            &format!("genesis of {size}"),
            chain.genesis_proof().encode(),
        );
        for mode in MODES {
            every_proof(&mut builder, &chain, size, mode);
            handoffs(&mut builder, &chain, size, mode);
        }
    }
    checkpoints(&mut builder);
    known_blocks(&mut builder);
    together(&mut builder);
    builder.file()
}

fn handoffs(builder: &mut Builder, chain: &TestChain, size: u64, mode: &str) {
    let sets = chain.sets.len() as u64 - 1;
    let mut steps: Vec<_> = (0..sets).map(|set| handoff(chain, mode, set)).collect();
    steps.push(proof(chain, mode, chain.head().block_number.get()));
    let id = format!("handoff proofs of sets of {size}, then the newest block, {mode}");
    builder.holds(&id, "follow", scenario(&from_genesis(chain), mode, steps));
}

/// Every block with a proof, and the keys of each set once it was named.
fn every_proof(builder: &mut Builder, chain: &TestChain, size: u64, mode: &str) {
    // Handoff proofs of the largest sets bring the keys already; twice they would only make the file long.
    if size > 100 {
        return;
    }
    let mut steps = vec![];
    let mut known = SetId::new(0);
    for found in chain.justifications() {
        let commitment = &found.commitment;
        steps.push(proof(chain, mode, commitment.block_number.get()));
        if mode == "full" && commitment.next.id > known {
            known = commitment.next.id;
            steps.push(keys_step(
                known.get(),
                &chain.keys(known.get()).expect("a set of the chain"),
            ));
        }
    }
    let id = format!("every proof of sets of {size}, {mode}");
    builder.holds(&id, "follow", scenario(&from_genesis(chain), mode, steps));
}

fn checkpoints(builder: &mut Builder) {
    let chain = chain();
    let start = from_checkpoint(&chain.checkpoint(1));
    let keys = keys_step(1, &chain.keys(1).expect("a set of the chain"));
    let full = vec![
        keys,
        proof(&chain, "full", 12),
        handoff(&chain, "full", 1),
        proof(&chain, "full", 22),
    ];
    builder.holds(
        "from a checkpoint, full",
        "follow",
        scenario(&start, "full", full),
    );
    let without_keys = [12, 15, 22].map(|number| proof(&chain, "stateless", number));
    let scenario_of = scenario(&start, "stateless", without_keys.to_vec());
    builder.holds("from a checkpoint, stateless", "follow", scenario_of);

    let mut planned = chain.checkpoint(0);
    planned.keysets.next = chain.sets[1].set.commitment().clone();
    let start = from_checkpoint(&planned);
    let steps = [8, 12]
        .map(|number| proof(&chain, "stateless", number))
        .to_vec();
    builder.holds(
        "from a checkpoint with a successor",
        "follow",
        scenario(&start, "stateless", steps),
    );
    // Both forms hold for a client that keeps keys.
    let steps = vec![
        step("stateless", &stateless(&chain, 2)),
        step("justification", &justification(&chain, 5)),
    ];
    builder.holds(
        "a stateless proof for a client with keys",
        "follow",
        scenario(&from_genesis(&chain), "full", steps),
    );
}

fn known_blocks(builder: &mut Builder) {
    let chain = chain();
    for mode in MODES {
        let again = [2, 5, 5].map(|number| proof(&chain, mode, number)).to_vec();
        builder.holds(
            &format!("the same block twice, {mode}"),
            "follow",
            scenario(&from_genesis(&chain), mode, again),
        );
    }
    let commitment = justification(&chain, 5).commitment;
    let others = chain.sign(0, commitment.clone(), [0, 1, 2, 3]);
    let steps = vec![proof(&chain, "full", 5), step("justification", &others)];
    builder.holds(
        "the same block by other signers",
        "follow",
        scenario(&from_genesis(&chain), "full", steps),
    );
    let mut same_keys = commitment;
    same_keys.next = chain.sets[0].set.commitment().clone();
    same_keys.next.id = SetId::new(1);
    let steps = vec![step("justification", &chain.sign(0, same_keys, 0..5))];
    builder.holds(
        "the same keys under the next id",
        "follow",
        scenario(&from_genesis(&chain), "full", steps),
    );
}

/// Many proofs by one equation: verdicts are those of one after the other. (JUST-6)
fn together(builder: &mut Builder) {
    let chain = chain();
    let input = |mode: &str, together: Vec<Value>| {
        let mut input = scenario(&from_genesis(&chain), mode, vec![]);
        input["together"] = json!(together);
        input
    };
    for mode in MODES {
        let mut proofs: Vec<_> = (0..3).map(|set| handoff(&chain, mode, set)).collect();
        builder.holds(
            &format!("handoff proofs together, {mode}"),
            "follow_together",
            input(mode, proofs.clone()),
        );
        // The second proof with the signature of another one.
        let mut bad = chain.handoff_proofs(1, 1).remove(0);
        bad.justification.signature = justification(&chain, 12).signature;
        let mut bad_stateless = stateless(&chain, chain.mandatory(1));
        bad_stateless.justification = bad.justification.clone();
        proofs[1] = match mode {
            "full" => step("handoff", &bad),
            _ => step("stateless", &bad_stateless),
        };
        let id = format!("the second of three together is bad, {mode}");
        builder.breaks("JUST-5", &id, "follow_together", input(mode, proofs));
    }
    let skips = vec![handoff(&chain, "full", 0), handoff(&chain, "full", 2)];
    builder.breaks(
        "LIGHT-6",
        "together, and one is left out",
        "follow_together",
        input("full", skips),
    );
    cancel(builder, &chain);
}

/// Two signatures changed so that the changes cancel in a sum without weights.
fn cancel(builder: &mut Builder, chain: &TestChain) {
    let (first, second) = (justification(chain, 2), justification(chain, 5));
    let mut swapped = [first.clone(), second.clone()];
    swapped[0].signature = second.signature;
    swapped[1].signature = first.signature;
    let mut input = scenario(&from_genesis(chain), "full", vec![]);
    input["together"] = json!(swapped.map(|proof| step("justification", &proof)));
    builder.breaks(
        "JUST-5",
        "two that hold only as a sum without weights",
        "follow_together",
        input,
    );
}
