//! Everything that reads bytes or text. A test calls it with seeded inputs, and the fuzz target `vouch_decode` with others.

use duet_vouch::{
    public_key_from_pem, secret_key_from_pem, GenesisHash, List, Statement, Subject, Terms, Time,
    Vouched,
};

/// Reads bytes in every way. Nothing panics, what is accepted has one spelling, and nobody vouches for what nobody signed.
pub(crate) fn decode(bytes: &[u8]) {
    if let Ok(record) = Vouched::from_bytes(bytes) {
        assert_eq!(record.to_bytes(), bytes);
        let never_signed = Subject::new(GenesisHash([0; 32]), b"never signed");
        let terms = Terms {
            now: Time(0),
            tolerance: 0,
            max_age: 0,
        };
        let verdict = record.verify(&never_signed, &List::default(), &terms);
        assert!(verdict.is_err(), "{verdict:?}");
    }
    if let Ok(statement) = Statement::from_bytes(bytes) {
        assert_eq!(statement.to_bytes(), bytes);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = List::from_text(text);
    }
    let _ = (secret_key_from_pem(bytes), public_key_from_pem(bytes));
}
