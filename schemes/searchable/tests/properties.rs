//! Properties, on random inputs.

mod common;

use common::{rng, Setting};
use duet_searchable::*;
use proptest::prelude::*;
use std::sync::OnceLock;

fn table() -> &'static DiscreteLog {
    static TABLE: OnceLock<DiscreteLog> = OnceLock::new();
    TABLE.get_or_init(|| DiscreteLog::new(Bound::new(1 << 39), 1 << 24, &()).expect("a table"))
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

/// Decrypts with both forms, which must agree.
fn decrypt(setting: &Setting, ciphertext: &Ciphertext) -> Result<Message, Rejected> {
    let delegated = setting.delegated();
    let (scalar, group) = (setting.decrypt(ciphertext), delegated.decrypt(ciphertext));
    assert_eq!(scalar.as_ref().ok(), group.as_ref().ok());
    scalar
}

fn number(setting: &Setting, ciphertext: &Ciphertext) -> i64 {
    let message = decrypt(setting, ciphertext).expect("its own");
    table().find(&message).expect("in range")
}

proptest! {
    #![proptest_config(cases(10))]

    #[test]
    fn a_weighted_sum_decrypts_to_the_weighted_sum(
        seed: u64,
        inputs in prop::collection::vec((-1000i64..1000, weights()), 1..12),
        constant in -1_000_000i64..1_000_000,
    ) {
        let mut setting = Setting::new(seed);
        let ciphertexts: Vec<_> = inputs.iter().map(|(number, _)| setting.encrypt(*number)).collect();
        let terms: Vec<_> = inputs
            .iter()
            .zip(&ciphertexts)
            .map(|((_, weight), ciphertext)| Term::new(*weight, ciphertext))
            .collect();
        let expected: i64 = constant + inputs.iter().map(|(number, weight)| number * weight).sum::<i64>();
        let bound = Bound::of_sum(inputs.iter().map(|(_, weight)| (*weight, Bound::new(1000))), constant);
        prop_assert!(expected.unsigned_abs() <= bound.expect("small").get());
        let sum = setting.sum(&terms, constant).expect("one keyword");
        prop_assert_eq!(number(&setting, sum.ciphertext()), expected);
        // The result is a valid ciphertext.
        prop_assert_eq!(setting.server.test(sum.ciphertext()), Ok(sum));
    }

    #[test]
    fn sums_of_sums_are_sums(seed: u64, numbers in prop::array::uniform4(-1000i64..1000)) {
        let mut setting = Setting::new(seed);
        let [a, b, c, d] = numbers.map(|number| setting.encrypt(number));
        let rng = &mut setting.rng;
        let server = &setting.server;
        let left = server.add(&a, &b, rng).expect("one keyword");
        let right = server.add(&c, &d, rng).expect("one keyword");
        let terms = [Term::tested(1, &left), Term::new(1, right.ciphertext())];
        let nested = server.evaluate(&terms, 0, rng).expect("one keyword");
        let terms = [&a, &b, &c, &d].map(|input| Term::new(1, input));
        let flat = server.evaluate(&terms, 0, rng).expect("one keyword");
        prop_assert_ne!(&nested, &flat);
        let opened = [&nested, &flat].map(|sum| number(&setting, sum.ciphertext()));
        prop_assert_eq!(opened, [numbers.iter().sum::<i64>(); 2]);
    }

    #[test]
    fn every_form_of_a_ciphertext_comes_back(seed: u64, number in any::<i64>()) {
        let mut setting = Setting::new(seed);
        let ciphertext = setting.encrypt(number);
        for form in [Form::Plain, Form::Compressed] {
            let read = ReceivedCiphertext::parse(&ciphertext.to_wire(form));
            prop_assert_eq!(read.and_then(|read| read.check()), Ok(ciphertext.clone()));
        }
        let message = decrypt(&setting, &ciphertext).expect("its own");
        prop_assert_eq!(&message, &Message::number(number));
        prop_assert_eq!(Message::from_bytes(&message.to_bytes()), Ok(message.clone()));
        prop_assert_eq!(Message::from_compressed(&message.to_compressed()), Ok(message));
    }

    #[test]
    fn inner_products_agree_with_arithmetic_modulo_t(
        seed: u64,
        bits in 1u8..=16,
        pairs in prop::collection::vec(any::<(u32, u32)>(), 1..6),
    ) {
        let mut setting = Setting::new(seed);
        let ring = Ring::new(bits).expect("1 to 16");
        let modulus = ring.modulus();
        let mut factor = |number: u32| {
            setting.factor(ring, number % modulus)
                .expect("reduced")
        };
        let (left, right): (Vec<_>, Vec<_>) = pairs.iter().map(|(x, y)| (factor(*x), factor(*y))).unzip();
        let product = setting.product(&left, &right)
            .expect("one keyword");
        prop_assert_eq!(product.ciphertexts(), 2 * pairs.len() + 1);
        let read = EncryptedProduct::from_bytes(&product.to_bytes());
        prop_assert_eq!(read, Ok(product.clone()));
        let expected = pairs
            .iter()
            .map(|(x, y)| u64::from(x % modulus) * u64::from(y % modulus))
            .fold(0, |sum, term| (sum + term) % u64::from(modulus));
        let opened = product.decrypt(|ciphertext| decrypt(&setting, ciphertext), table());
        prop_assert_eq!(u64::from(opened.expect("its own")), expected);
    }
}

/// Weights of every length that has its own code path.
fn weights() -> impl Strategy<Value = i64> {
    prop_oneof![
        -1i64..=1,
        -255i64..=255,
        -65_535i64..=65_535,
        -20_000_000i64..=20_000_000,
    ]
}

#[test]
fn weights_of_more_than_32_bits_count_too() {
    let mut setting = Setting::new(1);
    let ciphertext = setting.encrypt(3);
    let weight = (1 << 33) + 5;
    let terms = [Term::new(weight, &ciphertext), Term::new(-7, &ciphertext)];
    let sum = setting.sum(&terms, 0).expect("one keyword");
    assert_eq!(number(&setting, sum.ciphertext()), 3 * (weight - 7));
    // The largest possible weights, which cancel.
    let terms = [
        Term::new(i64::MIN, &ciphertext),
        Term::new(i64::MAX, &ciphertext),
    ];
    let sum = setting.sum(&terms, 0).expect("one keyword");
    assert_eq!(number(&setting, sum.ciphertext()), -3);
}

#[test]
fn one_input_is_made_fresh_and_no_input_is_refused() {
    let mut setting = Setting::new(2);
    let ciphertext = setting.encrypt(-9);
    let fresh = setting.sum(&[Term::new(1, &ciphertext)], 0);
    let fresh = fresh.expect("one keyword").into_ciphertext();
    assert_ne!(fresh, ciphertext);
    assert_eq!(number(&setting, &fresh), -9);
    let nothing = setting.sum(&[], 5);
    assert_eq!(nothing, Err(EvaluationError::EmptyInput));
}

#[test]
fn weights_of_zero_encrypt_the_constant() {
    let mut setting = Setting::new(3);
    let ciphertext = setting.encrypt(1234);
    let terms = [Term::new(0, &ciphertext); 3];
    for constant in [0, 77, -77] {
        let sum = setting.sum(&terms, constant).expect("one keyword");
        assert_eq!(number(&setting, sum.ciphertext()), constant);
    }
}

#[test]
fn the_same_sum_twice_is_two_ciphertexts_and_one_plaintext() {
    let mut setting = Setting::new(4);
    let inputs = [setting.encrypt(40), setting.encrypt(2)];
    let mut sum = || {
        let sum = setting.add(&inputs[0], &inputs[1]);
        sum.expect("one keyword").into_ciphertext()
    };
    let (first, second) = (sum(), sum());
    let (a, b) = (first.to_plain(), second.to_plain());
    for component in [0..48, 48..624, 624..1200, 1200..1776, 1776..1840] {
        assert_ne!(a[component.clone()], b[component]);
    }
    assert_eq!(number(&setting, &first), 42);
    assert_eq!(number(&setting, &second), 42);
}

#[test]
fn sums_are_the_same_on_one_core_and_on_many() {
    let mut setting = Setting::new(5);
    let inputs: Vec<_> = (0..40).map(|number| setting.encrypt(number)).collect();
    let terms: Vec<_> = inputs.iter().map(|input| Term::new(3, input)).collect();
    let sum = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(|| setting.server.evaluate(&terms, 0, &mut rng(6)))
    };
    assert_eq!(sum(1), sum(4));
}

#[test]
fn ciphertexts_under_a_thousand_other_keywords_pass_no_test() {
    let mut setting = Setting::new(6);
    let mut others: Vec<_> = (0..1000)
        .map(|index| {
            let keyword = Keyword::telemetry("duet", "cpu", 1_000_000 + index).expect("short");
            let encryptor = Encryptor::new(setting.master.public_key(), &keyword).expect("no hit");
            encryptor.encrypt(7, &mut setting.rng)
        })
        .collect();
    others.push(setting.encrypt(7));
    let verdicts = setting.server.test_all(&others, &());
    let found: Vec<_> = (0..others.len())
        .filter(|index| verdicts[*index].is_ok())
        .collect();
    assert_eq!(found, [1000]);
}

#[test]
fn progress_is_told_of_every_input() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let mut setting = Setting::new(7);
    let inputs: Vec<_> = (0..37).map(|number| setting.encrypt(number)).collect();
    let terms: Vec<_> = inputs.iter().map(|input| Term::new(1, input)).collect();
    let told = AtomicU64::new(0);
    let progress = |steps: u64| {
        told.fetch_add(steps, Ordering::Relaxed);
    };
    let sum = setting
        .server
        .evaluate_with_progress(&terms, 0, &mut setting.rng, &progress);
    assert!(sum.is_ok());
    assert_eq!(told.swap(0, Ordering::Relaxed), 37);
    setting.server.test_all(&inputs, &progress);
    assert_eq!(told.load(Ordering::Relaxed), 37);
}

#[test]
fn what_is_done_for_many_at_once_is_what_is_done_for_each() {
    let setting = Setting::new(9);
    let numbers: Vec<i64> = (-10..10).collect();
    let mut ciphertexts = setting.encryptor.encrypt_all(&numbers, &mut rng(10), &());
    let mut one_by_one = rng(10);
    for (number, ciphertext) in numbers.iter().zip(&ciphertexts) {
        assert_eq!(
            *ciphertext,
            setting.encryptor.encrypt(*number, &mut one_by_one)
        );
    }
    let (_, other, _) = setting.other("memory");
    ciphertexts[3] = other.encrypt(1, &mut one_by_one);
    let delegated = setting.delegated();
    for messages in [
        setting
            .master
            .decrypt_all(&setting.keyword, &ciphertexts, &()),
        delegated.decrypt_all(&ciphertexts, &()),
    ] {
        assert_eq!(messages.len(), numbers.len());
        for (index, (message, number)) in messages.into_iter().zip(&numbers).enumerate() {
            let expected = (index != 3).then(|| Message::number(*number));
            assert_eq!(message.ok(), expected);
        }
    }
    let mut received: Vec<_> = ciphertexts
        .iter()
        .map(|ciphertext| {
            ReceivedCiphertext::parse(&ciphertext.to_wire(Form::Plain)).expect("so long")
        })
        .collect();
    let mut changed = ciphertexts[5].to_plain();
    changed[48] ^= 1;
    received[5] = ReceivedCiphertext::from_plain(&changed).expect("so long");
    for (index, checked) in ReceivedCiphertext::check_all(&received, &())
        .into_iter()
        .enumerate()
    {
        assert_eq!(checked, received[index].check());
        assert_eq!(checked.is_ok(), index != 5);
    }
}

#[test]
fn keywords_of_fields_do_not_run_into_each_other() {
    let keyword = |fields: &[&[u8]]| Keyword::of_fields(fields).expect("short");
    assert_ne!(keyword(&[b"ab", b"c"]), keyword(&[b"a", b"bc"]));
    assert_ne!(keyword(&[b"ab"]), keyword(&[b"ab", b""]));
    let telemetry = Keyword::telemetry("duet", "cpu", 258).expect("short");
    assert_eq!(
        telemetry.as_bytes(),
        b"\x00\x04duet\x00\x03cpu\x00\x00\x00\x00\x00\x00\x01\x02"
    );
    let refused = Keyword::of_fields(&[&[0; 65_536]]);
    assert_eq!(
        refused,
        Err(KeywordTooLong {
            got: 65_536,
            most: 65_535
        })
    );
    assert!(Keyword::new("").is_ok());
}

#[test]
fn secrets_are_never_printed() {
    let mut setting = Setting::new(8);
    let delegated = setting.delegated();
    let ciphertext = setting.encrypt(5);
    let message = decrypt(&setting, &ciphertext).expect("its own");
    // Compares the exact output, so no form of a secret can be in it.
    let fingerprint = hex::encode(setting.master.public_key().fingerprint().as_bytes());
    let public = format!("PublicKey(Fingerprint({fingerprint}))");
    assert_eq!(
        format!("{:?}", setting.master),
        format!("MasterKey(redacted, of {public})")
    );
    assert_eq!(
        format!("{:?}", setting.server),
        format!("HomomorphicKey {{ public: {public}, .. }}")
    );
    assert_eq!(
        format!("{delegated:?}"),
        format!("DecryptionKey {{ public: {public}, .. }}")
    );
    assert_eq!(format!("{message:?}"), "Message(redacted)");
}
