//! Consecutive handoffs in one call. (JUST-10)

use crate::common::{checkpoint, prove, prove_with, GENESIS};
use duet_calldata::{report_misbehaviour, submit_many};
use duet_evm_tests::{topic, Called, Chain, Verdict, BEGINNING, FORKS};
use duet_primitives::{testing::TestSet, BlockNumber, KeysetCommitment, StatelessProof};

/// Sets from 3 on, and handoffs of the blocks from 10 on, the first by set 3.
struct Handoffs {
    sets: Vec<TestSet>,
    proofs: Vec<StatelessProof>,
}

impl Handoffs {
    /// The members are others each time, or the same ones.
    fn new(count: u32, members: u64, absent: u32, changes: bool) -> Self {
        let [even, odd] = [members, members - u64::from(changes)].map(|it| TestSet::new(0, 0..it));
        let set = |i: u32| [&even, &odd][i as usize % 2].renamed(3 + u64::from(i));
        let sets: Vec<_> = (0..=count).map(set).collect();
        let signers = (10..).zip(sets.iter().zip(&sets[1..]));
        let prove = |(block, (set, next))| prove(set, block, next, absent);
        let proofs = signers.map(prove).collect();
        Self { sets, proofs }
    }

    fn chain(&self) -> Chain {
        let begin = checkpoint(GENESIS, self.sets[0].set.commitment());
        Chain::new(FORKS[1], &begin).expect("deployed")
    }

    fn set_of(&self, proof: &StatelessProof) -> &KeysetCommitment {
        let id = proof.justification.commitment.validator_set_id.get();
        self.sets[usize::try_from(id - 3).expect("few")]
            .set
            .commitment()
    }

    fn call(&self, chain: &mut Chain, proofs: &[StatelessProof]) -> Called {
        chain.call_raw(submit_many(proofs.iter().map(|it| (it, self.set_of(it)))))
    }

    fn submit(&self, chain: &mut Chain, proof: &StatelessProof) -> Verdict {
        chain
            .submit(&duet_calldata::proof_bytes(proof, self.set_of(proof)))
            .0
    }

    /// It is refused by this rule, and nothing changes.
    fn refused(&self, chain: &Chain, proofs: &[StatelessProof], error: &str) -> Called {
        let mut chain = chain.clone();
        let before = (chain.status(), sets(&mut chain));
        let called = self.call(&mut chain, proofs);
        assert!(!called.ok, "{error}");
        assert_eq!(called.output[..4], topic(error)[..4], "{error}");
        assert_eq!((chain.status(), sets(&mut chain)), before);
        called
    }
}

fn sets(chain: &mut Chain) -> Vec<u8> {
    chain.call("sets()", &[]).output
}

/// Members, handoffs that all of them signed, and the gas for each, held to within one percent: when the signers change
/// each time, and when they are the same.
const GAS: [(u64, usize, u64, u64); 2] = [(1_000, 10, 121_560, 71_383), (20, 30, 106_702, 53_220)];

#[test]
fn many_handoffs_cost_less_than_as_many_calls_and_least_by_the_same_signers() {
    let mut over = Vec::new();
    for changes in [true, false] {
        for (members, count, changing, same) in GAS {
            let handoffs = Handoffs::new(count as u32, members, 0, changes);
            let called = handoffs.call(&mut handoffs.chain(), &handoffs.proofs);
            assert!(called.ok);
            let each = called.gas / count as u64;
            println!("{count} handoffs of {members}, signers change {changes}: {each} each");
            let most = if changes { changing } else { same };
            if each * 100 > most * 101 {
                over.push((members, count, changes, each));
            }
        }
    }
    assert!(over.is_empty(), "{over:?}");
}

#[test]
fn many_handoffs_leave_what_one_after_the_other_leaves() {
    let handoffs = Handoffs::new(7, 20, 1, true);
    let (mut one, mut many) = (handoffs.chain(), handoffs.chain());
    for proof in &handoffs.proofs {
        assert_eq!(handoffs.submit(&mut one, proof), Verdict::New);
    }
    // The first is by the set whose successor is known, and by the signing set.
    for proofs in [
        &handoffs.proofs[..1],
        &handoffs.proofs[1..3],
        &handoffs.proofs[3..],
    ] {
        assert!(handoffs.call(&mut many, proofs).ok);
    }
    let mut all = handoffs.chain();
    let called = handoffs.call(&mut all, &handoffs.proofs);
    for event in [
        "SetAnnounced(uint64,bytes)",
        "SetChanged(uint64)",
        "BlockVerified(uint32,bytes32,bytes32,uint64)",
    ] {
        assert!(called.events.contains(&topic(event)), "{event}");
    }
    for chain in [&mut many, &mut all] {
        assert_eq!(chain.status(), one.status());
        assert_eq!(sets(chain), sets(&mut one));
    }
    // The four sets before the signing one are evidence, as if each had been replaced alone.
    for chain in [&mut one, &mut all] {
        for set in 0..7 {
            let signing = &handoffs.sets[set];
            let next = signing.renamed(4 + set as u64);
            let [a, b] = [0, 1].map(|salt| prove_with(signing, 9, &next, 0, salt));
            let mut chain = chain.clone();
            let report = report_misbehaviour([
                (&a, signing.set.commitment()),
                (&b, signing.set.commitment()),
            ]);
            // The seventh one signs.
            let called = chain.call_raw(report);
            assert_eq!(called.ok, set >= 2, "{set} {:x?}", called.output);
        }
    }
    for chain in [&mut one, &mut many, &mut all] {
        // The chain goes on, and the newest block is known.
        let last = handoffs.proofs.last().expect("seven");
        assert_eq!(handoffs.submit(chain, last), Verdict::Known);
        let (signing, next) = (&handoffs.sets[7], TestSet::new(11, 0..20));
        let newer = prove(signing, 30, &next, 0);
        assert_eq!(handoffs.submit(chain, &newer), Verdict::New);
    }
}

#[test]
fn one_false_proof_of_many_is_found_and_nothing_is_taken() {
    let handoffs = Handoffs::new(6, 20, 1, true);
    let chain = handoffs.chain();
    for culprit in 0..6 {
        let mut proofs = handoffs.proofs.clone();
        let foreign = prove(&handoffs.sets[culprit], 40, &handoffs.sets[culprit + 1], 1);
        proofs[culprit].justification.signature = foreign.justification.signature;
        let called = handoffs.refused(&chain, &proofs, "Rule_JUST_5_At(uint256)");
        assert_eq!(called.output[35], u8::try_from(culprit).expect("few"));
    }
    // Errors that cancel each other out in a plain sum: two signatures, and two pairs of keys.
    let mut proofs = handoffs.proofs.clone();
    let signature = proofs[2].justification.signature;
    proofs[2].justification.signature = proofs[4].justification.signature;
    proofs[4].justification.signature = signature;
    let called = handoffs.refused(&chain, &proofs, "Rule_JUST_5_At(uint256)");
    assert_eq!(called.output[35], 2);
    let mut proofs = handoffs.proofs.clone();
    let apk2 = proofs[2].justification.apk2;
    proofs[2].justification.apk2 = proofs[3].justification.apk2;
    proofs[3].justification.apk2 = apk2;
    let called = handoffs.refused(&chain, &proofs, "Rule_JUST_5_At(uint256)");
    assert_eq!(called.output[35], 2);
}

#[test]
fn handoffs_out_of_order_or_that_are_none_are_refused_by_their_rule() {
    let handoffs = Handoffs::new(6, 20, 1, true);
    let chain = handoffs.chain();
    let refused = |proofs: &[&StatelessProof], error| {
        let proofs: Vec<_> = proofs.iter().map(|it| (*it).clone()).collect();
        handoffs.refused(&chain, &proofs, error);
    };
    let [a, b, c, ..] = &handoffs.proofs[..] else {
        panic!("six")
    };
    refused(&[], "Rule_ENC_6()");
    refused(&[b], "Rule_LIGHT_6(uint64,uint64)");
    refused(&[a, c], "Rule_LIGHT_6(uint64,uint64)");
    refused(&[a, a], "Rule_LIGHT_4(uint32,uint32)");
    let again = prove(&handoffs.sets[0], 11, &handoffs.sets[1], 0);
    refused(&[a, &again], "Rule_LIGHT_5_OldSet(uint64,uint64)");
    let none = prove(&handoffs.sets[1], 11, &handoffs.sets[1], 0);
    refused(&[a, &none], "Rule_LIGHT_5_Successor()");
    let low = prove(&handoffs.sets[1], 10, &handoffs.sets[2], 0);
    refused(&[a, &low], "Rule_LIGHT_4(uint32,uint32)");
    // Another successor than the one that is known is a contradiction, which `submit` judges.
    let mut told = chain.clone();
    assert_eq!(handoffs.submit(&mut told, a), Verdict::New);
    let other = prove(&handoffs.sets[0], 20, &TestSet::new(4, 5..20), 0);
    handoffs.refused(
        &told,
        std::slice::from_ref(&other),
        "Rule_LIGHT_5_Successor()",
    );
    assert_eq!(handoffs.submit(&mut told.clone(), &other), Verdict::Frozen);
    // A foreign set, and a foreign key of a non-signer.
    let mut foreign = b.clone();
    foreign.justification.commitment.block_number = BlockNumber::new(12);
    let call = submit_many([
        (a, handoffs.sets[0].set.commitment()),
        (&foreign, handoffs.sets[2].set.commitment()),
    ]);
    let called = chain.clone().call_raw(call);
    assert_eq!(called.output[..4], topic("Rule_LIGHT_3()")[..4]);
    let mut lying = b.clone();
    let two = prove(&handoffs.sets[1], 11, &handoffs.sets[2], 2);
    lying.non_signers[0] = two.non_signers[1];
    refused(&[a, &lying], "Rule_STATELESS_2()");
    // Too late, or after a contradiction.
    let mut late = chain.clone();
    late.time = BEGINNING + duet_evm_tests::TRUSTING_PERIOD + 1;
    handoffs.refused(&late, &handoffs.proofs, "Rule_LIGHT_9(uint256,uint256)");
    assert_eq!(handoffs.submit(&mut told, &other), Verdict::Frozen);
    handoffs.refused(&told, &handoffs.proofs[1..], "IsFrozen()");
}
