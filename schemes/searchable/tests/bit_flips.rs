//! Flipping a single bit of an encoding: it is rejected, or at least not accepted as the original.

mod common;

use common::Setting;
use duet_searchable::*;
use rayon::prelude::*;

/// Set to flip every bit of a ciphertext, instead of every third.
const EVERY_BIT: &str = "DUET_EVERY_BIT";

/// Whether a bit of a ciphertext is tried: three and eight are coprime, so every bit position in a byte is covered.
fn is_tried((bit, _): &(usize, impl Sized)) -> bool {
    bit % 3 == 0 || std::env::var_os(EVERY_BIT).is_some()
}

/// The bytes with each bit flipped, in parallel.
fn flips<const N: usize>(bytes: [u8; N]) -> impl ParallelIterator<Item = (usize, [u8; N])> {
    (0..8 * N).into_par_iter().map(move |bit| {
        let mut flipped = bytes;
        flipped[bit / 8] ^= 1 << (bit % 8);
        (bit, flipped)
    })
}

/// Whether a ciphertext passes its check and is then accepted by any of the keys.
fn received(
    setting: &Setting,
    delegated: &DecryptionKey,
    checked: Result<Ciphertext, CiphertextError>,
) -> bool {
    checked.is_ok_and(|ciphertext| {
        let master = setting.decrypt(&ciphertext);
        setting.server.test(&ciphertext).is_ok()
            || master.is_ok()
            || delegated.decrypt(&ciphertext).is_ok()
    })
}

#[test]
fn no_bit_of_a_plain_ciphertext_can_change() {
    let mut setting = Setting::new(1);
    let bytes = setting.encrypt(42).to_plain();
    let delegated = setting.delegated();
    let accepted = flips(bytes).filter(is_tried).find_any(|(_, flipped)| {
        let checked = ReceivedCiphertext::from_plain(flipped).map(|received| received.check());
        received(&setting, &delegated, checked.expect("1840 bytes"))
    });
    assert_eq!(accepted.map(|(bit, _)| bit), None);
}

#[test]
fn no_bit_of_a_compressed_ciphertext_can_change() {
    let mut setting = Setting::new(2);
    let bytes = setting.encrypt(42).to_compressed();
    let delegated = setting.delegated();
    let accepted = flips(bytes).filter(is_tried).find_any(|(_, flipped)| {
        let checked = ReceivedCiphertext::from_compressed(flipped).map(|received| received.check());
        received(&setting, &delegated, checked.expect("976 bytes"))
    });
    assert_eq!(accepted.map(|(bit, _)| bit), None);
}

#[test]
fn no_bit_of_a_public_key_can_change_without_its_fingerprint() {
    let setting = Setting::new(3);
    let public = setting.master.public_key();
    let pinned = public.fingerprint();
    let accepted: Vec<_> = flips(public.to_bytes())
        .filter_map(|(bit, flipped)| {
            let refused = PublicKey::from_bytes_pinned(&flipped, &pinned);
            assert_eq!(refused, Err(PublicKeyError::FingerprintMismatch));
            let accepted = PublicKey::from_bytes(&flipped).ok()?;
            assert_ne!(accepted.fingerprint(), pinned);
            Some(bit)
        })
        .collect();
    // The sign of each point: its negative gives another key, which only the fingerprint detects.
    let signs = [0, 48, 144, 240, 336].map(|start| 8 * start + 5);
    assert_eq!(accepted, signs);
}

#[test]
fn no_bit_of_a_homomorphic_key_can_change() {
    let setting = Setting::new(4);
    let accepted = flips(*setting.server.expose()).find_any(|(_, flipped)| {
        HomomorphicKey::from_bytes(setting.master.public_key(), &setting.keyword, flipped).is_ok()
    });
    assert_eq!(accepted.map(|(bit, _)| bit), None);
}

#[test]
fn no_bit_of_a_decryption_key_can_change() {
    let setting = Setting::new(5);
    // Every seventh bit: seven and eight are coprime, so every bit position in a byte is covered.
    let accepted = flips(*setting.delegated().expose())
        .filter(|(bit, _)| bit % 7 == 0)
        .find_any(|(_, flipped)| {
            let public = setting.master.public_key();
            DecryptionKey::from_bytes(public, &setting.keyword, flipped).is_ok()
        });
    assert_eq!(accepted.map(|(bit, _)| bit), None);
}

#[test]
fn no_bit_of_a_message_can_change() {
    let message = Message::number(-77);
    let accepted = flips(message.to_bytes()).find_any(|(_, flipped)| {
        // Accepted bytes encode another element.
        Message::from_bytes(flipped).is_ok()
    });
    assert_eq!(accepted.map(|(bit, _)| bit), None);
    let accepted = flips(message.to_compressed())
        .find_any(|(_, flipped)| Message::from_compressed(flipped).is_ok());
    assert_eq!(accepted.map(|(bit, _)| bit), None);
}

#[test]
fn a_changed_bit_of_an_encrypted_product_is_refused_or_its_decryption_is() {
    let mut setting = Setting::new(8);
    let ring = Ring::new(4).expect("four bits");
    let vector = [setting.factor(ring, 9).expect("below 16")];
    let product = setting.product(&vector, &vector).expect("one keyword");
    let table = DiscreteLog::new(product.bound().expect("short"), 1 << 16, &()).expect("a table");
    let bytes: [u8; 6 + 3 * 976] = product.to_bytes().try_into().expect("three ciphertexts");
    // The whole header. The ciphertexts have their own tests, so only enough bits to cover every position in a byte.
    let accepted: Vec<_> = flips(bytes)
        .filter(|(bit, _)| *bit < 48 || bit % 61 == 0)
        .filter_map(|(bit, flipped)| {
            let product = EncryptedProduct::from_bytes(&flipped).ok()?;
            let decrypt = |ciphertext: &Ciphertext| setting.decrypt(ciphertext);
            (bit < 48 || product.decrypt(decrypt, &table).is_ok()).then_some(bit)
        })
        .collect();
    // No tag covers the ring, so applications must sign products. Version and length cannot change.
    assert!(accepted.iter().all(|bit| (8..16).contains(bit)));
    assert!(!accepted.is_empty());
}

#[test]
fn a_changed_bit_of_a_factor_is_refused_or_spoils_only_what_is_open() {
    let mut setting = Setting::new(6);
    let ring = Ring::new(8).expect("eight bits");
    let factor = setting.factor(ring, 200).expect("a byte");
    let delegated = setting.delegated();
    let bytes: [u8; FACTOR_LEN] = factor.to_bytes().try_into().expect("982 bytes");
    // The whole header, and every fifth bit of the ciphertext, which has its own tests.
    let accepted: Vec<_> = flips(bytes)
        .filter(|(bit, _)| *bit < 48 || bit % 5 == 0)
        .filter_map(|(bit, flipped)| {
            let factor = Factor::from_bytes(&flipped).ok()?;
            // The tag does not cover the ring and the clear part, so applications must sign factors.
            let ciphertext = Ok(factor.ciphertext().clone());
            (bit < 48 || received(&setting, &delegated, ciphertext)).then_some(bit)
        })
        .collect();
    // Versions cannot change. Other rings are valid if the clear part fits; it has eight bits.
    assert!(accepted
        .iter()
        .all(|bit| (8..16).contains(bit) || (40..48).contains(bit)));
    assert!(accepted.contains(&40));
}

#[test]
fn bytes_missing_or_left_over_are_refused_everywhere() {
    let mut setting = Setting::new(7);
    let key = setting.delegated();
    let ciphertext = setting.encryptor.encrypt(1, &mut setting.rng);
    let ring = Ring::new(4).expect("four bits");
    let factor = setting.factor(ring, 3).expect("below 16");
    let vector = [factor.clone()];
    let product = setting.product(&vector, &vector).expect("one");
    let public = setting.master.public_key();
    type Refuses<'a> = Box<dyn Fn(&[u8]) -> bool + 'a>;
    let decoders: Vec<(Vec<u8>, Refuses<'_>)> = vec![
        (
            public.to_bytes().to_vec(),
            Box::new(|bytes| PublicKey::from_bytes(bytes).is_err()),
        ),
        (
            setting.server.expose().to_vec(),
            Box::new(|bytes| HomomorphicKey::from_bytes(public, &setting.keyword, bytes).is_err()),
        ),
        (
            key.expose().to_vec(),
            Box::new(|bytes| DecryptionKey::from_bytes(public, &setting.keyword, bytes).is_err()),
        ),
        (
            ciphertext.to_plain().to_vec(),
            Box::new(|bytes| ReceivedCiphertext::from_plain(bytes).is_err()),
        ),
        (
            ciphertext.to_compressed().to_vec(),
            Box::new(|bytes| ReceivedCiphertext::from_compressed(bytes).is_err()),
        ),
        (
            ciphertext.to_wire(Form::Plain),
            Box::new(|bytes| ReceivedCiphertext::parse(bytes).is_err()),
        ),
        (
            ciphertext.to_wire(Form::Compressed),
            Box::new(|bytes| ReceivedCiphertext::parse(bytes).is_err()),
        ),
        (
            factor.to_bytes(),
            Box::new(|bytes| Factor::from_bytes(bytes).is_err()),
        ),
        (
            product.to_bytes(),
            Box::new(|bytes| EncryptedProduct::from_bytes(bytes).is_err()),
        ),
    ];
    for (bytes, refuses) in &decoders {
        assert!(!refuses(bytes));
        assert!(refuses(&[]));
        assert!(refuses(&bytes[..1]));
        assert!(refuses(&bytes[..bytes.len() - 1]));
        assert!(refuses(&[bytes, &[0][..]].concat()));
    }
    for version in [0, 3, 4, 0xff] {
        let mut wire = ciphertext.to_wire(Form::Plain);
        wire[0] = version;
        let refused = ReceivedCiphertext::parse(&wire);
        assert_eq!(refused, Err(CiphertextError::Version { got: version }));
    }
}
