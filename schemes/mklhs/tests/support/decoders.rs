//! The properties of every decoder, for arbitrary bytes: shared by the tests and the fuzz target.

use duet_mklhs::{
    Combined, EquivocationProof, Label, Program, ProofOfPossession, PublicKey, Record, Scalar,
    Signature, SigningKey,
};

/// The number of decoders. The first byte of the input selects one.
pub(crate) const DECODERS: u8 = 10;

/// Decodes `data` without panicking. Every value has one encoding: what decodes encodes to the same bytes.
pub(crate) fn decode(data: &[u8]) {
    let Some((choice, bytes)) = data.split_first() else {
        return;
    };
    let again = match choice % DECODERS {
        0 => Signature::from_bytes(bytes)
            .map(|it| it.to_bytes().to_vec())
            .ok(),
        1 => Combined::from_bytes(bytes).map(|it| it.to_bytes()).ok(),
        2 => PublicKey::from_bytes(bytes)
            .map(|it| it.to_bytes().to_vec())
            .ok(),
        3 => ProofOfPossession::from_bytes(bytes)
            .map(|it| it.to_bytes().to_vec())
            .ok(),
        4 => Label::from_bytes(bytes)
            .map(|it| it.as_bytes().to_vec())
            .ok(),
        5 => EquivocationProof::from_bytes(bytes)
            .map(|it| it.to_bytes())
            .ok(),
        6 => <&[u8; 32]>::try_from(bytes)
            .ok()
            .and_then(|bytes| SigningKey::from_bytes(bytes).ok())
            .map(|it| it.expose().to_vec()),
        8 => Program::from_bytes(bytes).map(|it| it.to_bytes()).ok(),
        9 => Record::from_bytes(bytes).map(|it| it.to_bytes()).ok(),
        _ => return decode_text(bytes),
    };
    assert!(again.is_none_or(|again| again == bytes));
}

/// Numbers may have leading zeros. The displayed form parses to the same number.
fn decode_text(bytes: &[u8]) {
    let number = std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| text.parse().ok());
    if let Some(number) = number {
        let number: Scalar = number;
        assert_eq!(number.to_string().parse(), Ok(number));
        assert_eq!(Scalar::from_bytes(&number.to_bytes()), Some(number));
    }
}
