//! Our own known answers, for cases that the other file does not cover. Computed from seeds, verified with the
//! reference equations, and compared with the file.

mod common;

use common::{
    array, bytes,
    judge::{self, Parts, Public, Tuple},
    Replay,
};
use duet_searchable::*;
use rand_core::RngCore;
use serde_json::{json, Value};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/more.json");

fn hexed(bytes: impl AsRef<[u8]>) -> Value {
    hex::encode(bytes).into()
}

/// Computes all answers, and verifies each ciphertext with the reference equations.
fn make() -> Value {
    let mut rng = common::rng(20);
    let seed = [0x42; 32];
    let master = MasterKey::from_seed(&seed).expect("usable");
    let keyword = Keyword::telemetry("duet", "missed slots", 12).expect("short");
    let encryptor = Encryptor::new(master.public_key(), &keyword).expect("no hit");
    let server = master.homomorphic_key(&keyword).expect("no hit");
    let decryption = master.decryption_key(&keyword).expect("no hit");
    let public = Public::from_bytes(&master.public_key().to_bytes());
    let parts = Parts::decryption(&*decryption.expose());
    let table = DiscreteLog::new(Bound::new(100_000), 1 << 16, &()).expect("a table");
    let judged = |ciphertext: &Ciphertext, number: i64| {
        let tuple = Tuple::from_plain(&ciphertext.to_plain());
        assert_eq!(parts.apply(2, &tuple), tuple.c4);
        let message = parts
            .naive_decrypt(&public, &tuple)
            .expect("under the keyword");
        let expected = judge::pow(&judge::z(), &ark_bls12_381::Fr::from(number));
        assert_eq!(message, expected);
        let decrypted = master.decrypt(&keyword, ciphertext).expect("its own");
        assert_eq!(table.find(&decrypted), Ok(number));
    };
    let mut scalar = || {
        let mut scalar = [0; 32];
        rng.fill_bytes(&mut scalar[1..]);
        scalar
    };
    let mut encryptions = Vec::new();
    let mut inputs = Vec::new();
    for number in [0, -1, -40_000] {
        let s = scalar();
        let ciphertext = encryptor.encrypt(number, &mut Replay::new(&[s]));
        judged(&ciphertext, number);
        encryptions.push(json!({
            "m": number,
            "s": hexed(s),
            "compressed": hexed(ciphertext.to_compressed()),
            "digest": hexed(ciphertext.digest().0),
        }));
        inputs.push(ciphertext);
    }
    let (weights, constant, s) = ([1_000_000, -7, 2], -5, scalar());
    let terms: Vec<_> = weights
        .iter()
        .zip(&inputs)
        .map(|(weight, input)| Term::new(*weight, input))
        .collect();
    let sum = server
        .evaluate(&terms, constant, &mut Replay::new(&[s]))
        .expect("one keyword");
    judged(sum.ciphertext(), 7 - 80_000 - 5);
    json!({
        "seed": hexed(seed),
        "keyword": hexed(keyword.as_bytes()),
        "public_key": hexed(master.public_key().to_bytes()),
        "homomorphic_key": hexed(*server.expose()),
        "decryption_key": hexed(*decryption.expose()),
        "encryptions": encryptions,
        "sum": {
            "weights": weights,
            "constant": constant,
            "s": hexed(s),
            "compressed": hexed(sum.ciphertext().to_compressed()),
        },
        "message_minus_one": hexed(Message::number(-1).to_compressed()),
        "factor": factor(&encryptor, &server),
    })
}

/// Factors draw more than scalars, so their randomness is ChaCha20 with the seed 21.
fn factor(encryptor: &Encryptor, server: &HomomorphicKey) -> Value {
    let mut rng = common::rng(21);
    let ring = Ring::new(6).expect("six bits");
    let mut factor = |number| Factor::encrypt(encryptor, ring, number, &mut rng).expect("below 64");
    let (left, right) = ([factor(40)], [factor(50)]);
    let product = server
        .inner_product(&left, &right, &mut rng, &())
        .expect("one keyword");
    json!({
        "numbers": [40, 50],
        "modulus": ring.modulus(),
        "left": hexed(left[0].to_bytes()),
        "right": hexed(right[0].to_bytes()),
        "product": hexed(product.to_bytes()),
        "inner_product": 40 * 50 % 64,
    })
}

#[test]
fn every_answer_is_the_recorded_one() {
    let recorded: Value = serde_json::from_str(include_str!("vectors/more.json")).expect("JSON");
    assert_eq!(make(), recorded);
}

#[test]
fn the_recorded_product_decrypts_with_the_recorded_key() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/more.json")).expect("JSON");
    let public = PublicKey::from_bytes(&bytes(&vectors["public_key"])).expect("a key");
    let keyword = Keyword::new(bytes(&vectors["keyword"])).expect("short");
    let key = DecryptionKey::from_bytes(&public, &keyword, &bytes(&vectors["decryption_key"]))
        .expect("of this keyword");
    let product = EncryptedProduct::from_bytes(&bytes(&vectors["factor"]["product"])).expect("one");
    let table = DiscreteLog::new(product.bound().expect("short"), 1 << 14, &()).expect("a table");
    let number = product
        .decrypt(|ciphertext| key.decrypt(ciphertext), &table)
        .expect("its own");
    assert_eq!(vectors["factor"]["inner_product"], number);
    let minus_one = Message::from_compressed(&array(&vectors["message_minus_one"]));
    assert_eq!(table.find(&minus_one.expect("a message")), Ok(-1));
}

/// Rewrites the file. Do this only for an intended change of the format.
#[test]
#[ignore = "rewrites the recorded answers"]
fn regenerate() {
    let text = serde_json::to_string_pretty(&make()).expect("JSON");
    std::fs::write(FILE, text + "\n").expect("written");
}
