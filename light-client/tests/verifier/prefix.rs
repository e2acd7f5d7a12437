//! Proofs that follow each other, verified together: as far as they hold one after the other, and no further.

use duet_light_client::{testing::TestChain, Mode, Outcome, Trusted, Update};
use duet_primitives::{
    testing::TestSet, BlockNumber, RoundMessage, SetId, SignatureBytes, UncheckedJustification,
};

const SETS: u64 = 6;

/// What goes wrong with a list of proofs.
type Damage<'a> = &'a dyn Fn(&mut Vec<Update>);

fn chain() -> TestChain {
    TestChain::new(SETS, 5, 1)
}

fn begin(chain: &TestChain, mode: Mode) -> Trusted {
    Trusted::from_genesis(chain.genesis_hash, &chain.genesis_proof(), mode).unwrap()
}

fn updates(chain: &TestChain, mode: Mode) -> Vec<Update> {
    match mode {
        Mode::Full => {
            let proofs = chain.handoff_proofs(0, 100).into_iter();
            proofs.map(Update::from).collect()
        }
        Mode::Stateless => {
            let proofs = chain.stateless_handoff_proofs(0, 100).into_iter();
            proofs.map(Update::from).collect()
        }
    }
}

fn justification(update: &mut Update) -> &mut UncheckedJustification {
    match update {
        Update::Justification(justification) => justification,
        Update::Handoff(proof) => &mut proof.justification,
        Update::Stateless(proof) => &mut proof.justification,
    }
}

/// The states that one proof after the other leads to, until one is not new.
fn one_by_one(trusted: &Trusted, updates: &[Update]) -> Vec<Trusted> {
    let mut states = vec![trusted.clone()];
    for update in updates {
        match states[states.len() - 1].verify(update.clone()) {
            Ok(Outcome::New(verified)) => states.push(verified.trusted),
            Ok(Outcome::Known) | Err(_) => break,
        }
    }
    states.split_off(1)
}

/// Asserts that both ways come as far, to the same states; how far.
fn judge(trusted: &Trusted, updates: &[Update]) -> usize {
    let expected = one_by_one(trusted, updates);
    let found = trusted.verify_prefix(updates);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.trusted.encode(), expected.encode());
        assert_eq!(found.trusted.missing_keys(), expected.missing_keys());
        let best = expected.best_proof().unwrap();
        assert_eq!(found.justification.as_unchecked(), best);
    }
    found.len()
}

#[test]
fn honest_proofs_lead_to_the_head_in_both_modes() {
    let chain = chain();
    for mode in [Mode::Full, Mode::Stateless] {
        let updates = updates(&chain, mode);
        assert_eq!(judge(&begin(&chain, mode), &updates), updates.len());
        for (next, one) in (1..).zip(begin(&chain, mode).verify_prefix(&updates)) {
            assert_eq!((one.signers(), one.set_len), (4, 5));
            assert_eq!(one.next_set(), Some(SetId::new(next)));
        }
        assert_eq!(judge(&begin(&chain, mode), &[]), 0);
    }
}

#[test]
fn a_bad_proof_ends_it_at_the_one_before() {
    let chain = chain();
    let other = TestChain::new(SETS, 5, 2);
    for mode in [Mode::Full, Mode::Stateless] {
        let honest = updates(&chain, mode);
        let foreign = updates(&other, mode);
        for at in 0..honest.len() {
            let neighbour = (at + 1) % honest.len();
            let damages: [Damage<'_>; 7] = [
                &|updates| {
                    justification(&mut updates[at]).signature =
                        honest[neighbour].justification().signature;
                },
                &|updates| justification(&mut updates[at]).signature = SignatureBytes([0xff; 48]),
                &|updates| {
                    justification(&mut updates[at]).apk2 = honest[neighbour].justification().apk2;
                },
                &|updates| {
                    let next = &mut justification(&mut updates[at]).commitment.next.id;
                    *next = next.checked_next().expect("few sets");
                },
                &|updates| {
                    justification(&mut updates[at]).commitment.block_number = BlockNumber::new(0)
                },
                &|updates| updates[at] = foreign[at].clone(),
                &|updates| {
                    updates.remove(at);
                },
            ];
            for (how, damage) in damages.into_iter().enumerate() {
                let mut updates = honest.clone();
                damage(&mut updates);
                assert_eq!(judge(&begin(&chain, mode), &updates), at, "{how}");
            }
        }
    }
}

#[test]
fn keys_that_are_not_those_of_the_next_set_end_it() {
    let chain = chain();
    for at in 0..updates(&chain, Mode::Full).len() {
        let mut updates = updates(&chain, Mode::Full);
        let Update::Handoff(proof) = &mut updates[at] else {
            panic!("servers send keys along");
        };
        proof.next_keys.swap(0, 1);
        assert_eq!(judge(&begin(&chain, Mode::Full), &updates), at);
    }
}

#[test]
fn a_proof_that_comes_twice_ends_it() {
    let chain = chain();
    let mut updates = updates(&chain, Mode::Full);
    updates.insert(3, updates[2].clone());
    assert_eq!(judge(&begin(&chain, Mode::Full), &updates), 3);
}

/// What a set signs about a block, whatever it is.
fn signed(chain: &TestChain, set: usize, number: u32, next: &TestSet) -> Update {
    let set = &chain.sets[set];
    let message = RoundMessage::new(chain.genesis_hash, set.commitment(number, &next.set));
    set.justify(&message, 0..5).into_unchecked().into()
}

#[test]
fn a_set_that_hands_over_to_another_than_the_next_one_ends_it() {
    let chain = chain();
    let trusted = begin(&chain, Mode::Full);
    let number = chain.mandatory(0);
    assert_eq!(
        judge(&trusted, &[signed(&chain, 0, number, &chain.sets[1])]),
        1
    );
    assert_eq!(
        judge(&trusted, &[signed(&chain, 0, number, &chain.sets[2])]),
        0
    );
}

#[test]
fn a_set_that_contradicts_itself_ends_it() {
    let chain = chain();
    let other = TestSet::new(1, 20..25);
    let number = chain.mandatory(0);
    for (second, expected) in [(&chain.sets[1], 2), (&other, 1)] {
        let updates = [
            signed(&chain, 0, number, &chain.sets[1]),
            signed(&chain, 0, number + 1, second),
        ];
        assert_eq!(judge(&begin(&chain, Mode::Full), &updates), expected);
    }
}
