//! The transactions that `cargo xtask gas` sends to real clients: one contract in one line of JSON, with its libraries, and with the gas that each
//! transaction takes in revm.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{checkpoint, prove, GENESIS};
use duet_calldata::{constructor, constructor_with_owner, submit, submit_many};
use duet_evm_tests::{Chain, TRUSTING_PERIOD};
use duet_primitives::testing::TestSet;
use revm::primitives::hardfork::SpecId;
use serde_json::json;

/// Forks that run, and the coming one.
const FORKS: [SpecId; 3] = [SpecId::PRAGUE, SpecId::OSAKA, SpecId::AMSTERDAM];
/// The larger first, because it has all rows of the table.
const SIZES: [u32; 2] = [1000, 4];
const OWNER: [u8; 20] = [1; 20];

/// A call of `submit`, and its name; calls without a name are not in the table.
type Call = (Option<&'static str>, Vec<u8>);

fn main() {
    for n in SIZES {
        let [set, next] = [3, 4].map(|id| TestSet::new(id, 0..n.into()));
        let begin = checkpoint(GENESIS, set.set.commitment());
        let plain = constructor(&begin, TRUSTING_PERIOD);
        let owned = constructor_with_owner(&begin, TRUSTING_PERIOD, OWNER);
        let contracts = [
            ("DuetLightClient", "deployment without owner", &plain),
            (
                "RecoverableDuetLightClient",
                "deployment with recovery",
                &plain,
            ),
            ("OwnedDuetLightClient", "deployment with owner", &owned),
        ];
        let calls = calls(&set, &next, n);
        for fork in FORKS {
            for (contract, name, arguments) in contracts {
                let mut chain = Chain::with(contract, fork, arguments.to_vec()).expect("deployed");
                // Proofs go to the first alone.
                let calls = calls.iter().filter(|_| contract == "DuetLightClient");
                let calls = calls.map(|(name, data)| {
                    let called = chain.call_raw(data.clone());
                    assert!(called.ok, "{name:?}");
                    json!({ "name": name, "data": hex::encode(data), "gas": called.gas })
                });
                let calls: Vec<_> = calls.collect();
                let libraries = chain.libraries().map(|(name, one)| {
                    json!({ "contract": name, "name": format!("`{name}`, once on a chain"), "gas": one.deployment })
                });
                let libraries: Vec<_> = libraries.collect();
                let line = json!({
                    "libraries": libraries,
                    "contract": contract,
                    "arguments": hex::encode(arguments),
                    "name": name,
                    "gas": chain.deployment,
                    "fork": fork.to_string(),
                    "n": n,
                    "calls": calls,
                });
                println!("{line}");
            }
        }
    }
}

/// Proofs by a set, in an order in which the contract takes them.
fn calls(set: &TestSet, next: &TestSet, n: u32) -> Vec<Call> {
    let proof =
        |block, named, absent| submit(&prove(set, block, named, absent), set.set.commitment());
    let [first, later] = [1, 2].map(|block| proof(block, set, 0));
    let mut calls = vec![
        (Some("first proof of a pair"), first.clone()),
        (Some("later proof, same pair"), later.clone()),
        (Some("the newest block again"), later),
        (Some("the block before again"), first),
        (Some("one missing"), proof(3, set, 1)),
    ];
    // Of four, one is a third.
    if n > 30 {
        calls.push((Some("ten missing"), proof(4, set, 10)));
        calls.push((Some("a third missing"), proof(5, set, (n - 1) / 3)));
    }
    calls.push((None, proof(6, set, 0)));
    calls.push((Some("handoff, same pair"), proof(7, next, 0)));
    let sets: Vec<_> = (4..=14).map(|id| next.renamed(id)).collect();
    let handoffs = (8..).zip(sets.windows(2)).map(|(block, pair)| {
        let [set, next] = pair else {
            unreachable!("two")
        };
        (prove(set, block, next, 0), set.set.commitment())
    });
    let handoffs: Vec<_> = handoffs.collect();
    let ten = submit_many(handoffs.iter().map(|(proof, set)| (proof, *set)));
    calls.push((Some("ten handoffs at once, same pair"), ten));
    calls
}
