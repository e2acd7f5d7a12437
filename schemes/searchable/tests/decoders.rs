//! Runs the fuzz target's decoders briefly, on seeded random bytes and on mutations of valid encodings.

mod common;

use common::{rng, Setting};
use duet_searchable::{testing::decode_anything, *};
use rand_core::RngCore;

fn below(rng: &mut impl RngCore, bound: usize) -> usize {
    usize::try_from(rng.next_u32()).expect("32 bits") % bound
}

/// Valid bytes for each selector of the target.
fn good() -> Vec<Vec<u8>> {
    let mut rng = rng(1);
    let master = MasterKey::from_seed(&[7; 32]).expect("usable");
    let keyword = Keyword::new("fuzz").expect("short");
    let encryptor =
        Encryptor::new(master.public_key(), &keyword).expect("no collision with the secret");
    let server = master
        .homomorphic_key(&keyword)
        .expect("no collision with the secret");
    let ciphertext = encryptor.encrypt(3, &mut rng);
    let ring = Ring::new(6).expect("six bits");
    let factor = Factor::encrypt(&encryptor, ring, 21, &mut rng).expect("below 64");
    let vector = [factor.clone(), factor.clone()];
    let product = server
        .inner_product(&vector, &vector, &mut rng, &())
        .expect("one keyword");
    let with = |selector: u8, bytes: &[u8]| [&[selector][..], bytes].concat();
    vec![
        with(0, &ciphertext.to_wire(Form::Plain)),
        with(0, &ciphertext.to_wire(Form::Compressed)),
        with(1, &ciphertext.to_plain()),
        with(1, &ciphertext.to_compressed()),
        with(2, &master.public_key().to_bytes()),
        with(3, &*server.expose()),
        with(
            4,
            &*master
                .decryption_key(&keyword)
                .expect("no collision with the secret")
                .expose(),
        ),
        with(5, &Message::number(5).to_bytes()),
        with(5, &Message::number(5).to_compressed()),
        with(6, &factor.to_bytes()),
        with(7, &product.to_bytes()),
        with(8, &*master.expose()),
    ]
}

#[test]
fn good_bytes_are_decoded() {
    for bytes in good() {
        assert!(decode_anything(&bytes), "selector {}", bytes[0]);
    }
}

#[test]
fn mutated_bytes_are_refused_or_canonical() {
    let mut rng = rng(2);
    for good in good() {
        for _ in 0..40 {
            let mut bytes = good.clone();
            for _ in 0..=below(&mut rng, 4) {
                let place = 1 + below(&mut rng, bytes.len() - 1);
                match below(&mut rng, 5) {
                    0 => bytes[place] ^= 1 << below(&mut rng, 8),
                    1 => bytes[place] = [0, 0xff, 0x80, 0xc0][below(&mut rng, 4)],
                    2 => bytes.truncate(place + 1),
                    3 => bytes.insert(place, 0),
                    _ => {
                        let other = 1 + below(&mut rng, bytes.len() - 1);
                        bytes.swap(place, other);
                    }
                }
            }
            // Acceptance depends on the mutation. The function itself checks that accepted bytes are canonical.
            let _ = decode_anything(&bytes);
        }
    }
}

#[test]
fn random_bytes_are_refused() {
    let mut rng = rng(3);
    let lengths = [
        0, 1, 2, 48, 288, 304, 432, 512, 576, 976, 977, 982, 1840, 1841, 2000,
    ];
    for length in lengths {
        for selector in 0..8 {
            for _ in 0..4 {
                let mut bytes = vec![0; length + 1];
                rng.fill_bytes(&mut bytes);
                bytes[0] = selector;
                assert!(!decode_anything(&bytes), "selector {selector}");
            }
        }
    }
    assert!(!decode_anything(&[]));
}

#[test]
fn a_setting_of_the_tests_is_another_receiver_than_that_of_the_target() {
    let setting = Setting::new(1);
    let bytes = [&[3][..], &*setting.server.expose()].concat();
    assert!(!decode_anything(&bytes));
}
