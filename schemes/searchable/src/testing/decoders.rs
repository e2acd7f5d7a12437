//! The properties of all decoders.

use crate::{
    suite::{DECRYPTION_KEY_LEN, GT_LEN, HOMOMORPHIC_KEY_LEN, PUBLIC_KEY_LEN, SEED_LEN, TORUS_LEN},
    DecryptionKey, EncryptedProduct, Factor, Form, HomomorphicKey, Keyword, MasterKey, Message,
    PublicKey, ReceivedCiphertext,
};
use std::sync::OnceLock;

/// A fixed receiver and keyword, so that decoded keys can match something.
fn fixture() -> &'static (MasterKey, Keyword) {
    static FIXTURE: OnceLock<(MasterKey, Keyword)> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let master = MasterKey::from_seed(&[7; 32]).expect("a usable seed");
        let keyword = Keyword::new("fuzz").expect("short");
        (master, keyword)
    })
}

/// Passes the bytes to the decoder that the first byte selects, and returns whether it accepted them. Decoders must not
/// panic, and accepted bytes must be the canonical encoding.
///
/// # Panics
/// If a decoder accepts bytes that are not the encoding of the decoded value.
pub fn decode_anything(input: &[u8]) -> bool {
    let Some((selector, bytes)) = input.split_first() else {
        return false;
    };
    match selector % 9 {
        0 => wire(bytes),
        1 => forms(bytes),
        2 => public_key(bytes),
        3 => homomorphic_key(bytes),
        4 => decryption_key(bytes),
        5 => message(bytes),
        6 => factor(bytes),
        7 => product(bytes),
        _ => seed(bytes),
    }
}

fn wire(bytes: &[u8]) -> bool {
    let checked = ReceivedCiphertext::parse(bytes).and_then(|received| received.check());
    let Ok(ciphertext) = checked else {
        return false;
    };
    let spelled = [Form::Plain, Form::Compressed].map(|form| ciphertext.to_wire(form));
    assert!(spelled.iter().any(|wire| wire == bytes));
    for wire in &spelled {
        let again = ReceivedCiphertext::parse(wire).and_then(|received| received.check());
        assert_eq!(again.as_ref(), Ok(&ciphertext));
    }
    let (master, keyword) = fixture();
    let key = master.homomorphic_key(keyword).expect("no hit");
    if key.test(&ciphertext).is_err() {
        assert!(master.decrypt(keyword, &ciphertext).is_err());
    }
    true
}

fn forms(bytes: &[u8]) -> bool {
    let plain = ReceivedCiphertext::from_plain(bytes).map(|got| got.check());
    let compressed = ReceivedCiphertext::from_compressed(bytes).map(|got| got.check());
    match (plain, compressed) {
        (Ok(Ok(ciphertext)), _) => {
            assert_eq!(ciphertext.to_plain()[..], *bytes);
            true
        }
        (_, Ok(Ok(ciphertext))) => {
            assert_eq!(ciphertext.to_compressed()[..], *bytes);
            true
        }
        _ => false,
    }
}

fn public_key(bytes: &[u8]) -> bool {
    let key = PublicKey::from_bytes(bytes);
    key.is_ok_and(|key| {
        assert_eq!(key.to_bytes()[..], *bytes);
        assert_eq!(bytes.len(), PUBLIC_KEY_LEN);
        true
    })
}

fn homomorphic_key(bytes: &[u8]) -> bool {
    let (master, keyword) = fixture();
    let key = HomomorphicKey::from_bytes(master.public_key(), keyword, bytes);
    key.is_ok_and(|key| {
        // The equation also holds for keys with another r; only the derived one is canonical.
        assert_eq!(key.expose()[..], *bytes);
        assert_eq!(bytes.len(), HOMOMORPHIC_KEY_LEN);
        true
    })
}

fn decryption_key(bytes: &[u8]) -> bool {
    let (master, keyword) = fixture();
    let key = DecryptionKey::from_bytes(master.public_key(), keyword, bytes);
    key.is_ok_and(|key| {
        assert_eq!(key.expose()[..], *bytes);
        assert_eq!(bytes.len(), DECRYPTION_KEY_LEN);
        true
    })
}

/// Decodes a message at the front of the bytes, in either form.
fn message(bytes: &[u8]) -> bool {
    let plain = bytes.first_chunk::<GT_LEN>().is_some_and(|plain| {
        Message::from_bytes(plain).is_ok_and(|message| {
            assert_eq!(message.to_bytes(), *plain);
            true
        })
    });
    let compressed = bytes.first_chunk::<TORUS_LEN>().is_some_and(|compressed| {
        Message::from_compressed(compressed).is_ok_and(|message| {
            assert_eq!(message.to_compressed(), *compressed);
            true
        })
    });
    plain || compressed
}

fn factor(bytes: &[u8]) -> bool {
    let one = Factor::from_bytes(bytes);
    let several = Factor::read_all(bytes, &());
    if let [only] = several.as_slice() {
        assert_eq!(*only, one);
    }
    one.is_ok_and(|factor| {
        assert_eq!(factor.to_bytes(), bytes);
        true
    })
}

fn product(bytes: &[u8]) -> bool {
    EncryptedProduct::from_bytes(bytes).is_ok_and(|product| {
        assert_eq!(product.to_bytes(), bytes);
        true
    })
}

fn seed(bytes: &[u8]) -> bool {
    let Ok(seed) = <&[u8; SEED_LEN]>::try_from(bytes) else {
        return false;
    };
    let master = MasterKey::from_seed(seed).expect("no failing seed is known");
    assert_eq!(*master.expose(), *seed);
    true
}
