//! The properties of every decoder, for arbitrary bytes: shared by the tests and the fuzz target.

use duet_journal::{Header, Mark, HASH_LEN};
use duet_mklhs::{
    labels_in_journal, suite, Combined, EquivocationProof, Label, Program, ProofOfPossession,
    PublicKey, Record, Scalar, Signature, SignerId, SigningKey,
};

/// The number of decoders. The first byte of the input selects one.
pub(crate) const DECODERS: u8 = 12;

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
        7 => return decode_text(bytes),
        8 => return decode_journal(bytes),
        10 => Program::from_bytes(bytes).map(|it| it.to_bytes()).ok(),
        11 => Record::from_bytes(bytes).map(|it| it.to_bytes()).ok(),
        _ => return decode_linked_journal(bytes),
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

/// Bytes of an entry without its link.
const BODY_LEN: usize = HASH_LEN + suite::SIGNATURE_LEN;

/// The number of labels in a journal, for the signer that its header names, if any.
fn labels(journal: &[u8]) -> Option<usize> {
    let owner = journal.get(suite::REGISTER_TAG.len()..);
    let owner = owner.and_then(|rest| rest.first_chunk());
    let signer = SignerId::from_bytes(owner.copied().unwrap_or_default());
    let labels = labels_in_journal(journal, signer).expect("reading from a slice succeeds")?;
    Some(usize::try_from(labels).expect("fewer than the bytes"))
}

/// The complete entries at the start of a journal decode without the rest.
fn decode_journal(bytes: &[u8]) {
    if let Some(count) = labels(bytes) {
        let whole = suite::REGISTER_TAG.len() + suite::ID_LEN + count * (BODY_LEN + HASH_LEN);
        let whole = bytes.get(..whole).expect("a prefix of the journal");
        assert_eq!(labels(whole), Some(count));
    }
}

/// Random bytes rarely have valid links, so the links are computed: the input is a signer, followed by entries without
/// links. Remaining bytes are an incomplete entry.
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
