//! Everything that `duet-vouch` reads: records, statements, lists and keys in PEM.

use crate::encoding::accepts;
use duet_sequential::{testing::secret_key, Suite, Time};
use duet_vouch::{
    public_key_from_pem, secret_key_from_pem, GenesisHash, List, Statement, Subject, Terms, Vouched,
};
use pem_rfc7468::LineEnding;

/// What is accepted has one spelling, and nobody vouches for what nobody signed.
pub(crate) fn decode(bytes: &[u8]) -> bool {
    let record = Vouched::from_bytes(bytes);
    if let Ok(record) = &record {
        let never_signed = Subject::new(GenesisHash([0; 32]), b"never signed");
        let terms = Terms {
            now: Time(0),
            tolerance: 0,
            max_age: 0,
        };
        let verdict = record.verify(&never_signed, &List::default(), &terms);
        assert!(verdict.is_err(), "{verdict:?}");
    }
    let list = std::str::from_utf8(bytes).is_ok_and(|text| List::from_text(text).is_ok());
    let keys = [
        secret_key_from_pem(bytes).is_ok(),
        public_key_from_pem(bytes).is_ok(),
    ];
    accepts(bytes, record, Vouched::to_bytes)
        | accepts(bytes, Statement::from_bytes(bytes), |it| it.to_bytes())
        | list
        | keys.contains(&true)
}

pub(crate) fn valid() -> Vec<Vec<u8>> {
    let subject = || Subject::new(GenesisHash([7; 32]), b"a checkpoint");
    let [alice, bob] = [0, 1].map(|index| secret_key(Suite::Rsa2048, index));
    let one = Vouched::first(alice, subject(), Time(1)).expect("a statement");
    let two = one.append(bob, subject(), Time(2)).expect("another one");
    let statement = Statement {
        subject: subject(),
        signed_at: Time(1),
        key: secret_key(Suite::Rsa3072, 0).public().clone(),
    };
    let [first, second] = [alice, bob].map(|key| key.public().fingerprint());
    vec![
        one.to_bytes(),
        two.to_bytes(),
        statement.to_bytes(),
        format!("{first} Alice\n# a line\n\n{second} Bob").into_bytes(),
        pem("PRIVATE KEY", &alice.to_bytes().expect("memory")[2 + 32..]),
        pem("PUBLIC KEY", &public_key_info(alice.public().as_bytes())),
    ]
}

fn pem(label: &str, der: &[u8]) -> Vec<u8> {
    let text = pem_rfc7468::encode_string(label, LineEnding::LF, der);
    text.expect("a short text").into_bytes()
}

/// The DER of a key of 2048 bits: the algorithm, and in a bit string the modulus and the exponent.
fn public_key_info(modulus: &[u8]) -> Vec<u8> {
    const BEFORE: &[u8] =
        b"\x30\x82\x01\x22\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\
        \x03\x82\x01\x0f\x00\x30\x82\x01\x0a\x02\x82\x01\x01\x00";
    [BEFORE, modulus, &[2, 3, 1, 0, 1]].concat()
}
