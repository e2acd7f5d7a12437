//! Edge cases, and the expected verdict for each.

mod common;

use common::{pkcs8_of_primes, public, statements};
use duet_sequential::{
    queue::Reason,
    sign,
    testing::{chain, secret_key},
    Attestation, BackEndError, BadPublicKey, BadSecretKey, ChainSignature, CheckError, Epoch,
    Fingerprint, Hop, HopCountOutOfRange, HopNumber, KeyDirectory, KeyError, Keyring, Link,
    MalformedAggregate, MalformedRecord, NotAnAttestation, Party, PathError, PeelError, PublicKey,
    RawPrivate, Record, RecordError, SecretKey, SignError, Statement, Suite, Time, VerifiedRecord,
    VerifyError, MAX_HOPS,
};
use num_bigint::BigUint;
use openssl::{
    pkey::Private,
    rsa::{Padding, Rsa},
};
use zeroize::Zeroizing;

const SUITE: Suite = Suite::Rsa2048;
const OTHER: Suite = Suite::Rsa3072;

fn hop(number: usize) -> HopNumber {
    HopNumber::new(number).expect("a hop")
}

// Chains.

#[test]
fn one_hop_and_empty_messages_and_one_signer_twice_are_good() {
    let (single, statement) = chain(SUITE, &[b""]);
    assert_eq!(single.verify(&statement), Ok(()));

    let key = secret_key(SUITE, 0);
    let twice = ChainSignature::first(key, b"same").expect("a signature");
    let twice = twice.append(key, b"same").expect("a signature");
    let statement = statement[0];
    let statement = Statement {
        message: b"same",
        ..statement
    };
    assert_eq!(twice.verify(&[statement, statement]), Ok(()));
}

#[test]
fn a_chain_may_be_as_long_as_the_format_allows_and_no_longer() {
    let key = secret_key(SUITE, 0);
    let (begun, statement) = chain(SUITE, &[b"again"]);
    let full = (1..MAX_HOPS).fold(begun, |chain, _| {
        chain.append(key, b"again").expect("a signature")
    });
    assert_eq!(full.hops().len(), MAX_HOPS);
    assert_eq!(full.verify(&vec![statement[0]; MAX_HOPS]), Ok(()));
    assert_eq!(full.append(key, b"again"), Err(SignError::TooManyHops));
    assert_eq!(ChainSignature::from_bytes(&full.to_bytes()), Ok(full));
}

#[test]
fn one_thing_that_is_changed_makes_a_good_chain_bad() {
    let messages: [&[u8]; 3] = [b"a", b"b", b"c"];
    let (good, claimed) = chain(SUITE, &messages);
    assert_eq!(good.verify(&claimed), Ok(()));
    let with_hops =
        |hops: Vec<Hop>| ChainSignature::from_parts(good.link().clone(), hops).expect("hops");
    for index in 0..3 {
        // Before the first hop, verification continues with random data, so any of the three verdicts is possible.
        let is_refused = |verdict: Result<(), VerifyError>| match verdict {
            Err(VerifyError::BadSignature) => true,
            Err(VerifyError::NonCanonical { hop } | VerifyError::OutOfRange { hop }) => {
                usize::from(hop.get()) <= index
            }
            _ => false,
        };
        let mut statements = claimed.clone();
        statements[index].message = b"another";
        assert!(is_refused(good.verify(&statements)));

        let mut statements = claimed.clone();
        statements[index].key = public(SUITE, 7);
        assert!(good.verify(&statements).is_err());

        let mut hops = good.hops().to_vec();
        hops[index].randomness[0] ^= 1;
        assert!(is_refused(with_hops(hops).verify(&claimed)));

        let mut hops = good.hops().to_vec();
        hops[index].overflow ^= true;
        assert!(with_hops(hops).verify(&claimed).is_err());

        let mut hops = good.hops().to_vec();
        let mut statements = claimed.clone();
        hops.remove(index);
        statements.remove(index);
        assert!(with_hops(hops).verify(&statements).is_err());
    }
    let mut swapped = claimed.clone();
    swapped.swap(0, 1);
    assert!(good.verify(&swapped).is_err());
}

#[test]
fn statements_are_as_many_as_hops() {
    let (good, claimed) = chain(SUITE, &[b"a", b"b"]);
    assert_eq!(
        good.verify(&claimed[..1]),
        Err(VerifyError::StatementCount {
            expected: 2,
            got: 1
        })
    );
    assert_eq!(
        good.verify(&[]),
        Err(VerifyError::StatementCount {
            expected: 2,
            got: 0
        })
    );
    assert_eq!(
        ChainSignature::from_parts(good.link().clone(), Vec::new()),
        Err(HopCountOutOfRange { got: 0 })
    );
    assert_eq!(
        ChainSignature::from_parts(good.link().clone(), vec![good.hops()[0]; 256]),
        Err(HopCountOutOfRange { got: 256 })
    );
}

#[test]
fn keys_of_two_sizes_do_not_meet_in_one_chain() {
    let (good, mut claimed) = chain(SUITE, &[b"a", b"b"]);
    let mixed = SignError::MixedModulusSize {
        expected: SUITE,
        got: OTHER,
    };
    assert_eq!(good.append(secret_key(OTHER, 0), b"c"), Err(mixed));
    claimed[1].key = public(OTHER, 0);
    let mixed = VerifyError::MixedModulusSize {
        hop: hop(2),
        expected: SUITE,
        got: OTHER,
    };
    assert_eq!(good.verify(&claimed), Err(mixed.clone()));
    assert_eq!(good.peel(&claimed[1]), Err(mixed));
}

#[test]
fn a_number_that_is_too_large_names_its_hop() {
    let (good, claimed) = chain(SUITE, &[b"a", b"b"]);
    let mut x = vec![0xff; 256];
    x[0] = 0x7f;
    let link = Link::new(SUITE, &x, *good.link().h()).expect("a link");
    let mut hops = good.hops().to_vec();
    hops[1].overflow = true;
    let chain = ChainSignature::from_parts(link, hops).expect("two hops");
    let refused = VerifyError::NonCanonical { hop: hop(2) };
    assert_eq!(chain.verify(&claimed), Err(refused.clone()));
    assert_eq!(chain.peel(&claimed[1]), Err(refused));
}

#[test]
fn a_first_hop_has_nothing_before_it() {
    let (single, claimed) = chain(SUITE, &[b"a"]);
    assert_eq!(single.peel(&claimed[0]), Ok(None));
}

// Moduli that are not a product of two primes.

#[test]
fn adversarial_moduli_give_a_verdict_and_neither_a_panic_nor_a_loop() {
    let (good, claimed) = chain(SUITE, &[b"a", b"b"]);
    let one = BigUint::from(1_u8);
    let top = &one << 2047_u32;
    let prime = (&one << 521_u32) - &one;
    let power: BigUint = &prime * &prime * &prime;
    // Each is increased through its odd multiples until one passes the checks of a key.
    let begin_and_factor = [
        ((&one << 2047_u32) + (&one << 2046_u32), one.clone()),
        (top.clone(), one.clone()),
        (top.clone(), power),
        (top.clone(), BigUint::from(65_537_u32)),
        (top.clone(), BigUint::from(1_000_003_u32)),
    ];
    for (begin, factor) in begin_and_factor {
        let cofactor: BigUint = (&begin / &factor + 1_u32) | &one;
        let key = (0_u32..2000)
            .map(|step| (&cofactor + 2 * step) * &factor)
            .find_map(|modulus| PublicKey::from_bytes(&modulus.to_bytes_be()).ok())
            .expect("one that passes the checks");
        let modulus = BigUint::from_bytes_be(key.as_bytes());
        assert_eq!(modulus % &factor, BigUint::ZERO);
        // Nobody can sign with such keys, but their owners can still put them into a record.
        for index in 0..2 {
            let mut statements = claimed.clone();
            statements[index].key = &key;
            let verdict = good.verify(&statements);
            assert!(
                matches!(
                    verdict,
                    Err(VerifyError::NonCanonical { .. }
                        | VerifyError::OutOfRange { .. }
                        | VerifyError::BadSignature)
                ),
                "{verdict:?}"
            );
        }
    }
}

// Keys.

#[test]
fn every_bad_public_key_is_refused_for_its_own_reason() {
    let good = public(SUITE, 0).as_bytes();
    let with = |index: usize, byte: u8| {
        let mut bytes = good.to_vec();
        bytes[index] = byte;
        bytes
    };
    let read = |bytes: &[u8]| PublicKey::from_bytes(bytes).map(|_| ());
    assert_eq!(read(good), Ok(()));
    assert_eq!(read(&[]), Err(BadPublicKey::Length { got: 0 }));
    assert_eq!(read(&good[1..]), Err(BadPublicKey::Length { got: 255 }));
    assert_eq!(
        read(&with(0, good[0] & 0x7f)),
        Err(BadPublicKey::Short { expected: 2048 })
    );
    assert_eq!(read(&with(255, good[255] & 0xfe)), Err(BadPublicKey::Even));
    for exponent in [&[3][..], &[1, 0, 3], &[], &[0], &[1, 0, 0, 0, 1]] {
        assert_eq!(
            PublicKey::from_parts(good, exponent),
            Err(BadPublicKey::Exponent)
        );
    }
    assert!(PublicKey::from_parts(good, &[0, 0, 0, 0, 1, 0, 1]).is_ok());

    // Odd multiples of the largest prime of the trial division, until one has no smaller factor.
    let largest = BigUint::from(65_521_u32);
    let quotient = (BigUint::from_bytes_be(good) / &largest) | BigUint::from(1_u8);
    let multiples = (0_u32..1000).map(|step| (&quotient + 2 * step) * &largest);
    let errors: Vec<_> = multiples
        .map(|number| read(&number.to_bytes_be()))
        .collect();
    assert!(errors.contains(&Err(BadPublicKey::SmallFactor { factor: 65_521 })));
    assert!(errors.contains(&Err(BadPublicKey::SmallFactor { factor: 3 })));
    assert!(!errors.contains(&Ok(())));
}

#[test]
fn a_modulus_of_the_weak_generator_is_refused() {
    let primes = (3_u32..=167).filter(|n| (2..*n).all(|divisor| n % divisor != 0));
    let product: BigUint = primes.map(BigUint::from).product();
    let top = BigUint::from(1_u8) << 2047_u32;
    let found = (0_u32..1000).find_map(|exponent| {
        let power = BigUint::from(65_537_u32).modpow(&exponent.into(), &product);
        let number: BigUint = (&top / &product + 1_u32) * &product + power;
        match PublicKey::from_bytes(&number.to_bytes_be()) {
            Err(error @ BadPublicKey::WeakGenerator) => Some(error),
            _ => None,
        }
    });
    assert_eq!(found, Some(BadPublicKey::WeakGenerator));
}

fn read_secret(bytes: &[u8]) -> Result<(), BadSecretKey> {
    SecretKey::from_bytes(bytes).map(|_| ())
}

#[test]
fn every_bad_secret_key_is_refused_for_its_own_reason() {
    let good = secret_key(SUITE, 0).to_bytes().expect("bytes");
    assert_eq!(read_secret(&good), Ok(()));
    for len in [0, 1, 2, 33] {
        assert_eq!(read_secret(&good[..len]), Err(BadSecretKey::Encoding));
    }
    assert_eq!(read_secret(&good[..34]), Err(BadSecretKey::Pkcs8));
    let with = |index: usize, byte: u8| {
        let mut bytes = good.to_vec();
        bytes[index] = byte;
        bytes
    };
    assert_eq!(read_secret(&with(0, 2)), Err(BadSecretKey::Encoding));
    assert_eq!(read_secret(&with(1, 3)), Err(BadSecretKey::Encoding));
    let other_size = BadSecretKey::Suite {
        expected: 3072,
        got: 2048,
    };
    assert_eq!(read_secret(&with(1, 2)), Err(other_size));
    let trailing = [good.as_slice(), &[0]].concat();
    assert_eq!(read_secret(&trailing), Err(BadSecretKey::Spelling));
    let long = [good.as_slice(), &[0; 4096]].concat();
    assert_eq!(read_secret(&long), Err(BadSecretKey::Encoding));
    // A byte of the private exponent, and one of a prime.
    for index in [400, 700] {
        let changed = with(index, good[index] ^ 0x10);
        assert!(matches!(
            read_secret(&changed),
            Err(BadSecretKey::Inconsistent | BadSecretKey::Pkcs8)
        ));
    }
}

#[test]
fn a_key_of_another_type_is_not_a_secret_key() {
    let seed = || Zeroizing::new([1; 32]);
    let refused = |der: &[u8]| SecretKey::from_pkcs8(der, seed()).map(|_| ());
    let small = openssl::pkey::PKey::from_rsa(Rsa::generate(1024).expect("a key")).expect("a key");
    let small = small.private_key_to_pkcs8().expect("DER");
    assert_eq!(
        refused(&small),
        Err(BadSecretKey::Public(BadPublicKey::Length { got: 128 }))
    );
    let edwards = openssl::pkey::PKey::generate_ed25519().expect("a key");
    let edwards = edwards.private_key_to_pkcs8().expect("DER");
    assert_eq!(refused(&edwards), Err(BadSecretKey::Pkcs8));
}

#[test]
fn a_key_whose_factor_is_not_prime_signs_nothing() {
    let (p, q) = primes_of(secret_key(SUITE, 0));
    let mut context = openssl::bn::BigNumContext::new().expect("memory");
    // The next composite without small factors whose predecessor is not divisible by 65537.
    let not_prime = (1_u32..)
        .map(|step| &p + 2 * step)
        .filter(|number| {
            (3_u32..=u16::MAX.into())
                .step_by(2)
                .all(|n| number % n != BigUint::ZERO)
        })
        .filter(|number| (number - 1_u32) % 65_537_u32 != BigUint::ZERO)
        .find(|number| {
            let number = openssl::bn::BigNum::from_slice(&number.to_bytes_be()).expect("a number");
            !number.is_prime(20, &mut context).expect("memory")
        })
        .expect("composites are many");
    let der = pkcs8_of_primes(&not_prime.to_bytes_be(), &q.to_bytes_be());
    let read = SecretKey::from_pkcs8(&der, Zeroizing::new([1; 32]));
    assert_eq!(read.map(|_| ()), Err(BadSecretKey::Inconsistent));
}

fn primes_of(key: &SecretKey) -> (BigUint, BigUint) {
    let bytes = key.to_bytes().expect("bytes");
    let key = openssl::pkey::PKey::private_key_from_pkcs8(&bytes[34..]).expect("a key");
    let rsa = key.rsa().expect("RSA");
    let number = |n: &openssl::bn::BigNumRef| BigUint::from_bytes_be(&n.to_vec());
    (number(rsa.p().expect("p")), number(rsa.q().expect("q")))
}

#[test]
fn primes_that_are_neighbours_are_refused() {
    let mut p = openssl::bn::BigNum::from_slice(&primes_of(secret_key(SUITE, 0)).0.to_bytes_be())
        .expect("a number");
    let first = p.to_vec();
    let mut context = openssl::bn::BigNumContext::new().expect("memory");
    // The next prime whose predecessor has no factor 65537. The gap is a few hundred.
    loop {
        p.add_word(2).expect("memory");
        if p.is_prime_fasttest(10, &mut context, true).expect("memory") {
            break;
        }
    }
    let der = pkcs8_of_primes(&first, &p.to_vec());
    let read = SecretKey::from_pkcs8(&der, Zeroizing::new([1; 32]));
    assert_eq!(read.map(|_| ()), Err(BadSecretKey::ClosePrimes));
}

#[test]
fn a_secret_key_prints_nothing_secret() {
    let key = secret_key(SUITE, 0);
    let shown = format!("{key:?}");
    let expected = format!("SecretKey({}, redacted)", key.public().fingerprint());
    assert_eq!(shown, expected);
}

// Back ends.

/// A device that signs correctly except for one bit, like a fault in one half of the CRT.
struct Faulty {
    key: Rsa<Private>,
    /// The XOR mask of the fault; zero for none.
    fault: u8,
}

impl Faulty {
    fn new(fault: u8) -> Self {
        let bytes = secret_key(SUITE, 0).to_bytes().expect("bytes");
        let key = openssl::pkey::PKey::private_key_from_pkcs8(&bytes[34..]).expect("a key");
        let key = key.rsa().expect("RSA");
        Self { key, fault }
    }
}

impl RawPrivate for Faulty {
    fn private(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError> {
        let signed = self.key.private_encrypt(input, output, Padding::NONE);
        signed.map_err(BackEndError::new)?;
        output[100] ^= self.fault;
        Ok(())
    }
}

/// A device that returns a number above the modulus.
struct TooLarge;

impl RawPrivate for TooLarge {
    fn private(&self, _: &[u8], output: &mut [u8]) -> Result<(), BackEndError> {
        output.fill(0xff);
        Ok(())
    }
}

/// A device that does not respond.
struct Silent;

impl RawPrivate for Silent {
    fn private(&self, _: &[u8], _: &mut [u8]) -> Result<(), BackEndError> {
        Err(BackEndError::new(std::io::Error::other("no answer")))
    }
}

#[test]
fn a_wrong_answer_of_the_private_operation_is_not_released() {
    fn signed(raw: impl RawPrivate) -> Result<(Hop, Link), SignError> {
        let public = public(SUITE, 0).clone();
        let key = SecretKey::with_back_end(public, Zeroizing::new([1; 32]), raw);
        sign(&key, b"m", None)
    }
    assert!(signed(Faulty::new(0)).is_ok());
    assert_eq!(signed(Faulty::new(1)), Err(SignError::Fault));
    assert_eq!(signed(TooLarge), Err(SignError::Fault));
    let error = signed(Silent).expect_err("no answer").to_string();
    assert_eq!(error, "the RSA library failed: no answer");
}

// Encodings.

#[test]
fn every_malformed_envelope_is_refused_for_its_own_reason() {
    let (good, _) = chain(SUITE, &[b"a", b"b", b"c"]);
    let bytes = good.to_bytes();
    let read = |bytes: &[u8]| ChainSignature::from_bytes(bytes).map(|_| ());
    let with = |index: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[index] = byte;
        read(&bytes)
    };
    assert_eq!(read(&bytes), Ok(()));
    for got in 0..4 {
        let cut_off = MalformedAggregate::CutOff { got };
        assert_eq!(read(&bytes[..got]), Err(cut_off));
    }
    assert_eq!(with(0, 2), Err(MalformedAggregate::Version { got: 2 }));
    assert_eq!(with(1, 0), Err(MalformedAggregate::Suite { got: 0 }));
    let none = HopCountOutOfRange { got: 0 };
    assert_eq!(with(3, 0), Err(MalformedAggregate::HopCount(none)));
    let many = HopCountOutOfRange { got: 259 };
    assert_eq!(with(2, 1), Err(MalformedAggregate::HopCount(many)));
    for other in [with(1, 2), with(3, 2), with(3, 4), read(&bytes[..340])] {
        assert!(matches!(other, Err(MalformedAggregate::Length { .. })));
    }
    let trailing = [bytes.as_slice(), &[0]].concat();
    let too_long = MalformedAggregate::Length {
        expected: 337,
        got: 338,
    };
    assert_eq!(read(&trailing), Err(too_long));
    assert_eq!(with(4, bytes[4] | 0x80), Err(MalformedAggregate::TopBit));
    for bit in 3..8 {
        let last = bytes.len() - 1;
        let padded = with(last, bytes[last] | 1 << bit);
        assert_eq!(padded, Err(MalformedAggregate::Padding));
    }
}

#[test]
fn every_malformed_record_is_refused_for_its_own_reason() {
    let record = Record::first(secret_key(SUITE, 0), b"message", Epoch(7)).expect("a record");
    let bytes = record.to_bytes();
    assert_eq!(Record::from_bytes(&bytes), Ok(record));
    assert_eq!(Record::from_bytes(&[]), Err(MalformedRecord::CutOff));
    let version = MalformedRecord::Version { got: 9 };
    assert_eq!(Record::from_bytes(&[9]), Err(version));
    for len in 1..bytes.len() {
        let refused = Record::from_bytes(&bytes[..len]);
        let is_cut_off = matches!(
            refused,
            Err(MalformedRecord::CutOff
                | MalformedRecord::Aggregate(MalformedAggregate::CutOff { .. }))
        );
        assert!(is_cut_off, "{len} bytes: {refused:?}");
    }
    let trailing = [bytes.as_slice(), &[0; 3]].concat();
    assert_eq!(
        Record::from_bytes(&trailing),
        Err(MalformedRecord::Trailing { got: 3 })
    );
    let mut huge = bytes.clone();
    let length_at = huge.len() - 7 - 4;
    huge[length_at] = 0xff;
    assert_eq!(Record::from_bytes(&huge), Err(MalformedRecord::CutOff));
}

// Records and their keys.

#[test]
fn a_record_waits_for_unknown_keys_and_ends_with_revoked_ones() {
    let record = Record::first(secret_key(SUITE, 0), b"a", Epoch(5)).expect("a record");
    let record = record.append(secret_key(SUITE, 1), b"b").expect("a record");
    let fingerprint = public(SUITE, 1).fingerprint();
    let mut keys = Keyring::default();
    keys.insert(public(SUITE, 0).clone(), Epoch(5));
    let unavailable = CheckError::KeyUnavailable {
        hop: hop(2),
        fingerprint,
    };
    assert_eq!(record.verify(&keys), Err(unavailable.clone()));

    // Known from the next epoch on, so not for this record.
    let mut later = keys.clone();
    later.insert(public(SUITE, 1).clone(), Epoch(6));
    assert_eq!(record.verify(&later), Err(unavailable));

    keys.insert(public(SUITE, 1).clone(), Epoch(0));
    assert_eq!(record.verify(&keys), Ok(()));

    // Revoked later: the record's own epoch applies, not the current one.
    keys.revoke(fingerprint, Epoch(6)).expect("a known key");
    assert_eq!(record.verify(&keys), Ok(()));
    keys.revoke(fingerprint, Epoch(5)).expect("a known key");
    let revoked = CheckError::KeyRevoked {
        hop: hop(2),
        fingerprint,
    };
    assert_eq!(record.verify(&keys), Err(revoked.clone()));
    // A later revocation does not replace the earlier one.
    keys.revoke(fingerprint, Epoch(9)).expect("a known key");
    assert_eq!(record.verify(&keys), Err(revoked));
    assert!(keys
        .revoke(public(SUITE, 5).fingerprint(), Epoch(0))
        .is_err());
}

/// A directory that returns the same key for every fingerprint.
struct Confused;

impl KeyDirectory for Confused {
    fn key(&self, _: &Fingerprint, _: Epoch) -> Result<PublicKey, KeyError> {
        Ok(public(SUITE, 0).clone())
    }
}

#[test]
fn a_key_that_was_not_asked_for_is_not_used() {
    let first = Record::first(secret_key(SUITE, 0), b"a", Epoch(5)).expect("a record");
    let record = first.append(secret_key(SUITE, 1), b"b").expect("a record");
    let (expected, got) = (
        public(SUITE, 1).fingerprint(),
        public(SUITE, 0).fingerprint(),
    );
    let wrong = PeelError::WrongKey { expected, got };
    assert_eq!(record.peel(public(SUITE, 0)), Err(wrong));
    assert_eq!(record.peel(public(SUITE, 1)), Ok(Some(first.clone())));
    assert_eq!(first.peel(public(SUITE, 0)), Ok(None));
    assert!(first.peel(public(SUITE, 1)).is_err());

    let wrong = CheckError::WrongKey {
        hop: hop(2),
        expected,
        got,
    };
    assert_eq!(record.verify(&Confused), Err(wrong.clone()));
    assert_eq!(Reason::of(&wrong), None);
    assert_eq!(first.verify(&Confused), Ok(()));
}

#[test]
fn a_record_is_not_signed_across_sizes() {
    let record = Record::first(secret_key(SUITE, 0), b"a", Epoch(5)).expect("a record");
    assert!(matches!(
        record.append(secret_key(OTHER, 0), b"b"),
        Err(RecordError::Sign(SignError::MixedModulusSize { .. }))
    ));
}

// Paths.

const SENDER: &str = "sender";
const RECEIVER: &str = "receiver";

fn honest() -> Vec<Attestation> {
    let own = |index: usize| public(SUITE, index).fingerprint();
    let attestation = |index: usize, from: Party, to: Party| Attestation {
        payload: [8; 32],
        hop: hop(index + 1),
        from,
        own: own(index),
        to,
        epoch: Epoch(5),
        expires: Time(100),
        fee: u64::MAX / 2,
    };
    vec![
        attestation(0, Party::named(SENDER), own(1).into()),
        attestation(1, own(0).into(), own(2).into()),
        attestation(2, own(1).into(), Party::named(RECEIVER)),
    ]
}

fn record_of(messages: &[Vec<u8>]) -> VerifiedRecord {
    let mut keys = Keyring::default();
    let mut record = None::<Record>;
    for (index, message) in messages.iter().enumerate() {
        let key = secret_key(SUITE, index % 3);
        keys.insert(key.public().clone(), Epoch(0));
        record = Some(match record {
            None => Record::first(key, message, Epoch(5)).expect("a record"),
            Some(record) => record.append(key, message).expect("a record"),
        });
    }
    record.expect("a record").check(&keys).expect("it verifies")
}

fn path_of(hops: &[Attestation]) -> Result<(), PathError> {
    let messages: Vec<_> = hops.iter().map(Attestation::to_bytes).collect();
    let path = record_of(&messages).path(Party::named(RECEIVER), Time(100))?;
    assert_eq!(path.hops(), hops);
    Ok(())
}

#[test]
fn a_path_is_refused_at_the_hop_that_does_not_fit() {
    assert_eq!(path_of(&honest()), Ok(()));
    let tweak = |index: usize, change: fn(&mut Attestation)| {
        let mut hops = honest();
        change(&mut hops[index]);
        path_of(&hops)
    };
    let at = hop(2);
    assert_eq!(
        tweak(1, |said| said.hop = HopNumber::FIRST),
        Err(PathError::Place {
            hop: at,
            got: HopNumber::FIRST
        })
    );
    let stranger = public(SUITE, 7).fingerprint();
    assert_eq!(
        tweak(1, |said| said.own = public(SUITE, 7).fingerprint()),
        Err(PathError::Own { hop: at })
    );
    assert_eq!(
        tweak(1, |said| said.from = Party::named(SENDER)),
        Err(PathError::From { hop: at })
    );
    assert_eq!(
        tweak(1, |said| said.to = Party::named(RECEIVER)),
        Err(PathError::To { hop: at })
    );
    assert_eq!(
        tweak(1, |said| said.payload = [9; 32]),
        Err(PathError::Payload { hop: at })
    );
    assert_eq!(
        tweak(1, |said| said.epoch = Epoch(4)),
        Err(PathError::Epoch { hop: at })
    );
    assert_eq!(
        tweak(1, |said| said.expires = Time(99)),
        Err(PathError::Expired { hop: at })
    );
    assert_ne!(Party::from(stranger), Party::named(SENDER));
}

#[test]
fn a_signer_that_comes_back_is_named() {
    let mut hops = honest();
    let first = hops[0].own;
    hops[2].to = first.into();
    hops.push(Attestation {
        hop: hop(4),
        from: hops[2].own.into(),
        own: first,
        to: Party::named(RECEIVER),
        ..hops[0]
    });
    assert_eq!(
        path_of(&hops),
        Err(PathError::RepeatedHop {
            hop: hop(4),
            first: hop(1)
        })
    );
}

#[test]
fn bare_messages_are_no_path_and_fees_that_do_not_fit_have_no_sum() {
    let bare = record_of(&[b"hello".to_vec()]);
    assert_eq!(
        bare.path(Party::named(RECEIVER), Time(0)),
        Err(PathError::NotAnAttestation {
            hop: HopNumber::FIRST
        })
    );
    let messages: Vec<_> = honest().iter().map(Attestation::to_bytes).collect();
    let path = record_of(&messages)
        .path(Party::named(RECEIVER), Time(0))
        .expect("a path");
    assert_eq!(path.fee(), None);
}

#[test]
fn an_attestation_has_one_encoding() {
    let bytes = honest()[0].to_bytes();
    assert_eq!(Attestation::from_bytes(&bytes), Ok(honest()[0]));
    for len in 0..bytes.len() {
        assert_eq!(
            Attestation::from_bytes(&bytes[..len]),
            Err(NotAnAttestation)
        );
    }
    let trailing = [bytes.as_slice(), &[0]].concat();
    assert_eq!(Attestation::from_bytes(&trailing), Err(NotAnAttestation));
    let mut nowhere = bytes.clone();
    nowhere[14 + 32] = 0;
    assert_eq!(Attestation::from_bytes(&nowhere), Err(NotAnAttestation));
}

#[test]
fn statements_of_other_keys_do_not_verify() {
    let (good, _) = chain(SUITE, &[b"a", b"b"]);
    let mut others = statements(SUITE, &[b"a", b"b"]);
    others.reverse();
    assert!(good.verify(&others).is_err());
}
