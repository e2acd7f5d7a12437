//! What every decoder promises, for any bytes: shared by the tests and the fuzz target.

use duet_mklhs::{
    Combined, EquivocationProof, Label, ProofOfPossession, PublicKey, Scalar, Signature, SigningKey,
};

/// How many decoders there are; the first byte of the input chooses one.
pub(crate) const DECODERS: u8 = 8;

/// Decodes `data`, which must not panic. What decodes is spelled in one way: it encodes to the bytes that it was read
/// from, and to nothing longer.
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
        _ => return decode_text(bytes),
    };
    assert!(again.is_none_or(|again| again == bytes));
}

/// Numbers may have leading zeros; what they print as reads back as the same number.
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
