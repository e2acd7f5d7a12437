//! Properties that hold for all inputs.

mod support;

use duet_polynomial::research::{
    Monomial, Polynomial, PublicKey, SecretKey, Signature, SigningKey, VerifyError,
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use proptest::prelude::*;
use std::sync::OnceLock;
use support::{generated, integers, limits, signed, tag, Signed, ONE};

const VALUES: [i64; 8] = [71, -85, 90, 62, 0, 1, -1, 100];

fn data() -> &'static Signed {
    static DATA: OnceLock<Signed> = OnceLock::new();
    DATA.get_or_init(|| signed(32, &VALUES))
}

/// Any function that `limits()` admits: up to 8 variables, degree 3, coefficients up to 20.
fn any_function() -> impl Strategy<Value = Polynomial> {
    let monomial = prop::collection::vec(0u32..8, 1..=3).prop_map(Monomial::new);
    let terms = prop::collection::hash_map(monomial, -20i64..=20, 1..12);
    terms.prop_filter_map("the zero function", |terms| Polynomial::new(8, terms).ok())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn evaluation_is_a_homomorphism_that_verifies(function in any_function()) {
        let data = data();
        let result = data.key.evaluate(&function, &data.signatures, 100).unwrap();
        prop_assert_eq!(&result.value, &function.evaluate(&data.values).unwrap());
        let verdict = data.key.verify(&data.tag, &function, &result.value, &result.signature);
        prop_assert_eq!(verdict.unwrap().into_value(), result.value);
    }

    #[test]
    fn another_function_of_the_same_data_is_refused(
        function in any_function(),
        other in any_function(),
    ) {
        prop_assume!(function != other);
        let data = data();
        let result = data.key.evaluate(&function, &data.signatures, 100).unwrap();
        let verdict = data.key.verify(&data.tag, &other, &result.value, &result.signature);
        prop_assert!(verdict.is_err());
    }

    #[test]
    fn every_other_value_is_refused(function in any_function(), by in 1i64..1000) {
        let data = data();
        let result = data.key.evaluate(&function, &data.signatures, 100).unwrap();
        for other in [&result.value + by, &result.value - by] {
            let verdict = data.key.verify(&data.tag, &function, &other, &result.signature);
            prop_assert_eq!(verdict, Err(VerifyError::ValueMismatch));
        }
    }

    #[test]
    fn permuted_inputs_with_unequal_coefficients_are_refused(i in 0usize..8, j in 0usize..8) {
        prop_assume!(i != j);
        let data = data();
        let function = Polynomial::linear(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let mut permuted = data.signatures.clone();
        permuted.swap(i, j);
        let result = data.key.evaluate(&function, &permuted, 100).unwrap();
        let verdict = data.key.verify(&data.tag, &function, &result.value, &result.signature);
        prop_assert_eq!(verdict, Err(VerifyError::FunctionMismatch));
    }

    #[test]
    fn coefficients_in_order_give_back_the_function(function in any_function()) {
        let degree = u8::try_from(function.degree()).unwrap();
        let coefficients = function.coefficients().unwrap();
        let again = Polynomial::from_coefficients(8, degree, &coefficients).unwrap();
        prop_assert_eq!(&again, &function);
        let parsed = Polynomial::parse(8, &function.to_string()).unwrap();
        prop_assert_eq!(&parsed, &function);
    }

    #[test]
    fn a_function_is_the_sum_of_its_terms(
        function in any_function(),
        values in prop::collection::vec(-1000i64..1000, 8),
    ) {
        let values = integers(&values);
        let term = |(monomial, coefficient): (&Monomial, i64)| -> BigInt {
            let factors = monomial.variables().iter();
            let product: BigInt = factors.map(|v| &values[usize::try_from(*v).unwrap()]).product();
            product * coefficient
        };
        let sum: BigInt = function.terms().map(term).sum();
        prop_assert_eq!(function.evaluate(&values), Some(sum));
    }

    #[test]
    fn variance_is_the_mean_square_deviation(
        values in prop::collection::vec(-1000i64..1000, 2..9),
    ) {
        let count = i64::try_from(values.len()).unwrap();
        let sum: i64 = values.iter().sum();
        let deviations = values.iter().map(|x| (count * x - sum).pow(2)).sum::<i64>();
        let variance = Polynomial::variance(u32::try_from(count).unwrap()).unwrap();
        // k^2 Var = (1/k) sum of (k x_i - sum)^2.
        let value = variance.evaluate(&integers(&values)).unwrap();
        prop_assert_eq!(value * count, BigInt::from(deviations));
    }

    #[test]
    fn a_signature_reads_back_from_its_bytes(
        coefficients in prop::collection::vec(any::<i128>(), 8),
        shift in 0u32..127,
    ) {
        let dimension = generated(8, limits()).signing.public().dimension();
        let coefficients = coefficients.iter().map(|c| BigInt::from(c >> shift)).collect();
        let signature = Signature::from_coefficients(dimension, coefficients).unwrap();
        prop_assert_eq!(Signature::from_bytes(dimension, &signature.to_bytes()), Ok(signature));
    }
}

#[test]
fn every_dimension_signs_evaluates_and_verifies() {
    for n in [4, 8, 16, 32, 64, 128] {
        let signed = signed(n, &[2, -3, 4]);
        let sum = Polynomial::linear(&[1, 1, 1]).unwrap();
        let result = signed.key.evaluate(&sum, &signed.signatures, 4).unwrap();
        assert_eq!(result.value, BigInt::from(3));
        let verdict = signed
            .key
            .verify(&signed.tag, &sum, &result.value, &result.signature);
        assert!(verdict.is_ok(), "n = {n}");
    }
}

#[test]
fn keys_read_back_from_their_bytes_and_sign_the_same() {
    let generated = generated(64, limits());
    let public = PublicKey::from_bytes(&generated.signing.public().to_bytes()).unwrap();
    assert_eq!(&public, generated.signing.public());
    let secret = SecretKey::from_bytes(&generated.secret.expose()).unwrap();
    let restored = SigningKey::restore(&secret, &public).unwrap();
    let sign = |key| {
        support::signer(key)
            .sign(&tag("t"), 0, &BigInt::from(5))
            .unwrap()
    };
    assert_eq!(sign(restored), sign(generated.signing));
}

#[test]
fn many_threads_sign_as_one_does() {
    let mut alone = support::signer(generated(16, limits()).signing);
    let mut together = support::signer(generated(16, limits()).signing);
    for workers in [2, 3, 8, 100] {
        let (tag, values) = (tag(&workers.to_string()), integers(&VALUES));
        let expected = alone.sign_data_set(&tag, &values, ONE).unwrap();
        let workers = workers.try_into().unwrap();
        assert_eq!(
            together.sign_data_set(&tag, &values, workers).unwrap(),
            expected
        );
    }
    let none = together.sign_data_set(&tag("none"), &[], ONE).unwrap();
    assert!(none.is_empty());
}

/// Ten thousand signatures of one key: all within the bound, centred, and with standard deviation according to nu.
fn fresh_signatures(n: usize) {
    let mut signed = signed(n, &[]);
    let width = signed.key.dimension().width().to_f64().unwrap();
    let limit = width * width * n.to_f64().unwrap();
    let (mut sum, mut squares) = (0.0, 0.0);
    let sets = 1250;
    for set in 0..sets {
        let tag = tag(&set.to_string());
        let signatures = signed
            .signer
            .sign_data_set(&tag, &integers(&VALUES), ONE)
            .unwrap();
        for signature in signatures {
            assert!(signature.norm_squared().to_f64().unwrap() <= limit);
            let coefficients = signature.coefficients().iter().map(|c| c.to_f64().unwrap());
            for coefficient in coefficients {
                sum += coefficient;
                squares += coefficient * coefficient;
            }
        }
    }
    let count = f64::from(sets) * 8.0 * n.to_f64().unwrap();
    let deviation = width / (2.0 * std::f64::consts::PI).sqrt();
    let (mean, spread) = (sum / count, (squares / count).sqrt());
    assert!(mean.abs() < 0.01 * deviation, "n = {n}: mean {mean}");
    assert!(
        (spread / deviation - 1.0).abs() < 0.01,
        "n = {n}: {spread} {deviation}"
    );
}

#[test]
fn ten_thousand_signatures_are_short_centred_and_as_wide_as_they_should() {
    // At n = 4 the modulus is too small for the values of this data set.
    [8, 16].into_iter().for_each(fresh_signatures);
}
