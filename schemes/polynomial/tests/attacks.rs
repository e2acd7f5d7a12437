//! Attacks on this scheme and on incorrect implementations, run against the real API.

mod support;

use duet_polynomial::research::{
    forgery::Forger, register::RegisterError, NormBound, Polynomial, PublicKey, SecretKey,
    SignError, Signature, SigningKey, Tag, VerifyError,
};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use support::{generated, integers, limits, signed, signer, tag};

fn at(signature: &Signature, root: &BigUint, modulus: &BigUint) -> BigInt {
    let (root, modulus) = (BigInt::from(root.clone()), BigInt::from(modulus.clone()));
    let coefficients = signature.coefficients().iter().rev();
    coefficients.fold(BigInt::ZERO, |value, c| {
        (value * &root + c).mod_floor(&modulus)
    })
}

/// Verification as in published code, which checks the two values but not the norm.
fn verify_without_norm(
    key: &PublicKey,
    tag: &Tag,
    function: &Polynomial,
    value: &BigInt,
    signature: &Signature,
) -> bool {
    let identifiers: Vec<BigInt> = (0..function.variables())
        .map(|i| key.identifier(tag, i).into())
        .collect();
    let expected = function.evaluate(&identifiers).unwrap();
    let (p, q) = (key.message_modulus(), key.identifier_modulus());
    let (a, b) = key.roots();
    at(signature, a, p) == value.mod_floor(&p.clone().into())
        && at(signature, b, q) == expected.mod_floor(&q.clone().into())
}

fn added(u: &Signature, v: &Signature, factor: i64) -> Signature {
    let pairs = u.coefficients().iter().zip(v.coefficients());
    let sum = pairs.map(|(x, y)| x + y * factor).collect();
    Signature::from_coefficients(u.dimension(), sum).unwrap()
}

#[test]
fn any_chinese_remainder_constant_is_a_signature_where_the_norm_is_not_checked() {
    let key = generated(16, limits()).signing.public().clone();
    let (tag, function) = (tag("never signed"), Polynomial::linear(&[0, 3]).unwrap());
    let value = BigInt::from(1_000_000);
    let (p, q) = (key.message_modulus(), key.identifier_modulus());
    let identifier = key.identifier(&tag, 1) * 3u8 % q;
    // The constant that is the value mod p and the identifier mod q.
    let difference = (&value - BigInt::from(identifier.clone())).mod_floor(&p.clone().into());
    let multiple = difference.magnitude() * q.modinv(p).unwrap() % p;
    let mut coefficients = vec![BigInt::ZERO; 16];
    coefficients[0] = (identifier + multiple * q).into();
    let constant = Signature::from_coefficients(key.dimension(), coefficients).unwrap();

    assert!(verify_without_norm(
        &key, &tag, &function, &value, &constant
    ));
    for bound in [NormBound::Tight, NormBound::Paper] {
        let refused = key.verify_within(bound, &tag, &function, &value, &constant);
        assert_eq!(refused, Err(VerifyError::NormExceeded));
    }
}

/// If this test fails, do not delete it: it is the reason why results of this scheme are experimental.
#[test]
fn lattice_reduction_forges_from_the_public_key_alone() {
    for n in [4, 8, 16, 32] {
        let key = generated(n, limits()).signing.public().clone();
        let forger = Forger::new(&key, &|_| ());
        for (name, value) in [("never signed", 100), ("nor this", -7)] {
            let (tag, value) = (tag(name), BigInt::from(value));
            let function = Polynomial::linear(&[0, 0, 1]).unwrap();
            let forged = forger.forge(&tag, &function, &value).unwrap();
            for bound in [NormBound::Tight, NormBound::Paper] {
                let verified = key.verify_within(bound, &tag, &function, &value, &forged);
                assert_eq!(verified.unwrap().value(), &value, "n = {n}");
            }
        }
    }
}

#[test]
fn a_forgery_is_possible_for_every_function_not_only_for_single_values() {
    let key = generated(16, limits()).signing.public().clone();
    let forger = Forger::new(&key, &|_| ());
    let (tag, function) = (tag("never signed"), Polynomial::variance(5).unwrap());
    let value = BigInt::from(123_456_789);
    let forged = forger.forge(&tag, &function, &value).unwrap();
    assert!(key.verify(&tag, &function, &value, &forged).is_ok());
}

#[test]
fn two_messages_under_one_label_shift_any_other_signature() {
    let mut one = signed(16, &[10, 20]);
    let refused = one.signer.sign(&one.tag, 0, &BigInt::from(11));
    assert!(matches!(
        refused,
        Err(SignError::Register(RegisterError::LabelAlreadyUsed {
            position: 0
        }))
    ));

    // Without the register: a second signer with the same key that does not know what the first one signed.
    let mut forgetful = signer(generated(16, limits()).signing);
    let other = forgetful.sign(&one.tag, 0, &BigInt::from(11)).unwrap();
    // It vanishes on the ideal of the identifiers, so it can be added to any signature.
    let shift = added(&other, &one.signatures[0], -1);
    let (_, b) = one.key.roots();
    assert_eq!(at(&shift, b, one.key.identifier_modulus()), BigInt::ZERO);

    let elsewhere = tag("another data set");
    let honest = one.signer.sign(&elsewhere, 5, &BigInt::from(70)).unwrap();
    let mut weights = [0; 6];
    weights[5] = 1;
    let function = Polynomial::linear(&weights).unwrap();
    let shifted = added(&honest, &shift, 1);
    let verified = one
        .key
        .verify(&elsewhere, &function, &BigInt::from(71), &shifted);
    assert_eq!(verified.unwrap().value(), &BigInt::from(71));
}

#[test]
fn the_same_request_gives_the_same_signature_so_that_no_lattice_vector_leaks() {
    let mut one = signed(16, &[10, 20]);
    let again = one.signer.sign(&one.tag, 1, &BigInt::from(20)).unwrap();
    assert_eq!(again, one.signatures[1]);
    let mut elsewhere = signer(generated(16, limits()).signing);
    let elsewhere = elsewhere.sign(&one.tag, 1, &BigInt::from(20)).unwrap();
    assert_eq!(elsewhere, one.signatures[1]);
}

/// The effect of fresh randomness for each signature: two samples of one coset differ by a short vector of the secret
/// lattice.
#[test]
fn two_signatures_of_one_message_leak_a_short_vector_of_the_lattice() {
    let generated = generated(16, limits());
    let key = generated.signing.public().clone();
    let (tag, message) = (tag("t"), BigInt::from(20));
    // The same key, except for the seed of the randomness. The public key does not depend on the seed.
    let mut reseeded = generated.secret.expose().to_vec();
    *reseeded.last_mut().unwrap() ^= 1;
    let reseeded = SecretKey::from_bytes(&reseeded).unwrap();
    let reseeded = SigningKey::restore(&reseeded, &key).unwrap();
    let sign = |key| signer(key).sign(&tag, 0, &message).unwrap();
    let (one, other) = (sign(generated.signing), sign(reseeded));

    let function = Polynomial::linear(&[1]).unwrap();
    for signature in [&one, &other] {
        assert!(key.verify(&tag, &function, &message, signature).is_ok());
    }
    let leaked = added(&one, &other, -1);
    let (p, q) = (key.message_modulus(), key.identifier_modulus());
    let (a, b) = key.roots();
    assert_eq!(at(&leaked, a, p), BigInt::ZERO);
    assert_eq!(at(&leaked, b, q), BigInt::ZERO);
    assert_ne!(leaked.norm_squared(), BigUint::ZERO);
    // At most twice as long as a signature; the vectors that the public key gives are as long as p q.
    let longest = NormBound::Tight.squared(&key, &function) * 4u8;
    assert!(leaked.norm_squared() <= longest);
    assert!(longest < p * q);
}

/// Weights from 0 to 20, not all zero, with which the first identifiers sum to 0 mod q.
fn vanishing_weights(key: &PublicKey, tag: &Tag) -> Option<[i64; 3]> {
    let q = key.identifier_modulus();
    let [x, y, z] = [0, 1, 2].map(|index| key.identifier(tag, index));
    let all = (1..21 * 21 * 21u64).map(|i| [i % 21, i / 21 % 21, i / 21 / 21]);
    let mut vanishing = all.filter(|[u, v, w]| (&x * *u + &y * *v + &z * *w) % q == BigUint::ZERO);
    let weights = vanishing.next()?;
    Some(weights.map(|weight| i64::try_from(weight).unwrap()))
}

#[test]
fn a_zero_signature_is_accepted_where_all_three_rules_hold_and_only_there() {
    let key = generated(4, limits()).signing.public().clone();
    let zero = Signature::from_coefficients(key.dimension(), integers(&[0; 4])).unwrap();
    let (tag, weights) = (0..)
        .map(|number: u32| tag(&number.to_string()))
        .find_map(|tag| vanishing_weights(&key, &tag).map(|weights| (tag, weights)))
        .unwrap();
    // Nothing was signed under this tag.
    let function = Polynomial::linear(&weights).unwrap();
    assert!(key.verify(&tag, &function, &BigInt::ZERO, &zero).is_ok());
    let refused = key.verify(&tag, &function, &BigInt::from(1), &zero);
    assert_eq!(refused, Err(VerifyError::ValueMismatch));
    let one = Polynomial::linear(&[1]).unwrap();
    let refused = key.verify(&tag, &one, &BigInt::ZERO, &zero);
    assert_eq!(refused, Err(VerifyError::FunctionMismatch));
}

/// The norm of a ring element: the product of its values at all complex roots of x^n + 1.
fn norm(coefficients: &[BigInt]) -> BigInt {
    let [number] = coefficients else {
        // u(x) u(-x) is a polynomial in x^2, with half the dimension and the same norm.
        let half = coefficients.len() / 2;
        let mut folded = vec![BigInt::ZERO; half];
        for (i, x) in coefficients.iter().enumerate() {
            for (j, y) in coefficients.iter().enumerate() {
                if (i + j) % 2 == 0 {
                    let place = (i + j) / 2;
                    let negative = (j % 2 == 1) != (place >= half);
                    let product = if negative { -(x * y) } else { x * y };
                    folded[place % half] += product;
                }
            }
        }
        return norm(&folded);
    };
    number.clone()
}

/// No input hiding from degree 2 on: the signature of a product is the product of the signatures, and common factors of
/// signatures show as common factors of their norms.
#[test]
fn the_signature_of_a_product_comes_apart_through_its_norm() {
    let one = signed(16, &[12, 34, 56]);
    let product = |text| {
        let function = Polynomial::parse(3, text).unwrap();
        one.key.evaluate(&function, &one.signatures, 56).unwrap()
    };
    let of = |signature: &Signature| norm(signature.coefficients());
    let (first, second) = (product("x0*x1"), product("x0*x2"));
    let inputs: Vec<_> = one.signatures.iter().map(of).collect();
    assert_eq!(of(&first.signature), &inputs[0] * &inputs[1]);
    assert_eq!(of(&second.signature), &inputs[0] * &inputs[2]);

    // The two results alone give the norm of the signature of x0, up to a small factor. A guess of this signature can
    // be confirmed, because no other norm divides.
    let common = of(&first.signature).gcd(&of(&second.signature));
    assert!(common.is_multiple_of(&inputs[0]));
    let excess = (&common / &inputs[0]).bits();
    assert!(
        4 * excess < common.bits(),
        "{excess} bits of {}",
        common.bits()
    );
    assert!(!common.is_multiple_of(&inputs[1]));
}
