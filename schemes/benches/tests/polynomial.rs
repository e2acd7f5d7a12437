//! What the benches compare `duet-polynomial` with computes the same, and every row of the table has a figure of ours.

use duet_polynomial::research::{Polynomial, Signature};
use duet_scheme_benches::polynomial::{
    exact::{coset, generators, ExactBasis},
    key,
    resultant::{rational, Modular},
    DataSet,
};
use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::Value;
use std::num::NonZeroUsize;

#[test]
fn every_row_has_a_figure_of_ours() {
    let paper: Value = serde_json::from_str(include_str!("../papers/polynomial.json")).unwrap();
    let rows = paper["rows"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        assert!(row["bench"].is_string(), "{row}");
    }
}

#[test]
fn all_resultants_of_a_generator_are_the_modulus_of_the_key() {
    for n in [4, 8, 16, 32] {
        let generated = key(n, 1, NonZeroUsize::MIN);
        let public = generated.signing.public();
        let moduli = [public.message_modulus(), public.identifier_modulus()];
        let primes = Modular::new(u32::try_from(n).unwrap());
        for (generator, modulus) in generators(&generated).iter().zip(moduli) {
            let modulus = BigInt::from(modulus.clone());
            assert_eq!(rational(generator), modulus, "n = {n}");
            assert_eq!(primes.resultant(generator), modulus, "n = {n}");
        }
    }
}

#[test]
fn resultants_of_small_candidates_are_the_products_over_the_roots() {
    // The product of G over the four roots of x⁴ + 1, by hand.
    let primes = Modular::new(4);
    for (candidate, expected) in [
        ([0, 0, 0, 0], 0),
        ([3, 0, 0, 0], 81),
        ([0, 1, 0, 0], 1),
        ([1, 0, 1, 0], 4),
        ([1, 2, 0, 0], 17),
    ] {
        assert_eq!(rational(&candidate), BigInt::from(expected));
        assert_eq!(primes.resultant(&candidate), BigInt::from(expected));
    }
}

#[test]
fn the_verifier_accepts_signatures_with_an_exact_basis_for_their_message_alone() {
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let function = Polynomial::sum(1).unwrap();
    for n in [8, 16, 32] {
        let basis = ExactBasis::new(&key(n, 1, NonZeroUsize::MIN));
        let data = DataSet::new(n, 1);
        let message = &data.values[0];
        let constant = coset(&data.key, &data.signatures[0], message);
        let sample = basis.sample(&constant, &mut rng);
        let signature = Signature::from_coefficients(data.key.dimension(), sample).unwrap();
        let verify = |value: &BigInt| data.key.verify(&data.tag, &function, value, &signature);
        assert!(verify(message).is_ok(), "n = {n}");
        assert!(verify(&(message + 1)).is_err(), "n = {n}");
        // Of the length that the scheme's own signatures have, not merely short enough.
        let (exact, own) = (signature.norm_squared(), data.signatures[0].norm_squared());
        assert!(exact < own.clone() * 8_u8 && own < exact * 8_u8, "n = {n}");
    }
}
