//! Registrations checked together: the verdicts are those of checking each alone. That those only the pairing finds are
//! found too is tested beside the equations, in the crate.

use duet_primitives::{
    testing::secret, DualKeyBytes, PossessedKey, PossessionError, PossessionProof,
};
use proptest::prelude::*;

const OWNER: &[u8] = b"owner";

type Registration = (DualKeyBytes, &'static [u8], PossessionProof);

fn honest(number: u64) -> Registration {
    let secret = secret(number);
    (secret.public(), OWNER, secret.prove_possession(OWNER))
}

/// Somebody's registration, wrong in one way.
fn registration(number: u64, wrong: u8) -> Registration {
    let (mut key, mut owner, mut proof) = honest(number);
    match wrong {
        0 => owner = b"thief",
        1 => proof = honest(number + 1).2,
        2 => key = honest(number + 1).0,
        3 => key.0[48..].copy_from_slice(&honest(number + 1).0 .0[48..]),
        4 => key.0[0] ^= 0x40,
        5 => proof.0[0] ^= 0x80,
        6 => proof.0[60] ^= 1,
        7 => proof.0[112 + 60] ^= 1,
        8 => key.0[100] ^= 1,
        _ => {}
    }
    (key, owner, proof)
}

/// Asserts that both ways agree, and says which hold.
fn judge(registrations: &[Registration]) -> Vec<bool> {
    let bytes = |verdict: Result<PossessedKey, PossessionError>| {
        verdict.map(|possessed| possessed.key().to_bytes())
    };
    let alone = |(key, owner, proof): &Registration| bytes(key.check_possession(owner, proof));
    let alone: Vec<_> = registrations.iter().map(alone).collect();
    let together = DualKeyBytes::check_possession_all(registrations).into_iter();
    assert_eq!(together.map(bytes).collect::<Vec<_>>(), alone);
    alone.iter().map(Result::is_ok).collect()
}

#[test]
fn honest_registrations_hold_together() {
    for count in [0, 1, 2, 9] {
        let registrations: Vec<_> = (0..count).map(honest).collect();
        assert_eq!(judge(&registrations), vec![true; registrations.len()]);
    }
}

#[test]
fn each_kind_of_error_is_found_among_honest_ones() {
    for wrong in 0..=8 {
        let registrations = [honest(0), registration(1, wrong), honest(2)];
        assert_eq!(judge(&registrations), [true, false, true], "{wrong}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn together_is_one_by_one(kinds in prop::collection::vec(0_u8..14, 0..6)) {
        let registrations: Vec<_> = (0..)
            .zip(&kinds)
            .map(|(number, kind)| registration(number, *kind))
            .collect();
        let expected: Vec<_> = kinds.iter().map(|kind| *kind > 8).collect();
        prop_assert_eq!(judge(&registrations), expected);
    }
}
