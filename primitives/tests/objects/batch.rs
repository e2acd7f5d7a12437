//! Many justifications checked by one equation: the verdict, and the first bad one, are those of checking one
//! after the other.

use duet_curve::{Blst, Encodings, Groups, Sums};
use duet_primitives::{
    testing::TestSet, Bitfield, BlockNumber, Justification, JustificationError, Pk2Bytes,
    PreparedJustification, RoundMessage, SetId, SignatureBytes, SignerIndex,
    UncheckedJustification, H256,
};
use proptest::prelude::*;

const GENESIS: H256 = H256::repeat_byte(7);

/// Two sets and proofs of both: three by the signers of one, then three by those of the other.
struct Chain {
    sets: [TestSet; 2],
}

impl Chain {
    fn new() -> Self {
        Self {
            sets: [TestSet::new(0, 0..7), TestSet::new(1, 3..13)],
        }
    }

    fn set(&self, block: u32) -> &TestSet {
        &self.sets[block as usize / 3 % 2]
    }

    fn proof(&self, block: u32) -> UncheckedJustification {
        let set = self.set(block);
        let message = RoundMessage::new(GENESIS, set.commitment(block, &self.sets[1].set));
        // All of the first set sign, and not all of the second.
        let signers = 0..set.secrets.len().min(8).try_into().unwrap();
        set.justify(&message, signers).into_unchecked()
    }

    fn proofs(&self, count: u32) -> Vec<UncheckedJustification> {
        (0..count).map(|block| self.proof(block)).collect()
    }

    /// Asserts that both ways agree; how many hold, and what the next one breaks.
    fn judge(&self, proofs: &[UncheckedJustification]) -> (usize, Option<JustificationError>) {
        let mut good = 0;
        let mut broken = None;
        for (block, proof) in (0..).zip(proofs) {
            match proof.clone().check(self.set(block).set.keyset(), GENESIS) {
                Ok(_) => good += 1,
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            }
        }
        let mut prepared = Vec::new();
        let mut stopped_by = None;
        for (block, proof) in (0..).zip(proofs) {
            let keys = self.set(block).set.keyset();
            match proof.clone().prepare(keys, GENESIS, prepared.last()) {
                Ok(one) => prepared.push(one),
                Err(error) => {
                    stopped_by = Some(error);
                    break;
                }
            }
        }
        let count = prepared.len();
        let checked = PreparedJustification::verify_all(prepared);
        let error = if checked.len() < count {
            Some(JustificationError::EquationFails)
        } else {
            stopped_by
        };
        let checked: Vec<_> = checked
            .into_iter()
            .map(Justification::into_unchecked)
            .collect();
        assert_eq!(checked, proofs[..good]);
        assert_eq!(error, broken);
        (good, broken)
    }
}

/// `a + b`, or `a − b`.
fn shifted(a: &SignatureBytes, b: &SignatureBytes, plus: bool) -> SignatureBytes {
    let [a, b] = [a, b].map(|bytes| Blst::g1_from_stored_unchecked(&bytes.0).unwrap());
    let b = if plus { b } else { Blst::g1_neg(&b) };
    SignatureBytes(Blst::g1_to_bytes(&Blst::g1_sum(&[&a, &b])))
}

/// A point of order three: `x = 0`.
fn outside_of_g1() -> SignatureBytes {
    let mut bytes = [0; 48];
    bytes[0] = 0x80;
    SignatureBytes(bytes)
}

/// A point of the curve over the quadratic extension that is in no subgroup of interest.
fn outside_of_g2() -> <Blst as Groups>::G2 {
    let with_x = |x: u8| {
        let mut bytes = [0; 96];
        (bytes[0], bytes[95]) = (0x80, x);
        Blst::g2_from_stored_unchecked(&bytes)
    };
    let point = (0..).find_map(|x| with_x(x).ok()).unwrap();
    assert!(Blst::g2_from_bytes(&Blst::g2_to_bytes(&point)).is_err());
    point
}

fn damage(proof: &mut UncheckedJustification, other: &UncheckedJustification, how: u8) {
    match how {
        0 => proof.signature = other.signature,
        1 => proof.apk2 = other.apk2,
        2 => proof.commitment.block_number = BlockNumber::new(1000),
        3 => proof.commitment.validator_set_id = SetId::new(1000),
        4 => proof.signers = Bitfield::from_indices(7, (0..2).map(SignerIndex::new)),
        5 => proof.signature = SignatureBytes([0xff; 48]),
        6 => proof.apk2 = Pk2Bytes([0; 96]),
        7 => {
            let small = outside_of_g1();
            proof.signature = shifted(&proof.signature, &small, true);
        }
        8 => {
            let apk2 = Blst::g2_from_bytes(&proof.apk2.0).unwrap();
            let sum = Blst::g2_sum(&[&apk2, &outside_of_g2()]);
            proof.apk2 = Pk2Bytes(Blst::g2_to_bytes(&sum));
        }
        _ => proof.signature = shifted(&proof.signature, &other.signature, true),
    }
}

#[test]
fn honest_proofs_hold_together() {
    let chain = Chain::new();
    for count in [0, 1, 2, 9] {
        let proofs = chain.proofs(count);
        assert_eq!(chain.judge(&proofs), (proofs.len(), None));
    }
}

#[test]
fn one_bad_proof_is_found_at_every_place() {
    let chain = Chain::new();
    let honest = chain.proofs(6);
    for at in 0..honest.len() {
        for how in 0..10 {
            let mut proofs = honest.clone();
            let other = honest[(at + 3) % honest.len()].clone();
            damage(&mut proofs[at], &other, how);
            let (good, broken) = chain.judge(&proofs);
            assert_eq!((good, broken.is_some()), (at, true), "{how}");
        }
    }
}

#[test]
fn errors_that_cancel_without_weights_do_not_cancel() {
    let chain = Chain::new();
    let mut proofs = chain.proofs(6);
    // What one signature gains the other loses: the sum of all equations still holds.
    let error = proofs[5].signature;
    proofs[1].signature = shifted(&proofs[1].signature, &error, true);
    proofs[3].signature = shifted(&proofs[3].signature, &error, false);
    assert_eq!(
        chain.judge(&proofs),
        (1, Some(JustificationError::EquationFails))
    );
}

#[test]
fn when_all_are_bad_the_first_is_found() {
    let chain = Chain::new();
    let honest = chain.proofs(6);
    for how in 0..10 {
        let mut proofs = honest.clone();
        for (at, proof) in proofs.iter_mut().enumerate() {
            damage(proof, &honest[(at + 3) % honest.len()], how);
        }
        assert_eq!(chain.judge(&proofs).0, 0, "{how}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_mix_is_judged_alike(mix in proptest::collection::vec(0_u8..30, 0..8)) {
        let chain = Chain::new();
        let honest = chain.proofs(12);
        let mut proofs = honest[..mix.len()].to_vec();
        for (at, how) in mix.iter().enumerate() {
            // Most are honest.
            if *how < 10 {
                damage(&mut proofs[at], &honest[(at + 3) % honest.len()], *how);
            }
        }
        let first_bad = mix.iter().position(|how| *how < 10);
        prop_assert_eq!(chain.judge(&proofs).0, first_bad.unwrap_or(mix.len()));
    }
}
