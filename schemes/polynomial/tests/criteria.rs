//! Edge cases, and the expected verdict for each.

mod support;

use duet_polynomial::research::{
    BadEncoding, Dimension, EvaluateError, FunctionError, KeyError, Limits, Monomial, Polynomial,
    PublicKey, PublicKeyFault, SecretKey, SecretKeyFault, SignError, Signature, SigningKey, Tag,
    VerifyError,
};
use num_bigint::{BigInt, BigUint};
use support::{generated, integers, limits, signed, signer, tag, ONE};

/// The parts of an encoded public key, to be changed one at a time.
#[derive(Clone)]
struct Parts {
    version: u8,
    n: u16,
    p: Vec<u8>,
    a: Vec<u8>,
    q: Vec<u8>,
    b: Vec<u8>,
    k: u32,
    d: u8,
    y: u64,
    nu: u64,
}

impl Parts {
    fn of(key: &PublicKey) -> Self {
        let (a, b) = key.roots();
        let padded = |root: &BigUint, modulus: &BigUint| {
            let (root, length) = (root.to_bytes_be(), modulus.to_bytes_be().len());
            [vec![0; length - root.len()], root].concat()
        };
        Self {
            version: 1,
            n: u16::try_from(key.dimension().get()).unwrap(),
            p: key.message_modulus().to_bytes_be(),
            a: padded(a, key.message_modulus()),
            q: key.identifier_modulus().to_bytes_be(),
            b: padded(b, key.identifier_modulus()),
            k: key.limits().variables(),
            d: key.limits().degree(),
            y: key.limits().coefficient(),
            nu: key.dimension().width(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = vec![self.version];
        out.extend_from_slice(&self.n.to_be_bytes());
        for number in [&self.p, &self.a, &self.q, &self.b] {
            out.extend_from_slice(&u32::try_from(number.len()).unwrap().to_be_bytes());
            out.extend_from_slice(number);
        }
        out.extend_from_slice(&self.k.to_be_bytes());
        out.push(self.d);
        out.extend_from_slice(&self.y.to_be_bytes());
        out.extend_from_slice(&self.nu.to_be_bytes());
        out
    }
}

fn changed(change: impl FnOnce(&mut Parts)) -> Result<PublicKey, KeyError> {
    let mut parts = Parts::of(generated(16, limits()).signing.public());
    change(&mut parts);
    PublicKey::from_bytes(&parts.bytes())
}

fn bad(fault: PublicKeyFault) -> KeyError {
    KeyError::BadPublicKey(fault)
}

#[test]
fn an_unchanged_public_key_is_accepted() {
    let key = generated(16, limits()).signing.public().clone();
    assert_eq!(changed(|_| ()), Ok(key.clone()));
    assert_eq!(Parts::of(&key).bytes(), key.to_bytes());
}

#[test]
fn a_dimension_must_be_a_power_of_two_from_4_to_128() {
    for n in [0, 2, 3, 12, 17, 256] {
        let got = usize::from(n);
        assert_eq!(
            changed(|key| key.n = n),
            Err(KeyError::BadDimension { got })
        );
    }
    // Another valid dimension has another width and other roots.
    assert_eq!(changed(|key| key.n = 32), Err(bad(PublicKeyFault::Width)));
}

#[test]
fn the_width_is_a_function_of_the_dimension() {
    assert_eq!(changed(|key| key.nu += 1), Err(bad(PublicKeyFault::Width)));
}

#[test]
fn the_limits_of_a_key_are_positive() {
    assert_eq!(changed(|key| key.k = 0), Err(KeyError::BadLimits));
    assert_eq!(changed(|key| key.d = 0), Err(KeyError::BadLimits));
    assert_eq!(changed(|key| key.y = 0), Err(KeyError::BadLimits));
    assert_eq!(changed(|key| key.y = 1 << 63), Err(KeyError::BadLimits));
}

#[test]
fn the_two_ideals_are_different() {
    let same = |key: &mut Parts| (key.q, key.b) = (key.p.clone(), key.a.clone());
    assert_eq!(changed(same), Err(bad(PublicKeyFault::SameModulus)));
}

#[test]
fn roots_are_roots_below_their_modulus() {
    let flip = |root: &mut Vec<u8>| *root.last_mut().unwrap() ^= 1;
    assert_eq!(
        changed(|key| flip(&mut key.a)),
        Err(bad(PublicKeyFault::BadRootA))
    );
    assert_eq!(
        changed(|key| flip(&mut key.b)),
        Err(bad(PublicKeyFault::BadRootB))
    );
    let at_modulus = |key: &mut Parts| key.a = key.p.clone();
    assert_eq!(changed(at_modulus), Err(bad(PublicKeyFault::BadRootA)));
}

/// A product of primes that are 1 mod 32 also has an x with x^16 = -1: a valid root does not imply that p is prime.
#[test]
fn a_composite_modulus_with_a_true_root_is_refused() {
    let (prime, other) = (BigUint::from(97u8), BigUint::from(193u8));
    let root = |p: &BigUint| {
        let all = (2u32..).map(BigUint::from);
        let minus_one = p - 1u8;
        all.into_iter()
            .find(|x| x.modpow(&16u8.into(), p) == minus_one)
            .unwrap()
    };
    let (x, y) = (root(&prime), root(&other));
    let composite = &prime * &other;
    let step = (&y + &other - &x % &other) * prime.modinv(&other).unwrap() % &other;
    let both = x + &prime * step;
    assert_eq!(both.modpow(&16u8.into(), &composite), &composite - 1u8);
    let padded = [vec![0], both.to_bytes_be()].concat();
    let length = composite.to_bytes_be().len();
    let root = padded[padded.len() - length..].to_vec();
    let modulus = composite.to_bytes_be();
    let as_p = |key: &mut Parts| (key.p, key.a) = (modulus.clone(), root.clone());
    assert_eq!(changed(as_p), Err(bad(PublicKeyFault::CompositeP)));
    let as_q = |key: &mut Parts| (key.q, key.b) = (modulus.clone(), root.clone());
    assert_eq!(changed(as_q), Err(bad(PublicKeyFault::CompositeQ)));
}

#[test]
fn tiny_even_and_zero_moduli_are_refused_without_a_panic() {
    for modulus in [1u8, 2, 4, 16] {
        for root in 0..=modulus {
            let tiny = |key: &mut Parts| (key.p, key.a) = (vec![modulus], vec![root]);
            assert!(matches!(changed(tiny), Err(KeyError::BadPublicKey(_))));
        }
    }
    let zero = |key: &mut Parts| (key.p, key.a) = (vec![0], vec![0]);
    assert_eq!(changed(zero), Err(BadEncoding::NotMinimal.into()));
    let none = |key: &mut Parts| (key.p, key.a) = (vec![], vec![]);
    assert_eq!(changed(none), Err(BadEncoding::NotMinimal.into()));
}

#[test]
fn numbers_of_a_key_have_one_encoding() {
    let padded = |key: &mut Parts| {
        key.p.insert(0, 0);
        key.a.insert(0, 0);
    };
    assert_eq!(changed(padded), Err(BadEncoding::NotMinimal.into()));
    let shorter = |key: &mut Parts| key.a.truncate(1);
    assert_eq!(changed(shorter), Err(BadEncoding::Length.into()));
    let long = |key: &mut Parts| key.q = vec![0xff; 200];
    assert_eq!(changed(long), Err(BadEncoding::TooLarge.into()));
    let large = |key: &mut Parts| {
        // As long as the largest norm at n = 16, but larger.
        key.q = vec![0xff; 13];
        key.b = vec![0; 13];
    };
    assert_eq!(changed(large), Err(BadEncoding::TooLarge.into()));
    let version = |key: &mut Parts| key.version = 2;
    assert_eq!(
        changed(version),
        Err(BadEncoding::Version { got: 2 }.into())
    );
}

#[test]
fn every_prefix_and_every_extension_of_a_key_is_refused() {
    let generated = generated(8, limits());
    let public = generated.signing.public().to_bytes();
    let secret = generated.secret.expose();
    for cut in 0..public.len() {
        assert!(PublicKey::from_bytes(&public[..cut]).is_err());
    }
    for cut in 0..secret.len() {
        assert!(SecretKey::from_bytes(&secret[..cut]).is_err());
    }
    let longer = [&public[..], &[0]].concat();
    assert_eq!(
        PublicKey::from_bytes(&longer),
        Err(BadEncoding::Length.into())
    );
    let longer = [&secret[..], &[0]].concat();
    let error = SecretKey::from_bytes(&longer).unwrap_err();
    assert_eq!(error, BadEncoding::Length.into());
}

#[test]
fn a_secret_key_is_two_short_odd_generators_of_prime_norm() {
    let generated = generated(8, limits());
    let bytes = generated.secret.expose();
    let with = |offset: usize, coefficient: i16| {
        let mut bytes = bytes.to_vec();
        bytes[offset..offset + 2].copy_from_slice(&coefficient.to_be_bytes());
        SecretKey::from_bytes(&bytes)
    };
    let fault = |result: Result<SecretKey, KeyError>| result.unwrap_err();
    let generator = KeyError::BadSecretKey(SecretKeyFault::Generator);
    assert_eq!(fault(with(3, 2)), generator, "an even constant");
    assert_eq!(fault(with(5, 1)), generator, "an odd coefficient");
    assert_eq!(fault(with(5, 10)), generator, "a long coefficient");
    assert_eq!(fault(with(3, 11)), generator, "a long constant");
    // The same generator twice.
    let mut twice = bytes.to_vec();
    twice.copy_within(3..19, 19);
    let twice = SecretKey::from_bytes(&twice).unwrap();
    let error = SigningKey::new(&twice, limits()).unwrap_err();
    assert_eq!(error, KeyError::BadSecretKey(SecretKeyFault::Norm));
    // 1 + 2x has norm 1 + 2^8 = 257, which is prime; 1 has norm 1, which is not.
    let mut one = bytes.to_vec();
    one[3..19].fill(0);
    one[4] = 1;
    let error = SigningKey::new(&SecretKey::from_bytes(&one).unwrap(), limits()).unwrap_err();
    assert_eq!(error, KeyError::BadSecretKey(SecretKeyFault::Norm));
}

#[test]
fn a_public_key_of_another_does_not_restore() {
    let (ours, other) = (generated(8, limits()), generated(16, limits()));
    let error = SigningKey::restore(&ours.secret, other.signing.public()).unwrap_err();
    assert_eq!(error, KeyError::KeyMismatch);
    assert!(SigningKey::restore(&ours.secret, ours.signing.public()).is_ok());
}

#[test]
fn secrets_are_not_printed() {
    let generated = generated(8, limits());
    assert_eq!(
        format!("{:?}", generated.secret),
        "SecretKey(n = 8, redacted)"
    );
    assert!(format!("{:?}", generated.signing).ends_with("redacted)"));
}

#[test]
fn encodings_have_the_sizes_of_the_specification() {
    let signed = signed(64, &[1, 2]);
    assert_eq!(generated(64, limits()).secret.expose().len(), 291);
    assert_eq!(signed.signatures[0].to_bytes().len(), 257);
    let quadratic = Polynomial::variance(2).unwrap();
    let result = signed
        .key
        .evaluate(&quadratic, &signed.signatures, 2)
        .unwrap();
    assert_eq!(result.signature.to_bytes().len(), 513);
}

#[test]
fn a_function_has_terms_and_no_constant() {
    let empty = Err(FunctionError::EmptyFunction);
    assert_eq!(Polynomial::new(0, []), empty);
    assert_eq!(Polynomial::new(2, []), empty);
    assert_eq!(Polynomial::linear(&[]), empty);
    assert_eq!(Polynomial::linear(&[0, 0]), empty);
    assert_eq!(Polynomial::variance(1), empty);
    assert_eq!(Polynomial::from_coefficients(0, 1, &[]), empty);
    assert_eq!(Polynomial::from_coefficients(1, 0, &[]), empty);
    let constant = [(Monomial::new(vec![]), 3)];
    assert_eq!(
        Polynomial::new(2, constant),
        Err(FunctionError::ConstantTerm)
    );
}

#[test]
fn a_function_names_each_monomial_of_its_variables_once() {
    let monomial = |variables: &[u32]| Monomial::new(variables.to_vec());
    let twice = [(monomial(&[0, 1]), 1), (monomial(&[1, 0]), 2)];
    let repeated = FunctionError::RepeatedMonomial(monomial(&[0, 1]));
    assert_eq!(Polynomial::new(2, twice), Err(repeated));
    let unknown = Polynomial::new(2, [(monomial(&[2]), 1)]);
    assert!(matches!(
        unknown,
        Err(FunctionError::NotAdmissible {
            got: 2,
            limit: 1,
            ..
        })
    ));
    let count = FunctionError::CoefficientCount {
        expected: 9,
        got: 8,
    };
    assert_eq!(Polynomial::from_coefficients(3, 2, &[1; 8]), Err(count));
}

#[test]
fn functions_too_large_to_write_down_are_refused_at_once() {
    for refused in [
        Polynomial::from_coefficients(u32::MAX, 255, &[1]),
        Polynomial::variance(u32::MAX),
        Polynomial::new(u32::MAX, [(Monomial::new(vec![0]), 1)]),
        Polynomial::new(1, [(Monomial::new(vec![0; 256]), 1)]),
    ] {
        assert!(matches!(refused, Err(FunctionError::NotAdmissible { .. })));
    }
}

#[test]
fn a_key_admits_what_its_limits_say() {
    let signed = signed(16, &[1, 2, 3]);
    let verdict = |function: &Polynomial| {
        signed
            .key
            .verify(&signed.tag, function, &BigInt::ZERO, &signed.signatures[0])
    };
    // limits(): 8 values, degree 3, coefficients up to 20.
    let over = |what, got, limit| {
        Err(VerifyError::Function(FunctionError::NotAdmissible {
            what,
            got,
            limit,
        }))
    };
    let wide = Polynomial::linear(&[1; 9]).unwrap();
    assert_eq!(verdict(&wide), over("the number of variables", 9, 8));
    let high = Polynomial::new(1, [(Monomial::new(vec![0; 4]), 1)]).unwrap();
    assert_eq!(verdict(&high), over("the degree", 4, 3));
    let large = Polynomial::linear(&[1, -21]).unwrap();
    let out = FunctionError::CoefficientOutOfRange {
        monomial: Monomial::new(vec![1]),
        got: -21,
        limit: 20,
    };
    assert_eq!(verdict(&large), Err(out.clone().into()));
    let evaluated = signed.key.evaluate(&large, &signed.signatures[..2], 9);
    assert_eq!(evaluated, Err(out.into()));
}

#[test]
fn evaluation_takes_one_signature_of_the_key_s_dimension_for_each_variable() {
    let signed = signed(16, &[1, 2, 3]);
    let sum = Polynomial::linear(&[1; 3]).unwrap();
    let few = signed.key.evaluate(&sum, &signed.signatures[..2], 9);
    assert_eq!(
        few,
        Err(EvaluateError::InputCount {
            expected: 3,
            got: 2
        })
    );
    let mut mixed = signed.signatures.clone();
    mixed[1] = Signature::from_coefficients(Dimension::new(8).unwrap(), integers(&[0; 8])).unwrap();
    let mixed = signed.key.evaluate(&sum, &mixed, 9);
    assert_eq!(mixed, Err(EvaluateError::WrongDimension { index: 1 }));
}

#[test]
fn signatures_too_long_to_combine_are_refused_for_that() {
    let key = generated(16, limits()).signing.public().clone();
    let long = vec![BigInt::from(1) << 2000; 16];
    let long = Signature::from_coefficients(key.dimension(), long).unwrap();
    let square = Polynomial::from_coefficients(1, 2, &[0, 1]).unwrap();
    let refused = key.evaluate(&square, &[long], 1);
    assert_eq!(refused, Err(EvaluateError::TooLong));
}

#[test]
fn a_result_that_may_wrap_around_is_refused_before_it_does() {
    let signed = signed(4, &[1, 2, 3]);
    let sum = Polynomial::linear(&[1; 3]).unwrap();
    let half = signed.key.message_modulus() >> 1u8;
    let fits = u64::try_from(half / 3u8).unwrap();
    assert!(signed.key.evaluate(&sum, &signed.signatures, fits).is_ok());
    let range = fits + 1;
    let refused = signed.key.evaluate(&sum, &signed.signatures, range);
    assert_eq!(refused, Err(EvaluateError::ResultOutOfRange { range }));
}

#[test]
fn values_outside_the_message_space_are_neither_signed_nor_verified() {
    let mut signed = signed(16, &[1]);
    let p = BigInt::from(signed.key.message_modulus().clone());
    let half: BigInt = &p >> 1;
    assert!(signed.signer.sign(&signed.tag, 1, &half).is_ok());
    assert!(signed.signer.sign(&signed.tag, 2, &-&half).is_ok());
    let outside = signed.signer.sign(&signed.tag, 3, &(&half + 1));
    assert!(matches!(outside, Err(SignError::MessageOutOfRange { .. })));
    // 1 + p is equal to 1 mod p, but is another number.
    let one = Polynomial::linear(&[1]).unwrap();
    let refused = signed
        .key
        .verify(&signed.tag, &one, &(p + 1), &signed.signatures[0]);
    assert_eq!(refused, Err(VerifyError::ResultOutOfRange));
}

#[test]
fn an_index_is_below_the_data_set_size_and_a_refused_data_set_is_not_recorded() {
    let mut signer = signer(generated(8, limits()).signing);
    let refused = signer.sign(&tag("t"), 8, &BigInt::ZERO);
    assert!(matches!(
        refused,
        Err(SignError::NotAdmissible { index: 8, limit: 8 })
    ));
    let refused = signer.sign_data_set(&tag("t"), &integers(&[1; 9]), ONE);
    assert!(matches!(
        refused,
        Err(SignError::NotAdmissible { index: 8, limit: 8 })
    ));
    assert!(signer.sign(&tag("t"), 0, &BigInt::from(2)).is_ok());
}

#[test]
fn verification_names_what_is_wrong() {
    let signed = signed(16, &[10, 20, 30]);
    let sum = Polynomial::linear(&[1, 2, 3]).unwrap();
    let result = signed.key.evaluate(&sum, &signed.signatures, 30).unwrap();
    let verify = |tag: &Tag, function: &Polynomial, value: i32, signature: &Signature| {
        signed
            .key
            .verify(tag, function, &BigInt::from(value), signature)
            .map(|v| v.into_value())
    };
    let good = &result.signature;
    assert_eq!(verify(&signed.tag, &sum, 140, good), Ok(BigInt::from(140)));
    let value = verify(&signed.tag, &sum, 141, good);
    assert_eq!(value, Err(VerifyError::ValueMismatch));
    let other = verify(&tag("other"), &sum, 140, good);
    assert_eq!(other, Err(VerifyError::FunctionMismatch));
    let order = Polynomial::linear(&[2, 1, 3]).unwrap();
    let order = verify(&signed.tag, &order, 140, good);
    assert_eq!(order, Err(VerifyError::FunctionMismatch));
    let small = Signature::from_coefficients(Dimension::new(8).unwrap(), integers(&[0; 8]));
    let small = verify(&signed.tag, &sum, 140, &small.unwrap());
    assert_eq!(
        small,
        Err(VerifyError::WrongDimension {
            expected: 16,
            got: 8
        })
    );
    // A multiple of the honest signature by one more than p q preserves both values, but is long.
    let factor = signed.key.message_modulus() * signed.key.identifier_modulus() + 1u8;
    let factor = BigInt::from(factor);
    let long = good.coefficients().iter().map(|c| c * &factor).collect();
    let long = Signature::from_coefficients(signed.key.dimension(), long).unwrap();
    let long = verify(&signed.tag, &sum, 140, &long);
    assert_eq!(long, Err(VerifyError::NormExceeded));
    // The same key with other limits is another key.
    let other = generated(16, Limits::new(9, 3, 20).unwrap());
    let refused = other
        .signing
        .public()
        .verify(&signed.tag, &sum, &BigInt::from(140), good);
    assert_eq!(refused, Err(VerifyError::FunctionMismatch));
}

#[test]
fn a_signature_is_written_in_the_fewest_bytes() {
    let dimension = Dimension::new(4).unwrap();
    let signature = |values| Signature::from_coefficients(dimension, integers(values)).unwrap();
    let bytes = signature(&[0, 1, -1, 300]).to_bytes();
    assert_eq!(bytes, [2, 0, 0, 0, 1, 0xff, 0xff, 0x01, 0x2c]);
    assert_eq!(signature(&[0; 4]).to_bytes(), [1, 0, 0, 0, 0]);
    assert_eq!(signature(&[127, -128, 0, 0]).to_bytes().len(), 5);
    let read = |bytes: &[u8]| Signature::from_bytes(dimension, bytes);
    assert_eq!(
        read(&[2, 0, 0, 0, 1, 0xff, 0xff, 0, 44]),
        Err(BadEncoding::NotMinimal)
    );
    assert_eq!(read(&[0]), Err(BadEncoding::NotMinimal));
    assert_eq!(read(&[]), Err(BadEncoding::Length));
    assert_eq!(read(&[1, 0, 0, 0]), Err(BadEncoding::Length));
    assert_eq!(read(&[1, 0, 0, 0, 0, 0]), Err(BadEncoding::Length));
    let three = Signature::from_coefficients(dimension, integers(&[1, 2, 3]));
    assert_eq!(three, Err(BadEncoding::Length));
    let vast = vec![BigInt::from(1) << 2040; 4];
    assert_eq!(
        Signature::from_coefficients(dimension, vast),
        Err(BadEncoding::TooLarge)
    );
}

#[test]
fn a_tag_has_at_most_65535_bytes() {
    assert!(Tag::new(vec![0; Tag::MAX]).is_ok());
    assert_eq!(Tag::new(vec![0; Tag::MAX + 1]), Err(BadEncoding::Length));
}
