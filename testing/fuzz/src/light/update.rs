//! Sequences of proofs.

use super::chain::{BEGINNINGS, CHAIN};
use crate::{
    odd,
    target::{seed, Input, Seed, Target},
};
use duet_light_client::{HandoffProof, Outcome, Trusted, Update};
use duet_primitives::{BlockNumber, Pk1Bytes, Pk2Bytes, SetId, SignatureBytes, H256};

pub(super) const UPDATE: Target = Target {
    // LIGHT-4, LIGHT-5, JUST-4, JUST-6.
    name: "light_update",
    run: update,
    seeds: update_seeds,
};

const PROOFS: [u32; 9] = [2, 5, 8, 12, 15, 18, 22, 25, 28];

/// What one byte after the number of a proof changes in it.
fn deviate(update: &mut Update, input: &mut Input<'_>) {
    let what = input.byte() % 16;
    let proof = match update {
        Update::Justification(proof) => proof,
        Update::Handoff(set) => {
            match what {
                9 => set.next_keys.reverse(),
                10 => drop(set.next_keys.pop()),
                11 => set.next_keys[0] = Pk1Bytes(odd::G1[input.place(odd::G1.len())].1),
                _ => {}
            }
            &mut set.justification
        }
        Update::Stateless(proof) => {
            match what {
                9 => proof.non_signers.reverse(),
                10 => drop(proof.non_signers.pop()),
                11 => proof.non_signers = vec![Pk1Bytes(odd::G1[input.place(odd::G1.len())].1)],
                12 => proof.proof = Default::default(),
                _ => {}
            }
            &mut proof.justification
        }
    };
    match what {
        1 => proof.signature = SignatureBytes(odd::G1[input.place(odd::G1.len())].1),
        2 => proof.apk2 = Pk2Bytes(odd::G2[input.place(odd::G2.len())].1),
        3 => proof.commitment.block_hash = H256([input.byte(); 32]),
        4 => proof.commitment.block_number = BlockNumber::new(u32::from(input.byte())),
        5 => proof.commitment.validator_set_id = SetId::new(u64::from(input.byte())),
        6 => proof.commitment.next.id = SetId::new(u64::from(input.byte())),
        7 => proof.commitment.next.len = u32::from(input.byte()),
        8 => {
            // Signed by the set itself, whatever it says: a fork, or a successor that is taken back.
            let (set, number) = (
                proof.commitment.validator_set_id.get(),
                u32::from(input.byte()) % 40,
            );
            if let Some(signers) = CHAIN.sets.get(usize::try_from(set).unwrap_or(usize::MAX)) {
                let next = &CHAIN.sets[input.place(CHAIN.sets.len())];
                let mut commitment = signers.commitment(number, &next.set);
                commitment.block_hash = H256([input.byte() % 2; 32]);
                *proof = CHAIN.sign(set, commitment, 0..4);
            }
        }
        _ => {}
    }
}

fn updates(input: &mut Input<'_>) -> Vec<Update> {
    let mut updates = Vec::new();
    while !input.is_empty() && updates.len() < 8 {
        let number = PROOFS[input.place(PROOFS.len())];
        let justification = CHAIN.justification(number).expect("a proof");
        let set = justification.commitment.validator_set_id.get();
        let mut update: Update = match input.byte() % 4 {
            0 => justification.into(),
            1 => CHAIN.stateless_proof(number).expect("a proof").into(),
            2 if number % 10 == 5 => CHAIN.handoff_proofs(set, 1).swap_remove(0).into(),
            2 => HandoffProof {
                justification,
                next_keys: CHAIN.keys(set + 1).expect("keys"),
            }
            .into(),
            _ => CHAIN.stateless_proof(number).expect("a proof").into(),
        };
        deviate(&mut update, input);
        updates.push(update);
    }
    updates
}

fn update(data: &[u8]) {
    let mut input = Input(data);
    let beginning = &BEGINNINGS[input.place(2)];
    let updates = updates(&mut input);
    let together = beginning.verify_prefix(&updates);

    let mut trusted = beginning.clone();
    let mut all_new = true;
    let mut followed = 0;
    for update in &updates {
        let before = trusted.encode();
        match trusted.verify(update.clone()) {
            Ok(Outcome::New(verified)) => {
                assert!(verified.trusted.best_number() > trusted.best_number());
                assert_eq!(verified.trusted.best_hash(), update.commitment().block_hash);
                assert!(verified.trusted.latest_set().id >= trusted.latest_set().id);
                assert!(verified.signers() >= duet_primitives::threshold(verified.set_len));
                if all_new {
                    assert_eq!(
                        together[followed].trusted.encode(),
                        verified.trusted.encode()
                    );
                    assert_eq!(together[followed].justification, verified.justification);
                    followed += 1;
                }
                trusted = verified.trusted;
                let again = Trusted::decode(&trusted.encode()).expect("our own state");
                assert_eq!(again.encode(), trusted.encode());
            }
            Ok(Outcome::Known) => {
                assert_eq!(update.commitment().block_number, trusted.best_number());
                all_new = false;
            }
            Err(error) => {
                all_new = false;
                assert!(!error.rule().is_empty());
                let _ = (error.culprit(), error.next_step());
            }
        }
        let unchanged = trusted.encode() == before;
        assert!(unchanged || trusted.best_number() == update.commitment().block_number);
    }
    assert_eq!(together.len(), followed, "together and one by one");
    same_in_both_modes(&updates);
}

/// A proof for clients with keys and the one for those without are judged alike.
fn same_in_both_modes(updates: &[Update]) {
    let [mut full, mut stateless] = BEGINNINGS.clone();
    for update in updates {
        let Update::Stateless(proof) = update else {
            continue;
        };
        let by_keys = full.verify(proof.justification.clone());
        let by_commitment = stateless.verify(proof.clone());
        if let (Ok(Outcome::New(one)), Ok(Outcome::New(other))) = (&by_keys, &by_commitment) {
            assert_eq!(one.trusted.checkpoint(), other.trusted.checkpoint());
            (full, stateless) = (one.trusted.clone(), other.trusted.clone());
            // The keys of a set that a proof has named come from anybody.
            if let Some(set) = full.missing_keys() {
                let keys = CHAIN
                    .keys(set.get())
                    .expect("keys of a set that was signed for");
                if let Ok(with_keys) = full.with_keys(set, &keys) {
                    full = with_keys;
                }
            }
        } else if by_commitment.is_ok() && full.missing_keys().is_none() {
            assert!(
                by_keys.is_ok(),
                "whoever has no keys must not be told more than who has them"
            );
        }
    }
}

fn update_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for mode in [0, 1] {
        let kind = [0, 1][usize::from(mode)];
        let handing_over = [2, 3][usize::from(mode)];
        let path = |deviation: &[u8]| {
            let mut bytes = vec![mode];
            for place in 0..6 {
                bytes.extend([place, if place % 3 == 1 { handing_over } else { kind }]);
                bytes.extend(if place == 2 { deviation } else { &[0] });
            }
            bytes
        };
        seeds.push(seed(format!("all in order {mode}"), path(&[0])));
        for what in 1..13 {
            let deviation = [what, 17, 1, 1];
            let len = if what == 8 { 4 } else { 2 };
            seeds.push(seed(
                format!("deviation {what} {mode}"),
                path(&deviation[..len]),
            ));
        }
        for (place, (name, _)) in (0_u8..).zip(odd::G1.iter()) {
            seeds.push(seed(format!("signature {name} {mode}"), path(&[1, place])));
        }
        for (place, (name, _)) in (0_u8..).zip(odd::G2.iter()) {
            seeds.push(seed(format!("apk2 {name} {mode}"), path(&[2, place])));
        }
        seeds.push(seed(
            format!("a fork {mode}"),
            [mode, 2, kind, 0, 2, kind, 8, 8, 1, 0],
        ));
        seeds.push(seed(
            format!("backwards {mode}"),
            [mode, 2, kind, 0, 1, kind, 0, 0, kind, 0],
        ));
        seeds.push(seed(
            format!("the same twice {mode}"),
            [mode, 1, kind, 0, 1, kind, 0],
        ));
        seeds.push(seed(
            format!("a set left out {mode}"),
            [mode, 1, handing_over, 0, 7, kind, 0],
        ));
    }
    seeds
}
