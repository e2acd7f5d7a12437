//! The Catalano-Fiore transformation: what it hides, and which inputs are refused.

mod common;

use common::Setting;
use duet_searchable::*;

fn vector(setting: &mut Setting, ring: Ring, numbers: &[u32]) -> Vec<Factor> {
    numbers
        .iter()
        .map(|number| setting.factor(ring, *number).expect("reduced"))
        .collect()
}

fn ring(bits: u8) -> Ring {
    Ring::new(bits).expect("1 to 16")
}

fn table(product: &EncryptedProduct) -> DiscreteLog {
    DiscreteLog::new(product.bound().expect("short"), 1 << 20, &()).expect("a table")
}

#[test]
fn the_inner_product_of_the_specifications_size_is_right() {
    let mut setting = Setting::new(1);
    let numbers: Vec<u32> = (0..8).map(|index| index * 7919 % 65_536).collect();
    let others: Vec<u32> = (0..8).map(|index| 65_535 - index * 31).collect();
    let left = vector(&mut setting, ring(16), &numbers);
    let right = vector(&mut setting, ring(16), &others);
    let product = setting.product(&left, &right).expect("one keyword");
    assert_eq!(product.bound().map(Bound::get), Ok((3 * 8) << 32));
    assert_eq!((product.length(), product.ciphertexts()), (8, 17));
    let expected = numbers
        .iter()
        .zip(&others)
        .fold(0u32, |sum, (x, y)| sum.wrapping_add(x * y));
    let opened = product
        .decrypt(|ciphertext| setting.decrypt(ciphertext), &table(&product))
        .expect("its own");
    assert_eq!(opened, expected % 65_536);
}

#[test]
fn one_number_encrypted_many_times_shows_another_open_part_each_time() {
    let mut setting = Setting::new(2);
    let factors = vector(&mut setting, ring(4), &[9; 400]);
    let mut seen = [0usize; 16];
    for factor in &factors {
        seen[usize::try_from(factor.clear_part()).expect("below 16")] += 1;
    }
    // A uniform distribution on 16 values gives 25 each. Eight is more than three standard deviations below.
    assert!(
        seen.iter().all(|count| (8..=50).contains(count)),
        "{seen:?}"
    );
}

#[test]
fn a_component_under_another_keyword_is_named_with_its_side() {
    let mut setting = Setting::new(3);
    let (_, other, _) = setting.other("memory");
    let good = vector(&mut setting, ring(4), &[1, 2, 3, 4, 5]);
    let foreign = Factor::encrypt(&other, ring(4), 3, &mut setting.rng).expect("below 16");
    for index in [0, 3, 4] {
        let mut bad = good.clone();
        bad[index] = foreign.clone();
        for (left, right, side) in [(&bad, &good, Side::Left), (&good, &bad, Side::Right)] {
            let refused = setting.product(left, right);
            assert_eq!(
                refused,
                Err(InnerProductError::MisOperation { side, index })
            );
        }
    }
}

#[test]
fn vectors_that_do_not_fit_are_refused() {
    let mut setting = Setting::new(4);
    let good = vector(&mut setting, ring(4), &[1, 2, 3]);
    let other_ring = vector(&mut setting, ring(5), &[1]);
    let server = &setting.server;
    let rng = &mut setting.rng;
    let mut refuse = |left: &[Factor], right: &[Factor]| {
        server
            .inner_product(left, right, rng, &())
            .expect_err("do not fit")
    };
    assert_eq!(refuse(&[], &[]), InnerProductError::EmptyInput);
    let (left, right) = (3, 2);
    assert_eq!(
        refuse(&good, &good[..2]),
        InnerProductError::LengthMismatch { left, right }
    );
    let mixed = [&good[..2], &other_ring].concat();
    let (side, index) = (Side::Right, 2);
    assert_eq!(
        refuse(&good, &mixed),
        InnerProductError::RingMismatch { side, index }
    );
    assert_eq!(Ring::new(0), Err(RingError::Bits { bits: 0 }));
    assert_eq!(Ring::new(17), Err(RingError::Bits { bits: 17 }));
    let refused = setting.factor(ring(4), 16);
    assert_eq!(
        refused,
        Err(RingError::NotReduced {
            number: 16,
            modulus: 16
        })
    );
}

#[test]
fn an_encrypted_part_outside_the_ring_is_out_of_range() {
    let mut setting = Setting::new(5);
    let honest = vector(&mut setting, ring(4), &[3]);
    // A data holder that encrypts b = 16 when T is 16, and one that encrypts −1.
    for b in [16, -1] {
        let mut bytes = honest[0].to_bytes();
        let ciphertext = setting.encrypt(b);
        bytes[6..].copy_from_slice(&ciphertext.to_compressed());
        let bad = Factor::from_bytes(&bytes).expect("its form is right");
        let product = setting
            .product(&[bad], &honest)
            .expect("its keyword is right");
        let decrypt = |ciphertext: &Ciphertext| setting.decrypt(ciphertext);
        let refused = product.decrypt(decrypt, &table(&product));
        let refused = refused.expect_err("outside the ring");
        assert!(
            matches!(refused, ProductError::NotInRing { index: 1, most: 15 }),
            "{refused}"
        );
        assert_eq!(
            refused.to_string(),
            "ciphertext 1: the number is not from 0 to 15"
        );
        // A table with a smaller range than the sum.
        let short = DiscreteLog::new(Bound::new(1), 1 << 16, &()).expect("a table");
        let refused = product.decrypt(decrypt, &short);
        assert!(refused.is_err());
    }
}

#[test]
fn a_ciphertext_from_elsewhere_in_a_product_is_named_before_any_search() {
    let mut setting = Setting::new(8);
    let (_, other, _) = setting.other("memory");
    let vector = vector(&mut setting, ring(4), &[3, 4]);
    let product = setting.product(&vector, &vector).expect("one keyword");
    let foreign = other.encrypt(3, &mut setting.rng).to_compressed();
    // This table contains no number, so any search would fail first.
    let table = DiscreteLog::new(Bound::new(0), 1 << 16, &()).expect("a table");
    for wrong in 0..5 {
        let mut bytes = product.to_bytes();
        bytes[6 + 976 * wrong..][..976].copy_from_slice(&foreign);
        let product = EncryptedProduct::from_bytes(&bytes).expect("its form is right");
        let decrypt = |ciphertext: &Ciphertext| setting.decrypt(ciphertext);
        let refused = product.decrypt(decrypt, &table).expect_err("foreign");
        assert!(
            matches!(refused, ProductError::Rejected { index, .. } if index == wrong),
            "{refused}"
        );
        // Bytes that are not a ciphertext are reported by index, too.
        bytes[6 + 976 * wrong + 48] ^= 1;
        let refused = EncryptedProduct::from_bytes(&bytes).expect_err("no ciphertext");
        assert!(
            matches!(refused, FactorError::Ciphertext { index, .. } if index == wrong),
            "{refused}"
        );
    }
}

#[test]
fn a_product_of_no_components_is_refused() {
    let mut setting = Setting::new(9);
    let total = setting.encrypt(0).to_compressed();
    let bytes = [&[4, 8, 0, 0, 0, 0][..], &total].concat();
    assert_eq!(
        EncryptedProduct::from_bytes(&bytes),
        Err(FactorError::Empty)
    );
}

#[test]
fn a_product_with_parts_exchanged_from_another_keyword_is_rejected() {
    let mut setting = Setting::new(6);
    let left = vector(&mut setting, ring(4), &[3, 4]);
    let product = setting.product(&left, &left).expect("one keyword");
    let (keyword, ..) = setting.other("memory");
    let refused = product.decrypt(
        |ciphertext| setting.master.decrypt(&keyword, ciphertext),
        &table(&product),
    );
    assert!(matches!(
        refused,
        Err(ProductError::Rejected { index: 0, .. })
    ));
}

#[test]
fn with_one_vector_public_a_weighted_sum_is_one_ciphertext() {
    let mut setting = Setting::new(7);
    let (public, secret) = ([5i64, -3, 0, 1000], [7i64, 11, 13, -17]);
    let ciphertexts = secret.map(|number| setting.encrypt(number));
    let terms: Vec<_> = public
        .iter()
        .zip(&ciphertexts)
        .map(|(weight, ciphertext)| Term::new(*weight, ciphertext))
        .collect();
    let sum = setting.sum(&terms, 0).expect("one keyword");
    let message = setting.decrypt(sum.ciphertext()).expect("its own");
    let table = DiscreteLog::new(Bound::new(100_000), 1 << 16, &()).expect("a table");
    assert_eq!(table.find(&message), Ok(5 * 7 - 3 * 11 - 1000 * 17));
}
