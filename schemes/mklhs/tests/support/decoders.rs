//! What every decoder promises, for any bytes: shared by the tests and the fuzz target.

use duet_journal::{Header, Mark, HASH_LEN};
use duet_mklhs::{
    labels_in_journal, suite, Combined, EquivocationProof, Label, ProofOfPossession, PublicKey,
    Scalar, Signature, SignerId, SigningKey,
};

/// How many decoders there are; the first byte of the input chooses one.
pub(crate) const DECODERS: u8 = 10;

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
        7 => return decode_text(bytes),
        8 => return decode_journal(bytes),
        _ => return decode_linked_journal(bytes),
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

/// Bytes of an entry before its link.
const BODY_LEN: usize = HASH_LEN + suite::SIGNATURE_LEN;

/// The labels in a journal whose signer is the one that stands in it, if one does.
fn labels(journal: &[u8]) -> Option<usize> {
    let owner = journal.get(suite::REGISTER_TAG.len()..);
    let owner = owner.and_then(|rest| rest.first_chunk());
    let signer = SignerId::from_bytes(owner.copied().unwrap_or_default());
    let labels = labels_in_journal(journal, signer).expect("bytes can be read")?;
    Some(usize::try_from(labels).expect("no more than there are bytes"))
}

/// What is whole at the start of a journal is so without the rest.
fn decode_journal(bytes: &[u8]) {
    if let Some(count) = labels(bytes) {
        let whole = suite::REGISTER_TAG.len() + suite::ID_LEN + count * (BODY_LEN + HASH_LEN);
        let whole = bytes.get(..whole).expect("a part of the journal");
        assert_eq!(labels(whole), Some(count));
    }
}

/// The chain of hashes lets hardly any bytes through, so it is made anew: a signer, and then bodies. What is left over is
/// the entry that was being written.
fn decode_linked_journal(bytes: &[u8]) {
    let Some((owner, bytes)) = bytes.split_first_chunk() else {
        return;
    };
    let header = Header::new(suite::REGISTER_TAG, *owner);
    let (bodies, rest) = bytes.as_chunks::<BODY_LEN>();
    let (mut journal, mut mark) = (header.to_bytes(), Mark::start(&header));
    for body in bodies {
        mark = mark.after(body);
        journal.extend(body);
        journal.extend(mark.link());
    }
    journal.extend(rest);
    assert_eq!(labels(&journal), Some(bodies.len()));
}
