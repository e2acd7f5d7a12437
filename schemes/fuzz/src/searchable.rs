//! Every decoder of `duet-searchable`: the first byte selects one.

use crate::encoding::accepts;
use duet_searchable::{
    suite::{GT_LEN, SEED_LEN, TORUS_LEN},
    DecryptionKey, EncryptedProduct, Encryptor, Factor, Form, HomomorphicKey, Keyword, LengthError,
    MasterKey, Message, PublicKey, ReceivedCiphertext, Ring,
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
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

pub(crate) fn decode(input: &[u8]) -> bool {
    let Some((selector, bytes)) = input.split_first() else {
        return false;
    };
    let (master, keyword) = fixture();
    let public = master.public_key();
    match selector % 9 {
        0 => wire(bytes),
        1 => forms(bytes),
        2 => accepts(bytes, PublicKey::from_bytes(bytes), |it| it.to_bytes()),
        // The equation also holds for keys with another r; only the derived one is canonical.
        3 => {
            let key = HomomorphicKey::from_bytes(public, keyword, bytes);
            accepts(bytes, key, |it| it.expose().to_vec())
        }
        4 => {
            let key = DecryptionKey::from_bytes(public, keyword, bytes);
            accepts(bytes, key, |it| it.expose().to_vec())
        }
        5 => message(bytes),
        6 => {
            let one = Factor::from_bytes(bytes);
            if let [only] = Factor::read_all(bytes, &()).as_slice() {
                assert_eq!(*only, one);
            }
            accepts(bytes, one, Factor::to_bytes)
        }
        7 => {
            let product = EncryptedProduct::from_bytes(bytes);
            accepts(bytes, product, EncryptedProduct::to_bytes)
        }
        // No failing seed is known.
        _ => <&[u8; SEED_LEN]>::try_from(bytes).is_ok_and(|seed| {
            accepts(bytes, MasterKey::from_seed(seed), |it| it.expose().to_vec())
        }),
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
    let checked = |received: Result<ReceivedCiphertext, LengthError>| received?.check();
    let plain = checked(ReceivedCiphertext::from_plain(bytes));
    let compressed = checked(ReceivedCiphertext::from_compressed(bytes));
    accepts(bytes, plain, |it| it.to_plain()) || accepts(bytes, compressed, |it| it.to_compressed())
}

/// Decodes a message at the front of the bytes, in either form.
fn message(bytes: &[u8]) -> bool {
    let plain = bytes
        .first_chunk::<GT_LEN>()
        .is_some_and(|plain| accepts(plain, Message::from_bytes(plain), |it| it.to_bytes()));
    let compressed = bytes.first_chunk::<TORUS_LEN>().is_some_and(|compressed| {
        let message = Message::from_compressed(compressed);
        accepts(compressed, message, |it| it.to_compressed())
    });
    plain || compressed
}

pub(crate) fn valid() -> Vec<Vec<u8>> {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let (master, keyword) = fixture();
    let encryptor = Encryptor::new(master.public_key(), keyword).expect("no hit");
    let server = master.homomorphic_key(keyword).expect("no hit");
    let delegated = master.decryption_key(keyword).expect("no hit");
    let ciphertext = encryptor.encrypt(3, &mut rng);
    let ring = Ring::new(6).expect("six bits");
    let factor = Factor::encrypt(&encryptor, ring, 21, &mut rng).expect("below 64");
    let vector = [factor.clone(), factor.clone()];
    let product = server.inner_product(&vector, &vector, &mut rng, &());
    let encodings = [
        (0, ciphertext.to_wire(Form::Plain)),
        (0, ciphertext.to_wire(Form::Compressed)),
        (1, ciphertext.to_plain().to_vec()),
        (1, ciphertext.to_compressed().to_vec()),
        (2, master.public_key().to_bytes().to_vec()),
        (3, server.expose().to_vec()),
        (4, delegated.expose().to_vec()),
        (5, Message::number(5).to_bytes().to_vec()),
        (5, Message::number(5).to_compressed().to_vec()),
        (6, factor.to_bytes()),
        (7, product.expect("one keyword").to_bytes()),
        (8, master.expose().to_vec()),
    ];
    let with_selector = |(selector, bytes): (u8, Vec<u8>)| [vec![selector], bytes].concat();
    encodings.map(with_selector).to_vec()
}
